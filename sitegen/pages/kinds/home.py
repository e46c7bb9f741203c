"""The generated parts of authored pages: home, data, API, changelog, rules, and keys of files."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from sitegen.board.answers.answer import Answer
from sitegen.board.answers.news import changes_of, release_answer
from sitegen.board.answers.ranking_headlines import board_answer
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.benchmark import Benchmark, benchmarks_by_group
from sitegen.models.outcome import RoundResult
from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.models.site import PARQUET, Site
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, board_link
from sitegen.pages.descriptions import Datasets, scores_links
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.selection import boards_of_status, counting_results, own_results
from sitegen.pages.site import SiteContent, authored_parts, title_fragment
from sitegen.pages.strips import BoardRanking, ranking_of
from sitegen.pages.texts import only_value
from sitegen.problems import Rule, UsageError, agreeing, errors_of, grouped, plural

_MAX_LEAD_ROWS = 100
"""Rows of the leading board on the home page."""
_MAX_BOARD_ROWS = 6
"""Rows of each other board on the home page."""
_MAX_NEWS = 3
"""Changes on the home page."""

NumberFact = tuple[str, str]
"""A number, and what it counts."""

NewsItem = tuple[str, str, str, str]
"""A change: its day and address, what changed, and why."""

_AnsweredRanking = tuple[Board, Answer | None, BoardRanking]
"""A board, what it says first, and its first rows."""

_ChangedRow = tuple[Entry, str, str]
"""A row that entered or left a board, with its name and address."""


def lead_of(boards: Sequence[Board], named: str) -> Board | None:
    """Return the board that the home page begins with, never a simulated one; None for none.

    It is the BENCHMARK/TRACK that the settings name, else the current board with the most
    recomputed rows.

    Raises:
        UsageError: There is no such board, or it is simulated.
    """
    real_boards = [board for board in boards if not board.benchmark.simulated]
    real = {"/".join(addresses.of(board)): board for board in real_boards}
    if named in real:
        return real[named]
    if named:
        reason = "is no board of these results"
        if any(named == "/".join(addresses.of(board)) for board in boards):
            reason = "is simulated, and simulated data never leads"
        choices = ", ".join(real)
        raise UsageError(
            f"`extra: lead:` in mkdocs.yml says {named}, which {reason}; name one of: {choices}"
        )
    current = filter(_is_current_with_ranks, real.values())
    return max(current, key=lambda board: len(board.submissions), default=None)


def _is_current_with_ranks(board: Board) -> bool:
    return board.track.status == "current" and bool(board.ranks)


@authored_parts
def home_parts(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show who leads, what is new, how to add an agent, the other boards, and errors in results."""
    boards = site_content.boards
    lead = lead_of(boards, templates.site.lead)
    shown = [board for board in boards if board is not lead and _is_current_with_ranks(board)]
    values = {
        "lead": ranking_of(lead, _MAX_LEAD_ROWS) if lead else None,
        "facts": list(_lead_facts(lead)) if lead else (),
        "news": list(islice(_news(site_content), _MAX_NEWS)),
        "groups": _benchmark_groups(site_content, shown, lead),
        "printed": any(not board.submissions for board in shown),
        "errors": errors_of(site_content.problems),
        "catalogue": _catalogue(addresses.HOME, site_content, templates),
    }
    text = templates.fill("home.html.j2", addresses.HOME, values)
    yield Fragment(addresses.HOME, "boards", text)
    if lead:
        yield from title_fragment(addresses.HOME, lead.title, board_answer(lead), templates)


def _benchmark_groups(
    site_content: SiteContent, shown: Sequence[Board], lead: Board | None
) -> list[tuple[list[Benchmark], list[_AnsweredRanking], list[Benchmark]]]:
    """Return groups of benchmarks, each with its boards, and its benchmarks without any row."""
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
    """Yield what releases changed, the latest first.

    The first release changed everything, so it is one item.
    """
    for chapter in reversed(site_content.ledger.releases):
        day = str(chapter.release.date)
        address = addresses.release_address(day)
        answer = release_answer(chapter)
        if chapter.before is None and answer:
            yield day, address, f"First release: {answer.text}", ""
            continue
        for change in changes_of(chapter):
            anchor = f"{change.where.benchmark.id}-{change.where.board.track}"
            yield day, f"{address}#{anchor}", change.text, change.why


