"""What a restore refuses, and what a killed one leaves."""

import hashlib
import json
import shutil
import zipfile

import pytest

from tests.operating.installations import KINDS, QUICK_KINDS, installation, skip_without_server

pytestmark = pytest.mark.timeout(1800)
THOROUGH = pytest.mark.thorough

SOME_ROWS = """
call_command("migrate", verbosity=0)
from accounts.models import Person
from annotation.models import Item, Study
Person.objects.create_user("somebody", password="a long password of somebody")
study = Study.objects.create(slug="study", title="A \\u201cstudy\\u201d \\U0001f9ca", protocol="rating", redundancy=1)
for number in range(5):
    Item.objects.create(study=study, key=f"item-{number}", digest="d", metadata={"n": 1e22, "z": -0.0})
from config.erasure import open_erasure
with open_erasure("item"):
    Item.objects.filter(key="item-4").delete()
from datetime import timedelta
from django.conf import settings
from django.utils import timezone
from accounts.audit_archive import archive_audit
from accounts.auditing import record
record("seen", "CANARY", actor=None)
(settings.VAR / "audit").mkdir()
archive_audit(timezone.now() + timedelta(minutes=1), settings.VAR / "audit" / "audit-old.jsonl", None)
"""
AUDIT = """
from accounts.models import AuditEntry
print(AuditEntry.objects.filter(subject="CANARY").count())
print(AuditEntry.objects.get(action="audit archived").new["sha256"])
"""
NEXT_ITEM = """
from annotation.models import Item, Study
print(Item.objects.create(study=Study.objects.get(), key="next", digest="d").pk)
"""
WHILE_LOADING = """
from operating import stored_tables
insert, names = stored_tables.StoredTable.insert, []
def slowly(self, lines):
    insert(self, lines)
    names.append(self.name)
    if len(names) == 40:
        print("loading", flush=True)
        sys.stdin.readline()
stored_tables.StoredTable.insert = slowly
call_command("restore", sys.argv[1])
"""
FROZEN = """
from django.db import IntegrityError
from annotation.models import Item
try:
    Item.objects.filter(key="item-0").update(document="another text")
except IntegrityError as problem:
    print(problem)
"""


@pytest.fixture(scope="module")
def backup(tmp_path_factory):
    """A backup of a small installation on SQLite, and that installation."""
    folder = tmp_path_factory.mktemp("backup")
    with installation("sqlite", folder / "source") as source:
        source.run(SOME_ROWS)
        source.must("backup", folder / "one.zip")
        yield folder / "one.zip", source


