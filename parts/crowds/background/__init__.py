"""Periodic work of crowds."""
