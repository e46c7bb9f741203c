"""Read the domain and the workflow of a task from its id.

An id such as `theme_d10_w10_ml_ai_mlops_forensics_analysis` contains the numbers of both, then the
words of both.
"""

import re
from collections.abc import Mapping

DOMAIN = "domain"
WORKFLOW = "workflow"

SUMMARIES: Mapping[str, str] = {
    DOMAIN: (
        "The technical field of a task, taken from the task's id: d10 stands for ML/AI & MLOps."
    ),
    WORKFLOW: (
        "The kind of work in a task, taken from the task's id: w10 stands for forensics & analysis."
    ),
}
"""The note that pages show about each of the two axes, by axis."""

_TASK_ID = re.compile(r"theme_d\d+_w\d+_(?P<words>[a-z0-9]+(?:_[a-z0-9]+)*?)(?:__\w+)?")

_DOMAINS: Mapping[str, str] = {
    "code_build": "Code & build",
    "testing_quality": "Testing & quality",
    "data_engineering": "Data engineering",
    "database_storage": "Database & storage",
    "systems_networking": "Systems & networking",
    "cloud_devops": "Cloud & DevOps",
    "security": "Security",
    "ml_ai_mlops": "ML/AI & MLOps",
    "scientific_numerical": "Scientific & numerical",
    "automation_productivity": "Automation & productivity",
}
"""Titles of domains, by their words in an id."""

_WORKFLOWS: Mapping[str, str] = {
    "greenfield_implementation": "Greenfield implementation",
    "brownfield_modification": "Brownfield modification",
    "migration_upgrade": "Migration & upgrade",
    "integration_e2e_wiring": "Integration & end-to-end wiring",
    "security_patch_hardening": "Security patch & hardening",
    "reproducibility_verification": "Reproducibility & verification",
    "forensics_analysis": "Forensics & analysis",
    "automation_scripting": "Automation & scripting",
    "explanation_reporting": "Explanation & reporting",
}
"""Titles of workflows, by their words in an id."""


def kinds_of(task_id: str) -> dict[str, str]:
    """Return the domain and the workflow of a task as labels; empty if its id does not name both.

    If only one of the two is known, the remaining words of the id become the title of the other.
    """
    match = _TASK_ID.fullmatch(task_id)
    if match is None:
        return {}
    words = match["words"]
    for workflow, title in _WORKFLOWS.items():
        domain = words.removesuffix(f"_{workflow}")
        if domain != words:
            return {DOMAIN: _DOMAINS.get(domain, _title_of(domain)), WORKFLOW: title}
    for domain, title in _DOMAINS.items():
        workflow = words.removeprefix(f"{domain}_")
        if workflow != words:
            return {DOMAIN: title, WORKFLOW: _title_of(workflow)}
    return {}


def _title_of(words: str) -> str:
    """Return the title made from words of an id."""
    return words.replace("_", " ").capitalize()
