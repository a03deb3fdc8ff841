"""The tabs of a study's pages for its researchers: groups in the first row, and under them the current group's tabs.

A group's link leads to its first tab. A group with one tab has no second row.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.urls import ResolverMatch, reverse

from annotation.models import Study
from annotation.studies.routing_plan import ROUTING

EVERY_PAGE = "*"
"""In `pages`, the name of all pages of a namespace, such as `llm:*`."""


def always(study: Study) -> bool:
    return True


def is_draft(study: Study) -> bool:
    return study.status == Study.Status.DRAFT


def has_crowd(study: Study) -> bool:
    return study.has_crowd


def sends_mail(study: Study) -> bool:
    return bool(settings.SENDS_MAIL)


def has_steps(study: Study) -> bool:
    return study.has_steps


def has_routing(study: Study) -> bool:
    return ROUTING in study.options


@dataclass(frozen=True)
class Tab:
    """A page of a group: its title, its route, other routes that belong to it, and for which studies it exists."""

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
    Tab("Overview", "Overview", "annotation:study"),
    Tab("Overview", "Progress", "managing:progress"),
    Tab("Overview", "Dry run", "managing:dry_runs"),
    Tab("Questions", "Questions", "managing:build", (), is_draft),
    Tab("Items", "Items", "managing:items", ("managing:item", "managing:adjudicate")),
    Tab("Items", "Upload", "managing:upload", ("managing:uploaded", "managing:new_item", "managing:edit_item")),
    Tab("Items", "Prepare", "preparing:prepare", ("preparing:*",), is_draft),
    Tab("Report", "Report", "reports:report"),
    Tab("Report", "Why people disagree", "managing:disagreement"),
    Tab("Report", "Balance", "managing:balance"),
    Tab("Report", "Judges and people", "reports:leaderboard", ("reports:tables", "reports:frozen")),
    Tab("Report", "Export", "reports:exports"),
    Tab("Report", "Preregistration", "reports:plans"),
    Tab("Report", "Stop rules", "reports:stop_rules"),
    Tab("Report", "Power and cost", "reports:power"),
    Tab("People", "People", "annotation:people", ("recruiting:pause_rater", "annotation:member_link")),
    Tab("People", "Messages", "recruiting:message_inbox", ("recruiting:rater_thread", "recruiting:rater_task_thread")),
    Tab("People", "Invitations", "annotation:invitations"),
    Tab("People", "E-mail", "recruiting:study_mail", (), sends_mail),
    Tab("People", "Rater checks", "reports:rater_checks"),
    Tab("People", "Assignment plan", "managing:plan"),
    Tab("People", "Routing", "recruiting:routing", (), has_routing),
    Tab("People", "Funnel", "recruiting:funnel", ("recruiting:decision",), has_steps),
    Tab("People", "Background", "recruiting:background", (), has_steps),
    Tab("People", "Submissions", "recruiting:submissions", (), has_crowd),
    Tab("Review", "Flags and comments", "annotation:attention"),
    Tab("Review", "Second stage", "recruiting:stage_setting"),
    Tab("Review", "Spans and spot checks", "annotation:review", ("annotation:span_queue", "annotation:spot_checks")),
    Tab("Judges", "Judges", "judges:runs", ("judges:*",)),
    Tab("Models", "Models", "llm:models", ("llm:*", "retrieval:*")),
    Tab("Guidelines", "Guidelines", "annotation:guidelines", ("annotation:edit_guidelines",)),
    Tab("Settings", "Settings", "annotation:settings", SETTING_PAGES),
    Tab("Settings", "Steps before tasks", "recruiting:steps", ("recruiting:add_step", "recruiting:edit_step")),
    Tab("Settings", "Entry links", "recruiting:entry_links"),
    Tab("Settings", "Hidden checks", "recruiting:check_settings"),
    Tab("Settings", "Tokens", "annotation:tokens"),
    Tab("Settings", "Webhooks", "webhooks:webhooks", ("webhooks:*",)),
)
"""All tabs, in the order shown; the groups are in the order of their first tabs."""

PROTOCOL_GROUP = "Overview"
"""The group of the pages that a study's protocol adds."""


def tabs_for(study: Study, match: ResolverMatch) -> TabRows:
    """The rows of tabs on the page of `match`. The tab of the current page is always there."""
    own = [Tab(PROTOCOL_GROUP, title, route, (f"{route.partition(':')[0]}:*",)) for title, route in study.own_pages]
    groups: dict[str, list[Tab]] = {}
    for tab in [*TABS[:1], *own, *TABS[1:]]:
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
