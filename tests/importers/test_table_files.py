"""Kinds of files that a table may be in: whatever wrote it, the same results become the same bundles."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from kit.small_tables import OPTIONS, SEVERAL, assumed, bundles, refusal, rewards_of, rounds_of, text

from sitegen.importers.table.source import read_table
from sitegen.problems import ProblemsError

SAMPLES = Path(__file__).parents[1] / "samples" / "tables"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text("utf-8"))["rounds"]
FILES = sorted(path for path in SAMPLES.iterdir() if path.name not in {"README.md", "expected.json"})

CUT_OFF = "copy the source again"

Write = Callable[[pd.DataFrame, Path], object]


def frame() -> pd.DataFrame:
    """Return the results of the samples as a data frame."""
    rows = []
    for model, task, attempt, reward, cost in EXPECTED:
        resolved = None if reward is None else bool(reward)
        rows.append((model, task, 40 + attempt, resolved, cost))
    data_frame = pd.DataFrame(rows, columns=["model", "task_id", "seed", "resolved", "cost"])
    return data_frame.astype({"resolved": "boolean", "cost": "float64"})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_other_programs_write_comes_in(path: Path) -> None:
    drafts = read_table(path, SEVERAL).drafts
    actual = []
    for draft in drafts:
        for result in draft.rounds:
            reward = result.reward if result.state == "scored" else None
            actual.append([draft.submission.agent.name, result.task, result.attempt, reward, result.cost_usd])
    assert actual == EXPECTED


WRITERS: dict[str, Write] = {
    "default.csv": lambda data, path: data.to_csv(path),
    "noindex.csv": lambda data, path: data.to_csv(path, index=False),
    "tabs.tsv": lambda data, path: data.to_csv(path, sep="\t"),
    "pipes.csv": lambda data, path: data.to_csv(path, sep="|"),
    "packed.csv.gz": lambda data, path: data.to_csv(path),
    "quoted.csv": lambda data, path: data.to_csv(path, quoting=1),
    "na.csv": lambda data, path: data.to_csv(path, na_rep="NA"),
    "mac.csv": lambda data, path: data.to_csv(path, lineterminator="\r"),
    "windows.csv": lambda data, path: data.to_csv(path, lineterminator="\r\n"),
    "marked.csv": lambda data, path: data.to_csv(path, encoding="utf-8-sig"),
    "utf-16.csv": lambda data, path: data.to_csv(path, encoding="utf-16"),
    "utf-16-le.csv": lambda data, path: data.to_csv(path, encoding="utf-16-le"),
    "multiindex.csv": lambda data, path: data.set_index(["model", "task_id"]).to_csv(path),
    "records.json": lambda data, path: data.to_json(path, orient="records"),
    "columns.json": lambda data, path: data.to_json(path),
    "index.json": lambda data, path: data.to_json(path, orient="index"),
    "split.json": lambda data, path: data.to_json(path, orient="split"),
    "table.json": lambda data, path: data.to_json(path, orient="table"),
    "lines.jsonl": lambda data, path: data.to_json(path, orient="records", lines=True),
    "packed.jsonl.gz": lambda data, path: data.to_json(path, orient="records", lines=True),
    "default.parquet": lambda data, path: data.to_parquet(path),
    "categories.parquet": lambda data, path: data.astype({"task_id": "category"}).to_parquet(path),
    "integers.parquet": lambda data, path: data.astype({"resolved": "Int64"}).to_parquet(path),
    "indexed.parquet": lambda data, path: data.set_index("task_id").to_parquet(path),
    "default.xlsx": lambda data, path: data.to_excel(path),
    "multiindex.xlsx": lambda data, path: data.set_index(["model", "task_id"]).to_excel(path),
    "noindex.xlsx": lambda data, path: data.to_excel(path, index=False),
}
"""Ways in which pandas writes a data frame, by the name of the file."""


@pytest.mark.parametrize("name", WRITERS)
def test_a_data_frame_becomes_the_same_bundles_whatever_file_it_is_written_to(tmp_path: Path, name: str) -> None:
    WRITERS[name](frame(), tmp_path / name)
    assert bundles(tmp_path / name) == bundles(SAMPLES / "polars.csv")


@pytest.mark.parametrize("name", ["default.parquet", "default.xlsx"])
def test_any_file_may_be_packed(tmp_path: Path, name: str) -> None:
    WRITERS[name](frame(), tmp_path / name)
    packed = text(tmp_path, gzip.compress((tmp_path / name).read_bytes()), f"{name}.gz")
    assert bundles(packed) == bundles(SAMPLES / "polars.csv")


@pytest.mark.parametrize(
    ("name", "other_name"),
    [
        ("polars.parquet", "table.csv"),
        ("duckdb.jsonl", "table.json"),
        ("duckdb.json", "table.jsonl"),
    ],
)
def test_the_contents_of_a_file_count_and_not_its_name(tmp_path: Path, name: str, other_name: str) -> None:
    file = text(tmp_path, (SAMPLES / name).read_bytes(), other_name)
    assert bundles(file) == bundles(SAMPLES / "polars.csv")


def test_numbers_with_a_decimal_comma_are_read_and_said(tmp_path: Path) -> None:
    frame().to_csv(tmp_path / "german.csv", sep=";", decimal=",")
    incoming = read_table(tmp_path / "german.csv", SEVERAL)
    assert [result.cost_usd for draft in incoming.drafts for result in draft.rounds] == [row[4] for row in EXPECTED]
    assert assumed(incoming)[0] == "numbers have a decimal comma"


def test_letters_of_windows_are_read_and_said(tmp_path: Path) -> None:
    file = text(tmp_path, "task,reward,title\na,1,Café – “new”\n".encode("cp1252"))
    incoming = read_table(file, OPTIONS)
    assert incoming.task_sets[0].tasks[0].title == "Café – “new”"
    assert assumed(incoming) == ["the file is not UTF-8, so it is read as Windows-1252 (Latin-1)"]
    assert "Windows-1252" in incoming.drafts[0].submission.caveats[0]


def test_letters_that_windows_does_not_have_are_latin_1(tmp_path: Path) -> None:
    assert rewards_of(text(tmp_path, b"task,reward,title\na,1,caf\xe9 \x81\n")) == {"a": 1}


def test_escaped_quotes_are_no_matter(tmp_path: Path) -> None:
    data = frame().assign(text='say "hi"\nand, go')
    data.to_csv(tmp_path / "doubled.csv")
    data.to_csv(tmp_path / "escaped.csv", doublequote=False, escapechar="\\")
    assert bundles(tmp_path / "doubled.csv") == bundles(tmp_path / "escaped.csv") == bundles(SAMPLES / "polars.csv")


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (
            "# of 2026\n\ntask,reward\na,1\nb,0\n",
            "left out above the names of the columns: # of 2026",
        ),
        (
            "Results,\n,\ntask,reward\na,1\nb,0\n",
            "left out above the names of the columns: Results",
        ),
        ("task,reward\na,1\n# the end of part 1\nb,0\n", "left out: comments in line 3"),
        (
            "task,reward\na,1\ntask,reward\nb,0\n",
            "left out: the column names, which are repeated in line 3",
        ),
    ],
)
def test_lines_that_hold_no_data_are_left_out_and_named(tmp_path: Path, content: str, note: str) -> None:
    file = text(tmp_path, content)
    assert rewards_of(file) == {"a": 1, "b": 0}
    assert note in read_table(file, OPTIONS).notes


@pytest.mark.parametrize(
    "content",
    [
        "sep=;\ntask;reward\na;1\nb;0\n",
        "#task,reward\na,1\nb,0\n",
        "\n\ntask,reward\n\na,1\n,\nb,0\n\n",
        "task,reward,,\na,1,,\nb,0,,\n",
        "task,reward\na,1,,,\nb,0\n",
    ],
)
def test_blank_lines_hints_and_empty_cells_are_no_matter(tmp_path: Path, content: str) -> None:
    assert rewards_of(text(tmp_path, content)) == {"a": 1, "b": 0}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"task": "a", "reward": 1}\n{"task": "b", "rew', "table.jsonl"),
        ('[{"task": "a", "reward": 1}, {"task": "b", "rew', "table.json"),
        ('[{"task": "a", "reward": 1},\n', "table.json"),
        ('{"data": [{"task": "a", "reward": 1}', "table.json"),
        ("task,reward\na,1\nb", "table.csv"),
        ('task,reward\na,1\n"b', "table.csv"),
        ("task,reward\na,1\n日本".encode()[:-1], "table.csv"),
        (gzip.compress(b"task,reward\na,1\nb,0\n", mtime=0)[:-9], "table.csv.gz"),
        ((SAMPLES / "polars.parquet").read_bytes()[:-20], "table.parquet"),
        ((SAMPLES / "polars.xlsx").read_bytes()[:-20], "table.xlsx"),
        (gzip.compress((SAMPLES / "polars.xlsx").read_bytes(), mtime=0)[:-20], "table.xlsx.gz"),
        (
            gzip.compress((SAMPLES / "polars.parquet").read_bytes(), mtime=0)[:-20],
            "table.parquet.gz",
        ),
        ("task,reward\na,1\n".encode("utf-16")[:-1], "table.csv"),
    ],
)
def test_a_file_that_is_cut_off_has_to_be_copied_again(tmp_path: Path, content: str | bytes, name: str) -> None:
    code, _, _, fix = refusal(text(tmp_path, content, name))
    assert (code, CUT_OFF in fix) == ("SOURCE-CUT-OFF", True)


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        ('{"task": "a", "reward": 1}\n{"task": "b" "reward": 1}\n', "table.jsonl", "SOURCE-BROKEN"),
        ('{"task": "a", "reward": 1}\n{"task": "b"\n', "table.jsonl", "SOURCE-BROKEN"),
        ('{"task": "a", "task": "b", "reward": 1}\n', "table.jsonl", "SOURCE-BROKEN"),
        ('[{"task": "a" "reward": 1}]', "table.json", "SOURCE-BROKEN"),
        ('[{"task": "a", "reward": 1}] x', "table.json", "SOURCE-BROKEN"),
        ('[{"task": "a", "reward": 1}, 5]', "table.json", "SOURCE-BROKEN"),
        ('[["task", "reward"], ["a", 1], 5]', "table.json", "SOURCE-BROKEN"),
        ('{"task": ["a", "b"], "reward": [1]}', "table.json", "SOURCE-BROKEN"),
        ("[" * 100_000, "table.json", "SOURCE-BROKEN"),
        ("hello", "table.json", "TABLE-FORMAT"),
        ('{"a": 1, "b": 0.4}', "table.json", "TABLE-FORMAT"),
        ('{"a": {"b": {"c": 1}}, "d": [1]}', "table.json", "TABLE-FORMAT"),
        ('task,reward\n"a,1\nb,0\n', "table.csv", "SOURCE-BROKEN"),
        ('task,reward\n"a"x,1\n', "table.csv", "SOURCE-BROKEN"),
        ("task,reward\na,1,2\n", "table.csv", "SOURCE-BROKEN"),
        ("task,reward,model\na,1\nb,0,m\n", "table.csv", "SOURCE-BROKEN"),
        (b"\0\1\2\0\0abc", "table.csv", "TABLE-FORMAT"),
        (b"\xef\xbb\xbftask,reward\n\xff,1\n", "table.csv", "TABLE-FORMAT"),
        (
            gzip.compress(b"task,reward\na,1\n", mtime=0)[:-8] + bytes(8),
            "table.csv.gz",
            "TABLE-FORMAT",
        ),
        (b"BZh91AY", "table.csv", "TABLE-FORMAT"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "table.xlsx", "TABLE-FORMAT"),
        (b"task,reward\na,1\n", "table.parquet", "SOURCE-BROKEN"),
        (b"PAR1" + b"x" * 40 + b"PAR1", "table.parquet", "SOURCE-BROKEN"),
        (b"task,reward\n", "table.csv", "SOURCE-EMPTY"),
        (b"", "table.csv", "SOURCE-EMPTY"),
        (b"[]", "table.json", "SOURCE-EMPTY"),
        (b"{}", "table.json", "SOURCE-EMPTY"),
    ],
)
def test_a_file_that_is_broken_is_not_called_cut_off(
    tmp_path: Path, content: str | bytes, name: str, code: str
) -> None:
    actual_code, _, _, fix = refusal(text(tmp_path, content, name))
    assert (actual_code, CUT_OFF in fix) == (code, False)


def workbook(folder: Path, *rows: tuple[object, ...]) -> Path:
    """Write a sheet with some rows."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    book.save(folder / "table.xlsx")
    return folder / "table.xlsx"


