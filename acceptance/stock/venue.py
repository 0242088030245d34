"""The venue under test as the checks see it: its clients, its users, its chain, and what earlier checks left behind."""

import json
import time
import urllib.request
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from api import Answer, Api
from chain import UNLIMITED, Chain
from framework import Failure, eventually, expect, expect_equal, expect_fields

WAD = 10**18
CALLDATA_FIELDS = ("chainId", "productType", "toAddress", "value", "callData", "method")


class Venue:
    def __init__(self, dev: dict[str, Any], keys: dict[str, dict[str, str]]):
        stock = dev["stock"]
        self.base_urls: list[str] = stock.get("baseUrls") or [stock["baseUrl"]]
        self.chain_id: int = stock["chainId"]
        self.product: str = stock["productType"]
        self.contracts: dict[str, str] = dev["contracts"]
        self.accounts: list[str] = [account["address"] for account in dev["accounts"]]
        self.dev_keys: list[dict[str, Any]] = stock.get("keys", [])
        self.chain = Chain(dev["chain"]["rpcUrl"])
        self.answered: set[str] = set()
        self.started = time.monotonic()
        self._keys = keys
        self._left: dict[str, Any] = {}

    # Who acts.

    def api(self, name: str) -> Api:
        """A client with one of the keys of keys.py."""
        return self.with_key(self._keys[name])

    def with_key(self, key: dict[str, str]) -> Api:
        return Api(self.base_urls, self.chain_id, self.product, key, self.answered)

    @property
    def trader(self) -> Api:
        """The client whose key is bound to the first account."""
        return self.api("writable")

    @property
    def user(self) -> str:
        return self.accounts[0]

    @property
    def other_user(self) -> str:
        return self.accounts[1]

    @property
    def one_click_user(self) -> str:
        return self.accounts[2]

    def until_indexed(self, block: int) -> None:
        """Waits until the venue has indexed a block: before that it cannot tell what a transaction of others was."""
        eventually(self._indexed_block, lambda found: found >= block, f"block {block} indexed")

    def _indexed_block(self) -> int:
        base = urlsplit(self.base_urls[0])
        with urllib.request.urlopen(f"{base.scheme}://{base.netloc}/status", timeout=30) as response:
            return int(json.load(response)["indexer"]["indexedNumber"])

    # What is traded.

    @property
    def router(self) -> str:
        return self.contracts["StockRouter"]

    @property
    def usdc(self) -> str:
        return self.contracts["USDC"]

    @property
    def aapl(self) -> str:
        return self.contracts["aAAPL"]

    def price(self) -> Decimal:
        return Decimal(self.trader.get("/api/v1/prices/AAPL").data["basicInfo"]["price"])

    def deadline(self, seconds: int = 3600) -> int:
        """A deadline that is so far in the future by both clocks, the wall's and the chain's."""
        return max(int(time.time()), self.chain.time_sec()) + seconds

    def market(self, side: str, amount: str) -> dict[str, Any]:
        size = {"notional": amount} if side == "Buy" else {"quantity": amount}
        return {"stockAddress": self.aapl, "side": side, "type": "Market", **size, "deadline": self.deadline()}

    def limit(self, side: str, quantity: str, price_factor: str) -> dict[str, Any]:
        """A limit order at a price that is so many times the market's, in whole cents."""
        price = (self.price() * Decimal(price_factor)).quantize(Decimal("0.01"))
        terms = {"type": "Limit", "quantity": quantity, "price": str(price), "timeInForce": "DAY"}
        return {"stockAddress": self.aapl, "side": side, **terms, "deadline": self.deadline()}

    def cash_move(self, amount: str, user: str | None = None) -> dict[str, str]:
        return {"userAddress": user or self.user, "tokenAddress": self.usdc, "tokenAmount": amount}

    def stock_move(self, amount: str, user: str | None = None) -> dict[str, str]:
        return {"userAddress": user or self.user, "tokenAddress": self.aapl, "tokenAmount": amount}

    # What the chain holds, read past the API.

    def m_usd_wad(self, user: str, block: int | None = None) -> int:
        return self.chain.read(self.contracts["Cashier"], "balanceWad(address)", user, block=block)

    def exchange_wad(self, user: str) -> int:
        return self.chain.read(self.contracts["Stock"], "stockBalance(address,address)", user, self.aapl)

    def wallet(self, token: str, user: str, block: int | None = None) -> int:
        """Raw token units."""
        return self.chain.read(token, "balanceOf(address)", user, block=block)

    def balance(self, user: str, query: str = "") -> dict[str, Any]:
        return self.trader.get(f"/api/v1/users/{user}/balance{query}").data

    def token_balance(self, user: str, token: str, query: str = "") -> dict[str, Any]:
        found = [one for one in self.balance(user, query)["tokenBalances"] if same(one["address"], token)]
        expect(len(found) == 1, f"{len(found)} entries of token {token} in tokenBalances")
        return found[0]

    # Building, sending, recording.

    def build(self, path: str, body: dict[str, Any], signature: str, client: Api | None = None) -> dict[str, Any]:
        """Asks for calldata, and holds it against the contract function that it has to call."""
        return self.calldata((client or self.trader).post(f"/api/v1/{path}", body), signature)

    def calldata(self, answer: Answer, signature: str) -> dict[str, Any]:
        result = answer.data
        expect_fields(result, *CALLDATA_FIELDS)
        expect(same(result["toAddress"], self.router), f"toAddress is {result['toAddress']}, not the StockRouter")
        expect_equal(result["value"], "0", "value")
        expect_equal(result["chainId"], self.chain_id, "chainId")
        expect_equal(result["callData"][:10], self.chain.selector(signature), f"the selector, of {signature}: it")
        return result

    def submit(self, result: dict[str, Any], user: str | None = None) -> tuple[str, dict[str, Any]]:
        """Signs and sends what the API built; answers hash and receipt."""
        tx_hash = self.chain.send(user or self.user, result["toAddress"], result["callData"])
        return tx_hash, self.chain.mined(tx_hash)

    def submit_paused(self, result: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The same while the chain is paused."""
        tx_hash = self.chain.send(self.user, result["toAddress"], result["callData"])
        self.chain.mine()
        return tx_hash, self.chain.mined(tx_hash)

    def record(self, path: str, tx_hash: str, client: Api | None = None) -> Answer:
        return (client or self.trader).post(f"/api/v1/{path}/tx", {"txHash": tx_hash})

    def rows(self, path: str, client: Api | None = None) -> list[dict[str, Any]]:
        """All rows of a list, through all of its pages."""
        found: list[dict[str, Any]] = []
        page = 1
        while True:
            data = (client or self.trader).get(f"/api/v1/{path}?page={page}&limit=100").data
            expect_fields(data, "total", "rows")
            found += data["rows"]
            if len(found) >= data["total"] or not data["rows"]:
                return found
            page += 1

    def row(self, path: str, tx_hash: str, client: Api | None = None) -> dict[str, Any] | None:
        return next((one for one in self.rows(path, client) if one.get("txHash") == tx_hash), None)

    def operation(self, path: str, tx_hash: str, status: str, client: Api | None = None) -> dict[str, Any]:
        """The detail of a cash or stock operation, found by its transaction in the list, once it has a status."""
        row = eventually(
            lambda: self.row(path, tx_hash, client),
            lambda found: found and found.get("operationId"),
            f"the operationId of {tx_hash} in the list {path}",
        )
        return eventually(
            lambda: (client or self.trader).get(f"/api/v1/{path}/{row['operationId']}").data,
            lambda detail: detail.get("operationStatus") == status,
            f"operationStatus {status} of {row['operationId']}",
        )

    def order_by_tx(self, tx_hash: str, accept: Any, what: str, client: Api | None = None) -> dict[str, Any]:
        return eventually(lambda: (client or self.trader).get(f"/api/v1/orders/tx/{tx_hash}").data, accept, what)

    def order(self, order_id: str, accept: Any, what: str, client: Api | None = None) -> dict[str, Any]:
        return eventually(lambda: (client or self.trader).get(f"/api/v1/orders/{order_id}").data, accept, what)

    def place(self, terms: dict[str, Any]) -> tuple[str, str]:
        """Builds, sends and records an order of the trader; answers its hash and its orderId."""
        kind = "placeMarketOrder(address,int96,uint32)"
        if terms["type"] == "Limit":
            kind = "placeLimitOrder(address,int96,uint96,uint8,uint32)"
        tx_hash, _ = self.submit(self.build("orders/calldata", terms, kind))
        self.record("orders", tx_hash).data
        found = self.order_by_tx(tx_hash, order_id_of, f"the orderId of {tx_hash}")
        return tx_hash, order_id_of(found)

    # What one check leaves for a later one.

    def leave(self, name: str, value: Any) -> None:
        self._left[name] = value

    def left(self, name: str) -> Any:
        if name not in self._left:
            raise Failure(f"an earlier check should have left {name}, and has failed")
        return self._left[name]

    def allow(self, token: str, amount: int = UNLIMITED, user: str | None = None) -> None:
        """Lets the StockRouter take so much of a token, in raw units."""
        self.chain.approve(user or self.user, token, self.router, amount)


def same(one: str, other: str) -> bool:
    """Whether two addresses are the same; their letters' case is only a checksum."""
    return one.lower() == other.lower()


def order_id_of(order: dict[str, Any]) -> str | None:
    """The orderId, which an order shows beside its mapping or in it."""
    return order.get("orderId") or (order.get("mapping") or {}).get("orderId")
