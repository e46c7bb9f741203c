"""What a run's YAML files say of its conditions. Prompts, paths, addresses and errors in them are left there."""

from pathlib import Path
from typing import Annotated, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from sitegen.importers.slopcodebench import rules
from sitegen.models.record import Amount
from sitegen.problems import Problem
from sitegen.reading.files import read_text

M = TypeVar("M", bound=BaseModel)

_UNTOLD = {"", "~", "null", "Null", "NULL", None}


def _told(value: object) -> object:
    return None if isinstance(value, str | None) and value in _UNTOLD else value


def _part(value: object) -> object:
    """Read a bare word as the name of what it stands for, and an empty part as one that tells nothing."""
    if isinstance(value, str | None) and value in _UNTOLD:
        return {}
    return {"name": value} if isinstance(value, str) else value


Text = Annotated[str | None, BeforeValidator(_told)]
Number = Annotated[Amount | None, BeforeValidator(_told)]


class _Part(BaseModel):
    # Every scalar arrives as text, so that version 2.10 does not become 2.1: numbers are read from it.
    model_config = ConfigDict(extra="ignore", frozen=True)


class Limits(_Part):
    """When the runner stops an agent at a checkpoint; 0 for never."""

    step_limit: Number = None
    cost_limit: Number = None
    net_cost_limit: Number = None


class AgentConfig(_Part):
    """The program that drives the model."""

    name: Text = None
    type: Text = None
    version: Text = None
    cost_limits: Annotated[Limits, BeforeValidator(_part)] = Limits()


class ModelConfig(_Part):
    """The model."""

    name: Text = None


class OneShot(_Part):
    """Whether all checkpoints of a problem were put into one."""

    enabled: bool = False


class RunConfig(_Part):
    """A run's resolved configuration: `config.yaml`."""

    agent: Annotated[AgentConfig, BeforeValidator(_part)]
    model: Annotated[ModelConfig, BeforeValidator(_part)] = ModelConfig()
    thinking: Text = None
    thinking_max_tokens: Text = None
    prompt_path: Text = None
    one_shot: Annotated[OneShot, BeforeValidator(_part)] = OneShot()
    post_checkpoint_skill: Annotated[dict[str, object] | str | None, BeforeValidator(_told)] = None
    """A further prompt after each checkpoint; its text is left in the source."""
    problems: Annotated[tuple[str, ...] | None, BeforeValidator(_told)] = None


class RunInfo(_Part):
    """How one problem of a run went: `run_info.yaml`."""

    model_name: Text = None
    agent_type: Text = None
    agent_version: Text = None
    seed: Annotated[int | None, BeforeValidator(_told)] = None


class ProblemInfo(_Part):
    """A problem as the run found it: `problem.yaml`."""

    category: Text = None
    difficulty: Text = None


def read_yaml(path: Path | None, model: type[M]) -> tuple[M | None, list[Problem]]:
    """Read a YAML file of a run without building any object that it might ask for.

    Args:
        path: The file; None where there is none.
        model: What it holds.

    Returns:
        The value, or None; and the problems.
    """
    if path is None:
        return None, []
    text, problems = read_text(path)
    if text is None:
        return None, problems
    try:
        return model.model_validate(_parsed(text)), []
    except ValidationError as error:
        return None, [_shape_problem(path, error)]
    except (yaml.YAMLError, RecursionError) as error:
        return None, [_syntax_problem(path, error)]


def _shape_problem(path: Path, error: ValidationError) -> Problem:
    # What was found is not told: through aliases it can be longer than any memory.
    places = (".".join(map(str, each["loc"])) or "the file" for each in error.errors(include_input=False))
    return rules.YAML.broken(path, None, f"not as the runner writes it: {', '.join(places)}")


def _syntax_problem(path: Path, error: yaml.YAMLError | RecursionError) -> Problem:
    if not isinstance(error, yaml.MarkedYAMLError):
        return rules.YAML.broken(path, None, f"can't be read as YAML: {type(error).__name__}")
    line = error.problem_mark.line + 1 if error.problem_mark else None
    return rules.YAML.broken(path, line, f"broken YAML: {error.problem}")


def tells_of_run(path: Path) -> bool:
    """Whether a `config.yaml` is a run's: agents write files of that name too."""
    text, _ = read_text(path)
    try:
        found = _parsed(text or "")
    except (yaml.YAMLError, RecursionError):
        return False
    return isinstance(found, dict) and "agent" in found


def _parsed(text: str) -> object:
    """Parse YAML into text, lists and mappings, and nothing else."""
    loader = yaml.BaseLoader(text)
    try:
        parsed: object = loader.get_single_data()
    finally:
        loader.dispose()
    return parsed
