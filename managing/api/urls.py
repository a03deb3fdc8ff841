from django.urls import path

from managing.api import final_answer_views, upload_steps
from reports.api.by_method import by_method
from reports.api.entry_lists import list_of
from reports.api.negotiation import LINES, FileParts, JSONObjects

app_name = "managing_api"
study = "studies/<slug:slug>/"
upload = f"{study}uploads/<int:number>/"
urlpatterns = [
    path(
        f"{study}adjudications/",
        by_method(get=list_of("adjudications"), post=final_answer_views.add_final_answers, takes=(*LINES, JSONObjects)),
        name="adjudications",
    ),
    path(f"{study}uploads/", by_method(post=upload_steps.begin, takes=(JSONObjects,)), name="uploads"),
    path(upload, by_method(get=upload_steps.read, delete=upload_steps.discard), name="upload"),
    path(f"{upload}parts/", by_method(post=upload_steps.add_part, takes=(FileParts,)), name="upload_parts"),
    path(f"{upload}import/", by_method(post=upload_steps.bring_in, takes=(JSONObjects,)), name="import_upload"),
]
