"""What both clients' programs do: read the arguments, choose the checks, run them or print their table."""

import argparse
import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import framework

sys.dont_write_bytecode = True

RATE_LIMIT = "rate_limit"
"""The module whose checks run alone: afterwards requests are refused for up to a minute."""


def arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
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


def run(description: str, folder: str, modules: tuple[str, ...], open_venue: Callable[[Any, Any], Any]) -> int:
    """Runs the checks of a folder's modules, in their order, against the venue that is opened."""
    options = arguments(description)
    for name in modules:
        importlib.import_module(name)
    if options.list:
        print(table())
        return 0
    in_group = [one for one in framework.registered() if (one.group == RATE_LIMIT) == options.rate_limit]
    chosen = [one for one in in_group if options.only in one.name]
    if not chosen:
        raise SystemExit(f"{folder}: there is no check with {options.only!r} in its name")
    return 1 if framework.run_checks(chosen, open_venue(read_json(options.dev), options)) else 0
