"""Causes in the changelog: where one thing changed, it is the only cause that any row has."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest
from kit.results_folders import Tree, json_lines, seal

from sitegen.board.answers.news import changes_of, rank_news
from sitegen.board.history.ledger import Ledger, ReleaseEvents, make_ledger
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.releasing import release_now
from sitegen.problems import errors_of
from sitegen.publish.results.edition import public_edition
from sitegen.publish.results.records import toml

FIRST, SECOND, DAY = date(2026, 7, 1), date(2026, 7, 8), date(2026, 7, 9)

DEFINITION = """\
schema = 1
id = "mini"
title = "Mini"

[axes.kind]
title = "Kind"
values = ["tool", "game"]
weights = {tool = 1}

[[metrics]]
id = "share"
title = "Share"
unit = "percent"
of = "pass"
rounds = "mean"
attempts = "mean"
tasks = "mean"

[[metrics]]
id = "by_kind"
title = "By kind"
unit = "percent"
of = "pass"
rounds = "mean"
attempts = "mean"
tasks = "macro"
axis = "kind"

[[metrics]]
id = "weighted"
title = "Weighted"
unit = "percent"
of = "pass"
rounds = "mean"
attempts = "mean"
tasks = "weighted"

[[tracks]]
id = "main"
title = "Main"
protocol = "chain"
tasks = "all"
headline = "share"
columns = ["share", "by_kind", "weighted"]
groupings = ["kind"]
"""

RESULTS = {
    "ash": "## #. ## ## ## ## ## #. ## ##",
    "elm": "#. .. #. ## .. #. .. .. ## ..",
    "oak": "#. #. .. .. #. .. #. .. .. #.",
    "yew": ".. .. .. .. .. .. .. #. .. ..",
}
"""Passed (#) and failed (.) rounds of ten tasks with two rounds, by agent."""

MANIFEST = """\
schema = 1
track = "main"
date = 2026-06-25

[agent]
name = "{name}"
organization = "Acme"

[detail]
cases = "none"
"""

TABLE = """\
schema = 1
track = "main"
title = "Table 1"
source = "A paper"
date = {day}

[[rows]]
id = "fir"
name = "Fir"
values = {{share = {value}}}

[[rows]]
id = "gum"
name = "Gum"
values = {{share = 20.0}}
"""

EXCLUSION = """
[[findings]]
date = 2026-07-02
kind = "leak"
title = "A leak"
reason = "The solution could be read."
effect = "zero"
submissions = ["elm"]
tasks = ["t3"]
"""

WITHDRAWAL = """
[status]
state = "withdrawn"
by = "Acme"
reason = "a mistake"
date = 2026-07-02
"""


class Folder(NamedTuple):
    """A results folder and what is changed in it."""

    tree: Tree

    def bundle(self, name: str, marks: str) -> Path:
        """Write the bundle of an agent of that name."""
        folder = self.tree.benchmark / "submissions" / name
        folder.mkdir(parents=True, exist_ok=True)
        manifest = MANIFEST.format(name=name.title())
        (folder / "submission.toml").write_text(manifest, encoding="utf-8")
        records = []
        for number, letters in enumerate(marks.split(), start=1):
            for round_number, letter in enumerate(letters, start=1):
                record_key = {"task": f"t{number}", "attempt": 1, "round": round_number}
                records.append({**record_key, "state": "scored", "reward": int(letter == "#")})
        (folder / "rounds.jsonl").write_text(json_lines(*records), encoding="utf-8")
        seal(folder)
        return folder

    def tasks(self, change: Callable[[dict[str, object]], object]) -> None:
        """Change every line of the task set."""
        path = self.tree.benchmark / "tasks" / "all.jsonl"
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            change(line)
        path.write_text(json_lines(*lines), encoding="utf-8")

    def table(self, name: str, day: str, value: str) -> None:
        """Publish a table with two agents, the first of which has a score."""
        self.tree.put(f"reported/{name}.toml", TABLE.format(day=day, value=value))

    def append(self, name: str, text: str) -> None:
        """Add text to a manifest."""
        path = self.tree.benchmark / "submissions" / name / "submission.toml"
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
        seal(path.parent)


def folder_of(home: Path, *, is_private: bool, is_published: bool) -> Folder:
    """Write ten tasks and four submissions, with a private task and a published table if asked."""
    tree = Tree(home / "results")
    for path in tree.bundle.iterdir():
        path.unlink()
    tree.bundle.rmdir()
    made = Folder(tree)
    tree.put("benchmark.toml", DEFINITION)
    tasks: list[dict[str, object]] = []
    for number in range(1, 11):
        first = {"n": 1, "title": f"Open {number}", "cases": [{"id": f"opens-{number}"}]}
        labels = {"kind": "tool" if number % 3 else "game"}
        about = {"id": f"t{number}", "title": f"The ledger {number}", "labels": labels}
        tasks.append({**about, "rounds": [first, {"n": 2}]})
    if is_private:
        tasks[2]["private"] = True
    tree.put("tasks/all.jsonl", json_lines(*tasks))
    tree.findings(
        '[[findings]]\ndate = 2026-06-28\nkind = "note"\ntitle = "Look at The ledger 3"\n'
        'reason = "Open 3 asks for opens-3."\ntasks = ["t3"]\nrounds = [1]\ncases = ["opens-3"]\n'
    )
    for name, marks in RESULTS.items():
        made.bundle(name, marks)
    if is_published:
        made.table("first", "2026-06-20", "42.0")
    return made


def locked(made: Folder, day: date) -> None:
    """Lock a release, also of what validate would refuse without a waiver."""
    release = release_now(evaluate(made.tree.folder, DAY), day, "")
    path = made.tree.folder / "releases" / f"{day}.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(toml(release), encoding="utf-8")


def ledger(made: Folder, home: Path) -> Ledger:
    """Read the public edition as a build does."""
    with public_edition(made.tree.folder, DAY, home) as (edition, _):
        judged = evaluate(edition, DAY)
        releases = judged.results.releases
        return make_ledger(releases, judged.boards, releases[-1].program)


def causes(chapter: ReleaseEvents | None) -> dict[str, list[str]]:
    """Return what happened to rows and why, by row; what is said of a board stands under its id."""
    reasons_by_row: dict[str, list[str]] = {}
    for change in changes_of(chapter) if chapter else ():
        for event in change.events:
            reasons_by_row.setdefault(event.row.id, []).append(f"{event.what}: {change.why}")
        if change.is_of_board:
            reasons_by_row.setdefault(change.board_events.board.track, []).append(change.text)
    return reasons_by_row


def flip(made: Folder) -> None:
    made.bundle("elm", RESULTS["elm"].replace("##", "#.", 1))


def reweigh(made: Folder) -> None:
    made.tasks(lambda task: task.update(weight=3.0) if task["id"] in {"t1", "t7"} else None)


def relabel(made: Folder) -> None:
    made.tasks(lambda task: task.update(labels={"kind": "game"}) if task["id"] == "t1" else None)


def redefine(made: Folder) -> None:
    text = (made.tree.benchmark / "benchmark.toml").read_text(encoding="utf-8")
    head, marker, remainder = text.partition('id = "by_kind"')
    changed = remainder.replace('rounds = "mean"', 'rounds = "all"', 1)
    made.tree.put("benchmark.toml", head + marker + changed)


def weigh_values(made: Folder) -> None:
    made.tree.define("weights = {tool = 1}", "weights = {tool = 5}")


def cluster(made: Folder) -> None:
    made.tree.define("weights = {tool = 1}", "weights = {tool = 1}\ncluster = true")


def reorder(made: Folder) -> None:
    made.tree.define('headline = "share"', 'headline = "by_kind"')


def show_more(made: Folder) -> None:
    made.tree.define('columns = ["share", ', 'columns = ["share", "mean_reward", ')


def find(made: Folder) -> None:
    path = made.tree.benchmark / "findings.toml"
    path.write_text(path.read_text(encoding="utf-8") + EXCLUSION, encoding="utf-8")


def try_twice(made: Folder) -> None:
    made.tree.define('protocol = "chain"', 'protocol = "chain"\nattempts = 2')


def add(made: Folder) -> None:
    made.bundle("box", "## #. #. ## .. ## #. #. ## ..")


def withdraw(made: Folder) -> None:
    made.append("elm", WITHDRAWAL)


def print_again(made: Folder) -> None:
    made.table("second", "2026-07-02", "43.0")


RESCORED, MOVED = "rescored: ", "moved: results of other agents changed"
ALL = ("ash", "elm", "oak", "yew")
DECLARED = f"{RESCORED}definition changed: By kind, declared differently than before"


def said(sentences: list[str], rows: tuple[str, ...] = ALL) -> dict[str, list[str]]:
    return dict.fromkeys(rows, sentences)


CLUSTERS = "moved: weights or clusters of an axis changed: kind"
COLUMNS = f"{RESCORED}the board's columns changed: with Mean Reward"
RANKS_BY = "Mini (Main) now ranks by By kind instead of Share"

CHANGES: dict[str, tuple[Callable[[Folder], None], dict[str, list[str]]]] = {
    "results": (flip, {"elm": [f"{RESCORED}results changed"]}),
    "tasks": (reweigh, said([f"{RESCORED}the tasks changed"])),
    "labels": (
        relabel,
        {"main": ["Task labels of Mini (Main) changed"], **said([f"{RESCORED}the task labels changed"])},
    ),
    "formula": (redefine, said([DECLARED])),
    "weights": (weigh_values, said([DECLARED])),
    "clusters": (cluster, said([CLUSTERS])),
    "headline": (reorder, said([RANKS_BY], ("main",))),
    "columns": (show_more, said([COLUMNS])),
    "finding": (find, {"elm": [f"{RESCORED}finding “A leak”"]}),
    "attempts": (
        try_twice,
        said([f"{RESCORED}the track's conditions changed: `attempts` 1 → 2"]),
    ),
    "new submission": (add, {"box": ["entered: "], **said([MOVED])}),
    "withdrawal": (
        withdraw,
        {"elm": ["withdrawn: a mistake"], **said([MOVED], ("oak", "yew"))},
    ),
}
"""Each change, with what is then said of rows and why."""


@pytest.mark.parametrize("is_private", [False, True], ids=["public tasks", "a private task"])
@pytest.mark.parametrize("is_published", [False, True], ids=["results alone", "beside a table"])
@pytest.mark.parametrize("name", CHANGES)
def test_one_change_is_the_one_cause(
    tmp_path: Path,
    name: str,
    *,
    is_private: bool,
    is_published: bool,
) -> None:
    change, expected = CHANGES[name]
    made = folder_of(tmp_path, is_private=is_private, is_published=is_published)
    locked(made, FIRST)
    change(made)
    assert causes(ledger(made, tmp_path / "since").since) == expected
    locked(made, SECOND)
    after = ledger(made, tmp_path / "released")
    assert causes(after.releases[1]) == expected
    assert causes(after.since) == {}


@pytest.mark.parametrize("is_private", [False, True], ids=["public tasks", "a private task"])
def test_a_later_table_is_the_cause_for_its_rows(tmp_path: Path, *, is_private: bool) -> None:
    made = folder_of(tmp_path, is_private=is_private, is_published=True)
    locked(made, FIRST)
    print_again(made)
    expected = {"fir": [f"{RESCORED}published table added"]}
    assert causes(ledger(made, tmp_path / "since").since) == expected
    locked(made, SECOND)
    assert causes(ledger(made, tmp_path / "released").releases[1]) == expected


@pytest.mark.parametrize("is_private", [False, True], ids=["public tasks", "a private task"])
def test_ranks_of_another_program_have_that_cause(tmp_path: Path, *, is_private: bool) -> None:
    made = folder_of(tmp_path, is_private=is_private, is_published=True)
    locked(made, FIRST)
    release = made.tree.folder / "releases" / f"{FIRST}.toml"
    lines = release.read_text(encoding="utf-8").splitlines()
    first = next(line_index for line_index, line in enumerate(lines) if line == 'id = "ash"')
    last = next(position for position in range(first, len(lines)) if lines[position].startswith("last = "))
    lines[last] = "last = 4"
    release.write_text("\n".join(lines), encoding="utf-8")
    with public_edition(made.tree.folder, DAY, tmp_path / "edition") as (edition, _):
        judged = evaluate(edition, DAY)
        since = make_ledger(judged.results.releases, judged.boards, "99.0").since
    program = judged.results.releases[0].program
    reason = f"omputed with a different version of the program: {program} → 99.0"
    assert causes(since) == {"ash": [f"moved: c{reason}"]}
    assert since
    news = rank_news(since.boards[0])
    assert news
    assert news.why == f"C{reason}."


def test_a_release_of_private_tasks_holds_and_hides_their_texts(tmp_path: Path) -> None:
    made = folder_of(tmp_path, is_private=True, is_published=False)
    locked(made, FIRST)
    with public_edition(made.tree.folder, DAY, tmp_path / "edition") as (edition, _):
        text = (edition / "releases" / f"{FIRST}.toml").read_text(encoding="utf-8")
        problems = errors_of(evaluate(edition, DAY).problems())
    assert "The ledger 3" not in text
    assert "Look at Private task 1" in text
    assert problems == ()


def test_results_with_private_tasks_are_held_to_their_release_in_a_build(tmp_path: Path) -> None:
    made = folder_of(tmp_path, is_private=True, is_published=False)
    locked(made, FIRST)
    flip(made)
    with public_edition(made.tree.folder, DAY, tmp_path / "edition") as (edition, _):
        problems = errors_of(evaluate(edition, DAY).problems())
    assert [problem.code for problem in problems] == ["RELEASE-BUNDLE-DIFFERS"]
    assert "round 2 of t4, attempt 1 differs" in problems[0].what


def test_a_renamed_benchmark_with_private_tasks_keeps_its_causes(tmp_path: Path) -> None:
    made = folder_of(tmp_path, is_private=True, is_published=False)
    locked(made, FIRST)
    made.tree.define('id = "mini"', 'id = "tiny"')
    made.tree.define("\n[axes.kind]", '\n[[renamed]]\nfrom = "mini"\nto = "tiny"\n\n[axes.kind]')
    made.tree.benchmark.rename(made.tree.folder / "tiny")
    assert causes(ledger(made, tmp_path / "since").since) == {}


def test_a_correction_names_a_finding_as_the_public_edition_does(tmp_path: Path) -> None:
    made = folder_of(tmp_path, is_private=True, is_published=False)
    locked(made, FIRST)
    path = made.tree.benchmark / "findings.toml"
    correction = (
        '\n[[findings]]\ndate = 2026-07-03\nkind = "note"\ntitle = "Nothing to see"\n'
        'corrects = "2026-06-28-look-at-the-ledger-3"\n'
    )
    path.write_text(path.read_text(encoding="utf-8") + correction, encoding="utf-8")
    with public_edition(made.tree.folder, DAY, tmp_path / "edition") as (edition, _):
        judged = evaluate(edition, DAY)
    assert errors_of(judged.problems()) == ()
    first, _ = judged.boards[0][0].findings.all
    assert first.id == "2026-06-28-look-at-private-task-1"
    assert first.remark == "corrected on 2026-07-03"
