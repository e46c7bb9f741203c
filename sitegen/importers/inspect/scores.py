"""Which of the scores in a log is the reward, and what a score is worth."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.inspect.logs import Log
from sitegen.importers.inspect.records import Headline, Score
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rewards import reward_of
from sitegen.importers.kit.rules import SCORE_AMBIGUOUS
from sitegen.importers.kit.told import number_of
from sitegen.problems import UsageError, listed

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True, slots=True, order=True)
class ScoreName:
    """A score that the samples of a log have: a scorer's, or one part of the table or list that the scorer gives."""

    scorer: str
    part: str | None = None

    def __str__(self) -> str:
        return one_line(self.scorer if self.part is None else f"{self.scorer},{self.part}")

    def of(self, scores: Mapping[str, Score]) -> object:
        """Return the value of this score among those of a sample; None where there is none."""
        score = scores.get(self.scorer)
        if score is None:
            return None
        return score.value if self.part is None else dict(_parts(score.value)).get(self.part)


def as_number(value: object) -> float | None:
    """Return a value as Inspect counts it, letters, words and digits too; None where it is no number."""
    if not isinstance(value, str):
        return number_of(value)
    verdict = _LETTERS.get(value, _WORDS.get(value.strip().lower()))
    if verdict is not None:
        return verdict
    try:
        number = float(value)
    except ValueError:
        return None
    return number_of(number) if math.isfinite(number) else None


def as_reward(value: object, scale: float | None) -> float | None:
    """Return a value as a reward; letters, words and truth values are on no scale."""
    if isinstance(value, bool) or (
        isinstance(value, str) and (value in _LETTERS or value.strip().lower() in _WORDS)
    ):
        return as_number(value)
    return reward_of(as_number(value), scale)


def numbers_of(scores: Mapping[str, Score]) -> dict[ScoreName, float]:
    """Return every score of a sample that is a number."""
    numbers = {}
    for scorer, score in scores.items():
        for part, value in _parts(score.value):
            number = as_number(value)
            if number is not None:
                numbers[ScoreName(scorer, part)] = number
    return numbers


def _parts(value: object) -> Iterator[tuple[str | None, object]]:
    """Yield the parts of a value: those of a table by name, those of a list by number from 1, or the value alone."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield str(name), part
    elif isinstance(value, list):
        for number, part in enumerate(value, start=1):
            yield str(number), part
    else:
        yield None, value


def names_in(logs: Iterable[Log]) -> list[ScoreName]:
    """Return the scores that are a number in some sample, in the order of the logs' own results."""
    names: dict[ScoreName, None] = {}
    order: dict[str, None] = {}
    for log in logs:
        results, spec = log.header.results, log.header.spec
        order |= dict.fromkeys(figure.scorer or "" for figure in results.figures)
        order |= dict.fromkeys(scorer.name or "" for scorer in spec.scorers)
        for sample in log.samples.values():
            names |= dict.fromkeys(numbers_of(sample.scores))
    ranks = {scorer: rank for rank, scorer in enumerate(order)}
    return sorted(names, key=lambda name: ranks.get(name.scorer, len(ranks)))


def headline_of(log: Log) -> ScoreName | None:
    """Return the score that a log itself says stands for the run; None where it says nothing of one.

    Newer releases write the headline; in a run without results, the task may have declared it.
    """
    results, spec = log.header.results, log.header.spec
    scorers = {
        scorer: score for sample in log.samples.values() for scorer, score in sample.scores.items()
    }
    headline = results.headline or spec.headline
    if headline is None:
        return None
    scorer = headline.scorer or _scorer_of(headline, log)
    if scorer is None or scorer not in scorers:
        return None
    parts = [part for part, _ in _parts(_first_value(log, scorer))]
    if headline.score in parts:
        return ScoreName(scorer, headline.score)
    named = [part for part in parts if part is not None]
    if not named:
        return ScoreName(scorer)
    return ScoreName(scorer, named[0]) if len(named) == 1 else None


def _scorer_of(headline: Headline, log: Log) -> str | None:
    """Return the scorer of a headline that names only a score or a metric."""
    for figure in log.header.results.figures:
        if headline.score in {None, figure.name} and (
            headline.metric is None or headline.metric in figure.metrics
        ):
            return figure.scorer
    return headline.score


def _first_value(log: Log, scorer: str) -> object:
    """Return the first value of a scorer that is there."""
    for sample in log.samples.values():
        value = ScoreName(scorer).of(sample.scores)
        if value is not None:
            return value
    return None


def choose_score(logs: Sequence[Log], options: ImportOptions, report: Report) -> ScoreName | None:
    """Return the score that is the reward in the logs of one task.

    The option `--metric` decides, then the headline of the logs, then that there is only one score. Where nothing
    decides, the report gets an error that lists the scores.

    Args:
        logs: Logs of one task.
        options: Holds `--metric`, which may name scores of other tasks.
        report: Takes the error.

    Returns:
        The score; None where the logs hold none, or the choice is open.
    """
    names = names_in(logs)
    wanted = _matching(options.metric, names)
    if len(wanted) == 1:
        return wanted[0]
    headlines = _headlines(logs)
    if wanted:
        headlines = [name for name in headlines if name in wanted]
    if len(headlines) == 1:
        return headlines[0]
    candidates = wanted or names
    if len(candidates) == 1 and not headlines:
        return candidates[0]
    if candidates:
        task = one_line(logs[0].header.spec.task)
        message = f"the samples of {task} have several scores: {listed(map(str, candidates), separator='; ')}"
        if headlines:
            headline_names = listed(map(str, headlines), separator="; ")
            message += f"; the logs name different ones as their headline: {headline_names}"
        report.add(SCORE_AMBIGUOUS, logs[0].path, message)
    return None


def _headlines(logs: Iterable[Log]) -> list[ScoreName]:
    """Return the headlines of logs, each once."""
    headlines = (headline_of(log) for log in logs)
    return list(dict.fromkeys(name for name in headlines if name))


def _matching(wanted: str | None, names: Sequence[ScoreName]) -> list[ScoreName]:
    """Return the scores that `--metric` may mean: by full name, by scorer, or by part."""
    if wanted is None:
        return []
    exact = [name for name in names if wanted == str(name)]
    of_scorer = [name for name in names if wanted == name.scorer]
    return exact or of_scorer or [name for name in names if wanted == name.part]


def check_metric(logs: Sequence[Log], options: ImportOptions) -> None:
    """Raise UsageError where `--metric` names a score that no log has."""
    if options.metric is None:
        return
    names = names_in(logs)
    figures = [figure for log in logs for figure in log.header.results.figures]
    names += [
        name for figure in figures for name in _figure_names(figure.scorer or "", figure.name)
    ]
    if not _matching(options.metric, names):
        there = listed(dict.fromkeys(map(str, names)), separator="; ") or "none"
        raise UsageError(f"no log has the score {options.metric}; the scores are: {there}")


def _figure_names(scorer: str, name: str) -> list[ScoreName]:
    return [ScoreName(scorer)] if name == scorer else [ScoreName(scorer, name)]
