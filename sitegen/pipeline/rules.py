"""List every rule that the program checks; each rule is defined next to its check."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from sitegen import board, importers, models, publish, reading, store
from sitegen.problems import Rule


@cache
def rules_of_results() -> Mapping[str, Rule]:
    """Return the rules for results by code; waivers can name these codes."""
    return _rules_in(reading, models, board, store)


@cache
def rules_for_waivers() -> Mapping[str, Rule]:
    """Return the rules for results by every code that waivers can name, including former codes.

    Rules for imports that became rules for results can also be found by their former codes.
    """
    rules = dict(rules_of_results())
    for rule in rules_of_results().values():
        for code in rule.former_codes:
            rules[code] = rule
    return rules


def all_rules() -> dict[str, list[Rule]]:
    """Return all rules, by the section of the page of checks that lists them, sorted by code.

    If several rules for imports share a code, only the first one is listed.
    """
    # Imported here because every command imports this module, but few need these packages.
    from sitegen.importers import kit  # noqa: PLC0415

    result_rules = rules_of_results()
    import_rules = []
    for code, rule in _rules_in(kit, importers, publish).items():
        if code not in result_rules:
            import_rules.append(rule)
    return {"rules-of-results": [*result_rules.values()], "rules-of-imports": import_rules}


def _rules_in(*packages: ModuleType) -> Mapping[str, Rule]:
    """Return the rules in all modules of the packages, sorted by code, without duplicates."""
    rules: dict[str, Rule] = {}
    for package in packages:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            values = vars(import_module(module.name)).values()
            for value in values:
                if isinstance(value, Rule):
                    rules.setdefault(value.code, value)
    return dict(sorted(rules.items()))
