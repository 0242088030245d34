"""What the market shows: time, instruments, tickers, book, candles, funding, open interest."""

import time
from decimal import Decimal
from typing import Any

from api import now_ms
from framework import check, eventually, expect, expect_equal, expect_fields
from orders import price_of
from venue import BTC, ETH, LONG, PERPETUAL, WAD, Venue, expect_refused

INSTRUMENT = (
    "instrumentAddress symbol base quote market initialMarginRatio maintenanceMarginRatio minMarginAmount tradingFeeRatio "
    "protocolFeeRatio tip quoteType minTradeValue minOrderValue minRangeValue fundingIntervalHour minRangeTickDelta "
    "instrumentCondition placeLimitOrderPaused disableMakerOrderRebate"
).split()
TICKER = (
    "instrumentAddress symbol expiry lastPrice priceChange24H priceChangePercent24h openPrice24h highPrice24h lowPrice24h "
    "volume24h quoteVolume24h openTime24h closeTime24h markPrice spotPrice openInterest fundingRate timestamp"
).split()
CANDLE = "symbol openTime open high low close closeTime baseVolume quoteVolume".split()
SECONDS = {"1m": 60, "5m": 300, "15m": 900, "30m": 1800, "1h": 3600, "4h": 14_400, "8h": 28_800, "12h": 43_200, "1d": 86_400}
RATIOS = ("1", "10", "100", "200")
SLACK_MS = 2_000


@check("server time", "1B, sheet row 1", "Unix milliseconds of now")
def server_time(venue: Venue) -> None:
    before = now_ms()
    found = venue.self_signer.get("market/serverTime").data
    expect(isinstance(found, int) and before - SLACK_MS <= found <= now_ms() + SLACK_MS, f"{found} at {before}")


@check("instruments", "1B, sheet row 2", "all, or the one of a symbol, with their terms as the chain has them")
def instruments(venue: Venue) -> None:
    rows = venue.self_signer.get("market/instruments").data
    expect_equal({row["symbol"]: row["instrumentAddress"] for row in rows}, venue.instruments, "symbols and addresses")
    for row in rows:
        expect_fields(row, *INSTRUMENT)
        least = int(row["minMarginAmount"]) * 10_000 // row["initialMarginRatio"]
        values = (int(row["minTradeValue"]), int(row["minOrderValue"]), int(row["minRangeValue"]))
        expect_equal(values, (least, 2 * least, 10 * least), "the least values")
        expect(0 < row["maintenanceMarginRatio"] < row["initialMarginRatio"] <= 10_000, f"ratios of {row}")
        decimals = venue.chain.read(row["quote"]["address"], "decimals()")
        expect_equal((row["quote"]["decimals"], row["base"]["symbol"]), (decimals, row["symbol"].split("/")[0]), "units")
    one = venue.self_signer.get("market/instruments", symbol=ETH).data
    expect_equal(one, [row for row in rows if row["symbol"] == ETH], "the one of a symbol")
    expect_refused(venue.self_signer.get("market/instruments", symbol="DOGE/USDC"), 400, 40002, "DOGE/USDC")


@check("tickers", "1B, sheet row 5", "one object with a symbol, a list of all without; the last day in order")
def tickers(venue: Venue) -> None:
    rows = venue.self_signer.get("market/tickers").data
    expect_equal([row["symbol"] for row in rows], list(venue.instruments), "the symbols")
    one = venue.ticker()
    for row in (*rows, one):
        expect_fields(row, *TICKER)
        expect_equal(row["expiry"], PERPETUAL, "expiry")
        expect(row["lowPrice24h"] <= row["openPrice24h"] <= row["highPrice24h"], f"prices of {row}")
        expect(0 <= row["timestamp"] - row["openTime24h"] <= 90_000, f"times of {row}")
        for name in ("lastPrice", "markPrice", "spotPrice", "openInterest", "volume24h", "quoteVolume24h", "fundingRate"):
            expect(isinstance(row[name], str) and int(row[name]) >= -(10**30), f"{name} of {row}")
    change = int(one["lastPrice"]) - int(Decimal(one["openPrice24h"]) * WAD)
    expect(abs(int(one["priceChange24H"]) - change) < WAD, f"priceChange24H is {one['priceChange24H']}, not {change}")


