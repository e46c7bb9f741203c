"""Decide whether whoever makes a request sent in a published submission.

The earlier state's `[submitter]` decides: its `accounts` are compared with the account that opens
the request, its `contact` with the addresses of the commits' authors. Start with
`RequestAuthor.evidence_for`.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sitegen.store.files.git_states import commit_emails, user_email
from sitegen.store.files.raw_documents import RawTable, get_table, list_texts

DEFAULT_HOST = "github"
"""The host of an account that is stated without one."""

_SEPARATORS = re.compile(r"[\s<>(),;]+")


AuthorEvidence = Literal["account", "contact", "denied", "unknown"]
"""What shows whether a submission is from the author of a request.

`account`: the account that opens the request is among the submission's. `contact`: every commit
has the address of the submission's contact, which anybody can write into a commit. `denied`: the
submission names accounts, and this one is not among them.
"""


@dataclass(frozen=True, slots=True)
class RequestAuthor:
    """The author of a request, if known."""

    account: str = ""
    """The account that opens the request, as HOST:NAME in lower case; empty if unknown."""
    emails: frozenset[str] = field(default_factory=frozenset)
    """Mail addresses of the commits' authors, in lower case; they count without an account."""

    @classmethod
    def of_request(cls, account: str | None, base: str, results: Path) -> "RequestAuthor":
        """Return the author of the changes since an earlier state.

        Args:
            account: The account that opens the request, NAME or HOST:NAME; None if unknown.
            base: The earlier state: a revision, or a folder.
            results: The results folder. Changes of it that are not committed count as those of the
                configured git user.
        """
        emails = {email.casefold() for email in commit_emails(results, base)}
        return cls(normal_account(account or ""), frozenset(emails))

    @classmethod
    def in_folder(cls, account: str | None, results: Path) -> "RequestAuthor":
        """Return whoever works in a results folder: an account, and the configured git user."""
        email = user_email(results).casefold()
        return cls(normal_account(account or ""), frozenset({email} if email else ()))

    def evidence_for(self, manifest: RawTable) -> AuthorEvidence:
        """Return what shows whether a submission is the author's.

        Args:
            manifest: Content of the submission's manifest in the earlier state.
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
    """Return the mail addresses of a contact, in lower case: `Ann <ann@example.org>` has one."""
    words = _SEPARATORS.split(contact.casefold())
    return {word.removeprefix("mailto:") for word in words if "@" in word}


def normal_account(account: str) -> str:
    """Return an account as HOST:NAME in lower case; the host is GitHub where none is stated."""
    text = account.strip().casefold()
    host, separator, name = text.rpartition(":")
    if not name:
        return ""
    if not separator:
        host = DEFAULT_HOST
    return f"{host}:{name.removeprefix('@')}"
