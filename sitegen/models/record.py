"""What every record read from `results/` has in common."""

import re
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

CLOSED = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True)
"""Unknown keys are refused, nothing is converted: a number in quotes is a mistake to report."""


class Record(BaseModel):
    """Base of the records that people write: frozen, and closed to unknown keys."""

    model_config = ConfigDict(**CLOSED, frozen=True, populate_by_name=True)
    is_short: ClassVar[bool] = False
    """Whether it is written on one line."""


def _as_printed(value: object) -> object:
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value


LIMIT = 10**15
"""No figure is larger. A larger one is a slip of the keyboard, and sums of such figures overflow."""

Printed = Annotated[Decimal, BeforeValidator(_as_printed), Field(ge=-LIMIT, le=LIMIT)]
"""A number with the decimals it was printed with, so that 42.0 is not taken for 42."""

_SLUG = r"^[a-z0-9][a-z0-9_-]*$"
_LONGEST = 120
"""Characters of a slug: several stand in one address."""

DEVICE = "device"
"""The kind of complaint about a name that is one's."""

_DEVICES = re.compile("con|prn|aux|nul|(com|lpt)[0-9]")
"""What Windows takes for a device: no folder there can be called so."""


def _no_device(name: str) -> str:
    if _DEVICES.fullmatch(name):
        raise PydanticCustomError(DEVICE, 'is "{name}", the name of a device', {"name": name})
    return name


Slug = Annotated[str, Field(pattern=_SLUG, max_length=_LONGEST), AfterValidator(_no_device)]
"""A name that can stand in an address, and be that of a folder: lower case, digits, `-` and `_`."""

WebAddress = Annotated[str, Field(pattern=r"^https?://[^\s<>\"]+$")]
"""Where something is on the web; nothing else may become a link."""

Position = Annotated[int, Field(ge=1, le=10_000)]
"""A place in an order, counted from 1."""

Count = Annotated[int, Field(ge=0, le=LIMIT)]
"""How many."""

Amount = Annotated[float, Field(ge=0, le=LIMIT)]
"""How much, in the unit that the field's name ends with."""

Measure = Annotated[float, Field(ge=-LIMIT, le=LIMIT)]
"""What was measured, in the unit that its definition gives."""


def _plain(value: object) -> object:
    """Keep True and 1.0 from passing for 1, to which they are equal."""
    return value if type(value) is int else str(value)


SchemaVersion = Annotated[Literal[1], BeforeValidator(_plain), Field(alias="schema")]
"""Version of the format that the file follows."""


def is_slug(name: str) -> bool:
    """Whether a name can stand in an address."""
    return len(name) <= _LONGEST and re.fullmatch(_SLUG, name) is not None and not _DEVICES.fullmatch(name)
