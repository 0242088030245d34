"""One Click: prepare, sign, enable, the seven sends, disable."""

import time
from decimal import Decimal
from typing import Any

from api import Answer, Api
from framework import check, eventually, expect, expect_equal, expect_fields
from orders import is_history, is_open
from venue import WAD, Venue, order_id_of
from with_deposit import with_cash, with_stock

GAS_LIMIT = 2_500_000
DELEGATE = [
    {"name": "user", "type": "address"},
    {"name": "delegatee", "type": "address"},
    {"name": "nonce", "type": "uint64"},
    {"name": "deadline", "type": "uint32"},
]
DOMAIN = [
    {"name": "name", "type": "string"},
    {"name": "version", "type": "string"},
    {"name": "chainId", "type": "uint256"},
    {"name": "verifyingContract", "type": "address"},
]


def client(venue: Venue) -> Api:
    return venue.api("one_click")


def status(venue: Venue) -> str:
    return client(venue).get("/api/v1/1ct/status").data["status"]


def until_status(venue: Venue, wanted: str) -> None:
    eventually(lambda: status(venue), lambda found: found == wanted, f"status {wanted}")


def prepare(venue: Venue, deadline: int) -> dict[str, Any]:
    return client(venue).post("/api/v1/1ct/prepare", {"deadline": deadline}).data


def sign(venue: Venue, payload: dict[str, Any], wallet: str) -> str:
    """What a wallet answers to eth_signTypedData_v4, which wants the type of the domain too."""
    typed = {**payload, "types": {"EIP712Domain": DOMAIN, **payload["types"]}}
    return venue.chain.rpc("eth_signTypedData_v4", wallet, typed)


def enable(venue: Venue, signature: str, deadline: int) -> Answer:
    return client(venue).post("/api/v1/1ct/enable", {"signature": signature, "deadline": deadline})


def send_bodies(venue: Venue) -> dict[str, dict[str, Any]]:
    """A body for each send that has one."""
    move = {"tokenAddress": venue.usdc, "tokenAmount": "10"}
    stock = {"tokenAddress": venue.aapl, "tokenAmount": "0.1"}
    return {
        "orders": venue.market("Buy", "100"),
        "orders/with-deposit": with_cash(venue, venue.market("Buy", "100"), "150"),
        "cash/deposits": move,
        "cash/withdrawals": move,
        "stock/deposits": stock,
        "stock/withdrawals": stock,
    }


def expect_refused(answer: Answer, what: str) -> None:
    expect(answer.status == 400 and answer.body["code"] not in (200, 401), f"{what}: {answer}")
    expect(len(answer.body["errMsg"]) > 5, f"{what}: {answer}")


def expect_sends_refused(venue: Venue, name: str) -> None:
    for path, body in send_bodies(venue).items():
        expect_refused(venue.api(name).post(f"/api/v1/{path}/send", body), path)


@check("One Click status at first", "4A One Click", "disabled, as the router has it")
def status_disabled(venue: Venue) -> None:
    if status(venue) == "enable":  # left by an earlier run on the same venue
        client(venue).post("/api/v1/1ct/disable", {}).data
    until_status(venue, "disabled")


@check(
    "send while One Click is not enabled",
    "3A, 7A",
    "each send is refused with a clear error, and nothing is recorded",
)
def send_not_enabled(venue: Venue) -> None:
    expect_sends_refused(venue, "one_click")
    for path in ("orders", "cash/deposits", "cash/withdrawals", "stock/deposits", "stock/withdrawals"):
        expect_equal(venue.rows(path, client(venue)), [], f"the list {path}")


@check(
    "send with a key that has no bound wallet",
    "5A One Click, 7A",
    "each send is refused with a clear error that speaks of the key's address",
)
def send_unbound(venue: Venue) -> None:
    expect_sends_refused(venue, "unbound")
    answer = venue.api("unbound").post("/api/v1/orders/send", venue.market("Buy", "100"))
    expect(any(word in answer.body["errMsg"].lower() for word in ("bound", "useraddress", "wallet")), str(answer))


@check(
    "prepare",
    "2A, 4A One Click",
    "a signPayload whose message.user is the bound wallet, with the deadline asked for; no state change",
)
def prepared(venue: Venue) -> None:
    deadline = venue.deadline()
    result = prepare(venue, deadline)
    expect_fields(result, "delegatee", "signPayload", "nonce", "deadline")
    payload = result["signPayload"]
    message = payload["message"]
    expect_equal(message["user"].lower(), venue.one_click_user.lower(), "message.user")
    expect_equal((int(message["deadline"]), result["deadline"]), (deadline, deadline), "deadline")
    expect_equal((payload["primaryType"], payload["types"]["Delegate"]), ("Delegate", DELEGATE), "the type")
    domain = payload["domain"]
    expect_equal((domain["name"], domain["version"]), ("OneClickRouter", "1"), "the domain")
    expect_equal(domain["chainId"], venue.chain_id, "chainId of the domain")
    expect_equal(domain["verifyingContract"].lower(), venue.contracts["OneClickRouter"].lower(), "verifyingContract")
    expect_equal(status(venue), "disabled", "the status after prepare")


