"""All faults in the program's output for a results folder."""

from pathlib import Path

from kit.board_checks import OF_BOARDS, frame_faults
from kit.board_outputs import ProgramResults
from kit.page_checks import page_faults
from kit.results_files import read_boards


def faults_of(results: Path) -> list[str]:
    """Return all faults in the program's output for a results folder, as sentences."""
    program = ProgramResults.of(results)
    if program.errors:
        return [f"validate: {problem}" for problem in program.errors]
    faults = []
    files = list(read_boards(results))
    for board, output in zip(files, program.boards, strict=True):
        for check in OF_BOARDS:
            faults += [f"{board.track['id']}: {fault}" for fault in check(board, output)]
    faults += frame_faults(files, program)
    faults += page_faults(results, program)
    return faults
