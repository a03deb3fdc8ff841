"""The page of all tables, of a study with sessions and of one with pairs of outputs."""

import pytest
from django.urls import reverse

from annotation.members.membership import add_member
from annotation.models import Rater
from tests.parts.papers.tables.href_study import made
from tests.reports.computing import read
from tests.reports.worked_sessions import begun, folder, models, rate_again, session, study, worked  # noqa: F401

pytestmark = pytest.mark.django_db


def test_a_study_with_sessions_shows_kiwi_s_tables(worked, session, owner, client):  # noqa: F811
    Rater.objects.create(study=worked, name="judge", kind="model")
    for number, value in enumerate(("bad", "neutral", "bad"), 1):
        rate_again(session, number, "judge", value)
    client.force_login(owner)
    page = read(client, reverse("reports:tables", args=[worked.slug])).content.decode()
    for title in ("Sessions and turns", "Types of instructions", "Judges of turns, three ratings", "Lengths and edits"):
        assert title in page
    assert '<td class="words long">' in page


def test_a_study_with_a_baseline_shows_href_s_tables(tmp_path, owner, client):
    based = made(tmp_path)
    add_member(based, owner, "owner", None)
    client.force_login(owner)
    page = read(client, reverse("reports:tables", args=[based.slug])).content.decode()
    for title in ("Leave-one-out agreement by category", "Expected win rates against the baseline"):
        assert title in page
    assert '<td class="words"><span class="value">C</span>' in page