@check("volume of the last day", "1B, sheet row 5", "grows by what is traded; the last price is the trade's")
def volume(venue: Venue) -> None:
    before = venue.ticker()
    receipt = venue.by_one_click("order/market", venue.market(LONG, "0.03"))
    row = venue.one_click.get("execution/list", symbol=BTC, size=1).data["list"][0]
    expect_equal(row["txHash"], receipt["transactionHash"], "the newest execution")
    after = venue.ticker()
    expect(int(after["volume24h"]) - int(before["volume24h"]) >= WAD * 3 // 100, f"volume {before} and then {after}")
    grown = int(after["quoteVolume24h"]) - int(before["quoteVolume24h"])
    expect(grown >= int(row["balance"]) - WAD, f"quoteVolume grew by {grown}, and {row['balance']} was traded")
    drift = abs(int(after["lastPrice"]) - int(row["price"]))
    expect(drift * 1000 < int(row["price"]), f"lastPrice {after['lastPrice']} after a trade at {row['price']}")


@check("open interest", "1B, sheet row 5", "grows by a new long against the market's liquidity, as the chain has it")
def open_interest(venue: Venue) -> None:
    answer = venue.self_signer.get("market/tickers", symbol=BTC)
    expect(int(answer.data["openInterest"]) >= venue.size(venue.one_click_wallet), f"{answer.data}")
    venue.by_one_click("position/close", {**venue.pair(), "slippageBps": 1000})


@check(
    "order book",
    "1B, sheet row 4",
    "at the four ratios, bids falling and asks rising, never crossed, with running sums",
)
def book(venue: Venue) -> None:
    data = venue.self_signer.get("market/orderBook", symbol=BTC).data
    expect_equal(sorted(data), sorted(RATIOS), "the ratios")
    for ratio, side in data.items():
        expect_fields(side, "blockInfo", "bids", "asks")
        levels(side["bids"], -1, f"bids at {ratio}")
        levels(side["asks"], 1, f"asks at {ratio}")
        expect(int(side["bids"][0]["price"]) < int(side["asks"][0]["price"]), f"the book at {ratio} is crossed")
        for rows in (side["bids"], side["asks"]):
            steps = {abs(after["tick"] - before["tick"]) for before, after in zip(rows[1:], rows[2:], strict=False)}
            expect(len(steps) == 1 and abs(steps.pop() - int(ratio)) <= 2, f"the steps at {ratio} of {rows}")


def levels(rows: list[dict[str, Any]], sign: int, what: str) -> None:
    expect(len(rows) > 3, f"{len(rows)} {what}")
    base = quote = 0
    for row in rows:
        expect(isinstance(row["tick"], int), f"tick of {row}")
        base, quote = base + int(row["baseSize"]), quote + int(row["quoteSize"])
        expect_equal((int(row["baseSum"]), int(row["quoteSum"])), (base, quote), f"sums of {what}")
        price = Decimal(row["price"]) / WAD
        expect(abs(price / price_of(row["tick"]) - 1) < Decimal("1e-12"), f"{what}: price {price} of tick {row['tick']}")
    ticks = [row["tick"] * sign for row in rows]
    expect(ticks == sorted(set(ticks)), f"{what}: ticks {ticks}")


@check(
    "book and resting order",
    "1B, sheet row 4",
    "a resting order adds its size at its tick, at every ratio in its step",
)
def book_and_order(venue: Venue) -> None:
    terms = venue.limit(LONG, "0.5", "0.9995", postOnly=True)
    venue.by_one_click("order/limit", terms)
    order = venue.open_orders(venue.one_click_wallet)[0]
    fine = venue.self_signer.get("market/orderBook", symbol=BTC).data["1"]
    level = {row["tick"]: row for row in fine["bids"]}.get(order["tick"])
    expect(level is not None, f"no level at {order['tick']}")
    with_it = int(level["baseSize"])
    venue.by_one_click("order/cancel", {**venue.pair(), "orderId": order["orderId"]})
    rows = venue.self_signer.get("market/orderBook", symbol=BTC).data["1"]["bids"]
    without = next((int(row["baseSize"]) for row in rows if row["tick"] == order["tick"]), 0)
    expect(abs(with_it - without - WAD // 2) < WAD // 100, f"{with_it} with the order, {without} without")


@check(
    "candles",
    "1B, sheet row 3",
    "of every interval: ascending, aligned, without a hole, low <= open, close <= high",
)
def candles(venue: Venue) -> None:
    for interval in (*SECONDS, "1w", "1M"):
        rows = venue.self_signer.get("market/kline", symbol=BTC, interval=interval).data
        expect(len(rows) > 0, f"no candles of {interval}")
        for row in rows:
            expect_fields(row, *CANDLE)
            expect(0 < row["low"] <= min(row["open"], row["close"]), f"{interval}: {row}")
            expect(max(row["open"], row["close"]) <= row["high"], f"{interval}: {row}")
            expect(row["closeTime"] > row["openTime"] and row["baseVolume"] >= 0, f"{interval}: {row}")
        step = SECONDS.get(interval)
        times = [row["openTime"] for row in rows]
        if step:
            expect_equal([one % step for one in times], [0] * len(times), f"{interval}: openTime by {step} leaves, it")
            expect_equal(times, list(range(times[0], times[-1] + step, step)), f"{interval}: the times")
    expect_refused(venue.self_signer.get("market/kline", symbol=BTC, interval="2m"), 400, 40001, "interval")
    expect_refused(venue.self_signer.get("market/kline", symbol=BTC), 400, 40001, "interval")
    expect_refused(venue.self_signer.get("market/kline", interval="1m"), 400, 40001, "symbol")


@check("gaps of candles", "sheet row 3", "a minute without a trade has a candle at the last close, with no volume")
def gaps(venue: Venue) -> None:
    def flat() -> list[tuple[Any, Any]]:
        rows = venue.self_signer.get("market/kline", symbol=BTC, interval="1m").data
        pairs = list(zip(rows, rows[1:], strict=False))
        for before, row in pairs:
            if row["baseVolume"] == 0:
                prices = {row[name] for name in ("open", "high", "low", "close")}
                expect_equal((prices, row["quoteVolume"]), ({before["close"]}, 0), f"the candle {row} after {before}")
        return [pair for pair in pairs if pair[1]["baseVolume"] == 0]

    eventually(flat, lambda found: found, "a minute without a trade")


@check(
    "candles of a span",
    "sheet row 3",
    "start, end and limit bound them; the newest of the span when there are more",
)
def span(venue: Venue) -> None:
    rows = eventually(
        lambda: venue.self_signer.get("market/kline", symbol=BTC, interval="1m").data,
        lambda found: len(found) >= 3,
        "three minutes of candles",
    )
    last = venue.self_signer.get("market/kline", symbol=BTC, interval="1m", limit=2).data
    expect([row["openTime"] for row in last][0] >= rows[-2]["openTime"], f"{last} are not the newest two")
    one = rows[1]
    inside = {"start": one["openTime"], "end": one["openTime"]}
    found = venue.self_signer.get("market/kline", symbol=BTC, interval="1m", **inside).data
    expect_equal(found, [one], "the candle of one minute")
    backwards = {"start": one["openTime"] + 60, "end": one["openTime"]}
    expect_refused(venue.self_signer.get("market/kline", symbol=BTC, interval="1m", **backwards), 400, 40001)
    expect_refused(venue.self_signer.get("market/kline", symbol=BTC, interval="1m", limit=1001), 400, 40001, "limit")


@check(
    "candles and executions",
    "1B",
    "the volume of a day's candle holds every execution of it that this run has made",
)
def candles_and_executions(venue: Venue) -> None:
    midnight = int(time.time()) // 86_400 * 86_400
    rows = venue.self_signer.get("market/kline", symbol=BTC, interval="1d", start=midnight).data
    mine = venue.one_click.get("execution/list", symbol=BTC, startTime=midnight, size=200).data["list"]
    traded = sum(int(row["size"].lstrip("-")) for row in mine if row["typeString"] == "market")
    expect(Decimal(rows[-1]["baseVolume"]) * WAD >= traded * Decimal("0.999"), f"{rows[-1]} and {traded} traded")


@check("funding history", "1B, sheet row 6", "a row for every hour, each with what longs and what shorts paid in it")
def funding(venue: Venue) -> None:
    rows = venue.self_signer.get("market/funding/history", symbol=BTC, chainId=venue.chain_id).data
    expect(isinstance(rows, list), f"{rows}")
    for row in rows:
        expect_fields(row, "timestamp", "long", "short")
        expect_equal(row["timestamp"] % 3600, 0, "timestamp by an hour leaves, it")
        expect(all(abs(int(row[side])) < WAD for side in ("long", "short")), f"{row}")
    hours = [row["timestamp"] for row in rows]
    expect_equal(hours, list(range(hours[0], hours[-1] + 3600, 3600)) if hours else [], "the hours")
    expect_refused(venue.self_signer.get("market/funding/history"), 400, 40001, "symbol")
    expect_refused(venue.self_signer.get("market/funding/history", symbol=BTC, limit=201), 400, 40001, "limit")


@check("market reads name one block", "9B", "figures and blockInfo of an answer are of one block, which the chain has")
def one_block(venue: Venue) -> None:
    for path, query in {"market/tickers": {}, "market/orderBook": {"symbol": BTC}}.items():
        answer = venue.self_signer.get(path, **query)
        answer.data
        block = venue.chain.rpc("eth_getBlockByNumber", hex(answer.block), False)
        expect_equal(int(block["timestamp"], 16), answer.body["blockInfo"]["timestamp"], f"the time of {path}")
