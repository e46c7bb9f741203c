"""Three releases of EvoCode-Bench's real results: the changelog names every change between them, and no other."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from kit.command import done
from kit.real_data import real_data, stopped_at_a_gate
from kit.results_folders import replaced, seal
from lxml import html

FIRST, SECOND, THIRD = "2026-06-13", "2026-06-20", "2026-06-25"
OLD, NEW = "2026-06-20-glm-5-2", "2026-06-25-glm-5-2"

AGENTS = ("Opus-4.8-xhigh", "GPT-5.5", "GLM-5.1", "GLM-5.2", "Kimi-K2.7-Code")
"""Those whose results are taken, as the files spell them."""
SPELLINGS = {"Opus-4.8-xhigh": "Claude-Opus-4.8"}
"""The one name of an agent whose spelling in the files is another."""


class Verdict(NamedTuple):
    """What a raw file says of a round."""

    reward: float
    passed: int
    total: int


Verdicts = dict[tuple[str, str, int], Verdict]
"""By agent, task and round."""


def part_of(source: Path, tasks: set[str], into: Path) -> Path:
    """Copy what a source has of some tasks, whose files are named, and of some agents."""
    (into / "tasks").mkdir(parents=True)
    for name in ("index.json", *(f"tasks/{task}" for task in tasks)):
        document = json.loads((source / name).read_text(encoding="utf-8"))
        for agent in {*document["models"]} - {*AGENTS}:
            document["models"].pop(agent) if isinstance(document["models"], dict) else document["models"].remove(agent)
        (into / name).write_text(json.dumps(document), encoding="utf-8")
    return into


def raw(source: Path) -> Verdicts:
    """Read what the source's own files say, by no code of this program."""
    verdicts: Verdicts = {}
    for path in sorted((source / "tasks").glob("*.json")):
        cells = json.loads(path.read_text(encoding="utf-8"))
        for spelling, rounds in cells["models"].items():
            for number, cell in rounds.items():
                agent = SPELLINGS.get(spelling, spelling)
                ran = cell if cell and not stopped_at_a_gate(cell) else {}
                values = [ran.get(name) or 0 for name in ("reward", "pass", "total")]
                verdicts[agent, path.stem, int(number)] = Verdict(*values)
    return verdicts


def edit(path: Path, old: str, new: str) -> None:
    path.write_text(replaced(path.read_text(encoding="utf-8"), old, new), encoding="utf-8")


