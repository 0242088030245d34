"""The 43 endpoints, as section 4A of the requirement lists them."""

import re

READ_ONLY = "READ_ONLY"
WRITABLE = "WRITABLE"


def _moves(prefix: str) -> list[str]:
    return [
        f"POST /{prefix}/calldata",
        f"POST /{prefix}/send",
        f"POST /{prefix}/tx",
        f"GET /{prefix}",
        f"GET /{prefix}/{{operationId}}",
    ]


_ENDPOINTS = [
    "GET /config",
    "GET /symbols",
    "GET /prices/{symbol}",
    "GET /prices/{symbol}/history",
    "GET /underlying/{symbol}/price",
    "GET /corporate-action",
    "GET /users/{userId}",
    "GET /users/{userId}/balance",
    "GET /users/{userId}/positions",
    "GET /orders",
    "POST /orders/calldata",
    "POST /orders/send",
    "POST /orders/with-deposit/calldata",
    "POST /orders/with-deposit/send",
    "POST /orders/tx",
    "GET /orders/tx/{txHash}",
    "GET /orders/{orderId}",
    "DELETE /orders/{orderId}/calldata",
    "DELETE /orders/{orderId}/send",
    *_moves("cash/deposits"),
    *_moves("cash/withdrawals"),
    *_moves("stock/deposits"),
    *_moves("stock/withdrawals"),
    "GET /1ct/status",
    "POST /1ct/prepare",
    "POST /1ct/enable",
    "POST /1ct/disable",
]

ENDPOINTS = [endpoint.replace(" /", " /api/v1/", 1) for endpoint in _ENDPOINTS]
"""Each as "METHOD /api/v1/path/{parameter}"."""


def permission_of(endpoint: str) -> str:
    return READ_ONLY if endpoint.startswith("GET ") else WRITABLE


def template_of(method: str, uri: str) -> str:
    """The endpoint that a request is for, a fixed path before a parameter; the request itself where there is none."""
    request = f"{method} {uri.partition('?')[0]}"
    by_parameters = sorted(ENDPOINTS, key=lambda endpoint: endpoint.count("{"))
    for endpoint in by_parameters:
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", endpoint), request):
            return endpoint
    return request
