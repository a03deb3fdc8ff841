"""What files add: the import of exclusions."""

from config.part import Part


class FilesPart(Part):
    importers = {"raters": "files.reading.exclusion_import.ExcludedRaterImport"}


PART = FilesPart()
