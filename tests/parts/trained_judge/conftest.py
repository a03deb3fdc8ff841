from tests.judges.conftest import _forgotten_runs, wakes  # noqa: F401 - fixtures
from tests.judges.tiny_models import t5  # noqa: F401 - a fixture
