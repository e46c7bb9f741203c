"""Read the result of one agent in one round, from a cell of a task's file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.values import parse_count, parse_list, parse_object, parse_text
from sitegen.importers.kit.rewards import parse_reward
from sitegen.models.outcome import PASS_REWARD
from sitegen.problems import Rule

REASON_LENGTH = 140
"""Length at which the source truncates a requirement's reason."""

GATES = frozenset({"build", "binary-exists"})
"""Requirements checked before any case can run: the project builds, and its program exists."""

Verdict = Literal["scored", "no_cases", "aborted"]


CASE_TEXTS = ("intent", "scenario", "expected", "actual", "reason")
"""Names of the texts of a case, which are also fields of `Failure`."""


@dataclass(frozen=True, slots=True)
class ListedCase:
    """A failed case with its texts as truncated by the source."""

    id: str
    texts: Mapping[str, str]
    """A text for each of `CASE_TEXTS`; empty if the source has none."""

    @property
    def stated_texts(self) -> dict[str, Any]:
        """The texts that are not empty."""
        return {name: text for name, text in self.texts.items() if text}


@dataclass(frozen=True, slots=True)
class FailedRequirement:
    """The failed cases of one requirement in one round, only a few of which are listed."""

    name: str
    failed: int
    """Number of failed cases, listed or not."""
    category: str | None = None
    """Category of the first failed case; a requirement's cases can have different categories."""
    reason: str = ""
    """Reason of the first failed case, truncated; the source makes one up if the case has none."""
    cases: tuple[ListedCase, ...] = ()

    @property
    def has_own_reason(self) -> bool:
        """Whether the reason adds something to the texts of the requirement's first listed case."""
        if not self.cases:
            return True
        texts = self.cases[0].texts
        expected = texts["expected"].strip() or "?"
        actual = texts["actual"].strip() or "(empty)"
        # The source makes up a reason for a case that does not state a reason.
        made_up = f"expected {expected}, got {actual}"
        reasons = {""}
        for text in (texts["reason"].strip(), made_up, texts["intent"], "(no reason)"):
            reasons.add(text[:REASON_LENGTH].strip())
        return self.reason.strip() not in reasons


@dataclass(frozen=True, slots=True)
class RoundCell:
    """The result of one agent in one round."""

    reward: float | None = None
    """The reward; None if the source states no usable reward."""
    passed: int | None = None
    failed: int | None = None
    total: int | None = None
    requirements: tuple[FailedRequirement, ...] = ()
    early: str | None = None
    """Output that was written before any case ran."""
    note: str | None = None
    """The source's statement that only the reward is known."""
    reward_fault: str = ""
    """A clause that says why the stated reward can't be used; empty if it is usable."""
    counts_fault: str = ""
    """A clause that says which counts of cases can't be read; empty if all are readable."""
    listing_fault: str = ""
    """A clause that says how many listed failures can't be read; empty if all are readable."""

    @property
    def is_solved(self) -> bool:
        """Whether the round counts as passed."""
        return self.reward is not None and self.reward >= PASS_REWARD

    @property
    def contradiction(self) -> tuple[Rule, str] | None:
        """The rule that the counts break, and a message; None if the counts are consistent.

        The verdict counts anyway, but the counts are not used.
        """
        if self.reward is None:
            return None
        if self.counts_contradiction:
            return rules.COUNTS_DIFFER, self.counts_contradiction
        if self.reward_contradiction:
            fact = f"a reward of {self.reward:g}{self.reward_contradiction}"
            return rules.REWARD_CONTRADICTED, fact
        return None

    @property
    def counts_contradiction(self) -> str:
        """A clause about inconsistent or missing counts; empty if the counts are valid."""
        if self.counts_fault:
            return self.counts_fault
        if self.total is None:
            has_parts = bool(self.passed or self.failed)
            return "there is `pass` or `fail`, but no `total`" if has_parts else ""
        if self.passed is None or self.failed is None:
            return "there is `total`, but `pass` or `fail` is missing"
        if self.skipped < 0:
            counts = f"{self.passed} passed and {self.failed} failed"
            return f"{counts} are more than {self.total} cases"
        return ""

    @property
    def reward_contradiction(self) -> str:
        """A phrase that says how the counts contradict the reward; empty if they do not."""
        if self.is_solved:
            if self.failed:
                return f" with {self.failed} failed cases"
            if self.requirements:
                return f" with {self.stated_failures} failed cases that are listed"
            if self.total and not self.passed:
                return f", but none of {self.total} cases passed"
        elif self.total and self.passed == self.total:
            return f", but {self.passed} of {self.total} cases passed and none failed"
        has_no_cases = self.total == 0 and not self.has_only_verdict
        return " without any case" if self.reward and has_no_cases else ""

    @property
    def state(self) -> Verdict:
        """The state in which the round ended."""
        if self.reward is None:
            return "aborted"
        if self.reward or self.contradiction:
            return "scored"
        if self.total == 0:
            return "scored" if self.has_only_verdict else "no_cases"
        return "scored" if self.gate_reason is None else "no_cases"

    @property
    def has_only_verdict(self) -> bool:
        """Whether the source states that nothing is known about the round's cases."""
        return self.note is not None and self.early is None

    @property
    def gate_reason(self) -> str | None:
        """The reason why the checks before all cases failed; None if they passed or cases ran."""
        if not self.failed or self.passed or self.stated_failures != self.failed:
            return None
        names = {requirement.name for requirement in self.requirements}
        return self.requirements[0].reason if names <= GATES else None

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """Passed cases and total cases; both None if they are unknown."""
        if self.state == "no_cases":
            return 0, 0
        if self.reward is None or self.contradiction or not self.total:
            return None, None
        return self.passed, self.total

    @property
    def skipped(self) -> int:
        """Number of cases that neither passed nor failed; negative for contradictory counts."""
        if self.total is None:
            return 0
        return self.total - (self.passed or 0) - (self.failed or 0)

    @property
    def stated_failures(self) -> int:
        """Total number of failed cases of the failed requirements."""
        return sum(requirement.failed for requirement in self.requirements)

    @property
    def has_excess(self) -> bool:
        """Whether more failures are stated than counted."""
        return self.stated_failures > (self.failed or 0)

    def breaches(self) -> Iterator[tuple[Rule, str]]:
        """Yield the broken rule and a message for each contradiction or gap in the cell."""
        if self.reward is None:
            yield rules.REWARD_MISSING, self.reward_fault or "there is test output, but no reward"
        contradiction = self.contradiction
        if contradiction:
            yield contradiction
        elif self.reward is not None and self.skipped > 0:
            counts = f"{self.passed} passed and {self.failed} failed of {self.total} cases"
            yield rules.SKIPPED_CASES, f"{counts}: {self.skipped} recorded as skipped"
        if self.listing_fault:
            yield rules.LISTING_BROKEN, self.listing_fault

    def unexplained(self) -> list[FailedRequirement]:
        """Return the failed requirements with reasons that their listed cases do not state."""
        return [requirement for requirement in self.requirements if requirement.has_own_reason]