def correct(submissions: Path) -> tuple[str, int]:
    """Supersede a bundle by one with another verdict in one round; give that round."""
    (submissions / NEW).mkdir()
    lines = (submissions / OLD / "rounds.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    changed = next(record for record in records if record["state"] == "scored" and record["passed"] == record["total"])
    changed |= {"reward": 0, "passed": changed["passed"] - 1}
    text = "".join(json.dumps(record) + "\n" for record in records)
    (submissions / NEW / "rounds.jsonl").write_text(text, encoding="utf-8")
    manifest = (submissions / OLD / "submission.toml").read_text(encoding="utf-8")
    later = replaced(re.sub(r"\[claims\][^\[]*", "", manifest), f"date = {SECOND}", f"date = {THIRD}")
    (submissions / NEW / "submission.toml").write_text(later.replace('"sample"', '"counts"'), encoding="utf-8")
    status = f'state = "superseded"\nby = "{NEW}"\nreason = "a cell was corrected"\ndate = {THIRD}'
    edit(submissions / OLD / "submission.toml", 'state = "published"', status)
    seal(submissions / NEW)
    seal(submissions / OLD)
    return changed["task"], changed["round"]


class Site(NamedTuple):
    """A site with the three releases, what the first two are made of, and the round that is corrected for the third."""

    folder: Path
    sources: dict[str, Path]
    corrected: tuple[str, int]

    def release(self, day: str) -> Any:  # noqa: ANN401 - JSON
        return json.loads((self.folder / "api" / "v1" / "releases" / f"{day}.json").read_text(encoding="utf-8"))

    def events(self, day: str, kind: str) -> Iterator[dict[str, Any]]:
        return (event for event in self.release(day)["events"] if event["what"] == kind)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    work = tmp_path_factory.mktemp("releases")
    results = work / "results"
    first, second = (real_data("evocodebench", name) for name in (FIRST, f"{SECOND}-subset"))
    first_names, again = ({path.name for path in (snapshot / "tasks").iterdir()} for snapshot in (first, second))
    only_first = min(first_names - again)
    sources = {
        FIRST: part_of(first, {*again, only_first}, work / FIRST),
        SECOND: part_of(second, again, work / SECOND),
    }
    importing = ("import", "evocodebench", "--allow-missing", "--into", results)
    done(*importing, sources[FIRST], "--track", "official-v1")
    done("release", FIRST, "--title", "First results", "--results", results)
    done(*importing, sources[SECOND], "--track", "official", "--new-track")
    benchmark = results / "evocode-bench"
    text = (benchmark / "benchmark.toml").read_text(encoding="utf-8")
    gone = 'status = "withdrawn"\nreason = "tests could be read"\nsuperseded_by = "official"'
    (benchmark / "benchmark.toml").write_text(text.replace('status = "current"', gone, 1), encoding="utf-8")
    done("release", SECOND, "--title", "Second results", "--results", results)
    corrected = correct(benchmark / "submissions")
    done("release", THIRD, "--title", "A correction", "--results", results)
    done("build", "--results", results, "--site", work / "site")
    return Site(work / "site", sources, corrected)


def test_the_first_release_lets_everybody_enter(site: Site) -> None:
    entered = list(site.events(FIRST, "entered"))
    assert {event["agent"] for event in entered} == {agent for agent, _, _ in raw(site.sources[FIRST])}
    assert site.release(FIRST)["events"] == entered


def changed_between(before: Verdicts, after: Verdicts) -> set[tuple[str, str, int]]:
    """Give the rounds with another verdict, of agents and tasks that both have."""
    shared = {key for key in {*before, *after} if is_in(before, key) and is_in(after, key)}
    nothing = Verdict(0, 0, 0)
    return {key for key in shared if before.get(key, nothing) != after.get(key, nothing)}


def is_in(verdicts: Verdicts, key: tuple[str, str, int]) -> bool:
    """Whether there are verdicts of an agent, and of a task."""
    return key[0] in {agent for agent, _, _ in verdicts} and key[1] in {task for _, task, _ in verdicts}


def test_the_second_release_names_every_changed_round_and_no_other(site: Site) -> None:
    named = {
        (event["agent"], cell["task"], cell["round"])
        for event in site.events(SECOND, "entered")
        for cell in event["cells"]
        if {"reward", "passed", "total"} & cell["differences"].keys()
    }
    changed = changed_between(raw(site.sources[FIRST]), raw(site.sources[SECOND]))
    assert changed
    assert named == changed


def test_the_second_release_says_who_is_new_and_whose_place_the_others_take(site: Site) -> None:
    entered = {event["agent"]: event["earlier"] for event in site.events(SECOND, "entered")}
    assert entered.keys() == {agent for agent, _, _ in raw(site.sources[SECOND])}
    assert {agent for agent, earlier in entered.items() if earlier is None} == {"GLM-5.2", "Kimi-K2.7-Code"}
    page = html.fromstring((site.folder / "changelog" / SECOND / "index.html").read_bytes())
    (section,) = page.cssselect("section#evocode-bench-official-v1")
    text = " ".join(section.text_content().split())
    assert "v1) was withdrawn. Tests could be read." in text


def test_the_third_release_tells_of_the_corrected_row_alone(site: Site) -> None:
    events = site.release(THIRD)["events"]
    changes = [event for event in events if event["what"] != "moved"]
    assert [(change["what"], change["submission"], change["earlier"]) for change in changes] == [
        ("entered", NEW, OLD),
        ("superseded", OLD, None),
    ]
    (cell,) = changes[0]["cells"]
    assert (cell["task"], cell["round"]) == site.corrected
    assert cell["differences"]["reward"] == [1, 0]
    assert changes[1]["causes"] == [{"kind": "status", "about": "a cell was corrected"}]


def test_the_changelog_leads_to_the_cells_that_decided(site: Site) -> None:
    page = html.fromstring((site.folder / "changelog" / THIRD / "index.html").read_bytes())
    links = [link.get("href") for link in page.cssselect(f"[data-row='evocode-bench-official-{NEW}'] details a")]
    task, number = site.corrected
    assert [link for link in links if link.endswith(f"/official/{NEW}/{task}/#round-{number}")]


def test_the_changelog_adds_up_what_the_correction_changed(site: Site) -> None:
    page = html.fromstring((site.folder / "changelog" / THIRD / "index.html").read_bytes())
    (points,) = page.cssselect(f"[data-row='evocode-bench-official-{NEW}'] [data-points]")
    (event,) = site.events(THIRD, "entered")
    (before,) = (
        row["metrics"]["dataset_score"]["value"]
        for board in site.release(SECOND)["boards"]
        for row in board["rows"]
        if row["id"] == OLD
    )
    after = event["metrics"]["dataset_score"]["after"]["value"]
    assert float(points.get("data-points")) == pytest.approx(after - before)
    text = " ".join(page.cssselect("[data-change='corrected']")[0].text_content().split())
    assert f"GLM-5.2's Dataset Score fell from {before:.1f} to {after:.1f}" in text
    assert "Cause: new submission" in text


def test_the_boards_stay_as_they_were(site: Site) -> None:
    (board,) = (board for board in site.release(SECOND)["boards"] if board["track"] == "official")
    assert {row["id"]: row["state"] for row in board["rows"]}[OLD] == "published"
    page = html.fromstring((site.folder / "evocode-bench" / "official" / "index.html").read_bytes())
    assert [link.get("data-release") for link in page.cssselect("a[data-release]")] == [THIRD, SECOND]
