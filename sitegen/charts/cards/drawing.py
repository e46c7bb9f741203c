"""Draws cards. Sizes are for a picture that is seen at a third of its width: no type is smaller than 22 pixels."""

from sitegen.charts.cards.canvas import (
    HEIGHT,
    INK,
    MARK,
    PAPER,
    QUIET,
    RULE,
    STRONG_RULE,
    TINT,
    WIDTH,
    Area,
    Canvas,
)
from sitegen.charts.cards.card import BoardCard, Card, Figure, Line, RowCard, SiteCard, Span, Surroundings
from sitegen.charts.cards.digest import card_digest
from sitegen.charts.cards.lettering import ELLIPSIS, Lettering, readable, shown
from sitegen.charts.ruler import Ruler

LEFT, RIGHT = 64, WIDTH - 64
_SMALL, _TEXT, _LEAD = Lettering("plain", 22), Lettering("plain", 26), Lettering("plain", 30)
_TITLES = [Lettering("strong", size) for size in (72, 60, 50)]
_TWO_LINES = Lettering("strong", 44)
_FIGURE, _BESIDE = Lettering("strong", 96), Lettering("strong", 44)
_LABEL, _FOOT = Lettering("strong", 24), Lettering("plain", 24)
_GAP = 24


def drawn_card(card: Card) -> bytes:
    """Draw a card as a PNG file: the same words give the same bytes."""
    canvas = Canvas()
    match card:
        case RowCard():
            _draw_row(canvas, card)
        case BoardCard():
            _draw_board(canvas, card)
        case SiteCard():
            _draw_site(canvas, card)
    return canvas.png(card_digest(card))


def _draw_row(canvas: Canvas, card: RowCard) -> None:
    _draw_surroundings(canvas, card.around)
    _draw_name(canvas, shown(card.name), is_struck=card.is_struck)
    canvas.write(LEFT, 218, _LEAD.cut(card.about, RIGHT - LEFT), _LEAD, QUIET)
    room = (RIGHT - LEFT - _GAP) / max(1, len(card.figures))
    for number, figure in enumerate(card.figures):
        _draw_figure(canvas, figure, LEFT + number * (room + _GAP), room)
    if card.ruler:
        _draw_ruler(canvas, card, card.ruler)


def _draw_surroundings(canvas: Canvas, around: Surroundings) -> None:
    left: float = RIGHT
    for label in reversed(around.labels):
        left = _draw_label(canvas, label, left)
    where = _LEAD.cut(" · ".join(map(shown, around.where)), left - LEFT)
    canvas.write(LEFT, 78, where, _LEAD, QUIET)
    canvas.fill(Area(LEFT, 560, RIGHT, 562), RULE)
    foot = _FOOT.cut(around.foot, (RIGHT - LEFT) * 0.8)
    end = canvas.write(LEFT, 600, foot, _FOOT, QUIET)
    canvas.write_before(RIGHT, 600, _LABEL.cut(around.site, RIGHT - end - _GAP), _LABEL)


def _draw_label(canvas: Canvas, label: str, right: float) -> float:
    """Write on a ground of ink what must not be missed, and give where the room before it ends."""
    text = _LABEL.cut(label, (RIGHT - LEFT) / 3)
    left = right - _LABEL.width(text) - 28
    canvas.fill(Area(left, 48, right, 90), INK)
    canvas.write(left + 14, 78, text, _LABEL, PAPER)
    return left - 12


def _draw_name(canvas: Canvas, name: str, *, is_struck: bool) -> None:
    """Write a name as large as it goes on one line, else on two."""
    room = RIGHT - LEFT
    letters = next((title for title in _TITLES if title.width(name) <= room), None)
    lines = [(166, name)] if letters else list(zip((132, 182), _broken(name, room), strict=True))
    for baseline, text in lines:
        end = canvas.write(LEFT, baseline, text, letters or _TWO_LINES)
        if is_struck:
            middle = baseline - (letters or _TWO_LINES).size // 3
            canvas.fill(Area(LEFT - 4, middle - 1, end + 4, middle + 2), INK)


def _broken(name: str, room: float) -> tuple[str, str]:
    """Break a name into two lines, between words where the first line is more than half full."""
    whole = readable(name)
    first = _TWO_LINES.cut(whole, room + _TWO_LINES.width(ELLIPSIS)).rstrip(ELLIPSIS)
    while first and _TWO_LINES.width(first) > room:
        first = first[:-1]
    words, _, _ = first.rpartition(" ")
    if _TWO_LINES.width(words) > room / 2:
        first = words
    return first.rstrip(), _TWO_LINES.cut(whole[len(first) :].strip(), room)


def _draw_figure(canvas: Canvas, figure: Figure, left: float, room: float) -> None:
    canvas.write(left, 274, _TEXT.cut(figure.title, room), _TEXT, QUIET)
    beside = _BESIDE.width(figure.beside) + 16 if figure.beside else 0
    end = canvas.write(left - 3, 362, _FIGURE.cut(figure.text, room - beside), _FIGURE)
    if figure.beside:
        canvas.write(end + 16, 362, figure.beside, _BESIDE, QUIET)
    canvas.write(left, 402, _TEXT.cut(figure.note, room), _TEXT, QUIET)


