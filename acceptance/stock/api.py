"""A client of the HTTP API: five signed lines, six headers, one envelope."""

import hashlib
import hmac
import http.client
import itertools
import json
import time
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from endpoints import template_of
from framework import Failure

TIMEOUT_SEC = 120


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def sorted_uri(uri: str) -> str:
    """The URI as it is signed: query parameters sorted by name."""
    path, mark, query = uri.partition("?")
    return path + mark + "&".join(sorted(query.split("&"), key=lambda pair: pair.split("=")[0]))


def signature(secret: str, lines: list[str], newline: str = "\n") -> str:
    return hmac.new(secret.encode(), newline.join(lines).encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class Answer:
    request: str
    status: int
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> dict[str, Any]:
        """The envelope, with decimals as they were written."""
        try:
            body = json.loads(self.text, parse_float=Decimal)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Failure(f"{self}: the body is no JSON object")
        return body

    @property
    def data(self) -> Any:
        """What a successful answer carries; fails for any other."""
        if self.status != 200 or self.body.get("code") != 200 or self.body.get("errMsg") != "":
            raise Failure(f"{self}, where success was expected")
        return self.body.get("data")

    def __str__(self) -> str:
        return f"{self.request}: HTTP {self.status} {self.text[:700]}"


class Api:
    """The API as seen with one key. Several addresses of one service are asked in turn."""

    def __init__(self, base_urls: list[str], chain_id: int, product: str, key: dict[str, str], answered: set[str]):
        self.base_urls = base_urls
        self.chain_id = chain_id
        self.product = product
        self.key = key
        self.answered = answered
        """The endpoints that have answered with success, of all clients."""
        self._turns = itertools.cycle(base_urls)

    def get(self, uri: str, **changes: Any) -> Answer:
        return self.send("GET", uri, **changes)

    def delete(self, uri: str, **changes: Any) -> Answer:
        return self.send("DELETE", uri, **changes)

    def post(self, uri: str, body: Any, **changes: Any) -> Answer:
        return self.send("POST", uri, json.dumps(body), **changes)

    def send(
        self,
        method: str,
        uri: str,
        body: str = "",
        *,
        ts: int | str | None = None,
        nonce: str | None = None,
        secret: str | None = None,
        signed_uri: str | None = None,
        signed_body: str | None = None,
        newline: str = "\n",
        headers: dict[str, str | None] | None = None,
    ) -> Answer:
        """Signs and sends. The named arguments spoil a request in one point each; a header of None is left out."""
        timestamp = str(now_ms() if ts is None else ts)
        nonce = nonce or str(uuid.uuid4())
        uri_line = sorted_uri(uri) if signed_uri is None else signed_uri
        lines = [method, uri_line, timestamp, nonce, body if signed_body is None else signed_body]
        sent = {
            "x-api-key": self.key["apiKey"],
            "x-api-ts": timestamp,
            "x-api-nonce": nonce,
            "x-api-sign": signature(secret or self.key["apiSecret"], lines, newline),
            "x-api-chain-id": str(self.chain_id),
            "x-api-p": self.product,
            **({"content-type": "application/json"} if body else {}),
            **(headers or {}),
        }
        answer = self._exchange(method, uri, body, {name: value for name, value in sent.items() if value is not None})
        if answer.status == 200 and answer.body.get("code") == 200:
            self.answered.add(template_of(method, uri))
        return answer

    def _exchange(self, method: str, uri: str, body: str, headers: dict[str, str]) -> Answer:
        base = urlsplit(next(self._turns))
        kind = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
        connection = kind(base.netloc, timeout=TIMEOUT_SEC)
        try:
            connection.request(method, base.path + uri, body.encode() if body else None, headers)
            response = connection.getresponse()
            text = response.read().decode()
            answered = {name.lower(): value for name, value in response.getheaders()}
            return Answer(f"{method} {uri} {body}".strip(), response.status, answered, text)
        finally:
            connection.close()
