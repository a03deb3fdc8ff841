"""What the web server loads before it forks, because each of its processes needs it."""

from annotation.desk.highlighting import stemmers


def preload() -> None:
    stemmers()
