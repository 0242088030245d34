"""Ranges of liquidity: added by ratio and by ticks, listed, removed."""

from decimal import Decimal
from typing import Any

from framework import check, expect, expect_equal, expect_fields
from orders import price_of
from venue import ETH, WAD, Venue, expect_refused

RANGE = (
    "instrumentAddr expiry tickLower tickUpper liquidity entryFeeIndex balance sqrtEntryPX96 rid lowerPrice upperPrice "
    "entryPrice traderAddr lastUpdateTime lastUpdateTxHash symbol"
).split()
HISTORY = (
    "id instrumentAddress expiry timestamp txHash type typeString lowerTick upperTick lowerPrice upperPrice fairPrice "
    "amount feeEarned symbol baseToken quoteToken"
).split()


def ranges(venue: Venue) -> list[dict[str, Any]]:
    return venue.one_click.get("liquidity/list", symbol=ETH).data


@check(
    "liquidity by ratios",
    "1B, sheet 2A.0",
    "a range around the price with exactly that margin, on ticks of the instrument",
)
def by_ratios(venue: Venue) -> None:
    for row in ranges(venue):  # of an earlier run
        ticks = {"tickLower": row["tickLower"], "tickUpper": row["tickUpper"]}
        venue.by_one_click("liquidity/remove", {**venue.pair(ETH), **ticks, "slippageBps": 1000})
    before = venue.reserve(venue.one_click_wallet)
    body = {**venue.pair(ETH), "amount": "3000", "alphaLower": "1.2", "alphaUpper": "1.25", "slippageBps": 200}
    venue.by_one_click("liquidity/add", body)
    expect_equal(before - venue.reserve(venue.one_click_wallet), 3_000_000_000, "what left the reserve")
    rows = ranges(venue)
    expect_equal(len(rows), 1, "the number of ranges")
    row = rows[0]
    expect_fields(row, *RANGE)
    expect_equal(row["balance"], str(3000 * WAD), "balance")
    expect_equal((row["traderAddr"], row["symbol"]), (venue.one_click_wallet, ETH), "trader and symbol")
    entry, lower, upper = (Decimal(row[name]) for name in ("entryPrice", "lowerPrice", "upperPrice"))
    expect(abs(entry / lower - Decimal("1.2")) < Decimal("0.02"), f"entry over lower is {entry / lower}")
    expect(abs(upper / entry - Decimal("1.25")) < Decimal("0.02"), f"upper over entry is {upper / entry}")
    for name in ("Lower", "Upper"):
        tick = row[f"tick{name}"]
        expect_equal(tick % 50, 0, f"tick{name} by 50 leaves, it")
        price = Decimal(row[f"{name.lower()}Price"]) / WAD
        expect(abs(price / price_of(tick) - 1) < Decimal("1e-12"), f"{name} price {price} of tick {tick}")


@check("id of a range", "sheet 1.6", "rid is the two ticks packed, 24 bits each")
def rid(venue: Venue) -> None:
    for row in ranges(venue):
        expect_equal(int(row["rid"]), ((row["tickLower"] % 2**24) << 24) + row["tickUpper"] % 2**24, "rid")


@check(
    "liquidity by ticks",
    "1B, sheet 2A.0",
    "exactly that range; ticks that are not aligned and both ways at once are refused",
)
def by_ticks(venue: Venue) -> None:
    known = ranges(venue)[0]
    ticks = {"tickLower": known["tickLower"] - 100, "tickUpper": known["tickUpper"] + 100}
    body = {**venue.pair(ETH), "amount": "2000", "slippageBps": 200}
    venue.by_one_click("liquidity/add", {**body, **ticks})
    found = [(row["tickLower"], row["tickUpper"]) for row in ranges(venue)]
    expect((ticks["tickLower"], ticks["tickUpper"]) in found, f"ranges {found}")
    wrong = [
        {**body, **ticks, "tickLower": ticks["tickLower"] + 1},
        {**body, **ticks, "alphaLower": "1.2"},
        body,
        {**body, "tickLower": ticks["tickLower"]},
        {**body, "alphaLower": "0.9", "alphaUpper": "1.2"},
    ]
    for one in wrong:
        answer = venue.one_click.post("liquidity/add", one)
        expect(answer.status == 400 and answer.body["code"] in (40001, 40003), f"{answer}")
    venue.leave("wide ticks", ticks)


@check(
    "liquidity that is too little",
    "sheet 1.7",
    "or of more than there is: refused by the chain's reason, code 40003",
)
def too_little(venue: Venue) -> None:
    body = {**venue.pair(ETH), "alphaLower": "1.2", "alphaUpper": "1.2", "slippageBps": 200}
    for amount in ("1", "5000000"):
        expect_refused(venue.one_click.post("liquidity/add", {**body, "amount": amount}), 400, 40003)


@check("removal of liquidity", "1B, sheet 2A.0", "the range is gone, its margin back; what is no range: code 40401")
def remove(venue: Venue) -> None:
    ticks = venue.left("wide ticks")
    before = venue.reserve(venue.one_click_wallet)
    part = {**venue.pair(ETH), **ticks, "amount": "1", "slippageBps": 1000}
    expect_refused(venue.one_click.post("liquidity/remove", part), 400, 40001, "amount")
    venue.by_one_click("liquidity/remove", {**venue.pair(ETH), **ticks, "slippageBps": 1000})
    expect_equal(len(ranges(venue)), 1, "the number of ranges")
    back = venue.reserve(venue.one_click_wallet) - before
    # The venue's prices move meanwhile, so a little of it may have become a position.
    expect(1_500_000_000 < back < 2_500_000_000, f"{back} came back of 2,000")
    again = venue.one_click.post("liquidity/remove", {**venue.pair(ETH), **ticks, "slippageBps": 1000})
    expect_refused(again, 400, 40401)


@check("another wallet's range", "1B", "can be neither seen nor removed")
def other(venue: Venue) -> None:
    row = ranges(venue)[0]
    mine = venue.other.get("liquidity/list", symbol=ETH).data
    expect_equal(mine, [], "another wallet's list")
    ticks = {"tickLower": row["tickLower"], "tickUpper": row["tickUpper"]}
    answer = venue.other.post("liquidity/remove", {**venue.pair(ETH), **ticks, "slippageBps": 1000})
    expect_refused(answer, 400, 40401)


@check(
    "history of liquidity",
    "1B, sheet row 15",
    "each addition and removal once, newest first, with amounts and prices",
)
def history(venue: Venue) -> None:
    for row in ranges(venue):
        ticks = {"tickLower": row["tickLower"], "tickUpper": row["tickUpper"]}
        venue.by_one_click("liquidity/remove", {**venue.pair(ETH), **ticks, "slippageBps": 1000})
    data = venue.one_click.get("liquidity/history", symbol=ETH).data
    expect_fields(data, "list", "totalCount")
    for row in data["list"]:
        expect_fields(row, *HISTORY)
        expect_equal(row["typeString"], ["add", "remove"][row["type"]], "typeString")
    kinds = [row["typeString"] for row in data["list"]][:4]
    expect_equal(kinds, ["remove", "remove", "add", "add"], "the newest four")
    amounts = {row["amount"] for row in data["list"] if row["typeString"] == "add"}
    expect({str(3000 * WAD), str(2000 * WAD)} <= amounts, f"amounts {amounts}")
    if venue.position(venue.one_click_wallet, ETH):
        venue.by_one_click("position/close", {**venue.pair(ETH), "slippageBps": 1000})
