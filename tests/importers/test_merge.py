"""An import adds to what stands, and never changes it."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from kit.small_import import DRAFT, TASK, benchmark, draft, incoming, results, standing, task_set, track

from sitegen.importers.kit.merge import merge
from sitegen.models.benchmark import Axis, Track
from sitegen.models.declared import Declared
from sitegen.models.finding import Finding
from sitegen.models.incoming import Addition, Draft, Incoming
from sitegen.models.outcome import RoundResult
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.models.results import BenchmarkResults
from sitegen.models.submission import Agent, Provenance
from sitegen.models.task import Case, Task, TaskRound
from sitegen.problems import Problem

OTHER = Task("broom", TASK.rounds)
OLDER = draft("2026-06-01-older-1", agent=Agent(name="Older-1"))
NOTE = Finding(date=date(2026, 6, 26), kind="note", title="A note")


def added(existing: BenchmarkResults | None, new: Incoming) -> Addition:
    """Merge what can be merged."""
    addition, problems = merge(existing, new)
    assert problems == []
    return addition


def refused(existing: BenchmarkResults | None, new: Incoming) -> list[Problem]:
    """Merge what can't be merged."""
    _, problems = merge(existing, new)
    assert problems
    return problems


def refusal(existing: BenchmarkResults | None, new: Incoming) -> tuple[str, str]:
    """Give code and fact of the one error."""
    (problem,) = refused(existing, new)
    return problem.code, problem.what


def with_second(changed: TaskRound) -> Task:
    """The task, with another second round."""
    return replace(TASK, rounds=(TASK.rounds[0], changed))


def with_cases(*names: str, digest: str | None = None) -> Task:
    """The task with one round, which has these cases."""
    return Task("tidy", (TaskRound(1, cases=tuple(Case(name) for name in names) or None),), digest=digest)


def test_a_new_benchmark_is_taken_as_it_is() -> None:
    new = incoming(findings=(NOTE,))
    assert added(None, new) == Addition(new.benchmark, new.task_sets, new.drafts, (NOTE,))


def test_what_stands_already_is_not_added_again() -> None:
    new = incoming(findings=(NOTE,))
    addition = added(standing(benchmark(), task_set(), findings=(NOTE,)), new)
    assert addition == Addition(benchmark(), (), new.drafts, ())


