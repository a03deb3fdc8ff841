"""Import a study from files: see docs/formats.md."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError

from accounts.models import Person
from annotation.blinding import keep_codes
from annotation.models import Study
from annotation.studies.lifecycle import StudyRefusedError, make_live, prepare
from config.site_address import site_address
from files.reading import ImportRefusedError, ImportResult, import_study
from files.reading.folder import file_tables

STEP_SECONDS = 5.0


class Command(BaseCommand):
    # Checking URLs would load every page and its libraries, which takes as long as a small import, and more memory.
    requires_system_checks = [Tags.models]
    help = "Import a study from a folder, or from a study file with files of items, ratings, sessions and so on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path, metavar="FOLDER | STUDY.yaml")
        for table in file_tables():
            parser.add_argument(f"--{table.replace('_', '-')}", type=Path, metavar="FILE", help="JSONL or CSV")
        parser.add_argument("--owner", metavar="USER", help="user name of the person who becomes an owner of the study")
        parser.add_argument(
            "--replace-examples", action="store_true", help="show judges the file's examples alone from now on"
        )
        parser.add_argument(
            "--replace-draft", action="store_true", help="replace a draft that nobody has answered, with its items"
        )
        parser.add_argument(
            "--keep-codes",
            action="store_true",
            help="call systems of a blinded study by the codes in its exported files",
        )
        parser.add_argument("--reason", default="", help="why a locked study is corrected; the audit keeps it")
        parser.add_argument("--live", action="store_true", help="make tasks and open the study to its annotators")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = _person(options["owner"])
        try:
            done = import_study(
                options["source"], {table: options[table] for table in file_tables()}, owner=owner,
                replace_examples=options["replace_examples"], replace_draft=options["replace_draft"],
                reason=options["reason"],
            )  # fmt: skip
        except ImportRefusedError as problem:
            raise CommandError(_report(problem)) from None
        if options["keep_codes"] and done.is_new:
            keep_codes(done.study)
        self.stdout.write(_summary(done))
        for warning in done.warnings:
            self.stderr.write(warning)
        if options["live"] or done.study.is_live:
            self._plan(done.study)
        if options["live"] and not done.study.is_live:
            try:
                make_live(done.study, None)
            except StudyRefusedError as problem:
                raise CommandError(f"The import succeeded, but the study is not live. {problem}") from None
            self.stdout.write(f"{done.study.slug} is live.")
        self.stdout.write(_next_step(done.study))

    def _plan(self, study: Study) -> None:
        """Make tasks and slots. A study that is live already also needs them for what was added."""
        while not prepare(study, STEP_SECONDS):
            self.stdout.write("Making tasks ...")


def _person(name: str | None) -> Person | None:
    if name is None:
        return None
    person = Person.objects.named(name)
    if person is None:
        raise CommandError(f"There is no user called {name!r}. Nothing was imported.")
    return person


def _summary(done: ImportResult) -> str:
    added = ", ".join(f"{count} {table}" for table, count in done.added.items() if count)
    how = "Created" if done.is_new else "Added to"
    return f"{how} study {done.study.slug}: {added or 'nothing new'}."


def _next_step(study: Study) -> str:
    """Return where the study is on this site, and what to do there."""
    address = f"{site_address()}/studies/{study.slug}/"  # `reverse` would load every page
    if study.status == Study.Status.DRAFT:
        return f"Next: check it and make it live at {address}, or with: manage.py make_live {study.slug}"
    return f"See {address}"


def _report(refused: ImportRefusedError) -> str:
    count = len(refused.problems)
    what = "1 problem" if count + refused.more == 1 else f"{count + refused.more:,} problems"
    more = [f"  and {refused.more:,} more"] if refused.more else []
    return "\n".join([f"Nothing was imported: {what}.", *(f"  {problem}" for problem in refused.problems), *more])
