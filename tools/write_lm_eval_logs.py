"""Write result files of the lm-evaluation-harness: run with a Python that has lm-eval, `... OUT [SHAPE ...]`.

The harness's own command runs a scripted model, which derives its answers from a hash of the prompt, on small tasks
created here. Its output is unchanged except for the time in file names, which is fixed, and for folders and the
description of the machine, which are removed. The samples in tests/samples/lm_eval were written with lm-eval 0.4.13
(`shapes`), 0.4.5 and 0.4.2 (`older`), which import torch: any module of that name is sufficient.
"""

import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

command = import_module("lm_eval.__main__")
models = import_module("lm_eval.api.model")
registry = import_module("lm_eval.api.registry")

Request: TypeAlias = Any
"""A request of the harness, whose types are not available where the project is type-checked."""

DOCUMENTS = 3
"""Number of documents in a task."""

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}")


def digest(*values: object) -> int:
    """Return a number derived from the given values."""
    return int(hashlib.sha256(repr(values).encode()).hexdigest()[:8], 16)


class ScriptedAnswers:
    """Answers derived from a hash of the model's name and the prompt."""

    def __init__(self, pretrained: str = "", **_: object) -> None:
        """Store the name, and ignore all other arguments."""
        super().__init__()
        self.name = pretrained

    def loglikelihood(self, requests: Sequence[Request], **_: object) -> list[tuple[float, bool]]:
        """Return a log likelihood for each continuation."""
        return [(-1 - digest(self.name, *request.args) % 100 / 10, False) for request in requests]

    def loglikelihood_rolling(self, requests: Sequence[Request], **_: object) -> list[float]:
        """Return a log likelihood for each text."""
        return [-40.0 - digest(self.name, *request.args) % 100 for request in requests]

    def generate_until(self, requests: Sequence[Request], **_: object) -> list[str]:
        """Return an answer for each prompt: correct in the right format, correct in a wrong format, or wrong."""
        answers = []
        for number, request in enumerate(requests):
            prompt = str(request.args[0])
            right = 2 * int(re.findall(r"twice (\d+)", prompt)[-1])
            forms = (f"It is {right}. #### {right}", f"It is {right}", f"#### {right + 1}")
            answers.append(forms[digest(self.name, prompt, number % 3) % len(forms)])
        return answers

    @property
    def tokenizer_name(self) -> str:
        """Return the name under which requests are cached."""
        return "scripted"

    def chat_template(self, *_: object) -> str:
        """Return a chat template."""
        return "{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}"

    def apply_chat_template(self, chat_history: Sequence[Mapping[str, str]], **_: object) -> str:
        """Return a prompt composed of messages."""
        return "".join(f"<{message['role']}>{message['content']}" for message in chat_history)


SCRIPTED_MODEL = registry.register_model("scripted")(
    type("ScriptedModel", (ScriptedAnswers, models.LM), {})
)
"""The scripted answers as a model of the harness."""

COMMON = """\
dataset_path: json
dataset_kwargs:
  data_files:
    test: {folder}/{data}.jsonl
test_split: test
fewshot_split: test
metadata:
  version: 1.0
"""

CHOICE = """\
output_type: multiple_choice
doc_to_text: "Question: what is twice {{number}}?\\nAnswer:"
doc_to_choice: "{{[(number * 2)|string, (number * 2 + 1)|string, (number * 3)|string]}}"
doc_to_target: 0
"""

ANSWER = """\
output_type: generate_until
doc_to_text: "Question: what is twice {{number}}?\\nAnswer:"
doc_to_target: "{{number * 2}}"
generation_kwargs:
  until: ["\\n"]
"""

FILTERS = """\
filter_list:
  - name: strict-match
    filter:
      - function: regex
        regex_pattern: "#### (\\\\d+)"
      - function: take_first
  - name: flexible-extract
    filter:
      - function: regex
        group_select: -1
        regex_pattern: "(\\\\d+)"
      - function: take_first
"""

EXACT = "metric_list:\n  - metric: exact_match\n    aggregation: mean\n    higher_is_better: true\n"

