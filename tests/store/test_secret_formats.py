"""Each format of secrets is found by `validate`, and taken out by importers and by `redact`."""

import gzip
import json
import random
import re
import string
import time
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from kit.real_data import real_data
from kit.results_folders import Tree, json_lines
from kit.secret_formats import SECRETS, made_up_secrets
from kit.small_tables import OPTIONS

from sitegen.importers.kit.redaction import one_line, redact_text
from sitegen.importers.table.source import read_table
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.importing import apply_import
from sitegen.pipeline.redacting import redact
from sitegen.problems import ProblemsError, UsageError
from sitegen.reading.privacy import emails_in, homes_in, may_be_private, private_problems
from sitegen.reading.secrets import FORMATS, find_secrets, gitleaks_rules, without_secrets

FAILED = {"task": "tidy", "attempt": 1, "round": 2, "case": "c4"}
DAY = date(2026, 7, 2)
every_format = pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)


def core(secret: str) -> str:
    """Return the longest word of a text, which is part of its secret."""
    words: list[str] = re.findall(r"[A-Za-z0-9]+", secret)
    return max(words, key=len)


@every_format
def test_validate_refuses_a_secret_between_other_words(tree: Tree, secret: str) -> None:
    tree.write("failures.jsonl", json_lines({**FAILED, "reason": f'first\n"{secret}"\nlast'}))
    assert [
        (problem.code, problem.severity, problem.place) for problem in tree.told() if problem.code == "SECRET-FOUND"
    ] == [("SECRET-FOUND", "error", "failures.jsonl:1")]


@every_format
def test_importers_take_a_secret_out_of_texts_and_messages(secret: str) -> None:
    for text in (redact_text(f'first\n"{secret}"\nlast'), one_line(secret, 10_000)):
        assert "[redacted]" in text
        assert core(secret) not in text or core(secret).isalpha()
        assert find_secrets(text) == []


@every_format
def test_redact_leaves_no_secret_in_what_stays_of_a_manifest(tree: Tree, secret: str) -> None:
    text = json.dumps(secret.replace("\n", " "))  # a name has one line
    tree.edit("submission.toml", 'organization = "Acme"', f"organization = {text}")
    assert "SECRET-FOUND" in {problem.code for problem in tree.told()}
    redact(f"mini/{tree.bundle.name}", tree.folder, "Ada", "It held a secret", DAY)
    assert {problem.code for problem in evaluate(tree.folder, DAY).problems()} & {"SECRET-FOUND"} == set()
    assert find_secrets((tree.bundle / "submission.toml").read_text(encoding="utf-8")) == []


@every_format
def test_a_quick_look_misses_no_secret_however_its_text_is_escaped(secret: str) -> None:
    for text in (secret, json.dumps(secret), json.dumps({"text": f'\t"{secret}"\n'}).replace("/", "\\/")):
        assert may_be_private(text.encode())
        assert may_be_private(f"é {text}".encode())


def test_secrets_are_found_whatever_their_random_part_is() -> None:
    missed = []
    for seed in range(60):
        for name, secret in made_up_secrets(seed).items():
            if not find_secrets(f"a {secret} b"):
                missed.append((seed, name, secret))
    assert missed == []


def test_a_record_of_a_redaction_holds_no_secret(tree: Tree) -> None:
    with pytest.raises(UsageError, match="contains a secret"):
        redact(f"mini/{tree.bundle.name}", tree.folder, "Ada", SECRETS["GitHub"], DAY)


def test_an_import_of_every_format_writes_none(tmp_path: Path) -> None:
    lines = ["task,round,attempt,reward,state,cause"]
    for number, secret in enumerate(SECRETS.values(), start=1):
        quoted = secret.replace('"', '""')
        lines.append(f'tidy,{number},1,,aborted,"{quoted}"')
    file = tmp_path / "runs.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    apply_import(read_table(file, OPTIONS), tmp_path / "results")
    written = list((tmp_path / "results").rglob("*.*"))
    assert [path for path in written if path.is_file() and find_secrets(path.read_text(encoding="utf-8"))] == []


