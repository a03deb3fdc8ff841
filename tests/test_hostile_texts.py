"""Markup in any text that people or models wrote is text on every page, those of the admin included."""

from html.parser import HTMLParser

from django.apps import apps
from django.db import models

from accounts.models import BrowserSession, Person
from config.erasure import open_erasure
from tests.world import on_routes

HOSTILE = """CANARY"'><script src=//evil.test/></script><img src=//evil.test/ onerror=alert(1)><b hx-get=//evil.test>"""
NAME_LENGTH = Person._meta.get_field("full_name").max_length
READERS = ("superuser", "owner", "annotator")


class ForeignMarkup(HTMLParser):
    """Collects tags and attributes that only a text of ours that was not escaped can have made."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if any(name.startswith("on") or (value or "").startswith("//evil.test") for name, value in attrs):
            self.found.append(tag)


def markup_in(text: str) -> list[str]:
    page = ForeignMarkup()
    page.feed(text)
    return page.found


def test_markup_that_is_not_escaped_is_found():
    assert markup_in(f"<p>{HOSTILE}</p>") == ["script", "img", "b"]


def make_texts_hostile(text: str) -> None:
    """Replace what people or models wrote in every row. What starts like JSON is written by programs, and stays."""
    with open_erasure("test"):
        for model in apps.get_models():
            texts = [field.name for field in model._meta.concrete_fields if type(field) is models.TextField]
            for name in texts if model is not BrowserSession else ():
                given = model.objects.exclude(**{name: ""}).exclude(**{name: None})
                given.exclude(**{f"{name}__regex": r"^[\[{]"}).update(**{name: text})
        Person.objects.update(full_name=text[:NAME_LENGTH])


@on_routes
def test_markup_in_any_stored_text_is_text_on_every_page(world, routes):
    clients, address = world
    make_texts_hostile(HOSTILE)
    wrong, escaped = [], 0
    for route in routes:
        for name in READERS:
            response = clients[name].get(address(route))
            body = b"".join(response) if response.streaming else response.content
            if response.get("Content-Type", "").startswith("text/html") and b"evil.test" in body:
                escaped += "&lt;script src=//evil.test/&gt;" in body.decode()
                wrong += [f"{route} for {name}: {tag}" for tag in markup_in(body.decode())]
    assert wrong == []
    assert escaped > 40
