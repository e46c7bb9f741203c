"""Which diagnostics a track's data allows."""

from collections.abc import Iterator

from sitegen.metrics.diagnostics.attempts import aptitude
from sitegen.metrics.diagnostics.diagnostic import Diagnostic
from sitegen.metrics.diagnostics.kinds import by_label, targets
from sitegen.metrics.diagnostics.rounds import against_reference, by_round, first_failure, recovery
from sitegen.metrics.diagnostics.sample import Sample
from sitegen.metrics.diagnostics.scores import by_axis, by_phase, has_phases
from sitegen.metrics.diagnostics.steps import by_budget


def diagnostics_of(sample: Sample) -> tuple[Diagnostic, ...]:
    """Give every diagnostic that there is data for; one with fewer than two lines says nothing and is left out."""
    return tuple(each for each in _possible(sample) if each.has_data) if sample.sheets else ()


def _possible(sample: Sample) -> Iterator[Diagnostic]:
    terms = sample.terms
    if terms.is_ordered:
        yield by_round(sample)
        yield against_reference(sample)
        yield recovery(sample)
        yield first_failure(sample)
        if has_phases(sample):
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
