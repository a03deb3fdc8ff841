"""pandas, polars and `datasets` load every file of an export of each protocol, with the values that JSONL has."""

import pytest

from annotation.models import Study
from annotation.studies.study_erasure import erase_study
from files.reading import import_study
from files.writing import FORMATS, export_study
from tests.files.writing.conftest import bytes_of, objects_of
from tests.files.writing.loading import by_datasets, by_pandas, by_polars, given, line_of, tables_of
from tests.filled import fill

PROTOCOLS = ("rating", "listwise", "pairwise", "session")


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)


@pytest.fixture
def exported(db, tmp_path):
    """Exports of a filled study of each protocol, by format and slug."""
    fill(tmp_path / "in")
    for study in Study.objects.all():
        for form in FORMATS:
            export_study(study, tmp_path / form / study.slug, form)
    return tmp_path


def differences(folder, expected, cache):
    """The tables whose rows some loader does not read as they are in JSONL, each with the loader."""
    found = []
    for config, (path, features) in tables_of(folder).items():
        lines = [given(line) for line in objects_of(expected / f"{config.replace('wide_', 'wide/')}.jsonl")]
        loaded = {
            "pandas": by_pandas(path, features), "polars": by_polars(path, features),
            "datasets": by_datasets(folder, config, cache),
        }  # fmt: skip
        for loader, rows in loaded.items():
            more_json = ("id",) if config == "preparing" else ()  # a number or a text
            form = ".parquet" if path.suffix == ".jsonl" else path.suffix  # the copy has its columns
            read = [line_of(row, line, form, more_json) for row, line in zip(rows, lines, strict=True)]
            # The library may read a number with ten places.
            if not (near(read, lines) if (loader, path.suffix) == ("datasets", ".jsonl") else read == lines):
                first = next(pair for pair in zip(read, lines, strict=True) if pair[0] != pair[1])
                found.append((folder.parent.name, folder.name, path.name, loader, first))
    return found


def near(one, two):
    """Whether two values of JSON are the same, and their numbers nearly."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(near(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(near, one, two))
    return one == (pytest.approx(two, abs=1e-9) if isinstance(two, float) else two)


@pytest.mark.thorough
def test_every_file_is_loaded_with_the_values_of_jsonl(exported):
    wrong = []
    for protocol in PROTOCOLS:
        for form in FORMATS:
            folder = exported / form / f"the-{protocol}"
            wrong += differences(folder, exported / "jsonl" / f"the-{protocol}", exported / "cache")
    assert wrong == []


@pytest.mark.thorough
def test_export_import_export_gives_the_same_bytes_in_every_format(exported):
    wrong = []
    for protocol in PROTOCOLS:
        slug = f"the-{protocol}"
        for form in FORMATS:
            Study.objects.filter(slug=slug).update(status=Study.Status.CLOSED)
            erase_study(Study.objects.get(slug=slug), None)
            again = import_study(exported / form / slug).study
            for other in FORMATS if form == "jsonl" else (form, "jsonl"):
                export_study(again, exported / "again" / form / other / slug, other)
                before = bytes_of(exported / other / slug)
                after = bytes_of(exported / "again" / form / other / slug)
                # A study that was unblinded says so in its manifest; one made from its files was never blinded.
                names = {*before, *after} - ({"manifest.json"} if protocol == "pairwise" else set())
                wrong += [
                    f"{form}, then {other}: {slug}/{name}" for name in names if before.get(name) != after.get(name)
                ]
    assert sorted(wrong) == []
