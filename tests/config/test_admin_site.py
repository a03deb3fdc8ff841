"""The list of models on each page of the admin: what Django lists, without making every address again."""

import pytest
from django.contrib import admin
from django.contrib.admin.sites import AdminSite
from django.test import RequestFactory

from accounts.models import Person
from config import admin_site
from tests.conftest import make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_of():
    def make(person: Person):
        request = RequestFactory().get("/admin/")
        request.user = person
        return request

    return make


@pytest.mark.parametrize("label", [None, "annotation", "nothing"])
@pytest.mark.parametrize("rights", [{"is_superuser": True, "is_staff": True}, {"is_staff": True}, {}])
def test_it_lists_what_django_lists(request_of, rights, label):
    request = request_of(make_person("somebody", **rights))
    expected = AdminSite.get_app_list(admin.site, request, label)
    assert admin.site.get_app_list(request, label) == expected
    assert bool(expected) == (rights.get("is_staff", False) and label != "nothing")


def test_a_second_page_makes_no_address_of_the_list_again(request_of, monkeypatch):
    request = request_of(make_person("somebody", is_superuser=True, is_staff=True))
    listed = admin.site.get_app_list(request)
    monkeypatch.setattr(admin_site, "reverse", None)
    assert admin.site.get_app_list(request) == listed
    assert sum(len(app["models"]) for app in listed) > 50
