"""What the published files hold: `index.json` and one file a task. Keys that nothing here needs are passed over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from sitegen.importers.evocodebench import rules
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.report import Report
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.record import Count, Position, is_slug
from sitegen.problems import ProblemsError, Rule, grouped
from sitegen.reading.files import FILE_MISSING
from sitegen.reading.json import read_json

_OPEN = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False)

_REASON_CUT = 140
"""Length that the source cuts a requirement's reason to."""

GATES = frozenset({"build", "binary-exists"})
"""Requirements that are checked before any case can run: that the project builds, and that its program is there."""

Verdict = Literal["scored", "no_cases", "aborted"]


@dataclass(frozen=True, slots=True, config=_OPEN)
class IndexTask:
    """A task as the index lists it."""

    task: str
    n_rounds: Position
    name: str = ""
    difficulty: str = ""
    category: str = ""
    score: dict[str, float | None] = field(default_factory=dict)
    """Share of rounds passed by each agent, to three places; null where a run does not count."""


@dataclass(frozen=True, slots=True, config=_OPEN)
class Index:
    """The agents and tasks of a publication."""

    models: tuple[Annotated[str, Field(min_length=1)], ...]
    tasks: tuple[IndexTask, ...]


@dataclass(frozen=True, slots=True, config=_OPEN)
class ListedCase:
    """A failed case, its texts cut."""

    id: str
    intent: str = ""
    scenario: str = ""
    expected: str = ""
    actual: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, config=_OPEN)
class FailedRequirement:
    """The failed cases of one requirement in one round, a few of them listed."""

    req: str
    n: Position
    """Failed cases, listed or not."""
    type: str | None = None
    """Kind of the first failed case; a requirement's cases can be of several kinds."""
    reason: str = ""
    """What the first failed case says, cut, and made up from its other texts where it says nothing."""
    cases: tuple[ListedCase, ...] = ()


@dataclass(frozen=True, slots=True, config=_OPEN)
class Cell:
    """How one agent fared in one round."""

    reward: float | None = None
    passed: Annotated[Count | None, Field(alias="pass")] = None
    failed: Annotated[Count | None, Field(alias="fail")] = None
    total: Count | None = None
    fails: tuple[FailedRequirement, ...] = ()
    early: str | None = None
    """What was said before any case ran."""
    note: str | None = None
    """Why nothing is known but the reward."""

    def __post_init__(self) -> None:
        if self.total is not None and None in {self.passed, self.failed}:
            raise ValueError("where there is `total`, there are `pass` and `fail`")

    @property
    def solved(self) -> bool:
        """Whether the round counts as passed."""
        return self.reward is not None and self.reward >= PASS_REWARD

    @property
    def state(self) -> Verdict:
        """What the cell says about the round's end."""
        if self.reward is None:
            return "aborted"
        unexplained = self.note is None or self.early is not None
        nothing_ran = (self.total == 0 and unexplained) or self.stopped_at is not None
        return "no_cases" if nothing_ran and not self.solved else "scored"

    @property
    def stopped_at(self) -> str | None:
        """What the check before all cases says, where that is all that was checked, and failed; else None."""
        if not self.failed or self.passed or self.stated_failures != self.failed:
            return None
        return self.fails[0].reason if all(group.req in GATES for group in self.fails) else None

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """Cases passed and cases in all; both None where they are not known."""
        if self.state == "no_cases":
            return 0, 0
        return (self.passed, self.total) if self.total else (None, None)

    @property
    def skipped(self) -> int:
        """Cases that neither passed nor failed; below 0 where the counts contradict each other."""
        return 0 if self.total is None else self.total - (self.passed or 0) - (self.failed or 0)

    @property
    def stated_failures(self) -> int:
        """Failed cases that the failed requirements add up to."""
        return sum(group.n for group in self.fails)

    @property
    def tells_excess(self) -> bool:
        """Whether more failures are stated than counted."""
        return self.stated_failures > (self.failed or 0)

    def breaches(self) -> Iterator[tuple[Rule, str]]:
        """Where it contradicts itself or lacks something: the broken rule, and the fact."""
        counts, reward = f"{self.passed} passed and {self.failed} failed", self.reward
        if self.skipped < 0:
            yield rules.COUNTS_DIFFER, f"{counts} are more than {self.total} cases"
        elif reward is None:
            yield rules.REWARD_MISSING, "there is test output, but no reward"
        elif not 0 <= reward <= 1:
            yield rules.REWARD_CONTRADICTED, f"a reward of {reward:g}, which lies outside of 0 to 1"
        elif reward >= PASS_REWARD and self.failed:
            yield rules.REWARD_CONTRADICTED, f"a reward of {reward:g} with {self.failed} failed cases"
        elif reward >= PASS_REWARD and self.total == 0 and self.note is None:
            yield rules.REWARD_CONTRADICTED, f"a reward of {reward:g} without any case"
        elif reward < PASS_REWARD and self.total and not self.failed:
            what = f"a reward of {reward:g}, but {self.passed} of {self.total} cases passed and none failed"
            yield rules.REWARD_CONTRADICTED, what
        if self.skipped > 0:
            yield rules.SKIPPED_CASES, f"{counts} of {self.total} cases: {self.skipped} recorded as skipped"

    def losing(self) -> Iterator[FailedRequirement]:
        """The failed requirements with a reason that gets lost: their first listed case does not say it."""
        for group in self.fails:
            known = {""}
            for case in group.cases[:1]:
                # The source makes up for terse reasons.
                made_up = f"expected {case.expected.strip() or '?'}, got {case.actual.strip() or '(empty)'}"
                texts = (case.reason.strip(), made_up, case.intent, "(no reason)")
                known |= {text[:_REASON_CUT].strip() for text in texts}
            if not group.cases or group.reason.strip() not in known:
                yield group


