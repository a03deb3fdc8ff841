"""The card and the files to load are such as `datasets` reads from 2.21 on, which wants one type per column."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.models import Study
from files.writing import export_study
from tests.files.writing.conftest import objects_of
from tests.files.writing.loading import card_of, tables_of
from tests.filled import fill

SCRIPT = Path(__file__).with_name("load_with_datasets.py")
PLAIN = {"string": str, "int64": int, "float64": (int, float), "bool": bool}
"""The types of columns that cards name, in words that version 2.21 knows, and how JSON has them."""
VERSIONS = ("2.21.0", "")
"""The oldest version that docs/formats.md names, and the newest."""


@pytest.fixture(scope="module")
def exported(rows_of_module, tmp_path_factory):
    """Folders of filled studies of two protocols in the default format, with questions of many types."""
    folder = tmp_path_factory.mktemp("exported")

    def make():
        fill(folder / "in")
        for slug in ("the-rating", "the-listwise"):
            export_study(Study.objects.get(slug=slug), folder / "out" / slug)
            yield folder / "out" / slug

    return rows_of_module(lambda: list(make()))


def fits(value, feature):
    """Whether a value has the type of a feature of a card; records have all fields."""
    if value is None:
        return True
    if isinstance(feature, str) or "dtype" in feature:
        name = feature if isinstance(feature, str) else feature["dtype"]
        return isinstance(value, PLAIN[name]) and (PLAIN[name] is bool or not isinstance(value, bool))
    inside = feature.get("list", feature.get("struct"))
    if "list" in feature and not isinstance(value, list):
        return False
    return all(_fits_inside(one, inside) for one in (value if "list" in feature else [value]))


def _fits_inside(value, inside):
    if isinstance(inside, str):
        return fits(value, inside)
    fields = {field["name"]: field for field in inside}
    return value.keys() == fields.keys() and all(fits(value[name], field) for name, field in fields.items())


def test_each_line_to_load_has_all_columns_of_the_card_in_their_types(exported):
    wrong, tables = [], 0
    for folder in exported:
        assert {"configs", "dataset_info"} <= card_of(folder).keys()
        for config, (path, features) in tables_of(folder).items():
            tables += 1
            for line in objects_of(path):
                if line.keys() != features.keys() or not all(fits(line[name], features[name]) for name in features):
                    wrong.append((folder.name, config, line))
    assert wrong == []
    assert tables > 20


def test_the_copies_to_load_hold_what_the_tables_hold(exported):
    folder = exported[0]
    values = {json.dumps(line["value"]) for line in objects_of(folder / "ratings.jsonl")}
    copies = [line["value"] for line in objects_of(folder / "typed" / "ratings.jsonl")]
    assert {type(json.loads(value)) for value in values} > {bool, int}  # the table has several types
    assert {value if value in values else json.dumps(value) for value in copies} == values


@pytest.mark.thorough
@pytest.mark.parametrize("version", VERSIONS)
def test_this_version_of_datasets_loads_the_default_export(exported, tmp_path, version):
    python = _with_datasets(tmp_path / "environment", version)
    done = subprocess.run(
        [python, SCRIPT, tmp_path / "cache", *exported], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["version"].startswith(version)
    for folder in exported:
        loaded = said["rows"][str(folder)]
        assert loaded.keys() == tables_of(folder).keys()
        for config, (path, _) in tables_of(folder).items():
            assert len(loaded[config]) == len(objects_of(path))
        ratings = [row["value"] for row in loaded["ratings"]]
        assert ratings == [line["value"] for line in objects_of(folder / "typed" / "ratings.jsonl")]


def _with_datasets(environment, version):
    """The interpreter of a new environment with a version of `datasets`; without an index of packages it is skipped."""
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    wanted = f"datasets=={version}" if version else "datasets"
    found = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if found.returncode:
        pytest.skip(f"{wanted} cannot be installed: {found.stderr.strip().splitlines()[-1:]}")
    return python
