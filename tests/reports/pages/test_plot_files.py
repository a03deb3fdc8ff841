"""Plots as files: the page's own data, the same bytes each time, drawn by workers alone."""

import csv
import io
import json
import re

import pytest
from pypdf import PdfReader

from annotation.members.membership import add_member
from files.reading import import_study
from reports.figures.agreement_report import agreement_report
from reports.models import KeptReport
from reports.pages.display.plot_data import PlotData, PlotPoint, bar_data, dot_data, histogram_data
from reports.pages.plot_files import plot_files
from tests.fewer import first_cases
from tests.reports.comparing import RANKS, made
from tests.reports.computing import compute_requested, read

pytestmark = pytest.mark.django_db
NAMES = ["$x_1$ & <b>", "a" * 60 + "1", "a" * 60 + "2", "\u0627\u0628"]
PLOTS = [
    dot_data("d", "Dots $a$", "share", dict.fromkeys(NAMES, 0.25), {NAMES[0]: (0.1, 0.5)}, (0, 1), (0.2, 0.3)),
    histogram_data("h", "Histogram", "alpha", [-1, 0, 1], [2, 0]),
    bar_data("b", "Bars", [("one", {"good": 0.5, "bad": 0.5}, 4), ("none", {"good": 0.0, "bad": 0.0}, 0)]),
    PlotData("c", "calibration", "C", "share", (0, 1), (PlotPoint("bin 1", 0.5, 0.4, 0.6, at=0.2, n=3),)),
]


@pytest.mark.parametrize("plot", first_cases(PLOTS, 2), ids=lambda plot: plot.kind)
def test_a_plot_has_the_same_bytes_each_time_without_a_date(plot):
    files, again = plot_files(plot.as_choices()), plot_files(json.loads(plot.as_json()))
    assert files == again
    assert files["svg"].startswith(b"<?xml")
    assert files["png"].startswith(b"\x89PNG")
    assert len(PdfReader(io.BytesIO(files["pdf"])).pages) == 1
    assert b"<dc:date>" not in files["svg"]
    assert b"/CreationDate" not in files["pdf"]


def test_the_data_of_a_plot_are_those_that_pages_draw():
    plot = PLOTS[0]
    assert [dot.name for dot in plot.dot_plot().dots] == NAMES
    rows = list(csv.DictReader(io.StringIO(plot.as_csv())))
    assert [(row["name"], row["value"], row["low"]) for row in rows][:2] == [
        (NAMES[0], "0.25", "0.1"),
        (NAMES[1], "0.25", ""),
    ]
    assert [column.count for column in PLOTS[1].histogram().columns] == [2, 0]


def test_a_formula_in_a_name_is_no_formula_in_the_data():
    assert dot_data("d", "D", "x", {"=1+1": 1.0}, {}, (0, 1)).as_csv().splitlines()[1].startswith("'=1+1,")


@pytest.fixture
def compared(tmp_path, client, owner):
    study = import_study(made(tmp_path / RANKS["slug"], RANKS)).study
    add_member(study, owner, "owner", None)
    client.force_login(owner)
    return study


@pytest.mark.thorough
def test_every_plot_of_the_report_is_saved_in_each_format(client, compared):
    shown = read(client, f"/studies/{compared.slug}/report/").content.decode()
    pages = re.findall(r'href="(/studies/[^"]+/plots/[^"]+/)"', shown)
    assert pages
    assert len(pages) == shown.count('class="histogram')
    for page in pages:
        file = client.get(f"{page[:-1]}.svg")
        assert (file.status_code, file["Location"]) == (302, page)
        assert "Drawing the plot" in client.get(page).content.decode()
    assert compute_requested() == len(pages)
    for page in pages:
        links = re.findall(r'href="(/studies/[^"]+\.(?:svg|png|pdf|csv|json))"', client.get(page).content.decode())
        assert len(links) == 5
        for link in links:
            response = client.get(link)
            assert response.status_code == 200
            assert response["Content-Disposition"].startswith("attachment")
    assert client.get(f"{pages[0][:-1]}.exe").status_code == 404
    assert client.get(f"/studies/{compared.slug}/report/plots/nothing/").status_code == 404


def test_the_file_has_the_figures_of_the_report(client, compared):
    read(client, f"/studies/{compared.slug}/report/")
    figures = agreement_report(compared)["questions"]
    key, place = next((key, n) for n, key in enumerate(figures, 1) if figures[key].get("bradley_terry"))
    found = json.loads(client.get(f"/studies/{compared.slug}/report/plots/q{place}-systems.json").content)
    known = {name: value for name, value in figures[key]["bradley_terry"].items() if value is not None}
    drawn = {point["name"]: point["value"] for point in found["points"]}
    assert drawn == known or drawn == figures[key]["system_score"]


@pytest.mark.thorough
def test_a_plot_is_drawn_once_and_polled_without_another_request(client, compared):
    shown = read(client, f"/studies/{compared.slug}/report/").content.decode()
    page = re.search(r'href="(/studies/[^"]+/plots/[^"]+/)"', shown)[1]
    client.get(page)
    client.get(page)
    assert KeptReport.objects.filter(kind="plot").count() == 1
    poll = re.search(r'hx-get="([^"]+)"', client.get(page).content.decode())[1].replace("&amp;", "&")
    assert client.get(poll, headers={"HX-Request": "true"}).status_code == 204
    compute_requested()
    assert "PDF</a>" in client.get(poll, headers={"HX-Request": "true"}).content.decode()
