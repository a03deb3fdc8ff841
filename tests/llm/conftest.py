import pytest

from llm import calling
from tests.llm.calls import Scripted, write_endpoints


@pytest.fixture
def replies(monkeypatch, settings, tmp_path):
    """A function that has the client give these replies, one after the other, the last one again and again."""
    write_endpoints(settings, tmp_path)

    def give(*given, **more):
        scripted = Scripted(*given, **more)
        monkeypatch.setattr(calling, "ask", scripted)
        return scripted

    give()
    return give
