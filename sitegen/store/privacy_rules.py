"""The rules about what is nobody's business: results are published as they are sent in."""

from sitegen.problems import Rule

SECRET_FOUND = Rule(
    "SECRET-FOUND",
    "error",
    "No file holds a key.",
    "revoke the key, write `[redacted]` in its place, and run `sha256sum` over the bundle's files again",
)
PERSONAL_PATH = Rule(
    "PERSONAL-PATH",
    "warning",
    "No file tells of a person's home folder.",
    "write `…/` in the place of the folders, and run `sha256sum` over the bundle's files again",
)
PERSONAL_EMAIL = Rule(
    "PERSONAL-EMAIL",
    "warning",
    "A manifest has no e-mail address but that of `submitter.contact`.",
    "remove the address, or give it as `submitter.contact`",
)
TEXT_DECEPTIVE = Rule(
    "TEXT-DECEPTIVE",
    "warning",
    "No text holds characters that turn its direction or drive a terminal.",
    "remove the characters, and run `sha256sum` over the bundle's files again",
)
