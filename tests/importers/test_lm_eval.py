"""Results of the lm-evaluation-harness: a task for each document, and what is left out, asked about or refused."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import TIME, harness, imported, manifest, put, refused, rounds, tasks
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import UsageError

SCORES = {"tidy": {"exact,strict": [1.0, 0.0], "exact,loose": [1.0, 1.0]}, "neat": {"acc,none": [0.5]}}
LATER = "2026-07-03T08-00-00"


def change(path: Path, **tables: Any) -> Path:  # noqa: ANN401 - whatever a file may hold
    """Put other values in a file of results: tables are joined, and everything else is replaced."""
    content = json.loads(path.read_text("utf-8"))
    for key, value in tables.items():
        old_value = content.get(key.replace("_", "-") if key.startswith("n_") else key)
        name = key.replace("_", "-") if key.startswith("n_") else key
        content[name] = old_value | value if isinstance(old_value, dict) and isinstance(value, dict) else value
    return put(path, content)


def rewards(into: Path) -> dict[str, list[float]]:
    """Return the rewards of each bundle."""
    return {name: [line["reward"] for line in lines] for name, lines in rounds(into).items()}


def caveats(into: Path, bundle: str = "2026-07-01-ada") -> str:
    """Return what a bundle says of its source."""
    return " ".join(manifest(into, bundle).get("caveats", ()))


def samples_of(root: Path, task: str = "tidy", model: str = "ada") -> Path:
    """Return the file of a task's documents."""
    return root / f"demo__{model}" / f"samples_{task}_{TIME}.jsonl"


def replace_text(path: Path, *pairs: tuple[str, str]) -> None:
    """Replace texts in a file, each where it stands first."""
    text = path.read_text("utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


def test_a_document_is_a_task_whatever_the_number_of_filters(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", SCORES)
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == []
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["task"], line["reward"], line.get("measures")) for line in lines] == [
        ("tidy-0", 1, {"exact-loose@lm-eval": 1}),
        ("tidy-1", 0, {"exact-loose@lm-eval": 1}),
        ("neat-0", 0.5, None),
    ]
    assert tasks(tmp_path / "into")["tidy-1"]["title"] == "tidy 1"
    submission = manifest(tmp_path / "into", "2026-07-01-ada")
    assert (submission["agent"]["organization"], submission["provenance"]["harness_version"]) == ("demo", "0.4.13")
    assert "exact,strict is the reward of tidy, and exact,loose is a measure" in caveats(tmp_path / "into")
    imported("lm-eval", tmp_path / "out", tmp_path / "other", "--metric", "exact,loose")
    assert rewards(tmp_path / "other") == {"2026-07-01-ada": [1, 1, 0.5]}
    assert "caveats" not in manifest(tmp_path / "other", "2026-07-01-ada")


