"""The sentences of pages about a board, each with a check that compares it with the files.

A page's sentences are matched against the patterns of its kind. A sentence that is false or matches no pattern is
returned as a fault, so a new kind of sentence needs a pattern here before tests pass.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy import optimize, stats

from kit.board_facts import BoardFacts, TaskWork, is_rounded, work_on
from kit.rank_tests import contributions
from kit.results_files import BoardRow, Row

Check = Callable[[BoardFacts, re.Match[str]], bool]
Patterns = Sequence[tuple[str, Check]]

WITHDRAWN = "Withdrawn board: "
ROWS = r"(?:rows?|agents?|submissions?)"
SCORE = r"(?P<score>[\d.,\N{MINUS SIGN}-]+(?: of [\d,]+(?: attempts)?)?)"
HAS = "(?:has|had)"
SHARING = r"[Tt]asks that share an? .+ depend on each other"
UNITS_IN = r"(?P<tasks>\d+) tasks? are tested as (?P<clusters>\d+)"
AGENTS_MOVED = r"(?:(?P<moved>\d+) of the (?P<rows>\d+) agents|both agents|all (?P<all>\d+) agents)"
AGENTS_AT_TASKS = r"(?P<agents>\d+) agents at (?P<tasks>\d+) tasks"
ONE_OR_MORE = r"(?P<one>[\d,]+) tasks with one attempt each, or (?P<more>[\d,]+) with \d+"
FEW_CLUSTERS = r"the (?P<tasks>\d+) tasks form only (?P<clusters>\d+) .+; intervals and tests need at least 6"
NUMBER = r"[\d.,\N{MINUS SIGN}-]+"
INTERVAL = rf"an? (?:95 %|approximate) interval of (?P<low>{NUMBER}) to (?P<high>{NUMBER})"
PAIRS = r"(?:for the only pair of agents|over all (?P<pairs>[\d,]+) pairs of agents at once)"
HIGHEST = r"(?:(?P<top>.+?) (?:has|had|shared?) the (?P<most>highest|lowest) (?P<title>.+?))"


def order_faults(patterns: Patterns, facts: BoardFacts, answer: str) -> Iterator[str]:
    """Yield a headline if it is unknown or false; headlines of withdrawn boards must be in the past tense."""
    is_withdrawn = facts.files.track.get("status") == "withdrawn"
    if answer.startswith(WITHDRAWN) != is_withdrawn:
        yield f"false: {answer} (of a board that is {'' if is_withdrawn else 'not '}withdrawn)"
        return
    sentence = answer.removeprefix(WITHDRAWN)
    is_present = re.search(r" (?:leads|could be|ranks|is the only agent ranked|is not ranked) ", sentence) is not None
    if is_withdrawn and is_present:
        yield f"false: {answer} (in the present)"
    yield from faults(patterns, facts, [sentence])


def faults(patterns: Patterns, facts: BoardFacts, sentences: Sequence[str]) -> Iterator[str]:
    """Yield the sentences that match no pattern, and the sentences that are false."""
    for sentence in sentences:
        matches = [(match, check) for pattern, check in patterns if (match := re.fullmatch(pattern, sentence))]
        if not matches:
            yield f"unknown: {sentence}"
        elif not any(check(facts, match) for match, check in matches):
            yield f"false: {sentence}"


def number_of(text: str) -> Fraction:
    """Parse a number with a minus sign (−) and commas; "No" and "None" are 0."""
    plain = text.replace("\N{MINUS SIGN}", "-").replace(",", "")
    return Fraction(0) if plain.lower() in {"no", "none"} else Fraction(plain)


# The headline of a board


def are_named(facts: BoardFacts, text: str, rows: Sequence[BoardRow]) -> bool:
    """Return whether a text names the rows: one or two rows by name, more rows by their number."""
    if len(rows) > 2:
        return re.fullmatch(rf"{len(rows)} {ROWS}", text) is not None
    names = [facts.names[row.id] for row in rows]
    return text in {" and ".join(names), " and ".join(reversed(names))}


def first_rows(facts: BoardFacts) -> list[BoardRow]:
    """Return the rows with the best score."""
    return [row for row in facts.ranked if facts.files.ranks[row.id] == 1]


def second_rows(facts: BoardFacts) -> list[BoardRow]:
    """Return the rows with the same score as the second row."""
    rank = facts.files.ranks[facts.ranked[1].id]
    return [row for row in facts.ranked if facts.files.ranks[row.id] == rank]


def could_be_first(facts: BoardFacts) -> int:
    """Return the number of rows that may be first, which includes untested rows."""
    return sum(facts.rank_sets.get(row.id, (1, 1))[0] == 1 for row in facts.ranked)


def is_only_row(facts: BoardFacts, match: re.Match[str]) -> bool:
    (row,) = facts.ranked if len(facts.ranked) == 1 else [None]
    is_it = row is not None and match["name"] == facts.names[row.id]
    return is_it and row is not None and facts.has_text(row, match["score"]) and match["title"] == facts.title


def is_leading(facts: BoardFacts, match: re.Match[str]) -> bool:
    leader = facts.leader
    return leader is not None and match["name"] == facts.names[leader.id] and facts.has_text(leader, match["score"])


def is_leading_others(facts: BoardFacts, match: re.Match[str]) -> bool:
    rows = second_rows(facts)
    return is_leading(facts, match) and are_named(facts, match["others"], rows) and has_score(facts, rows, match)


def has_score(facts: BoardFacts, rows: Sequence[BoardRow], match: re.Match[str]) -> bool:
    return facts.has_text(rows[0], match["following"])


def is_top(facts: BoardFacts, match: re.Match[str]) -> bool:
    expected_word = "highest" if facts.files.is_higher_better else "lowest"
    rows = first_rows(facts)
    is_right = are_named(facts, match["top"], rows) and facts.has_text(rows[0], match["score"])
    titles = (facts.title, f"{facts.title} score", f"value of {facts.title}")
    return is_right and match["most"] == expected_word and match["title"] in titles


def is_top_of_some(facts: BoardFacts, match: re.Match[str]) -> bool:
    return is_top(facts, match) and int(match["could"]) == could_be_first(facts)


def is_top_with_others(facts: BoardFacts, match: re.Match[str]) -> bool:
    rows = second_rows(facts)
    return is_top(facts, match) and are_named(facts, match["others"], rows) and has_score(facts, rows, match)


def is_share_first(facts: BoardFacts, match: re.Match[str]) -> bool:
    return int(match["could"]) == could_be_first(facts) and int(match["all"]) == len(facts.ranked)


FOLLOWING = rf"(?P<others>.+) follow(?:s|ed)? with {SCORE.replace('score', 'following')}"
BOARD: Patterns = (
    (
        rf"(?P<name>.+) (?:is|was) the only agent ranked here \((?P<title>.+) {SCORE}\)",
        is_only_row,
    ),
    (rf"(?P<name>.+) (?:leads|led) with {SCORE}; {FOLLOWING}", is_leading_others),
    (rf"(?P<name>.+) (?:leads|led) with {SCORE}", is_leading),
    (
        rf"(?P<could>\d+) {ROWS} (?:could be|could have been) first; {HIGHEST}, {SCORE}",
        is_top_of_some,
    ),
    (rf"(?P<could>\d+) of (?P<all>\d+) {ROWS} (?:could be|could have been) first", is_share_first),
    (rf"{HIGHEST}, {SCORE}; {FOLLOWING}", is_top_with_others),
    (rf"{HIGHEST}, {SCORE}", is_top),
)


# The certainty of a board's headline


def is_lead(facts: BoardFacts, match: re.Match[str]) -> bool:
    first, second = facts.ranked[:2]
    metric = facts.files.headline
    ours, theirs = first.scores[metric], second.scores[metric]
    assert ours is not None
    assert theirs is not None
    lead = abs(ours - theirs)
    low, high = number_of(match["low"]), number_of(match["high"])
    is_right = is_rounded(match["lead"].replace("\N{MINUS SIGN}", "-"), lead, facts.files.decimals(metric))
    return facts.leader is not None and is_right and low <= number_of(match["lead"]) <= high


def is_untested(facts: BoardFacts, match: re.Match[str]) -> bool:
    is_printed_only = match["why"] == "these are published scores without raw data" and not facts.files.has_results
    return len(facts.ranked) > 1 and not facts.tested and (is_printed_only or is_reason(facts, match["why"]))


def is_reason(facts: BoardFacts, why: str) -> bool:
    """Return whether there are too few tasks or clusters for a test, as the text states."""
    tasks, clusters = len(facts.files.counted_tasks), len(facts.files.clusters)
    if why == "a single task is too few for a test":
        return facts.files.has_results and tasks == 1
    clusters_match = re.fullmatch(FEW_CLUSTERS, why)
    if clusters_match is None:
        return False
    return (
        tasks > 1
        and (int(clusters_match["tasks"]), int(clusters_match["clusters"])) == (tasks, clusters)
        and clusters < 6
    )


def are_neighbours_apart(facts: BoardFacts, match: re.Match[str]) -> bool:
    is_behind = "behind" in match[0].lower()
    apart, of = facts.neighbours_apart(is_behind=is_behind)
    groups = match.groupdict()
    if "apart" not in groups:  # The sentence is about the only two rows.
        return (apart, of) == (1, 1)
    return (int(number_of(groups["apart"])), int(groups["of"])) == (apart, of)


def is_none_apart(facts: BoardFacts, match: re.Match[str]) -> bool:
    return facts.neighbours_apart(is_behind="behind" in match[0].lower())[0] == 0


def are_two_close(facts: BoardFacts, match: re.Match[str]) -> bool:
    apart, of = facts.neighbours_apart(is_behind="behind" in match[0].lower())
    return not apart and of == 1


TWO_NEIGHBOURS = r"(?:The two agents(?: that could be tested)?|Behind the leader, the next two agents)"
NEIGHBOURS: Patterns = (
    (r"The order is not tested: (?P<why>.+)", is_untested),
    (rf"{TWO_NEIGHBOURS} differ clearly", are_neighbours_apart),
    (rf"{TWO_NEIGHBOURS} are too close to call", are_two_close),
    (
        r"(?:Behind the leader, )?(?P<apart>\d+) of (?P<of>\d+) pairs of neighbouring agents differs? clearly",
        are_neighbours_apart,
    ),
    (r"(?:All|Behind the leader, all) neighbouring agents are too close to call", is_none_apart),
)
SURE_OF_BOARD: Patterns = (
    (
        rf"The lead of (?P<lead>[\d.,]+)(?: points)? (?:has|had) {INTERVAL}",
        is_lead,
    ),
    *NEIGHBOURS,
)


def are_all_pairs(facts: BoardFacts, match: re.Match[str]) -> bool:
    tested = len(facts.tested)
    pairs = tested * (tested - 1) // 2
    pair_text = match.groupdict().get("pairs")
    bases = {
        "per-task differences": facts.files.has_results and not facts.files.clusters,
        "per-cluster differences": facts.files.has_results and bool(facts.files.clusters),
        "published counts of tasks": not facts.files.has_results,
    }
    is_number = pairs == 1 if pair_text is None else int(number_of(pair_text)) == pairs
    return is_number and bases.get(match["grounds"], False)


def are_clusters(facts: BoardFacts, match: re.Match[str]) -> bool:
    sizes = (len(facts.files.counted_tasks), len(facts.files.clusters))
    return (int(match["tasks"]), int(match["clusters"])) == sizes


def are_unsure_scores(facts: BoardFacts, match: re.Match[str]) -> bool:
    unsure = [row for row in facts.ranked if row.id not in facts.tested]
    return any(row.submission for row in unsure) and is_reason(facts, match["why"])


def are_unsure_prints(facts: BoardFacts, _: re.Match[str]) -> bool:
    return any(not row.submission for row in facts.ranked if row.id not in facts.tested)


def is_single_attempt(facts: BoardFacts, _: re.Match[str]) -> bool:
    return facts.files.track.get("attempts", 1) == 1 and len(facts.ranked) > 1


CERTAINTY_NOTICE: Patterns = (
    (
        rf"Ranks are based on (?P<grounds>.+), tested {PAIRS} \(95 % confidence\)",
        are_all_pairs,
    ),
    (
        rf"{SHARING}, so the {UNITS_IN} .+",
        are_clusters,
    ),
    (
        r"Ranks in brackets follow the scores alone: (?P<why>.+)",
        are_unsure_scores,
    ),
    (r"Ranks in brackets follow the published scores alone: .+", are_unsure_prints),
    (r"Ranks in brackets follow the published scores alone", are_unsure_prints),
    (r"These count .+ would find false differences", are_unsure_prints),
    (
        (
            r"With 1 attempt per task, another run of the same agent may score differently; "
            r"the page on certainty estimates by how much"
        ),
        is_single_attempt,
    ),
    (
        (
            r"Scores have no intervals and ranks are not tested: "
            r"tasks that share an? .+ depend on each other, and (?P<why>.+)"
        ),
        are_unsure_scores,
    ),
)


# One submission


def is_retired(_: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    return match["state"] == row.state and row.state != "published"


def is_incomplete(_: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    submission = row.submission
    sizes = (len(submission.missing), len(submission.counted_tasks)) if submission else (0, 0)
    return (int(match["missing"]), int(match["tasks"])) == sizes and sizes[0] > 0


def is_without_score(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    return row.scores.get(facts.files.headline) is None and match["title"].startswith(facts.title)


def is_scored(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    return facts.has_text(row, match["score"]) and match["title"] == facts.title


def is_unranked(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    return is_scored(facts, row, match) and row.id not in facts.files.ranks


def is_baseline(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    return is_scored(facts, row, match) and row.apart == "baseline"


def is_late(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    return is_scored(facts, row, match) and row.apart == "late"


def is_alone(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    return is_scored(facts, row, match) and [ranked_row.id for ranked_row in facts.ranked] == [row.id]


def is_rank_set(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    low, _, high = match["ranks"].rstrip("dhnrst").partition("\N{EN DASH}")
    is_set = facts.rank_sets.get(row.id) == (int(low), int(high or low))
    return is_set and is_scored(facts, row, match) and int(match["all"]) == len(facts.ranked)


def is_rank_by_value(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    is_rank = (facts.files.ranks.get(row.id), len(facts.ranked)) == (
        int(match["rank"]),
        int(match["all"]),
    )
    return is_rank and row.id not in facts.tested and is_scored(facts, row, match)


def has_interval(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    value = row.scores.get(facts.files.headline)
    half = Fraction(1, 10 ** facts.files.decimals(facts.files.headline))
    return value is not None and number_of(match["low"]) - half <= value <= number_of(match["high"]) + half


def is_shown(facts: BoardFacts, row: BoardRow, match: re.Match[str]) -> bool:
    ahead = sum(better == row.id for better, _ in facts.better)
    behind = sum(worse == row.id for _, worse in facts.better)
    return number_of(match["ahead"]) == ahead and number_of(match["behind"]) == behind


def is_close_to_all(facts: BoardFacts, row: BoardRow, _: re.Match[str]) -> bool:
    return not any(row.id in pair for pair in facts.better)


def is_printed(_: BoardFacts, row: BoardRow, __: re.Match[str]) -> bool:
    return row.submission is None


TITLE = r"(?P<title>.+?)"
ROW: Sequence[tuple[str, Callable[[BoardFacts, BoardRow, re.Match[str]], bool]]] = (
    (r".+ was (?P<state>withdrawn|superseded)(?: by .+)?(?: on [\d-]+)?", is_retired),
    (
        r".+ is not ranked: no results for (?P<missing>\d+) of (?P<tasks>\d+) tasks?",
        is_incomplete,
    ),
    (r".+ has no (?P<title>.+)", is_without_score),
    (rf".+ (?:is|was) a baseline and not ranked \({TITLE} {SCORE}\)", is_baseline),
    (rf".+ (?:came|had come) after the deadline and (?:is|was) not ranked \({TITLE} {SCORE}\)", is_late),
    (rf".+ (?:is|was) not ranked \({TITLE} {SCORE}\)", is_unranked),
    (rf".+ (?:is|was) the only agent ranked here \({TITLE} {SCORE}\)", is_alone),
    (rf".+ rank(?:s|ed) (?P<ranks>\d+(?:–\d+|st|nd|rd|th)) of (?P<all>\d+) \({TITLE} {SCORE}\)", is_rank_set),
    (
        rf".+ rank(?:s|ed) (?P<rank>\d+)(?:st|nd|rd|th) of (?P<all>\d+) by score alone \({TITLE} {SCORE}\)",
        is_rank_by_value,
    ),
)
SURE_OF_ROW: Sequence[tuple[str, Callable[[BoardFacts, BoardRow, re.Match[str]], bool]]] = (
    (r"Reported by the source; not recomputed here", is_printed),
    (
        rf"The score has {INTERVAL}",
        has_interval,
    ),
    (r"It is clearly ahead of (?P<ahead>\w+) agents? and clearly behind (?P<behind>\w+)", is_shown),
    (r"It is clearly behind (?P<behind>\w+) agents? and clearly ahead of (?P<ahead>none)", is_shown),
    (r"It is not clearly ahead of or behind any other agent", is_close_to_all),
)


def row_faults(facts: BoardFacts, row: BoardRow, answer: str, sure: Sequence[str]) -> Iterator[str]:
    """Yield the sentences of a row's page that match no pattern, and the sentences that are false."""
    is_withdrawn = facts.files.track.get("status") == "withdrawn"
    has_order = row.state == "published" and row.is_complete
    has_order &= row.scores.get(facts.files.headline) is not None
    if answer.startswith(WITHDRAWN) != (is_withdrawn and has_order):
        yield f"false: {answer} (of a board that is {'' if is_withdrawn else 'not '}withdrawn)"
    answer = answer.removeprefix(WITHDRAWN)
    sentences: list[tuple[str, Sequence[tuple[str, Callable[..., bool]]]]] = [(answer, ROW)]
    sentences += [(sentence, SURE_OF_ROW) for sentence in sure]
    for sentence, patterns in sentences:
        matches = [(match, check) for pattern, check in patterns if (match := re.fullmatch(pattern, sentence))]
        if not matches:
            yield f"unknown: {sentence}"
        elif not any(check(facts, row, match) for match, check in matches):
            yield f"false: {sentence}"
    if not answer.startswith(facts.names[row.id]):
        yield f"false: {answer} (the page of {facts.names[row.id]})"


