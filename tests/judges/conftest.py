import pytest

from annotation.models import Question
from judges.run_context import run_context
from llm import door
from tests.judges.scripted_judges import PromptReplies
from tests.llm.calls import write_endpoints


@pytest.fixture(autouse=True)
def _forgotten_runs():
    """Primary keys come again in the next test, so nothing of earlier runs may be kept."""
    run_context.cache_clear()


@pytest.fixture(autouse=True)
def wakes(monkeypatch):
    """No message goes to a broker; the names of the rows that would be told of."""
    told = []
    monkeypatch.setattr("config.background.waking.wake", lambda work, pk: told.append((work.key, pk)) or True)
    return told


@pytest.fixture
def model(monkeypatch, settings, tmp_path):
    """A model behind the door that fills in forms, or replies as it is told: `model.replies = [...]`."""
    write_endpoints(settings, tmp_path)
    replies = PromptReplies()
    monkeypatch.setattr(door, "ask", replies)
    return replies


@pytest.fixture
def quality(study):
    """A question from 1 to 5."""
    return Question.objects.get(study=study, key="how_well")