def test_the_last_of_several_runs_of_a_task_counts_unless_an_option_says_otherwise(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", {"neat": {"acc,none": [0.0]}})
    harness(tmp_path / "out", "ada", {"neat": {"acc,none": [1.0]}}, LATER)
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-RUN-REPLACED"]
    assert rewards(tmp_path / "into") == {"2026-07-03-ada": [1]}
    imported("lm-eval", tmp_path / "out", tmp_path / "first", "--pick", "first")
    assert rewards(tmp_path / "first") == {"2026-07-01-ada": [0]}
    imported("lm-eval", tmp_path / "out", tmp_path / "both", "--runs", "attempts")
    assert rewards(tmp_path / "both") == {"2026-07-03-ada": [0, 1]}


def test_a_later_run_without_documents_does_not_replace_one_that_has_them(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", {"neat": {"acc,none": [0.0]}})
    later = harness(tmp_path / "out", "ada", {"neat": {"acc,none": [1.0]}}, LATER)
    (later.parent / f"samples_neat_{LATER}.jsonl").unlink()
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-RUN-REPLACED"]
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [0]}


def test_a_copy_of_a_run_counts_once(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        harness(tmp_path / "out" / folder, "ada", {"neat": {"acc,none": [0.0]}})
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into", "--runs", "attempts") == []
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [0]}


def test_a_part_of_a_task_is_told(tmp_path: Path) -> None:
    path = harness(tmp_path / "out", "ada", {"tidy": {"acc,none": [1.0]}})
    config = {"model_args": "pretrained=demo/ada,dtype=auto", "limit": 1.0}
    change(path, model_name="", config=config, n_samples={"tidy": {"original": 5, "effective": 1}})
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-PART"]
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-ada"]


def test_results_without_documents_are_reported(tmp_path: Path) -> None:
    path = harness(tmp_path / "out", "ada", SCORES | {"prose": {"perplexity,none": [0.5]}})
    for samples in path.parent.glob("*.jsonl"):
        samples.unlink()
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-FIGURES-ONLY", "SOURCE-LEFT-OUT"]
    text = (tmp_path / "into" / "mine" / "reported" / "lm-eval.toml").read_text("utf-8")
    (row,) = tomllib.loads(text)["rows"]
    assert row["values"] == {"mean_reward": {"value": 0.5, "n": 3}}
    assert tomllib.loads(text)["note"] == "Mean reward is the mean of exact,strict, acc,none over all documents."


def test_a_leaderboard_of_the_old_kind_is_reported(tmp_path: Path) -> None:
    figures = {
        "all": {"acc": 0.9},
        "harness|arc:challenge|25": {"acc": 0.25, "acc_stderr": 0.01, "acc_norm": 0.5},
        "harness|drop|3": {"em": 0.75, "f1": 0.2},
    }
    about = {"config_general": {"model_name": "demo/ada"}, "results": figures, "versions": {"all": 0}}
    put(tmp_path / "out" / f"results_{TIME}.json", about)
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-FIGURES-ONLY"]
    text = (tmp_path / "into" / "mine" / "reported" / "lm-eval.toml").read_text("utf-8")
    (row,) = tomllib.loads(text)["rows"]
    assert (row["name"], row["values"]) == ("ada", {"mean_reward": {"value": 0.5}})


def test_runs_under_other_conditions_do_not_compare(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", SCORES)
    change(harness(tmp_path / "out", "bob", SCORES), **{"n-shot": {"tidy": 5}})
    ((code, message),) = refused("lm-eval", tmp_path / "out")
    assert (code, message) == (
        "SOURCE-DATASETS-MIXED",
        "tidy was run as version 1.0, 0-shot, and as version 1.0, 5-shot",
    )
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into", "--model", "bob") == []


@pytest.mark.parametrize(
    ("tables", "facts"),
    [
        ({"higher_is_better": {"prose": {"acc": False}}}, "prose (acc,none: lower values are better)"),
        ({"results": {"prose": {"acc,none": float("nan")}}}, "prose (acc,none: the harness's own figure is nan"),
        ({"results": {"prose": {"bypass,none": 999}}}, "prose (bypass,none: the run was made with `--predict_only`"),
        ({"results": {"prose": {}}}, "prose (the results state no score)"),
    ],
)
def test_a_task_that_has_no_reward_is_left_out_by_name(tables: Mapping[str, Any], facts: str, tmp_path: Path) -> None:
    scores = {"tidy": {"acc,none": [1.0, 0.0]}, "prose": {"acc,none": [1.0]}}
    change(harness(tmp_path / "out", "ada", scores), **tables)
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-LEFT-OUT"]
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [1, 0]}
    assert facts in caveats(tmp_path / "into")
    (tmp_path / "out" / "demo__ada" / f"samples_tidy_{TIME}.jsonl").unlink()
    assert [code for code, _ in refused("lm-eval", tmp_path / "out")]


def test_nothing_that_can_be_a_reward_is_refused_with_the_way_on(tmp_path: Path) -> None:
    path = harness(tmp_path / "out", "ada", {"tidy": {"rouge,none": [80.0, 20.0]}})
    ((code, message),) = refused("lm-eval", tmp_path / "out")
    assert (code, "its values go up to 80" in message) == ("SOURCE-SCALE-UNSTATED", True)
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into", "--scale", "100") == []
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [0.8, 0.2]}
    assert "every value is divided by 100" in caveats(tmp_path / "into")
    change(path, results={"tidy": {"bypass,none": 999}})
    assert [code for code, _ in refused("lm-eval", tmp_path / "out")] == ["SOURCE-NOTHING-SCORED"]
    change(path, results={"tidy": {"rouge,none": 50.0}}, higher_is_better={"tidy": {"rouge": False}})
    assert [code for code, _ in refused("lm-eval", tmp_path / "out")] == ["SOURCE-UNUSABLE"]


