"""The generated parts of the home page: the leading board, the news, and the other boards."""

from collections.abc import Iterator, Sequence
from itertools import islice

from sitegen.board import Board
from sitegen.board.answers.answer import Answer
from sitegen.board.answers.news import ReleaseChange, changes_of, release_answer
from sitegen.board.answers.ranking_headlines import board_answer
from sitegen.models.benchmark import Benchmark, benchmarks_by_group
from sitegen.models.outcome import RoundResult
from sitegen.pages import addresses, labels
from sitegen.pages.catalogue import site_catalogue
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.lead import is_current_with_ranks, lead_of
from sitegen.pages.rankings import BoardRanking, ranking_of
from sitegen.pages.selection import counting_results, own_results
from sitegen.pages.site import SiteContent, authored_parts, title_fragment
from sitegen.pages.texts import only_value
from sitegen.problems import agreeing, counted, errors_of

_MAX_LEAD_ROWS = 100
"""Maximum number of rows of the leading board on the home page."""
_MAX_BOARD_ROWS = 6
"""Maximum number of rows of each other board on the home page."""
_MAX_NEWS = 3
"""Maximum number of changes on the home page."""

NumberFact = tuple[str, str]
"""A number and its label."""

NewsItem = tuple[str, str, str, str]
"""A change: its day and address, the change itself, and its cause."""

_AnsweredRanking = tuple[Board, Answer | None, BoardRanking]
"""A board, its first sentence, and its first rows."""


