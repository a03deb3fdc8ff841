"""A study's own texts for prompts: the one writer of their versions."""

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from llm.models import StudyPrompt
from llm.prompting import own_prompt


def publish_prompt(study: Study, app: str, name: str, system: str, user: str, actor: Person | None) -> StudyPrompt:
    """Have the study use these texts from now on, as a new version; the newest one again where they are the same.

    Raises PromptInvalidError.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        newest = StudyPrompt.objects.filter(study=study, key=f"{app}/{name}").order_by("-number").first()
        number = newest.number + 1 if newest else 1
        prompt = own_prompt(app, name, number, system, user)
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
