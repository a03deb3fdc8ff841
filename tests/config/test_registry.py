"""Folders whose modules are found without a list of them."""

import pytest

from config.registry import discover
from judges.protocol import judge_protocols

pytestmark = pytest.mark.quick


def test_a_module_without_a_kind_is_named_if_each_must_have_one():
    with pytest.raises(RuntimeError, match=r"judges\.metrics\.\w+ must bind METRIC to an instance"):
        discover("metrics", "METRIC", in_each=True)


def test_the_error_for_an_unknown_key_says_what_is_missing():
    with pytest.raises(KeyError, match="None of judge_protocols has the key 'gone': install the package"):
        judge_protocols()["gone"]
    assert judge_protocols().get("gone") is None


def test_each_module_of_the_judge_protocols_has_one():
    assert "llm_eval" in judge_protocols()
