"""Agents across boards: a page for each with all of its rows, and a list of all agents."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sitegen.board.answers.order import agent_answer
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.site import Name, Page
from sitegen.pages import addresses
from sitegen.pages.addresses import Link, agent_address
from sitegen.pages.environment import Templates
from sitegen.problems import grouped

AgentRow = tuple[Board, Entry]

_CRUMBS = [Link("Boards", addresses.HOME)]


def agent_pages(boards: Sequence[Board], templates: Templates) -> Iterator[Page]:
    """Make the list of all agents, and the page of each: agents are the same that have one name, however spelled."""
    found = grouped(
        (agent_address(row.agent.name), (board, row))
        for board in boards
        for row in board.all_entries
    )
    # An agent goes by the spelling that most rows have.
    usual = {
        a: Counter(entry.agent.name for _, entry in rows).most_common(1)[0][0]
        for a, rows in found.items()
    }
    agents = sorted(
        ((usual[a], a, rows) for a, rows in found.items()), key=lambda each: each[0].lower()
    )
    values = {
        "title": "Agents",
        "answer": None,
        "crumbs": _CRUMBS,
        "agents": agents,
        "benchmark": {"simulated": False},
    }
    content = templates.fill("agents.html.j2", addresses.AGENTS, values)
    yield Page(
        addresses.AGENTS, "Agents", "Every agent, with the boards that it stands on.", content
    )
    for name, address, rows in agents:
        yield _agent_page(name, address, rows, templates)


def _agent_page(name: str, address: str, rows: Sequence[AgentRow], templates: Templates) -> Page:
    answer = agent_answer(name, rows)
    told = (
        {entry.agent.organization for _, entry in rows},
        {entry.agent.model for _, entry in rows},
    )
    made_by = [
        part
        for parts in told
        for part in parts
        if part and len(parts - {None}) == 1 and part != name
    ]
    values = {
        "title": name,
        "answer": answer,
        "crumbs": [*_CRUMBS, Link("Agents", addresses.AGENTS)],
        "rows": sorted(
            rows, key=lambda row: (not row[1].is_ranked, row[0].track.status != "current")
        ),
        "made_by": made_by,
        "benchmark": {"simulated": all(board.benchmark.simulated for board, _ in rows)},
    }
    content = templates.fill("agent.html.j2", address, values)
    names = [Name("Agent", f"{name} on all boards", " ".join(made_by), address)]
    return Page(
        address,
        f"{name} on all boards",
        f"{name}: {answer or 'no row stands'}",
        content,
        names=names,
    )
