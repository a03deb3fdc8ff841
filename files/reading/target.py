"""The study that an import adds to, as it will be when the import is done."""

from collections.abc import Collection, Sequence

from annotation.blinding import OWN_NAMES, names_of
from annotation.models import Question, Study
from annotation.protocols import protocols
from annotation.questions import question_types
from files.reading.item_lookup import ItemLookup
from files.reading.rater_lookup import RaterLookup
from files.reading.staging import Staging
from files.reading.system_codes import SystemCodes, codes_for_files


class AskedQuestions:
    """What a study asks: its protocol, its questions by key, and the types of questions."""

    def __init__(self, study: Study, questions: Sequence[Question]) -> None:
        self.study = study
        self.protocol = protocols()[study.protocol]
        self.question_of = {question.key: question for question in questions}
        self.types = question_types()


class ImportTarget(AskedQuestions):
    """The state that all importers share: the study, its questions, items and raters, and the staging.

    A new study already has its primary key but no row yet; so do its questions.
    """

    def __init__(
        self, study: Study, questions: Sequence[Question], guidelines: Collection[int], staging: Staging
    ) -> None:
        super().__init__(study, questions)
        self.codes = codes_for_files(study)
        """How the files name systems: `use_own_names` if they are the site's own or its operator's."""
        self.takes_first_names = names_of(study).are_codes and not self.codes.are_used
        """Whether these files name the systems of a blinded study that has none."""
        self.staging = staging
        self.questions = list(questions)
        self.guidelines = frozenset(guidelines)
        self.withdrawn: set[tuple[int, int]] = set()
        """Tasks and raters whose newest revision in the files is no answer, although there are earlier ones."""
        """The guidelines versions that lines may name."""
        self.items = ItemLookup(study, staging, self.codes)
        self.raters = RaterLookup(study, staging)
        self.replaces_examples = False
        """Whether judged examples take the place of those that the study has."""
        self.has_tables_to_settle = False
        """Whether tables of the import add answers after all files have been read, such as those of sessions."""
        self.first_done: int | None = None
        """The first item on which people have done work that this import brings: it may fill places."""

    def use_own_names(self) -> None:
        """Let the files name systems by their own names, as those of the operator and of the site itself do."""
        self.codes = self.items.codes = SystemCodes(OWN_NAMES)
        self.takes_first_names = False

    def note_work(self, item: int) -> None:
        """Note that people's work on an item (primary key) is imported."""
        self.first_done = item if self.first_done is None else min(item, self.first_done)
