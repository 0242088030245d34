"""Limits of time and size, and that every endpoint was seen to succeed."""

import time
from decimal import Decimal

import cash
from api import Answer, now_ms
from authentication import URI, expect_unauthorized
from endpoints import ENDPOINTS
from framework import check, expect, expect_equal
from validation import expect_error
from venue import Venue

WINDOW_MS = 45_000
ROOM_MS = (1_000, 3_000, 3_000, 5_000, 10_000, 20_000, 30_000, 40_000)
"""How far from an edge is tried in turn: a request takes longer on a slower machine."""


@check(
    "timestamp window, past edge",
    "5A, 8A",
    "just inside 45 s is accepted; just outside is the authentication failure",
)
def past_edge(venue: Venue) -> None:
    # A venue without Redis does not trust times before its own start: it may not be younger than the window.
    time.sleep(max(0.0, 50 - (time.monotonic() - venue.started)))
    for ahead_ms in ROOM_MS:
        ts = now_ms() - WINDOW_MS + ahead_ms
        answer = venue.trader.get(URI, ts=ts)
        if answer.body["t"] - ts <= WINDOW_MS:  # it was inside when it was answered, so also when it was judged
            answer.data
            break
    else:
        expect(False, "this machine is too slow for the check")
    expect_unauthorized(venue, venue.trader.get(URI, ts=now_ms() - WINDOW_MS - 1), "1 ms outside")


@check("timestamp window, future edge", "5A, 8A", "45 s ahead is accepted; beyond is the authentication failure")
def future_edge(venue: Venue) -> None:
    venue.trader.get(URI, ts=now_ms() + WINDOW_MS).data

    def outside(beyond_ms: int) -> Answer | None:
        ts = now_ms() + WINDOW_MS + beyond_ms
        answer = venue.trader.get(URI, ts=ts)
        return answer if ts - answer.body["t"] > WINDOW_MS else None  # still outside when it was answered

    answer = next((found for found in map(outside, ROOM_MS) if found), None)
    expect(answer is not None, "this machine is too slow for the check")
    expect_unauthorized(venue, answer, "beyond 45 s ahead")


@check(
    "nonce of a future timestamp",
    "5A, 8A",
    "still refused 45 s after its use, as long as its timestamp is inside the window",
)
def future_nonce(venue: Venue) -> None:
    request, used_at = venue.left("future request")
    time.sleep(max(0.0, 46 - (time.monotonic() - used_at)))
    expect_unauthorized(venue, venue.trader.get(URI, **request), "the request of before")


@check(
    "per-token minimum of cash",
    "8A",
    "a deposit below minAmount is not made: refused with a clear error, or reverted",
)
def minimum(venue: Venue) -> None:
    half = str(Decimal(venue.left("usdc config")["minAmount"]) / 2)
    answer = venue.trader.post("/api/v1/cash/deposits/calldata", venue.cash_move(half))
    if answer.body["code"] == 200:
        venue.chain.expect_revert(venue.user, venue.router, answer.data["callData"])
    else:
        expect_error(answer, "tokenAmount")
    venue.build("cash/deposits/calldata", venue.cash_move(str(venue.left("usdc config")["minAmount"])), cash.DEPOSIT)


@check("page size", "4A", "1 to 100 rows, 10 when unset; page 1 when unset; below 1 counts as unset")
def page_size(venue: Venue) -> None:
    total = len(venue.rows("orders"))
    sizes = {"": 10, "?limit=0": 10, "?limit=-5&page=-1": 10, "?limit=3&page=0": 3, "?limit=500": 100}
    for query, rows in sizes.items():
        data = venue.trader.get(f"/api/v1/orders{query}").data
        expect_equal((data["total"], len(data["rows"])), (total, min(rows, total)), f"total and rows of {query!r}")


@check("all 43 endpoints", "4A", "each has answered with code 200 in this run")
def all_endpoints(venue: Venue) -> None:
    expect_equal(len(ENDPOINTS), 43, "the number of endpoints")
    expect_equal([one for one in ENDPOINTS if one not in venue.answered], [], "the list of those that have not")
