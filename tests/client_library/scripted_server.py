"""A server in memory for tests of the client: it gives the replies of a script and remembers the requests."""

import json
from dataclasses import dataclass, field

import httpx
from interrater_client import Client, Retries

QUICK = Retries(tries=4, first_wait=0.0, longest_wait=0.0)


def problem(status, detail="No.", headers=None, **more):
    body = {"type": "about:blank", "title": "Refused", "status": status, "detail": detail, "request_id": "r1", **more}
    return httpx.Response(
        status, headers={"Content-Type": "application/problem+json", **(headers or {})}, content=json.dumps(body)
    )


@dataclass
class Script:
    """Replies in order, each a response, an exception, or a function of the request."""

    replies: list
    asked: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.asked.append(request)
        reply = self.replies.pop(0)
        if callable(reply):
            reply = reply(request)
        if isinstance(reply, Exception):
            raise reply
        return reply


def client_of(*replies, retries=QUICK):
    """A client and the script of its server."""
    script = Script(list(replies))
    return Client("http://site.test", token="t", retries=retries, transport=httpx.MockTransport(script)), script
