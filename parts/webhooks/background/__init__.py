"""Background work of webhooks: events are noticed, and sent."""
