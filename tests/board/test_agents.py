"""Which submissions are of one agent, and which of several a submission is compared with."""

import pytest

from sitegen.board.agents import closest_of_agent, counterpart_of, has_same_settings, is_same_agent
from sitegen.models.submission import Agent


def agent(name: str = "Acme", scaffold: str | None = None, reasoning: str | None = None) -> Agent:
    """Describe an agent."""
    return Agent(name=name, scaffold=scaffold, reasoning=reasoning)


def itself(named: Agent) -> Agent:
    """Return an agent: here the candidates are agents themselves."""
    return named


@pytest.mark.parametrize(
    ("other_agent", "is_same", "has_same"),
    [
        (agent(scaffold="Terminus", reasoning="high"), True, True),
        (agent(scaffold="terminus", reasoning="High"), True, True),
        (agent(scaffold="Terminus"), True, False),
        (agent(), True, False),
        (agent(scaffold="OpenHands", reasoning="high"), False, False),
        (agent(scaffold="Terminus", reasoning="low"), False, False),
        (agent("Birch", "Terminus", "high"), False, True),
    ],
)
def test_an_agent_is_its_name_and_the_settings_that_both_state(
    other_agent: Agent,
    is_same: bool,  # noqa: FBT001 - what is expected
    has_same: bool,  # noqa: FBT001 - what is expected
) -> None:
    ours = agent(scaffold="Terminus", reasoning="high")
    assert (is_same_agent(ours, other_agent), is_same_agent(other_agent, ours)) == (is_same, is_same)
    assert has_same_settings(ours, other_agent) == has_same


def test_spellings_of_one_name_are_one_agent() -> None:
    assert not is_same_agent(agent("Acme One"), agent("acme-1"))
    assert is_same_agent(agent("Acme One"), agent("acme-1"), {"Acme One": "Acme-1", "acme-1": "Acme-1"}.__getitem__)


def test_of_several_the_one_that_shares_most_settings_is_closest() -> None:
    plain, terminus = agent(), agent(scaffold="Terminus")
    assert closest_of_agent(agent(scaffold="Terminus"), [plain, terminus], itself) is terminus
    assert closest_of_agent(agent(), [plain, terminus], itself) is plain
    assert closest_of_agent(agent(reasoning="high"), [agent(), agent()], itself) is None
    assert closest_of_agent(agent("Birch"), [plain, terminus], itself) is None


def test_a_row_that_two_rows_could_follow_has_no_counterpart() -> None:
    old, first, second = agent(), agent(scaffold="Terminus"), agent(scaffold="OpenHands")
    assert counterpart_of(first, [first], [old], itself) is old
    assert counterpart_of(first, [first, second], [old], itself) is None