# Comparison and certainty


def are_pairs_apart(facts: BoardFacts, match: re.Match[str]) -> bool:
    rows = len(facts.ranked)
    is_number = number_of(match.groupdict().get("apart") or "0") == len(facts.better)
    return is_number and number_of(match["of"]) == rows * (rows - 1) // 2


def are_two_apart(facts: BoardFacts, match: re.Match[str]) -> bool:
    return len(facts.ranked) == 2 and (match["are"] == "differ clearly") == bool(facts.better)


def is_withdrawn(facts: BoardFacts, _: re.Match[str]) -> bool:
    return bool(facts.files.track.get("status") == "withdrawn")


def is_ground(facts: BoardFacts, match: re.Match[str]) -> bool:
    return bool(facts.tested) and match["grounds"].startswith(("per-task", "per-cluster", "published"))


def is_none_tested(facts: BoardFacts, _: re.Match[str]) -> bool:
    return not facts.tested


COMPARE: Patterns = (
    (r"(?P<apart>[\d,]+) of (?P<of>[\d,]+) pairs of agents differs? clearly", are_pairs_apart),
    (r"None of the (?P<of>[\d,]+) pairs of agents differ clearly", are_pairs_apart),
    (r"The two agents (?P<are>differ clearly|are too close to call)", are_two_apart),
    (r"(?:Differences between the \d+|The difference between the two) agents (?:are|is) not tested", is_none_tested),
)
WAS_WITHDRAWN: Patterns = ((r"The board was withdrawn", is_withdrawn),)
SURE_OF_COMPARE: Patterns = (
    *WAS_WITHDRAWN,
    (r"This is based on (?P<grounds>.+), tested over all pairs at once", is_ground),
    *NEIGHBOURS,
)


