"""The core works alone, each part with what it needs, and all parts but one: studies from import to export and back."""

import json
import os
import subprocess
import sys
import zipfile

import psycopg
import pytest

from config.parts import OPTIONAL, parts_by_key
from tests.house import ROOT
from tests.release_fixture import SERVER, new_database


def with_needs(key: str) -> set[str]:
    """A part with those that it needs, and those that they need."""
    return {key}.union(*(with_needs(needed) for needed in parts_by_key()[key].needs))


def without(key: str) -> set[str]:
    """All parts but one, and but those that need it."""
    return {other for other in OPTIONAL if key not in with_needs(other)}


def listed(keys: set[str]) -> str:
    return ",".join(key for key in OPTIONAL if key in keys) or "none"


SELECTIONS = list(dict.fromkeys([*(listed(with_needs(key)) for key in OPTIONAL), *map(listed, map(without, OPTIONAL))]))


def loaded(parts: str, url: str, folder, *protocols: str) -> set[str]:
    """Run the trial with these parts; the parts of which modules are loaded at its end."""
    environment = {
        **os.environ, "PARTS": parts, "DATABASE_URL": url, "VAR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-m", "tests.parts.installation_trial", str(folder), *protocols],
        cwd=ROOT, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    modules = json.loads(ran.stdout.splitlines()[-1])
    return {name.split(".")[1] for name in modules}


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The URL of an empty database of each kind."""
    if request.param == "postgresql":
        try:
            psycopg.connect(SERVER, connect_timeout=3).close()
        except psycopg.OperationalError:
            pytest.skip("no PostgreSQL answers: set TEST_POSTGRES_URL")
    with new_database(request.param, tmp_path) as found:
        yield found


def test_the_core_works_alone_and_loads_no_part(url, tmp_path):
    assert loaded("none", url, tmp_path) == set()


@pytest.mark.thorough
@pytest.mark.parametrize("selection", SELECTIONS)
def test_some_parts_work_without_the_others(selection, tmp_path):
    with new_database("sqlite", tmp_path) as url:
        assert loaded(selection, url, tmp_path, "rating") == set(selection.split(","))


@pytest.mark.parametrize("names", ["nothing", "checks,nothing"])
def test_an_unknown_part_is_named(names):
    environment = {**os.environ, "PARTS": names, "DJANGO_SETTINGS_MODULE": "config.settings"}
    ran = subprocess.run(
        [sys.executable, "-m", "django", "check"], cwd=ROOT, env=environment, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert ran.returncode
    assert "PARTS must be empty, none or a list with commas: no part is called nothing." in ran.stderr


CODE = """
import django; django.setup()
from pathlib import Path
from django.core.management import CommandError, call_command
from annotation.models import Rater, Study
{}
"""
TEMPLATES = """
from managing.building.template_library import study_templates
print('templates', *study_templates())
"""
WITH_ALL_PARTS = """
call_command('migrate', verbosity=0)
from files.reading import import_study
from parts.checks.models import FiledCheck
from parts.routing.models import RoutedRater
options = {'routing': {'most_share': 0.5}}
study = Study.objects.create(slug='routed', title='A study', protocol='rating', redundancy=1, options=options)
RoutedRater.objects.create(rater=Rater.objects.create(study=study, name='ada', kind='human'), lanes=[1])
study = import_study(Path('demo/rating')).study
rule = {'figure': 'alpha', 'question': 'follows', 'until': 'width', 'width': 0.2}
study.options |= {'stopping': {'looks': [2], 'rules': [rule]}}
study.save()
rater = Rater.objects.create(study=study, name='ada', kind='human')
line = {'kind': 'gold', 'item': 'email-costume-store', 'status': 'submitted', 'submitted_at': '2026-01-01T00:00:00Z'}
FiledCheck.objects.create(study=study, rater=rater, digest='0' * 64, line=line)
"""
WITHOUT_THEM = """
from annotation.studies.live_checks import live_problems
from annotation.studies.study_erasure import erase_study
from config.absent_parts import warn_of_absent_parts
warn_of_absent_parts()
study = Study.objects.get(slug='routed')
print('lacks', [one.text for one in live_problems(study) if one.blocks])
try:
    erase_study(study, None)
except Exception as refused:
    print('refused', refused)
