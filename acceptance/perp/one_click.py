"""One Click: prepare, sign, enable, sends on a wallet's behalf, idempotency, disable."""

import json
import threading

from api import BASE, Api, compact, now_ms
from framework import check, eventually, expect, expect_equal, expect_fields
from venue import BTC, LONG, SHORT, WAD, Venue, expect_refused

UNIT = 10**6


def status(venue: Venue) -> str:
    data = venue.one_click.get("1ct/status").data
    expect_fields(data, "status", "delegatee")
    return data["status"]


def until(venue: Venue, wanted: str) -> None:
    eventually(lambda: status(venue), lambda found: found == wanted, f"1ct/status {wanted}")


def enable(venue: Venue, wallet: str, client: Api) -> None:
    deadline = venue.deadline()
    payload = client.post("1ct/prepare", {"deadline": deadline}).data["signPayload"]
    client.post("1ct/enable", {"signature": venue.sign_typed(wallet, payload), "deadline": deadline}).data
    eventually(lambda: client.get("1ct/status").data["status"], lambda found: found == "enable", f"One Click of {wallet}")


def fund(venue: Venue, wallet: str, amount: str) -> None:
    venue.chain.approve(wallet, venue.usdc, venue.gate, 2**256 - 1)
    built = venue.of(wallet).post("account/deposit", {"quote": "USDC", "amount": amount, "build": True}).data
    venue.submit("order/submit", wallet, built["transaction"])


def grown(venue: Venue, before: int, size: int) -> None:
    """Waits until the position has grown, and for some blocks more: by exactly that size, and not by it twice."""
    wallet = venue.one_click_wallet
    eventually(lambda: venue.size(wallet), lambda found: found != before, "the position grown")
    venue.until_indexed(int(venue.chain.rpc("eth_blockNumber"), 16) + 2)
    expect_equal(venue.size(wallet) - before, size, "what the position grew by")


def sends(venue: Venue) -> dict[str, dict]:
    """A body for each operation that sends."""
    pair = venue.pair()
    order = {"orderId": "1"}
    limit = {**pair, "size": "0.01", "price": "60000", "side": 2, "leverage": "5"}
    return {
        "order/market": venue.market(LONG, "0.01"),
        "order/limit": limit,
        "order/scaled": {**pair, "size": "0.03", "prices": ["60000", "61000"], "side": 2, "leverage": "5"},
        "order/cancel": {**pair, **order},
        "order/batch-cancel": {**pair, "all": True},
        "order/fill": {**pair, **order},
        "position/close": {**pair, "slippageBps": 100},
        "position/adjust": {**pair, "leverage": "3"},
        "position/margin": {**pair, "amount": "10", "type": "add"},
        "liquidity/add": {**pair, "amount": "1000", "alphaLower": "1.2", "alphaUpper": "1.2", "slippageBps": 100},
        "liquidity/remove": {**pair, "tickLower": 0, "tickUpper": 50, "slippageBps": 100},
        "account/deposit": {"quote": "USDC", "amount": "10"},
        "account/withdraw": {"quote": "USDC", "amount": "10"},
    }


@check("One Click status at first", "1B, sheet 2A.0", "disabled, with the delegatee that a wallet would allow")
def at_first(venue: Venue) -> None:
    if status(venue) == "enable":  # of an earlier run
        venue.one_click.post("1ct/disable").data
        until(venue, "disabled")
    expect_equal(status(venue), "disabled", "status")


@check(
    "sends before One Click",
    "sheet 2A.0",
    "all 13 are refused, and what names nothing else of the wallet by HTTP 403, code 40302",
)
def sends_before(venue: Venue) -> None:
    for path, body in sends(venue).items():
        answer = venue.one_click.post(path, body)
        if answer.body["code"] != 40401:  # that there is no such order, position or range is as true
            expect_refused(answer, 403, 40302, "1ct/enable")


