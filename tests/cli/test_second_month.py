"""The second month of a leaderboard, played on clones: wrong names, reruns, further attempts, withdrawals.

After each change `validate --base` lets it pass, and changelog, pages, feeds, exports and JSON say the same of it.
"""

import json
import re
import shutil
from pathlib import Path

import pytest
from kit.clones import BOB, NOW, Clone
from kit.command import done
from kit.forked_repository import ROOT, commit, git

ADA = "ada@acme.example"
TASKS = ("neat", "tidy")


def runs_of(agent: str, rewards: str, attempts: int = 1) -> list[tuple[object, ...]]:
    """Give rows for all rounds: a digit for each round of both tasks, times that no other run has."""
    rows: list[tuple[object, ...]] = []
    for attempt in range(1, attempts + 1):
        for position, digit in enumerate(rewards):
            task, number = TASKS[position // 3], position % 3 + 1
            seconds = 100 + 17 * position + len(agent) + 1000 * attempt
            rows.append((agent, task, attempt, number, digit, digit, 1, seconds))
    return rows


@pytest.fixture
def board(published: Clone, tmp_path: Path) -> Clone:
    """A clone of the board."""
    shutil.copytree(published.folder, tmp_path / "board")
    return Clone(tmp_path / "board")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A board of three agents with up to four attempts; Acme's submission names its contact and account."""
    clone = Clone(tmp_path_factory.mktemp("published") / "board")
    clone.results.mkdir(parents=True)
    git(clone.folder, "init", "-q")
    git(clone.folder, "config", "user.email", BOB)
    about = ("--benchmark", "bench", "--track", "main", "--date", "2026-06-01")
    for agent, rewards, attempts in (("max", "110111", 4), ("acme", "100100", 1), ("bolt", "000100", 1)):
        table = clone.table(runs_of(agent, rewards, attempts))
        clone.done("import", "table", table, "--into", "results", *about)
    manifest = clone.results / "bench/submissions/2026-06-01-acme/submission.toml"
    submitter = f'\n[submitter]\nname = "Ada"\ncontact = "{ADA}"\naccounts = ["github:ada-acme"]\n'
    manifest.write_text(manifest.read_text(encoding="utf-8") + submitter, encoding="utf-8")
    clone.done("validate", "results", "--fix")
    clone.done("release", "2026-06-10")
    commit(clone.folder, "The board")
    return clone


@pytest.fixture
def real_board(tmp_path: Path) -> Clone:
    """The results of this repository."""
    clone = Clone(tmp_path / "board", today="")
    shutil.copytree(ROOT / "results", clone.results)
    git(clone.folder, "init", "-q")
    git(clone.folder, "config", "user.email", BOB)
    commit(clone.folder, "The board")
    return clone


def everything(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


ACME = "bench/main/2026-06-01-acme"
LINE = "bench/main/2026-06-01-line"


def test_a_wrong_name_is_edited_before_the_merge(board: Clone) -> None:
    about = ("--benchmark", "bench", "--track", "main", "--date", "2026-06-01")
    board.done("import", "table", board.table(runs_of("line", "111000")), "--into", "results", *about)
    commands = ("correct", LINE, "--reason", "A slip")
    output = board.done(*commands, "--name", "Line-2", "--scaffold", "Loop")
    assert "2026-06-01-line is not published: edited its submission.toml and SHA256SUMS" in output
    assert "Its id stays 2026-06-01-line; rename its folder with `git mv`" in output
    assert board.manifest("2026-06-01-line")["agent"] == {"name": "Line-2", "scaffold": "Loop"}
    assert "revisions" not in board.manifest("2026-06-01-line")
    assert "Its id stays" not in board.done(*commands, "--scaffold", "")
    assert "scaffold" not in board.manifest("2026-06-01-line")["agent"]
    assert "changes nothing that is published" in board.checked()


def test_the_way_by_hand_is_refused_and_so_is_renaming_a_rival(board: Clone) -> None:
    about = ("--benchmark", "bench", "--track", "main", "--date", "2026-06-02")
    board.done("import", "table", board.table(runs_of("bolt-1", "000100")), "--into", "results", *about)
    board.done("supersede", "bench/main/2026-06-01-bolt", "--by", "bench/main/2026-06-02-bolt-1")
    code, output = board.run("validate", "results", "--base", "main")
    assert (code, "HISTORY-RIVAL" in output) == (1, True)


def test_a_wrong_name_of_another_team_takes_two_changes_after_the_merge(board: Clone) -> None:
    arguments = ("correct", "bench/main/2026-06-01-bolt", "--name", "Bolt-9", "--reason", "The vendor calls it so")
    output = board.done(*arguments)
    assert "does not say who sent it" in output
    assert "a maintainer has to check that" in output
    assert "The first of two changes: 2026-06-01-bolt-9 is new; corrected: name bolt → Bolt-9" in output
    assert "warning REVISION-PENDING" in board.checked()
    before = everything(board.results)
    code, output = board.run(*arguments)
    assert (code, "is not published yet" in output) == (2, True)
    assert everything(board.results) == before
    board.merge()

    output = board.done(*arguments)
    assert "The second of two changes: 2026-06-01-bolt is superseded by 2026-06-01-bolt-9" in output
    assert "warning HISTORY-MAINTAINED" in board.checked()
    board.merge()
    assert board.manifest("2026-06-01-bolt")["agent"]["name"] == "bolt"
    assert board.row("2026-06-01-bolt-9")["revisions"][0]["corrected"] == {"agent.name": ["bolt", "Bolt-9"]}


def test_a_new_run_does_not_supersede_what_a_pending_correction_revises(board: Clone) -> None:
    arguments = ("correct", "bench/main/2026-06-01-bolt", "--organization", "Bolt", "--reason", "A slip")
    board.done(*arguments)
    board.merge()
    about = ("--benchmark", "bench", "--track", "main", "--date", "2026-06-20", "--supersedes", "auto")
    before = everything(board.results)
    code, output = board.run("import", "table", board.table(runs_of("bolt", "111111")), "--into", "results", *about)
    assert code == 2
    assert "2026-06-01-bolt-corrected revises 2026-06-01-bolt but does not supersede it yet" in output
    assert everything(board.results) == before
    board.done(*arguments)
    board.merge()
    board.done("import", "table", board.table(runs_of("bolt", "111111")), "--into", "results", *about)
    assert board.manifest("2026-06-01-bolt-corrected")["status"]["by"] == "2026-06-20-bolt"


def test_a_pending_correction_whose_rounds_were_run_again_stays_pending(board: Clone) -> None:
    """What is superseded in its place is the earlier submission, by the latest of its revisions."""
    arguments = ("correct", "bench/main/2026-06-01-bolt", "--organization", "Bolt", "--reason", "A slip")
    board.done(*arguments)
    board.merge()
    rerun = board.table(runs_of("bolt", "010101"))
    board.done("replace-rounds", "bench/main/2026-06-01-bolt-corrected", rerun, "--reason", "An outage")
    assert "run `sitegen supersede 2026-06-01-bolt --by 2026-10-01-bolt`" in board.checked()
    board.merge()
    about = ("--benchmark", "bench", "--track", "main", "--date", "2026-09-20", "--supersedes", "auto")
    code, output = board.run("import", "table", board.table(runs_of("bolt", "111111")), "--into", "results", *about)
    assert code == 2
    assert "run `sitegen supersede 2026-06-01-bolt --by 2026-10-01-bolt`" in output

    assert "2026-06-01-bolt is superseded by 2026-10-01-bolt" in board.done(*arguments)
    board.checked()
    board.merge()
    assert "REVISION" not in board.done("validate", "results")
    corrected, again = board.row("2026-10-01-bolt")["revisions"]
    assert corrected["corrected"] == {"agent.organization": [None, "Bolt"]}
    assert (corrected["by"], again["by"]) == ("2026-06-01-bolt-corrected", "2026-10-01-bolt")
    assert (again["of"], again["corrected"]) == ("2026-06-01-bolt-corrected", {})


@pytest.mark.parametrize("identity", ["account", "contact"])
def test_a_team_corrects_its_own_name_in_one_change(board: Clone, identity: str) -> None:
    author: tuple[str, ...] = ()
    if identity == "account":
        author = ("--author", "Ada-Acme")
    else:
        git(board.folder, "config", "user.email", ADA)
    output = board.done("correct", ACME, "--name", "Acme-1", "--organization", "Acme", "--reason", "A slip", *author)
    assert "2026-06-01-acme is your own submission" in output
    assert "One change: 2026-06-01-acme-1 supersedes 2026-06-01-acme" in output
    output = board.checked(*author)
    correction = "corrected: name acme → Acme-1; organization – → Acme"
    assert output.startswith(f"Acme-1: {correction}. This request adds bench/2026-06-01-acme-1")
    assert ("HISTORY-OWN" in output) == (identity == "contact")


def test_an_account_that_a_submission_does_not_name_may_not_supersede_it(board: Clone) -> None:
    board.done("correct", ACME, "--model", "acme-large", "--reason", "A slip")
    assert "HISTORY-OWN" in board.checked()
    code, output = board.run("validate", "results", "--base", "main", "--author", "github:mallory")
    assert (code, "HISTORY-RIVAL" in output) == (1, True)


def test_an_address_in_commits_is_no_account(board: Clone) -> None:
    about = ("--benchmark", "bench", "--track", "main", "--date", "2026-06-01")
    board.done("import", "table", board.table(runs_of("line", "111000")), "--into", "results", *about)
    manifest = board.results / "bench/submissions/2026-06-01-line/submission.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(f'{text}\n[submitter]\ncontact = "Ada <{ADA}>"\n', encoding="utf-8")
    board.done("validate", "results", "--fix")
    board.merge()
    git(board.folder, "config", "user.email", ADA)
    arguments = ("correct", LINE, "--name", "Line-2", "--reason", "A slip")
    assert "The first of two changes" in board.done(*arguments, "--author", "mallory")
    git(board.folder, "clean", "-fdq", "results")
    assert "One change" in board.done(*arguments)
    code, output = board.run("validate", "results", "--base", "main", "--author", "mallory")
    assert (code, "HISTORY-RIVAL" in output) == (1, True)


def test_a_correction_is_said_alike_wherever_it_is_published(board: Clone) -> None:
    board.done("correct", ACME, "--name", "Acme-1", "--reason", "A slip", "--author", "ada-acme")
    board.merge()
    board.done("release", "2026-06-20")
    board.merge()
    site = _built(board)
    for page in ("bench/main/2026-06-01-acme-1/index.html", "bench/main/index.html"):
        assert "orrected: name acme → Acme-1" in (site / page).read_text(encoding="utf-8")
    tombstone = (site / "bench/main/2026-06-01-acme/index.html").read_text(encoding="utf-8")
    assert tombstone.count("This submission was superseded") == 1
    for page in ("changelog/2026-06-20/index.html", "feed.xml", "feed.json"):
        text = (site / page).read_text(encoding="utf-8")
        assert "Acme-1 was corrected: name acme → Acme-1" in text, page
        assert "A slip" in text, page


def test_rounds_run_again_are_said_alike_wherever_they_are_published(board: Clone) -> None:
    sentence = "2 of 6 rounds run again: 33.3 to 66.7"
    again = [("acme", "neat", 1, 3, 1, 1, 1, 71), ("acme", "tidy", 1, 2, 1, 1, 1, 72)]
    output = board.done("replace-rounds", ACME, board.table(again), "--reason", "The network failed")
    assert f"{sentence}: 2026-10-01-acme supersedes 2026-06-01-acme, which keeps the old values" in output
    output = board.checked("--author", "ada-acme")
    assert output.startswith(f"acme: {sentence}. This request adds bench/2026-10-01-acme, and changes the status")
    output = board.done("diff", "main", "results")
    assert output.startswith(f"acme: {sentence}. ")
    assert "- Manifest: date 2026-06-01 → 2026-10-01; revisions.1.reason – → The network failed\n" in output
    (revision,) = board.row("2026-10-01-acme")["revisions"]
    assert revision["text"] == sentence
    assert [
        (round_result["task"], round_result["round"], round_result["reward"]) for round_result in revision["rounds"]
    ] == [
        ("neat", 3, [0.0, 1.0]),
        ("tidy", 2, [0.0, 1.0]),
    ]
    old_rounds = (board.results / "bench/submissions/2026-06-01-acme/rounds.jsonl").read_text(encoding="utf-8")
    assert old_rounds.count('"reward": 0') == 4
    board.merge()
    board.done("release", "2026-10-01")
    board.merge()

    again = [("acme", "neat", 1, 2, 1, 1, 1, 73)]
    second = "1 of 6 rounds run again: 66.7 to 83.3"
    board.done("replace-rounds", "bench/main/2026-10-01-acme", board.table(again), "--reason", "It failed again")
    assert board.checked().startswith(f"acme: {second}. ")
    board.merge()
    site = _built(board)
    pages = {
        "bench/main/index.html": f"{second}; 2 replacements in all, 33.3 before the first",
        "bench/main/2026-10-01-acme-run-again/index.html": f"{second}</strong>, the second time",
        "changelog/2026-10-01/index.html": f"acme: {sentence}",
        "changelog/index.html": f"acme: {second} (the second time that rounds were replaced)",
        "feed.xml": f"acme: {sentence}",
        "feed.json": f"acme: {sentence}",
    }
    for page, text in pages.items():
        assert text in (site / page).read_text(encoding="utf-8"), page
    page = (site / "bench/main/2026-10-01-acme-run-again/index.html").read_text(encoding="utf-8")
    assert re.findall(r'<td class="sg-number" data-value="([\d.]+)"><s>', page) == ["0.0", "0.0", "0.0"]
    board.done("export", "every-eval-ever", "results", "--into", "out")
    records = [path.read_text(encoding="utf-8") for path in (board.folder / "out").rglob("*.json")]
    assert sum(second in text and sentence in text for text in records) == 1


def test_runs_that_name_no_agent_are_of_the_agent_at_the_address(board: Clone) -> None:
    path = board.table([row[1:] for row in runs_of("acme", "111111")[:2]])
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[0] = lines[0].partition(",")[2]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    output = board.done("replace-rounds", ACME, path, "--reason", "The network failed", "--date", "2026-06-12")
    assert "2 rounds in these runs" in output
    assert "unreached" not in output
    board.merge()
    board.done(
        "replace-rounds", "bench/main/2026-06-12-acme", board.table(runs_of("acme", "101010")), "--reason", "Again"
    )
    code, output = board.run("correct", ACME, "--reason", "A slip", "--model", "m")
    latest = max(path.name for path in board.results.glob("bench/submissions/*-acme*"))
    assert code == 2
    assert f"2026-06-01-acme is superseded; revise {latest} instead" in output


def test_a_rerun_is_still_said_once_a_further_attempt_came(board: Clone) -> None:
    again = [("acme", "neat", 1, 3, 1, 1, 1, 71)]
    board.done("replace-rounds", ACME, board.table(again), "--reason", "The network failed", "--date", "2026-06-12")
    board.merge()
    board.done("release", "2026-06-13")
    board.merge()
    runs = board.table(runs_of("acme", "111111"))
    output = board.done("add-attempt", "bench/main/2026-06-12-acme", runs, "--date", "2026-06-15")
    assert "supersedes 2026-06-12-acme. Commit both folders, and open one request\n" in output
    output = board.checked()
    assert "REVISION" not in output
    assert output.startswith("acme: attempt 2 added: 50.0 to 75.0. This request adds bench/2026-06-15-acme")
    (revision,) = board.row("2026-06-15-acme")["revisions"]
    assert (revision["by"], revision["text"]) == ("2026-06-12-acme", "1 of 6 rounds run again: 33.3 to 50.0")
    board.done("release", "2026-06-20")
    site = _built(board)
    assert "run again" in (site / "changelog/2026-06-13/index.html").read_text(encoding="utf-8")
    released = (site / "changelog/2026-06-20/index.html").read_text(encoding="utf-8")
    assert "run again" not in released
    assert "acme: attempt 2 added: 50.0 to 75.0" in released
    assert "run again" in (site / "bench/main/2026-06-15-acme/index.html").read_text(encoding="utf-8")


def test_a_fourth_attempt_and_a_withdrawal_pass_the_check(board: Clone) -> None:
    for number, day in ((2, "2026-06-12"), (3, "2026-06-13"), (4, "2026-06-14")):
        name = board.done("score", "results/bench", "--format", "json")
        rows = json.loads(name)["submissions"]
        (last,) = [row["id"] for row in rows if row["agent"]["name"] == "acme" and row["status"] == "published"]
        board.done("add-attempt", f"bench/main/{last}", board.table(runs_of("acme", "111000")), "--date", day)
        output = board.checked("--author", "ada-acme")
        assert output.startswith(f"acme: attempt {number} added: ")
        assert f"{day}-acme" in output
        # Nobody can add attempts to a superseded submission, so no warning asks for it.
        assert output.count("ATTEMPTS-BELOW-TRACK") == (number < 4)
        board.merge()
        assert board.manifest(f"{day}-acme")["attempts"] == number
    board.done("withdraw", "bench/main/2026-06-14-acme", "--reason", "Another task set", "--by", "Ada")
    output = board.checked("--author", "ada-acme")
    assert output.startswith("This request changes submissions that its author sent: acme: published before")
    assert "0 errors" in output
    assert "HISTORY-MAINTAINED" in board.checked("--author", "github:bob")
    summary = board.run("diff", "main", "results")[1].splitlines()[1]
    assert summary.startswith("Withdraws acme (Another task set); ")
    assert "acme" not in summary.partition("; ")[2]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([("acme", "neat", 2, 1, 1, 1, 1, 7)], (), "has no record of neat attempt 2 round 1"),
        ([("acme", "neat", 1, 2, 0, 0, 1, 118)], (), "has no record of neat attempt 4 round 2"),
        ([("bolt", "neat", 1, 2, 1, 1, 1, 7)], (), "the runs are by bolt"),
        ([("acme", "neat", 1, 2, 1, 1, 1, 7)], ("--reason", "two\nlines"), "--reason needs one line"),
    ],
)
def test_runs_that_do_not_fit_change_nothing(
    board: Clone, rows: list[tuple[object, ...]], options: tuple[str, ...], message: str
) -> None:
    before = everything(board.results)
    chosen = options or ("--reason", "x")
    attempt = ("--attempt", "4") if "attempt 4" in message else ()
    code, output = board.run("replace-rounds", ACME, board.table(rows), *chosen, *attempt)
    assert code == 2
    assert message in output
    assert everything(board.results) == before


