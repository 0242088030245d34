"""Orders that bring their own deposit."""

from decimal import Decimal

from framework import check, expect, expect_equal
from orders import is_history, is_open
from venue import WAD, Venue, order_id_of

PATH = "orders/with-deposit/calldata"
MARKET_BUY = "depositAndMarketBuy(address,uint96,address,int96,uint32)"
LIMIT_BUY = "depositAndLimitBuy(address,uint96,address,int96,uint96,uint8,uint32)"
MARKET_SELL = "depositStockAndMarketSell(address,uint256,int96,uint32)"
LIMIT_SELL = "depositStockAndLimitSell(address,uint256,int96,uint96,uint8,uint32)"


def with_cash(venue: Venue, terms: dict, amount: str) -> dict:
    return {**terms, "depositTokenAddress": venue.usdc, "depositAmount": amount}


def with_stock(terms: dict, amount: str) -> dict:
    return {**terms, "depositAmount": amount}


def place(venue: Venue, terms: dict, signature: str) -> tuple[str, str]:
    tx_hash, _ = venue.submit(venue.build(PATH, terms, signature))
    venue.record("orders", tx_hash).data
    order = venue.order_by_tx(tx_hash, order_id_of, f"the orderId of {tx_hash}")
    return tx_hash, order_id_of(order)


@check(
    "market buy with deposit",
    "4A orders, 8A",
    "one transaction takes the tokens from the wallet and places the order, which fills",
)
def market_buy(venue: Venue) -> None:
    venue.allow(venue.usdc)
    tokens = venue.wallet(venue.usdc, venue.user)
    _, order_id = place(venue, with_cash(venue, venue.market("Buy", "900"), "1000"), MARKET_BUY)
    expect_equal(tokens - venue.wallet(venue.usdc, venue.user), 1000 * 10**6, "what left the wallet")
    order = venue.order(order_id, is_history, "the order as history")
    expect_equal(order["orderStatus"], "Filled", "orderStatus")


@check("limit buy with deposit", "4A orders, 8A", "likewise, and the order rests open below the market")
def limit_buy(venue: Venue) -> None:
    tokens = venue.wallet(venue.usdc, venue.user)
    _, order_id = place(venue, with_cash(venue, venue.limit("Buy", "1", "0.5"), "300"), LIMIT_BUY)
    expect_equal(tokens - venue.wallet(venue.usdc, venue.user), 300 * 10**6, "what left the wallet")
    venue.order(order_id, is_open, "the order open")


@check(
    "market sell with deposit",
    "4A orders",
    "one transaction takes the stock from the wallet and places the order, which fills",
)
def market_sell(venue: Venue) -> None:
    venue.allow(venue.aapl)
    stock = venue.wallet(venue.aapl, venue.user)
    _, order_id = place(venue, with_stock(venue.market("Sell", "1"), "1"), MARKET_SELL)
    expect_equal(stock - venue.wallet(venue.aapl, venue.user), WAD, "what left the wallet, in wad")
    order = venue.order(order_id, is_history, "the order as history")
    expect_equal(Decimal(order["historyOrder"]["filledQuantity"]), Decimal(1), "filledQuantity")


@check("limit sell with deposit", "4A orders", "likewise, and the order rests open above the market")
def limit_sell(venue: Venue) -> None:
    stock = venue.wallet(venue.aapl, venue.user)
    _, order_id = place(venue, with_stock(venue.limit("Sell", "0.5", "1.5"), "0.5"), LIMIT_SELL)
    expect_equal(stock - venue.wallet(venue.aapl, venue.user), WAD // 2, "what left the wallet, in wad")
    venue.order(order_id, is_open, "the order open")


@check(
    "buy with a deposit that would be queued",
    "4A orders, 8A",
    "not placed: refused with a clear error, or its transaction reverts",
)
def not_instant(venue: Venue) -> None:
    amount = str(Decimal(venue.left("config")["cashierBuffer"]["creditBufferCapacity"]) * 2)
    answer = venue.trader.post(f"/api/v1/{PATH}", with_cash(venue, venue.market("Buy", "900"), amount))
    if answer.body["code"] == 200:
        venue.chain.expect_revert(venue.user, venue.router, answer.data["callData"])
    else:
        expect(answer.body["code"] != 401 and len(answer.body["errMsg"]) > 5, str(answer))
