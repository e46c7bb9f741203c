"""Tables of any runner: what their rows become."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from kit.small_import import files_in
from kit.small_tables import HEAD, OPTIONS, csv, jsonl

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.table.source import read_table
from sitegen.models.benchmark import Protocol
from sitegen.models.incoming import Draft
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Case
from sitegen.pipeline.importing import apply_import
from sitegen.problems import UsageError
from sitegen.store.readers.folder import read_results


def draft_of(file: Path, options: ImportOptions = OPTIONS) -> Draft:
    (draft,) = read_table(file, options).drafts
    return draft


def states(draft: Draft) -> list[str]:
    return [round_result.state for round_result in draft.rounds]


def test_a_row_becomes_a_round(tmp_path: Path) -> None:
    draft = draft_of(csv(tmp_path, "tidy,1,1,1,3,3", "tidy,1,2,0,1,4"))
    assert draft.rounds == (
        RoundResult("tidy", 1, 1, "scored", 1, passed=3, total=3),
        RoundResult("tidy", 1, 2, "scored", 0, passed=1, total=4),
    )
    assert (draft.id, draft.submission.agent.name, draft.submission.date) == (
        "2026-06-25-acme-1",
        "Acme-1",
        date(2026, 6, 25),
    )


@pytest.mark.parametrize("head", ["task,passed", "task,reward", "task,attempt,passed", "task,round,reward"])
def test_what_is_tried_and_checked_once_needs_a_task_and_a_verdict_only(tmp_path: Path, head: str) -> None:
    filler_cells = "1," * (head.count(",") - 1)
    draft = draft_of(csv(tmp_path, f"tidy,{filler_cells}1", f"doc,{filler_cells}0", head=head))
    assert draft.rounds == (
        RoundResult("tidy", 1, 1, "scored", 1),
        RoundResult("doc", 1, 1, "scored", 0),
    )


def test_tasks_have_titles_and_ids_that_stand_in_addresses(tmp_path: Path) -> None:
    """A name that can't be an id is kept as the title where none is told."""
    rows = ("Astro/Fits #3,1,1,", "calm,0,1,Stay calm")
    incoming = read_table(csv(tmp_path, *rows, head="task,reward,attempt,title"), OPTIONS)
    (tasks,) = incoming.task_sets
    assert [(task.id, task.title) for task in tasks.tasks] == [
        ("astro-fits-3", "Astro/Fits #3"),
        ("calm", "Stay calm"),
    ]
    (draft,) = incoming.drafts
    assert [round_result.task for round_result in draft.rounds] == ["astro-fits-3", "calm"]


def test_every_column_of_a_round_is_kept(tmp_path: Path) -> None:
    head = (
        "task,attempt,round,state,reward,passed,total,skipped,start,outcomes,case_ids,by_category,interactions,turns,"
        "input_tokens,output_tokens,cost_usd,agent_seconds,verifier_seconds,measures,cause"
    )
    cells = '"[""a"", ""b"", ""c""]","{""core"": [1, 2], ""error"": [0, 1]}"'
    measured = '"{""erosion@E4"": 0.5}"'
    line = f"tidy,1,1,scored,0,1,3,1,own,pfs,{cells},5,4,1000,20,0.25,61.5,2,{measured},the disk was full"
    (result,) = draft_of(csv(tmp_path, line, head=head)).rounds
    assert result == RoundResult(
        "tidy",
        1,
        1,
        "scored",
        0,
        passed=1,
        total=3,
        skipped=1,
        outcomes="pfs",
        by_category={"core": (1, 2), "error": (0, 1)},
        interactions=5,
        turns=4,
        input_tokens=1000,
        output_tokens=20,
        cost_usd=0.25,
        agent_seconds=61.5,
        verifier_seconds=2,
        measures={"erosion@E4": 0.5},
        cause="the disk was full",
    )


def test_lines_of_json_say_the_same_as_csv(tmp_path: Path) -> None:
    lines = csv(tmp_path, 'tidy,1,1,0,1,2,"{""core"": [1, 2]}",', head=f"{HEAD},by_category,cost_usd")
    row = {"task": "tidy", "attempt": 1, "round": 1, "reward": 0, "passed": 1, "total": 2}
    objects = jsonl(tmp_path, row | {"by_category": {"core": [1, 2]}, "cost_usd": None})
    assert read_table(lines, OPTIONS) == read_table(objects, OPTIONS)


