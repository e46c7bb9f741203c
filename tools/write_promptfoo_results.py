"""Write results of promptfoo with its own command, as samples for tests.

The samples in `tests/samples/promptfoo` were written by promptfoo 0.121.20, installed with npm:

    npm install --prefix TOOLS promptfoo@0.121.20
    npm install --prefix OLD promptfoo@0.43.1 --ignore-scripts --omit=optional
    python tools/write_promptfoo_results.py TOOLS OLD tests/samples/promptfoo

`expected.json` next to the samples contains the values that promptfoo computes. Version 0.43.1 wrote the folders whose
names begin with `old`, in version 2 of the result format.

The providers are rules in JavaScript, defined below: no model is called, and nothing is sent.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

PROVIDER = """\
class Rules {
  constructor(options) {
    this.config = (options && options.config) || {};
    this.calls = {};
  }
  id() { return this.config.name; }
  async callApi(prompt, context) {
    const vars = (context && context.vars) || {};
    if (vars.fail === this.config.name) return { error: 'API error: 529 overloaded' };
    if (vars.crash) throw new Error('socket hang up');
    if (vars.silent) return {};
    this.calls[vars.city] = (this.calls[vars.city] || 0) + 1;
    const isWrong = (this.config.wrong || []).includes(vars.city);
    const isTired = (this.config.tired || []).includes(vars.city) && this.calls[vars.city] % 2 === 0;
    const output = isWrong || isTired ? 'no idea' : String(vars.good || '');
    const tokenUsage = { total: 30, prompt: 20, completion: 10, cached: 0, numRequests: 1 };
    if (vars.cached) return { output, cached: true, tokenUsage: { total: 30, cached: 30 } };
    return { output, tokenUsage, cost: this.config.cost, cached: false, latencyMs: 12 };
  }
}
module.exports = Rules;
"""

Json = dict[str, object]
STACK_IN_JSON = re.compile(r"(?:\\n\s+at [^\"\\]+)+")
STACK = re.compile(r"^    at .*\n", re.MULTILINE)
"""Matches the stack trace of an error, with paths of this machine."""

QUESTION = "What is the capital of {{city}}?"
CITIES = {"france": "Paris", "peru": "Lima", "spain": "Madrid", "italy": "Rome"}


def provider(name: str = "acme:chat:kettle-1", label: str = "", **config: object) -> Json:
    """Return a provider whose answers follow rules."""
    definition: Json = {
        "id": "file://provider.js",
        "config": {"name": name, "cost": 0.0004, **config},
    }
    return definition | ({"label": label} if label else {})


def test_of(city: str, **facts: object) -> Json:
    """Return a test that asks for the capital of a country, and looks for it in the answer."""
    good = CITIES[city]
    extra_variables = facts.pop("vars", {})
    variables = {
        "city": city,
        "good": good,
        **(extra_variables if isinstance(extra_variables, dict) else {}),
    }
    return {"vars": variables, "assert": [{"type": "contains", "value": good}], **facts}


def checks(*assertions: Json) -> list[Json]:
    """Return assertions as a list."""
    return list(assertions)


TWO = (test_of("france"), test_of("peru"))
PROMPTS = (
    {"id": "short", "label": "short", "raw": "Capital of {{city}}?"},
    {"id": "polite", "label": "polite", "raw": "Please name the capital of {{city}}."},
)

SUITES: Mapping[str, Json] = {
    "two-providers": {
        "description": "capitals",
        "providers": [provider(label="kettle", wrong=["peru"]), provider("acme:chat:kettle-2")],
        "tests": [
            test_of("france", description="capital of France"),
            test_of("peru", description="capital of Peru", metadata={"region": "south"}),
            test_of(
                "spain",
                **{"assert": checks({"type": "equals", "value": "Madrid"}, {"type": "is-json"})},
            ),
        ],
    },
    "two-prompts": {
        "prompts": [*PROMPTS],
        "providers": [provider(wrong=["peru"])],
        "tests": [*TWO],
    },
    "repeated": {"providers": [provider(tired=["peru"])], "tests": [*TWO]},
    "errors": {
        "providers": [provider(wrong=["spain"]), provider("acme:chat:kettle-2")],
        "tests": [
            test_of("france"),
            test_of("peru", vars={"fail": "acme:chat:kettle-1"}),
            test_of("spain", vars={"crash": ""}),
            test_of("italy", vars={"crash": "yes"}),
            test_of("france", vars={"silent": "yes"}),
            test_of(
                "spain",
                **{
                    "assert": checks({"type": "javascript", "value": "throw new Error('no check')"})
                },
            ),
        ],
    },
    "scores": {
        "providers": [provider(wrong=["peru"])],
        "tests": [
            test_of(
                "france",
                threshold=0.5,
                **{
                    "assert": checks(
                        {"type": "contains", "value": "Paris", "weight": 3, "metric": "right"},
                        {
                            "type": "javascript",
                            "value": "output.length > 20",
                            "weight": 1,
                            "metric": "long",
                        },
                    )
                },
            ),
            test_of(
                "peru",
                threshold=0.5,
                **{
                    "assert": checks(
                        {"type": "contains", "value": "Lima", "weight": 3, "metric": "right"},
                        {"type": "javascript", "value": "0.4", "weight": 1, "metric": "long"},
                    )
                },
            ),
            test_of(
                "spain",
                **{
                    "assert": checks(
                        {
                            "type": "assert-set",
                            "threshold": 0.5,
                            "assert": [
                                {"type": "contains", "value": "Madrid", "metric": "right"},
                                {"type": "contains", "value": "Barcelona", "metric": "long"},
                            ],
                        },
                        {"type": "contains", "value": "M", "weight": 0},
                    )
                },
            ),
        ],
    },
    "unchecked": {
        "providers": [provider()],
        "tests": [{"vars": {"city": "france", "good": "Paris"}}],
    },
    "partly-checked": {
        "providers": [provider(wrong=["spain"])],
        "tests": [{"vars": {"city": "france", "good": "Paris"}}, test_of("peru"), test_of("spain")],
    },
    "scenarios": {
        "providers": [provider(wrong=["peru"])],
        "defaultTest": {"options": {"transformVars": "{...vars, good: (vars.good || '').trim()}"}},
        "scenarios": [
            {
                "config": [
                    {"vars": {"city": "france", "good": "Paris "}},
                    {"vars": {"city": "peru", "good": "Lima "}},
                ],
                "tests": [
                    {
                        "description": "names {{city}}",
                        "assert": [{"type": "icontains", "value": "{{good}}"}],
                    }
                ],
            }
        ],
        "tests": [
            {
                "description": "one of three",
                "vars": {"city": ["spain", "italy", "peru"], "good": "Madrid"},
                "assert": [{"type": "contains", "value": "Madrid"}],
            }
        ],
    },
    "two-efforts": {
        "providers": [
            provider("openai:responses:gpt-5", reasoning_effort="low", wrong=["peru"]),
            provider("openai:responses:gpt-5", reasoning={"effort": "high"}),
        ],
        "tests": [*TWO],
    },
    "restricted": {
        "prompts": [*PROMPTS],
        "providers": [
            provider(label="one"),
            provider("acme:chat:kettle-2", label="two", wrong=["peru"]),
        ],
        "tests": [
            test_of("france"),
            test_of("peru", providers=["two"]),
            test_of("spain", prompts=["short"]),
        ],
    },
    "written-twice": {
        "providers": [provider(tired=["france"])],
        "tests": [test_of("france"), test_of("france"), test_of("peru")],
    },
    "cached": {
        "providers": [provider()],
        "tests": [test_of("france", vars={"cached": "yes"}), test_of("peru")],
    },
}
"""Configurations of promptfoo, by the folder for their results."""

OLD_SUITE: Json = {
    "providers": [provider(wrong=["peru"]), provider("acme:chat:kettle-2")],
    "tests": [
        test_of("france", description="capital of France"),
        test_of("peru"),
        test_of("spain", vars={"fail": "acme:chat:kettle-1"}),
        {"vars": {"city": "italy", "good": "Rome"}},
    ],
}

OPTIONS: Mapping[str, Sequence[str]] = {"repeated": ("--repeat", "3")}
"""Additional options of `promptfoo eval`, by the same names."""

LISTS: Mapping[str, Sequence[str]] = {
    "two-providers": ("jsonl", "csv"),
    "repeated": ("jsonl", "csv"),
    "scores": ("csv",),
    "errors": ("csv",),
}
"""Suites that are also stored in other formats."""


def providers_of(suite: Json) -> list[Json]:
    """Return the providers of a suite."""
    providers = suite["providers"]
    return [dict(entry) for entry in providers] if isinstance(providers, list) else []


class Runner:
    """Runs promptfoo in a folder of its own."""

    def __init__(self, tools: Path, home: Path) -> None:
        self.command = tools.resolve() / "node_modules" / ".bin" / "promptfoo"
        self.home = home
        (home / "provider.js").write_text(PROVIDER, encoding="utf-8")

    def run(self, *arguments: str) -> None:
        """Run a promptfoo command; its exit code is 100 if tests fail."""
        environment = {
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
            "PROMPTFOO_CONFIG_DIR": str(self.home / "state"),
        }
        ended = subprocess.run(
            [str(self.command), *arguments],
            cwd=self.home,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode not in {0, 100}:
            raise SystemExit(ended.stdout + ended.stderr)

    def evaluate_old(self, suite: Json, output: Path, *options: str) -> None:
        """Evaluate a suite with an old version, which needs other providers and writes one file."""
        providers = []
        for number, definition in enumerate(providers_of(suite)):
            program = self.home / f"old{number}.js"
            program.write_text(
                PROVIDER.replace(
                    "(options && options.config) || {}", json.dumps(definition["config"])
                )
            )
            providers.append(f"./{program.name}")
        (self.home / "prompt.txt").write_text(QUESTION, encoding="utf-8")
        config = {**suite, "providers": providers, "prompts": ["prompt.txt"]}
        (self.home / "old.json").write_text(json.dumps(config), encoding="utf-8")
        flags = ("--no-cache", "--no-progress-bar", "--no-table", "--no-write", "-j", "1", *options)
        self.run("eval", "-c", "old.json", *flags, "-o", str(output.resolve()))

    def evaluate(
        self, name: str, suite: Json, outputs: Sequence[Path], options: Sequence[str] = ()
    ) -> None:
        """Evaluate a suite, and write its results to files."""
        config = self.home / f"{name}.json"
        config.write_text(json.dumps({"prompts": [QUESTION], **suite}), encoding="utf-8")
        written = [argument for path in outputs for argument in ("-o", str(path.resolve()))]
        flags = ("--no-cache", "--no-progress-bar", "--no-table", "-j", "1")
        self.run("eval", "-c", config.name, *flags, *options, *written)


def without_zeros(value: Json) -> Json:
    """Return an object without token counts that are all 0, which are frequent in results."""
    for name in ("completionDetails", "assertions", "tokensUsed"):
        counts = value.get(name)
        if isinstance(counts, dict) and not any(counts.values()):
            del value[name]
    return value


def tidy(path: Path, home: Path) -> None:
    """Remove the local folder from a file, and content that is the same in every result."""
    text = path.read_text(encoding="utf-8").replace(str(home), "/project")
    text = STACK_IN_JSON.sub("", text) if path.suffix != ".csv" else STACK.sub("", text)
    if path.suffix == ".json":
        document = json.loads(text, object_hook=without_zeros)
        (document.get("config") or {}).pop("outputPath", None)
        text = json.dumps(document) + "\n"
    path.write_text(re.sub(r"file:///project/[^\"]*/", "file://", text), encoding="utf-8")


def write_old(tools: Path, root: Path) -> None:
    """Write samples with an old version of promptfoo."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(tools, Path(folder))
        kinds: Sequence[tuple[str, str, Sequence[str]]] = (
            ("old", "json", ()),
            ("old-csv", "csv", ("--repeat", "2")),
        )
        for name, kind, options in kinds:
            (root / name).mkdir()
            runner.evaluate_old(OLD_SUITE, root / name / f"results.{kind}", *options)
            tidy(root / name / f"results.{kind}", Path(folder))


