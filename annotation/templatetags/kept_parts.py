"""A template tag for the parts of a page that are the same for many requests."""

from collections import OrderedDict
from typing import Any

from django import template
from django.template.base import FilterExpression, Node, NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()
MOST_KEPT = 200


class KeptPart(Node):
    """A part of a template, rendered once per key and language. The texts used longest ago are forgotten first."""

    def __init__(self, nodelist: NodeList, key: list[FilterExpression]) -> None:
        self.nodelist, self.key = nodelist, key
        self.kept: OrderedDict[Any, SafeString] = OrderedDict()

    def render(self, context: Context) -> SafeString:
        first, *others = (part.resolve(context) for part in self.key)
        if not first:
            return self.nodelist.render(context)
        key = (get_language(), first, repr(others))  # the first may be long: its hash takes less than its text
        found = self.kept.pop(key, None)  # other threads may have taken it just now; then it is rendered here, too
        if found is None:
            found = self.nodelist.render(context)
        self.kept[key] = found
        while len(self.kept) > MOST_KEPT:
            self.kept.popitem(last=False)
        return found


@register.tag
def kept(parser: Parser, token: Token) -> Any:
    """`{% kept key … %} … {% endkept %}`: everything that the part shows must follow from the keys.

    If the first key is empty, the part is rendered for this request alone.
    """
    _, *key = token.split_contents()
    if not key:
        raise template.TemplateSyntaxError("kept needs a key")
    nodelist = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptPart(nodelist, [parser.compile_filter(part) for part in key])
