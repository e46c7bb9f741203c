"""The charts of a board: cases against rounds, what scores took, when models came, by tasks; and how work holds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.board.splits import Split
from sitegen.board.sureness import Sureness
from sitegen.charts.chart import (
    Bar,
    Chart,
    Cloud,
    Curve,
    Curves,
    Dot,
    Ranking,
    Scale,
    Strip,
    Strips,
    Table,
    Words,
)
from sitegen.metrics import failstop
from sitegen.metrics.catalogue import CASE_SCORE, DATASET_SCORE
from sitegen.metrics.diagnostics import Diagnostic, Line, Share
from sitegen.metrics.failstop import MT_AT_K, SR
from sitegen.metrics.metric import Effort, Metric
from sitegen.metrics.sureness import Rate
from sitegen.metrics.uncertainty import ends_of
from sitegen.problems import agreeing, counted

MOST = 30
"""More rows would be a picture of a table."""

FEWEST = 3
"""Fewer agents make no front."""

FEWEST_KINDS = 2
"""One kind of tasks compares with nothing, and so does one agent."""

EFFORTS: tuple[Effort, ...] = ("cost", "steps", "tokens")

_NAMED = 5
"""So many agents of a front are named in a sentence."""

_FEW = 5
"""A round over fewer tasks is told, and no sentence comes from it."""

Offer = tuple[float, float]
"""What something costs and what it is worth: the less, the better, and the more, the better."""


def board_charts(board: Board, words: Words) -> Sequence[Chart]:
    """Make the charts of a board that its data allows, the most telling ones first.

    Scores that cannot be ranked, as by several versions of a definition, do not stand on one axis either.
    """
    makers = (
        (cases_chart, curve_chart, reference_chart, effort_chart, released_chart, splits_chart)
        if board.ranks
        else ()
    )
    return list(filter(None, (make(board, words) for make in makers)))


def scale_of(metric: Metric, words: Words) -> Scale:
    """Say what an axis measures that shows a metric."""
    return Scale(words.axis(metric), metric.highest)


def cases_chart(board: Board, words: Words) -> Chart | None:
    """Set the cases that agents pass against their rounds; None where a row lacks one of the two."""
    dots = _dots(board, CASE_SCORE, DATASET_SCORE, words, "{y} against {x}")
    if len(dots) < max(FEWEST, len(board.ranks)):
        return None
    widest = max(dots, key=lambda dot: dot.x - dot.y)
    entry, word = board.entries[widest.agent], board.benchmark.round_word.lower()
    cases, rounds = (entry.text(metric.id) for metric in (CASE_SCORE, DATASET_SCORE))
    return Chart(
        id="cases",
        title=f"{widest.name} passes {cases} % of cases and {rounds} % of {word}s",
        sentence=f"The widest gap of {len(dots)} agents. A {word} counts only when every case in it passes.",
        panels=[
            Cloud(
                scale_of(CASE_SCORE, words),
                scale_of(DATASET_SCORE, words),
                dots,
                f"{word}s passed = cases passed",
            )
        ],
        table=_scores_of(board, dots, (CASE_SCORE, DATASET_SCORE), words),
    )


def curve_chart(board: Board, words: Words) -> Chart | None:
    """Follow the same tasks from round to round; None where they are too few, or rounds follow no order."""
    whole = board.diagnosis.by_round() if board.submissions and board.benchmark.ordered else None
    if whole is None or board.track.protocol == "once" or len(whole.curve) < FEWEST:
        return None
    standing = [entry for entry in board.submissions if not entry.is_incomplete]
    curves = []
    for place, entry in enumerate(standing[:MOST]):
        values = curve_of(board.diagnosis.by_round(entry.id))
        if len(values) == len(whole.curve):
            look = "first" if place == 0 else "second" if place == 1 else ""
            curves.append(Curve(words.names[entry.id], values, look))
    together = Curve(f"all {len(standing)} together", curve_of(whole), "all")
    if len(together.values) < len(whole.curve):
        return None
    word, verdict, steps = (
        board.benchmark.round_word,
        whole.columns[whole.key],
        [line.label for line in whole.curve],
    )
    first, last = together.values[0], together.values[-1]
    is_first = len(standing) > 1 and first > max(together.values[1:])
    lines = [
        (curve.name, [f"{value:.1f}" for value in curve.values]) for curve in (*curves, together)
    ]
    return Chart(
        id="curve",
        title=f"Of {board.benchmark.rounds_word.lower()} {steps[0]} to {steps[-1]}, the first is passed most often"
        if is_first
        else f"{verdict} by {word.lower()}",
        sentence=f"{verdict} of all agents together: {first:.1f} % at {word.lower()} {steps[0]} and {last:.1f} % at "
        f"{word.lower()} {steps[-1]}. Every point is over {whole.over}.",
        panels=[
            Curves(
                f"{verdict} (%)", word, steps, [*curves, *([together] if len(standing) > 1 else [])]
            )
        ],
        table=Table(["Agent", *(f"{word} {step}" for step in steps)], lines),
    )


def curve_of(found: Diagnostic) -> list[float]:
    """List what share passes at each step of a curve, in percent; shorter than the curve where one is unknown."""
    return list(shares_of(found, found.curve).values())


def shares_of(found: Diagnostic, lines: Sequence[Line]) -> dict[str, float]:
    """The key column of a diagnostic's lines in percent, by their labels; those without a value are left out."""
    cells = {line.label: line.cells[found.key] for line in lines}
    return {
        label: 100 * each.value
        for label, each in cells.items()
        if isinstance(each, Share) and each.value is not None
    }


