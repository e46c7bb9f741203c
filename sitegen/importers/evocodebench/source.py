"""Imports the result files that EvoCode-Bench publishes with its site."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.files import Cell, Index, Snapshot, read_snapshot
from sitegen.importers.evocodebench.sweep import EXCLUDED, Sweep, SweepCell, read_sweep
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import KNOWN, Entrant, Roster, check_asked_for, is_asked_for, repeated
from sitegen.importers.kit.cases import unreached
from sitegen.importers.kit.drafts import day_of, omission_notes
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import redacted
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.requests import titles_of
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.rounds import Source
from sitegen.importers.kit.tree import Tree
from sitegen.metrics.catalogue import columns_of
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.task import Task, TaskRound
from sitegen.problems import counted, grouped
from sitegen.reading.json import read_json

SILENT = "unknown: the source does not tell an aborted round from one never reached"
"""Why the first round without a verdict at a run's end was aborted, as far as the source says."""

HOLE = "unknown: the source has no verdict here, though it has one for a later round"
NO_REWARD = "the source has test output but no reward"

_TEXT_CUT = 170
"""Length that the source cuts a case's texts to."""

_SHARE_ROUNDING = 0.0006
"""What a share printed to three places may be off."""


@dataclass(frozen=True, slots=True)
class Run:
    """One agent's way through one task."""

    path: Path
    task: str
    agent: Entrant
    """By the one name that it goes by."""
    spelling: str
    """How the task's file spells it."""
    cells: tuple[Cell | None, ...]
    """One a round; None where there is neither a verdict nor output."""
    excluded: bool
    """Whether the source leaves the run out of the agent's score."""
    stated_passed: int | None
    """Rounds passed, as the task's file adds them up."""
    stated_share: float | None
    """Share of rounds passed, as the index states it, to three places."""
    swept: SweepCell | None

    @property
    def passed(self) -> int:
        """Rounds passed."""
        return sum(cell.solved for _, cell in self.known)

    @property
    def known(self) -> tuple[tuple[int, Cell], ...]:
        """The rounds that the source tells of, each with its cell."""
        return tuple((number, cell) for number, cell in enumerate(self.cells, start=1) if cell is not None)

    @property
    def last_known(self) -> int:
        """The last round that the source tells of; 0 where it tells of none."""
        return max((number for number, _ in self.known), default=0)

    @property
    def silent_end(self) -> int:
        """Rounds at the end that the source tells nothing of; 0 where the run does not count."""
        return 0 if self.excluded else len(self.cells) - self.last_known

    @property
    def other_share(self) -> str | None:
        """The share of rounds that the index states, where it does not follow from them."""
        if self.stated_share is None or abs(self.stated_share - self.passed / len(self.cells)) <= _SHARE_ROUNDING:
            return None
        return f"{self.task}: {self.stated_share:g}, and {self.passed} of {len(self.cells)} rounds passed"

    @property
    def other_count(self) -> str | None:
        """The rounds that the table of sweeps counts, where the task's file tells of others."""
        cell, own = self.swept, (self.passed, len(self.cells))
        if cell is None or (cell.passed is None and self.excluded) or (cell.passed, cell.rounds) == own:
            return None
        stated = EXCLUDED if cell.passed is None else f"{cell.passed}/{cell.rounds}"
        return f"{stated} here, {own[0]}/{own[1]} in the file"

    def results(self) -> Iterator[RoundResult]:
        """Its rounds, but for those after the first that was never reached; of one that does not count, every one."""
        reached = self.cells if self.excluded else self.cells[: self.last_known + 1]
        for number, cell in enumerate(reached, start=1):
            if cell and (self.excluded or cell.reward is not None):
                passed, total = cell.counts
                yield RoundResult(
                    self.task,
                    1,
                    number,
                    "excluded" if self.excluded else cell.state,
                    cell.reward or 0,
                    passed=passed,
                    total=total,
                    skipped=cell.skipped if total and cell.skipped else None,
                    cause=cell.early or cell.note or cell.stopped_at,
                )
            elif self.excluded:
                yield RoundResult(self.task, 1, number, "excluded", 0)
            else:
                lost = "; ".join(filter(None, (NO_REWARD, cell.early))) if cell else HOLE
                cause = lost if number <= self.last_known else SILENT
                yield replace(unreached(self.task, 1, number, "aborted"), cause=cause)

    def failures(self) -> Iterator[Failure]:
        """The failed cases that are listed, in the order of the source."""
        for number, cell in self.known:
            for group in cell.fails if cell.state == "scored" or self.excluded else ():
                for place, case in enumerate(group.cases):
                    texts = (case.intent, case.scenario, case.expected, case.actual, case.reason)
                    intent, scenario, expected, actual, reason = (text or None for text in texts)
                    yield Failure(
                        self.task,
                        1,
                        number,
                        case.id,
                        # The kind that a requirement states is that of its first failed case; the others may differ.
                        category=group.type if place == 0 else None,
                        requirement=group.req,
                        requirement_failed=group.n,
                        intent=intent,
                        scenario=scenario,
                        expected=expected,
                        actual=actual,
                        reason=reason,
                        truncated=_TEXT_CUT in map(len, texts),
                    )

    def review(self, report: Report) -> None:
        """Say what is doubtful about the run: some of it to readers alone, where whoever imports hears of all runs."""
        for number, cell in self.known:
            where = f"round {number} of {self.task}"
            for rule, what in cell.breaches():
                said = f"{self.spelling}, round {number}: {what}"
                report.say(rule, self.path, said, self.agent, f"{where} ({what})")
            if cell.tells_excess:
                fact = f"{where} ({cell.stated_failures:,} against {cell.failed or 0:,})"
                report.tell(self.agent, rules.LISTED_EXCESS, fact)
            if lost := list(cell.losing()):
                report.tell(self.agent, rules.REASON_LOST, f"{where} ({counted(len(lost), 'requirement')})")
        numbers = {number for number, _ in self.known}
        holes = ", ".join(str(number) for number in range(1, self.last_known) if number not in numbers)
        if holes and not self.excluded:
            what = f"{self.spelling} has no verdict for round {holes}, but one for round {self.last_known}"
            report.say(rules.VERDICT_HOLE, self.path, what, self.agent, f"round {holes} of {self.task}")
        if self.silent_end:
            report.tell(self.agent, rules.VERDICT_MISSING, f"{counted(self.silent_end, 'round')} of {self.task}")
        if self.stated_passed not in {None, self.passed}:
            fact = f"{self.stated_passed} rounds passed, but {self.passed} have a reward of 1"
            said = f"{self.spelling}: `score` states {fact}"
            report.say(kit_rules.SCORE_DIFFERS, self.path, said, self.agent, f"{self.task}: {fact}")
        if self.other_share:
            report.tell(self.agent, kit_rules.SCORE_DIFFERS, self.other_share)
        if self.other_count:
            report.tell(self.agent, rules.SWEEP_DIFFERS, f"{self.task}: {self.other_count}")


