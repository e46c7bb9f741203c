"""Identify the agent of each trial: its model, its scaffold and its settings."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor import records
from sitegen.importers.harbor.transcript import (
    TranscriptAgent,
    find_transcript_files,
    read_transcript_agent,
)
from sitegen.importers.harbor.trials import Trial
from sitegen.importers.kit.agents import RankedAgent, clean_agent_name, only
from sitegen.importers.kit.options import ImportOptions
from sitegen.problems import grouped

BASELINES = frozenset({"oracle", "nop"})
"""Agents without a model: the reference solution, and an agent that does nothing."""

_SETTING_NAME = re.compile(r"[A-Za-z_][\w-]{0,40}")
_SETTING_TEXT = re.compile(r"[\w.+-]{1,40}")
_PRIVATE = re.compile(
    r"key|secret|passw|token(?!s)|auth|cred|url|path|dir|file|host|user|mail", re.IGNORECASE
)
"""Names of settings whose text values may be private."""

_INCIDENTAL = re.compile(
    r"(?:^|_)(?:seeds?|session|run|trial|job|id|port|logs?|debug|verbose|record\w*|trace\w*"
    r"|retries|timeout\w*)(?:_|$)",
    re.IGNORECASE,
)
"""Names of settings that do not distinguish agents."""

_SETTINGS_WITH_FIELD = frozenset({"version", "reasoning_effort"})
"""Settings that have their own fields in `AgentIdentity`."""


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """The agent of a trial, in the source's words; None for values the source does not state."""

    name: str | None
    """The model without its provider; the scaffold if there is no model."""
    model: str | None = None
    """The model's full name, if it is longer than `name`."""
    scaffold: str | None = None
    version: str | None = None
    """Version of the scaffold."""
    reasoning: str | None = None
    is_configured: bool = False
    """Whether the settings are known, so that no reasoning setting means the default setting."""
    provider: str | None = None
    """The first part of the model's full name."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Further settings of the agent that can be published."""
    import_path: str | None = None
    """The class of an agent that is not part of the runner."""
    settings_label: str | None = None
    """The settings that distinguish the agent from others with the same model and scaffold.

    The label begins with the reasoning setting. It is added by `complete_identities`.
    """

    @property
    def is_baseline(self) -> bool:
        """Whether the agent is a baseline, which uses no model."""
        return not BASELINES.isdisjoint({self.name, self.scaffold})

    def entrant(self, name: str, options: ImportOptions) -> RankedAgent:
        """Return the agent to rank, under the canonical name of its model."""
        reasoning = clean_agent_name(self.settings_label or options.reasoning)
        return RankedAgent(name, self.scaffold or "", reasoning, self.provider or "")


def identify_agent(trial: Trial) -> AgentIdentity:
    """Return the agent of a trial, from its result, its settings, its path and its transcript."""
    info = trial.result.agent_info
    config = trial.config.agent
    is_fully_stated = bool(info.name and config.model_name)
    transcript_agent = TranscriptAgent() if is_fully_stated else _find_transcript_agent(trial)
    _, nested_model = trial.nesting
    model = _first_name(config.model_name, info.model, nested_model, transcript_agent.model_name)
    scaffold = _first_name(info.name, config.name, transcript_agent.name)
    provider, _, short_name = (model or "").rpartition("/")
    name = short_name if model else scaffold
    if nested_model in BASELINES:
        # A baseline may run under any model's name; then only its folder names the baseline.
        name = nested_model
    return AgentIdentity(
        name=name,
        model=None if model == short_name else model,
        scaffold=scaffold,
        version=_first_name(info.version, transcript_agent.version, config.version),
        reasoning=_first_name(config.reasoning),
        is_configured=trial.is_configured,
        provider=provider.partition("/")[0] or None,
        settings=select_settings(config),
        import_path=config.import_path,
    )


def _first_name(*texts: str | None) -> str | None:
    """Return the first non-empty name, cleaned for display; None if there is none."""
    for text in texts:
        name = clean_agent_name(text)
        if name:
            return name
    return None


def _find_transcript_agent(trial: Trial) -> TranscriptAgent:
    """Return the agent that a trial's transcripts name; blank if they name none."""
    for folders in (*trial.round_folders.values(), trial.root_folders):
        for path in find_transcript_files(folders.agent)[:1]:
            transcript_agent = read_transcript_agent(path)
            if transcript_agent is not None:
                return transcript_agent
    return TranscriptAgent()


