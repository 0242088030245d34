"""Resting orders: limit, scaled, cancel, batch-cancel, fill, and what they show."""

from decimal import Decimal
from typing import Any

from framework import check, eventually, expect, expect_equal, expect_fields
from venue import BTC, LONG, PERPETUAL, SHORT, WAD, Venue, expect_refused

ORDER = (
    "taken tick nonce balance size oid orderId side limitPrice lastUpdateTime lastUpdateTxHash instrumentAddr expiry "
    "symbol status"
).split()
BASE_OF_TICKS = Decimal("1.0001")


def price_of(tick: int) -> Decimal:
    return BASE_OF_TICKS**tick


def cleared(venue: Venue) -> None:
    if venue.open_orders(venue.one_click_wallet):
        venue.by_one_click("order/batch-cancel", {**venue.pair(), "all": True})
    expect_equal(venue.open_orders(venue.one_click_wallet), [], "the open orders")


def placed(venue: Venue, terms: dict[str, Any]) -> dict[str, Any]:
    """Sends a limit order by One Click; answers its row among the open orders."""
    known = {row["orderId"] for row in venue.open_orders(venue.one_click_wallet)}
    venue.by_one_click("order/limit", terms)
    rows = [row for row in venue.open_orders(venue.one_click_wallet) if row["orderId"] not in known]
    expect_equal(len(rows), 1, "the number of new open orders")
    return rows[0]


@check("limit order rests", "1B, sheet 2A.3", "open, whole, at the asked price or the next better tick, on its side")
def rests(venue: Venue) -> None:
    cleared(venue)
    for side, factor in ((LONG, "0.97"), (SHORT, "1.03")):
        terms = venue.limit(side, "0.05", factor)
        row = placed(venue, terms)
        expect_fields(row, *ORDER)
        wanted = WAD // 20 * (1 if side == LONG else -1)
        expect_equal((row["side"], int(row["size"]), int(row["taken"])), (side, wanted, 0), "side, size, taken")
        expect_equal((row["status"], row["symbol"], row["expiry"]), ("open", BTC, PERPETUAL), "status, symbol, expiry")
        price, asked = Decimal(row["limitPrice"]) / WAD, Decimal(terms["price"])
        better = asked - price if side == LONG else price - asked
        expect(-Decimal("1e-9") <= better <= asked / 10_000, f"asked {asked}, rests at {price}")


@check(
    "price and id of an order",
    "sheet 1.6",
    "limitPrice is 1.0001^tick; oid is the tick and the nonce, 24 bits each",
)
def ids(venue: Venue) -> None:
    for row in venue.open_orders(venue.one_click_wallet):
        expect(abs(Decimal(row["limitPrice"]) / WAD / price_of(row["tick"]) - 1) < Decimal("1e-12"), f"{row}")
        expect_equal(int(row["oid"]), ((row["tick"] % 2**24) << 24) + row["nonce"], "oid")


@check(
    "margin of an order",
    "sheet 2A.3",
    "the higher of its price and the mark, times size, over leverage; and the buffer on top",
)
def margin(venue: Venue) -> None:
    def amount(**more: Any) -> tuple[int, Decimal]:
        terms = venue.limit(LONG, "0.05", "0.97", **more)
        data = venue.self_signer.post("order/preview", {"action": "limit", "params": terms}).data
        price = max(int(data["orders"][0]["price"]), int(data["markPrice"]))
        return int(data["orders"][0]["margin"]), Decimal(price) / 20 / 5

    plain, wanted = amount()
    expect(abs(plain - wanted) < 10**13, f"the margin is {plain}, not {wanted}")
    more, wanted = amount(markPriceBufferInBps=500)
    expect(abs(more - wanted * Decimal("1.05")) < 10**13, f"the margin with a buffer is {more}, not {wanted} x 1.05")


