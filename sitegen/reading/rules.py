"""The rules that every file keeps, wherever it comes from. Codes are stable: programs and waivers refer to them."""

from sitegen.problems import Rule

FILE_MISSING = Rule("FILE-MISSING", "error", "Every file that the format asks for is there.", "add the file")
LINK_REFUSED = Rule(
    "LINK-REFUSED",
    "error",
    "Files are plain files: nothing in a folder leads elsewhere.",
    "put the file itself in the place of the link",
)
FILE_UNREADABLE = Rule("FILE-UNREADABLE", "error", "Every file can be read.", "write the file again")
FILE_EMPTY = Rule("FILE-EMPTY", "error", "A file that is there holds something.", "remove it, or add its lines")
FILE_TOO_LARGE = Rule(
    "FILE-TOO-LARGE",
    "error",
    "A file has a size that its kind needs, packed and unpacked, and at most 100 MB, which is what git hosts take.",
    "keep failures in `failures.jsonl.gz`, and shorten the longest texts",
)
TEXT_NOT_UTF8 = Rule("TEXT-NOT-UTF8", "error", "Text is UTF-8.", "save the file as UTF-8")
TEXT_MARKED = Rule(
    "TEXT-BYTE-ORDER-MARK",
    "error",
    "Text is UTF-8 without a byte order mark.",
    "save the file as UTF-8 without a byte order mark (BOM)",
)
JSON_SYNTAX = Rule(
    "JSON-SYNTAX", "error", "JSON follows its grammar, and every line of JSON Lines is one object.", "correct the line"
)
TOML_SYNTAX = Rule("TOML-SYNTAX", "error", "TOML files follow TOML 1.0.", "correct the line")
NUMBER_NOT_FINITE = Rule(
    "NUMBER-NOT-FINITE",
    "error",
    "Numbers are finite: no NaN, no Infinity.",
    "give a number; leave an optional key out where its value is not known",
)
KEY_DUPLICATE = Rule("KEY-DUPLICATE", "error", "An object has each key once.", "keep one of the two values")
KEY_UNKNOWN = Rule(
    "KEY-UNKNOWN",
    "error",
    "The format has no other keys than its schema names.",
    "correct the key's name, or remove it",
)
KEY_MISSING = Rule("KEY-MISSING", "error", "Every required key is there.", "add the key")
TYPE_WRONG = Rule("TYPE-WRONG", "error", "Values have the type that the schema names.", "correct the value's type")
VALUE_REFUSED = Rule("VALUE-REFUSED", "error", "Values lie in the range that the schema allows.", "correct the value")
SLUG_INVALID = Rule(
    "SLUG-INVALID",
    "error",
    "Names that stand in addresses are slugs.",
    "use up to 120 lower-case letters, digits, `-` and `_` only, begin with a letter or digit, and leave the names of "
    "Windows' devices alone (con, prn, aux, nul, com1, lpt1)",
)
NAME_ODD = Rule(
    "NAME-ODD",
    "error",
    "Names are made of characters that can be seen.",
    "write it with letters, digits, signs and plain blanks alone",
)
