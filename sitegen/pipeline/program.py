"""Which program this is."""

import json
from importlib.metadata import distribution, version


def program_version() -> str:
    """Give the version of this program, as releases keep it."""
    return version("sitegen")


def program_source() -> str:
    """Give where this program was installed from, as pip is to install it again; empty where only its version is known.

    An installer notes it where it took a commit of a repository (PEP 610).
    """
    noted = json.loads(distribution("sitegen").read_text("direct_url.json") or "{}")
    commit = noted.get("vcs_info", {})
    return f"sitegen @ {commit['vcs']}+{noted['url']}@{commit['commit_id']}" if commit else ""
