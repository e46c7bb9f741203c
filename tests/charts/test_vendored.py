"""The library for live charts is the one that the converter draws with."""

from pathlib import Path

import vl_convert

VENDORED = Path(__file__).resolve().parents[2] / "site_src" / "assets" / "vendor" / "vega-embed.js"


def test_it_has_the_converters_versions() -> None:
    """After a new release of the converter, run tools/vendor.py."""
    about = VENDORED.read_text(encoding="utf-8").partition("*/")[0]
    assert f"Vega-Embed {vl_convert.get_vega_embed_version()}," in about
    assert f"Vega {vl_convert.get_vega_version()}," in about
    assert f"Vega-Lite {vl_convert.get_vegalite_versions()[-1]}," in about


def test_it_loads_nothing_more() -> None:
    text = VENDORED.read_text(encoding="utf-8")
    assert "import(" not in text
    assert "sourceMappingURL" not in text
