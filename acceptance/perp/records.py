"""Histories: executions, orders, money; their pages and their agreement with what was done."""

from decimal import Decimal
from typing import Any

from framework import check, expect, expect_equal, expect_fields
from venue import BTC, WAD, Venue, expect_refused

EXECUTION = (
    "id instrumentAddress expiry size balance price tradeFee protocolFee timestamp txHash type symbol baseToken quoteToken "
    "typeString side event"
).split()
LISTS = ("execution/list", "order/history", "liquidity/history")


def everything(venue: Venue, path: str, **query: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    while True:
        data = venue.one_click.get(path, page=len(rows) // 50 + 1, size=50, **query).data
        rows += data["list"]
        if len(data["list"]) < 50:
            expect_equal(len(rows), data["totalCount"], f"the rows of {path}")
            return rows


@check("executions", "1B, sheet row 13", "price is balance over size, fees are their ratios, newest first, each once")
def executions(venue: Venue) -> None:
    rows = everything(venue, "execution/list", symbol=BTC)
    terms = venue.self_signer.get("market/instruments", symbol=BTC).data[0]
    expect(len(rows) > 10, f"only {len(rows)} executions")
    for row in rows:
        expect_fields(row, *EXECUTION)
        size, balance = abs(int(row["size"])), abs(int(row["balance"]))
        expect(abs(balance * WAD // size - int(row["price"])) <= 10, f"price of {row}")
        expect(row["side"] in ("long", "short") and row["type"] in ("Limit", "Market"), f"{row}")
        if row["typeString"] == "market":
            wanted = balance * terms["protocolFeeRatio"] // 10_000
            expect(abs(int(row["protocolFee"]) - wanted) <= 2, f"protocolFee of {row} is not {wanted}")
            wanted = balance * terms["tradingFeeRatio"] // 10_000
            expect(abs(int(row["tradeFee"]) - wanted) <= 2, f"tradeFee of {row} is not {wanted}")
    kinds = {row["typeString"] for row in rows}
    expect({"market", "fill"} <= kinds, f"typeStrings {kinds}")
    expect_equal(len({row["id"] for row in rows}), len(rows), "the number of ids")
    times = [row["timestamp"] for row in rows]
    expect_equal(times, sorted(times, reverse=True), "the order of times")


@check("one request, one execution", "sheet 2A.0", "the trade of a One Click request is there once, with its hash")
def once(venue: Venue) -> None:
    tx_hash = venue.left("one click trade")
    rows = [row for row in everything(venue, "execution/list") if row["txHash"] == tx_hash]
    expect_equal([(row["side"], int(row["size"])) for row in rows], [("long", WAD // 5)], "the rows of the trade")


@check("executions come to the position", "1B", "sizes of all executions of a pair come to what is held, here nothing")
def sum_of_sizes(venue: Venue) -> None:
    total = 0
    for row in everything(venue, "execution/list", symbol=BTC):
        total += abs(int(row["size"])) * (1 if row["side"] == "long" else -1)
    expect_equal(total, venue.size(venue.one_click_wallet), "the sum of sizes")


@check(
    "ledger of the wallet",
    "1B, sheet 2A.0",
    "deposits, withdrawals, scatter and gather come to the reserve, to the last unit",
)
def ledger(venue: Venue) -> None:
    rows = everything(venue, "account/transaction-history")
    kinds = {row["typeString"] for row in rows}
    expect({"deposit", "withdraw", "scatter", "gather", "fee"} <= kinds, f"kinds {kinds}")
    signs = {"deposit": 1, "gather": 1, "scatter": -1, "withdraw": -1}
    reserve = sum((Decimal(row["value"]) * signs.get(row["typeString"], 0) for row in rows), Decimal(0))
    expect_equal(reserve * 10**6, Decimal(venue.reserve(venue.one_click_wallet)), "the sum of the ledger")
    for row in rows:
        expect_fields(row, "id", "tokenAddress", "timestamp", "value", "valueUsd", "txHash", "type", "typeString", "tokenInfo")
    expect_equal(len({row["id"] for row in rows}), len(rows), "the number of ids")


@check("pages of histories", "sheet row 12", "page from 1, size up to 200, times and symbol as filters, each row once")
def pages(venue: Venue) -> None:
    for path in LISTS:
        rows = venue.one_click.get(path, size=200).data["list"]
        small = [venue.one_click.get(path, page=page, size=2).data["list"] for page in range(1, 4)]
        expect_equal([row["id"] for page in small for row in page], [row["id"] for row in rows[:6]], f"pages of {path}")
        expect_refused(venue.one_click.get(path, size=201), 400, 40001, "size")
        expect_refused(venue.one_click.get(path, page="first"), 400, 40001, "page")
        none = venue.one_click.get(path, startTime=4_000_000_000).data
        expect_equal((none["list"], none["totalCount"]), ([], 0), f"rows of {path} in the future")
        expect_refused(venue.one_click.get(path, symbol="DOGE/USDC"), 400, 40002)


@check("histories are a wallet's own", "1B, 5B", "a wallet that has done nothing has none of them")
def own(venue: Venue) -> None:
    stranger = venue.of(venue.empty_wallet)
    for path in (*LISTS, "account/transaction-history", "account/deposit-withdraw"):
        data = stranger.get(path).data
        expect_equal((data["list"], data["totalCount"]), ([], 0), path)
    for path in ("position/list", "order/realtime", "liquidity/list"):
        expect_equal(stranger.get(path).data, [], path)
