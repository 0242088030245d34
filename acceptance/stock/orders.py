"""Orders: market and limit, from calldata to history, and cancels."""

import uuid
from decimal import Decimal

from chain import block_of
from framework import check, eventually, expect, expect_equal, expect_fields
from venue import WAD, Venue, order_id_of

MARKET = "placeMarketOrder(address,int96,uint32)"
LIMIT = "placeLimitOrder(address,int96,uint96,uint8,uint32)"
CANCEL = "cancelLimitOrder(bytes32)"


def is_open(order: dict) -> bool:
    return order.get("openOrder") is not None


def is_history(order: dict) -> bool:
    return order.get("historyOrder") is not None and order.get("openOrder") is None


@check(
    "market buy is open",
    "1A, 3A, 4A orders",
    "calldata, transaction, record; then orderId and openOrder.status; its cash is locked on chain",
)
def market_buy(venue: Venue) -> None:
    cash = venue.m_usd_wad(venue.user)
    result = venue.build("orders/calldata", venue.market("Buy", "5000"), MARKET)
    with venue.chain.paused():
        tx_hash, receipt = venue.submit_paused(result)
        mapping = venue.record("orders", tx_hash).data
        expect_equal(mapping["txHash"], tx_hash, "txHash of the record")
        found = venue.order_by_tx(tx_hash, order_id_of, f"the orderId of {tx_hash}")
        order_id = order_id_of(found)
        venue.leave("market buy", {"txHash": tx_hash, "orderId": order_id, "mapping": mapping})
        order = venue.order(order_id, is_open, f"openOrder of {order_id}")
        expect_fields(order["openOrder"], "status")
        expect(order["openOrder"]["status"] not in ("canceling", None, ""), f"openOrder is {order['openOrder']}")
        expect_equal(order["historyOrder"], None, "historyOrder of an open order")
        locked = cash - venue.m_usd_wad(venue.user, block_of(receipt))
        expect(5000 * WAD <= locked <= 5050 * WAD, f"{locked} wad were locked for 5000")
        answer = venue.trader.delete(f"/api/v1/orders/{order_id}/calldata")
        venue.leave("cancel of an open market order", answer)


@check(
    "market buy becomes history",
    "1A, 3A, 6A",
    "settled: historyOrder with its fees, no openOrder; exchangeBalance grows by what was filled",
)
def market_buy_settles(venue: Venue) -> None:
    order_id = venue.left("market buy")["orderId"]
    order = venue.order(order_id, is_history, f"historyOrder of {order_id}")
    expect_equal(order["orderStatus"], "Filled", "orderStatus")
    filled = Decimal(order["historyOrder"]["filledQuantity"])
    expect(filled > 0, f"filledQuantity is {filled}")
    expect(any("fee" in name.lower() for name in order["historyOrder"]), f"no fee in {order['historyOrder']}")
    eventually(lambda: venue.exchange_wad(venue.user), lambda now: now >= filled * WAD, "the stock on chain")
    stock = eventually(
        lambda: venue.token_balance(venue.user, venue.aapl),
        lambda now: Decimal(now["exchangeBalance"]) * WAD == venue.exchange_wad(venue.user),
        "exchangeBalance as on chain",
    )
    expect(Decimal(stock["exchangeBalance"]) >= filled, f"exchangeBalance is {stock['exchangeBalance']}")
    venue.leave("bought by market order", filled)