def write(tools: Path, root: Path) -> None:
    """Write every sample."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        runner = Runner(tools, home)
        for name, suite in SUITES.items():
            suite_folder = root / name
            suite_folder.mkdir()
            outputs = [suite_folder / "results.json"]
            for kind in LISTS.get(name, ()):
                (root / f"{name}-{kind}").mkdir()
                outputs.append(root / f"{name}-{kind}" / f"results.{kind}")
            runner.evaluate(name, suite, outputs, OPTIONS.get(name, ()))
        (root / "exported").mkdir()
        runner.evaluate("exported", SUITES["cached"], [home / "unused.json"])
        runner.run(
            "export", "eval", "latest", "-o", str((root / "exported" / "eval.json").resolve())
        )
        (root / "filtered").mkdir()
        before = (root / "two-providers" / "results.json").resolve()
        failing = ("--filter-failing", str(before))
        runner.evaluate(
            "filtered", SUITES["two-providers"], [root / "filtered" / "results.json"], failing
        )
        for path in root.rglob("results.*"):
            tidy(path, home)
        tidy(root / "exported" / "eval.json", home)


def figures_of(path: Path) -> list[Json]:
    """Return the values that promptfoo computes for each column of a file."""
    results = json.loads(path.read_text(encoding="utf-8"))["results"]
    prompts = results.get("prompts") or results["table"]["head"]["prompts"]
    figures = []
    for prompt in prompts:
        metrics = prompt["metrics"]
        counts = {
            name: metrics.get(f"test{name.capitalize()}Count", 0)
            for name in ("pass", "fail", "error")
        }
        prompt_name = prompt.get("label") or prompt["display"]
        figures.append(
            {
                "provider": prompt["provider"],
                "prompt": prompt_name,
                **counts,
                "score": metrics["score"],
            }
        )
    return figures


def write_expected(root: Path) -> None:
    """Write the values that promptfoo computes for each file next to the samples."""
    files = {
        path.relative_to(root).as_posix(): figures_of(path)
        for path in sorted(root.rglob("*/*.json"))
    }
    expected = {
        "written_by": "promptfoo 0.121.20; folders that begin with old: promptfoo 0.43.1",
        "files": files,
    }
    (root / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tools", type=Path, help="the folder that promptfoo was installed to")
    parser.add_argument("old", type=Path, help="the folder that the old version was installed to")
    parser.add_argument("folder", type=Path, help="the folder of the samples")
    arguments = parser.parse_args()
    for sample in arguments.folder.glob("*/"):
        shutil.rmtree(sample)
    write(arguments.tools, arguments.folder)
    write_old(arguments.old, arguments.folder)
    write_expected(arguments.folder)
