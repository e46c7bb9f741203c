"""The rules that published results keep from one state of a results folder to the next."""

from sitegen.problems import Rule, reasons

HISTORY_DELETED = Rule(
    "HISTORY-DELETED",
    "error",
    "A published submission stays, under its name or one that `[[renamed]]` of benchmark.toml tells.",
    'put it back as it was; a submission that does not stand any more says so in `[status]`, with state = "withdrawn"',
    unwaivable=reasons.KEPT,
)
HISTORY_EDITED = Rule(
    "HISTORY-EDITED",
    "error",
    "Of a published submission nothing changes but its `[status]`, and its checksums with it.",
    "put it back as it was, and add the correction as a submission of its own, which `[status]` of this one names",
    unwaivable=reasons.KEPT,
)
HISTORY_REDACTED = Rule(
    "HISTORY-REDACTED",
    "warning",
    "Content of a published submission leaves when those decide it who may.",
    "ask whoever keeps this leaderboard, and whoever sent the submission; if they do not want it, take the record out "
    "of findings.toml, and put the files back as they were",
    unwaivable=reasons.KEPT,
)
HISTORY_STATUS = Rule(
    "HISTORY-STATUS",
    "error",
    "A submission that was superseded or withdrawn does not come back.",
    "put the status back, and add the results as a submission of its own",
    unwaivable=reasons.KEPT,
)
HISTORY_FINDING = Rule(
    "HISTORY-FINDING",
    "error",
    "Findings are added, and neither changed nor removed; a waiver may end sooner, or go.",
    "put it back as it was, and add a finding that says what is different now",
    unwaivable=reasons.KEPT,
)
HISTORY_TASKS = Rule(
    "HISTORY-TASKS",
    "error",
    "The tasks of a track stay as they are once results were submitted to it.",
    "put them back, and give the changed tasks a task set and a track of their own; titles and addresses may change",
    unwaivable=reasons.KEPT,
)
HISTORY_TRACK = Rule(
    "HISTORY-TRACK",
    "error",
    "The conditions of a track stay as they are once results were submitted to it.",
    "put them back, and give the new conditions a track of their own",
    unwaivable=reasons.KEPT,
)
HISTORY_RELEASE = Rule(
    "HISTORY-RELEASE",
    "error",
    "A release is what `sitegen release` writes of the boards, and stays as it was locked.",
    "put it back as it was; what is different now goes into a new one: `sitegen release DATE`",
    unwaivable=reasons.KEPT,
)
