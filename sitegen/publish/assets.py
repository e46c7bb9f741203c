"""Scripts and styles as readers get them: without comments, and without the blanks that make them legible."""

from pathlib import Path

import rcssmin
import rjsmin

VENDOR = "vendor"
"""The folder of other people's files, which stay as they came."""


def lighten(assets: Path) -> None:
    """Leave comments and blanks out of scripts and styles; names and lines of thought stay.

    Args:
        assets: A folder of copies, changed in place. Comments that begin with `!`, such as licences, stay.
    """
    for path in sorted(assets.rglob("*.*")):
        shorten = {".js": rjsmin.jsmin, ".css": rcssmin.cssmin}.get(path.suffix)
        if shorten and VENDOR not in path.relative_to(assets).parts:
            short = shorten(path.read_text(encoding="utf-8"), keep_bang_comments=True)
            path.write_text(f"{short.strip()}\n", encoding="utf-8", newline="\n")
