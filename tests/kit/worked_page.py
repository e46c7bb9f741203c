"""A kind of page: the worked example of `site_src/develop/structure.md`."""

from collections import Counter
from collections.abc import Iterator

from sitegen.board.score import GAP
from sitegen.pages.environment import Templates
from sitegen.pages.records import BoardRecords
from sitegen.pages.site import View, page_kind


@page_kind(BoardRecords, "NAME.html.j2")
def organizations_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show the organizations that made the agents on a board."""
    made = Counter(entry.agent.organization or GAP for entry in records.board.entries)
    values = {"title": "Organizations", "organizations": made.most_common()}
    yield View(records.addresses.beside("organizations"), "Organizations", None, values)


TEMPLATE = """\
{# Who made the agents of a board. Needs: organizations (name and number). #}
{% extends "layout.html.j2" %}
{% block main %}
<ul>{% for name, number in organizations %}<li>{{ name | visible }}: {{ number }}</li>{% endfor %}</ul>
{% endblock %}
"""