def test_the_task_set_is_made_of_the_table(tmp_path: Path) -> None:
    """A task has as many rounds as the run that got furthest."""
    file = csv(
        tmp_path,
        "tidy,1,1,1,1,1",
        "tidy,2,1,1,1,1",
        "tidy,2,2,1,1,1",
        "wide,1,1,1,1,1",
        "wide,2,1,1,1,1",
    )
    incoming = read_table(file, OPTIONS)
    (tasks,) = incoming.task_sets
    assert {task.id: [round_result.n for round_result in task.rounds] for task in tasks.tasks} == {
        "tidy": [1, 2],
        "wide": [1],
    }
    assert (incoming.benchmark.tracks[0].attempts, incoming.benchmark.tracks[0].tasks) == (
        2,
        tasks.id,
    )


def test_rounds_that_a_run_did_not_get_to_are_unreached_and_told_of(tmp_path: Path) -> None:
    file = csv(tmp_path, "tidy,1,1,1,1,1", "tidy,1,2,1,1,1", "tidy,1,3,1,1,1", "tidy,2,1,1,1,1")
    incoming = read_table(file, OPTIONS)
    (draft,) = incoming.drafts
    assert states(draft) == ["scored", "scored", "scored", "scored", "unreached", "unreached"]
    (warning,) = incoming.problems
    assert (warning.code, warning.what) == (
        "SOURCE-RUN-UNREACHED",
        "Acme-1: the source has no results for tidy 2, 3 (attempt 2): unreached",
    )


def test_states_that_have_no_verdict_need_no_figures(tmp_path: Path) -> None:
    file = csv(tmp_path, "tidy,1,1,,,,aborted", "tidy,1,2,,,,unreached", head=f"{HEAD},state")
    assert draft_of(file).rounds == (
        RoundResult("tidy", 1, 1, "aborted", 0, passed=0, total=0),
        RoundResult("tidy", 1, 2, "unreached", 0, passed=0, total=0),
    )


def test_a_round_of_no_cases_is_told_by_its_total(tmp_path: Path) -> None:
    assert states(draft_of(csv(tmp_path, "tidy,1,1,0,0,0"))) == ["no_cases"]


def test_a_verdict_may_come_without_cases(tmp_path: Path) -> None:
    draft = draft_of(csv(tmp_path, "tidy,1,1,1", head="task,attempt,round,reward"))
    assert (draft.rounds[0].state, draft.rounds[0].total, draft.submission.detail.cases) == (
        "scored",
        None,
        "none",
    )


def test_named_cases_are_listed_once(tmp_path: Path) -> None:
    """In the task set; rounds name theirs only where they had others."""
    rows = [
        {
            "task": "tidy",
            "attempt": n,
            "round": 1,
            "reward": 0,
            "passed": 1,
            "total": 2,
            "outcomes": "pf",
        }
        | {"case_ids": ["a", name]}
        for n, name in ((1, "b"), (2, "c"))
    ]
    incoming = read_table(jsonl(tmp_path, *rows), OPTIONS)
    assert incoming.task_sets[0].tasks[0].rounds[0].cases == (Case("a"), Case("b"))
    assert [round_result.case_ids for round_result in incoming.drafts[0].rounds] == [None, ("a", "c")]
    assert incoming.drafts[0].submission.detail.cases == "all"


def test_agents_of_a_table_become_bundles_with_their_own_attempts(tmp_path: Path) -> None:
    lines = ("tidy,1,1,1,1,1,Acme-1", "tidy,2,1,1,1,1,Acme-1", "tidy,1,1,0,0,1,Zed 2")
    incoming = read_table(csv(tmp_path, *lines, head=f"{HEAD},agent"), replace(OPTIONS, agent=None))
    assert [(draft.id, draft.submission.attempts) for draft in incoming.drafts] == [
        ("2026-06-25-acme-1", None),
        ("2026-06-25-zed-2", 1),
    ]
    assert incoming.benchmark.tracks[0].attempts == 2


def test_scaffold_and_reasoning_tell_agents_apart(tmp_path: Path) -> None:
    lines = ("tidy,1,1,1,1,1,Acme-1,high", "tidy,1,1,0,0,1,Acme-1,low")
    file = csv(tmp_path, *lines, head=f"{HEAD},agent,reasoning")
    drafts = read_table(file, replace(OPTIONS, agent=None)).drafts
    assert [draft.id for draft in drafts] == ["2026-06-25-acme-1-high", "2026-06-25-acme-1-low"]