def most_moved(facts: BoardFacts) -> int:
    """Return the number of ranked rows whose rank changes without the most influential task."""
    return max(facts.ranks_without(task) for task in facts.files.counted_tasks)


def is_deciding(facts: BoardFacts, match: re.Match[str]) -> bool:
    if facts.parts is None:
        return True
    named = task_named(facts, match["task"])
    moved = facts.ranks_without(named) if named else -1
    rows = len(facts.ranked)
    groups = match.groupdict()
    told_moved, told_rows = groups["moved"] or groups["all"] or "2", groups["rows"] or groups["all"] or "2"
    return moved == int(told_moved) == most_moved(facts) and int(told_rows) == rows


def is_none_deciding(facts: BoardFacts, _: re.Match[str]) -> bool:
    return facts.parts is None or most_moved(facts) == 0


DECIDING: Patterns = (
    (
        rf"Dropping the task (?P<task>.+) would change the score-based rank of {AGENTS_MOVED}",
        is_deciding,
    ),
    (r"No score-based rank depends on a single task", is_none_deciding),
)
CERTAINTY: Patterns = (*NEIGHBOURS, *DECIDING)


# The page on certainty


def is_explanation(*_: object) -> bool:
    """Accept a sentence that explains the numbers below it or that another test checks."""
    return True


