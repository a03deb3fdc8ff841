"""The families of models that a study's systems and judges belong to, as its researchers describe them."""

from collections import defaultdict
from collections.abc import Mapping

from annotation.blinding import shown_systems
from annotation.models import JudgeRun, Rater, Study


def system_families(study: Study) -> dict[str, str]:
    """Return {system id: family} for the systems whose family is described."""
    return {key: facts["family"] for key, facts in shown_systems(study).items() if "family" in facts}


def judge_families(study: Study) -> dict[str, str | None]:
    """Return {rater's name: family or None} for all models and metrics of the study.

    If the study does not name a judge's family, it is that of the described systems with the judge's model, which its
    runs name as endpoint/model. It is None if there are none, or if they have different families.
    """
    of_model: dict[str, set[str]] = defaultdict(set)
    for facts in shown_systems(study).values():
        if "family" in facts and "model" in facts:
            of_model[facts["model"]].add(facts["family"])
    models = _models(study) if of_model else {}
    names = Rater.objects.filter(study=study).exclude(kind=Rater.Kind.HUMAN).values_list("name", flat=True)
    return {name: _family(study.judges.get(name, {}), models.get(name, set()), of_model) for name in sorted(names)}


def _family(facts: Mapping[str, str], models: set[str], of_model: Mapping[str, set[str]]) -> str | None:
    if "family" in facts:
        return facts["family"]
    possible = {family for model in models for family in of_model.get(model, ())}
    return possible.pop() if len(possible) == 1 else None


def _models(study: Study) -> dict[str, set[str]]:
    """Return the models that each rater's runs name."""
    found: dict[str, set[str]] = defaultdict(set)
    runs = JudgeRun.objects.filter(rater__study=study).values_list("rater__name", "configuration")
    for name, configuration in runs.iterator():
        model = configuration.get("model") if isinstance(configuration, dict) else None
        if isinstance(model, str):
            found[name].add(model)
    return found
