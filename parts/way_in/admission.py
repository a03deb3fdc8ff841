"""Who may be given tasks: the only writer of `Rater.admitted`, which the desk reads with every rater."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from annotation.models import Rater, Study
from parts.way_in.entry_step import EntryStep, Passages, steps_of
from parts.way_in.models import Consent, StepPassage


def passages_of(raters: Collection[int]) -> Mapping[int, Passages]:
    """Return what is known of the ways of these raters (primary keys), in two queries."""
    agreed: dict[int, set[str]] = defaultdict(set)
    for rater, digest in Consent.objects.filter(rater__in=raters).values_list("rater", "version__digest"):
        agreed[rater].add(digest)
    attempts: dict[int, dict[str, list[StepPassage]]] = defaultdict(lambda: defaultdict(list))
    for passage in StepPassage.objects.filter(rater__in=raters).defer("tasks").order_by("attempt"):
        attempts[passage.rater_id][passage.step].append(passage)
    return {rater: Passages(frozenset(agreed[rater]), dict(attempts[rater])) for rater in raters}


def next_step(steps: Sequence[EntryStep], passages: Passages) -> EntryStep | None:
    """Return the first step that has not been passed, or None."""
    return next((step for step in steps if not step.kind.is_passed(step, passages)), None)


def may_work(steps: Sequence[EntryStep], passages: Passages) -> bool:
    """Whether a rater may have tasks: after all steps, or in a step that consists of the study's own tasks."""
    step = next_step(steps, passages)
    return step is None or step.kind.admits(step, passages)


def admit(study: Study, rater: Rater) -> bool:
    """Let a locked rater have tasks if they have passed all steps or are in a pilot, and else not; return which."""
    admitted = may_work(steps_of(study), passages_of([rater.pk])[rater.pk])
    if rater.admitted != admitted:
        Rater.objects.filter(pk=rater.pk).update(admitted=admitted)
        rater.admitted = admitted
    return admitted


def admit_all(study: Study) -> None:
    """Decide again for all people of a locked study, whose steps have changed."""
    steps = steps_of(study)
    known = dict(Rater.objects.filter(study=study, person__isnull=False).values_list("pk", "admitted"))
    ways = passages_of(known) if steps else dict.fromkeys(known, Passages())
    for admitted in (True, False):
        wrong = [pk for pk, now in known.items() if now != admitted and may_work(steps, ways[pk]) == admitted]
        Rater.objects.filter(pk__in=wrong).update(admitted=admitted)
