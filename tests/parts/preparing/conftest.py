import pytest

from llm import door
from tests.judges.scripted_judges import PromptReplies
from tests.llm.calls import write_endpoints


@pytest.fixture(autouse=True)
def wakes(monkeypatch):
    """No message goes to a broker; the names of the rows that would be told of."""
    told = []
    monkeypatch.setattr("config.background.waking.wake", lambda work, pk: told.append((work.key, pk)) or True)
    return told


@pytest.fixture
def model(monkeypatch, settings, tmp_path):
    """Models behind the door that fill in forms, or reply as they are told: `model.replies = [...]`."""
    write_endpoints(settings, tmp_path, context=8000)
    replies = PromptReplies()
    monkeypatch.setattr(door, "ask", replies)
    return replies
