"""Walks the whole perpetual API against a running venue, as an integrator who has only its description.

    npm start                             (in another terminal)
    python3 acceptance/perp_api.py

It needs Python 3.11 and nothing else, and shares no code with the server. Each rule is a check with a name;
perp/README.md maps the names to the sections of the requirement. The last line is "N checks, N failed", and the exit
code is 0 only when none failed.

    --dev FILE     where the venue is (default: $DATA_DIR/dev.json, or .data/dev.json)
    --only TEXT    only checks whose name has this text; a check may need what another one left
    --list         prints the table of perp/README.md
"""

import importlib
import os
import sys

import program

FOLDER = "perp"
# In the order in which they run: later checks use what earlier ones left.
MODULES = (
    "access",
    "signing",
    "money",
    "own_wallet",
    "one_click",
    "orders",
    "positions",
    "liquidity",
    "market_data",
    "records",
    "streams",
    "older_names",
    "failures",
    "endings",
)


if __name__ == "__main__":
    sys.path.insert(1, os.path.join(os.path.dirname(__file__), FOLDER))
    sys.exit(program.run(__doc__ or "", FOLDER, MODULES, lambda dev, _: importlib.import_module("venue").Venue(dev)))
