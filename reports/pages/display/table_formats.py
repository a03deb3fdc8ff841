"""A table of a report as text to copy: LaTeX with booktabs, Markdown, and CSV with all digits.

A table is plain values: a title, columns and rows of cells, with the source that it follows, if any.
"""

import csv
import io
import re
from collections.abc import Mapping
from typing import Any

from reports.pages.display.printed_figures import number, p_value

Json = Mapping[str, Any]
MINUS = "\N{MINUS SIGN}"
ENDS = ("low", "high", "se", "spread", "counts")
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", MINUS: "$-$", "\N{PLUS-MINUS SIGN}": r"$\pm$", "\N{EN DASH}": "--",
}  # fmt: skip
BRACKETS = "Brackets hold 95 % intervals."
ERRORS = "\N{PLUS-MINUS SIGN} is the standard error."
HOLM = "Holm: corrected for all pairs of the table (Holm 1979); other p-values are not corrected."
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
UNDEFINED = "\N{EN DASH}"


def printed_value(value: float | str, unit: str) -> str:
    """A number with the decimals of its unit; a text unchanged."""
    if isinstance(value, str):
        return value
    return p_value(value) if unit == "p" else number(value, unit)


def printed_cell(cell: Json, unit: str) -> str:
    """A cell's value with its decimals and its standard error or, in brackets, its interval; a dash if undefined."""
    if cell["value"] is None:
        return UNDEFINED
    text = cell.get("text") or printed_value(cell["value"], unit)
    if "se" in cell:
        return f"{text} {PLUS_MINUS} {number(cell['se'], unit)}"
    if "low" in cell:
        return f"{text} [{number(cell['low'], unit)}, {number(cell['high'], unit)}]"
    return text


def as_latex(key: str, table: Json) -> str:
    """The table as a float for the package booktabs; marked cells are bold."""
    columns, rows = table["columns"], table["rows"]
    lines = [
        r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", r"\toprule",
        _latex_row([table["rows_are"], *(column["title"] for column in columns)]), r"\midrule",
    ]  # fmt: skip
    for part, own in parts_of(rows):
        if part:
            lines.append(rf"\multicolumn{{{len(columns) + 1}}}{{l}}{{\emph{{{_latex(part)}}}}} \\")
        for row in own:
            cells = [(printed_cell(row["cells"][one["key"]], one["unit"]), row["cells"][one["key"]]) for one in columns]
            texts = [rf"\textbf{{{_latex(text)}}}" if cell.get("mark") else _latex(text) for text, cell in cells]
            lines.append(" & ".join([_latex_name(row["name"]), *texts]) + r" \\")
    caption = " ".join([f"{table['title']}{_after(table)}.", *notes_of(table)])
    lines += [
        r"\bottomrule", r"\end{tabular}", rf"\caption{{{_latex(caption)}}}", rf"\label{{tab:{key}}}", r"\end{table}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def as_markdown(table: Json) -> str:
    """The table with a heading for each part; marked cells are bold."""
    columns = table["columns"]
    head = [table["rows_are"], *(column["title"] for column in columns)]
    lines = [f"**{_markdown(table['title'])}**{_after(table)}", ""]
    lines += [_markdown_row(head), _markdown_row(["---", *["---:"] * len(columns)], escaped=False)]
    for part, own in parts_of(table["rows"]):
        if part:
            lines.append(_markdown_row([f"*{_markdown(part)}*", *[""] * len(columns)], escaped=False))
        for row in own:
            texts = [_markdown(row["name"])]
            for column in columns:
                cell = row["cells"][column["key"]]
                text = _markdown(printed_cell(cell, column["unit"]))
                texts.append(f"**{text}**" if cell.get("mark") else text)
            lines.append(_markdown_row(texts, escaped=False))
    return "\n".join([*lines, "", *notes_of(table)]).rstrip() + "\n"


def notes_of(table: Json) -> list[str]:
    """The notes below a table: what it rests on, its own, and what brackets, signs and corrections mean."""
    cells = [cell for row in table["rows"] for cell in row["cells"].values() if cell["value"] is not None]
    basis = table.get("basis", "")
    known = {
        f"{basis}.": bool(basis),
        **dict.fromkeys(table["notes"], True),
        BRACKETS: any("low" in cell and "se" not in cell for cell in cells),
        ERRORS: any("se" in cell for cell in cells),
        HOLM: any("Holm" in column["title"] for column in table["columns"]),
    }
    return [note for note, applies in known.items() if applies]


def as_csv(table: Json) -> str:
    """A line per row with all digits; intervals and standard errors have columns of their own if any cell has them.

    A text that a spreadsheet would read as a formula, also as a column's key, begins with an apostrophe.
    """
    columns, rows = table["columns"], table["rows"]
    has_parts = any(row.get("part") for row in rows)
    ends = {
        column["key"]: [end for end in ENDS if any(end in row["cells"][column["key"]] for row in rows)]
        for column in columns
    }
    head = [*(["part"] if has_parts else []), "name"]
    for key, own in ends.items():
        head += [key, *(f"{key}_{end}" for end in own)]
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([plain_text(name) for name in head])
    for row in rows:
        line: list[Any] = [*([plain_text(row.get("part", ""))] if has_parts else []), plain_text(row["name"])]
        for key, own in ends.items():
            cell = row["cells"][key]
            line += [plain_text(cell["value"]), *(cell.get(end, "") for end in own)]
        writer.writerow(line)
    return written.getvalue()


def parts_of(rows: list[Json]) -> list[tuple[str, list[Json]]]:
    """The rows by part, in the order in which parts appear."""
    parts: dict[str, list[Json]] = {}
    for row in rows:
        parts.setdefault(row.get("part", ""), []).append(row)
    return list(parts.items())


def _after(table: Json) -> str:
    """The source whose table it is, in brackets."""
    return f" (after {table['source']})" if table["source"] else ""


def _latex(text: str) -> str:
    return "".join(SPECIAL.get(character, character) for character in " ".join(text.split()))


def _latex_name(text: str) -> str:
    """The first cell of a row: a bracket or star there would belong to the end of the row before it."""
    return f"{{{text[0]}}}{_latex(text[1:])}" if text[:1] in ("[", "*") else _latex(text)


def _latex_row(texts: list[str]) -> str:
    return " & ".join(_latex(text) for text in texts) + r" \\"


def _markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", " ".join(text.split()))


def _markdown_row(texts: list[str], *, escaped: bool = True) -> str:
    return "| " + " | ".join(_markdown(text) if escaped else text for text in texts) + " |"


def plain_text(value: Any) -> Any:
    """A value for a spreadsheet, in which no text begins a formula."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
