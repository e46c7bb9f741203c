"""The conditions under which results are scored: a benchmark, a track and its tasks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sitegen.metrics.catalogue import STRICT, benchmark_metrics
from sitegen.metrics.diagnostics.outline import Outline
from sitegen.metrics.failstop import MT_AT_K
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import TaskSet
from sitegen.problems import plural


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class Conditions:
    """The benchmark, track and task set under which submissions are scored."""

    benchmark: Benchmark
    track: Track
    tasks: TaskSet

    @classmethod
    def on_track(cls, results: BenchmarkResults, track: Track) -> "Conditions":
        """Return the conditions of a track of a benchmark."""
        return cls(results.benchmark, track, results.tasks_of(track))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Every metric of the benchmark, by id."""
        return benchmark_metrics(self.benchmark)

    @property
    def required_metrics(self) -> set[str]:
        """Ids of the columns and declared metrics, which every submission has, maybe as gaps."""
        return {*self.track.shown, *(metric.id for metric in self.benchmark.metrics)}

    @property
    def computed_metrics(self) -> set[str]:
        """Ids of the metrics computed without a claim: all, unless the benchmark declares some."""
        return self.required_metrics if self.benchmark.metrics else set(self.metrics)

    @cached_property
    def outline(self) -> Outline:
        """All rounds of the track in a single row."""
        return Outline(self.benchmark, self.tasks.tasks)

    @property
    def is_ordered(self) -> bool:
        """Whether rounds build on each other and at least one task has several rounds."""
        has_order = self.benchmark.ordered and self.track.protocol != "once"
        return has_order and not self.tasks.is_of_one_round

    @property
    def is_fail_stop(self) -> bool:
        """Whether results after an attempt's first failure are ignored."""
        return self.track.protocol == "fail-stop"

    @property
    def round_word(self) -> str:
        """The benchmark's word for a round, in lower case."""
        return self.benchmark.round_word.lower()

    @property
    def shown_metrics(self) -> tuple[Metric, ...]:
        """The metrics of the track's board, beginning with the headline metric."""
        available = self.metrics
        shown = []
        for name in self.track.shown:
            if name in available:
                shown.append(available[name])
        return tuple(shown)

    @property
    def pass_rate_title(self) -> str:
        """Name of the share of passed rounds on this track."""
        if self.is_fail_stop:
            return MT_AT_K.title_on(self.track, self.benchmark)
        if STRICT in self.shown_metrics:
            return STRICT.title
        return "Pass rate"

    @property
    def pass_rate_words(self) -> str:
        """Description of the share of passed rounds."""
        if not self.is_fail_stop:
            history = ""
            if self.is_ordered:
                history = f", whether or not earlier {plural(self.round_word)} passed"
            return f"share of {plural(self.round_word)} that pass{history}"
        subject = "the attempt"
        if self.track.attempts > 1:
            subject = f"at least one of {self.track.attempts} attempts"
        words = plural(self.round_word)
        return f"share of {words} that {subject} passes along with every earlier {self.round_word}"

    @property
    def pass_rate_definition(self) -> str:
        """Definition of the share of passed rounds, as a sentence without its full stop."""
        return f"{self.pass_rate_title} is the {self.pass_rate_words}"
