"""The arrays that the tests of figures are made from."""

from tests.agreement.meta_evaluation.conftest import chosen, outputs_of, random_choices, scores_of  # noqa: F401
