"""All operations of the API."""

from django.urls import path

from api import documentation
from api.lists.entry_kinds import KINDS
from api.lists.entry_lists import list_of, single_of, turns
from api.requests.by_method import by_method
from api.requests.negotiation import LINES, FileParts, JSONObjects, YAMLFiles
from api.results import details_views, kept_export_views, report_views
from api.studies import final_answer_views, line_uploads, state_verbs, study_resource, upload_views
from api.work import work_views

app_name = "api"
study = "studies/<slug:slug>/"
work = f"{study}work/<uuid:key>/"
upload = f"{study}uploads/<int:number>/"
ADDED = {
    "items": {"post": line_uploads.add_items},
    "ratings": {"post": line_uploads.add_ratings},
    "adjudications": {"post": final_answer_views.add_final_answers, "takes": (*LINES, JSONObjects)},
}
"""What POST to a list does."""
PATHS = {key: f"{study}{kind.address or key}/" for key, kind in KINDS.items()}
"""The address of each list."""
lists = [path(PATHS[key], by_method(get=list_of(key), **ADDED.get(key, {})), name=key) for key in KINDS]
singles = [path(f"{PATHS[key]}<int:number>/", by_method(get=single_of(key)), name=f"one_of_{key}") for key in KINDS]
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
    path(f"{study}uploads/", by_method(post=upload_views.begin, takes=(JSONObjects,)), name="uploads"),
    path(upload, by_method(get=upload_views.read, delete=upload_views.discard), name="upload"),
    path(f"{upload}parts/", by_method(post=upload_views.add_part, takes=(FileParts,)), name="upload_parts"),
    path(f"{upload}import/", by_method(post=upload_views.bring_in, takes=(JSONObjects,)), name="import_upload"),
    path(f"{study}agreement/", report_views.agreement, name="agreement"),
    path(f"{study}details/", details_views.details, name="details"),
    path(f"{study}rater-checks/", details_views.rater_checks, name="rater_checks"),
    path(f"{study}export/", report_views.export, name="export"),
    path(f"{study}export/<path:name>", report_views.export_file, name="export_file"),
    path(f"{study}exports/", kept_export_views.exports, name="kept_exports"),
    path(f"{study}exports/<int:pk>/", kept_export_views.export_state, name="kept_export"),
    path(f"{study}exports/<int:pk>/file", kept_export_views.export_file, name="kept_export_file"),
    path(f"{study}meta-evaluation/", report_views.meta_evaluation, name="meta_evaluation"),
    path(f"{study}sessions/", report_views.session_report, name="session_report"),
    path(f"{study}work/", by_method(get=work_views.list_work), name="work"),
    path(f"{study}work/next/", by_method(post=work_views.claim_task, takes=(JSONObjects,)), name="work_next"),
    path(work, by_method(get=work_views.read_task), name="work_task"),
    path(f"{work}submit/", by_method(post=work_views.submit_task, takes=(JSONObjects,)), name="work_submit"),
    path(f"{work}skip/", by_method(post=work_views.skip_task, takes=(JSONObjects,)), name="work_skip"),
    path(f"{work}pulse/", by_method(post=work_views.renew_task, takes=(JSONObjects,)), name="work_pulse"),
    path("schema/", documentation.schema, name="schema"),
]  # fmt: skip
