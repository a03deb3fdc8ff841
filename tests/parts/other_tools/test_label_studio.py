"""Label Studio's JSON: choices, stars, texts, numbers, regions of texts, comparisons and rankings."""

import csv
import json

import pytest
from django.core.management import CommandError

from annotation.models import Rating
from files.reading import import_study
from files.writing import FORMATS, export_study
from tests.parts.other_tools.conftest import questions_of, ratings_of

AT = "2026-03-01T10:00:00.000000Z"


def result(question, kind, value, to="text"):
    return {"id": "r", "from_name": question, "to_name": to, "type": kind, "value": value}


def annotation(by, *results, **more):
    return {"id": 1, "completed_by": by, "result": list(results), "was_cancelled": False, "created_at": AT,
            "updated_at": AT, "lead_time": 12.5, "ground_truth": False, **more}  # fmt: skip


def task(number, annotations, predictions=(), **data):
    return {"id": number, "data": data, "annotations": annotations, "predictions": list(predictions), "project": 3}


def test_answers_of_several_raters_move_with_their_times(written, moved):
    text = "The ferry \U0001f6a2 sails at nine."
    first = [
        annotation(7, result("tone", "choices", {"choices": ["plain"]}), result("stars", "rating", {"rating": 4}),
                   result("why", "textarea", {"text": ["Short.", "Clear."]}),
                   # Browsers count the ship as two.
                   result("names", "labels", {"start": 19, "end": 21, "text": "at", "labels": ["TIME"]})),
        annotation({"id": 8, "email": "x@example.org"}, result("tone", "choices", {"choices": ["warm"]})),
        annotation(9, was_cancelled=True),
    ]  # fmt: skip
    second = [annotation(7, result("tone", "choices", {"choices": ["warm"]}),
                         result("box", "rectanglelabels", {"x": 1, "y": 2, "rectanglelabels": ["A"]}))]  # fmt: skip
    machine = {"model_version": "tagger-2", "result": [result("tone", "choices", {"choices": ["plain"]})]}
    file = written("export.json", [
        task(1, first, [machine], text=text, source_url="https://example.org/1"), task(2, second, text="It rains."),
    ])  # fmt: skip
    study, said = moved("label-studio", file)
    assert study.protocol == "listwise"  # which can mark spans
    assert questions_of(study) == {
        "tone": ("category", {"choices": ["plain", "warm"]}), "stars": ("likert", {"min": 1, "max": 5}),
        "why": ("text", {}), "names": ("spans", {"labels": ["TIME"]}),
    }  # fmt: skip
    ship = text.index("sails at") + len("sails ")
    marked = {"output": "text", "start": ship, "end": ship + 2, "text": "at", "label": "TIME"}
    assert ratings_of(study, "seconds") == sorted([
        ("1", "user-7", "tone", "plain", 12.5), ("1", "user-7", "stars", 4, 12.5),
        ("1", "user-7", "why", "Short.\nClear.", 12.5),
        ("1", "user-7", "names", {"spans": [marked], "none": []}, 12.5),
        ("1", "user-8", "tone", "warm", 12.5), ("2", "user-7", "tone", "warm", 12.5),
        ("1", "tagger-2", "tone", "plain", None),
    ], key=repr)  # fmt: skip
    assert {one.submitted_at.isoformat() for one in Rating.objects.filter(rater__kind="human")} == {
        "2026-03-01T10:00:00+00:00"
    }
    assert study.items.get(key="1").metadata == {"source_url": "https://example.org/1"}
    assert "1: skipped answers." in said
    assert "1: results of type rectanglelabels." in said


def test_comparisons_become_a_study_of_pairs(written, moved):
    data = {"prompt": "Write.", "text1": "One.", "text2": "Two."}
    file = written("export.json", [
        task(5, [annotation(1, result("pw", "pairwise", {"selected": "right"}, "txt-1")),
                 annotation(2, result("pw", "pairwise", {"selected": "left"}, "txt-1"))], **data),
    ])  # fmt: skip
    with pytest.raises(CommandError, match=r"does not say which field was where: .*--sides pw=LEFT,RIGHT"):
        moved("label-studio", file)
    study, said = moved("label-studio", file, sides=[("pw", ("text2", "text1"))])
    assert study.protocol == "pairwise"
    assert ratings_of(study, "shown") == [
        ("5", "user-1", "pw", "text1", ["text2", "text1"]),
        ("5", "user-2", "pw", "text2", ["text2", "text1"]),
    ]
    assert study.items.get().instruction == "Write."
    assert "by user-1: text1 is better\n  left, text2: Two.\n  right, text1, chosen: One.\n" in said