def task_shares(facts: BoardFacts) -> list[list[Fraction]]:
    """Return the scores of the ranked rows on each task, excluding rows that lack the task."""
    assert facts.parts is not None
    shares = []
    for task in facts.files.counted_tasks:
        task_parts = [agent_parts[task] for agent_parts in facts.parts.values() if task in agent_parts]
        shares.append([value / weight for value, weight in task_parts if weight])
    return shares


def is_number_without_score(facts: BoardFacts, match: re.Match[str]) -> bool:
    if facts.parts is None:
        return True
    nobody = sum(not any(scores) for scores in task_shares(facts))
    if "any task" in match[0]:
        return nobody == len(task_shares(facts))
    return int(match.groupdict().get("tasks") or 0) == nobody


def is_number_with_full_score(facts: BoardFacts, match: re.Match[str]) -> bool:
    if facts.parts is None:
        return True
    highest = facts.files.highest(facts.files.headline) or 1
    full_count = sum(all(score == highest for score in scores) for scores in task_shares(facts))
    return int(match["tasks"]) == full_count


def are_units(facts: BoardFacts, match: re.Match[str]) -> bool:
    """Return whether a sentence states the correct numbers of tasks and, if any, of clusters."""
    clusters = int(match["clusters"] or 0)
    return (int(match["tasks"]), clusters) == (
        len(facts.files.counted_tasks),
        len(facts.files.clusters),
    )


