"""Commits what a results folder gets on a branch of its own, in the repository around it; nothing is ever sent."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import UsageError

_GIT = ("git", "-C")


@dataclass(frozen=True, slots=True)
class Repository:
    """The git repository that a results folder is in."""

    root: Path
    """Its working tree."""
    results: Path
    """The folder, below the root."""

    @classmethod
    def around(cls, results: Path) -> "Repository | None":
        """Find it; None where the folder is in none that has a commit and holds it, or git is not installed."""
        folder = results.resolve()
        try:
            told = _git(folder, "rev-parse", "--show-toplevel", "--verify", "HEAD")
            if told.returncode or not _git(folder, "check-ignore", "--quiet", ".").returncode:
                return None
        except OSError:
            return None
        root = Path(os.fsdecode(told.stdout.splitlines()[0])).resolve()
        return cls(root, folder.relative_to(root)) if folder.is_relative_to(root) else None

    def require_branch_name(self, branch: str) -> None:
        """See that a branch can have a name, before anything is written.

        Raises:
            UsageError: Git forbids it, or reads it as another branch, such as `@{-1}`.
        """
        checked = _git(self.root, "check-ref-format", "--branch", branch)
        is_head = branch in {"@", "HEAD"}  # which older versions of git let pass
        if (
            is_head
            or checked.returncode
            or checked.stdout.decode(errors="replace").rstrip("\n") != branch
        ):
            raise UsageError(
                f"--branch is `{branch}`, which is no name that git takes for a branch; use letters, digits and `-`"
            )
        for part in Path(branch).parents:
            if part.name and self._has_branch(part.as_posix()):
                raise UsageError(
                    f"there is a branch {part}, so that none can be called {branch}; name another"
                )

    def _has_branch(self, branch: str) -> bool:
        return not _git(
            self.root, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"
        ).returncode

    def require_clean(self) -> None:
        """See that the results are as they were committed, so that a branch brings what is new and nothing else.

        Raises:
            UsageError: They are not.
        """
        changed = self._said(
            "status", "--porcelain", "--untracked-files=all", "--", self.results.as_posix()
        )
        if changed:
            shown = ", ".join(line[3:] for line in changed.splitlines()[:3])
            raise UsageError(
                f"{self.results} has changes that are not committed: {shown}; commit or remove them first"
            )

    def commit(self, branch: str, files: Mapping[str, bytes], message: str) -> str:
        """Commit files, by their names below the results, on a new branch, and go there: all of it, or nothing.

        The commit, whose name comes back, is made beside the working tree, which changes at the end, in one step of
        git's own.

        Raises:
            UsageError: The branch is there and holds something else, or git refuses.
        """
        with tempfile.TemporaryDirectory() as work:
            index = f"{work}/index"
            self._said("read-tree", "HEAD", index=index)
            for name, data in files.items():
                path = (self.results / name).as_posix()
                blob = self._said("hash-object", "-w", "--stdin", "--path", path, told=data)
                self._said(
                    "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", index=index
                )
            tree = self._said("write-tree", index=index)
        known = _git(self.root, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{tree}}")
        if known.returncode == 0:
            if known.stdout.decode().strip() != tree:
                raise UsageError(
                    f"there is a branch {branch} already, with something else; name another with --branch"
                )
        else:
            made = self._said("commit-tree", tree, "-p", "HEAD", "-m", message)
            self._said("update-ref", f"refs/heads/{branch}", made, "")
        try:
            self._said("switch", "--quiet", branch)
        except UsageError:
            if known.returncode:
                self._said("update-ref", "-d", f"refs/heads/{branch}")
            raise
        return self._said("rev-parse", "--short", "HEAD")

    def opener(self) -> str | None:
        """The program that opens pull requests where the repository is published, if it is installed."""
        told = _git(self.root, "remote", "get-url", "origin")
        name = "glab" if b"gitlab" in told.stdout else "gh"
        return name if told.returncode == 0 and shutil.which(name) else None

    def open_request(self, opener: str, branch: str, title: str, text: str) -> None:
        """Push a branch, and open its pull request, or merge request.

        Raises:
            UsageError: Either is refused.
        """
        self._said("push", "--set-upstream", "origin", branch)
        words = ["gh", "pr", "create", "--title", title, "--body", text]
        if opener == "glab":
            words = ["glab", "mr", "create", "--title", title, "--description", text, "--yes"]
        if subprocess.run(words, cwd=self.root, check=False).returncode:
            raise UsageError(
                f"{branch} is pushed, and {opener} opened nothing; open it in the browser"
            )

    def _said(self, *words: str, told: bytes = b"", index: str = "") -> str:
        ended = _git(self.root, *words, told=told, index=index)
        if ended.returncode:
            why = ended.stderr.decode(errors="replace").strip() or f"exit code {ended.returncode}"
            raise UsageError(f"git {words[0]} failed; nothing is changed here", *why.splitlines())
        return ended.stdout.decode(errors="replace").strip("\n")


def _git(
    folder: Path, *words: str, told: bytes = b"", index: str = ""
) -> "subprocess.CompletedProcess[bytes]":
    environment = {**os.environ, "GIT_INDEX_FILE": index} if index else None
    command = [*_GIT, str(folder), *words]
    return subprocess.run(command, input=told, capture_output=True, check=False, env=environment)
