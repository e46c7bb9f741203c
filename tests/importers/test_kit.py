"""What every importer is made of: how much of its cases a bundle holds, who is asked for, what agents are called."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from sitegen.importers.kit.agents import RankedAgent, is_asked_for
from sitegen.importers.kit.claims import with_stated_facts
from sitegen.importers.kit.drafts import case_detail, day_of, ids_of
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.rounds import GRADED, AgentResults, ImportSource
from sitegen.importers.kit.rules import ASSUMED, TREE_DIRTY
from sitegen.importers.kit.transcripts import transcript_of
from sitegen.models.benchmark import BESIDE_SUBMISSIONS
from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.submission import Agent, Provenance

OPTIONS = ImportOptions(today=date(2026, 7, 1), aliases={"ada-1": "Ada"})


def failed(number: int, *, of: int | None = 1) -> RoundResult:
    """A round in which all cases failed; None for one whose cases nobody counted."""
    return RoundResult("tidy", 1, number, "scored", 0.0, 0 if of else None, of)


def text(number: int, case: str) -> Failure:
    """The text of a case that failed."""
    return Failure("tidy", 1, number, case)


PASSED = RoundResult("tidy", 1, 9, "scored", 1.0, 2, 2)


@pytest.mark.parametrize(
    ("rounds", "failures", "detail"),
    [
        ([], [], "none"),
        ([failed(1, of=None)], [], "none"),
        ([RoundResult("tidy", 1, 1, "aborted", 0.0, 0, 0)], [], "none"),
        ([replace(PASSED, outcomes="pp")], [], "all"),
        ([replace(PASSED, outcomes="pp"), failed(1)], [], "counts"),
        ([PASSED], [], "failures"),
        ([failed(1)], [text(1, "a")], "failures"),
        ([failed(1), failed(2)], [text(1, "a")], "sample"),
        ([PASSED, failed(1, of=None)], [], "counts"),
    ],
)
def test_a_bundle_states_the_most_detail_that_it_holds(
    rounds: list[RoundResult], failures: list[Failure], detail: str
) -> None:
    assert case_detail(rounds, failures) == detail


def test_texts_of_one_round_do_not_stand_for_those_of_another() -> None:
    """Two texts of a round with one failed case leave the failed case of the other round untold."""
    assert case_detail([failed(1), failed(2)], [text(1, "a"), text(1, "b")]) == "sample"


def test_a_skipped_case_is_no_failed_one() -> None:
    skipped = replace(text(1, "b"), status="skipped")
    assert case_detail([failed(1, of=2)], [text(1, "a"), skipped]) == "sample"


@pytest.mark.parametrize("model", ["Ada", "ADA", "ada-1", None])
def test_an_agent_is_asked_for_by_any_of_its_spellings(model: str | None) -> None:
    assert is_asked_for(["ada-1"], replace(OPTIONS, model=model))


def test_another_agent_is_not_asked_for() -> None:
    assert not is_asked_for(["Bob", "bob-1"], replace(OPTIONS, model="Ada"))


def test_a_renamed_agent_keeps_its_name_as_its_models() -> None:
    named = with_stated_facts(Agent(name="Ada", scaffold="shell"), replace(OPTIONS, agent="Ours", reasoning="high"))
    assert (named.name, named.model, named.scaffold, named.reasoning) == ("Ours", "Ada", "shell", "high")


def test_a_model_that_is_called_as_its_agent_is_not_named_twice() -> None:
    assert with_stated_facts(Agent(name="Ada", model="Ours"), replace(OPTIONS, agent="Ours")).model is None


def test_the_first_name_that_begins_with_a_day_tells_it() -> None:
    log = ImportLog(Path())
    assert day_of(log, OPTIONS, "a name", "table.csv", "2026-06-25-runs", "2025-01-01") == date(2026, 6, 25)
    assert not log.problems
    assert day_of(log, OPTIONS, "a name", "2026-06-251", "2026-13-01") == OPTIONS.today
    assert [problem.code for problem in log.problems] == ["SOURCE-DATE-ASSUMED"]
    assert [rule.code for rule, _ in log.caveat_facts[None]] == ["SOURCE-DATE-ASSUMED"]


def test_messages_become_a_transcript() -> None:
    """Results stand with the step that called, thoughts beside words; pictures are named, and stay where they are."""
    message_parts = [{"type": "reasoning", "reasoning": "First look."}, {"type": "text", "text": "attachment://a1"}]
    call = {"id": "c1", "name": "bash", "arguments": {"command": "ls"}}
    messages = [
        {"role": "user", "content": [{"type": "image", "image": "data:image/png;base64,AAAA"}]},
        {"role": "assistant", "content": message_parts, "tool_calls": [call]},
        {"role": "tool", "content": "ledger.txt", "tool_call_id": ["c1"]},
        "no message",
    ]
    transcript = json.loads(transcript_of(messages, "demo/ada", {"a1": "I look."}))
    asked, answered = transcript["steps"]
    assert (asked["source"], asked["message"]) == ("user", "[image: not shown]")
    assert (answered["message"], answered["reasoning_content"]) == ("I look.", "First look.")
    assert answered["tool_calls"] == [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}]
    assert answered["observation"] == {"results": [{"source_call_id": "c1", "content": "ledger.txt"}]}


def test_a_task_called_like_a_page_beside_the_board_gets_another_id() -> None:
    ids = ids_of(["tasks", "compare", "tidy"], {}, None)
    assert ids["tidy"] == "tidy"
    assert not {ids["tasks"], ids["compare"]} & BESIDE_SUBMISSIONS


def test_a_lasting_axis_stays_where_every_task_has_a_value_of_its_own(tmp_path: Path) -> None:
    run = AgentResults(tmp_path, RankedAgent("ada"), day=OPTIONS.today)
    source = ImportSource(ImportLog(tmp_path), columns=GRADED, lasting_axes=("repo",), runs=[run])
    for name in ("first", "second", "third"):
        run.grade(name, 1, 1)
        source.labels[name] = {"repo": f"org/{name}", "author": name}
    incoming = source.imported(replace(OPTIONS, benchmark="mine", track="main"))
    assert [task.labels for task in incoming.task_sets[0].tasks] == [
        {"repo": "org/first"},
        {"repo": "org/second"},
        {"repo": "org/third"},
    ]
    assert set(incoming.benchmark.axes) == {"repo"}
    assert incoming.benchmark.tracks[0].groupings == ()


def test_what_an_import_assumed_is_said_and_kept(tmp_path: Path) -> None:
    run = AgentResults(tmp_path, RankedAgent("ada"), day=OPTIONS.today)
    source = ImportSource(ImportLog(tmp_path), columns=GRADED, runs=[run])
    run.grade("tidy", 1, 1)
    for _ in range(2):
        source.log.assume("column `resolved` is the reward", run.entrant)
    incoming = source.imported(replace(OPTIONS, benchmark="mine", track="main"))
    assert incoming.notes.count("assumed: column `resolved` is the reward") == 1
    assert incoming.drafts[0].submission.caveats == ("The import assumed: column `resolved` is the reward.",)
    assert (ASSUMED.code, ASSUMED.severity) == ("SOURCE-ASSUMED", "warning")


def test_runs_of_changed_code_come_in_with_a_caveat(tmp_path: Path) -> None:
    run = AgentResults(tmp_path, RankedAgent("ada"), day=OPTIONS.today, provenance=Provenance(dirty=True))
    source = ImportSource(ImportLog(tmp_path), columns=GRADED, runs=[run])
    run.grade("tidy", 1, 1)
    incoming = source.imported(replace(OPTIONS, benchmark="mine", track="main"))
    assert incoming.drafts[0].submission.caveats == ("The code that ran had uncommitted changes.",)
    assert (TREE_DIRTY.code, TREE_DIRTY.severity) == ("SOURCE-TREE-DIRTY", "note")
