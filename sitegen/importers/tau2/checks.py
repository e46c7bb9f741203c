"""The checks that decide over a simulation of tau2-bench, as cases of its round."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sitegen.importers.kit.cases import CaseRecord, told_apart
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.values import amount_of, mapping_of, mappings_of, text_of
from sitegen.models.task import Case


class _Kind(NamedTuple):
    """A list of checks in `reward_info`."""

    basis: str
    """The name that `reward_basis` has for it."""
    key: str
    verdict: str
    subject: str
    """What is checked: the key of an object with a name."""
    usual_name: str
    """The name of a check that has none of its own."""


_KINDS = (
    _Kind("ENV_ASSERTION", "env_assertions", "met", "env_assertion", "environment"),
    _Kind("ACTION", "action_checks", "action_match", "action", "action"),
    _Kind("COMMUNICATE", "communicate_checks", "met", "", "communicate"),
    _Kind("NL_ASSERTION", "nl_assertions", "met", "", "assertion"),
)

CHECKS_SHAPE: Shape = {
    "db_check": {"db_match": None},
    "env_assertions": {"met": None, "env_assertion": {"func_name": None}},
    "action_checks": {"action_match": None, "action": {"name": None}},
    "communicate_checks": {"met": None},
    "nl_assertions": {"met": None},
    "reward_basis": {},
    "reward_breakdown": {"*": None},
}
"""The keys of `reward_info` that are taken, but for the reward."""


def cases_of(reward_info: Mapping[str, object]) -> list[CaseRecord]:
    """Return the checks that the reward is made of, in the order in which tau2-bench runs them.

    Checks that `reward_basis` does not name were run for information only, and are no cases.
    """
    basis = reward_info.get("reward_basis")
    names = [name for name in basis if isinstance(name, str)] if isinstance(basis, list) else []
    records = []
    if "DB" in names:
        match = mapping_of(reward_info.get("db_check")).get("db_match")
        if isinstance(match, bool):
            records.append(CaseRecord(Case("database", "DB"), _letter(passed=match)))
    for kind in _KINDS:
        if kind.basis in names:
            records += _cases_of_kind(kind, reward_info)
    return told_apart(records)


def _cases_of_kind(kind: _Kind, reward_info: Mapping[str, object]) -> Iterator[CaseRecord]:
    for check in mappings_of(reward_info.get(kind.key)):
        passed = check.get(kind.verdict)
        if not isinstance(passed, bool):
            continue
        subject = mapping_of(check.get(kind.subject))
        name = text_of(subject.get("name")) or text_of(subject.get("func_name")) or kind.usual_name
        yield CaseRecord(Case(name, kind.basis), _letter(passed=passed))


def _letter(*, passed: bool) -> str:
    return "p" if passed else "f"


def measures_of(reward_info: Mapping[str, object]) -> dict[str, float]:
    """Return the parts of the reward, and the share of the reference actions that the agent took."""
    measures = {}
    for name, value in mapping_of(reward_info.get("reward_breakdown")).items():
        amount = amount_of(value)
        part = text_of(name, longest=40)
        if amount is not None and part:
            measures[f"{part.lower()}@tau2"] = amount
    matches = [check.get("action_match") for check in mappings_of(reward_info.get("action_checks"))]
    if matches:
        measures["actions@tau2"] = sum(match is True for match in matches) / len(matches)
    return measures