def test_what_a_revision_does_not_list_has_to_stay(board: Clone) -> None:
    again = [("acme", "neat", 1, 3, 1, 1, 1, 71)]
    board.done("replace-rounds", ACME, board.table(again), "--reason", "The network failed", "--date", "2026-06-12")
    rounds = board.results / "bench/submissions/2026-06-12-acme/rounds.jsonl"
    lines = rounds.read_text(encoding="utf-8").splitlines()
    better = lines[4].replace('"reward": 0, "passed": 0', '"reward": 1, "passed": 1')
    assert better != lines[4]
    rounds.write_text("\n".join([*lines[:4], better, *lines[5:]]) + "\n", encoding="utf-8")
    board.run("validate", "results", "--fix")
    code, output = board.run("validate", "results", "--base", "main")
    assert code == 1
    assert "error REVISION-DIFFERS: 1 round differs from 2026-06-01-acme and is not listed" in output


def test_a_rerun_that_nobody_states_is_a_warning(board: Clone) -> None:
    rows = runs_of("acme", "100100")
    rows[2] = (*rows[2][:4], 1, 1, 1, 77)
    about = ("--benchmark", "bench", "--track", "main", "--date", "2026-06-12")
    board.done("import", "table", board.table(rows), "--into", "results", *about, "--supersedes", "auto")
    output = board.done("validate", "results")
    assert "warning RERUNS-UNSTATED: 5 of 6 rounds are those of 2026-06-01-acme, times and tokens included" in output


