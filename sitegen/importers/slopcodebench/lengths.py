"""How many checkpoints the problems of an import have, by a catalogue and by what the runs themselves tell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.report import Doubt
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.catalogue import LATEST, Catalogue
from sitegen.importers.slopcodebench.discovery import named
from sitegen.importers.slopcodebench.run import Run
from sitegen.models.record import is_slug
from sitegen.problems import Problem


@dataclass(frozen=True, slots=True)
class Ruler:
    """Measures the problems of an import.

    Attributes:
        source: The folder that the runs were found in.
        given: The catalogue that the importing person names; None where the shipped ones are to do.
    """

    source: Path
    given: Catalogue | None

    def catalogue(self, runs: Sequence[Run]) -> Catalogue:
        """Give the catalogue that holds for some runs."""
        version = next((run.settings.catalogue.version for run in runs if run.settings.catalogue.version), LATEST)
        return self.given or Catalogue.shipped(version)

    def lengths(self, runs: Sequence[Run]) -> tuple[dict[str, int], list[Problem]]:
        """Give the checkpoints of each problem of some runs; and what keeps the runs from standing on one track."""
        catalogue = self.catalogue(runs)
        wanted = dict.fromkeys(problem for run in runs for problem in run.problems)
        lengths = {problem: catalogue.lengths[problem] for problem in wanted if problem in catalogue.lengths}
        problems = [
            *self._names(runs),
            *self._lists(runs),
            *self._unknown(runs, catalogue),
            *self._unlike(runs, catalogue.lengths),
            *self._unnamed(runs, catalogue),
            *self._releases(runs),
        ]
        return lengths, problems

    def begun(self, lengths: Mapping[str, int], runs: Sequence[Run]) -> tuple[dict[str, int], tuple[str, ...]]:
        """Keep the problems that some run got to; the others come second."""
        told = {result.task for run in runs for result in run.produced}
        kept = {problem: length for problem, length in lengths.items() if problem in told}
        return kept, tuple(sorted(lengths.keys() - kept.keys()))

    def left_out(self, idle: Sequence[str], lengths: Mapping[str, int]) -> Iterator[Problem]:
        """Say which problems the task set is to do without."""
        if idle:
            what = f"no run got to {len(idle)} of {len(lengths)} problems: {', '.join(idle)}"
            yield kit_rules.TASKS_LEFT_OUT.broken(self.source, None, what)

    def doubts(self, run: Run, runs: Sequence[Run]) -> Iterator[Doubt]:
        """Say whether a run's catalogue had to be assumed, or is not that of all runs."""
        name = run.settings.catalogue
        if name.version is None and self.given is None:
            yield rules.CATALOGUE_ASSUMED, str(self.catalogue(runs).version)
        if name.version is not None and [*self._releases(runs)]:
            yield rules.CATALOGUE_DIFFERS, str(name)

    def _names(self, runs: Sequence[Run]) -> Iterator[Problem]:
        odd = {repr(problem)[:60] for run in runs for problem in run.problems if not is_slug(problem)}
        if odd:
            yield kit_rules.TASK_ID.broken(self.source, None, f"no ids for problems: {', '.join(sorted(odd))}")

    def _lists(self, runs: Sequence[Run]) -> Iterator[Problem]:
        """Say which runs have other problems, with both lists."""
        lists: dict[tuple[str, ...], list[Run]] = {}
        for run in runs:
            lists.setdefault(run.problems, []).append(run)
        if len(lists) > 1:
            told = (
                f"{', '.join(named(run.path, self.source) for run in group)}: {', '.join(problems)}"
                for problems, group in lists.items()
            )
            what = f"the runs have {len(lists)} lists of problems: {'; '.join(told)}"
            yield rules.PROBLEMS_DIFFER.broken(self.source, None, what)

    def _unknown(self, runs: Sequence[Run], catalogue: Catalogue) -> Iterator[Problem]:
        problems = {problem for run in runs for problem in run.problems if is_slug(problem)}
        unknown = sorted(problems - catalogue.lengths.keys())
        if unknown:
            release = f"the catalogue {catalogue.version}" if catalogue.version else "the catalogue"
            shipped = "" if catalogue.lengths else ", of which no counts are known here,"
            what = f"{release}{shipped} does not tell how many checkpoints there are in {', '.join(unknown)}"
            yield rules.LENGTH_UNKNOWN.broken(self.source, None, what)

    def _unlike(self, runs: Sequence[Run], lengths: Mapping[str, int]) -> Iterator[Problem]:
        """Say where runs have more checkpoints than the catalogue, or another last one."""
        apart: dict[str, str] = {}
        for run in runs:
            told = dict(_last_told(run, lengths))
            if told and run.is_in_one_piece:
                what = "the first checkpoint of each problem is its last, as in a one-shot run"
                yield rules.ONE_SHOT.broken(run.path, None, what)
            else:
                apart |= told
        if apart:
            facts = [f"{problem} has {lengths[problem]}, and {apart[problem]}" for problem in sorted(apart)]
            yield rules.LENGTH_DIFFERS.broken(self.source, None, f"by the catalogue, {'; '.join(facts)}")

    def _unnamed(self, runs: Sequence[Run], catalogue: Catalogue) -> Iterator[Problem]:
        """Say which runs do not name their catalogue, where none is given."""
        silent = [named(run.path, self.source) for run in runs if run.settings.catalogue.version is None]
        if silent and self.given is None:
            what = f"no catalogue is named by {', '.join(silent)}: the counts of {catalogue.version} are taken"
            yield rules.CATALOGUE_ASSUMED.broken(self.source, None, what)

    def _releases(self, runs: Sequence[Run]) -> Iterator[Problem]:
        """Say where runs name several catalogues, or another than the given one."""
        releases = dict.fromkeys(run.settings.catalogue for run in runs if run.settings.catalogue.version)
        if len(releases) > 1:
            what = f"the runs name {', '.join(map(str, releases))}"
            yield rules.CATALOGUE_DIFFERS.broken(self.source, None, what)
        stated = self.given.version if self.given else None
        others = sorted({str(release.version) for release in releases} - {stated}) if stated else []
        if others:
            what = f"the given catalogue is {stated}, and the runs name {', '.join(others)}"
            yield rules.CATALOGUE_DIFFERS.broken(self.source, None, what)


def _last_told(run: Run, lengths: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Give the problems that a run tells another last checkpoint of than the catalogue, and what it tells."""
    for problem, number in run.results:
        if number > lengths.get(problem, number):
            yield problem, f"the run has a checkpoint {number}"
    for problem, last in run.last.items():
        if last != lengths.get(problem, last):
            yield problem, f"the run calls checkpoint {last} the last"
