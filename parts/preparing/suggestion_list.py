"""The list of suggestions: by state, with what a person may do with each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator

from annotation.models import Study
from parts.preparing.deciding import KINDS, offered_kinds
from parts.preparing.models import PreparedText, Suggestion
from parts.preparing.prepare_page import in_trial

PER_PAGE = 20
STATES: Sequence[tuple[str, str]] = tuple((str(one.value), str(one.label)) for one in Suggestion.State)


@dataclass(frozen=True)
class SuggestionCard:
    """A suggestion as the page shows it; `problem` says why the last decision was refused."""

    one: Suggestion
    text: str
    kinds: Sequence[tuple[str, bool]]
    has_texts: bool
    problem: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether it is an item, which cannot be changed."""
        return self.one.item_id is not None

    @property
    def is_edited(self) -> bool:
        return bool(self.one.original) and self.one.text != self.one.original


@dataclass(frozen=True)
class SuggestionPage:
    """A page of the list."""

    state: str
    page: Page[Suggestion]
    cards: Sequence[SuggestionCard]


def suggestion_page(study: Study, query: Mapping[str, str]) -> SuggestionPage:
    """Return the page that an address asks for; those to decide come first."""
    state = query.get("state", "")
    state = state if state in dict(STATES) else Suggestion.State.OPEN.value
    rows = Suggestion.objects.filter(study=study, kind__in=offered_kinds(study), state=state)
    rows = rows.exclude(pk__in=in_trial(study)).select_related("document", "step__trial", "item")
    page = Paginator(rows.order_by("document", "number"), PER_PAGE).get_page(query.get("page"))
    some = PreparedText.objects.filter(suggestion__in=[one.pk for one in page])
    having = set(some.values_list("suggestion", flat=True))
    return SuggestionPage(state, page, [_card(one, one.pk in having) for one in page])


def suggestion_card(
    one: Suggestion, text: str | None = None, kinds: Sequence[str] | None = None, problem: str = ""
) -> SuggestionCard:
    """Return one suggestion; after a refused decision with what was entered."""
    has_texts = PreparedText.objects.filter(suggestion=one).exists()
    return _card(one, has_texts, text, kinds if problem else None, problem)


def _card(
    one: Suggestion, has_texts: bool, text: str | None = None, kinds: Sequence[str] | None = None, problem: str = ""
) -> SuggestionCard:
    chosen = one.kinds if kinds is None else kinds
    offered = [(kind, kind in chosen) for kind in KINDS]
    return SuggestionCard(one, one.text if text is None else text, offered, has_texts, problem)