def test_a_real_board_has_rounds_run_again(real_board: Clone) -> None:
    folder = real_board.results / "evocode-bench/submissions/2026-06-25-glm-5-2"
    records = [json.loads(line) for line in (folder / "rounds.jsonl").read_text(encoding="utf-8").splitlines()]
    lost = [
        record
        for record in records
        if record["round"] > 1 and record["state"] == "scored" and 0 == record["reward"] < record["passed"]
    ]
    rows = [
        ("GLM-5.2", lost_round["task"], 1, lost_round["round"], 1, lost_round["total"], lost_round["total"], 60)
        for lost_round in lost[:3]
    ]
    address = "evocode-bench/official/2026-06-25-glm-5-2"
    table = real_board.table(rows)
    output = real_board.done("replace-rounds", address, table, "--reason", "An outage", "--date", "2026-07-02")
    sentence = f"3 of {len(records)} rounds run again: 16.8 to 18.6"
    assert sentence in output
    output = real_board.checked()
    assert output.startswith(f"GLM-5.2: {sentence}. This request adds evocode-bench/2026-07-02-glm-5-2")
    shown = re.findall(r"^(\S+): warning", output, re.MULTILINE)
    assert all("glm-5-2" in path for path in shown), shown
    assert re.search(r"; \d+ warnings and \d+ notes about other results are not shown", output)


def _built(board: Clone) -> Path:
    """Build the site of a board with the program's own pages."""
    project = board.folder.parent / "project"
    done("init", project, SOURCE_DATE_EPOCH=NOW)
    site = board.folder.parent / "site"
    done("build", "--check-links", "--results", board.results, "--site", site, folder=project, SOURCE_DATE_EPOCH=NOW)
    return site
