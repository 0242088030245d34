"""Walks the whole tokenized-stock API against a running venue, as an integrator who has only its description.

    npm start                                       (in another terminal)
    python3 acceptance/stock_api.py                 everything but the rate limit
    python3 acceptance/stock_api.py --rate-limit    the rate limit, which leaves this address refused for a minute

It needs Python 3.11 and nothing else, and shares no code with the server. Each rule is a check with a name;
stock/README.md maps the names to the sections of the requirement. The last line is "N checks, N failed", and the exit
code is 0 only when none failed.

    --dev FILE     where the venue is (default: $DATA_DIR/dev.json, or .data/dev.json)
    --keys FILE    the API keys of stock/keys.py as JSON; without it they are issued with `npm run bourse`
    --only TEXT    only checks whose name has this text; a check may need what another one left
    --list         prints the table of stock/README.md
"""

import argparse
import importlib
import os
import sys
from typing import Any

import program

FOLDER = "stock"
# In the order in which they run: later checks use what earlier ones left.
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
    program.RATE_LIMIT,
)


def open_venue(dev: dict[str, Any], options: argparse.Namespace) -> Any:
    keys = importlib.import_module("keys")
    issued = program.read_json(options.keys) if options.keys else keys.issue(dev["accounts"])
    return importlib.import_module("venue").Venue(dev, issued)


if __name__ == "__main__":
    sys.path.insert(1, os.path.join(os.path.dirname(__file__), FOLDER))
    sys.exit(program.run(__doc__ or "", FOLDER, MODULES, open_venue))
