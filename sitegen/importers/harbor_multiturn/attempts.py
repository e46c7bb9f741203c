"""What an agent has to show: its attempts at each task, by the runs that tell of them, and its single rounds.

A re-run after a mishap is no further attempt. A fan-out tries every round several times from what one run of the round
before left, and has as many tries as its widest round. The first is the line of runs that went furthest, each going on
from the one before; the others hold the runs beside that line, round by round, each of which began from it as well. So
a round is passed by some try exactly where a run of it passed, as in attempts that know nothing of each other.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path

from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.kinds import Kind, Lineage
from sitegen.importers.harbor_multiturn.runs import COMPLETED, LISTED_TWICE, RowFile, Run
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rewards import reward_of
from sitegen.importers.kit.stream import pick
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.outcome import PASS_REWARD
from sitegen.problems import Rule, counted
from sitegen.reading.files import read_head

_REWARD = re.compile(r"round_(?P<round>[1-9]\d{0,3})_reward\.(?:txt|json)")
_SHORT = 1000


def with_rounds(run: Run, spot: Spot, report: Report, scale: float | None = None) -> Run:
    """Return a run with what it went through, its rewards divided by the largest one.

    A run that ended with an exception before the verdict of a round was in that round when it ended. One that was to
    begin late and lists none of its rounds never came to the first: the reference solution failed before it.
    """
    rounds = _filed_rounds(run)
    if run.listed is not None:
        listed = _listed_rounds(run, spot, report)
        # Of the rounds before its start only the verifier may tell.
        before = {number: row for number, row in rounds.items() if number < run.start}
        rounds = dict(sorted((before | listed).items()))
    elif rounds:
        report.doubt(rules.ROWS_MISSING, run.path, spot, f"round {', '.join(map(str, rounds))}")
    if run.exception not in {None, "CancelledError"}:
        reached = max([run.start - 1, *rounds]) + 1
        last = rounds.get(reached - 1)
        goes_on = (last is None or reward_of(last.reward, scale) == 1) and (
            run.last is None or reached <= run.last
        )
        if goes_on and (rounds or run.listed is None or run.start == 1 or run.origin is not None):
            rounds[reached] = RowFile(round=reached)
    scaled = {}
    for number, row in rounds.items():
        scaled[number] = row.model_copy(update={"reward": reward_of(row.reward, scale)})
    return replace(run, rounds=scaled)


def _filed_rounds(run: Run) -> dict[int, RowFile]:
    """Return the rounds that the verifier's files state a reward of."""
    rounds: dict[int, RowFile] = {}
    for number in sorted(
        {int(match["round"]) for match in map(_REWARD.fullmatch, run.verifier.files) if match}
    ):
        reward, code = (
            _stated_reward(run, number),
            _text(run, f"round_{number}_test-exit-code.txt") or "0",
        )
        if (
            reward is not None and code.strip() == "0"
        ):  # a test that ended with an error has no reward that counts
            rounds[number] = RowFile(round=number, reward=reward, status=COMPLETED)
    return rounds


def _listed_rounds(run: Run, spot: Spot, report: Report) -> dict[int, RowFile]:
    """Return the rounds that a run lists; one that it lists twice, differently, has no verdict."""
    rounds: dict[int, RowFile] = {}
    for row in run.listed or ():
        known = rounds.get(row.round, row)
        if known == row:
            rounds[row.round] = row
            continue
        if known.status != LISTED_TWICE:
            report.doubt(rules.ROUND_TWICE, run.path, spot, f"round {row.round}")
        rounds[row.round] = RowFile(round=row.round, status=LISTED_TWICE)
    for row in rounds.values():
        kept = _stated_reward(run, row.round) if row.status == COMPLETED else None
        if kept not in {None, row.reward}:
            stated = "none" if row.reward is None else f"{row.reward:g}"
            what = f"the reward of round {row.round} is {stated} in the list, {kept:g} in the file"
            report.doubt(rules.REWARD_DIFFERS, run.path, spot, what)
    return rounds


def _stated_reward(run: Run, number: int) -> float | None:
    """The reward in the verifier's file of a round, as the fork looks it up; None where there is none."""
    text = _text(run, f"round_{number}_reward.txt")
    if text is None:
        path = run.verifier.file(f"round_{number}_reward.json")
        value = pick(path, {"reward": None})[0] if path else None
        text = str(value.get("reward")) if isinstance(value, dict) else ""
    try:
        reward = float(text)
    except ValueError:
        return None
    return reward if isfinite(reward) else None


def _text(run: Run, name: str) -> str | None:
    path = run.verifier.file(name)
    text = read_head(path, _SHORT) if path else None
    return None if text is None else text.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Cell:
    """What is known of one round of a try."""

    run: Run
    before: Run | None = None
    """The run that this one goes on from, where each round of a try is a run of its own."""
    parent: int | None = None
    """Which try of the fan-out that run belongs to, from 1."""


@dataclass(frozen=True, slots=True)
class Try:
    """One try at a task."""

    head: Run
    cells: Mapping[int, Cell]
    """Its rounds by number; those that it did not reach are left out."""
    whole: Run | None = None
    """The run whose figures are the try's, where they are not known by round."""


