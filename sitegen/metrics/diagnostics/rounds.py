"""Diagnostics of rounds that follow each other: how far work holds, and what living with it costs."""

from sitegen.metrics.diagnostics.diagnostic import Diagnostic, Figure, Line, Share
from sitegen.metrics.diagnostics.outline import Grouping
from sitegen.metrics.diagnostics.sample import Sample, lines_of, shares
from sitegen.metrics.diagnostics.tally import FIFTHS, Kind
from sitegen.metrics.failstop import GAP

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
    told = f" Tasks counts those that have so many {terms.word}s." if several else ""
    return Diagnostic(
        id="by-round",
        title=f"Pass rate by {terms.word}",
        sentence=f"{terms.verdict} is the {terms.passing}.{told} Over {sample.extent}.",
        corner=terms.benchmark.round_name,
        columns=["Tasks", terms.verdict] if several else [terms.verdict],
        lines=_passed(sample, terms.outline.by_number),
        key=int(several),
        curve=_passed(sample, sample.followed) if sample.followed else (),
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
    return Diagnostic(
        id="sr-mt",
        title=f"SR against {terms.verdict if terms.is_fail_stop else 'the pass rate'} by {terms.word}",
        sentence=f"{terms.verdict} is the {terms.passing}; SR the share that pass when they start from the "
        f"reference state. The gap is what living with its own work costs an agent. Over {sample.extent}.",
        corner=terms.benchmark.round_name,
        columns=[terms.verdict, "SR", "Gap (points)"],
        lines=_solved(sample, terms.outline.by_number),
        key=2,
        curve=_solved(sample, sample.followed) if sample.followed else (),
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
        total=Line(f"All {terms.word}s", [_sum(solved)]),
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


def _passed(sample: Sample, grouping: Grouping) -> list[Line]:
    """Give the share of rounds in each group that pass, with the number of tasks where there are several."""
    passed, tasks = shares(sample.totals(grouping), Kind.PASSED, Kind.VERDICTS), sample.tasks_in(grouping)
    return lines_of(grouping, *([tasks] if sample.tasks > 1 else []), passed, tasks=tasks)


def _solved(sample: Sample, grouping: Grouping) -> list[Line]:
    """Give the shares of rounds in each group that pass on own work and from the reference state, and the gap."""
    totals = sample.totals(grouping)
    own, reference = shares(totals, Kind.PASSED, Kind.VERDICTS), shares(totals, Kind.SOLVED, Kind.REFERENCE)
    gaps = [_gap(solved, kept) for solved, kept in zip(reference, own, strict=True)]
    lines = lines_of(grouping, own, reference, gaps, tasks=sample.tasks_in(grouping))
    return [line for line in lines if line.cells[-1] is not None]


def _gap(reference: Share, own: Share) -> Figure | None:
    if reference.value is None or own.value is None:
        return None
    return Figure(100 * (reference.value - own.value), GAP)


def _sum(parts: list[Share]) -> Share:
    return Share(sum(part.k for part in parts), sum(part.n for part in parts))
