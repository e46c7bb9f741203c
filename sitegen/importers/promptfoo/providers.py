"""Parse promptfoo's providers: the model, who serves it, and its reasoning setting."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from sitegen.importers.kit.agents import clean_agent_name, model_maker, short_model_name
from sitegen.importers.kit.values import count_of, mapping_of, mappings_of, text_of

_MAX_EFFORT_LENGTH = 40

_ENDPOINTS = frozenset(
    {
        "agents",
        "assistant",
        "chat",
        "completion",
        "completions",
        "conversation",
        "converse",
        "embedding",
        "embeddings",
        "image",
        "message",
        "messages",
        "realtime",
        "responses",
        "text",
        "text-generation",
    }
)
"""Endpoints that an id may name between the provider and the model."""

_PROGRAMS = frozenset(
    {"exec", "file", "golang", "http", "https", "package", "python", "ruby", "webhook", "ws", "wss"}
)
"""Providers that are a program or an address, not a model."""


class ProviderName(NamedTuple):
    """The names in the id of a provider."""

    provider: str
    """The company that serves the model; empty for a program."""
    model: str
    """The model with its owner, if the id names the owner; or the name of the program."""

    @property
    def name(self) -> str:
        """The name of the model without its owner."""
        return short_model_name(self.model) or self.model

    @property
    def organization(self) -> str | None:
        """The company that made the model; None if the id does not name it."""
        return model_maker(f"{self.provider}/{self.model}") if self.provider else None


def parse_provider(provider_id: str) -> ProviderName:
    """Return the names in an id such as `openai:chat:gpt-4o`."""
    provider, _, model = provider_id.partition(":")
    if not model:
        return ProviderName("", clean_agent_name(provider_id))
    if provider.lower() in _PROGRAMS:
        program = re.split(r"[/\\]", model.rstrip("/\\"))[-1]
        return ProviderName("", clean_agent_name(program) or clean_agent_name(provider_id))
    endpoint, _, endpoint_model = model.partition(":")
    if endpoint.lower() in _ENDPOINTS:
        return ProviderName(
            clean_agent_name(provider), clean_agent_name(endpoint_model) or clean_agent_name(model)
        )
    return ProviderName(clean_agent_name(provider), clean_agent_name(model))


def parse_reasoning(config: Mapping[str, object]) -> str:
    """Return the reasoning setting in a provider's configuration; empty if there is none."""
    efforts = [config.get(key) for key in ("reasoning_effort", "reasoningEffort", "effort")]
    efforts.append(mapping_of(config.get("reasoning")).get("effort"))
    for value in efforts:
        effort = text_of(value, _MAX_EFFORT_LENGTH)
        if effort:
            return effort
    thinking = mapping_of(config.get("thinking"))
    budget = count_of(thinking.get("budget_tokens"))
    if budget:
        return f"{budget} thinking tokens"
    return "thinking" if thinking.get("type") == "enabled" else ""


def configured_reasoning(config: Mapping[str, object]) -> list[str]:
    """Return the reasoning setting of each configured provider; an empty text if not set."""
    providers = config.get("providers")
    if isinstance(providers, dict):
        # The keys are the ids, as if each object had an `id`.
        configs = [mapping_of(mapping_of(fields).get("config")) for fields in providers.values()]
    elif isinstance(providers, list):
        configs = [_find_config(mapping_of(provider)) for provider in providers]
    else:
        return [""]
    return [parse_reasoning(config) for config in configs]


def _find_config(provider: Mapping[str, object]) -> Mapping[str, object]:
    """Return the configuration of a provider.

    A provider is an id, an object with `id`, or an object whose only key is the id.
    """
    options = mappings_of(list(provider.values()))
    if "id" not in provider and options:
        return mapping_of(options[0].get("config"))
    return mapping_of(provider.get("config"))
