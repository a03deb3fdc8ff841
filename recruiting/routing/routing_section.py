"""What the section `routing` needs of a study before it goes live."""

from collections.abc import Iterator

from accounts.models import Person
from annotation.models import Study
from annotation.studies.rater_routing import count_study
from annotation.studies.routing_plan import AnswerSource, routing_of
from recruiting.routing.routed_raters import declared_questions


def begin_routing(study: Study, actor: Person | None) -> None:
    """Make the quotas of a locked study that goes live, or set them again."""
    count_study(study)


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
    if routing.seats and (count := sum(number for _, number in routing.seats.seats)) > study.redundancy:
        yield f"Routing asks for {count} raters per task, but tasks have {study.redundancy}."
