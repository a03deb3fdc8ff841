"""What goes wrong with papers and searches; each message is a sentence for researchers and annotators."""


class PaperError(ValueError):
    """A file that cannot be taken as a paper. Nothing of it is kept."""


class SearchError(Exception):
    """A search that cannot be made."""


class IndexNotReadyError(SearchError):
    """The study's index is not built yet, or its building failed: trying again later may help."""


class ModelMissingError(SearchError):
    """The model of a dense searcher is not on this machine, or cannot be loaded."""