def released_chart(board: Board, words: Words) -> Chart | None:
    """Set the headline score against the day that models were released; None where too few days are known."""
    metric, title, dots, lines = board.headline, words.title(board.headline), [], []
    for place, entry in enumerate(board.entries):
        day, value = entry.agent.model_released, entry.value(metric.id)
        if day is None or value is None or entry.is_incomplete:
            continue
        sure, name, text = (
            board.certainty.interval(entry, metric.id),
            words.names[entry.id],
            entry.text(metric.id),
        )
        dots.append(
            Dot(place, name, float(day.toordinal()), value, f"{text}, {day}", *ends_of(sure))
        )
        lines.append((name, [str(day), text]))
    if len(dots) < FEWEST or len({dot.x for dot in dots}) == 1:
        return None
    left = len(board.ranks) - len(dots)
    return Chart(
        id="released",
        title=f"{title} by the day that the model was released",
        sentence="Lines are 95 % intervals."
        + (f" Of {counted(left, 'row')} the day is not known." if left else ""),
        panels=[Cloud(Scale("Model released"), scale_of(metric, words), dots, is_dated=True)],
        table=Table(["Agent", "Model released", words.axis(metric)], lines),
    )


def reference_chart(board: Board, words: Words) -> Chart | None:
    """Set SR against MT@k: what agents do from the reference state against what they do on their own work."""
    shown = own, reference, _ = MT_AT_K, SR, failstop.GAP
    dots = _dots(board, own, reference, words, "{y} against {x}")
    if len(dots) < FEWEST:
        return None
    title, above = words.title(own), sum(dot.y > dot.x for dot in dots)
    return Chart(
        id="reference",
        title=f"{words.title(reference)} against {title}",
        sentence=f"{words.title(reference)} starts every round from the reference state, {title} from the agent's own "
        f"work. On the diagonal living with that work costs nothing; {above} of {len(dots)} agents "
        f"{agreeing(above, 'lies', 'lie')} above it, where it costs them rounds.",
        panels=[Cloud(scale_of(own, words), scale_of(reference, words), dots, f"SR = {title}")],
        table=_scores_of(board, dots, shown, words),
    )


def _dots(board: Board, x: Metric, y: Metric, words: Words, text: str) -> list[Dot]:
    """Place the agents that have both scores between them; `text` says both of one, for `{x}` and `{y}`."""
    dots = []
    for place, entry in enumerate(board.entries):
        right, up = entry.value(x.id), entry.value(y.id)
        if right is not None and up is not None and not entry.is_incomplete:
            told, sure = (
                text.format(x=entry.text(x.id), y=entry.text(y.id)),
                board.certainty.interval(entry, y.id),
            )
            dots.append(Dot(place, words.names[entry.id], right, up, told, *ends_of(sure)))
    return dots