@dataclass(frozen=True, slots=True)
class FanOut:
    """The runs of one fan-out."""

    levels: Mapping[int, Sequence[Run]]
    """By round, in the order of their names' numbers."""
    parents: Mapping[Path, Run]
    """The run that a run goes on from, by the run's folder; none for roots and where it is not here."""

    def trunk(self) -> dict[int, Run]:
        """The line of runs that went furthest, by round. Of rounds whose run is not here the next one tells."""
        number = max(self.levels)
        deepest = self.levels[number]
        passed = (
            each
            for each in deepest
            if number in each.rounds and (each.rounds[number].verdict or 0) >= PASS_REWARD
        )
        run: Run | None = next(passed, deepest[0])
        line: dict[int, Run] = {}
        while run is not None:
            line[run.branch.round] = run
            run = self.parents.get(run.path)
        inherited = {
            number: run for last, run in line.items() for number in run.rounds if number < last
        }
        return inherited | line

    def tries(self) -> list[Try]:
        """Lay the runs out as tries."""
        trunk = self.trunk()
        beside = {
            number: [each for each in level if each is not trunk.get(number)]
            for number, level in self.levels.items()
        }
        lines = [
            trunk,
            *(
                {number: level[place] for number, level in beside.items() if place < len(level)}
                for place in range(max(map(len, beside.values())))
            ),
        ]
        places = {
            run.path: place for place, line in enumerate(lines, start=1) for run in line.values()
        }
        tries = []
        for line in lines:
            cells = {}
            for number, run in sorted(line.items()):
                before = self.parents.get(run.path) if number == run.branch.round else None
                cells[number] = Cell(run, before, places[before.path] if before else None)
            tries.append(Try(self.levels[min(self.levels)][0], cells))
        return tries

    def line(self) -> str:
        """Which run of each round the next one went on from, by the numbers in their names."""
        told = ((number, run.branch) for number, run in sorted(self.trunk().items()))
        return ", ".join(
            f"round {number} a{branch.number}" for number, branch in told if branch.round == number
        )


