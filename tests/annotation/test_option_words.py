"""The options of a study in words, on its overview."""

import pytest

from annotation.option_words import options_in_words


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"same_raters": True}, "yes"),
        ({"same_raters": False}, "no"),
        ({"skip_reasons": ["too long", "no idea"]}, "too long, no idea"),
        ({"unheard-of": {"count": 2}}, "count: 2"),
    ],
)
def test_options_are_said_with_their_values(study, options, said):
    study.options = options
    [(label, value)] = options_in_words(study)
    assert label == "unheard-of" or "_" not in label
    assert value == said


def test_a_blinded_study_does_not_say_which_systems_its_options_name(client, owner, study):
    study.options = {"blind_researchers": True, "pairs": {"baseline": "CANARY-SYSTEM"}, "models": ["CANARY-MODEL"]}
    study.save()
    client.force_login(owner)
    assert "CANARY" not in client.get(f"/studies/{study.slug}/").content.decode()
    study.options = study.options | {"blind_researchers": False}
    study.save()
    assert "CANARY-SYSTEM" in client.get(f"/studies/{study.slug}/").content.decode()
