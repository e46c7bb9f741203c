#!/usr/bin/env python3
"""Writes the gitleaks rules that `sitegen.reading.secrets` uses, in Python's syntax.

    git clone https://github.com/gitleaks/gitleaks
    python tools/secret_rules.py gitleaks

Rules stay as gitleaks publishes them (MIT licence), but Go expressions become Python expressions, and the words before
a name are not matched, because only the secret itself is used. `LEFT_OUT` lists the rules that are left out, with
reasons.
"""

import argparse
import json
import re
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "sitegen" / "reading" / "secrets"
RULES = FOLDER / "gitleaks.json"
LICENCE = FOLDER / "LICENSE.gitleaks"
SOURCE = "https://github.com/gitleaks/gitleaks"

_BY_PATH = "it looks at names of files"
_COVERED = "formats.py has a rule that hostile texts cannot slow down"
_PUBLIC = "an identifier that its owner may publish"
LEFT_OUT: Mapping[str, str] = {
    "adobe-client-id": _PUBLIC,
    "asana-client-id": _PUBLIC,
    "bitbucket-client-id": _PUBLIC,
    "curl-auth-header": _COVERED,
    "curl-auth-user": _COVERED,
    "discord-client-id": _PUBLIC,
    "flutterwave-public-key": _PUBLIC,
    "freemius-secret-key": _BY_PATH,
    "generic-api-key": "it needs 1,500 stop words; formats.py has a narrower rule",
    "hashicorp-tf-password": "it finds every short password of a test",
    "kubernetes-secret-yaml": _BY_PATH,
    "linkedin-client-id": _PUBLIC,
    "lob-pub-api-key": _PUBLIC,
    "looker-client-id": _PUBLIC,
    "mailgun-pub-key": _PUBLIC,
    "messagebird-client-id": _PUBLIC,
    "nuget-config-password": _BY_PATH,
    "pkcs12-file": _BY_PATH,
    "plaid-client-id": _PUBLIC,
    "private-key": _COVERED,
    "sendbird-access-id": _PUBLIC,
    "sidekiq-sensitive-url": _COVERED,
    "sourcegraph-access-token": "it finds every git commit in a text with the company's name",
    "sumologic-access-id": _PUBLIC,
}
"""Rules of gitleaks that are not used, with the reasons."""

HINTS: Mapping[str, Sequence[str]] = {
    "1password-secret-key": ("A3-[A-Z0-9]{6}-",),
    "1password-service-account-token": ("ops_eyJ",),
    "airtable-personnal-access-token": (r"pat[0-9A-Za-z]{14}\.",),
    "authress-service-client-access-key": (r"\.acc[_-][a-z0-9-]{10}",),
    "aws-access-token": tuple(
        f"{start}[A-Z2-7]{{16}}" for start in ("A3T", "AKIA", "ASIA", "ABIA", "ACCA")
    ),
    "azure-ad-client-secret": ("[0-9]Q~[a-zA-Z0-9_~.-]{31}",),
    "cloudflare-origin-ca-key": (r"v1\.0-[a-f0-9]{12}",),
    "clickhouse-cloud-api-secret-key": ("4b1d[A-Za-z0-9]{38}",),
    "facebook-access-token": (r"[0-9]{15}[|%][0-9A-Za-z_-]{20}",),
    "facebook-page-access-token": ("EAAM[A-Za-z0-9]{12}", "EAAC[A-Za-z0-9]{12}"),
    "harness-api-key": (r"pat\.[a-zA-Z0-9_-]{22}\.", r"sat\.[a-zA-Z0-9_-]{22}\."),
    "hashicorp-tf-api-token": (r"\.atlasv1\.[A-Za-z0-9=_-]{12}",),
    "intra42-client-secret": ("s-s4t2ud-", "s-s4t2af-"),
    "jwt": ("ey[AJ][A-Za-z0-9]{16}",),
    "lob-api-key": ("live_[a-f0-9]{35}", "test_[a-f0-9]{35}"),
    "maxmind-license-key": ("[A-Za-z0-9]{12}_mmk",),
    "npm-access-token": ("npm_[A-Za-z0-9]{16}", "NPM_[A-Za-z0-9]{16}"),
    "octopus-deploy-api-key": ("API-[A-Z0-9]{26}",),
    "sendgrid-api-token": (r"SG\.[A-Za-z0-9=_.-]{16}",),
    "twilio-api-key": ("SK[0-9a-fA-F]{16}",),
    "vault-service-token": (r"hvs\.[A-Za-z0-9_-]{12}", r"s\.[A-Za-z0-9]{24}"),
}
"""Patterns that a text must contain for a rule to match, for rules whose keywords are too common."""
_REST = r"[A-Za-z0-9_.+/=~\\-]{12}"
"""Characters of a secret after its prefix; a backslash escapes a slash in some JSON."""

