from django.urls import include, path

from parts.rater_messages import views

app_name = "rater_messages"

routes = [
    path("my-messages/", views.my_messages, name="my_messages"),
    path("my-messages/study/", views.general_thread, name="general_thread"),
    path("my-messages/<uuid:key>/", views.task_thread, name="task_thread"),
    path("messages/", views.message_inbox, name="message_inbox"),
    path("messages/<int:pk>/", views.rater_thread, name="rater_thread"),
    path("messages/<int:pk>/done/", views.messages_done, name="messages_done"),
    path("messages/<int:pk>/<int:number>/", views.rater_task_thread, name="rater_task_thread"),
]
urlpatterns = [path("studies/<slug:slug>/", include(routes))]
