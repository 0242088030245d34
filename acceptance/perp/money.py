"""The approve flow, deposits and withdrawals by a wallet's own signature, balances, and the lists of money."""

import json

from decimal import Decimal
from framework import check, expect, expect_equal, expect_fields
from venue import MAX_UINT, Venue, expect_refused

UNIT = 10**6
SCALE = 10**12
"""From units of USDC to amounts of 18 decimals."""
BALANCE_FIELDS = (
    "quote decimals balance pendingBalance totalInBalance totalOutBalance reservedBalance thresholdBalance "
    "maxWithdrawable symbol imageUrl currentPrice"
).split()


def balance_of(venue: Venue, wallet: str) -> dict:
    data = venue.of(wallet).get("account/wallet-balance").data
    expect_fields(data, "address", "portfolios", "isBlacklisted", "pendingDuration")
    expect_equal(data["address"], wallet, "address")
    rows = [row for row in data["portfolios"] if row["symbol"] == "USDC"]
    expect_equal(len(rows), 1, "the number of rows of USDC")
    return rows[0]


def money(venue: Venue, path: str, amount: str, **more: object) -> dict:
    body = {"quote": "USDC", "amount": amount, "build": True, **more}
    return venue.self_signer.post(path, body).data["transaction"]


@check("deposit without an approval", "1B, 7B", "is not built: a clear error that speaks of the allowance")
def too_early(venue: Venue) -> None:
    venue.submit("approve/submit", venue.wallet, approval(venue, "0"))
    answer = venue.self_signer.post("account/deposit", {"quote": "USDC", "amount": "10", "build": True})
    expect_refused(answer, 400, answer.body["code"], "allow")


def approval(venue: Venue, amount: str | None = None, quote: str = "USDC") -> dict:
    terms = {"quote": quote} if amount is None else {"quote": quote, "amount": amount}
    data = venue.self_signer.post("approve/prepare", terms).data
    expect_fields(data, "transaction", "spender", "allowance")
    expect_equal(data["spender"].lower(), venue.gate, "the spender")
    built = data["transaction"]
    expect_equal((built["to"].lower(), built["value"], built["chainId"]), (venue.usdc, "0", venue.chain_id), "transaction")
    expect_equal(built["data"][:10], venue.chain.selector("approve(address,uint256)"), "the selector")
    return built


def allowance(venue: Venue) -> int:
    return venue.chain.read(venue.usdc, "allowance(address,address)", venue.wallet, venue.gate)


@check(
    "approve of an amount",
    "1B, sheet 2A.0",
    "human units in; a plain wallet signs; the chain has exactly that allowance",
)
def approve_amount(venue: Venue) -> None:
    venue.submit("approve/submit", venue.wallet, approval(venue, "12.345678"))
    expect_equal(allowance(venue), 12_345_678, "the allowance")
    data = venue.self_signer.post("approve/prepare", {"quote": "USDC"}).data
    expect_equal(data["allowance"], str(12_345_678 * SCALE), "allowance, in 18 decimals,")


@check("approve without an amount", "1B, sheet 2A.0", "is without limit, by the symbol or the address of the token")
def approve_all(venue: Venue) -> None:
    by_symbol, by_address = approval(venue), approval(venue, quote=venue.usdc)
    expect_equal(by_symbol["data"], by_address["data"], "the calldata")
    venue.submit("approve/submit", venue.wallet, by_symbol)
    expect_equal(allowance(venue), MAX_UINT, "the allowance")


@check(
    "approve/submit",
    "1B",
    "sends only the wallet's own approval of Gate on this chain; anything else is refused unsent",
)
def approve_submit(venue: Venue) -> None:
    built = approval(venue, "1")
    before, nonce = allowance(venue), venue.nonce(venue.wallet)
    stranger = {**built, "from": venue.other_wallet, "nonce": venue.nonce(venue.other_wallet)}
    to_other = built["data"].replace(venue.gate[2:], venue.other_wallet[2:])
    signed = {
        "another signer": venue.sign_transaction(venue.other_wallet, stranger),
        "another token": venue.sign_transaction(venue.wallet, {**built, "to": venue.contracts["aAAPL"]}),
        "another spender": venue.sign_transaction(venue.wallet, {**built, "data": to_other}),
        "another function": venue.sign_transaction(venue.wallet, {**built, "data": "0xa9059cbb" + built["data"][10:]}),
        "native coin": venue.sign_transaction(venue.wallet, {**built, "value": "1"}),
        "more data": venue.sign_transaction(venue.wallet, {**built, "data": built["data"] + "00"}),
        "no transaction": "0x02",
        "an unsigned one": built["data"],
    }
    for what, text in signed.items():
        answer = venue.self_signer.post("approve/submit", {"signedTransaction": text})
        expect((answer.status, answer.body["code"]) == (400, 40001), f"{what}: {answer}")
    expect_equal((allowance(venue), venue.nonce(venue.wallet)), (before, nonce), "allowance and nonce")


