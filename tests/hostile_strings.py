"""More than 600 texts that break programs: what people paste, what models write, and what attackers send."""

import json
from pathlib import Path

DATA = Path(__file__).parent / "data"
MARKUP = (DATA / "xss.txt").read_text(encoding="utf-8").splitlines()
LISTED = [json.loads(line) for line in (DATA / "hostile_strings.jsonl").read_text(encoding="utf-8").splitlines()]
"""Scripts of the world, templates, code, paths, odd numbers and dates, blanks and line ends."""
CONTROLS = [f"a{chr(code)}b" for code in (*range(0x20), *range(0x7F, 0xA0))]
INVISIBLE = [
    f"a{chr(code)}b"
    for code in (
        0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F),
        *range(0x2060, 0x2070), 0x3000, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, *range(0xFFF9, 0x10000), 0x1D173,
        0x1FFFE, 0xE0001, 0xE0041, 0xF0000, 0x10FFFD, 0x10FFFF,
    )
]  # fmt: skip
SURROGATES = ["\ud83d", "a\ud83d", "\ude00b", "a\ude00\ud83db", "\udfff", "\ud800\x00"]
FORMULAS = [
    f"{start}{formula}"
    for start in ("", " ", "\t", "\r", "\n", "'", '"', ",", ";")
    for formula in ("=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\uff1d1+1", '=HYPERLINK("//evil.test")')
]
LONG = [
    one * times
    for one, times in (
        ("9", 5000), ("[", 5000), ('{"a":', 2000), ("a", 4096), ("\u00e4", 20_000), ("\U0001f469", 5000),
        ("a b ", 10_000), ("a\u0301", 2000), ("<", 10_000), ("*", 10_000), ("_a", 2500), ("[x](", 1000), ("> ", 1000),
        ("`", 5000), ("|a", 2000), ("- ", 2000), ("\n", 5000), ("\u200d", 5000),
    )
]  # fmt: skip
STRINGS = tuple(dict.fromkeys([*MARKUP, *LISTED, *CONTROLS, *INVISIBLE, *SURROGATES, *FORMULAS, *LONG]))


def can_be_stored(text: str) -> bool:
    """Whether both databases can store the text."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def spread(number: int, first: int = 0) -> list[str]:
    """So many strings of all kinds, evenly spread, from a place on."""
    return [STRINGS[(first + place * len(STRINGS) // number) % len(STRINGS)] for place in range(number)]
