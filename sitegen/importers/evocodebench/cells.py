"""How one agent fared in one round, as a task's file has it: a cell, and what of it can be used."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sitegen.importers.evocodebench import rules
from sitegen.importers.kit.rewards import reward_of
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.record import LIMIT
from sitegen.problems import Rule

REASON_LENGTH = 140
"""Length that the source cuts a requirement's reason to."""

GATES = frozenset({"build", "binary-exists"})
"""Requirements that are checked before any case can run: the project builds, its program exists."""

Verdict = Literal["scored", "no_cases", "aborted"]


@dataclass(frozen=True, slots=True)
class ListedCase:
    """A failed case, its texts cut."""

    id: str
    intent: str = ""
    scenario: str = ""
    expected: str = ""
    actual: str = ""
    reason: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """What the source says about it, in the order of `Failure`'s fields."""
        return self.intent, self.scenario, self.expected, self.actual, self.reason


@dataclass(frozen=True, slots=True)
class FailedRequirement:
    """The failed cases of one requirement in one round, a few of them listed."""

    name: str
    failed: int
    """Failed cases, listed or not."""
    category: str | None = None
    """Kind of the first failed case; a requirement's cases can be of several kinds."""
    reason: str = ""
    """What the first failed case says, cut; made up from its other texts if it says nothing."""
    cases: tuple[ListedCase, ...] = ()

    @property
    def has_own_reason(self) -> bool:
        """Whether its reason gets lost: its first listed case does not give it."""
        if not self.cases:
            return True
        case = self.cases[0]
        expected = case.expected.strip() or "?"
        actual = case.actual.strip() or "(empty)"
        # The source makes up for terse reasons.
        made_up = f"expected {expected}, got {actual}"
        reasons = {""}
        for text in (case.reason.strip(), made_up, case.intent, "(no reason)"):
            reasons.add(text[:REASON_LENGTH].strip())
        return self.reason.strip() not in reasons


@dataclass(frozen=True, slots=True)
class Cell:
    """How one agent fared in one round."""

    reward: float | None = None
    """The verdict; None if the source has none that can be used."""
    passed: int | None = None
    failed: int | None = None
    total: int | None = None
    requirements: tuple[FailedRequirement, ...] = ()
    early: str | None = None
    """What was said before any case ran."""
    note: str | None = None
    """Why nothing is known but the reward."""
    reward_fault: str = ""
    """Why a stated reward can't be used."""
    counts_fault: str = ""
    """Why the counts of cases can't be read."""
    listing_fault: str = ""
    """Why some listed failures can't be read."""

    @property
    def solved(self) -> bool:
        """Whether the round counts as passed."""
        return self.reward is not None and self.reward >= PASS_REWARD

    @property
    def contradiction(self) -> tuple[Rule, str] | None:
        """The rule that its counts break, and how; None if they agree with each other and the reward.

        The verdict counts all the same, and the counts are not used.
        """
        if self.reward is None:
            return None
        if self.counts_contradiction:
            return rules.COUNTS_DIFFER, self.counts_contradiction
        if self.reward_contradiction:
            what = f"a reward of {self.reward:g}{self.reward_contradiction}"
            return rules.REWARD_CONTRADICTED, what
        return None

    @property
    def counts_contradiction(self) -> str:
        """How the counts contradict each other, or what is missing of them; empty if nothing is."""
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
        """How the counts contradict the reward; empty if they do not."""
        if self.solved and self.failed:
            return f" with {self.failed} failed cases"
        if self.solved and self.requirements:
            return f" with {self.stated_failures} failed cases that are listed"
        if self.solved and self.total and not self.passed:
            return f", but none of {self.total} cases passed"
        if self.reward and self.total == 0 and not self.has_only_verdict:
            return " without any case"
        if not self.solved and self.total and self.passed == self.total:
            return f", but {self.passed} of {self.total} cases passed and none failed"
        return ""

    @property
    def state(self) -> Verdict:
        """How the round ended."""
        if self.reward is None:
            return "aborted"
        if self.reward or self.contradiction:
            return "scored"
        if self.total == 0:
            return "scored" if self.has_only_verdict else "no_cases"
        return "scored" if self.gate_reason is None else "no_cases"

    @property
    def has_only_verdict(self) -> bool:
        """Whether the source says that it knows nothing of the round's cases."""
        return self.note is not None and self.early is None

    @property
    def gate_reason(self) -> str | None:
        """What the check before all cases says; None if more than that was checked, or it passed."""
        if not self.failed or self.passed or self.stated_failures != self.failed:
            return None
        for requirement in self.requirements:
            if requirement.name not in GATES:
                return None
        return self.requirements[0].reason

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """Cases passed and cases in all; both None if they are not known."""
        if self.state == "no_cases":
            return 0, 0
        if self.reward is None or self.contradiction or not self.total:
            return None, None
        return self.passed, self.total

    @property
    def skipped(self) -> int:
        """Cases that neither passed nor failed; below 0 if the counts contradict each other."""
        if self.total is None:
            return 0
        return self.total - (self.passed or 0) - (self.failed or 0)

    @property
    def stated_failures(self) -> int:
        """Failed cases that the failed requirements add up to."""
        return sum(requirement.failed for requirement in self.requirements)

    @property
    def has_excess(self) -> bool:
        """Whether more failures are stated than counted."""
        return self.stated_failures > (self.failed or 0)

    def breaches(self) -> Iterator[tuple[Rule, str]]:
        """Yield what it contradicts itself in or lacks: the broken rule, and the fact."""
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
        """Return the failed requirements with a reason that gets lost."""
        return [requirement for requirement in self.requirements if requirement.has_own_reason]