def runs_of(snapshot: Snapshot, roster: Roster, sweep: Sweep) -> Iterator[Run]:
    """Every run, by task and then by agent, both in the order of the index."""
    for task in snapshot.tasks:
        file = snapshot.files[task.task]
        for spelling, agent in zip(snapshot.index.models, roster.names, strict=True):
            if spelling not in file.models:
                continue
            cells = tuple(file.models[spelling].get(str(number)) for number in range(1, task.n_rounds + 1))
            blank = file.score.get(spelling, 0) is None or task.score.get(spelling, 0) is None
            swept = sweep.cells.get((task.task, agent))
            # A dash in the table alone does not take back what the files tell of.
            dashed = swept is not None and swept.passed is None and not any(cells)
            yield Run(
                snapshot.path_of(task.task),
                task.task,
                Entrant(agent),
                spelling,
                cells,
                excluded=blank or dashed,
                stated_passed=file.score.get(spelling),
                stated_share=task.score.get(spelling),
                swept=swept,
            )


def _review(runs: Sequence[Run], index: Path, sweep: Path, report: Report) -> None:
    """Say what is doubtful about runs: to the readers of each, and to whoever imports them of all together."""
    for run in runs:
        run.review(report)
    if silent := [run for run in runs if run.silent_end]:
        by_agent: Counter[str] = Counter()
        for run in silent:
            by_agent[run.spelling] += run.silent_end
        named = ", ".join(f"{agent} ({rounds})" for agent, rounds in by_agent.items())
        what = f"rounds without a verdict at a run's end: {by_agent.total()}, in {len(silent)} of the runs: {named}"
        report.add(rules.VERDICT_MISSING, silent[0].path.parent, what)
    known = [(run, number, cell) for run in runs for number, cell in run.known]
    excess = grouped(
        ((run.path, number), f"{run.spelling} {cell.stated_failures} against {cell.failed or 0}")
        for run, number, cell in known
        if cell.tells_excess
    )
    for (path, number), stated in excess.items():
        what = f"round {number} tells of more failures than it counts: {'; '.join(stated)}"
        report.add(rules.LISTED_EXCESS, path, what)
    losing = ((run, number, group.req) for run, number, cell in known for group in cell.losing())
    if lost := [f"{name} in round {number} of {run.task}, {run.spelling}" for run, number, name in losing]:
        what = f"{len(lost)} failed requirements say what their first listed case does not; the first is {lost[0]}"
        report.add(rules.REASON_LOST, runs[0].path.parent, what)
    if excluded := [f"{run.spelling} at {run.task}" for run in runs if run.excluded]:
        report.add(rules.EXCLUDED, index, f"left out of the scores: {'; '.join(excluded)}")
    if apart := [f"{run.spelling} at {run.other_share}" for run in runs if run.other_share]:
        report.add(kit_rules.SCORE_DIFFERS, index, f"`score` does not follow from the rounds of {'; '.join(apart)}")
    if swept := [f"{run.agent} at {run.task}: {run.other_count}" for run in runs if run.other_count]:
        report.add(rules.SWEEP_DIFFERS, sweep, f"other rounds are counted for {'; '.join(swept)}")