@check("market sell", "1A, 3A, 4A orders", "locks exchangeBalance at once; settled, it has brought mUSD")
def market_sell(venue: Venue) -> None:
    venue.left("bought by market order")
    stock, cash = venue.exchange_wad(venue.user), venue.m_usd_wad(venue.user)
    result = venue.build("orders/calldata", venue.market("Sell", "3.5"), MARKET)
    with venue.chain.paused():
        tx_hash, _ = venue.submit_paused(result)
        expect_equal(stock - venue.exchange_wad(venue.user), 35 * WAD // 10, "the locked stock, in wad")
    venue.record("orders", tx_hash).data
    order = venue.order_by_tx(tx_hash, is_history, "the sell as history")
    expect_equal(order["orderStatus"], "Filled", "orderStatus")
    expect_equal(Decimal(order["historyOrder"]["filledQuantity"]), Decimal("3.5"), "filledQuantity")
    eventually(lambda: venue.m_usd_wad(venue.user), lambda now: now > cash, "the proceeds on chain")


@check(
    "limit order rests open",
    "3A, 4A orders",
    "a buy far below the market stays open, with its price, quantity and DAY",
)
def limit_rests(venue: Venue) -> None:
    terms = venue.limit("Buy", "2", "0.5")
    tx_hash, order_id = venue.place(terms)
    order = venue.order(order_id, lambda one: is_open(one) and one["openOrder"]["status"] == "open", "open")
    for name in ("quantity", "price"):
        expect_equal(Decimal(order["openOrder"][name]), Decimal(terms[name]), name)
    expect_equal(order["openOrder"]["timeInForce"], "DAY", "timeInForce")
    venue.leave("limit order", {"txHash": tx_hash, "orderId": order_id})


@check(
    "cancel of another key's order",
    "5A ownership, 7A",
    "a clear validation error, for a key of another wallet and of the same",
)
def foreign_cancel(venue: Venue) -> None:
    order_id = venue.left("limit order")["orderId"]
    for name in ("other_wallet", "same_wallet"):
        for path in ("calldata", "send"):
            answer = venue.api(name).delete(f"/api/v1/orders/{order_id}/{path}")
            expect(answer.status == 400 and answer.body["code"] not in (200, 401), f"{name}: {answer}")
            expect(len(answer.body["errMsg"]) > 5, f"{name}: {answer}")
    expect(is_open(venue.trader.get(f"/api/v1/orders/{order_id}").data), "the order is not open any more")


@check(
    "limit order is canceled",
    "3A",
    "cancel calldata; after its transaction canceling; then history, and the cash is free again",
)
def limit_cancel(venue: Venue) -> None:
    order_id = venue.left("limit order")["orderId"]
    locked = venue.m_usd_wad(venue.user)
    result = venue.calldata(venue.trader.delete(f"/api/v1/orders/{order_id}/calldata"), CANCEL)
    with venue.chain.paused():
        venue.submit_paused(result)
        order = venue.order(
            order_id, lambda one: is_open(one) and one["openOrder"]["status"] == "canceling", "canceling"
        )
        expect_equal(order["historyOrder"], None, "historyOrder while canceling")
        again = venue.chain.send(venue.user, result["toAddress"], result["callData"], 1_000_000)
        venue.chain.mine()
        receipt = venue.chain.receipt(again)
        venue.leave("second cancel", receipt["status"])
    order = venue.order(order_id, is_history, f"historyOrder of {order_id}")
    expect_equal(order["orderStatus"], "Canceled", "orderStatus")
    freed = eventually(lambda: venue.m_usd_wad(venue.user) - locked, lambda more: more > 0, "the freed cash")
    expect(freed >= wad_of(order), f"{freed} wad were freed")
    venue.leave("canceled", {"orderId": order_id, "calldata": result})


def wad_of(order: dict) -> int:
    """What a limit buy locked at least: quantity times price."""
    terms = order["historyOrder"]
    return int(Decimal(terms["quantity"]) * Decimal(terms["price"]) * WAD)


@check(
    "cancel that is already under way",
    "3A, 7A reverts",
    "the second cancel transaction of an order that is canceling reverts",
)
def second_cancel(venue: Venue) -> None:
    expect_equal(venue.left("second cancel"), "0x0", "the status of the second cancel transaction")


@check("cancel of an order that is history", "3A, 7A", "its transaction reverts, and the API refuses to build another")
def late_cancel(venue: Venue) -> None:
    canceled = venue.left("canceled")
    venue.chain.expect_revert(venue.user, venue.router, canceled["calldata"]["callData"])
    answer = venue.trader.delete(f"/api/v1/orders/{canceled['orderId']}/calldata")
    expect(answer.status == 400 and answer.body["code"] not in (200, 401), str(answer))


@check(
    "cancel of a market order",
    "3A, 7A",
    "a clear validation error that speaks of the market order, while the order is open",
)
def market_cancel(venue: Venue) -> None:
    answer = venue.left("cancel of an open market order")
    expect(answer.status == 400 and answer.body["code"] not in (200, 401), str(answer))
    expect("market" in answer.body["errMsg"].lower(), str(answer))


@check(
    "limit orders at the market fill",
    "3A, 4A orders",
    "a buy above and a sell below the market are settled no worse than their price",
)
def limit_fills(venue: Venue) -> None:
    for side, factor in (("Buy", "1.05"), ("Sell", "0.95")):
        terms = venue.limit(side, "1", factor)
        _, order_id = venue.place(terms)
        order = venue.order(order_id, is_history, f"historyOrder of the {side}")
        expect_equal(order["orderStatus"], "Filled", f"orderStatus of the {side}")
        price = Decimal(order["historyOrder"]["avgFillPrice"])
        limit = Decimal(terms["price"])
        expect(price <= limit if side == "Buy" else price >= limit, f"{side} at {price}, limit {limit}")


@check("order list", "4A orders", "the key's own orders, newest first, in pages; another key's list has none of them")
def order_list(venue: Venue) -> None:
    rows = venue.rows("orders")
    ids = [order_id_of(row) for row in rows]
    for name in ("market buy", "limit order"):
        expect(ids.count(venue.left(name)["orderId"]) == 1, f"the {name} is not once in {ids}")
    newer, older = (ids.index(venue.left(name)["orderId"]) for name in ("limit order", "market buy"))
    expect(newer < older, "the older order is listed first")
    page = venue.trader.get("/api/v1/orders?limit=2&page=2").data
    expect_equal((page["total"], [order_id_of(row) for row in page["rows"]]), (len(rows), ids[2:4]), "the second page")
    for name in ("other_wallet", "same_wallet"):
        expect_equal(venue.rows("orders", venue.api(name)), [], f"the orders of the key {name}")


@check("order by transaction hash", "4A orders", "the same order as by its id; an unknown hash or id has a clear error")
def by_hash(venue: Venue) -> None:
    one = venue.left("market buy")
    by_hash = venue.trader.get(f"/api/v1/orders/tx/{one['txHash']}").data
    by_id = venue.trader.get(f"/api/v1/orders/{one['orderId']}").data
    for name in ("openOrder", "historyOrder"):
        expect_equal(by_hash[name], by_id[name], f"{name} by hash, against by id,")
    unknown = "0x" + uuid.uuid4().hex * 2
    for path in (f"orders/tx/{unknown}", f"orders/{unknown}"):
        answer = venue.trader.get(f"/api/v1/{path}")
        expect(answer.body["code"] not in (200, 401) and len(answer.body["errMsg"]) > 5, str(answer))


@check(
    "recording an order",
    "4A orders, 5A",
    "idempotent for its key; refused for any other, and for a hash of no transaction of the router",
)
def record_order(venue: Venue) -> None:
    one = venue.left("market buy")
    expect_equal(venue.record("orders", one["txHash"]).data["id"], one["mapping"]["id"], "the id of the record")
    for name in ("other_wallet", "same_wallet", "unbound"):
        answer = venue.record("orders", one["txHash"], venue.api(name))
        expect(answer.status == 400 and answer.body["code"] not in (200, 401), f"{name}: {answer}")
    transfer = venue.chain.send(venue.user, venue.other_user, "0x")
    venue.until_indexed(block_of(venue.chain.mined(transfer)))
    answer = venue.record("orders", transfer)
    expect(answer.body["code"] not in (200, 401) and len(answer.body["errMsg"]) > 5, str(answer))
