"""What is doubtful about runs as a whole, for who imports them and for the readers of their bundles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.kit.report import Doubt
from sitegen.importers.kit.rules import DATE_ASSUMED, SCORE_DIFFERS
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.entrants import Entrant
from sitegen.importers.slopcodebench.lengths import Ruler
from sitegen.importers.slopcodebench.run import Run
from sitegen.importers.slopcodebench.summary import summary_doubts
from sitegen.problems import Problem, counted


@dataclass(frozen=True, slots=True)
class Doubts:
    """Says what is doubtful about runs as a whole.

    Attributes:
        ruler: Knows the catalogue.
        runs: All runs of the import.
        lengths: Checkpoints by problem.
    """

    ruler: Ruler
    runs: Sequence[Run]
    lengths: Mapping[str, int]

    def problems(self) -> Iterator[Problem]:
        """Tell who imports the runs."""
        for run in self.runs:
            for rule, what in self._about(run):
                yield rule.broken(run.path / "result.json" if rule is SCORE_DIFFERS else run.path, None, what)

    def of(self, entrant: Entrant) -> Iterator[Doubt]:
        """Tell everything that is doubtful about an agent's runs."""
        if not entrant.is_dated:
            yield DATE_ASSUMED, ""
        if entrant.runs[0].settings.conditions:
            yield rules.CONDITIONS, ", ".join(entrant.runs[0].settings.conditions)
        for run in entrant.runs:
            yield from (*run.doubts, *self._about(run), *self.ruler.doubts(run, self.runs))

    def _about(self, run: Run) -> Iterator[Doubt]:
        yield from summary_doubts(run, sum(self.lengths.get(problem, 0) for problem in run.problems))
        if not run.has_rows:
            read = counted(len(run.produced), "checkpoint")
            what = f"there is no `checkpoint_results.jsonl`: {read} taken from the checkpoints' own files"
            yield rules.INTERRUPTED, what
            if not run.settings.problems:
                what = f"it began {', '.join(run.problems)}, and no file lists what it was to solve"
                yield rules.PROBLEMS_UNLISTED, what
        if run.lost:
            named_lost = ", ".join(f"{problem} {number}" for problem, number in run.lost)
            yield rules.CHECKPOINT_LOST, f"nothing is told of {named_lost}"
