"""An upload that was interrupted continues after the page was closed, if the same file is chosen again."""

import zlib

import pytest

from annotation.members.membership import add_member
from managing.models import ItemUpload, UploadStep
from managing.uploads import receiving
from managing.uploads.receiving import place_of
from tests.conftest import draft_study, make_person
from tests.managing.test_uploads import address, begin, body_of, line, send

BODY = body_of([line(1), line(2)])
OTHER = BODY.replace(b"Text 1", b"Text 9")
pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(settings, tmp_path, client, owner):
    """A browser that was closed after 100 bytes of the file had arrived, in two parts."""
    settings.VAR = tmp_path
    add_member(draft_study(), owner, "owner", None)
    client.force_login(owner)
    begin(client, BODY)
    send(client, ItemUpload.objects.get(), BODY[:60])
    send(client, ItemUpload.objects.get(), BODY[60:100], 60)
    return client


def again(browser, body=BODY, name="items.jsonl", table="items", received=100):
    there = {"received": received, "checksum": zlib.crc32(body[:received])}
    return browser.post(address("begin_upload"), {"table": table, "name": name, "size": len(body), **there})


def test_the_same_file_continues_where_it_stopped_and_may_be_of_another_table(browser):
    answer = again(browser, table="ratings")
    assert (answer.status_code, answer.json()["received"]) == (200, 100)
    upload = ItemUpload.objects.get()
    assert send(browser, upload, BODY[100:], 100).json() == {"received": len(BODY)}
    assert place_of(upload).read_bytes() == BODY
    upload.refresh_from_db()
    assert (upload.table, upload.checksum) == ("ratings", zlib.crc32(BODY))
    assert UploadStep.objects.get().kind == "check"


def test_the_page_shows_how_much_is_there_until_the_file_is_complete(browser, client):
    page = browser.get(address("upload")).content.decode()
    assert f'data-name="items.jsonl" data-size="{len(BODY)}" data-received="100"' in page
    assert f'data-checksum="{zlib.crc32(BODY[:100])}"' in page
    assert "Choose the same file again to continue." in page
    send(browser, ItemUpload.objects.get(), BODY[100:], 100)
    assert "Choose the same file again" not in browser.get(address("upload")).content.decode()


def test_a_file_of_the_same_name_and_size_with_other_content_does_not_continue(browser):
    answer = again(browser, OTHER)
    assert (answer.status_code, answer.json()) == (422, {"problem": receiving.OTHER_CONTENT})
    assert place_of(ItemUpload.objects.get()).read_bytes() == BODY[:100]


@pytest.mark.parametrize("changed", [{"name": "more.jsonl"}, {"body": BODY + b"\n"}])
def test_a_file_of_another_name_or_size_begins_at_its_start(browser, changed):
    first = ItemUpload.objects.get()
    answer = again(browser, **changed)
    assert (answer.status_code, answer.json()["received"]) == (201, 0)
    assert not place_of(first).exists()


def test_a_page_that_knows_another_part_of_the_file_learns_how_much_is_there(browser):
    answer = again(browser, received=60)
    assert (answer.status_code, answer.json()) == (409, {"received": 100})
    assert again(browser, received=0).status_code == 422


def test_what_is_not_stored_any_more_is_uploaded_from_the_start(browser):
    first = ItemUpload.objects.get()
    place_of(first).write_bytes(BODY[:99])
    assert again(browser).json()["received"] == 0
    assert ItemUpload.objects.filter(has_file=True).get() != first


def test_nobody_continues_the_upload_of_somebody_else(browser):
    upload = ItemUpload.objects.get()
    colleague = make_person("colleague")
    add_member(upload.study, colleague, "researcher", None)
    browser.force_login(colleague)
    assert again(browser).status_code == 422
    page = browser.get(address("upload")).content.decode()
    assert f"is waiting in this study, {upload.percent} % uploaded." in page
    assert 'id="unfinished"' not in page


def test_a_part_that_is_sent_twice_counts_once(browser):
    upload = ItemUpload.objects.get()
    assert send(browser, upload, BODY[60:100], 60).status_code == 409
    assert ItemUpload.objects.get().checksum == zlib.crc32(BODY[:100])
