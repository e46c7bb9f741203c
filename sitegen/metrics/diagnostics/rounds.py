"""Diagnostics of rounds and attempts: how far work holds, what living with it costs, what is done every time."""

from collections.abc import Sequence

from sitegen.metrics.diagnostics import Diagnostic, Figure, Line, Share
from sitegen.metrics.diagnostics.outline import Counts, Grouping
from sitegen.metrics.diagnostics.sample import BUDGETS, FIFTHS, UNKNOWN, Kind, Sample, lines_of, shares
from sitegen.metrics.failstop import GAP
from sitegen.problems import counted

_FIFTHS = ("First fifth", "Second fifth", "Third fifth", "Fourth fifth", "Last fifth")


def by_round(sample: Sample) -> Diagnostic:
    """Share of rounds with the same number that pass, with how many tasks have so many rounds.

    Args:
        sample: Pooled over submissions and tasks, and over attempts on a chain. On a fail-stop track a
            submission has one verdict on a round: whether any of k attempts keeps it.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 4.2 and appendix G.2, table 7.
    """
    terms, several = sample.terms, sample.tasks > 1

    def lines(grouping: Grouping) -> list[Line]:
        passed, tasks = shares(sample.totals(grouping), Kind.PASSED, Kind.VERDICTS), sample.tasks_in(grouping)
        return lines_of(grouping, *([tasks] if several else []), passed, tasks=tasks)

    told = f" Tasks counts those that have so many {terms.word}s." if several else ""
    return Diagnostic(
        id="by-round",
        title=f"Pass rate by {terms.word}",
        sentence=f"{terms.verdict} is the {terms.passing}.{told} Over {sample.extent}.",
        corner=terms.benchmark.round_name,
        columns=["Tasks", terms.verdict] if several else [terms.verdict],
        lines=lines(terms.outline.by_number),
        key=int(several),
        curve=lines(sample.followed) if sample.followed else (),
        over=sample.over,
    )


def against_reference(sample: Sample) -> Diagnostic:
    """Share of rounds that pass from the reference state, against those that pass on the agent's own work.

    Args:
        sample: Pooled over submissions and tasks; submissions without rounds from the reference state, or
            without every attempt on a fail-stop track, count on one side only.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.8, figure 4.
    """
    terms = sample.terms

    def lines(grouping: Grouping) -> list[Line]:
        totals = sample.totals(grouping)
        own, reference = shares(totals, Kind.PASSED, Kind.VERDICTS), shares(totals, Kind.SOLVED, Kind.REFERENCE)
        gaps = [
            None if kept.value is None or solved.value is None else Figure(100 * (solved.value - kept.value), GAP)
            for kept, solved in zip(own, reference, strict=True)
        ]
        found = lines_of(grouping, own, reference, gaps, tasks=sample.tasks_in(grouping))
        return [line for line in found if line.cells[-1] is not None]

    return Diagnostic(
        id="sr-mt",
        title=f"SR against {terms.verdict if terms.is_fail_stop else 'the pass rate'} by {terms.word}",
        sentence=f"{terms.verdict} is the {terms.passing}; SR the share that pass when they start from the "
        f"reference state. The gap is what living with its own work costs an agent. Over {sample.extent}.",
        corner=terms.benchmark.round_name,
        columns=[terms.verdict, "SR", "Gap (points)"],
        lines=lines(terms.outline.by_number),
        key=2,
        curve=lines(sample.followed) if sample.followed else (),
        over=sample.over,
    )


def recovery(sample: Sample) -> Diagnostic:
    """Share of failed rounds that the same agent passes when it starts from the reference state.

    Args:
        sample: Pooled over submissions, tasks and attempts. A round that an attempt never reached failed too.

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
        corner=terms.benchmark.round_name,
        columns=["Solved"],
        lines=lines_of(grouping, solved),
        total=Line(f"All {terms.word}s", [Share(sum(part.k for part in solved), sum(part.n for part in solved))]),
    )


def first_failure(sample: Sample) -> Diagnostic:
    """Share of failing attempts whose first failure falls into each fifth of their task.

    The position is the number of the first round that does not pass, over the task's rounds, above 0 and at
    most 1. Rounds that a finding excludes are not counted.

    Args:
        sample: Pooled over submissions, tasks and attempts; attempts that pass every round are left out.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 4.2 and appendix G.12.
    """
    word = sample.terms.word
    failures = sample.tally.failures.sum(axis=0).tolist()
    parts = zip(_FIFTHS, failures, strict=True)
    lines = [Line(label, [Share(k, sum(failures))], tasks=sample.tasks) for label, k in parts]
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

    Args:
        sample: Pooled as by round. A round with several labels counts under each of them.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.14, figure 11 (a).
    """
    terms, word, grouping = sample.terms, sample.terms.word, sample.terms.outline.by_label_and_position
    return Diagnostic(
        id="labels",
        title=f"Pass rate by label, early to late {word}s",
        sentence=f"{terms.verdict} is the {terms.passing}, by what the {word} asks for and where in its task it "
        f"stands; a {word} with several labels counts under each. Over {sample.extent}.",
        corner="Label",
        columns=[f"{terms.benchmark.round_name}s", terms.verdict],
        lines=_spread_and_passed(sample, grouping),
        key=1,
    )


def targets(sample: Sample) -> Diagnostic:
    """Share of targets that pass by their label, such as change type or difficulty, and by their task's axes.

    Args:
        sample: Pooled over submissions, tasks and attempts; every target weighs the same. A target with
            several labels counts under each of them.

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
        columns=[f"{terms.benchmark.round_name}s", terms.verdict],
        lines=_spread_and_passed(sample, terms.outline.by_kind),
        key=1,
    )


def _spread_and_passed(sample: Sample, grouping: Grouping) -> list[Line]:
    """How many rounds each group has, and the share that passes."""
    return lines_of(grouping, sample.spread(grouping), shares(sample.totals(grouping), Kind.PASSED, Kind.VERDICTS))


def aptitude(sample: Sample) -> Diagnostic:
    """Share of rounds that any attempt passes, share that every attempt passes, and the ratio of the two.

    Args:
        sample: Pooled over submissions and tasks; submissions that did not make every attempt are left out.
            On a fail-stop track an attempt passes a round with every one before it. Where rounds do not
            follow each other, they are taken together, and whole tasks beside them.

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
        found = [Line(f"{terms.benchmark.round_name}s", together), Line("Whole tasks", whole)]
        lines, total = [line for line in found if line.is_measured], None
    return Diagnostic(
        id="aptitude",
        title=f"Aptitude and consistency{f' by {terms.word}' if terms.is_ordered else ''}",
        sentence=f"Aptitude is the share that at least one of {attempts} attempts passes{before}, consistency the "
        f"share that every attempt passes; the ratio is consistency over aptitude. Over {sample.extent}.",
        corner=terms.benchmark.round_name if terms.is_ordered else "What",
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

    A cut of finished runs, made afterwards: nobody ran with such a budget. It never falls from one budget to
    the next, a run that takes exactly a budget keeps within it, and without a limit it is the resolved rate.

    Args:
        sample: Pooled over submissions, tasks and attempts. A run whose turns nobody counted is resolved
            without a limit only.

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
    told = f" {counted(uncounted, 'run')} without a count of turns can be in the last line only." if uncounted else ""
    return Diagnostic(
        id="budget",
        title="Resolved within a number of turns",
        sentence=f"Share of runs that pass every {sample.terms.word} and take no more turns than the budget, as far as "
        f"finished runs tell.{told} Over {sample.extent}.",
        corner="Turns",
        columns=["Resolved"],
        lines=lines,
    )
