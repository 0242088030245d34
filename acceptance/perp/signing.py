"""The signature of requests: what is signed, and every way to spoil it."""

import json
import time

from api import BASE, Api, compact, now_ms, sign, sorted_target
from framework import check, expect, expect_equal
from venue import BTC, Venue, expect_refused

VECTORS = [
    ("GET", "/v4/public/market/instrument?b=2&a=1&c=3", "", "GET/v4/public/market/instrument?a=1&b=2&c=3"),
    ("POST", "/v4/private/some-endpoint", {"z": 3, "a": 1, "m": 2}, 'POST/v4/private/some-endpoint{"a":1,"m":2,"z":3}'),
    ("GET", "/v4/public/market/instrument?symbol=BTC/USDC", "", "GET/v4/public/market/instrument?symbol=BTC%2FUSDC"),
    ("GET", "/path?tags=tag1&symbol=BTC&tags=tag2", "", "GET/path?symbol=BTC&tags=tag1&tags=tag2"),
]
KLINE = f"{BASE}market/kline?symbol=BTC%2FUSDC&limit=2&interval=1h"
PREPARE = f"{BASE}1ct/prepare"


@check("signature vectors", "5B, sheet 1.4", "this client builds the documented strings")
def vectors(_: Venue) -> None:
    for method, target, body, wanted in VECTORS:
        expect_equal(method + sorted_target(target) + (compact(body) if body else ""), wanted, "the signed string")


@check(
    "query of a signature",
    "sheet 1.4",
    "sent in any order, signed sorted, percent-encoded or as the sender encodes; unsorted it is refused",
)
def query(venue: Venue) -> None:
    plain = KLINE.replace("%2F", "/")
    venue.self_signer.send("GET", KLINE).data
    venue.self_signer.send("GET", plain).data
    # The TypeScript client of the sheet: its pairs sorted, and encoded as it sends them.
    path, _, pairs = plain.partition("?")
    venue.self_signer.send("GET", plain, signed_target=f"{path}?{'&'.join(sorted(pairs.split('&')))}").data
    expect_refused(venue.self_signer.send("GET", KLINE, signed_target=KLINE), 401, 40101)


@check(
    "body of a signature",
    "sheet 1.4",
    "its keys in any order and with any spaces, signed compact and sorted, wholly or its outermost keys alone, or as sent",
)
def body(venue: Venue) -> None:
    params = {"params": venue.pair() | {"size": "0.01", "side": 2, "leverage": "5", "slippageBps": 100}, "action": "market"}
    outermost = json.dumps(dict(sorted(params.items())), separators=(",", ":"))
    expect(outermost != compact(params), "the body's inner keys are sorted as sent: it decides nothing")
    for text in (json.dumps(params), json.dumps(params, separators=(",", ":")), json.dumps(params, indent=2)):
        for signed in (text, compact(params), outermost):
            # Whether this wallet could trade is another question: it is not unauthorized.
            answer = venue.self_signer.send("POST", f"{BASE}order/preview", text, signed_body=signed)
            expect(answer.status != 401, f"{answer}")
    # What the body does not say is not signed for it.
    expect_refused(
        venue.self_signer.send("POST", f"{BASE}order/preview", compact(params), signed_body='{"action":"market","params":{}}'),
        401,
        40101,
    )


@check("number in a body", "sheet 1.4", "is signed as it stands: 1.50 is not 1.5")
def number(venue: Venue) -> None:
    text = '{"deadline":4000000000.0}'
    answer = venue.self_signer.send("POST", PREPARE, text, signed_body=text)
    expect(answer.status != 401, f"{answer}")
    other = venue.self_signer.send("POST", PREPARE, text, signed_body='{"deadline":4000000000}')
    expect_refused(other, 401, 40101)