def test_rankings_become_a_listwise_study(written, moved):
    listed = [{"id": "a", "body": "One."}, {"id": "b", "body": "Two."}, {"id": "c", "title": "T", "body": "Three."}]
    file = written("export.json", [
        task(5, [annotation(1, result("rank", "ranker", {"ranker": {"best": ["c", "a", "b"]}}, "answers"),
                            result("hard", "rating", {"rating": 2}, "answers"))], prompt="Write.", answers=listed),
    ])  # fmt: skip
    study, _ = moved("label-studio", file)
    assert study.protocol == "listwise"
    assert ratings_of(study) == [
        ("5", "user-1", "hard", 2), ("5", "user-1", "rank", {"c": 1, "a": 2, "b": 3}),
    ]  # fmt: skip
    assert study.items.get().outputs.get(key="c").text == "T\nThree."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "hologram"}, r"export\.json: record 1\.annotations\.0\.result\.0\.type: \"hologram\" is not a known"),
        ({"value": {"choices": "plain"}}, r"record 1\.annotations\.0\.result\.0\.value: must be a list of texts"),
        ({"value": None}, r"record 1\.annotations\.0\.result\.0\.value: is missing"),
        ({"type": "labels", "value": {"start": 2, "end": 5, "text": "xyz", "labels": ["A"]}}, "marks 2 to 5"),
    ],
)
def test_what_is_not_understood_names_its_record(written, moved, change, message):
    one = result("tone", "choices", {"choices": ["plain"]}) | change
    with pytest.raises(CommandError, match=message):
        moved("label-studio", written("export.json", [task(1, [annotation(7, one)], text="It rains.")]))


def test_a_text_that_is_judged_must_be_named_if_there_are_several(written, moved):
    file = written("export.json", [
        task(1, [annotation(7, result("stars", "rating", {"rating": 4}, "x"))], one="A.", two="B."),
    ])  # fmt: skip
    with pytest.raises(CommandError, match="is about one of 2 texts: name the field"):
        moved("label-studio", file)
    study, _ = moved("label-studio", file, outputs=["two"])
    assert [output.key for output in study.items.get().outputs.all()] == ["two"]
    assert study.items.get().metadata == {"one": "A."}


def config(*tags):
    return f"<View>{''.join(tags)}</View>"


SWAPPED = config(
    '<Text name="model_a" value="$model_b"/>',
    '<Text name="model_b" value="$model_a"/>',
    '<Pairwise name="pw" toName="model_a,model_b"/>',
)


@pytest.fixture
def configured(tmp_path):
    """A function that writes a labelling configuration."""

    def write(text):
        path = tmp_path / "config.xml"
        path.write_text(text)
        return path

    return write


def test_the_configuration_says_which_field_was_left(written, moved, configured):
    data = {"prompt": "Write.", "model_a": "A.", "model_b": "B."}
    file = written(
        "export.json",
        [
            task(
                5,
                [
                    annotation(1, result("pw", "pairwise", {"selected": "left"}, "pw")),
                    annotation(2, result("pw", "pairwise", {"selected": "right"}, "pw")),
                ],
                **data,
            ),
        ],
    )
    study, said = moved("label-studio", file, configured(SWAPPED))
    assert ratings_of(study, "shown") == [
        ("5", "user-1", "pw", "model_b", ["model_b", "model_a"]),
        ("5", "user-2", "pw", "model_a", ["model_b", "model_a"]),
    ]
    assert "  left, model_b, chosen: B.\n  right, model_a: A.\n" in said


