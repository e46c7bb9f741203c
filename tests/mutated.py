"""Damaged copies of sources made of JSON: one thing in one file is missing, of another type, doubled or cut off."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

VALUES: tuple[object, ...] = (
    None,
    True,
    -1,
    0,
    3.5,
    1e300,
    10**30,
    float("nan"),
    float("inf"),
    "",
    "text",
    "../x",
    "ß\u202e\u0000",
    [],
    [1, "a"],
    {},
    {"a": 1},
)
"""What is put in the place of a value."""


def places(value: object) -> list[tuple[Any, Any]]:
    """Return each table or list in a value, with each of its keys or positions."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        found += [(value, key) for key in value]
    elif isinstance(value, list):
        found += [(value, place) for place in range(len(value))]
    for container, key in list(found):
        found += places(container[key])
    return found


def damage_value(dice: random.Random, value: object) -> object:
    """Drop or replace something in a value, and return it."""
    inside = places(value)
    if not inside:
        return dice.choice(VALUES)
    container, key = dice.choice(inside)
    if dice.random() < 0.4:
        del container[key]
    else:
        container[key] = dice.choice(VALUES)
    return value


def damage_line(dice: random.Random, path: Path) -> None:
    """Damage one line of JSON Lines, or double it, drop it, or put something else in its place."""
    lines = path.read_text("utf-8").splitlines()
    if not lines:
        return
    place = dice.randrange(len(lines))
    way = dice.randrange(8)
    if way == 0:
        lines.insert(place, lines[place])
    elif way == 1:
        del lines[place]
    elif way == 2:
        lines[place] = dice.choice(("{", "[]", "null", "nothing", lines[place][:-9], ""))
    elif way == 3:
        lines.reverse()
    else:
        try:
            value = damage_value(dice, json.loads(lines[place]))
        except ValueError:  # a list over several lines
            return
        lines[place] = json.dumps(value, ensure_ascii=False)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def damage_json(dice: random.Random, path: Path) -> None:
    """Damage one value of a JSON file."""
    value = damage_value(dice, json.loads(path.read_text("utf-8")))
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def damage_file(dice: random.Random, path: Path) -> None:
    """Cut a file off, empty it, remove it, copy it, or call it otherwise."""
    data = path.read_bytes()
    way = dice.randrange(5)
    if way <= 1:
        path.write_bytes(data[: dice.randrange(len(data) + 1)])
    elif way == 2:
        path.unlink()
    elif way == 3:
        (path.parent / "copy").mkdir(exist_ok=True)
        (path.parent / "copy" / path.name).write_bytes(data)
    else:
        path.rename(path.with_name(f"other-{path.name}"))


def mutate(dice: random.Random, folder: Path) -> None:
    """Damage one to three things in the files of a folder."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        if not files:
            return
        path = dice.choice(files)
        damage: Callable[[random.Random, Path], None] = damage_file
        if dice.random() < 0.8:
            damage = damage_json if path.suffix == ".json" else damage_line
        try:
            damage(dice, path)
        except ValueError:
            continue  # an earlier damage left no JSON
