"""Files that browsers ask for by a fixed address."""


def test_the_icon_is_served_to_everybody_by_its_fixed_address(client):
    response = client.get("/favicon.ico")
    assert response.status_code == 200
    assert b"".join(response)[:4] == b"\0\0\1\0"