def test_each_answer_is_about_the_field_that_its_tag_shows(written, moved, configured):
    data = {"prompt": "Write.", "one": "One.", "two": "Two."}
    file = written(
        "export.json",
        [
            task(
                5,
                [
                    annotation(
                        1,
                        result("good", "choices", {"choices": ["yes"]}, "t1"),
                        result("stars", "rating", {"rating": 4}, "t2"),
                        result("clear", "choices", {"choices": ["no"]}, "p"),
                    )
                ],
                **data,
            ),
        ],
    )
    with pytest.raises(CommandError) as asked:
        moved("label-studio", file)
    assert [line.partition("Decide it with ")[2] for line in str(asked.value).splitlines()[:3]] == [
        f"--shows {tag}=FIELD (fields: prompt, one, two)." for tag in ("t1", "t2", "p")
    ]
    rules = config(
        '<Text name="t1" value="$two"/><Text name="t2" value="$one"/><Text name="p" value="$prompt"/>',
        '<Choices name="good" toName="t1"><Choice value="yes"/><Choice value="no"/></Choices>',
        '<Choices name="clear" toName="p"><Choice value="yes"/><Choice value="no"/></Choices>',
        '<Rating name="stars" toName="t2" maxRating="7"/>',
    )
    study, _ = moved("label-studio", file, configured(rules))
    assert questions_of(study) == {
        "good": ("category", {"choices": ["yes", "no"]}),
        "stars": ("likert", {"min": 1, "max": 7}),
        "clear": ("category", {"choices": ["yes", "no"]}),
    }
    assert ratings_of(study, "output__key") == sorted(
        [
            ("5", "user-1", "good", "yes", "two"),
            ("5", "user-1", "stars", 4, "one"),
            ("5", "user-1", "clear", "no", "prompt"),
        ],
        key=repr,
    )


def test_a_tag_with_the_name_of_a_field_shows_it_unless_the_configuration_says_otherwise(written, moved, configured):
    answers = annotation(
        1, result("stars", "rating", {"rating": 4}, "two"), result("good", "rating", {"rating": 2}, "one")
    )
    file = written("export.json", [task(5, [answers], one="A.", two="B.")])
    study, _ = moved("label-studio", file)
    assert ratings_of(study, "output__key") == [
        ("5", "user-1", "good", 2, "one"),
        ("5", "user-1", "stars", 4, "two"),
    ]
    rules = config('<Text name="two" value="$one"/>', '<Rating name="stars" toName="two"/>')
    with pytest.raises(CommandError, match='"good" is not in the labelling configuration'):
        moved("label-studio", file, configured(rules))


def test_a_person_can_say_what_tags_show(written, moved):
    file = written(
        "export.json",
        [
            task(5, [annotation(1, result("stars", "rating", {"rating": 4}, "x"))], one="A.", two="B."),
        ],
    )
    study, _ = moved("label-studio", file, shows=[("x", "two")])
    assert ratings_of(study, "output__key") == [("5", "user-1", "stars", 4, "two")]
    with pytest.raises(CommandError, match='no record has the field "three"; there are one, two'):
        moved("label-studio", file, shows=[("x", "three")])


LISTS = config(
    '<Text name="t" value="$text"/>',
    '<Choices name="topics" toName="t" choice="multiple"><Choice value="sea"/><Choice value="land"/></Choices>',
    '<Choices name="hidden" toName="t" choice="multiple" visibleWhen="region-selected"><Choice value="x"/></Choices>',
    '<Labels name="errors" toName="t"><Label value="ERROR"/></Labels>',
    '<DateTime name="when" toName="t"/><Number name="count" toName="t" min="0" max="9"/>',
)


def test_what_was_left_empty_is_an_answer_and_a_date_is_a_text(written, moved, configured):
    mark = {"start": 0, "end": 2, "text": "It", "labels": ["ERROR"]}
    first = annotation(
        1,
        result("when", "datetime", {"datetime": "2026-03-01"}, "t"),
        result("count", "number", {"number": 3}, "t"),
        result("errors", "labels", mark, "t"),
    )
    second = annotation(2, result("topics", "choices", {"choices": ["sea"]}, "t"))
    file = written("export.json", [task(1, [first, second], text="It rains.")])
    study, _ = moved("label-studio", file, configured(LISTS))
    assert questions_of(study)["topics"] == ("category", {"choices": ["sea", "land"], "multiple": True})
    assert questions_of(study)["count"] == ("slider", {"min": 0, "max": 9})
    marked = {"output": "text", "start": 0, "end": 2, "text": "It", "label": "ERROR"}
    assert ratings_of(study) == sorted(
        [
            ("1", "user-1", "when", "2026-03-01"),
            ("1", "user-1", "count", 3),
            ("1", "user-1", "topics", []),
            ("1", "user-1", "errors", {"spans": [marked], "none": []}),
            ("1", "user-2", "topics", ["sea"]),
            ("1", "user-2", "errors", {"spans": [], "none": ["text"]}),
        ],
        key=repr,
    )


