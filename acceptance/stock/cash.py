"""Cash deposits and withdrawals, instant and queued."""

from decimal import Decimal

from chain import block_of
from framework import check, eventually, expect, expect_equal, expect_fields
from venue import WAD, Venue

DEPOSIT = "deposit(address,uint96)"
WITHDRAW = "withdraw(address,uint96)"
DEPOSITS = "cash/deposits"
WITHDRAWALS = "cash/withdrawals"


@check(
    "building calldata changes nothing",
    "1A, 4A cash",
    "no operation and no balance is different after it",
)
def build_only(venue: Venue) -> None:
    before = (venue.balance(venue.user), venue.rows(DEPOSITS), venue.rows(WITHDRAWALS))
    venue.build(f"{DEPOSITS}/calldata", venue.cash_move("500"), DEPOSIT)
    venue.build(f"{WITHDRAWALS}/calldata", venue.cash_move("500"), WITHDRAW)
    after = (venue.balance(venue.user), venue.rows(DEPOSITS), venue.rows(WITHDRAWALS))
    expect_equal(after[0]["mUsdBalance"], before[0]["mUsdBalance"], "mUsdBalance")
    expect_equal(held(after[0]), held(before[0]), "what wallet and exchange hold")
    expect_equal(after[1:], before[1:], "the lists of operations")


def held(balance: dict) -> list[tuple[str, str, str]]:
    return [(one["address"], one["walletBalance"], one["exchangeBalance"]) for one in balance["tokenBalances"]]


@check(
    "instant cash deposit",
    "3A, 4A cash",
    "calldata, transaction, record; at once success, with mUSD credited in its transaction",
)
def instant_deposit(venue: Venue) -> None:
    venue.allow(venue.usdc)
    before = venue.m_usd_wad(venue.user)
    result = venue.build(f"{DEPOSITS}/calldata", venue.cash_move("1234.56"), DEPOSIT)
    tx_hash, receipt = venue.submit(result)
    mapping = venue.record(DEPOSITS, tx_hash).data
    expect_equal(mapping["txHash"], tx_hash, "txHash of the record")
    detail = venue.operation(DEPOSITS, tx_hash, "success")
    expect_fields(detail, "operationId", "operationStatus", "txHash")
    operation = detail["depositOperation"]
    expect_equal(operation["isInstant"], True, "isInstant")
    expect_equal(Decimal(operation["amount"]), Decimal("1234.56"), "amount")
    credited = venue.m_usd_wad(venue.user, block_of(receipt)) - before
    expect_equal(Decimal(operation["creditAmount"]) * WAD, credited, "creditAmount, against the chain")
    venue.leave("deposit", {"txHash": tx_hash, "operationId": detail["operationId"], "mapping": mapping})


@check("recording is idempotent", "4A cash", "the same key and transaction again: the same record, and no second one")
def idempotent(venue: Venue) -> None:
    deposit = venue.left("deposit")
    again = [venue.record(DEPOSITS, deposit["txHash"]).data for _ in range(2)]
    expect_equal([one["id"] for one in again], [deposit["mapping"]["id"]] * 2, "the records' ids")
    found = [row for row in venue.rows(DEPOSITS) if row["txHash"] == deposit["txHash"]]
    expect_equal(len(found), 1, "the number of rows of the transaction")


@check(
    "recording by another key",
    "5A ownership",
    "refused with a clear error, of the same wallet or of another; its lists stay empty",
)
def foreign_record(venue: Venue) -> None:
    deposit = venue.left("deposit")
    for name in ("other_wallet", "same_wallet", "unbound"):
        client = venue.api(name)
        answer = venue.record(DEPOSITS, deposit["txHash"], client)
        expect(answer.status == 400 and answer.body["code"] not in (200, 401), f"{name}: {answer}")
        expect(len(answer.body["errMsg"]) > 5, f"{name}: {answer}")
        expect_equal(venue.rows(DEPOSITS, client), [], f"the deposits of the key {name}")


@check("recording at the wrong endpoint", "4A cash", "a deposit is recorded neither as a withdrawal nor as an order")
def wrong_kind(venue: Venue) -> None:
    tx_hash = venue.left("deposit")["txHash"]
    for path in (WITHDRAWALS, "stock/deposits", "stock/withdrawals", "orders"):
        answer = venue.record(path, tx_hash)
        expect(answer.body["code"] not in (200, 401) and len(answer.body["errMsg"]) > 5, str(answer))


