"""What the feeds tell: releases, and the single events that they brought."""

from collections.abc import Iterator
from dataclasses import dataclass

from sitegen.board.export import event_id
from sitegen.board.ledger import BoardEvents, Event, Ledger, ReleaseEvents
from sitegen.board.score import GAP
from sitegen.models.release import LockedScore
from sitegen.pages import addresses
from sitegen.pages.releases import CAUSES, TITLES, place_text
from sitegen.pages.text import visible


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a feed tells.

    Attributes:
        id: Its name, which no other item ever has.
        date: Day of the release that brought it.
        title: In a few words.
        address: Where it is told, below the site's root.
        words: In a sentence, without markup.
        tags: What it is about: the benchmark's id, and what happened.
    """

    id: str
    date: str
    title: str
    address: str
    words: str
    tags: tuple[str, ...]


def news_of(ledger: Ledger) -> list[Item]:
    """Give everything that the feeds tell, the latest first."""
    return [item for chapter in reversed(ledger.releases) for item in _items(chapter)]


def _items(chapter: ReleaseEvents) -> Iterator[Item]:
    release = chapter.release
    day, address = str(release.date), addresses.release_address(release.date)
    events = sum(len(board.events) for board in chapter.boards)
    words = f"{release.name}: {events} events on {len(chapter.boards)} boards."
    yield Item(f"release/{day}", day, f"Release {release.name}", address, words, ("release",))
    for where in chapter.boards:
        for event in where.events:
            yield _item(day, address, where, event)


def _item(day: str, address: str, where: BoardEvents, event: Event) -> Item:
    board = f"{where.benchmark.title}, {where.board.title}"
    title = f"{visible(event.row.name)}: {TITLES[event.what].lower()} ({board})"
    words = ". ".join(part for part in (_causes(event), _scores(where, event), _ranks(event)) if part)
    anchor = f"{address}#{where.benchmark.id}-{where.board.track}"
    return Item(f"{day}/{event_id(where, event)}", day, title, anchor, f"{words}.", (where.benchmark.id, event.what))


def _causes(event: Event) -> str:
    told = (f"{CAUSES[each.kind]}: {each.about}" if each.about else CAUSES[each.kind] for each in event.causes)
    return visible("; ".join(told))


def _scores(where: BoardEvents, event: Event) -> str:
    turns = [turn for turn in event.turns if turn.metric == where.board.headline]
    return "; ".join(f"{turn.metric} {_value(turn.before)} → {_value(turn.after)}" for turn in turns)


def _ranks(event: Event) -> str:
    return f"rank {place_text(event.before) if event.before else GAP} → {place_text(event.row)}"


def _value(score: LockedScore | None) -> str:
    return GAP if score is None else repr(score.value)
