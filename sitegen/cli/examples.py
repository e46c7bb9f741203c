"""The examples in the help of each command."""

from collections.abc import Mapping, Sequence

Example = tuple[str, str]
"""A command line, and a description of what it does."""

# One table, because a test checks all examples against the commands.
EXAMPLES: Mapping[str, Sequence[Example]] = {
    "build": (
        ("sitegen build", "Build site/ from results/."),
        ("sitegen build --check-links --parquet", "Check every link, and offer Parquet files."),
        ("sitegen build --benchmark my-bench --site preview", "Build only one benchmark."),
    ),
    "serve": (
        (
            "sitegen serve",
            "Serve the site at http://127.0.0.1:8000, and rebuild it after every change.",
        ),
        ("sitegen serve --port 9000", "Use another port."),
    ),
    "try": (
        ("sitegen try runs/", "Show a folder of runs as a board in the browser."),
        ("sitegen try scores.csv --column reward=score", "Say which column has the reward."),
        ("sitegen try runs/ --no-serve", "Build the site without serving it."),
    ),
    "validate": (
        ("sitegen validate", "Check all of results/."),
        ("sitegen validate my-bench/main/2026-06-25-agent", "Check one submission."),
        ("sitegen validate --fix", "First fix what can be fixed automatically, such as checksums."),
        ("sitegen validate --base origin/main --format github", "Check a pull request in CI."),
    ),
    "score": (
        ("sitegen score", "Print the boards of results/."),
        ("sitegen score results/my-bench --format json", "Print one benchmark as JSON."),
        ("sitegen score --tasks domain:web,data", "Score and rank over some of the tasks."),
    ),
    "explain": (
        (
            "sitegen explain my-bench/main/2026-06-25-agent",
            "Show how the scores of a submission are computed.",
        ),
        (
            "sitegen explain my-bench/main/2026-06-25-agent/tidy-logs",
            "Show the rounds of one of its tasks.",
        ),
        (
            "sitegen explain my-bench/main/2026-06-25-agent --embargoed",
            "Review a submission under embargo.",
        ),
        ("sitegen explain my-bench/main/2026-06-25-agent --summary", "Show only the scores."),
    ),
    "schema": (
        ("sitegen schema submission", "Print the JSON Schema of submission.toml."),
        ("sitegen schema --into schemas", "Write all JSON Schemas to a folder."),
    ),
    "metrics": (
        ("sitegen metrics my-bench/main", "List what a track can show."),
        ("sitegen metrics", "List the metrics of every track."),
    ),
    "diff": (
        ("sitegen diff origin/main results", "Show what a branch changes."),
        ("sitegen diff old-results results --format markdown", "Compare two folders."),
    ),
    "import": (
        (
            "sitegen import harbor jobs/2026-06-25 --benchmark my-bench --track main",
            "Import Harbor jobs.",
        ),
        (
            "sitegen import table scores.csv --benchmark my-bench --column reward=score",
            "Import a table whose reward is in the column `score`.",
        ),
        (
            "sitegen import swebench logs --benchmark my-bench --dry-run",
            "Show what would be written.",
        ),
    ),
    "demo": (
        ("sitegen demo results", "Write a small simulated benchmark to results/."),
        ("sitegen demo results --agents 20 --tasks 50 --attempts 4", "Write a larger one."),
    ),
    "export": (
        ("sitegen export every-eval-ever results --into out", "Export every submission."),
        (
            "sitegen export huggingface results/my-bench --into out --dataset ORG/NAME",
            "Export one benchmark for Hugging Face.",
        ),
    ),
    "label": (
        (
            "sitegen label tasks.csv --benchmark my-bench --label difficulty --label domain",
            "Label the tasks from two columns of a table.",
        ),
    ),
    "release": (
        ('sitegen release 2026-07-01 --title "Summer"', "Lock all boards as they are."),
        ("sitegen release --arrivals", "Record which bundles arrived, and lock nothing."),
    ),
    "new-track": (
        (
            "sitegen new-track my-bench/v1-1 --from v1 --changed tidy-logs --changed db-move",
            "Start version 1.1, with two changed tasks.",
        ),
        (
            "sitegen new-track my-bench/v1-1 --from v1 --tasks changed.jsonl --carry",
            "Take the changed tasks from a file, and carry over the other results.",
        ),
    ),
    "redact": (
        (
            'sitegen redact my-bench/main/2026-06-25-agent --reason "It contains a password"',
            "Remove the content of a submission and keep a record of it.",
        ),
        (
            'sitegen redact my-bench/main/2026-06-25-agent/tidy-logs --reason "Private data"',
            "Remove the texts of one task.",
        ),
    ),
    "verify": (
        (
            "sitegen verify my-bench/main/2026-06-25-agent --artifacts jobs/2026-06-25",
            "Compare every round with the grader's output.",
        ),
        (
            "sitegen verify my-bench/main/2026-06-25-agent --artifacts jobs --sample 5%",
            "Compare a random sample.",
        ),
    ),
    "verify-site": (
        ("sitegen verify-site https://example.org/boards/", "Check a published site."),
        (
            "sitegen verify-site site --rebuild . --allowed-signers keys",
            "Check who signed a site, and rebuild it.",
        ),
    ),
    "submit": (
        (
            "sitegen submit runs/ --to my-bench/main",
            "Bundle runs, check them, and commit them to a branch.",
        ),
        (
            "sitegen submit runs/ --to my-bench/main --claim dataset_score=54.2 --dry-run",
            "Show what the command would do; write nothing.",
        ),
        (
            "sitegen submit runs/ --to my-bench/main --embargo 2026-12-01",
            "Submit runs that count from 1 December 2026 on.",
        ),
        (
            "sitegen submit runs/ --to my-bench/main --account github:acme-ada",
            "Name the account that may correct the submission later.",
        ),
    ),
    "withdraw": (
        (
            'sitegen withdraw my-bench/main/2026-06-25-agent --reason "The agent saw the answers"',
            "Take a submission off its board.",
        ),
    ),
    "supersede": (
        (
            "sitegen supersede my-bench/main/2026-06-25-agent --by 2026-07-01-agent",
            "Replace a submission with a newer one.",
        ),
    ),
    "correct": (
        (
            'sitegen correct my-bench/main/2026-06-25-agent --model agent-1 --reason "A typo"',
            "Correct the model's name.",
        ),
        (
            'sitegen correct my-bench/main/2026-06-25-agent --scaffold "" --reason "It used none"',
            "Remove a value.",
        ),
    ),
    "replace-rounds": (
        (
            'sitegen replace-rounds my-bench/main/2026-06-25-agent runs/ --reason "An outage"',
            "Replace the rounds that runs/ contains, and keep the others.",
        ),
        (
            'sitegen replace-rounds my-bench/v1-1/agent-v1-1 runs/ --reason "Run for v1-1"',
            "Add the changed tasks to a submission that a new version of its track carried over.",
        ),
    ),
    "add-attempt": (
        (
            "sitegen add-attempt my-bench/main/2026-06-25-agent more-runs/",
            "Add further attempts to a submission.",
        ),
    ),
    "upgrade": (
        ("sitegen upgrade ../newer-checkout", "Show what another version would change."),
        ("sitegen upgrade recountboard-0.3.0-py3-none-any.whl", "Compare with a wheel."),
    ),
    "init": (
        ("sitegen init my-board --kind attempts", "Start a project with its first benchmark."),
        ("sitegen init my-board --host gitlab --title 'My Bench'", "Start a project for GitLab."),
    ),
    "docs": (("sitegen docs --site docs", "Build the documentation of this version."),),
}
