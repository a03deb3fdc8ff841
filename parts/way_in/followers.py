"""What other parts add to the way in: who may still come, and what ends with it. A part that does is such a `Part`."""

from django.utils.safestring import SafeString

from accounts.models import Person
from annotation.models import Rater, Study
from config.part import Part
from config.parts import parts_of


class FollowsWayIn(Part):
    """A part that follows people on their way into a study, and out of it. The defaults add nothing."""

    def is_full_for(self, study: Study, rater: Rater) -> bool:
        """Whether the study has enough people like this rater, who has not begun."""
        return False

    def settle(self, rater: Rater) -> str | None:
        """End a rater's part in the study if nothing is left for them; return the page that says how it ended."""
        return None

    def before_leaving(self, rater: Rater, person: Person) -> SafeString | None:
        """Follow that a person leaves, before they are erased; return what the page after it shows, or None."""
        return None


def followers_of(study: Study) -> list[FollowsWayIn]:
    """Return the study's parts that follow its way in, in the order in which they are asked."""
    return [part for part in parts_of(study) if isinstance(part, FollowsWayIn)]


def settle(rater: Rater) -> str | None:
    """Let the study's parts end what is over for a rater; return the page that says how it ended, if there is one."""
    pages = [part.settle(rater) for part in followers_of(rater.study)]
    return next((page for page in pages if page is not None), None)
