"""What `sitegen metrics` prints can be pasted into the definition that `sitegen init` writes."""

from pathlib import Path

import pytest
from kit.command import done, sitegen

from sitegen.publish.projects.new_project import KINDS

DEFINITION = "results/shop/benchmark.toml"


def begin(folder: Path, kind: str) -> Path:
    """Begin a project with one kind of benchmark, or with none named, and return its definition."""
    options = ["--kind", kind] if kind else []
    done("init", folder, "--benchmark", "shop", *options)
    return folder / DEFINITION


def printed_declarations(folder: Path) -> list[str]:
    """Return each declaration that `sitegen metrics` prints, as its text."""
    output = done("metrics", "--results", folder / "results")
    pieces = output.split("[[metrics]]\n")[1:]
    return ["[[metrics]]\n" + piece.split("\n\n")[0] + "\n" for piece in pieces]


def errors(folder: Path) -> list[str]:
    ended = sitegen("validate", folder / "results")
    return [line for line in ended.stdout.splitlines() if " error " in line]


@pytest.mark.parametrize("kind", ["", *KINDS])
def test_every_printed_metric_can_be_pasted_and_shown(kind: str, tmp_path: Path) -> None:
    """Each is pasted with a new id, all at once, and is a column of the track."""
    definition = begin(tmp_path, kind)
    text = definition.read_text(encoding="utf-8")
    declarations = printed_declarations(tmp_path)
    assert len(declarations) > 3
    names = []
    pasted = []
    for number, declaration in enumerate(declarations):
        names.append(f"pasted_{number}")
        first_line, id_line, body = declaration.split("\n", 2)
        assert id_line.startswith("id = ")
        pasted.append(f'{first_line}\nid = "pasted_{number}"\n{body}')
    columns = ", ".join(f'"{name}"' for name in names)
    lines = [f"columns = [{columns}]" if line.startswith("columns =") else line for line in text.splitlines()]
    definition.write_text("\n".join([*lines, "", *pasted]), encoding="utf-8")
    assert not errors(tmp_path)


@pytest.mark.parametrize("kind", ["", *KINDS])
def test_every_printed_metric_can_be_pasted_as_it_is(kind: str, tmp_path: Path) -> None:
    """A metric that the benchmark declares already cannot be declared twice; the others can, before the tracks too."""
    definition = begin(tmp_path, kind)
    text = definition.read_text(encoding="utf-8")
    pasted = []
    for declaration in printed_declarations(tmp_path):
        if declaration.splitlines()[1] not in text.splitlines():
            pasted.append(declaration)
    head, tracks, tail = text.partition("[[tracks]]")
    for spoilt in (f"{text}\n{''.join(pasted)}", f"{head}{''.join(pasted)}{tracks}{tail}"):
        definition.write_text(spoilt, encoding="utf-8")
        assert not errors(tmp_path)


def test_a_table_beside_a_list_in_brackets_is_named_with_its_line_and_a_fix(tmp_path: Path) -> None:
    definition = begin(tmp_path, "one-shot")
    text = definition.read_text(encoding="utf-8")
    inline = 'metrics = [{ id = "m", title = "M", unit = "percent", of = "pass" }]\n'
    head, _, tail = text.partition("round_name")
    definition.write_text(f"{head}{inline}round_name{tail}", encoding="utf-8")
    line = definition.read_text(encoding="utf-8").splitlines().index("[[metrics]]") + 1
    (error,) = errors(tmp_path)
    assert f"benchmark.toml:{line}: error TOML-SYNTAX" in error
    assert "`[[metrics]]` adds to `metrics`, which is a list in brackets above" in error


BROKEN = [
    ('unit = "percent"', 'unit = "pct"', "VALUE-REFUSED"),
    ('unit = "percent"', 'unit = = "percent"', "TOML-SYNTAX"),
    ('headline = "accuracy"', 'headline = "acuracy"', "METRIC-UNKNOWN"),
    ('of = "pass"', 'of = "pass"\nk = 2', "METRIC-CONTRADICTED"),
    ("schema = 1", "schema = 99", "SCHEMA-NEWER"),
]


@pytest.mark.parametrize(("before", "after", "code"), BROKEN, ids=[code for _, _, code in BROKEN])
def test_an_error_of_the_definition_is_the_first_thing_said(before: str, after: str, code: str, tmp_path: Path) -> None:
    definition = begin(tmp_path, "one-shot")
    text = definition.read_text(encoding="utf-8")
    assert before in text
    definition.write_text(text.replace(before, after, 1), encoding="utf-8")
    source = tmp_path / "runs.csv"
    source.write_text("instance_id,model,resolved\nt1,m1,1\nt2,m1,0\n", encoding="utf-8")
    results = str(tmp_path / "results")
    commands = [
        ["validate", results],
        ["score", results],
        ["metrics", "shop", "--results", results],
        ["import", "table", str(source), "--into", results, "--benchmark", "shop", "--track", "main"],
        ["explain", "shop/main/m1", "--results", results],
        ["build", "--results", results, "--site", str(tmp_path / "site")],
    ]
    for command in commands:
        ended = sitegen(*command)
        assert ended.returncode, command
        first_line = (ended.stdout + ended.stderr).splitlines()[0]
        assert "benchmark.toml:" in first_line, (command, first_line)
        assert code in first_line, (command, first_line)