def test_a_choice_of_nothing_leaves_and_comes_back_in_every_format(written, moved, configured, tmp_path):
    some = [annotation(1, result("topics", "choices", {"choices": ["sea"]}, "t")), annotation(2)]
    study, _ = moved("label-studio", written("export.json", [task(1, some, text="It rains.")]), configured(LISTS))
    expected = [row for row in ratings_of(study) if row[2] == "topics"]
    assert [value for *_, value in expected] == [["sea"], []]
    for form in FORMATS:
        folder = tmp_path / form
        export_study(study, folder, form)
        text = (folder / "study.yaml").read_text()
        (folder / "study.yaml").write_text(text.replace(f"slug: {study.slug}", f"slug: again-{form}"))
        assert [row for row in ratings_of(import_study(folder).study) if row[2] == "topics"] == expected


def test_another_projects_configuration_is_refused(written, moved, configured):
    file = written("export.json", [task(1, [annotation(1, result("tone", "choices", {"choices": ["x"]}))], text="A.")])
    with pytest.raises(CommandError, match='from_name: "tone" is not in the labelling configuration'):
        moved("label-studio", file, configured(SWAPPED))
    changed = config('<Text name="new" value="$text"/>', '<Choices name="tone" toName="new"/>')
    with pytest.raises(CommandError, match='to_name: "text" is not what the labelling configuration has, "new"'):
        moved("label-studio", file, configured(changed))


@pytest.mark.parametrize(
    "text", ["<View>", "no XML", '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><View>&e;</View>']
)
def test_a_configuration_that_is_no_plain_xml_is_refused(written, moved, configured, text):
    file = written("export.json", [task(1, [], text="A.")])
    with pytest.raises(CommandError, match=r"config\.xml: is not XML"):
        moved("label-studio", file, configured(text))


def test_a_configuration_that_would_take_long_is_refused(written, moved, configured):
    file = written("export.json", [task(1, [], text="A.")])
    nested = "".join(f'<Choices name="c{n}" toName="t">' for n in range(1001)) + "</Choices>" * 1001
    with pytest.raises(CommandError, match=r"config\.xml: has more than 1000 controls"):
        moved("label-studio", file, configured(config(nested)))
    with pytest.raises(CommandError, match=r"config\.xml: is larger than 1,000,000 characters"):
        moved("label-studio", file, configured(config("<View/>" * 150_000)))


TABLE = config(
    '<Text name="a" value="$one"/><Text name="b" value="$two"/>',
    '<Pairwise name="pw" toName="b,a"/>',
    '<Choices name="why" toName="a" choice="multiple"><Choice value="short"/><Choice value="clear"/></Choices>',
    '<Choices name="ok" toName="b"><Choice value="yes"/><Choice value="no"/></Choices>',
    '<TextArea name="note" toName="a"/><Rating name="stars" toName="b"/>',
)
MINIMAL = {
    "prompt": "Write.",
    "one": "One.",
    "two": "Two.",
    "id": 5,
    "pw": [{"selected": "left"}],
    "why": {"choices": ["short", "clear"]},
    "ok": "no",
    "note": "Fine.",
    "stars": [{"rating": 2}],
    "annotator": 3,
    "annotation_id": 9,
    "created_at": AT,
    "updated_at": AT,
    "lead_time": 4.5,
}


@pytest.mark.parametrize("name", ["minimal.json", "export.csv"])
def test_exports_with_a_row_per_annotation_are_read_with_the_configuration(written, moved, configured, tmp_path, name):
    file = written(name, [MINIMAL, {**MINIMAL, "annotator": 4, "annotation_id": 10, "why": None}])
    if name.endswith("csv"):
        rows = [
            {
                key: value if isinstance(value, str) else json.dumps(value)
                for key, value in line.items()
                if value is not None
            }
            for line in json.loads(file.read_text())
        ]
        with file.open("w", newline="") as table:
            writer = csv.DictWriter(table, sorted(MINIMAL), quoting=csv.QUOTE_NONNUMERIC)
            writer.writeheader()
            writer.writerows(rows)
    with pytest.raises(CommandError, match="does not say which keys are answers: give the project's labelling config"):
        moved("label-studio", file)
    study, _ = moved("label-studio", file, configured(TABLE))
    first = [
        ("5", "user-3", "pw", "two", None, 4.5),
        ("5", "user-3", "why", ["short", "clear"], "one", 4.5),
        ("5", "user-3", "ok", "no", "two", 4.5),
        ("5", "user-3", "note", "Fine.", "one", 4.5),
        ("5", "user-3", "stars", 2, "two", 4.5),
    ]
    second = [
        ("5", "user-4", question, [] if question == "why" else value, *more) for _, _, question, value, *more in first
    ]
    said = [
        (*row[:4], None if row[2] == "pw" else row[4], row[5]) for row in ratings_of(study, "output__key", "seconds")
    ]
    assert said == sorted([*first, *second], key=repr)
