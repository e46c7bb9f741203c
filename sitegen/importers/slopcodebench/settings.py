"""Under which conditions a run was made, from whatever of its files tell of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from sitegen.importers.slopcodebench.config import AgentConfig, Limits, RunConfig, RunInfo
from sitegen.importers.slopcodebench.files import CatalogueName, Summary

USUAL_PROMPT = "just-solve"
"""The prompt of the published results."""

_ENDINGS = (".jinja", ".j2", ".yaml", ".yml")

_SHOWN = 200
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Under which conditions a run was made, as far as its folder tells."""

    model: str | None
    scaffold: str | None
    """The program that drives the model, by its own name."""
    scaffold_version: str | None
    reasoning: str | None
    conditions: tuple[str, ...]
    """In what the run differs from the published ones: another prompt, caps."""
    problems: tuple[str, ...]
    """Those it was to solve; empty where no file lists them."""
    one_shot: bool
    catalogue: CatalogueName
    is_configured: bool
    """Whether there was a configuration, without which nobody knows of caps."""

    @property
    def described_scaffold(self) -> str | None:
        """Name the scaffold with its conditions, so that runs under others count as another agent's."""
        return ", ".join(filter(None, (self.scaffold, *self.conditions))) or None

    @property
    def odd_names(self) -> tuple[str, ...]:
        """Names that can't be printed, or that are no names by their length."""
        names = (self.model, self.described_scaffold, self.scaffold_version, self.reasoning)
        return tuple(repr(name)[:60] for name in names if name and not (name.isprintable() and len(name) <= _SHOWN))


def settings_of(
    config: RunConfig | None, summary: Summary | None, info: RunInfo | None, catalogue: CatalogueName | None
) -> Settings:
    """Put together what the files of a run tell of its conditions.

    Args:
        config: The run's configuration, which wins.
        summary: What the runner made of the run.
        info: How one of its problems went.
        catalogue: The catalogue it was made with.
    """
    told = config or RunConfig(agent=AgentConfig())
    summary, info = summary or Summary(), info or RunInfo()
    prompt = _stem(_first(told.prompt_path, summary.prompt))
    return Settings(
        model=_first(told.model.name, summary.model, info.model_name),
        scaffold=_first(told.agent.type, _stem(told.agent.name), summary.agent_type, info.agent_type),
        scaffold_version=_first(told.agent.version, summary.agent_version, info.agent_version),
        reasoning=_first(_token_limit(told), told.thinking, summary.thinking),
        conditions=(*_other_prompts(prompt, told), *_caps(told.agent.cost_limits)),
        problems=told.problems or (),
        one_shot=told.one_shot.enabled,
        catalogue=catalogue or CatalogueName(),
        is_configured=config is not None,
    )


def _first(*names: str | None) -> str | None:
    """Give the first name that is told."""
    return next(filter(None, names), None)


def _token_limit(config: RunConfig) -> str | None:
    return f"at most {config.thinking_max_tokens} tokens" if config.thinking_max_tokens else None


def _other_prompts(prompt: str | None, config: RunConfig) -> Iterator[str]:
    if prompt and prompt.lower().replace("_", "-") != USUAL_PROMPT:
        yield f"prompt {prompt}"
    if config.post_checkpoint_skill:
        yield "a further prompt after each checkpoint"


def _caps(limits: Limits) -> Iterator[str]:
    caps = (
        (limits.step_limit, "at most {:g} steps a checkpoint"),
        (limits.cost_limit, "at most ${:g} a checkpoint"),
        (limits.net_cost_limit, "at most ${:g} a problem"),
    )
    yield from (words.format(limit) for limit, words in caps if limit)


def _stem(path: str | None) -> str | None:
    """Give the name of a file without folders and ending, whichever system the run was made on."""
    if path is None:
        return None
    name = PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)
