"""Turns folders of submitted benchmark results into a static site that recomputes every number it shows."""

__version__ = "0.1.0"
