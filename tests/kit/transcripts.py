"""Transcripts of agents' runs, and a server for a site that shows them."""

import functools
import hashlib
import http.server
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

Json = dict[str, Any]

AGENT = {"name": "terminus-2", "version": "2.0.0", "model_name": "demo/alder-1"}


def user(message: object, **facts: Any) -> Json:  # noqa: ANN401 - any field of a step
    """Return a step with a message from the user to the agent."""
    return {"source": "user", "message": message, **facts}


def ran(command: str, shown: object, **facts: Any) -> Json:  # noqa: ANN401 - as above
    """Return an agent's step with one command and its output."""
    arguments = {"keystrokes": command, "duration": 0.1}
    call = {"tool_call_id": "c1", "function_name": "bash_command", "arguments": arguments}
    result = {"source_call_id": "c1", "content": shown}
    defaults = {"message": "", "tool_calls": [call], "observation": {"results": [result]}}
    return {"source": "agent", **defaults, **facts}


def transcript(*steps: Json, **facts: Any) -> Json:  # noqa: ANN401 - any field of a transcript
    """Return a complete transcript with numbered steps."""
    numbered = [{"step_id": number, **step} for number, step in enumerate(steps, start=1)]
    return {"schema_version": "ATIF-v1.7", "agent": AGENT, "steps": numbered, **facts}


SPENT = {"prompt_tokens": 1000, "completion_tokens": 50, "cached_tokens": 800, "cost_usd": 0.001}
LONG = "\n".join(f"line {number} of the log" for number in range(1, 101))

TIDY = transcript(
    user("Make the ledger tidy.\nSort its lines by date.", timestamp="2026-06-18T10:00:00+00:00"),
    ran(
        "ls -la\n",
        "ledger.txt",
        message="I look at what is here.",
        reasoning_content="First find the ledger.\nThen sort it.",
        timestamp="2026-06-18T10:00:05+00:00",
        metrics=SPENT,
    ),
    ran("sort ledger.txt", LONG, message="Now I sort.", timestamp="2026-06-18T10:01:07+00:00", metrics=SPENT),
    {"source": "agent", "message": "Done.", "timestamp": "2026-06-18T10:02:00+00:00", "metrics": SPENT},
)
"""A transcript of four steps, three of them by the agent, with 100 lines of output in the third."""


def name_transcripts(bundle: Path, pattern: str) -> None:
    """Set the path pattern of the transcripts in a bundle's manifest, and update the checksums."""
    manifest = bundle / "submission.toml"
    text = manifest.read_text(encoding="utf-8")
    assert "[provenance]\n" in text
    line = f"[provenance]\ntrajectories = {json.dumps(pattern)}\n"
    manifest.write_text(text.replace("[provenance]\n", line), encoding="utf-8")
    files = sorted(file for file in bundle.iterdir() if file.name != "SHA256SUMS")
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (bundle / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def write_files(folder: Path, files: Mapping[str, object]) -> None:
    """Write files by name: text unchanged, and anything else as JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@contextmanager
def served(
    folder: Path, host: str = "127.0.0.1", allowed: Sequence[str] = (), leads: Mapping[str, str] = MappingProxyType({})
) -> Iterator[str]:
    """Serve a folder, and yield its address.

    Pages from other hosts may read paths with an allowed prefix; `leads` contains redirects.
    """

    class Server(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
            pass

        def do_GET(self) -> None:
            if self.path not in leads:
                super().do_GET()
                return
            self.send_response(308)
            self.send_header("Location", leads[self.path])
            self.end_headers()

        def end_headers(self) -> None:
            if self.path.startswith(tuple(allowed)):
                self.send_header("Access-Control-Allow-Origin", "*")
            super().end_headers()

    handler = functools.partial(Server, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{host}:{server.server_port}/"
        server.shutdown()
