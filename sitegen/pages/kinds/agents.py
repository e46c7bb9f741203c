"""Agents across boards: a page for each with all of its rows, and a list of all agents."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sitegen.board import Board, Entry
from sitegen.board.answers.ranking_headlines import agent_answer
from sitegen.models.site import Name, Page
from sitegen.pages import addresses
from sitegen.pages.addresses import Link, agent_address
from sitegen.pages.environment import Templates
from sitegen.pages.texts import only_value

AgentRow = tuple[Board, Entry]

_CRUMBS = [Link("Boards", addresses.HOME)]


def agent_pages(boards: Sequence[Board], templates: Templates) -> Iterator[Page]:
    """Yield the list of all agents, then the page of each.

    Rows are of the same agent if their names differ in spelling only; the agent goes by the
    spelling that most of its rows have.
    """
    rows_by_address: dict[str, list[AgentRow]] = {}
    for board in boards:
        for entry in board.all_entries:
            rows = rows_by_address.setdefault(agent_address(entry.agent.name), [])
            rows.append((board, entry))
    agents = []
    for address, agent_rows in rows_by_address.items():
        spellings = Counter(entry.agent.name for _, entry in agent_rows)
        ((usual_spelling, _),) = spellings.most_common(1)
        agents.append((usual_spelling, address, agent_rows))
    agents.sort(key=lambda agent: agent[0].lower())
    values = {
        "title": "Agents",
        "answer": None,
        "crumbs": _CRUMBS,
        "agents": agents,
        "benchmark": {"simulated": False},
    }
    content = templates.fill("agents.html.j2", addresses.AGENTS, values)
    description = "All agents and the boards they appear on."
    yield Page(addresses.AGENTS, "Agents", description, content)
    for name, address, agent_rows in agents:
        yield _agent_page(name, address, agent_rows, templates)


def _agent_page(name: str, address: str, rows: Sequence[AgentRow], templates: Templates) -> Page:
    answer = agent_answer(name, rows)
    made_by = _makers(name, rows)
    is_simulated = all(board.benchmark.simulated for board, _ in rows)
    values = {
        "title": name,
        "answer": answer,
        "crumbs": [*_CRUMBS, Link("Agents", addresses.AGENTS)],
        "rows": sorted(rows, key=_row_order),
        "made_by": made_by,
        "benchmark": {"simulated": is_simulated},
    }
    content = templates.fill("agent.html.j2", address, values)
    title = f"{name} on all boards"
    names = [Name("Agent", title, " ".join(made_by), address)]
    return Page(address, title, f"{name}: {answer or 'no published results'}", content, names=names)


def _row_order(row: AgentRow) -> tuple[bool, bool, bool]:
    """Return what rows are sorted by: ranked ones first, then those of current tracks."""
    board, entry = row
    return not entry.is_published, entry.apart is not None, board.track.status != "current"


def _makers(name: str, rows: Sequence[AgentRow]) -> list[str]:
    """Return the organization and the model of an agent, as far as its rows agree on them."""
    organizations = {entry.agent.organization for _, entry in rows} - {None}
    models = {entry.agent.model for _, entry in rows} - {None}
    makers = (only_value(organizations), only_value(models))
    return [maker for maker in makers if maker and maker != name]
