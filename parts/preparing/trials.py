"""The trial of models that write instructions: several write sets for the same documents, people rate them blind."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.lifecycle import make_live, prepare
from annotation.studies.slugs import free_slug
from files.reading import import_study
from parts.preparing.models import InstructionTrial, PreparationStep, SourceDocument, Suggestion
from parts.preparing.step_configuration import PreparationRefusedError, StepConfiguration
from parts.preparing.step_kind import StepCase
from parts.preparing.step_states import lock_draft, start_step
from parts.preparing.trial_results import TrialResult, trial_result

FEWEST_MODELS = 2
TOO_FEW_MODELS = "Choose at least two models."
TOO_FEW_DOCUMENTS = "Only {} documents have no instructions yet. Draw more, or try the models on fewer."
NOT_FINISHED = "The models have not written all sets yet."
NOTHING_TO_RATE = "Fewer than two models wrote a usable set for any document."
RATED_ALREADY = "The sets of this trial are being rated already."
NOT_ONE_OF = "Choose one of the models of the trial."
CHOSEN_ALREADY = "The winner of this trial was chosen already."
LOST = "another model's set was chosen"
SECONDS = 30.0
TEXTS = Path(__file__).with_name("texts")


def start_trial(
    study: Study,
    configurations: Sequence[StepConfiguration],
    actor: Person | None,
    *,
    documents: int,
    evaluators: int,
    budget: int | None = None,
    client_key: UUID | None = None,
) -> InstructionTrial:
    """Let each model write instructions for the same documents, drawn by the seed. Raises PreparationRefusedError.

    The configurations are equal but for their models; `budget` limits each model's step. The same `client_key` again
    returns the trial that it made.
    """
    with transaction.atomic():
        locked = lock_draft(study)
        made = None if client_key is None else PreparationStep.objects.filter(client_key=client_key).first()
        if made is not None and made.trial is not None:
            return made.trial
        drawn = [case.document.key for case in trial_cases(locked, configurations, documents)]
        number = (locked.instruction_trials.aggregate(last=Max("number"))["last"] or 0) + 1
        trial = InstructionTrial.objects.create(study=locked, number=number, evaluators=evaluators, documents=drawn)
        record("instruction trial started", str(number), actor=actor, study=locked.slug, new={
            "models": [one.model for one in configurations], "documents": documents,
        })  # fmt: skip
        for place, one in enumerate(configurations):
            key = None if place else client_key
            start_step(locked, one, actor, budget=budget, trial=trial, client_key=key)
    return trial


def trial_cases(study: Study, configurations: Sequence[StepConfiguration], documents: int) -> list[StepCase]:
    """Return the documents of a trial, drawn by the seed from those without instructions.

    Raises PreparationRefusedError.
    """
    if len({one.model for one in configurations}) < max(FEWEST_MODELS, len(configurations)):
        raise PreparationRefusedError(TOO_FEW_MODELS, "models")
    having = Suggestion.objects.filter(study=study, kind=Suggestion.Kind.INSTRUCTION).values("document")
    free = list(
        SourceDocument.objects.filter(study=study).exclude(pk__in=having).defer("text", "content").order_by("pk")
    )
    if len(free) < documents:
        raise PreparationRefusedError(TOO_FEW_DOCUMENTS.format(len(free)), "documents")
    drawn = Random(f"trial\0{configurations[0].seed}").sample(free, documents)  # noqa: S311 - no secret
    return [StepCase(document) for document in drawn]


def rate_trial(trial: InstructionTrial, actor: Person) -> Study:
    """Make the study in which evaluators rate the sets, open it, and return it. Raises PreparationRefusedError."""
    if trial.rated_in:
        raise PreparationRefusedError(RATED_ALREADY)
    if trial.steps.filter(status=PreparationStep.Status.RUNNING).exists():
        raise PreparationRefusedError(NOT_FINISHED)
    items = list(_items(trial))
    if not items:
        raise PreparationRefusedError(NOTHING_TO_RATE)
    made = _make_study(trial, items, actor)
    with transaction.atomic():
        lock_draft(trial.study)
        InstructionTrial.objects.filter(pk=trial.pk).update(rated_in=made.slug)
        record("instruction trial rated", str(trial.number), actor=actor, study=trial.study.slug, new={
            "study": made.slug,
        })  # fmt: skip
    while not prepare(made, SECONDS):
        pass
    make_live(made, actor)
    trial.rated_in = made.slug
    return made


def choose_winner(trial: InstructionTrial, model: str, actor: Person | None) -> None:
    """Accept the instructions of one model of the trial and drop the others. Raises PreparationRefusedError."""
    with transaction.atomic():
        study = lock_draft(trial.study)
        found = InstructionTrial.objects.select_for_update(no_key=True, of=("self",)).get(pk=trial.pk)
        if found.winner:
            raise PreparationRefusedError(CHOSEN_ALREADY)
        steps = list(found.steps.all())
        if any(step.status == PreparationStep.Status.RUNNING for step in steps):
            raise PreparationRefusedError(NOT_FINISHED)
        if model not in {step.said("model") for step in steps}:
            raise PreparationRefusedError(NOT_ONE_OF, "model")
        result: TrialResult = trial_result(found)
        found.winner, found.result = model, result.as_json()
        found.save(update_fields=["winner", "result"])
        for step in steps:
            won = step.said("model") == model
            state = Suggestion.State.ACCEPTED if won else Suggestion.State.DROPPED
            Suggestion.objects.filter(step=step).update(state=state, reason="" if won else LOST)
        record("instruction trial decided", str(found.number), actor=actor, study=study.slug, new={"winner": model})
    trial.refresh_from_db()


def _items(trial: InstructionTrial) -> list[dict[str, object]]:
    """Return an item for each document that at least two models wrote a set for, in the order drawn."""
    sets: dict[str, dict[str, list[str]]] = {key: {} for key in trial.documents}
    rows = Suggestion.objects.filter(step__trial=trial).select_related("document", "step")
    texts = {}
    for one in rows.order_by("document", "number"):
        if one.step is not None:
            sets[one.document.key].setdefault(one.step.said("model"), []).append(one.text)
            texts[one.document.key] = one.document.text
    instruction = (TEXTS / "trial_instruction.txt").read_text(encoding="utf-8").strip()
    return [
        {
            "id": key, "document": texts[key], "instruction": instruction,
            "outputs": [
                {"id": model, "text": "\n".join(f"{place}. {text}" for place, text in enumerate(written, start=1))}
                for model, written in sorted(found.items())
            ],
        }
        for key, found in sets.items() if len(found) >= FEWEST_MODELS
    ]  # fmt: skip


def _make_study(trial: InstructionTrial, items: Sequence[dict[str, object]], actor: Person) -> Study:
    """Import the study of the trial: all sets of a document side by side, one question per set, and no ranking."""
    parent = trial.study
    body = {
        **json.loads((TEXTS / "trial_study.json").read_text(encoding="utf-8")),
        "slug": free_slug(f"{parent.slug[:80]}-trial-{trial.number}"),
        "title": f"Instructions for {parent}",
        "language": parent.language,
        "redundancy": trial.evaluators,
        "guidelines": (TEXTS / "trial_guidelines.md").read_text(encoding="utf-8"),
    }
    with TemporaryDirectory(prefix="interrater-trial-") as folder:
        (Path(folder) / "study.json").write_text(json.dumps(body), encoding="utf-8")
        with (Path(folder) / "items.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
        return import_study(Path(folder), owner=actor, actor=actor).study
