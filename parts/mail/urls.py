from django.urls import path

from parts.mail import views

app_name = "mail"

urlpatterns = [
    path("my-settings/e-mail/", views.my_mail, name="my_mail"),
    path("my-settings/e-mail/choices/", views.my_mail_choices, name="my_mail_choices"),
    path("password/forgotten/", views.forgotten_password, name="forgotten_password"),
    path("e-mail/confirm/<str:token>/", views.confirm, name="confirm_address"),
    path("e-mail/stop/<str:token>/", views.stop, name="stop_mail"),
    path("studies/<slug:slug>/mail/", views.study_mail, name="study_mail"),
    path("studies/<slug:slug>/mail/reminders/", views.study_reminders, name="study_reminders"),
]
