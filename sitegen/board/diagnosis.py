"""Diagnoses of a track: of all submissions together, of one task, and of one submission beside all."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from sitegen.metrics.diagnostics import Diagnostic, beside
from sitegen.metrics.diagnostics.sample import Sample, Terms, pooled, sample_of
from sitegen.metrics.diagnostics.scores import diagnostics_of
from sitegen.metrics.grids import Sheet
from sitegen.models.task import Task


@dataclass(frozen=True)  # no slots: what several pages share is counted once and stays
class Diagnosis:
    """How the rounds of a track went.

    Attributes:
        terms: The track.
        sheets: Results of every submission, by its id, also of those that do not stand any more.
        standing: The submissions that stand: they are what all submissions together means.
    """

    terms: Terms
    sheets: Mapping[str, Sheet]
    standing: Collection[str]

    @cached_property
    def of_track(self) -> tuple[Diagnostic, ...]:
        """Of all submissions that stand, together."""
        return diagnostics_of(self._pool)

    def of_task(self, task: Task) -> tuple[Diagnostic, ...]:
        """Of all submissions that stand, at one task."""
        return diagnostics_of(self._pool.on(task))

    def of_submission(self, name: str) -> tuple[Diagnostic, ...]:
        """Of one submission, beside all that stand where there are others."""
        own = diagnostics_of(self._samples[name])
        if not set(self.standing) - {name}:
            return own
        others = {diagnostic.id: diagnostic for diagnostic in self.of_track}
        return tuple(beside(each, others[each.id]) if each.id in others else each for each in own)

    @cached_property
    def _samples(self) -> Mapping[str, Sample]:
        return {name: sample_of(sheet, self.terms) for name, sheet in self.sheets.items()}

    @cached_property
    def _pool(self) -> Sample:
        return pooled([self._samples[name] for name in self.standing], self.terms)
