"""Where an import goes: what it joins, what it begins, and what it is to be told."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from kit.small_import import TASK, benchmark, draft, incoming, task_set, track

from sitegen.importers.evocodebench.benchmark import FACTS
from sitegen.importers.kit.options import NO_FACTS, BenchmarkFacts, ImportOptions
from sitegen.models.benchmark import Track
from sitegen.models.incoming import Incoming
from sitegen.models.task import Task, TaskRound, TaskSet
from sitegen.pipeline.addressing import benchmarks_in
from sitegen.pipeline.destination import Destination
from sitegen.pipeline.importing import apply_import
from sitegen.problems import UsageError

OPTIONS = ImportOptions(today=date(2026, 7, 1), benchmark="bench", track="main")
BROOM = Task("broom", (TaskRound(1), TaskRound(2), TaskRound(3)))
PAPER, V1 = track("paper", tasks=None), track("v1", tasks="v1")
V1_TASKS = task_set(TASK, BROOM, name="v1")


def board(folder: Path, *tracks: Track, sets: Sequence[TaskSet] = (V1_TASKS,)) -> Path:
    """Write a benchmark of some tracks, with nobody on it."""
    apply_import(incoming(benchmark(*tracks), sets=tuple(sets), drafts=()), folder)
    return folder / "bench"


def of(*tasks: Task, **conditions: object) -> Callable[[ImportOptions], Incoming]:
    """Make what reads a source of some tasks, for whichever track it is told."""

    def reading(options: ImportOptions) -> Incoming:
        benchmark_track = track(options.track, tasks=options.track, **conditions)
        sets = (task_set(*tasks, name=options.track),)
        return incoming(benchmark(benchmark_track), sets=sets, drafts=(draft(track=options.track),))

    return reading


def track_of(read: Incoming) -> str:
    (only_track,) = read.benchmark.tracks
    return only_track.id


def refusal(folder: Path, reading: Callable[[ImportOptions], Incoming], asked: str | None = None, **flags: bool) -> str:
    options = replace(OPTIONS, track=asked or OPTIONS.track)
    with pytest.raises(UsageError) as raised:
        Destination.of(folder, asked, **flags).read(options, reading)
    return str(raised.value)


def test_a_benchmark_that_is_not_there_begins_with_the_formats_track(tmp_path: Path) -> None:
    assert track_of(Destination.of(tmp_path / "bench").read(OPTIONS, of(TASK))) == "main"


def test_the_formats_own_track_is_joined_where_it_is_there(tmp_path: Path) -> None:
    folder = board(tmp_path, V1, track("main", tasks=None))
    assert track_of(Destination.of(folder).read(OPTIONS, of(TASK))) == "main"


def test_the_one_track_that_has_the_tasks_is_joined_where_none_is_asked_for(tmp_path: Path) -> None:
    """One with reported rows only has none, and results of some of the tasks are results of the track."""
    folder = board(tmp_path, PAPER, V1)
    assert track_of(Destination.of(folder).read(OPTIONS, of(TASK))) == "v1"


def test_a_source_is_read_with_what_stands_of_the_track_it_joins(tmp_path: Path) -> None:
    """So that rounds which nobody got to are known."""
    seen_options: list[ImportOptions] = []

    def reading(options: ImportOptions) -> Incoming:
        seen_options.append(options)
        return of(TASK)(options)

    Destination.of(board(tmp_path, PAPER, V1)).read(OPTIONS, reading)
    assert [options.track for options in seen_options] == ["main", "v1"]
    assert seen_options[0].existing_track is None
    assert seen_options[1].existing_track is not None
    assert (seen_options[1].existing_track.protocol, seen_options[1].existing_track.lengths) == (
        "chain",
        {"tidy": 2, "broom": 3},
    )


@pytest.mark.parametrize(
    "reading", [of(TASK, Task("mop", (TaskRound(1),))), of(TASK, protocol="once"), of(TASK, reference_rounds=True)]
)
def test_results_that_fit_no_track_are_refused_with_those_that_are_there(
    tmp_path: Path, reading: Callable[[ImportOptions], Incoming]
) -> None:
    message = refusal(board(tmp_path, PAPER, V1), reading)
    assert message.startswith("bench has no track main; its tracks are paper, v1; none has all their tasks")
    assert message.endswith("name a track with --track, or start one with --track NAME --new-track")


def test_of_two_tracks_that_fit_none_is_chosen(tmp_path: Path) -> None:
    folder = board(tmp_path, V1, track("v2", tasks="v1"))
    assert "v1 and v2 have all tasks of these results" in refusal(folder, of(TASK))


def test_a_withdrawn_track_is_not_joined_unasked(tmp_path: Path) -> None:
    old = track("v0", tasks="v1", status="withdrawn", reason="leaked")
    folder = board(tmp_path, old, V1)
    assert track_of(Destination.of(folder).read(OPTIONS, of(TASK))) == "v1"


def test_a_track_that_is_asked_for_is_joined_where_it_is_there(tmp_path: Path) -> None:
    folder = board(tmp_path, PAPER, V1)
    options = replace(OPTIONS, track="paper")
    assert track_of(Destination.of(folder, "paper").read(options, of(TASK))) == "paper"


def test_a_track_begins_in_a_benchmark_that_stands_only_where_that_is_said(tmp_path: Path) -> None:
    folder = board(tmp_path, PAPER, V1)
    options = replace(OPTIONS, track="v2")
    assert refusal(folder, of(TASK), "v2") == (
        "bench has no track v2; its tracks are paper, v1; name one of them, or start v2 with --new-track"
    )
    assert track_of(Destination.of(folder, "v2", new_track=True).read(options, of(TASK))) == "v2"


def test_a_track_that_stands_can_not_begin(tmp_path: Path) -> None:
    folder = board(tmp_path, PAPER, V1)
    assert refusal(folder, of(TASK), "v1", new_track=True) == "track v1 of bench already exists; leave out --new-track"


def test_a_track_that_is_to_begin_has_a_name(tmp_path: Path) -> None:
    expected_message = "--new-track needs --track, the name of the new track"
    assert refusal(board(tmp_path, PAPER, V1), of(TASK), new_track=True) == expected_message
    assert refusal(tmp_path / "other", of(TASK), new_track=True) == expected_message


def test_a_second_track_that_results_need_begins_only_where_that_is_said(tmp_path: Path) -> None:
    """Rounds from the reference state stand on a track of their own."""
    folder = board(tmp_path, V1)
    two_tracks = incoming(benchmark(V1, track("v1-reference", tasks="v1")), sets=(V1_TASKS,), drafts=())
    assert refusal(folder, lambda _: two_tracks, "v1") == (
        "bench has no track v1-reference; its only track is v1, but these results need it in addition to v1; "
        "start it with --track v1 --new-track"
    )
    assert (
        Destination.of(folder, "v1", new_track=True).read(replace(OPTIONS, track="v1"), lambda _: two_tracks)
        == two_tracks
    )


def test_a_place_of_transcripts_is_one_agents(tmp_path: Path) -> None:
    options = replace(OPTIONS, trajectories="t/{task}.json")
    one_agent, two = (incoming(drafts=tuple(map(draft, names))) for names in (["a"], ["a", "b"]))
    (named,) = Destination.of(tmp_path / "new").read(options, lambda _: one_agent).drafts
    assert named.submission.provenance.trajectories == "t/{task}.json"
    with pytest.raises(UsageError, match="choose one with --model"):
        Destination.of(tmp_path / "new").read(options, lambda _: two)


def test_benchmarks_are_named_in_their_order(tmp_path: Path) -> None:
    board(tmp_path, V1)
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert benchmarks_in(tmp_path) == ["bench"]
    assert benchmarks_in(tmp_path / "nowhere") == []


@pytest.mark.parametrize(("benchmark_id", "facts"), [("evocode-bench", FACTS), ("bench", NO_FACTS)])
def test_any_format_is_read_with_what_the_benchmark_publishes_about_itself(
    benchmark_id: str, facts: BenchmarkFacts, tmp_path: Path
) -> None:
    seen: list[BenchmarkFacts] = []

    def reading(options: ImportOptions) -> Incoming:
        seen.append(options.facts)
        return of(TASK)(options)

    Destination.of(tmp_path / benchmark_id).read(replace(OPTIONS, benchmark=benchmark_id), reading)
    assert seen == [facts]
