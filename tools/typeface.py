"""Writes the site's typeface to site_src/assets/vendor/: Archivo, reduced to the characters and weights that pages use.

The typeface comes from its npm package; fontTools, which is downloaded only for this purpose, reduces it. Run this
script if a version below changes or a character is missing. sitegen.css contains a matching fallback.
"""

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGE = "@fontsource-variable/archivo@5.3.0"
CUTTERS = ("fonttools==4.68.0", "brotli==1.2.0")
VENDORED = Path(__file__).resolve().parents[1] / "site_src" / "assets" / "vendor"

WEIGHTS = "wght=400:680"
LETTERS = "U+20-7E,U+A0,U+C0-FF,U+131,U+152-153,U+2018-2019,U+201C-201D"
SIGNS = "U+A7,U+A9,U+AB,U+AE,U+B0-B1,U+B5,U+B7,U+BB,U+2013-2014,U+2022,U+2026,U+20AC,U+2191,U+2193,U+2212"
FEATURES = "ccmp,kern,mark,rvrn,tnum"


def cut(typeface: Path, work: Path) -> bytes:
    """Return a reduced copy of a WOFF2 typeface; the same versions give the same bytes."""
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", work / "cutters", *CUTTERS], check=True)
    environment = {**os.environ, "PYTHONPATH": str(work / "cutters"), "SOURCE_DATE_EPOCH": "0"}
    lighter, small = work / "lighter.ttf", work / "small.woff2"
    fonttools = [sys.executable, "-m", "fontTools"]
    subprocess.run(
        [*fonttools, "varLib.instancer", "-q", typeface, WEIGHTS, "-o", lighter],
        env=environment,
        check=True,
    )
    wanted = [
        f"--unicodes={LETTERS},{SIGNS}",
        f"--layout-features={FEATURES}",
        "--flavor=woff2",
        "--no-hinting",
    ]
    subprocess.run(
        [*fonttools, "subset", lighter, *wanted, f"--output-file={small}"],
        env=environment,
        check=True,
    )
    return small.read_bytes()


def main() -> None:
    """Download the package, reduce the typeface, and store its licence next to it."""
    with TemporaryDirectory() as folder:
        work = Path(folder)
        subprocess.run(
            ["npm", "pack", "--silent", PACKAGE], cwd=work, check=True, stdout=subprocess.DEVNULL
        )
        with tarfile.open(next(work.glob("*.tgz"))) as package:
            package.extractall(work, filter="data")
        came = work / "package"
        small = cut(came / "files" / "archivo-latin-wght-normal.woff2", work)
        (VENDORED / "archivo.woff2").write_bytes(small)
        (VENDORED / "archivo.OFL.txt").write_bytes((came / "LICENSE").read_bytes())
    print(f"archivo.woff2: {len(small) / 1024:.1f} KB")


if __name__ == "__main__":
    main()
