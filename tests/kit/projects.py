"""Projects for tests to build, with a site address in their settings."""

from pathlib import Path

_ROOT = Path(__file__).parents[2]


def project(folder: Path, site: str) -> Path:
    """Create a project with a site address from parts of this project; commands run in its folder."""
    for name in ("site_src", "templates"):
        (folder / name).symlink_to(_ROOT / name)
    settings = (_ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (folder / "mkdocs.yml").write_text(f"{settings}\nsite_url: {site}\n", encoding="utf-8")
    return folder
