"""Admin of outside identities, read-only and for operators."""

from django.contrib import admin

from accounts.admin import OperatorsOnly, ReadOnlyAdmin
from parts.sign_on.models import OutsideIdentity


@admin.register(OutsideIdentity)
class OutsideIdentityAdmin(OperatorsOnly, ReadOnlyAdmin):
    """Whom an OpenID Connect provider can sign in."""

    list_display = ["person", "issuer", "created_at"]
    fields = ["person", "issuer", "subject", "created_at"]
    search_fields = ["person__username"]
    list_select_related = ["person"]
