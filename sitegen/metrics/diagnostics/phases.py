"""The phases of a task, which make tasks of different lengths comparable."""

PHASES = ("Start", "Early", "Mid", "Late", "Final")
"""The phases, in order."""

SHORTEST = 3
"""Rounds of the shortest task that has an interior to divide."""


def phase_of(number: int, length: int) -> str:
    """Tell which phase of its task a round belongs to.

    The first round is the start and the last one is final. The others are divided into three parts of equal
    size; what is left over goes to the earlier parts, one each.

    Args:
        number: Of the round, from 1.
        length: Rounds that the task is configured to have, however many were run.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.2: "Progress phases".
    """
    if number == 1:
        return "Start"
    if number == length:
        return "Final"
    part, left = divmod(length - 2, 3)
    early = part + (left > 0)
    middle = early + part + (left > 1)
    return "Early" if number - 1 <= early else "Mid" if number - 1 <= middle else "Late"
