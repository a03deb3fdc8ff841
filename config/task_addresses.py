"""The shortest way to the pages of tasks, which are most of all requests.

Django tries the patterns of all apps in turn, and those of annotation are the last: a hundred expressions for each page
and each answer.
"""

from typing import Any

from django.urls import URLPattern, URLResolver
from django.urls.exceptions import Resolver404


class ShortWay(URLResolver):
    """Has `there` resolve addresses with this beginning before any other is asked; adds no address of its own."""

    def __init__(self, beginning: str, there: URLResolver) -> None:
        super().__init__(there.pattern, [])
        self.beginning, self.there = beginning, there

    @property
    def url_patterns(self) -> list[URLPattern | URLResolver]:
        return []

    def resolve(self, path: Any) -> Any:
        if not str(path).startswith(self.beginning):
            raise Resolver404({"path": path, "tried": []})
        return self.there.resolve(path)
