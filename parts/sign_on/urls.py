from django.urls import path

from parts.sign_on import views

app_name = "sign_on"
urlpatterns = [
    path("oidc/begin/", views.begin, name="begin"),
    path("oidc/return/", views.come_back, name="return"),
]
