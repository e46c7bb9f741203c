"""Whatever text results hold, every page shows it as text: nothing of it runs, becomes markup, or breaks a policy."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attack import KEPT, STRINGS, Found, Poison, attack, visit
from kit.command import done
from kit.thoroughness import IS_WHOLE
from playwright.sync_api import Browser

from sitegen.models.schemas import SCHEMAS, json_schema

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def found(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Every page where the whole is asked for, else one of three."""
    return attack(browser, tmp_path_factory.mktemp("attack"), 1 if IS_WHOLE else 3, done)


def test_no_text_of_results_runs_or_is_anything_but_text(found: Found) -> None:
    assert (found.ran, found.complaints) == (0, [])
    assert found.pages > 25
    assert found.shown > 250


def test_every_field_that_may_hold_text_holds_hostile_text(found: Found) -> None:
    fields = {field for kind in SCHEMAS for field in text_fields(json_schema(kind), json_schema(kind), kind)}
    missing = fields - {field_path for field_path, _ in found.placed}
    assert [missing_field for missing_field in sorted(missing) if not KEPT.fullmatch(missing_field)] == []


def test_an_attack_sees_what_gets_through(browser: Browser, tmp_path: Path) -> None:
    poison = Poison()
    poison.texts.append(f"{STRINGS[1]} ~0~")
    (tmp_path / "index.html").write_text(f"<!doctype html><p>{poison.texts[0]}</p>", encoding="utf-8")
    visit_result = visit(browser, tmp_path, poison)
    assert visit_result.ran == visit_result.pages == 2
    assert any("data-struck" in complaint for complaint in visit_result.complaints)
    assert any("not as it was written" in complaint for complaint in visit_result.complaints)


def text_fields(schema: Any, root_schema: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - JSON Schema
    """Give the fields of a kind of record that a text without a form may stand in."""
    for option in schema.get("anyOf", [schema]):
        kind = root_schema["$defs"][option["$ref"].rpartition("/")[2]] if "$ref" in option else option
        if kind.get("type") == "string" and not {"pattern", "enum", "format"} & kind.keys():
            yield path
        if "items" in kind:
            yield from text_fields(kind["items"], root_schema, f"{path}[]")
        for name, inner in kind.get("properties", {}).items():
            yield from text_fields(inner, root_schema, f"{path}.{name}")
        if isinstance(kind.get("additionalProperties"), dict):
            yield from text_fields(kind["additionalProperties"], root_schema, f"{path}.*")