def _scores_of(board: Board, dots: Sequence[Dot], shown: Sequence[Metric], words: Words) -> Table:
    """List the scores of the agents that are drawn."""
    lines = [
        (dot.name, [board.entries[dot.agent].text(metric.id) for metric in shown]) for dot in dots
    ]
    return Table(["Agent", *map(words.axis, shown)], lines)


def effort_chart(board: Board, words: Words) -> Chart | None:
    """Set the headline score against cost, turns and tokens; None where the data has none of them."""
    headline, efforts = board.headline, list(_efforts(board, words))
    if not efforts:
        return None
    title, against = words.title(headline), _listed([words.title(metric) for metric, _ in efforts])
    dots = [{dot.agent: dot for dot in cloud.dots} for _, cloud in efforts]
    lines = []
    for place, entry in enumerate(board.entries):
        found = [each.get(place) for each in dots]
        if any(found):
            texts = [
                _effort_text(entry, metric, dot)
                for (metric, _), dot in zip(efforts, found, strict=True)
            ]
            lines.append((words.names[entry.id], [entry.text(headline.id), *texts]))
    sentences = [_FRONT_SENTENCE]
    sentences.append(_lines_sentence(headline, efforts))
    sentences += [_front_sentence(metric, cloud, headline, words) for metric, cloud in efforts]
    return Chart(
        id="effort",
        title=f"{title} against {against}",
        sentence=" ".join(filter(None, sentences)),
        panels=[cloud for _, cloud in efforts],
        table=Table(
            ["Agent", words.axis(headline), *(words.axis(metric) for metric, _ in efforts)], lines
        ),
    )


_FRONT_SENTENCE = (
    "Filled dots are the Pareto front of the values, without their intervals: "
    "agents that no other beats on both."
)


def _lines_sentence(headline: Metric, efforts: Sequence[tuple[Metric, Cloud]]) -> str:
    """Say what the lines through the dots are; empty where no dot has any."""
    parts = []
    if any(dot.low is not None for _, cloud in efforts for dot in cloud.dots):
        parts.append(f"{headline.interval_words}s of the score")
    for metric, cloud in efforts:
        if any(dot.x_low is not None for dot in cloud.dots):
            parts.append(f"{metric.interval_words}s across")
    return f"Lines are {_listed(list(dict.fromkeys(parts)))}." if parts else ""


def _effort_text(entry: Entry, metric: Metric, dot: Dot | None) -> str:
    """Return what an agent took, with its mark: on the front, or why it is no candidate for it."""
    text = entry.text(metric.id)
    if dot is None:
        return text
    if dot.note:
        return f"{text} ({dot.note})"
    return f"{text} (front)" if dot.is_front else text


def _efforts(board: Board, words: Words) -> Iterator[tuple[Metric, Cloud]]:
    """Set the headline score against each kind of effort that the data allows.

    Of several metrics of one kind, the one that most agents have is taken; of those, the one that
    holds for more protocols. So an agent whose total is unknown is drawn with its mean, and marked.
    """
    headline = board.headline
    for effort in EFFORTS:
        metrics = [metric for metric in board.metrics.values() if metric.effort == effort]
        clouds = []
        for metric in sorted(metrics, key=lambda metric: -len(metric.protocols)):
            dots = _effort_dots(board, metric, words)
            clouds.append((metric, Cloud(scale_of(metric, words), scale_of(headline, words), dots)))
        metric, cloud = max(clouds, key=lambda each: len(each[1].dots))
        if len(cloud.dots) >= FEWEST:
            yield metric, cloud


def _effort_dots(board: Board, metric: Metric, words: Words) -> list[Dot]:
    """Place agents by what they took and the headline score, and mark those on the Pareto front."""
    headline = board.headline
    dots = []
    for dot in _dots(board, metric, headline, words, "{y} at {x}"):
        entry = board.entries[dot.agent]
        x_low, x_high = ends_of(board.certainty.interval(entry, metric.id))
        note = _no_candidate(board, entry, metric)
        dots.append(replace(dot, x_low=x_low, x_high=x_high, note=note))
    candidates = [dot for dot in dots if not dot.note]
    offers = [(_less(dot.x, metric), -_less(dot.y, headline)) for dot in candidates]
    front = {candidates[place].agent for place in pareto_front(offers)}
    return [replace(dot, is_front=dot.agent in front) for dot in dots]


