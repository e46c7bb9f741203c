"""Diagnostics of several attempts at the same thing: what an agent can do, and what it does every time."""

from collections.abc import Sequence

from sitegen.metrics.diagnostics.diagnostic import Diagnostic, Line, Share
from sitegen.metrics.diagnostics.outline import Counts
from sitegen.metrics.diagnostics.sample import Sample, lines_of, shares
from sitegen.metrics.diagnostics.tally import Kind


def aptitude(sample: Sample) -> Diagnostic:
    """Share of rounds that any attempt passes, share that every attempt passes, and the ratio of the two.

    Args:
        sample: Pooled over submissions and tasks; submissions that did not make every attempt are left out.
            On a fail-stop track an attempt passes a round with every one before it. Where rounds do not
            follow each other, they are taken together, and whole tasks beside them.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.9, figure 7 (b).
    """
    terms = sample.terms
    attempts = terms.track.attempts
    before = f" with every {terms.word} before it" if terms.is_fail_stop else ""
    together = _cells(sample.tally.rounds.sum(axis=1)[[Kind.REPEATED, Kind.ANY, Kind.EVERY]])
    if terms.is_ordered:
        grouping = terms.outline.by_number
        totals = sample.totals(grouping)
        pairs = ((Kind.ANY, Kind.REPEATED), (Kind.EVERY, Kind.REPEATED), (Kind.EVERY, Kind.ANY))
        lines = lines_of(grouping, *(shares(totals, k, n) for k, n in pairs))
        total = Line(f"All {terms.word}s", together)
    else:
        whole = _cells(sample.tally.tasks.sum(axis=1))
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


def _cells(counts: Counts) -> Sequence[Share]:
    """Give aptitude, consistency and their ratio from three counts: repeated, any, every."""
    repeated, some, every = counts.tolist()
    return [Share(some, repeated), Share(every, repeated), Share(every, some)]
