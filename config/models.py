"""What the installation knows of itself."""

from django.db import models


class Worker(models.Model):
    """A worker process by its own last account."""

    name = models.CharField(max_length=300, unique=True)
    queues = models.CharField(max_length=100, help_text="which queues it serves, separated by commas")
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)
    reaches_broker = models.BooleanField(default=True)

    def __str__(self) -> str:
        return self.name
