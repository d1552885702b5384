"""`check-machine`: does this machine compute the published bits?"""

from replibandit.cli import options
from replibandit.cli.terminal import FINE, NO, Leave, facts, listing, show, show_json
from replibandit.machine import Machine
from replibandit.machine import check_machine as checked

EXAMPLES = options.examples("replibandit check-machine && replibandit audit trial.toml")


def check_machine(as_json: options.AsJson = False) -> None:
    """Compare bits with the published ones.  A few small fits and runs are computed for that.

    Leaves with 0 if all are equal, else with 1.
    """
    found = checked()
    if as_json:
        parts = {"computed": dict(found.computed), "published": dict(found.published), "versions": dict(found.versions)}
        rest = {name: getattr(found, name) for name in ("platform", "blas", "processor_features")}
        show_json({"reproduces": found.reproduces, **parts, **rest})
    else:
        show(
            listing(("", "computed here", "published"), _rows(found)),
            facts(_origin(found)),
            "",
            _sentence(found),
        )
    raise Leave(FINE if found.reproduces else NO)


def _rows(found: Machine) -> list[tuple[str, ...]]:
    pairs = zip(found.computed, found.published, strict=True)
    return [(name, ours, "the same" if ours == theirs else theirs) for (name, ours), (_, theirs) in pairs]


def _origin(found: Machine) -> list[tuple[str, str]]:
    return [
        ("platform", found.platform),
        ("versions", ", ".join(f"{name} {version}" for name, version in found.versions)),
        ("BLAS", found.blas),
        ("processor", ", ".join(found.processor_features) or "not known"),
    ]


def _sentence(found: Machine) -> str:
    if found.reproduces:
        return "This machine computes the published bits: its results agree with those of every machine that does."
    return "This machine computes other bits than the published ones; please report what stands here."