def test_an_import_that_would_write_a_secret_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("task,round,attempt,reward\ntidy,1,1,1\n", encoding="utf-8")
    incoming = read_table(file, OPTIONS)
    leaky = incoming.benchmark.model_copy(update={"summary": f"Ask with {SECRETS['OpenAI, classic']}"})
    with pytest.raises(ProblemsError) as raised:
        apply_import(replace(incoming, benchmark=leaky), tmp_path / "results")
    assert [problem.code for problem in raised.value.problems] == ["SECRET-FOUND"]
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "export OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "OPENAI_API_KEY=your-api-key-goes-here-1234",
        "api_key=<your key> or ${OPENAI_API_KEY} or {{ secrets.TOKEN }}",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "sha256:" + "9f86d081884c7d65" * 4,
        "token " + "9f86d081884c7d65" * 4,
        "token: 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "secret = 0123456789abcdef0123456789abcdef01234567",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "api_key = os.environ.get('OPENAI_API_KEY2')",
        "password=hash_password_with_bcrypt_12",
        "max_tokens=1000000000000000000",
        "input_tokens: 10368840123456789",
        "task tidy-the-secret-token-store-2-of-30-tasks",
        "postgres://user:password@localhost:5432/db",
        "postgres://acme:hunter2hunter2@localhost/db",
        "https://user:pass@example.com/x",
        "git@github.com:acme/repo.git",
        "sk-cube-grid-item-loader",
        "jina_embeddings_v2_base_en_text_matching",
        "pa-some-very-long-name-of-a-task-that-has-many-words-in-it-2",
        "sb_secret_key_of_the_project_2",
        "cache-key-" + "9f86d081884c7d65" * 2,
        "sha256:" + "A" * 64,
        "sha256-" + "E" + "A" * 42 + "=",
        "risk-averse-behaviour-of-agents-2",
        "key: value",
        "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----",
        "https://hooks.slack.com/docs",
        "Bearer of the ring2",
    ],
)
def test_examples_digests_and_code_are_no_secrets(text: str) -> None:
    assert find_secrets(text) == []
    assert without_secrets(text) == text


def test_no_more_of_a_short_secret_is_repeated_than_a_quarter(tree: Tree) -> None:
    tree.write("failures.jsonl", json_lines({**FAILED, "reason": "amqp://acme:hunter2x@mq.acme.dev"}))
    (message,) = (problem.what for problem in tree.told() if problem.code == "SECRET-FOUND")
    assert message == "the file contains a password in an address: hu…"
    assert "hunter2x" not in "".join(f"{problem.what} {problem.fix}" for problem in tree.told())


HOMES = {
    "/data/home/alice/x.py": "…/x.py",
    "/var/home/alice/x.py": "…/x.py",
    "/mnt/c/Users/alice/x.py": "…/x.py",
    "/cygdrive/c/Users/alice/x.py": "…/x.py",
    "/c/Users/alice/x.py": "…/x.py",
    "/lustre/acme/home/alice/x.py": "…/x.py",
    "/home/alice": "…/",
    "file:///data/home/alice/x.py": "…/x.py",
    "%2Fhome%2Falice%2Fx.py": "…/x.py",
    "?path=%2Fdata%2Fhome%2Falice%2Fx.py": "?path=…/x.py",
    "file:%2F%2F%2FUsers%2Falice%2Fx.py": "file:%2F%2F…/x.py",
    "%252Fhome%252Falice%252Fx.py": "…/x.py",
    "C:%5CUsers%5Calice%5Cx.py": "…/x.py",
    "C:/Users/alice/x.py": "…/x.py",
    r"C:\Users\alice": "…/",
    r"\\wsl$\Ubuntu\home\alice\x.py": "…/x.py",
}


@pytest.mark.parametrize(("path", "expected_path"), HOMES.items())
def test_a_home_is_found_wherever_it_is_mounted_and_leaves_with_its_name(
    tree: Tree, path: str, expected_path: str
) -> None:
    tree.write("failures.jsonl", json_lines({**FAILED, "reason": f"no {path}"}))
    assert [problem.code for problem in tree.told()] == ["PERSONAL-PATH"]
    assert redact_text(f"no {path}") == f"no {expected_path}"
    assert list(homes_in(redact_text(f"no {path}"))) == []


