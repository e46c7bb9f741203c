"""A foreign format: the worked example of `site_src/develop/structure.md`."""

from pathlib import Path

from sitegen.importers.kit.agents import RankedAgent
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.rounds import AgentResults, ImportSource
from sitegen.importers.kit.rules import SOURCE_BROKEN
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import RoundResult


def read_lines_of_runs(file: Path, options: ImportOptions) -> Incoming:
    """Read a file with an agent, a task, a round and case outcomes (`p` or `f`) on each line."""
    source = ImportSource(ImportLog(file), protocol="chain")
    runs: dict[str, AgentResults] = {}
    for line, text in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        agent, task, number, outcomes = text.split(",")
        run = runs.setdefault(agent, AgentResults(file, RankedAgent(agent), day=options.today))
        passed, total = outcomes.count("p"), len(outcomes)
        reward = float(passed == total)
        result = RoundResult(task, 1, int(number), "scored", reward, passed, total, outcomes=outcomes)
        if not run.add(result):
            source.log.add(SOURCE_BROKEN, file, f"round {number} of {task} stands a second time", line)
    source.runs += runs.values()
    return source.imported(options)


FORMAT = Format(read_lines_of_runs, "main", is_file=True)
