"""Looks of stop rules: their figures, their page, and what the report says of them."""
