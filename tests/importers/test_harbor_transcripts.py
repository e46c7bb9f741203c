"""What agents' transcripts tell: counted while they are read, whatever their size."""

import io
import json
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.harbor_trees import JOB, PASSED, Play, Trial, codes, imported, played, transcript, write, write_task

from sitegen.importers.harbor.records import AgentUsage
from sitegen.importers.harbor.transcript import count_transcript, find_transcript_files, read_transcript_agent
from sitegen.importers.kit.stream import ShortTexts, pick
from sitegen.importers.kit.tree import Folder
from sitegen.models.outcome import RoundResult

BROKEN = [
    "",
    "[",
    '{"steps": [{"source": "agent"}',
    '{"steps": [NaN]}',
    "\x00",
    '{"steps": [{"metrics": {"cost_usd": 1e999}}]}',
]

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
)


def effort_of(tmp_path: Path, content: object) -> AgentUsage:
    trajectory, problems = count_transcript([write(tmp_path / "trajectory.json", content)])
    assert (trajectory is not None, problems) == (True, [])
    return trajectory.usage if trajectory else AgentUsage()


def round_with(tmp_path: Path, files: dict[str, str]) -> RoundResult:
    """Import a round of which nothing but its files tells."""
    (only,) = played(tmp_path, Play(calls=None, files=files), trial=Trial(version="none")).drafts[0].rounds
    return only


def test_steps_of_the_agent_are_replies_and_their_tool_calls_interactions(tmp_path: Path) -> None:
    effort = effort_of(tmp_path, transcript((3, 0, 2)))
    assert effort == AgentUsage(interactions=5, turns=3, input_tokens=300, output_tokens=30, cost_usd=1.5)


@pytest.mark.parametrize(
    ("step", "calls", "turns"),
    [
        ({"source": "agent", "tool_calls": "yes"}, 1, 1),
        ({"source": "agent", "tool_calls": {"a": 1}}, 1, 1),
        ({"source": "agent", "tool_calls": None}, 0, 1),
        ({"source": "agent", "llm_call_count": 4}, 0, 4),
        ({"source": "agent", "is_copied_context": True, "tool_calls": [{}]}, 0, 0),
        ({"source": "system", "tool_calls": [{}]}, 0, 0),
        ({"source": 7}, 0, 0),
        ("text", 0, 0),
    ],
)
def test_odd_steps_count_as_far_as_they_tell(tmp_path: Path, step: object, calls: int, turns: int) -> None:
    effort = effort_of(tmp_path, {"steps": [step]})
    assert (effort.interactions, effort.turns) == (calls, turns)


def test_an_old_transcript_is_a_bare_list_of_steps(tmp_path: Path) -> None:
    assert effort_of(tmp_path, [{"source": "user"}, {"source": "agent", "tool_calls": [{}, {}]}]).interactions == 2


def test_sums_that_a_transcript_states_stand_in_for_those_of_its_steps(tmp_path: Path) -> None:
    stated = {"total_prompt_tokens": 7, "total_completion_tokens": 3, "total_cost_usd": 0.25}
    effort = effort_of(tmp_path, {"steps": [{"source": "agent"}], "final_metrics": stated})
    assert (effort.input_tokens, effort.output_tokens, effort.cost_usd) == (7, 3, 0.25)


def test_the_transcripts_of_sub_agents_do_not_count(tmp_path: Path) -> None:
    assert effort_of(tmp_path, transcript((1,), subagent_trajectories=[transcript((5, 5))])).interactions == 1


def test_a_transcript_goes_on_in_its_continuations_and_not_in_its_summaries(tmp_path: Path) -> None:
    names = [
        "trajectory.cont-10.json",
        "trajectory.cont-2.json",
        "trajectory.json",
        "trajectory.summarization-1-summary.json",
    ]
    files = find_transcript_files(Folder(tmp_path, (), names))
    assert [path.name for path in files] == ["trajectory.json", "trajectory.cont-2.json", "trajectory.cont-10.json"]
    texts = {f"agent/{name}": json.dumps(transcript((2,))) for name in names}
    assert round_with(tmp_path, texts).interactions == 6