def test_a_table_may_tell_everything_of_its_agent(tmp_path: Path) -> None:
    head = f"{HEAD},agent,organization,model,scaffold,scaffold_version,reasoning"
    file = csv(tmp_path, "tidy,1,1,1,1,1,Acme,Acme Inc,acme-large,cli,1.10,high", head=head)
    agent = draft_of(file, replace(OPTIONS, agent=None)).submission.agent
    assert agent.model_dump(exclude_none=True) == {
        "name": "Acme",
        "organization": "Acme Inc",
        "model": "acme-large",
        "scaffold": "cli",
        "scaffold_version": "1.10",
        "reasoning": "high",
    }


def test_the_importing_person_may_describe_the_agent(tmp_path: Path) -> None:
    file = csv(tmp_path, "tidy,1,1,1,1,1,acme-large", head=f"{HEAD},model")
    options = replace(OPTIONS, agent="Acme", organization="Acme Inc", reasoning="effort high")
    agent = draft_of(file, options).submission.agent
    assert (agent.name, agent.model, agent.organization, agent.reasoning) == (
        "Acme",
        "acme-large",
        "Acme Inc",
        "effort high",
    )


def test_one_model_can_be_picked(tmp_path: Path) -> None:
    lines = ("tidy,1,1,1,1,1,a-large", "tidy,1,1,0,0,1,b-large")
    file = csv(tmp_path, *lines, head=f"{HEAD},model")
    options = replace(OPTIONS, agent=None, model="B-Large")
    assert draft_of(file, options).submission.agent.name == "b-large"
    assert "1 row skipped: they belong to other models" in read_table(file, options).notes
    with pytest.raises(UsageError, match="no runs of model zed; it has: a-large, b-large"):
        read_table(file, replace(options, model="zed"))
    with pytest.raises(UsageError, match="a-large, b-large; choose one with --model"):
        read_table(file, OPTIONS)


def test_spellings_of_one_agent_are_one_agent(tmp_path: Path) -> None:
    lines = ("tidy,1,1,1,1,1,acme", "tidy,2,1,1,1,1,ACME One")
    options = replace(OPTIONS, agent=None, aliases={"acme": "Acme-1", "ACME One": "Acme-1"})
    incoming = read_table(csv(tmp_path, *lines, head=f"{HEAD},agent"), options)
    assert [draft.submission.agent.name for draft in incoming.drafts] == ["Acme-1"]
    assert incoming.benchmark.aliases == {"acme": "Acme-1", "ACME One": "Acme-1"}


def test_claims_stand_beside_the_scores(tmp_path: Path) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text(
        '{"source": "a paper", "rows": [{"Agent": "Acme-1", "dataset_score": "50.0"}]}',
        encoding="utf-8",
    )
    stated = draft_of(csv(tmp_path, "tidy,1,1,1,1,1"), replace(OPTIONS, claims=claims)).submission.claims
    assert stated is not None
    assert str(stated.values["dataset_score"]) == "50.0"


def test_claims_go_to_the_one_bundle_that_they_may_be_about(tmp_path: Path) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text(
        '{"source": "a paper", "rows": [{"Agent": "Acme", "dataset_score": "50.0"}]}',
        encoding="utf-8",
    )
    lines = ("tidy,1,1,1,1,1,Acme,high", "tidy,1,1,0,0,1,Acme,low")
    file = csv(tmp_path, *lines, head=f"{HEAD},agent,reasoning")
    incoming = read_table(file, replace(OPTIONS, agent=None, claims=claims))
    assert [draft.submission.claims for draft in incoming.drafts] == [None, None]
    assert [(problem.code, problem.what) for problem in incoming.problems] == [
        ("CLAIM-AMBIGUOUS", "Acme has several bundles here")
    ]
    claims.write_text(claims.read_text().replace('"dataset', '"Reasoning": "low", "dataset'), encoding="utf-8")
    incoming = read_table(file, replace(OPTIONS, agent=None, claims=claims))
    claimed = {draft.submission.agent.reasoning: draft.submission.claims for draft in incoming.drafts}
    assert claimed["high"] is None
    assert claimed["low"] is not None


