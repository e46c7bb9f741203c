"""Every rule that the program checks, found where it is declared: beside its check."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from sitegen import board, importers, models, publish, reading, store
from sitegen.problems import Rule


@cache
def rules_of_results() -> Mapping[str, Rule]:
    """The rules that results keep, by code: those that a waiver can name."""
    return _rules_in(reading, models, board, store)


def all_rules() -> dict[str, list[Rule]]:
    """Every rule, in the order of the codes, by the place on the page of checks that tells them."""
    of_results = rules_of_results()
    others = [
        rule for code, rule in _rules_in(importers, publish).items() if code not in of_results
    ]
    return {"rules-of-results": [*of_results.values()], "rules-of-imports": others}


def _rules_in(*packages: ModuleType) -> Mapping[str, Rule]:
    found: dict[str, Rule] = {}
    for package in packages:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            values = vars(import_module(module.name)).values()
            found |= {rule.code: rule for rule in values if isinstance(rule, Rule)}
    return dict(sorted(found.items()))
