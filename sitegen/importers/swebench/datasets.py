"""Datasets of SWE-bench: a key for all spellings of a name, and the number of instances."""

import re
from collections.abc import Mapping

_NOT_WORD = re.compile(r"[^a-z0-9]+")
_ALIASES = {"m": "multimodal", "bashonly": "verified", "test": "full", "": "full"}
"""Keys of datasets, by the keys of their alternative names."""

SPLITS: Mapping[str, int] = {
    "bash-only": 500,
    "lite": 300,
    "multilingual": 300,
    "multimodal": 517,
    "test": 2294,
    "verified": 500,
}
"""Number of instances in each split of the leaderboard, by the split's folder."""


def dataset_key(dataset: str) -> str:
    """Return the key of a dataset: "lite" for SWE-bench/SWE-bench_Lite, swe-bench_lite and lite."""
    _, _, name = dataset.rstrip("/").rpartition("/")
    key = _NOT_WORD.sub("", name.casefold()).replace("swebench", "")
    return _ALIASES.get(key, key)