def _lead_facts(board: Board) -> Iterator[NumberFact]:
    """Yield what was recomputed for a board, and what that shows."""
    round_noun = labels.rounds_word(board.benchmark)
    results = _submission_results(board)
    cases = sum(result.total or 0 for result in results)
    if results:
        yield f"{len(results):,}", f"verdicts counted again, one for each {round_noun} of each run"
    if cases:
        yield f"{cases:,}", "test cases behind them"
    yield from _claim_facts(board)
    if board.certainty.ranks and len(board.ranks) > 1:
        yield _single_rank_fact(board)


def _submission_results(board: Board) -> list[RoundResult]:
    """Return the rounds of a board's submissions that count."""
    results: list[RoundResult] = []
    for entry in board.submissions:
        if entry.bundle:
            results += counting_results(own_results(entry.bundle.rounds))
    return results


def _claim_facts(board: Board) -> Iterator[NumberFact]:
    """Yield how many published values of the headline agree with the recomputed ones, if any."""
    differing = 0
    claimed_tasks = []
    for entry in board.submissions:
        if not entry.has_score(board.headline.id):
            continue
        score = entry.scores[board.headline.id]
        if score.claim and score.claim.source:
            claimed_tasks.append(score.claim.tasks)
            differing += not score.claim.agrees_with(score.value or 0.0)
    count = len(claimed_tasks)
    if not count:
        return
    noun = plural("value") if count > 1 else "value"
    subject = f"printed {noun} of {labels.title_on(board)}"
    if differing:
        verb = agreeing(differing, "differs", "differ")
        sizes = _size_difference(board.counting[0], only_value(claimed_tasks))
        text = f"{subject} {verb} from the recount{sizes}; both are shown"
        yield f"{differing} of {count}", text
    else:
        verb = agreeing(count, "agrees", "agree")
        yield f"{count} of {count}", f"{subject} {verb} with the recount"


def _size_difference(task_count: int, claimed_tasks: int | None) -> str:
    """Return that a board has fewer tasks than its published values; empty where it has not."""
    if claimed_tasks is None or claimed_tasks <= task_count:
        return ""
    return f", which has {task_count} of the {claimed_tasks} tasks"


def _single_rank_fact(board: Board) -> NumberFact:
    """Return how many rows have a single rank."""
    single = sum(first == last for first, last in board.certainty.ranks.values())
    text = "rows have a rank of their own"
    if single == 1:
        text = "rows has a rank of its own"
    if single not in {0, len(board.ranks)}:
        text = f"{text}; the others have a range"
    return f"{single} of {len(board.ranks)}", text


