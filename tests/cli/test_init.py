"""`sitegen init`: a leaderboard from nothing, with the program alone."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from kit.command import done, sitegen
from kit.real_data import real_data
from lxml import html

ROOT = Path(__file__).parents[2]
DONE, USED_WRONGLY, BUILDER_FAILED = 0, 2, 3
RUNS = "task,attempt,round,reward,passed,total\ntidy,1,1,1,3,3\ntidy,1,2,0,2,4\n"


def words_of(page: Path) -> str:
    return " ".join(html.fromstring(page.read_text(encoding="utf-8")).text_content().split())


def names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project, built as it was made. Tests read it, and leave it as it is."""
    folder = tmp_path_factory.mktemp("new")
    done("init", "board", "--title", 'Tidy: the "bench"', folder=folder)
    done("build", folder=folder / "board")
    return folder / "board"


def test_a_new_project_is_valid_and_says_what_comes_next(board: Path) -> None:
    output = done("validate", folder=board)
    assert output.endswith("0 errors, 1 warning\n")
    assert "NOTHING-YET" in output
    assert "sitegen import" in output


def test_results_keep_their_line_ends_on_every_system(board: Path) -> None:
    assert "results/** -text\n" in (board / ".gitattributes").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["index.html", "methods/index.html", "board/index.html"])
def test_other_sites_are_told_the_whole_name_of_the_site(board: Path, page: str) -> None:
    read = html.fromstring((board / "site" / page).read_bytes())
    (named,) = read.cssselect("meta[property='og:site_name']")
    assert named.get("content") == 'Tidy: the "bench"'


def test_its_site_has_a_board_without_rows_and_the_way_in(board: Path) -> None:
    page = board / "site" / "board" / "main" / "index.html"
    assert "No submissions on this track yet. How to submit" in words_of(page)
    assert "No submissions yet. How to submit" in words_of(board / "site" / "index.html")


def test_a_title_with_quotes_and_colons_is_the_site_s_name(board: Path) -> None:
    assert 'Tidy: the "bench"' in words_of(board / "site" / "methods" / "index.html")


def test_pages_about_how_the_program_is_made_stay_with_the_program(board: Path) -> None:
    site = board / "site"
    assert not (site / "develop").exists()
    assert not [page.name for page in (site / "changelog").iterdir() if page.is_dir()]


def test_workflows_and_their_tools_are_those_of_the_program(board: Path) -> None:
    folders = (".github/workflows", "tools")
    carried = [path for folder in folders for path in (board / folder).iterdir()]
    assert {path.name for path in carried} >= {"check.yml", "comment.yml", "publish.yml", "comment.py"}
    for path in carried:
        assert path.read_bytes() == (ROOT / path.relative_to(board)).read_bytes()


