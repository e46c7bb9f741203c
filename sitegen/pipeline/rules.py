"""Every rule that the program checks, for the page that tells them."""

from collections.abc import Mapping, Sequence
from types import ModuleType

from sitegen.board import caveats, claims, effects, likeness, outliers, reproduction, unusual_effort, waivers
from sitegen.importers import merge_rules
from sitegen.importers import rules as import_rules
from sitegen.importers.harbor import rules as harbor_rules
from sitegen.importers.harbor_multiturn import rules as multiturn_rules
from sitegen.importers.slopcodebench import rules as slop_rules
from sitegen.importers.table import rules as table_rules
from sitegen.problems import Rule
from sitegen.publish import benchmarks
from sitegen.reading import rules as reading_rules
from sitegen.store import (
    evidence_rules,
    finding_rules,
    history_rules,
    identity_rules,
    privacy_rules,
    provenance_rules,
    release_rules,
    renaming_rules,
    structure_rules,
)
from sitegen.store import rules as store_rules

_HOMES: Mapping[str, Sequence[ModuleType]] = {
    "rules-of-results": (
        reading_rules,
        store_rules,
        structure_rules,
        provenance_rules,
        evidence_rules,
        identity_rules,
        privacy_rules,
        finding_rules,
        caveats,
        effects,
        claims,
        likeness,
        outliers,
        unusual_effort,
        reproduction,
        waivers,
        history_rules,
        release_rules,
        renaming_rules,
    ),
    "rules-of-imports": (
        import_rules,
        harbor_rules,
        multiturn_rules,
        slop_rules,
        table_rules,
        merge_rules,
        benchmarks,
    ),
}
"""Where rules are kept, by the place on the submit page that tells them."""


def all_rules() -> dict[str, list[Rule]]:
    """Give every rule, in the order of its home, by the place that it is told in."""
    return {slot: _rules_in(homes) for slot, homes in _HOMES.items()}


def rules_of_results() -> dict[str, Rule]:
    """Give the rules that results keep, by code: those that a waiver can name."""
    return {rule.code: rule for rule in _rules_in(_HOMES["rules-of-results"])}


def _rules_in(homes: Sequence[ModuleType]) -> list[Rule]:
    return [value for home in homes for value in vars(home).values() if isinstance(value, Rule)]
