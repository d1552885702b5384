"""L0 over the environment matrix: one set of bits for the estimators, more than one for the naive computation."""

from tests.machines import outputs


def test_estimators_have_one_fingerprint_on_every_machine() -> None:
    runs = outputs("estimators.py")
    assert len(runs) >= 8, f"only {len(runs)} of the settings ran on this processor"
    assert {len(lines) for lines in runs} == {4 * (2 * 2 + 1) + 1}
    strict = {tuple(lines[:-1]) for lines in runs}
    differing = [sorted(bits) for bits in map(set, zip(*strict, strict=True)) if len(bits) > 1]
    assert not differing, f"different bits on different machines: {differing}"
    naive = {lines[-1] for lines in runs}
    assert len(naive) > 1, "the naive computation agreed everywhere: the matrix has no power"
