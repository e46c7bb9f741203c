"""Rules about requests, which are changes of a results folder with published results.

The first rules forbid changes for everyone; the others depend on who makes the request.
"""

from sitegen.problems import Rule, reasons

HISTORY_DELETED = Rule.error(
    "HISTORY-DELETED",
    "A published submission is missing, and `[[renamed]]` of benchmark.toml does not name it.",
    'restore it; to withdraw a submission, set state = "withdrawn" in its `[status]`',
    unwaivable=reasons.KEPT,
)
HISTORY_EDITED = Rule.error(
    "HISTORY-EDITED",
    "A published submission was changed in more than its `[status]`, `baseline`, an `embargo` that "
    "ends sooner, and its checksums.",
    "restore it with `git checkout origin/main -- FILE`, and correct what it states with "
    "`sitegen correct`, or its rounds with `sitegen replace-rounds`",
    unwaivable=reasons.KEPT,
)
HISTORY_REDACTED = Rule.warning(
    "HISTORY-REDACTED",
    "A request removes content from a published submission.",
    "ask the maintainers of this leaderboard and the submitter; if they do not agree, remove "
    "the record from findings.toml, and restore the files",
    unwaivable=reasons.KEPT,
)
HISTORY_STATUS = Rule.error(
    "HISTORY-STATUS",
    "A superseded or withdrawn submission was made current again.",
    "restore the status, and add the results as a new submission",
    unwaivable=reasons.KEPT,
)
HISTORY_FINDING = Rule.error(
    "HISTORY-FINDING",
    "A published finding was changed or removed.",
    "restore it, and add a finding that says what changed; only a waiver may end earlier or be "
    "removed, and a finding without `tracks` may be limited to the tracks whose `changed` does "
    "not list its tasks",
    unwaivable=reasons.KEPT,
)
HISTORY_TASKS = Rule.error(
    "HISTORY-TASKS",
    "The tasks of a track with submissions were changed.",
    "restore them, and add the changed tasks as a new task set with a new track; titles, "
    "addresses and labels may change",
    unwaivable=reasons.KEPT,
)
HISTORY_TRACK = Rule.error(
    "HISTORY-TRACK",
    "The conditions of a track with submissions were changed.",
    "restore them, and begin a new version of the track with `sitegen new-track BENCHMARK/NEW "
    "--from OLD`, for example with `--attempts 4`",
    unwaivable=reasons.KEPT,
)
HISTORY_RELEASE = Rule.error(
    "HISTORY-RELEASE",
    "A locked release was changed, or was not written by `sitegen release`.",
    "restore it, and lock the changes in a new release: `sitegen release DATE`",
    unwaivable=reasons.KEPT,
)
HISTORY_JOURNAL = Rule.error(
    "HISTORY-JOURNAL",
    "A request with a submission also adds lines to arrivals.jsonl or checks.jsonl.",
    "restore the file; the maintainers add lines after the submission is published",
    unwaivable=reasons.KEPT,
)
HISTORY_MAINTAINED = Rule.warning(
    "HISTORY-MAINTAINED",
    "A request withdraws submissions or adds lines to journals, which only maintainers may do.",
    "merge the request only if a maintainer made it, or if submitters withdraw their own "
    "submissions",
    unwaivable=reasons.KEPT,
)
HISTORY_NOT_OWN = Rule.error(
    "HISTORY-NOT-OWN",
    "A request with a submission also changes something that others published or decide.",
    "take this change out of the request",
    unwaivable=reasons.KEPT,
)
HISTORY_RIVAL = Rule.error(
    "HISTORY-RIVAL",
    "A request with a submission also withdraws another agent's submission, or lowers its score "
    "by a finding.",
    "take this change out of the request, and ask a maintainer to correct the other submission "
    "with `sitegen correct`",
    unwaivable=reasons.KEPT,
)
HISTORY_RERUN = Rule.error(
    "HISTORY-RERUN",
    "A request with a submission also states that a maintainers' run confirms it.",
    "remove the finding; the maintainers record the result of their run after the submission is "
    "published",
    unwaivable=reasons.KEPT,
)
HISTORY_OWN = Rule.warning(
    "HISTORY-OWN",
    "A submission replaces a published one, and only the files say that the same people sent both.",
    "merge the request only if the person who opened it also sent the published submission: "
    "anyone can copy names into files",
    unwaivable=reasons.KEPT,
)
HISTORY_BASELINE = Rule.warning(
    "HISTORY-BASELINE",
    "A new submission calls itself a baseline, which maintainers decide.",
    "merge the request only if a maintainer made it; otherwise take `baseline` out of "
    "submission.toml",
    unwaivable=reasons.KEPT,
)
