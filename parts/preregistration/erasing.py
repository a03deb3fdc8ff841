"""Registered plans go with their study. Names that are erased go from their texts, which have another digest then."""

import hashlib

from accounts.erased_names import ErasedNames, forget_names_in
from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Study
from config.erasure import ErasedRows
from parts.preregistration.models import Preregistration


class PlanErasing(Erasing):
    study_rows = ((Preregistration, "study"),)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(Preregistration.objects.filter(study=study, by=person), by=None)

    def forget_names(self, study: Study, names: ErasedNames, erased: ErasedRows) -> None:
        plans = Preregistration.objects.filter(study=study)
        if not forget_names_in(plans, ("chosen", "body"), names, erased):
            return
        for plan in plans.exclude(body=""):
            digest = hashlib.sha256(plan.body.encode()).hexdigest()
            if digest != plan.sha256:
                erased.empty(plans.filter(pk=plan.pk), sha256=digest)


ERASING = PlanErasing()
