"""Sources whose tasks are samples, each with one target that a try is graded on once: from their tries to bundles."""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from decimal import Decimal
from pathlib import Path

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, Roster, check_asked_for, is_asked_for, named, repeated
from sitegen.importers.kit.cases import unreached
from sitegen.importers.kit.claims import as_said, published_about
from sitegen.importers.kit.drafts import axes_of, bundle_names, finished, namesakes, title_of
from sitegen.importers.kit.options import ImportOptions, Standing
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot, listed
from sitegen.metrics.catalogue import MEAN_REWARD, RESOLVED
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.declared import Declared
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import Failure, RoundResult, Start
from sitegen.models.record import is_slug
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.models.submission import Claims, Provenance, Submission
from sitegen.models.task import Case, Task, TaskRound, TaskSet
from sitegen.problems import counted

_LONGEST, _DIGITS = 80, 8
"""Characters of a task's id, and those of a digest at its end."""

_FEW, _SHORT = 20, 60
"""Values that a label has at most, and characters of one."""

_ODD = re.compile(r"[^a-z0-9_-]+")

UNKNOWN = "unknown"
"""What a run without a name stands under until somebody says who made it."""

ALONE: tuple[Start, ...] = ("own",)
"""No try goes on from another."""

Try = tuple[str, int]
"""A task, as its source names it, and the number of the attempt."""


@dataclass(slots=True)
class Run:
    """The tries of one agent."""

    path: Path
    """Where they lie."""
    entrant: Entrant
    """Whoever made them, as the source has the name."""
    results: dict[Try, RoundResult] = field(default_factory=dict)
    """What came of them; their task is as the source names it."""
    planned: Sequence[str] = ()
    """Tasks that were to be tried, tried or not."""
    attempts: int = 1
    """Tries at each."""
    organization: str | None = None
    model: str | None = None
    version: str | None = None
    """That of the scaffold."""
    day: Date | None = None
    provenance: Provenance = field(default_factory=Provenance)
    claims: Claims | None = None
    failures: list[Failure] = field(default_factory=list)

    def spot(self, place: str = "") -> Spot:
        """A place in it, for messages."""
        return Spot(self.entrant, place)


