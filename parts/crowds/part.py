"""What crowds add: ways in without an account, the end of a stay, and who people are to a recruiter."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from accounts.access import person_of
from accounts.models import Person
from annotation.fragments import Fragment
from annotation.models import Rater, Study
from annotation.studies.file_sections import FileFacts, StudySection
from annotation.studies.queries import MyWork
from annotation.study_tabs import Tab
from files.import_problems import FieldInvalidError
from parts.crowds.ending import give_back_time, has_ended, open_again, settle, stay_of, withdraw
from parts.crowds.erasing import ERASING
from parts.crowds.link_settings import PUBLIC_LINK, checked_link
from parts.crowds.models import CrowdBrowser, CrowdId, CrowdStay
from parts.crowds.recruiter_settings import RECRUITER, checked_recruiter
from parts.way_in.followers import FollowsWayIn

GUEST_TOKENS = "guest_tokens"
"""The key under `recruiting` by which guests may make API tokens."""


def _by(check: Callable[[Any, str], object]) -> Callable[..., Iterator[FieldInvalidError]]:
    """The problems that a check raises, of which it finds one at a time."""

    def problems(value: Any, field: str, facts: FileFacts) -> Iterator[FieldInvalidError]:
        try:
            check(value, field)
        except FieldInvalidError as problem:
            yield problem

    return problems


def _guest_tokens(value: Any, field: str, *_: object) -> Iterator[FieldInvalidError]:
    if type(value) is not bool:
        yield FieldInvalidError(field, "must be true or false")


def has_links(study: Study) -> bool:
    """Whether people come in by a recruiter or a public link."""
    return bool(study.recruiting.get(RECRUITER) or study.recruiting.get(PUBLIC_LINK))


def own_stay(request: HttpRequest, study: Study, work: MyWork | None = None) -> dict[str, Any] | None:
    """The stay of the person who asks, if they came by a link, and how many skipped tasks they have left, if known."""
    stay = stay_of(study, person_of(request)) if has_links(study) else None
    if stay is None:
        return None
    if stay.outcome or work is None or not work.skipped:
        return {"stay": stay, "left": 0}
    stay.rater.study = study
    return {"stay": stay, "left": open_again(study, stay.rater)}


def ended_stay(request: HttpRequest, work: MyWork) -> dict[str, Any] | None:
    """The stay of the person who asks, if it has ended."""
    own = own_stay(request, work.study)
    return own if own is not None and own["stay"].outcome else None


def if_participant(request: HttpRequest, study: Study) -> dict[str, Any] | None:
    return {} if CrowdId.objects.filter(study=study, person=person_of(request)).exists() else None


def if_links(request: HttpRequest, study: Study) -> dict[str, Any] | None:
    return {} if has_links(study) else None


class CrowdsPart(FollowsWayIn):
    needs = ("way_in",)
    sections = (
        StudySection(f"recruiting.{RECRUITER}", _by(checked_recruiter)),
        StudySection(f"recruiting.{PUBLIC_LINK}", _by(checked_link)),
        StudySection(f"recruiting.{GUEST_TOKENS}", _guest_tokens),
    )
    urls = "parts.crowds.urls"
    annotators_pages = ("crowds:enter", "crowds:join", "crowds:finish", "crowds:outcome")
    tabs = (
        Tab(250, "People", "Submissions", "crowds:submissions", (), has_links),
        Tab(340, "Settings", "Entry links", "crowds:entry_links"),
    )
    fragments = {
        "pause.awaited": (Fragment("crowds/_stay_awaited.html", own_stay),),
        "study.finish": (Fragment("crowds/_finish.html", own_stay),),
        "work.over": (Fragment("crowds/_stay_over.html", ended_stay),),
        "leave.consequences": (Fragment("crowds/_keeps_participant.html", if_participant),),
        "rater_checks.refusal": (Fragment("crowds/_refusal.html", if_links),),
    }
    erasing = ERASING

    def allows_guest_tokens(self, study: Study) -> bool:
        return study.recruiting.get(GUEST_TOKENS) is True

    def settle(self, rater: Rater) -> str | None:
        if rater.person is None or settle(rater.study, rater.person) is None:
            return None
        return reverse("crowds:outcome", args=[rater.study.slug])

    def before_leaving(self, rater: Rater, person: Person) -> SafeString | None:
        back = withdraw(rater, person)
        return None if back is None else render_to_string("crowds/_way_back.html", {"back": back})

    def has_ended(self, rater: Rater) -> bool:
        return has_ended(rater)

    def before_resuming(self, rater: Rater, now: datetime) -> None:
        give_back_time(rater, now)

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        return [("entries", _entries(person))]

    def identities(self, study: Study, people: Collection[int]) -> Mapping[str, Mapping[int, str]]:
        ids = CrowdId.objects.filter(study=study, person__in=people).values_list("person", "participant")
        return {"Participant id": dict(ids)}


def _entries(person: Person) -> Iterator[dict[str, Any]]:
    """How the person came into studies by links, and who they are to the recruiter."""
    known = {one.study_id: one for one in CrowdId.objects.filter(person=person)}
    browsers = Counter(CrowdBrowser.objects.filter(person=person).values_list("study", flat=True))
    for one in CrowdStay.objects.filter(rater__person=person).select_related("study").order_by("pk"):
        given = known.get(one.study_id)
        yield {
            "study": one.study.slug, "by": one.source, "entered_at": one.entered_at, "until": one.due_at,
            "ended_at": one.ended_at, "outcome": one.outcome, "code": one.code, "browsers": browsers[one.study_id],
            "participant": given and given.participant, "recruiter_study": given and given.recruiter_study,
            "session": given and given.session, "other_submissions": given and given.repeats,
        }  # fmt: skip


PART = CrowdsPart()
