"""Authentication: every cause of failure gives the very same answer."""

import re
import time
import uuid
from collections.abc import Callable

from api import Answer, now_ms, signature, sorted_uri
from endpoints import ENDPOINTS, READ_ONLY, permission_of
from framework import Failure, check, expect, expect_equal
from keys import EXPIRES_AFTER_SEC
from venue import Venue

URI = "/api/v1/orders?limit=5&page=1"
UNSORTED = "/api/v1/orders?page=1&limit=5"
BUILD = "/api/v1/cash/withdrawals/calldata"
SECRET = "test-secret"
TIMESTAMP = "1700000000000"
NONCE = "11111111-1111-4111-8111-111111111111"
BODY = (
    '{"stockAddress":"0x0000000000000000000000000000000000000001","side":"Buy","type":"Market",'
    '"notional":"10","deadline":1893456000}'
)
CHANGING_HEADERS = ("date", "content-length")


def body_of(answer: Answer) -> str:
    """The body as it came, but for the two fields that differ in each answer."""
    text = re.sub(r'"uuid":"[^"]*"', '"uuid":""', answer.text, count=1)
    return re.sub(r'"t":\d+', '"t":0', text, count=1)


def headers_of(answer: Answer) -> dict[str, str]:
    """Headers that could tell one cause from another: ids and counters have a value of their own in every answer."""
    return {
        name: "" if re.search("id$|rate-?limit", name) else value
        for name, value in answer.headers.items()
        if name not in CHANGING_HEADERS
    }


def expect_unauthorized(venue: Venue, answer: Answer, cause: str) -> None:
    """HTTP 400 with code 401, and byte for byte what an unknown key gets."""
    expect_equal(answer.status, 400, f"{cause}: the HTTP status of {answer}: it")
    expect_equal(answer.body["code"], 401, f"{cause}: the code of {answer}: it")
    reference = unknown_key(venue)
    expect_equal(body_of(answer), body_of(reference), f"{cause}: the body, against an unknown key's,")
    expect_equal(headers_of(answer), headers_of(reference), f"{cause}: the headers, against an unknown key's,")


def unknown_key(venue: Venue) -> Answer:
    return venue.with_key({"apiKey": uuid.uuid4().hex, "apiSecret": uuid.uuid4().hex * 2}).get(URI)


def cause(name: str, expected: str, seed: str = "5A, 7A authentication"):
    """A check of one or more requests that have to fail in authentication; the function gives them by name."""

    def register(attempts: Callable[[Venue], dict[str, Callable[[], Answer]]]):
        @check(f"unauthorized: {name}", seed, f"{expected}: status 400, code 401, the same answer as for any cause")
        def run(venue: Venue) -> None:
            venue.trader.get(URI).data
            for label, attempt in attempts(venue).items():
                expect_unauthorized(venue, attempt(), label)

        return run

    return register


@check("signature vectors", "5A", "this client signs the documented examples as documented")
def vectors(venue: Venue) -> None:
    listed = signature(SECRET, ["GET", sorted_uri("/api/v1/orders?page=1&limit=10"), TIMESTAMP, NONCE, ""])
    expect_equal(listed, "650b4e12851b7c26b471f4a774758bb70a8feedf9af8a9b9fc4c4519ffb15f83", "the GET's signature")
    built = signature(SECRET, ["POST", "/api/v1/orders/calldata", TIMESTAMP, NONCE, BODY])
    expect_equal(built, "c9b4bd38282c45a13b6fc3a0d18fc3f53a40201f88a69ee1b2b041968d68745d", "the POST's signature")


@check(
    "a request as it should be",
    "5A",
    "succeeds: parameters sent in any order and signed sorted, and hex in either case",
)
def as_it_should_be(venue: Venue) -> None:
    venue.trader.get(UNSORTED).data
    timestamp, nonce = str(now_ms()), str(uuid.uuid4())
    sign = signature(venue.trader.key["apiSecret"], ["GET", URI, timestamp, nonce, ""])
    venue.trader.get(URI, ts=timestamp, nonce=nonce, headers={"x-api-sign": sign.upper()}).data


