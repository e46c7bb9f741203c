"""Results of promptfoo: every kind of file, and what is odd in one."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from kit.promptfoo_trees import evaluation, result, write

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.promptfoo.files import find_files
from sitegen.importers.promptfoo.providers import configured_reasoning, parse_provider
from sitegen.importers.promptfoo.source import read_promptfoo
from sitegen.models.incoming import Draft, Incoming
from sitegen.problems import ProblemsError, UsageError

TODAY = date(2026, 7, 1)


def read(source: Path, **options: Any) -> Incoming:  # noqa: ANN401 - fields of `ImportOptions`
    return read_promptfoo(source, ImportOptions(TODAY, "mine", "main", **options))


def refused(source: Path, **options: Any) -> set[str]:  # noqa: ANN401 - as above
    """Return the codes of the errors that a source is refused for."""
    with pytest.raises(ProblemsError) as error:
        read(source, **options)
    return {problem.code for problem in error.value.problems if problem.is_error}


def one(incoming: Incoming) -> Draft:
    (draft,) = incoming.drafts
    return draft


def rewards(draft: Draft) -> dict[tuple[str, int], float | None]:
    """Return the reward of each try; None where it came to no verdict."""
    return {
        (round_result.task, round_result.attempt): round_result.reward if round_result.state == "scored" else None
        for round_result in draft.rounds
    }


def codes(incoming: Incoming) -> set[str]:
    return {problem.code for problem in incoming.problems}


def saved(folder: Path, *results: dict[str, Any], **facts: Any) -> Path:  # noqa: ANN401 - any JSON
    """Write results as one file."""
    return write(folder / "results.json", evaluation(results, **facts))


def test_a_file_is_read_with_everything_it_says(tmp_path: Path) -> None:
    labelled = result(1, success=False)
    labelled["testCase"]["metadata"] = {"Region": "south", "_hidden": "x", "number": 3}
    incoming = read(saved(tmp_path, result(0), labelled))
    draft = one(incoming)
    assert draft.id == "2026-06-11-ada"
    assert rewards(draft) == {("tidy", 1): 1, ("neat", 1): 0}
    tidy = draft.rounds[0]
    assert (tidy.cost_usd, tidy.agent_seconds, tidy.input_tokens, tidy.output_tokens) == (0.25, 1.5, 100, 20)
    assert (tidy.outcomes, tidy.passed, tidy.total, tidy.measures) == ("p", 1, 1, {"second@promptfoo": 0})
    assert draft.submission.detail.cases == "all"
    ran = draft.submission.provenance
    assert (ran.harness, ran.harness_version, ran.jobs) == ("promptfoo", "0.121.20", ("eval-1",))
    (tasks,) = incoming.task_sets
    assert [task.title for task in tasks.tasks] == ["", ""]
    assert incoming.benchmark.tracks[0].summary == "Tests of promptfoo: office."
    assert "a test that promptfoo passes has the reward 1" in str(draft.submission.caveats)


def test_another_score_is_the_reward_if_it_is_named(tmp_path: Path) -> None:
    first, second = result(0, score=0.75), result(1, success=False, score=0.5)
    path = saved(tmp_path, first, second)
    assert rewards(one(read(path))) == {("tidy", 1): 1, ("neat", 1): 0}
    graded = one(read(path, metric="score"))
    assert rewards(graded) == {("tidy", 1): 0.75, ("neat", 1): 0.5}
    assert graded.rounds[0].measures == {"success@promptfoo": 1.0, "second@promptfoo": 0.0}
    assert rewards(one(read(path, metric="second"))) == {("tidy", 1): 0, ("neat", 1): 1}
    with pytest.raises(UsageError, match="has no score third; it has: success, score, second"):
        read(path, metric="third")


def test_a_scale_is_about_the_score(tmp_path: Path) -> None:
    path = saved(tmp_path, result(0, score=80), result(1, score=20, success=False))
    assert refused(path, metric="score") == {"SOURCE-SCALE-UNSTATED"}
    incoming = read(path, scale=100.0)
    assert rewards(one(incoming)) == {("tidy", 1): 0.8, ("neat", 1): 0.2}
    assert "`score` is the reward" in str(incoming.notes)
    assert rewards(one(read(path))) == {("tidy", 1): 1, ("neat", 1): 0}


@pytest.mark.parametrize(
    ("facts", "cause"),
    [
        ({"failureReason": 2, "error": "API error: 529\n    at Rules", "gradingResult": None}, "API error: 529"),
        ({"failureReason": 0, "error": "No output", "gradingResult": None}, "No output"),
        ({"failureReason": 2, "gradingResult": None}, "an error without a message"),
        ({"success": None, "gradingResult": None}, "no verdict"),
        ({"success": "yes", "gradingResult": {"reason": "x"}}, "no verdict"),
    ],
)
def test_a_result_without_a_verdict_is_aborted(tmp_path: Path, facts: dict[str, Any], cause: str) -> None:
    broken = {**result(1, success=False), **facts}
    incoming = read(saved(tmp_path, result(0), broken))
    draft = one(incoming)
    assert rewards(draft) == {("tidy", 1): 1, ("neat", 1): None}
    assert (draft.rounds[1].cause, draft.rounds[1].cost_usd) == (cause, 0.25)
    assert "SOURCE-RUN-FAILED" in codes(incoming)


def test_an_assertion_that_failed_is_a_verdict(tmp_path: Path) -> None:
    failed = {**result(1, success=False), "error": "Expected output to contain done"}
    assert rewards(one(read(saved(tmp_path, result(0), failed)))) == {("tidy", 1): 1, ("neat", 1): 0}


def test_repeats_of_a_test_are_attempts(tmp_path: Path) -> None:
    rows = [
        result(test, success=test != 2, description=name) for test, name in enumerate(("tidy", "tidy", "neat", "neat"))
    ]
    assert rewards(one(read(saved(tmp_path, *rows)))) == {
        ("tidy", 1): 1,
        ("tidy", 2): 1,
        ("neat", 1): 0,
        ("neat", 2): 1,
    }
    uneven = read(saved(tmp_path, *rows[:3]))
    assert set(rewards(one(uneven))) == {("tidy", 1), ("tidy-2", 1), ("neat", 1)}
    assert "occurs more often than others" in str(one(uneven).submission.caveats)
    twice = [result(test, description="tidy") for test in range(2)] + [result(2, description="neat")]
    extended_results = [
        *twice,
        result(3, description="neat"),
        result(4, description="neat"),
        result(5, description="neat"),
    ]
    assert set(rewards(one(read(saved(tmp_path, *extended_results))))) == {
        ("tidy", 1),
        ("tidy", 2),
        ("neat", 1),
        ("neat", 2),
        ("neat-2", 1),
        ("neat-2", 2),
    }


def test_tests_without_a_description_are_named_by_their_variables(tmp_path: Path) -> None:
    rows = []
    for test, variables in enumerate(
        ({"city": "Lima", "n": 2}, {"city": "Rome", "sessionId": "s"}, {"a": "x" * 200}, {})
    ):
        case = {"vars": variables, "assert": [{"type": "equals"}]}
        rows.append(result(test, testCase=case, vars=variables))
    names = [task.title or task.id for task in read(saved(tmp_path, *rows)).task_sets[0].tasks]
    assert names[:2] == ["city: Lima, n: 2", "city: Rome"]
    assert names[2].startswith("a: xxx")
    assert len(names[2]) < 95
    assert names[3] == "test 4"


def test_tests_that_differ_in_their_variables_or_assertions_are_several(tmp_path: Path) -> None:
    rows = []
    for test, (value, kind) in enumerate((("desk", "equals"), ("shelf", "equals"), ("shelf", "contains"))):
        variables = {"place": value}
        case = {"description": "tidy", "vars": variables, "assert": [{"type": kind}]}
        rows.append(result(test, testCase=case, vars=variables))
    tasks = read(saved(tmp_path, *rows)).task_sets[0].tasks
    assert len(tasks) == 3
    assert tasks[0].title == "tidy: place: desk"
    assert {task.title.partition(" #")[0] for task in tasks[1:]} == {"tidy: place: shelf"}


def test_every_prompt_is_an_agent(tmp_path: Path) -> None:
    rows = [
        result(0, column, provider={"id": "demo:ada", "label": ""}, prompt={"label": name})
        for column, name in enumerate(("short", "polite"))
    ]
    incoming = read(saved(tmp_path, *rows))
    agents = [draft.submission.agent for draft in incoming.drafts]
    assert [(agent.name, agent.scaffold) for agent in agents] == [("ada", "short"), ("ada", "polite")]
    assert "every prompt is a separate agent" in str(incoming.notes)


def test_columns_that_nothing_tells_apart_are_agents_by_their_place(tmp_path: Path) -> None:
    rows = [result(0, column, provider={"id": "demo:ada", "label": ""}) for column in range(2)]
    agents = [draft.submission.agent for draft in read(saved(tmp_path, *rows)).drafts]
    assert [agent.scaffold for agent in agents] == ["configuration 1", "configuration 2"]


def test_a_reasoning_setting_belongs_to_the_agent(tmp_path: Path) -> None:
    rows = [result(0, column, provider={"id": "openai:responses:gpt-5", "label": ""}) for column in range(2)]
    providers = [
        {"id": "openai:responses:gpt-5", "config": {"reasoning_effort": "low"}},
        {"openai:responses:gpt-5": {"config": {"reasoning": {"effort": "high"}}}},
    ]
    incoming = read(saved(tmp_path, *rows, config={"providers": providers}))
    agents = [draft.submission.agent for draft in incoming.drafts]
    assert [(agent.name, agent.reasoning, agent.organization) for agent in agents] == [
        ("gpt-5", "low", "OpenAI"),
        ("gpt-5", "high", "OpenAI"),
    ]
    lines = [
        result(0, column, provider={"id": "demo:ada", "label": "", "config": {"reasoning_effort": effort}})
        for column, effort in enumerate(("low", "high"))
    ]
    written = read(write(tmp_path / "lines" / "results.jsonl", lines))
    assert [draft.submission.agent.reasoning for draft in written.drafts] == ["low", "high"]


def test_a_label_names_an_agent(tmp_path: Path) -> None:
    row = result(0, provider={"id": "anthropic:messages:claude-x", "label": "our agent"})
    agent = one(read(saved(tmp_path, row))).submission.agent
    assert (agent.name, agent.model, agent.organization) == ("our agent", "claude-x", "Anthropic")


@pytest.mark.parametrize(
    ("provider_id", "expected_provider"),
    [
        ("openai:chat:gpt-4o", ("openai", "gpt-4o")),
        ("openai:gpt-4o", ("openai", "gpt-4o")),
        ("bedrock:anthropic.claude-3-5-sonnet-20241022-v2:0", ("bedrock", "anthropic.claude-3-5-sonnet-20241022-v2:0")),
        ("bedrock:converse:meta.llama3-8b", ("bedrock", "meta.llama3-8b")),
        ("ollama:chat:llama3:8b", ("ollama", "llama3:8b")),
        ("huggingface:text-generation:mistralai/Mistral-7B", ("huggingface", "mistralai/Mistral-7B")),
        ("openrouter:anthropic/claude-3.5-sonnet", ("openrouter", "anthropic/claude-3.5-sonnet")),
        ("echo", ("", "echo")),
        ("openai:chat", ("openai", "chat")),
        ("file://folder/provider.js", ("", "provider.js")),
        ("python:provider.py", ("", "provider.py")),
        ("https://api.example.org/v1", ("", "v1")),
    ],
)
def test_what_the_id_of_a_provider_says(provider_id: str, expected_provider: tuple[str, str]) -> None:
    assert tuple(parse_provider(provider_id)) == expected_provider


def test_what_a_configuration_says_of_providers() -> None:
    assert configured_reasoning({"providers": "openai:gpt-4o"}) == [""]
    assert configured_reasoning({"providers": ["openai:gpt-4o", {"id": "x", "config": {"effort": "max"}}]}) == [
        "",
        "max",
    ]
    assert configured_reasoning({"providers": {"a": {"config": {"thinking": {"budget_tokens": 9}}}}}) == [
        "9 thinking tokens"
    ]


def test_a_test_without_an_assertion_is_left_out(tmp_path: Path) -> None:
    unchecked = result(1, gradingResult={"pass": True, "score": 1, "reason": "No assertions"})
    unchecked["testCase"]["assert"] = []
    incoming = read(saved(tmp_path, result(0), unchecked))
    draft = one(incoming)
    assert rewards(draft) == {("tidy", 1): 1}
    assert "SOURCE-LEFT-OUT" in codes(incoming)
    assert "they are left out: neat" in str(draft.submission.caveats)
    assert refused(saved(tmp_path, unchecked)) == {"SOURCE-NOTHING-SCORED"}


def test_an_assertion_that_only_measures_decides_nothing(tmp_path: Path) -> None:
    measured = result(1)
    measured["gradingResult"]["componentResults"][0]["assertion"]["metricOnly"] = True
    assert rewards(one(read(saved(tmp_path, result(0), measured)))) == {("tidy", 1): 1}
    assert rewards(one(read(saved(tmp_path, measured), metric="second"))) == {("neat", 1): 0}


def test_a_threshold_that_passes_a_failed_assertion_keeps_the_verdict(tmp_path: Path) -> None:
    row = result(0, score=0.75)
    component_results = row["gradingResult"]["componentResults"]
    component_results.append({"pass": False, "score": 0, "assertion": {"type": "is-json"}})
    (round_result,) = one(read(saved(tmp_path, row))).rounds
    assert (round_result.reward, round_result.total) == (1, None)
    assert round_result.measures == {"score@promptfoo": 0.75, "second@promptfoo": 0}


def test_a_set_of_assertions_is_one_case(tmp_path: Path) -> None:
    row = result(0)
    inner = [{"pass": True, "assertion": {"type": "contains"}}, {"pass": False, "assertion": {"type": "is-json"}}]
    row["gradingResult"]["componentResults"] = [
        {"pass": True, "assertion": None, "componentResults": inner},
        *inner,
        {"pass": True, "assertion": {"type": "contains", "metric": "right"}},
        {"pass": True, "assertion": {"type": "contains"}},
        {"pass": True, "assertion": {"type": "contains"}},
    ]
    incoming = read(saved(tmp_path, row))
    (round_result,) = one(incoming).rounds
    assert (round_result.outcomes, round_result.passed, round_result.total) == ("pppp", 4, 4)
    (task,) = incoming.task_sets[0].tasks
    assert [case.id for case in task.rounds[0].cases or ()] == ["assert-set", "right", "contains", "contains (2)"]


def test_what_the_cache_answered_has_no_cost_and_no_time(tmp_path: Path) -> None:
    cached = result(0, response={"cached": True}, tokenUsage={"total": 30, "cached": 30})
    (round_result,) = one(read(saved(tmp_path, cached))).rounds
    assert (round_result.cost_usd, round_result.agent_seconds, round_result.input_tokens) == (None, None, None)
    details = {"prompt": 100, "completion": 5, "completionDetails": {"cacheReadInputTokens": 80}}
    (round_result,) = one(read(saved(tmp_path, result(0, tokenUsage=details, cost=0)))).rounds
    assert (round_result.input_tokens, round_result.cached_tokens, round_result.cost_usd) == (100, 80, None)


def test_what_promptfoo_works_out_is_a_claim(tmp_path: Path) -> None:
    document = evaluation([result(0), result(1, success=False)])
    metrics = {
        "testPassCount": 2,
        "testFailCount": 0,
        "score": 1.0,
        "namedScores": {"second": 1.0},
        "namedScoresCount": {"second": 2},
    }
    document["results"]["prompts"] = [{"provider": "demo:chat:ada", "label": "Do it.", "metrics": metrics}]
    document["results"]["stats"]["successes"] = 2
    path = write(tmp_path / "results.json", document)
    incoming = read(path)
    claims = one(incoming).submission.claims
    assert claims is not None
    assert claims.source == "promptfoo: pass rate of 2 results"
    assert claims.values == {"mean_reward": 1}
    assert "SOURCE-SCORE-DIFFERS" in codes(incoming)
    assert "states 2 passed results, but contains 1" in str(one(incoming).submission.caveats)
    for metric, value in (("score", 0.5), ("second", 0.5)):
        claims = one(read(path, metric=metric)).submission.claims
        assert claims is not None
        assert float(claims.values["mean_reward"]) == value


def test_a_test_for_some_columns_only_is_missing_for_the_others(tmp_path: Path) -> None:
    rows = [result(0, 0), result(0, 1), result(1, 0)]
    rows[2]["testCase"]["providers"] = ["demo:chat:ada"]
    incoming = read(saved(tmp_path, *rows))
    assert [draft.submission.missing for draft in incoming.drafts] == [(), ("neat",)]
    assert "SOURCE-PART" in codes(incoming)
    del rows[2]["testCase"]["providers"]
    assert refused(saved(tmp_path, *rows)) == {"SOURCE-RUN-MISSING"}


def test_json_lines_hold_the_same(tmp_path: Path) -> None:
    rows = [result(test, column, success=column == 0) for test in range(2) for column in range(2)]
    lines = read(write(tmp_path / "lines" / "results.jsonl", list(reversed(rows))))
    assert "SOURCE-DATE-ASSUMED" in codes(lines)
    json_import = read(saved(tmp_path, *rows))
    assert [rewards(draft) for draft in lines.drafts] == [rewards(draft) for draft in json_import.drafts]


@pytest.mark.parametrize("name", ["results.yaml", "results.yml", "results.txt"])
def test_yaml_holds_the_same(tmp_path: Path, name: str) -> None:
    results = [result(number, column, success=number != 1) for number in range(3) for column in range(2)]
    document = evaluation(results)
    document["results"]["results"][1]["vars"] = document["results"]["results"][0]["vars"]  # written as an alias
    text = yaml.safe_dump(document, sort_keys=False)
    assert "*id" in text
    (tmp_path / name).write_text(text, encoding="utf-8")
    drafts = read(write(tmp_path / "results.json", document)).drafts
    assert [draft.rounds for draft in read(tmp_path / name).drafts] == [draft.rounds for draft in drafts]
    assert list(map(rewards, drafts)) == [{("clean", 1): 1, ("neat", 1): 0, ("tidy", 1): 1}] * 2


@pytest.mark.parametrize("text", ["&all [*all, *all]", "[1, 2", "{1: *unknown}", "&a {b: *a}"])
def test_broken_yaml_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.yaml").write_text(f"evalId: eval-1\nresults:\n  version: 3\nconfig: {text}\n")
    assert refused(tmp_path) == {"SOURCE-BROKEN"}


def test_yaml_with_too_many_aliases_is_refused(tmp_path: Path) -> None:
    lists = [f"l{number}: &l{number} [{', '.join([f'*l{number - 1}'] * 9)}]" for number in range(1, 12)]
    text = "\n".join(["evalId: eval-1", "l0: &l0 [x]", *lists, "results:", "  version: 3"])
    (tmp_path / "results.yaml").write_text(text)
    assert refused(tmp_path) == {"SOURCE-BROKEN"}


def test_a_later_result_of_a_place_counts(tmp_path: Path) -> None:
    incoming = read(saved(tmp_path, result(0, success=False), result(0, id="again")))
    assert rewards(one(incoming)) == {("tidy", 1): 1}
    assert "replaced by a later result of the same test" in str(one(incoming).submission.caveats)


def test_other_files_of_an_evaluation_are_copies(tmp_path: Path) -> None:
    rows = [result(0), result(1)]
    document = evaluation(rows)
    write(tmp_path / "results.json", document)
    write(tmp_path / "results.jsonl", rows)
    write(tmp_path / "exported.json", {**document, "version": 4})
    (tmp_path / "results.csv").write_text("place,[ada] Do it.,Status,Score,Named Scores\nx,y,PASS,1.00,\n", "utf-8")
    incoming = read(tmp_path)
    assert len(one(incoming).rounds) == 2
    assert "it contains the results of another file" in str(incoming.notes)


def test_several_evaluations_are_asked_about(tmp_path: Path) -> None:
    for day in (1, 2):
        document = evaluation([result(0, success=day == 2, id=f"r{day}")], f"eval-{day}")
        document["results"]["timestamp"] = f"2026-06-1{day}T10:00:00.000Z"
        write(tmp_path / f"{9 - day}.json", document)
    assert refused(tmp_path) == {"SOURCE-RUNS-SEVERAL"}
    assert rewards(one(read(tmp_path, runs="attempts"))) == {("tidy", 1): 0, ("tidy", 2): 1}
    assert rewards(one(read(tmp_path, pick="latest"))) == {("tidy", 1): 1}


def test_a_newer_format_is_read_and_said(tmp_path: Path) -> None:
    document = evaluation([result(0)])
    document["results"]["version"] = 7
    incoming = read(write(tmp_path / "results.json", document))
    assert "SOURCE-VERSION-NEWER" in codes(incoming)
    assert rewards(one(incoming)) == {("tidy", 1): 1}


def test_a_file_that_is_cut_off_is_named_so(tmp_path: Path) -> None:
    path = saved(tmp_path, result(0), result(1))
    data = path.read_bytes()
    for length in (len(data) - 1, len(data) // 2):
        path.write_bytes(data[:length])
        assert refused(path) == {"SOURCE-CUT-OFF"}
    path.write_bytes(data.replace(b'"testIdx"', b'"testIdx" nonsense', 1))
    assert refused(path) == {"SOURCE-BROKEN"}
    lines = write(tmp_path / "lines" / "results.jsonl", [result(0), result(1)])
    content = lines.read_bytes()
    lines.write_bytes(content[:-30])
    assert refused(lines) == {"SOURCE-CUT-OFF"}
    lines.write_bytes(b"{}}\n" + content)
    assert refused(lines) == {"SOURCE-BROKEN"}
    lines.write_bytes(b"[]\n" + content)
    assert refused(lines) == {"SOURCE-EMPTY"}


HEAD = "Description,place,[demo:chat:ada] Do it.,Status,Score,Named Scores,Grader Reason,Comment\n"


def csv(folder: Path, text: str) -> Path:
    path = folder / "results.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_csv_is_read(tmp_path: Path) -> None:
    rows = (
        'tidy,desk,"said, done",PASS,0.50,"{""right"":0.5}",All assertions passed,\n'
        "tidy,desk,no,FAIL,0.00,,Expected,\n"
        ",shelf,,ERROR,0.00,,,\n"
        ",shelf,done,PASS,1.00,,All assertions passed,\n"
    )
    path = csv(tmp_path, HEAD + rows)
    draft = one(read(path))
    assert draft.submission.agent.name == "ada"
    assert rewards(draft) == {
        ("tidy", 1): 1,
        ("tidy", 2): 0,
        ("place-shelf", 1): None,
        ("place-shelf", 2): 1,
    }
    assert draft.rounds[0].measures == {"score@promptfoo": 0.5, "right@promptfoo": 0.5}
    unchecked = csv(tmp_path, HEAD + rows + ",box,done,PASS,1.00,,No assertions,\n,lid,no,FAIL,0.00,,Expected,\n")
    incoming = read(unchecked)
    assert "SOURCE-LEFT-OUT" in codes(incoming)
    assert ("place-box", 1) not in rewards(one(incoming))


def test_csv_of_older_versions_is_read(tmp_path: Path) -> None:
    head = json.dumps({"raw": "Do it.", "display": "Do it.", "provider": "demo:chat:ada"}).replace('"', '""')
    rows = (
        'desk,"[PASS] (1.00)\n\ndone\n\nReason: All assertions passed"\n'
        'shelf,"[FAIL] (0.25)\n\nExpected\n---\nno"\n'
        'box,"[ERROR] (0.00)\n\nno host"\n'
        'lid,"[PASS] (1.00)\n\ndone\n\nReason: No assertions"\n'
    )
    draft = one(read(csv(tmp_path, f'place,"{head}"\n{rows}')))
    assert draft.submission.agent.name == "ada"
    assert rewards(draft) == {("place-desk", 1): 1, ("place-shelf", 1): 0, ("place-box", 1): None}


def test_broken_csv_is_refused(tmp_path: Path) -> None:
    row = "tidy,desk,done,PASS,1.00,,All assertions passed,\n"
    assert refused(csv(tmp_path, HEAD + row + "tidy,desk,done,PA")) == {"SOURCE-CUT-OFF"}
    assert refused(csv(tmp_path, HEAD + row + 'tidy,"des')) == {"SOURCE-CUT-OFF"}
    assert refused(csv(tmp_path, HEAD + "tidy,desk,done,PASS\n" + row)) == {"SOURCE-BROKEN"}
    assert refused(csv(tmp_path, HEAD + 'tidy,"desk"x,done\n' + row)) == {"SOURCE-BROKEN"}
    assert refused(csv(tmp_path, "place,note\ndesk,[PASS]\n,Status,Score,\n")) == {"SOURCE-BROKEN"}


def test_an_agent_without_a_name_has_to_be_named(tmp_path: Path) -> None:
    path = saved(tmp_path, result(0, provider={}))
    assert refused(path) == {"SOURCE-AGENT-UNKNOWN"}
    assert one(read(path, agent="Acme-1")).submission.agent.name == "Acme-1"


def test_one_model_is_taken_by_its_name(tmp_path: Path) -> None:
    path = saved(tmp_path, result(0, 0), result(0, 1))
    assert one(read(path, model="bob")).submission.agent.name == "bob"
    with pytest.raises(UsageError, match="no runs of model cid; it has: ada, bob"):
        read(path, model="cid")


def test_results_without_a_place_are_left_out(tmp_path: Path) -> None:
    lost = result(1, testIdx=None, vars={}, testCase={}, description="")
    incoming = read(saved(tmp_path, result(0), lost))
    assert rewards(one(incoming)) == {("tidy", 1): 1}
    assert "SOURCE-LEFT-OUT" in codes(incoming)


def test_nothing_that_came_to_a_verdict_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, {**result(0), "failureReason": 2, "error": "no host", "gradingResult": None})
    assert refused(path) == {"SOURCE-NOTHING-SCORED"}


def test_other_files_are_not_read(tmp_path: Path) -> None:
    write(tmp_path / "package.json", {"name": "x", "results": []})
    write(tmp_path / "log.jsonl", [{"success": True}])
    (tmp_path / "table.csv").write_text("task,reward\na,1\n", "utf-8")
    assert list(find_files(SourceTree(tmp_path))) == []
    with pytest.raises(ProblemsError) as error:
        read(tmp_path)
    (problem,) = error.value.problems
    assert (problem.code, "promptfoo eval -o results.json" in problem.fix) == ("SOURCE-EMPTY", True)
