"""What is erased of judges' work."""

import re
from collections.abc import Iterator

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import JudgeRun, Rater, Study
from config.erasure import ErasedRows
from judges.models import Judgment, MetricRequest, RunWork
from judges.prompt_texts import mark_of
from judges.run_context import charge_name
from llm.erasing import erase_texts
from llm.models import Call
from sessions.erasing import variants_of
from sessions.models import Turn

AT_ONCE = 500
MARKS = re.compile(r"^<[a-z ]+ ([0-9a-f]{16})>$", re.M)


class JudgesErasing(Erasing):
    """Judgments go with their study; their calls are erased with the ledger, their ratings with all ratings.

    When a rater goes, so do the judgments of their sessions' turns, and the texts of all calls whose prompts show such
    a turn, as what is judged or as an example.
    """

    study_rows = ((Judgment, "run__rater__study"), (RunWork, "study"), (MetricRequest, "study"))

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        variants = variants_of(rater)
        works = list(_works_that_show(rater))
        for start in range(0, len(variants), AT_ONCE):
            some = Judgment.objects.filter(run__rater__study=rater.study, variant__in=variants[start : start + AT_ONCE])
            works += [one.work_name for one in some.only("pk")]
            erased.empty(Judgment.objects.filter(original__in=some), original=None)
            erased.delete(some)
        own = Judgment.objects.filter(run__rater=rater)
        works += [one.work_name for one in own.only("pk")]
        erased.empty(Judgment.objects.filter(original__in=own), original=None)
        erased.delete(own)
        erased.delete(RunWork.objects.filter(run__rater=rater))
        erased.delete(MetricRequest.objects.filter(run__rater=rater))
        for start in range(0, len(works), AT_ONCE):
            erase_texts(rater.study, works[start : start + AT_ONCE], erased)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(RunWork.objects.filter(study=study, started_by=person), started_by=None)
        erased.empty(MetricRequest.objects.filter(study=study, asked_by=person), asked_by=None)


ERASING = JudgesErasing()


def _works_that_show(rater: Rater) -> Iterator[str]:
    """Yield the work of each call of a judge whose prompt has the instruction and the answer of one of these turns.

    The marks around the texts of prompts tell; texts that are equal to somebody else's have equal marks.
    """
    turns = Turn.objects.filter(session__rater=rater, number__gte=1, answer__isnull=False)
    texts = turns.values_list("instruction", "answer")
    marks = {frozenset({mark_of(instruction), mark_of(answer or "")}) for instruction, answer in texts}
    if not marks:
        return
    for run in JudgeRun.objects.filter(rater__study=rater.study).select_related("rater"):
        calls = Call.objects.filter(study=rater.study, run=charge_name(run)).order_by()
        for work, messages in calls.values_list("work", "messages").iterator(chunk_size=AT_ONCE):
            found = {mark for message in messages for mark in MARKS.findall(message["content"])}
            if any(wanted <= found for wanted in marks):
                yield work