@check(
    "timestamp of the future, first use",
    "8A",
    "accepted at 40 s ahead; used again below, after its nonce was seen 45 s ago",
)
def future_first(venue: Venue) -> None:
    request = {"ts": now_ms() + 40_000, "nonce": str(uuid.uuid4())}
    venue.trader.get(URI, **request).data
    venue.leave("future request", (request, time.monotonic()))


@cause("key", "unknown, disabled or expired, and a wrong secret")
def keys(venue: Venue) -> dict:
    time.sleep(max(0.0, EXPIRES_AFTER_SEC - (time.monotonic() - venue.started)))
    return {
        "unknown": lambda: unknown_key(venue),
        "disabled": lambda: venue.api("disabled").get(URI),
        "expired": lambda: venue.api("expired").get(URI),
        "wrong secret": lambda: venue.trader.get(URI, secret=venue.api("same_wallet").key["apiSecret"]),
        "upper-case key": lambda: venue.trader.get(URI, headers={"x-api-key": venue.trader.key["apiKey"].upper()}),
        "strange key": lambda: venue.trader.get(URI, headers={"x-api-key": "' or '1'='1"}),
        "very long key": lambda: venue.trader.get(URI, headers={"x-api-key": "a" * 4000}),
    }


@cause("IP whitelist", "empty, or without this address, also when x-forwarded-for claims a listed one")
def addresses(venue: Venue) -> dict:
    claimed = {"x-forwarded-for": "192.0.2.1"}
    return {
        "empty": lambda: venue.api("no_address").get(URI),
        "other address": lambda: venue.api("other_address").get(URI),
        "claimed address": lambda: venue.api("other_address").get(URI, headers=claimed),
        "claimed with an empty list": lambda: venue.api("no_address").get(URI, headers=claimed),
    }


