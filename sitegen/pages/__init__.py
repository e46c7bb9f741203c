"""Renders the HTML of a site: pages of benchmarks, boards, submissions, tasks and runs.

In: boards (`board.board.Board`) and releases, and the templates in `templates/pages`.
Out: `models.site.Page` for generated pages, and `Fragment` for slots of authored ones.
A module of `kinds` registers each kind of page; `records` defines the subjects of pages.
Read `site.page_jobs` first, then `kinds.board.board_page` as an example of a page.
"""
