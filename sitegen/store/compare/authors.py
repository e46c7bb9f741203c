"""Decide whether the author of a request submitted a published submission.

The earlier state's `[submitter]` decides: its `accounts` are compared with the account that opens
the request, its `contact` with the addresses of the commits' authors. Read
`RequestAuthor.evidence_for` first.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sitegen.store.files.git_states import commit_emails, user_email
from sitegen.store.files.raw_documents import RawTable, get_table, list_texts

DEFAULT_HOST = "github"
"""The default host of an account."""

_SEPARATORS = re.compile(r"[\s<>(),;]+")


AuthorEvidence = Literal["account", "contact", "denied", "unknown"]
"""The evidence that a submission belongs to the author of a request.

`account`: the account that opens the request is one of the submission's accounts. `contact`: every
commit has the address of the submission's contact, which anyone can write into a commit. `denied`:
the submission names accounts, but not this one. `unknown`: there is no evidence.
"""


@dataclass(frozen=True, slots=True)
class RequestAuthor:
    """The author of a request, as far as known."""

    account: str = ""
    """The account that opens the request, as HOST:NAME in lower case; empty if unknown."""
    emails: frozenset[str] = field(default_factory=frozenset)
    """Email addresses of the commits' authors, in lower case; unused if the account is known."""

    @classmethod
    def of_request(cls, account: str | None, base: str, results: Path) -> "RequestAuthor":
        """Return the author of the changes since an earlier state.

        Args:
            account: The account that opens the request, NAME or HOST:NAME; None if unknown.
            base: The earlier state: a revision, or a folder.
            results: The results folder. Uncommitted changes are attributed to the configured git
                user.
        """
        emails = {email.casefold() for email in commit_emails(results, base)}
        return cls(normal_account(account or ""), frozenset(emails))

    @classmethod
    def in_folder(cls, account: str | None, results: Path) -> "RequestAuthor":
        """Return the author of changes in a folder: an account, and the configured git user."""
        email = user_email(results).casefold()
        return cls(normal_account(account or ""), frozenset({email} if email else ()))

    def evidence_for(self, manifest: RawTable) -> AuthorEvidence:
        """Return the evidence that the author submitted a submission.

        Args:
            manifest: The content of the submission's manifest in the earlier state.
        """
        submitter = get_table(manifest, "submitter")
        accounts = {normal_account(name) for name in list_texts(submitter, "accounts")}
        if self.account and not accounts:
            return "unknown"
        if self.account:
            return "account" if self.account in accounts else "denied"
        contact = _addresses_in(str(submitter.get("contact", "")))
        if self.emails and contact and self.emails <= contact:
            return "contact"
        return "unknown"


NOBODY = RequestAuthor()
"""An unknown author."""


def _addresses_in(contact: str) -> set[str]:
    """Return the email addresses in a contact such as `Ann <ann@example.org>`, in lower case."""
    words = _SEPARATORS.split(contact.casefold())
    return {word.removeprefix("mailto:") for word in words if "@" in word}


def normal_account(account: str) -> str:
    """Return an account as HOST:NAME in lower case; empty without a name."""
    text = account.strip().casefold()
    host, separator, name = text.rpartition(":")
    if not name:
        return ""
    if not separator:
        host = DEFAULT_HOST
    return f"{host}:{name.removeprefix('@')}"
