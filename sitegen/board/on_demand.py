"""Values that are worked out when somebody asks for them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class OnDemand(Mapping[str, T]):
    """Values by name; each is found when it is first asked for, and stays.

    Whoever goes through all of them, or counts them, has all of them found.
    """

    def __init__(self, names: Collection[str], find: Callable[[str], T | None]) -> None:
        """Find nothing yet.

        Args:
            names: What there may be a value of, in the order of the values.
            find: Gives the value of a name; None where there is none.
        """
        self._names = names
        self._find = find
        self._found: dict[str, T | None] = {}

    def __getitem__(self, name: str) -> T:
        """Give a value.

        Raises:
            KeyError: There is none of that name.
        """
        value = self._value(name)
        if value is None:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        """Whether there is a value of that name."""
        return isinstance(name, str) and self._value(name) is not None

    def __iter__(self) -> Iterator[str]:
        """Give the names that there is a value of."""
        return (name for name in self._names if name in self)

    def __len__(self) -> int:
        """Count the values."""
        return sum(1 for _ in self)

    def _value(self, name: str) -> T | None:
        if name not in self._found:
            self._found[name] = self._find(name) if name in self._names else None
        return self._found[name]
