"""A rule with its fix: the worked example of `site_src/develop/structure.md`."""

from sitegen.problems import Rule, reasons
from sitegen.problems.mends import LineChanges, Mend


def without_tabs(text: bytes) -> tuple[bytes, LineChanges]:
    """Return a text with a space in place of each tab, and the changes."""
    lines = text.split(b"\n")
    done: LineChanges = [(number, "tab replaced") for number, line in enumerate(lines, start=1) if b"\t" in line]
    return text.replace(b"\t", b" "), done


MEND = Mend("puts a blank for each tab", without_tabs)
TABS = Rule.error("TEXT-TAB", "Lines have no tabs.", "put blanks", unwaivable=reasons.TIDY, mend=MEND)
