"""Which of several scores in a log of Inspect is the reward."""

from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import imported, log, manifest, put, refused, rounds, sample
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import UsageError


def scored(name: str, **values: object) -> dict[str, Any]:
    """Return a sample with some scores."""
    return sample(name, None) | {"scores": {scorer: {"value": value} for scorer, value in values.items()}}


def figure(scorer: str, name: str | None = None, reducer: str | None = None, **metrics: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a figure of a log's results."""
    metric_values = {
        metric: value if isinstance(value, dict) else {"value": value} for metric, value in metrics.items()
    }
    return {"scorer": scorer, "name": name or scorer, "reducer": reducer, "metrics": metric_values}


def results(*figures: dict[str, Any], headline: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a log's results."""
    return {"total_samples": 1, "completed_samples": 1, "headline": headline, "scores": list(figures)}


def one_log(root: Path, *samples: dict[str, Any], **facts: Any) -> Path:  # noqa: ANN401 - any JSON
    """Write a folder with one log."""
    return put(root / "logs" / "a.json", log("ada", samples, **facts)).parent


def rewards(into: Path) -> list[float]:
    """Return the rewards of the only bundle."""
    (lines,) = rounds(into).values()
    return [line["reward"] for line in lines]


def test_the_headline_decides_and_the_import_says_so(tmp_path: Path) -> None:
    headline = {"scorer": "judge", "score": "judge", "metric": "accuracy"}
    log_results = results(figure("match", accuracy=0), figure("judge", accuracy=1), headline=headline)
    imported("inspect", one_log(tmp_path, scored("a", match="I", judge="C"), results=log_results), tmp_path / "into")
    assert rewards(tmp_path / "into") == [1]
    (caveat,) = manifest(tmp_path / "into", "2026-07-01-ada")["caveats"]
    assert "the reward is the score `judge`, which is the log's headline metric, not `match`" in caveat


def test_a_headline_that_the_task_declares_decides_in_a_run_without_results(tmp_path: Path) -> None:
    for number, declared in enumerate(({"scorer": "judge"}, {"score": "judge"})):
        spec = {"headline_metric": declared}
        source = one_log(tmp_path, scored("a", match="I", judge="C"), eval=spec, results=None, status="error")
        imported("inspect", source, tmp_path / f"into-{number}")
        assert rewards(tmp_path / f"into-{number}") == [1]


def test_several_scores_without_a_headline_are_asked_about(tmp_path: Path) -> None:
    log_results = results(figure("match", accuracy=0), figure("judge", accuracy=1))
    source = one_log(tmp_path, scored("a", match="I", judge="C", words="good"), results=log_results)
    ((code, message),) = refused("inspect", source)
    assert code == "SOURCE-SCORE-AMBIGUOUS"
    assert "match; judge" in message
    for metric, reward in (("match", 0), ("judge", 1)):
        assert "SOURCE-SCORE-CHOSEN" in imported("inspect", source, tmp_path / metric, "--metric", metric)
        assert rewards(tmp_path / metric) == [reward]


def test_logs_that_name_different_headlines_are_asked_about(tmp_path: Path) -> None:
    for name, scorer in (("ada", "match"), ("bob", "judge")):
        log_results = results(headline={"scorer": scorer, "score": scorer, "metric": "accuracy"})
        put(tmp_path / "logs" / f"{name}.json", log(name, [scored("a", match="I", judge="C")], results=log_results))
    ((code, message),) = refused("inspect", tmp_path / "logs")
    assert code == "SOURCE-SCORE-AMBIGUOUS"
    assert "different headlines: match; judge" in message


def test_a_log_without_the_score_that_counts_is_left_out(tmp_path: Path) -> None:
    log_results = results(headline={"scorer": "judge", "score": "judge", "metric": "accuracy"})
    put(tmp_path / "logs" / "ada.json", log("ada", [scored("a", judge="C")], results=log_results))
    put(tmp_path / "logs" / "bob.json", log("bob", [scored("a", match="C")], results=None))
    assert "SOURCE-LEFT-OUT" in imported("inspect", tmp_path / "logs", tmp_path / "into")
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-ada"]


def test_a_part_of_a_table_can_be_the_score(tmp_path: Path) -> None:
    headline = {"scorer": "style", "score": "tidy", "metric": "mean"}
    log_results = results(figure("style", "short", mean=1), figure("style", "tidy", mean=0.4), headline=headline)
    source = one_log(tmp_path, scored("a", style={"short": 1, "tidy": 0.4}, second=1), results=log_results)
    imported("inspect", source, tmp_path / "into")
    imported("inspect", source, tmp_path / "other", "--metric", "style,short")
    imported("inspect", source, tmp_path / "by-part", "--metric", "short")
    assert (rewards(tmp_path / "into"), rewards(tmp_path / "other")) == ([0.4], [1])
    assert rewards(tmp_path / "by-part") == [1]
    ((ours,),) = rounds(tmp_path / "into").values()
    assert ours["measures"] == {"short@inspect": 1, "second@inspect": 1}


def test_a_headline_of_a_whole_table_decides_nothing(tmp_path: Path) -> None:
    headline = {"scorer": "style", "score": "style", "metric": "mean"}
    log_results = results(figure("style", mean=0), headline=headline)
    for value, names in (({"short": 1, "tidy": 0.4}, "style,short; style,tidy"), ([1, 0], "style,1; style,2")):
        ((code, message),) = refused("inspect", one_log(tmp_path, scored("a", style=value), results=log_results))
        assert code == "SOURCE-SCORE-AMBIGUOUS"
        assert names in message
    imported("inspect", one_log(tmp_path, scored("a", style={"tidy": 0.4}), results=log_results), tmp_path / "into")
    assert rewards(tmp_path / "into") == [0.4]
    assert "claims" not in manifest(tmp_path / "into", "2026-07-01-ada")


def test_a_part_that_is_nan_or_missing_has_no_verdict(tmp_path: Path) -> None:
    headline = {"scorer": "style", "score": "tidy", "metric": "mean"}
    samples = [scored("a", style={"tidy": 1}), scored("b", style={"tidy": None}), scored("c", style={"short": 1})]
    imported("inspect", one_log(tmp_path, *samples, results=results(headline=headline)), tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["state"] for line in lines] == ["scored", "aborted", "aborted"]


def test_a_metric_that_no_log_has_is_named_with_those_there_are(tmp_path: Path) -> None:
    source = one_log(tmp_path, sample("a", "C"))
    done = CliRunner().invoke(app, ["import", "inspect", str(source), "--benchmark", "mine", "--metric", "third"])
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == "no log has the score third; the scores are: first; second"


@pytest.mark.parametrize("reducer", ["max", "at_least_2", "pass_at_2", "mode", "median"])
def test_attempts_have_their_mean_and_the_reducer_stands_in_the_claim(reducer: str, tmp_path: Path) -> None:
    headline = {"scorer": "match", "score": "match", "metric": "accuracy", "reducer": reducer}
    log_results = results(figure("match", reducer=reducer, accuracy=1), headline=headline)
    samples = [scored("a", match="C") | {"epoch": 1}, scored("a", match="I") | {"epoch": 2}]
    imported("inspect", one_log(tmp_path, *samples, results=log_results), tmp_path / "into")
    stated = manifest(tmp_path / "into", "2026-07-01-ada")
    assert stated["claims"] == {"mean_reward": 1, "source": f"Inspect log: accuracy with reducer {reducer}"}
    assert any(f"combines them by {reducer}" in caveat for caveat in stated["caveats"])


def test_a_grouped_mean_over_all_samples_is_a_claim_and_one_over_groups_is_none(tmp_path: Path) -> None:
    inner = {"metric": {"name": "inspect_ai/accuracy"}, "group_key": "kind"}
    for number, (params, claimed) in enumerate(((inner, True), ({**inner, "all": "groups"}, False))):
        groups: dict[str, Any] = {"odd": 1, "all": {"value": 1, "group": "grouped", "params": params}}
        log_results = results(
            figure("match", **groups), headline={"scorer": "match", "score": "match", "metric": "odd"}
        )
        into = tmp_path / f"into-{number}"
        imported("inspect", one_log(tmp_path, scored("a", match="C"), results=log_results), into)
        assert ("claims" in manifest(into, "2026-07-01-ada")) == claimed


def test_measures_of_equal_names_keep_their_scorers(tmp_path: Path) -> None:
    headline = {"scorer": "match", "score": "match", "metric": "accuracy"}
    scored_sample = scored("a", match="C", style={"tidy": 1}, taste={"tidy": 0.5}, tests=[1, 0])
    imported("inspect", one_log(tmp_path, scored_sample, results=results(headline=headline)), tmp_path / "into")
    ((line,),) = rounds(tmp_path / "into").values()
    assert line["measures"] == {
        "style.tidy@inspect": 1,
        "taste.tidy@inspect": 0.5,
        "tests.1@inspect": 1,
        "tests.2@inspect": 0,
    }


def test_an_error_rate_is_the_reward_only_on_request(tmp_path: Path) -> None:
    log_results = results(figure("wer", mean=0.25), headline={"scorer": "wer", "score": "wer", "metric": "mean"})
    source = one_log(tmp_path, scored("a", wer=0.25), results=log_results)
    ((code, message),) = refused("inspect", source)
    assert code == "SOURCE-UNUSABLE"
    assert message == "lower values of `wer` are better, but a reward is higher for better results"
    imported("inspect", source, tmp_path / "into", "--metric", "wer")
    assert rewards(tmp_path / "into") == [0.25]
    (caveat,) = manifest(tmp_path / "into", "2026-07-01-ada")["caveats"]
    assert "higher values of `wer` are better, although its name is that of an error measure" in caveat