@pytest.mark.parametrize(
    "text", ["https://x.org/data/home/alice", "/api/home/page", "/data/home/user/x", "a/data/home/alice", "src/home/x"]
)
def test_paths_of_sites_and_programs_are_no_homes(text: str) -> None:
    assert list(homes_in(text)) == []


def test_an_address_is_found_in_every_file_and_told_once_for_each(tree: Tree) -> None:
    person = "ann@mail.birch.dev"
    tree.write(
        "failures.jsonl.gz", gzip.compress(json_lines({**FAILED, "reason": f"<{person}> and {person}"}).encode())
    )
    tree.change(2, cause=f"mail to {person}")
    tree.define('title = "Mini"', f'title = "Mini"\nsummary = "Ask {person}"')
    tree.findings(f'\n[[findings]]\ndate = 2026-06-26\nkind = "note"\ntitle = "Ask {person}"\n')
    locations = {(problem.place, problem.severity) for problem in tree.told() if problem.code == "PERSONAL-EMAIL"}
    files = ("rounds.jsonl:2", "failures.jsonl.gz:1", "mini/benchmark.toml:4", "mini/findings.toml:6")
    assert locations == {(file, "warning") for file in files}
    assert redact_text(f"mail to {person}") == "mail to [redacted]"


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:x",
        "a@example.org",
        "noreply@acme.dev",
        "1+x@users.noreply.github.com",
        "icon@2x.png",
        "@pytest.mark",
    ],
)
def test_addresses_of_nobody_are_left_alone(text: str) -> None:
    assert list(emails_in(text)) == []
    assert redact_text(text) == text


def test_every_rule_compiles_and_its_quick_look_does() -> None:
    groups = (*FORMATS, *gitleaks_rules())
    assert sum(len(group.rules) for group in groups) > 250
    for group in groups:
        assert list(group.secrets("nothing")) == []
        for rule in group.rules:
            assert list(rule.secrets("nothing")) == [], rule.kind


def test_rules_of_gitleaks_find_what_only_they_know() -> None:
    key = "p8" + "e-" + SECRETS["Mistral"][-32:].lower()
    (secret,) = find_secrets(f'secret is "{key}"')
    assert secret.kind == "a secret (adobe-client-secret)"


STARTS = (
    *("-----BEGIN PRIVATE KEY-----", "PuTTY-User-Key-File-3:", "sk-", "eyJ0eXAiOiJKV1Qi.", "xoxb-1-"),
    *("curl -u a:", "://a:", "api_key=", "key", "Bearer ", "twitter ", "a@", "%2Fhome", "/home/"),
    *("/data/a/home/", "A", "0", "a.", "\\", " "),
)
"""Texts that rules begin with, which repeated make them try again and again."""


@pytest.mark.parametrize("fragment", STARTS)
def test_no_text_takes_long(fragment: str) -> None:
    text = fragment * (200_000 // len(fragment))
    start = time.process_time()
    find_secrets(text)
    redact_text(text)
    private_problems(Path("failures.jsonl"), json.dumps({"reason": text}).encode())
    assert time.process_time() - start < 20


def test_a_quick_look_stays_quick_on_random_text() -> None:
    """An expression that outgrows the cache of its automaton takes seconds for this."""
    chance = random.Random(1)  # noqa: S311 - nothing here is secret
    letters = (string.ascii_letters + string.digits + "_-. /").encode()
    text = bytes(chance.choices(letters, k=2_000_000))
    start = time.process_time()
    for at in range(0, len(text), 500):
        may_be_private(text[at : at + 500])
    assert time.process_time() - start < 4


def _texts(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size < 4_000_000]


@pytest.mark.parametrize("folder", ["results", "tests/samples"])
def test_nothing_that_is_shipped_is_taken_for_a_secret(folder: str) -> None:
    files = _texts(Path(__file__).parents[2] / folder)
    assert len(files) > 100
    assert _false_alarms(files) == []


def test_no_real_data_are_taken_for_a_secret() -> None:
    assert _false_alarms(_texts(real_data())) == []


def _false_alarms(files: list[Path]) -> list[str]:
    alarms = []
    for path in files:
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        codes = {"SECRET-FOUND", "PERSONAL-PATH", "PERSONAL-EMAIL"}
        alarms += [f"{problem}" for problem in private_problems(path, text) if problem.code in codes]
    return alarms
