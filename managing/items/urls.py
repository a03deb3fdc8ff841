from django.urls import path

from managing.items import views

urlpatterns = [
    path("items/", views.items, name="items"),
    path("items/<int:pk>/", views.item, name="item"),
    path("items/<int:pk>/adjudicate/", views.adjudicate, name="adjudicate"),
    path("items/<int:pk>/withdraw/", views.step, {"key": "withdraw"}, name="withdraw_item"),
    path("items/<int:pk>/restore/", views.step, {"key": "restore"}, name="restore_item"),
    path("items/<int:pk>/priority/", views.step, {"key": "priority"}, name="set_priority"),
    path("items/<int:pk>/rater/", views.step, {"key": "add_rater"}, name="add_rater"),
    path("items/<int:pk>/cancel/", views.step, {"key": "cancel_open"}, name="cancel_open"),
    path("items/<int:pk>/free/", views.step, {"key": "free"}, name="free_slot"),
    path("items/<int:pk>/reserve/", views.step, {"key": "reserve"}, name="reserve_slot"),
]
