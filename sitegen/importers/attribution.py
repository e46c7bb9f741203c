"""Finds what was published about the agents of an import."""

from collections.abc import Sequence

from sitegen.importers import rules
from sitegen.importers.claims import Stated, read_claims, statements
from sitegen.importers.options import ImportOptions
from sitegen.importers.repeats import repeated
from sitegen.importers.roster import Roster
from sitegen.models.submission import Agent
from sitegen.problems import Problem


def published_about(names: Sequence[str], options: ImportOptions) -> tuple[dict[str, Stated], list[Problem]]:
    """Read what was published about some agents, if a file with it is named.

    Args:
        names: The agents, one a bundle. What is said of one with several bundles is said of none of them.
        options: The file, and the track that the results go to.

    Returns:
        Statements by agent; and the problems.
    """
    table, problems = read_claims(options.claims) if options.claims else (None, [])
    if table is None:
        return {}, problems
    roster = Roster.of(dict.fromkeys(names), {}, options.aliases)
    stated, found = statements(table, roster, options.known_metrics, options.track)
    several = [name for name in repeated(names) if name in stated]
    told = [rules.CLAIM_AMBIGUOUS.broken(table.path, None, f"{name} has several bundles here") for name in several]
    kept = {name: each for name, each in stated.items() if name not in several}
    return kept, [*problems, *found, *told]


def described(agent: Agent, published: Stated | None) -> Agent:
    """Add what a published table tells of an agent, where its results do not tell it."""
    if published is None:
        return agent
    told = {name: value for name, value in published.agent if value is not None and getattr(agent, name) is None}
    return agent.model_copy(update=told)
