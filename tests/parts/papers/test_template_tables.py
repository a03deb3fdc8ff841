"""Studies made from templates have every table of their papers: with public data if there is any, or worked data."""

import pytest

from annotation.models import Rater
from files.reading import import_study
from managing.building.template_library import study_templates
from parts.papers.paper_table import paper_tables
from reports.figures.agreement_report import agreement_report
from reports.figures.meta_evaluation_report import meta_evaluation
from reports.figures.study_answers import RaterComparison
from retrieval.index_builds import ensure_index
from sessions.study_options import options_of
from sessions.turn_labels import MachineLabel, write_machine_labels
from tests.managing.template_data import DESCRIBED, DIMENSIONS, expected, from_template, public, rankings
from tests.parts.papers.made_tables import tables as tables_of_study
from tests.parts.papers.made_tables import values as values_of
from tests.parts.papers.tables import href_study
from tests.parts.papers.tables.test_kiwi_tables import judged  # noqa: F401
from tests.reports.worked_sessions import worked  # noqa: F401
from tests.sessions.conftest import folder, live, models, run_waiting, session  # noqa: F401

pytestmark = pytest.mark.django_db
REPLICATIONS = 20


def of_paper(name):
    """The keys of all tables of a paper."""
    return {key for key in paper_tables() if key.startswith(f"{name}_")}


def test_risum_s_judges_have_the_published_figures_and_all_its_tables(reference_data, tmp_path):
    data = reference_data / "hanna"
    tables = public(data, {"relevance": "how_well"}, "ratings", "scores")
    tables["ratings"] += [
        line | {"question": "follows", "value": line["value"] >= 3} for line in tables["ratings"]
    ]  # fmt: skip
    tables["items"] = [item | {"source": "Stories", "document": item["instruction"]} for item in tables["items"]]
    study = from_template("risum", tmp_path, tables, systems={"human": {"family": "people"}, "gpt": {"family": "gpt"}},
                          judges={"chatgpt": {"family": "gpt"}})  # fmt: skip
    compared = RaterComparison(questions={"majority_of": "follows", "mean_of": "how_well"})
    report = meta_evaluation(study, compared, replicates=REPLICATIONS)
    for name, own in expected(data, "relevance")["judges"].items():
        found = report["questions"]["how_well"]["judges"][name]
        assert {key: found[key] for key in own if "se" not in key} == pytest.approx(
            {key: value for key, value in own.items() if "se" not in key}, abs=5.001e-5
        )
    assert of_paper("risum") <= set(report["tables"])


def test_instrusum_s_tables_come_from_its_template(tmp_path):
    study = from_template("instrusum", tmp_path, rankings(), systems=DESCRIBED)
    found = tables_of_study(study)
    assert of_paper("instrusum") <= set(found)
    systems = {name: cells for (_, name), cells in values_of(found["instrusum_4"]).items()}
    assert {name: cells["overall"] for name, cells in systems.items()} == {
        "weak": 2.25, "middle": 3, "strong": 4.75, "edited": 4, "plain": 1
    }  # fmt: skip
    report = agreement_report(study, replicates=REPLICATIONS)["questions"]
    assert {report[key]["alpha_masi_rankings"] for key in DIMENSIONS} == {1.0}


def test_href_s_tables_come_from_its_template(tmp_path):
    body = study_templates()["href"].body
    study = href_study.made(tmp_path, **body)
    assert study.redundancy == 4
    found = href_study.tables(study)
    assert of_paper("href") <= set(found)
    good, people = (href_study.values(found["href_2"], name)["all"] for name in ("good", "one more person"))
    assert (good, people) == pytest.approx((5 / 6, 2 / 3))


@pytest.fixture
def study(folder, rater, owner):  # noqa: F811
    """A live session study made from its template, with two scripted models: the fixtures of sessions use it."""
    body = study_templates()["kiwi"].body
    options = {**body["options"], "models": ["scripted/one", "scripted/two"]}
    made = live(import_study(folder(**{**body, "options": options}), owner=owner).study, rater)
    ensure_index(made)
    run_waiting()
    return made


def test_kiwi_s_tables_come_from_its_template(judged, session):  # noqa: F811
    rater = Rater.objects.create(study=judged, name="labels", kind="model")
    condense = MachineLabel(session.turns.get(number=1).pk, "instruction_type", "condense", "first")
    assert write_machine_labels(judged, rater, [condense]) == {}
    assert (options_of(judged).max_turns, options_of(judged).passages) == (10, 5)
    found = href_study.tables(judged)
    assert of_paper("kiwi") <= set(found)
    total = href_study.values(found["kiwi_2"], "total")
    assert (total["sessions"], total["turns"], total["edited"]) == (2, 5, 2)
