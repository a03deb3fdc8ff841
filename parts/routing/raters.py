"""Routes a study's raters by what they chose and said: the way from people's answers to lanes and quotas."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.auditing import record
from annotation.models import Rater, Study
from annotation.studies.locking import lock_rater, lock_study
from parts.routing.plan import REQUIREMENT, AnswerSource, RoutingSpec, routing_of
from parts.routing.quotas import Replies, full_group, is_routed, topics_in, write_routing
from parts.way_in.models import PersonalReply


class TopicsInvalidError(ValueError):
    """Topics that cannot be chosen; the message is a sentence."""


NO_CHOICE = gettext_noop("This study has no choice of topics.")
NEEDS_TOPIC = gettext_noop("Choose at least one topic.")


def replies_of(study: Study, rater: Rater, routing: RoutingSpec) -> Replies:
    """What the rater's person said in the questions of the study's routing; a query only if it has some."""
    if not routing.sources or rater.person_id is None:
        return {}
    steps = {source.step for source in routing.sources}
    rows = PersonalReply.objects.filter(study=study, person=rater.person_id, step__in=steps)
    found = rows.values_list("step", "question", "value")
    given = {AnswerSource(step=step, question=question): value for step, question, value in found}
    return {source: given[source] for source in routing.sources if source in given}


def is_full_for(study: Study, rater: Rater) -> bool:
    """Whether the study has enough raters like this one, who has not begun."""
    routing = routing_of(study)
    if routing is None or not routing.groups or is_routed(rater):
        return False
    return full_group(study, routing, rater, replies_of(study, rater, routing)) is not None


def must_choose(study: Study, rater: Rater) -> bool:
    """Whether the rater has to choose topics before their first task."""
    routing = routing_of(study)
    return routing is not None and routing.topics.choose and rater.topics is None


def route(study: Study, rater: Rater) -> bool:
    """Give a rater lanes and quotas; False if they must choose topics first, or their group is full."""
    if must_choose(study, rater):
        return False
    with transaction.atomic():
        now = lock_study(study.pk)
        locked = lock_rater(rater.pk, "person")
        locked.study = now
        return now.is_live and locked.admitted and _route(now, locked)


def _route(study: Study, rater: Rater) -> bool:
    routing = routing_of(study)
    if routing is None:
        return False
    if is_routed(rater):
        return True
    replies = replies_of(study, rater, routing)
    if full_group(study, routing, rater, replies) is not None:
        return False
    write_routing(study, routing, rater, replies)
    return True


def choose_topics(rater: Rater, chosen: Sequence[str]) -> None:
    """Save a rater's own choice; their next task is of these topics. Raises TopicsInvalidError."""
    with transaction.atomic():
        study = lock_study(rater.study_id)
        locked = lock_rater(rater.pk, "person")
        locked.study = study
        routing = routing_of(study)
        if routing is None or not routing.topics.choose:
            raise TopicsInvalidError(NO_CHOICE)
        old, locked.topics = locked.topics, [name for name in routing.topics.names if name in chosen]
        replies = replies_of(study, locked, routing)
        if routing.topics.mode == REQUIREMENT and not topics_in(routing, locked, replies):
            raise TopicsInvalidError(NEEDS_TOPIC)
        if old != locked.topics:
            new = {"topics": locked.topics}
            locked.save(update_fields=["topics"])
            record(
                "topics chosen", locked.name, actor=locked.person, study=study.slug, old={"topics": old}, new=new
            )  # fmt: skip
        if is_routed(locked):
            write_routing(study, routing, locked, replies)
    rater.topics = locked.topics


def declared_questions(recruiting: Mapping[str, Any]) -> dict[AnswerSource, Mapping[str, Any]]:
    """The questions about people that a study's steps have."""
    return {
        AnswerSource(step=step["key"], question=question["key"]): question
        for step in recruiting.get("steps", ())
        for question in step.get("questions") or ()
    }


def routing_problems(study: Study) -> Iterator[str]:
    """Yield sentences that say what the study's steps lack for its routing."""
    routing = routing_of(study)
    if routing is None:
        return
    there = declared_questions(study.recruiting)
    wanted: list[tuple[AnswerSource, tuple[str, ...]]] = [(source, ()) for source in routing.sources]
    wanted += [(group.source, tuple(quota.value for quota in group.quotas)) for group in routing.groups]
    wanted += [(routing.seats.source, routing.seats.values)] if routing.seats else []
    told = set()
    for source, values in wanted:
        question = there.get(source)
        if question is None:
            if source not in told:
                yield f"Routing asks for the question {source.question} of the step {source.step}, which is not there."
            told.add(source)
            continue
        if values and question.get("multiple"):
            yield f"Routing groups raters by {source.question}, which must allow one answer only."
        for value in values:
            if value not in (question.get("choices") or ()):
                yield f"Routing names the answer {value}, which the question {source.question} does not offer."
    if routing.seats and (count := sum(routing.seats.seats.values())) > study.redundancy:
        yield f"Routing asks for {count} raters per task, but tasks have {study.redundancy}."
