"""An authenticator app and the pages of the second factor, for tests."""

import re

import pyotp

from accounts.models import AuditEntry

PASSWORD = "owner has a long password"
PAGE, STEP = "/my-settings/second-factor/", "/sign-in/code/"


def code_of(key, clock):
    return pyotp.TOTP(key).at(clock.now)


def first_step(client, name="owner", password=PASSWORD, **more):
    return client.post("/sign-in/", {"username": name, "password": password, **more})


def is_in(client):
    return client.get("/").status_code == 200


def actions():
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


def key_on(page):
    return re.search(r'<code dir="ltr">([A-Z2-7 ]+)</code>', page.content.decode())[1].replace(" ", "")


def codes_on(page):
    return re.findall(r"<li><code>([a-z2-7-]+)</code></li>", page.content.decode())


def set_up(client, clock):
    """Turn it on for who is signed in; return the key and the recovery codes. The next code is a new one."""
    key = key_on(client.get(PAGE))
    page = client.post(PAGE, {"do": "on", "code": code_of(key, clock)})
    assert page.status_code == 200
    clock.forward(seconds=30)
    return key, codes_on(page)
