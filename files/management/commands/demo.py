"""Create the demo's people and studies if they are missing, and make a new sign-in link for each person."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from accounts.sign_in_links import issue_link
from annotation.members.membership import add_member
from annotation.models import Study
from annotation.models.people import Role
from annotation.studies.lifecycle import make_live, prepare
from files.management.demo_answers import answer_demo
from files.reading import ImportRefusedError, import_study
from files.reading.study_file import read_study_file

FOLDER = settings.BASE_DIR / "demo"
RESEARCHER = ("demo-researcher", "Demo researcher")
ANNOTATORS = (
    ("demo-annotator-1", "Demo annotator 1"),
    ("demo-annotator-2", "Demo annotator 2"),
    ("demo-annotator-3", "Demo annotator 3"),
)
PREPARING = 60.0


class Command(BaseCommand):
    help = "Create the demo's people and studies if they are missing; existing ones stay as they are."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--address", default="http://127.0.0.1:8000", help="address of the web server, for the links"
        )
        parser.add_argument("--links", default=str(settings.VAR / "links.txt"), help="the file to write the links to")
        parser.add_argument("--empty", action="store_true", help="make no answers in new studies")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError(
                "The demo is not available in production, because anybody who reads its links could sign in."
            )
        researcher = _person(*RESEARCHER, is_staff=True)
        annotators = [_person(*named) for named in ANNOTATORS]
        for file in sorted(FOLDER.glob("*/study.yaml")):
            try:
                _study(file, researcher, annotators, is_empty=options["empty"])
            except ImportRefusedError as problem:
                raise CommandError(f"The demo study in {file.parent} cannot be imported: {problem}") from problem
        _write_links(Path(options["links"]), [researcher, *annotators], options["address"].rstrip("/"))


def _person(username: str, full_name: str, *, is_staff: bool = False) -> Person:
    """Return the person called `username`, created if missing, without a password: only a link signs them in."""
    known = Person.objects.named(username)
    if known is not None:
        return known
    with transaction.atomic():
        person = Person.objects.create_user(username, password=None, full_name=full_name, is_staff=is_staff)
        record("person added", actor=None, about=person, new={"demo": True})
    return person


def _study(file: Path, researcher: Person, annotators: list[Person], *, is_empty: bool) -> None:
    """Import the study of `file` with its people and answers and make it live, unless it exists in any state."""
    if Study.objects.filter(slug=read_study_file(file).slug).exists():
        return
    with transaction.atomic():
        study = import_study(file.parent, owner=researcher).study
        for annotator in annotators:
            add_member(study, annotator, Role.ANNOTATOR, None)
        prepare(study, PREPARING)
        make_live(study, None)
        if not is_empty:
            answer_demo(study, annotators)


def _write_links(path: Path, people: list[Person], address: str) -> None:
    """Write one line per person, with name and link. Only the file's owner can read it."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        for person in people:
            if person.is_active:
                file.write(f"{person.username:<17} {address}{issue_link(person)}\n")
    new.replace(path)
