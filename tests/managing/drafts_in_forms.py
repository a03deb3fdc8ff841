"""Draft studies for tests of the page that builds them, and what its form sends."""

from pathlib import Path

from django.http import QueryDict

from annotation.members.membership import add_member
from annotation.models import Study
from files.reading import import_study
from files.writing.study_yaml import study_body
from managing.building.study_form import texts_of_body

DEMO = Path(__file__).parents[2] / "demo"
PROTOCOLS = ("rating", "listwise", "pairwise", "session")


def demo_draft(protocol, owner):
    """The demo's study of a protocol, as a draft of `owner`."""
    import_study(DEMO / protocol)
    study = Study.objects.get(slug=f"demo-{protocol}")
    add_member(study, owner, "owner", None)
    return study


def empty_draft(owner, protocol="rating", **more):
    """A draft without questions and items."""
    study = Study.objects.create(slug="empty", title="An empty draft", protocol=protocol, redundancy=2, **more)
    add_member(study, owner, "owner", None)
    return study


def posted(study, body=None, **more):
    """What the page's form sends for a body, by default the study's own."""
    data = QueryDict(mutable=True)
    data.update({**texts_of_body(study_body(study) if body is None else body), **more})
    return data.dict()