@check("order in the book", "1B, sheet row 4", "its size stands at its tick, and is gone when it is cancelled")
def in_book(venue: Venue) -> None:
    row = next(one for one in venue.open_orders(venue.one_click_wallet) if one["side"] == LONG)
    fine = venue.self_signer.get("market/orderBook", symbol=BTC).data["1"]
    levels = {level["tick"]: level for level in fine["bids"]}
    if row["tick"] in levels:  # as deep as the book is shown
        expect(int(levels[row["tick"]]["baseSize"]) >= int(row["size"]), f"{levels[row['tick']]} has less than {row}")


@check("order by id", "1B, sheet row 11", "the row of the open orders; another wallet's and an unknown one: code 40401")
def by_id(venue: Venue) -> None:
    for row in venue.open_orders(venue.one_click_wallet):
        expect_equal(venue.one_click.get("order/byId", orderId=row["orderId"]).data, row, "the order by its id")
        expect_refused(venue.other.get("order/byId", orderId=row["orderId"]), 400, 40401)
    expect_refused(venue.one_click.get("order/byId", orderId="1"), 400, 40401)
    expect_refused(venue.one_click.get("order/byId"), 400, 40001, "orderId")


@check("cancel of another wallet's order", "1B, 7B", "is refused: it is no open order of the wallet; the order stays")
def cancel_other(venue: Venue) -> None:
    row = venue.open_orders(venue.one_click_wallet)[0]
    for name in ("orderId", "oid"):
        answer = venue.other.post("order/cancel", {**venue.pair(), name: row[name]})
        expect_refused(answer, 400, 40401)
    expect(row in venue.open_orders(venue.one_click_wallet), "the order is gone")


@check(
    "cancel",
    "1B, sheet 2A.0",
    "by orderId and by oid: not open any more, and its margin is free; again: code 40401",
)
def cancel(venue: Venue) -> None:
    before = venue.reserve(venue.one_click_wallet)
    rows = venue.open_orders(venue.one_click_wallet)
    expect_equal(len(rows), 2, "the number of open orders")
    for row, name in zip(rows, ("orderId", "oid"), strict=True):
        venue.by_one_click("order/cancel", {**venue.pair(), name: row[name]})
        again = venue.one_click.post("order/cancel", {**venue.pair(), name: row[name]})
        expect_refused(again, 400, 40401)
        expect_equal(venue.one_click.get("order/byId", orderId=row["orderId"]).data["status"], "canceled", "status")
    expect_equal(venue.open_orders(venue.one_click_wallet), [], "the open orders")
    freed = (venue.reserve(venue.one_click_wallet) - before) * 10**12
    held = sum(int(row["balance"]) for row in rows)
    expect(abs(freed - held) < 4 * 10**12, f"{freed} came free of {held}")
    expect_refused(venue.one_click.post("order/cancel", venue.pair()), 400, 40001, "orderId")


@check("postOnly", "sheet 2A.3", "an order that would trade is refused; one that rests is placed")
def post_only(venue: Venue) -> None:
    crossing = venue.limit(LONG, "0.05", "1.01", postOnly=True)
    answer = venue.one_click.post("order/limit", crossing)
    expect(answer.status == 400 and answer.body["code"] in (40001, 40003), f"{answer}")
    placed(venue, venue.limit(LONG, "0.05", "0.98", postOnly=True))
    cleared(venue)
    expect_equal(venue.size(venue.one_click_wallet), 0, "the position")


