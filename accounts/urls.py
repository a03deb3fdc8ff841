from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/<str:token>/", views.link, name="link"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("password/", views.change_password, name="change_password"),
]
