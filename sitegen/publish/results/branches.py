"""Commit changes to a results folder on a new branch of the repository around it.

Start with `Repository.around` and `Repository.commit`. Only `Repository.open_request` sends data.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sitegen.problems import UsageError

_GIT = ("git", "-C")
_NOTHING_CHANGED = "nothing was changed here"
_MAX_SHOWN_CHANGES = 3
_STATUS_WIDTH = 3
"""Width of the status columns before a path in `git status --porcelain`."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The git repository of a results folder."""

    root: Path
    """The root of the working tree."""
    results: Path
    """The results folder, relative to the root."""

    @classmethod
    def around(cls, results: Path) -> "Repository | None":
        """Return the repository around a results folder.

        Returns None if the folder is not in a repository with a commit, if the repository ignores
        the folder, or if git is not installed.
        """
        folder = results.resolve()
        try:
            top = _git(folder, "rev-parse", "--show-toplevel", "--verify", "HEAD")
            if top.returncode or not _git(folder, "check-ignore", "--quiet", ".").returncode:
                return None
        except OSError:
            return None
        first_line = top.stdout.splitlines()[0]
        root = Path(os.fsdecode(first_line)).resolve()
        if not folder.is_relative_to(root):
            return None
        return cls(root, folder.relative_to(root))

    def require_branch_name(self, branch: str) -> None:
        """Check that a name can be used for a new branch, before any file is written.

        Raises:
            UsageError: Git forbids the name or reads it as another branch (such as `@{-1}`), or a
                branch exists whose name is a parent folder of the name.
        """
        check = _git(self.root, "check-ref-format", "--branch", branch)
        checked_name = check.stdout.decode(errors="replace").rstrip("\n")
        is_head = branch in {"@", "HEAD"}  # older versions of git allow these
        if is_head or check.returncode or checked_name != branch:
            raise UsageError(
                f"--branch is `{branch}`, which git does not accept as a branch name; use letters, "
                "digits and `-`"
            )
        for parent in Path(branch).parents:
            if parent.name and self._has_branch(parent.as_posix()):
                raise UsageError(
                    f"a branch {parent} exists, so no branch can be called {branch}; "
                    "choose another name"
                )

    def _has_branch(self, branch: str) -> bool:
        reference = f"refs/heads/{branch}"
        return not _git(self.root, "rev-parse", "--verify", "--quiet", reference).returncode

    def require_clean(self) -> None:
        """Check that all results are committed, so that a branch contains only the new changes.

        Raises:
            UsageError: Some results are not committed.
        """
        status = self._run(
            "status", "--porcelain", "--untracked-files=all", "--", self.results.as_posix()
        )
        if status:
            changes = status.splitlines()[:_MAX_SHOWN_CHANGES]
            paths = ", ".join(line[_STATUS_WIDTH:] for line in changes)
            raise UsageError(
                f"{self.results} has changes that are not committed: {paths}; "
                "commit or remove them first"
            )

    def commit(self, branch: str, files: Mapping[str, bytes], message: str) -> str:
        """Commit files on a new branch and switch to it, completely or not at all.

        The commit is created without touching the working tree; at the end, git updates the working
        tree in one step.

        Args:
            branch: Name of the branch.
            files: Contents of files, by their names below the results folder.
            message: The commit message.

        Returns:
            The abbreviated hash of the commit.

        Raises:
            UsageError: The branch exists with other files, or git reports an error.
        """
        tree = self._write_tree(files)
        existing = _git(
            self.root, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{tree}}"
        )
        is_new = existing.returncode != 0
        if is_new:
            commit = self._run("commit-tree", tree, "-p", "HEAD", "-m", message)
            self._run("update-ref", f"refs/heads/{branch}", commit, "")
        elif existing.stdout.decode().strip() != tree:
            raise UsageError(
                f"a branch {branch} already exists with other contents; name another branch with "
                "--branch"
            )
        try:
            short_hash = self._run("rev-parse", "--short", f"refs/heads/{branch}")
            self._switch(branch)
        except UsageError:
            if is_new and not self._is_checked_out(branch):
                remaining = f"branch {branch} was created and kept, but is not checked out"
                self._run("update-ref", "-d", f"refs/heads/{branch}", outcome=remaining)
            raise
        return short_hash

    def _switch(self, branch: str) -> None:
        """Check out a branch.

        Raises:
            UsageError: Git reports an error, or a hook that runs on checkout failed.
        """
        try:
            self._run("switch", "--quiet", branch)
        except UsageError as error:
            if not self._is_checked_out(branch):
                raise
            message = f"git switch failed; branch {branch} has the commit and is checked out"
            raise UsageError(message, *error.args[1:]) from error

    def _is_checked_out(self, branch: str) -> bool:
        head = _git(self.root, "symbolic-ref", "--quiet", "HEAD")
        return head.stdout.decode(errors="replace").strip() == f"refs/heads/{branch}"

    def _write_tree(self, files: Mapping[str, bytes]) -> str:
        """Return the id of a tree with the files of HEAD and the given files."""
        with tempfile.TemporaryDirectory() as work:
            index = f"{work}/index"
            self._run("read-tree", "HEAD", index=index)
            for name, content in files.items():
                path = (self.results / name).as_posix()
                blob = self._run("hash-object", "-w", "--stdin", "--path", path, stdin=content)
                entry = f"100644,{blob},{path}"
                self._run("update-index", "--add", "--cacheinfo", entry, index=index)
            return self._run("write-tree", index=index)

    def request_program(self) -> str | None:
        """Return the installed command-line tool that opens pull requests on the repository's host.

        Returns None if the repository has no remote `origin`, or if the tool is not installed.
        """
        remote = _git(self.root, "remote", "get-url", "origin")
        program = "glab" if b"gitlab" in remote.stdout else "gh"
        if remote.returncode or not shutil.which(program):
            return None
        return program

    def open_request(self, program: str, branch: str, title: str, text: str) -> None:
        """Push a branch, and open a pull request or merge request for it.

        Raises:
            UsageError: The push or the request failed.
        """
        outcome = f"branch {branch} is committed here, but not pushed"
        self._run("push", "--set-upstream", "origin", branch, outcome=outcome)
        command = ["gh", "pr", "create", "--title", title, "--body", text]
        request = "pull request"
        if program == "glab":
            command = ["glab", "mr", "create", "--title", title, "--description", text, "--yes"]
            request = "merge request"
        if subprocess.run(command, cwd=self.root, check=False).returncode:
            raise UsageError(
                f"{branch} was pushed, but {program} did not open a {request}; "
                "open one in the browser"
            )

    def _run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        index: str = "",
        outcome: str = _NOTHING_CHANGED,
    ) -> str:
        """Run git in the repository and return its output.

        Args:
            arguments: The git command and its arguments.
            stdin: Standard input for git.
            index: The index file; empty for the repository's own.
            outcome: A sentence about the state of the repository if the command fails.

        Raises:
            UsageError: The git command failed.
        """
        process = _git(self.root, *arguments, stdin=stdin, index=index)
        if process.returncode:
            reason = process.stderr.decode(errors="replace").strip()
            reason = reason or f"exit code {process.returncode}"
            raise UsageError(f"git {arguments[0]} failed; {outcome}", *reason.splitlines())
        return process.stdout.decode(errors="replace").strip("\n")


def _git(
    folder: Path, *arguments: str, stdin: bytes = b"", index: str = ""
) -> "subprocess.CompletedProcess[bytes]":
    """Run git in a folder, with a separate index file if one is given."""
    environment = {**os.environ, "GIT_INDEX_FILE": index} if index else None
    command = [*_GIT, str(folder), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, env=environment)
