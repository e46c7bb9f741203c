"""The diagnostics: how far work holds, what is done every time, and scores by axes and phases of the tasks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from sitegen.metrics.catalogue import STRICT
from sitegen.metrics.diagnostics import Cell, Diagnostic, Figure, Line, Share
from sitegen.metrics.diagnostics.outline import SHORTEST, Counts, Grouping, left_out, phase_of
from sitegen.metrics.diagnostics.sample import (
    BUDGETS,
    FIFTHS,
    UNKNOWN,
    Kind,
    Sample,
    lines_of,
    shares,
)
from sitegen.metrics.failstop import GAP
from sitegen.metrics.grids import Sheet
from sitegen.metrics.metric import Metric
from sitegen.problems import counted, grouped


def diagnostics_of(sample: Sample) -> tuple[Diagnostic, ...]:
    """Every diagnostic that there is data for; one with fewer than two lines says nothing and is left out."""
    return tuple(each for each in _possible(sample) if each.has_data) if sample.sheets else ()


def _possible(sample: Sample) -> Iterator[Diagnostic]:
    terms = sample.terms
    if terms.is_ordered:
        yield by_round(sample)
        yield against_reference(sample)
        yield recovery(sample)
        yield first_failure(sample)
        # Phases divide the interior of a task whose rounds are all run.
        if terms.track.protocol == "chain" and any(
            len(task.rounds) >= SHORTEST for task in terms.tasks
        ):
            yield by_phase(sample)
        yield by_label(sample)
    else:
        yield targets(sample)
    yield aptitude(sample)
    if terms.track.protocol == "once":
        yield by_budget(sample)
    if sample.tasks > 1:
        for axis in terms.outline.axes:
            yield by_axis(sample, axis)


def by_axis(sample: Sample, axis: str) -> Diagnostic:
    """The track's headline score on the tasks that share a value of an axis, with their number.

    Every submission is scored by itself; a score that counts k of n is pooled over them, any other is a mean over them.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, table 2, and RoadmapBench, table 2: the same scores, split.
    """
    terms, headline = sample.terms, sample.terms.metrics[0]
    groups = terms.outline.values(axis)
    parts: dict[str, list[Sheet]] = {value: [] for value in groups}
    for sheet in sample.sheets:
        grids = grouped(
            (grid.task.labels[axis], grid) for grid in sheet.tasks if axis in grid.task.labels
        )
        for value in parts.keys() & grids.keys():
            parts[value].append(replace(sheet, tasks=grids[value]))
    lines = []
    for value, part in parts.items():
        tasks = len({grid.task.id for sheet in part for grid in sheet.tasks})
        lines.append(Line(value, [tasks, score_of(headline, part)]))
    left = left_out(terms.tasks, groups)
    is_mean = len(sample.sheets) > 1 and any(isinstance(line.cells[-1], Figure) for line in lines)
    averaged = ", a mean over submissions" if is_mean else ""
    title, score = terms.benchmark.axes[axis].title, headline.title_on(terms.track, terms.benchmark)
    within = (
        title if title[1:2].isupper() else title[:1].lower() + title[1:]
    )  # an abbreviation stays as it is
    return Diagnostic(
        id=f"axis-{axis}",
        title=f"{score} by {within}",
        sentence=" ".join(
            filter(
                None, [f"{score} on the tasks of each kind{averaged}. Over {sample.extent}.", left]
            )
        ),
        corner=title,
        columns=["Tasks", score],
        lines=[line for line in lines if line.is_measured],
        key=1,
    )


def by_phase(sample: Sample) -> Diagnostic:
    """Share of rounds that pass by the phase of their task, and the track's other scores of rounds.

    Rounds are binned by the configured length of their task, and pooled over submissions, tasks and attempts. A mean of
    measurements is a mean over submissions.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.2: "Progress phases".
    """
    terms, grouping = sample.terms, sample.terms.outline.by_phase
    # Means over rounds have a value on some rounds of a task; the verdict has a column of its own.
    metrics = [
        each
        for each in terms.metrics
        if each.weigh in {"n", "of"} and "chain" in each.protocols and each is not STRICT
    ]
    passed = shares(sample.totals(grouping), Kind.PASSED, Kind.VERDICTS)
    parts = (
        [[_in_phase(sheet, head.label) for sheet in sample.sheets] for head in grouping.heads]
        if metrics
        else []
    )
    scores = [[score_of(metric, part) for part in parts] for metric in metrics]
    titles = (metric.title_on(terms.track, terms.benchmark) for metric in metrics)
    word = terms.word
    return Diagnostic(
        id="phases",
        title="Pass rate by phase of the task",
        sentence=f"The first {word} of a task is its start, the last one is final, and the {word}s between are early, "
        f"mid or late, by the length that the task is set up with. Over {sample.extent}.",
        corner="Phase",
        columns=[terms.benchmark.rounds_word, terms.verdict, *titles],
        lines=lines_of(grouping, sample.spread(grouping), passed, *scores),
        key=1,
    )


def _in_phase(sheet: Sheet, phase: str) -> Sheet:
    """Keep the rounds of one phase, without figures that are known only for the whole run."""
    parts = []
    for grid in sheet.tasks:
        length = len(grid.task.rounds)
        kept = [
            place for place, number in enumerate(grid.rounds) if phase_of(number, length) == phase
        ]
        if kept:
            part = replace(
                grid,
                rounds=[grid.rounds[place] for place in kept],
                results=[[attempt[place] for place in kept] for attempt in grid.results],
                reference=[grid.reference[place] for place in kept] if grid.reference else (),
                runs=[None] * len(grid.results),
                rewards=grid.rewards[:, kept],
                shares=grid.shares[:, kept],
            )
            parts.append(part)
    return replace(sheet, tasks=parts)


def score_of(metric: Metric, sheets: Sequence[Sheet]) -> Cell:
    """Score submissions, or parts of their results, together.

    Returns:
        k of n where the metric counts something, else the mean over those with a value. A gap where none has one, and
        where their values follow several definitions.
    """
    values, counts, versions = [], [], set()
    for sheet in sheets:
        value = metric.measure(sheet).value
        if value is not None:
            values.append(value)
            counts.append(metric.count(sheet, value))
            versions.add(metric.version_in(sheet))
    if len(versions) != 1:
        return None
    known = [each for each in counts if each]
    if len(known) < len(values):
        return Figure(fmean(values), metric)
    return Share(*map(sum, zip(*known, strict=True)))


_FIFTHS = ("First fifth", "Second fifth", "Third fifth", "Fourth fifth", "Last fifth")


def by_round(sample: Sample) -> Diagnostic:
    """Share of rounds with the same number that pass, with how many tasks have so many rounds.

    Pooled over submissions and tasks, and over attempts on a chain. On a fail-stop track a submission has one verdict
    on a round: whether any of k attempts keeps it.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 4.2 and appendix G.2, table 7.
    """
    terms, several = sample.terms, sample.tasks > 1

    def lines(grouping: Grouping) -> list[Line]:
        passed, tasks = (
            shares(sample.totals(grouping), Kind.PASSED, Kind.VERDICTS),
            sample.tasks_in(grouping),
        )
        return lines_of(grouping, *([tasks] if several else []), passed)

    told = f" Tasks counts those that have so many {terms.word}s." if several else ""
    return Diagnostic(
        id="by-round",
        title=f"Pass rate by {terms.word}",
        sentence=f"{terms.verdict} is the {terms.passing}.{told} Over {sample.extent}.",
        corner=terms.benchmark.round_word,
        columns=["Tasks", terms.verdict] if several else [terms.verdict],
        lines=lines(terms.outline.by_number),
        key=int(several),
        curve=lines(sample.followed) if sample.followed else (),
        over=sample.over,
    )


def against_reference(sample: Sample) -> Diagnostic:
    """Share of rounds that pass from the reference state, against those that pass on the agent's own work.

    Pooled over submissions and tasks; submissions without rounds from the reference state, or without every attempt on
    a fail-stop track, count on one side only.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.8, figure 4.
    """
    terms, totals = sample.terms, sample.totals(sample.terms.outline.by_number)
    own, reference = (
        shares(totals, Kind.PASSED, Kind.VERDICTS),
        shares(totals, Kind.SOLVED, Kind.REFERENCE),
    )
    gaps = [
        None
        if kept.value is None or solved.value is None
        else Figure(100 * (solved.value - kept.value), GAP)
        for kept, solved in zip(own, reference, strict=True)
    ]
    found = lines_of(terms.outline.by_number, own, reference, gaps)
    return Diagnostic(
        id="sr-mt",
        title=f"SR against {terms.verdict if terms.is_fail_stop else 'the pass rate'} by {terms.word}",
        sentence=f"{terms.verdict} is the {terms.passing}; SR the share that pass when they start from the "
        f"reference state. The gap is what living with its own work costs an agent. Over {sample.extent}.",
        corner=terms.benchmark.round_word,
        columns=[terms.verdict, "SR", "Gap (points)"],
        lines=[line for line in found if line.cells[-1] is not None],
        key=2,
    )


def recovery(sample: Sample) -> Diagnostic:
    """Share of failed rounds that the same agent passes when it starts from the reference state.

    Pooled over submissions, tasks and attempts. A round that an attempt never reached failed too.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.11, figure 9 (a).
    """
    terms, grouping = sample.terms, sample.terms.outline.by_number
    solved = shares(sample.totals(grouping), Kind.RECOVERED, Kind.FAILED)
    before = f", with every {terms.word} before it," if terms.is_fail_stop else ""
    return Diagnostic(
        id="recovery",
        title=f"Failed {terms.word}s that are solved from the reference state",
        sentence=f"Of the {terms.word}s that an attempt did not pass{before} on its own work, the share that the "
        f"same agent passes when it starts from the reference state. Over {sample.extent}.",
        corner=terms.benchmark.round_word,
        columns=["Solved"],
        lines=lines_of(grouping, solved),
        total=Line(
            f"All {terms.word}s",
            [Share(sum(part.k for part in solved), sum(part.n for part in solved))],
        ),
    )


def first_failure(sample: Sample) -> Diagnostic:
    """Share of failing attempts whose first failure falls into each fifth of their task.

    The position is the number of the first round that does not pass, over the task's rounds, above 0 and at most 1.
    Rounds that a finding excludes are not counted. Pooled over submissions, tasks and attempts; attempts that pass
    every round are left out.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 4.2 and appendix G.12.
    """
    word = sample.terms.word
    failures = sample.tally.failures.sum(axis=0).tolist()
    parts = zip(_FIFTHS, failures, strict=True)
    lines = [Line(label, [Share(k, sum(failures))]) for label, k in parts]
    return Diagnostic(
        id="first-failure",
        title="Where the first failure comes",
        sentence=f"Attempts by the part of their task that the first failed {word} lies in: its number over the "
        f"task's {word}s, in {FIFTHS} parts. Attempts that pass every {word} are left out. Over {sample.extent}.",
        corner=f"Part of the {word}s",
        columns=["First failures"],
        lines=[line for line in lines if line.is_measured],
    )


def by_label(sample: Sample) -> Diagnostic:
    """Share of rounds that pass by their label, within early, middle and late rounds.

    Pooled as by round. A round with several labels counts under each of them.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.14, figure 11 (a).
    """
    terms, word, grouping = (
        sample.terms,
        sample.terms.word,
        sample.terms.outline.by_label_and_position,
    )
    return Diagnostic(
        id="labels",
        title=f"Pass rate by label, early to late {word}s",
        sentence=f"{terms.verdict} is the {terms.passing}, by what the {word} asks for and where in its task it "
        f"stands; a {word} with several labels counts under each. Over {sample.extent}.",
        corner="Label",
        columns=[terms.benchmark.rounds_word, terms.verdict],
        lines=_spread_and_passed(sample, grouping),
        key=1,
    )


def targets(sample: Sample) -> Diagnostic:
    """Share of targets that pass by their label, such as change type or difficulty, and by their task's axes.

    Pooled over submissions, tasks and attempts; every target weighs the same. A target with several labels counts under
    each of them.

    Source:
        RoadmapBench, section 5.5, figure 8.
    """
    terms = sample.terms
    return Diagnostic(
        id="targets",
        title=f"Pass rate of {terms.word}s by kind",
        sentence=f"The {terms.passing}, by their label and by the kind of their task; each weighs the same. "
        f"Over {sample.extent}.",
        corner="Kind",
        columns=[terms.benchmark.rounds_word, terms.verdict],
        lines=_spread_and_passed(sample, terms.outline.by_kind),
        key=1,
    )


def _spread_and_passed(sample: Sample, grouping: Grouping) -> list[Line]:
    """How many rounds each group has, and the share that passes."""
    return lines_of(
        grouping,
        sample.spread(grouping),
        shares(sample.totals(grouping), Kind.PASSED, Kind.VERDICTS),
    )


def aptitude(sample: Sample) -> Diagnostic:
    """Share of rounds that any attempt passes, share that every attempt passes, and the ratio of the two.

    Pooled over submissions and tasks; submissions that did not make every attempt are left out. On a fail-stop track an
    attempt passes a round with every one before it. Where rounds do not follow each other, they are taken together, and
    whole tasks beside them.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.9, figure 7 (b).
    """
    terms, attempts = sample.terms, sample.terms.track.attempts
    before = f" with every {terms.word} before it" if terms.is_fail_stop else ""
    together = _aptitude(sample.tally.rounds.sum(axis=1)[[Kind.REPEATED, Kind.ANY, Kind.EVERY]])
    if terms.is_ordered:
        grouping = terms.outline.by_number
        totals = sample.totals(grouping)
        pairs = ((Kind.ANY, Kind.REPEATED), (Kind.EVERY, Kind.REPEATED), (Kind.EVERY, Kind.ANY))
        lines = lines_of(grouping, *(shares(totals, k, n) for k, n in pairs))
        total = Line(f"All {terms.word}s", together)
    else:
        whole = _aptitude(sample.tally.tasks.sum(axis=1))
        found = [Line(terms.benchmark.rounds_word, together), Line("Whole tasks", whole)]
        lines, total = [line for line in found if line.is_measured], None
    return Diagnostic(
        id="aptitude",
        title=f"Aptitude and consistency{f' by {terms.word}' if terms.is_ordered else ''}",
        sentence=f"Aptitude is the share that at least one of {attempts} attempts passes{before}, consistency the "
        f"share that every attempt passes; the ratio is consistency over aptitude. Over {sample.extent}.",
        corner=terms.benchmark.round_word if terms.is_ordered else "What",
        columns=["Aptitude", "Consistency", "Ratio"],
        lines=lines,
        total=total,
        key=2,
    )


def _aptitude(counts: Counts) -> Sequence[Share]:
    """Aptitude, consistency and their ratio from three counts: repeated, any, every."""
    repeated, some, every = counts.tolist()
    return [Share(some, repeated), Share(every, repeated), Share(every, some)]


def by_budget(sample: Sample) -> Diagnostic:
    """Share of runs that resolve their task within a number of turns.

    A cut of finished runs, made afterwards: nobody ran with such a budget. It never falls from one budget to the next,
    a run that takes exactly a budget keeps within it, and without a limit it is the resolved rate. Pooled over
    submissions, tasks and attempts. A run whose turns nobody counted is resolved without a limit only.

    Source:
        RoadmapBench, section 5.1, figure 5 (b).
    """
    runs, resolved = sample.tally.runs.sum(axis=1).tolist()
    uncounted, lines = runs[UNKNOWN], []
    if uncounted < sum(runs):
        longest = max(place for place, many in enumerate(runs[:UNKNOWN]) if many)
        for place, budget in enumerate(BUDGETS[: longest + 1]):
            lines.append(Line(f"{budget:,}", [Share(sum(resolved[: place + 1]), sum(runs))]))
        lines.append(Line("No limit", [Share(sum(resolved), sum(runs))]))
    told = (
        f" {counted(uncounted, 'run')} without a count of turns can be in the last line only."
        if uncounted
        else ""
    )
    return Diagnostic(
        id="budget",
        title="Resolved within a number of turns",
        sentence=f"Share of runs that pass every {sample.terms.word} and take no more turns than the budget, as far as "
        f"finished runs tell.{told} Over {sample.extent}.",
        corner="Turns",
        columns=["Resolved"],
        lines=lines,
    )
