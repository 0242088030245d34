"""Stock between wallet and exchange."""

from decimal import Decimal

from chain import block_of
from framework import check, expect, expect_equal, expect_fields
from venue import WAD, Venue

DEPOSIT = "depositStock(address,uint256)"
WITHDRAW = "withdrawStock(address,uint256)"
DEPOSITS = "stock/deposits"
WITHDRAWALS = "stock/withdrawals"


@check(
    "stock withdrawal",
    "1A, 4A stock",
    "exchangeBalance goes down and walletBalance up by it; the operation has an operationId and success",
)
def withdrawal(venue: Venue) -> None:
    _moves(venue, WITHDRAWALS, WITHDRAW, "6", 1)


@check(
    "stock deposit",
    "1A, 4A stock",
    "with an allowance, walletBalance goes down and exchangeBalance up by it; likewise",
)
def deposit(venue: Venue) -> None:
    venue.allow(venue.aapl)
    _moves(venue, DEPOSITS, DEPOSIT, "1.5", -1)


def _moves(venue: Venue, path: str, signature: str, amount: str, to_wallet: int) -> None:
    wallet, exchange = venue.wallet(venue.aapl, venue.user), venue.exchange_wad(venue.user)
    tx_hash, receipt = venue.submit(venue.build(f"{path}/calldata", venue.stock_move(amount), signature))
    expect_equal(venue.record(path, tx_hash).data["txHash"], tx_hash, "txHash of the record")
    detail = venue.operation(path, tx_hash, "success")
    expect_fields(detail, "operationId", "operationStatus", "txHash")
    expect_equal(detail["txHash"], tx_hash, "txHash of the detail")
    moved = int(Decimal(amount) * WAD) * to_wallet
    block = block_of(receipt)
    expect_equal(venue.wallet(venue.aapl, venue.user, block) - wallet, moved, "the change of the wallet, in wad")
    expect_equal(venue.exchange_wad(venue.user) - exchange, -moved, "the change at the exchange, in wad")
    venue.leave(path, {"txHash": tx_hash, "operationId": detail["operationId"]})


@check(
    "stock operationId",
    "2A, 6A",
    "an identifier of the API: in no event of the transaction, and different for each operation",
)
def operation_id(venue: Venue) -> None:
    moves = [venue.left(path) for path in (DEPOSITS, WITHDRAWALS)]
    for move in moves:
        logs = venue.chain.receipt(move["txHash"])["logs"]
        identifier = move["operationId"].removeprefix("0x").lower()
        expect(not any(identifier in (log["data"] + "".join(log["topics"])).lower() for log in logs), f"{logs}")
    expect(moves[0]["operationId"] != moves[1]["operationId"], f"both are {moves[0]['operationId']}")


@check(
    "lists of stock operations",
    "4A stock",
    "each of the key's operations once; another key's lists have none, and may not record them",
)
def lists(venue: Venue) -> None:
    for path in (DEPOSITS, WITHDRAWALS):
        move = venue.left(path)
        venue.record(path, move["txHash"]).data
        rows = venue.rows(path)
        for row in rows:
            expect_fields(row, "operationId", "operationStatus", "txHash")
        expect_equal([row["operationId"] for row in rows].count(move["operationId"]), 1, f"its rows in {path}")
        for name in ("other_wallet", "same_wallet"):
            client = venue.api(name)
            answer = venue.record(path, move["txHash"], client)
            expect(answer.status == 400 and answer.body["code"] not in (200, 401), f"{name}: {answer}")
            expect_equal(venue.rows(path, client), [], f"{path} of the key {name}")


@check(
    "stock at the cash endpoints",
    "4A stock",
    "cash endpoints refuse a stock token, stock endpoints refuse cash, each with a clear error",
)
def crossed(venue: Venue) -> None:
    for path, body in (
        ("cash/deposits", venue.stock_move("1")),
        ("cash/withdrawals", venue.stock_move("1")),
        ("stock/deposits", venue.cash_move("1")),
        ("stock/withdrawals", venue.cash_move("1")),
    ):
        answer = venue.trader.post(f"/api/v1/{path}/calldata", body)
        expect(answer.status == 400 and answer.body["code"] not in (200, 401), str(answer))
        expect(len(answer.body["errMsg"]) > 5, str(answer))
