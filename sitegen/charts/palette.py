"""Colours to draw with: each stands for a token of the site's look, which follows the colour scheme."""

INK = "#0a0b01"
QUIET = "#0a0b02"
RULE = "#0a0b03"
STRONG_RULE = "#0a0b04"
MARK = "#0a0b05"
PAPER = "#0a0b06"

TOKENS = {
    INK: "var(--ink)",
    QUIET: "var(--ink-2)",
    RULE: "var(--rule)",
    STRONG_RULE: "var(--rule-2)",
    MARK: "var(--pass)",
    PAPER: "var(--paper)",
    "none": "none",
    "transparent": "none",
}
"""The token of each colour."""

_AGENTS = range(0xA10000, 0xA20000)

AGENTS = "#a1"
"""How colours begin that say which agent a mark is about."""


def of_agent(place: int | None) -> str:
    """Give the colour that says which agent a mark is about; it is shown as any other mark is.

    Args:
        place: Of the agent on the board, from 0 to 65535; None for a mark that is about no single one.
    """
    return MARK if place is None else f"#{_AGENTS[place]:06x}"


def agent_of(colour: str) -> int | None:
    """Tell which agent a colour says a mark is about; None for any other colour."""
    number = int(colour[1:], 16) if colour.startswith("#") else 0
    return _AGENTS.index(number) if number in _AGENTS else None
