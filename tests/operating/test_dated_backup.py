"""A dated backup: only the newest are kept, a failed one deletes nothing, and one is made each day."""

import fcntl
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from operating.last_backup import last_backup, note_failure
from operating.management.commands import dated_backup

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def folder(tmp_path, settings):
    settings.VAR = tmp_path / "var"
    settings.VAR.mkdir()
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


@pytest.fixture
def quick(monkeypatch):
    """Writes small files instead of whole backups."""

    def write(path):
        path.write_text("a backup")

    monkeypatch.setattr(dated_backup, "make_backup", write)


def old_ones(folder, count):
    names = [f"interrater-2026-01-{day:02}T030500Z.zip" for day in range(1, count + 1)]
    for name in names:
        (folder / name).touch()
    return names


def test_a_real_backup_is_named_after_its_moment(folder):
    call_command("dated_backup", str(folder))
    (path,) = folder.iterdir()
    assert dated_backup.NAME.fullmatch(path.name)
    assert last_backup().file == str(path)
    call_command("dated_backup", str(folder), check=True)


def test_only_the_newest_of_our_files_are_kept(folder, quick):
    names = old_ones(folder, 5)
    (folder / "mine.zip").touch()
    (folder / "interrater-before-the-move.zip").touch()
    (folder / "interrater-2026-01-09T030500Z.zip.partial").touch()
    call_command("dated_backup", str(folder), keep=3)
    left = {path.name for path in folder.iterdir()}
    assert {*names[3:], "mine.zip", "interrater-before-the-move.zip"} < left
    assert len(left) == 5


def test_the_partial_file_of_a_backup_that_is_being_written_stays(folder, quick):
    left, written = (folder / f"interrater-2026-01-0{day}T030500Z.zip.partial" for day in (1, 2))
    left.touch()
    with written.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        call_command("dated_backup", str(folder))
        assert written.exists()
        assert not left.exists()
    call_command("dated_backup", str(folder))
    assert not written.exists()


def test_without_a_number_the_setting_says_how_many_stay(folder, quick, settings):
    settings.BACKUP_KEEP = 60
    old_ones(folder, 31)
    call_command("dated_backup", str(folder))
    assert len(list(folder.iterdir())) == 32
    settings.BACKUP_KEEP = 3
    call_command("dated_backup", str(folder))
    assert len(list(folder.iterdir())) == 3


def test_a_failed_backup_deletes_nothing(folder):
    names = old_ones(folder, 5)
    with pytest.raises(CommandError):
        call_command("dated_backup", str(folder / "missing"), keep=1)
    assert sorted(path.name for path in folder.iterdir()) == names
    with pytest.raises(CommandError, match="failed or is old"):
        call_command("dated_backup", str(folder), check=True)
    note_failure("the disk is full")
    assert last_backup().needs_attention


@pytest.mark.parametrize(
    ("moment", "expected"),
    [((1, 2, 0), (1, 3, 5)), ((1, 3, 5), (2, 3, 5)), ((1, 23, 59), (2, 3, 5))],
)
def test_the_next_backup_is_at_the_given_time(moment, expected):
    def at(day, hour, minute):
        return datetime(2026, 3, day, hour, minute, tzinfo=UTC)

    assert dated_backup.following((3, 5), at(*moment)) == at(*expected)


@pytest.mark.parametrize("given", ["3:05", "24:00", "03:60", "", "now"])
def test_only_a_time_is_a_time(given):
    with pytest.raises(Exception, match="03:05"):
        dated_backup.clock(given)


class EndedError(Exception):
    """Ends the endless command."""


@pytest.fixture
def days(monkeypatch):
    """Each sleep moves the clock; the command ends after three days. Returns the moments of backups."""
    now, made = [datetime(2026, 3, 1, 12, 0, tzinfo=UTC)], []

    def sleep(seconds):
        now[0] += timedelta(seconds=max(seconds, 1.0) * 10)
        if now[0] > datetime(2026, 3, 4, tzinfo=UTC):
            raise EndedError

    monkeypatch.setattr(timezone, "now", lambda: now[0])
    monkeypatch.setattr(dated_backup.time, "sleep", sleep)
    monkeypatch.setattr(dated_backup, "dated_backup", lambda folder, keep: made.append(now[0]) or "made")
    return made


def test_a_folder_without_backups_gets_one_at_once_and_then_one_each_day(folder, days):
    with pytest.raises(EndedError):
        call_command("dated_backup", str(folder), daily_at=(3, 5))
    assert [(moment.day, moment.hour) for moment in days] == [(1, 12), (2, 3), (3, 3)]


def test_a_failed_backup_is_tried_again_soon(folder, days, monkeypatch):
    tried = []

    def fail(folder, keep):
        tried.append(timezone.now())
        if len(tried) < 3:
            raise CommandError("the disk is full")

    monkeypatch.setattr(dated_backup, "dated_backup", fail)
    with pytest.raises(EndedError):
        call_command("dated_backup", str(folder), daily_at=(3, 5))
    assert timedelta(minutes=30) <= tried[1] - tried[0] < timedelta(minutes=45)
    assert tried[2].day == 1
    assert tried[3].day == 2
