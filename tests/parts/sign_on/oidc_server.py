"""A small OpenID Connect provider on this machine, which approves everybody and lies as a test tells it to."""

import base64
import hashlib
import json
import threading
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "interrater", "CANARY-client-secret"


@cache
def rsa_key(number):
    """A key of this number, the same in all tests."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Provider(ThreadingHTTPServer):
    """`claims` are those of the person; a value of None leaves one out. `answers` replaces answers by their path."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.use_key("one")
        self.claims = {"sub": "subject-1", "name": "Ada Ndoye", "preferred_username": "ada"}
        self.told, self.answers, self.codes, self.asked = {}, {}, {}, []
        self.make_token = self.signed
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def use_key(self, number):
        self.number, self.key = number, rsa_key(number)
        known = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        self.public = {**known, "kid": number, "use": "sig", "alg": "RS256"}

    def all_claims(self, nonce):
        now = int(time.time())
        given = {"iss": self.address, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce, **self.claims}
        return {name: value for name, value in given.items() if value is not None}

    def signed(self, nonce):
        return jwt.encode(self.all_claims(nonce), self.key, algorithm="RS256", headers={"kid": self.number})


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, body, status=200, **headers):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(text), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        site, address = self.server, urlsplit(self.path)
        site.asked.append(address.path)
        if address.path in site.answers:
            status, body, headers = site.answers[address.path]
            self.reply(body, status, **headers)
        elif address.path == "/.well-known/openid-configuration":
            paths = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
            there = {name: f"{site.address}/{path}" for name, path in paths.items()}
            self.reply({"issuer": site.address, "userinfo_endpoint": f"{site.address}/person", **there})
        elif address.path == "/keys":
            self.reply({"keys": [site.public]})
        elif address.path == "/person":
            assert self.headers["Authorization"] == "Bearer access"
            self.reply(site.told)
        else:
            asked = dict(parse_qsl(address.query))
            code = f"code-{len(site.codes)}"
            site.codes[code] = asked
            back = urlencode({"code": code, "state": asked["state"]})
            self.reply({}, 302, Location=f"{asked['redirect_uri']}?{back}")

    def do_POST(self):
        site = self.server
        site.asked.append(self.path)
        if self.path in site.answers:
            status, body, headers = site.answers[self.path]
            self.reply(body, status, **headers)
            return
        form = {
            name: one for name, [one] in parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()).items()
        }
        asked = site.codes.pop(form["code"], None)  # a code works once
        right = f"Basic {base64.b64encode(f'{CLIENT}:{SECRET}'.encode()).decode()}"
        proof = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        if (
            asked is None
            or self.headers["Authorization"] != right
            or asked["redirect_uri"] != form["redirect_uri"]
            or (asked["code_challenge_method"], asked["code_challenge"]) != ("S256", proof)
        ):
            self.reply({"error": "invalid_grant"}, 400)
            return
        self.reply({"id_token": site.make_token(asked["nonce"]), "access_token": "access", "token_type": "Bearer"})
