"""Positions by One Click: adjust, margin, close in part."""

from framework import check, expect, expect_equal
from venue import LONG, SHORT, WAD, Venue, expect_refused

ALL = {"slippageBps": 1000}


def margin(venue: Venue) -> int:
    return int(venue.position(venue.one_click_wallet)["balance"])


@check("adjust to a leverage", "1B, sheet 2A.0", "margin goes in or out until the position has it; the size stays")
def adjust(venue: Venue) -> None:
    venue.by_one_click("order/market", venue.market(SHORT, "0.1"))
    for times in ("3", "6"):
        venue.by_one_click("position/adjust", {**venue.pair(), "leverage": times})
        row = venue.position(venue.one_click_wallet)
        # The mark has moved since the block on which it was worked out.
        found = int(row["leverage"])
        expect(abs(found - int(times) * WAD) < WAD // 2, f"leverage is {found}, and {times} was asked for")
        expect_equal(int(row["size"]), -WAD // 10, "size")
    high = venue.one_click.post("position/adjust", {**venue.pair(), "leverage": "11"})
    expect_refused(high, 400, 40001, "leverage")


@check("margin in and out", "1B, sheet 2A.0", "add and remove move exactly the amount between reserve and position")
def add_and_remove(venue: Venue) -> None:
    wallet = venue.one_click_wallet
    for kind, sign in (("add", 1), ("remove", -1)):
        before, reserve = margin(venue), venue.reserve(wallet)
        venue.by_one_click("position/margin", {**venue.pair(), "amount": "55.5", "type": kind})
        # Funding of the time between is realised with it: some thousandths of a dollar at most.
        moved = margin(venue) - before
        expect(abs(moved - sign * 555 * WAD // 10) < WAD // 10, f"{kind}: the margin moved by {moved}")
        expect_equal(venue.reserve(wallet) - reserve, -sign * 55_500_000, f"{kind}: the reserve moved, it")


@check(
    "margin that may not leave",
    "7B",
    "is refused by the chain's reason; a kind that there is not is refused by name",
)
def too_much(venue: Venue) -> None:
    before = margin(venue)
    answer = venue.one_click.post("position/margin", {**venue.pair(), "amount": "1400", "type": "remove"})
    expect_refused(answer, 400, 40003)
    wrong = venue.one_click.post("position/margin", {**venue.pair(), "amount": "1", "type": "take"})
    expect_refused(wrong, 400, 40001, "type")
    expect(abs(margin(venue) - before) < WAD // 10, "the margin has changed")


@check("close in part", "1B, sheet 2A.0", "a size leaves the rest; more than there is is refused by name")
def in_part(venue: Venue) -> None:
    venue.by_one_click("position/close", {**venue.pair(), **ALL, "size": "0.04"})
    expect_equal(venue.size(venue.one_click_wallet), -WAD * 6 // 100, "the rest")
    above = venue.one_click.post("position/close", {**venue.pair(), **ALL, "size": "0.07"})
    expect_refused(above, 400, 40001, "size")
    venue.by_one_click("position/close", {**venue.pair(), **ALL})
    expect_equal(venue.position(venue.one_click_wallet), None, "the position")


@check(
    "position that there is not",
    "7B",
    "close, adjust and margin are refused: code 40401, or 40003 for margin of none",
)
def none(venue: Venue) -> None:
    for path, body in {
        "position/close": {**venue.pair(), **ALL},
        "position/adjust": {**venue.pair(), "leverage": "3"},
        "position/margin": {**venue.pair(), "amount": "10", "type": "add"},
    }.items():
        answer = venue.one_click.post(path, body)
        expect(answer.status == 400 and answer.body["code"] in (40401, 40003), f"{answer}")


@check("positions are a wallet's own", "1B", "one wallet's trade is in no other's list")
def own(venue: Venue) -> None:
    venue.by_one_click("order/market", venue.market(LONG, "0.02"))
    expect_equal(venue.position(venue.wallet), None, "the other wallet's position")
    venue.by_one_click("position/close", {**venue.pair(), **ALL})
