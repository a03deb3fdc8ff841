"""Each kind of inconsistency is found when it is put into a filled database, and none is found in a healthy one."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone

from annotation.models import Item
from managing.models import ItemSummary, ItemUpload
from managing.uploads import receiving
from operating.data_check import all_checks, run_check
from operating.data_checks import counter_checks
from reports.kept.kept_exports import place_of
from reports.models import KeptExport, KeptReport
from tests.filled import fill
from tests.house import ROOT
from tests.operating.seeds import LONG_AGO, SEEDS, VARIANTS, altered_items, lost_uploads, run

pytestmark = pytest.mark.both


@pytest.fixture(scope="module")
def filled(rows_of_module, tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled")
    with override_settings(VAR=folder / "var"):
        yield rows_of_module(lambda: fill(folder / "studies"))


@pytest.fixture
def healthy(filled, db):
    """A filled database; what the test does to it is taken back before its constraints are checked."""
    for row in KeptExport.objects.filter(has_file=True):
        place_of(row).write_bytes(b"PK..")
    with transaction.atomic():
        yield filled
        transaction.set_rollback(True)
    if connection.vendor == "postgresql":  # a rollback does not take back where a sequence is
        run("SELECT setval(pg_get_serial_sequence('annotation_item', 'id'), (SELECT MAX(id) FROM annotation_item))")


def checks():
    return {check.key: check for check in all_checks()}


def test_each_check_has_its_seed_and_each_seed_its_check():
    assert set(SEEDS) == set(checks())
    assert len(SEEDS) >= 15


@pytest.mark.parametrize(
    ("document", "words"),
    [("operating.md", "contradict each other: {} rules"), ("reliability.md", "each of its {} kinds of seeded faults")],
)
def test_the_documents_say_how_many_checks_there_are(document, words):
    text = " ".join((ROOT / "docs" / document).read_text(encoding="utf-8").split())
    assert words.format(len(checks())) in text


def test_nothing_is_found_in_studies_in_which_everything_has_happened(healthy):
    assert {key: finding.rows for key, check in checks().items() if (finding := run_check(check)).count} == {}


@pytest.mark.parametrize("key", sorted(SEEDS))
def test_a_seeded_inconsistency_is_found(healthy, key):
    SEEDS[key]()
    finding = run_check(checks()[key])
    assert finding.count >= 1
    assert 1 <= len(finding.rows) <= finding.count
    assert finding.check.sentence.endswith(".")


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_another_form_of_it_is_found(healthy, name):
    key, seed = VARIANTS[name]
    seed()
    assert run_check(checks()[key]).count >= 1


def test_counts_are_not_compared_while_the_study_changes(healthy):
    KeptReport.objects.filter(kind="items", status="done").update(read_at=timezone.now() - LONG_AGO)
    run("UPDATE managing_itemsummary SET answers = answers + 3")
    assert ItemSummary.objects.exists()
    assert not list(counter_checks.item_summaries())


def told(*arguments):
    out = StringIO()
    code = 0
    try:
        call_command("checkdata", *arguments, stdout=out)
    except SystemExit as ended:
        code = ended.code
    return code, out.getvalue()


def test_the_command_says_what_it_found_and_ends_with_a_code(healthy):
    assert told() == (0, f"{len(checks())} checks found nothing.\n")
    altered_items()
    code, text = told("--rows", "2")
    count = Item.objects.filter(pool="main").count()
    assert code == 1
    assert f"altered_items: An item's text is not what its digest says: somebody has changed it. ({count})" in text
    assert f"  and {count - 2} more" in text
    code, text = told("--json", "altered_items", "lost_triggers")
    [found] = json.loads(text)["found"]
    assert (code, found["key"], found["count"], len(found["rows"])) == (1, "altered_items", count, min(count, 20))
    assert told("lost_triggers") == (0, "1 checks found nothing.\n")


def test_the_command_lists_its_checks_and_refuses_unknown_ones(db):
    code, text = told("--list")
    assert code == 0
    assert len(text.splitlines()) == len(checks())
    with pytest.raises(CommandError, match="no check nonsense"):
        told("nonsense")


def test_an_upload_that_is_there_is_not_lost(healthy):
    lost_uploads()
    upload = ItemUpload.objects.get(has_file=True)
    place = receiving.place_of(upload)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"0" * upload.received)
    assert not run_check(checks()["lost_uploads"]).count
    place.write_bytes(b"0" * (upload.received - 1))
    [row] = run_check(checks()["lost_uploads"]).rows
    place.unlink()
    assert row["bytes"] == str(upload.received - 1)
