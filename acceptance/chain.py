"""The development chain over JSON-RPC. Its node holds the accounts, so it signs what they send."""

import contextlib
import http.client
import itertools
import json
from typing import Any
from urllib.parse import urlsplit

from framework import Failure, eventually, expect

GAS = 3_000_000
"""Of a transaction that may revert: with a limit of its own it is mined, where an estimate would be refused before."""

UNLIMITED = 2**256 - 1


class RpcError(Exception):
    """The node refused a request."""


def word(value: str | int) -> str:
    """An argument in a call: an address, or an integer (two's complement), as 32 bytes in hex."""
    return value.lower().removeprefix("0x").rjust(64, "0") if isinstance(value, str) else f"{value % 2**256:064x}"


class Chain:
    def __init__(self, rpc_url: str):
        self._url = urlsplit(rpc_url)
        self._ids = itertools.count(1)
        self._selectors: dict[str, str] = {}

    def rpc(self, method: str, *params: Any) -> Any:
        connection = http.client.HTTPConnection(self._url.netloc, timeout=120)
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        try:
            connection.request("POST", self._url.path or "/", json.dumps(request), {"content-type": "application/json"})
            answer = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        if "error" in answer:
            raise RpcError(f"{method}: {answer['error']}")
        return answer["result"]

    def selector(self, signature: str) -> str:
        if signature not in self._selectors:
            self._selectors[signature] = self.rpc("web3_sha3", "0x" + signature.encode().hex())[:10]
        return self._selectors[signature]

    def topic(self, signature: str) -> str:
        return self.rpc("web3_sha3", "0x" + signature.encode().hex())

    def data(self, signature: str, *values: str | int) -> str:
        return self.selector(signature) + "".join(word(value) for value in values)

    def read(self, contract: str, signature: str, *values: str | int, block: int | None = None) -> int:
        """Calls a view that answers one integer, after a block or after the newest."""
        call = {"to": contract, "data": self.data(signature, *values)}
        return int(self.rpc("eth_call", call, "latest" if block is None else hex(block)), 16)

    def send(self, user: str, to: str, data: str, gas: int | None = None) -> str:
        """Sends a transaction of a user; answers its hash. Without a gas limit it gets twice the node's estimate."""
        call = {"from": user, "to": to, "data": data}
        if gas is None:
            gas = 2 * int(self.rpc("eth_estimateGas", call), 16)
        return self.rpc("eth_sendTransaction", {**call, "gas": hex(gas)})

    def receipt(self, tx_hash: str) -> dict[str, Any]:
        """Waits until a transaction is mined; it may have reverted."""

        def ask() -> dict[str, Any] | None:
            # A node under load may show a receipt while it still calls the transaction pending: that one does not count.
            sent = self.rpc("eth_getTransactionByHash", tx_hash)
            is_mined = sent is not None and sent["blockNumber"] is not None
            return self.rpc("eth_getTransactionReceipt", tx_hash) if is_mined else None

        return eventually(ask, lambda found: found, f"the receipt of {tx_hash}")

    def mined(self, tx_hash: str) -> dict[str, Any]:
        """Waits until a transaction is mined; fails when it reverted."""
        receipt = self.receipt(tx_hash)
        expect(succeeded(receipt), f"the transaction {tx_hash} reverted: {self.why(tx_hash)}")
        return receipt

    def why(self, tx_hash: str) -> str:
        """What the node says when a reverted transaction is tried again on the state before its block."""
        sent = self.rpc("eth_getTransactionByHash", tx_hash)
        call = {"from": sent["from"], "to": sent["to"], "data": sent["input"]}
        try:
            self.rpc("eth_call", call, hex(int(sent["blockNumber"], 16) - 1))
        except RpcError as error:
            return str(error)
        return "it succeeds on the block before"

    def expect_revert(self, user: str, to: str, data: str, gas: int = GAS) -> dict[str, Any]:
        """Sends a transaction that has to revert on chain; answers its receipt."""
        tx_hash = self.send(user, to, data, gas)
        receipt = self.receipt(tx_hash)
        if succeeded(receipt):
            raise Failure(f"the transaction {tx_hash} was mined with success")
        return receipt

    def approve(self, user: str, token: str, spender: str, amount: int) -> None:
        self.mined(self.send(user, token, self.data("approve(address,uint256)", spender, amount)))

    def time_sec(self) -> int:
        return int(self.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)

    def mine(self) -> None:
        """Makes one block."""
        self.rpc("evm_mine")

    @contextlib.contextmanager
    def paused(self):
        """No block is made inside, except by mine(): what needs a block to go on can be looked at in peace."""
        self.rpc("evm_setIntervalMining", 0)
        try:
            yield
        finally:
            self.rpc("evm_setIntervalMining", 1)


def succeeded(receipt: dict[str, Any]) -> bool:
    return receipt["status"] == "0x1"


def block_of(receipt: dict[str, Any]) -> int:
    return int(receipt["blockNumber"], 16)
