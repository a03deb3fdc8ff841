"""Uploaded files: a request that is too large is read to its end, but its files are dropped."""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile


class LimitedUpload(FileUploadHandler):
    """Comes before the handlers that store files. The form then says that the files were too large."""

    too_large = False

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *rest: Any, **more: Any) -> None:
        self.too_large = content_length > settings.UPLOAD_BYTES

    def new_file(self, *args: Any, **more: Any) -> None:
        super().new_file(*args, **more)
        if self.too_large:
            raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