def test_a_broken_workbook_is_refused(tmp_path: Path) -> None:
    file = workbook(tmp_path, ("task", "reward"), ("a", 1))
    data = bytearray(file.read_bytes())
    position = data.index(b"sheet1.xml") + 60
    data[position : position + 40] = bytes(40)
    code, _, message, _ = refusal(text(tmp_path, bytes(data), "broken.xlsx"))
    assert (code, message.startswith("the workbook can't be read")) == ("SOURCE-BROKEN", True)


def test_a_formula_without_a_result_is_no_empty_cell(tmp_path: Path) -> None:
    code, line, message, fix = refusal(workbook(tmp_path, ("task", "reward"), ("a", "=2-1"), ("b", 0)))
    assert (code, line, message) == (
        "SOURCE-BROKEN",
        2,
        "`reward` contains a formula without a stored result: =2-1",
    )
    assert "save it, then import it again" in fix
    assert rewards_of(workbook(tmp_path, ("task", "reward", "link"), ("a", 1, "=2-1"))) == {"a": 1}


def test_the_first_sheet_with_a_table_is_read_and_the_others_are_named() -> None:
    notes = read_table(SAMPLES / "titled.xlsx", SEVERAL).notes
    assert "read: the sheet Results; left out: the sheets Read me" in notes
    assert "left out above the names of the columns: Evaluation of June" in notes


