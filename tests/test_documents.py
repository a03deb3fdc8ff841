"""The documents are correct: links work, settings exist, and the first study can be imported."""

import re
from pathlib import Path

import pytest
from django.core.management import call_command

from accounts.models import Person
from annotation.models import Study
from tests.house import ROOT, named, tracked

DOCUMENTS = [path for path in tracked() if path.suffix == ".md" and path.relative_to(ROOT).parts[0] != "tests"]
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def names_read(file: str) -> set[str]:
    """The environment variables that a file of ours reads."""
    text = (ROOT / file).read_text(encoding="utf-8")
    found = re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"|\(env, \"([A-Z_]+)\"", text)
    return {one or other for one, other in found}


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_between_documents_work(document):
    targets = {(document.parent / target).resolve() for target in LINK.findall(document.read_text(encoding="utf-8"))}
    missing = {named(target) for target in targets if not target.exists()}
    assert missing == set()


def test_every_setting_is_described():
    read = names_read("config/settings.py") | names_read("config/environment.py")
    assert {"PROFILE", "SECRET_KEY", "DATABASE_URL", "DEBUG"} <= read
    for document in (".env.example", "docs/operating.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        assert {name for name in read if not re.search(rf"\b{name}\b", text)} == set(), document


def test_every_command_of_make_exists():
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for document in DOCUMENTS:
        said = set(re.findall(r"(?:`|^ {4}|\w=\S+ )make ([a-z-]+)", document.read_text(encoding="utf-8"), re.MULTILINE))
        assert said <= rules, named(document)


def test_the_licence_of_everything_that_is_installed_is_named():
    def plain(text: str) -> str:
        return re.sub(r"[^a-z0-9,|\n]", "", text.lower())

    told = set(re.split(r"[,|\n]", plain((ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8"))))
    locked = "".join((ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8") for name in ("test", "models"))
    packages = re.findall(r"^([a-z0-9-]+)==(?!.*== '(?:win32|emscripten)')", locked, re.MULTILINE)
    assert len(packages) > 30
    assert [name for name in packages if plain(name) not in told] == []


@pytest.mark.django_db
def test_the_first_study_of_the_readme_imports_and_goes_live(tmp_path: Path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (tmp_path / "study.yaml").write_text(re.search(r"```yaml\n(.*?)```", readme, re.DOTALL)[1], encoding="utf-8")
    (tmp_path / "items.jsonl").write_text(re.search(r"```json\n(.*?)```", readme, re.DOTALL)[1], encoding="utf-8")
    Person.objects.create_user("me")
    command = re.search(r"manage\.py import_study study\.yaml --items items\.jsonl (.*)", readme)[1].split()
    call_command(
        "import_study", str(tmp_path / "study.yaml"), "--items", str(tmp_path / "items.jsonl"), *command, verbosity=0
    )
    study = Study.objects.get(slug="headlines")
    assert study.is_live
    assert study.slots.count() == 2 * study.redundancy
