"""Reasons why maintainers can't waive a breach, where several rules share one."""

LOST = "what can't be read can't be shown"
TIDY = "it is mended without a loss: `sitegen validate --fix` does it"
ADDRESSES = "pages need addresses of their own"
LINES = "nobody could tell which of the lines counts"
FETCHED = "readers of the site can fetch every file of a bundle"
OWN = "it is about what the maintainers wrote themselves, and can correct"
KEPT = "a correction of what is published is a bundle of its own"
