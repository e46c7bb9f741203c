"""`sitegen diff` over two real snapshots, held against the source's own JSON, of which it must name every change."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import comment
import pytest
from harmless import harmless
from kit.built_sites import real_snapshot
from kit.command import sitegen
from kit.real_data import real_data, stopped_at_a_gate

from sitegen.board.history.changes_report import LARGEST_REPORT
from sitegen.importers.evocodebench.benchmark import SPELLINGS

FIRST, SECOND = "2026-06-13", "2026-06-20-subset"

Key: TypeAlias = tuple[str, str, int]
"""Agent, task, round."""


class End(NamedTuple):
    """How a round ended, as the source has it."""

    state: str
    reward: float
    passed: int
    total: int


class Compared(NamedTuple):
    """Two snapshots of the source, and what the program says about them."""

    before: dict[Key, End]
    after: dict[Key, End]
    document: dict[str, Any]
    text: str
    markdown: str

    @property
    def tasks(self) -> set[str]:
        """The tasks that both have."""
        return {task for _, task, _ in self.before} & {task for _, task, _ in self.after}

    @property
    def rows(self) -> dict[str, Any]:
        """What is said about each agent."""
        return {row["agent"]: row for board in self.document["boards"] for row in board["rows"]}

    def sections(self) -> Iterator[tuple[str, str]]:
        """Give what the text says of each agent."""
        fragments = re.split(r"^(\S+) \(2026-06-20-.*$", self.text, flags=re.MULTILINE)
        return zip(fragments[1::2], fragments[2::2], strict=True)

    def cells(self, kind: str) -> Iterator[tuple[Key, dict[str, Any]]]:
        """Give the records that are new, gone or different, with what the JSON says of each."""
        for agent, row in self.rows.items():
            for cell in row["cells"]:
                if cell["kind"] == kind:
                    yield (agent, cell["task"], cell["round"]), cell


def ends(folder: Path) -> dict[Key, End]:
    """Read how every round ended, with plain JSON."""
    round_ends = {}
    for path in sorted((folder / "tasks").glob("*.json")):
        source = json.loads(path.read_text(encoding="utf-8"))
        for spelling, cells in source["models"].items():
            run_numbers = [int(number) for number, cell in cells.items() if cell]
            for number in range(1, source["n_rounds"] + 1):
                key = SPELLINGS.get(spelling, spelling), source["task"], number
                round_ends[key] = end(cells.get(str(number)), is_next=number <= max(run_numbers, default=0) + 1)
    return round_ends


def end(cell: dict[str, Any] | None, *, is_next: bool) -> End:
    """Read how one round ended; of those without a word at a run's end, the first was aborted."""
    if not cell or cell.get("reward") is None:
        return End("aborted" if cell or is_next else "unreached", 0, 0, 0)
    if not cell["total"] or stopped_at_a_gate(cell):
        return End("no_cases", cell["reward"], 0, 0)
    return End("scored", cell["reward"], cell["pass"], cell["total"])


@pytest.fixture(scope="module")
def compared() -> Compared:
    """Compare two snapshots of the same track."""
    folders = [real_snapshot(name) for name in (FIRST, SECOND)]
    reports = [sitegen("diff", *folders, "--format", form).stdout for form in ("json", "text", "markdown")]
    before, after = (ends(real_data("evocodebench", name)) for name in (FIRST, SECOND))
    return Compared(before, after, json.loads(reports[0]), *reports[1:])


def test_every_changed_round_is_named_and_no_other(compared: Compared) -> None:
    changed = {key for key, old_end in compared.before.items() if compared.after.get(key, old_end) != old_end}
    named = {key for key, cell in compared.cells("changed") if told_end(cell)}
    assert named == changed
    assert {agent for agent, _, _ in named} == {agent for agent, _, _ in compared.before}
    assert len(named) > 300


def test_each_is_named_with_both_values(compared: Compared) -> None:
    for key, cell in compared.cells("changed"):
        for name, turn in told_end(cell).items():
            expected = tuple(getattr(snapshot[key], name) for snapshot in (compared.before, compared.after))
            assert turn == expected, (key, name)


def told_end(cell: dict[str, Any]) -> dict[str, tuple[object, object]]:
    """Give what differs of how a round ended; that its cause is told in other words is no change of that."""
    names = End._fields
    return {
        difference["name"]: (difference["before"], difference["after"])
        for difference in cell["differences"]
        if difference["name"] in names
    }


def test_rounds_of_tasks_that_only_one_has_are_gone_and_those_only(compared: Compared) -> None:
    gone = {key for key, _ in compared.cells("removed")}
    assert gone == {key for key in compared.before if key[1] not in compared.tasks}
    assert not list(compared.cells("new"))


def test_agents_go_by_their_one_name(compared: Compared) -> None:
    names = {agent for agent, _, _ in compared.after}
    assert set(compared.rows) == names
    assert not names & set(SPELLINGS)
    new = {agent for agent, row in compared.rows.items() if row["kind"] == "new" and not row["earlier"]}
    assert new == {"Kimi-K2.7-Code", "GLM-5.2"}


def test_the_text_names_the_same_rounds(compared: Compared) -> None:
    sections = {agent: section for agent, section in compared.sections() if agent in compared.rows}
    for (agent, task, number), _ in compared.cells("changed"):
        assert f"{task}, attempt 1, round {number}: " in sections[agent]
    for (agent, task, _), _ in compared.cells("removed"):
        assert f"{task}, attempt 1: removed: rounds 1-" in sections[agent]


def test_as_markdown_it_fits_a_comment_and_names_every_agent_whose_rounds_changed(compared: Compared) -> None:
    assert len(compared.text.encode()) > LARGEST_REPORT
    assert len(compared.markdown.encode()) <= LARGEST_REPORT
    quoted, omitted_count = harmless(compared.markdown, comment.ROOM - 2_000)
    assert omitted_count == 0
    for agent in {agent for (agent, _, _), _ in compared.cells("changed")}:
        section = quoted.partition(f"### `{agent}` ")[2].partition("\n###")[0].replace("\\", "")
        assert re.search(r"- Records: \d+", section), agent
        assert ", attempt 1, round " in section, agent
