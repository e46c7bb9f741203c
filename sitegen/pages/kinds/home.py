"""The generated parts of authored pages: home, data, API and changelog, rules, and the format's keys."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from sitegen.board.answers.news import changes_of, release_answer
from sitegen.board.answers.order import board_answer
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.benchmark import benchmarks_by_group
from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.models.site import PARQUET, Site
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, board_link
from sitegen.pages.descriptions import Datasets, scores_files
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.site import Whole, authored_parts, headline
from sitegen.pages.strips import ranking_of
from sitegen.problems import Rule, UsageError, agreeing, errors_of, grouped, plural

_MOST, _SIX, _NEWS = 100, 6, 3
"""So many rows of the board that leads, and of each other one, are shown; and so many changes."""


def lead_of(boards: Sequence[Board], named: str) -> Board | None:
    """Choose the board that the home page begins with, never a simulated one; None where there is no other.

    It is the BENCHMARK/TRACK that the settings name, else the current one of most recomputed rows.

    Raises:
        UsageError: There is no such board, or it is simulated.
    """
    real = {
        "/".join(addresses.of(board)): board for board in boards if not board.benchmark.simulated
    }
    if named and named not in real:
        is_there = named in {"/".join(addresses.of(board)) for board in boards}
        why = (
            "is simulated, and simulated data never leads"
            if is_there
            else "is no board of these results"
        )
        raise UsageError(
            f"`extra: lead:` in mkdocs.yml says {named}, which {why}; name one of: {', '.join(real)}"
        )
    if named:
        return real[named]
    current = [board for board in real.values() if board.track.status == "current" and board.ranks]
    return max(current, key=lambda board: len(board.submissions), default=None)


@authored_parts
def home_parts(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show who leads, what is new, how to add an agent, the other boards, and what is wrong with results shown here."""
    lead = lead_of(whole.boards, templates.site.lead)
    shown = [
        board
        for board in whole.boards
        if board.ranks and board.track.status == "current" and board is not lead
    ]
    filled = {board.benchmark.id for board in (*shown, *([lead] if lead else ()))}
    values = {
        "lead": ranking_of(lead, _MOST) if lead else None,
        "facts": list(_facts(lead)) if lead else (),
        "news": list(islice(_news(whole), _NEWS)),
        "groups": [
            (
                group,
                [
                    (board, board_answer(board), ranking_of(board, _SIX))
                    for board in shown
                    if board.benchmark in group
                ],
                [benchmark for benchmark in group if benchmark.id not in filled],
            )
            for group in benchmarks_by_group(
                boards[0].benchmark for boards in whole.ledger.benchmarks
            ).values()
        ],
        "printed": any(not board.submissions for board in shown),
        "errors": errors_of(whole.problems),
        "catalogue": _catalogue(addresses.HOME, whole, templates),
    }
    yield Fragment(addresses.HOME, "boards", templates.fill("home.html.j2", addresses.HOME, values))
    if lead:
        yield from headline(addresses.HOME, lead.title, board_answer(lead), templates)


def _news(whole: Whole) -> Iterator[tuple[str, str, str, str]]:
    """Yield what releases changed, the latest first: the day, the address, what changed, and why.

    The first of all changed everything, and is told in one line.
    """
    for chapter in reversed(whole.ledger.releases):
        day, answer = str(chapter.release.date), release_answer(chapter)
        address = addresses.release_address(day)
        if chapter.before is None and answer:
            yield day, address, f"First release: {answer.text}", ""
            continue
        for change in changes_of(chapter):
            about = f"{address}#{change.where.benchmark.id}-{change.where.board.track}"
            yield day, about, change.text, change.why


def _facts(board: Board) -> Iterator[tuple[str, str]]:
    """Yield what was counted again on a board, and what that shows: numbers, each with its words."""
    title, word = labels.title_on(board), labels.rounds_word(board.benchmark)
    records = [
        each
        for entry in board.submissions
        for each in (entry.bundle.rounds if entry.bundle else ())
        if each.start == "own" and each.state != "excluded"
    ]
    cases = sum(each.total or 0 for each in records)
    if records:
        yield f"{len(records):,}", f"verdicts counted again, one for each {word} of each run"
    if cases:
        yield f"{cases:,}", "test cases behind them"
    scores = [
        entry.scores[board.headline.id]
        for entry in board.submissions
        if entry.has_score(board.headline.id)
    ]
    claims = [(score, score.claim) for score in scores if score.claim and score.claim.source]
    apart = sum(not claim.agrees_with(score.value or 0.0) for score, claim in claims)
    over = {claim.tasks for _, claim in claims}
    (told,) = over if len(over) == 1 else (None,)
    here = board.counting[0]
    sizes = f", which has {here} of the {told} tasks" if told and told > here else ""
    values = plural("value") if len(claims) > 1 else "value"
    if apart:
        differ = agreeing(apart, "differs", "differ")
        words = f"printed {values} of {title} {differ} from the recount{sizes}; both are shown"
        yield f"{apart} of {len(claims)}", words
    elif claims:
        agree = agreeing(len(claims), "agrees", "agree")
        yield (
            f"{len(claims)} of {len(claims)}",
            f"printed {values} of {title} {agree} with the recount",
        )
    sure = sum(first == last for first, last in board.certainty.ranks.values())
    if board.certainty.ranks and len(board.ranks) > 1:
        has = "rows has a rank of its own" if sure == 1 else "rows have a rank of their own"
        yield (
            f"{sure} of {len(board.ranks)}",
            has if sure in {0, len(board.ranks)} else f"{has}; the others have a range",
        )


