"""The forms of a page as a browser would send them, filled where they must be."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

FILLED = {
    "number": "1", "date": "2026-01-31", "datetime-local": "2026-01-31T12:00", "email": "somebody@example.org",
    "url": "https://example.org/", "password": "a long password of somebody", "time": "12:00", "color": "#000000",
}  # fmt: skip
"""What goes into an empty field of a type; into any other, TEXT."""
TEXT = "other"
ACTION = "action"
"""The choice of what to do with rows of a list: each of its options is a button of its own."""
Fields = dict[str, list[str]]


@dataclass
class PageForm:
    """A form that is posted: its address, its fields, and the buttons that send it (name and value, or None)."""

    address: str
    fields: Fields = field(default_factory=dict)
    buttons: list[tuple[str, str] | None] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    """The names of fields into which people type."""

    def sent(self, button: tuple[str, str] | None) -> Fields:
        return {**self.fields, **({button[0]: [button[1]]} if button else {})}


class _Reader(HTMLParser):
    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        self.forms: list[PageForm] = []
        self.by_id: dict[str, PageForm] = {}
        self.form: PageForm | None = None
        self.select: tuple[PageForm, str] | None = None
        self.text: tuple[PageForm, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        post = given.get("hx-post")
        if tag == "form":
            self._begin(given, post)
        elif post is not None:
            self.forms.append(PageForm(urljoin(self.address, post), {}, [None]))
        form = self.by_id.get(given.get("form", "")) or self.form
        if form is None:
            return
        name = given.get("name", "")
        if tag == "button" and given.get("type", "submit") == "submit":
            form.buttons.append((name, given.get("value", "")) if name else None)
        elif tag == "input" and "disabled" not in given:
            self._input(form, name, given)
        elif tag == "select" and name:
            self.select = (form, name)
        elif tag == "option" and self.select is not None:
            self._option(*self.select, given)
        elif tag == "textarea" and name:
            self.text = (form, name)
            form.fields[name] = [TEXT]
            form.typed.append(name)

    def _begin(self, given: dict[str, str], post: str | None) -> None:
        self.form = None
        if post is None and given.get("method", "get").lower() != "post":
            return
        self.form = PageForm(urljoin(self.address, post or given.get("action") or self.address))
        self.forms.append(self.form)
        if "id" in given:
            self.by_id[given["id"]] = self.form

    def _input(self, form: PageForm, name: str, given: dict[str, str]) -> None:
        kind, value = given.get("type", "text"), given.get("value", "")
        if kind == "submit":
            form.buttons.append((name, value) if name else None)
        elif not name or kind in ("file", "button", "reset", "image"):
            return
        elif kind == "checkbox":
            if "checked" in given or "required" in given or name == "_selected_action":
                form.fields.setdefault(name, []).append(value or "on")
        elif kind == "radio":
            if "checked" in given or name not in form.fields:
                form.fields[name] = [value]
        elif kind == "hidden":
            form.fields.setdefault(name, []).append(value)
        else:
            form.typed.append(name)
            form.fields[name] = [value or FILLED.get(kind, TEXT)]

    def _option(self, form: PageForm, name: str, given: dict[str, str]) -> None:
        if name == ACTION and given.get("value"):
            form.buttons.append((name, given["value"]))
        if "selected" in given or not any(form.fields.get(name, [])):
            form.fields[name] = [given.get("value", "")]

    def handle_data(self, data: str) -> None:
        if self.text is not None and data.strip():
            form, name = self.text
            form.fields[name] = [data.removeprefix("\n")]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.form = None
        elif tag == "select":
            self.select = None
        elif tag == "textarea":
            self.text = None


def forms_of(address: str, html: str) -> list[PageForm]:
    """Return the forms of the page at `address` that are posted; each has at least one button."""
    reader = _Reader(address)
    reader.feed(html)
    for form in reader.forms:
        form.buttons = form.buttons or [None]
    return reader.forms


def page_in(response: Any) -> str:
    """Return the page of a response, which is read to its end in any case; "" if it is no page."""
    body = b"".join(response) if response.streaming else response.content
    is_page = response.status_code == 200 and response.get("Content-Type", "").startswith("text/html")
    return body.decode() if is_page else ""
