"""Share cards as files: of one size, and the same wherever they are drawn."""

import os
import struct
import subprocess
import sys
from pathlib import Path

from kit.boards import board, bundle
from kit.share_cards import card

from sitegen.charts.cards import drawn_card

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><path d="M0 0h{}v9z"/></svg>'

DRAW = """import sys
from sitegen.charts.cards import drawn_card
sys.stdout.buffer.write(drawn_card(sys.stdin.buffer.read().decode()))"""


def test_a_card_is_a_picture_of_its_drawing() -> None:
    png = drawn_card(SVG.format(9))
    assert png.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert struct.unpack(">II", png[16:24]) == (1200, 630)
    assert png.endswith(b"IEND\xaeB`\x82")


def test_fonts_of_the_machine_change_nothing(tmp_path: Path) -> None:
    """With none at hand the same bytes come out as with those that there are."""
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>", encoding="utf-8")
    svg, bare = card(board(bundle("first", "##"))), {**os.environ, "FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}
    done = subprocess.run([sys.executable, "-c", DRAW], input=svg.encode(), capture_output=True, check=True, env=bare)
    assert done.stdout == drawn_card(svg)
