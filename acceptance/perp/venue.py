"""The venue under test as the checks see it: its wallets and their keys, its chain, and what earlier checks left."""

import json
import time
import uuid
from decimal import Decimal
from typing import Any

from api import Answer, Api, Http, Patient, now_ms
from chain import Chain
from framework import Failure, eventually, expect, expect_equal, expect_fields

WAD = 10**18
PERPETUAL = 4_294_967_295
SHORT, LONG = 1, 2
BRAND = "Bourse"
BTC, ETH = "BTC/USDC", "ETH/USDC"
MAX_UINT = 2**256 - 1
DOMAIN = [
    {"name": "name", "type": "string"},
    {"name": "version", "type": "string"},
    {"name": "chainId", "type": "uint256"},
    {"name": "verifyingContract", "type": "address"},
]
KEYS_OF_A_WALLET = 12
"""How many keys a busy wallet takes turns with, since one may ask 120 times a minute."""


class Venue:
    def __init__(self, dev: dict[str, Any]):
        perp = dev["perp"]
        self.base_url: str = perp["baseUrl"]
        self.ws_url: str = perp["wsUrl"]
        self.chain_id: int = dev["chain"]["chainId"]
        self.contracts: dict[str, str] = dev["contracts"]
        self.instruments: dict[str, str] = {one["symbol"]: one["address"].lower() for one in perp["instruments"]}
        self.accounts: list[str] = [account["address"].lower() for account in dev["accounts"]]
        self.chain = Chain(dev["chain"]["rpcUrl"])
        self.http = Http(self.base_url)
        self._clients: dict[str, list[Api]] = {}
        self._turn = 0
        self._left: dict[str, Any] = {}

    # Who acts.

    @property
    def wallet(self) -> str:
        """Of the one who signs every transaction."""
        return self.accounts[6]

    @property
    def one_click_wallet(self) -> str:
        return self.accounts[7]

    @property
    def other_wallet(self) -> str:
        """Of the one who takes the other side."""
        return self.accounts[8]

    @property
    def empty_wallet(self) -> str:
        """Of one who has approved and deposited nothing."""
        return self.accounts[9]

    def of(self, wallet: str) -> Api:
        """A client of a wallet, with keys that it made by its signature; they take turns."""
        if wallet not in self._clients:
            self._clients[wallet] = [self.with_key(self.create_key(wallet).data) for _ in range(KEYS_OF_A_WALLET)]
        clients = self._clients[wallet]
        self._turn += 1
        return clients[self._turn % len(clients)]

    @property
    def self_signer(self) -> Api:
        return self.of(self.wallet)

    @property
    def one_click(self) -> Api:
        return self.of(self.one_click_wallet)

    @property
    def other(self) -> Api:
        return self.of(self.other_wallet)

    def with_key(self, key: dict[str, str]) -> Api:
        return Patient(self.http, self.chain_id, key)

    # Keys.

    def key_text(self, address: str, nonce: str | int, timestamp: int, chain_id: int | None = None) -> str:
        lines = [
            f"Chain ID: {self.chain_id if chain_id is None else chain_id}",
            f"Wallet Address: {address}",
            f"Nonce: {nonce}",
            f"Timestamp: {timestamp}",
            f"Sign this message to authenticate with {BRAND} API.",
        ]
        return "\n".join(lines)

    def key_request(self, wallet: str, signer: str | None = None, **changes: Any) -> dict[str, Any]:
        """A signed request for a key. The changes are made before it is signed, so that they are signed too."""
        terms = {"chainID": self.chain_id, "address": wallet.lower(), "nonce": uuid.uuid4().hex, "timestamp": now_ms()}
        terms |= changes
        text = self.key_text(terms["address"], terms["nonce"], terms["timestamp"], terms["chainID"])
        return {**terms, "signature": self.personal_sign(signer or wallet, text)}

    def personal_sign(self, wallet: str, text: str) -> str:
        return self.chain.rpc("personal_sign", "0x" + text.encode().hex(), wallet)

    def ask_for_key(self, request: dict[str, Any]) -> Answer:
        return self.http.patient("POST", "/v4/public/trader/api-key/create", json.dumps(request))

    def create_key(self, wallet: str, **further: Any) -> Answer:
        return self.ask_for_key({**self.key_request(wallet), **further})

    def sign_typed(self, wallet: str, payload: dict[str, Any]) -> str:
        """What a wallet answers to eth_signTypedData_v4, which wants the type of the domain too."""
        typed = {**payload, "types": {"EIP712Domain": DOMAIN, **payload["types"]}}
        return self.chain.rpc("eth_signTypedData_v4", wallet, typed)

    # What the chain holds, read past the API.

    @property
    def usdc(self) -> str:
        return self.contracts["USDC"].lower()

    @property
    def gate(self) -> str:
        return self.contracts["Gate"].lower()

    def reserve(self, wallet: str, block: int | None = None) -> int:
        """What a wallet has free at Gate, in units of the token."""
        return self.chain.read(self.gate, "reserveOf(address,address)", self.usdc, wallet, block=block)

    def tokens(self, wallet: str, block: int | None = None) -> int:
        return self.chain.read(self.usdc, "balanceOf(address)", wallet, block=block)

    def deadline(self, seconds: int = 3600) -> int:
        return max(int(time.time()), self.chain.time_sec()) + seconds

    # Signing and sending.

    def sign_transaction(self, wallet: str, built: dict[str, Any], **changes: Any) -> str:
        """Signs what the API built, with fees of the wallet's choice."""
        expect_fields(built, "chainId", "to", "value", "data", "gas")
        fee = 2 * int(self.chain.rpc("eth_gasPrice"), 16) + 2 * 10**9
        transaction = {
            "from": wallet,
            "to": built["to"],
            "value": hex(int(built["value"])),
            "data": built["data"],
            "gas": hex(int(built["gas"])),
            "nonce": built.get("nonce", self.nonce(wallet)),
            "chainId": built["chainId"],
            "maxFeePerGas": hex(fee),
            "maxPriorityFeePerGas": hex(10**9),
        }
        transaction |= changes
        transaction = {name: hex(one) if isinstance(one, int) else one for name, one in transaction.items()}
        return self.chain.rpc("eth_signTransaction", transaction)

    def nonce(self, wallet: str) -> int:
        return int(self.chain.rpc("eth_getTransactionCount", wallet, "pending"), 16)

    def submit(self, path: str, wallet: str, built: dict[str, Any]) -> dict[str, Any]:
        """Signs what the API built, has the API send it, and waits until it is mined; answers its receipt."""
        signed = self.sign_transaction(wallet, built)
        data = self.of(wallet).post(path, {"signedTransaction": signed}).data
        expect_fields(data, "txHash")
        return self.done(data["txHash"])

    def done(self, tx_hash: str) -> dict[str, Any]:
        """Waits until a transaction is mined with success and the venue has indexed its block."""
        receipt = self.chain.mined(tx_hash)
        self.until_indexed(int(receipt["blockNumber"], 16))
        return receipt

    def until_indexed(self, block: int) -> None:
        reader = self.of(self.wallet)
        eventually(
            lambda: reader.get("order/realtime").block, lambda found: found >= block, f"block {block} in the answers"
        )

    def build(self, wallet: str, action: str, params: dict[str, Any]) -> dict[str, Any]:
        """An action as an unsigned transaction, held against what such a one has to be."""
        data = self.of(wallet).post("order/build", {"action": action, "params": params}).data
        expect_fields(data, "transaction", "simulation")
        expect_equal(data["transaction"]["from"].lower(), wallet, "from")
        expect_equal(data["transaction"]["chainId"], self.chain_id, "chainId")
        return data

    def by_wallet(self, wallet: str, action: str, params: dict[str, Any]) -> dict[str, Any]:
        """Builds, signs and submits an action; answers its simulation and its receipt."""
        built = self.build(wallet, action, params)
        return {**built, "receipt": self.submit("order/submit", wallet, built["transaction"])}

    def signed(self, path: str, params: dict[str, Any], client: Api | None = None) -> dict[str, Any]:
        """Sends an action by One Click; answers what the venue tells of it, once its transaction is signed."""
        # An Idempotency-Key is one API key's, and those of the wallet take turns.
        api, key = client or self.one_click, {"Idempotency-Key": uuid.uuid4().hex}
        # On a slow machine the first answer may come before the transaction is signed.
        return eventually(lambda: api.post(path, params, key).data, lambda one: one["txHash"], f"the hash of {path}")

    def sent(self, path: str, params: dict[str, Any], client: Api | None = None) -> str:
        """Sends an action by One Click; answers the hash of its transaction, once the node has it."""
        data = self.signed(path, params, client)
        known = "eth_getTransactionByHash"
        eventually(lambda: self.chain.rpc(known, data["txHash"]), lambda found: found, f"the transaction of {path}")
        return data["txHash"]

    def by_one_click(self, path: str, params: dict[str, Any], client: Api | None = None) -> dict[str, Any]:
        """Sends an action by One Click and waits until it is mined; answers its receipt."""
        return self.done(self.sent(path, params, client))

    # What is traded.

    def pair(self, symbol: str = BTC) -> dict[str, Any]:
        return {"instrument": symbol, "expiry": PERPETUAL}

    def ticker(self, symbol: str = BTC) -> dict[str, Any]:
        return self.self_signer.get("market/tickers", symbol=symbol).data

    def mark(self, symbol: str = BTC) -> Decimal:
        """The mark price in human units."""
        return Decimal(self.ticker(symbol)["markPrice"]) / WAD

    def fair(self, symbol: str = BTC) -> Decimal:
        """The middle of the book's best prices, in human units."""
        book = self.self_signer.get("market/orderBook", symbol=symbol).data["1"]
        return Decimal(int(book["bids"][0]["price"]) + int(book["asks"][0]["price"])) / 2 / WAD

    def market(self, side: int, size: str, symbol: str = BTC, **more: Any) -> dict[str, Any]:
        terms = {"size": size, "side": side, "leverage": "5", "slippageBps": 200, "deadline": 0, "gasLimit": 0}
        return {**self.pair(symbol), **terms, **more}

    def limit(self, side: int, size: str, factor: str, symbol: str = BTC, **more: Any) -> dict[str, Any]:
        """A limit order at so many times the fair price, in whole units."""
        price = str((self.fair(symbol) * Decimal(factor)).quantize(Decimal(1)))
        terms = {"size": size, "price": price, "side": side, "leverage": "5"}
        return {**self.pair(symbol), **terms, **more}

    def position(self, wallet: str, symbol: str = BTC) -> dict[str, Any] | None:
        rows = self.of(wallet).get("position/list", symbol=symbol).data
        expect(len(rows) <= 1, f"{len(rows)} positions of one pair")
        return rows[0] if rows else None

    def size(self, wallet: str, symbol: str = BTC) -> int:
        found = self.position(wallet, symbol)
        return int(found["size"]) if found else 0

    def open_orders(self, wallet: str, symbol: str = BTC) -> list[dict[str, Any]]:
        return self.of(wallet).get("order/realtime", symbol=symbol).data

    # What one check leaves for a later one.

    def leave(self, name: str, value: Any) -> None:
        self._left[name] = value

    def left(self, name: str) -> Any:
        if name not in self._left:
            raise Failure(f"an earlier check should have left {name}, and has failed")
        return self._left[name]


def expect_refused(answer: Answer, status: int, code: int, *words: str) -> None:
    """Holds an answer against a documented failure, whose text has each of the words."""
    expect_equal((answer.status, answer.body["code"]), (status, code), f"{answer}: status and code")
    for word in words:
        expect(word.lower() in answer.body["msg"].lower(), f"{answer}: no {word!r} in its text")
