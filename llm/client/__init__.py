"""The one client of language models. `llm.calling` is its only user: what is asked here is in no ledger."""

from llm.client.asking import ask

__all__ = ["ask"]
