"""A web process starts with all templates compiled, and also if one of them is broken."""

import gc

from config.warm_up import warm_up


def test_a_broken_template_is_logged_and_the_others_are_compiled(settings, tmp_path, caplog):
    for name, text in {"a.html": "{% if %}", "b.html": "{% nothing %}", "c.html": "fine"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "d.html").write_bytes(b"\xff")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    try:
        warm_up()
    finally:
        gc.unfreeze()
    named = [record.getMessage() for record in caplog.records if record.exc_info]
    assert named == [f"The template {name}.html does not compile." for name in "abd"]