@check(
    "queued cash deposit",
    "3A, 6A, 8A",
    "above the credit buffer: processing, nothing credited; later success, credited in a later transaction",
)
def queued_deposit(venue: Venue) -> None:
    venue.allow(venue.usdc)
    amount = Decimal(venue.left("config")["cashierBuffer"]["creditBufferCapacity"]) * 5
    before = venue.m_usd_wad(venue.user)
    result = venue.build(f"{DEPOSITS}/calldata", venue.cash_move(str(amount)), DEPOSIT)
    with venue.chain.paused():
        tx_hash, receipt = venue.submit_paused(result)
        venue.record(DEPOSITS, tx_hash).data
        detail = venue.operation(DEPOSITS, tx_hash, "processing")
        expect_equal(detail["depositOperation"]["isInstant"], False, "isInstant")
        expect_equal(venue.m_usd_wad(venue.user), before, "mUSD while processing")
    detail = venue.operation(DEPOSITS, tx_hash, "success")
    credited = Decimal(detail["depositOperation"]["creditAmount"]) * WAD
    eventually(lambda: venue.m_usd_wad(venue.user), lambda now: now == before + credited, "the credit on chain")
    expect_equal(venue.m_usd_wad(venue.user, block_of(receipt)), before, "mUSD after the deposit's own transaction")
    expect(credited >= amount * WAD * 99 // 100, f"only {credited} wad of {amount} USDC were credited")


@check(
    "instant cash withdrawal",
    "3A, 4A cash",
    "mUSD is deducted and the token is in the wallet, both in its transaction",
)
def instant_withdrawal(venue: Venue) -> None:
    cash, tokens = venue.m_usd_wad(venue.user), venue.wallet(venue.usdc, venue.user)
    result = venue.build(f"{WITHDRAWALS}/calldata", venue.cash_move("100"), WITHDRAW)
    tx_hash, receipt = venue.submit(result)
    expect_equal(venue.record(WITHDRAWALS, tx_hash).data["txHash"], tx_hash, "txHash of the record")
    detail = venue.operation(WITHDRAWALS, tx_hash, "success")
    operation = detail["withdrawalOperation"]
    expect_equal(operation["isInstant"], True, "isInstant")
    block = block_of(receipt)
    expect_equal(cash - venue.m_usd_wad(venue.user, block), 100 * WAD, "the mUSD that was deducted, in wad")
    paid = venue.wallet(venue.usdc, venue.user, block) - tokens
    expect_equal(Decimal(operation["amount"]) * 10**6, paid, "amount, against what the wallet received")
    expect(98 * 10**6 <= paid <= 100 * 10**6, f"the wallet received {paid} for 100 mUSD")
    venue.leave("withdrawal", {"txHash": tx_hash, "operationId": detail["operationId"]})


@check(
    "queued cash withdrawal",
    "3A, 6A, 8A",
    "above the buffer: mUSD deducted first while processing, the token paid later, then success",
)
def queued_withdrawal(venue: Venue) -> None:
    amount = Decimal(venue.left("usdc config")["withdrawalBufferCapacity"]) + 10_000
    cash, tokens = venue.m_usd_wad(venue.user), venue.wallet(venue.usdc, venue.user)
    result = venue.build(f"{WITHDRAWALS}/calldata", venue.cash_move(str(amount)), WITHDRAW)
    with venue.chain.paused():
        tx_hash, _ = venue.submit_paused(result)
        venue.record(WITHDRAWALS, tx_hash).data
        detail = venue.operation(WITHDRAWALS, tx_hash, "processing")
        expect_equal(detail["withdrawalOperation"]["isInstant"], False, "isInstant")
        expect_equal(cash - venue.m_usd_wad(venue.user), amount * WAD, "the mUSD that was deducted, in wad")
        expect_equal(venue.wallet(venue.usdc, venue.user), tokens, "the wallet while processing")
    detail = venue.operation(WITHDRAWALS, tx_hash, "success")
    paid = eventually(lambda: venue.wallet(venue.usdc, venue.user) - tokens, lambda more: more > 0, "the payment")
    expect_equal(Decimal(detail["withdrawalOperation"]["amount"]) * 10**6, paid, "amount, against the wallet")


@check(
    "lists of cash operations",
    "4A cash",
    "what the key recorded, newest first, in pages; each with operationId, operationStatus, txHash",
)
def lists(venue: Venue) -> None:
    for path, wanted in ((DEPOSITS, "deposit"), (WITHDRAWALS, "withdrawal")):
        rows = venue.rows(path)
        for row in rows:
            expect_fields(row, "operationId", "operationStatus", "txHash")
        expect(venue.left(wanted)["operationId"] in [row["operationId"] for row in rows], f"{path} lacks it: {rows}")
        expect(len(rows) >= 2, f"{path} has {len(rows)} rows")
        pages = [venue.trader.get(f"/api/v1/{path}?page={page}&limit=1").data for page in (1, 2)]
        expect_equal([page["total"] for page in pages], [len(rows)] * 2, "total")
        expect_equal([page["rows"][0]["txHash"] for page in pages], [row["txHash"] for row in rows[:2]], "the pages")


@check("cash operation that does not exist", "7A", "a clear error that is no authentication failure")
def no_operation(venue: Venue) -> None:
    for path in (DEPOSITS, WITHDRAWALS):
        answer = venue.trader.get(f"/api/v1/{path}/0x{'12' * 32}")
        expect(answer.body["code"] not in (200, 401) and len(answer.body["errMsg"]) > 5, str(answer))
