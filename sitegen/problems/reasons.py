"""Reasons why maintainers can't waive a breach, each shared by several rules."""

LOST = "what can't be read can't be shown"
TIDY = "`sitegen validate --fix` repairs it without loss"
ADDRESSES = "every page needs its own address"
LINES = "there is no way to tell which of the lines counts"
FETCHED = "readers of the site can fetch every file of a bundle"
OWN = "it is about files that the maintainers wrote and can correct"
KEPT = "published results are corrected by a new bundle"
