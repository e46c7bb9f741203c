"""What was odd about a source is told of each bundle that it concerns, in sentences that the bundle keeps."""

from dataclasses import replace
from pathlib import Path

from kit import small_tables as tables
from kit.evocodebench_trees import OPTIONS, failed, imported, passed, publish
from kit.harbor_trees import PASSED, Play, Trial, nest, write_task
from kit.harbor_trees import imported as imported_from_harbor
from kit.multiturn_trees import FAIL, PASS, new_source
from kit.multiturn_trees import imported as imported_from_fork
from kit.real_data import real_data
from kit.slopcodebench_trees import draft_of as slop_draft_of
from kit.slopcodebench_trees import row, write_run

from sitegen.importers.evocodebench.source import read_published
from sitegen.importers.kit.import_log import caveats_of
from sitegen.importers.table.source import read_table
from sitegen.models.incoming import Incoming
from sitegen.pipeline.importing import apply_import
from sitegen.pipeline.rules import all_rules
from sitegen.problems import Rule
from sitegen.store.readers.folder import read_results

ODD = Rule.warning("B-ODD", "Nothing is odd.", "look", "Something is odd: {}.")
FIRST = Rule.warning("A-FIRST", "Nothing is first.", "look", "Something is first.")
PRIVATE = Rule.warning("C-PRIVATE", "Nothing is passed over.", "look")


def caveats(incoming: Incoming) -> dict[str, tuple[str, ...]]:
    """Give the caveats of the bundles that have some, by the agent's name."""
    caveats_by_agent = {draft.submission.agent.name: draft.submission.caveats for draft in incoming.drafts}
    return {name: agent_caveats for name, agent_caveats in caveats_by_agent.items() if agent_caveats}


def test_caveats_are_a_sentence_for_each_rule_in_the_order_of_the_codes() -> None:
    doubts = [(ODD, "round 2"), (FIRST, ""), (PRIVATE, "a/link"), (ODD, "round 1"), (ODD, "round 2")]
    assert caveats_of(doubts) == ("Something is first.", "Something is odd: round 2; round 1.")


def test_many_facts_of_one_rule_are_counted() -> None:
    assert caveats_of([(ODD, str(number)) for number in range(7)]) == ("Something is odd: 0; 1; 2; 3; 4; and 2 more.",)


def test_caveats_name_no_folder_of_the_machine_and_no_key() -> None:
    assert caveats_of([(ODD, "/home/ada/runs/tidy.json")]) == ("Something is odd: …/tidy.json.",)


def test_a_caveat_is_told_of_the_agent_that_it_concerns(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"GPT-5.5": [passed(), None], "GLM-5.1": [passed(), failed()]}})
    assert caveats(imported(source)) == {
        "GPT-5.5": (
            (
                "Of rounds without a verdict at a run's end, the first is recorded as aborted, the later ones as "
                "unreached: 1 round of tidy."
            ),
        )
    }


def test_what_concerns_only_who_imports_is_no_caveat(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"GPT-5.5": [passed()]}})
    (source / "tasks" / "other.json").write_text((source / "tasks" / "tidy.json").read_text("utf-8"), "utf-8")
    incoming = imported(source)
    assert [problem.code for problem in incoming.problems] == ["SOURCE-NAME-UNLISTED"]
    assert caveats(incoming) == {}


def test_a_day_that_nobody_told_is_a_caveat_of_every_bundle(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"GPT-5.5": [passed()], "GLM-5.1": [passed()]}}).rename(tmp_path / "site")
    assert caveats(imported(source)).keys() == {"GPT-5.5", "GLM-5.1"}


def test_the_same_source_is_unchanged_when_it_comes_again(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"GPT-5.5": [passed(), None], "GLM-5.1": [passed(), failed()]}})
    apply_import(imported(source), tmp_path / "results")
    assert len(apply_import(imported(source), tmp_path / "results").unchanged) == 2
    (results,) = read_results(tmp_path / "results").benchmarks
    caveat_problems = [
        problem for bundle in results.bundles for problem in bundle.problems if problem.code == "SUBMISSION-CAVEAT"
    ]
    assert [(problem.path.parent.name, problem.line) for problem in caveat_problems] == [("2026-06-25-gpt-5-5", 4)]


def test_a_round_s_oddities_are_told_of_the_agent_whose_round_it_was(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy")
    version = Trial(version="0.24.0")
    version.write(nest(tmp_path / "jobs", "tidy", "alpha"), PASSED, Play(1.0, "pf"))
    replace(version, model="demo/beta").write(nest(tmp_path / "jobs", "tidy", "beta"), PASSED, PASSED)
    assert caveats(imported_from_harbor(tmp_path / "jobs", tmp_path / "tasks")) == {
        "alpha": (
            (
                "Rewards contradict the cases of their rounds; the reward counts, and the cases are not recorded: "
                "round 2 of tidy, attempt 1 (a reward of 1, but 1 of 2 cases passed)."
            ),
        )
    }


def test_a_file_that_can_t_be_read_is_told_of_the_agent_whose_run_it_lies_in(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy")
    for name in ("alpha", "beta"):
        trial = Trial(model=f"demo/{name}", version="0.24.0")
        folder = trial.write(nest(tmp_path / "jobs", "tidy", name), PASSED, PASSED)
    (folder / "steps" / "round-1" / "agent" / "trajectory.json").write_text("{", encoding="utf-8")
    assert caveats(imported_from_harbor(tmp_path / "jobs", tmp_path / "tasks")) == {
        "beta": (
            "Some files of these runs could not be read and were ignored: trajectory.json.",
            (
                "Other rounds of the run have a transcript, but these have none that can be counted: round 1 of tidy, "
                "attempt 1."
            ),
        )
    }


def test_runs_of_the_fork_tell_their_agents_caveats(tmp_path: Path) -> None:
    source = new_source(tmp_path)
    source.task()
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={"verifier/round_2_reward.txt": "1"})
    source.of("other-1").run("tidy__BBBBBBB", [PASS, FAIL])
    assert caveats(imported_from_fork(source)) == {
        "acme-1": (
            (
                "The runner's list of rounds and the verifier's files state different rewards; the list counts: "
                "tidy (the reward of round 2 is 0 in the list, but 1 in the file)."
            ),
        )
    }


def test_checkpoints_without_a_cost_are_a_caveat(tmp_path: Path) -> None:
    draft = slop_draft_of(write_run(tmp_path, [row(1, cost=0.0, input=0, output=0)]))
    assert "Neither cost nor tokens are known for 1 checkpoint (dag_execution 1)." in draft.submission.caveats


def test_rounds_that_a_table_does_not_tell_of_are_a_caveat(tmp_path: Path) -> None:
    file = tables.csv(tmp_path, "tidy,1,1,1,3,3", "tidy,2,1,1,3,3", "tidy,2,2,0,1,4")
    (draft,) = read_table(file, tables.OPTIONS).drafts
    assert draft.submission.caveats == (
        "Rounds at the end of runs that have no row in the table are recorded as unreached: tidy 2 (attempt 1).",
    )


def test_caveats_of_published_results_follow_from_the_source_alone() -> None:
    source, options = real_data("evocodebench", "2026-06-20-subset"), replace(OPTIONS, allow_missing=True)
    once, again = (read_published(source, options) for _ in range(2))
    assert caveats(once) == caveats(again)
    assert caveats(once)


def test_every_caveat_is_a_sentence() -> None:
    rule_caveats = [rule.caveat for rule in all_rules()["rules-of-imports"] if rule.caveat]
    assert all(caveat.endswith(".") and caveat.count("{}") <= 1 for caveat in rule_caveats)
