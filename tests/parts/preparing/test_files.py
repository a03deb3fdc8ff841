"""What was prepared leaves with the export, and an import of it gives the same bytes again."""

import pytest

from files.reading import ImportRefusedError, import_study
from files.writing import canonical_digest, export_study
from parts.preparing.editing import save_hybrid
from parts.preparing.models import PreparationCall, PreparedText, Suggestion
from parts.preparing.placing import place_items
from tests.parts.preparing.prepared_studies import empty_study, step_to_end, with_documents


@pytest.fixture
def exported(tmp_path, owner, model):
    """The folder of a study with a step, items, a hybrid and a suggestion that was not decided."""
    study = empty_study(tmp_path, owner=owner)
    with_documents(study, tmp_path)
    step_to_end(study, "instructions", count=2, accept=True, part=2)
    step_to_end(study, "requirements", count=1, part=1)
    model.replies = ["It sails at nine, and then it sails again."]
    step_to_end(study, "answers", system="north")
    save_hybrid(PreparedText.objects.order_by("pk").first(), "It sails at nine.", "hybrid", owner)
    place_items(study, owner)
    export_study(study, tmp_path / "first")
    return tmp_path / "first"


def test_an_import_gives_the_same_bytes_again(exported, tmp_path):
    text = (exported / "study.yaml").read_text()
    (exported / "study.yaml").write_text(text.replace("slug: draft", "slug: again"))
    again = import_study(exported).study
    export_study(again, tmp_path / "second")
    assert canonical_digest(tmp_path / "second") == canonical_digest(exported)
    assert Suggestion.objects.filter(study=again, item__study=again).count() == 4
    assert PreparationCall.objects.filter(step__study=again).count() == 7


def test_an_import_into_the_same_study_adds_nothing(exported):
    assert import_study(exported).added["preparing"] == 0


def test_a_line_that_contradicts_the_study_is_refused(exported):
    path = exported / "preparing.jsonl"
    path.write_text(path.read_text().replace("It sails at nine.", "It sails at ten.", 1))
    with pytest.raises(ImportRefusedError, match="exists in this study with different content"):
        import_study(exported)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"what":"dream"}', "must be one of"),
        ('{"what":"sample","id":9}', "file: is missing"),
        ('{"what":"document","id":"x","sample":99,"text":"a","words":1}', "99 is in no line before this one"),
        ('{"what":"step","id":9,"kind":"answers","configuration":{},"status":"finished"}', "is not that of a step"),
        (
            '{"what":"suggestion","document":"nowhere","number":1,"kind":"question","text":"?","state":"open"}',
            "nowhere",
        ),
        ('{"what":"call","step":1}', "needs step and place"),
        ('{"what":"sample","id":1,"colour":"red"}', "colour"),
    ],
)
def test_a_wrong_line_is_refused_by_its_number(exported, line, reason):
    path = exported / "preparing.jsonl"
    count = len(path.read_text().splitlines())
    path.write_text(f"{path.read_text()}{line}\n")
    with pytest.raises(ImportRefusedError, match=reason) as refused:
        import_study(exported)
    assert refused.value.problems[0].line == count + 1