@check("scaled order", "1B, sheet 2A.6", "two to nine orders of one size in one transaction; their sizes come to it")
def scaled(venue: Venue) -> None:
    fair = venue.fair()
    prices = [str((fair * Decimal(factor)).quantize(Decimal(1))) for factor in ("0.96", "0.965", "0.97", "0.975")]
    terms = {**venue.pair(), "size": "0.1", "prices": prices, "side": LONG, "leverage": "5"}
    venue.by_one_click("order/scaled", terms)
    rows = venue.open_orders(venue.one_click_wallet)
    expect_equal(len(rows), 4, "the number of orders")
    total = sum(int(row["size"]) for row in rows)
    expect(0 <= WAD // 10 - total < 100, f"the sizes come to {total}")
    expect_equal(len({row["lastUpdateTxHash"] for row in rows}), 1, "the number of transactions")
    for count in (1, 10):
        many = {**terms, "prices": [str(60_000 + 100 * one) for one in range(count)]}
        expect_refused(venue.one_click.post("order/scaled", many), 400, 40001, "prices")
    wrong = {**terms, "ratios": [5000, 4000, 500, 400]}
    expect_refused(venue.one_click.post("order/scaled", wrong), 400, 40001, "ratios")


@check("batch-cancel", "1B, sheet 2A.6", "more than eight orders: all of them end, and each is told of")
def batch_cancel(venue: Venue) -> None:
    fair = venue.fair()
    prices = [str((fair * (Decimal("0.95") - Decimal("0.002") * one)).quantize(Decimal(1))) for one in range(9)]
    terms = {**venue.pair(), "size": "0.2", "prices": prices, "side": LONG, "leverage": "5"}
    venue.by_one_click("order/scaled", terms)
    rows = venue.open_orders(venue.one_click_wallet)
    expect_equal(len(rows), 13, "the number of orders")
    kept, ended = rows[0], rows[1:]
    ids = [row["orderId"] for row in ended]
    data = venue.signed("order/batch-cancel", {**venue.pair(), "orderIds": ids})
    expect(all(one in str(data) for one in ids), f"{data} does not tell of each of {ids}")
    venue.done(data["txHash"])
    expect_equal([row["orderId"] for row in venue.open_orders(venue.one_click_wallet)], [kept["orderId"]], "what is open")
    venue.by_one_click("order/batch-cancel", {**venue.pair(), "all": True})
    expect_equal(venue.open_orders(venue.one_click_wallet), [], "the open orders")


@check(
    "batch-cancel of what is not open",
    "7B",
    "is told by order or refused with 40401; both ways of naming at once are refused",
)
def batch_cancel_none(venue: Venue) -> None:
    answer = venue.one_click.post("order/batch-cancel", {**venue.pair(), "all": True})
    expect_refused(answer, 400, 40401)
    both = {**venue.pair(), "all": True, "orderIds": ["1"]}
    expect_refused(venue.one_click.post("order/batch-cancel", both), 400, 40001)
    expect_refused(venue.one_click.post("order/batch-cancel", venue.pair()), 400, 40001)


@check("limit order at the market", "sheet 2A.3", "trades up to its price, no worse: a position at once")
def at_market(venue: Venue) -> None:
    terms = venue.limit(LONG, "0.02", "1.01")
    venue.by_one_click("order/limit", terms)
    row = venue.position(venue.one_click_wallet)
    expect(row is not None and int(row["size"]) > 0, "there is no position")
    expect(Decimal(row["entryPrice"]) / WAD <= Decimal(terms["price"]), f"entry at {row['entryPrice']}, above the limit")
    cleared(venue)
    venue.by_one_click("position/close", {**venue.pair(), "slippageBps": 500})


@check(
    "order that is taken, and fill",
    "1B, sheet row 10",
    "taken is its size; filled it is a position of that, once, whoever fills it first",
)
def taken(venue: Venue) -> None:
    wallet = venue.one_click_wallet
    resting = placed(venue, venue.limit(LONG, "0.05", "0.95"))
    answer = venue.one_click.post("order/fill", {**venue.pair(), "orderId": resting["orderId"]})
    expect_refused(answer, 400, 40001)
    before = venue.size(wallet)
    order = placed(venue, venue.limit(LONG, "0.05", "0.9997"))
    named = {**venue.pair(), "orderId": order["orderId"]}
    with venue.chain.paused():  # else the venue's keeper would fill it in the block after the trade
        sent = venue.sent("order/market", venue.market(SHORT, "1", slippageBps=800), venue.other)
        venue.chain.mine()
        venue.done(sent)
        row = next(one for one in venue.open_orders(wallet) if one["orderId"] == order["orderId"])
        expect_equal((row["taken"], row["side"]), (row["size"], LONG), "taken and side")
        preview = venue.one_click.post("order/preview", {"action": "fill", "params": named}).data
        expect_equal(int(preview["after"]["size"]) - before, int(order["size"]), "what a fill would add")
        venue.one_click.post("order/fill", named).data
        venue.chain.mine()
    eventually(lambda: venue.size(wallet) - before, lambda grown: grown != 0, "the order filled")
    expect_equal(venue.size(wallet) - before, int(order["size"]), "what the position grew by")
    ended = venue.one_click.get("order/byId", orderId=order["orderId"]).data
    expect_equal((ended["status"], ended["taken"]), ("filled", order["size"]), "status and taken")
    cleared(venue)
    for client, holder in ((venue.one_click, wallet), (venue.other, venue.other_wallet)):
        venue.by_one_click("position/close", {**venue.pair(), "slippageBps": 1000}, client)
        expect_equal(venue.size(holder), 0, "the position after the close")


@check(
    "order history",
    "1B, sheet row 12",
    "what was cancelled and filled, newest end first, with its times and hashes",
)
def history(venue: Venue) -> None:
    data = venue.one_click.get("order/history", symbol=BTC, size=200).data
    expect_fields(data, "list", "totalCount")
    expect_equal(len(data["list"]), min(200, data["totalCount"]), "the number of rows")
    for row in data["list"]:
        expect_fields(row, *"id placeTimestamp placeTxHash size balance takenSize takenBalance orderPrice feeRebate".split())
        ended = "cancel" if row["type"] == 0 else "fill"
        expect(row[f"{ended}Timestamp"] >= row["placeTimestamp"] > 10**9, f"the times of {row}")
        expect(len(row[f"{ended}TxHash"]) == 66, f"the hash of {row}")
        expect(row["side"] in ("long", "short") and int(row["size"]) > 0, f"side and size of {row}")
    kinds = {row["typeString"] for row in data["list"]}
    expect(kinds <= {"filled", "cancelled", "partial_filled"} and {"filled", "cancelled"} <= kinds, f"typeStrings {kinds}")
    ends = [max(row["cancelTimestamp"], row["fillTimestamp"]) for row in data["list"]]
    expect_equal(ends, sorted(ends, reverse=True), "the order of the ends")


@check(
    "prices and sizes of orders",
    "sheet 1.6",
    "decimal strings in human units; anything else is refused by the field's name",
)
def units(venue: Venue) -> None:
    right = venue.limit(LONG, "0.05", "0.97")
    bad: dict[str, tuple[Any, ...]] = {
        "size": ("0", "-0.1", "much", "", "1e-3", "0x1", None, True, "0." + "0" * 18 + "1", "9" * 40),
        "price": ("0", "-1", "high", "", None, False, "9" * 60),
        "leverage": ("0", "-1", "all", None, "1000"),
        "side": (0, 3, "1", "long", None, 1.5),
        "expiry": (-1, "PERP", None, 2**32, 1.5),
        "instrument": ("DOGE", 1, None, "btc"),
    }
    for name, values in bad.items():
        for value in values:
            answer = venue.one_click.post("order/limit", {**right, name: value})
            expect_refused(answer, 400, 40001, name)
    for name in ("instrument", "expiry", "size", "price", "side", "leverage"):
        answer = venue.one_click.post("order/limit", {field: value for field, value in right.items() if field != name})
        expect_refused(answer, 400, 40001, name)
    expect_refused(venue.one_click.post("order/limit", {**right, "instrument": "DOGE/USDC"}), 400, 40002, "DOGE/USDC")
    dated = venue.one_click.post("order/limit", {**right, "expiry": 1_700_000_000})
    expect(dated.status == 400 and dated.body["code"] in (40002, 40003), f"{dated}")
    expect_equal(venue.open_orders(venue.one_click_wallet), [], "the open orders")
