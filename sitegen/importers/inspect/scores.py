"""Choose which score of a log is the reward, and convert scores to numbers."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.inspect.logs import Log
from sitegen.importers.inspect.records import Headline, SampleScore
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import parse_reward
from sitegen.importers.kit.rules import SCORE_AMBIGUOUS
from sitegen.importers.kit.values import score_of
from sitegen.problems import UsageError, listed

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's letters: correct, partial, incorrect, no answer."""
_VERDICTS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True, slots=True, order=True)
class ScoreName:
    """A score of samples: a scorer's value, or one component of its table or list."""

    scorer: str
    component: str | None = None

    def __str__(self) -> str:
        if self.component is None:
            return one_line(self.scorer)
        return one_line(f"{self.scorer},{self.component}")

    @property
    def spellings(self) -> set[str | None]:
        """The names by which `--metric` may select the score."""
        return {str(self), self.scorer, self.component}

    def find_value(self, scores: Mapping[str, SampleScore]) -> object:
        """Return the value of this score among those of a sample; None if it is missing."""
        score = scores.get(self.scorer)
        if score is None:
            return None
        if self.component is None:
            return score.value
        return dict(_split_value(score.value)).get(self.component)


def _parse_verdict(text: str) -> float | None:
    """Return the value of one of Inspect's letters or words; None for any other text."""
    return _LETTERS.get(text, _VERDICTS.get(text.strip().lower()))


def as_number(value: object) -> float | None:
    """Return a value as a number, converting texts as Inspect does; None if it is not a number."""
    if not isinstance(value, str):
        return score_of(value)
    verdict = _parse_verdict(value)
    if verdict is not None:
        return verdict
    try:
        number = float(value)
    except ValueError:
        return None
    return score_of(number) if math.isfinite(number) else None


def as_reward(value: object, scale: float | None) -> float | None:
    """Return a value as a reward; letters, words and Booleans are never scaled."""
    is_verdict = isinstance(value, str) and _parse_verdict(value) is not None
    if isinstance(value, bool) or is_verdict:
        return as_number(value)
    return parse_reward(as_number(value), scale)


def collect_numbers(scores: Mapping[str, SampleScore]) -> dict[ScoreName, float]:
    """Return those scores of a sample that are numbers."""
    numbers = {}
    for scorer, score in scores.items():
        for component, value in _split_value(score.value):
            number = as_number(value)
            if number is not None:
                numbers[ScoreName(scorer, component)] = number
    return numbers


def _split_value(value: object) -> Iterator[tuple[str | None, object]]:
    """Yield the components of a value.

    Components of a table are named by its keys, and components of a list by their numbers from 1.
    Any other value is its only component, which has no name.
    """
    if isinstance(value, dict):
        for name, component in value.items():
            yield str(name), component
    elif isinstance(value, list):
        for number, component in enumerate(value, start=1):
            yield str(number), component
    else:
        yield None, value


def list_scores(logs: Iterable[Log]) -> list[ScoreName]:
    """Return the scores that are a number in any sample, in the order of the logs' results."""
    names: dict[ScoreName, None] = {}
    scorers: dict[str, None] = {}
    for log in logs:
        header = log.header
        scorers |= dict.fromkeys(figures.scorer or "" for figures in header.results.figures)
        scorers |= dict.fromkeys(scorer.name or "" for scorer in header.spec.scorers)
        for sample in log.samples.values():
            names |= dict.fromkeys(collect_numbers(sample.scores))
    ranks = {scorer: rank for rank, scorer in enumerate(scorers)}
    return sorted(names, key=lambda name: ranks.get(name.scorer, len(ranks)))


def find_headline(log: Log) -> ScoreName | None:
    """Return the score that represents the run according to the log; None if it is not stated.

    Newer releases record the headline; in a run without results, the task may have declared it.
    """
    headline = log.header.results.headline or log.header.spec.headline
    if headline is None:
        return None
    scorer = headline.scorer or _find_scorer(headline, log)
    if scorer is None or not any(scorer in sample.scores for sample in log.samples.values()):
        return None
    components = [component for component, _ in _split_value(_first_value(log, scorer))]
    if headline.score in components:
        return ScoreName(scorer, headline.score)
    if components in ([], [None]):
        return ScoreName(scorer)
    return ScoreName(scorer, components[0]) if len(components) == 1 else None


def _find_scorer(headline: Headline, log: Log) -> str | None:
    """Return the scorer of a headline that names only a score or a metric; None if unknown."""
    for figures in log.header.results.figures:
        has_score = headline.score in {None, figures.name}
        has_metric = headline.metric is None or headline.metric in figures.metrics
        if has_score and has_metric:
            return figures.scorer
    return headline.score


def _first_value(log: Log, scorer: str) -> object:
    """Return the first value of a scorer that is not None."""
    for sample in log.samples.values():
        score = sample.scores.get(scorer)
        if score is not None and score.value is not None:
            return score.value
    return None


def choose_score(
    logs: Sequence[Log], options: ImportOptions, import_log: ImportLog
) -> ScoreName | None:
    """Return the score that is the reward in the logs of one task.

    The option `--metric` decides, then the headline of the logs, then the only score. If nothing
    decides, the import log gets an error that lists the scores.

    Args:
        logs: Logs of one task.
        options: The option `--metric`, which may name scores of other tasks.
        import_log: Receives the error.

    Returns:
        The score; None if the logs have no score, or the choice is undecided.
    """
    names = list_scores(logs)
    requested = _select_scores(options.metric, names)
    if len(requested) == 1:
        return requested[0]
    headlines = _collect_headlines(logs)
    if requested:
        headlines = [name for name in headlines if name in requested]
    if len(headlines) == 1:
        return headlines[0]
    candidates = requested or names
    if len(candidates) == 1 and not headlines:
        return candidates[0]
    if candidates:
        task = one_line(logs[0].header.spec.task)
        candidate_names = listed(map(str, candidates), separator="; ")
        message = f"the samples of {task} have several scores: {candidate_names}"
        if headlines:
            headline_names = listed(map(str, headlines), separator="; ")
            message += f"; the logs have different headlines: {headline_names}"
        import_log.add(SCORE_AMBIGUOUS, logs[0].path, message)
    return None


def _collect_headlines(logs: Iterable[Log]) -> list[ScoreName]:
    """Return the distinct headlines of logs."""
    headlines = dict.fromkeys(map(find_headline, logs))
    return [name for name in headlines if name is not None]


def _select_scores(metric: str | None, names: Sequence[ScoreName]) -> list[ScoreName]:
    """Return the scores that `--metric` may mean: by full name, by scorer, or by component."""
    if metric is None:
        return []
    exact = [name for name in names if metric == str(name)]
    of_scorer = [name for name in names if metric == name.scorer]
    of_component = [name for name in names if metric == name.component]
    return exact or of_scorer or of_component


def check_metric(logs: Sequence[Log], options: ImportOptions) -> None:
    """Check that at least one log has the score that `--metric` names.

    Raises:
        UsageError: No log has the score; the message lists the scores.
    """
    if options.metric is None:
        return
    names = list_scores(logs)
    for log in logs:
        for figures in log.header.results.figures:
            scorer = figures.scorer or ""
            component = None if figures.name == scorer else figures.name
            names.append(ScoreName(scorer, component))
    if not _select_scores(options.metric, names):
        available = listed(dict.fromkeys(map(str, names)), separator="; ") or "none"
        raise UsageError(f"no log has the score {options.metric}; the scores are: {available}")
