"""Tables in Markdown documents, and tables that databases print."""

from pathlib import Path

import pytest
from kit.small_tables import OPTIONS, SEVERAL, refusal, rewards_of, rounds_of, text

from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.table.source import read_table, recognise

RESULTS = """# Results

| Model | Task | Resolved |
|:------|:----:|---------:|
| **Acme-1** | [a](https://example.org/a) | ✅ |
| Acme-1 | `b\\|c` | ❌ |

The last run was on 14 September.
"""


def test_a_table_in_a_document_is_read(tmp_path: Path) -> None:
    file = text(tmp_path, RESULTS, "results.md")
    assert rounds_of(file, SEVERAL) == [("Acme-1", "a", 1, 1, 1), ("Acme-1", "b-c", 1, 1, 0)]
    assert read_table(file, SEVERAL).task_sets[0].tasks[1].title == "b|c"
    assert recognise(SourceTree(file)) == "the columns `Task` and `Resolved`"


@pytest.mark.parametrize(
    "content",
    [
        "| task | reward |\n|-|-|\n| a | 1 |\n| b | - |\n",
        "task | reward\n--- | ---\na | 1\nb | -\n",
        "+------+--------+\n| task | reward |\n+------+--------+\n| a | 1 |\n| b | NULL |\n+------+--------+\n",
        " task | reward \n------+--------\n a    |      1\n b    |   \n(2 rows)\n",
    ],
)
def test_tables_may_be_drawn_in_several_ways(tmp_path: Path, content: str) -> None:
    assert rewards_of(text(tmp_path, content, "results.md")) == {"a": 1, "b": None}


def test_the_contents_count_and_not_the_name(tmp_path: Path) -> None:
    assert rounds_of(text(tmp_path, RESULTS, "results.txt"), SEVERAL)[0] == ("Acme-1", "a", 1, 1, 1)


def test_a_row_of_dashes_is_a_row(tmp_path: Path) -> None:
    lines = "task|reward|cost\n-|-|-\na|1|2\n"
    code, line, message, _ = refusal(text(tmp_path, lines, "results.psv"))
    assert (code, line, message) == ("SOURCE-BROKEN", 2, "`task` is empty")
    file = text(tmp_path, "| task | reward |\n|---|---|\n| x | 1 |\n| - | - |\n", "results.md")
    assert refusal(file)[1:3] == (4, "`task` is empty")


def test_other_tables_of_a_document_are_left_out_and_counted(tmp_path: Path) -> None:
    setup = "| setting | value |\n|---|---|\n| temperature | 0 |\n\n"
    incoming = read_table(text(tmp_path, setup + RESULTS, "results.md"), SEVERAL)
    assert "left out: 1 other table of the document" in incoming.notes


def test_several_tables_of_results_are_asked_about(tmp_path: Path) -> None:
    code, _, message, fix = refusal(text(tmp_path, RESULTS + "\n" + RESULTS, "results.md"), SEVERAL)
    assert code == "TABLE-FORMAT"
    assert "several tables of results, for example in lines 3 and 12" in message
    assert "keep one of the tables" in fix


def test_a_document_without_a_table_is_refused(tmp_path: Path) -> None:
    code, _, message, _ = refusal(text(tmp_path, "# Results\n\nSoon.\n", "results.md"))
    assert code == "TABLE-FORMAT"
    assert "has no table" in message


@pytest.mark.parametrize("end", ["| b | 0", "| b"])
def test_a_row_that_is_cut_off_is_refused(tmp_path: Path, end: str) -> None:
    content = f"| task | reward |\n|---|---|\n| a | 1 |\n{end}"
    code, line, _, fix = refusal(text(tmp_path, content, "results.md"), OPTIONS)
    assert (code, line) == ("SOURCE-CUT-OFF", 4)
    assert "copy the source again" in fix


@pytest.mark.parametrize("mark", ["|", "[", "*", "`", "-|", "+"])
def test_a_long_line_of_marks_takes_no_time(tmp_path: Path, mark: str) -> None:
    long = mark * 50_000
    file = text(tmp_path, f"| task | reward |\n|---|---|\n| a | 1 |\n\n{long}x\n", "results.md")
    assert rewards_of(file) == {"a": 1}
    cell = mark.replace("|", "-") * 50_000
    code, *_ = refusal(text(tmp_path, f"| task | reward |\n|---|---|\n| a | {cell}x |\n", "results.md"))
    assert code == "SOURCE-BROKEN"