@pytest.mark.parametrize("name", ["dates.xlsx", "dates.parquet", "dates.csv"])
def test_dates_as_ids_stay_texts(tmp_path: Path, name: str) -> None:
    data = pd.DataFrame({"task": pd.to_datetime(["2026-01-01", "2026-01-02"]), "reward": [1, 0]})
    write: dict[str, Callable[[Path], object]] = {
        "dates.xlsx": data.to_excel,
        "dates.parquet": data.to_parquet,
        "dates.csv": data.to_csv,
    }
    write[name](tmp_path / name)
    assert rewards_of(tmp_path / name) == {"2026-01-01": 1, "2026-01-02": 0}


@pytest.mark.parametrize("name", ["ids.xlsx", "ids.parquet", "ids.csv", "ids.json"])
@pytest.mark.parametrize("ids", [[7, 12], [7.0, 12.0]])
def test_numbers_as_ids_are_whole(tmp_path: Path, name: str, ids: list[float]) -> None:
    data = pd.DataFrame({"task": ids, "reward": [1, 0]})
    write: dict[str, Callable[[Path], object]] = {
        "xlsx": data.to_excel,
        "parquet": data.to_parquet,
        "csv": data.to_csv,
        "json": data.to_json,
    }
    write[name.partition(".")[2]](tmp_path / name)
    assert rewards_of(tmp_path / name) == {"7": 1, "12": 0}