def complete_identities(identities: Mapping[Path, AgentIdentity]) -> dict[Path, AgentIdentity]:
    """Return the identities of all trials, completed from other trials of the same model.

    Args:
        identities: The identity of each trial, keyed by the trial's path.

    Returns:
        The completed identities, keyed by path, with labels of the settings that distinguish
        agents. If a model and scaffold have only one label, trials that state no settings get it,
        too. Providers are left out unless they distinguish agents.
    """
    with_scaffolds = _add_scaffolds(identities)
    agents: defaultdict[tuple[str | None, str | None], dict[Path, AgentIdentity]] = defaultdict(
        dict
    )
    for path, identity in with_scaffolds.items():
        agents[identity.name, identity.scaffold][path] = identity
    distinct: dict[Path, AgentIdentity] = {}
    for agent_identities in agents.values():
        distinct |= _distinguish(agent_identities)
    return {path: distinct[path] for path in identities}


def _add_scaffolds(identities: Mapping[Path, AgentIdentity]) -> dict[Path, AgentIdentity]:
    """Return the identities, with scaffolds taken from other trials of the same class or model.

    If no trial states the name of an agent, the name of its class is used.
    """
    with_scaffold = [identity for identity in identities.values() if identity.scaffold]
    by_class = grouped((identity.import_path, identity.scaffold) for identity in with_scaffold)
    by_model = grouped((identity.name, identity.scaffold) for identity in with_scaffold)
    completed = {}
    for path, identity in identities.items():
        scaffold = identity.scaffold
        if scaffold is None and identity.import_path:
            class_name = identity.import_path.rpartition(":")[2]
            scaffold = only(set(by_class[identity.import_path])) or clean_agent_name(class_name)
        elif scaffold is None:
            scaffold = only(set(by_model[identity.name]))
        completed[path] = replace(identity, scaffold=scaffold, name=identity.name or scaffold)
    return completed


def _distinguish(identities: Mapping[Path, AgentIdentity]) -> dict[Path, AgentIdentity]:
    """Return the identities of one model and scaffold with the settings that distinguish agents.

    A setting distinguishes agents if it differs within a job. Settings that differ only between
    jobs are reported as different conditions.
    """
    configured = [
        (path.parent, identity) for path, identity in identities.items() if identity.is_configured
    ]
    differing: set[str] = set()
    for job_identities in grouped(configured).values():
        differing.update(find_differing_settings(job_identities))
    labels = {_format_label(identity, differing) for _, identity in configured}
    providers = {identity.provider for identity in identities.values() if identity.provider}
    distinct = {}
    for path, identity in identities.items():
        label = _format_label(identity, differing) if identity.is_configured else only(labels)
        provider = identity.provider if len(providers) > 1 else None
        distinct[path] = replace(identity, settings_label=label, provider=provider)
    return distinct


def find_differing_settings(identities: Iterable[AgentIdentity]) -> list[str]:
    """Return the names of the settings that differ between identities, sorted."""
    all_settings = [identity.settings for identity in identities]
    names: set[str] = set().union(*all_settings)
    differing = []
    for name in sorted(names):
        values = {settings.get(name) for settings in all_settings}
        if len(values) > 1:
            differing.append(name)
    return differing


def _format_label(identity: AgentIdentity, names: Collection[str]) -> str | None:
    """Return an identity's reasoning setting and its settings with the given names, as one text."""
    settings = format_settings(identity, names)
    if identity.reasoning:
        settings.insert(0, identity.reasoning)
    return ", ".join(settings) or None


def format_settings(identity: AgentIdentity, names: Collection[str]) -> list[str]:
    """Return those settings of an identity that have the given names, formatted for readers."""
    return [f"{name} {value}" for name, value in identity.settings.items() if name in names]


def select_settings(agent: records.AgentConfig) -> dict[str, str]:
    """Return the publishable settings of an agent, except settings in fields of `AgentIdentity`."""
    shown = {}
    for name, value in sorted((agent.settings or {}).items()):
        text = _format_setting(name, value)
        if text is not None:
            shown[name] = text
    return shown


def _format_setting(name: str, value: object) -> str | None:
    """Return the value of a setting as text; None if the setting must not be shown."""
    if name in _SETTINGS_WITH_FIELD or not _SETTING_NAME.fullmatch(name):
        return None
    if _INCIDENTAL.search(name):
        return None
    if isinstance(value, bool | int | float):
        return str(value).lower()
    if isinstance(value, str) and not _PRIVATE.search(name) and _SETTING_TEXT.fullmatch(value):
        return value
    return None
