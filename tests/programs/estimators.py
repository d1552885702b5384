"""Print a digest of every bit of each fit, and one of the naive computation, for the settings of this process."""

import hashlib
from functools import partial

import numpy as np

import replibandit as rb
from replibandit.arrays import FloatArray

fit_ridge = partial(rb.rep_ridge, rho=0.1, delta=0.01, noise=0.5, seed="machines")
fit_glm = partial(rb.rep_glm, link="logistic", rho=0.1, delta=0.01, noise=0.5, seed="machines")


def designs(n: int = 3000, d: int = 12) -> dict[str, FloatArray]:
    """Return continuous, binary, one-hot and collinear features, the same on every machine."""
    words = rb.Key("designs")
    continuous = words.child("continuous").uniform(n * d).reshape(n, d) - 0.5
    binary = (words.child("binary").uniform(n * d).reshape(n, d) < 0.3).astype(np.float64)
    one_hot = np.eye(d)[(words.child("one-hot").uniform(n) * d).astype(int)]
    collinear = np.column_stack([continuous[:, :-2], continuous[:, 0] + continuous[:, 1], continuous[:, 2]])
    return {"continuous": continuous, "binary": binary, "one-hot": one_hot, "collinear": collinear}


def digest(*arrays: FloatArray) -> str:
    """Return a digest of the bytes of arrays."""
    return hashlib.blake2b(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays), digest_size=16).hexdigest()


def bits(fit: rb.RidgeFit | rb.GLMFit) -> str:
    """Return the fingerprint of a fit with a digest of all its numbers."""
    scalars = np.array([fit.width, fit.radius, fit.inflated_radius])
    return f"{fit.fingerprint} {digest(fit.theta, fit.raw, fit.cell.astype(np.float64), fit.shift, fit.gram, scalars)}"


def naive_ridge(X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the ridge estimate of ordinary floating point: the power control."""
    return np.asarray(np.linalg.solve(np.eye(X.shape[1]) + X.T @ X, X.T @ y), dtype=np.float64)


def main() -> None:
    naive = []
    for name, X in designs().items():
        y = (rb.Key("responses").child(name).uniform(len(X)) < 0.5).astype(np.float64)
        for whitening in ("cholesky", "symmetric"):
            print("RepRidge", name, whitening, bits(fit_ridge(X, y, whitening=whitening)))
            print("RepGLM", name, whitening, bits(fit_glm(X, y, whitening=whitening)))
        on_lattice, on_cubes = fit_ridge(X, y, calibration="sharp", grid="lattice"), fit_glm(X, y, calibration="sharp")
        print("sharp", name, bits(on_lattice), bits(on_cubes))
        core = rb.core_set(X[:300], epsilon=0.1, rho=0.1, delta=0.01)
        print("core_set", name, digest(core.weights, core.pulls.astype(np.float64), np.array([core.reach])))
        naive.append(naive_ridge(X, y))
    print("machine", *(f"{name}: {bits}" for name, bits in rb.check_machine().computed), rb.check_machine().reproduces)
    print("naive", digest(*naive))


if __name__ == "__main__":
    main()