@check(
    "prepare",
    "1B, sheet 4.2",
    "EIP-712 payload of the wallet, the delegatee, the nonce and the deadline; changes nothing",
)
def prepare(venue: Venue) -> None:
    deadline = venue.deadline()
    data = venue.one_click.post("1ct/prepare", {"deadline": deadline}).data
    expect_fields(data, "delegatee", "signPayload", "nonce", "deadline")
    payload = data["signPayload"]
    expect_equal(payload["primaryType"], "Delegate", "primaryType")
    expect_equal((payload["domain"]["name"], int(payload["domain"]["chainId"])), ("OneClickRouter", venue.chain_id), "domain")
    message = payload["message"]
    expect_equal(message["user"].lower(), venue.one_click_wallet, "message.user")
    expect_equal((message["delegatee"].lower(), int(message["deadline"])), (data["delegatee"].lower(), deadline), "message")
    expect_equal(status(venue), "disabled", "status")
    past = venue.one_click.post("1ct/prepare", {"deadline": venue.chain.time_sec() - 10})
    expect_refused(past, 400, 40001, "deadline")


@check(
    "enable by another wallet",
    "1B",
    "a signature of another wallet, or of another deadline, is refused; stays disabled",
)
def enable_other(venue: Venue) -> None:
    deadline = venue.deadline()
    payload = venue.one_click.post("1ct/prepare", {"deadline": deadline}).data["signPayload"]
    stranger = venue.sign_typed(venue.other_wallet, payload)
    own = venue.sign_typed(venue.one_click_wallet, payload)
    tries = {"stranger": (stranger, deadline), "other deadline": (own, deadline + 1), "no signature": ("0x12", deadline)}
    for what, (signature, until_sec) in tries.items():
        answer = venue.one_click.post("1ct/enable", {"signature": signature, "deadline": until_sec})
        expect(answer.status == 400 and answer.body["code"] == 40001, f"{what}: {answer}")
    expect_equal(status(venue), "disabled", "status")


@check("enable", "1B", "with the wallet's own signature the status becomes enable, as the router has it")
def enabled(venue: Venue) -> None:
    fund(venue, venue.one_click_wallet, "60000")
    fund(venue, venue.other_wallet, "200000")
    enable(venue, venue.one_click_wallet, venue.one_click)
    enable(venue, venue.other_wallet, venue.other)


@check("enable again", "1B", "the signature that was used is refused: its nonce is spent")
def enable_again(venue: Venue) -> None:
    deadline = venue.deadline()
    payload = venue.one_click.post("1ct/prepare", {"deadline": deadline}).data["signPayload"]
    old = {**payload, "message": {**payload["message"], "nonce": 0}}
    expect(int(payload["message"]["nonce"]) > 0, f"the nonce is still {payload['message']['nonce']}")
    signature = venue.sign_typed(venue.one_click_wallet, old)
    answer = venue.one_click.post("1ct/enable", {"signature": signature, "deadline": deadline})
    expect_refused(answer, 400, 40001, "signature")


@check("deposit and withdraw by One Click", "1B", "exactly the amount moves between the wallet and its own reserve")
def money(venue: Venue) -> None:
    wallet = venue.one_click_wallet
    before = (venue.tokens(wallet), venue.reserve(wallet))
    venue.by_one_click("account/deposit", {"quote": "USDC", "amount": "100.25"})
    moved = 100_250_000
    expect_equal((venue.tokens(wallet), venue.reserve(wallet)), (before[0] - moved, before[1] + moved), "after the deposit")
    venue.by_one_click("account/withdraw", {"quote": "USDC", "amount": "100.25"})
    expect_equal((venue.tokens(wallet), venue.reserve(wallet)), before, "after the withdrawal")