@cause("x-api-ts", "46 s old, in seconds, no number, negative")
def timestamps(venue: Venue) -> dict:
    return {
        "old": lambda: venue.trader.get(URI, ts=now_ms() - 46_000),
        "seconds": lambda: venue.trader.get(URI, ts=now_ms() // 1000),
        "word": lambda: venue.trader.get(URI, ts="now"),
        "fraction": lambda: venue.trader.get(URI, ts=f"{now_ms()}.5"),
        "negative": lambda: venue.trader.get(URI, ts=-now_ms()),
    }


@cause("reused nonce", "the same request again, a new one with the nonce of the last, and one of another method")
def nonces(venue: Venue) -> dict:
    client = venue.trader
    # Of a future time, so that all of these come within its window on a slow machine too.
    request = {"ts": now_ms() + 40_000, "nonce": str(uuid.uuid4())}
    client.get(URI, **request).data
    return {
        "the same request": lambda: client.get(URI, **request),
        "the same once more": lambda: client.get(URI, **request),
        "a new timestamp": lambda: client.get(URI, nonce=request["nonce"]),
        "another endpoint": lambda: client.get("/api/v1/config", nonce=request["nonce"]),
        "another method": lambda: client.post(BUILD, venue.cash_move("1"), nonce=request["nonce"]),
    }


@cause("signed URI", "the full URL, the path with the service's prefix, the path without its query, another path")
def signed_uris(venue: Venue) -> dict:
    base = venue.base_urls[0]
    prefix = "/" + base.split("://", 1)[1].partition("/")[2]
    return {
        "full URL": lambda: venue.trader.get(URI, signed_uri=base + URI),
        "with the prefix": lambda: venue.trader.get(URI, signed_uri=prefix + URI),
        "without query": lambda: venue.trader.get(URI, signed_uri=URI.partition("?")[0]),
        "another path": lambda: venue.trader.get(URI, signed_uri="/api/v1/config"),
        "another query": lambda: venue.trader.get(URI, signed_uri=URI.replace("5", "6")),
    }


@cause("newlines", "backslash and n, carriage returns, none, and one too many")
def newlines(venue: Venue) -> dict:
    return {
        "backslash n": lambda: venue.trader.get(URI, newline="\\n"),
        "carriage return": lambda: venue.trader.get(URI, newline="\r\n"),
        "none": lambda: venue.trader.get(URI, newline=""),
        "one too many": lambda: venue.trader.get(URI, signed_body="\n"),
    }


@cause("query not sorted", "signed in the order in which it was sent")
def unsorted(venue: Venue) -> dict:
    return {"unsorted": lambda: venue.trader.get(UNSORTED, signed_uri=UNSORTED)}


@cause("body", "any other than the one that was signed, be it by a space")
def bodies(venue: Venue) -> dict:
    body = '{"userAddress":"%s","tokenAddress":"%s","tokenAmount":"1"}' % (venue.user, venue.usdc)
    return {
        "another amount": lambda: venue.trader.send("POST", BUILD, body.replace('"1"', '"2"'), signed_body=body),
        "a space": lambda: venue.trader.send("POST", BUILD, body + " ", signed_body=body),
        "another order": lambda: venue.trader.send("POST", BUILD, body, signed_body=f"{{{body[1:]}}}"),
        "unsigned": lambda: venue.trader.send("POST", BUILD, body, signed_body=""),
    }


@cause(
    "scope",
    "x-api-chain-id missing or another, x-api-p missing, another or in another case, a key of another scope",
)
def scopes(venue: Venue) -> dict:
    changes = {
        "no chain": {"x-api-chain-id": None},
        "another chain": {"x-api-chain-id": "1"},
        "chain as hex": {"x-api-chain-id": hex(venue.chain_id)},
        "chain with a zero": {"x-api-chain-id": f"0{venue.chain_id}"},
        "no product": {"x-api-p": None},
        "another product": {"x-api-p": "Other"},
        "lower case": {"x-api-p": venue.product.lower()},
        "upper case": {"x-api-p": venue.product.upper()},
    }

    def with_headers(headers: dict) -> Callable[[], Answer]:
        return lambda: venue.trader.get(URI, headers=headers)

    return {
        **{label: with_headers(headers) for label, headers in changes.items()},
        "key of another chain": lambda: venue.api("other_chain").get(URI),
        "key of another product": lambda: venue.api("other_product").get(URI),
        "its own chain": lambda: venue.api("other_chain").get(URI, headers={"x-api-chain-id": "1"}),
        "its own product": lambda: venue.api("other_product").get(URI, headers={"x-api-p": "Other"}),
    }


@cause("missing headers", "any of key, time, nonce, signature, or all six")
def missing(venue: Venue) -> dict:
    names = ("x-api-key", "x-api-ts", "x-api-nonce", "x-api-sign")

    def leaving_out(*left_out: str) -> Callable[[], Answer]:
        return lambda: venue.trader.get(URI, headers=dict.fromkeys(left_out))

    return {
        **{name: leaving_out(name) for name in names},
        "all": leaving_out(*names, "x-api-chain-id", "x-api-p"),
        "empty nonce": lambda: venue.trader.get(URI, headers={"x-api-nonce": ""}),
        "empty signature": lambda: venue.trader.get(URI, headers={"x-api-sign": ""}),
    }


def concrete(venue: Venue, endpoint: str) -> tuple[str, str]:
    """Method and URI of an endpoint, with something in the place of each parameter."""
    method, path = endpoint.split(" ")
    values = {"symbol": "AAPL", "userId": venue.user, "txHash": f"0x{'ab' * 32}"}
    path = re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], f"0x{'cd' * 32}"), path)
    return method, path + (f"?interval=1d&endTime={int(time.time())}" if path.endswith("/history") else "")


@check("READ_ONLY key on every GET", "4A, 5A permission", "none of the 21 is refused as unauthorized")
def read_only_reads(venue: Venue) -> None:
    reads = [endpoint for endpoint in ENDPOINTS if permission_of(endpoint) == READ_ONLY]
    expect_equal(len(reads), 21, "the number of GETs")
    for endpoint in reads:
        answer = venue.api("read_only").send(*concrete(venue, endpoint))
        expect(answer.body["code"] != 401 and answer.status < 500, str(answer))


@cause("READ_ONLY key on every POST and DELETE", "all 22", "4A, 5A permission, 7A")
def read_only_writes(venue: Venue) -> dict:
    writes = [endpoint for endpoint in ENDPOINTS if permission_of(endpoint) != READ_ONLY]
    if len(writes) != 22:
        raise Failure(f"there are {len(writes)} POSTs and DELETEs")

    def attempt(endpoint: str) -> Callable[[], Answer]:
        method, uri = concrete(venue, endpoint)
        body = "{}" if method == "POST" else ""
        return lambda: venue.api("read_only").send(method, uri, body)

    return {endpoint: attempt(endpoint) for endpoint in writes}