def spoilt(venue: Venue) -> dict[str, tuple[str, dict]]:
    """Named ways to spoil a GET: its target, and what is changed."""
    key, client = "X-Api-Key", venue.self_signer
    good = client.key
    unsigned = sign(good["apiSecret"], "nothing")
    times = {"31 s old": now_ms() - 31_500, "120 s ahead": now_ms() + 120_000, "in seconds": now_ms() // 1000}
    signed = {
        "the full URL": venue.base_url + sorted_target(KLINE),
        "no query": KLINE.partition("?")[0],
        "no prefix": sorted_target(KLINE).removeprefix("/v4/public/trader"),
        "another path": sorted_target(KLINE).replace("kline", "klines"),
        "a newline more": "\n" + sorted_target(KLINE),
    }
    return {
        **{f"time {what}": {"ts": value} for what, value in times.items()},
        **{f"time {value!r}": {"ts": value} for value in ("soon", "-1", "0", "", "1e13")},
        **{f"signed {what}": {"signed_target": value} for what, value in signed.items()},
        **{f"no {name}": {"headers": {name: None}} for name in (key, "X-Api-Sign", "X-Api-Ts", "X-Chain-Id")},
        "another key": {"headers": {key: "0" * 32}},
        "another wallet's key": {"headers": {key: venue.other.key["apiKey"]}},
        "another secret": {"secret": "0" * 64},
        "the wrong signature": {"headers": {"X-Api-Sign": unsigned}},
        "a signature in hex": {"headers": {"X-Api-Sign": "ab" * 32}},
        "an empty signature": {"headers": {"X-Api-Sign": ""}},
        "another chain": {"headers": {"X-Chain-Id": "1"}},
        "chain in words": {"headers": {"X-Chain-Id": "local"}},
        "another method": {"signed_method": "POST"},
        "a small method": {"signed_method": "get"},
        "a body signed": {"signed_body": "{}"},
    }


@check("unauthorized", "5B, 7B", "one spoilt point each, of 28: HTTP 401, code 40101, the same text for every cause")
def unauthorized(venue: Venue) -> None:
    ways = spoilt(venue)
    expect_equal(len(ways), 28, "the number of ways")
    # A client of one key: venue.self_signer takes turns.
    client = Api(venue.http, venue.chain_id, venue.create_key(venue.wallet).data)
    texts = set()
    for what, changes in ways.items():
        answer = client.send("GET", KLINE, **changes)
        expect((answer.status, answer.body["code"]) == (401, 40101), f"{what}: {answer}")
        texts.add(answer.body["msg"])
    expect_equal(len(texts), 1, f"the number of texts, {texts}:")


@check(
    "unauthorized writes",
    "5B, 7B",
    "a body other than the signed one, be it by a digit: refused, and nothing is done",
)
def unauthorized_writes(venue: Venue) -> None:
    key = venue.create_key(venue.wallet, label="kept").data
    client = venue.with_key(key)
    right = compact({"apiKey": key["apiKey"], "label": "kept"})
    for sent in (right.replace("kept", "lost"), right[:-1] + ',"permissions":["read"]}', "{}", ""):
        answer = client.send("POST", f"{BASE}api-key/update", sent, signed_body=right)
        expect((answer.status, answer.body["code"]) == (401, 40101), f"{answer}")
    rows = [one for one in client.get("api-key/list").data if one["apiKey"] == key["apiKey"]]
    expect_equal([(row["label"], row["permissions"]) for row in rows], [("kept", ["read", "trade"])], "the key")


@check("time window", "sheet 1.5", "a time some seconds before or ahead passes")
def window(venue: Venue) -> None:
    for ahead_ms in (-12_000, 12_000):
        venue.self_signer.send("GET", f"{BASE}market/serverTime", ts=now_ms() + ahead_ms).data


@check("unknown operation", "7B", "is told to who signs rightly (code 40401), and not to others")
def unknown(venue: Venue) -> None:
    expect_refused(venue.self_signer.get("market/nothing"), 400, 40401)
    expect_refused(venue.self_signer.send("GET", f"{BASE}market/nothing", secret="0" * 64), 401, 40101)


@check("chainId of a request", "sheet 2A.0", "equal to X-Chain-Id it is accepted; another is refused by name")
def chain_id(venue: Venue) -> None:
    venue.self_signer.get("market/funding/history", symbol=BTC, chainId=venue.chain_id).data
    expect_refused(venue.self_signer.get("market/funding/history", symbol=BTC, chainId=1), 400, 40001, "chainId")


@check("no HTTPS, no service", "4B, 5B", "plain HTTP from outside is refused; this machine may use it")
def https(venue: Venue) -> None:
    answer = venue.self_signer.send("GET", f"{BASE}market/serverTime", headers={"x-forwarded-for": "192.0.2.1"})
    expect_refused(answer, 403, 40303, "HTTPS")


@check(
    "rate limit of a key",
    "8B",
    "120 a minute, told in headers; then HTTP 429 with Retry-After; another key goes on",
)
def rate_limit(venue: Venue) -> None:
    client = Api(venue.http, venue.chain_id, venue.create_key(venue.empty_wallet).data)
    started = time.monotonic()
    passed, left = 0, None
    while True:
        answer = client.get("market/serverTime")
        expect_equal(answer.headers.get("ratelimit-limit"), "120", "ratelimit-limit")
        expect(0 <= int(answer.headers["ratelimit-reset"]) <= 60, f"ratelimit-reset {answer.headers['ratelimit-reset']}")
        if answer.status != 200:
            break
        remaining = int(answer.headers["ratelimit-remaining"])
        # Where the machine is slow a window may end on the way, and a new one begins with 119.
        expect(remaining in (119, None if left is None else left - 1), f"ratelimit-remaining {remaining} after {left}")
        passed, left = passed + 1, remaining
        expect(passed < 5_000, f"{passed} requests passed in {time.monotonic() - started:.0f} s")
    windows = int((time.monotonic() - started) / 60) + 2
    expect(120 <= passed <= 120 * windows, f"{passed} passed")
    expect_refused(answer, 429, 42901)
    wait = answer.headers.get("retry-after", "")
    expect(wait.isdigit() and 0 < int(wait) <= 60, f"retry-after is {wait!r}")
    venue.create_key(venue.empty_wallet).data
    venue.self_signer.get("market/serverTime").data
    venue.leave("limited", (client, time.monotonic() + int(wait)))