def _draw_ruler(canvas: Canvas, card: RowCard, ruler: Ruler) -> None:
    """Draw where a score lies among those of all agents, with its interval."""

    def at(value: float) -> float:
        return LEFT + ruler.place(value, RIGHT - LEFT)

    canvas.write(LEFT, 446, _SMALL.cut(card.caption, RIGHT - LEFT), _SMALL, QUIET)
    canvas.fill(Area(LEFT, 508, RIGHT, 510), STRONG_RULE)
    for mark in ruler.marks:
        canvas.fill(Area(at(mark) - 1, 510, at(mark) + 1, 516), STRONG_RULE)
        _write_around(canvas, at(mark), 542, f"{mark:,.10g}")
    if card.own and card.own.low is not None and card.own.high is not None:
        canvas.fill(Area(at(card.own.low), 472, at(card.own.high), 508), TINT)
    for value in card.all:
        canvas.fill(Area(at(value) - 1, 484, at(value) + 2, 508), INK)
    if card.own:
        canvas.fill(Area(at(card.own.value) - 4, 458, at(card.own.value) + 5, 508), MARK)


def _write_around(canvas: Canvas, middle: float, baseline: float, text: str) -> None:
    """Write text around a place, as far as the margins allow."""
    width = _SMALL.width(text)
    canvas.write(min(max(LEFT, middle - width / 2), RIGHT - width), baseline, text, _SMALL, QUIET)


def _draw_board(canvas: Canvas, card: BoardCard) -> None:
    _draw_surroundings(canvas, card.around)
    room = RIGHT - LEFT
    name = shown(card.name)
    letters = next((title for title in _TITLES[1:] if title.width(name) <= room), _TITLES[-1])
    canvas.write(LEFT, 146, letters.cut(name, room), letters)
    canvas.write(LEFT, 190, _TEXT.cut(card.facts, room), _TEXT, QUIET)
    if card.lines:
        _Rows(canvas, card).draw()


class _Rows:
    """The rows of a board's card: rank, name, score, bar."""

    TOP, BOTTOM, BARS = 258, 548, 788

    def __init__(self, canvas: Canvas, card: BoardCard) -> None:
        self.canvas, self.card = canvas, card
        self.pitch = min(64.0, (self.BOTTOM - self.TOP) / len(card.lines))
        size = min(34, int(self.pitch * 0.7))
        self.strong, self.plain = Lettering("strong", size), Lettering("plain", size)
        self.names = LEFT + max(self.plain.width(line.place) for line in card.lines) + 20
        self.fraction = max(self.plain.width(_split(line.text)[1]) for line in card.lines)
        self.scores = self.BARS - 20 - self.fraction

    def draw(self) -> None:
        """Draw the heads, then row by row."""
        head = 240
        self.canvas.write(LEFT, head, _SMALL.cut(self.card.shown, self.BARS - LEFT - _GAP), _SMALL, QUIET)
        self.canvas.write(self.BARS, head, _SMALL.cut(self.card.score, RIGHT - self.BARS), _SMALL, QUIET)
        self.canvas.fill(Area(LEFT, self.TOP - 8, RIGHT, self.TOP - 6), RULE)
        for number, line in enumerate(self.card.lines):
            self._draw(line, self.TOP + number * self.pitch)

    def _draw(self, line: Line, top: float) -> None:
        baseline = round(top + self.pitch / 2 + self.strong.size * 0.36)
        whole, fraction = _split(line.text)
        left = self.scores - self.strong.width(whole)
        self.canvas.write_before(self.names - 20, baseline, line.place, self.plain, QUIET)
        note = _SMALL.width(line.note) + 16 if line.note else 0
        name = self.strong.cut(shown(line.name), left - _GAP - self.names - note)
        end = self.canvas.write(self.names, baseline, name, self.strong)
        self.canvas.write(end + 16, baseline, line.note, _SMALL, QUIET)
        self.canvas.write(left, baseline, f"{whole}{fraction}", self.strong)
        if line.span and self.card.ruler:
            self._draw_bar(line.span, self.card.ruler, top)

    def _draw_bar(self, span: Span, ruler: Ruler, top: float) -> None:
        def at(value: float) -> float:
            return self.BARS + ruler.place(value, RIGHT - self.BARS)

        height = min(26.0, self.pitch * 0.56)
        first = round(top + (self.pitch - height) / 2)
        last = first + round(height)
        begin, end = sorted((at(0), at(span.value)))
        self.canvas.fill(Area(begin, first, end, last), MARK)
        if span.low is not None and span.high is not None:
            middle = (first + last) // 2
            self.canvas.fill(Area(at(span.low), middle - 1, at(span.high), middle + 2), INK)
            inside = max(begin, at(span.low)), min(end, at(span.high))
            self.canvas.fill(Area(inside[0], middle - 1, inside[1], middle + 2), PAPER)


def _split(text: str) -> tuple[str, str]:
    """Split a score at its point, where scores that stand below each other are aligned."""
    whole, point, fraction = text.partition(".")
    return whole, f"{point}{fraction}"


def _draw_site(canvas: Canvas, card: SiteCard) -> None:
    room = RIGHT - LEFT
    letters = next((title for title in _TITLES if title.width(card.name) <= room), _TITLES[-1])
    canvas.write(LEFT, HEIGHT // 2, letters.cut(card.name, room), letters)
    canvas.fill(Area(LEFT, HEIGHT // 2 + 36, RIGHT, HEIGHT // 2 + 38), RULE)
    canvas.write(LEFT, HEIGHT // 2 + 90, _LEAD.cut(card.facts, room), _LEAD, QUIET)
