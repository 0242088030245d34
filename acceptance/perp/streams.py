"""The WebSocket of section 7: subscriptions, what comes first, and what changes."""

from typing import Any

from framework import check, expect, expect_equal, expect_fields
from stream import Stream
from venue import BTC, LONG, PERPETUAL, Venue

TRADE = (
    "id instrumentAddress expiry size balance price tradeFee protocolFee timestamp txHash type symbol baseToken quoteToken "
    "typeString side event markPrice fairPrice"
).split()
PAIR = (
    "instrumentAddr expiry symbol fairPrice markPrice baseToken quoteToken fairPriceChange24h baseVolume24h openInterests tvl "
    "volume24hUsd tvlUsd openInterestsUsd longOi shortOi periods1hFunding last1hFunding fundingRatePerHour quoteVolume24h "
    "marketType poolFee24h"
).split()


def params(venue: Venue, kind: str, **more: Any) -> dict[str, Any]:
    return {"chainId": venue.chain_id, "instrument": venue.instruments[BTC], "expiry": PERPETUAL, **more, "type": kind}


def pairs(venue: Venue) -> dict[str, Any]:
    return {"chainId": venue.chain_id, "pairs": [f"{venue.instruments[BTC]}_{PERPETUAL}"], "type": "trades"}


@check("ping", "sheet 7.1", "the text ping is answered by the text pong")
def ping(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        stream.say("ping")
        expect_equal(stream.hear(), "pong", "the answer")


@check(
    "subscription of every type",
    "sheet 7.2, 7.3",
    "seven types: an acknowledgement with the request's id, result success",
)
def every_type(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        stream.follow(params(venue, "orderBook"))
        stream.follow(params(venue, "kline", interval="1m"))
        stream.follow(params(venue, "instrument"))
        stream.follow(params(venue, "instrumentBasicInfo"))
        stream.follow({"chainId": venue.chain_id, "type": "common"})
        stream.follow({"chainId": venue.chain_id, "userAddress": venue.one_click_wallet, "type": "portfolio"})
        stream.follow(pairs(venue))


@check("subscription that is wrong", "sheet 7.2", "is answered by an error text, and the connection goes on")
def wrong(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        for one in (
            params(venue, "nothing"),
            params(venue, "kline", interval="2m"),
            params(venue, "orderBook", instrument="0x12"),
            params(venue, "orderBook", chainId=1),
            {"chainId": venue.chain_id, "type": "portfolio"},
            {"type": "common"},
        ):
            result = stream.ask("SUBSCRIBE", one)
            expect(not result.lower().startswith("success") and len(result) > 5, f"{one}: {result}")
        for text in ("{", "[]", '"words"', '{"id":9999,"method":"STEAL","params":{}}'):
            stream.say(text)
        stream.follow({"chainId": venue.chain_id, "type": "common"})


@check("stream of blocks", "sheet 7.4", "each block's number, rising")
def blocks(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        stream.follow({"chainId": venue.chain_id, "type": "common"})
        numbers = [stream.next("blockNumChanged")["data"]["blockNum"] for _ in range(3)]
        expect(numbers == sorted(set(numbers)), f"blocks {numbers}")
        rows = stream.next("marketListChanged")["data"]
        expect_equal([row["symbol"] for row in rows], list(venue.instruments), "the market list")
        for row in rows:
            expect_fields(row, *PAIR)


@check("stream of the book", "sheet 7.4", "first the whole book, as the read has it; then again when it changes")
def book(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        stream.follow(params(venue, "orderBook"))
        message = stream.next("orderBook")
        found = (message["chainId"], message["instrument"].lower(), int(message["expiry"]))
        expect_equal(found, (venue.chain_id, venue.instruments[BTC], PERPETUAL), "the names of the message")
        for side in message["data"].values():
            expect_fields(side, "blockInfo", "bids", "asks")
            expect_fields(side["bids"][0], "tick", "price", "baseSize", "quoteSize", "baseSum", "quoteSum")
        height = message["data"]["1"]["blockInfo"]["height"]
        venue.by_one_click("order/limit", venue.limit(LONG, "0.05", "0.9996", postOnly=True))
        order = venue.open_orders(venue.one_click_wallet)[0]
        later = stream.next("orderBook", lambda data: order["tick"] in [row["tick"] for row in data["1"]["bids"]])
        expect(later["data"]["1"]["blockInfo"]["height"] > height, "the later book is of no later block")
        venue.leave("stream order", order)


@check(
    "stream of an account",
    "sheet 7.4",
    "signals of orders, positions and money of that wallet, with oid and orderId",
)
def account(venue: Venue) -> None:
    order = venue.left("stream order")
    with Stream(venue.ws_url) as stream:
        stream.follow({"chainId": venue.chain_id, "userAddress": venue.one_click_wallet, "type": "portfolio"})
        venue.by_one_click("order/cancel", {**venue.pair(), "orderId": order["orderId"]})
        ended = stream.next("portfolio", lambda data: (data.get("orderInfo") or {}).get("type") == "canceled")["data"]
        info = ended["orderInfo"]
        expect_equal((str(info["oid"]), info["orderId"]), (str(order["oid"]), order["orderId"]), "the order")
        expect_equal(ended["userAddress"].lower(), venue.one_click_wallet, "userAddress")
        venue.by_one_click("order/market", venue.market(LONG, "0.02"))
        stream.next("portfolio", lambda data: data["type"] == "position")
        venue.by_one_click("account/deposit", {"quote": "USDC", "amount": "1"})
        stream.next("portfolio", lambda data: data["type"] == "gate")


@check("stream of trades", "sheet 7.4", "the newest ones first; then each trade once, as the history has it")
def trades(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        stream.follow({**pairs(venue), "tradesLimit": 3})
        first = stream.next("trades")["data"]
        expect_equal(len(first), 3, "the number of trades at first")
        receipt = venue.by_one_click("position/close", {**venue.pair(), "slippageBps": 1000})
        tx_hash = receipt["transactionHash"]
        trade = next(
            one
            for one in stream.next("trades", lambda data: tx_hash in [one["txHash"] for one in data])["data"]
            if one["txHash"] == tx_hash
        )
        expect_fields(trade, *TRADE)
        row = venue.one_click.get("execution/list", symbol=BTC, size=1).data["list"][0]
        for name in ("txHash", "price", "side", "timestamp"):
            expect_equal(trade[name], row[name], name)


@check("stream of candles", "sheet 7.4", "the present candle, as the read has it")
def candles(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        stream.follow(params(venue, "kline", interval="1d"))
        data = stream.next("kline")["data"]
        expect_fields(data, "open", "high", "low", "close", "baseVolume", "startTime", "endTime")
        rows = venue.self_signer.get("market/kline", symbol=BTC, interval="1d").data
        expect(data["startTime"] in [row["openTime"] for row in rows], f"{data} is not among {rows}")


@check("stream of an instrument", "sheet 7.4", "the whole instrument with its pairs, and its row of the market list")
def instrument(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        stream.follow(params(venue, "instrument"))
        data = stream.next("instrument")["data"]
        expect_fields(data, "instrumentAddr", "symbol", "market", "setting", "spotPrice", "amms", "base", "quote", "condition")
        pair = data["amms"][0]
        expect_fields(pair, "expiry", "tick", "liquidity", "openInterests", "markPrice", "fairPrice", "longFundingIndex")
        changed = stream.next("marketPairInfoChanged")["data"]
        expect_fields(changed, "markPrice", "fairPrice")


@check("unsubscribe", "sheet 7.2", "the same params end it: no message after the acknowledgement")
def unsubscribe(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        common = {"chainId": venue.chain_id, "type": "common"}
        stream.follow(common)
        stream.next("blockNumChanged")
        expect(stream.ask("UNSUBSCRIBE", common).lower().startswith("success"), "UNSUBSCRIBE was refused")
        stream.messages.clear()
        height = int(venue.chain.rpc("eth_blockNumber"), 16)
        venue.until_indexed(height + 2)
        stream.say("ping")
        expect_equal(stream.hear(), "pong", "what came after the acknowledgement")


@check("subscription that is repeated", "sheet 7.2", "is acknowledged, and ends with as many UNSUBSCRIBEs")
def repeated(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        common = {"chainId": venue.chain_id, "type": "common"}
        stream.follow(common)
        stream.follow(common)
        expect(stream.ask("UNSUBSCRIBE", common).lower().startswith("success"), "UNSUBSCRIBE was refused")
        stream.messages.clear()
        stream.next("blockNumChanged")
        expect(stream.ask("UNSUBSCRIBE", common).lower().startswith("success"), "the second UNSUBSCRIBE was refused")
        expect(not stream.ask("UNSUBSCRIBE", common).lower().startswith("success"), "a third UNSUBSCRIBE ended something")


@check("addresses of a subscription", "sheet 7.2", "in any case of letters, and numbers as text")
def cases(venue: Venue) -> None:
    with Stream(venue.ws_url) as stream:
        upper = "0x" + venue.instruments[BTC][2:].upper()
        stream.follow(params(venue, "orderBook", instrument=upper, expiry=str(PERPETUAL), chainId=str(venue.chain_id)))
        stream.next("orderBook")
