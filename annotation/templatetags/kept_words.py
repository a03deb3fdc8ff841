"""`{% translate %}` and `{% blocktranslate %}` of fixed texts, which are looked up once per language.

They take the place of Django's own, which look a text up and escape it each time. Texts with values go to Django's.
"""

from typing import Any

from django import template
from django.template.base import Node, Parser, Token, TokenType, Variable
from django.template.context import Context
from django.templatetags.i18n import BlockTranslateNode, TranslateNode, do_block_translate, do_translate
from django.utils.translation import get_language

register = template.Library()


class FixedWords(Node):
    """A text of a template that nothing but the language changes."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.kept: dict[str | None, Any] = {}

    def render(self, context: Context) -> Any:
        language = get_language()
        found = self.kept.get(language)
        if found is None:
            found = self.kept[language] = self.node.render(context)
        return found


@register.tag
def translate(parser: Parser, token: Token) -> Node:
    """Django's tag; a text that is named in the template and goes nowhere else is kept."""
    node: TranslateNode = do_translate(parser, token)
    words = node.filter_expression
    fixed = isinstance(words.var, Variable) and words.var.literal is not None and not words.filters
    return FixedWords(node) if fixed and not node.asvar and not node.message_context else node


@register.tag
def blocktranslate(parser: Parser, token: Token) -> Node:
    """Django's tag; a text without values is kept."""
    node: BlockTranslateNode = do_block_translate(parser, token)
    fixed = all(part.token_type == TokenType.TEXT for part in node.singular) and not node.plural
    return FixedWords(node) if fixed and not node.asvar and not node.message_context else node
