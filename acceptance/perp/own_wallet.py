"""Building, signing and submitting: a wallet trades without One Click."""

from decimal import Decimal

from framework import check, expect, expect_equal, expect_fields
from venue import BTC, LONG, SHORT, WAD, Venue, expect_refused

SIMULATION = "price size notional fee priceImpact amount before after markPrice".split()
SIDE = "size margin entryPrice unrealizedPnl equity leverage liquidationPrice".split()
ACTIONS = (
    "market limit scaled cancel batch-cancel fill close adjust margin add-liquidity remove-liquidity deposit withdraw"
).split()


def near(found: int, wanted: int, what: str, units: int = 2) -> None:
    expect(abs(found - wanted) <= units, f"{what} is {found}, not {wanted}")


@check(
    "preview",
    "1B, sheet 2A.0",
    "price, fee, impact, margin, leverage and liquidation price at a named block; nothing is sent",
)
def preview(venue: Venue) -> None:
    nonce, reserve = venue.nonce(venue.wallet), venue.reserve(venue.wallet)
    answer = venue.self_signer.post("order/preview", {"action": "market", "params": venue.market(LONG, "0.1")})
    data = answer.data
    expect(answer.block > 0, "no block")
    expect_fields(data, *SIMULATION)
    for side in ("before", "after"):
        expect_fields(data[side], *SIDE)
    added = int(data["after"]["size"]) - int(data["before"]["size"])
    expect_equal((data["size"], added), (str(WAD // 10), WAD // 10), "size and the change of the position")
    near(int(data["notional"]) * WAD // int(data["size"]), int(data["price"]), "notional over size", 10)
    expect_equal((venue.nonce(venue.wallet), venue.reserve(venue.wallet)), (nonce, reserve), "nonce and reserve")


@check(
    "fee of a taker",
    "1B, sheet row 2",
    "notional times the instrument's trading and protocol fee, rounded against the payer",
)
def fee(venue: Venue) -> None:
    data = venue.self_signer.post("order/preview", {"action": "market", "params": venue.market(SHORT, "0.07")}).data
    terms = venue.self_signer.get("market/instruments", symbol=BTC).data[0]
    bps = terms["tradingFeeRatio"] + terms["protocolFeeRatio"]
    near(int(data["fee"]), int(data["notional"]) * bps // 10_000, "fee")
    expect(int(data["fee"]) * 10_000 >= int(data["notional"]) * bps - 20_000, "the fee is below its ratio")


@check(
    "build",
    "1B, sheet 2A.0",
    "an unsigned transaction of the wallet on the instrument, and what it would do; nothing is sent",
)
def build(venue: Venue) -> None:
    nonce = venue.nonce(venue.wallet)
    built = venue.build(venue.wallet, "market", venue.market(LONG, "0.1"))
    transaction = built["transaction"]
    expect_fields(transaction, "chainId", "from", "to", "value", "data", "gas", "nonce")
    expect_equal(transaction["to"].lower(), venue.instruments[BTC], "to")
    expect_equal((transaction["value"], transaction["nonce"]), ("0", nonce), "value and nonce")
    expect_equal(venue.nonce(venue.wallet), nonce, "the nonce after building")


@check(
    "market order by the own wallet",
    "1B",
    "long: the position is the ordered size, its figures those of the simulation",
)
def market(venue: Venue) -> None:
    before = venue.size(venue.wallet)
    done = venue.by_wallet(venue.wallet, "market", venue.market(LONG, "0.1"))
    expect_equal(venue.size(venue.wallet) - before, WAD // 10, "what the position grew by")
    row = venue.position(venue.wallet)
    after = done["simulation"]["after"]
    expect_equal(after["size"], row["size"], "the simulated size")
    expect(row["lastUpdateTxHash"] == done["receipt"]["transactionHash"], f"lastUpdateTxHash {row['lastUpdateTxHash']}")


@check(
    "figures of a position",
    "1B, sheet row 9",
    "entry price, profit, equity, leverage and maintenance margin, exact at the mark",
)
def figures(venue: Venue) -> None:
    row = venue.position(venue.wallet)
    expect_fields(row, "balance", "entrySocialLossIndex", "entryFundingIndex", "lastUpdateTime", "instrumentAddr", "expiry")
    size, entry, mark = int(row["size"]), int(row["entryNotional"]), int(row["markPrice"])
    value = size * mark // WAD
    equity = int(row["balance"]) + int(row["unrealizedPnl"]) + int(row["unrealizedFunding"])
    equity -= int(row["unrealizedSocialLoss"])
    near(int(row["entryPrice"]), entry * WAD // size, "entryPrice")
    near(int(row["unrealizedPnl"]), value - entry, "unrealizedPnl")
    near(int(row["equity"]), equity, "equity")
    near(int(row["leverage"]), value * WAD // equity, "leverage", 50)
    ratio = venue.self_signer.get("market/instruments", symbol=BTC).data[0]["maintenanceMarginRatio"]
    near(int(row["maintenanceMargin"]), value * ratio // 10_000, "maintenanceMargin")
    expect_equal((row["side"], row["symbol"], row["instrumentAddr"]), (2, BTC, venue.instruments[BTC]), "side and symbol")
    liquidation = int(row["liquidationPrice"])
    at_it = int(row["balance"]) + size * liquidation // WAD - entry + int(row["unrealizedFunding"])
    wanted = size * liquidation // WAD * ratio // 10_000
    near(at_it, wanted, "the equity at the liquidation price", max(50, wanted // 10**9))


@check(
    "leverage of an order",
    "sheet 2A.2",
    "more of it takes less margin; the greatest is 10000 over initialMarginRatio",
)
def leverage(venue: Venue) -> None:
    def amount(times: str) -> int:
        params = venue.market(LONG, "0.1", leverage=times)
        return int(venue.self_signer.post("order/preview", {"action": "market", "params": params}).data["amount"])

    expect(amount("2") > amount("5") > amount("8"), "margin does not fall as leverage rises")
    ratio = venue.self_signer.get("market/instruments", symbol=BTC).data[0]["initialMarginRatio"]
    params = venue.market(LONG, "0.1", leverage=str(10_000 // ratio + 1))
    answer = venue.self_signer.post("order/preview", {"action": "market", "params": params})
    expect_refused(answer, 400, 40001, "leverage")


@check(
    "slippage",
    "sheet 2A.2",
    "0 bps on a size that moves the price is refused by the chain's reason; enough of it passes",
)
def slippage(venue: Venue) -> None:
    tight = {"action": "market", "params": venue.market(LONG, "0.5", slippageBps=0)}
    expect_refused(venue.self_signer.post("order/preview", tight), 400, 40003, "TradeSlippage")
    loose = {"action": "market", "params": venue.market(LONG, "0.5", slippageBps=500)}
    venue.self_signer.post("order/preview", loose).data


@check(
    "deadline and gasLimit",
    "sheet 2A.2",
    "0 is the venue's choice; a deadline of the past is refused by name; a gas limit is kept",
)
def deadline(venue: Venue) -> None:
    past = venue.market(LONG, "0.1", deadline=venue.chain.time_sec() - 1)
    answer = venue.self_signer.post("order/build", {"action": "market", "params": past})
    expect_refused(answer, 400, 40001, "deadline")
    kept = venue.build(venue.wallet, "market", venue.market(LONG, "0.1", gasLimit=2_345_678))
    expect_equal(int(kept["transaction"]["gas"]), 2_345_678, "gas")
    free = venue.build(venue.wallet, "market", venue.market(LONG, "0.1", deadline=venue.deadline(60)))
    expect(int(free["transaction"]["gas"]) > 100_000, f"gas {free['transaction']['gas']}")


@check(
    "build of every action",
    "sheet 2A.0",
    "13 actions; one that there is not and params of another are refused by name",
)
def actions(venue: Venue) -> None:
    for action in ACTIONS:
        answer = venue.self_signer.post("order/build", {"action": action, "params": {}})
        expect_refused(answer, 400, 40001)
        expect("action" not in answer.body["msg"], f"{answer}: action {action} is not known")
    expect_refused(venue.self_signer.post("order/build", {"action": "steal", "params": {}}), 400, 40001, "action")
    expect_refused(venue.self_signer.post("order/build", {"action": "market"}), 400, 40001, "params")
    surplus = {"action": "close", "params": {**venue.pair(), "slippageBps": 10, "price": "1"}}
    expect_refused(venue.self_signer.post("order/build", surplus), 400, 40001, "price")


@check(
    "sends without One Click",
    "sheet 2A.0",
    "a wallet that can trade and has not enabled it: HTTP 403, code 40302, naming 1ct/enable",
)
def without_one_click(venue: Venue) -> None:
    expect_equal(venue.self_signer.get("1ct/status").data["status"], "disabled", "status")
    venue.by_wallet(venue.wallet, "limit", venue.limit(LONG, "0.01", "0.97"))
    order = {**venue.pair(), "orderId": venue.open_orders(venue.wallet)[0]["orderId"]}
    bodies = {
        "order/market": venue.market(LONG, "0.01"),
        "order/limit": venue.limit(LONG, "0.01", "0.98"),
        "order/cancel": order,
        "order/batch-cancel": {**venue.pair(), "all": True},
        "position/close": {**venue.pair(), "slippageBps": 100},
        "position/adjust": {**venue.pair(), "leverage": "3"},
        "position/margin": {**venue.pair(), "amount": "10", "type": "add"},
        "account/deposit": {"quote": "USDC", "amount": "10"},
        "account/withdraw": {"quote": "USDC", "amount": "10"},
    }
    for path, body in bodies.items():
        expect_refused(venue.self_signer.post(path, body), 403, 40302, "1ct/enable")
    venue.by_wallet(venue.wallet, "cancel", order)
    expect_equal(venue.open_orders(venue.wallet), [], "the open orders")


@check(
    "close by the own wallet",
    "1B",
    "the position is gone; its margin and profit are free again; the fee is what preview said",
)
def close(venue: Venue) -> None:
    before = venue.reserve(venue.wallet)
    simulation = venue.by_wallet(venue.wallet, "close", {**venue.pair(), "slippageBps": 500})["simulation"]
    expect_equal(venue.position(venue.wallet), None, "the position")
    expect_equal(simulation["after"]["size"], "0", "the simulated size")
    back = (venue.reserve(venue.wallet) - before) * 10**12
    foreseen = int(simulation["before"]["equity"]) - int(simulation["fee"])
    # Prices of the block it was built on and of the block it is mined in may differ.
    expect(abs(back - foreseen) < foreseen // 20, f"{back} came back, {foreseen} was foreseen")


@check("close of nothing", "7B", "a clear error, code 40401: there is no position")
def close_nothing(venue: Venue) -> None:
    params = {**venue.pair(), "slippageBps": 100}
    answer = venue.self_signer.post("order/build", {"action": "close", "params": params})
    expect_refused(answer, 400, 40401, "position")


@check("trade from flat that is too small", "sheet 1.7, row 2", "below minTradeValue: code 40003, TradeTrivial")
def trivial(venue: Venue) -> None:
    least = int(venue.self_signer.get("market/instruments", symbol=BTC).data[0]["minTradeValue"])
    size = Decimal(least) / WAD / venue.mark()

    def ask(times: str):
        params = venue.market(LONG, str((size * Decimal(times)).quantize(Decimal("0.000001"))))
        return venue.self_signer.post("order/preview", {"action": "market", "params": params})

    expect_refused(ask("0.9"), 400, 40003, "TradeTrivial")
    ask("1.1").data
