"""The only writer of a study's own versions of prompts."""

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.locking import lock_study
from llm.models import StudyPrompt
from llm.prompt_files import prompt_key, study_prompt


def publish_prompt(
    study: Study, app: str, name: str, system: str, user: str, actor: Person | None, *, model: str = ""
) -> StudyPrompt:
    """Publish these texts as the study's new version, for all models or for one `endpoint/model`.

    Returns the newest version if it has the same texts. Raises PromptInvalidError.
    """
    with transaction.atomic():
        lock_study(study.pk)
        newest = StudyPrompt.objects.filter(study=study, key=prompt_key(app, name, model)).order_by("-number").first()
        number = newest.number + 1 if newest else 1
        prompt = study_prompt(app, name, number, system, user, model)
        if newest is not None and newest.digest == prompt.digest:
            return newest
        made = StudyPrompt.objects.create(
            study=study, key=prompt.key, number=number, system=prompt.system, user=prompt.user, digest=prompt.digest,
            created_by=actor,
        )  # fmt: skip
        old = {"number": newest.number, "digest": newest.digest} if newest else None
        new = {"number": number, "digest": prompt.digest}
        record("prompt published", prompt.key, actor=actor, study=study.slug, old=old, new=new)
    return made