def test_versions_as_ids_keep_their_decimals(tmp_path: Path) -> None:
    incoming = read_table(text(tmp_path, "task,reward\n1.0,1\n1.10,0\n"), OPTIONS)
    assert [task.name for task in incoming.task_sets[0].tasks] == ["1.0", "1.10"]


def test_values_inside_of_objects_are_named_by_their_keys(tmp_path: Path) -> None:
    rows = [{"id": "a", "result": {"score": 1}}, {"id": "b", "result": {"score": 0}}]
    file = text(tmp_path, json.dumps(rows), "table.json")
    assert refusal(file)[2] == "the table has no column for reward; its columns are `id`, `result.score`"
    assert rewards_of(file, column=["reward=result.score"]) == {"a": 1, "b": 0}


def test_a_table_inside_of_a_document_is_found(tmp_path: Path) -> None:
    document = {"created": "today", "results": [{"task_id": "a", "is_resolved": True}]}
    file = text(tmp_path, json.dumps(document), "table.json")
    assert rewards_of(file) == {"a": 1}
    assert "left out: the keys other than `results`: created" in read_table(file, OPTIONS).notes


def test_one_object_is_a_table_of_one_row(tmp_path: Path) -> None:
    assert rewards_of(text(tmp_path, '{"task": "a", "reward": 1, "steps": [{"n": 1}]}', "a.json")) == {"a": 1}


