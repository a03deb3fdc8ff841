"""Who people are at a provider."""

from django.db import models

from accounts.models import Person


class OutsideIdentity(models.Model):
    """Who a person is at an OpenID Connect provider, which can sign them in; see `outside_accounts`."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="outside_identities")
    issuer = models.CharField(max_length=300)
    subject = models.CharField(max_length=255, help_text="what the provider calls the person, and never changes")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "outside identities"
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="outside_identity_once")]

    def __str__(self) -> str:
        return f"outside identity of {self.person}"
