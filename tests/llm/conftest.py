import pytest

from llm import door
from tests.llm.calls import Scripted, write_endpoints


@pytest.fixture
def replies(monkeypatch, settings, tmp_path):
    """A function that sets the replies of the client; the last one repeats."""
    write_endpoints(settings, tmp_path)

    def give(*given, **more):
        scripted = Scripted(*given, **more)
        monkeypatch.setattr(door, "ask", scripted)
        return scripted

    give()
    return give
