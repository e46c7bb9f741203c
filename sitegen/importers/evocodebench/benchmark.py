"""Facts that EvoCode-Bench publishes about itself: title, tracks, and names of agents."""

from collections.abc import Mapping

from sitegen.importers.kit.options import BenchmarkFacts

# One entry per agent: the benchmark's site, tables, paper and folders spell names differently.
_SPELLINGS_BY_AGENT = {
    "Claude-Opus-4.8": ("Opus-4.8", "Opus-4.8-xhigh", "Claude-Opus-4.8-xhigh", "claude-opus-4-8"),
    "GPT-5.5": ("GPT-5.5-High", "gpt-5.5"),
    "MiniMax-M3": ("minimax-m3",),
    "MiniMax-M2.7": ("minimax-m2.7",),
    "GLM-5.2": ("glm-5.2",),
    "GLM-5.1": ("glm-5.1",),
    "DeepSeek-V4-Pro": ("DS-V4-Pro", "deepseek-v4-pro"),
    "DeepSeek-V4-Flash": ("DS-V4-Flash", "deepseek-v4-flash"),
    "Kimi-K2.7-Code": ("kimi-k2.7-code",),
    "Kimi-K2.6": ("kimi-k2.6",),
    "Qwen3.7-Max": ("qwen3.7-max",),
    "Qwen3.6-Plus": ("qwen3.6-plus",),
    "Doubao-Seed-2.1-Pro": ("doubao-seed-2-1-pro",),
    "Claude-Opus-4.7": ("Opus-4.7", "Claude-Opus-4.7-High", "claude-opus-4-7"),
    "Claude-Opus-4.6": ("Opus-4.6", "claude-opus-4-6"),
    "Xiaomi-MiMo-V2.5-Pro": ("MiMo-V2.5", "mimo-v2.5-pro"),
    "Gemini-3.1-Pro-Preview": ("Gemini-3.1", "gemini-3.1-pro-preview"),
    "Qwen3.5-397B-A17B": ("Qwen3.5-397B", "qwen3.5-397b-a17b"),
    "Doubao-Seed-2.0-Pro": ("Doubao-2.0", "doubao-seed-2.0-pro"),
}


def _invert_spellings() -> dict[str, str]:
    names = {}
    for name, spellings in _SPELLINGS_BY_AGENT.items():
        for spelling in spellings:
            names[spelling] = name
    return names


SPELLINGS: Mapping[str, str] = _invert_spellings()
"""The canonical name of the agent for each of its other spellings."""

FACTS = BenchmarkFacts(
    title="EvoCode-Bench",
    spellings=SPELLINGS,
    track_titles={"official": "Official multi-step"},
)
