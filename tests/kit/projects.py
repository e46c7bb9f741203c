"""Projects whose settings say where their site is published, for tests to build."""

from pathlib import Path

_ROOT = Path(__file__).parents[2]


def project(folder: Path, site: str) -> Path:
    """Make a project of the parts of this one, whose site is published at an address; run commands in its folder."""
    for name in ("site_src", "templates"):
        (folder / name).symlink_to(_ROOT / name)
    settings = (_ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (folder / "mkdocs.yml").write_text(f"{settings}\nsite_url: {site}\n", encoding="utf-8")
    return folder
