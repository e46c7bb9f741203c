"""Datasets of SWE-bench: what their spellings share, and how many instances they have."""

import re
from collections.abc import Mapping

_NOT_WORD = re.compile(r"[^a-z0-9]+")
_SAME = {"m": "multimodal", "bashonly": "verified", "test": "full", "": "full"}
"""Datasets by their other names."""

SPLITS: Mapping[str, int] = {
    "bash-only": 500,
    "lite": 300,
    "multilingual": 300,
    "multimodal": 517,
    "test": 2294,
    "verified": 500,
}
"""How many instances the parts of the leaderboard have, by their folders."""


def dataset_key(dataset: str) -> str:
    """Return what spellings of a dataset share: SWE-bench/SWE-bench_Lite, swe-bench_lite, lite."""
    last = dataset.rstrip("/").rpartition("/")[2].casefold()
    key = _NOT_WORD.sub("", last).replace("swebench", "")
    return _SAME.get(key, key)
