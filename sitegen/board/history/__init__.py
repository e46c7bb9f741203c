"""Changes to boards: between two states, from release to release, and to a track's successor.

The functions take boards, releases and results of an earlier and a later state, and return the
differences and reports on them. `differences` compares two values or documents of any kind: read
it first. The others build on it:

- Two states of boards: `changes` finds the differences, `changes_report` writes them for people and
  programs, and `proposal` writes them as the text of a pull request.
- Releases: `releases` locks boards and follows rows from release to release, `ledger` lists the
  events of each release, and `causes` explains them.
- One submission: `revisions` has the values corrected and the rounds run again.
- A track and its successor: `versions` compares agents over the tasks that both share, and
  `successor_rounds` compares the rounds of the same agents.
"""