_ASSIGNED = r"(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)"
"""Part of every rule that finds a value by the name before it."""
_BEFORE = r"[\w.-]{0,50}?"
"""Start of such a rule: words before the name, which slow the search and add no information."""
_FLAG = "(?i)"


def python_pattern(pattern: str) -> str:
    """Return a Go expression in Python's syntax."""
    pattern = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace(r"\z", r"\Z")
    pattern = pattern.replace(_BEFORE, "")
    if pattern.startswith(_FLAG):
        pattern = f"(?i:{pattern.replace(_FLAG, '')})"
    while _FLAG in pattern:  # the flag applies until the end of its group
        start = pattern.index(_FLAG)
        body = start + len(_FLAG)
        end = _group_end(pattern, body)
        pattern = f"{pattern[:start]}(?i:{pattern[body:end]}){pattern[end:]}"
    return pattern


def _group_end(pattern: str, start: int) -> int:
    """Return the position at which the group around `start` ends."""
    depth = 0
    is_class = False
    tokens = re.compile(r"\\.|\[\^?\]?|.", re.DOTALL)
    for token in tokens.finditer(pattern, start):
        text = token[0]
        if is_class:
            is_class = text != "]"
        elif text.startswith("["):
            is_class = True
        elif text == "(":
            depth += 1
        elif text == ")" and depth == 0:
            return token.start()
        elif text == ")":
            depth -= 1
        elif text == "|" and depth == 0:
            raise ValueError(f"alternatives after a flag: {pattern}")
    return len(pattern)


def _escaped(text: str) -> str:
    return re.sub(r"[.$|+]", r"\\\g<0>", text)


def _start(pattern: str, keyword: str) -> str:
    """Return a keyword in the case used by its rule, since plain letters are matched ten times as fast."""
    plain = pattern.replace("\\", "")
    position = plain.lower().find(keyword)
    if position < 0:  # the rule spells the keyword in alternatives, in lower case
        return _escaped(keyword)
    return _escaped(plain[position : position + len(keyword)])


def used_rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return a gitleaks rule in the form that `sitegen.reading.secrets` reads."""
    name = rule["id"]
    pattern = rule["regex"]
    hints = HINTS.get(name)
    if hints is None and _ASSIGNED not in pattern:
        hints = [f"{_start(pattern, keyword)}{_REST}" for keyword in rule["keywords"]]
    used = {"id": name, "hints": hints or [], "keywords": rule["keywords"]}
    used["pattern"] = python_pattern(pattern)
    if "entropy" in rule:
        used["entropy"] = rule["entropy"]
    allowed = []
    for allowlist in rule.get("allowlists", ()):
        allowed.extend(allowlist.get("regexes", ()))
    if allowed:
        used["allowed"] = [python_pattern(text) for text in allowed]
    return used


def written(config: Mapping[str, Any], commit: str) -> str:
    """Return the content of the file, with one rule per line, so that a new version shows changed lines."""
    rules = [rule for rule in config["rules"] if rule["id"] not in LEFT_OUT]
    lines = [json.dumps(used_rule(rule), ensure_ascii=False) for rule in rules]
    head = f'{{\n"source": "{SOURCE}", "commit": "{commit}", "licence": "MIT",\n"rules": [\n'
    return head + ",\n".join(lines) + "\n]\n}\n"


def main() -> None:
    """Write the rules and their licence from a clone of gitleaks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path, help="a clone of gitleaks, with or without a work tree")
    clone = parser.parse_args().clone

    def shown(name: str) -> str:
        show_command = ["git", "-C", str(clone), "show", f"HEAD:{name}"]
        return subprocess.run(show_command, check=True, capture_output=True, text=True).stdout

    commit_command = ["git", "-C", str(clone), "rev-parse", "HEAD"]
    commit = subprocess.run(
        commit_command, check=True, capture_output=True, text=True
    ).stdout.strip()
    config = tomllib.loads(shown("config/gitleaks.toml"))
    RULES.write_text(written(config, commit), encoding="utf-8", newline="\n")
    LICENCE.write_text(shown("LICENSE"), encoding="utf-8", newline="\n")
    print(f"{RULES.name}: {RULES.stat().st_size / 1024:.0f} KB, of {commit[:12]}")


if __name__ == "__main__":
    main()
