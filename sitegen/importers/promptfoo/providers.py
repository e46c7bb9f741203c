"""Providers of promptfoo: which model one is, who serves it, and its reasoning setting."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from sitegen.importers.kit.agents import maker_of, named, short
from sitegen.importers.kit.values import count_of, mapping_of, mappings_of, text_of

_KINDS = frozenset(
    {
        *(
            "chat",
            "completion",
            "completions",
            "messages",
            "responses",
            "assistant",
            "agents",
            "conversation",
        ),
        *(
            "text-generation",
            "text",
            "converse",
            "realtime",
            "embedding",
            "embeddings",
            "image",
            "message",
        ),
    }
)
"""What stands between a provider and a model: how the model is asked."""

_PROGRAMS = frozenset(
    {"exec", "file", "golang", "http", "https", "package", "python", "ruby", "webhook", "ws", "wss"}
)
"""Providers that are a program or an address, not a model."""


class ProviderName(NamedTuple):
    """What the id of a provider says."""

    provider: str
    """Who serves the model; empty where a program does."""
    model: str
    """The model with its owner, if the id names one, or the name of the program."""

    @property
    def name(self) -> str:
        """The name of the model alone."""
        return short(self.model) or self.model

    @property
    def organization(self) -> str | None:
        """Who made the model, as far as the id tells it."""
        return maker_of(f"{self.provider}/{self.model}") if self.provider else None


def parse_provider(provider_id: str) -> ProviderName:
    """Return what an id such as `openai:chat:gpt-4o` says."""
    provider, colon, rest = provider_id.partition(":")
    if not colon or not rest:
        return ProviderName("", named(provider_id))
    if provider.lower() in _PROGRAMS:
        program = re.split(r"[/\\]", rest.rstrip("/\\"))[-1]
        return ProviderName("", named(program) or named(provider_id))
    kind, colon, model = rest.partition(":")
    if not colon or kind.lower() not in _KINDS:
        model = rest
    return ProviderName(named(provider), named(model) or named(rest))


def reasoning_of(config: Mapping[str, object]) -> str:
    """Return the reasoning setting in a provider's configuration; empty where it has none."""
    for key in ("reasoning_effort", "reasoningEffort", "effort"):
        effort = text_of(config.get(key), longest=40)
        if effort:
            return effort
    reasoning = mapping_of(config.get("reasoning"))
    effort = text_of(reasoning.get("effort"), longest=40)
    if effort:
        return effort
    thinking = mapping_of(config.get("thinking"))
    budget = count_of(thinking.get("budget_tokens"))
    if budget:
        return f"{budget} thinking tokens"
    return "thinking" if thinking.get("type") == "enabled" else ""


def configured_reasoning(config: Mapping[str, object]) -> list[str]:
    """Return the reasoning setting of each provider in a configuration, in order; empty texts for none."""
    providers = config.get("providers")
    if isinstance(providers, dict):
        return [
            reasoning_of(mapping_of(mapping_of(value).get("config")))
            for value in providers.values()
        ]
    if not isinstance(providers, list):
        return [""]
    settings = []
    for provider in providers:
        fields = mapping_of(provider)
        options = mappings_of(list(fields.values()))
        # A provider is an id, an object with `id`, or an object whose one key is the id.
        config_of = (
            fields.get("config") if "id" in fields or not options else options[0].get("config")
        )
        settings.append(reasoning_of(mapping_of(config_of)))
    return settings