def test_one_scale_does_not_fit_tasks_of_two(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", {"tidy": {"rouge,none": [80.0]}, "neat": {"acc,none": [1.0]}})
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-LEFT-OUT"]
    ((code, message),) = refused("lm-eval", tmp_path / "out", "--scale", "100")
    assert code == "SOURCE-SCALE-UNSTATED"
    assert message == "values of neat are at most 1, but `--scale 100` would divide them"
    assert refused("lm-eval", tmp_path / "out", "--scale", "100", "--task", "neat") == [(code, message)]
    options = ("--scale", "100", "--task", "tidy")
    assert imported("lm-eval", tmp_path / "out", tmp_path / "other", *options) == []
    assert rewards(tmp_path / "other") == {"2026-07-01-ada": [0.8]}


def test_the_first_score_that_every_document_has_counts(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", {"tidy": {"some,none": [1.0, 1.0], "all,none": [1.0, 0.0]}})
    replace_text(samples_of(tmp_path / "out"), ('"some": 1.0, ', ""), ('["some", "all"]', '["all"]'))
    imported("lm-eval", tmp_path / "out", tmp_path / "into")
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [1, 0]}
    imported("lm-eval", tmp_path / "out", tmp_path / "other", "--metric", "some")
    assert [line["state"] for line in rounds(tmp_path / "other")["2026-07-01-ada"]] == ["aborted", "scored"]


def test_every_run_of_a_task_is_judged_by_the_same_score(tmp_path: Path) -> None:
    scores = {"tidy": {"acc,none": [1.0], "exact,none": [0.0]}}
    harness(tmp_path / "out", "ada", scores)
    change(harness(tmp_path / "out", "bob", scores), higher_is_better={"tidy": {"acc": False}})
    imported("lm-eval", tmp_path / "out", tmp_path / "into")
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [0], "2026-07-01-bob": [0]}