"""
COUNTED = "from parts.routing.models import RoutedRater; print(RoutedRater.objects.count())"


def run(code: list[str], folder, parts: str = "none", url: str = "") -> subprocess.CompletedProcess:
    environment = {
        **os.environ, "PARTS": parts, "VAR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": url or f"sqlite:///{folder}/rows.sqlite3",
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, *code], cwd=ROOT, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        check=False,
    )  # fmt: skip


def said(code: str, folder, parts: str = "none") -> subprocess.CompletedProcess:
    """Run code that must work, on an installation with some parts."""
    done = run(["-c", CODE.format(code)], folder, parts)
    assert done.returncode == 0, done.stderr
    return done


def line_of(done: subprocess.CompletedProcess, word: str) -> str:
    return next(line for line in done.stdout.splitlines() if line.startswith(word))


@pytest.fixture(scope="module")
def taken_out(tmp_path_factory):
    """An installation from which all parts were taken out, and what a process said with them and one without.

    One study has rows of a part and declares it; the other has rows of a part and declares another one.
    """
    folder = tmp_path_factory.mktemp("taken_out")
    before = said(WITH_ALL_PARTS + TEMPLATES, folder, parts="")
    (folder / "exports" / "1").mkdir(parents=True)
    return folder, before, said(WITHOUT_THEM + TEMPLATES, folder)


def test_rows_of_an_absent_part_are_named_kept_and_carried(taken_out, tmp_path):
    folder, _, after = taken_out
    for key in ("checks", "routing"):
        assert f"The part {key} is not installed (PARTS), but the database has rows" in after.stderr
    assert "keeps rows of the part routing, not installed here" in line_of(after, "refused")
    assert (folder / "exports" / "1").is_dir()  # files go before rows, so the refusal comes before both
    out = tmp_path / "backup.zip"
    backup = run(["manage.py", "backup", str(out)], folder)
    assert backup.returncode == 0, backup.stderr
    assert run(["manage.py", "checkdata"], folder).returncode == 0
    restored = tmp_path / "restored"
    restored.mkdir()
    done = run(["manage.py", "restore", str(out)], restored)
    assert done.returncode == 0, done.stderr
    assert said(COUNTED, restored, parts="").stdout.strip() == "1"


WITH_SOME_ROWS = """
from django.utils import timezone
from django.core.management import call_command
from accounts.models import Person
call_command('migrate', verbosity=0)
from parts.mail.models import MailAddress
from parts.second_stage.models import SecondStageCase
from parts.stopping.models import StopPlan
from annotation.models import Item
for slug in ('free', 'staged', 'stopped', 'halfway', 'mailed'):
    study = Study.objects.create(slug=slug, title='A study', protocol='rating', redundancy=1)
    for name in ('ada', 'bob', 'cy'):
        person, _ = Person.objects.get_or_create(username=name)
        Rater.objects.create(study=study, name=name, kind='human', person=person)
    Item.objects.create(study=study, key='one', digest='0' * 64)
MailAddress.objects.create(person=Person.objects.get(username='ada'), pending='ada@example.org')
case = Item.objects.get(study__slug='staged')
SecondStageCase.objects.create(item=case, rater=case.study.raters.get(name='ada'), done_at=timezone.now())
for slug in ('stopped', 'halfway'):
    StopPlan.objects.create(study=Study.objects.get(slug=slug), body='{}', fixed_at=timezone.now(), in_time=True)
"""
ERASED_IN_TURN = """
from accounts.audited_erasure import STUDY_ERASED, ErasureRefusedError
from accounts.auditing import record
from annotation.members.rater_erasure import erase_rater
from annotation.studies.stepwise_erasure import continue_erasure
from annotation.studies.study_erasure import erase_study, scope_of
def tell(what, erase, *given, **more):
    try:
        erase(*given, **more)
        print(what, 'went')
    except ErasureRefusedError as problem:
        print(what, str(problem).partition(', not installed')[0].partition('rows of ')[2])
for slug, name in (('free', 'bob'), ('free', 'ada'), ('stopped', 'bob'), ('mailed', 'cy')):
    tell(f'{slug} {name}', erase_rater, Rater.objects.get(study__slug=slug, name=name), None, keep_answers=True)
halfway = Study.objects.get(slug='halfway')
record(STUDY_ERASED, scope_of(halfway), actor=None, study='halfway')
tell('halfway', continue_erasure, halfway)
for slug in ('free', 'staged', 'stopped', 'mailed'):
    tell(slug, erase_study, Study.objects.get(slug=slug), None)
