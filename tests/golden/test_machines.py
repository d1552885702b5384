"""L0 over the environment matrix: one set of bits for estimators and policies, more than one for naive computations."""

from tests.machines import outputs
from tests.programs.policies import cases


def check_one_set_of_bits(program: str, results: int) -> None:
    """Check that all lines but the last, the naive one, are the same in every setting."""
    runs = outputs(program)
    assert len(runs) >= 8, f"only {len(runs)} of the settings ran on this processor"
    assert {len(lines) for lines in runs} == {results + 1}
    strict = {tuple(lines[:-1]) for lines in runs}
    differing = [sorted(bits) for bits in map(set, zip(*strict, strict=True)) if len(bits) > 1]
    assert not differing, f"different bits on different machines: {differing}"
    naive = {lines[-1] for lines in runs}
    assert len(naive) > 1, "the naive computation agreed everywhere: the matrix has no power"


def test_estimators_have_one_fingerprint_on_every_machine() -> None:
    check_one_set_of_bits("estimators.py", results=4 * (2 * 2 + 2) + 1)


def test_policies_have_one_fingerprint_on_every_machine() -> None:
    check_one_set_of_bits("policies.py", results=len(cases()))
