"""One import into a study at a time: the second waits, then says why. Other processes hold the lock."""

from importlib import import_module

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.members import tokens
from annotation.models import Item, PendingImport, Study
from files.reading import ImportRefusedError, import_study
from tests.files.reading.conftest import ITEM, STUDY, problems_of
from tests.processes import child, finished, said, tell

HOLD = """
from files.reading.import_lock import import_lock
with import_lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""
IMPORT_SLOWLY = """
from pathlib import Path
from files.reading import import_study, stepwise_import
from config.write_pauses import WritePauses

def take(self):
    print("pause", flush=True)
    sys.stdin.readline()

stepwise_import.fits_one_step = lambda staging: False
stepwise_import.STEP_SECONDS = 0
WritePauses.take = take
import_study(Path(sys.argv[1]))
print("done", flush=True)
"""
SAYS = "another import into this study is running: try again when it has ended"

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(import_module("files.reading.import_lock"), "LONGEST_WAIT", 0.2)


def test_an_import_during_another_one_says_so_and_stores_nothing(folder, impatient):
    given = folder()
    with child(HOLD, "ferries") as other:
        assert said(other) == "held"
        assert problems_of(given) == [(0, "", SAYS)]
        with pytest.raises(CommandError, match=f"Nothing was imported: 1 problem.\n  ferries: {SAYS}"):
            call_command("import_study", str(given))
        assert not Study.objects.exists()
        tell(other)
        finished(other)
    assert import_study(given).added["items"] == 1


def test_an_upload_during_an_import_is_refused_with_the_same_sentence(client, study, owner, impatient):
    secret = tokens.issue_token(study, owner, name="script", scope="write")
    before = Item.objects.count()
    with child(HOLD, study.slug) as other:
        assert said(other) == "held"
        response = client.post(
            f"/api/studies/{study.slug}/items/", b'{"id": "new", "outputs": [{"id": "n", "text": "x"}]}\n',
            content_type="application/x-ndjson", headers={"Authorization": f"Bearer {secret}"},
        )  # fmt: skip
    assert response.status_code == 400
    assert [one["reason"] for one in response.json()["problems"]] == [SAYS]
    assert Item.objects.count() == before


@pytest.mark.thorough
def test_imports_into_other_studies_do_not_wait(folder, impatient):
    with child(HOLD, "harbours") as other:
        assert said(other) == "held"
        assert import_study(folder()).is_new


def test_the_lock_of_a_killed_import_is_free_at_once(folder, impatient):
    with child(HOLD, "ferries") as other:
        assert said(other) == "held"
        other.kill()
        other.wait()
        assert import_study(folder()).is_new


@pytest.mark.thorough
def test_an_import_waits_for_one_that_ends_soon(folder):
    with child(HOLD, "ferries") as other:
        assert said(other) == "held"
        tell(other)
        assert import_study(folder()).is_new
        finished(other)


@pytest.mark.thorough
@pytest.mark.skipif(connection.vendor != "sqlite", reason="on PostgreSQL an import is one transaction")
def test_an_import_during_one_that_is_still_moving_its_rows_says_so_and_disturbs_nothing(folder, impatient, tmp_path):
    items = [{**ITEM, "id": f"item-{number}"} for number in range(5)]
    given = folder(items=items)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "study.yaml").write_text(STUDY)
    (tmp_path / "other" / "items.jsonl").write_text("")
    with child(IMPORT_SLOWLY, given) as importing:
        answers = set()
        while (line := said(importing)) == "pause":
            with pytest.raises(ImportRefusedError, match=SAYS):
                import_study(tmp_path / "other")
            answers.add(Study.objects.filter(pending_import__isnull=False).exists())
            tell(importing)
        assert line == "done"
        finished(importing)
    assert answers == {False, True}
    assert (Item.objects.count(), PendingImport.objects.count()) == (5, 0)
