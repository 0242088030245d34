"""The end of One Click, and that every operation of the table was seen to succeed."""

import time

from endpoints import ENDPOINTS
from framework import check, expect_equal
from one_click import sends, until
from venue import Venue, expect_refused


@check("disable", "1B, sheet 2A.0", "the status becomes disabled; every later send is refused: HTTP 403, code 40302")
def disable(venue: Venue) -> None:
    venue.one_click.post("1ct/disable").data
    until(venue, "disabled")
    for path in ("order/market", "order/limit", "account/deposit", "account/withdraw"):
        expect_refused(venue.one_click.post(path, sends(venue)[path]), 403, 40302, "1ct/enable")
    venue.other.post("1ct/disable").data


@check("after the rate limit of a key", "8B", "Retry-After tells when the key's requests pass again")
def passes_again(venue: Venue) -> None:
    client, passes_at = venue.left("limited")
    time.sleep(max(0, passes_at - time.monotonic()))
    client.get("market/serverTime").data


@check("whole table", "4B, sheet 2A.0", "each of the 42 of the table has answered with code 0 in this run")
def whole_table(venue: Venue) -> None:
    expect_equal(len(ENDPOINTS), 42, "the number of operations")
    missing = [one for one in ENDPOINTS if one not in venue.http.answered]
    expect_equal(missing, [], "the list of those that have not")
