from django.urls import path

from managing.uploads import item_views, views

urlpatterns = [
    path("upload/", views.upload, name="upload"),
    path("upload/begin/", views.begin, name="begin_upload"),
    path("upload/<int:pk>/", views.uploaded, name="uploaded"),
    path("upload/<int:pk>/part/", views.part, name="upload_part"),
    path("upload/<int:pk>/import/", views.bring_in, name="import_upload"),
    path("upload/<int:pk>/check/", views.check_again, name="check_upload"),
    path("upload/<int:pk>/cancel/", views.cancel, name="cancel_upload"),
    path("items/new/", item_views.new_item, name="new_item"),
    path("items/<int:pk>/edit/", item_views.edit_item, name="edit_item"),
    path("items/<int:pk>/remove/", item_views.remove, name="remove_item"),
]
