"""The API keys that the checks need, and how the operator's command-line tool issues them.

    python3 acceptance/stock/keys.py DEV_JSON     prints the commands as JSON, for a test that runs the tool itself
"""

import datetime
import json
import re
import subprocess
import sys
from typing import Any

LOCAL = ["127.0.0.1", "::1"]
EXPIRES_AFTER_SEC = 60
"""Long enough for the slowest machine to create the key: one that has expired already is refused."""

# name: access, bound account, IP whitelist, further arguments. The first is to have expired when it is used.
_KEYS: dict[str, tuple[str, int | None, list[str], list[str]]] = {
    "expired": ("WRITABLE", 0, LOCAL, ["--expires", "SOON"]),
    "writable": ("WRITABLE", 0, LOCAL, []),
    "read_only": ("READ_ONLY", None, LOCAL, []),
    "disabled": ("WRITABLE", 0, LOCAL, []),
    "other_address": ("WRITABLE", 0, ["192.0.2.1"], []),
    "no_address": ("WRITABLE", 0, [], []),
    "other_chain": ("WRITABLE", 0, LOCAL, ["--chain-id", "1"]),
    "other_product": ("WRITABLE", 0, LOCAL, ["--product", "Other"]),
    "same_wallet": ("WRITABLE", 0, LOCAL, []),
    "other_wallet": ("WRITABLE", 1, LOCAL, []),
    "one_click": ("WRITABLE", 2, LOCAL, []),
    "unbound": ("WRITABLE", None, LOCAL, []),
}


def plan(accounts: list[dict[str, str]]) -> list[dict[str, Any]]:
    """For each key its name, the arguments that create it, when it expires, and whether it is then to be disabled."""
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=EXPIRES_AFTER_SEC)
    text = soon.strftime("%Y-%m-%dT%H:%M:%SZ")
    steps = []
    for name, (access, account, addresses, further) in _KEYS.items():
        arguments = ["keys", "create", "--label", f"acceptance {name}", "--access", access]
        arguments += [part for address in addresses for part in ("--ip", address)]
        arguments += [] if account is None else ["--user", accounts[account]["address"]]
        arguments += [text if part == "SOON" else part for part in further]
        steps.append({"name": name, "create": arguments, "disable": name == "disabled"})
    return steps


def issue(accounts: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """Issues all keys with `npm run bourse`, in this folder and environment."""
    keys = {}
    for step in plan(accounts):
        text = _operator(*step["create"])
        field = {name: re.search(name + r": *(\S+)", text) for name in ("API key", "API secret")}
        if not all(field.values()):
            raise SystemExit(f"the key {step['name']} was not issued: {text}")
        keys[step["name"]] = {"apiKey": field["API key"][1], "apiSecret": field["API secret"][1]}
        if step["disable"]:
            _operator("keys", "disable", keys[step["name"]]["apiKey"])
    return keys


def _operator(*arguments: str) -> str:
    return subprocess.run(
        ["npm", "run", "--silent", "bourse", "--", *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf8") as file:
        print(json.dumps(plan(json.load(file)["accounts"])))