_ABOUT = {
    "title": "EvoCode-Bench",
    "summary": "Whether coding agents can keep a project working while its requirements change from round to round.",
    "homepage": "https://unipat.ai/benchmarks/EvoCode-Bench",
    "paper": "https://arxiv.org/abs/2605.24110",
    "license": "CC-BY-NC-4.0 (tasks and their instructions), MIT (code)",
    "issues": "https://github.com/UniPat-AI/EvoCodeBench/issues",
}
"""What its files and its paper say of the benchmark."""

_LEFT_OUT = "The source lists these tasks and has no results for them"


def read_published(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder with `index.json`, `tasks/*.json` and perhaps a table of sweeps.

    Every agent becomes one bundle with one attempt at each task. A round of which the files say nothing was
    aborted or never reached; which of the two can't be told, and a warning says so.
    """
    report = Report(source)
    everything = read_snapshot(source, report)
    everyone = Roster.of(everything.index.models, KNOWN, options.aliases)
    day = day_of(report, options, "the folder's name", source.resolve().name)
    sweep = report.take(read_sweep(everything, everyone))
    models = tuple(each for each in everything.index.models if is_asked_for([each], options, KNOWN))
    roster = Roster.of(models, KNOWN, options.aliases)
    check_asked_for(set(roster.names), everyone.names, options)
    snapshot = replace(everything, index=replace(everything.index, models=models))
    runs = list(runs_of(snapshot, roster, sweep))
    index = source / "index.json"
    if snapshot.missing:
        rule = kit_rules.TASKS_LEFT_OUT if options.allow_missing and snapshot.files else kit_rules.TASK_MISSING
        what = f"{len(snapshot.missing)} of {len(snapshot.index.tasks)} tasks have no file"
        report.add(rule, source / "tasks", f"{what}: {', '.join(snapshot.missing)}")
    if twice := repeated(roster.names):
        report.add(rules.AGENT_TWICE, index, f"listed several times under different spellings: {', '.join(twice)}")
    names = list(dict.fromkeys(roster.names))
    _review(runs, index, sweep.path, report)
    report.stop_at_errors()
    found = Source(
        report,
        "Harbor's official multi-step format: one attempt a task, every round is run and scored.",
        protocol="chain",
        columns=columns_of("chain"),
        gaps=None,
        title="Official multi-step" if options.track == "official" else "",
        about={**_ABOUT, "instructions": options.instructions is not False},
        axes=("difficulty", "category"),
        tasks={task.id: task for task in _tasks(snapshot, with_requests=options.instructions is not False)},
        twice=rules.AGENT_TWICE,
    )
    for name in names:
        own = [run for run in runs if run.agent.name == name]
        agent = AgentRun(source, Entrant(name), day=day)
        for result in (result for run in own for result in run.results()):
            agent.add(result)
        agent.figures += sweep.figures(name, [run.task for run in own])
        agent.failures += (failure for run in own for failure in run.failures())
        found.runs.append(agent)
    incoming = found.imported(options)
    drafts = dict(zip(names, incoming.drafts, strict=True))
    left_out = omission_notes(snapshot.missing, len(snapshot.index.tasks), _LEFT_OUT, incoming.drafts)
    return replace(incoming, findings=(*left_out, *_exclusions(drafts, runs)))


def recognise(tree: Tree) -> str | None:
    """What tells of a publication: its index."""
    index, _ = read_json(tree.root / "index.json", Index)
    if index is None:
        return None
    return f"an index.json of {counted(len(index.tasks), 'task')} and {counted(len(index.models), 'agent')}"


FORMAT = Format(read_published, "official", "evocode-bench", recognise=recognise)


def _exclusions(drafts: Mapping[str, Draft], runs: Sequence[Run]) -> Iterator[Finding]:
    """Record which runs do not count, so that it is not silent; the drafts are those of agents by name."""
    for agent, tasks in grouped((run.agent, run.task) for run in runs if run.excluded).items():
        draft = drafts[agent.name]
        yield Finding(
            date=draft.submission.date,
            kind="note",
            title=f"{len(tasks)} runs of {draft.submission.agent.name} do not count",
            reason="The source leaves these runs out of the agent's scores and does not say why.",
            effect="exclude",
            tracks=(draft.submission.track,),
            submissions=(draft.id,),
            tasks=tuple(tasks),
        )


def _tasks(snapshot: Snapshot, *, with_requests: bool) -> Iterator[Task]:
    """The tasks that have a file."""
    for each in snapshot.tasks:
        asked = {heading.n: heading for heading in snapshot.files[each.task].rounds}
        titles = dict(zip(asked, titles_of([heading.md or heading.title for heading in asked.values()]), strict=True))
        requests = {number: redacted(heading.md) for number, heading in asked.items() if heading.md and with_requests}
        rounds = tuple(
            TaskRound(number, titles.get(number, ""), instruction=requests.get(number))
            for number in range(1, each.n_rounds + 1)
        )
        labels = {"difficulty": each.difficulty, "category": each.category}
        told = {axis: value for axis, value in labels.items() if value}
        yield Task(each.task, rounds, title=each.name, labels=told)
