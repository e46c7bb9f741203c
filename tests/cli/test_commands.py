"""The commands as a shell sees them: what they print where, and how they end."""

import errno
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import urllib.request
from pathlib import Path

import pytest
from kit.command import program, sitegen
from kit.results_folders import Tree
from kit.timeouts import comes_to

from sitegen.cli.console import failure_text

DATA_PROBLEMS, USED_WRONGLY, BUILDER_FAILED, MACHINE_FAILED = 1, 2, 3, 4
PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with simulated results."""
    folder = tmp_path_factory.mktemp("demo") / "results"
    assert sitegen("demo", folder, "--tasks", "2", "--agents", "3").returncode == 0
    return folder


def bundle_of(results: Path) -> Path:
    return min((results / "demo" / "submissions").iterdir())


def spoil(results: Path, copy: Path) -> Path:
    """Copy results, and break one reward of one bundle."""
    shutil.copytree(results, copy)
    rounds = bundle_of(copy) / "rounds.jsonl"
    text = rounds.read_text(encoding="utf-8")
    spoilt = re.sub(r'"state": ?"scored", ?"reward": ?1', '"state": "scored", "reward": 0', text, count=1)
    assert spoilt != text
    rounds.write_text(spoilt, encoding="utf-8")
    return copy


def test_sound_results_validate_with_success(demo: Path) -> None:
    assert sitegen("validate", demo).returncode == 0


def test_validate_prints_json_and_nothing_else(demo: Path) -> None:
    done = sitegen("validate", demo, "--format", "json")
    report = json.loads(done.stdout)
    assert report.keys() == {"schema", "ok", "problems", "notes"}
    assert report["ok"] is True
    assert all(problem["severity"] == "warning" for problem in report["problems"])


def test_errors_end_validate_with_one(demo: Path, tmp_path: Path) -> None:
    done = sitegen("validate", spoil(demo, tmp_path / "spoilt"), "--format", "json")
    report = json.loads(done.stdout)
    assert done.returncode == DATA_PROBLEMS
    assert report["ok"] is False
    assert {"ROUND-PASS-WITHOUT-REWARD", "CHECKSUM-DIFFERS"} <= {problem["code"] for problem in report["problems"]}


def test_problem_paths_are_seen_from_the_working_directory(demo: Path, tmp_path: Path) -> None:
    spoilt = spoil(demo, tmp_path / "spoilt")
    done = sitegen("validate", "spoilt", "--format", "json", folder=tmp_path)
    paths = {problem["path"] for problem in json.loads(done.stdout)["problems"]}
    assert f"spoilt/demo/submissions/{bundle_of(spoilt).name}/rounds.jsonl" in paths


def test_github_gets_an_annotation_for_each_problem(demo: Path, tmp_path: Path) -> None:
    done = sitegen("validate", spoil(demo, tmp_path / "spoilt"), "--format", "github")
    assert "::error file=" in done.stdout
    assert ",title=ROUND-PASS-WITHOUT-REWARD::" in done.stdout


def test_a_folder_without_bundles_is_never_a_success(tmp_path: Path) -> None:
    done = sitegen("validate", tmp_path)
    assert done.returncode == DATA_PROBLEMS
    assert "NOTHING-FOUND" in done.stdout


def test_the_folder_of_all_submissions_stands_for_its_benchmark(demo: Path) -> None:
    (submissions,) = demo.glob("*/submissions")
    benchmark_result, inside = (sitegen("validate", path) for path in (submissions.parent, submissions))
    assert (inside.returncode, inside.stdout) == (0, benchmark_result.stdout)


def test_a_path_that_is_not_there_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    done = sitegen("validate", tmp_path / "nope")
    assert done.returncode == USED_WRONGLY
    assert "does not exist" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "validate {}",
        "score {}",
        "explain a/b/c --results {}",
        "schema --into {}",
        "diff {} {}",
        "build --results {}",
        "serve --results {}",
        "import table {} --into results",
        "import harbor . --into {}",
        "demo {}",
        "release 2026-06-25 --results {}",
        "redact a/b --reason x --results {}",
        "init {}",
    ],
)
def test_a_path_that_no_disk_can_have_is_a_mistake_of_the_caller(tmp_path: Path, command: str) -> None:
    path = "a" * 5_000
    done = sitegen(*command.format(path, path).split(), folder=tmp_path)
    assert done.returncode == USED_WRONGLY
    assert done.stderr.startswith("error: File name too long")
    assert list(tmp_path.iterdir()) == []


def test_a_check_that_comes_to_nothing_prints_json_too(tmp_path: Path) -> None:
    done = sitegen("validate", "nope", "--format", "json", folder=tmp_path)
    message = "nope does not exist; name a results folder, a benchmark or a submission"
    assert json.loads(done.stdout) == {"schema": 1, "ok": False, "problems": [], "notes": [], "error": message}
    assert done.stderr == f"error: {message}\n"


def test_json_goes_through_every_terminal(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(demo, tmp_path / "results")
    (bundle_of(tmp_path / "results") / "Zoë.txt").touch()
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    report = json.loads(sitegen("validate", tmp_path / "results", "--format", "json").stdout)
    assert "Zoë.txt is not part of a bundle" in {problem["what"] for problem in report["problems"]}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_takes_no_output_is_the_machine_s_failure() -> None:
    command = [str(program()), "schema", "task"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == MACHINE_FAILED
    assert done.stderr == "error: no space left on the disk; nothing was changed\n"


@pytest.mark.parametrize(
    ("number", "expected_text"),
    [
        (errno.ENOSPC, "no space left on the disk"),
        (errno.EFBIG, "a file would be larger than the disk allows"),
        (errno.EDQUOT, "this user's disk quota is used up"),
        (errno.EACCES, "Permission denied"),
    ],
)
def test_what_a_disk_refuses_is_named(number: int, expected_text: str) -> None:
    assert failure_text(OSError(number, os.strerror(number))) == expected_text
    assert failure_text(OSError(number, os.strerror(number), "here")) == f"{expected_text}: here"


def test_a_served_page_learns_that_the_site_is_another_one_and_is_told_to_its_own_names_alone(
    demo: Path, tmp_path: Path
) -> None:
    """The page of another site may have a name lead to this machine, and read what is not published yet."""
    results, site = shutil.copytree(demo, tmp_path / "results"), tmp_path / "site"
    arguments = ("serve", "--results", results, "--site", site, "--cache", tmp_path / "kept", "--port", "0")
    command = [str(program()), *map(str, arguments)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout
            port = next(
                int(address_match[1])
                for line in serving.stdout
                if (address_match := re.match(r"http://[\d.]+:(\d+)/", line))
            )
            names = ("localhost", f"127.0.0.1:{port}", f"[::1]:{port}", "evil.example", "localhost.evil.example", "")
            assert [answered(port, name) for name in names] == [200, 200, 200, 421, 421, 421]
            with socket.create_connection(("127.0.0.1", port)) as asking:
                asking.sendall(b"GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert asking.recv(1) == b""
            page, script = told(port, "/"), re.compile(r'<script src="(/\.sitegen[^"]*)"></script></body>')
            assert script.sub("</body>", page) == (site / "index.html").read_text(encoding="utf-8")
            script_match = script.search(page)
            assert script_match
            asked = re.search(r'fetch\("([^"]*)"\)', told(port, script_match[1]))
            assert asked
            before = told(port, asked[1])
            assert before == told(port, asked[1])
            (definition := next(results.glob("*/benchmark.toml"))).write_text(definition.read_text() + "\n# more\n")
            comes_to(lambda: told(port, asked[1]) == before, wanted=False)
        finally:
            serving.kill()
        assert serving.stderr
        assert serving.stderr.read() == ""


def told(port: int, path: str) -> str:
    """Ask the server for a file."""
    with urllib.request.urlopen(f"http://localhost:{port}{path}") as answer:
        text: str = answer.read().decode()
    return text


def answered(port: int, host: str) -> int:
    """Ask the server for its first page by a name, and give the status of its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/", headers={"Host": host})
    return connection.getresponse().status


