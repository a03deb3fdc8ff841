"""Uploads on a site without a part that reads other formats than ours."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from managing.models import ItemUpload
from managing.uploads import other_formats
from tests.conftest import draft_study, make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(client, db, settings, tmp_path, monkeypatch):
    settings.VAR = tmp_path
    monkeypatch.setattr(other_formats, "parts", lambda: ())
    client.force_login(make_person("maker", is_superuser=True))
    return client


def uploaded(browser, *names):
    files = [SimpleUploadedFile(name, b"{}") for name in names]
    return browser.post(reverse("managing:upload", args=["study"]), {"table": "items", "file": files})


@pytest.mark.parametrize(
    ("names", "reason"),
    [(["a.json"], "The file must be JSONL or CSV"), (["a.jsonl", "b.jsonl"], "Choose one file.")],
)
def test_only_one_file_of_ours_is_taken(browser, names, reason):
    draft_study(items=0)
    response = uploaded(browser, *names)
    assert response.status_code == 422
    assert reason in response.content.decode()
    assert uploaded(browser, "a.jsonl").status_code == 302
    assert ItemUpload.objects.get().name == "a.jsonl"


def test_no_file_brings_questions(browser):
    draft_study(items=0)
    page = browser.get(reverse("managing:upload", args=["study"])).content.decode()
    assert 'value="items"' in page
    assert 'value="study"' not in page
    response = browser.post(reverse("managing:new_study"), {"file": SimpleUploadedFile("a.json", b"[]")})
    assert response.status_code == 422
