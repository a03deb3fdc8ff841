"""What is erased of mail."""

from collections.abc import Collection

from accounts.erased_names import ErasedNames
from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Invitation, Membership, Study
from config.erasure import ErasedRows
from parts.mail.models import MailAddress, OutgoingMail


class MailErasing(Erasing):
    """Mails go with their study and their reader; an address goes with the last study of its person."""

    study_rows = ((OutgoingMail, "study"),)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        accepted = Invitation.objects.filter(accepted_by=person, study=study)
        erased.delete(OutgoingMail.objects.filter(study=study, invitation_pk__in=accepted.values("pk")))
        erased.delete(OutgoingMail.objects.filter(person=person, study=study))
        if not (person.is_staff or Membership.objects.filter(person=person).exclude(study=study).exists()):
            erased.delete(OutgoingMail.objects.filter(person=person, study=None))
            erased.delete(MailAddress.objects.filter(person=person))

    def more_names(self, person: Person, study: Study) -> Collection[str]:
        """Return their addresses."""
        mail = MailAddress.objects.filter(person=person).values_list("address", "pending")
        return [address for row in mail for address in row if address]

    def forget_names(self, study: Study, names: ErasedNames, erased: ErasedRows) -> None:
        """Delete mails that wait to be sent to the person as somebody who is invited."""
        super().forget_names(study, names, erased)
        erased.delete(OutgoingMail.objects.filter(study=study, address__in=names.all))


ERASING = MailErasing()
