"""The page Export, with and without scripts, and the download of its files."""

from contextlib import closing

import pytest

from annotation.members.membership import add_member
from annotation.models import Study
from config.background.claiming import process_row
from reports.kept.kept_exports import place_of
from reports.models import KeptExport
from tests.conftest import draft_study
from tests.reports.compared_study import imported
from tests.reports.kept.test_kept_exports import exported

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def study(tmp_path, settings, owner, client):
    settings.VAR = tmp_path / "var"
    made = imported(tmp_path / "in")
    add_member(made, owner, "owner", None)
    client.force_login(owner)
    return made


def page_of(study):
    return f"/studies/{study.slug}/export/"


def test_a_click_starts_an_export_and_the_page_shows_it_until_it_can_be_downloaded(client, study, owner):
    page = page_of(study)
    assert "No files yet" in client.get(page).content.decode()
    response = client.post(page, {"form": "csv"})
    row = KeptExport.objects.get()
    assert (response.status_code, response["Location"]) == (302, f"{page}#export-{row.pk}")
    shown = client.get(page).content.decode()
    assert "in the queue" in shown
    assert 'hx-trigger="every 1s"' in shown
    assert process_row("export", row.pk)
    fragment = client.get(page, headers=HTMX).content.decode()
    assert "<html" not in fragment
    assert "hx-trigger" not in fragment
    row.refresh_from_db()
    for text in (row.sha256, "Has the present data", "ratings.csv", "people&#x27;s answers", f"{page}{row.pk}/file"):
        assert text in fragment
    assert "cannot be recalled" in client.get(page).content.decode()
    client.post(page, {"form": "csv"})
    assert KeptExport.objects.count() == 1


def test_the_page_says_when_the_data_have_changed(client, study, owner):
    exported(study)
    study.questions.update(text="Other?")
    Study.objects.update(title="T")
    from accounts.auditing import record

    record("study described", study.slug, actor=owner, study=study.slug)
    assert "The data have changed since" in client.get(page_of(study)).content.decode()


def test_a_format_must_be_one_of_those_offered(client, study):
    response = client.post(page_of(study), {"form": "exe"})
    assert response.status_code == 422
    assert "Choose a format" in response.content.decode()
    assert not KeptExport.objects.exists()


def test_the_page_asks_few_queries_however_many_exports_there_are(client, study, django_assert_max_num_queries):
    for _ in range(3):
        KeptExport.objects.update(state="older")
        exported(study)
    with django_assert_max_num_queries(16):
        client.get(page_of(study))


def test_a_download_is_streamed_with_its_length_and_digest(client, study):
    row = exported(study)
    address, data = f"{page_of(study)}{row.pk}/file", place_of(row).read_bytes()
    response = client.get(address)
    assert response.streaming
    assert b"".join(response) == data
    assert (response["Content-Length"], response["ETag"]) == (str(len(data)), f'"{row.sha256}"')
    assert response["Content-Disposition"].startswith(f'attachment; filename="{study.slug}-jsonl-')
    assert client.get(address, headers={"If-None-Match": response["ETag"]}).status_code == 304


@pytest.mark.parametrize(
    ("asked", "status", "start", "end"),
    [
        ("bytes=0-3", 206, 0, 4), ("bytes=10-", 206, 10, None), ("bytes=5-99999999999", 206, 5, None),
        ("bytes=-5", 200, 0, None), ("bytes=3-1", 200, 0, None), ("bytes=0-1,4-5", 200, 0, None), ("x", 200, 0, None),
        ("bytes=99999999999-", 200, 0, None),
    ],
)  # fmt: skip
def test_an_interrupted_download_continues(client, study, asked, status, start, end):
    row = exported(study)
    data = place_of(row).read_bytes()
    response = client.get(f"{page_of(study)}{row.pk}/file", headers={"Range": asked})
    assert response.status_code == status
    assert b"".join(response) == data[start:end]
    assert int(response["Content-Length"]) == len(data[start:end])
    if status == 206:
        assert response["Content-Range"] == f"bytes {start}-{len(data[:end]) - 1}/{len(data)}"


def test_a_part_of_another_file_is_never_appended(client, study):
    row = exported(study)
    address = f"{page_of(study)}{row.pk}/file"
    with closing(client.get(address, headers={"Range": "bytes=5-", "If-Range": '"another"'})) as response:
        assert response.status_code == 200


def test_a_file_of_another_study_is_not_found(client, study, owner):
    row = exported(study)
    other = draft_study("other")
    add_member(other, owner, "owner", None)
    assert client.get(f"/studies/other/export/{row.pk}/file").status_code == 404


def test_a_file_that_is_gone_is_not_found(client, study):
    row = exported(study)
    place_of(row).unlink()
    assert client.get(f"{page_of(study)}{row.pk}/file").status_code == 404
    assert client.post(page_of(study), {"form": "jsonl"}).status_code == 302
    assert KeptExport.objects.count() == 2


def test_a_blinded_study_s_exports_have_codes_and_earlier_ones_with_names_are_out_of_reach(client, study):
    named = exported(study)
    Study.objects.filter(pk=study.pk).update(options={**study.options, "blind_researchers": True})
    assert f"export-{named.pk}" not in client.get(page_of(study)).content.decode()
    assert client.get(f"{page_of(study)}{named.pk}/file").status_code == 404
    coded = exported(Study.objects.get(pk=study.pk))
    assert coded.pk != named.pk
    assert coded.coded
    shown = client.get(page_of(study)).content.decode()
    assert "Systems have codes" in shown
    with closing(client.get(f"{page_of(study)}{coded.pk}/file")) as response:
        assert response.status_code == 200


def test_a_file_opens_only_for_those_who_may_export_at_that_moment(client, study, owner):
    row = exported(study)
    address = f"{page_of(study)}{row.pk}/file"
    response = client.get(address)
    # A browser may keep it to continue a download, and has to ask here before it uses any of it again.
    assert (response.status_code, response["Cache-Control"]) == (200, "private, no-cache")
    assert b"".join(response)
    for changed in ({"role": "annotator"}, {"active": False}):
        study.memberships.update(**changed)
        assert client.get(address).status_code == 404
    client.logout()
    assert client.get(address)["Location"].startswith("/sign-in/")