def _no_candidate(board: Board, entry: Entry, metric: Metric) -> str:
    """Return why a row can't be on the front; empty where it can.

    A cost over a part of the rounds, a total over a part of the attempts, and a printed cost of 0
    of an agent that is not declared free are no costs to compare. Published scores beside
    recomputed ones are not compared either.
    """
    score = entry.scores[metric.id]
    if score.missing_note:
        return score.missing_note
    if metric.is_total and entry.attempts_words:
        return entry.attempts_words
    if metric.effort == "cost" and score.value == 0 and not entry.agent.free:
        return "not declared free"
    return "" if entry.id in board.ranks else "published, not ranked"


def _front_sentence(metric: Metric, cloud: Cloud, headline: Metric, words: Words) -> str:
    """Say who is on the front, whether the others are shown to be off it, and who is not compared."""
    title = words.title(metric)
    front = _on_front(metric, cloud)
    sentences = [
        f"By {title}: {_listed(front)}." if front else f"By {title}, no agent can be compared."
    ]
    candidates = [dot for dot in cloud.dots if not dot.note]
    others = [dot for dot in candidates if not dot.is_front]
    if others:
        sentences.append(_others_sentence(others, candidates, metric, headline))
    apart = [f"{dot.name} ({dot.note})" for dot in cloud.dots if dot.note]
    if apart:
        more = [f"{len(apart) - _NAMED} more"] if len(apart) > _NAMED else []
        listed = _listed([*apart[:_NAMED], *more])
        sentences.append(f"Not compared, with a dashed outline: {listed}.")
    return " ".join(sentences)


def _others_sentence(
    others: Sequence[Dot], candidates: Sequence[Dot], metric: Metric, headline: Metric
) -> str:
    """Say how many of the agents off the front are shown to be off it."""
    if all(dot.x_low is None or dot.low is None for dot in candidates):
        return "Without intervals on both axes, none of the others is shown to be off it."
    beaten = sum(
        any(_is_beaten(dot, other, metric, headline) for other in candidates) for dot in others
    )
    close = len(others) - beaten
    all_others = "The other agent" if len(others) == 1 else f"The {len(others)} other agents"
    if not beaten:
        return f"{all_others} {_is_or_are(len(others))} too close to call: intervals overlap on an axis."
    if not close:
        return f"{all_others} {_is_or_are(beaten)} shown to be beaten on both, by intervals that lie apart."
    return (
        f"Of the {len(others)} other agents, {beaten} {_is_or_are(beaten)} shown to be beaten on both, by "
        f"intervals that lie apart, and {close} {_is_or_are(close)} too close to call."
    )


def _is_or_are(number: int) -> str:
    return "is" if number == 1 else "are"


def _is_beaten(dot: Dot, other: Dot, metric: Metric, headline: Metric) -> bool:
    """Return whether another agent's intervals lie apart from an agent's on the better side, on both axes."""
    took, others_took = (
        _span(dot.x_low, dot.x_high, metric),
        _span(other.x_low, other.x_high, metric),
    )
    scored, others_scored = (
        _span(dot.low, dot.high, headline),
        _span(other.low, other.high, headline),
    )
    if took is None or others_took is None or scored is None or others_scored is None:
        return False
    return others_took[1] < took[0] and others_scored[1] < scored[0]


def _span(low: float | None, high: float | None, metric: Metric) -> tuple[float, float] | None:
    """Return the ends of an interval, the better one first, as numbers of which less is better."""
    if low is None or high is None:
        return None
    better, worse = sorted((_less(low, metric), _less(high, metric)))
    return better, worse


def _on_front(metric: Metric, cloud: Cloud) -> list[str]:
    """Name who is on the front, the least effort first; of many, say how many more there are."""
    on = sorted((dot for dot in cloud.dots if dot.is_front), key=lambda dot: _less(dot.x, metric))
    return [dot.name for dot in on[:_NAMED]] + (
        [f"{len(on) - _NAMED} more"] if len(on) > _NAMED else []
    )