@authored_parts
def data_parts(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show what can be downloaded, and on the API page the formats that only some sites have."""
    shown = []
    for boards in site_content.ledger.benchmarks:
        benchmark = boards[0].benchmark
        private_tasks: set[str] = set()
        private_tasks.update(*(board.private for board in boards))
        raw_names = site_content.raw[benchmark.id]
        downloads = list(_downloads(boards, raw_names, templates.site))
        shown.append((benchmark, len(private_tasks), downloads))
    values = {"shown": shown, "catalogue": _catalogue(addresses.DATA, site_content, templates)}
    yield Fragment(addresses.DATA, "files", templates.fill("data.html.j2", addresses.DATA, values))
    formats = {"has_parquet": PARQUET in templates.site.kinds}
    text = templates.fill("formats.html.j2", addresses.API, formats)
    yield Fragment(addresses.API, "formats", text)


def _downloads(
    boards: Sequence[Board], raw_names: Sequence[str], site: Site
) -> Iterator[tuple[str, Sequence[Link]]]:
    """Yield sets of files of a benchmark that can be downloaded, each with its title."""
    for board in boards:
        croissant = Link("Croissant", addresses.of(board).croissant)
        yield f"Scores of {board.track.title}", [*scores_links(board, site), croissant]
    folders: dict[str, list[Link]] = defaultdict(list)
    for name in raw_names:
        folder, _, file = name.rpartition("/")
        address = addresses.raw_address(boards[0].benchmark.id, name)
        folders[folder or "Definition and findings"].append(Link(file, address))
    for folder, links in folders.items():
        yield folder.removeprefix("submissions/"), links


def _catalogue(address: str, site_content: SiteContent, templates: Templates) -> object:
    releases = [chapter.release for chapter in site_content.ledger.releases]
    datasets = Datasets(address, templates.site, releases)
    return datasets.catalogue(site_content.ledger.benchmarks)


@authored_parts
def changelog_part(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show what entered and left the boards, newest first."""
    rows_by_event: dict[tuple[str, str, Link], list[_ChangedRow]] = defaultdict(list)
    for board in site_content.boards:
        link = board_link(board)
        for entry in board.all_entries:
            status = entry.status
            name = board.names.get(entry.id, entry.agent.name)
            row = (entry, name, addresses.of(board).entry(entry.id))
            entered = "reported" if entry.table else "entered"
            rows_by_event[str(entry.date), entered, link].append(row)
            if not entry.is_ranked and status.date:
                reason = ""
                if status.reason:
                    reason = f" ({status.reason})"
                left_text = f"{status.state}{reason}"
                rows_by_event[str(status.date), left_text, link].append(row)
    events = rows_by_event.items()
    events_by_day = grouped((day, (link, text, rows)) for (day, text, link), rows in events)
    days = sorted(events_by_day.items(), key=lambda item: item[0], reverse=True)
    text = templates.fill("changelog.html.j2", addresses.CHANGELOG, {"days": days})
    yield Fragment(addresses.CHANGELOG, "days", text)


@authored_parts
def submit_parts(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show how to submit results to each track that takes them."""
    current = boards_of_status(site_content.boards, "current")
    text = templates.fill("submit.html.j2", addresses.SUBMIT, {"boards": current})
    yield Fragment(addresses.SUBMIT, "tracks", text)


def rules_fragments(
    rules: Mapping[str, Sequence[Rule]], templates: Templates
) -> Iterator[Fragment]:
    """Yield every rule that is checked, by its slot on the page of checks."""
    for slot, slot_rules in rules.items():
        values = {"rules": slot_rules, "are_waivable": slot == "rules-of-results"}
        text = templates.fill("rules.html.j2", addresses.CHECKS, values)
        yield Fragment(addresses.CHECKS, slot, text)


class Key(NamedTuple):
    """A key of a file that people write: its path, what it means, its enum values, if required."""

    path: str
    means: str
    words: Sequence[str]
    is_required: bool


def keys_fragments(templates: Templates) -> Iterator[Fragment]:
    """Yield the keys of each kind of record in a results folder, and of a declared metric."""
    schemas = {kind: json_schema(kind) for kind in SCHEMAS}
    for kind, schema in schemas.items():
        keys = list(_keys(schema, schema.get("$defs", {})))
        yield _keys_fragment(addresses.FORMAT, kind, keys, templates)
    declared_metric = schemas["benchmark"]["$defs"]["Declared"]
    keys = list(_keys(declared_metric, {}))
    yield _keys_fragment(addresses.DECLARING, "metric", keys, templates)


def _keys_fragment(address: str, kind: str, keys: list[Key], templates: Templates) -> Fragment:
    text = templates.fill("keys.html.j2", address, {"kind": kind, "keys": keys})
    return Fragment(address, f"keys-of-{kind}", text)


def _keys(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], prefix: str = ""
) -> Iterator[Key]:
    """Yield the keys of a record, each before the keys inside it.

    Paths look like `agent.name`, `tracks[].id` and `axes.NAME.title`.
    """
    required = schema.get("required", ())
    for name, value in schema["properties"].items():
        path = f"{prefix}{name}"
        alternatives = [value, *value.get("anyOf", ())]
        if any(map(_is_value, alternatives[1:] or alternatives)):
            enum_values: list[str] = []
            for alternative in alternatives:
                enum_values += alternative.get("enum", ())
            yield Key(path, value.get("description", ""), enum_values, name in required)
        for alternative in alternatives:
            for sign, reference in _references(alternative):
                record = definitions[reference.rpartition("/")[2]]
                yield from _keys(record, definitions, f"{path}{sign}.")
    if isinstance(schema.get("additionalProperties"), dict):
        yield Key(f"{prefix}NAME", schema["description"], (), is_required=False)


def _is_value(schema: Mapping[str, Any]) -> bool:
    """Whether a schema is of a value, rather than of null or of a record defined elsewhere."""
    return "$ref" not in schema and schema.get("type") != "null"


def _references(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield references to records: of the schema itself, its items, and its named values."""
    inner_schemas = (
        ("", schema),
        ("[]", schema.get("items")),
        (".NAME", schema.get("additionalProperties")),
    )
    for sign, inner_schema in inner_schemas:
        if isinstance(inner_schema, dict) and "$ref" in inner_schema:
            yield sign, inner_schema["$ref"]
