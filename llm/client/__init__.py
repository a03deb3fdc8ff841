"""The only client of language models. Only `llm.door` uses it, because calls made here are not in the ledger."""

from llm.client.retries import ask

__all__ = ["ask"]
