"""How many tasks would be resolved if every run had to stop after so many turns."""

from collections.abc import Iterator

from sitegen.metrics.diagnostics.budgets import BUDGETS, UNKNOWN
from sitegen.metrics.diagnostics.diagnostic import Diagnostic, Line, Share
from sitegen.metrics.diagnostics.sample import Sample
from sitegen.problems import counted


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
    uncounted = runs[UNKNOWN]
    told = f" {counted(uncounted, 'run')} without a count of turns can be in the last line only." if uncounted else ""
    return Diagnostic(
        id="budget",
        title="Resolved within a number of turns",
        sentence=f"Share of runs that pass every {sample.terms.word} and take no more turns than the budget, as far as "
        f"finished runs tell.{told} Over {sample.extent}.",
        corner="Turns",
        columns=["Resolved"],
        lines=list(_lines(runs, resolved)) if uncounted < sum(runs) else [],
    )


def _lines(runs: list[int], resolved: list[int]) -> Iterator[Line]:
    """Give a line for each budget up to the first that every counted run keeps within, then one for no limit."""
    longest = max(place for place, many in enumerate(runs[:UNKNOWN]) if many)
    for place, budget in enumerate(BUDGETS[: longest + 1]):
        yield Line(f"{budget:,}", [Share(sum(resolved[: place + 1]), sum(runs))])
    yield Line("No limit", [Share(sum(resolved), sum(runs))])
