"""The kinds of pages, one module each.

A module registers functions with `sitegen.pages.site.page_kind` or `authored_parts`: the first for
pages about a subject such as a board or a run, the second for parts of authored pages. A function
yields `View`s or `Fragment`s. `analysis` is the shortest example. Modules do not import one
another; shared code is in plain modules of `sitegen.pages`.
"""

MODULES = (
    "board",
    "analysis",
    "compare",
    "certainty",
    "tasks",
    "round",
    "row",
    "transcripts",
    "run",
    "brief_run",
    "integrity",
    "releases",
    "authored",
    "home",
    "methods",
    "rank_example",
    "agents",
    "reference",
)
"""The kinds in the order in which their pages are made."""
