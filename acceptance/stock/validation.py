"""Validation: bad input gets a clear error that names what is wrong, and changes nothing."""

import time
from collections.abc import Callable
from typing import Any

from api import Answer
from framework import check, expect, expect_equal
from venue import Venue
from with_deposit import with_cash, with_stock

ORDERS = "orders/calldata"
WITH_DEPOSIT = "orders/with-deposit/calldata"


def expect_error(answer: Answer, *words: str) -> str:
    """A validation error that holds all of the words; answers its text."""
    expect(answer.status == 400 and answer.body["code"] not in (200, 401), str(answer))
    text = answer.body["errMsg"]
    missing = [word for word in words if word.lower() not in text.lower()]
    expect(not missing, f"the error does not speak of {', '.join(missing)}: {answer}")
    return text


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != name}


def both(venue: Venue, terms: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The order at both endpoints that build one."""
    brought = with_cash(venue, terms, "500") if terms["side"] == "Buy" else with_stock(terms, "1")
    return [(ORDERS, terms), (WITH_DEPOSIT, brought)]


def expect_needed(venue: Venue, terms: dict[str, Any], name: str) -> None:
    """The order is good as it is, and refused by name without one field."""
    for path, body in both(venue, terms):
        venue.trader.post(f"/api/v1/{path}", body).data
        text = expect_error(venue.trader.post(f"/api/v1/{path}", without(body, name)), name)
        venue.leave(f"error {path} {terms['type']} {terms['side']} {name}", text)


@check("market buy without notional", "4A payloads, 7A", "a clear validation error that names notional")
def no_notional(venue: Venue) -> None:
    expect_needed(venue, venue.market("Buy", "100"), "notional")


@check("market sell without quantity", "4A payloads, 7A", "a clear validation error that names quantity")
def no_quantity(venue: Venue) -> None:
    expect_needed(venue, venue.market("Sell", "1"), "quantity")


@check("limit order without price", "4A payloads, 7A", "a clear validation error that names price, for buy and sell")
def no_price(venue: Venue) -> None:
    for side in ("Buy", "Sell"):
        expect_needed(venue, venue.limit(side, "1", "0.9"), "price")


@check(
    "limit order without quantity",
    "4A payloads, 7A",
    "a clear validation error that names quantity, for buy and sell",
)
def no_limit_quantity(venue: Venue) -> None:
    for side in ("Buy", "Sell"):
        expect_needed(venue, venue.limit(side, "1", "0.9"), "quantity")


@check(
    "limit order without timeInForce",
    "4A payloads",
    "a clear validation error that names timeInForce, for buy and sell",
)
def no_time_in_force(venue: Venue) -> None:
    for side in ("Buy", "Sell"):
        expect_needed(venue, venue.limit(side, "1", "0.9"), "timeInForce")


@check(
    "timeInForce other than DAY",
    "4A payloads, 7A, 8A",
    "a clear validation error that names DAY, at both endpoints",
)
def other_time_in_force(venue: Venue) -> None:
    for path, body in both(venue, venue.limit("Buy", "1", "0.9")):
        for other in ("GTC", "OPG", "IOC", "FOK", "GTX", "GTD", "CLS", "day", ""):
            answer = venue.trader.post(f"/api/v1/{path}", {**body, "timeInForce": other})
            expect_error(answer, "timeInForce", "DAY")
        for other in (0, 1, None):
            expect_error(venue.trader.post(f"/api/v1/{path}", {**body, "timeInForce": other}), "timeInForce")


@check(
    "expired deadline",
    "4A payloads, 7A, 8A",
    "a clear validation error that names the deadline, which has to be in the future, in seconds",
)
def expired_deadline(venue: Venue) -> None:
    for path, body in both(venue, venue.market("Buy", "100")):
        now = min(int(time.time()), venue.chain.time_sec())
        for past in (now - 1, now - 86_400, 1, 0):
            expect_error(venue.trader.post(f"/api/v1/{path}", {**body, "deadline": past}), "deadline")
        for impossible in (-1, 2**32, (now + 3600) * 1000, now + 3600.5, str(now + 3600), None):
            answer = venue.trader.post(f"/api/v1/{path}", {**body, "deadline": impossible})
            expect_error(answer, "deadline")
        expect_error(venue.trader.post(f"/api/v1/{path}", without(body, "deadline")), "deadline")
        venue.trader.post(f"/api/v1/{path}", {**body, "deadline": 2**32 - 1}).data


@check("each validation failure has its own text", "7A", "the errors of the missing fields all differ")
def own_texts(venue: Venue) -> None:
    missing = [("Market", "Buy", "notional"), ("Market", "Sell", "quantity"), ("Limit", "Buy", "price")]
    missing += [("Limit", "Buy", "timeInForce")]
    texts = [venue.left(f"error {ORDERS} {kind} {side} {name}") for kind, side, name in missing]
    expect_equal(len(set(texts)), len(texts), f"the number of different texts of {texts}")


@check(
    "amounts that are none",
    "4A payloads",
    "zero, negative, words, too many digits, nothing: each a clear validation error that names the field",
)
def bad_amounts(venue: Venue) -> None:
    bodies: list[tuple[str, str, dict[str, Any]]] = [
        (ORDERS, "notional", venue.market("Buy", "100")),
        (ORDERS, "quantity", venue.market("Sell", "1")),
        (ORDERS, "price", venue.limit("Buy", "1", "0.9")),
        ("cash/deposits/calldata", "tokenAmount", venue.cash_move("1")),
        ("cash/withdrawals/calldata", "tokenAmount", venue.cash_move("1")),
        ("stock/deposits/calldata", "tokenAmount", venue.stock_move("1")),
        ("stock/withdrawals/calldata", "tokenAmount", venue.stock_move("1")),
    ]
    for path, name, body in bodies:
        for bad in ("0", "-1", "ten", "", None, True, "1e400", "0." + "0" * 30 + "1", "9" * 60, [], {}):
            expect_error(venue.trader.post(f"/api/v1/{path}", {**body, name: bad}), name)


@check(
    "fields of cash and stock operations",
    "4A payloads",
    "userAddress, tokenAddress, tokenAmount are each required by name, and addresses have to be some",
)
def move_fields(venue: Venue) -> None:
    for path, body in (
        ("cash/deposits", venue.cash_move("1")),
        ("cash/withdrawals", venue.cash_move("1")),
        ("stock/deposits", venue.stock_move("1")),
        ("stock/withdrawals", venue.stock_move("1")),
    ):
        venue.trader.post(f"/api/v1/{path}/calldata", body).data
        for name in body:
            expect_error(venue.trader.post(f"/api/v1/{path}/calldata", without(body, name)), name)
        for name in ("userAddress", "tokenAddress"):
            for bad in ("0x1234", "nobody", body[name] + "00"):
                expect_error(venue.trader.post(f"/api/v1/{path}/calldata", {**body, name: bad}), name)


@check("txHash of a record", "4A payloads", "required, and refused by name when it is no hash, at all five endpoints")
def record_fields(venue: Venue) -> None:
    for path in ("orders", "cash/deposits", "cash/withdrawals", "stock/deposits", "stock/withdrawals"):
        for body in ({}, {"txHash": "0x12"}, {"txHash": "hash"}, {"txHash": None}, {"txHash": 1}):
            expect_error(venue.trader.post(f"/api/v1/{path}/tx", body), "txHash")


@check(
    "side, type and stock of an order",
    "4A payloads",
    "each required, and refused by name when there is no such one",
)
def order_fields(venue: Venue) -> None:
    body = venue.market("Buy", "100")
    for name, bad in (("side", "Hold"), ("type", "Stop"), ("stockAddress", "0x1234")):
        expect_error(venue.trader.post(f"/api/v1/{ORDERS}", without(body, name)), name)
        expect_error(venue.trader.post(f"/api/v1/{ORDERS}", {**body, name: bad}), name)
    expect_error(venue.trader.post(f"/api/v1/{ORDERS}", {**body, "stockAddress": venue.usdc}))


@check("body that is no JSON object", "7A", "a clear error and no failure of the server, though rightly signed")
def no_json(venue: Venue) -> None:
    for raw in ("{", "[]", "null", '"text"', "", '{"side":"Buy","side":"Sell"}', "\u0000"):
        expect_error(venue.trader.send("POST", f"/api/v1/{ORDERS}", raw))


@check(
    "fields of enable",
    "4A payloads, 7A",
    "signature and deadline are each required by name, and a signature has 65 bytes",
)
def enable_fields(venue: Venue) -> None:
    client = venue.api("one_click")
    body = {"signature": "0x" + "11" * 65, "deadline": venue.deadline()}
    for name in body:
        expect_error(client.post("/api/v1/1ct/enable", without(body, name)), name)
    for bad in ("0x11", "sign", None):
        expect_error(client.post("/api/v1/1ct/enable", {**body, "signature": bad}), "signature")


@check(
    "refused input changes nothing",
    "7A",
    "after all of these the lists and balances of the key that sent them are as the chain has them",
)
def nothing_changed(venue: Venue) -> None:
    before = _everything(venue)
    for attempt in _attempts(venue):
        expect_error(attempt())
    expect_equal(_everything(venue), before, "lists and balance after refused requests")


def _attempts(venue: Venue) -> list[Callable[[], Answer]]:
    buy = without(venue.market("Buy", "100"), "notional")
    return [
        lambda: venue.trader.post("/api/v1/orders/calldata", buy),
        lambda: venue.trader.post("/api/v1/orders/send", buy),
        lambda: venue.trader.post("/api/v1/orders/tx", {"txHash": "0x" + "00" * 31}),
        lambda: venue.trader.post("/api/v1/cash/deposits/send", {"tokenAddress": venue.usdc}),
        lambda: venue.trader.delete("/api/v1/orders/nothing/calldata"),
    ]


def _everything(venue: Venue) -> list[Any]:
    lists = ("orders", "cash/deposits", "cash/withdrawals", "stock/deposits", "stock/withdrawals")
    return [
        *(sorted(row["txHash"] or "" for row in venue.rows(path)) for path in lists),
        venue.m_usd_wad(venue.user),
        venue.exchange_wad(venue.user),
    ]