@check("deposit", "1B, sheet 2A.0", "exactly the amount goes from the wallet to its reserve at Gate")
def deposit(venue: Venue) -> None:
    before = (venue.tokens(venue.wallet), venue.reserve(venue.wallet))
    built = money(venue, "account/deposit", "50000.000001")
    expect_equal(built["to"].lower(), venue.gate, "to")
    receipt = venue.submit("order/submit", venue.wallet, built)
    moved = 50_000 * UNIT + 1
    after = (venue.tokens(venue.wallet), venue.reserve(venue.wallet))
    expect_equal(after, (before[0] - moved, before[1] + moved), "wallet and reserve")
    venue.leave("deposit", receipt["transactionHash"])


@check("withdraw", "1B, sheet 2A.0", "exactly the amount goes back to the wallet")
def withdraw(venue: Venue) -> None:
    before = (venue.tokens(venue.wallet), venue.reserve(venue.wallet))
    receipt = venue.submit("order/submit", venue.wallet, money(venue, "account/withdraw", "1234.5"))
    moved = 1_234_500_000
    after = (venue.tokens(venue.wallet), venue.reserve(venue.wallet))
    expect_equal(after, (before[0] + moved, before[1] - moved), "wallet and reserve")
    venue.leave("withdrawal", receipt["transactionHash"])


@check("balances", "1B, sheet row 7", "free, in, out and withdrawable as the chain has them, in 18 decimals")
def balances(venue: Venue) -> None:
    answer = venue.self_signer.get("account/wallet-balance")
    row = balance_of(venue, venue.wallet)
    expect_fields(row, *BALANCE_FIELDS)
    reserve = venue.reserve(venue.wallet, answer.block)
    expect_equal((row["quote"], row["decimals"]), (venue.usdc, 6), "quote and decimals")
    expect_equal(row["balance"], str(reserve * SCALE), "balance")
    expect_equal(row["maxWithdrawable"], str(reserve * SCALE), "maxWithdrawable")
    expect_equal(int(row["totalInBalance"]) - int(row["totalOutBalance"]) >= 0, True, "in less out above zero")


@check(
    "money in human units",
    "sheet 1.6",
    "no more decimals than the token has; not negative, not zero, no words, no exponent",
)
def units(venue: Venue) -> None:
    for amount in ("0.0000001", "-1", "0", "ten", "1e3", "", " 1", "1,5", "0x10", None, True, [], "9" * 60):
        for path in ("account/deposit", "account/withdraw"):
            answer = venue.self_signer.post(path, {"quote": "USDC", "amount": amount, "build": True})
            expect((answer.status, answer.body["code"]) == (400, 40001), f"{answer}")
            expect("amount" in answer.body["msg"], f"{answer}: does not name amount")


