"""API keys: made by a wallet's signature, listed, changed and deleted; what each may do."""

import json

from api import BASE, now_ms
from endpoints import READS, WRITES
from framework import check, expect, expect_equal, expect_fields
from venue import Venue, expect_refused

CONTRACT_WALLET = "6064356 0f81c600114631626ba7e60e01b0260005260206000f3".replace(" ", "")
"""A contract that accepts, by ERC-1271, signatures whose first byte is 1, and no others."""
NEEDS_QUERY = {
    "market/kline": {"symbol": "BTC/USDC", "interval": "1m"},
    "market/orderBook": {"symbol": "BTC/USDC"},
    "market/funding/history": {"symbol": "BTC/USDC"},
}


@check("key by a wallet's signature", "1B, 5B, sheet 3", "apiKey and apiSecret, label, permissions; works at once")
def create(venue: Venue) -> None:
    made = venue.create_key(venue.wallet, label="a label").data
    expect_fields(made, "apiKey", "apiSecret", "label", "permissions", "createdAt")
    expect_equal((made["label"], made["permissions"]), ("a label", ["read", "trade"]), "label and permissions")
    venue.with_key(made).get("market/serverTime").data
    venue.leave("made key", made)


@check("secret shown once", "1B, 2B", "no answer but the first has the secret")
def secret_once(venue: Venue) -> None:
    made = venue.left("made key")
    answers = [venue.self_signer.get("api-key/list")]
    answers.append(venue.self_signer.post("api-key/update", {"apiKey": made["apiKey"], "label": "a label"}))
    for answer in answers:
        answer.data
        expect(made["apiSecret"] not in answer.text and "apiSecret" not in answer.text, f"{answer}")


@check("list of keys", "1B", "label, permissions, createdAt and lastUsedAt of the wallet's own keys, and of no other's")
def list_keys(venue: Venue) -> None:
    rows = venue.self_signer.get("api-key/list").data
    for row in rows:
        expect_fields(row, "apiKey", "label", "permissions", "createdAt", "lastUsedAt")
        expect(row["createdAt"] > 10**12, f"createdAt is no time in milliseconds: {row}")
    made = venue.left("made key")["apiKey"]
    expect(made in [row["apiKey"] for row in rows], f"{made} is not in {rows}")
    others = [row["apiKey"] for row in venue.other.get("api-key/list").data]
    expect(made not in others, "the key of a wallet is in the list of another")


@check("nonce of a key", "sheet 3", "a wallet's nonce makes one key: again it is refused, another wallet may use it")
def nonce_once(venue: Venue) -> None:
    request = venue.key_request(venue.wallet)
    venue.ask_for_key(request).data
    expect_refused(venue.ask_for_key(request), 400, 40004, "nonce")
    again = venue.key_request(venue.wallet, nonce=request["nonce"], timestamp=now_ms() + 1)
    expect_refused(venue.ask_for_key(again), 400, 40004, "nonce")
    venue.ask_for_key(venue.key_request(venue.other_wallet, nonce=request["nonce"])).data


@check(
    "key for another wallet",
    "5B, sheet 3",
    "a signature of another wallet is refused: HTTP 401, and no key is made",
)
def other_signer(venue: Venue) -> None:
    before = venue.self_signer.get("api-key/list").data
    answer = venue.ask_for_key(venue.key_request(venue.wallet, signer=venue.other_wallet))
    expect_refused(answer, 401, 40102, "signature")
    after = venue.self_signer.get("api-key/list").data
    expect_equal(len(after), len(before), "the number of keys")


@check(
    "text of a key",
    "sheet 3",
    "any other text is refused: one brand, one order of lines, the address in lower case",
)
def other_text(venue: Venue) -> None:
    request = venue.key_request(venue.wallet)
    text = venue.key_text(request["address"], request["nonce"], request["timestamp"])
    lines = text.split("\n")
    texts = {
        "another brand": text.replace("Bourse API", "Another API"),
        "a newline at the end": text + "\n",
        "carriage returns": "\r\n".join(lines),
        "lines exchanged": "\n".join([lines[1], lines[0], *lines[2:]]),
        "the address in capitals": text.replace(request["address"], "0x" + request["address"][2:].upper()),
        "another chain": text.replace("Chain ID: ", "Chain ID: 1"),
        "another nonce": text.replace("Nonce: ", "Nonce: 0"),
        "no last line": "\n".join(lines[:-1]),
    }
    for what, other in texts.items():
        signature = venue.personal_sign(venue.wallet, other)
        answer = venue.ask_for_key({**request, "signature": signature})
        expect(answer.status == 401 and answer.body["code"] == 40102, f"{what}: {answer}")
    venue.ask_for_key(request).data


