"""A client of the perpetual API: one signed string, four headers, one envelope."""

import base64
import hashlib
import hmac
import http.client
import json
import time
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from endpoints import BASE, endpoint_of
from framework import Failure, expect

TIMEOUT_SEC = 120
WAITS_FOR_THE_LIMIT = 20
SAID_AS_400 = (40401, 42201)
"""Not found, and an idempotency key of another body: codes whose status would not be one of the documented six."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def compact(value: Any) -> str:
    """JSON as it is signed: keys sorted, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def sorted_target(target: str) -> str:
    """The path with its query sorted by name, percent-encoded; names that repeat stay in their order."""
    path, mark, query = target.partition("?")
    pairs = sorted(parse_qsl(query, keep_blank_values=True), key=lambda pair: pair[0])
    return path + mark + urlencode(pairs)


def sign(secret: str, message: str) -> str:
    return base64.b64encode(hmac.new(secret.encode(), message.encode(), hashlib.sha256).digest()).decode()


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
        if self.status != 200 or self.body.get("code") != 0 or self.body.get("msg") != "":
            raise Failure(f"{self}, where success was expected")
        return self.body.get("data")

    @property
    def block(self) -> int:
        """The height of the block that the answer speaks of."""
        info = self.body.get("blockInfo")
        expect(isinstance(info, dict) and isinstance(info.get("height"), int), f"{self}: no blockInfo")
        return info["height"]

    def __str__(self) -> str:
        return f"{self.request}: HTTP {self.status} {self.text[:700]}"


class Http:
    """Requests as they are, without a signature; every answer's envelope is held against the requirement."""

    def __init__(self, base_url: str):
        self._base = urlsplit(base_url)
        self.answered: set[str] = set()
        self._request_ids: set[str] = set()

    def exchange(self, method: str, target: str, body: str = "", headers: dict[str, str] | None = None) -> Answer:
        kind = http.client.HTTPSConnection if self._base.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._base.netloc, timeout=TIMEOUT_SEC)
        sent = {"Content-Type": "application/json", **(headers or {})}
        try:
            connection.request(method, target, body.encode() if body else None, sent)
            response = connection.getresponse()
            text = response.read().decode()
            answered = {name.lower(): value for name, value in response.getheaders()}
        finally:
            connection.close()
        answer = Answer(f"{method} {target} {body[:300]}".strip(), response.status, answered, text)
        self._hold(answer)
        if answer.status == 200 and answer.body["code"] == 0:
            self.answered.add(endpoint_of(method, target))
        return answer

    def patient(self, method: str, target: str, body: str = "", headers: dict[str, str] | None = None) -> Answer:
        """Waits as long as a refusal for too many requests says: it has changed nothing."""
        for _ in range(WAITS_FOR_THE_LIMIT):
            answer = self.exchange(method, target, body, headers)
            if answer.status != 429:
                return answer
            time.sleep(int(answer.headers["retry-after"]))
        return answer

    def _hold(self, answer: Answer) -> None:
        body = answer.body
        kinds = {"code": int, "msg": str, "data": object, "requestId": str}
        for name, kind in kinds.items():
            expect(name in body and isinstance(body[name], kind), f"{answer}: {name} of the envelope")
        uuid.UUID(body["requestId"])
        replayed = answer.headers.get("idempotent-replayed") == "true"
        expect(replayed or body["requestId"] not in self._request_ids, f"{answer}: a requestId of before")
        self._request_ids.add(body["requestId"])
        expect(answer.status in (200, 400, 401, 403, 429, 500), f"{answer}: a status that is not documented")
        expect((answer.status == 200) == (body["code"] == 0), f"{answer}: code and status disagree")
        if answer.status != 200:
            wanted = 400 if body["code"] in SAID_AS_400 else body["code"] // 100
            expect(wanted == answer.status, f"{answer}: code and status do not belong together")
            expect(body["data"] == {} and len(body["msg"]) > 3, f"{answer}: an error says what is wrong, with no data")


class Api:
    """The API as seen with one key."""

    def __init__(self, http_client: Http, chain_id: int, key: dict[str, str]):
        self.http = http_client
        self.chain_id = chain_id
        self.key = key

    def get(self, path: str, **query: Any) -> Answer:
        """Signed as documented: the names of the query sorted."""
        return self.send("GET", target(path, query))

    def post(self, path: str, body: dict[str, Any] | None = None, headers: dict[str, str] | None = None) -> Answer:
        """Sent in the order of the keys as given, and signed sorted."""
        return self.send("POST", BASE + path, json.dumps(body or {}), signed_body=compact(body or {}), headers=headers)

    def send(
        self,
        method: str,
        target: str,
        body: str = "",
        *,
        ts: int | str | None = None,
        secret: str | None = None,
        signed_target: str | None = None,
        signed_body: str | None = None,
        signed_method: str | None = None,
        headers: dict[str, str | None] | None = None,
    ) -> Answer:
        """Signs and sends. The named arguments change a request in one point each; a header of None is left out."""
        timestamp = str(now_ms() if ts is None else ts)
        path = sorted_target(target) if signed_target is None else signed_target
        message = timestamp + (signed_method or method) + path + (body if signed_body is None else signed_body)
        sent = {
            "X-Api-Key": self.key["apiKey"],
            "X-Api-Sign": sign(secret or self.key["apiSecret"], message),
            "X-Api-Ts": timestamp,
            "X-Chain-Id": str(self.chain_id),
            **(headers or {}),
        }
        return self.http.exchange(method, target, body, {name: text for name, text in sent.items() if text is not None})


class Patient(Api):
    """The same, for a client that waits when it has asked too often, and signs anew."""

    def send(self, *arguments: Any, **changes: Any) -> Answer:
        for _ in range(WAITS_FOR_THE_LIMIT):
            answer = super().send(*arguments, **changes)
            if answer.status != 429:
                return answer
            time.sleep(int(answer.headers["retry-after"]))
        return answer


def target(path: str, query: dict[str, Any]) -> str:
    pairs = urlencode([(name, value) for name, value in query.items() if value is not None])
    prefix = "" if path.startswith("/") else BASE
    return prefix + path + (f"?{pairs}" if pairs else "")
