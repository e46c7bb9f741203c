"""The site's colours in both schemes: text can be read, marks can be seen, and "all passed" stands out most."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

SHEET = Path(__file__).parents[2] / "site_src" / "assets" / "sitegen.css"
SHARES = [f"--share-{step}" for step in range(8)]


def schemes() -> dict[str, dict[str, str]]:
    """Give the colours of both schemes, by token, and those of a dark page without scripts."""
    lists = [
        dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6});", block))
        for block in re.findall(r"\{([^{}]*--paper: #[^{}]*)\}", SHEET.read_text(encoding="utf-8"))
    ]
    return dict(zip(("light", "dark", "unscripted"), lists, strict=True))


def contrast(first_colour: str, second_colour: str) -> float:
    """Give the contrast of two colours, as WCAG 2 reckons it: from 1 to 21."""

    def light(colour: str) -> float:
        channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(first_colour), light(second_colour)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("tokens", "grounds", "least"),
    [
        (["--ink"], ["--paper", "--paper-2", "--paper-3", "--note-paper", "--b-band", *SHARES], 4.5),
        (["--ink-2", "--accent", "--note"], ["--paper", "--paper-2", "--note-paper"], 4.5),
        (["--zero"], ["--share-0"], 4.5),
        (["--on-pass"], ["--pass"], 4.5),
        (["--mark", "--b", "--ink-3"], ["--paper", "--paper-2"], 3),
    ],
)
def test_what_stands_on_a_ground_can_be_seen(scheme: str, tokens: list[str], grounds: list[str], least: float) -> None:
    colours = schemes()[scheme]
    for token in tokens:
        for ground in grounds:
            assert contrast(colours[token], colours[ground]) >= least, (token, ground)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nearly_all_is_further_from_all_than_from_any_other_share(scheme: str) -> None:
    colours = schemes()[scheme]
    steps = [contrast(colours[share], colours[next_one]) for share, next_one in pairwise(SHARES)]
    assert contrast(colours["--share-7"], colours["--pass"]) > 2.5 * max(steps)


def test_both_schemes_have_every_colour() -> None:
    light, dark, unscripted = schemes().values()
    assert unscripted == dark
    assert light.keys() == dark.keys()