def fan_outs(runs: Sequence[Run], lineage: Lineage) -> list[FanOut]:
    """Put the branches of one agent at one task together, one fan-out for each job that one was begun in."""
    here = {run.path: run for run in runs}
    parents: dict[Path, Run] = {}
    for run in runs:
        parent = lineage.parent(run)
        known = here.get(parent.path) if parent else None
        if known and known.branch.round < run.branch.round:
            parents[run.path] = known
    jobs: defaultdict[tuple[str, ...], defaultdict[int, list[Run]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for run in sorted(
        runs, key=lambda each: (each.branch.parent or 0, each.branch.number, each.place)
    ):
        top = run
        while top.path in parents:
            top = parents[top.path]
        jobs[top.job][run.branch.round].append(run)
    return [
        FanOut(dict(sorted(levels.items())), parents)
        for _, levels in sorted(jobs.items(), key=lambda each: each[0])
    ]


def plain_tries(runs: Sequence[Run], lineage: Lineage) -> tuple[list[Try], list[Run]]:
    """Make one try of each attempt of an agent at a task, together with the runs that go on from it.

    Where several runs go on from the same one, the latest counts. A resume is no further attempt: it takes the place
    of what it goes on from, as one does that is made in its own place.

    Returns:
        The tries, and the runs that are part of none.
    """
    here = {run.path for run in runs}
    heads: list[Run] = []
    later: defaultdict[Path, list[Run]] = defaultdict(list)
    for run in runs:
        origin = lineage.origin(run) if run.goes_on else None
        if origin is not None and origin.path in here:
            later[origin.path].append(run)
        else:
            heads.append(run)
    tries = []
    for head in heads:
        run, cells = head, {number: Cell(head) for number in head.rounds}
        while run.path in later:
            run = max(later[run.path], key=lambda each: each.age)
            cells = {number: cell for number, cell in cells.items() if number < run.start}
            cells |= {number: Cell(run) for number in run.own}
        tries.append(Try(head, cells, run))
    used = {cell.run.path for each in tries for cell in each.cells.values()}
    return tries, [run for run in runs if run.path not in used]


@dataclass(frozen=True, slots=True)
class AgentRuns:
    """What one agent has to show."""

    entrant: Entrant
    made: int
    """Attempts at each task; 1 where there is none, as no bundle has fewer."""
    tries: Mapping[str, Sequence[Try]]
    """The attempts at each task, in their order; fewer than `made` where some are not here."""
    surplus: Mapping[str, Sequence[Try]]
    """Tries beyond that number, by task."""
    samples: Mapping[str, Mapping[int, Run]]
    """The latest run of each round from the reference state, by task and round."""
    fan_outs: Mapping[str, Sequence[FanOut]]
    doubtful: Mapping[Rule, Sequence[Run]]
    """Runs that do not count, or whose beginning is not here, by the rule that they break."""

    @classmethod
    def of(
        cls, entrant: Entrant, tasks: Mapping[str, Mapping[Kind, Sequence[Run]]], lineage: Lineage
    ) -> "AgentRuns":
        """Lay out an agent's runs, by task and kind.

        Tries at a task are numbered from 1, by job and name, so by time where jobs are named after it. The number of
        attempts is that of most tasks, the larger one where two are as frequent: a task with a try more than the
        others had a mishap, and best of five at one task does not go with best of four at the others. The first ones
        count, so that nobody can choose among them.
        """
        tries: dict[str, list[Try]] = {}
        outs: dict[str, list[FanOut]] = {}
        samples: dict[str, dict[int, Run]] = {}
        replaced, repeats, empty = list[Run](), list[Run](), list[Run]()
        for task, kinds in tasks.items():
            plain, branches, single = (
                [run for kind in names for run in kinds.get(kind, ())]
                for names in (("attempt", "resume"), ("root", "child"), ("sample",))
            )
            found, unused = plain_tries(plain, lineage)
            replaced += unused
            if branched := fan_outs(branches, lineage):
                outs[task] = branched
                found += [each for fan_out in branched for each in fan_out.tries()]
            if found:
                tries[task] = sorted(found, key=lambda each: each.head.place)
            samples[task] = {
                run.start: run for run in sorted(single, key=lambda run: run.age) if run.own
            }
            # The reference solution may have failed before the round that was to be run.
            empty += [run for run in single if not run.own]
            repeats += [run for run in single if run.own and samples[task][run.start] is not run]
        counts = Counter(map(len, tries.values()))
        made = max(counts, key=lambda number: (counts[number], number), default=1)
        kept = {task: several[:made] for task, several in tries.items()}
        surplus = {task: several[made:] for task, several in tries.items() if several[made:]}
        agent = cls(entrant, made, kept, surplus, samples, outs, {})
        lost = [run for run in agent.runs if lineage.is_lost(run)]
        doubtful = {
            rules.RESUME_REPLACED: replaced,
            rules.ORIGIN_MISSING: lost,
            rules.SAMPLE_TWICE: repeats,
            rules.SAMPLE_EMPTY: empty,
        }
        return replace(agent, doubtful=doubtful)

    def missing(self, tasks: Iterable[str]) -> dict[str, int]:
        """How many attempts are not here, by task."""
        absent = {task: self.made - len(self.tries.get(task, ())) for task in tasks}
        return {task: number for task, number in absent.items() if number}

    @property
    def runs(self) -> list[Run]:
        """Every run that a record is made of."""
        tried = [
            cell.run
            for tries in self.tries.values()
            for each in tries
            for cell in each.cells.values()
        ]
        sampled = [run for rounds in self.samples.values() for run in rounds.values()]
        return list({run.path: run for run in (*tried, *sampled)}.values())

    def notes(self, bundle: str, report: Report) -> Iterator[str]:
        """What is made of its runs, and which of them go on from others."""
        facts = (
            f"{counted(self.made, 'attempt')} at {counted(len(self.tries), 'task')}"
            if self.tries
            else "no attempt"
        )
        single = sum(map(len, self.samples.values()))
        more = f", {counted(single, 'single round')} from the reference state" if single else ""
        yield f"{bundle}: {facts}{more}"
        for task, tries in self.tries.items():
            for attempt, told in enumerate(tries, start=1):
                if told.whole is not None and told.whole is not told.head:
                    first, last = report.name(told.head.path), report.name(told.whole.path)
                    yield f"{bundle}: attempt {attempt} at {task} is {first}, resumed as {last}"

    def findings(self, draft: Draft, tasks: Iterable[str]) -> Iterator[Finding]:
        """What a reader has to know beside its scores: how its runs hang together, and what is left out."""
        found: list[tuple[str, str, Iterable[str]]] = []
        if self.fan_outs:
            lines = "; ".join(
                f"{task}: {each.line()}"
                for task, several in self.fan_outs.items()
                for each in several
            )
            reason = (
                "Every round was tried several times from what one run of the round before left, which is not what "
                "independent attempts do. Attempt 1 is the line of runs that went furthest; the further attempts hold "
                f"the runs beside it, round by round. The line, by the runs' own numbers: {lines}."
            )
            found.append(("Attempts that branch from each other", reason, self.fan_outs))
        if self.surplus:
            spare = sum(map(len, self.surplus.values()))
            reason = f"Most tasks have {counted(self.made, 'attempt')}; of the others the first ones count."
            found.append((f"{counted(spare, 'attempt')} too many left out", reason, self.surplus))
        missing = self.missing(tasks) if self.tries else {}
        if missing:
            reason = "The source has no runs for them. Their rounds are recorded as unreached and count 0."
            found.append((f"{counted(sum(missing.values()), 'attempt')} missing", reason, missing))
        for title, reason, about in found:
            yield Finding(
                date=draft.submission.date,
                kind="note",
                title=title,
                reason=reason,
                tracks=(draft.submission.track,),
                submissions=(draft.id,),
                tasks=tuple(about),
            )
