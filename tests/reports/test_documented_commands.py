"""The code of docs/tasks/load-the-data.md and report-agreement-in-a-paper.md, run as written on a study's data."""

import re
import shlex

import pytest
from django.core.management import call_command

from files.writing import export_study
from tests.house import ROOT
from tests.reports.compared_study import imported

pytestmark = pytest.mark.django_db


def blocks(name, language):
    text = (ROOT / "docs" / "tasks" / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def study(tmp_path):
    return imported(tmp_path / "in")


def test_an_exported_folder_loads_as_documented(study, tmp_path, monkeypatch, capsys):
    export_study(study, tmp_path / "DIR", "parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    pandas, polars, datasets, client = blocks("load-the-data", "python")
    assert "interrater_client" in client  # tests/client_library runs it
    read = {}
    for name, code in (("pandas", pandas), ("polars", polars), ("datasets", datasets)):
        names = {}
        exec(code, names)
        read[name] = len(names["ratings"])
        capsys.readouterr()
    count = len((tmp_path / "in" / "ratings.jsonl").read_text().splitlines())
    assert set(read.values()) == {count}


def test_a_report_s_sentences_and_figures_come_from_the_documented_commands(study, capsys):
    (block,) = blocks("report-agreement-in-a-paper", "bash")
    printed = []
    for line in block.splitlines():
        program, file, *arguments = shlex.split(line.replace("SLUG", study.slug), comments=True)
        assert (program, file) == ("python", "manage.py")
        call_command(*arguments)
        printed.append(capsys.readouterr().out)
    text, latex, bibtex, agreement = printed
    assert text.startswith("We collected")
    assert r"\citep{krippendorff2019}" in latex
    assert "@book{krippendorff2019," in bibtex
    assert '"alpha_interval"' in agreement