def test_an_unknown_option_is_a_mistake_of_the_caller() -> None:
    assert sitegen("build", "--nope").returncode == USED_WRONGLY
    assert sitegen("serve", "--port", "70000").returncode == USED_WRONGLY


def test_score_prints_full_precision(demo: Path) -> None:
    rows = json.loads(sitegen("score", demo, "--format", "json").stdout)["submissions"]
    chain = [row for row in rows if row["track"] == "chain" and row["status"] == "published"]
    assert [row["rank"] for row in chain] == sorted(row["rank"] for row in chain)
    assert max(len(repr(row["metrics"]["case_score"]["value"])) for row in chain) > 8


def test_score_prints_a_gap_as_null(tmp_path: Path) -> None:
    """Nobody counted interactions."""
    tree = Tree(tmp_path)
    tree.define('columns = ["dataset_score", "case_score"]', 'columns = ["dataset_score", "avg_rounds"]')
    (row,) = json.loads(sitegen("score", tmp_path, "--format", "json").stdout)["submissions"]
    assert row["metrics"]["avg_rounds"]["value"] is None
    assert row["metrics"]["dataset_score"]["value"] == 25.0


def test_score_of_one_bundle_is_that_bundle_s(demo: Path) -> None:
    bundle = bundle_of(demo)
    rows = json.loads(sitegen("score", bundle, "--format", "json").stdout)["submissions"]
    assert [row["id"] for row in rows] == [bundle.name]