def test_rounds_from_the_reference_state_are_their_own(tmp_path: Path) -> None:
    lines = (
        "tidy,1,1,1,1,1,own",
        "tidy,1,1,1,1,1,reference",
        "tidy,1,2,0,0,1,reference",
        "tidy,1,2,0,0,1,",
    )
    incoming = read_table(csv(tmp_path, *lines, head=f"{HEAD},start"), OPTIONS, "fail-stop")
    track = incoming.benchmark.tracks[0]
    assert (track.reference_rounds, track.protocol, track.columns) == (
        True,
        "fail-stop",
        ("mt_at_k", "sr", "gap", "comp"),
    )
    assert [(round_result.start, round_result.round) for round_result in incoming.drafts[0].rounds] == [
        ("own", 1),
        ("own", 2),
        ("reference", 1),
        ("reference", 2),
    ]


@pytest.mark.parametrize(
    ("protocol", "columns", "round_name"),
    [
        ("chain", ("dataset_score", "case_score", "perfect_tasks"), "Round"),
        ("fail-stop", ("mt_at_k", "comp"), "Round"),
        ("once", ("resolved", "completion"), "Target"),
    ],
)
def test_columns_follow_the_protocol(
    tmp_path: Path, protocol: Protocol, columns: Sequence[str], round_name: str
) -> None:
    benchmark = read_table(csv(tmp_path, "tidy,1,1,1,1,1"), OPTIONS, protocol).benchmark
    assert (benchmark.tracks[0].columns, benchmark.round_name) == (columns, round_name)
    assert benchmark.ordered is (protocol != "once")


def test_targets_have_the_weights_of_the_table(tmp_path: Path) -> None:
    file = csv(tmp_path, "tidy,1,1,1,1,1,0.75", "tidy,1,2,0,0,1,0.25", head=f"{HEAD},weight")
    (tasks,) = read_table(file, OPTIONS, "once").task_sets
    assert [round_result.weight for round_result in tasks.tasks[0].rounds] == [0.75, 0.25]


def test_whole_numbers_may_be_written_the_way_spreadsheets_do(tmp_path: Path) -> None:
    (result,) = draft_of(csv(tmp_path, "tidy,1.0,1.0,1.0,3.0,3.0")).rounds
    assert (result.attempt, result.round, result.passed) == (1, 1, 3)


def test_a_byte_order_mark_and_other_line_ends_are_no_matter(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes(f"\ufeff{HEAD}\r\ntidy,1,1,1,1,1\r\n\r\n".encode())
    assert states(draft_of(file)) == ["scored"]


@pytest.mark.parametrize("name", ["2026-05-04-runs.csv", "2026-05-04/runs.csv"])
def test_the_date_is_found_in_a_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    file = csv(tmp_path, "tidy,1,1,1,1,1").rename(tmp_path / name)
    incoming = read_table(file, replace(OPTIONS, date=None))
    assert (incoming.drafts[0].submission.date, incoming.problems) == (date(2026, 5, 4), ())


def test_without_a_date_it_is_today_with_a_warning(tmp_path: Path) -> None:
    incoming = read_table(csv(tmp_path, "tidy,1,1,1,1,1"), replace(OPTIONS, date=None))
    assert incoming.drafts[0].submission.date == OPTIONS.today
    assert [problem.code for problem in incoming.problems] == ["SOURCE-DATE-ASSUMED"]


def test_keys_and_folders_of_a_machine_are_left_out(tmp_path: Path) -> None:
    cause = "Traceback in /home/ada/secret-project/run.py: sk-abcdefghijklmnopqrstuvwxyz"
    file = csv(tmp_path, f'tidy,1,1,,,,aborted,"{cause}"', head=f"{HEAD},state,cause")
    assert draft_of(file).rounds[0].cause == "Traceback in …/run.py: [redacted]"


def test_it_is_valid_and_a_second_import_changes_nothing(tmp_path: Path) -> None:
    lines = (
        "tidy,1,1,1,3,3",
        "tidy,1,2,0,1,4",
        "tidy,2,1,0,2,3",
        "wide,1,1,0,0,0",
        "wide,2,1,1,2,2",
    )
    file, results = csv(tmp_path, *lines), tmp_path / "results"
    apply_import(read_table(file, OPTIONS), results)
    before = files_in(results)
    problems = read_results(results).all_problems()
    assert [problem.code for problem in problems if problem.is_error] == []
    again = apply_import(read_table(file, OPTIONS), results)
    assert (again.new, files_in(results)) == ((), before)


def test_it_says_what_it_read(tmp_path: Path) -> None:
    notes = read_table(csv(tmp_path, "tidy,1,1,1,1,1", "tidy,1,2,1,1,1"), OPTIONS).notes
    assert notes == ("read 2 rows of 1 agent", "2026-06-25-acme-1: 2 rounds, all reached")