def parse_cell(value: object, scale: float | None) -> RoundCell | None:
    """Return the cell in a task's file; None if the file does not mention the round.

    Args:
        value: The parsed entry of the round.
        scale: The largest possible reward, by which rewards are divided; None if it is 1.
    """
    if value is None:
        return None
    if not isinstance(value, dict):
        return RoundCell(reward_fault="the file's entry is not an object")
    reward = parse_reward(value.get("reward"), scale)
    has_unreadable_reward = reward is None and value.get("reward") is not None
    counts = {name: parse_count(value.get(name)) for name in ("pass", "fail", "total")}
    stated = [name for name in counts if value.get(name) is not None]
    unreadable = [f"`{name}`" for name in stated if counts[name] is None]
    counts_fault = f"{', '.join(unreadable)} can't be a number of cases" if unreadable else ""
    requirements, listing_fault = _parse_requirements(value.get("fails"))
    return RoundCell(
        reward=reward,
        passed=counts["pass"],
        failed=counts["fail"],
        total=counts["total"],
        requirements=requirements,
        early=parse_text(value.get("early")),
        note=parse_text(value.get("note")),
        reward_fault="the reward in the file is not a number" if has_unreadable_reward else "",
        counts_fault=counts_fault,
        listing_fault=listing_fault,
    )


def _parse_requirements(value: object) -> tuple[tuple[FailedRequirement, ...], str]:
    """Return the failed requirements of a cell, and a clause about entries that can't be read."""
    if value is not None and not isinstance(value, list):
        return (), "`fails` is not a list"
    requirements = []
    unread = 0
    case_ids: set[str] = set()
    for entry in parse_list(value):
        requirement, unread_cases = _parse_requirement(entry, case_ids)
        unread += unread_cases
        if requirement is None:
            unread += 1
        else:
            requirements.append(requirement)
    fault = f"{unread} of the entries in `fails` can't be read or occur twice" if unread else ""
    return tuple(requirements), fault


def _parse_requirement(value: object, case_ids: set[str]) -> tuple[FailedRequirement | None, int]:
    """Return a failed requirement, None if it can't be read, and the number of its unread cases.

    Args:
        value: The entry.
        case_ids: The cases that the round has already listed; the requirement's cases are added.
    """
    fields = parse_object(value)
    name = parse_text(fields.get("req"))
    failed = parse_count(fields.get("n"))
    if name is None or not failed:
        return None, 0
    entries = fields.get("cases")
    unread = int(entries is not None and not isinstance(entries, list))
    cases = []
    for entry in parse_list(entries):
        case = _parse_case(parse_object(entry))
        if not case.id or case.id in case_ids:
            unread += 1
        else:
            case_ids.add(case.id)
            cases.append(case)
    category = parse_text(fields.get("type"))
    return FailedRequirement(
        name, failed, category, _text_in(fields, "reason"), tuple(cases)
    ), unread


def _parse_case(fields: Mapping[str, Any]) -> ListedCase:
    """Return a listed case; its id is empty if it has no name."""
    texts = {name: _text_in(fields, name) for name in CASE_TEXTS}
    return ListedCase(_text_in(fields, "id"), texts)


def _text_in(fields: Mapping[str, Any], key: str) -> str:
    return parse_text(fields.get(key)) or ""
