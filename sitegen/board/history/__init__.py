"""What changed on boards: between two states, from release to release, from version to version.

In go boards, releases and results of an earlier and a later state; out come values that say what
differs, and reports of them. `differences` compares two values or documents of any kind: read it
first. The others build on it:

- Two states of boards: `changes` finds what differs, `changes_report` writes it for people and
  programs, and `proposal` puts it into the text of a pull request.
- Releases: `releases` locks boards and follows rows from release to release, `ledger` lists what
  happened in each of them, and `causes` says why.
- One submission: `revisions` has what was corrected or run again.
- A track and the one that replaced it: `versions` compares agents over the tasks that both share,
  and `successor_rounds` says what became of the same agents' rounds.
"""
