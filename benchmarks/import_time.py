"""Claim: `import replibandit` takes less than 0.3 s, and little beyond the import of NumPy."""

import argparse
import subprocess
import sys
import time

TARGET = 0.3
PROGRAMS = {"nothing": "pass", "numpy": "import numpy", "replibandit": "import replibandit"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    options = parser.parse_args()
    shortest = dict.fromkeys(PROGRAMS, float("inf"))
    for _ in range(options.repeats):
        for name, program in PROGRAMS.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True)
            shortest[name] = min(shortest[name], time.perf_counter() - start)
    print(f"wall time of a process, best of {options.repeats}; target: import replibandit below {TARGET:g} s")
    for name, seconds in shortest.items():
        print(f"{'import ' + name:>18}  {1e3 * seconds:>7.1f} ms")
    print(f"{'beyond nothing':>18}  {1e3 * (shortest['replibandit'] - shortest['nothing']):>7.1f} ms")
    print(f"{'beyond numpy':>18}  {1e3 * (shortest['replibandit'] - shortest['numpy']):>7.1f} ms")


if __name__ == "__main__":
    main()