@authored_parts
def home_parts(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show the leading board, the news, how to add an agent, the other boards, and errors."""
    boards = site_content.boards
    lead = lead_of(boards, templates.site.lead)
    shown = [board for board in boards if board is not lead and is_current_with_ranks(board)]
    values = {
        "lead": ranking_of(lead, _MAX_LEAD_ROWS) if lead else None,
        "board_count": len(shown) + bool(lead),
        "lead_benchmark": lead.benchmark.id if lead else "",
        "facts": list(_lead_facts(lead)) if lead else (),
        "news": list(islice(_news(site_content), _MAX_NEWS)),
        "groups": _benchmark_groups(site_content, shown, lead),
        "printed": any(not board.submissions for board in shown),
        "errors": errors_of(site_content.problems),
        "catalogue": site_catalogue(addresses.HOME, site_content, templates),
    }
    text = templates.fill("home.html.j2", addresses.HOME, values)
    yield Fragment(addresses.HOME, "boards", text)
    if lead:
        yield from title_fragment(addresses.HOME, lead.title, board_answer(lead), templates)


def _benchmark_groups(
    site_content: SiteContent, shown: Sequence[Board], lead: Board | None
) -> list[tuple[list[Benchmark], list[_AnsweredRanking], list[Benchmark]]]:
    """Return groups of benchmarks, each with its boards and its benchmarks without rows."""
    benchmark_ids_with_rows = {board.benchmark.id for board in shown}
    if lead:
        benchmark_ids_with_rows.add(lead.benchmark.id)
    benchmarks = [boards[0].benchmark for boards in site_content.ledger.benchmarks]
    groups = []
    for group in benchmarks_by_group(benchmarks).values():
        rankings: list[_AnsweredRanking] = []
        for board in shown:
            if board.benchmark in group:
                ranking = ranking_of(board, _MAX_BOARD_ROWS)
                rankings.append((board, board_answer(board), ranking))
        empty = [benchmark for benchmark in group if benchmark.id not in benchmark_ids_with_rows]
        groups.append((group, rankings, empty))
    return groups


def _news(site_content: SiteContent) -> Iterator[NewsItem]:
    """Yield the changes of releases, latest release first, and most relevant change first.

    The first release changed everything, so it is one item. A new board without agents is left out.
    """
    for chapter in reversed(site_content.ledger.releases):
        day = str(chapter.release.date)
        address = addresses.release_address(day)
        answer = release_answer(chapter)
        if chapter.release_before is None and answer:
            yield day, address, f"First release: {answer.text}", ""
            continue
        changes = [change for change in changes_of(chapter) if not _is_empty_board(change)]
        for change in sorted(changes, key=_news_order):
            anchor = f"{change.board_events.benchmark.id}-{change.board_events.board.track}"
            yield day, f"{address}#{anchor}", change.text, change.why


def _is_empty_board(change: ReleaseChange) -> bool:
    """Return whether a change is only a new board that has no agents yet."""
    board = change.board_events.board
    return (
        change.did == "board" and change.board_events.is_new and not board.rows and not change.why
    )


def _news_order(change: ReleaseChange) -> int:
    """Return the sort key of news in a release: withdrawals, reruns, findings, other changes."""
    is_new_status = change.did == "board" and not change.events
    is_withdrawn_board = is_new_status and change.board_events.board.status == "withdrawn"
    if is_withdrawn_board or change.did == "withdrawn":
        return 0
    if change.did == "rerun":
        return 1
    if any(cause.kind == "finding" for cause in change.causes):
        return 2
    return 3


def _lead_facts(board: Board) -> Iterator[NumberFact]:
    """Yield the numbers of recomputed verdicts and cases of a board, and of single ranks."""
    round_noun = labels.rounds_word(board.benchmark)
    results = _submission_results(board)
    cases = sum(result.total or 0 for result in results)
    if results:
        yield f"{len(results):,}", f"verdicts recomputed, one per {round_noun} of every run"
    if cases:
        yield f"{cases:,}", "test cases behind them"
    yield from _claim_facts(board)
    if board.inference.ranks and len(board.ranks) > 1:
        yield _single_rank_fact(board)


def _submission_results(board: Board) -> list[RoundResult]:
    """Return the counted results of all rounds of a board's submissions."""
    results: list[RoundResult] = []
    for entry in board.submissions:
        if entry.bundle:
            results += counting_results(own_results(entry.bundle.rounds))
    return results


def _claim_facts(board: Board) -> Iterator[NumberFact]:
    """Yield the number of published headline values that agree with the recomputed scores.

    Values that cover different tasks from the recomputed scores are counted separately, because the
    two are not comparable.
    """
    agreeing_count = 0
    differing_count = 0
    other_tasks: list[tuple[int | None, int | None]] = []
    for entry in board.submissions:
        score = entry.scores.get(board.headline.id)
        if score is None or score.value is None or not score.claim or not score.claim.source:
            continue
        if score.claim in score.claims_over_other_tasks:
            scored = entry.coverage.scored if entry.coverage else None
            other_tasks.append((score.claim.tasks, scored))
        elif score.claim.agrees_with(score.value):
            agreeing_count += 1
        else:
            differing_count += 1
    title = labels.title_on(board)
    count = agreeing_count + differing_count
    if count:
        subject = f"published {title} {agreeing(count, 'value', 'values')}"
        verb = agreeing(count, "agrees", "agree")
        text = f"{subject} {verb} with the recomputed {agreeing(count, 'score', 'scores')}"
        number = f"{count} of {count}"
        if differing_count:
            number = f"{differing_count} of {count}"
            verb = agreeing(differing_count, "differs", "differ")
            text = f"{subject} {verb} from the recomputed scores; both are shown"
        yield number, text
    if other_tasks:
        yield f"{len(other_tasks):,}", _other_tasks_text(title, other_tasks)


def _other_tasks_text(title: str, tasks: Sequence[tuple[int | None, int | None]]) -> str:
    """Return a text that says that published values cover different tasks from recomputed scores.

    Args:
        title: The headline metric.
        tasks: For each published value, its number of tasks and that of its recomputed score.
    """
    count = len(tasks)
    subject = f"published {title} {agreeing(count, 'value covers', 'values cover')}"
    recomputed = agreeing(count, "the recomputed one", "the recomputed ones")
    numbers = only_value(tasks)
    covered = f"different tasks from {recomputed}"
    if numbers and numbers[0] and numbers[1]:
        covered = f"{counted(numbers[0], 'task')} and {recomputed} {numbers[1]:,}"
    return f"{subject} {covered}, so the two are not comparable; both are shown"


def _single_rank_fact(board: Board) -> NumberFact:
    """Return the number of rows with a single rank, with its label."""
    single = sum(first == last for first, last in board.inference.ranks.values())
    others = len(board.ranks) - single
    text = "agents with a single rank"
    if single and others:
        text = f"{text}; {agreeing(others, 'the other has', 'the others have')} a range"
    return f"{single} of {len(board.ranks)}", text
