"""How numbers stand in sentences."""


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: 1 round, 3 rounds."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
