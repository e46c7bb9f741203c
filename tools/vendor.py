"""Writes the library for live charts to site_src/assets/vendor/; readers' browsers load it on request.

The converter that draws charts during a build contains exactly the same libraries, so both draw alike. Run this script
if the converter's version changes; a test fails until then.
"""

from importlib.metadata import version
from pathlib import Path

import vl_convert

VENDORED = Path(__file__).resolve().parents[1] / "site_src" / "assets" / "vendor" / "vega-embed.js"

ABOUT = f"""\
/*! Vega-Embed {vl_convert.get_vega_embed_version()}, with Vega {vl_convert.get_vega_version()}, Vega-Lite \
{vl_convert.get_vegalite_versions()[-1]}, Vega-Tooltip and the interpreter of expressions: (c) University of Washington
Interactive Data Lab and other contributors, BSD 3-Clause License. With parts of D3, (c) Mike Bostock, ISC License.
Bundled by vl-convert {version("vl-convert-python")}; written by tools/vendor.py. */
"""


def bundle() -> str:
    """Return the library as a module that exports `vegaEmbed`."""
    return ABOUT + vl_convert.javascript_bundle("export { vegaEmbed };") + "\n"


if __name__ == "__main__":
    VENDORED.parent.mkdir(parents=True, exist_ok=True)
    VENDORED.write_text(bundle(), encoding="utf-8", newline="\n")
    print(f"{VENDORED.name}: {VENDORED.stat().st_size / 1024:.0f} KB")