def test_a_figure_that_differs_from_its_documents_becomes_a_claim(tmp_path: Path) -> None:
    change(harness(tmp_path / "out", "ada", {"tidy": {"acc,none": [1.0, 0.0]}}), results={"tidy": {"acc,none": 0.9}})
    codes = imported("lm-eval", tmp_path / "out", tmp_path / "into")
    assert codes == ["SOURCE-SCORE-DIFFERS"]
    submission = manifest(tmp_path / "into", "2026-07-01-ada")
    assert submission["claims"]["mean_reward"] == 0.9
    assert submission["claims"]["source"].startswith("lm-evaluation-harness")
    assert "acc,none of tidy is 0.9 in" in caveats(tmp_path / "into")
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [1, 0]}


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ('"acc": 1.0', '"acc": [1, 0]', "acc is [1, 0], which is not a score"),
        ('"acc": 1.0', '"acc": NaN', "acc is nan, which is not a score"),
        ('"acc": 1.0', '"score": 1.0', "acc is None, which is not a score"),
        ('"doc_id": 0', '"doc": 0', "its line can't be read"),
        ('{"doc_id": 0', "doc_id: 0", "its line can't be read"),
        ('"filter": "none"', '"filter": "other"', "it has no line under the filter none"),
    ],
)
def test_a_document_without_a_verdict_is_aborted_by_name(old: str, new: str, cause: str, tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", {"tidy": {"acc,none": [1.0, 0.0, 1.0]}})
    replace_text(samples_of(tmp_path / "out"), (old, new))
    assert "SOURCE-RUN-FAILED" in imported("lm-eval", tmp_path / "out", tmp_path / "into")
    lines = sorted(rounds(tmp_path / "into")["2026-07-01-ada"], key=lambda line: line["task"])
    assert [(line["state"], line["reward"]) for line in lines] == [("aborted", 0), ("scored", 0), ("scored", 1)]
    assert lines[0]["cause"] == cause
    assert f"tidy/0 ({cause})" in caveats(tmp_path / "into")


def test_two_different_lines_of_a_document_are_no_verdict_and_equal_ones_count_once(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", {"tidy": {"acc,none": [1.0, 0.0]}})
    path = samples_of(tmp_path / "out")
    first, second = path.read_text("utf-8").splitlines()
    path.write_text(f"{first}\n{second}\n{first}\n", encoding="utf-8")
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == []
    path.write_text("\n".join((first, second, first.replace("1.0", "0.0"))), encoding="utf-8")
    assert "SOURCE-RUN-FAILED" in imported("lm-eval", tmp_path / "out", tmp_path / "other")
    assert [line["state"] for line in rounds(tmp_path / "other")["2026-07-01-ada"]] == ["aborted", "scored"]


def test_a_file_that_is_cut_off_is_to_be_copied_again(tmp_path: Path) -> None:
    path = harness(tmp_path / "out", "ada", {"tidy": {"acc,none": [1.0, 0.0]}, "neat": {"acc,none": [1.0]}})
    samples, content, results = (
        samples_of(tmp_path / "out"),
        samples_of(tmp_path / "out").read_bytes(),
        path.read_bytes(),
    )
    samples.write_bytes(content[:-9])
    assert [code for code, _ in refused("lm-eval", tmp_path / "out")] == ["SOURCE-CUT-OFF"]
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into", "--task", "neat") == []
    samples.write_bytes(content)
    path.write_bytes(results[: len(results) // 2])
    assert [code for code, _ in refused("lm-eval", tmp_path / "out")] == ["SOURCE-CUT-OFF"]
    path.write_bytes(results.replace(b'"tidy"', b"tidy", 1))
    assert [code for code, _ in refused("lm-eval", tmp_path / "out")] == ["SOURCE-BROKEN"]


def test_documents_that_have_no_line_have_to_be_meant(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", {"tidy": {"acc,none": [1.0, 0.0]}})
    path = samples_of(tmp_path / "out")
    path.write_text(path.read_text("utf-8").splitlines()[0] + "\n", encoding="utf-8")
    assert [code for code, _ in refused("lm-eval", tmp_path / "out")] == ["SOURCE-RUN-MISSING"]
    codes = imported("lm-eval", tmp_path / "out", tmp_path / "into", "--allow-missing")
    assert codes == ["SOURCE-RUN-UNREACHED", "SOURCE-SCORE-DIFFERS"]


def test_a_task_without_a_file_of_documents_is_left_out(tmp_path: Path) -> None:
    path = harness(tmp_path / "out", "ada", SCORES)
    (path.parent / f"samples_neat_{TIME}.jsonl").unlink()
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-LEFT-OUT"]
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [1, 0]}
    harness(tmp_path / "out", "bob", SCORES)
    assert imported("lm-eval", tmp_path / "out", tmp_path / "other") == ["SOURCE-LEFT-OUT"]
    assert manifest(tmp_path / "other", "2026-07-01-ada")["missing"] == ["neat-0"]
    path.unlink()
    assert "SOURCE-LEFT-OUT" in imported("lm-eval", tmp_path / "out", tmp_path / "third")
    samples_of(tmp_path / "out", "tidy", "bob").parent.joinpath(path.name).unlink()
    ((code, message),) = refused("lm-eval", tmp_path / "out")
    assert (code, "no results file has the same task and time" in message) == ("SOURCE-BROKEN", True)


def test_a_document_is_the_same_for_every_model(tmp_path: Path) -> None:
    for model in ("ada", "bob"):
        harness(tmp_path / "out", model, {"tidy": {"acc,none": [1.0, 0.0]}})
        path = samples_of(tmp_path / "out", "tidy", model)
        replace_text(
            path, *((f'"doc_id": {number}', f'"doc_id": {number}, "doc_hash": "{number}f"') for number in (0, 1))
        )
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == []
    assert tasks(tmp_path / "into")["tidy-1"]["digest"] == "1f"
    replace_text(path, ("0f", "1f"))
    ((code, message),) = refused("lm-eval", tmp_path / "out")
    assert (code, message) == (
        "SOURCE-TASK-DIFFERS",
        "document 0 of tidy differs between runs, according to its `doc_hash`",
    )


def test_tasks_groups_and_documents_can_be_named(tmp_path: Path) -> None:
    path = harness(tmp_path / "out", "ada", SCORES)
    change(path, group_subtasks={"both": ["tidy", "inner"], "inner": ["neat"], "tidy": []})
    for number, (names, expected) in enumerate(
        (
            (["neat"], [0.5]),
            (["both"], [1, 0, 0.5]),
            (["tidy/1"], [0]),
            (["tidy 0", "neat"], [1, 0.5]),
            (["tidy-1", "tidy-0"], [1, 0]),
        )
    ):
        arguments = [argument for name in names for argument in ("--task", name)]
        imported("lm-eval", tmp_path / "out", tmp_path / f"into-{number}", *arguments)
        assert rewards(tmp_path / f"into-{number}") == {"2026-07-01-ada": expected}
    arguments = ["import", "lm-eval", str(tmp_path / "out"), "--benchmark", "mine", "--into", str(tmp_path / "no")]
    done = CliRunner().invoke(app, [*arguments, "--task", "neater"])
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == "the source has no task neater; it has: neat, tidy"


@pytest.mark.parametrize(
    ("key", "values", "expected_settings"),
    [
        ("gen_kwargs", ({"reasoning_effort": "low"}, {"reasoning_effort": "high"}), ("reasoning", "low", "high")),
        ("gen_kwargs", ("top_p=0.5,top_k=1", "top_p=1,top_k=1"), ("scaffold", "top_p 0.5", "top_p 1")),
        (
            "model_args",
            ("pretrained=demo/ada", {"pretrained": "demo/ada", "enable_thinking": True}),
            ("reasoning", None, "thinking"),
        ),
        (
            "model_args",
            ("pretrained=demo/ada,dtype=float16", "pretrained=demo/ada"),
            ("scaffold", "dtype float16", None),
        ),
    ],
)
def test_a_model_at_two_settings_is_two_agents(
    key: str, values: tuple[object, object], expected_settings: tuple[str, str | None, str | None], tmp_path: Path
) -> None:
    for time, value in zip((TIME, LATER), values, strict=True):
        path = harness(tmp_path / "out", "ada", {"neat": {"acc,none": [1.0]}}, time)
        change(path, config={key: value})
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == []
    names = rounds(tmp_path / "into")
    agents = [manifest(tmp_path / "into", name)["agent"] for name in names]
    fact, *settings = expected_settings
    assert [agent.get(fact) for agent in agents] == settings
    assert {agent["name"] for agent in agents} == {"ada"}


def test_two_backends_are_two_agents_and_a_batch_size_is_none(tmp_path: Path) -> None:
    for time, backend, size in ((TIME, "hf", 1), (LATER, "vllm", 1), ("2026-07-04T08-00-00", "vllm", 2)):
        path = harness(tmp_path / "out", "ada", {"neat": {"acc,none": [1.0]}}, time)
        change(path, config={"model": backend, "batch_size": size})
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-RUN-REPLACED"]
    names = [manifest(tmp_path / "into", name)["agent"]["name"] for name in rounds(tmp_path / "into")]
    assert names == ["ada (hf)", "ada (vllm)"]


def test_models_of_one_name_are_told_apart_by_their_owners(tmp_path: Path) -> None:
    for time, owner in ((TIME, "demo"), (LATER, "acme")):
        change(harness(tmp_path / owner, "ada", {"neat": {"acc,none": [1.0]}}, time), model_name=f"{owner}/ada")
    assert imported("lm-eval", tmp_path, tmp_path / "into") == []
    names = {manifest(tmp_path / "into", name)["agent"]["name"] for name in rounds(tmp_path / "into")}
    assert names == {"ada (demo)", "ada (acme)"}


def test_settings_of_different_tasks_are_one_agent(tmp_path: Path) -> None:
    for time, task, backend in ((TIME, "neat", "hf"), (LATER, "tidy", "vllm")):
        change(harness(tmp_path / "out", "ada", {task: {"acc,none": [1.0]}}, time), config={"model": backend})
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == []
    assert rewards(tmp_path / "into") == {"2026-07-03-ada": [1, 1]}


def test_a_short_commit_a_newer_version_and_a_made_up_name_are_kept_and_told(tmp_path: Path) -> None:
    path = harness(tmp_path / "out", "ada", {"neat": {"acc,none": [1.0]}})
    change(path, git_hash="abc1234", lm_eval_version="0.5.0", model_name="q1w2e3r4", config={"model_args": "url=x"})
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into") == ["SOURCE-VERSION-NEWER"]
    submission = manifest(tmp_path / "into", "2026-07-01-q1w2e3r4")
    assert submission["provenance"]["code_commit"] == "abc1234"
    text = caveats(tmp_path / "into", "2026-07-01-q1w2e3r4")
    assert "lm-evaluation-harness 0.5.0; the newest supported version is 0.4.13" in text
    assert "a random name that the harness chose" in text


def test_documents_in_one_list_are_read_and_so_are_those_without_a_filter(tmp_path: Path) -> None:
    """Versions before 0.4.3 write a list, and before 0.4.7 no names of filters."""
    path = harness(tmp_path / "out", "ada", {"tidy": {"exact,strict": [1.0, 0.0], "exact,loose": [0.5, 0.25]}})
    content = json.loads(path.read_text("utf-8"))
    content["config"]["model_args"] = "pretrained=demo/ada"
    lines = [json.loads(line) for line in samples_of(tmp_path / "out").read_text("utf-8").splitlines()]
    for line in lines:
        del line["filter"], line["metrics"]
    old = tmp_path / "old"
    put(old / "results.json", {**content, "model_name": None, "date": 1_782_900_000.5})
    documents = json.dumps(lines, indent=2)
    (old / "pretrained__demo__ada_tidy.jsonl").write_text(documents, encoding="utf-8")
    assert imported("lm-eval", old, tmp_path / "into") == []
    (round_lines,) = rounds(tmp_path / "into").values()
    assert [(line["reward"], line["measures"]) for line in round_lines] == [
        (1, {"exact-loose@lm-eval": 0.5}),
        (0, {"exact-loose@lm-eval": 0.25}),
    ]
    (old / "pretrained__demo__ada_tidy.jsonl").write_text(documents[:-40], encoding="utf-8")
    assert [code for code, _ in refused("lm-eval", old)] == ["SOURCE-CUT-OFF"]


def test_a_run_that_does_not_say_when_it_was_needs_a_date(tmp_path: Path) -> None:
    about = {
        "results": {"tidy": {"acc": 0.5}},
        "versions": {"tidy": 0},
        "config": {"model_args": "pretrained=demo/ada"},
    }
    put(tmp_path / "out" / "any.json", about)
    assert [code for code, _ in refused("lm-eval", tmp_path / "out")] == ["SOURCE-DATE-MISSING"]
    options = ("--date", "2026-07-01")
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into", *options) == ["SOURCE-FIGURES-ONLY"]


def test_files_that_were_renamed_without_their_time_belong_together(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", SCORES)
    folder = tmp_path / "out" / "demo__ada"
    for path in sorted(folder.iterdir()):
        path.rename(folder / path.name.replace(f"_{TIME}", ""))
    assert imported("lm-eval", tmp_path / "out", tmp_path / "into", "--date", "2026-07-01") == []
    assert rewards(tmp_path / "into") == {"2026-07-01-ada": [1, 0, 0.5]}


def test_documents_without_time_beside_results_with_one_are_left_out_by_name(tmp_path: Path) -> None:
    harness(tmp_path / "out", "ada", SCORES)
    samples_of(tmp_path / "out").rename(tmp_path / "out" / "demo__ada" / "samples_tidy.jsonl")
    assert "SOURCE-LEFT-OUT" in imported("lm-eval", tmp_path / "out", tmp_path / "into")
    assert "samples_tidy.jsonl" in caveats(tmp_path / "into")
