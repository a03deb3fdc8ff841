"""People and machines are combined only if a reader asks for both, and then the report says so everywhere."""

import pytest

from annotation.members.membership import add_member
from reports.figures.agreement_report import agreement_report
from tests.reports.compared_study import imported
from tests.reports.computing import read

pytestmark = pytest.mark.django_db
SAID = "People and machines together, as chosen"


@pytest.fixture
def study(tmp_path, owner, client):
    made = imported(tmp_path / "in")
    add_member(made, owner, "owner", None)
    client.force_login(owner)
    return made


@pytest.mark.thorough
@pytest.mark.parametrize("query", ["", "?kinds=human", "?kinds=model&kinds=metric", "?raters=even"])
def test_one_kind_alone_is_not_pooled(client, study, query):
    assert SAID not in read(client, f"/studies/{study.slug}/report/{query}").content.decode()


@pytest.mark.parametrize("query", ["?kinds=human&kinds=model", "?kinds=human&raters=even"])
def test_each_section_of_pooled_figures_begins_with_whose_they_are(client, study, query):
    shown = read(client, f"/studies/{study.slug}/report/{query}").content.decode()
    sections = [one for one in shown.split('<section class="question-report"')[1:] if 'class="counts"' in one]
    assert sections
    assert all(SAID in one.split('<dl class="counts">')[0] for one in sections)


def test_the_report_as_json_counts_the_raters_of_each_kind(study):
    people = agreement_report(study, replicates=5)
    assert "pooled_raters" not in people
    both = agreement_report(study, frozenset({"human", "model"}), replicates=5)
    assert set(both["pooled_raters"]) == {"human", "model"}
    assert all(count > 0 for count in both["pooled_raters"].values())
    assert "pooled_raters" not in agreement_report(study, frozenset({"model"}), replicates=5)
