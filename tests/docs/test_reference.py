"""The reference is complete: every public name, every signature with its defaults, every field, every error."""

import ast
import inspect
import re
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import replibandit
from replibandit import errors, plots, sklearn, testing
from tests.docs.pages import ROOT

REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
SPANS = re.findall(r"`([^`\n]+)`", REFERENCE)
WORDS = {word for span in SPANS for word in re.findall(r"\w+", span)}
MODULES = {module.__name__.removeprefix("replibandit."): module for module in (replibandit, plots, sklearn, testing)}
NAMES = [(module, name) for module, owner in MODULES.items() for name in owner.__all__]
BUILT = ("replibandit.policies", "replibandit.environments", "replibandit.actions", "replibandit.sklearn")


def public(module: str, name: str) -> Any:
    """Return what a public name stands for."""
    return getattr(MODULES[module], name)


def by_hand(value: Any) -> bool:
    """Say whether people call it: functions, and the classes that they make objects of."""
    return not inspect.isclass(value) or value.__module__.startswith(BUILT)


def signature(value: Any) -> list[tuple[str, bool, Any]]:
    """Return the parameters: their names, whether they go by name only, and their defaults."""
    return [
        (each.name, each.kind is each.KEYWORD_ONLY, None if each.default is each.empty else (each.default,))
        for each in inspect.signature(value).parameters.values()
    ]


def written(span: str) -> list[tuple[str, bool, Any]]:
    """Return the parameters of a signature in the reference."""
    (made,) = ast.parse(f"def {span}: ...").body
    assert isinstance(made, ast.FunctionDef)
    plain, named = made.args.args, made.args.kwonlyargs
    no_default = [None] * (len(plain) - len(made.args.defaults))
    defaults = [*no_default, *made.args.defaults, *made.args.kw_defaults]
    values = [None if default is None else (ast.literal_eval(default),) for default in defaults]
    return [(arg.arg, arg in named, value) for arg, value in zip([*plain, *named], values, strict=True)]


def signatures(name: str) -> list[list[tuple[str, bool, Any]]]:
    """Return all signatures of a name in the reference."""
    found = []
    for span in SPANS:
        if span.startswith(f"{name}("):
            try:
                found.append(written(span))
            except (SyntaxError, ValueError):  # a call, not a signature
                continue
    return found


def attributes(value: type) -> set[str]:
    """Return the public fields, properties and methods of a class; of a policy, its settings only."""
    settings = {field.name for field in fields(value)} if is_dataclass(value) else set()
    engine = value.__module__.startswith(("replibandit.policies", "replibandit.sklearn"))
    return {name for name in (settings if engine else {*dir(value), *settings}) if not name.startswith("_")}


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_name_is_in_the_reference(module: str, name: str) -> None:
    assert name in WORDS, f"{module}.{name} is public and not in docs/reference.md"


@pytest.mark.parametrize(("module", "name"), [each for each in NAMES if by_hand(public(*each))])
def test_signature_is_in_the_reference(module: str, name: str) -> None:
    value = public(module, name)
    assert signature(value) in signatures(name), f"docs/reference.md needs `{name}{inspect.signature(value)}`"


@pytest.mark.parametrize(("module", "name"), [each for each in NAMES if inspect.isclass(public(*each))])
def test_attributes_are_in_the_reference(module: str, name: str) -> None:
    assert attributes(public(module, name)) - WORDS == set()


def test_errors_are_drawn() -> None:
    known = {name for name, value in vars(errors).items() if inspect.isclass(value)}
    tree = REFERENCE[REFERENCE.index("## Errors") :]
    assert known - {"ReplibanditError"} == set(re.findall(r"── (\w+) +\(", tree))


def test_a_wrong_signature_is_caught() -> None:
    assert written("f(a, b=1, *, c='x', d)") == [
        ("a", False, None),
        ("b", False, (1,)),
        ("c", True, ("x",)),
        ("d", True, None),
    ]
    assert signature(replibandit.audit) != written("audit(spec, env, *, pairs=1000, seed=0)")
    assert signatures("no_such_name") == []
