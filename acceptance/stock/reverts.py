"""Transactions that the API builds without a question and the chain reverts, and each one's way out."""

import contextlib
from decimal import Decimal

import cash
import stock_moves
from chain import UNLIMITED, RpcError, succeeded
from framework import check, eventually, expect, expect_equal
from orders import LIMIT, MARKET
from venue import WAD, Venue
from with_deposit import MARKET_BUY, MARKET_SELL, PATH, with_cash, with_stock


def reverts(venue: Venue, user: str, result: dict) -> None:
    venue.chain.expect_revert(user, result["toAddress"], result["callData"])


@check(
    "revert: deposit without allowance",
    "7A reverts",
    "reverts; the same calldata succeeds once the StockRouter is allowed to take the token",
)
def deposit_allowance(venue: Venue) -> None:
    venue.allow(venue.usdc, 0)
    result = venue.build("cash/deposits/calldata", venue.cash_move("10"), cash.DEPOSIT)
    reverts(venue, venue.user, result)
    venue.allow(venue.usdc, 10 * 10**6)
    venue.submit(result)


@check("revert: deposit above the wallet's balance", "7A reverts", "reverts, though all is allowed; likewise for stock")
def deposit_balance(venue: Venue) -> None:
    venue.allow(venue.usdc)
    too_much = str(venue.wallet(venue.usdc, venue.user) // 10**6 + 1)
    reverts(venue, venue.user, venue.build("cash/deposits/calldata", venue.cash_move(too_much), cash.DEPOSIT))
    venue.allow(venue.aapl)
    too_much = str(venue.wallet(venue.aapl, venue.user) // WAD + 1)
    move = venue.stock_move(too_much)
    reverts(venue, venue.user, venue.build("stock/deposits/calldata", move, stock_moves.DEPOSIT))


@check("revert: withdrawal of more than there is", "7A reverts", "of cash and of stock: reverts")
def withdrawals(venue: Venue) -> None:
    too_much = str(venue.m_usd_wad(venue.user) // WAD + 1)
    reverts(venue, venue.user, venue.build("cash/withdrawals/calldata", venue.cash_move(too_much), cash.WITHDRAW))
    too_much = str(venue.exchange_wad(venue.user) // WAD + 1)
    move = venue.stock_move(too_much)
    reverts(venue, venue.user, venue.build("stock/withdrawals/calldata", move, stock_moves.WITHDRAW))


@check(
    "revert: buy with insufficient mUsdBalance",
    "7A reverts",
    "a market and a limit buy for more than the balance revert",
)
def buy(venue: Venue) -> None:
    too_much = venue.m_usd_wad(venue.user) // WAD + 1
    reverts(venue, venue.user, venue.build("orders/calldata", venue.market("Buy", str(too_much)), MARKET))
    quantity = str(int(too_much / venue.price() / Decimal("0.9")) + 1)
    reverts(venue, venue.user, venue.build("orders/calldata", venue.limit("Buy", quantity, "0.9"), LIMIT))


@check(
    "revert: sell with insufficient exchangeBalance",
    "4A payloads, 7A reverts",
    "reverts, also when the wallet has the stock",
)
def sell(venue: Venue) -> None:
    held = venue.exchange_wad(venue.user)
    quantity = str(Decimal(held + 10**15) / WAD)
    expect(venue.wallet(venue.aapl, venue.user) >= 10**15, "the wallet has no stock for this check")
    reverts(venue, venue.user, venue.build("orders/calldata", venue.market("Sell", quantity), MARKET))
    reverts(venue, venue.user, venue.build("orders/calldata", venue.limit("Sell", quantity, "1.1"), LIMIT))


@check(
    "revert: sell with deposit without allowance",
    "4A payloads, 7A reverts",
    "reverts; the same calldata succeeds with it",
)
def sell_with_deposit_allowance(venue: Venue) -> None:
    venue.allow(venue.aapl, 0)
    result = venue.build(PATH, with_stock(venue.market("Sell", "0.01"), "0.01"), MARKET_SELL)
    reverts(venue, venue.user, result)
    venue.allow(venue.aapl)
    venue.submit(result)


@check(
    "revert: sell with deposit without the stock",
    "4A payloads, 7A reverts",
    "reverts when the wallet has less than its deposit",
)
def sell_with_deposit_balance(venue: Venue) -> None:
    too_much = str(venue.wallet(venue.aapl, venue.user) // WAD + 1)
    reverts(venue, venue.user, venue.build(PATH, with_stock(venue.market("Sell", "0.01"), too_much), MARKET_SELL))


@check("revert: buy with deposit without allowance", "4A payloads, 8A", "reverts")
def buy_with_deposit_allowance(venue: Venue) -> None:
    venue.allow(venue.usdc, 0)
    reverts(venue, venue.user, venue.build(PATH, with_cash(venue, venue.market("Buy", "100"), "150"), MARKET_BUY))
    venue.allow(venue.usdc)


@check(
    "revert: limit order with another timeInForce",
    "4A payloads, 7A reverts, 8A",
    "DAY's calldata with any other value in its place reverts",
)
def time_in_force(venue: Venue) -> None:
    result = venue.build("orders/calldata", venue.limit("Buy", "1", "0.5"), LIMIT)
    data = result["callData"]
    at = 2 + 8 + 3 * 64
    expect_equal(int(data[at : at + 64], 16), 0, "timeInForce in the calldata")
    for other in (1, 2, 3, 4, 5, 6, 7, 8, 255):
        changed = f"{data[:at]}{other:064x}{data[at + 64 :]}"
        venue.chain.expect_revert(venue.user, venue.router, changed)


@check(
    "revert: expired deadline",
    "7A reverts",
    "calldata that is sent after its deadline reverts; before, it would not have",
)
def deadline(venue: Venue) -> None:
    for seconds in (15, 60, 240):  # as long as this machine needs to build and to try
        terms = {**venue.market("Buy", "10"), "deadline": venue.deadline(seconds)}
        result = venue.build("orders/calldata", terms, MARKET)
        call = {"from": venue.user, "to": venue.router, "data": result["callData"]}
        with contextlib.suppress(RpcError):
            venue.chain.rpc("eth_call", call)
            break
        expect(venue.chain.time_sec() > terms["deadline"], "it reverts before its deadline too")
    else:
        expect(False, "this machine is too slow for the check")
    eventually(venue.chain.time_sec, lambda now: now > terms["deadline"], "the deadline on the chain's clock", 600)
    reverts(venue, venue.user, result)


@check(
    "out of gas",
    "7A reverts",
    "with too low a limit it fails with gasUsed equal to it; with twice the estimate it succeeds",
)
def out_of_gas(venue: Venue) -> None:
    result = venue.build("orders/calldata", venue.market("Buy", "10"), MARKET)
    estimate = int(
        venue.chain.rpc("eth_estimateGas", {"from": venue.user, "to": venue.router, "data": result["callData"]}), 16
    )
    low = estimate // 3
    receipt = venue.chain.expect_revert(venue.user, venue.router, result["callData"], low)
    used = int(receipt["gasUsed"], 16)
    expect(low * 97 // 100 <= used <= low, f"gasUsed is {used}, the limit {low}")
    expect(succeeded(venue.submit(result)[1]), "it fails with twice the estimate too")


@check(
    "wrong chain",
    "5A, 7A reverts",
    "calldata names the chain of x-api-chain-id, and a wallet on another one cannot send it",
)
def wrong_chain(venue: Venue) -> None:
    result = venue.build("cash/deposits/calldata", venue.cash_move("10"), cash.DEPOSIT)
    expect_equal(result["chainId"], int(venue.chain.rpc("eth_chainId"), 16), "chainId of the calldata")
    call = {"from": venue.user, "to": venue.router, "data": result["callData"], "gas": hex(10**6)}
    try:
        sent = venue.chain.rpc("eth_sendTransaction", {**call, "chainId": hex(venue.chain_id + 1)})
    except RpcError:
        return
    expect(False, f"the node took {sent} for another chain")


@check("reverted transaction that is recorded", "6A", "its operation becomes failed, and no balance follows from it")
def recorded_revert(venue: Venue) -> None:
    venue.allow(venue.usdc, 0)
    result = venue.build("cash/deposits/calldata", venue.cash_move("10"), cash.DEPOSIT)
    tx_hash = venue.chain.send(venue.user, venue.router, result["callData"], 10**6)
    expect(not succeeded(venue.chain.receipt(tx_hash)), "the deposit succeeded without an allowance")
    venue.allow(venue.usdc, UNLIMITED)
    answer = venue.record(cash.DEPOSITS, tx_hash)
    if answer.body["code"] != 200:
        expect(answer.body["code"] != 401 and len(answer.body["errMsg"]) > 5, str(answer))
        return
    eventually(
        lambda: venue.row(cash.DEPOSITS, tx_hash),
        lambda row: row and row["operationStatus"] == "failed",
        "operationStatus failed",
    )
