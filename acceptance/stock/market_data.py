"""Market data: six endpoints that change nothing."""

import time
from decimal import Decimal

from framework import check, expect, expect_equal, expect_fields
from venue import Venue, same


@check("envelope of a success", "2A, 4A", "code 200, errMsg empty, and a uuid that no other answer has")
def envelope(venue: Venue) -> None:
    bodies = [venue.trader.get("/api/v1/symbols").body for _ in range(2)]
    for body in bodies:
        expect_fields(body, "code", "errMsg", "uuid", "data")
        expect_equal((body["code"], body["errMsg"]), (200, ""), "code and errMsg")
        expect(isinstance(body["uuid"], str) and len(body["uuid"]) >= 16, f"uuid is {body['uuid']!r}")
    expect(bodies[0]["uuid"] != bodies[1]["uuid"], "two answers have the same uuid")


@check("keys of dev.json", "5A", "the key that may write and the one that may read both read the market config")
def dev_keys(venue: Venue) -> None:
    for key in venue.dev_keys:
        expect_fields(venue.with_key(key).get("/api/v1/config").data, "cashierBuffer")


@check(
    "market config",
    "2A, 4A market data",
    "cashierBuffer, exchangeFeeConfig and cashierTokenConfig of this chain and product",
)
def config(venue: Venue) -> None:
    data = venue.trader.get("/api/v1/config").data
    expect_fields(data, "cashierBuffer", "exchangeFeeConfig", "cashierTokenConfig")
    fees = data["exchangeFeeConfig"]
    expect_fields(fees, "chainId", "productType")
    expect_equal((fees["chainId"], fees["productType"]), (venue.chain_id, venue.product), "chain and product")
    expect(any("fee" in name.lower() and "rate" in name.lower() for name in fees), f"no fee rates in {fees}")
    usdc = [token for token in data["cashierTokenConfig"] if same(token["tokenAddress"], venue.usdc)]
    expect(len(usdc) == 1, f"USDC is {len(usdc)} times in cashierTokenConfig")
    expect_equal(usdc[0]["decimals"], 6, "the decimals of USDC")
    expect_fields(usdc[0], "minAmount")
    expect_fields(data["cashierBuffer"], "creditBuffer", "creditBufferCapacity")
    venue.leave("config", data)
    venue.leave("usdc config", usdc[0])


@check(
    "symbols",
    "2A, 4A market data",
    "at least one tradable stock with its contract address; AAPL's is the token on chain",
)
def symbols(venue: Venue) -> None:
    data = venue.trader.get("/api/v1/symbols").data
    expect(isinstance(data, list) and any(item.get("tradable") for item in data), f"no tradable stock in {data}")
    for item in data:
        expect_fields(item, "symbol", "contractAddress", "decimals", "tradable")
    apple = next((item for item in data if item["symbol"] == "AAPL"), None)
    expect(apple is not None and same(apple["contractAddress"], venue.aapl), f"AAPL is {apple}")
    expect_equal(venue.chain.read(venue.aapl, "decimals()"), apple["decimals"], "decimals on chain")


@check(
    "quote",
    "2A, 4A market data",
    "the off-chain quote and the token on chain, by ticker, token symbol or token address",
)
def quote(venue: Venue) -> None:
    for name in ("AAPL", "aapl", "aAAPL", venue.aapl):
        data = venue.trader.get(f"/api/v1/prices/{name}").data
        expect_fields(data, "basicInfo", "onChain")
        expect(Decimal(data["basicInfo"]["price"]) > 0, f"the price is {data['basicInfo']['price']}")
        expect_equal(data["basicInfo"]["symbol"], "AAPL", f"symbol for {name}")
        expect(same(data["onChain"]["contractAddress"], venue.aapl), f"onChain is {data['onChain']} for {name}")


@check("quote of an unknown symbol", "7A", "a clear error that is no authentication failure")
def unknown_quote(venue: Venue) -> None:
    answer = venue.trader.get("/api/v1/prices/NOSUCH")
    expect(answer.body["code"] not in (200, 401) and len(answer.body["errMsg"]) > 5, str(answer))


@check("price history", "2A, 4A market data", "bars in ascending order that hold together: low <= open, close <= high")
def history(venue: Venue) -> None:
    now = int(time.time())
    for interval in ("1m", "1d"):
        uri = f"/api/v1/prices/AAPL/history?interval={interval}&startTime={now - 40 * 86_400}&endTime={now}&limit=50"
        bars = venue.trader.get(uri).data
        expect(isinstance(bars, list) and len(bars) <= 50, f"{interval}: {bars}")
        for bar in bars:
            expect_fields(bar, "open", "high", "low", "close", "volume", "timestamp")
            expect(bar["low"] <= min(bar["open"], bar["close"]), f"low is above: {bar}")
            expect(bar["high"] >= max(bar["open"], bar["close"]), f"high is below: {bar}")
        times = [bar["timestamp"] for bar in bars]
        expect(times == sorted(set(times)), f"timestamps are not ascending: {times}")
        venue.leave(f"bars {interval}", len(bars))
    expect(venue.left("bars 1m") > 0, "no bars of a minute")


@check(
    "price history without its parameters",
    "7A",
    "interval and endTime are required, and the error names what is missing",
)
def history_parameters(venue: Venue) -> None:
    for uri, missing in (("interval=1d", "endTime"), (f"endTime={int(time.time())}", "interval")):
        answer = venue.trader.get(f"/api/v1/prices/AAPL/history?{uri}")
        expect(answer.body["code"] not in (200, 401) and missing in answer.body["errMsg"], str(answer))


@check("underlying quote", "2A, 4A market data", "the price of the underlying instrument")
def underlying(venue: Venue) -> None:
    data = venue.trader.get("/api/v1/underlying/AAPL/price").data
    expect(Decimal(data["price"]) > 0, f"the price is {data}")


@check("corporate actions", "2A, 4A market data", "a list of splits and dividends, which may be empty")
def corporate_actions(venue: Venue) -> None:
    data = venue.trader.get("/api/v1/corporate-action").data
    expect(isinstance(data, list), f"{data} is no list")
    for item in data:
        expect_fields(item, "symbol", "type")
