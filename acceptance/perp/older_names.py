"""The older names of the reads, the older headers, and the reads that need no key."""

import base64
import datetime
import hashlib
import hmac
from typing import Any

from api import Answer, sorted_target
from endpoints import OLDER_NAMES
from framework import check, eventually, expect, expect_equal, expect_fields
from venue import BTC, Venue, expect_refused

MM = "/v4/public/mm/"
MOVING = {"serverTime", "tickers", "orderBook", "kline"}
"""What may differ from one moment to the next."""
QUERIES: dict[str, dict[str, Any]] = {
    "kline": {"symbol": BTC, "interval": "1h"},
    "orderBook": {"symbol": BTC},
    "tickers": {"symbol": BTC},
    "funding/history": {"symbol": BTC},
}


def query_of(venue: Venue, name: str) -> dict[str, Any]:
    return {"chainId": venue.chain_id, **QUERIES.get(name, {})}


@check("older names", "sheet 2B", "15 reads below /v4/public/mm/ answer what their newer names do")
def names(venue: Venue) -> None:
    order = venue.one_click.get("order/history", symbol=BTC).data["list"][0]["id"]
    for older, newer in OLDER_NAMES.items():
        query = {**query_of(venue, older), **({"orderId": order} if older == "orderById" else {})}
        if older == "orderById" and not str(order).isdigit():
            continue

        def both(older: str = older, newer: str = newer, query: dict[str, Any] = query) -> tuple[Any, Any]:
            answers = [venue.one_click.get(MM + older, **query), venue.one_click.get(newer, **query)]
            return tuple(answer.data for answer in answers)

        if older in MOVING:
            one, other = both()
            expect_equal(type(one), type(other), f"the kind of {older}")
        else:
            eventually(both, lambda found: found[0] == found[1], f"{older} as {newer}", timeout_sec=60)


@check("coins", "sheet row 16", "prices of the bases, as JSON numbers")
def coins(venue: Venue) -> None:
    rows = venue.one_click.get(f"{MM}token/coinsWithSymbol").data
    for row in rows:
        expect_fields(row, "symbol", "currentPrice", "high24h", "low24h", "imageUrl", "priceChangePercentage24H", "updateTime")
        expect(row["currentPrice"] > 0, f"{row}")
    expect_equal([f"{row['symbol']}/USDC" for row in rows], list(venue.instruments), "the symbols")


def by_passphrase(venue: Venue, key: dict[str, str], timestamp: str, **changes: str) -> Answer:
    target = f"{MM}kline?" + "symbol=BTC%2FUSDC&interval=1h&chainId=" + str(venue.chain_id)
    message = timestamp + "GET" + sorted_target(target)
    signature = base64.b64encode(hmac.new(key["apiSecret"].encode(), message.encode(), hashlib.sha256).digest()).decode()
    headers = {
        "X-ACCESS-KEY": key["apiKey"],
        "X-ACCESS-SIGN": signature,
        "X-ACCESS-TIMESTAMP": timestamp,
        "X-ACCESS-PASSPHRASE": key.get("passphrase", ""),
        **changes,
    }
    return venue.http.patient("GET", target, "", headers)


@check(
    "older headers",
    "sheet 1.3, 1.5",
    "X-ACCESS with an ISO time and the key's passphrase; a spoilt one is unauthorized",
)
def headers(venue: Venue) -> None:
    key = venue.create_key(venue.one_click_wallet).data
    now = datetime.datetime.now(datetime.UTC)
    text = now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"
    by_passphrase(venue, key, text).data
    expect_refused(by_passphrase(venue, key, text, **{"X-ACCESS-PASSPHRASE": "wrong"}), 401, 40101)
    expect_refused(by_passphrase(venue, key, text.replace("20", "19", 1)), 401, 40101)
    expect_refused(by_passphrase(venue, {**key, "apiSecret": "0" * 64}, text), 401, 40101)


def public(venue: Venue, path: str, **query: Any) -> Answer:
    pairs = "&".join(f"{name}={value}" for name, value in {"chainId": venue.chain_id, **query}.items())
    return venue.http.patient("GET", f"/v4/public/{path}?{pairs}")


@check("reads without a key", "sheet 8", "market list, instrument, quotation, book, candles, tokens and a wallet's money: without a signature")
def without_key(venue: Venue) -> None:
    address = venue.instruments[BTC]
    rows = public(venue, "market/marketList").data
    expect_equal([row["symbol"] for row in rows], list(venue.instruments), "the market list")
    pair = {"address": address, "expiry": 4_294_967_295}
    expect_equal(public(venue, "market/marketPairInfo", **pair).data["symbol"], BTC, "the pair's symbol")
    expect_equal(public(venue, "market/instrument", address=address).data["instrumentAddr"], address, "instrumentAddr")
    public(venue, "market/orderBook", **pair).data
    public(venue, "market/depth", **pair).data
    public(venue, "market/kline", instrument=address, expiry=4_294_967_295, interval="1h").data
    quotation = public(venue, "market/inquire", instrument=address, expiry=4_294_967_295, size=str(10**16)).data
    expect_fields(quotation, "benchmark", "sqrtFairPX96", "tick", "mark", "entryNotional", "fee", "minAmount", "postTick")
    raw = public(venue, "market/getOnChainContext/onChainQuery", instrument=address, expiry=4_294_967_295).data
    expect_fields(raw, "Setting", "Condition", "Amm", "PriceData", "Portfolio", "QuoteState", "Spacing", "BlockInfo")
    expect_equal(raw["Quotation"], None, "the quotation of no size")
    wallet = venue.one_click_wallet
    balance = public(venue, "market/user/gateValue", userAddress=wallet).data["portfolios"][0]
    expect_fields(balance, "quote", "decimals", "balance", "pendingBalance", "totalInBalance", "totalOutBalance")
    volumes = public(venue, "market/user/volumes", userAddress=wallet).data
    expect_equal(volumes["totalVolumeUsd"], str(sum(int(row["volumeUsd"]) for row in volumes["details"])), "totalVolumeUsd")
    token = public(venue, "token/tokensWithAddress").data[0]
    expect_equal((token["address"], token["currentPrice"]), (balance["quote"], 1), "the quote's token")
    answer = public(venue, "market/instrument", address="0x" + "12" * 20)
    expect_refused(answer, 400, 40002)


@check("histories of a wallet", "sheet 8", "by its address, the same rows as its key reads")
def histories(venue: Venue) -> None:
    user = {"userAddress": venue.one_click_wallet}
    for path, newer in {"history/trade": "execution/list", "history/order": "order/history"}.items():
        found = public(venue, path, **user).data["list"]
        expect_equal([row["id"] for row in found][:5], [row["id"] for row in venue.one_click.get(newer).data["list"]][:5], path)
    expect(public(venue, "history/fundFlow", **user).data["totalCount"] > 0, "no deposits")
    kinds = {row["typeString"] for row in public(venue, "history/transfer", **user).data["list"]}
    expect_equal(kinds, {"scatter", "gather"}, "the kinds of transfers")
    pair = {**user, "instrumentAddress": venue.instruments[BTC], "expiry": 4_294_967_295}
    for path in ("history/transfer", "history/funding"):
        rows = public(venue, path, **pair).data["list"]
        expect({row["instrumentAddress"] for row in rows} <= {venue.instruments[BTC]}, f"{path} of one pair")
    portfolio = public(venue, "portfolio", **user).data
    expect_fields(portfolio, "address", "instruments", "portfolios")