def test_score_as_csv_has_a_line_for_each_row(demo: Path) -> None:
    lines = sitegen("score", demo, "--format", "csv").stdout.splitlines()
    assert lines[0].startswith("benchmark,track,id,agent,status,evidence,rank,dataset_score")
    assert len(lines) == 1 + len(json.loads(sitegen("score", demo, "--format", "json").stdout)["submissions"])


def test_explain_goes_down_to_the_rounds(demo: Path) -> None:
    done = sitegen("explain", f"demo/chain/{bundle_of(demo).name}/", "--results", demo)
    assert done.returncode == 0
    assert "attempt 1, round 1:" in done.stdout
    assert "rounds passed =" in done.stdout


def test_an_explanation_says_what_keeps_results_from_being_read(demo: Path, tmp_path: Path) -> None:
    shutil.copytree(demo, tmp_path / "results")
    (tmp_path / "results" / "demo" / "findings.toml").write_text("[[findings]]\n", encoding="utf-8")
    done = sitegen("explain", f"demo/chain/{bundle_of(demo).name}", "--results", tmp_path / "results")
    assert done.returncode == DATA_PROBLEMS
    assert "attempt 1, round 1:" in done.stdout
    assert "KEY-MISSING: the key `schema` is missing\n  fix: add `schema = 1`" in done.stderr
    nothing = sitegen("explain", "demo/chain/nobody", "--results", tmp_path / "results")
    assert nothing.returncode == USED_WRONGLY
    assert "KEY-MISSING" in nothing.stderr


def test_explaining_nothing_names_what_there_is(demo: Path) -> None:
    name = bundle_of(demo).name
    done = sitegen("explain", f"demo/chain/{name[:-1]}", "--results", demo)
    assert done.returncode == USED_WRONGLY
    error_lines = done.stderr.splitlines()
    (message,) = error_lines
    assert message.startswith(f"error: no submission demo/chain/{name[:-1]}; did you mean demo/chain/{name}")


def test_a_build_of_results_with_errors_writes_nothing(demo: Path, tmp_path: Path) -> None:
    spoilt = spoil(demo, tmp_path / "spoilt")
    done = sitegen("build", "--results", spoilt, "--site", tmp_path / "site")
    assert done.returncode == DATA_PROBLEMS
    assert "ROUND-PASS-WITHOUT-REWARD" in done.stderr
    assert not (tmp_path / "site").exists()


