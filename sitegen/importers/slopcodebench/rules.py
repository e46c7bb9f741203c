"""Rules for run folders of SlopCodeBench. Codes are stable: programs refer to them."""

from sitegen.problems import Rule

_OWN_CATALOGUE = (
    "name the run's catalogue with `--catalog`, a JSON file such as "
    '`{"version": "v1.0", "problems": {"code_search": 5}}`; or leave the problem out by naming the '
    "others with `--task`"
)
_WRITE_AGAIN = "write the file again with the runner's own `eval` command"

NO_RUN = Rule.error(
    "SLOP-NO-RUN",
    "A source holds at least one run folder.",
    "name a folder with `checkpoint_results.jsonl`, or with the run's `config.yaml` and its "
    "problems' folders",
)
FILE_BROKEN = Rule.warning(
    "SLOP-FILE-BROKEN",
    "What the runner wrote beside the rows can be read.",
    "correct the files; what can't be read of them is not used",
    "Files of the run can't be read in full, and what can't be read is not used: {}.",
)
ONE_SHOT = Rule.error(
    "SLOP-ONE-SHOT",
    "A run gives the agent one checkpoint after the other.",
    "leave one-shot runs out: they put all checkpoints of a problem into one, and no track holds "
    "such results",
)
ONE_SHOT_LEFT_OUT = Rule.note(
    "SLOP-ONE-SHOT-LEFT-OUT",
    "A source holds no one-shot runs beside the others.",
    "nothing needs to be done: they are not imported, for they put all checkpoints of a problem "
    "into one",
)
AGENT_UNKNOWN = Rule.error(
    "SLOP-AGENT-UNKNOWN",
    "`config.yaml`, `run_info.yaml` or `result.json` tells the model of a run.",
    "name the agent with `--agent`, or take only the runs of one model with `--model`",
)
NAME_UNPRINTABLE = Rule.note(
    "SLOP-NAME-UNPRINTABLE",
    "Names of models and of the programs that drive them can be printed and fit in a line.",
    "nothing needs to be done: the names are written without what can't be printed, and shortened",
)
LENGTH_UNKNOWN = Rule.error(
    "SLOP-LENGTH-UNKNOWN", "It is known how many checkpoints each problem has.", _OWN_CATALOGUE
)
LENGTH_DIFFERS = Rule.error(
    "SLOP-LENGTH-DIFFERS",
    "A problem has as many checkpoints in the run as in the catalogue.",
    _OWN_CATALOGUE,
)
LENGTH_GIVEN = Rule.warning(
    "SLOP-LENGTH-GIVEN",
    "A problem has as many checkpoints in the run as in the given catalogue.",
    "look whether the catalogue is that of the runs; it counts, and later checkpoints are left out",
    "Runs have other checkpoints than the given catalogue, which counts: {}.",
)
CATALOGUE_ASSUMED = Rule.warning(
    "SLOP-CATALOGUE-ASSUMED",
    "A run names its catalogue in `problem_catalog.json`.",
    "name the catalogue with `--catalog`, unless the run is of that release",
    "A run does not name its catalogue; the numbers of checkpoints are those of {}.",
)
CATALOGUE_DIFFERS = Rule.warning(
    "SLOP-CATALOGUE-DIFFERS",
    "Results that stand on one track were made with one catalogue.",
    "look whether the problems are the same in both",
    "Not all results of the import were made with one catalogue; these runs name {}.",
)
PROBLEMS_DIFFER = Rule.warning(
    "SLOP-PROBLEMS-DIFFER",
    "The runs of one import have the same problems.",
    "import runs with other problems by themselves if they are to have a rank, into tracks of "
    "their own with "
    "`--track` and `--new-track`; here their bundles name the other problems as missing",
)
PROBLEMS_UNLISTED = Rule.warning(
    "SLOP-PROBLEMS-UNLISTED",
    "A run says which problems it was to solve.",
    "look whether it was to solve more: only the problems that it began are in the task set",
    "A run does not say which problems it was to solve; only those that it began are in the task "
    "set.",
)
ROW_BROKEN = Rule.warning(
    "SLOP-ROW-BROKEN",
    "Each line of `checkpoint_results.jsonl` is one checkpoint's row.",
    f"{_WRITE_AGAIN}; a checkpoint without a row is read from its own files, and else counts 0",
    "Lines of the runner's rows can't be read; their checkpoints count by their own files, or 0: "
    "{}.",
)
VALUE_UNUSABLE = Rule.warning(
    "SLOP-VALUE-UNUSABLE",
    "The values of a row are of the kind that the runner writes.",
    f"{_WRITE_AGAIN}; the values are not used, and the rest of the row is",
    "Values in the runner's rows can't be right and are not used: {}.",
)
ROW_CUT = Rule.note(
    "SLOP-ROW-CUT",
    "The last row is whole.",
    "nothing needs to be done: checkpoints without a row are read from their own files",
    "The runner's rows end in the middle of one; checkpoints without a row are read from their "
    "own files.",
)
ROW_MISSING = Rule.warning(
    "SLOP-ROW-MISSING",
    "A run that has rows has one for each checkpoint that it got to.",
    f"{_WRITE_AGAIN}; until then these checkpoints are read from their own files",
    "Checkpoints without a row are read from their own files, without measurements of the code: "
    "{}.",
)
ROW_TWICE = Rule.warning(
    "SLOP-ROW-TWICE",
    "A checkpoint has one row.",
    "remove the outdated rows; of several the last one is taken, as the runner does",
    "Several rows are about the same checkpoint, of which the last one is taken: {}.",
)
COUNTS_DIFFER = Rule.warning(
    "SLOP-COUNTS-DIFFER",
    "The counts of a row agree with each other.",
    f"{_WRITE_AGAIN}; the row's verdict is kept, and its counts are left out",
    "Counts of tests that can't be right are left out, and the verdicts are kept: {}.",
)
EVALUATION_DIFFERS = Rule.warning(
    "SLOP-EVALUATION-DIFFERS",
    "A row counts the tests that `evaluation.json` lists.",
    "write the rows again with the runner's own `eval` command; the listed tests are taken",
    "The runner's rows count other tests than it lists; the listed ones are taken: {}.",
)
CATEGORY_OUTDATED = Rule.note(
    "SLOP-CATEGORY-OUTDATED",
    "Tests of an earlier checkpoint are regression tests.",
    "nothing needs to be done: they are counted as regression tests, as later releases do",
    "Tests of earlier checkpoints were not marked as regression tests, and are counted as such: "
    "{}.",
)
CHECKPOINT_LOST = Rule.warning(
    "SLOP-CHECKPOINT-LOST",
    "A checkpoint before one with results has results.",
    "look for it in the run's folder; it is recorded as aborted",
    "Checkpoints that nothing is told of, though a later one has results, are recorded as "
    "aborted: {}.",
)
INTERRUPTED = Rule.note(
    "SLOP-RUN-INTERRUPTED",
    "A run ended, and wrote `checkpoint_results.jsonl`.",
    "nothing needs to be done: the checkpoints are read from their own files, without "
    "measurements of the code",
    "A run did not end; its checkpoints are read from their own files, without measurements of "
    "the code.",
)
EMPTY = Rule.note(
    "SLOP-RUN-EMPTY",
    "A run produced a checkpoint.",
    "nothing needs to be done: such a run is not imported",
    "Runs of this agent that produced no checkpoint are left out: {}.",
)
COPY = Rule.warning(
    "SLOP-RUN-COPY", "A source holds each run once.", "remove the copy; it is not imported"
)
CONDITIONS = Rule.warning(
    "SLOP-CONDITIONS",
    "Runs use the prompt `just-solve`, and no cap on steps or cost.",
    "look whether the track is meant for such runs; the conditions stand in the agent's scaffold",
    "The conditions differ from those of the published results: {}.",
)
ANALYSER_MISSING = Rule.warning(
    "SLOP-ANALYSER-MISSING",
    "The analysers of the code were installed.",
    "install the analysers and measure the snapshots again; until then these measurements are gaps",
    "The code was not measured throughout: {}.",
)
COST_UNKNOWN = Rule.warning(
    "SLOP-COST-UNKNOWN",
    "Every produced checkpoint has a cost.",
    "look up the cost: checkpoints without a cost and without a token are gaps, not free",
    "Neither cost nor tokens are known of {}.",
)
INFRASTRUCTURE = Rule.warning(
    "SLOP-INFRASTRUCTURE",
    "The test runner itself did not fail.",
    "check these checkpoints again: they count as failed, as the benchmark counts them",
    "The test runner itself failed, which counts as failed, at {}.",
)
AGENT_FAILED = Rule.note(
    "SLOP-AGENT-FAILED",
    "An agent's run whose work is judged ended without an error.",
    "nothing needs to be done: the work is judged as the agent left it",
    "The agent's run ended in an error, and its work was judged as it was left, at {}.",
)
SKIPPED_TESTS = Rule.note(
    "SLOP-SKIPPED-TESTS",
    "Every test ran.",
    "nothing needs to be done: a skipped test has not passed, so its checkpoint is not solved",
    "Tests were skipped, so their checkpoints are not solved: {}.",
)
