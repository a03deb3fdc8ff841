"""How raters are routed: by what they have said and chosen."""

from recruiting.routing.routed_raters import route

ROUTE = route
