"""What is erased of people's identities at a provider."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Membership, Study
from config.erasure import ErasedRows
from parts.sign_on.models import OutsideIdentity


class SignOnErasing(Erasing):
    """An identity goes with the account of its person."""

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        has_rights = person.is_staff or person.is_superuser
        if not (has_rights or Membership.objects.filter(person=person).exclude(study=study).exists()):
            erased.delete(OutsideIdentity.objects.filter(person=person))


ERASING = SignOnErasing()
