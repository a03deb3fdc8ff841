"""What a person downloads of how they came into studies by links, and who they are to the recruiter."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from recruiting.crowds.crowd_tables import CrowdBrowser, CrowdId, CrowdStay


def entries(person: Person) -> Iterator[dict[str, Any]]:
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