def pareto_front(offers: Sequence[Offer]) -> list[int]:
    """Find the offers that no other beats: none costs as much or less and is worth as much or more, but equal ones.

    Returns:
        Their places, from 0: by rising cost, equal ones in their own order.
    """

    def is_beaten(offer: Offer) -> bool:
        return any(
            other[0] <= offer[0] and other[1] >= offer[1] and other != offer for other in offers
        )

    return sorted(
        (place for place, offer in enumerate(offers) if not is_beaten(offer)),
        key=lambda place: offers[place],
    )


def _less(value: float, metric: Metric) -> float:
    """Turn a value so that less of it is better."""
    return value if metric.direction == "lower" else -value


def _listed(parts: Sequence[str]) -> str:
    """Write a list as in a sentence: one, two and three."""
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last


def splits_chart(board: Board, words: Words) -> Chart | None:
    """Show the headline score by kinds of tasks; None where it is not split."""
    panels = split_panels(board, words)
    if not panels:
        return None
    title, decimals = words.title(board.headline), board.headline.decimals
    told = [
        f"{title} of each agent on each kind of tasks, with the mean over agents as a long mark."
    ]
    for split, panel in panels:
        low, *_, high = sorted(panel.strips, key=lambda strip: strip.mean)
        least, most = (f"{strip.mean:.{decimals}f} ({strip.title})" for strip in (low, high))
        told += [
            f"By {split.title.lower()} the mean goes from {least} to {most}.",
            split.left_out or "",
        ]
    groups = [group for split, _ in panels for group in split.groups]
    lines = []
    for entry in board.entries:
        scores = [group.scores.get(entry.id) for group in groups]
        if any(scores):
            lines.append(
                (words.names[entry.id], [score.text if score else GAP for score in scores])
            )
    return Chart(
        id="splits",
        title=f"{title} by {_axes(panels)}",
        sentence=" ".join(filter(None, told)),
        panels=[panel for _, panel in panels],
        table=Table(["Agent", *(group.value for group in groups)], lines),
    )


def entry_splits_chart(board: Board, entry: Entry, words: Words) -> Chart | None:
    """Show one row's headline score by kinds of tasks among those of all others; None where it has none."""
    panels = split_panels(board, words)
    place = next((place for place, other in enumerate(board.entries) if other is entry), None)
    strips = [strip for _, panel in panels for strip in panel.strips]
    if place is None or not any(strip.tick(place) for strip in strips):
        return None
    metric, name, lines = board.headline, words.names[entry.id], []
    for strip in strips:
        own, ordered = strip.tick(place), sorted(strip.ticks, key=lambda tick: tick.value)
        mean = f"{strip.mean:.{metric.decimals}f}"
        lines.append(
            (strip.title, [own.text if own else GAP, mean, ordered[0].text, ordered[-1].text])
        )
    return Chart(
        id="splits",
        title=f"{words.title(metric)} by {_axes(panels)}",
        sentence=f"{words.title(metric)} on each kind of tasks: {name} is the thick mark, the other agents of the "
        "board are the thin ones, and the mean over all is the long one.",
        panels=[panel for _, panel in panels],
        table=Table(
            ["Tasks", f"{name}, {words.axis(metric)}", "Mean of all", "Lowest", "Highest"], lines
        ),
    )


def split_panels(board: Board, words: Words) -> list[tuple[Split, Strips]]:
    """List what `splits_chart` and `entry_splits_chart` draw, each panel with its split."""
    found = []
    for split in board.splits if board.ranks else ():  # without ranks the scores do not compare
        strips = []
        for group in split.groups:
            scores = (
                (place, entry, group.scores.get(entry.id))
                for place, entry in enumerate(board.entries)
            )
            ticks = [
                Bar(place, words.names[entry.id], score.value, score.text)
                for place, entry, score in scores
                if score and score.value is not None and not entry.is_incomplete
            ]
            if len(ticks) >= FEWEST_KINDS:
                title = (
                    f"{group.value}, {counted(group.tasks, 'task')}" if group.tasks else group.value
                )
                strips.append(Strip(title, ticks, fsum(tick.value for tick in ticks) / len(ticks)))
        if len(strips) >= FEWEST_KINDS:
            found.append(
                (split, Strips(split.title.lower(), scale_of(board.headline, words), strips))
            )
    return found


