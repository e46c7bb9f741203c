"""Parse the checks that decide a simulation of tau2-bench; they become cases of its round."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sitegen.importers.kit.cases import CaseRecord, with_distinct_ids
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.values import amount_of, mapping_of, mappings_of, text_of
from sitegen.importers.tau2.fields import read_text
from sitegen.models.task import Case


class _CheckList(NamedTuple):
    """A list of checks in `reward_info`."""

    basis: str
    """The name of the list in `reward_basis`."""
    key: str
    verdict: str
    """The key in a check that says whether the check passed."""
    subject: str
    """The key of the object that names what is checked; empty if there is no such object."""
    default_name: str
    """The name of a check whose subject has no name."""


_CHECK_LISTS = (
    _CheckList("ENV_ASSERTION", "env_assertions", "met", "env_assertion", "environment"),
    _CheckList("ACTION", "action_checks", "action_match", "action", "action"),
    _CheckList("COMMUNICATE", "communicate_checks", "met", "", "communicate"),
    _CheckList("NL_ASSERTION", "nl_assertions", "met", "", "assertion"),
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
"""The keys that are read from `reward_info`, except the reward itself."""


def parse_cases(reward_info: Mapping[str, object]) -> list[CaseRecord]:
    """Return the checks that determine the reward, in the order in which tau2-bench runs them.

    Checks that `reward_basis` does not name were run for information only, and are not cases.
    """
    basis = reward_info.get("reward_basis")
    if not isinstance(basis, list):
        return []
    records: list[CaseRecord] = []
    if "DB" in basis:
        database_check = mapping_of(reward_info.get("db_check"))
        records += _parse_verdict(database_check.get("db_match"), Case("database", "DB"))
    for check_list in _CHECK_LISTS:
        if check_list.basis in basis:
            records += _parse_check_list(check_list, reward_info)
    return with_distinct_ids(records)


def _parse_check_list(
    check_list: _CheckList, reward_info: Mapping[str, object]
) -> Iterator[CaseRecord]:
    """Yield the checks of one list that have a verdict."""
    for check in mappings_of(reward_info.get(check_list.key)):
        subject = mapping_of(check.get(check_list.subject))
        name = read_text(subject, "name", "func_name") or check_list.default_name
        yield from _parse_verdict(check.get(check_list.verdict), Case(name, check_list.basis))


def _parse_verdict(verdict: object, case: Case) -> Iterator[CaseRecord]:
    """Yield a case with its outcome letter; yield nothing unless the verdict is true or false."""
    if isinstance(verdict, bool):
        yield CaseRecord(case, "p" if verdict else "f")


def parse_measures(reward_info: Mapping[str, object]) -> dict[str, float]:
    """Return the components of the reward, and the share of reference actions that the agent took.

    The keys are names of measures, such as `db@tau2` and `actions@tau2`.
    """
    measures = {}
    for key, value in mapping_of(reward_info.get("reward_breakdown")).items():
        amount = amount_of(value)
        component = text_of(key, longest=40)
        if amount is not None and component:
            measures[f"{component.lower()}@tau2"] = amount
    action_checks = mappings_of(reward_info.get("action_checks"))
    if action_checks:
        matches = [check.get("action_match") is True for check in action_checks]
        measures["actions@tau2"] = matches.count(True) / len(matches)
    return measures
