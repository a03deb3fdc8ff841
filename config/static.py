"""How static files are named when served: by content hash, so that browsers keep them for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Hashed names, also inside the `import` statements of our own script modules."""

    support_js_module_import_aggregation = True
