#!/usr/bin/env python3
"""Turns the problems that `sitegen validate --format json` prints into a report that GitLab shows in a merge request.

Usage: sitegen validate --format json | python tools/code_quality.py > gl-code-quality-report.json
"""

import hashlib
import json
import sys
from typing import Any

WEIGHTS = {"error": "major", "warning": "minor"}


def issue(problem: dict[str, Any]) -> dict[str, object]:
    """Give a problem as GitLab has it. It stays the same one where only its line moves."""
    known = "\0".join((problem["code"], problem["path"], problem["what"]))
    return {
        "description": f"{problem['what']}. Fix: {problem['fix']}",
        "check_name": problem["code"],
        "fingerprint": hashlib.sha256(known.encode()).hexdigest(),
        "severity": WEIGHTS[problem["severity"]],
        "location": {"path": problem["path"], "lines": {"begin": problem["line"] or 1}},
    }


if __name__ == "__main__":
    json.dump([issue(each) for each in json.load(sys.stdin)["problems"]], sys.stdout, indent=1)
