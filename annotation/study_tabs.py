"""The tabs of a study's pages for its researchers: groups in the first row, and under them the current group's tabs.

A group's link leads to its first tab. A group with one tab has no second row.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import ResolverMatch, reverse

from annotation.models import Study
from config.parts import parts

EVERY_PAGE = "*"
"""In `pages`, the name of all pages of a namespace, such as `llm:*`."""


def always(study: Study) -> bool:
    return True


def is_draft(study: Study) -> bool:
    return study.status == Study.Status.DRAFT


@dataclass(frozen=True)
class Tab:
    """A page of a group: its place, title and route, other routes that belong to it, and for which studies it exists.

    Tabs are in the order of their places, and groups in that of their first tabs.
    """

    place: int
    group: str
    title: str
    route: str
    pages: tuple[str, ...] = ()
    shown: Callable[[Study], bool] = always

    def covers(self, match: ResolverMatch) -> bool:
        """Whether the page of `match` belongs to this tab."""
        return not {match.view_name, f"{match.namespace}:{EVERY_PAGE}"}.isdisjoint({self.route, *self.pages})


@dataclass(frozen=True)
class TabLink:
    """A tab as shown: `current` is "page", "true" for the group of the current page, or empty."""

    title: str
    address: str
    current: str


@dataclass(frozen=True)
class TabRows:
    """The groups of a study, and the tabs of the current group if it has several."""

    groups: list[TabLink]
    tabs: list[TabLink]
    group: str


SETTING_PAGES = ("managing:duplicate", "managing:copying", "managing:delete_study")
TABS = (
    Tab(10, "Overview", "Overview", "annotation:study"),
    Tab(20, "Overview", "Progress", "managing:progress"),
    Tab(40, "Questions", "Questions", "managing:build", (), is_draft),
    Tab(50, "Items", "Items", "managing:items", ("managing:item", "managing:adjudicate")),
    Tab(60, "Items", "Upload", "managing:upload", ("managing:uploaded", "managing:new_item", "managing:edit_item")),
    Tab(80, "Report", "Report", "reports:report"),
    Tab(90, "Report", "Why people disagree", "managing:disagreement"),
    Tab(100, "Report", "Balance", "managing:balance"),
    Tab(110, "Report", "Judges and people", "reports:leaderboard", ("reports:tables", "reports:frozen")),
    Tab(120, "Report", "Export", "reports:exports"),
    Tab(160, "People", "People", "annotation:people", ("annotation:pause_rater", "annotation:member_link")),
    Tab(180, "People", "Invitations", "annotation:invitations"),
    Tab(200, "People", "Rater checks", "reports:rater_checks"),
    Tab(210, "People", "Assignment plan", "managing:plan"),
    Tab(260, "Review", "Flags and comments", "annotation:attention"),
    Tab(
        280, "Review", "Spans and spot checks", "annotation:review", ("annotation:span_queue", "annotation:spot_checks")
    ),
    Tab(290, "Judges", "Judges", "judges:runs", ("judges:*",)),
    Tab(300, "Models", "Models", "llm:models", ("llm:*", "retrieval:*")),
    Tab(310, "Guidelines", "Guidelines", "annotation:guidelines", ("annotation:edit_guidelines",)),
    Tab(320, "Settings", "Settings", "annotation:settings", SETTING_PAGES),
    Tab(360, "Settings", "Tokens", "annotation:tokens"),
)
"""The tabs of the core; parts add theirs between them."""

PROTOCOL_GROUP, OWN_PLACE = "Overview", 15
"""The group of the pages that a study's protocol adds, and their place in it."""


def tabs_for(study: Study, match: ResolverMatch) -> TabRows:
    """The rows of tabs on the page of `match`. The tab of the current page is always there."""
    own = [
        Tab(OWN_PLACE, PROTOCOL_GROUP, title, route, (f"{route.partition(':')[0]}:*",))
        for title, route in study.own_pages
    ]
    groups: dict[str, list[Tab]] = {}
    for tab in sorted([*TABS, *own, *(tab for part in parts() for tab in part.tabs)], key=lambda tab: tab.place):
        if tab.shown(study) or tab.covers(match):
            groups.setdefault(tab.group, []).append(tab)
    here = next((name for name, tabs in groups.items() if any(tab.covers(match) for tab in tabs)), "")
    second = groups.get(here, [])
    return TabRows(
        groups=[TabLink(name, _address(tabs[0], study), _group_state(tabs, match)) for name, tabs in groups.items()],
        tabs=[TabLink(tab.title, _address(tab, study), "page" if tab.covers(match) else "") for tab in second]
        if len(second) > 1
        else [],
        group=here,
    )


def _group_state(tabs: list[Tab], match: ResolverMatch) -> str:
    if not any(tab.covers(match) for tab in tabs):
        return ""
    return "page" if len(tabs) == 1 else "true"


def _address(tab: Tab, study: Study) -> str:
    return reverse(tab.route, args=[study.slug])
