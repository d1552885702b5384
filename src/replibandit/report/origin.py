"""Where the numbers come from: the specs, the machine, and the lines of Python that find them again."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from replibandit.catalog import POLICIES
from replibandit.environments.base import Environment
from replibandit.findings import Audit
from replibandit.key import Key
from replibandit.machine import Machine
from replibandit.report.html import Html, element, join, paragraph, section, table

_LONGEST = 20_000  # characters of an environment that is written out


def specs(audits: Mapping[str, Audit]) -> Html:
    """Return the specs as they would be registered, with their digests."""
    listed = [
        (element("dt", name), element("dd", element("code", found.spec)), element("dd", f"digest {found.digest}"))
        for name, found in audits.items()
    ]
    return section(
        "specs",
        "Specs",
        element("dl", *map(join, listed), class_="made"),
        paragraph(
            element("b", "How to read it. "),
            "A spec is all that two teams must agree upon beside the seed and the sets of actions. The digest names "
            "it: equal specs have equal digests.",
            class_="read",
        ),
    )


def machine_section(found: Machine) -> Html:
    """Return what this machine is, and whether it computes the published bits."""
    rows = [
        (name, element("code", ours), element("code", published), "yes" if ours == published else "no")
        for (name, ours), (_, published) in zip(found.computed, found.published, strict=True)
    ]
    versions = ", ".join(f"{name} {version}" for name, version in found.versions)
    return section(
        "machine",
        "Machine",
        table("Fingerprints", ("What is computed", "Here", "Published", "Equal"), rows, words=(1, 2, 3)),
        paragraph(
            element("b", "How to read it. "),
            "Small fits and runs, computed on the machine that wrote this report. If all fingerprints are the "
            "published ones, it computes the same bits from the same data as any other machine that passes, and the "
            "differences above are those of the rewards.",
            class_="read",
        ),
        paragraph(f"{found.platform}; {versions}; BLAS {found.blas}."),
        paragraph(f"Processor features: {', '.join(found.processor_features) or 'not known'}.", class_="small"),
    )


def again(audits: Mapping[str, Audit], environments: Mapping[str, Environment]) -> Html:
    """Return a program for each audit that finds it again."""
    programs = [
        (element("dt", name), element("dd", element("pre", element("code", program(found, environments.get(name))))))
        for name, found in audits.items()
    ]
    return section(
        "again",
        "Find it again",
        paragraph(
            "The result of an audit depends on nothing but what stands here; on a machine that passes the check "
            "above, each of these programs gives the numbers of this report. What stands behind ... is to be put in."
        ),
        element("dl", *map(join, programs), class_="made"),
    )


def program(found: Audit, env: Environment | None) -> str:
    """Return the lines of Python that make an audit again."""
    given = [
        f"pairs={found.tally.keys}",
        f"seed=rb.{found.seed}",
        f"rho={found.rho!r}",
        f"level={found.tally.level!r}",
        f"replicates={found.replicates}",
        f"sequential={found.tally.anytime}",
    ]
    lines = ["import replibandit as rb", "", f"spec = {_spec(found.spec)}", f"env = {_source(env)}"]
    if found.reference is not None:
        lines.append(f"reference = {_spec(found.reference)}")
        given.append("reference=reference")
    return "\n".join([*lines, f"print(rb.audit(spec, env, {', '.join(given)}).to_json())"])


def _spec(text: str) -> str:
    """Write a spec as Python; a policy of one's own is known to its author only."""
    return f"rb.from_json({text!r})" if json.loads(text)["policy"] in POLICIES else f"...  # {text}, as it was audited"


def _source(env: Environment | None) -> str:
    """Write an environment as Python, if it is made of numbers and not too long."""
    if env is None:
        return "...  # the environment that was audited"
    try:
        written = _literal(env)
    except TypeError:
        written = ""
    return written if 0 < len(written) <= _LONGEST else f"...  # the {type(env).__name__} that was audited"


def _literal(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, Key):
        return f"rb.{value!r}"
    if is_dataclass(value) and type(value).__module__.startswith("replibandit."):
        given = ", ".join(
            f"{field.name}={_literal(getattr(value, field.name))}" for field in fields(value) if field.init
        )
        return f"rb.{type(value).__name__}({given})"
    if isinstance(value, bool | int | float | str | None):
        return repr(value)
    raise TypeError
