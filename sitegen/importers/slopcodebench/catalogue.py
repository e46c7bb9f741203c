"""How many checkpoints each problem has, which a run's folder does not tell."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sitegen.models.record import Position
from sitegen.problems import Problem
from sitegen.reading.json import read_json

LATEST = "v1.0"
"""The catalogue that is assumed where a run names none."""

# Counted in the problems' folders of each release.
_LENGTHS: Mapping[str, Mapping[str, int]] = {
    "v1.0": {
        "cfgpipe": 6,
        "circuit_eval": 8,
        "code_search": 5,
        "dag_execution": 3,
        "database_migration": 5,
        "datagate": 7,
        "dynamic_buffer": 4,
        "dynamic_config_service_api": 4,
        "env_manager": 5,
        "etl_pipeline": 5,
        "eve_industry": 6,
        "eve_jump_planner": 3,
        "eve_market_tools": 4,
        "eve_route_planner": 3,
        "execution_server": 6,
        "file_backup": 4,
        "file_merger": 4,
        "file_query_tool": 5,
        "forge": 8,
        "l2m": 5,
        "layered_config_synthesizer": 4,
        "log_query": 5,
        "meshctl": 8,
        "metric_transform_lang": 5,
        "migrate_configs": 5,
        "mocked_http": 8,
        "mvvault": 6,
        "pwd_manager": 5,
        "recli": 8,
        "rejector": 5,
        "sheeteval": 7,
        "sith": 6,
        "test_translator": 8,
        "textdrop": 6,
        "trajectory_api": 5,
        "xjq": 5,
    },
}


class _File(BaseModel):
    """A catalogue that somebody wrote down."""

    model_config = ConfigDict(strict=True, extra="ignore")

    version: str | None = None
    problems: dict[str, Position] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The problems of a release."""

    version: str | None
    """None where a file with a catalogue names none."""
    lengths: Mapping[str, int]
    """Checkpoints by problem."""

    @classmethod
    def shipped(cls, version: str) -> "Catalogue":
        """Give a release's catalogue; one without problems where the release is not known."""
        return cls(version, _LENGTHS.get(version, {}))


def read_catalogue(path: Path) -> tuple[Catalogue | None, list[Problem]]:
    """Read a catalogue from a JSON file with `version` and `problems`.

    Returns:
        The catalogue, or None where the file has problems; and the problems.
    """
    file, problems = read_json(path, _File)
    return (Catalogue(file.version, file.problems) if file else None), problems
