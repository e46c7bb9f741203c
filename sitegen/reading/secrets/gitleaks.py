"""Load the rules of gitleaks, which `tools/secret_rules.py` wrote to gitleaks.json."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from sitegen.reading.secrets.rule import RuleGroup, SecretRule

_ASSIGNED = r"[ \t0-9A-Za-z_.-]*[ \t'\"\\nrt]*[=:>|?][ \t'\"\\=>|:`nrt]*[A-Za-z0-9_.+/=~\\-]{10}"
"""A value that follows the name of its service.

gitleaks also accepts a comma as an equals sign. This pattern does not: JSON Lines has a
comma between any two texts, and each of them would be searched.
"""


@cache
def gitleaks_rules() -> tuple[RuleGroup, ...]:
    """Return the rules, grouped by the hints that they need in order to match."""
    text = files("sitegen.reading.secrets").joinpath("gitleaks.json").read_text(encoding="utf-8")
    marked: list[Mapping[str, Any]] = []
    named: list[Mapping[str, Any]] = []
    hints: dict[str, None] = {}
    for rule in json.loads(text)["rules"]:
        (marked if rule["hints"] else named).append(rule)
        hints.update(dict.fromkeys(rule["hints"]))
    by_name = f"(?i:{_keywords(named)}){_ASSIGNED}"
    return (
        RuleGroup(tuple(hints), tuple(map(_rule, marked))),
        RuleGroup((by_name,), tuple(map(_rule, named))),
    )


def _keywords(rules: Sequence[Mapping[str, Any]]) -> str:
    """Return an expression that matches any keyword of some rules."""
    keywords: set[str] = set()
    for rule in rules:
        keywords.update(rule["keywords"])
    escaped = [re.sub(r"[.$|+]", r"\\\g<0>", keyword) for keyword in sorted(keywords)]
    return "|".join(escaped)


def _rule(stored: Mapping[str, Any]) -> SecretRule:
    return SecretRule(
        f"a secret ({stored['id']})",
        stored["pattern"],
        keywords=tuple(stored["keywords"]),
        least_entropy=stored.get("entropy", 0),
        allowed=tuple(stored.get("allowed", ())),
    )