def test_keys_that_only_later_rows_have_are_columns(tmp_path: Path) -> None:
    rows = [{"task": f"t{number}", "reward": 1} for number in range(3_000)]
    rows[-1]["cost_usd"] = 3
    file = text(tmp_path, json.dumps(rows), "table.json")
    (draft,) = read_table(file, OPTIONS).drafts
    costs = [result.cost_usd for result in draft.rounds]
    assert (costs.count(None), costs[-1]) == (2_999, 3)


def test_a_long_table_is_read_in_parts_that_know_their_lines(tmp_path: Path) -> None:
    lines = [f't{number},"1\n",0' for number in range(15_000)]
    content = "task,reward,cost_usd\n" + "\n".join(lines) + "\n"
    file = text(tmp_path, content + "last,maybe,0\n")
    assert refusal(file)[:3] == (
        "SOURCE-BROKEN",
        30_002,
        "`reward` is 'maybe', which is neither a number nor a verdict",
    )
    assert len(rounds_of(text(tmp_path, content))) == 15_000


def test_a_cell_may_hold_a_long_text(tmp_path: Path) -> None:
    long_text = "x" * 300_000
    assert rewards_of(text(tmp_path, f'task,reward,output\na,1,"{long_text}"\n')) == {"a": 1}


def test_ten_thousand_columns_are_read(tmp_path: Path) -> None:
    tasks = [f"t{number}" for number in range(10_000)]
    file = text(tmp_path, f"agent,{','.join(tasks)}\nada,{','.join('10' * 5_000)}\n")
    rewards = rewards_of(file, SEVERAL, wide="agents")
    assert (len(rewards), rewards["t0"], rewards["t1"]) == (10_000, 1, 0)


def test_a_table_needs_a_name_that_tells_its_kind(tmp_path: Path) -> None:
    for name in ("table.html", "table", "absent.csv"):
        with pytest.raises(ProblemsError) as raised:
            read_table(tmp_path / name, OPTIONS)
        assert [problem.code for problem in raised.value.problems] == ["TABLE-FORMAT"]


def test_what_parquet_columns_hold_is_read_as_json_would_be(tmp_path: Path) -> None:
    rows = [
        {
            "task": "a",
            "reward": 1,
            "passed": 2,
            "total": 2,
            "case_ids": ["x", "y"],
            "measures": {"m@1": 0.5},
        }
    ]
    pd.DataFrame(rows).to_parquet(tmp_path / "table.parquet")
    (result,) = read_table(tmp_path / "table.parquet", OPTIONS).drafts[0].rounds
    assert (result.passed, result.measures) == (2, {"m@1": 0.5})


@pytest.mark.parametrize("values", [(True, False, None), (1, 0, None), ("pass", "fail", "timeout")])
def test_an_object_of_verdicts_has_a_task_at_each_key(tmp_path: Path, values: tuple[object, ...]) -> None:
    content = json.dumps(dict(zip(("org__repo-1", "b", "c"), values, strict=True)))
    assert rewards_of(text(tmp_path, content, "table.json")) == {"org__repo-1": 1, "b": 0, "c": None}
