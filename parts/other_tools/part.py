"""What the conversion of other tools' files adds: formats of uploads, and what pages show of them."""

from annotation.fragments import Fragment
from config.part import Part
from parts.other_tools.findings_page import findings, formats
from parts.other_tools.uploaded_files import ToolFormats


class OtherToolsPart(Part):
    urls = "parts.other_tools.urls"
    other_formats = ToolFormats()
    fragments = {
        "upload.styles": (Fragment("other_tools/_styles.html"),),
        "upload.files": (Fragment("other_tools/_folder.html"),),
        "upload.formats": (Fragment("other_tools/_formats.html", formats),),
        "upload.findings": (Fragment("other_tools/_findings.html", findings),),
    }


PART = OtherToolsPart()