@pytest.fixture(scope="module")
def allowed(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose results have errors, and its site, which was built none the less.

    Beside simulated results there is one benchmark with a broken definition, and one whose bundles lack a task, hold
    what nobody asked for, and cannot be read.
    """
    folder = tmp_path_factory.mktemp("allowed")
    tree = Tree(spoil(demo, folder / "results"))
    lines = (tree.bundle / "rounds.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    tree.write("rounds.jsonl", "".join(line for line in lines if '"wide"' not in line))
    tree.put("tasks/evil.html", "<script>steal()</script>")
    for name in ("notes.txt", "<img src=x>.toml", "a%2f..%2f#?.jsonl", "half\udcff.jsonl", ".hidden.toml"):
        (tree.bundle / name).write_text("", encoding="utf-8")
    unread = shutil.copytree(tree.bundle, tree.bundle.with_name("2026-06-26-broken"))
    (unread / "submission.toml").write_text("schema = [", encoding="utf-8")
    other_definition = (tree.benchmark / "benchmark.toml").read_text(encoding="utf-8")
    for old, new in (('"mini"', '"other"'), ('"Mini"', '"Other"'), ('headline = "dataset_score"', 'headline = "luck"')):
        other_definition = other_definition.replace(old, new)
    (tree.folder / "other").mkdir()
    (tree.folder / "other" / "benchmark.toml").write_text(other_definition, encoding="utf-8")
    done = sitegen("build", "--results", tree.folder, "--site", folder / "site", "--allow-problems")
    assert done.returncode == 0, done.stderr
    return folder


def test_allowed_problems_are_said_on_the_pages(allowed: Path) -> None:
    bundle = bundle_of(allowed / "results")
    track = next((allowed / "site" / "demo").glob(f"*/{bundle.name}")).parent
    submission = (track / bundle.name / "index.html").read_text(encoding="utf-8")
    assert 'data-notice="errors"' in submission
    assert "ROUND-PASS-WITHOUT-REWARD" in submission
    status = (bundle / "submission.toml").read_text(encoding="utf-8")
    if 'state = "' not in status.partition("[status]")[2] or 'state = "published"' in status:
        assert "has errors" in (track / "index.html").read_text(encoding="utf-8")


def test_a_bundle_without_a_whole_task_is_built_where_problems_are_allowed(allowed: Path) -> None:
    (row,) = (allowed / "site" / "mini" / "main").glob("2026-06-25-*/index.html")
    assert "wide, round 1: no record" in row.read_text(encoding="utf-8")


def test_results_that_cannot_be_read_are_told_of_on_every_overview(allowed: Path) -> None:
    for address in ("", "mini", "mini/main"):
        page = (allowed / "site" / address / "index.html").read_text(encoding="utf-8")
        assert 'data-notice="errors"' in page, address
        assert "2026-06-26-broken/submission.toml" in page, address


def test_a_benchmark_that_cannot_be_used_has_a_tab_that_says_so(allowed: Path) -> None:
    page = (allowed / "site" / "other" / "index.html").read_text(encoding="utf-8")
    assert "Its definition has errors, so none of it is shown." in page
    assert "@@" not in page


def test_the_site_carries_no_page_that_came_with_results(allowed: Path) -> None:
    data_files = (allowed / "site" / "data" / "mini").rglob("*.*")
    assert {path.name for path in data_files} == {"benchmark.toml", "all.jsonl", "submission.toml", "rounds.jsonl"}


def test_a_theme_that_cannot_be_built_ends_with_three_and_leaves_the_site(demo: Path, tmp_path: Path) -> None:
    """A broken link in an authored page stops the builder."""
    project = tmp_path / "project"
    for folder_name in ("site_src", "templates"):
        shutil.copytree(PROJECT / folder_name, project / folder_name)
    shutil.copy(PROJECT / "mkdocs.yml", project)
    site = project / "site"
    assert sitegen("build", "--results", demo, "--site", site, folder=project).returncode == 0
    before = (site / "index.html").read_text(encoding="utf-8")
    with (project / "site_src" / "index.md").open("a", encoding="utf-8") as page:
        page.write("\n[broken](nowhere.md)\n")
    done = sitegen("build", "--results", demo, "--site", site, folder=project)
    assert done.returncode == BUILDER_FAILED
    assert "nowhere.md" in done.stderr
    assert (site / "index.html").read_text(encoding="utf-8") == before


def test_of_a_link_in_an_authored_page_it_is_told_who_mends_it(tmp_path: Path) -> None:
    """The builder does not see links in raw HTML. That the navigation leads to another site as well is no fault."""
    Tree(tmp_path / "results")
    (tmp_path / "site_src").mkdir()
    nav = "nav: [{Boards: index.md}, {More: [https://example.org/]}]"
    (tmp_path / "mkdocs.yml").write_text(f"site_name: Results\n{nav}\n", encoding="utf-8")
    page = (PROJECT / "site_src" / "index.md").read_text(encoding="utf-8")
    (tmp_path / "site_src" / "index.md").write_text(f'{page}\n<a href="nowhere/">broken</a>\n', encoding="utf-8")
    done = sitegen("build", folder=tmp_path)
    assert done.returncode == BUILDER_FAILED
    assert (
        "\n  index.html: nowhere/\nfix the links of pages that you wrote; any other broken link is a bug in this"
        in done.stderr
    )


def test_a_site_needs_no_checkout_of_the_project_around_it(tmp_path: Path) -> None:
    """The program brings its own pages and templates to a folder that holds results only."""
    Tree(tmp_path / "results")
    done = sitegen("build", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "mini" / "main" / "index.html").exists()


def test_schemas_are_printed_by_name_and_all_together() -> None:
    round_schema = json.loads(sitegen("schema", "round").stdout)
    assert round_schema["additionalProperties"] is False
    assert json.loads(sitegen("schema").stdout)["round"] == round_schema
    assert sitegen("schema", "nope").returncode == USED_WRONGLY


@pytest.mark.parametrize("size", ["--agents", "--tasks", "--attempts"])
def test_a_demo_of_nothing_is_a_mistake_of_the_caller(tmp_path: Path, size: str) -> None:
    assert sitegen("demo", tmp_path / "results", size, "0").returncode == USED_WRONGLY
    assert not (tmp_path / "results").exists()


def test_a_results_folder_that_is_not_there_is_a_mistake_of_the_caller_of_build_too(tmp_path: Path) -> None:
    done = sitegen("build", "--results", tmp_path / "nope", "--site", tmp_path / "site")
    assert done.returncode == USED_WRONGLY
    assert "does not exist" in done.stderr


@pytest.mark.parametrize("id_", ["mini", "methods"])
def test_an_id_that_cannot_be_an_address_ends_a_build_with_its_problem(tmp_path: Path, id_: str) -> None:
    tree = Tree(tmp_path / "results")
    shutil.copytree(tree.benchmark, tree.folder / "other")
    text = (tree.benchmark / "benchmark.toml").read_text(encoding="utf-8").replace('"mini"', f'"{id_}"')
    (tree.folder / "other" / "benchmark.toml").write_text(text, encoding="utf-8")
    done = sitegen("build", "--results", tree.folder, "--site", tmp_path / "site")
    assert done.returncode == DATA_PROBLEMS
    assert "NAME-DIFFERS" in done.stderr


def test_an_import_cannot_take_an_address_of_the_site(tmp_path: Path) -> None:
    done = sitegen("import", "evocodebench", tmp_path, "--into", tmp_path / "results", "--benchmark", "api")
    assert done.returncode == USED_WRONGLY
