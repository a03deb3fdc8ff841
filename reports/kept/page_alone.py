"""A rendered page made to stand alone: without links into the site, buttons and forms; and its drawings as files."""

from html.parser import HTMLParser

SELF_CLOSING = frozenset({"br", "hr", "img", "input", "meta", "link", "col", "wbr", "source", "area", "base"})
OF_SITE = frozenset({"button", "form", "script"})
"""Elements that do nothing without the site."""
NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'


class PageAlone(HTMLParser):
    """Reads a page of ours; `text` is the page that stands alone, `drawings` are its charts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=False)
        self._parts: list[str] = []
        self._left_out: list[str] = []
        self._links: list[bool] = []
        self._drawing: list[str] | None = None
        self.drawings: list[str] = []
        self.feed(page)
        self.close()

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def _write(self, text: str) -> None:
        if self._left_out:
            return
        self._parts.append(text)
        if self._drawing is not None:
            self._drawing.append(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if self._left_out or tag in OF_SITE:
            if tag not in SELF_CLOSING:
                self._left_out.append(tag)
            return
        if tag == "a":
            address = given.get("href") or ""
            self._links.append(address.startswith(("#", "https:", "http:")))
            if not self._links[-1]:
                return
        classes = (given.get("class") or "").split()
        if tag == "svg" and "chart" in classes and "for-narrow" not in classes:
            self._drawing = []
        self._write(self.get_starttag_text() or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in OF_SITE:
            self._write(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if self._left_out:
            if tag == self._left_out[-1]:
                self._left_out.pop()
            return
        if tag == "a" and not self._links.pop():
            return
        self._write(f"</{tag}>")
        if tag == "svg" and self._drawing is not None:
            self.drawings.append("".join(self._drawing))
            self._drawing = None

    def handle_data(self, data: str) -> None:
        self._write(data)

    def handle_entityref(self, name: str) -> None:
        self._write(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._write(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        self._write(f"<!{decl}>\n")


def drawing_parts(drawing: str) -> tuple[str, str]:
    """The first tag of a drawing, as that of a file of its own, and the rest."""
    start, _, rest = drawing.partition(">")
    return f"{start} {NAMESPACE}>", rest