def _axes(panels: Sequence[tuple[Split, Strips]]) -> str:
    return " and ".join(split.title.lower() for split, _ in panels)


def sureness_charts(found: Sureness, words: Words) -> Sequence[Chart]:
    """Draw how work holds from round to round, as far as the board's protocol and rows tell."""
    return list(filter(None, (_keeping_chart(found, words), _breakdown_chart(found))))


def _keeping_chart(found: Sureness, words: Words) -> Chart | None:
    lines = [each for each in found.keeping if each.after_pass or each.after_fail]
    if not lines:
        return None
    word, together = found.board.benchmark.round_word.lower(), lines[0]
    names = [words.names[each.entry.id] if each.entry else "All rows" for each in lines]
    said, panels = [], []
    columns = ([each.after_pass for each in lines], [each.after_fail for each in lines])
    for what, whole, rates in zip(
        ("passed", "failed"), (together.after_pass, together.after_fail), columns, strict=True
    ):
        said += [f"right after a {word} that {what}, {share_text(whole)} pass"] if whole else []
        bars = [
            share_bar(name, rate) for name, rate in zip(names[:MOST], rates, strict=False) if rate
        ]
        panels += (
            [Ranking(Scale(f"Pass right after a {word} that {what} (%)", 100.0), bars)]
            if bars
            else []
        )
    return Chart(
        id="keeping",
        title="Keeping, and recovering",
        sentence=f"Of all rows together: {'; '.join(said)}. Intervals are over tasks.",
        panels=panels,
        table=Table(
            ["Agent", "Pass after a pass", "k of n", "Pass after a fail", "k of n"],
            [
                (name, [*_cells(each.after_pass), *_cells(each.after_fail)])
                for name, each in zip(names, lines, strict=True)
            ],
        ),
    )


def _breakdown_chart(found: Sureness) -> Chart | None:
    if not found.breakdowns:
        return None
    name = found.board.benchmark.round_word
    word = name.lower()
    drawn = [(number, rate) for number, tasks, rate in found.breakdowns if tasks >= _FEW]
    first = f" At {word} 1, {share_text(drawn[0][1])}." if drawn else ""
    is_whole = len(drawn) == len(found.breakdowns)
    thin = "" if is_whole else f"; over fewer than {_FEW} it says little, and is not drawn"
    bars = [share_bar(f"{name} {number}", rate) for number, rate in drawn]
    return Chart(
        id="breakdown",
        title="Where work breaks down",
        sentence=f"Of the attempts that passed every {word} before, the share that fails at this one.{first} "
        f"Each {word} is over the tasks that some attempt reached whole{thin}.",
        panels=[Ranking(Scale("Fail here, of those that passed all before (%)", 100.0), bars)]
        if bars
        else [],
        table=Table(
            [name, "Fail here", "k of n", "Tasks"],
            [
                (str(number), [*_cells(rate), str(tasks)])
                for number, tasks, rate in found.breakdowns
            ],
        ),
    )


def share_bar(name: str, rate: Rate) -> Bar:
    """Draw a share in percent, of no single agent."""
    value = 100 * rate.k / rate.n
    if rate.interval is None:
        return Bar(None, name, value, f"{value:.1f}")
    return Bar(None, name, value, f"{value:.1f}", 100 * rate.interval.low, 100 * rate.interval.high)


def _cells(rate: Rate | None) -> Sequence[str]:
    return (share_text(rate), f"{rate.k:,} of {rate.n:,}") if rate else (GAP, GAP)


def share_text(rate: Rate) -> str:
    """Write a share in percent, with its interval."""
    share = f"{100 * rate.k / rate.n:.1f} %"
    if rate.interval is None:
        return share
    return f"{share} ({100 * rate.interval.low:.1f} to {100 * rate.interval.high:.1f})"
