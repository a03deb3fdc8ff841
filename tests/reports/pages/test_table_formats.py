"""Tables as text to copy: what a cell says, and texts that would break the format."""

import csv
import io

import pytest

from reports.pages.display.table_formats import as_csv, as_latex, as_markdown, notes_of

pytestmark = pytest.mark.quick
TABLE = {
    "title": "Judges", "source": "a paper, table 1", "rows_are": "Judge", "notes": ["100 % of items."],
    "columns": [
        {"key": "tau", "title": "Tau_b", "unit": "alpha", "anchor": ""},
        {"key": "p", "title": "p", "unit": "p", "anchor": ""},
    ],
    "rows": [
        {"name": "a|b_1", "part": "how & why", "cells": {
            "tau": {"value": -0.25, "low": -0.5, "high": 0.0, "mark": True}, "p": {"value": 0.0001}}},
        {"name": "=1+1", "part": "how & why", "cells": {"tau": {"value": None, "reason": "none"}, "p": {"value": 0.5}}},
    ],
}  # fmt: skip


def test_latex_escapes_texts_and_prints_marked_cells_in_bold():
    lines = as_latex("t", TABLE).splitlines()
    assert r"Judge & Tau\_b & p \\" in lines
    assert r"\multicolumn{3}{l}{\emph{how \& why}} \\" in lines
    assert r"a\textbar{}b\_1 & \textbf{$-$0.250 [$-$0.500, 0.000]} & \textless{} 0.001 \\" in lines
    assert r"=1+1 & -- & 0.500 \\" in lines
    assert r"\caption{Judges (after a paper, table 1). 100 \% of items. Brackets hold 95 \% intervals.}" in lines


def test_markdown_keeps_its_columns_whatever_the_names():
    lines = as_markdown(TABLE).splitlines()
    assert r"| a\|b\_1 | **−0.250 \[−0.500, 0.000\]** | \< 0.001 |" in lines  # noqa: RUF001
    rows = [line for line in lines if line.startswith("|")]
    assert {line.replace(r"\|", "").count("|") for line in rows} == {4}


def test_csv_has_all_digits_and_no_formula():
    first, second = csv.DictReader(io.StringIO(as_csv(TABLE)))
    assert (first["tau"], first["tau_low"], first["tau_high"], first["p"]) == ("-0.25", "-0.5", "0.0", "0.0001")
    assert (second["name"], second["tau"], second["tau_low"]) == ("'=1+1", "", "")
    assert "tau_se" not in first


@pytest.mark.parametrize("written", [as_csv, as_markdown, lambda table: as_latex("t", table)])
def test_a_table_without_parts_or_rows_can_be_written(written):
    text, bare = written(TABLE), written({**TABLE, "rows": []})
    assert "1+1" in text
    assert "1+1" not in bare
    assert "tau" in bare.lower()


def test_a_column_s_key_is_no_formula():
    (row,) = TABLE["rows"][:1]
    table = {
        **TABLE, "columns": [{**TABLE["columns"][0], "key": "=1+1"}],
        "rows": [{**row, "cells": {"=1+1": {"value": 1.0}}}],
    }  # fmt: skip
    assert as_csv(table).splitlines()[0] == "part,name,'=1+1"


def test_captions_say_what_the_table_rests_on_and_what_its_signs_mean():
    holm = {"key": "p_holm", "title": "p, Holm", "unit": "p"}
    cells = {"tau": {"value": 0.5, "low": 0.4, "high": 0.6, "se": 0.05}, "p": {"value": 0.04}, "p_holm": {"value": 0.2}}
    table = {
        **TABLE,
        "basis": "n = 40 items",
        "columns": [*TABLE["columns"], holm],
        "rows": [{"name": "a", "cells": cells}],
    }
    below = (
        "n = 40 items. 100 % of items. \N{PLUS-MINUS SIGN} is the standard error. "
        "Holm: corrected for all pairs of the table (Holm 1979); other p-values are not corrected."
    )
    assert " ".join(notes_of(table)) == below
    assert as_markdown(table).endswith("\n".join(notes_of(table)) + "\n")
    assert r"n = 40 items. 100 \% of items. $\pm$ is the standard error." in as_latex("t", table)
    assert as_csv(table).splitlines()[0] == "name,tau,tau_low,tau_high,tau_se,p,p_holm"