TASKS: Mapping[str, str] = {
    "double_choice": f"{CHOICE}metric_list:\n  - metric: acc\n  - metric: acc_norm\n",
    "double_answer": f"{ANSWER}{FILTERS}{EXACT}",
    "double_shots": f"{ANSWER}{FILTERS}{EXACT}num_fewshot: 2\n",
    "double_votes": (
        f"{ANSWER}repeats: 3\n{EXACT}filter_list:\n  - name: vote\n    filter:\n      - function: regex\n"
        '        regex_pattern: "(\\\\d+)"\n      - function: majority_vote\n      - function: take_first\n'
    ),
    "double_plain": f"{ANSWER}{EXACT}",
    "prose": (
        'output_type: loglikelihood_rolling\ndoc_to_text: ""\ndoc_to_target: "{{text}}"\n'
        "metric_list:\n  - metric: word_perplexity\n  - metric: bits_per_byte\n"
    ),
    "double_brier": f"{CHOICE}metric_list:\n  - metric: brier_score\n    higher_is_better: false\n",
    "double_bleu": f"{ANSWER}metric_list:\n  - metric: bleu\n  - metric: exact_match\n",
    "double_chrf": f"{ANSWER}metric_list:\n  - metric: chrf\n",
    "double_rouge": (
        f"{ANSWER}process_results: !function made.overlap\nmetric_list:\n"
        "  - metric: overlap_max\n    aggregation: mean\n    higher_is_better: true\n"
        "  - metric: overlap_acc\n    aggregation: mean\n    higher_is_better: true\n"
    ),
    "double_percent": (
        f"{ANSWER}process_results: !function made.percent\nmetric_list:\n"
        "  - metric: percent\n    aggregation: mean\n    higher_is_better: true\n"
    ),
    "double_some": (
        f"{ANSWER}process_results: !function made.some\nmetric_list:\n"
        "  - metric: has_answer\n    aggregation: mean\n    higher_is_better: true\n"
        "  - metric: exact\n    aggregation: mean\n    higher_is_better: true\n"
    ),
    "double_nan": (
        f"{ANSWER}process_results: !function made.sometimes_nan\nmetric_list:\n"
        "  - metric: judged\n    aggregation: mean\n    higher_is_better: true\n"
    ),
    "double_all_nan": (
        f"{ANSWER}process_results: !function made.always_nan\nmetric_list:\n"
        "  - metric: judged\n    aggregation: mean\n    higher_is_better: true\n"
    ),
    "double_median": (
        f"{ANSWER}process_results: !function made.some\nmetric_list:\n"
        "  - metric: exact\n    aggregation: median\n    higher_is_better: true\n"
    ),
}
"""The definition of each task, without its data."""

MADE = """\
def _right(doc, results):
    return float(str(2 * doc["number"]) in results[0])


def overlap(doc, results):
    return {"overlap_max": 20 + 70 * _right(doc, results), "overlap_acc": _right(doc, results)}


def percent(doc, results):
    return {"percent": 100 * _right(doc, results)}


def some(doc, results):
    found = {"exact": _right(doc, results)}
    return found | {"has_answer": 1.0} if doc["number"] % 2 else found


def sometimes_nan(doc, results):
    return {"judged": float("nan") if doc["number"] == 12 else _right(doc, results)}


def always_nan(doc, results):
    return {"judged": float("nan")}
"""

GROUP = """\
group: doubles
task:
  - double_choice
  - double_answer
aggregate_metric_list:
  - metric: acc
    aggregation: mean
    weight_by_size: true
metadata:
  version: 1.0
"""


def write_tasks(folder: Path) -> None:
    """Write the tasks' definitions and their data."""
    folder.mkdir(parents=True)
    rows = [{"id": f"frage-{number}-ß", "number": number} for number in range(11, 11 + DOCUMENTS)]
    texts = [{"text": "One two three. " * number} for number in (2, 3)]
    for name, documents in (("numbers", rows), ("texts", texts)):
        lines = (json.dumps(document, ensure_ascii=False) for document in documents)
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "made.py").write_text(MADE, encoding="utf-8")
    for name, definition in TASKS.items():
        data = COMMON.format(folder=folder, data="texts" if name == "prose" else "numbers")
        (folder / f"{name}.yaml").write_text(f"task: {name}\n{data}{definition}", encoding="utf-8")
    (folder / "doubles.yaml").write_text(GROUP, encoding="utf-8")


