"""What the bundles of an import are called beside those that stand."""

from datetime import date

import pytest
from kit.small_import import DRAFT, TASK, benchmark, draft, incoming, standing, task_set, track

from sitegen.importers.kit.drafts import LONGEST, bundle_id, bundle_names, longer_id
from sitegen.importers.kit.merge import merge
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.submission import Agent

PAPER = track("paper", tasks="paper")
BOTH = benchmark(track(), PAPER)
DAY = date(2026, 6, 25)
LONG = "Acme-1 with a name that is longer than anybody would want an address to be"
NAME = "2026-06-25-acme-1"


def merged(new: Draft, *old: Draft, findings: tuple[Finding, ...] = ()) -> tuple[str, list[str], tuple[Finding, ...]]:
    """Give the name of a bundle beside others, the codes of what is said of it, and the findings."""
    sets = (task_set(), task_set(TASK, name="paper"))
    addition, problems = merge(
        standing(BOTH, *sets, drafts=old), incoming(BOTH, sets=sets, drafts=(new,), findings=findings)
    )
    (merged_draft,) = addition.drafts
    return merged_draft.id, [problem.code for problem in problems], addition.findings


def reasoning(setting: str | None, scaffold: str | None = None) -> Draft:
    """Make a bundle of the agent under a setting."""
    return draft(agent=Agent(name="Acme-1", reasoning=setting, scaffold=scaffold))


def test_results_of_one_day_on_another_track_are_called_after_the_track() -> None:
    assert merged(draft(track="paper"), DRAFT)[:2] == (f"{NAME}-paper", ["MERGE-NAME-LONGER"])


def test_the_same_import_again_finds_its_bundle_and_says_nothing() -> None:
    standing_drafts = DRAFT, draft(f"{NAME}-paper", track="paper")
    assert merged(draft(track="paper"), *standing_drafts)[:2] == (f"{NAME}-paper", [])
    assert merged(DRAFT, *standing_drafts)[:2] == (NAME, [])


def test_another_setting_of_the_model_is_added_to_the_name() -> None:
    assert merged(reasoning("x high"), reasoning("low"))[0] == f"{NAME}-x-high"
    assert merged(reasoning("low", "codex"), reasoning("low", "terminus-2"))[0] == f"{NAME}-codex"


def test_a_longer_name_that_another_bundle_has_becomes_longer_still() -> None:
    other_draft = draft(f"{NAME}-paper", track="paper", agent=Agent(name="Acme-1", reasoning="low"))
    new = draft(track="paper", agent=Agent(name="Acme-1", reasoning="high"))
    assert merged(new, DRAFT, other_draft)[0] == f"{NAME}-paper-high"


@pytest.mark.parametrize("stated_reasoning", [None, "high"])
def test_what_only_one_of_two_bundles_states_makes_no_other_agent(stated_reasoning: str | None) -> None:
    """The import may correct what stands, which is not for a bundle of another name."""
    new = reasoning(None if stated_reasoning else "high")
    assert merged(new, reasoning(stated_reasoning))[:2] == (NAME, [])


def test_findings_about_a_bundle_name_it_as_it_is_called() -> None:
    note = Finding(date=DAY, kind="note", title="A note", submissions=(NAME,))
    (finding,) = merged(draft(track="paper"), DRAFT, findings=(note,))[2]
    assert finding.submissions == (f"{NAME}-paper",)


def test_a_name_of_60_characters_is_kept_and_a_longer_one_is_cut() -> None:
    name = bundle_id(DAY, "a" * 49)
    assert (len(name), name) == (LONGEST, f"2026-06-25-{'a' * 49}")
    assert len(bundle_id(DAY, "a" * 50)) == LONGEST
    assert len(longer_id(name, "paper")) == LONGEST


def test_long_names_are_told_apart_by_what_is_cut_off() -> None:
    names = bundle_names([(DAY, Agent(name=f"{LONG} {ending}")) for ending in ("indeed", "really")])
    assert names[0].startswith("2026-06-25-acme-1-with-a-name-that-is-longer-than-a")
    assert len(set(names)) == 2
    assert max(map(len, names)) <= LONGEST
    assert names == bundle_names([(DAY, Agent(name=f"{LONG} {name_ending}")) for name_ending in ("indeed", "really")])


def test_settings_that_come_after_a_long_name_tell_bundles_apart() -> None:
    names = bundle_names([(DAY, Agent(name=LONG, reasoning=level)) for level in ("low", "high")])
    assert len(set(names)) == 2
    assert max(map(len, names)) <= LONGEST


def test_a_long_name_on_another_track_is_another_one() -> None:
    standing_draft = draft(bundle_id(DAY, LONG))
    name, codes, _ = merged(draft(standing_draft.id, track="paper"), standing_draft)
    assert name != standing_draft.id
    assert (len(name) <= LONGEST, codes) == (True, ["MERGE-NAME-LONGER"])
    assert merged(draft(standing_draft.id, track="paper"), standing_draft, draft(name, track="paper"))[:2] == (name, [])


def test_a_name_without_a_letter_that_can_stand_in_an_address_is_told_by_its_digest() -> None:
    """Two agents that are written in another script are two bundles."""
    names = {bundle_id(DAY, agent_name) for agent_name in ("通义千问", "文心一言")}
    assert len(names) == 2
    assert all(len(name) == len("2026-06-25-01234567") for name in names)
