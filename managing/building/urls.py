from django.urls import URLPattern

site_patterns: list[URLPattern] = []
urlpatterns: list[URLPattern] = []