def test_a_new_track_takes_metrics_and_protocol_of_its_benchmark() -> None:
    ours = track(protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k", "comp"))
    paper = track("paper", tasks="paper", protocol="chain", headline="strict", columns=("strict",))
    new = incoming(benchmark(paper), sets=(task_set(OTHER, name="paper"),), drafts=())
    begun = added(standing(benchmark(ours), task_set()), new).benchmark.tracks[-1]
    assert (begun.id, begun.protocol, begun.headline) == ("paper", "fail-stop", "mt_at_k")
    assert begun.columns == ("mt_at_k", "comp")


@pytest.mark.parametrize(
    "ours",
    [
        track(status="legacy", protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k",)),
        track(reference_rounds=True, protocol="fail-stop", headline="sr", columns=("sr",)),
        track(attempts=4, headline="four", columns=("four",)),
    ],
    ids=["legacy", "from the reference state", "more attempts"],
)
def test_a_new_track_keeps_its_own_conditions_where_no_track_is_alike(ours: Track) -> None:
    four = Declared(id="four", title="Four", unit="percent", of="pass", rounds="all", attempts="pass_at_k", k=4)
    paper = track("paper", tasks="paper", headline="strict", columns=("strict",))
    new = incoming(benchmark(paper), sets=(task_set(OTHER, name="paper"),), drafts=())
    existing = standing(benchmark(ours).model_copy(update={"metrics": (four,)}), task_set())
    begun = added(existing, new).benchmark.tracks[-1]
    assert (begun.protocol, begun.headline) == (paper.protocol, "strict")


def test_a_new_track_comes_last_with_its_tasks() -> None:
    paper = track("paper", tasks="paper")
    new = incoming(benchmark(paper), sets=(task_set(OTHER, name="paper"),), drafts=())
    addition = added(standing(benchmark(), task_set()), new)
    assert addition.benchmark.tracks == (track(), paper)
    assert addition.task_sets == new.task_sets


def test_a_standing_track_keeps_its_words() -> None:
    ours = benchmark(track(title="Ours", columns=("case_score",), attempts=1))
    assert added(standing(ours, task_set()), incoming()).benchmark == ours


@pytest.mark.parametrize(
    ("existing_track", "expected_message"),
    [
        (track(protocol="fail-stop"), "`protocol` of track official is 'fail-stop' here, but 'chain' in the import"),
        (track(reference_rounds=True), "`reference_rounds` of track official is true here, but false in the import"),
    ],
)
def test_a_track_run_under_other_conditions_is_refused(existing_track: Track, expected_message: str) -> None:
    existing = standing(benchmark(existing_track), task_set(), drafts=(OLDER,))
    assert refusal(existing, incoming()) == ("MERGE-TRACK-DIFFERS", expected_message)


@pytest.mark.parametrize(
    "existing_track", [track(protocol="fail-stop"), track(reference_rounds=True), track(attempts=2)]
)
def test_a_track_without_results_takes_the_conditions_of_its_first_import(existing_track: Track) -> None:
    new = incoming(benchmark(track(attempts=3)), drafts=(draft(attempts=3),))
    (joined,) = added(standing(benchmark(existing_track), task_set()), new).benchmark.tracks
    assert (joined.protocol, joined.reference_rounds, joined.attempts) == ("chain", False, 3)


def test_a_track_without_results_keeps_the_metrics_that_its_benchmark_declares() -> None:
    declared = Declared(id="pass_hat_2", title="pass^2", of="pass", attempts="pass_hat_k", k=2, unit="percent")
    existing_track = track(protocol="fail-stop", attempts=2, headline="pass_hat_2", columns=("pass_hat_2", "mt_at_k"))
    ours = benchmark(existing_track, metrics=(declared,))
    (joined,) = added(standing(ours, task_set()), incoming()).benchmark.tracks
    assert (joined.headline, joined.columns) == ("pass_hat_2", ("pass_hat_2", "dataset_score"))
    assert joined.attempts == 2


@pytest.mark.parametrize("new_draft", [draft(attempts=3), draft()])
def test_more_attempts_than_the_track_has_are_refused(new_draft: Draft) -> None:
    new = incoming(benchmark(track(attempts=3)), drafts=(new_draft,))
    expected_message = "track official has 2 attempts, but the import has 3: 2026-06-25-acme-1"
    ours = (track(attempts=2), track("official-3-attempts", attempts=3))
    for tracks, to in ((ours[:1], "official-3-attempts --new-track`"), (ours, "official-3-attempts`")):
        (problem,) = refused(standing(benchmark(*tracks), task_set(), drafts=(OLDER,)), new)
        assert (problem.code, problem.what) == ("ATTEMPTS-ABOVE-TRACK", expected_message)
        assert f"/{to}, with your other options, sends them to a track of 3 attempts" in problem.fix


def test_fewer_attempts_than_the_track_has_are_said_aloud() -> None:
    """The manifest's default is the track's number, which was another one for the importer."""
    (fitted,) = added(standing(benchmark(track(attempts=4)), task_set()), incoming()).drafts
    assert fitted.submission.attempts == 1


@pytest.mark.parametrize(
    ("task", "fact"),
    [
        (replace(TASK, rounds=TASK.rounds[:1]), "1 rounds here, but 2 in the import"),
        (
            with_second(TaskRound(2, "Mend", ("correction",), 0.5)),
            "`weight` of round 2 is 0.5 here, but 1 in the import",
        ),
    ],
)
def test_a_task_that_differs_is_refused_with_both_values(task: Task, fact: str) -> None:
    (problem,) = refused(standing(benchmark(), task_set(OTHER, task)), incoming(sets=(task_set(OTHER, TASK),)))
    assert (problem.code, problem.what) == ("MERGE-TASK-DIFFERS", f"tidy differs from the import: {fact}")
    assert (problem.path.as_posix(), problem.line) == ("results/bench/tasks/main.jsonl", 2)
    read_tasks = replace(task_set(OTHER, task), lines={OTHER.id: 3, task.id: 5})
    (problem,) = refused(standing(benchmark(), read_tasks), incoming(sets=(task_set(OTHER, TASK),)))
    assert problem.line == 5


BARE = Task("tidy", (TaskRound(1), TaskRound(2)))
RENAMED = Task("tidy", (TaskRound(1, "Begin"), TaskRound(2, "Repair", ("conflict",))), "Ours", {"domain": "web"})


@pytest.mark.parametrize("existing_task", [TASK, BARE, RENAMED])
@pytest.mark.parametrize("incoming_task", [TASK, BARE, RENAMED])
def test_how_a_task_is_shown_is_for_the_track_to_say(existing_task: Task, incoming_task: Task) -> None:
    """Titles and labels are no part of what is scored."""
    assert (
        added(standing(benchmark(), task_set(existing_task)), incoming(sets=(task_set(incoming_task),))).task_sets == ()
    )


def test_many_tasks_that_differ_are_few_problems() -> None:
    ours = [Task(f"t-{number}", (TaskRound(1, weight=0.5),)) for number in range(6)]
    theirs = [Task(f"t-{number}", (TaskRound(1, weight=0.25),)) for number in range(6)]
    problems = refused(standing(benchmark(), task_set(*ours)), incoming(sets=(task_set(*theirs),)))
    assert [problem.line for problem in problems] == [1, 2, 3, None]
    assert problems[-1].what == "other tasks that differ from the import: t-3, t-4, t-5"


def test_tasks_that_a_track_has_not_are_refused_with_both_lists() -> None:
    expected_message = (
        "the tasks of the import differ from those of main: "
        "it adds mop. main has 2: broom, tidy; the import has 2: mop, tidy"
    )
    new = incoming(sets=(task_set(TASK, replace(OTHER, id="mop")),))
    assert refusal(standing(benchmark(), task_set(OTHER, TASK)), new) == ("MERGE-TASKS-DIFFER", expected_message)


def test_a_new_track_takes_no_task_set_of_other_tasks() -> None:
    new = incoming(benchmark(track("main")), drafts=())
    expected_message = (
        "the tasks of the import differ from those of main: "
        "it lacks broom. main has 2: broom, tidy; the import has 1: tidy"
    )
    assert refusal(standing(benchmark(track(tasks="main")), task_set(OTHER, TASK)), new) == (
        "MERGE-TASKS-DIFFER",
        expected_message,
    )


def test_a_track_whose_tasks_are_registered_is_joined_by_the_first_of_its_results() -> None:
    addition = added(standing(benchmark(), task_set()), incoming())
    assert (addition.task_sets, addition.drafts) == ((), incoming().drafts)


def test_results_that_lack_tasks_join_and_say_so() -> None:
    """What is missing is no failure: the bundle has no record of it."""
    existing = standing(benchmark(), task_set(OTHER, TASK, replace(OTHER, id="mop")))
    addition, (warning,) = merge(existing, incoming())
    (fitted,) = addition.drafts
    assert fitted.submission.missing == ("broom", "mop")
    assert fitted.rounds == DRAFT.rounds
    assert (warning.code, warning.severity) == ("MERGE-TASKS-MISSING", "warning")
    assert warning.what == "the import lacks 2 of the 3 tasks of main: broom, mop"
    assert warning.path.as_posix() == "results/bench/tasks/main.jsonl"


OUT = Finding(
    date=date(2026, 6, 1), kind="defect", title="Broken", reason="Broken.", effect="exclude", tasks=("broom",)
)


def test_a_task_that_a_finding_takes_out_for_everybody_is_not_missing() -> None:
    """The records say so in its place, attempt by attempt, in the order of the track's tasks."""
    ours = benchmark(track(attempts=2, reference_rounds=True))
    existing = standing(ours, task_set(OTHER, TASK), findings=(OUT,))
    addition = added(existing, incoming(ours, drafts=(draft(rounds=results(attempts=2)),)))
    (fitted,) = addition.drafts
    assert fitted.submission.missing == ()
    excluded_rounds = [RoundResult("broom", attempt, n, "excluded", 0) for attempt in (1, 2) for n in (1, 2)]
    reference = [RoundResult("broom", 1, n, "excluded", 0, start="reference") for n in (1, 2)]
    assert fitted.rounds == (*excluded_rounds, *reference, *results(attempts=2))


@pytest.mark.parametrize(
    "scope",
    [
        {"submissions": ("2026-06-25-acme-1",)},
        {"rounds": (1,)},
        {"rounds": (1,), "cases": ("a",)},
        {"tracks": ("paper",)},
        {"tasks": ("tidy",)},
        {"tasks": ()},
        {"effect": "zero"},
    ],
)
def test_a_finding_about_less_than_the_task_leaves_it_missing(scope: dict[str, object]) -> None:
    finding = OUT.model_copy(update=scope)
    addition, _ = merge(standing(benchmark(), task_set(OTHER, TASK), findings=(finding,)), incoming())
    (fitted,) = addition.drafts
    assert (fitted.submission.missing, fitted.rounds) == (("broom",), DRAFT.rounds)


def test_the_checksum_of_the_tasks_is_the_tracks() -> None:
    """A run of some of the tasks knows the checksums of those."""
    broom, tidy = replace(OTHER, digest="one"), replace(TASK, digest="two")
    full_set, partial_set = task_set(broom, tidy), task_set(tidy)
    new = incoming(sets=(partial_set,), drafts=(draft(provenance=Provenance(task_digest="two")),))
    addition, _ = merge(standing(benchmark(), full_set), new)
    assert addition.drafts[0].submission.provenance.task_digest == full_set.digest
    changed, _ = merge(standing(benchmark(), task_set(broom, replace(tidy, digest="other"))), new)
    assert changed.drafts[0].submission.provenance.task_digest == "two"


def test_results_that_join_a_track_bring_nothing_but_themselves() -> None:
    """Definition and findings about everybody belong to the maintainers; what is said of the bundle comes along."""
    about = NOTE.model_copy(update={"submissions": (DRAFT.id,)})
    new = incoming(benchmark(axes={"style": Axis(title="Style")}, aliases={"acme": "Acme-1"}), findings=(NOTE, about))
    assert added(standing(benchmark(), task_set()), new) == Addition(benchmark(), (), new.drafts, (about,))


def test_a_task_set_without_a_file_gets_it_under_the_tracks_name() -> None:
    addition = added(standing(benchmark(track(tasks="ours"))), incoming())
    assert addition.task_sets == (task_set(name="ours"),)
    assert [track.tasks for track in addition.benchmark.tracks] == ["ours"]


@pytest.mark.parametrize(
    ("tracks", "name"),
    [
        ((track(tasks=None),), "main"),
        ((track(tasks=None), track("paper", tasks="main")), "official"),
        ((track("paper", tasks="main"),), "official"),
    ],
)
def test_a_track_without_a_task_set_gets_one_under_a_name_that_is_free(tracks: tuple[Track, ...], name: str) -> None:
    existing_sets = [task_set(OTHER)] if len(tracks) > 1 or tracks[0].tasks else []
    addition = added(standing(benchmark(*tracks), *existing_sets), incoming())
    assert addition.task_sets == (task_set(name=name),)
    assert {track.id: track.tasks for track in addition.benchmark.tracks}["official"] == name


def test_tracks_share_a_task_set() -> None:
    new = incoming(benchmark(track(), track("paper")))
    assert added(None, new).task_sets == (task_set(),)


REPOSITORY = Axis(title="Repository", cluster=True)
LABELLED = replace(OTHER, labels={"repo": "org/repo"})


def second_track(task: Task, **axes: Axis) -> Incoming:
    """Return an import of one task that begins a second track."""
    offered = benchmark(track("second", tasks="second"), axes={"domain": Axis(title="Domain"), **axes})
    return incoming(offered, sets=(task_set(task, name="second"),), drafts=())


def test_a_new_benchmark_and_one_without_tasks_take_the_axis_that_clusters() -> None:
    axes = {"domain": Axis(title="Domain"), "repo": REPOSITORY}
    task = replace(TASK, labels={"domain": "data", "repo": "org/repo"})
    new = incoming(benchmark(axes=axes), sets=(task_set(task),))
    assert added(None, new).benchmark.axes["repo"].cluster
    assert added(standing(benchmark()), new).benchmark.axes["repo"].cluster


def test_an_axis_does_not_cluster_a_benchmark_whose_tasks_lack_it() -> None:
    addition, problems = merge(standing(benchmark(), task_set()), second_track(LABELLED, repo=REPOSITORY))
    assert [(problem.code, problem.severity, problem.what) for problem in problems] == [
        ("MERGE-CLUSTER-LEFT", "warning", "axis `repo` was added without `cluster = true`: no label on tidy")
    ]
    assert addition.benchmark.axes["repo"] == Axis(title="Repository")


def test_a_benchmark_keeps_the_one_axis_that_clusters() -> None:
    ours = benchmark(axes={"domain": Axis(title="Domain", cluster=True)})
    labelled = replace(LABELLED, labels={"domain": "web", "repo": "org/repo"})
    addition, problems = merge(standing(ours, task_set()), second_track(labelled, repo=REPOSITORY))
    assert [problem.code for problem in problems] == ["MERGE-CLUSTER-LEFT"]
    assert (addition.benchmark.axes["domain"].cluster, addition.benchmark.axes["repo"].cluster) == (True, False)


def test_tasks_without_the_label_that_clusters_are_refused() -> None:
    ours = benchmark(axes={"domain": Axis(title="Domain", cluster=True)})
    bare = replace(OTHER, labels={})
    assert refusal(standing(ours, task_set()), second_track(bare)) == (
        "MERGE-CLUSTER-UNKNOWN",
        "the import has 1 task without a label on axis `domain`: broom",
    )


def test_results_that_join_a_track_leave_its_axes_as_they_are() -> None:
    new = incoming(benchmark(axes={"domain": Axis(title="Domain"), "repo": REPOSITORY}))
    assert added(standing(benchmark(), task_set()), new).benchmark == benchmark()


def test_axes_and_their_values_are_added() -> None:
    axes = {"domain": Axis(title="Field", values=("web", "data")), "style": Axis(title="Style")}
    new = incoming(benchmark(axes=axes))
    domain = Axis(title="Domain", values=("data", "web"))
    assert added(standing(benchmark()), new).benchmark.axes == {**axes, "domain": domain}


def test_an_axis_gets_the_values_that_tasks_carry() -> None:
    web = task_set(replace(TASK, labels={"domain": "web"}), name="web")
    web_benchmark = benchmark(track("web", tasks="web"), axes={"domain": Axis(title="Domain")})
    addition = added(standing(benchmark(), task_set()), incoming(web_benchmark, sets=(web,), drafts=()))
    assert addition.benchmark.axes["domain"].values == ("data", "web")


def test_an_alias_leads_to_the_name_that_the_agent_has_here() -> None:
    ours = benchmark(aliases={"Acme-1": "Acme One", "acme1": "Acme One"})
    new = incoming(benchmark(aliases={"ACME 1": "Acme-1", "acme1": "Acme-1", "Acme One": "Acme-1"}))
    addition = added(standing(ours), new)
    assert addition.benchmark.aliases == {**ours.aliases, "ACME 1": "Acme One"}


def test_an_alias_for_another_agent_is_refused_with_both() -> None:
    new = incoming(benchmark(aliases={"acme": "Acme-1"}))
    expected_message = "`acme` is an alias of Acme-2 here, but of Acme-1 in the import"
    assert refusal(standing(benchmark(aliases={"acme": "Acme-2"}), task_set()), new) == (
        "MERGE-ALIAS-DIFFERS",
        expected_message,
    )


def test_names_that_leave_the_folder_are_refused() -> None:
    new = incoming(drafts=(draft("../evil"),), sets=(task_set(), task_set(name="/etc/x")))
    assert refusal(None, new) == ("MERGE-NAME-INVALID", "not valid as names of files or folders: '/etc/x', '../evil'")


def test_a_bundle_that_stands_twice_in_an_import_is_refused() -> None:
    new = incoming(drafts=(draft("a"), draft("b"), draft("a")))
    assert refusal(None, new) == ("NAME-TWICE", "the import has two bundles called a")


def test_a_bundle_named_like_a_reported_row_is_refused() -> None:
    row = ReportedRow(name="Acme-1", id="acme", values={"dataset_score": ReportedValue(value=Decimal("1.0"))})
    table = ReportedTable(
        schema_version=1, track="official", title="Table", source="Paper", date=date(2026, 6, 1), rows=(row,)
    )
    existing = standing(benchmark(), task_set(), reported=(table,))
    expected_message = "acme is already the name of a row in a reported table"
    assert refusal(existing, incoming(drafts=(draft("acme"),))) == ("NAME-TWICE", expected_message)


def test_every_conflict_is_told_at_once() -> None:
    ours = benchmark(track(protocol="once"), aliases={"acme": "Acme-2"})
    existing = standing(ours, task_set(OTHER), drafts=(OLDER,))
    new = incoming(benchmark(aliases={"acme": "Acme-1"}), drafts=(draft("A"),))
    codes = ["MERGE-TRACK-DIFFERS", "MERGE-TASKS-DIFFER", "MERGE-ALIAS-DIFFERS", "MERGE-NAME-INVALID"]
    assert [problem.code for problem in refused(existing, new)] == codes


def test_letters_keep_their_cases_where_the_task_set_lists_others() -> None:
    record = RoundResult("tidy", 1, 1, "scored", 0, passed=1, total=2, outcomes="pf")
    new = incoming(sets=(task_set(with_cases("a", "b")),), drafts=(draft(rounds=(record,)),))
    (fitted,) = added(standing(benchmark(), task_set(with_cases("b", "a"))), new).drafts
    assert fitted.rounds == (replace(record, case_ids=("a", "b")),)


def test_letters_of_the_same_cases_need_no_names() -> None:
    record = RoundResult("tidy", 1, 1, "scored", 0, passed=1, total=2, outcomes="pf")
    new = incoming(sets=(task_set(with_cases("a", "b")),), drafts=(draft(rounds=(record,)),))
    assert added(standing(benchmark(), task_set(with_cases("a", "b"))), new).drafts == new.drafts


def test_a_changed_checksum_of_a_task_is_a_warning() -> None:
    existing = standing(benchmark(), task_set(with_cases(digest="one")))
    _, (warning,) = merge(existing, incoming(sets=(task_set(with_cases(digest="two")),)))
    assert (warning.code, warning.severity) == ("MERGE-DIGEST-DIFFERS", "warning")
    assert warning.what == "the import states different checksums for tidy"


def test_bundles_of_runs_are_taken_as_they_are() -> None:
    new = incoming(benchmark(track(attempts=2)), drafts=(draft(rounds=results(attempts=2)),))
    assert added(None, new).drafts == new.drafts
