"""Diagnostics by the kind of round or task: what is asked for, and where in a task it is asked."""

from sitegen.metrics.diagnostics.diagnostic import Diagnostic
from sitegen.metrics.diagnostics.sample import Sample, lines_of, shares
from sitegen.metrics.diagnostics.tally import Kind


def by_label(sample: Sample) -> Diagnostic:
    """Share of rounds that pass by their label, within early, middle and late rounds.

    Args:
        sample: Pooled as by round. A round with several labels counts under each of them.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix G.14, figure 11 (a).
    """
    terms, grouping = sample.terms, sample.terms.outline.by_label_and_position
    passed = shares(sample.totals(grouping), Kind.PASSED, Kind.VERDICTS)
    word = terms.word
    return Diagnostic(
        id="labels",
        title=f"Pass rate by label, early to late {word}s",
        sentence=f"{terms.verdict} is the {terms.passing}, by what the {word} asks for and where in its task it "
        f"stands; a {word} with several labels counts under each. Over {sample.extent}.",
        corner="Label",
        columns=[f"{terms.benchmark.round_name}s", terms.verdict],
        lines=lines_of(grouping, sample.spread(grouping), passed),
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
    terms, grouping = sample.terms, sample.terms.outline.by_kind
    passed = shares(sample.totals(grouping), Kind.PASSED, Kind.VERDICTS)
    return Diagnostic(
        id="targets",
        title=f"Pass rate of {terms.word}s by kind",
        sentence=f"The {terms.passing}, by their label and by the kind of their task; each weighs the same. "
        f"Over {sample.extent}.",
        corner="Kind",
        columns=[f"{terms.benchmark.round_name}s", terms.verdict],
        lines=lines_of(grouping, sample.spread(grouping), passed),
        key=1,
    )