@check("prepare with a deadline in the past", "8A", "a clear validation error that names the deadline")
def prepare_expired(venue: Venue) -> None:
    answer = client(venue).post("/api/v1/1ct/prepare", {"deadline": int(time.time()) - 60})
    expect_refused(answer, "prepare")
    expect("deadline" in answer.body["errMsg"], str(answer))


@check(
    "enable with another wallet's signature",
    "3A, 7A",
    "a clear validation error that names the signature; the state stays not enabled",
)
def enable_wrong_wallet(venue: Venue) -> None:
    deadline = venue.deadline()
    signature = sign(venue, prepare(venue, deadline)["signPayload"], venue.other_user)
    answer = enable(venue, signature, deadline)
    expect_refused(answer, "enable")
    expect("sign" in answer.body["errMsg"].lower(), str(answer))
    expect_equal(status(venue), "disabled", "the status")


@check(
    "enable with an expired deadline",
    "3A, 7A",
    "rightly signed, yet a clear validation error that names the deadline; stays not enabled",
)
def enable_expired(venue: Venue) -> None:
    payload = prepare(venue, venue.deadline())["signPayload"]
    expired = int(time.time()) - 60
    payload["message"]["deadline"] = expired
    answer = enable(venue, sign(venue, payload, venue.one_click_user), expired)
    expect_refused(answer, "enable")
    expect("deadline" in answer.body["errMsg"].lower(), str(answer))
    expect_equal(status(venue), "disabled", "the status")


@check("enable", "3A, 4A One Click", "with the wallet's own signature in time: enabled, recorded by the router")
def enabled(venue: Venue) -> None:
    deadline = venue.deadline()
    signature = sign(venue, prepare(venue, deadline)["signPayload"], venue.one_click_user)
    expect_fields(enable(venue, signature, deadline).data, "status")
    until_status(venue, "enable")
    venue.leave("enabled", True)


@check(
    "deposit send without an allowance",
    "7A",
    "a clear validation error that speaks of the allowance; the wallet keeps its tokens",
)
def send_not_approved(venue: Venue) -> None:
    venue.left("enabled")
    user = venue.one_click_user
    venue.allow(venue.usdc, 0, user)
    tokens = venue.wallet(venue.usdc, user)
    answer = client(venue).post("/api/v1/cash/deposits/send", {"tokenAddress": venue.usdc, "tokenAmount": "10"})
    expect_refused(answer, "deposit")
    expect(any(word in answer.body["errMsg"].lower() for word in ("allowance", "approve")), str(answer))
    expect_equal(venue.wallet(venue.usdc, user), tokens, "the wallet")


def send(venue: Venue, path: str, body: dict[str, Any], listed: str) -> dict[str, Any]:
    """Sends; answers the one new row of a list once it has a transaction and an id: it was recorded by itself."""
    before = {row["txHash"] for row in venue.rows(listed, client(venue))}
    nonce = int(venue.chain.rpc("eth_getTransactionCount", venue.one_click_user, "latest"), 16)
    client(venue).post(f"/api/v1/{path}/send", body).data

    def new_row() -> dict[str, Any] | None:
        found = [row for row in venue.rows(listed, client(venue)) if row["txHash"] not in before]
        expect(len(found) <= 1, f"{len(found)} new rows in {listed}: {found}")
        return found[0] if found and found[0]["txHash"] else None

    row = eventually(
        new_row, lambda one: one and (order_id_of(one) or one.get("operationId")), f"a new row in {listed} with its id"
    )
    sent = venue.chain.rpc("eth_getTransactionByHash", row["txHash"])
    expect(sent["from"].lower() != venue.one_click_user.lower(), "the user's own wallet sent the transaction")
    after = int(venue.chain.rpc("eth_getTransactionCount", venue.one_click_user, "latest"), 16)
    expect_equal(after, nonce, "the transaction count of the user's wallet")
    return row


def send_operation(venue: Venue, path: str, body: dict[str, Any]) -> dict[str, Any]:
    row = send(venue, path, body, path)
    return venue.operation(path, row["txHash"], "success", client(venue))


def send_order(venue: Venue, path: str, body: dict[str, Any], accept: Any) -> dict[str, Any]:
    venue.left("enabled")
    row = send(venue, path, body, "orders")
    order_id = order_id_of(row)
    return {"orderId": order_id, **venue.order(order_id, accept, f"{path}: {accept.__name__}", client(venue))}