def parse_cell(value: object, scale: float | None) -> Cell | None:
    """Return the cell that a task's file holds; None if it says nothing of the round.

    Args:
        value: What the file holds for the round, as the parser gives it.
        scale: The largest possible reward, by which rewards are divided; None if that is 1.
    """
    if value is None:
        return None
    if not isinstance(value, dict):
        return Cell(reward_fault="the file's entry is not an object")
    reward = reward_of(value.get("reward"), scale)
    reward_fault = ""
    if reward is None and value.get("reward") is not None:
        reward_fault = "the reward in the file is not a number"
    passed = count_of(value.get("pass"))
    failed = count_of(value.get("fail"))
    total = count_of(value.get("total"))
    unreadable = []
    for name, count in (("pass", passed), ("fail", failed), ("total", total)):
        if count is None and value.get(name) is not None:
            unreadable.append(f"`{name}`")
    counts_fault = ""
    if unreadable:
        counts_fault = f"{', '.join(unreadable)} can't be a number of cases"
    requirements, listing_fault = _parse_requirements(value.get("fails"))
    return Cell(
        reward=reward,
        passed=passed,
        failed=failed,
        total=total,
        requirements=requirements,
        early=text_of(value.get("early")),
        note=text_of(value.get("note")),
        reward_fault=reward_fault,
        counts_fault=counts_fault,
        listing_fault=listing_fault,
    )


def text_of(value: object) -> str | None:
    """Return a text; None if something else is given."""
    return value if isinstance(value, str) else None


def count_of(value: object) -> int | None:
    """Return a whole number from 0; None if something else is given."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value <= LIMIT or value != int(value):
        return None
    return int(value)


def _parse_requirements(value: object) -> tuple[tuple[FailedRequirement, ...], str]:
    """Return the failed requirements of a cell, and what is wrong with those that can't be read."""
    if value is None:
        return (), ""
    if not isinstance(value, list):
        return (), "`fails` is not a list"
    requirements = []
    unread = 0
    names: set[str] = set()
    for entry in value:
        requirement, unread_cases = _parse_requirement(entry, names)
        if requirement is None:
            unread += 1
        else:
            requirements.append(requirement)
            unread += unread_cases
    fault = f"{unread} of the entries in `fails` can't be read or stand twice" if unread else ""
    return tuple(requirements), fault


def _parse_requirement(value: object, names: set[str]) -> tuple[FailedRequirement | None, int]:
    """Return a failed requirement, None if it can't be read, and how many of its cases are left out.

    Args:
        value: The entry.
        names: The cases that the round lists already, to which those of the requirement are added.
    """
    if not isinstance(value, dict):
        return None, 0
    name = text_of(value.get("req"))
    failed = count_of(value.get("n"))
    if name is None or not failed:
        return None, 0
    listed = value.get("cases")
    entries: Sequence[object] = listed if isinstance(listed, list) else ()
    left_out = int(listed is not None and not isinstance(listed, list))
    cases = []
    for entry in entries:
        case = _parse_case(entry)
        if case is None or case.id in names:
            left_out += 1
        else:
            names.add(case.id)
            cases.append(case)
    category = text_of(value.get("type"))
    reason = text_of(value.get("reason")) or ""
    return FailedRequirement(name, failed, category, reason, tuple(cases)), left_out


def _parse_case(value: object) -> ListedCase | None:
    """Return a listed case; None if it has no name."""
    if not isinstance(value, dict):
        return None
    name = text_of(value.get("id"))
    if not name:
        return None
    return ListedCase(
        name,
        _text_in(value, "intent"),
        _text_in(value, "scenario"),
        _text_in(value, "expected"),
        _text_in(value, "actual"),
        _text_in(value, "reason"),
    )


def _text_in(value: Mapping[str, Any], key: str) -> str:
    return text_of(value.get(key)) or ""
