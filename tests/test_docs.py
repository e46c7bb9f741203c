"""What the authored pages promise: commands, keys, codes and outputs are as the program has them."""

import hashlib
import importlib
import os
import pkgutil
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from kit import command
from kit.built_sites import own_site
from kit.command import program
from lxml import html
from typer.core import TyperGroup

import sitegen
from sitegen.cli.main import app
from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.pipeline.rules import all_rules
from sitegen.problems import Rule

ROOT = Path(__file__).parents[1]
README, SUBMIT, FORMAT, CHECKS = (
    ROOT / name
    for name in ("README.md", "site_src/submit/index.md", "site_src/submit/format.md", "site_src/submit/checks.md")
)
PAGES = (
    README,
    *sorted((ROOT / "site_src" / "docs").glob("*.md")),
    *sorted((ROOT / "site_src" / "submit").glob("*.md")),
)
"""The pages whose commands must exist, with all of their options."""
BUNDLE = "results/example/submissions/2026-07-01-acme-1"

BLOCK = re.compile(r"^```\w+ title=\"([^\"]+)\"\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```sh\n(.*?)^```$|`([^`\n]+)`", re.MULTILINE | re.DOTALL)

SHELL_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INSTALLATION = re.compile(r"(uv tool|pip) install [^\n]*\n\Z")
README_SCRIPTS = len(SHELL_BLOCK.findall(README.read_text(encoding="utf-8")))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path) -> dict[str, str]:
    """The code blocks of a page that have a title."""
    return dict(BLOCK.findall(text_of(page)))


def commands_named(page: Path) -> Iterator[list[str]]:
    """The words of every `sitegen` command on a page, without the name of the program."""
    for block, span in CODE.findall(text_of(page)):
        for line in (block or span).splitlines():
            arguments = line.partition("#")[0].replace("[", " ").replace("]", " ").split()
            if (
                len(arguments) > 1
                and arguments[0].removeprefix(".venv/bin/") == "sitegen"
                and arguments[1] != "COMMAND"
            ):
                yield arguments[1:]


def known_options(arguments: list[str]) -> set[str]:
    """The options of the command that some words begin with; asserts that there is one."""
    command = typer.main.get_command(app)
    for argument in arguments:
        if not isinstance(command, TyperGroup) or argument.startswith("--"):
            break
        assert argument in command.commands, f"there is no `sitegen {' '.join(arguments)}`"
        command = command.resolve_command(typer.Context(command), [argument])[1] or command
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    return {option for parameter in shown for option in parameter.opts} | {"--help"}


def rules_anywhere() -> list[Rule]:
    """Every rule of the program, wherever it is kept."""
    names = [package.name for package in pkgutil.walk_packages(sitegen.__path__, "sitegen.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    rules = [value for module in modules for value in vars(module).values() if isinstance(value, Rule)]
    return list({rule.code: rule for rule in rules}.values())


def keys_of(schema: Mapping[str, Any], definitions: Mapping[str, Any], before: str = "") -> dict[str, bool]:
    """The keys of a record and of the tables in it, each with whether it is required."""
    keys: dict[str, bool] = {}
    for name, value in schema["properties"].items():
        items = value.get("items", {}) if isinstance(value.get("items"), Mapping) else {}
        references = [subschema.get("$ref", "") for subschema in (value, *value.get("anyOf", ()))]
        inner = [definitions[reference.rpartition("/")[2]] for reference in references if reference]
        if inner:
            keys |= keys_of(inner[0], definitions, f"{name}.")
        else:
            keys[before + name] = name in schema.get("required", ())
        if "$ref" in items:
            listed = definitions[items["$ref"].rpartition("/")[2]]
            keys |= keys_of(listed, definitions, f"{before}{name}[].")
    return keys


def keys_told(kind: str) -> dict[str, bool]:
    """The keys of a kind of record on the format's page of the built site, each with whether it says "yes"."""
    page = html.fromstring((own_site() / "submit" / "format" / "index.html").read_bytes())
    rows = page.cssselect(f"[aria-label='Keys: {kind}'] tr[data-key]")
    return {row.get("data-key", ""): row.cssselect("td")[0].text_content() == "yes" for row in rows}


def write_example(folder: Path, old: str = "", new: str = "") -> None:
    """Write the bundle of the submit page with its benchmark and its checksums, one text of it replaced."""
    for name, text in (blocks(SUBMIT) | blocks(FORMAT)).items():
        if name.startswith("results/"):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace(old, new) if old else text, encoding="utf-8")
    files = sorted((folder / BUNDLE).iterdir())
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / BUNDLE / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def printed(folder: Path, *arguments: str) -> str:
    """What the program prints when it is run in a folder."""
    return command.sitegen(*arguments, folder=folder).stdout


@pytest.mark.parametrize("page", PAGES, ids=[str(path.relative_to(ROOT)) for path in PAGES])
def test_commands_and_options_that_a_page_names_exist(page: Path) -> None:
    for arguments in commands_named(page):
        options = {argument for argument in arguments if argument.startswith("--")}
        assert options <= known_options(arguments), f"in `sitegen {' '.join(arguments)}`"


def test_every_rule_is_told_on_the_page_of_checks() -> None:
    listed_codes = [rule.code for rules in all_rules().values() for rule in rules]
    assert sorted(listed_codes) == sorted(rule.code for rule in rules_anywhere())


def test_the_page_of_checks_has_a_place_for_each_list_of_rules() -> None:
    for slot in all_rules():
        assert f'<div data-slot="{slot}">' in text_of(CHECKS)


@pytest.mark.parametrize("name", ["round", "run", "failure", "submission"])
def test_every_key_is_told(name: str) -> None:
    schema = json_schema(name)
    metrics = {"claims.NAME": False} if name == "submission" else {}
    assert keys_told(name) == keys_of(schema, schema.get("$defs", {})) | metrics


@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() - {"release"}))
def test_every_kind_of_record_has_its_place_on_the_page_of_the_format(name: str) -> None:
    assert keys_told(name)


