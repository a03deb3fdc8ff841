"""Admin of recruiting; each part registers its own tables."""

from recruiting.checks import check_admin
from recruiting.routing import routing_admin
from recruiting.stopping import stopping_admin
from recruiting.way_in import way_in_admin

__all__ = ["check_admin", "routing_admin", "stopping_admin", "way_in_admin"]
