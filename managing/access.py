"""Who may see and change what the pages of this app manage: every function fetches, or raises Http404."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.models import Item
from managing.models import ItemUpload


def upload_for(person: Person, slug: str, pk: int) -> ItemUpload:
    """An upload into a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    upload = ItemUpload.objects.select_related("study").filter(study=study, pk=pk).first()
    if upload is None:
        raise Http404(NOTHING)
    return upload


def item_for(person: Person, slug: str, pk: int) -> Item:
    """An item of a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    item = Item.objects.select_related("study").filter(study=study, pk=pk).first()
    if item is None:
        raise Http404(NOTHING)
    return item
