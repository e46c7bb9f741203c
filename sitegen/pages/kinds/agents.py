"""Agents across boards: a matrix of all agents by all boards, and a page for each agent."""

from collections.abc import Iterator, Sequence

from sitegen.board import Board, BoardEntry
from sitegen.board.answers.answer import answered
from sitegen.board.answers.ranking_headlines import agent_answer
from sitegen.models.site import Name, Page
from sitegen.pages import addresses
from sitegen.pages.addresses import Link
from sitegen.pages.agent_matrix import (
    AgentOverview,
    agent_matrix,
    agent_results,
    most_shared_pair,
)
from sitegen.pages.environment import Templates
from sitegen.pages.lead import lead_of
from sitegen.pages.scatter import HEIGHT, scatter_of
from sitegen.pages.texts import only_value

_CRUMBS = [Link("Boards", addresses.HOME)]


def agent_pages(boards: Sequence[Board], templates: Templates) -> Iterator[Page]:
    """Yield the page with the matrix of all agents, then the page of each agent."""
    agents = agent_results(boards)
    yield _matrix_page(boards, agents, templates)
    for agent in agents:
        yield _agent_page(agent, templates)


def _matrix_page(
    boards: Sequence[Board], agents: Sequence[AgentOverview], templates: Templates
) -> Page:
    """Return the page of agents by boards, with a plot of the two boards that share most agents."""
    matrix = agent_matrix(boards, agents, lead_of(boards, templates.site.lead))
    pair = most_shared_pair(matrix)
    is_simulated = bool(boards) and all(board.benchmark.simulated for board in boards)
    answer = answered(matrix.answer) if matrix.rows else None
    values = {
        "title": "Agents",
        "answer": answer,
        "crumbs": _CRUMBS,
        "matrix": matrix,
        "scatter": scatter_of(matrix, pair) if pair else None,
        "height": HEIGHT,
        "benchmark": {"simulated": is_simulated},
    }
    content = templates.fill("agents.html.j2", addresses.AGENTS, values)
    description = f"All agents and the boards they appear on: {matrix.answer}."
    return Page(addresses.AGENTS, "Agents", description, content)


def _agent_page(agent: AgentOverview, templates: Templates) -> Page:
    """Return the page of an agent with all of its results."""
    name = agent.name
    address = agent.address
    rows = agent.rows
    answer = agent_answer(name, rows)
    made_by = _makers(agent)
    is_simulated = all(board.benchmark.simulated for board, _ in rows)
    values = {
        "title": name,
        "answer": answer,
        "crumbs": [*_CRUMBS, Link("Agents", addresses.AGENTS)],
        "rows": sorted(rows, key=_row_order),
        "made_by": made_by,
        "facts": list(_model_facts(agent)),
        "listed": agent.listed,
        "benchmark": {"simulated": is_simulated},
    }
    content = templates.fill("agent.html.j2", address, values)
    title = f"{name} on all boards"
    names = [Name("Agent", title, " ".join(made_by), address)]
    return Page(address, title, f"{name}: {answer or 'no published results'}", content, names=names)


def _row_order(row: BoardEntry) -> tuple[bool, bool, bool]:
    """Return the sort key of rows: ranked rows first, then those of current tracks."""
    board, entry = row
    return not entry.is_published, entry.apart is not None, board.track.status != "current"


def _makers(agent: AgentOverview) -> list[str]:
    """Return the organization and the model of an agent, if sources agree on them."""
    makers = []
    if agent.organization and agent.organization != agent.name:
        makers.append(agent.organization)
    model = only_value({entry.agent.model for _, entry in agent.rows} - {None})
    if model and model != agent.name:
        makers.append(f"model {model}")
    return makers


def _model_facts(agent: AgentOverview) -> Iterator[str]:
    """Yield the known facts about an agent's weights, licence, size and release date."""
    if agent.open_weights is not None:
        yield "open weights" if agent.open_weights else "closed weights"
    listed = agent.listed
    if listed and listed.license:
        yield f"licence {listed.license}"
    if agent.parameters_b:
        yield f"{agent.parameters_b:,g} billion parameters"
    if agent.released:
        yield f"released {agent.released}"
