"""What a page may load and run. A policy in its head says so, and names the page's own inline scripts by their hashes.

Browsers enforce it: what text from elsewhere might smuggle in neither runs nor sends anything.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator

from sitegen.problems import BuilderError

CHARSET = '<meta charset="utf-8">'
"""The first thing in the head of a page, as the theme writes it; the policy follows."""

HOSTS_SLOT = "@@hosts@@"
"""Where a shell leaves room for the hosts that a page's scripts may ask."""

_HOST = re.compile(r"https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")
_ATTRIBUTES = r'(?:\s+[\w-]+(?:="[^"]*")?)*'
_INLINE = re.compile(
    rf'<script(?!{_ATTRIBUTES}\s+src=")(?!\w)(?P<attributes>[^>]*)>(?P<text>.*?)</script', re.DOTALL | re.IGNORECASE
)
_STYLE = re.compile(r"<style>(?P<text>.*?)</style>", re.DOTALL)
_DATA = re.compile(r'(?: id="\w+")? type="application/(?:ld\+)?json"')
_META = '<meta http-equiv="Content-Security-Policy" content="'


def guarded(skeleton: str, hosts: str = "") -> str:
    """Put a page's policy at the beginning of its head, before anything of the results is in the page.

    Args:
        skeleton: A whole page, without any text of the results: each script that is in it may run.
        hosts: Hosts that its scripts may ask, each after a blank; or a slot for them.

    Raises:
        BuilderError: The page has no head to put it in.
    """
    before, charset, after = skeleton.partition(CHARSET)
    if not charset:
        raise BuilderError(f"the theme's pages do not begin with {CHARSET}, so they can't be given a policy")
    return f'{before}{charset}\n  {_META}{_policy(skeleton, hosts)}">{after}'


def require_known_scripts(name: str, page: str) -> None:
    """Refuse a finished page with an inline script that its skeleton does not have.

    Args:
        name: The page's file.
        page: A whole page.

    Raises:
        BuilderError: It has one, so some text has become a part of the page.
    """
    policy = page.partition(_META)[2].partition('"')[0]
    for script in _scripts(page):
        if _sha256(script) not in policy:
            told = f"{name} has a script that is none of the theme's, so its policy does not name it"
            raise BuilderError(f"{told}; move it into a file if a template has it: {script.strip()[:80]!r}")


def asked_hosts(hosts: tuple[str, ...]) -> str:
    """Write hosts as a policy names them.

    Args:
        hosts: Origins, such as `https://example.org`.

    Raises:
        BuilderError: One is no origin, and might say more in a policy than it should.
    """
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise BuilderError(f"{host!r} is no origin that a page's scripts could ask, such as https://example.org")
    return "".join(f" {host}" for host in hosts)


def _policy(page: str, hosts: str) -> str:
    """Write a policy. Styles need attributes for the lengths of bars, pictures need data for the theme's icons."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self'{_hashes(_scripts(page))}",
            f"style-src 'self'{_hashes(each['text'] for each in _STYLE.finditer(page))}",
            "style-src-attr 'unsafe-inline'",
            "img-src 'self' data:",
            f"connect-src 'self'{hosts}",
            "worker-src 'self'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )


def _scripts(page: str) -> Iterator[str]:
    """Find a page's inline scripts. Blocks of data run nothing and need no hash."""
    return (each["text"] for each in _INLINE.finditer(page) if not _DATA.fullmatch(each["attributes"]))


def _hashes(texts: Iterable[str]) -> str:
    """Name texts by their hashes, each once, as a policy does."""
    return "".join(f" 'sha256-{_sha256(text)}'" for text in dict.fromkeys(texts))


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