@check("send: cash deposit", "4A cash", "submitted for the bound wallet, with a gasLimit, and recorded by itself")
def send_deposit(venue: Venue) -> None:
    venue.left("enabled")
    user = venue.one_click_user
    venue.allow(venue.usdc, user=user)
    tokens, cash = venue.wallet(venue.usdc, user), venue.m_usd_wad(user)
    send_operation(
        venue, "cash/deposits", {"tokenAddress": venue.usdc, "tokenAmount": "2000", "gasLimit": GAS_LIMIT}
    )
    expect_equal(tokens - venue.wallet(venue.usdc, user), 2000 * 10**6, "what left the wallet")
    expect(venue.m_usd_wad(user) > cash, "no mUSD was credited")


@check("send: cash withdrawal", "4A cash", "mUSD leaves the exchange, and the token comes to the bound wallet")
def send_withdrawal(venue: Venue) -> None:
    venue.left("enabled")
    user = venue.one_click_user
    tokens, cash = venue.wallet(venue.usdc, user), venue.m_usd_wad(user)
    send_operation(venue, "cash/withdrawals", {"tokenAddress": venue.usdc, "tokenAmount": "50"})
    expect_equal(cash - venue.m_usd_wad(user), 50 * WAD, "the mUSD that was deducted, in wad")
    expect(venue.wallet(venue.usdc, user) > tokens, "the wallet received nothing")


@check("send: order", "4A orders", "a market buy for the bound wallet fills")
def send_market_buy(venue: Venue) -> None:
    order = send_order(venue, "orders", {**venue.market("Buy", "1500"), "gasLimit": GAS_LIMIT}, is_history)
    expect_equal(order["orderStatus"], "Filled", "orderStatus")
    eventually(lambda: venue.exchange_wad(venue.one_click_user), lambda wad: wad > 0, "the stock on chain")


@check("send: stock withdrawal", "4A stock", "stock comes to the bound wallet")
def send_stock_withdrawal(venue: Venue) -> None:
    _send_stock(venue, "stock/withdrawals", "3", 1)


@check("send: stock deposit", "4A stock", "with an allowance, stock goes from the bound wallet to the exchange")
def send_stock_deposit(venue: Venue) -> None:
    venue.allow(venue.aapl, user=venue.one_click_user)
    _send_stock(venue, "stock/deposits", "1.25", -1)


def _send_stock(venue: Venue, path: str, amount: str, to_wallet: int) -> None:
    venue.left("enabled")
    user = venue.one_click_user
    wallet, exchange = venue.wallet(venue.aapl, user), venue.exchange_wad(user)
    send_operation(venue, path, {"tokenAddress": venue.aapl, "tokenAmount": amount})
    moved = int(Decimal(amount) * WAD) * to_wallet
    expect_equal(venue.wallet(venue.aapl, user) - wallet, moved, "the change of the wallet, in wad")
    expect_equal(venue.exchange_wad(user) - exchange, -moved, "the change at the exchange, in wad")


@check("send: order with deposit", "4A orders", "a buy brings its cash, a sell its stock; both fill")
def send_with_deposit(venue: Venue) -> None:
    for body in (
        with_cash(venue, venue.market("Buy", "100"), "150"),
        with_stock(venue.market("Sell", "0.5"), "0.5"),
    ):
        order = send_order(venue, "orders/with-deposit", {**body, "gasLimit": GAS_LIMIT}, is_history)
        expect_equal(order["orderStatus"], "Filled", f"orderStatus of the {body['side']}")


@check("send: cancel", "3A, 4A orders", "a resting limit order, itself sent, is canceled by its key")
def send_cancel(venue: Venue) -> None:
    order = send_order(venue, "orders", venue.limit("Buy", "1", "0.5"), is_open)
    uri = f"/api/v1/orders/{order['orderId']}/send"
    expect_refused(venue.trader.delete(uri), "another key's cancel")
    client(venue).delete(uri).data
    canceled = venue.order(order["orderId"], is_history, "the order as history", client(venue))
    expect_equal(canceled["orderStatus"], "Canceled", "orderStatus")


@check(
    "send for somebody else",
    "5A One Click",
    "a userAddress that is not the bound wallet is refused with a clear error",
)
def send_for_other(venue: Venue) -> None:
    venue.left("enabled")
    body = {"userAddress": venue.user, "tokenAddress": venue.usdc, "tokenAmount": "10"}
    for path in ("cash/deposits", "cash/withdrawals"):
        expect_refused(client(venue).post(f"/api/v1/{path}/send", body), path)


@check("disable", "3A, 4A One Click", "not enabled again; every later send is refused with a clear error")
def disabled(venue: Venue) -> None:
    venue.left("enabled")
    client(venue).post("/api/v1/1ct/disable", {}).data
    until_status(venue, "disabled")
    expect_sends_refused(venue, "one_click")