@dataclass(frozen=True, slots=True, config=_OPEN)
class RoundHeading:
    """A round's number and what it asks for."""

    n: int
    title: str = ""
    """How the request begins, as the source cuts it."""
    md: str = ""


@dataclass(frozen=True, slots=True, config=_OPEN)
class TaskFile:
    """Every agent's rounds at one task."""

    n_rounds: int
    models: dict[str, dict[str, Cell | None]]
    """Cells by agent and by the round's number; null where there is neither a verdict nor output."""
    task: str | None = None
    rounds: tuple[RoundHeading, ...] = ()
    score: dict[str, int | None] = field(default_factory=dict)
    """Rounds passed by each agent; null where a run does not count."""

    def odd_rounds(self) -> Iterator[str]:
        """Where its rounds are not those that it should have."""
        expected = list(range(1, self.n_rounds + 1))
        odd = [agent for agent, cells in self.models.items() if cells.keys() != set(map(str, expected))]
        if odd:
            found = ", ".join(self.models[odd[0]]) or "none"
            yield f"{', '.join(odd)}: the rounds are not 1 to {self.n_rounds}; those of {odd[0]} are {found}"
        titled = sorted(heading.n for heading in self.rounds)
        if titled and titled != expected:
            yield f"`rounds` has titles for {', '.join(map(str, titled))}, not for 1 to {self.n_rounds}"


@plain_dataclass(frozen=True, slots=True)
class Snapshot:
    """A publication's files."""

    source: Path
    index: Index
    files: Mapping[str, TaskFile]
    """By task, in the order of the index."""
    missing: tuple[str, ...]
    """Tasks that the index lists and that have no file."""

    @property
    def tasks(self) -> tuple[IndexTask, ...]:
        """The tasks that have a file."""
        return tuple(task for task in self.index.tasks if task.task in self.files)

    def path_of(self, task: str) -> Path:
        """Path of a task's file."""
        return self.source / "tasks" / f"{task}.json"

    def review(self, report: Report) -> None:
        """Say where task files and index do not fit; of an agent once, however many files it concerns."""
        for task in self.tasks:
            path, file = self.path_of(task.task), self.files[task.task]
            if file.task not in {None, task.task}:
                report.add(rules.TASK_DIFFERS, path, f"the file is about {file.task}")
            other_length = [f"`n_rounds` is {file.n_rounds}, but index.json states {task.n_rounds}"]
            for what in file.odd_rounds() if file.n_rounds == task.n_rounds else other_length:
                report.add(rules.ROUNDS_DIFFER, path, what)
        told = [(task.task, self.index.models, self.files[task.task].models) for task in self.tasks]
        absent = ((agent, task) for task, here, there in told for agent in here if agent not in there)
        unknown = ((agent, task) for task, here, there in told for agent in there if agent not in here)
        for rule, fact, found in (
            (rules.AGENT_MISSING, "is missing from", absent),
            (rules.AGENT_UNKNOWN, "is not in index.json, but in", unknown),
        ):
            for agent, tasks in grouped(found).items():
                path = self.path_of(tasks[0]) if len(tasks) == 1 else self.source / "tasks"
                report.add(rule, path, f"{agent} {fact} the files of {', '.join(tasks)}")


def read_snapshot(source: Path, report: Report) -> Snapshot:
    """Read the index of a publication and the file of every task that it lists, and compare them."""
    path = source / "index.json"
    if not path.exists():
        raise ProblemsError([FILE_MISSING.broken(path, None, f"{path.name} is missing", "name the folder that has it")])
    index = report.take(read_json(path, Index, source))
    if index is None:
        raise ProblemsError(report.problems)
    tasks = [task.task for task in index.tasks]
    for kind, listed, nothing, twice in (
        ("agent", index.models, rules.AGENT_MISSING, rules.AGENT_TWICE),
        ("task", tasks, kit_rules.TASK_MISSING, rules.TASK_TWICE),
    ):
        if not listed:
            report.add(nothing, path, f"the index lists no {kind}")
        if names := repeated(listed):
            report.add(twice, path, f"listed several times: {', '.join(names)}")
    if odd := [f"`{task}`" for task in tasks if not is_slug(task)]:
        report.add(kit_rules.TASK_ID, path, f"no ids for tasks: {', '.join(odd)}")
    report.stop_at_errors()
    files: dict[str, TaskFile] = {}
    paths = {task: source / "tasks" / f"{task}.json" for task in tasks}
    snapshot = Snapshot(source, index, files, tuple(task for task, path in paths.items() if not path.exists()))
    for task in (task for task in tasks if task not in snapshot.missing):
        file = report.take(read_json(paths[task], TaskFile, source))
        if file is not None:
            files[task] = file
    extra = sorted(each.name for each in (source / "tasks").glob("*.json") if each.stem not in tasks)
    if extra:
        report.add(rules.TASK_UNNAMED, source / "tasks", f"index.json does not list the tasks of {', '.join(extra)}")
    snapshot.review(report)
    return snapshot