def rewritten(path, target, change):
    """A copy of a backup of which `change` alters the manifest or the members."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        members = {name: old.read(name) for name in old.namelist()}
        manifest = json.loads(members["manifest.json"])
        change(manifest, members)
        members["manifest.json"] = json.dumps(manifest).encode()
        for name, content in members.items():
            new.writestr(name, content)
    return target


@pytest.mark.thorough
@pytest.mark.parametrize("kind", QUICK_KINDS)
def test_numbers_of_erased_rows_are_not_given_again_and_evidence_stays_protected(backup, kind, tmp_path):
    skip_without_server(kind)
    path, source = backup
    with installation(kind, tmp_path / "numbers") as target:
        target.must("migrate", "-v", "0")  # tables without rows are empty enough
        target.must("restore", path)
        assert target.digest() == source.digest()
        assert target.run(NEXT_ITEM).strip() == "6"
        assert "annotation_item is frozen" in target.run(FROZEN)


def test_only_an_empty_installation_is_restored_into(backup):
    path, source = backup
    before = source.digest()
    assert "This installation is not empty: its table " in source.refused("restore", path)
    assert source.digest() == before


@THOROUGH
def test_archived_audit_entries_are_restored_as_the_files_that_the_audit_names(backup, tmp_path):
    path, source = backup
    with installation("sqlite", tmp_path / "target") as target:
        target.must("restore", path)
        archived = (target.var / "audit" / "audit-old.jsonl").read_bytes()
        assert archived == (source.var / "audit" / "audit-old.jsonl").read_bytes()
        assert b"CANARY" in archived
        assert target.run(AUDIT).split() == ["0", hashlib.sha256(archived).hexdigest()]


def drop_a_line(manifest, members):
    members["tables/annotation_item.jsonl"] = members["tables/annotation_item.jsonl"].split(b"\n", 1)[1]


def change_a_value(manifest, members):
    members["tables/annotation_item.jsonl"] = members["tables/annotation_item.jsonl"].replace(b"item-2", b"item-9")


def lose_a_table(manifest, members):
    del members["tables/annotation_item.jsonl"]


def leave_out_a_table(manifest, members):
    del members["tables/annotation_item.jsonl"], manifest["tables"]["annotation_item"]


def be_of_a_later_format(manifest, members):
    manifest["format_version"] = 2


def be_of_a_later_schema(manifest, members):
    manifest["migrations"].append(["annotation", "0007_later"])
    manifest["software_version"] = "0.7.0"


def be_something_else(manifest, members):
    manifest["format"] = "another"


def bring_a_strange_file(manifest, members):
    members["files/../secret_key"] = b"x"
    manifest["files"]["../secret_key"] = {"size": 1, "sha256": hashlib.sha256(b"x").hexdigest()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(drop_a_line, "annotation_item.jsonl is not what the manifest says", marks=THOROUGH),
        pytest.param(change_a_value, "annotation_item.jsonl is not what the manifest says", marks=THOROUGH),
        pytest.param(lose_a_table, "is damaged: tables/annotation_item.jsonl", marks=THOROUGH),
        pytest.param(leave_out_a_table, "tables are not those of its version: annotation_item", marks=THOROUGH),
        pytest.param(be_of_a_later_format, "has format 2, and version", marks=THOROUGH),
        pytest.param(be_of_a_later_schema, "Restore it with version 0.7.0 or a later one", marks=THOROUGH),
        pytest.param(be_something_else, "is not a backup of Interrater", marks=THOROUGH),
        (bring_a_strange_file, "does not belong into VAR"),
    ],
)
def test_a_wrong_backup_is_refused_and_leaves_no_rows(backup, change, words, tmp_path):
    wrong = rewritten(backup[0], tmp_path / "wrong.zip", change)
    with installation("sqlite", tmp_path / "target") as target:
        assert words in target.refused("restore", wrong)
        target.must("restore", backup[0])


@THOROUGH
def test_half_a_file_and_no_file_are_refused(backup, tmp_path):
    content = backup[0].read_bytes()
    (tmp_path / "half.zip").write_bytes(content[: len(content) // 2])
    with installation("sqlite", tmp_path / "target") as target:
        assert "is not a backup, or only a part of one" in target.refused("restore", tmp_path / "half.zip")
        assert "does not exist" in target.refused("restore", tmp_path / "none.zip")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_restore_says_that_it_is_incomplete_until_it_is_repeated(backup, kind, tmp_path):
    skip_without_server(kind)
    path, source = backup
    with installation(kind, tmp_path / "killed") as target:
        process = target.start(WHILE_LOADING, path)
        while (line := process.stdout.readline()) != "loading\n":
            assert line, process.stderr.read()
        process.kill()
        process.communicate()
        assert f"The restore of {path} has not finished" in target.refused("complete_imports")
        assert "has not finished" in target.refused("migrate")
        for module in ("config.worker", "config.startup"):
            done = run_module(target, module)
            assert "has not finished" in done.stderr
            assert done.returncode == 1
        target.must("restore", path)
        assert target.digest() == source.digest()
        target.must("complete_imports")


def run_module(target, module):
    import subprocess
    import sys

    from tests.house import ROOT

    arguments = ["jobs"] if module == "config.worker" else ["--address", "http://127.0.0.1:1"]
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=target.environment, capture_output=True, text=True, timeout=60, check=False
    )


@THOROUGH
def test_a_file_of_another_installation_is_not_replaced(backup, tmp_path):
    path, _ = backup
    name = "exports/1/12345678-1234-1234-1234-123456789abc.zip"

    def add(manifest, members):
        members[f"files/{name}"] = b"PK.."
        manifest["files"][name] = {"size": 4, "sha256": hashlib.sha256(b"PK..").hexdigest()}

    with_file = rewritten(path, tmp_path / "file.zip", add)
    with installation("sqlite", tmp_path / "target") as target:
        (target.var / name).parent.mkdir(parents=True)
        (target.var / name).write_bytes(b"other")
        assert "is another file than the backup's. Move it away first" in target.refused("restore", with_file)
        assert (target.var / name).read_bytes() == b"other"
        shutil.rmtree(target.var / "exports")
        target.must("restore", with_file)
        assert (target.var / name).read_bytes() == b"PK.."
