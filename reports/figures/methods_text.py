"""The methods paragraph of a study: as text, as LaTeX, and the BibTeX entries of what it cites.

`templates/reports/methods/<protocol>.txt` is the paragraph of a protocol; `any.txt` is that of others. A template cites
its source study if the study asks its questions. `[@key]` cites an entry of `references.bib` in parentheses, `[@@key]`
in the sentence.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string, select_template

FOLDER = "reports/methods"
REFERENCES = settings.BASE_DIR / "reports" / "templates" / FOLDER / "references.bib"
CITED = re.compile(r"\[(@@?)([a-z0-9,]+)\]")
BESIDE = re.compile(r"\] \[@(?=[a-z0-9])")
"""Between two citations in parentheses that follow each other."""
ENTRY = re.compile(r"^@\w+\{(\w+),.*?^\}$", re.MULTILINE | re.DOTALL)
AUTHOR, YEAR = re.compile(r"author = \{(.*)\},"), re.compile(r"year = \{(\d+)\}")
NAMES = {"skopek2023": "Skopek et al.", "liu2024": "Liu et al.", "lyu2024": "Lyu et al.", "xu2024": "Xu et al."}
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''", "\N{MINUS SIGN}": "$-$", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip
WORDS = {
    "item_withdrawn": ("withdrawn item", "withdrawn items"),
    "person_not_chosen": ("person who was not chosen", "people who were not chosen"),
    "machine_not_chosen": ("model or metric", "models or metrics"),
    "other_guidelines": (
        "rating under other versions of the guidelines", "ratings under other versions of the guidelines",
    ),
    "shown_other_guidelines": (
        "rating by a machine that was shown other guidelines", "ratings by machines that were shown other guidelines",
    ),
    "skipped": ("skipped task", "skipped tasks"),
    "flagged_unanswered": ("task that was flagged and not answered", "tasks that were flagged and not answered"),
    "taken_back": ("answer that was taken back", "answers that were taken back"),
    "other_shapes": ("machine rating of another shape", "machine ratings of another shape"),
    "other_reruns": ("rating of an earlier run", "ratings of earlier runs"),
    "run_replaced": ("replaced run", "replaced runs"),
}  # fmt: skip
"""What the paragraph calls what was left out, for one and for several."""


def methods_text(facts: Mapping[str, Any], exclusions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The paragraph about `reports.figures.methods_facts` and a log of exclusions: {text, latex, bibtex, facts}."""
    marked = _marked(facts, exclusions)
    keys = {key for _, cited in CITED.findall(marked) for key in cited.split(",")} & _entries().keys()
    entries = [_entries()[key].replace("VERSION", facts["software"]) for key in sorted(keys)]
    return {
        "text": CITED.sub(lambda found: _in_text(*found.groups()), marked),
        "latex": CITED.sub(lambda found: rf"\cite{'t' if found[1] == '@@' else 'p'}{{{found[2]}}}", _latex(marked)),
        "bibtex": "\n\n".join(entries),
        "facts": dict(facts),
    }


def _marked(facts: Mapping[str, Any], exclusions: Sequence[Mapping[str, Any]]) -> str:
    """The paragraph with marks of citations."""
    with_alpha = [one for one in facts["questions"] if one["figure"]]
    context = {
        "facts": facts,
        "agreed": [one for one in with_alpha if one["alpha"] is not None],
        "undefined": [one for one in with_alpha if one["alpha"] is None],
        "masi": any(one["key_of_figure"] == "alpha_masi" and one["alpha"] is not None for one in with_alpha),
        "ranked": [one for one in facts["questions"] if one["ranked"]],
        "left_out": [
            (row["number"], WORDS[row["kind"]][row["number"] != 1])
            for row in exclusions
            if row["left_out"] and row["kind"] in WORDS
        ],
        "surplus": sum(row["number"] for row in exclusions if row["kind"] == "surplus"),
    }
    chosen = select_template([f"{FOLDER}/{facts['protocol']}.txt", f"{FOLDER}/any.txt"])
    words = " ".join(render_to_string(chosen.template.name, context).split())
    return BESIDE.sub(",", words.replace(" .", "."))


def _latex(marked: str) -> str:
    """The paragraph with LaTeX's own characters escaped, except in marks of citations."""
    parts = re.split(r"(\[@@?[a-z0-9,]+\])", marked)
    return "".join(part if CITED.fullmatch(part) else "".join(SPECIAL.get(one, one) for one in part) for part in parts)


def _in_text(mark: str, keys: str) -> str:
    """The citation of the entries `keys`, which commas separate; it stays as it is if one of them is unknown."""
    entries = [_entries().get(key) for key in keys.split(",")]
    found = [(NAMES.get(key) or _last_names(entry), YEAR.search(entry))
             for key, entry in zip(keys.split(","), entries, strict=True) if entry]  # fmt: skip
    if len(found) < len(entries):
        return f"[{mark}{keys}]"
    if mark == "@@":
        return " and ".join(f"{names} ({year[1]})" if year else names for names, year in found)
    return "({})".format("; ".join(f"{names}, {year[1]}" if year else names for names, year in found))


def _last_names(entry: str) -> str:
    found = AUTHOR.search(entry)
    names = [name.split(",")[0].strip("{}") for name in found[1].split(" and ")] if found else []
    return " and ".join(names)


@cache
def _entries() -> Mapping[str, str]:
    """The entries of `references.bib` by their keys."""
    text = REFERENCES.read_text(encoding="utf-8")
    return {found[1]: found[0] for found in ENTRY.finditer(text)}