@dataclass(slots=True)
class Samples:
    """What a source tells of tasks and of tries at them."""

    report: Report
    runs: list[Run] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    """What readers see of a task, where that is not its name in the source."""
    labels: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """What is told of a task, by its name and an axis."""
    cases: dict[str, tuple[Case, ...]] = field(default_factory=dict)
    """The checks of a task, by its name."""
    digests: dict[str, str] = field(default_factory=dict)
    """A checksum of a task, by its name."""
    reported: list[tuple[str, ReportedTable]] = field(default_factory=list)
    """Figures without tries, by the name of their file; their track is the one of the import."""
    metrics: dict[str, Declared] = field(default_factory=dict)
    """Metrics that tables report, by id: a benchmark that begins declares them."""
    title: str = ""
    """That of the benchmark; made of its id where empty."""
    homepage: str | None = None
    summary: str = ""
    """A sentence about the track's conditions."""

    def imported(self, options: ImportOptions) -> Incoming:
        """Make a bundle of each run.

        Raises:
            ProblemsError: The source can't be used as it stands; carries every problem, warnings included.
        """
        report = self.report
        report.stop_at_errors()
        if not self.runs and not self.reported:
            report.stop_at_nothing(rules.NOTHING_FOUND, "no results of this format were found")
        names = dict.fromkeys(name for run in self.runs for name in (*run.planned, *(task for task, _ in run.results)))
        ids = ids_of(names, self.titles, options.standing)
        roster = Roster.chosen((run.entrant.name for run in self.runs), options)
        agents = []
        for run in self.runs:
            known = replace(run.entrant, name=roster.one_name(run.entrant.name) or options.agent or UNKNOWN)
            if known.name == UNKNOWN:
                report.doubt(rules.AGENT_UNKNOWN, run.path, run.spot(), report.name(run.path))
            agents.append(as_said(known.agent(run.organization, run.model, run.version), options))
        days = [self._day(run, options) for run in self.runs]
        bundles = bundle_names(list(zip(days, agents, strict=True)))
        owners = [f"{agent.name} ({report.name(run.path)})" for agent, run in zip(agents, self.runs, strict=True)]
        report.problems += namesakes(rules.RUN_TWICE, report.root, bundles, owners)
        stated, problems = published_about([agent.name for agent in agents], options)
        report.problems += problems
        results = [tuple(self._complete(run, ids, options)) for run in self.runs]
        report.stop_at_errors()
        attempts, drafts = max((run.attempts for run in self.runs), default=1), []
        for run, agent, day, bundle, rounds in zip(self.runs, agents, days, bundles, results, strict=True):
            submission = Submission(
                schema_version=1,
                track=options.track,
                date=day,
                attempts=run.attempts if run.attempts != attempts else None,
                caveats=report.caveats(run.entrant, [run.path], ALONE),
                agent=agent,
                provenance=run.provenance,
            )
            failures = tuple(replace(each, task=ids[each.task]) for each in run.failures)
            draft = finished(Draft(bundle, submission, rounds, failures=failures), stated.get(agent.name))
            if run.claims and not draft.submission.claims:
                claimed = draft.submission.model_copy(update={"claims": run.claims})
                draft = replace(draft, submission=claimed)
            drafts.append(draft)
            scored = sum(each.state == "scored" for each in rounds)
            report.notes.append(f"{bundle}: {counted(len(rounds), 'round')}, {scored} of them with a verdict")
        tasks = self._tasks(ids)
        benchmark = self._benchmark(tasks, attempts, roster, options)
        sets = (TaskSet(options.track, tasks),) if tasks else ()
        told = report.all_problems(), tuple(report.notes), tuple(self.reported)
        return Incoming(benchmark, sets, tuple(drafts), (), *told)

    def _day(self, run: Run, options: ImportOptions) -> Date:
        day = options.date or run.day
        if day is None:
            self.report.doubt(rules.DATE_MISSING, run.path, run.spot(), "nothing tells the day of the run")
        return day or options.today

    def _complete(self, run: Run, ids: Mapping[str, str], options: ImportOptions) -> Iterator[RoundResult]:
        """Every expected try; what the run lacks is unreached, which has to be meant."""
        lacking = []
        for name, task in ids.items():
            for attempt in range(1, run.attempts + 1):
                found = run.results.get((name, attempt))
                if found is None:
                    lacking.append(one_line(name) if run.attempts == 1 else f"{one_line(name)} (attempt {attempt})")
                yield replace(found, task=task) if found else unreached(task, attempt, 1)
        if lacking:
            rule = rules.TRIES_UNREACHED if options.allow_missing else rules.TRIES_MISSING
            expected = len(ids) * run.attempts
            self.report.doubt(rule, run.path, run.spot(), f"{len(lacking)} of {expected}: {listed(lacking)}")

    def _tasks(self, ids: Mapping[str, str]) -> tuple[Task, ...]:
        axes = self._axes(ids)
        tasks = []
        for name, task in ids.items():
            told = self.labels.get(name, {})
            labels = {axis: told[axis] for axis in axes if axis in told}
            title = one_line(self.titles.get(name, name))
            rounds = (TaskRound(1, cases=self.cases.get(name)),)
            shown = "" if title == task else title
            tasks.append(Task(task, rounds, title=shown, labels=labels, digest=self.digests.get(name)))
        return tuple(tasks)

    def _axes(self, ids: Mapping[str, str]) -> list[str]:
        """The labels that sort tasks into groups: each has a few short values, that several tasks share."""
        values: defaultdict[str, list[str]] = defaultdict(list)
        for name in ids:
            for axis, value in self.labels.get(name, {}).items():
                values[axis].append(value)
        return [
            axis
            for axis, found in values.items()
            if is_slug(axis)
            and len(set(found)) <= min(_FEW, max(1, len(found) // 2))
            and max(map(len, found)) <= _SHORT
        ]

    def _benchmark(self, tasks: Sequence[Task], attempts: int, roster: Roster, options: ImportOptions) -> Benchmark:
        axes: dict[str, Axis] = axes_of(tasks, list(dict.fromkeys(axis for task in tasks for axis in task.labels)))
        return Benchmark(
            schema_version=1,
            id=options.benchmark,
            title=one_line(self.title) or title_of(options.benchmark),
            homepage=self.homepage,
            round_name="Target",
            ordered=False,
            axes=axes,
            metrics=tuple(self.metrics.values()),
            tracks=(
                Track(
                    id=options.track,
                    title=title_of(options.track),
                    summary=self.summary,
                    protocol="once",
                    attempts=attempts,
                    tasks=options.track if tasks else None,
                    headline=RESOLVED.id if tasks else MEAN_REWARD.id,
                    columns=(RESOLVED.id, MEAN_REWARD.id, *self.metrics),
                    groupings=tuple(name for name, axis in axes.items() if len(axis.values) > 1),
                ),
            ),
            aliases=roster.aliases,
        )


def chosen(models: Iterable[str], options: ImportOptions) -> list[str]:
    """The models that are to be taken, each once; a model may be asked for by the last part of its name.

    Raises:
        UsageError: None is, or one name is given to several.
    """
    there = list(dict.fromkeys(models))
    wanted = [model for model in there if is_asked_for((model, short(model)), options)]
    check_asked_for(wanted, there, options)
    return wanted


def short(model: str) -> str:
    """The last part of a model's name, without its provider or its folder."""
    return named(model.rstrip("/").rpartition("/")[2] or model)


def owner_of(model: str) -> str | None:
    """Whose a model is, where its name is OWNER/NAME, and no way to a folder."""
    owner, _, name = model.partition("/")
    return named(owner) if owner.strip(".~") and name and "/" not in name else None


def reported_table(title: str, source: str, day: Date, rows: Sequence[ReportedRow], track: str) -> ReportedTable:
    """Figures of which the source has no tries."""
    return ReportedTable(schema_version=1, track=track, title=title, source=source, date=day, rows=tuple(rows))


def reported_row(name: str, organization: str | None, values: Mapping[str, ReportedValue]) -> ReportedRow:
    """What is stated of one agent."""
    return ReportedRow(id=_slug(name), name=name, organization=organization, values=dict(values))


def ids_of(names: Collection[str], titles: Mapping[str, str], standing: Standing | None) -> dict[str, str]:
    """An id for each name of a task: the one that the track has for its title, else one made of it.

    Where several names would make one id, each gets an id of its own, which follows from the name alone.
    """
    known = standing.titles if standing else {}
    here = {name: task for name in names if (task := known.get(one_line(titles.get(name, name))))}
    made = {name: _slug(name) for name in names if name not in here}
    used = {*here.values()}
    shared = {*repeated(made.values()), *used}
    apart = {
        name: slug if slug not in shared or (slug == name and slug not in used) else _apart(slug, name)
        for name, slug in made.items()
    }
    return {name: here.get(name) or apart[name] for name in names}


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = _ODD.sub("-", plain).strip("-_")
    return slug if is_slug(slug) and len(slug) <= _LONGEST else _apart(slug or "task", name)


def _apart(slug: str, name: str) -> str:
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
    return f"{slug[: _LONGEST - _DIGITS - 1]}-{digest}"


def claims_of(value: float, source: str) -> Claims:
    """What a tool states as the mean of its rewards."""
    return Claims(source=source, **{MEAN_REWARD.id: Decimal(repr(value))})
