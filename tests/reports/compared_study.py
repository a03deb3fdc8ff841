"""A study in which three people and two models judge the outputs of 32 items, with all that judges' pages show."""

import random

from django.utils import timezone

from annotation.models import JudgeRun, Rater
from files.reading import import_study
from judges.models import RunWork
from tests.files.writing.conftest import item, write_study

OUTPUTS = ("east", "north", "south")
PEOPLE = ("ann", "bob", "cy")
ITEMS = 32


def imported(folder, *, seed=3, people=PEOPLE, item_count=ITEMS, unrated=0, **more):
    """Import the study; people have not answered the last `unrated` items. `even` is near people, `far` is not."""
    draw = random.Random(seed)
    items, ratings, scores = [], [], []
    for number in range(item_count):
        name = f"item{number:02}"
        items.append(item(name, outputs=OUTPUTS))
        for place, output in enumerate(OUTPUTS):
            truth = draw.gauss(3.8 - 0.8 * place, 0.8)
            for rater in people if number < item_count - unrated else ():
                value = min(5, max(1, round(draw.gauss(truth, 0.6))))
                shared = {"item": name, "output": output, "rater": rater}
                ratings.append({**shared, "question": "follows", "value": value > 2})
                ratings.append({**shared, "question": "how_well", "value": value})
            for rater, spread in (("even", 0.3), ("far", 3.0)):
                shared = {"item": name, "output": output, "rater": rater, "rater_kind": "model"}
                value = min(5.0, max(1.0, draw.gauss(truth, spread)))
                scores.append({**shared, "question": "how_well", "value": value})
                chance = round((value - 1) / 4, 3)
                both = {"Yes": chance, "No": round(1 - chance, 3)}
                scores.append({**shared, "question": "follows", "value": chance, "distribution": both})
    study = import_study(write_study(folder, items, ratings, scores, **more)).study
    study.refresh_from_db()
    return study


def probed(study, name, turned, tried):
    """Store the result of a finished probe of a judge."""
    rater = Rater.objects.get(study=study, name=name)
    run = JudgeRun.objects.create(
        rater=rater, name=f"probe {turned} of {tried}", configuration={"probe": "set"}, status="finished"
    )
    found = {"judged": tried, "flipped": turned, "unusable": 0, "by_injection": [[0, tried, turned]]}
    RunWork.objects.create(run=run, study=study, settled=True, probe=found, status="done", ended_at=timezone.now())
    return run
