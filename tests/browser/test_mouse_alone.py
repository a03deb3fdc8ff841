"""A study of each protocol goes from an empty installation to closed, by mouse alone; only forms are typed into."""

import pytest

from tests.browser import mouse_path
from tests.browser.scripted_work import worker
from tests.conftest import make_person


@pytest.mark.thorough
@pytest.mark.parametrize("protocol", ["rating", "listwise", "pairwise", "session"])
def test_a_study_goes_from_an_empty_installation_to_closed_by_mouse_alone(new_desk, db, settings, tmp_path, protocol):
    settings.VAR = tmp_path
    template, answer = mouse_path.WAYS[protocol]
    make_person("operator", is_staff=True, is_superuser=True)
    desk, other = new_desk(), new_desk()
    page = desk.page
    page.goto(desk.address)
    mouse_path.sign_in(page, "operator")
    with worker():
        mouse_path.make_from_template(page, template)
        mouse_path.upload_items(page, protocol, tmp_path)
        link = mouse_path.invite(page)
        mouse_path.go_live(page)
        mouse_path.join(other.page, link)
        answer(other.page)
        mouse_path.close(page)
    mouse_path.check_closed_with_one_answer()
