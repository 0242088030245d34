"""Input that is refused: every operation, and nothing of it changes anything."""

from typing import Any

from access import NEEDS_QUERY
from api import BASE
from endpoints import READS, WRITES
from framework import check, expect, expect_equal
from one_click import sends
from venue import LONG, Venue

NO_JSON = ("{", "[]", "null", '"words"', "7", "", '{"a":1,"a":2}', "{'size':1}", '{"size":NaN}')
ODD: tuple[Any, ...] = (None, True, -1, 0, 1.5, 2**63, "", "words", "'; drop table x", "\u0000", "9" * 300, [], {}, [[]])

DECIMALS = ("size", "price", "leverage", "amount", "alphaLower", "alphaUpper")
ZEROS = ("deadline", "gasLimit", "slippageBps", "expiry")


def state(venue: Venue) -> tuple[Any, ...]:
    """What must not move while only bad requests are sent."""
    wallet = venue.one_click_wallet
    client = venue.one_click
    return (
        venue.reserve(wallet),
        venue.tokens(wallet),
        venue.nonce(wallet),
        venue.size(wallet),
        [row["orderId"] for row in client.get("order/realtime").data],
        client.get("account/transaction-history").data["totalCount"],
        client.get("1ct/status").data["status"],
        len(client.get("api-key/list").data),
    )


def means_something(name: str, value: Any) -> bool:
    """Whether what is odd for most fields is right for this one: a decimal may be a JSON number, 0 the venue's choice."""
    if name in DECIMALS:
        return type(value) in (int, float) and value > 0
    if name in ("tickLower", "tickUpper"):
        return type(value) is int and abs(value) < 2
    return (type(value) is int and value == 0 and name in ZEROS) or (name == "all" and value is True)


@check(
    "body that is no JSON object",
    "7B",
    "of every POST: a clear error and no failure of the server, though rightly signed",
)
def no_json(venue: Venue) -> None:
    before = state(venue)
    for path in WRITES:
        if path in ("api-key/create", "1ct/disable"):
            continue
        for text in NO_JSON:
            answer = venue.one_click.send("POST", BASE + path, text)
            expect((answer.status, answer.body["code"]) == (400, 40001), f"{answer}")
    expect_equal(state(venue), before, "the wallet's state")


@check("fields of every operation that sends", "7B", "each missing, odd or unknown field is refused; nothing changes")
def fields(venue: Venue) -> None:
    before = state(venue)
    for path, right in sends(venue).items():
        for name in right:
            for value in ODD:
                body = {**right, name: value}
                if means_something(name, value):
                    continue
                answer = venue.one_click.post(path, body)
                expect(answer.status == 400, f"{answer}")
        answer = venue.one_click.post(path, {**right, "surplus": 1})
        expect(answer.status == 400 and "surplus" in answer.body["msg"], f"{answer}")
    expect_equal(state(venue), before, "the wallet's state")


@check("query of every read", "7B", "an unknown parameter and odd values are refused: HTTP 400, by name")
def queries(venue: Venue) -> None:
    for path in READS:
        needed = {"orderId": "1"} if path == "order/byId" else NEEDS_QUERY.get(path, {})
        answer = venue.one_click.get(path, **needed, surplus="1")
        expect(answer.status == 400 and "surplus" in answer.body["msg"], f"{answer}")
    for path in ("order/history", "execution/list", "liquidity/history", "account/deposit-withdraw"):
        for name in ("page", "size", "startTime", "endTime"):
            for value in ("-1", "1.5", "words", "9" * 30, ""):
                answer = venue.one_click.get(path, **{name: value})
                expect(answer.status == 400 and name in answer.body["msg"], f"{answer}")


@check("wrong method", "7B", "a read is not written to, a write not read: refused, never done")
def method(venue: Venue) -> None:
    before = state(venue)
    for path in WRITES:
        answer = venue.one_click.get(path)
        expect(answer.status == 400, f"{answer}")
    for path in READS:
        answer = venue.one_click.post(path, {})
        expect(answer.status == 400, f"{answer}")
    expect_equal(state(venue), before, "the wallet's state")


@check("large body", "7B", "is refused as such to a client that is still sending, and the venue goes on")
def large(venue: Venue) -> None:
    body = venue.market(LONG, "0.01", referralCode="x" * 2_000_000)
    answer = venue.one_click.post("order/market", body)
    expect(answer.status in (400, 413), f"{answer}")
    venue.one_click.get("market/serverTime").data
