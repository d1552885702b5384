"""Exact bits of the elementary functions: single values, and 10^4 points of each under several settings of the CPU.

A change here changes the bits of published runs: it needs a *Stream changes* entry.
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from replibandit.arithmetic.elementary import exp, log, normal_cdf, normal_pdf, softplus
from replibandit.arrays import FloatArray

VALUES = [
    (exp, 1.0, "0x1.5bf0a8b145769p+1"),
    (exp, -1.0, "0x1.78b56362cef38p-2"),
    (exp, 0.1, "0x1.1aec7b35a00d4p+0"),
    (exp, -37.25, "0x1.3278bcd70e981p-54"),
    (exp, 700.5, "0x1.8625c7d4f56c2p+1010"),
    (exp, -740.0, "0x0.0000000000055p-1022"),
    (softplus, 0.0, "0x1.62e42fefa39efp-1"),
    (softplus, 1.0, "0x1.5031eafefb049p+0"),
    (softplus, -1.0, "0x1.40c7abfbec125p-2"),
    (softplus, -40.0, "0x1.39792499b1a24p-58"),
    (softplus, 30.0, "0x1.e00000000001ap+4"),
    (normal_pdf, 0.0, "0x1.9884533d43651p-2"),
    (normal_pdf, 1.0, "0x1.ef8e58e331738p-3"),
    (normal_pdf, -2.5, "0x1.1f2f0557f5257p-6"),
    (normal_pdf, 37.0, "0x1.1bf35e596c740p-989"),
    (normal_pdf, -38.5, "0x0.000000000000bp-1022"),
    (normal_cdf, 1.0, "0x1.aec4bd120d37dp-1"),
    (normal_cdf, -1.0, "0x1.44ed0bb7cb20bp-3"),
    (normal_cdf, 0.1, "0x1.1464507526870p-1"),
    (normal_cdf, -8.0, "0x1.669d2c90d55cfp-51"),
    (normal_cdf, -37.0, "0x1.eaccc6bfeb0b0p-995"),
    (normal_cdf, -38.4, "0x0.000000000000dp-1022"),
]

LOGARITHMS = [
    (2.0, 0, "0x1.62e42fefa39efp-1"),
    (10.0, 0, "0x1.26bb1bbb55516p+1"),
    (0.1, 0, "-0x1.26bb1bbb55515p+1"),
    (5e-324, 0, "-0x1.74385446d71c3p+9"),
    (0.75, 1_000_000_000, "0x1.4a84b1622d986p+29"),
    (0.9999999999999998, 0, "-0x1.0000000000001p-52"),
]

PROGRAM = """
import hashlib
import numpy as np
from replibandit.arithmetic.elementary import exp, normal_cdf, normal_pdf, softplus

steps = np.arange(-5_000, 5_000) + 0.5
for function, width in [(exp, 0.149), (softplus, 0.149), (normal_pdf, 0.0077), (normal_cdf, 0.0077)]:
    print(hashlib.blake2b(function(width * steps).astype("<f8").tobytes(), digest_size=16).hexdigest())
"""

DIGESTS = [
    "1061a138acc0e63153dabc85f632f404",
    "8e2f0764cac565025f1c19a70789e6cf",
    "cd12c033388685dc1ce593db32eae6bc",
    "59c72ba7ed536b9ce0fdb084eb97267d",
]


def dispatched_features() -> str:
    """Name the CPU features for which this NumPy has other kernels than its plain ones, and which this CPU has."""
    core = importlib.import_module("numpy._core._multiarray_umath")
    return " ".join(name for name in core.__cpu_dispatch__ if core.__cpu_features__[name])


PLAIN_NUMPY = {"NPY_DISABLE_CPU_FEATURES": dispatched_features()}
PLAIN_LIBC = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA"}


@pytest.mark.parametrize(("function", "x", "bits"), VALUES, ids=lambda part: getattr(part, "__name__", str(part)))
def test_value(function: Callable[[FloatArray], FloatArray], x: float, bits: str) -> None:
    assert float(function(np.array(x))).hex() == bits


@pytest.mark.parametrize(("x", "exponent", "bits"), LOGARITHMS)
def test_logarithm(x: float, exponent: int, bits: str) -> None:
    assert log(x, exponent).hex() == bits


@pytest.mark.parametrize(
    "settings", [{}, PLAIN_NUMPY, PLAIN_LIBC, PLAIN_NUMPY | PLAIN_LIBC], ids=["as-is", "numpy", "libc", "both"]
)
def test_ten_thousand_points_under_other_settings_of_the_cpu(settings: dict[str, str]) -> None:
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=os.environ | settings, capture_output=True, text=True, check=True
    )
    assert process.stdout.split() == DIGESTS
    assert process.stderr == ""
