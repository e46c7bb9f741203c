"""A replacement for GitHub's API, with the parts that the comment on a pull request needs."""

import io
import json
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

Json: TypeAlias = Any

REPOSITORY = "acme/boards"
COMMIT = "c0ffee" * 6 + "c0ff"
FORK = {"id": 7, "full_name": "stranger/boards", "owner": {"login": "stranger"}}
TOKEN = "a-token-of-the-test"  # noqa: S105 - opens nothing
WRITER = "github-actions[bot]"


def packed(report: bytes, name: str = "report.md") -> bytes:
    """Return a report packed like a GitHub artifact."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, report)
    return file.getvalue()


@dataclass
class GitHub:
    """Pull request 12, from the branch `runs` of a fork.

    Attributes:
        files: The names of the files that the pull request changes.
        artifact: The packed output of the check; None if there is none.
        head: The last commit of the pull request.
        conclusion: The conclusion of the check's run.
        comments: The comments on the pull request.
        tokens: The token of every request, by path.
        address: The address of the API.
    """

    files: list[str] = field(default_factory=lambda: ["results/demo/submissions/new/rounds.jsonl"])
    artifact: bytes | None = None
    head: str = COMMIT
    conclusion: str = "failure"
    comments: list[Json] = field(default_factory=list)
    tokens: dict[str, str | None] = field(default_factory=dict)
    address: str = ""

    @property
    def event(self) -> Json:
        """The event of a workflow that runs after the check; it does not name pull requests from forks."""
        run = {
            "id": 99,
            "event": "pull_request",
            "head_sha": COMMIT,
            "head_branch": "runs",
            "head_repository": FORK,
            "conclusion": self.conclusion,
            "html_url": f"https://github.com/{REPOSITORY}/actions/runs/99",
            "pull_requests": [],
        }
        return {"workflow_run": run}

    def answer(self, path: str, query: Mapping[str, list[str]]) -> Json:
        """Return the response to a GET request."""
        pull = {
            "number": 12,
            "changed_files": len(self.files),
            "head": {"sha": self.head, "repo": {"id": FORK["id"]}},
        }
        page = slice(100 * (int(query.get("page", ["1"])[0]) - 1), 100 * int(query.get("page", ["1"])[0]))
        artifacts = [{"id": 5, "name": "report", "expired": False}] if self.artifact is not None else []
        return {
            "/pulls": [pull] if query.get("head") == ["stranger:runs"] else [],
            "/pulls/12": pull,
            "/pulls/12/files": [{"filename": name} for name in self.files][page],
            "/issues/12/comments": self.comments[page],
            "/actions/runs/99/artifacts": {"artifacts": artifacts},
        }[path]

    def write(self, path: str, body: str) -> None:
        """Store a new comment, or update an existing one."""
        if path == "/issues/12/comments":
            self.comments.append({"id": 1000 + len(self.comments), "user": {"login": WRITER}, "body": body})
        else:
            (old,) = (comment for comment in self.comments if path == f"/issues/comments/{comment['id']}")
            old["body"] = body


@contextmanager
def serving(github: GitHub) -> Iterator[GitHub]:
    """Serve the API on this machine until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            path = asked.path.removeprefix(f"/repos/{REPOSITORY}")
            github.tokens[path] = self.headers["Authorization"]
            if path == "/actions/artifacts/5/zip":
                self._send(302, b"", f"{github.address}/elsewhere")
            elif path == "/elsewhere":
                self._send(200, github.artifact or b"")
            else:
                self._send(200, json.dumps(github.answer(path, parse_qs(asked.query))).encode())

        def do_POST(self) -> None:
            path = self.path.removeprefix(f"/repos/{REPOSITORY}")
            github.tokens[path] = self.headers["Authorization"]
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            github.write(path, content["body"])
            self._send(200, b"{}")

        do_PATCH = do_POST  # noqa: N815 - the server's name for it

        def _send(self, code: int, content: bytes, location: str | None = None) -> None:
            self.send_response(code)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        github.address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield github
        finally:
            server.shutdown()
