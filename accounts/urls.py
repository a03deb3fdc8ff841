from django.urls import path

from accounts import password_views, second_factor_views, session_views, views

app_name = "accounts"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/code/", second_factor_views.second_step, name="second_step"),
    path("sign-in/<str:token>/", views.link, name="link"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("my-settings/", views.preferences, name="preferences"),
    path("my-settings/keys/", views.keys, name="keys"),
    path("my-settings/time-zone/", views.time_zone, name="time_zone"),
    path("my-settings/sessions/", session_views.own_sessions, name="own_sessions"),
    path("my-settings/second-factor/", second_factor_views.second_factor, name="second_factor"),
    path("language/", views.language, name="language"),
    path("password/", views.change_password, name="change_password"),
    path("password/reset/<str:token>/", password_views.reset_password, name="reset_password"),
]
