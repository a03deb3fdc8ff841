"""Drawings of reports' tables: positions on the axis, and the page that shows them."""

import re

import pytest

from annotation.members.membership import add_member
from reports.pages.display.shown_tables import shown_table, shown_tables
from reports.pages.display.table_drawings import drawings_of
from reports.pages.display.table_formats import as_csv, as_latex, as_markdown
from tests.reports.computing import compute_requested, read
from tests.reports.ranked_studies import ORDER, items, judged, ranking, run, study


def table(kind, columns, cells, **more):
    return {
        "title": "Systems", "source": "a paper", "rows_are": "System", "notes": [],
        "columns": [{"key": key, "title": key.title(), "unit": "share", "anchor": ""} for key in columns],
        "rows": [{"name": name, "part": "p", "cells": dict(zip(columns, own, strict=True))}
                 for name, own in cells.items()],
        "drawing": {"kind": kind, "columns": columns, "axis": "Share", "low": 0, "high": 1}, **more,
    }  # fmt: skip


def test_bars_follow_one_another_along_the_axis():
    shares = [{"value": 0.25}, {"value": 0.25}, {"value": 0.5}]
    (drawn,) = drawings_of(
        "t", table("bars", ["win", "tie", "loss"], {"a": shares, "b": [{"value": None}, *shares[1:]]})
    )
    (line,) = drawn.bars.lines
    first, second, third = line.pieces
    assert (first.name, second.name, third.name) == ("good", "neutral", "bad")
    assert first.x == drawn.bars.ticks[0][0]
    assert (second.x, third.x) == (first.x + first.width, second.x + second.width)
    assert third.x + third.width == drawn.bars.ticks[-1][0]
    assert first.width == second.width == third.width / 2
    assert [label for _, label in drawn.bars.ticks] == ["0", "0.25", "0.5", "0.75", "1"]


def test_each_column_of_dots_has_its_drawing():
    cells = {"a": [{"value": 0.5, "low": 0.25, "high": 0.75}, {"value": None, "reason": "none"}]}
    (drawn,) = drawings_of("t", table("dots", ["tau", "other"], cells))
    (dot,) = drawn.dots.dots
    assert (drawn.title, dot.name) == ("p: Tau", "a")
    assert drawn.data.title == "Systems, p: Tau"
    assert (drawn.data.key, drawn.data.as_csv()) == ("t-1", "name,value,low,high\na,0.5,0.25,0.75\n")
    assert dot.start + dot.width / 2 == pytest.approx(dot.x)


def test_a_table_without_a_drawing_has_none():
    given = table("bars", ["win"], {"a": [{"value": 0.5}]})
    del given["drawing"]
    assert drawings_of("t", given) == []


def test_tables_are_in_the_order_of_their_numbers():
    sources = ("A paper, table 2", "A paper, table 10", "A paper, figure 3", "B paper, table 1")
    found = shown_tables({"tables": {text: table("dots", ["tau"], {}, source=text) for text in sources}})
    assert [one.source for one in found] == [sources[2], sources[0], sources[1], sources[3]]


def test_standard_errors_and_spreads_are_printed():
    given = table("dots", ["tau"], {"a": [{"value": 0.5, "low": 0.4, "high": 0.6, "se": 0.05, "spread": 0.01}]})
    ((_, ((_, (cell,)),)),) = shown_table("t", given).parts
    assert (cell.interval, cell.beside) == (("0.400", "0.600"), "± 0.050, over reruns ± 0.010")
    assert "0.500 ± 0.050 |" in as_markdown(given)
    assert r"0.500 $\pm$ 0.050 \\" in as_latex("t", given)
    assert as_csv(given).splitlines()[0] == "part,name,tau,tau_low,tau_high,tau_se,tau_spread"


@pytest.mark.thorough
@pytest.mark.django_db
def test_the_page_shows_tables_with_their_drawings(tmp_path, client, owner):
    given = [ranking(key, "ann", "overall", 4, 3, 2, 1) for key in ("one", "two")]
    scores = [judged(key, "m", "overall", float(len(name)), output=name) for key in ("one", "two") for name in ORDER]
    made = study(tmp_path / "drawn", items("one", "two"), given, scores, [run("m", "llm_eval")])
    add_member(made, owner, "owner", None)
    client.force_login(owner)
    shown = read(client, f"/studies/{made.slug}/tables/").content.decode()
    for key in ("instrusum_2", "instrusum_4", "instrusum_10", "instrusum_figure_3", "risum_figure_4"):
        assert f'id="{key}"' in shown
    drawn = shown.split('id="instrusum_figure_3"')[1].split("</section>")[0]
    assert re.findall(r'<rect class="(\w+)"', drawn) == ["good", "neutral", "bad"] * 6
    assert re.findall(r"<title>(\w+)</title>", drawn) == ["edited", "strong", "weak"] * 2
    saved = re.search(r'href="(/studies/[^"]+/plots/[^"]+/)"', drawn)[1]
    found = client.get(f"{saved[:-1]}.json").json()
    assert {(one["part"], one["name"]) for one in found["points"]} > {("Win", "edited"), ("Tie", "strong")}
    assert client.get(f"{saved[:-1]}.pdf").status_code == 302
    client.get(saved)
    compute_requested()
    for ending in ("svg", "png", "pdf", "csv"):
        file = client.get(f"{saved[:-1]}.{ending}")
        assert (file.status_code, file["Content-Disposition"].split(";")[0]) == (200, "attachment")
    headings = set(re.findall(r'<h\d id="([^"]+)"', client.get("/statistics/").content.decode()))
    linked = set(re.findall(r'/statistics/#([^"]+)"', shown))
    assert (
        {"lengths-of-texts", "scores-of-systems", "initial-and-edited-outputs", "judges-as-re-rankers"}
        <= linked
        <= headings
    )