@check(
    "market order by One Click",
    "1B, sheet 2A.2",
    "long and short: txHash; the wallet's position is the ordered size, the other's untouched",
)
def market(venue: Venue) -> None:
    wallet, others = venue.one_click_wallet, venue.size(venue.wallet)
    nonce = venue.nonce(wallet)
    before = venue.size(wallet)
    receipt = venue.by_one_click("order/market", venue.market(LONG, "0.2"))
    expect_equal(venue.size(wallet) - before, WAD // 5, "what the long added")
    venue.by_one_click("order/market", venue.market(SHORT, "0.05"))
    expect_equal(venue.size(wallet) - before, WAD * 15 // 100, "what the short left")
    expect_equal(venue.nonce(wallet), nonce, "the wallet's nonce: it sends nothing itself, and")
    expect_equal(venue.size(venue.wallet), others, "another wallet's position")
    venue.leave("one click trade", receipt["transactionHash"])


@check("the same signed request again", "design: nonce of writes", "answers the same hash and is done once")
def replay(venue: Venue) -> None:
    before, ts = venue.size(venue.one_click_wallet), now_ms()
    client = venue.one_click
    body = venue.market(LONG, "0.01")
    answers = []
    for _ in range(3):
        answer = client.send("POST", f"{BASE}order/market", json.dumps(body), signed_body=compact(body), ts=ts)
        answers.append(answer.data)
    expect_equal(len({answer["sendId"] for answer in answers}), 1, f"the number of sends of {answers}:")
    grown(venue, before, WAD // 100)
    expect_equal(venue.size(venue.one_click_wallet) - before, WAD // 100, "what the position grew by")


@check("Idempotency-Key", "sheet 2A.0", "the same key and body: the first answer, Idempotent-Replayed: true; done once")
def idempotency(venue: Venue) -> None:
    before, client = venue.size(venue.one_click_wallet), venue.one_click
    key = {"Idempotency-Key": f"key-{now_ms()}"}
    first = client.post("order/market", venue.market(LONG, "0.01"), key)
    grown(venue, before, WAD // 100)
    again = client.post("order/market", venue.market(LONG, "0.01"), key)
    expect_equal(again.data["sendId"], first.data["sendId"], "the send")
    expect(first.data["txHash"] in (None, again.data["txHash"]), f"{first} and then {again}")
    expect_equal(again.headers.get("idempotent-replayed"), "true", "idempotent-replayed")
    expect("idempotent-replayed" not in first.headers, "the first answer calls itself a replay")
    other = client.post("order/market", venue.market(LONG, "0.02"), key)
    expect_refused(other, 400, 42201)
    expect_equal(venue.size(venue.one_click_wallet) - before, WAD // 100, "what the position grew by")


@check("Idempotency-Key at once", "sheet 2A.0", "eight equal requests together: one hash, done once")
def idempotency_at_once(venue: Venue) -> None:
    before, client, ts = venue.size(venue.one_click_wallet), venue.one_click, now_ms()
    key, body = {"Idempotency-Key": f"together-{ts}"}, venue.market(LONG, "0.01")
    path, signed, answers = f"{BASE}order/market", compact(body), []

    def ask(nth: int) -> None:
        # Each signed for a time of its own: signed for the same one they would be one request with one answer.
        answers.append(client.send("POST", path, json.dumps(body), signed_body=signed, ts=ts + nth, headers=key))

    threads = [threading.Thread(target=ask, args=(nth,)) for nth in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect_equal(len(answers), 8, "the number of answers")
    sent = {answer.data["sendId"] for answer in answers}
    expect_equal(len(sent), 1, f"the number of sends {sent}:")
    grown(venue, before, WAD // 100)


@check(
    "gasLimit of a send",
    "sheet 2A.2",
    "is that of the transaction; one that is too low is refused before anything is sent",
)
def gas_limit(venue: Venue) -> None:
    receipt = venue.by_one_click("order/market", venue.market(LONG, "0.01", gasLimit=3_000_000))
    sent = venue.chain.rpc("eth_getTransactionByHash", receipt["transactionHash"])
    expect_equal(int(sent["gas"], 16), 3_000_000, "the gas limit of the transaction")
    low = venue.one_click.post("order/market", venue.market(LONG, "0.01", gasLimit=30_000))
    expect_refused(low, 400, 40001, "gas")


@check("what the chain would revert", "sheet 1.7", "code 40003 with the revert's name and a sentence; nothing is sent")
def would_revert(venue: Venue) -> None:
    before = venue.size(venue.one_click_wallet)
    huge = venue.one_click.post("order/market", venue.market(LONG, "30", leverage="10", slippageBps=9000))
    expect_refused(huge, 400, 40003)
    small = venue.one_click.post("order/limit", venue.limit(LONG, "0.0001", "0.97"))
    expect_refused(small, 400, 40003, "OrderTrivial")
    expect_equal(venue.size(venue.one_click_wallet), before, "the position")


@check("close by One Click", "1B", "leaves no position, and frees its margin")
def close(venue: Venue) -> None:
    before = venue.reserve(venue.one_click_wallet)
    venue.by_one_click("position/close", {**venue.pair(BTC), "slippageBps": 500})
    expect_equal(venue.position(venue.one_click_wallet), None, "the position")
    expect(venue.reserve(venue.one_click_wallet) > before + 100 * UNIT, "its margin is not free")