@authored_parts
def data_parts(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show what can be downloaded; tell the reader of the API of files that only some sites have."""
    shown = [
        (
            boards[0].benchmark,
            len(frozenset().union(*(board.private for board in boards))),
            list(_downloads(boards, whole.raw[boards[0].benchmark.id], templates.site)),
        )
        for boards in whole.ledger.benchmarks
    ]
    values = {"shown": shown, "catalogue": _catalogue(addresses.DATA, whole, templates)}
    yield Fragment(addresses.DATA, "files", templates.fill("data.html.j2", addresses.DATA, values))
    formats = {"has_parquet": PARQUET in templates.site.kinds}
    yield Fragment(
        addresses.API, "formats", templates.fill("formats.html.j2", addresses.API, formats)
    )


def _downloads(
    boards: Sequence[Board], names: Sequence[str], site: Site
) -> Iterator[tuple[str, Sequence[Link]]]:
    """Yield what can be downloaded of a benchmark: sets of files, each with its title."""
    for board in boards:
        yield (
            f"Scores of {board.track.title}",
            [
                *(Link(kind.title, address) for kind, address in scores_files(board, site)),
                Link("Croissant", addresses.of(board).croissant),
            ],
        )
    folders: dict[str, list[Link]] = defaultdict(list)
    for name in names:
        folder, _, file = name.rpartition("/")
        address = addresses.raw_address(boards[0].benchmark.id, name)
        folders[folder or "Definition and findings"].append(Link(file, address))
    yield from ((folder.removeprefix("submissions/"), files) for folder, files in folders.items())


def _catalogue(address: str, whole: Whole, templates: Templates) -> object:
    releases = [chapter.release for chapter in whole.ledger.releases]
    return Datasets(address, templates.site, releases).catalogue(whole.ledger.benchmarks)


@authored_parts
def changelog_part(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show what entered and left the boards, newest first."""
    days: dict[tuple[str, str, Link], list[tuple[Entry, str, str]]] = defaultdict(list)
    for board in whole.boards:
        for entry in board.all_entries:
            status, name, on = (
                entry.status,
                board.names.get(entry.id, entry.agent.name),
                board_link(board),
            )
            row = (entry, name, addresses.of(board).entry(entry.id))
            days[str(entry.date), "reported" if entry.table else "entered", on].append(row)
            if not entry.is_ranked and status.date:
                reason = f" ({status.reason})" if status.reason else ""
                days[str(status.date), f"{status.state}{reason}", on].append(row)
    by_day = grouped((day, (on, words, rows)) for (day, words, on), rows in days.items())
    values = {"days": [(day, by_day[day]) for day in sorted(by_day, reverse=True)]}
    text = templates.fill("changelog.html.j2", addresses.CHANGELOG, values)
    yield Fragment(addresses.CHANGELOG, "days", text)


@authored_parts
def submit_parts(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show how results come onto each track that takes them."""
    values = {"boards": [board for board in whole.boards if board.track.status == "current"]}
    yield Fragment(
        addresses.SUBMIT, "tracks", templates.fill("submit.html.j2", addresses.SUBMIT, values)
    )


def rules_fragments(
    rules: Mapping[str, Sequence[Rule]], templates: Templates
) -> Iterator[Fragment]:
    """Show every rule that is checked, by the slot of the page of checks that it is told in."""
    for slot, told in rules.items():
        values = {"rules": told, "are_waivable": slot == "rules-of-results"}
        text = templates.fill("rules.html.j2", addresses.CHECKS, values)
        yield Fragment(addresses.CHECKS, slot, text)


class Key(NamedTuple):
    """A key of a file that people write: its path, what it means, the words it may have, whether it must be there."""

    path: str
    means: str
    words: Sequence[str]
    is_required: bool


def keys_fragments(templates: Templates) -> Iterator[Fragment]:
    """Show every key of each kind of record that a results folder holds, and of a metric, as the schemas tell them."""
    schemas = {kind: json_schema(kind) for kind in SCHEMAS}
    told = [
        (addresses.FORMAT, kind, _keys(schema, schema.get("$defs", {})))
        for kind, schema in schemas.items()
    ]
    told.append(
        (addresses.DECLARING, "metric", _keys(schemas["benchmark"]["$defs"]["Declared"], {}))
    )
    for address, kind, keys in told:
        values = {"kind": kind, "keys": list(keys)}
        yield Fragment(address, f"keys-of-{kind}", templates.fill("keys.html.j2", address, values))


def _keys(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], before: str = ""
) -> Iterator[Key]:
    """The keys of a record, and behind each those of what is in it: `agent.name`, `tracks[].id`, `axes.NAME.title`."""
    for name, value in schema["properties"].items():
        parts = [value, *value.get("anyOf", ())]
        if any("$ref" not in part and part.get("type") != "null" for part in parts[1:] or parts):
            words = [word for part in parts for word in part.get("enum", ())]
            yield Key(
                before + name,
                value.get("description", ""),
                words,
                name in schema.get("required", ()),
            )
        for part in parts:
            for inside, sign in (
                (part, ""),
                (part.get("items"), "[]"),
                (part.get("additionalProperties"), ".NAME"),
            ):
                if isinstance(inside, dict) and "$ref" in inside:
                    inner = definitions[inside["$ref"].rpartition("/")[2]]
                    yield from _keys(inner, definitions, f"{before}{name}{sign}.")
    if isinstance(schema.get("additionalProperties"), dict):
        yield Key(f"{before}NAME", schema["description"], (), is_required=False)
