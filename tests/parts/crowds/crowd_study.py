"""A live study that people enter by links, and what they do there."""

import re
from datetime import timedelta

from django.db.models import F
from django.test import Client
from django.utils import timezone

from annotation.models import Annotation, Assignment, Slot, Study
from parts.crowds.models import CrowdBrowser, CrowdId, CrowdStay, LeftParticipant
from tests.clock import at_time
from tests.conftest import make_person
from tests.parts.way_in.way_in_study import RIGHT, study_with_steps

PROLIFIC = {
    "profile": "prolific",
    "codes": {"complete": "CDONE1", "screened_out": "CSCREEN1", "failed": "CFAIL1", "withdrawn": "CGONE1",
              "timed_out": "CLATE1"},
    "minutes": 60, "pay": {"complete": 3.0, "screened_out": 0.2}, "per_hour": 9, "currency": "GBP",
}  # fmt: skip
GENERIC = {
    "profile": "generic", "name": "Panel", "parameters": {"participant": "pid", "session": "sub"},
    "own_codes": ["complete"], "return": "https://panel.example/back?code={code}&who={participant}&how={outcome}",
}  # fmt: skip
LINK = {"people": 2}


def crowd_study(owner, *, steps=(), recruiter=PROLIFIC, link=None, slug="study"):
    """A live study of two items for two raters each, with these steps and links."""
    study = study_with_steps(owner, make_person(f"invited-to-{slug}"), list(steps), slug)
    declared = {**({"recruiter": recruiter} if recruiter else {}), **({"public_link": link} if link else {})}
    study.recruiting = {**({"steps": list(steps)} if steps else {}), **declared}
    study.save(update_fields=["recruiting"])
    return Study.objects.get(pk=study.pk)


def prolific_ids(number=1, **changes):
    """The parameters of a link that Prolific makes for a participant."""
    return {"PROLIFIC_PID": f"pid{number}", "STUDY_ID": "study1", "SESSION_ID": f"session{number}", **changes}


class Guest:
    """A browser of somebody who comes by a link."""

    def __init__(self, study, client=None):
        self.client, self.study = client or Client(), study
        self.base = f"/studies/{study.slug}/"

    def open(self, ids):
        return self.client.get(f"{self.base}enter/", ids)

    def enter(self, ids, seconds_ago=0):
        with at_time(timezone.now() - timedelta(seconds=seconds_ago)):
            return self.client.post(f"{self.base}enter/", ids)

    def join(self, answer=None):
        """Open the public link, and follow its text unless `answer` is given."""
        page = self.client.get(f"{self.base}join/")
        drawn = page.context.get("drawn")
        if drawn is None:
            return page if page.status_code != 200 else self.client.post(f"{self.base}join/")
        form = {"drawn": drawn.token, "answer": answer or drawn.shown.answer}
        return self.client.post(f"{self.base}join/", form)

    def work(self, tasks=2, seconds=0, **form):
        """Answer this many tasks, each open for so many seconds, and return where the last answer led."""
        self.client.post(f"{self.base}begin/", {"version": 1})
        page = self.client.post(f"{self.base}next/")
        for _ in range(tasks):
            opened = Assignment.objects.filter(key=page["Location"].split("/")[-2])
            opened.update(opened_at=F("opened_at") - timedelta(seconds=seconds))
            page = self.client.post(f"{page['Location']}submit/", {**RIGHT, "revision": "0", **form})
            page = self.client.post(f"{self.base}next/")
        return page

    def finish(self):
        return self.client.post(f"{self.base}finish/")

    def outcome(self):
        return self.client.get(f"{self.base}outcome/")

    @property
    def stay(self):
        return CrowdStay.objects.select_related("rater").get(rater__person=self.person)

    @property
    def person(self):
        return int(self.client.session["_auth_user_id"])


def add_crowd_rows(study, rater, *, declares=True, **more):
    """A stay of the rater with who they are, for tests that open every page and use every model."""
    if declares:
        study.recruiting = {**study.recruiting, "recruiter": PROLIFIC, "public_link": LINK}
        study.save(update_fields=["recruiting"])
    stay = CrowdStay.objects.create(study=study, rater=rater, source="recruiter", entered_at=timezone.now(), **more)
    known = CrowdId.objects.create(
        study=study, person=rater.person, participant="CANARY-PARTICIPANT", session="CANARY-SESSION"
    )
    browser = CrowdBrowser.objects.create(study=study, person=rater.person, key="k" * 64, is_public=False)
    left = LeftParticipant.objects.create(study=study, digest="CANARY-DIGEST")
    return {"crowdstay": stay, "crowdid": known, "crowdbrowser": browser, "leftparticipant": left}


def texts(page):
    """The page's words, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split())


def held_by(rater_pk):
    return Slot.objects.filter(holder=rater_pk, state="held").count()


def answers_of(rater_pk):
    return Annotation.objects.filter(rater=rater_pk, status="submitted", is_current=True).count()
