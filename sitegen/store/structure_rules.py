"""The rules about files and folders: how they are called, how large they are, and that none is passed over."""

from sitegen.problems import Rule

FILE_HIDDEN = Rule(
    "FILE-HIDDEN",
    "error",
    "No file or folder of a benchmark is hidden: its name does not begin with a dot.",
    "remove it, or keep it outside of the results folder",
)
BUNDLE_TOO_LARGE = Rule(
    "BUNDLE-TOO-LARGE",
    "error",
    "The files of a bundle have at most 200 MB together.",
    "keep failures in `failures.jsonl.gz`, and shorten their longest texts",
)