def test_rounds_that_steps_name_are_counted_apart(tmp_path: Path) -> None:
    steps = [{"source": "agent", "tool_calls": [{}] * n, "extra": {"round": n}} for n in (1, 2, 2)]
    trajectory, _ = count_transcript([write(tmp_path / "t.json", {"steps": steps})])
    assert trajectory
    assert {number: effort.interactions for number, effort in trajectory.by_round.items()} == {1: 1, 2: 4}


def test_a_transcript_names_its_agent_at_the_beginning(tmp_path: Path) -> None:
    transcript_agent = read_transcript_agent(write(tmp_path / "t.json", json.dumps(transcript((1,)))[:-30]))
    assert transcript_agent
    assert (transcript_agent.name, transcript_agent.version, transcript_agent.model_name) == (
        "terminus-2",
        "2.0.0",
        "demo/alpha",
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        '{"steps": [{"source": "agent"}',
        '{"steps": [{]}',
        "\x00",
        '{"steps": [{"metrics": {"cost_usd": 1e999}}]}',
    ],
)
def test_a_transcript_that_can_not_be_read_is_told_and_counts_as_not_measured(tmp_path: Path, text: str) -> None:
    broken = Play(calls=None, files={"agent/trajectory.json": text})
    incoming = played(tmp_path, broken)
    assert (incoming.drafts[0].rounds[0].interactions, codes(incoming)) == (None, ["SOURCE-FILE-BROKEN"])


def test_many_broken_files_are_told_in_few_lines(tmp_path: Path) -> None:
    plays = [Play(calls=None, files={"agent/trajectory.json": "["})] * 14
    problems = [problem for problem in played(tmp_path, *plays).problems if problem.code == "SOURCE-FILE-BROKEN"]
    assert (len(problems), problems[-1].what.endswith("; and 4 more such places")) == (10, True)


def test_the_runners_own_figures_win_over_the_transcripts(tmp_path: Path) -> None:
    play = Play(calls=(1, 1), files={"agent/trajectory.json": json.dumps(transcript((4, 4, 4)))})
    (only,) = played(tmp_path, play).drafts[0].rounds
    assert (only.interactions, only.turns, only.input_tokens) == (12, 2, 200)


def _altered(**changes: object) -> str:
    return json.dumps(transcript((2, 1)) | changes)


STEPS = transcript((2, 1))["steps"]


@pytest.mark.parametrize(
    ("text", "expected_note"),
    [
        (_altered(steps=STEPS[:1] + STEPS[2:]), "the steps of trajectory.json are not numbered from 1 to 2"),
        (_altered(steps=[*STEPS, STEPS[-1]]), "the steps of trajectory.json are not numbered from 1 to 4"),
        (
            _altered(steps=[STEPS[0], STEPS[1] | {"observation": {"results": [{"source_call_id": "t9"}]}}, STEPS[2]]),
            "the answers in step 2 do not match its tool calls",
        ),
        (
            _altered(steps=[STEPS[0], STEPS[1] | {"tool_calls": [{"tool_call_id": "t0"}] * 2}, STEPS[2]]),
            "the answers in step 2 do not match its tool calls",
        ),
        (_altered(final_metrics={"total_prompt_tokens": 900}), "its input_tokens are 900, but 200 in result.json"),
        (_altered(agent={"model_name": "demo/beta"}), "it is by demo/beta"),
        (_altered(final_metrics={"total_cost_usd": 1.0}), None),
        (_altered(agent={"model_name": "alpha-2026"}), None),
    ],
)
def test_a_transcript_that_was_changed_or_is_anothers_is_told(
    tmp_path: Path, text: str, expected_note: str | None
) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(model="demo/beta", name="tidy__beta").write(tmp_path / "jobs" / JOB, PASSED)
    Trial().write(tmp_path / "jobs" / JOB, replace(PASSED, files={"agent/trajectory.json": text}))
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    alpha, beta = incoming.drafts
    assert codes(incoming) == ["HARBOR-TRANSCRIPT-CONTRADICTED"] * (expected_note is not None)
    caveats = [caveat for caveat in alpha.submission.caveats or () if "These transcripts are" in caveat]
    assert [f"({expected_note})" in caveat for caveat in caveats] == ([] if expected_note is None else [True])
    assert not any("These transcripts are" in beta_caveat for beta_caveat in beta.submission.caveats or ())


