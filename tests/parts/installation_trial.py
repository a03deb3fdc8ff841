"""An installation with some parts: studies of each protocol from import over the desk to report and export, and back.

    PARTS=none DATABASE_URL=... VAR=... python -m tests.parts.installation_trial FOLDER [PROTOCOL ...]

Prints the modules of parts that are loaded at the end, as a JSON list in the last line.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import django
from django.core.management import call_command

STUDIES = ("demo-rating", "demo-listwise", "demo-pairwise", "demo-session")


def exported(slug: str, folder: Path) -> dict[str, bytes]:
    call_command("export_study", slug, out=folder, verbosity=0, stdout=sys.stderr)
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*.jsonl"))}


def open_pages(study, person) -> None:
    """Open every tab of the study as its researcher."""
    from django.urls import reverse

    from annotation.study_tabs import TABS
    from benchmarks.desk import Browser
    from config.parts import parts

    browser = Browser(person)
    for tab in (*TABS, *(tab for part in parts() for tab in part.tabs)):
        if tab.shown(study):
            browser.send("GET", reverse(tab.route, args=[study.slug]))
            assert browser.status == "200", (tab.route, browser.status)


def check_computed(folder: Path) -> None:
    """An export of answers has reports whatever is installed, and derived tables of the parts that are."""
    from config.parts import parts

    known = {table.key for part in parts() for table in part.derived_tables}
    written = {f"{folder.name}/{file.stem}" for file in folder.glob("*.jsonl")}
    assert (folder / "agreement.json").is_file(), folder
    assert written <= known, (folder, written)
    assert bool(written) == bool(known), (folder, written)


def answer_on_the_desk(study) -> None:
    """Send an answer by *Submit and next*, as a browser does."""
    from accounts.models import Person
    from annotation.members.membership import add_member
    from benchmarks.desk import Browser, filled, send

    person = Person.objects.create_user(f"visitor-of-{study.slug}")
    add_member(study, person, "annotator", None)
    browser = Browser(person)
    browser.send("GET", "/")
    assert browser.status == "200", browser.status
    browser.send("POST", f"/studies/{study.slug}/next/")
    task = browser.location
    assert "/work/" in task, task
    send(browser, task, filled(study, task, browser.send("GET", task)))


def main(folder: Path, protocols: Sequence[str]) -> None:
    django.setup()
    from accounts.models import Person
    from annotation.models import Annotation, Study
    from files.reading import import_study

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("demo", links=str(folder / "links.txt"), verbosity=0, stdout=sys.stderr)
    owner = Person.objects.get(username="demo-researcher")
    for slug in STUDIES:
        if protocols and slug.removeprefix("demo-") not in protocols:
            continue
        study = Study.objects.get(slug=slug)
        open_pages(study, owner)
        if study.protocol != "session":
            before = Annotation.objects.filter(rater__study=study).count()
            answer_on_the_desk(study)
            assert Annotation.objects.filter(rater__study=study).count() == before + 1, slug
            call_command("agreement", slug, json=True, stdout=sys.stderr)
        first = exported(slug, folder / slug)
        if study.protocol != "session":
            check_computed(folder / slug / "derived")
        again = folder / f"{slug}-again"
        Study.objects.filter(pk=study.pk).update(slug=f"{slug}-before")
        import_study(folder / slug, owner=owner)
        second = exported(slug, again)
        for name in ("items.jsonl", "ratings.jsonl"):
            assert first.get(name) == second.get(name), (slug, name)
    print(json.dumps(sorted(name for name in sys.modules if name.startswith("parts."))))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
