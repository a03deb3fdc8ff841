"""When answers were submitted, and how long people worked on them."""

from array import array
from collections import defaultdict

import numpy as np
from django.db.models import Q

from agreement.answers.time_quartiles import CLOCKS, AnswerTimes
from agreement.arrays.rating_arrays import Floats
from agreement.text_lengths import count_words
from annotation.models import Annotation, Output, Question, Study, TaskOutput
from annotation.pools import OF_COUNTED, in_main_pool, main_items
from reports.figures.rows import CHUNK, Choice, answers
from reports.figures.rows.rated_items import RatedItems


def submission_times(study: Study, question: Question, choice: Choice) -> Floats:
    """The times of the chosen answers in seconds since 1970, NaN if unknown, in the order in which `answers` has them.

    Readers that make one entry of each answer have the same order.
    """
    found = array("d")
    for (moment,) in answers(study, question, choice, "submitted_at"):
        found.append(np.nan if moment is None else moment.timestamp())
    return np.frombuffer(found, dtype=np.float64) if found else np.empty(0)


def chosen_annotations(study: Study, choice: Choice) -> Q:
    """The condition for current answers to whole tasks by the chosen raters under the chosen guidelines."""
    condition = choice.raters() & in_main_pool(study, "task__item")
    return condition & Q(rater__study=study, is_current=True) & choice.under_guidelines()


def answer_times(rated: RatedItems, choice: Choice) -> AnswerTimes:
    """The clocks of the chosen submitted answers, with the words that each had to read: document, instruction, outputs.

    Holds a number per task and per answer, and one text at a time.
    """
    study = rated.study
    words, system = _of_tasks(rated)
    task, clocks = array("q"), array("d")
    rows = Annotation.objects.filter(chosen_annotations(study, choice), status=Annotation.Status.SUBMITTED)
    for pk, *given in rows.order_by().values_list("task_id", *CLOCKS).iterator(chunk_size=CHUNK):
        task.append(pk)
        clocks.extend(np.nan if one is None else one for one in given)
    names = sorted(set(system.values()))
    code = {name: place for place, name in enumerate(names)}
    seconds = np.frombuffer(clocks, dtype=np.float64).reshape(-1, len(CLOCKS)) if clocks else np.empty((0, len(CLOCKS)))
    return AnswerTimes(
        seconds=seconds,
        words=np.array([words.get(pk, np.nan) for pk in task], dtype=np.float64),
        system=np.array([code[system[pk]] if pk in system else -1 for pk in task], dtype=np.int64),
        systems=tuple(names),
    )


def _of_tasks(rated: RatedItems) -> tuple[dict[int, float], dict[int, str]]:
    """The words of each task, and the system of each that shows a single output."""
    study, found, shown = rated.study, defaultdict[int, float](float), defaultdict[int, list[int]](list)
    items = {
        pk: float(count_words(document) + count_words(instruction))
        for pk, document, instruction in main_items(study)
        .order_by()
        .values_list("pk", "document", "instruction")
        .iterator(chunk_size=CHUNK)
    }
    outputs = {
        pk: count_words(text)
        for pk, text in Output.objects.filter(item__study=study, **OF_COUNTED)
        .order_by()
        .values_list("pk", "text")
        .iterator(chunk_size=CHUNK)
    }
    rows = TaskOutput.objects.filter(in_main_pool(study, "task__item"), task__item__study=study)
    for task, item, output in rows.order_by().values_list("task_id", "task__item_id", "output_id").iterator(CHUNK):
        if task not in shown:
            found[task] = items[item]
        found[task] += outputs[output]
        shown[task].append(output)
    return found, {task: rated.systems[pk] for task, (pk, *more) in shown.items() if not more}
