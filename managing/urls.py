from django.urls import include, path

from managing.building import urls as building
from managing.items import urls as items
from managing.plans import urls as plans
from managing.uploads import urls as uploads
from managing.watching import urls as watching

app_name = "managing"

urlpatterns = [
    *building.site_patterns,
    path(
        "studies/<slug:slug>/",
        include([*building.urlpatterns, *uploads.urlpatterns, *items.urlpatterns, *plans.urlpatterns,
                 *watching.urlpatterns]),
    ),
]  # fmt: skip
