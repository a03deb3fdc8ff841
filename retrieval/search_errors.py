"""Errors of papers and searches; each message is a sentence for researchers and annotators."""


class PaperError(ValueError):
    """The file cannot be read as a paper."""


class SearchError(Exception):
    """The search is not possible."""


class IndexNotReadyError(SearchError):
    """The study's index is not built yet, or its build failed: a retry may help."""


class ModelMissingError(SearchError):
    """The model for dense search is not on this machine, or cannot be loaded."""
