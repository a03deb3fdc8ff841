from django.urls import path

from reports.api import (
    details_views,
    documentation,
    export_views,
    line_uploads,
    state_verbs,
    study_resource,
    views,
    work_views,
)  # fmt: skip
from reports.api.by_method import by_method
from reports.api.entry_kinds import KINDS
from reports.api.entry_lists import list_of, single_of, turns
from reports.api.negotiation import JSONObjects, YAMLFiles

app_name = "api"
study = "studies/<slug:slug>/"
work = f"{study}work/<uuid:key>/"
ADDED = {"items": line_uploads.add_items, "ratings": line_uploads.add_ratings}
"""What POST to a list does."""
ELSEWHERE = {"adjudications"}
"""Lists whose address is in `managing.api`, because their POST is."""
PARTS = {key: kind.address or key for key, kind in KINDS.items()}
"""The last part of the address of each list."""
lists = [
    path(f"{study}{part}/", by_method(get=list_of(key), **({"post": ADDED[key]} if key in ADDED else {})), name=key)
    for key, part in PARTS.items()
    if key not in ELSEWHERE
]
singles = [
    path(f"{study}{part}/<int:number>/", by_method(get=single_of(key)), name=f"one_of_{key}")
    for key, part in PARTS.items()
]
urlpatterns = [
    path("", documentation.docs, name="docs"),
    path(
        "studies/",
        by_method(get=study_resource.list_studies, post=study_resource.make_study, takes=(JSONObjects, YAMLFiles)),
        name="studies",
    ),
    path(
        study,
        by_method(get=study_resource.read_study, patch=study_resource.change_study, delete=study_resource.delete_study,
                  takes=(JSONObjects,)),
        name="study",
    ),
    path(f"{study}states/", by_method(post=state_verbs.change_state, takes=(JSONObjects,)), name="states"),
    *lists,
    *singles,
    path(
        f"{study}items/<int:number>/steps/", by_method(post=state_verbs.steer_item, takes=(JSONObjects,)),
        name="item_steps",
    ),
    path(f"{study}revision-sessions/<int:number>/turns/", by_method(get=turns), name="turns"),
    path(f"{study}scores/", by_method(post=line_uploads.add_scores), name="scores"),
    path(f"{study}agreement/", views.agreement, name="agreement"),
    path(f"{study}details/", details_views.details, name="details"),
    path(f"{study}rater-checks/", details_views.rater_checks, name="rater_checks"),
    path(f"{study}export/", views.export, name="export"),
    path(f"{study}export/<path:name>", views.export_file, name="export_file"),
    path(f"{study}exports/", export_views.exports, name="kept_exports"),
    path(f"{study}exports/<int:pk>/", export_views.export_state, name="kept_export"),
    path(f"{study}exports/<int:pk>/file", export_views.export_file, name="kept_export_file"),
    path(f"{study}meta-evaluation/", views.meta_evaluation, name="meta_evaluation"),
    path(f"{study}sessions/", views.session_report, name="session_report"),
    path(f"{study}work/", by_method(get=work_views.list_work), name="work"),
    path(f"{study}work/next/", by_method(post=work_views.claim_task, takes=(JSONObjects,)), name="work_next"),
    path(work, by_method(get=work_views.read_task), name="work_task"),
    path(f"{work}submit/", by_method(post=work_views.submit_task, takes=(JSONObjects,)), name="work_submit"),
    path(f"{work}skip/", by_method(post=work_views.skip_task, takes=(JSONObjects,)), name="work_skip"),
    path(f"{work}pulse/", by_method(post=work_views.renew_task, takes=(JSONObjects,)), name="work_pulse"),
    path("schema/", views.schema, name="schema"),
]  # fmt: skip
