"""The table of items and the page of an item show studies of every protocol in which everything has happened."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Study
from tests.filled import fill
from tests.reports.computing import read

MOST_QUERIES = 15


@pytest.fixture
def people(db, tmp_path, settings):
    settings.VAR = tmp_path / "var"
    return fill(tmp_path / "studies")


def test_all_items_have_a_page_in_few_queries(client, people):
    client.force_login(people.owner)
    sessions = 0
    for study in Study.objects.order_by("pk"):
        listed = read(client, reverse("managing:items", args=[study.slug]), {"sort": "disagreement"})
        assert [row.pk for row, _ in listed.context["rows"]], study.slug
        for item in study.items.order_by("pk"):
            with CaptureQueriesContext(connection) as queries:
                response = client.get(reverse("managing:item", args=[study.slug, item.pk]))
            assert response.status_code == 200
            assert len(queries) <= MOST_QUERIES, "\n".join(one["sql"][:150] for one in queries)
            sessions += len(response.context["work"].sessions)
    assert sessions
