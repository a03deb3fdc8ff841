"""The short way to the pages of tasks leads where the long way does, and asks no other app."""

import uuid

import pytest
from django.urls import Resolver404, URLPattern, URLResolver, resolve
from django.urls.resolvers import RegexPattern

from config.task_addresses import ShortWay
from config.urls import urlpatterns

KEY = uuid.uuid4()
STEPS = ("", "submit/", "skip/", "flag/", "undo/", "draft/", "pulse/")


@pytest.mark.parametrize("step", STEPS)
def test_a_task_is_found_as_on_the_long_way(step, monkeypatch):
    path = f"/work/{KEY}/{step}"
    others = [one for one in urlpatterns if not isinstance(one, ShortWay)]
    long = URLResolver(RegexPattern(r"^/"), others).resolve(path)
    annotators = others[-1]
    for one in others[:-1]:
        monkeypatch.setattr(one, "resolve", lambda path: pytest.fail(f"asked for {path}"))
    short = resolve(path)
    assert isinstance(annotators, URLResolver)
    assert (short.func, short.kwargs, short.view_name, short.route) == (
        long.func, long.kwargs, long.view_name, long.route,
    )  # fmt: skip


def test_what_is_no_task_is_not_found():
    short = urlpatterns[0]
    assert isinstance(short, ShortWay)
    assert not isinstance(short, URLPattern)
    assert short.url_patterns == []
    for path in ("/work/", "/work/1/", f"/work/{KEY}", f"/work/{KEY}/nothing/"):
        with pytest.raises(Resolver404):
            resolve(path)