def test_the_readme_shows_the_bundle_of_the_submit_page() -> None:
    assert blocks(README).items() <= (blocks(SUBMIT) | blocks(FORMAT)).items()


def test_the_example_is_valid(tmp_path: Path) -> None:
    write_example(tmp_path)
    assert printed(tmp_path, "validate", BUNDLE) == blocks(SUBMIT)["good"]


def test_a_mistake_is_reported_as_the_page_prints_it(tmp_path: Path) -> None:
    write_example(tmp_path, '"passed": 8', '"passed": 10')
    assert printed(tmp_path, "validate", BUNDLE) == blocks(SUBMIT)["bad"]


def test_the_arithmetic_is_what_the_page_prints(tmp_path: Path) -> None:
    write_example(tmp_path)
    (command_line, expected_output), *_ = (
        (title, text) for title, text in blocks(SUBMIT).items() if title.startswith("explain ")
    )
    assert printed(tmp_path, *command_line.split()) == expected_output


def test_a_reader_finds_what_the_page_about_following_a_number_names(capsys: pytest.CaptureFixture[str]) -> None:
    """The addresses are pages, and the code that recomputes a score prints it."""
    page, site = ROOT / "site_src/docs/reading.md", own_site()
    addresses = re.findall(r"`(/[^`]*)`", text_of(page))
    assert len(addresses) > 4
    assert [address for address in addresses if not (site / address[1:] / "index.html").is_file()] == []
    exec(blocks(page)["score.py"].replace("SITE", site.as_uri()), {})  # noqa: S102 - it is ours
    assert capsys.readouterr().out == blocks(page)["printed"]


def test_snippets_for_other_pages_work_on_a_built_site(capsys: pytest.CaptureFixture[str]) -> None:
    """Every address that a snippet names is a file or a page of the site, and every program prints something."""
    site = own_site()
    board = "evocode-bench/official"
    (submission, *_) = sorted(path.name for path in (site / board).glob("2026-*"))
    for title, snippet in blocks(ROOT / "site_src/docs/badges.md").items():
        filled = snippet.replace("BENCHMARK/TRACK", board).replace("SUBMISSION", submission)
        addresses = re.findall(r"SITE/([\w./-]*)", filled)
        for address in addresses:
            name = f"{address}index.html" if address.endswith("/") else address
            assert (site / name).is_file(), (title, address)
        assert addresses, title
        if "urlopen" in snippet:
            source = filled.replace("SITE", site.as_uri()).replace("BENCHMARK", "evocode-bench")
            exec(source, {})  # noqa: S102 - it is ours
            assert capsys.readouterr().out, title


@pytest.mark.parametrize("number", range(README_SCRIPTS))
def test_the_commands_of_the_readme_run_as_they_are_written(number: int, tmp_path: Path) -> None:
    """In an empty folder, with the program in place of its installation."""
    script = SHELL_BLOCK.findall(text_of(README))[number]
    if INSTALLATION.match(script):
        return
    shell = ["bash", "-euc", script]
    ran = subprocess.run(
        shell,
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{program().parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (tmp_path / "board" / "site" / "index.html").is_file()


def test_changes_are_below_the_version_that_they_belong_to() -> None:
    """The program has the newest version or the one before, while a release is prepared; each has its day."""
    versions = re.findall(r"^## (.*)$", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert sitegen.__version__ in [version.partition(" ")[0] for version in versions[:2]]
    assert f'\nversion = "{sitegen.__version__}"\n' in text_of(ROOT / "pyproject.toml")
    assert [version for version in versions if not re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", version)] == []


def test_a_section_of_the_changelog_can_be_read_through() -> None:
    sections = re.findall(r"^### (\w+)\n\n(.*?)(?=^##|\Z)", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE | re.DOTALL)
    assert {name for name, _ in sections} <= {"Added", "Changed", "Fixed", "Removed"}
    assert [name for name, entries in sections if len(re.findall("^- ", entries, re.MULTILINE)) > 25] == []
