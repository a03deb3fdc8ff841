"""Tables of pages as files: LaTeX, Markdown and CSV with the page's figures, names escaped, codes while blinded."""

import csv
import io
import re

import pytest

from agreement.catalogue.report_catalogue import Figure, count_of
from annotation.members.membership import add_member
from files.reading import import_study
from reports.figures.agreement_report import agreement_report
from reports.pages.display.printed_figures import plain, printed
from reports.pages.display.row_order import Sorting
from reports.pages.display.table_formats import as_csv, as_latex, as_markdown
from reports.pages.display.table_texts import text_table
from reports.pages.display.tables import Table
from tests.reports.comparing import CHOICES, RANKS, TEXT, made
from tests.reports.computing import read

pytestmark = pytest.mark.django_db
NASTY = ["=cmd|' /C calc'!A0", "50% of $x_1 & \\y {z} ~^#", "a|b*c_`d`", "[sic] row", "two\nlines", "-1+2"]
SHARE = Figure("Win | rate_%", "", "share", "higher", "")


def nasty_table():
    rows = [(name, [printed("", SHARE, 0.125, [0.1, 0.15], "", None), plain(SHARE, name)]) for name in NASTY]
    undefined = [printed("", SHARE, None, None, "too few", None), plain(SHARE, "1 / 2 / 3")]
    return text_table(
        Table(Figure("T_1", "", "table", "neither", "", "System"), [SHARE, SHARE], [*rows, ("u", undefined)])
    )


def test_a_spreadsheet_reads_no_formula_and_every_value():
    rows = list(csv.DictReader(io.StringIO(as_csv(nasty_table()))))
    assert len(rows) == len(NASTY) + 1
    assert [row["name"] for row in rows[:6]] == [f"'{one}" if one[0] in "=-" else one for one in NASTY]
    assert {float(row["win_rate"]) for row in rows[:6]} == {0.125}
    assert {(float(row["win_rate_low"]), float(row["win_rate_high"])) for row in rows[:6]} == {(0.1, 0.15)}
    assert (rows[6]["win_rate"], rows[6]["win_rate_2"]) == ("", "1 / 2 / 3")


def test_latex_has_a_line_per_row_and_no_special_character_of_a_name():
    text = as_latex("t", nasty_table())
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert len(body) == len(NASTY) + 1
    assert all(line.endswith(r" \\") and len(re.findall(r"(?<!\\)&", line)) == 2 for line in body)
    assert r"50\% of \$x\_1 \& \textbackslash{}y \{z\} \textasciitilde{}\textasciicircum{}\#" in text
    assert body[3].startswith("{[}sic] row")
    assert r"Win \textbar{} rate\_\%" in text
    assert "two lines" in text


