"""Portfolio: who a user is, what a user has."""

from decimal import Decimal

from framework import check, eventually, expect, expect_equal, expect_fields
from venue import WAD, Venue, same


@check("user", "2A, 4A portfolio", "userId and userAddress, the wallet in lower case, however it was written")
def user(venue: Venue) -> None:
    for written in (venue.user, venue.user.lower(), "0x" + venue.user[2:].upper()):
        data = venue.trader.get(f"/api/v1/users/{written}").data
        expect_equal(data["userId"], venue.user.lower(), "userId")
        expect_equal(data["userAddress"], venue.user.lower(), "userAddress")


@check("user that is no address", "7A", "a clear error that is no authentication failure")
def no_user(venue: Venue) -> None:
    for path in ("users/nobody", "users/0x1234/balance", "users/nobody/positions"):
        answer = venue.trader.get(f"/api/v1/{path}")
        expect(answer.body["code"] not in (200, 401) and len(answer.body["errMsg"]) > 5, str(answer))


@check(
    "balance",
    "2A, 4A portfolio",
    "mUsdBalance, and walletBalance and exchangeBalance of each token, as the chain has them",
)
def balance(venue: Venue) -> None:
    data = venue.balance(venue.user)
    expect_fields(data, "mUsdBalance", "tokenBalances", "chainId", "productType", "address")
    expect_equal(data["chainId"], venue.chain_id, "chainId")
    expect(same(data["address"], venue.user), f"address is {data['address']}")
    expect_equal(Decimal(data["mUsdBalance"]) * WAD, venue.m_usd_wad(venue.user), "mUsdBalance in wad")
    cash = venue.token_balance(venue.user, venue.usdc)
    expect_fields(cash, "walletBalance", "exchangeBalance", "symbol", "decimals", "isStock")
    expect_equal(Decimal(cash["walletBalance"]) * 10**6, venue.wallet(venue.usdc, venue.user), "walletBalance of USDC")
    stock = venue.token_balance(venue.user, venue.aapl)
    expect_equal((stock["isStock"], stock["stockSymbol"]), (True, "AAPL"), "isStock and stockSymbol")
    expect_equal(Decimal(stock["exchangeBalance"]) * WAD, venue.exchange_wad(venue.user), "exchangeBalance of AAPL")


@check(
    "allowance in the balance",
    "2A, 4A portfolio",
    "walletAllowance for the spenderAddress of the query, as the token has it",
)
def allowance(venue: Venue) -> None:
    venue.allow(venue.usdc, 123_456_789)
    query = f"?spenderAddress={venue.router}"
    cash = venue.token_balance(venue.user, venue.usdc, query)
    expect_equal(Decimal(cash["walletAllowance"]), Decimal("123.456789"), "walletAllowance for the router")
    other = venue.token_balance(venue.user, venue.usdc, f"?spenderAddress={venue.other_user}")
    expect_equal(Decimal(other["walletAllowance"]), Decimal(0), "walletAllowance for somebody else")
    venue.allow(venue.usdc, 0)


@check(
    "positions",
    "2A, 4A portfolio",
    "what settled buys and sells left; what no open order locks is as much as the Stock contract has free",
)
def positions(venue: Venue) -> None:
    venue.left("bought by market order")

    def apple() -> dict | None:
        rows = venue.trader.get(f"/api/v1/users/{venue.user}/positions").data
        return next((row for row in rows if row["symbol"] == "AAPL"), None)

    def as_on_chain(row: dict | None) -> bool:
        if row is None:
            return False
        free = Decimal(row["quantity"]) - Decimal(row["lockedQuantity"])
        return free * WAD == venue.exchange_wad(venue.user)

    found = eventually(apple, as_on_chain, "the position in AAPL")
    expect(same(found["contractAddress"], venue.aapl), f"contractAddress is {found['contractAddress']}")
    expect(Decimal(found["quantity"]) > 0, f"the quantity is {found['quantity']}")