@check(
    "money that there is not",
    "7B",
    "a withdrawal above the reserve and a deposit above the wallet's are refused by the chain's reason",
)
def above(venue: Venue) -> None:
    above_all = str((venue.tokens(venue.wallet) + venue.reserve(venue.wallet)) // UNIT + 1)
    for path in ("account/deposit", "account/withdraw"):
        answer = venue.self_signer.post(path, {"quote": "USDC", "amount": above_all, "build": True})
        expect_refused(answer, 400, 40003)
    unknown = venue.self_signer.post("account/deposit", {"quote": "DOGE", "amount": "1", "build": True})
    expect_refused(unknown, 400, 40001, "DOGE")


@check("order/submit", "1B, sheet 2A.0", "signer, chain, target and selector are checked; what is refused is not sent")
def order_submit(venue: Venue) -> None:
    built = money(venue, "account/deposit", "1")
    before, nonce = venue.reserve(venue.wallet), venue.nonce(venue.wallet)
    stranger = {**built, "nonce": venue.nonce(venue.other_wallet)}
    transfer = venue.chain.data("transfer(address,uint256)", venue.other_wallet, 1)
    signed = {
        "another signer": venue.sign_transaction(venue.other_wallet, stranger),
        "another target": venue.sign_transaction(venue.wallet, {**built, "to": venue.other_wallet}),
        "a token's transfer": venue.sign_transaction(venue.wallet, {**built, "to": venue.usdc, "data": transfer}),
        "another function of Gate": venue.sign_transaction(venue.wallet, {**built, "data": transfer}),
        "no transaction": "0x",
        "words": "signed",
    }
    for what, text in signed.items():
        answer = venue.self_signer.post("order/submit", {"signedTransaction": text})
        expect((answer.status, answer.body["code"]) == (400, 40001), f"{what}: {answer}")
    expect_equal((venue.reserve(venue.wallet), venue.nonce(venue.wallet)), (before, nonce), "reserve and nonce")


@check(
    "same signed transaction again",
    "sheet 2A.0",
    "has the same hash, before and after it is mined, and is done once",
)
def submit_again(venue: Venue) -> None:
    before = venue.reserve(venue.wallet)
    signed = venue.sign_transaction(venue.wallet, money(venue, "account/deposit", "2"))
    hashes = [venue.self_signer.post("order/submit", {"signedTransaction": signed}).data["txHash"] for _ in range(2)]
    venue.done(hashes[0])
    hashes.append(venue.self_signer.post("order/submit", {"signedTransaction": signed}).data["txHash"])
    expect_equal(len(set(hashes)), 1, f"the number of hashes {hashes}:")
    expect_equal(venue.reserve(venue.wallet), before + 2 * UNIT, "the reserve")


@check(
    "deposits and withdrawals",
    "1B, sheet row 8",
    "each once, newest first, in token units, with type and typeString",
)
def deposit_withdraw(venue: Venue) -> None:
    data = venue.self_signer.get("account/deposit-withdraw").data
    expect_fields(data, "list", "totalCount")
    wanted = {"deposit": ("50000.000001", 0), "withdrawal": ("1234.5", 1)}
    for left, (value, kind) in wanted.items():
        rows = [row for row in data["list"] if row["txHash"] == venue.left(left)]
        expect_equal(len(rows), 1, f"the number of rows of the {left}")
        expect_fields(rows[0], "id", "tokenAddress", "timestamp", "valueUsd", "tokenInfo")
        found = (Decimal(rows[0]["value"]), rows[0]["type"], rows[0]["typeString"])
        expect_equal(found, (Decimal(value), kind, ["deposit", "withdraw"][kind]), "value, type, typeString")
        expect_equal(rows[0]["tokenInfo"]["decimals"], 6, "the decimals of the token")
    times = [row["timestamp"] for row in data["list"]]
    expect_equal(times, sorted(times, reverse=True), "the order of times")
    expect(json.dumps(times).count(".") == 0 and max(times) < 10**11, "timestamps are no whole seconds")


@check(
    "pages of money",
    "sheet row 8",
    "page and size; type and times as filters; every row once; beyond the last page none",
)
def pages(venue: Venue) -> None:
    client = venue.self_signer
    everything = client.get("account/deposit-withdraw", size=100).data
    total = everything["totalCount"]
    seen = []
    for page in range(1, total + 1):
        data = client.get("account/deposit-withdraw", page=page, size=1).data
        expect_equal((len(data["list"]), data["totalCount"]), (1, total), "rows and totalCount")
        seen.append(data["list"][0]["id"])
    expect_equal(seen, [row["id"] for row in everything["list"]], "the rows of all pages")
    expect_equal(client.get("account/deposit-withdraw", page=total + 1, size=1).data["list"], [], "the page after the last")
    deposits = client.get("account/deposit-withdraw", type="deposit").data["list"]
    expect_equal({row["typeString"] for row in deposits}, {"deposit"}, "the types")
    newest = everything["list"][0]["timestamp"]
    later = client.get("account/deposit-withdraw", startTime=newest + 1).data
    expect_equal((later["list"], later["totalCount"]), ([], 0), "what is later than the newest")
    expect_refused(client.get("account/deposit-withdraw", size=101), 400, 40001, "size")
    expect_refused(client.get("account/deposit-withdraw", page=0), 400, 40001, "page")


@check("blockInfo", "9B", "height and timestamp of a block of the chain, wherever data comes from it")
def block_info(venue: Venue) -> None:
    for path in ("account/wallet-balance", "market/instruments", "position/list", "order/history"):
        answer = venue.self_signer.get(path)
        answer.data
        block = venue.chain.rpc("eth_getBlockByNumber", hex(answer.block), False)
        expect_equal(answer.body["blockInfo"]["timestamp"], int(block["timestamp"], 16), f"the timestamp of {path}")
    expect("blockInfo" not in venue.self_signer.get("api-key/list").body, "a list of keys has a blockInfo")