@check(
    "time of a key",
    "sheet 3",
    "signed more than five minutes ago or ahead, or in seconds: refused, though rightly signed",
)
def key_time(venue: Venue) -> None:
    for ahead_ms in (-301_000, 900_000):
        request = venue.key_request(venue.wallet, timestamp=now_ms() + ahead_ms)
        expect_refused(venue.ask_for_key(request), 400, 40001, "timestamp")
    request = venue.key_request(venue.wallet, timestamp=now_ms() // 1000)
    expect_refused(venue.ask_for_key(request), 400, 40001, "timestamp")
    venue.ask_for_key(venue.key_request(venue.wallet, timestamp=now_ms() - 200_000)).data


@check("chain of a key", "sheet 3", "another chain than the venue's is refused, though rightly signed")
def key_chain(venue: Venue) -> None:
    expect_refused(venue.ask_for_key(venue.key_request(venue.wallet, chainID=1)), 400, 40001, "chain")


@check(
    "key of a contract wallet",
    "sheet 3",
    "made with a signature that the contract accepts by ERC-1271, and no other",
)
def contract_wallet(venue: Venue) -> None:
    creation = "60" + f"{len(CONTRACT_WALLET) // 2:02x}" + "80600b6000396000f3" + CONTRACT_WALLET
    tx_hash = venue.chain.rpc("eth_sendTransaction", {"from": venue.wallet, "data": "0x" + creation, "gas": hex(300_000)})
    address = venue.chain.mined(tx_hash)["contractAddress"]
    request = {"chainID": venue.chain_id, "address": address, "nonce": "contract", "timestamp": now_ms()}
    expect_refused(venue.ask_for_key({**request, "signature": "0x02" + "00" * 64}), 401, 40102)
    made = venue.ask_for_key({**request, "signature": "0x01" + "00" * 64}).data
    balance = venue.with_key(made).get("account/wallet-balance").data
    expect_equal(balance["address"], address.lower(), "the wallet of the key")


@check("fields of a key", "7B", "each field is required by name, and what is none is refused by name")
def key_fields(venue: Venue) -> None:
    request = venue.key_request(venue.wallet)
    for name in ("chainID", "address", "nonce", "timestamp", "signature"):
        left = {field: value for field, value in request.items() if field != name}
        expect_refused(venue.ask_for_key(left), 400, 40001, name)
    spoilt = {"address": "0x12", "signature": "signed", "permissions": ["admin"], "label": "", "nonce": "two\nlines"}
    for name, value in spoilt.items():
        expect_refused(venue.ask_for_key({**request, name: value}), 400, 40001, name)
    expect_refused(venue.ask_for_key({**request, "surplus": 1}), 400, 40001, "surplus")


@check("update of a key", "1B", "label and permissions change, and count for the next request")
def update(venue: Venue) -> None:
    made = venue.left("made key")
    changed = venue.self_signer.post(
        "api-key/update", {"apiKey": made["apiKey"], "label": "reader", "permissions": ["read"]}
    ).data
    expect_equal((changed["label"], changed["permissions"]), ("reader", ["read"]), "label and permissions")
    row = next(one for one in venue.self_signer.get("api-key/list").data if one["apiKey"] == made["apiKey"])
    expect_equal((row["label"], row["permissions"]), ("reader", ["read"]), "label and permissions of the list")


@check("key without trade", "1B, 7B", "every GET answers; every POST of the table is refused: HTTP 403, code 40301")
def reader(venue: Venue) -> None:
    client = venue.with_key(venue.left("made key"))
    for path in READS:
        if path != "order/byId":
            client.get(path, **NEEDS_QUERY.get(path, {})).data
    for path in WRITES:
        if path != "api-key/create":
            expect_refused(client.post(path, {}), 403, 40301)


@check("keys of another wallet", "1B", "are unknown to update and to delete, as one that there is not: code 40401")
def other_keys(venue: Venue) -> None:
    made = venue.left("made key")["apiKey"]
    for key in (made, "0" * 32):
        expect_refused(venue.other.post("api-key/update", {"apiKey": key, "label": "mine"}), 400, 40401)
        expect_refused(venue.other.post("api-key/delete", {"apiKey": key}), 400, 40401)
    row = next(one for one in venue.self_signer.get("api-key/list").data if one["apiKey"] == made)
    expect_equal(row["label"], "reader", "the label")


@check("delete of a key", "1B", "it is in the list no more, and what it signs is unauthorized")
def delete(venue: Venue) -> None:
    made = venue.left("made key")
    expect_equal(venue.self_signer.post("api-key/delete", {"apiKey": made["apiKey"]}).data, {"apiKey": made["apiKey"]}, "data")
    keys = [one["apiKey"] for one in venue.self_signer.get("api-key/list").data]
    expect(made["apiKey"] not in keys, "the deleted key is in the list")
    expect_refused(venue.with_key(made).get("market/serverTime"), 401, 40101)
    again = venue.self_signer.post("api-key/delete", {"apiKey": made["apiKey"]})
    expect_refused(again, 400, 40401)


@check("address of a request", "sheet 2A.0", "the key's wallet in any case; another one is refused: HTTP 403")
def address(venue: Venue) -> None:
    venue.self_signer.get("position/list", address=venue.wallet).data
    venue.self_signer.get("position/list", address="0x" + venue.wallet[2:].upper()).data
    for path in ("position/list", "order/realtime", "order/history", "account/wallet-balance", "liquidity/list"):
        expect_refused(venue.self_signer.get(path, address=venue.other_wallet), 403, 40301)


@check("create needs no key", "5B", "and takes a body in any order of its fields")
def without_key(venue: Venue) -> None:
    request = dict(reversed(venue.key_request(venue.other_wallet).items()))
    venue.http.patient("POST", f"{BASE}api-key/create", json.dumps(request)).data