def test_markdown_keeps_its_columns():
    lines = [line for line in as_markdown(nasty_table()).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {4}
    assert r"a\|b\*c\_\`d\`" in "\n".join(lines)


@pytest.fixture
def compared(tmp_path, client, owner):
    """A study with rankings, its owner signed in."""
    study = import_study(made(tmp_path / RANKS["slug"], RANKS)).study
    add_member(study, owner, "owner", None)
    client.force_login(owner)
    return study


def pages_of(study):
    at = f"/studies/{study.slug}/"
    return [f"{at}report/", f"{at}report/glance/", f"{at}disagreement/", f"{at}balance/", f"{at}leaderboard/"]


@pytest.mark.thorough
def test_every_link_to_a_file_leads_to_the_table_in_its_format(client, compared):
    found = set()
    for page in pages_of(compared):
        shown = read(client, page).content.decode()
        assert shown.count("<table") - shown.count('class="bins"') == len(
            set(re.findall(r'data-copy-file="([^"]+)\.csv', shown))
        )
        links = set(re.findall(r'href="([^"]+/files/[^"]+)"', shown))
        assert links == set(re.findall(r'data-copy-file="([^"]+)"', shown))
        for link in links:
            response = client.get(link.replace("&amp;", "&"))
            assert response.status_code == 200, link
            assert response["Content-Disposition"].startswith("attachment")
            assert response.content.decode().strip()
        found |= links
    assert len(found) > 20
    assert client.get(f"/studies/{compared.slug}/report/files/nothing.csv").status_code == 404
    assert client.get(f"/studies/{compared.slug}/report/files/raters.exe").status_code == 404


def test_the_file_of_systems_has_the_digits_of_the_report_in_the_order_of_the_page(client, compared):
    read(client, f"/studies/{compared.slug}/report/")
    figures = agreement_report(compared)["questions"]
    key, place = next((key, n) for n, key in enumerate(figures, 1) if figures[key].get("system_score"))
    for sort, order in (("", lambda one: -one[1]), ("name", lambda one: one[0])):
        text = client.get(f"/studies/{compared.slug}/report/files/q{place}-systems.csv?sort={sort}").content.decode()
        rows = [(row["name"], float(row["system_score"])) for row in csv.DictReader(io.StringIO(text))]
        assert rows == sorted(figures[key]["system_score"].items(), key=order)


@pytest.mark.thorough
def test_a_blinded_study_has_codes_in_its_files(tmp_path, client, owner):
    names = set(TEXT)
    study = import_study(made(tmp_path / "blinded", {**CHOICES, "slug": "blinded"})).study
    study.options = study.options | {"blind_researchers": True}
    study.save()
    add_member(study, owner, "owner", None)
    client.force_login(owner)
    seen = set()
    for page in pages_of(study):
        shown = read(client, page).content.decode()
        for link in re.findall(r'href="([^"]+/files/[^"]+\.csv[^"]*)"', shown):
            cells = {cell for row in csv.reader(io.StringIO(client.get(link).content.decode())) for cell in row}
            assert not names & {part for cell in cells for part in re.split(r" . ", cell)}, link
            seen |= cells
    assert any(re.search(r"System ([A-Z][2-9]){3}", cell) for cell in seen)


COUNT, MEAN = count_of("Items", "", ""), Figure("Mean", "", "scale", "higher", "")
RANK = Figure("Rank", "", "rank", "lower", "")


def ordered(wanted="", **more):
    rows = [
        (
            name,
            [plain(COUNT, str(n), value=n), printed("", MEAN, mean, None, "none", None), plain(RANK, "", value=rank)],
        )
        for name, n, mean, rank in (("b", 2, 0.5, 2), ("a", 3, None, 1), ("c", 1, 0.75, 3))
    ]
    figure = Figure("T", "", "table", "neither", "", "System")
    table = Table(figure, [COUNT, MEAN, RANK], rows, sorting=Sorting(wanted, "kinds=human", is_fixed=False), **more)
    return table, [name for name, _ in table.sorted_rows]


@pytest.mark.parametrize(
    ("wanted", "first", "names", "order"),
    [
        ("", "", "bac", ("", "")), ("", "mean", "cba", ("mean", "descending")),
        ("items", "mean", "abc", ("items", "descending")),
        ("rank", "", "abc", ("rank", "ascending")), ("name", "mean", "abc", ("name", "ascending")),
        ("nothing", "mean", "cba", ("mean", "descending")),
    ],
)  # fmt: skip
def test_rows_are_sorted_by_the_address_best_first_and_without_a_value_last(wanted, first, names, order):
    table, found = ordered(wanted, first=first)
    assert ("".join(found), table.order) == (names, order)


def test_heads_link_to_the_order_and_keep_the_other_choices():
    table, _ = ordered("rank")
    assert [head.address for head in table.columns] == [
        f"?kinds=human&sort={key}#t" for key in ("items", "mean", "rank")
    ]
    assert [head.direction for head in table.columns] == ["", "", "ascending"]
    assert table.name_head.address == "?kinds=human&sort=name#t"
