"""What tests of reports have in common with those of the API."""

import pytest

from agreement.meta_evaluation import replacement_baselines
from tests.api.conftest import nobody_asked_before, reading, writing  # noqa: F401 - fixtures


@pytest.fixture(autouse=True, scope="module")
def _few_shuffles():
    """Shuffle each judge's answers a few times: what a hundred times give is tested in `tests/agreement`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacement_baselines, "SHUFFLES", 10)
        yield
