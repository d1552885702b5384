"""What comes in: results by name, lists of audits, one run or many."""

from collections.abc import Mapping, Sequence
from typing import Any

from replibandit.errors import InvalidInput
from replibandit.findings import Audit
from replibandit.runs import Run


def named(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return results by name, one at least."""
    if not isinstance(results, Mapping) or not results:
        shown = "empty" if isinstance(results, Mapping) else f"a {type(results).__name__}"
        raise InvalidInput(f'the results are {shown}; give them by name, such as {{"RepUCB": result}}.')
    for name in results:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InvalidInput(f"a result is called {name!r}; its name must be text that can be printed.")
    return dict(results)


def one_audit(name: str, value: Any) -> Audit:
    """Return `value` if it is an audit."""
    if not isinstance(value, Audit):
        raise InvalidInput(f"{name} is a {type(value).__name__}; it must be an Audit, which `audit` returns.")
    return value


def many_audits(values: Sequence[Audit]) -> list[Audit]:
    """Return a list of audits, one at least."""
    if not isinstance(values, Sequence) or not values:
        raise InvalidInput(f"the audits are {values!r:.60}; give a list of one audit at least.")
    return [one_audit(f"audit {i}", value) for i, value in enumerate(values)]


def many_runs(name: str, value: Run | Sequence[Run]) -> list[Run]:
    """Return runs of one horizon, one at least."""
    runs = [value] if isinstance(value, Run) else value
    if not isinstance(runs, Sequence) or not runs or not all(isinstance(run, Run) for run in runs):
        raise InvalidInput(f"{name} is {value!r:.60}; it must be a Run, or a list of one Run at least.")
    horizons = sorted({run.horizon for run in runs})
    if len(horizons) > 1:
        raise InvalidInput(f"{name} has runs of {horizons[0]} and of {horizons[-1]} rounds; give runs of one length.")
    return list(runs)
