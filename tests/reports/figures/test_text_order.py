"""What programs read has one order everywhere: no query of it sorts by text, as each database does in its own way."""

import pytest
from django.db.models import CharField, TextField
from django.db.models.sql.compiler import SQLCompiler
from django.test import override_settings

from annotation.models import Study
from files.writing import export_study
from reports.figures.agreement_report import agreement_report
from reports.figures.session_report import session_report
from sessions.second_ratings import sample_turns
from tests.filled import fill


@pytest.fixture(scope="module")
def filled(rows_of_module, tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled")
    with override_settings(VAR=folder / "var"):
        yield rows_of_module(lambda: fill(folder / "studies"))


@pytest.fixture
def sorted_by_text(monkeypatch):
    """A list that gets each text column by which a query sorts from now on."""
    found = []

    def noting(compiler, get_order_by=SQLCompiler.get_order_by):
        orders = get_order_by(compiler)
        for one, (sql, _, _) in orders:
            if isinstance(one.expression.output_field, CharField | TextField):
                found.append(sql)
        return orders

    monkeypatch.setattr(SQLCompiler, "get_order_by", noting)
    assert list(Study.objects.order_by("slug")) == list(Study.objects.order_by("pk").order_by("slug"))
    assert found == ['"annotation_study"."slug" ASC'] * 2
    found.clear()
    return found


@pytest.mark.thorough
def test_nothing_in_files_is_sorted_by_text_in_the_database(filled, db, sorted_by_text, tmp_path):
    for study in Study.objects.order_by("pk"):
        export_study(study, tmp_path / study.slug)
    assert sorted_by_text == []


def test_nothing_in_reports_is_sorted_by_text_in_the_database(filled, db, sorted_by_text):
    for study in Study.objects.order_by("pk"):
        (session_report if study.protocol == "session" else agreement_report)(study)
    assert sorted_by_text == []


def test_no_sample_depends_on_the_order_of_text_in_the_database(filled, db, sorted_by_text):
    sample_turns(Study.objects.get(slug="the-session"), count=1)
    assert sorted_by_text == []


def test_the_list_of_studies_is_in_the_order_in_which_they_were_made(filled, db, client, sorted_by_text):
    client.force_login(filled.owner)
    listed = [one["slug"] for one in client.get("/api/studies/").json()["studies"]]
    assert listed == ["the-rating", "the-listwise", "the-pairwise", "the-session"]
    assert sorted_by_text == []