class Writer:
    """Runs the harness's command, and cleans up its output."""

    def __init__(self, out: Path, scratch: Path, wanted: Sequence[str]) -> None:
        """Prepare to write the wanted shapes, or all shapes, to a folder, with tasks in a scratch folder."""
        self.out = out
        self.scratch = scratch
        self.wanted = wanted
        self.runs = 0

    def run(
        self, folder: str, tasks: str, *arguments: str, model: str = "pretrained=acme/brook-2b"
    ) -> None:
        """Run tasks, and store the result in a folder of the output."""
        self.runs += 1
        if self.wanted and folder.partition("/")[0] not in self.wanted:
            return
        made = self.scratch / "made"
        sys.argv = [
            "lm_eval",
            "--model",
            "scripted",
            "--tasks",
            tasks,
            "--include_path",
            str(self.scratch / "tasks"),
        ]
        sys.argv += ["--output_path", str(made / folder), "--batch_size", "1", *arguments]
        sys.argv += ["--model_args", model] if model else []
        command.cli_evaluate()
        time = f"2026-03-{self.runs:02}T10-00-00.000001"
        for path in sorted(path for path in made.rglob("*.json*") if path.is_file()):
            target = self.out / TIME.sub(time, path.relative_to(made).as_posix())
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.clean(path.read_text("utf-8")), encoding="utf-8")
        shutil.rmtree(made)

    def clean(self, text: str) -> str:
        """Return the text of a file without information about the machine."""
        text = text.replace(str(self.scratch), "scratch")
        return re.sub(r'"pretty_env_info": "(?:[^"\\]|\\.)*"', '"pretty_env_info": ""', text)


def shapes(writer: Writer) -> None:
    """Write every shape that the newest version produces."""
    samples = "--log_samples"
    writer.run("plain", "double_choice,double_answer", samples)
    writer.run("group", "doubles", samples)
    writer.run("limit", "double_choice", samples, "--limit", "2")
    writer.run("some-documents", "double_choice", samples, "--samples", '{"double_choice": [0, 3]}')
    writer.run("named/all.json", "double_answer", samples)
    writer.run("named-without/all.json", "double_answer,prose")
    writer.run("without-samples", "double_choice,double_answer,prose")
    writer.run("perplexity", "double_choice,prose,double_brier", samples)
    writer.run("corpus", "double_bleu,double_chrf", samples)
    writer.run("scales", "double_rouge,double_choice", samples)
    writer.run("percent", "double_percent", samples)
    writer.run("some", "double_median,double_some", samples)
    writer.run("nan", "double_nan,double_all_nan,double_choice", samples)
    writer.run("votes", "double_votes,double_shots", samples)
    writer.run("twice", "double_answer,double_choice", samples)
    writer.run("twice", "double_answer", samples, "--limit", "3")
    writer.run("predicted", "double_answer", samples, "--predict_only")
    writer.run(
        "nameless", "double_answer", samples, model="base_url=http://localhost/v1,num_concurrent=2"
    )
    for dtype in ("float16", "bfloat16"):
        writer.run(
            "settings", "double_answer", samples, model=f"pretrained=acme/brook-2b,dtype={dtype}"
        )
    for effort in ("low", "high"):
        writer.run(
            "efforts", "double_answer", samples, "--gen_kwargs", f"reasoning_effort={effort}"
        )
    writer.run(
        "chat",
        "double_answer",
        samples,
        "--apply_chat_template",
        "--system_instruction",
        "Be brief.",
    )
    writer.run("models", "double_answer,double_choice", samples)
    writer.run("models", "double_answer,double_choice", samples, model="pretrained=demo/fern-7b")


def older(writer: Writer) -> None:
    """Write the shapes in which older versions differ."""
    writer.run("plain", "double_choice,double_answer,prose", "--log_samples")
    writer.run("without-samples", "double_choice,prose")
    writer.run("named/all.json", "double_answer", "--log_samples")


def main() -> None:
    """Write all shapes of the installed version to the given folder."""
    out, *wanted = sys.argv[1:]
    numbers = [int(number) for number in version("lm_eval").split(".")[:3]]
    write_shapes: Callable[[Writer], None] = shapes if numbers >= [0, 4, 7] else older
    with tempfile.TemporaryDirectory() as scratch:
        write_tasks(Path(scratch) / "tasks")
        write_shapes(Writer(Path(out), Path(scratch), wanted))


if __name__ == "__main__":
    main()
