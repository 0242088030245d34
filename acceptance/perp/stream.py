"""A small client of WebSockets (RFC 6455) that speaks text frames, and the requests of section 7 of the sheet."""

import base64
import json
import os
import socket
import struct
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from framework import Failure, expect

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
WAIT_SEC = 120


class Stream:
    """A connection. What arrives while something else is awaited is kept in `messages`."""

    def __init__(self, url: str):
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname, parts.port), timeout=WAIT_SEC)
        self._buffer = b""
        self.messages: list[dict[str, Any]] = []
        self._ids = 0
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {parts.path} HTTP/1.1",
            f"Host: {parts.netloc}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            "User-Agent: acceptance",
            f"Origin: http://{parts.netloc}",
        ]
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += self._received()
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        expect(b" 101 " in head.split(b"\r\n")[0], f"{url}: {head.decode()}")

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _received(self) -> bytes:
        data = self._socket.recv(65_536)
        if not data:
            raise Failure("the venue has closed the connection")
        return data

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._buffer += self._received()
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def _frame(self, kind: int, payload: bytes) -> None:
        """A client masks what it sends."""
        mask = os.urandom(4)
        length = len(payload)
        head = bytes([0x80 | kind])
        head += bytes([0x80 | length]) if length < 126 else bytes([0x80 | 126]) + struct.pack(">H", length)
        self._socket.sendall(head + mask + bytes(one ^ mask[at % 4] for at, one in enumerate(payload)))

    def say(self, text: str) -> None:
        self._frame(TEXT, text.encode())

    def hear(self) -> str:
        """The next text of the venue."""
        text = b""
        while True:
            first, second = self._take(2)
            length = second & 0x7F
            if length == 126:
                length = struct.unpack(">H", self._take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._take(8))[0]
            payload = self._take(length)
            if first & 0x0F == PING:
                self._frame(PONG, payload)
            elif first & 0x0F == CLOSE:
                raise Failure(f"the venue has closed the connection: {payload!r}")
            elif first & 0x0F in (0, TEXT):
                text += payload
                if first & 0x80:
                    return text.decode()

    def until(self, accept: Callable[[dict[str, Any]], Any], what: str) -> dict[str, Any]:
        """The first message that is accepted, be it one that came before; it is taken out."""
        for message in self.messages:
            if accept(message):
                self.messages.remove(message)
                return message
        give_up_at = time.monotonic() + WAIT_SEC
        while time.monotonic() < give_up_at:
            message = json.loads(self.hear())
            if accept(message):
                return message
            self.messages.append(message)
        raise Failure(f"no {what} within {WAIT_SEC} s")

    def ask(self, method: str, params: dict[str, Any]) -> str:
        """SUBSCRIBE or UNSUBSCRIBE; answers the result."""
        self._ids += 1
        number = self._ids
        self.say(json.dumps({"id": number, "method": method, "params": params}))
        return self.until(lambda one: one.get("id") == number, f"an answer to {method} {params}")["result"]

    def follow(self, params: dict[str, Any]) -> None:
        result = self.ask("SUBSCRIBE", params)
        expect(result.strip().lower().startswith("success"), f"SUBSCRIBE {params}: {result}")

    def next(self, stream: str, accept: Callable[[Any], Any] = lambda _: True) -> dict[str, Any]:
        return self.until(lambda one: one.get("stream") == stream and accept(one["data"]), f"message of {stream}")