"""


def test_an_absent_part_keeps_only_the_studies_and_people_to_whom_its_rows_refer(url, tmp_path):
    made = run(["-c", CODE.format(WITH_SOME_ROWS)], tmp_path, parts="", url=url)
    assert made.returncode == 0, made.stderr
    told = run(["-c", CODE.format(ERASED_IN_TURN)], tmp_path, parts="sign_on", url=url)
    assert told.stdout.splitlines() == [
        "free bob went",
        "free ada the part mail",
        "stopped bob the part stopping",
        "mailed cy went",
        "halfway the part stopping",
        "free went",
        "staged the part second_stage",
        "stopped the part stopping",
        "mailed went",
    ], told.stderr


def test_a_bundle_carries_what_an_absent_part_has_of_a_study(taken_out, tmp_path):
    folder, *_ = taken_out
    out = tmp_path / "bundle.zip"
    done = run(["manage.py", "bundle", "demo-rating", "--out", str(out)], folder)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(out) as bundle:
        texts = {name.rpartition("/")[2]: bundle.read(name).decode() for name in bundle.namelist() if "/data/" in name}
    assert "\nstopping:" in texts["study.yaml"]
    assert '"ada"' in texts["checks.jsonl"]
    checked = run(["manage.py", "verify_report", str(out)], folder)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_study_whose_part_was_taken_out_is_named_and_cannot_go_live(taken_out):
    *_, after = taken_out
    assert "The study routed declares the part routing, which is not installed" in after.stderr
    assert "This study declares the part routing, which is not installed here." in line_of(after, "lacks")


def test_templates_of_studies_with_absent_parts_are_not_offered(taken_out):
    offered = [line_of(done, "templates").split() for done in taken_out[1:]]
    assert offered[1] == [key for key in offered[0] if not key.endswith("_recruiting")]
    assert len(offered[1]) == len(offered[0]) - 3


SECTIONS = {
    "routing: {most_share: 0.5}": "routing",
    "recruiting: {checks: {gold: {share: 0.1}}}": "checks",
    "recruiting: {steps: []}": "way_in",
}
"""What only a part reads in a study's file."""
IMPORTED = """
for folder in sorted(Path({!r}).iterdir()):
    try:
        call_command('import_study', folder, verbosity=0)
    except CommandError as refused:
        print(folder.name, *str(refused).split())
"""


def write_study(folder, more: str = "") -> None:
    """Write the demo's rating study, with more lines in its file."""
    folder.mkdir(parents=True)
    study = (ROOT / "demo" / "rating" / "study.yaml").read_text(encoding="utf-8")
    (folder / "study.yaml").write_text(f"{study}\n{more}\n", encoding="utf-8")
    (folder / "items.jsonl").write_bytes((ROOT / "demo" / "rating" / "items.jsonl").read_bytes())


def test_an_installation_that_began_without_parts_refuses_their_studies_by_name_and_bundles_others(tmp_path):
    studies = tmp_path / "studies"
    for section, part in SECTIONS.items():
        write_study(studies / part, section)
    write_study(studies / "without_parts")
    assert run(["manage.py", "migrate"], tmp_path).returncode == 0
    imported = said(IMPORTED.format(str(studies)), tmp_path)
    for part in SECTIONS.values():
        assert f"belongs to the part {part}, which is not installed here" in line_of(imported, part)
    for command in (["checkdata"], ["bundle", "demo-rating", "--out", str(tmp_path / "bundle.zip")]):
        done = run(["manage.py", *command], tmp_path)
        assert done.returncode == 0, (command, done.stdout, done.stderr)


STARS = {
    "lab_stars-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: lab-stars\nVersion: 1\n",
    "lab_stars-1.dist-info/entry_points.txt": "[interrater.parts]\nstars = lab_stars\n",
    "lab_stars/__init__.py": "",
    "lab_stars/apps.py": """
from django.apps import AppConfig
class Stars(AppConfig):
    name, label = "lab_stars", "stars"
""",
    "lab_stars/part.py": """
from typing import Annotated
from annotation.studies.file_sections import StudySection, by_model
from config.part import Part
from config.strict_models import SettingsModel, whole
class StarSettings(SettingsModel):
    most: Annotated[int, whole(1, 5)]
class Stars(Part):
    sections = (StudySection("stars", by_model(StarSettings)),)
PART = Stars()
""",
}
USED = """
from config.parts import parts_by_key, parts_of
stars = parts_by_key()["stars"]
print(stars in parts_of(Study(options={})), stars in parts_of(Study(options={"stars": {"most": 3}})))
"""


def test_another_package_adds_a_part_with_its_section(tmp_path, monkeypatch):
    for name, text in STARS.items():
        path = tmp_path / "lab" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lab"))
    for most in (9, 3):
        write_study(tmp_path / "studies" / str(most), f"stars: {{most: {most}}}")
    assert run(["manage.py", "migrate"], tmp_path, parts="stars").returncode == 0
    done = said(USED + IMPORTED.format(str(tmp_path / "studies")), tmp_path, parts="stars")
    assert done.stdout.startswith("False True\n")
    assert "stars.most: must be a whole number from 1 to 5" in line_of(done, "9 ")
    assert not any(line.startswith("3 ") for line in done.stdout.splitlines())