def test_a_run_without_any_tool_call_has_none_that_were_told(tmp_path: Path) -> None:
    """Some settings write down text alone: 0 calls would be taken for a measurement."""
    incoming = played(tmp_path, Play(calls=(0, 0)), Play(calls=(0,)))
    assert [round_result.interactions for round_result in incoming.drafts[0].rounds] == [None, None]
    assert codes(incoming) == ["HARBOR-CALLS-UNTOLD"]


def test_a_round_without_tool_calls_beside_others_has_0(tmp_path: Path) -> None:
    incoming = played(tmp_path, Play(calls=(0, 0)), PASSED)
    assert [round_result.interactions for round_result in incoming.drafts[0].rounds] == [0, 3]


def test_nothing_spent_on_nothing_is_not_measured(tmp_path: Path) -> None:
    steps = {"steps": [{"source": "agent", "tool_calls": [{}], "metrics": {"cost_usd": 0}}]}
    only = round_with(tmp_path, {"agent/trajectory.json": json.dumps(steps)})
    assert (only.cost_usd, only.interactions) == (None, 1)


def test_a_transcript_of_any_size_is_read_in_little_memory(tmp_path: Path) -> None:
    text = json.dumps(["x" * 3_000_000, "\\" * 1_000_000, "é" * 500_000, '"' * 500_000])
    with (tmp_path / "t.json").open("w", encoding="utf-8") as file:
        file.write('{"steps": [')
        for _ in range(8):
            file.write(f'{{"source": "agent", "tool_calls": [{{"arguments": {text}}}]}},')
        file.write('{"source": "user"}]}')
    tracemalloc.start()
    trajectory, problems = count_transcript([tmp_path / "t.json"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert trajectory
    assert (trajectory.usage.interactions, problems) == (8, [])
    assert peak < 8_000_000 < (tmp_path / "t.json").stat().st_size


@pytest.mark.parametrize(
    "noise",
    ["x" * 8_000_000, "\U0001f600" * 2_000_000, [[], {"k": 1}] * 160_000],
)
def test_a_transcript_of_some_megabytes_takes_no_multiple_of_them(tmp_path: Path, noise: object) -> None:
    """Long texts are parsed as they stand; a file of as many bytes in small values takes thirty times its size so."""
    steps = [{"source": "agent", "tool_calls": [{}]}, {"source": "user", "message": noise}]
    path = write(tmp_path / "t.json", json.dumps({"steps": steps}, ensure_ascii=False))
    tracemalloc.start()
    trajectory, problems = count_transcript([path])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert trajectory
    assert (trajectory.usage.interactions, problems) == (1, [])
    assert peak < 50_000_000


def test_deep_nesting_and_endless_numbers_end_the_reading_and_not_the_program(tmp_path: Path) -> None:
    deep = write(tmp_path / "deep.json", '{"steps": ' + "[" * 100_000 + "]" * 100_000 + "}")
    value, problems = pick(deep, {"steps": {"source": None}})
    assert (value, problems) == ({"steps": []}, [])
    _, (problem,) = pick(write(tmp_path / "digits.json", "1" * 3_000_000), {})
    assert "more than 1,024 digits" in problem.what


def shortened(value: object, longest: int) -> object:
    """Do slowly what `ShortTexts` does."""
    if isinstance(value, str):
        return value if len(json.dumps(value).encode()) <= longest else "..."
    if isinstance(value, list):
        return [shortened(element, longest) for element in value]
    if isinstance(value, dict):
        return {shortened(key, longest): shortened(entry, longest) for key, entry in value.items()}
    return value


@given(VALUES, st.integers(8, 40), st.lists(st.integers(1, 50), min_size=1, max_size=3))
def test_long_texts_are_left_out_wherever_chunks_end(value: object, longest: int, sizes: Sequence[int]) -> None:
    texts = ShortTexts(io.BytesIO(json.dumps(value).encode()), longest)
    pieces: list[bytes] = []
    while piece := texts.read(sizes[len(pieces) % len(sizes)]):
        pieces.append(piece)
    assert json.loads(b"".join(pieces)) == shortened(value, longest)
