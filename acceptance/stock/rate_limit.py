"""The rate limit. It runs alone, since it leaves this address refused for up to a minute."""

import threading
import time
from collections import Counter

from api import Answer
from framework import check, eventually, expect, expect_equal
from venue import Venue

PER_MINUTE = 1200
THREADS = 8
GIVE_UP_AFTER_SEC = 600
URI = "/api/v1/corporate-action"


@check(
    "rate limit",
    "8A (not shown; 1,200 a minute)",
    "1,200 requests of a minute pass and no more than that; then HTTP 429 with the envelope",
)
def rate_limit(venue: Venue) -> None:
    first = venue.trader.get(URI)
    if first.headers.get("ratelimit-remaining") != str(PER_MINUTE - 1):
        # What was asked before does not count any more after that.
        time.sleep(int(first.headers.get("ratelimit-reset", "60")) + 1)
        first = venue.trader.get(URI)
    statuses: Counter[int] = Counter([first.status])
    refusals: list[Answer] = []
    started = time.monotonic()

    def ask() -> None:
        client = venue.trader
        while not refusals and time.monotonic() - started < GIVE_UP_AFTER_SEC:
            answer = client.get(URI)
            statuses[answer.status] += 1
            if answer.status != 200:
                refusals.append(answer)

    threads = [threading.Thread(target=ask) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took_sec = time.monotonic() - started
    expect(bool(refusals), f"{statuses[200]} requests in {took_sec:.0f} s, and none was refused")
    answer = refusals[0]
    expect_equal(answer.status, 429, f"the status of {answer}: it")
    expect(answer.body["code"] != 200 and len(answer.body["errMsg"]) > 5, str(answer))
    expect("uuid" in answer.body, str(answer))
    # A window that turns while the burst runs admits a second allowance; a slow machine needs more windows.
    windows = int(took_sec / 60) + 2
    expect(PER_MINUTE <= statuses[200] <= PER_MINUTE * windows, f"{statuses[200]} passed in {took_sec:.0f} s")
    venue.leave("refused", answer)


@check("after the rate limit", "8A", "retry-after tells when requests pass again, and after about a minute they do")
def passes_again(venue: Venue) -> None:
    answer = venue.left("refused")
    wait = answer.headers.get("retry-after", "")
    expect(wait.isdigit() and 0 < int(wait) <= 60, f"retry-after is {wait!r}")
    time.sleep(int(wait))
    eventually(lambda: venue.trader.get(URI).status, lambda status: status == 200, "a request that passes")
