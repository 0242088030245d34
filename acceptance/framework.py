"""Checks by name, what they expect, and the run that prints PASS or FAIL for each."""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Failure(Exception):
    """The service did something else than the requirement says; the message tells what."""


@dataclass(frozen=True)
class Check:
    name: str
    seed: str
    """Where the requirement has the rule, for example "4A cash"."""
    expected: str
    run: Callable[[Any], None]
    group: str


_checks: list[Check] = []


def check(name: str, seed: str, expected: str):
    """Registers a function of the venue as a check. Checks run in the order of their definition."""

    def register(run: Callable[[Any], None]) -> Callable[[Any], None]:
        if any(other.name == name for other in _checks):
            raise ValueError(f"two checks are called {name!r}")
        _checks.append(Check(name, seed, expected, run, run.__module__))
        return run

    return register


def registered() -> list[Check]:
    return list(_checks)


def run_checks(checks: list[Check], venue: Any) -> int:
    """Runs checks in order and prints a line for each; answers how many failed."""
    failed = 0
    for one in checks:
        started = time.monotonic()
        problem = _problem_of(one, venue)
        print(f"{'FAIL' if problem else 'PASS'}  {one.name}  [{one.seed}; {time.monotonic() - started:.1f} s]")
        print(f"      expected: {one.expected}")
        if problem:
            failed += 1
            print("      got:      " + problem.replace("\n", "\n                "), flush=True)
    print(f"{len(checks)} checks, {failed} failed", flush=True)
    return failed


def _problem_of(one: Check, venue: Any) -> str | None:
    try:
        one.run(venue)
    except Failure as failure:
        return str(failure) or "nothing that could be told"
    except Exception:  # a defect of the service can break the client anywhere, and the other checks still run
        return traceback.format_exc().strip()
    return None


def expect(condition: bool, got: str) -> None:
    """Fails with what was found instead, unless the condition holds."""
    if not condition:
        raise Failure(got)


def expect_equal(actual: Any, wanted: Any, what: str) -> None:
    expect(actual == wanted, f"{what} is {actual!r}, not {wanted!r}")


def expect_fields(value: Any, *names: str) -> None:
    expect(isinstance(value, dict), f"{value!r} where an object was expected")
    missing = [name for name in names if name not in value]
    expect(not missing, f"no field {', '.join(missing)} in {value!r}")


def eventually(ask: Callable[[], Any], accept: Callable[[Any], Any], what: str, timeout_sec: float = 300) -> Any:
    """Asks until the answer is accepted, and answers that; fails when that takes longer than the time-out."""
    give_up_at = time.monotonic() + timeout_sec
    while True:
        answer = ask()
        if accept(answer):
            return answer
        expect(time.monotonic() < give_up_at, f"{what}: not within {timeout_sec:.0f} s; at last {answer!r}")
        time.sleep(0.3)
