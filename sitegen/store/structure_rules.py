"""The rules about files and folders: how they are called, how large they are, and that none is passed over."""

from sitegen.errors import Rule

FILE_HIDDEN = Rule(
    "FILE-HIDDEN",
    "error",
    "No file or folder of a benchmark is hidden: its name does not begin with a dot.",
    "remove it, or keep it outside of the results folder",
)
NAME_ODD = Rule(
    "NAME-ODD",
    "error",
    "Names are made of characters that can be seen.",
    "write it with letters, digits, signs and plain blanks alone",
)
FILE_EMPTY = Rule("FILE-EMPTY", "error", "A file that is there holds something.", "remove it, or add its lines")
FILE_TOO_LARGE = Rule(
    "FILE-TOO-LARGE",
    "error",
    "A file has at most 100 MB, which is what git hosts take, 200 MB unpacked, or 1 MB where people write it.",
    "keep failures in `failures.jsonl.gz`, and shorten their longest texts",
)
BUNDLE_TOO_LARGE = Rule(
    "BUNDLE-TOO-LARGE",
    "error",
    "The files of a bundle have at most 200 MB together.",
    "keep failures in `failures.jsonl.gz`, and shorten their longest texts",
)
