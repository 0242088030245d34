"""The operations of table 2A.0 of the sheet, and the older names of the reads (section 2B)."""

BASE = "/v4/public/trader/"

_READS = {
    "market": "serverTime instruments kline orderBook tickers funding/history",
    "api-key": "list",
    "1ct": "status",
    "account": "wallet-balance deposit-withdraw transaction-history",
    "order": "realtime byId history",
    "execution": "list",
    "position": "list",
    "liquidity": "list history",
}
_WRITES = {
    "api-key": "create update delete",
    "1ct": "prepare enable disable",
    "approve": "prepare submit",
    "account": "deposit withdraw",
    "order": "market limit scaled cancel batch-cancel fill build submit preview",
    "position": "close adjust margin",
    "liquidity": "add remove",
}


def _paths(groups: dict[str, str]) -> list[str]:
    return [f"{group}/{name}" for group, names in groups.items() for name in names.split()]


READS = _paths(_READS)
WRITES = _paths(_WRITES)
ENDPOINTS = [f"GET {path}" for path in READS] + [f"POST {path}" for path in WRITES]
"""Each as "METHOD group/name"."""

OLDER_NAMES = {
    "serverTime": "market/serverTime",
    "instruments-info": "market/instruments",
    "kline": "market/kline",
    "orderBook": "market/orderBook",
    "tickers": "market/tickers",
    "funding/history": "market/funding/history",
    "account/wallet-balance": "account/wallet-balance",
    "account/transaction-history": "account/deposit-withdraw",
    "position/list": "position/list",
    "order/realtime": "order/realtime",
    "orderById": "order/byId",
    "order/history": "order/history",
    "execution/list": "execution/list",
    "liquidity/list": "liquidity/list",
    "liquidity/history": "liquidity/history",
}
"""Path below /v4/public/mm/ and the same read below /v4/public/trader/."""


def endpoint_of(method: str, path: str) -> str:
    return f"{method} {path.partition('?')[0].removeprefix(BASE)}"
