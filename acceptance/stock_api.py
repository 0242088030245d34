"""Walks the whole tokenized-stock API against a running venue, as an integrator who has only its description.

    npm start                                       (in another terminal)
    python3 acceptance/stock_api.py                 everything but the rate limit
    python3 acceptance/stock_api.py --rate-limit    the rate limit, which leaves this address refused for a minute

It needs Python 3.11 and nothing else, and shares no code with the server. Each rule is a check with a name; README.md
beside this file maps the names to the sections of the requirement. The last line is "N checks, N failed", and the exit
code is 0 only when none failed.

    --dev FILE     where the venue is (default: $DATA_DIR/dev.json, or .data/dev.json)
    --keys FILE    the API keys of keys.py as JSON; without it they are issued with `npm run bourse`
    --only TEXT    only checks whose name has this text; a check may need what another one left
    --list         prints the table of README.md
"""

import argparse
import importlib
import json
import os
import sys
from typing import Any

sys.dont_write_bytecode = True

keys = importlib.import_module("keys")
framework = importlib.import_module("framework")
venue = importlib.import_module("venue")

# In the order in which they run: later checks use what earlier ones left.
RATE_LIMIT = "rate_limit"
MODULES = (
    "market_data",
    "cash",
    "orders",
    "portfolio",
    "stock_moves",
    "with_deposit",
    "one_click",
    "validation",
    "reverts",
    "authentication",
    "limits",
    RATE_LIMIT,
)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dev", default=os.path.join(os.environ.get("DATA_DIR") or ".data", "dev.json"))
    parser.add_argument("--keys")
    parser.add_argument("--only", default="")
    parser.add_argument("--rate-limit", action="store_true")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def read_json(file_name: str) -> Any:
    with open(file_name, encoding="utf8") as file:
        return json.load(file)


def table() -> str:
    rows = [f"| {one.name} | {one.seed} | {one.expected} |" for one in framework.registered()]
    return "\n".join(["| check | requirement | expected |", "| --- | --- | --- |", *rows])


def main() -> int:
    options = arguments()
    for name in MODULES:
        importlib.import_module(name)
    if options.list:
        print(table())
        return 0
    in_group = [one for one in framework.registered() if (one.group == RATE_LIMIT) == options.rate_limit]
    chosen = [one for one in in_group if options.only in one.name]
    if not chosen:
        raise SystemExit(f"there is no check with {options.only!r} in its name")
    dev = read_json(options.dev)
    issued = read_json(options.keys) if options.keys else keys.issue(dev["accounts"])
    return 1 if framework.run_checks(chosen, venue.Venue(dev, issued)) else 0


if __name__ == "__main__":
    sys.exit(main())
