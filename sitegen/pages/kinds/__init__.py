"""The kinds of pages, one module each.

A module registers functions with `sitegen.pages.site.page_kind` or `authored_parts`: the first
for pages about a subject such as a board or a run, the second for parts of authored pages.
A function yields `View`s or `Fragment`s. `analysis` is the shortest example.
"""
