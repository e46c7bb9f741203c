"""The rank of one agent, derived step by step for the methods page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board import Board, Entry
from sitegen.board.inference.board_inference import PairOrder
from sitegen.board.wording import ordinal
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import board_link, entry_link
from sitegen.pages.environment import Fragment, Templates, TemplateValues
from sitegen.pages.site import SiteContent, authored_parts
from sitegen.problems import counted

FEWEST_AGENTS = 4
"""Minimum number of ranked agents; a smaller board shows too little of how ranks are derived."""
MOST_AGENTS = 16
"""Maximum number of ranked agents; a larger board makes the table too long for an example."""

VERDICTS: Mapping[PairOrder, str] = {
    "behind": "better",
    "ahead": "worse",
    "cannot tell": "too close to call",
}
"""The word for another agent, by how the example's agent compares with it."""


@dataclass(frozen=True, slots=True)
class RankExample:
    """An agent of a board, and its result against each other ranked agent."""

    board: Board
    entry: Entry
    pair_orders: Sequence[tuple[Entry, PairOrder]]

    @property
    def better(self) -> int:
        """The number of agents that are shown to be better."""
        return sum(order == "behind" for _, order in self.pair_orders)

    @property
    def worse(self) -> int:
        """The number of agents that are shown to be worse."""
        return sum(order == "ahead" for _, order in self.pair_orders)

    @property
    def merit(self) -> tuple[int, int]:
        """The sort key of examples: the smaller of the better and worse counts, then their sum."""
        return min(self.better, self.worse), self.better + self.worse


@authored_parts
def rank_example_part(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show how the rank of one agent follows from comparisons, on the most suitable board."""
    example = rank_example(site_content.boards)
    if example is not None:
        values = {"example": example_values(example)}
        text = templates.fill("rank_example.html.j2", addresses.METHODS, values)
        yield Fragment(addresses.METHODS, "rank-example", text)


def rank_example(boards: Sequence[Board]) -> RankExample | None:
    """Return the most instructive example; None if no current board ranks enough agents."""
    examples: list[RankExample] = []
    for board in boards:
        ranked = [entry for entry in board.entries if entry.id in board.inference.ranks]
        if board.track.status == "current" and FEWEST_AGENTS <= len(ranked) <= MOST_AGENTS:
            examples += [
                _example_of(board, entry, ranked) for entry in ranked if entry.submission_results
            ]
    return max(examples, key=lambda example: example.merit, default=None)


def _example_of(board: Board, entry: Entry, ranked: Sequence[Entry]) -> RankExample:
    rivals = [rival for rival in ranked if rival is not entry]
    pair_orders = [(rival, board.inference.pair_order(entry, rival)) for rival in rivals]
    return RankExample(board, entry, pair_orders)


def example_values(example: RankExample) -> TemplateValues:
    """Return the template values of an example."""
    board = example.board
    metric = example.board.headline
    lines = []
    for rival, order in example.pair_orders:
        score = labels.score_text(rival.scores[metric.id])
        lines.append((entry_link(board, rival), score, VERDICTS[order]))
    return {
        "board": board_link(board),
        "agent": entry_link(board, example.entry),
        "metric": labels.title_on(board),
        "score": labels.score_text(example.entry.scores[metric.id]),
        "lines": lines,
        "conclusion": conclusion(example),
    }


def conclusion(example: RankExample) -> str:
    """Return sentences on the agent's possible ranks and the reason for them."""
    first, last = example.board.inference.ranks[example.entry.id]
    agents = len(example.pair_orders) + 1
    above = "No agent is shown to be better, so it may be first."
    if example.better:
        better = _agents_are(example.better)
        above = f"{better} shown to be better, so it is {ordinal(first)} at best."
    below = f"No agent is shown to be worse, so it may be last of {agents}."
    if example.worse:
        worse = _agents_are(example.worse)
        below = f"{worse} shown to be worse, so it is {ordinal(last)} of {agents} at worst."
    place = f"{first}–{last}" if first < last else str(first)
    return f"{above} {below} Its rank is {place}."


def _agents_are(number: int) -> str:
    """Return a number of agents and the verb, as the start of a sentence."""
    return f"{counted(number, 'agent')} {'is' if number == 1 else 'are'}"