def are_too_few(facts: BoardFacts, match: re.Match[str]) -> bool:
    units = len(facts.files.clusters) or len(facts.files.counted_tasks)
    return are_units(facts, match) and units < FEWEST


def is_same_everywhere(facts: BoardFacts, match: re.Match[str]) -> bool:
    gaps = smallest_gaps(facts)
    return are_units(facts, match) and (gaps is None or gaps == [])


def is_gap_needed(facts: BoardFacts, match: re.Match[str]) -> bool:
    """Return whether a sentence states the gap of the median pair as computed here, with all gaps on the scale."""
    highest = facts.files.highest(facts.files.headline)
    groups = match.groupdict()
    texts = [groups[name] for name in ("low", "gap", "high") if groups.get(name)]
    gaps = [number_of(text) for text in texts if text != "more than the full scale"]
    is_on_scale = all(gap >= 0 and (highest is None or gap <= highest) for gap in gaps)
    expected = smallest_gaps(facts)
    is_median = expected is None or (len(expected) > 0 and is_near(groups["gap"], expected[len(expected) // 2]))
    is_right = is_on_scale and is_median and gaps == sorted(gaps)
    return is_right and are_units(facts, match)


def is_near(text: str, value: float) -> bool:
    """Return whether a number is a value, rounded to its digits."""
    digits = len(text.partition(".")[2])
    distance = abs(float(number_of(text)) - value)
    return distance <= 0.51 * 0.1**digits


def smallest_gaps(facts: BoardFacts) -> list[float] | None:
    """Return the smallest, the median and the largest gap that a pair of agents needs to be detected.

    Empty if no two agents differ more on one task than on another; None if the contributions are not simple, or if
    tasks form clusters, for which the variance is estimated by a jackknife.
    """
    if facts.parts is None or facts.files.clusters:
        return None
    made = np.array([contributions(facts.files, facts.parts[row.id]) for row in facts.ranked])
    pairs = combinations(range(len(made)), 2)
    spreads = np.array([np.std(made[i] - made[j], ddof=1) for i, j in pairs])
    spreads = spreads[spreads > SAME_SPREAD]
    if not len(spreads):
        return []
    effect = detectable_effect(made.shape[1])
    return [float(effect * quantile) for quantile in np.quantile(spreads, (0, 0.5, 1))]


def detectable_effect(units: int) -> float:
    """Return the effect that a paired t test over a number of units detects 80 % of the time."""
    bound = stats.t.ppf(0.975, units - 1)

    def lack(shift: float) -> float:
        shifted = stats.nct(units - 1, shift)
        return float(shifted.sf(bound) + np.nan_to_num(shifted.cdf(-bound))) - 0.8

    shift = float(optimize.brentq(lack, 1, 8))
    return shift / float(np.sqrt(units))


def is_above_scale(facts: BoardFacts, match: re.Match[str]) -> bool:
    return facts.files.highest(facts.files.headline) is not None and are_units(facts, match)


def are_clustered(facts: BoardFacts, _: re.Match[str]) -> bool:
    return bool(facts.files.clusters)


def cannot_be_separated(facts: BoardFacts, _: re.Match[str]) -> bool:
    """Return whether fewer than two ranked agents completed several attempts, or there are fewer than five tasks."""
    asked = facts.files.track.get("attempts", 1)
    expected = asked * sum(len(task["rounds"]) for task in facts.files.tasks)
    complete = [
        row
        for row in facts.ranked
        if row.submission
        and row.submission.made == asked > 1
        and len([record for record in row.submission.records if "start" not in record]) == expected
    ]
    return len(complete) < 2 or len(facts.files.counted_tasks) < FEWEST


def is_study(facts: BoardFacts, match: re.Match[str]) -> bool:
    asked = facts.files.track.get("attempts", 1)
    is_possible = FEWEST <= int(match["tasks"]) <= len(facts.files.counted_tasks)
    return is_possible and int(match["attempts"]) == asked and int(match["agents"]) <= len(facts.ranked)


def are_shares(_: BoardFacts, match: re.Match[str]) -> bool:
    shares = re.findall(r"(\d+) % \((\d+) to (\d+)\)", match[0])
    return len(shares) == 2 and all(0 <= int(low) <= int(share) <= int(high) <= 100 for share, low, high in shares)


def is_less_with_attempts(_: BoardFacts, match: re.Match[str]) -> bool:
    return number_of(match["more"]) <= number_of(match["one"])


FEWEST = 5
SAME_SPREAD = 1e-6
UNITS = r"(?P<tasks>\d+) tasks?(?: in (?P<clusters>\d+) .+?)?"
NEED = r"the (?:median pair needs|two agents need)"
GAP = rf"a gap of (?P<gap>{NUMBER})(?: points)? in .+ to be detected 80 % of the time"
OTHERS = rf"other pairs need (?P<low>{NUMBER}) to (?P<high>{NUMBER}|more than the full scale)"
SMALLEST: Patterns = (
    (rf"{UNITS} are too few to estimate how large a gap this board can detect", are_too_few),
    (
        rf"With {UNITS}, no two agents differ more on one task than on another",
        is_same_everywhere,
    ),
    (
        rf"With {UNITS}, {NEED} a gap in .+ that is larger than the scale to be detected",
        is_above_scale,
    ),
    (rf"With {UNITS}, {NEED} {GAP}(?:; {OTHERS})?", is_gap_needed),
)
SECTIONS: Mapping[str, Patterns] = {
    "without": (
        (r"(?:On (?P<tasks>\d+) tasks?, no agent scored|No agent scored on any task)", is_number_without_score),
        (r"At least one agent scored on every task", is_number_without_score),
        (r"On (?P<tasks>\d+) tasks?, every agent has the full score", is_number_with_full_score),
        # Correlations have their own tests (tests/metrics/test_order_hangs_on.py).
        (r"The item-rest correlation shows .+", is_explanation),
    ),
    "attempts": (
        (r"The share of .+ that at least one of k attempts passes .+", is_explanation),
        (r"All tasks weigh the same", is_explanation),
    ),
    # The numbers of a study have their own tests (tests/metrics/test_generalizability.py).
    "study": (
        (r"Tasks that share an? .+ depend on each other, so more tasks .+", are_clustered),
        (r"How many tasks and attempts it takes to detect a difference is not computed here", are_clustered),
        (r".+ is not a mean over tasks and attempts, so .+", is_explanation),
        (r"This board cannot separate run-to-run noise .+", cannot_be_separated),
        (r"That would take two agents with a second attempt .+", cannot_be_separated),
        (
            rf"These figures come from the (?P<attempts>\d+) attempts of {AGENTS_AT_TASKS}",
            is_study,
        ),
        (r"These figures come from two runs of .+", is_explanation),
        (r"With \d+ attempts? per task, run-to-run noise accounts for .+", are_shares),
        (
            rf"Detecting a difference of .+ takes {ONE_OR_MORE} attempts",
            is_less_with_attempts,
        ),
        (r"The agents are treated as fixed; brackets show 95 % intervals .+", is_explanation),
        (r"(?:A finding concerns|Findings concern) these runs: .+", is_explanation),
        (r"Part of their difference may therefore not be noise", is_explanation),
    ),
    "reruns": (
        (r"A rerun counts as a reproduction if .+", is_explanation),
        (r"If an honest rerun, .+", is_explanation),
        (r"If so, the board has too few tasks for a rerun to reach .+", is_explanation),
        (r"This (?:applies|does not apply) to .+ here", is_explanation),
    ),
}


def task_named(facts: BoardFacts, name: str) -> str | None:
    """Return the id of the task that has the given name on pages; None if there is none."""
    return next((task["id"] for task in facts.files.tasks if task_name(task) == name), None)


def task_name(task: Row) -> str:
    """Return the name of a task on pages; private tasks have different titles in the edition for pages."""
    return str(task.get("title") or task["id"])


# Finished tasks and rounds


def works_by_task(facts: BoardFacts) -> Mapping[str, Mapping[str, TaskWork]]:
    """Return the work of published submissions on each task with at least one attempt."""
    task_works = {task["id"]: facts.works(task["id"]) for task in facts.files.tasks}
    return {task: works for task, works in task_works.items() if works}


def finishers(works: Mapping[str, TaskWork]) -> list[str]:
    """Return the submissions that finished a task."""
    return [name for name, work in works.items() if work.is_finished]


def are_unfinished(facts: BoardFacts, match: re.Match[str]) -> bool:
    task_works = works_by_task(facts)
    nobody = sum(not finishers(works) for works in task_works.values())
    groups = match.groupdict()
    is_number = int(number_of(groups.get("nobody") or "0")) == nobody if "nobody" in groups else True
    alone = [finishers(works)[0] for works in task_works.values() if len(finishers(works)) == 1]
    if groups.get("name"):
        is_number &= len(alone) == int(groups["alone"]) and {facts.names[name] for name in alone} == {groups["name"]}
    return is_number and int(match["tasks"]) == len(task_works)


def is_every_finished(facts: BoardFacts, match: re.Match[str]) -> bool:
    task_works = works_by_task(facts)
    return all(map(finishers, task_works.values())) and are_unfinished(facts, match)


def is_none_finished(facts: BoardFacts, match: re.Match[str]) -> bool:
    task_works = works_by_task(facts)
    return not any(map(finishers, task_works.values())) and are_unfinished(facts, match)


def is_finished_by_one(facts: BoardFacts, match: re.Match[str]) -> bool:
    task_works = works_by_task(facts)
    (row,) = facts.published_submissions if len(facts.published_submissions) == 1 else [None]
    finished = sum(bool(finishers(works)) for works in task_works.values())
    is_it = row is not None and match["name"] == facts.names[row.id]
    return is_it and (int(match["finished"]), int(match["tasks"])) == (finished, len(task_works))


def is_definition(*_: object) -> bool:
    return True


def is_untouched(facts: BoardFacts, match: re.Match[str]) -> bool:
    untouched = {
        task: works
        for task, works in works_by_task(facts).items()
        if not any(work.number_passed for work in works.values())
    }
    groups = match.groupdict()
    if "number" in groups:
        return len(untouched) == int(groups["number"]) > 1
    task = task_named(facts, groups["task"])
    works = untouched.get(task or "", {})
    size = sum(work.size for work in works.values())
    return [task] == [*untouched] and (int(number_of(groups["rounds"])), int(groups["agents"])) == (
        size,
        len(works),
    )


ALONE = r"(?:; (?P<name>.+) alone finished (?P<alone>\d+))?"
TASKS: Patterns = (
    (
        rf"(?P<nobody>\d+) of the (?P<tasks>\d+) tasks (?:was|were) not finished by any agent{ALONE}",
        are_unfinished,
    ),
    (r"No agent finished any of the (?P<tasks>\d+) tasks", is_none_finished),
    (
        rf"Each of the (?P<tasks>\d+) tasks was finished by at least one agent{ALONE}",
        is_every_finished,
    ),
    (r"(?P<name>.+) finished (?P<finished>\d+) of (?P<tasks>\d+) tasks?", is_finished_by_one),
)
SURE_OF_TASKS: Patterns = (
    (r"A task counts as finished when one attempt passes (?:it|all its .+)", is_definition),
    (
        r"On (?P<task>.+), no agent passed any .+: 0 of (?P<rounds>[\d,]+) across (?P<agents>\d+) agents?",
        is_untouched,
    ),
    (r"On (?P<number>\d+) tasks, no agent passed any .+", is_untouched),
)


def agents_of(number: int, total: int) -> str:
    """Return a number of agents out of a total, as the subject of a sentence."""
    if total == 2 and number != 1:
        return "Both agents" if number else "Neither agent"
    if number == 0:
        return f"None of the {total:,} agents"
    return f"All {total:,} agents" if number == total else f"{number:,} of {total:,} agents"


def part(number: int, total: int) -> str:
    """Return a pattern for a number out of a total; pages may write "the only" or "no" for a total of 1."""
    alone = {(1, 1): "the only .+|", (0, 1): "no .+|"}.get((number, total), "")
    return rf"(?:{alone}{number:,} of {total:,} .+)"


def task_faults(facts: BoardFacts, task: Row, answer: str, sure: Sequence[str]) -> Iterator[str]:
    """Yield the sentences of a task's page that match no pattern, and the sentences that are false."""
    works, name = facts.works(task["id"]), re.escape(task_name(task))
    finished = [facts.names[finisher] for finisher in finishers(works)]
    if not works:
        if answer not in {"", f"{task_name(task)} does not count: a finding excludes it"}:
            yield f"unknown: {answer}"
        return
    numbers = {number for work in works.values() for number in work.rounds}
    never = sum(not any(any(work.column(number)) for work in works.values()) for number in numbers)
    only = facts.names[next(iter(works))] if len(works) == 1 else ""
    alone = "Only " if len(works) > 1 else ""
    expected = rf"{agents_of(len(finished), len(works))} finished {name}"
    if len(finished) == 1:
        expected = rf"{alone}{re.escape(finished[0])} finished {name}"
    if only and not finished:
        expected = rf"{re.escape(only)} did not finish {name}"
    told_never = "any" if never == len(numbers) else str(never)
    if not re.fullmatch(rf"{expected}(?:; nobody passed {told_never} of the {len(numbers)} .+)?", answer):
        yield f"false: {answer} (expected: {expected}, nobody passed {never} of {len(numbers)})"
    passed, size = (sum(getattr(work, key) for work in works.values()) for key in ("number_passed", "size"))
    for sentence in sure:
        across = "" if only else f"Across {len(works)} agents, "
        if not re.fullmatch(rf"(?i:{across}{part(passed, size)} passed)", sentence):
            yield f"false: {sentence} (expected: {passed} of {size} over {len(works)})"


def run_faults(facts: BoardFacts, row: BoardRow, task: Row, answer: str) -> Iterator[str]:
    """Yield the first sentence of a run's page if it is unknown or false."""
    work = work_on(row.submission, task["id"]) if row.submission else None
    name, title = re.escape(facts.names[row.id]), re.escape(task_name(task))
    if work is None:
        if answer not in {"", f"{task_name(task)} does not count: a finding excludes it"}:
            yield f"unknown: {answer}"
        return
    attempts, rounds, passed = len(work.passed), len(work.rounds), work.number_passed
    if attempts > 1:
        finished_count = sum(map(all, work.passed))
        finished = rf"{name} finished {title} in {finished_count} of {attempts} attempts"
        if finished_count == 0:
            finished = rf"{name} did not finish {title} in (?:either attempt|any of {attempts} attempts)"
        elif finished_count == attempts:
            finished = rf"{name} finished {title} in (?:both attempts|all {attempts} attempts)"
        expected = finished if rounds == 1 else rf"{finished}(?:; {passed} of {work.size} .+ passed)?"
    elif rounds == 1:
        expected = rf"{name} {'passed' if passed else 'did not pass'} {title}"
    elif passed == rounds:
        expected = rf"{name} passed all {rounds} .+ of {title}"
    else:
        first = work.passed[0].index(False)
        stopped = rf"(?:then none of the next {rounds - first}|but not the last)"
        begun = rf"{name} passed .+ of {title}, {stopped}"
        expected = rf"{name} passed {passed or 'none'} of the {rounds} .+ of {title}"
        if first and first == passed:
            expected = rf"(?:{expected}|{begun})"
    if not re.fullmatch(expected, answer):
        yield f"false: {answer} (expected: {expected})"


def round_faults(facts: BoardFacts, task: Row, number: int, answer: str, sure: Sequence[str]) -> Iterator[str]:
    """Yield the sentences of a round's page that match no pattern, and the sentences that are false."""
    works = facts.works(task["id"])
    columns = {name: column for name, work in works.items() if (column := work.column(number))}
    if not columns:
        if answer and "does not count: a finding excludes it" not in answer:
            yield f"unknown: {answer}"
        return
    solved, passed = sum(map(any, columns.values())), sum(map(sum, columns.values()))
    attempts = sum(map(len, columns.values()))
    round_pattern = rf".*{re.escape(task_name(task))}"
    expected = rf"{agents_of(solved, len(columns))} passed {round_pattern}"
    if len(columns) == 1:
        (name,) = columns
        expected = rf"{re.escape(facts.names[name])} {'passed' if solved else 'did not pass'} {round_pattern}"
    if not re.fullmatch(rf"{expected}(?:, in {passed} of {attempts} attempts?)?", answer):
        yield f"false: {answer} (expected: {expected}, {passed} of {attempts})"
    rows = [row for name in columns for run in works[name].rows for row in run if row["round"] == number]
    reached = [row for row in rows if row["state"] in {"scored", "no_cases", "aborted"}]
    near = [row for row in reached if row["state"] == "scored" and row.get("total", 0) - row.get("passed", 0) == 1]
    for sentence in sure:
        allowed = [rf"{len(reached)} of {attempts} attempts reached it"]
        allowed.append(rf"{len(near)} attempts? failed it by a single case")
        if len(reached) == attempts:
            allowed.append(rf"All {attempts} attempts reached it")
        if attempts == len(columns):
            allowed.append(rf"{agents_of(len(reached), attempts)} reached it")
        if attempts == 1:
            allowed.append(f"The only agent {'reached' if reached else 'did not reach'} it")
        if not any(re.fullmatch(pattern, sentence) for pattern in allowed):
            expected_counts = f"{len(reached)} of {attempts}, {len(near)} by a single case"
            yield f"false: {sentence} (expected: {expected_counts})"
