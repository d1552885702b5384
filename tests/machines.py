"""Many machines in one: the same program under other BLAS kernels, thread counts, NumPy kernels and C libraries."""

import importlib
import itertools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
CORES = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX", "Zen")
ILLEGAL_INSTRUCTION = -4


def plain_numpy() -> dict[str, str]:
    """Switch off every NumPy kernel beyond the baseline that this machine could run."""
    core = importlib.import_module("numpy._core._multiarray_umath")
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(f for f in core.__cpu_dispatch__ if core.__cpu_features__[f])}


PLAIN_LIBC = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA"}


def settings() -> list[dict[str, str]]:
    """Return the environment matrix."""
    blas = [{"OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": str(n)} for core in CORES for n in (1, 2)]
    product = itertools.product(blas, ({}, plain_numpy()), ({}, PLAIN_LIBC))
    return [{**first, **second, **third} for first, second, third in product]


def outputs(program: str) -> list[list[str]]:
    """Run `programs/<program>` once in each setting that this processor can execute; return the printed lines."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        runs = list(pool.map(lambda setting: _run(program, setting), settings()))
    return [lines for lines in runs if lines is not None]


def _run(program: str, setting: dict[str, str]) -> list[str] | None:
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / program)], env={**os.environ, **setting}, capture_output=True, text=True
    )
    if done.returncode == ILLEGAL_INSTRUCTION:
        return None
    assert done.returncode == 0, f"{setting}: {done.stderr}"
    return done.stdout.splitlines()
