"""Studies with stop rules, and answers to them."""

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Study
from annotation.studies.lifecycle import make_live
from annotation.studies.planning import plan_chunk
from config.background.claiming import process_row
from parts.stopping.models import PairCheck
from tests.conftest import SYSTEMS, add_item, draft_study, make_person

STOPPING = {
    "looks": [8, 16],
    "rules": [{"figure": "score", "question": "how_well", "until": "width", "width": 30}],
}


def stopping_study(stopping=STOPPING, *, items=20, redundancy=1, slug="stopped"):
    """A live rating study of items with one output each and with this section `stopping`; and its owner."""
    options = {"seed": 1, **({"stopping": stopping} if stopping else {})}
    study = draft_study(slug, items=0, redundancy=redundancy, options=options)
    for number in range(items):
        add_item(study, f"item-{number:03}", SYSTEMS[number % 2 : number % 2 + 1])
    owner = make_person(f"owner of {slug}")
    add_member(study, owner, "owner", None)
    while plan_chunk(study):
        pass
    study = Study.objects.get(pk=study.pk)
    make_live(study, owner)
    return study, owner


def annotator(study, name):
    person = make_person(name)
    add_member(study, person, "annotator", None)
    return rater_for(study, person)


def answer(study, rater, value="3", follows="true"):
    """Answer the rater's next task; `value` may be one for all, or one by the item's key. Returns its item's key."""
    given = next_assignment(study, rater)
    if given is None:
        return None
    key = given.task.item.key
    how_well = value[key] if isinstance(value, dict) else value
    form = {"q-follows": [follows], "q-how_well": [how_well]}
    submit(given, Submission(form=form, revision=0, guidelines_version=1))
    return key


def compare_all():
    """Process all comparisons of raters that wait."""
    for row in PairCheck.objects.filter(status="queued"):
        assert process_row("pair_check", row.pk)
