"""Pack objects into bytes for a cache, and restore them without running untrusted code.

The bytes are a pickle, which may name any function to call. To restore a pickle, only classes of
records in `_RECORD_MODULES`, classes of plain values in `_VALUES`, and functions that the caller
passes are called; any other name is refused. Start with `pack_objects` and `unpack_objects`.
"""

import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from importlib import import_module
from typing import Any

import msgspec
from pydantic import BaseModel

_RECORD_MODULES = ("sitegen.models.", "sitegen.problems", "sitegen.publish.site.styles")
"""The modules whose record classes may be restored."""

_VALUES = (range, slice, set, frozenset, date, datetime, timedelta, timezone, Decimal)
_VALUE_CLASSES = {(value.__module__, value.__name__): value for value in _VALUES}

_FORGED = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    ImportError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
)
"""Errors caused by bytes that `pack_objects` did not write."""

Reducer = Callable[[Any], tuple[Any, ...]]
"""Returns a function that restores an object, and its arguments, like `object.__reduce__`."""

Restorers = Mapping[tuple[str, str], Callable[..., object]]
"""The functions to call in place of those that restore objects, by module and name."""


def pack_objects(value: object, reducers: Mapping[type, Reducer] | None = None) -> bytes:
    """Return a value as bytes.

    Args:
        value: Records, and containers of them.
        reducers: How to pack objects of some classes, by class. `unpack_objects` needs the
            functions that restore them.
    """
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=5)
    pickler.dispatch_table = dict(reducers or {})
    pickler.dump(value)
    return buffer.getvalue()


def unpack_objects(data: bytes | memoryview, functions: Restorers) -> Any:  # noqa: ANN401 - whatever was packed
    """Return the value in bytes from `pack_objects`; None for any other bytes.

    Args:
        data: The bytes.
        functions: The functions that restore objects; no other functions are called.
    """
    try:
        return _RecordUnpickler(data, functions).load()
    except _FORGED:
        return None


class _RecordUnpickler(pickle.Unpickler):
    def __init__(self, data: bytes | memoryview, functions: Restorers) -> None:
        super().__init__(io.BytesIO(data))
        self._functions = functions

    def find_class(self, module: str, name: str) -> Callable[..., object]:
        """Return the class or function of a name if a pickle may use it; else raise an error."""
        allowed = self._functions.get((module, name)) or _VALUE_CLASSES.get((module, name))
        if allowed:
            return allowed
        if module.startswith(_RECORD_MODULES):
            record_class: object = vars(import_module(module)).get(name)
            if isinstance(record_class, type) and _is_record_class(record_class):
                return record_class
        raise pickle.UnpicklingError(f"{module}.{name} is not a record")


def _is_record_class(value: type) -> bool:
    is_named_tuple = issubclass(value, tuple) and hasattr(value, "_fields")
    is_model = issubclass(value, BaseModel | msgspec.Struct | Enum)
    return is_model or is_named_tuple or is_dataclass(value)