def test_every_target_that_a_workflow_makes_is_in_its_makefile(board: Path) -> None:
    makefile = (board / "Makefile").read_text(encoding="utf-8")
    for path in (board / ".github" / "workflows").iterdir():
        for target in re.findall(r"run: make (?:-C \w+ )?(\w+)", path.read_text(encoding="utf-8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("written", ["{}", '"{}"', "'{}'", "{} # of the site", '"{}" # of the site'])
def test_the_published_site_is_compared_at_the_address_alone(board: Path, tmp_path: Path, written: str) -> None:
    shutil.copy(board / "Makefile", tmp_path)
    (tmp_path / "requirements.txt").touch()
    program = tmp_path / ".venv" / "bin" / "sitegen"
    program.parent.mkdir(parents=True)
    (tmp_path / ".venv" / "installed").touch()
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    address = "https://acme.example/desk/"
    (tmp_path / "mkdocs.yml").write_text(f"site_name: Desk\nsite_url: {written.format(address)}\n", encoding="utf-8")
    make = ["make", "--silent", "published"]
    printed = subprocess.run(make, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert printed.stdout == f"verify-site|{address}|--rebuild|.|"


def test_a_project_on_gitlab_has_what_gitlab_runs_and_nothing_of_github(tmp_path: Path) -> None:
    done("init", "board", "--host", "gitlab", folder=tmp_path)
    board = tmp_path / "board"
    assert (board / ".gitlab-ci.yml").read_bytes() == (ROOT / ".gitlab" / "leaderboard.yml").read_bytes()
    assert not [name for name in names_in(board) if name.startswith((".github", "tools"))]


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_every_part_that_its_readme_names_is_there(tmp_path: Path, host: str) -> None:
    done("init", "board", "--host", host, folder=tmp_path)
    readme = (tmp_path / "board" / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([^`]+)` \|", readme, re.MULTILINE)
    assert len(named) > 4
    assert [name for name in named if not (tmp_path / "board" / name).exists()] == []


def test_every_module_that_its_tools_import_came_along(board: Path) -> None:
    command = [
        sys.executable,
        "-I",
        "-c",
        "import runpy, sys; sys.path.insert(0, 'tools'); runpy.run_path('tools/comment.py')",
    ]
    subprocess.run(command, cwd=board, check=True)


OWN_PAGES = ("submit/index", "submit/checks", "methods/index", "methods/metrics", "data/index")


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a row and a release, pages and a setting of its own, whose site has no dead link."""
    folder = tmp_path_factory.mktemp("lived")
    done("init", "board", folder=folder)
    board = folder / "board"
    (folder / "runs.csv").write_text(RUNS, encoding="utf-8")
    options = ("--benchmark", "board", "--agent", "Acme-1", "--date", "2026-07-01")
    done("import", "table", "../runs.csv", *options, folder=board)
    assert done("validate", folder=board) == "0 errors, 0 warnings\n"
    done("release", "2026-07-03", "--title", "First", folder=board)
    page_texts = {f"{name}.md": "# Ours\n\nOur own words.\n" for name in OWN_PAGES}
    page_texts["data/index.md"] += '\n<div data-slot="files"></div>\n'
    page_texts["changelog/2026-07-03.md"] = "One row.\n"
    for name, text in page_texts.items():
        (board / "site_src" / name).parent.mkdir(exist_ok=True)
        (board / "site_src" / name).write_text(text, encoding="utf-8")
    with (board / "mkdocs.yml").open("a", encoding="utf-8") as settings:
        settings.write("\ncopyright: Ours.\n")
    done("build", "--check-links", folder=board)
    return board


def test_results_come_into_the_track_that_is_there(lived_in: Path) -> None:
    definition = (lived_in / "results" / "board" / "benchmark.toml").read_text(encoding="utf-8")
    assert 'tasks = "main"' in definition
    assert "# summary" in definition
    page = html.fromstring((lived_in / "site" / "board" / "main" / "index.html").read_bytes())
    assert page.xpath("//tr[@data-submission]/@data-submission") == ["2026-07-01-acme-1"]


def test_notes_of_a_release_need_no_heading(lived_in: Path) -> None:
    read = html.fromstring((lived_in / "site" / "changelog" / "2026-07-03" / "index.html").read_bytes())
    (skip,) = read.cssselect("a.md-skip")
    assert "One row." in read.get_element_by_id(skip.get("href", "")[1:]).text_content()


def test_pages_and_a_setting_of_the_project_come_before_those_of_the_program(lived_in: Path) -> None:
    for name in OWN_PAGES:
        page = words_of(lived_in / "site" / name.removesuffix("index") / "index.html")
        assert "Our own words." in page
        assert "Ours." in page
        assert "Made by Recount" not in page
    methods = html.fromstring((lived_in / "site" / "methods" / "index.html").read_bytes())
    assert methods.xpath("//*[@id='evidence']")


def test_what_comes_next_names_the_track_that_is_there(tmp_path: Path) -> None:
    output = done("init", "board", "--track", "hard", folder=tmp_path)
    assert "  sitegen import FORMAT SOURCE --benchmark board --track hard\n" in output
    output = done("init", "other", folder=tmp_path)
    assert "  sitegen import FORMAT SOURCE --benchmark other\n" in output


def test_published_results_come_in_beside_the_first_track(tmp_path: Path) -> None:
    source = real_data("evocodebench", "2026-06-20-subset")
    done("init", "board", "--benchmark", "evocode-bench", folder=tmp_path)
    track = ("--track", "official", "--new-track")
    done("import", "evocodebench", str(source), "--allow-missing", *track, folder=tmp_path / "board")
    done("validate", folder=tmp_path / "board")
    rows = json.loads(done("score", "--format", "json", folder=tmp_path / "board"))["submissions"]
    assert {row["track"] for row in rows} == {"official"}


@pytest.mark.parametrize("protocol", ["chain", "fail-stop", "once"])
def test_every_protocol_gives_a_valid_benchmark(tmp_path: Path, protocol: str) -> None:
    done("init", "board", "--protocol", protocol, "--attempts", "4", "--track", "hard_mode", folder=tmp_path)
    output = done("validate", folder=tmp_path / "board")
    assert output.endswith("0 errors, 1 warning\n")


def a_table(kind: str) -> str:
    """Rows of the kind: two tasks, of two rounds where there are several, four times where there are several tries."""
    tries, rounds = (4 if kind == "attempts" else 1), (2 if kind == "multi-round" else 1)
    lines = [
        f"{task},{attempt},{number},{int(attempt > 1 or task == 'a')}"
        for task in "ab"
        for attempt in range(1, tries + 1)
        for number in range(1, rounds + 1)
    ]
    return "\n".join(("task,attempt,round,reward", *lines, ""))


@pytest.mark.parametrize(
    ("kind", "scores"),
    {
        "one-shot": {"accuracy": 50.0},
        "attempts": {"pass_hat_1": 87.5, "pass_hat_2": 75.0, "pass_hat_3": 62.5, "pass_hat_4": 50.0},
        "multi-round": {"rounds_passed": 50.0, "whole_tasks": 50.0},
        "table": {"score": 61.5},
    }.items(),
)
def test_every_kind_begins_with_a_definition_that_holds(tmp_path: Path, kind: str, scores: dict[str, float]) -> None:
    done("init", "board", "--kind", kind, folder=tmp_path)
    board = tmp_path / "board"
    assert done("validate", folder=board).endswith("0 errors, 1 warning\n")
    definition = (board / "results" / "board" / "benchmark.toml").read_text(encoding="utf-8")
    assert len(definition.splitlines()) <= 60
    table = "agent,score\nAcme-1,61.5\n" if kind == "table" else a_table(kind)
    (tmp_path / "results.csv").write_text(table, encoding="utf-8")
    agent = () if kind == "table" else ("--agent", "Acme-1")
    options = ("--benchmark", "board", "--date", "2026-07-01", *agent)
    done("import", "table", "../results.csv", *options, folder=board)
    assert done("validate", folder=board) == "0 errors, 0 warnings\n"
    (row,) = json.loads(done("score", "--format", "json", folder=board))["submissions"]
    assert {name: score["value"] for name, score in row["metrics"].items()} == scores


def test_a_folder_that_holds_something_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "board").mkdir()
    (tmp_path / "board" / "notes.txt").write_text("mine", encoding="utf-8")
    ended = sitegen("init", "board", folder=tmp_path)
    assert ended.returncode == USED_WRONGLY
    assert "board is not empty" in ended.stderr
    assert names_in(tmp_path) == {"board/notes.txt"}


def test_the_way_into_a_new_project_can_be_pasted(tmp_path: Path) -> None:
    assert "\n  cd 'a board'\n" in done("init", "a board", folder=tmp_path)


def test_an_empty_repository_is_begun_in(tmp_path: Path) -> None:
    (tmp_path / "board" / ".git").mkdir(parents=True)
    assert "\n  cd " not in done("init", ".", folder=tmp_path / "board")
    assert "mkdocs.yml" in names_in(tmp_path / "board")


@pytest.mark.parametrize(
    "answer",
    [
        ("board", "--benchmark", "Not a slug"),
        ("board", "--benchmark", "methods"),
        ("board", "--track", ""),
        ("board", "--title", "two\nlines"),
        ("+++",),
    ],
)
def test_an_answer_that_can_not_be_used_makes_nothing(tmp_path: Path, answer: tuple[str, ...]) -> None:
    ended = sitegen("init", *answer, folder=tmp_path)
    assert ended.returncode == USED_WRONGLY
    assert ended.stderr.startswith("error: ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("added", "code", "message"),
    [
        (b"\nINHERIT: ../other.yml\n", USED_WRONGLY, r"mkdocs.yml has INHERIT"),
        (b"\nextra:\n\tlead: x\n", USED_WRONGLY, r"mkdocs.yml:\d+: broken YAML: found character"),
        (b"\ncopyright: Gr\xf6\xdfe\n", USED_WRONGLY, r"mkdocs.yml is not UTF-8 text; save it as UTF-8"),
        (b"\nsite_nam: Board\n", BUILDER_FAILED, r"Unrecognised configuration name: site_nam"),
    ],
)
def test_settings_that_can_not_be_used_are_refused_with_what_is_wrong(
    tmp_path: Path, added: bytes, code: int, message: str
) -> None:
    done("init", "board", folder=tmp_path)
    with (tmp_path / "board" / "mkdocs.yml").open("ab") as settings:
        settings.write(added)
    ended = sitegen("build", folder=tmp_path / "board")
    assert ended.returncode == code, ended.stderr
    assert re.search(message, ended.stderr)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that is begun from this checkout, and has installed and built what it carries, as a workflow does.

    Without an index, and with nothing of the checkout.
    """
    folder = tmp_path_factory.mktemp("begun")
    done("init", "board", folder=folder)
    make = ["make", "site"]
    subprocess.run(make, cwd=folder / "board", check=True, capture_output=True, env=alone(folder))
    return folder / "board"


def test_a_program_from_its_wheel_builds_and_begins_the_projects_that_one_from_a_checkout_begins(
    begun: Path, tmp_path: Path
) -> None:
    assert "No submissions on this track yet." in words_of(begun / "site" / "board" / "main" / "index.html")
    begin = [str(begun / ".venv" / "bin" / "sitegen"), "init", "board"]
    subprocess.run(begin, cwd=tmp_path, check=True, capture_output=True, env=alone(begun.parent))
    names = names_in(tmp_path / "board")
    wheel_of(tmp_path / "board")
    assert {"Makefile", "mkdocs.yml", "requirements.txt"} < names
    assert [name for name in names if (tmp_path / "board" / name).read_bytes() != (begun / name).read_bytes()] == []


def test_a_newer_wheel_is_installed_in_the_place_of_the_one_before_once_its_hash_is_known(begun: Path) -> None:
    before = wheel_of(begun)
    old_digest = sha256(before.read_bytes()).hexdigest()
    newer = replaced(before.read_bytes(), "sitegen/cli/__init__.py", b"def main():\n    print('newer')\n")
    make, environment = ["make", "runtime"], alone(begun.parent)
    before.write_bytes(newer)
    lock = begun / "requirements.txt"
    refused = subprocess.run(make, cwd=begun, check=False, capture_output=True, text=True, env=environment)
    assert "DO NOT MATCH THE HASHES" in refused.stderr
    lock.write_text(lock.read_text(encoding="utf-8").replace(old_digest, sha256(newer).hexdigest()), encoding="utf-8")
    subprocess.run(make, cwd=begun, check=True, env=environment)
    assert subprocess.check_output([".venv/bin/sitegen"], cwd=begun, env=environment, text=True) == "newer\n"


def test_a_program_that_was_installed_by_another_name_asks_to_be_installed(tmp_path: Path) -> None:
    environment = alone(tmp_path)
    environment["PYTHONPATH"] = f"{ROOT}:{environment['PYTHONPATH']}"
    begin = [sys.executable, "-S", "-m", "sitegen", "init", "board"]
    ended = subprocess.run(begin, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == USED_WRONGLY
    assert "recountboard is not installed here; run `make runtime`" in ended.stderr
    assert not (tmp_path / "board").exists()


def wheel_of(board: Path) -> Path:
    """The program that a project carries, which its requirements name."""
    (wheel,) = (board / "wheels").iterdir()
    line = f"./wheels/{wheel.name} --hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}"
    assert line in (board / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return wheel


def replaced(wheel: bytes, name: str, data: bytes) -> bytes:
    """A wheel with other bytes in one of its files."""
    made = BytesIO()
    with ZipFile(BytesIO(wheel)) as old, ZipFile(made, "w") as new:
        for member in old.namelist():
            new.writestr(member, data if member == name else old.read(member))
    return made.getvalue()


def alone(folder: Path) -> dict[str, str]:
    """An environment in which pip has no index, and Python the libraries of this environment without the program.

    Pip is among these: to install it into each environment would take most of the time.
    """
    libraries, python = folder / "libraries", folder / "python"
    if not libraries.exists():
        libraries.mkdir()
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@" --without-pip\n', encoding="utf-8")
        python.chmod(0o755)
        for library in Path(sysconfig.get_path("purelib")).iterdir():
            if not re.match("(_editable_impl_)?(sitegen|recountboard)", library.name):
                (libraries / library.name).symlink_to(library)
    pip = dict.fromkeys(("PIP_NO_DEPS", "PIP_NO_INDEX", "PIP_NO_COMPILE"), "1")
    return {**os.environ, **pip, "PYTHONPATH": str(libraries), "PYTHON": str(python)}


def test_its_page_on_submitting_is_made_from_its_tracks_and_the_documentation_stays_with_the_program(
    board: Path,
) -> None:
    assert "sitegen submit RUNS --to board/main" in words_of(board / "site" / "submit" / "index.html")
    below = {path.name for path in (board / "site" / "submit").iterdir() if path.is_dir()}
    assert below == {"checks"}


def test_the_documentation_is_a_site_of_its_own(tmp_path: Path) -> None:
    done("docs", folder=tmp_path)
    pages = {path.parent.name for path in (tmp_path / "docs" / "submit").glob("*/index.html")}
    assert {"format", "checks", "metrics"} <= pages
    pages = {path.parent.name for path in (tmp_path / "docs" / "docs").glob("*/index.html")}
    assert {"maintaining", "starting", "commands"} <= pages
    assert (tmp_path / "docs" / "develop" / "index.html").exists()
