"""The importer of the run folders of Harbor's multi-turn fork."""

from sitegen.importers.harbor_multiturn.source import read_harbor_multiturn

__all__ = ["read_harbor_multiturn"]
