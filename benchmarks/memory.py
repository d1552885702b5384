"""Claim: a fit needs at most 1.3 times the memory of its data, plus O(d**2).

The peak is that of a process of its own, less what the process held before it made the data.
"""

import argparse
import os
import resource
import subprocess
import sys

TARGET = 1.3
UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss
FITS = ["data alone", "cholesky", "symmetric", "counts", "glm", "glm in a ball", "glm in a box"]


def peak() -> int:
    """Return the largest resident size so far, in bytes."""
    return UNIT * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(n: int, d: int, fit: str) -> None:
    """Print what this process held before, and at most."""
    import numpy as np

    from replibandit import rep_glm, rep_ridge

    settings = {"rho": 0.1, "delta": 0.01, "noise": 1.0, "seed": 0}
    rep_glm(np.eye(d), np.ones(d), link="identity", **settings)  # what O(d**2) and the libraries need
    before, rng = peak(), np.random.default_rng(0)
    X, y = np.empty((n, d)), np.empty(n)
    rng.standard_normal(out=X)
    rng.standard_normal(out=y)
    domains = {"glm": {"min_slope": 1.0}, "glm in a ball": {"norm_bound": 1.0}, "glm in a box": {"box": (-1.0, 1.0)}}
    if fit in domains:
        rep_glm(X, y, link="identity", **settings, **domains[fit])
    elif fit == "counts":
        rep_ridge(X, y, counts=np.full(n, 3), **settings)
    elif fit != "data alone":
        rep_ridge(X, y, whitening=fit, **settings)
    print(before, peak())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10**6)
    parser.add_argument("--d", type=int, default=100)
    parser.add_argument("--child", choices=FITS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        measure(options.n, options.d, options.child)
        return
    data = 8 * options.n * (options.d + 1)
    print(f"n = {options.n:,}, d = {options.d}, data of {data / 1e6:,.0f} MB; target: at most {TARGET:g} times")
    for fit in FITS:
        command = [sys.executable, *sys.argv, "--child", fit]
        found = subprocess.run(command, env=os.environ, check=True, capture_output=True, text=True).stdout
        before, most = map(int, found.split())
        print(f"{fit:>13}  {most / 1e6:>7,.0f} MB  {(most - before) / data:>5.2f}", flush=True)


if __name__ == "__main__":
    main()
