#!/usr/bin/env python3
"""Hold `triage validate` against the OpenEnv package's own validator: both judge the same, and must agree.

    agree.py --triage ./triage http://127.0.0.1:8000 --action '{"kind":"route"}'
    agree.py --triage ./triage --self

For an address: the six criteria of `openenv validate --url`, and with --action the three runtime graders over /ws.
With --self it starts a reference server and a server with a fault of every kind, and writes folders with faults of
every kind (about 3,500 verdicts). Prints a line for every disagreement and their number; exits 1 when there is one.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from openenv.cli._validation import validate_running_environment
from openenv.core.env_server import create_app
from openenv.validation.graders.runtime import ObservationSchemaGrader, RewardWellFormedGrader, StateContractGrader
from openenv.validation.runtime.collector import collect_runtime_evidence
from openenv.validation.runtime.contracts import RuntimePlan

from agree_folders import MANIFEST, PLAN, declarations, declared, manifests, planned, plans, static, trees, write
from agree_servers import FRAME_FAULTS, PAGE_FAULTS, Answer, Seen, Serving, Tickets, broken_app

GRADERS = (RewardWellFormedGrader(), ObservationSchemaGrader(), StateContractGrader())


NAN = "NaN and Infinity are no JSON: triage holds no schema's number to be them"
SPDX = "triage reads the form of a license expression and does not look its names up"
KNOWN = {
    ("frame fault reward-nan", "runtime.observation_schema"): NAN,
    ("frame fault reward-infinite", "runtime.observation_schema"): NAN,
    ("plan", "plan of UTF-16"): "triage reads UTF-8 only",
    ("catalog", "discovery license: 'x'"): SPDX,
    ("catalog", "discovery license: 'resolvable'"): SPDX,
    ("catalog", f"discovery license: '{'x' * 40}'"): SPDX,
}
"""Differences that are meant, with the reason."""


class Count:
    """Verdicts that were compared, and how many differ."""

    def __init__(self) -> None:
        self.compared = 0
        self.different = 0
        self.known = 0

    def hold(self, where: str, name: str, theirs: Any, ours: Any) -> None:
        """Compare two verdicts."""
        self.compared += 1
        if theirs != ours and (where, name) in KNOWN:
            self.known += 1
        elif theirs != ours:
            self.different += 1
            print(f"DISAGREE {where}: {name}: the reference says {theirs}, triage {ours}", flush=True)


def judged(triage: str, *arguments: str) -> dict[str, Any] | None:
    """The verdicts of `triage validate` by id: true, false or None (left out). None in all: nobody answers."""
    done = subprocess.run(
        [triage, "validate", *arguments, "--format", "json"], capture_output=True, text=True, timeout=300
    )
    if done.returncode == 4:
        return None
    if done.returncode not in (0, 1):
        raise SystemExit(f"triage validate {arguments}: exit {done.returncode}: {done.stderr}")
    checks = {c["id"]: c["passed"] for c in json.loads(done.stdout)["checks"]}
    return {k: (None if isinstance(v, str) else v) for k, v in checks.items()}


def compare_server(count: Count, triage: str, url: str, actions: list[dict[str, Any]], where: str = "") -> None:
    """Compare the verdicts about a server."""
    where = where or url
    flags = [x for a in actions for x in ("--action", json.dumps(a))]
    ours = judged(triage, url, "--timeout", "3s", *flags)
    theirs = validate_running_environment(url, timeout_s=3)
    if ours is None:
        count.hold(where, "reachable", any(c["passed"] for c in theirs["criteria"]), False)
        return
    for c in theirs["criteria"]:
        count.hold(where, c["id"], c["passed"], ours[c["id"]])
    if actions:
        verdicts = graded(url, actions)
        if any(verdict != ours[name] for name, verdict in verdicts.items()):
            verdicts = graded(url, actions)  # its schema worker has 5 s, which a busy machine may not give it
        for name, verdict in verdicts.items():
            count.hold(where, name, verdict, ours[name])


def graded(url: str, actions: list[dict[str, Any]]) -> dict[str, bool | None]:
    """What the reference's collector and graders say: episode stands for its startup check."""
    plan = RuntimePlan.model_validate(
        {
            "plan_schema_version": "1",
            "reset": {"episode_id": "validate-1", "seed": 42},
            "actions": (actions * 25)[:25],
        }
    )
    evidence = collect_runtime_evidence(url, plan, episode_timeout_s=30, request_timeout_s=3)
    out: dict[str, bool | None] = {"episode": evidence.failure_reason is None}
    wide = SimpleNamespace(reward=SimpleNamespace(range=(-math.inf, math.inf)))
    subject = SimpleNamespace(runtime_evidence=evidence, manifest=wide)
    for grader in GRADERS:
        status = grader.run(subject).status.value
        out[grader.check_id] = {"pass": True, "fail": False, "skip": None}[status]
    return out


def compare_own_servers(count: Count, triage: str) -> None:
    """Start servers and compare the verdicts about them."""
    action = [{"kind": "route"}]
    for places in (1, 8):
        with Serving(create_app(Tickets, Answer, Seen, env_name="tickets", max_concurrent_envs=places)) as url:
            compare_server(count, triage, url, action, f"reference server, {places} sessions")
    with Serving(broken_app()) as url:
        for name in PAGE_FAULTS:
            compare_server(count, triage, f"{url}/{name}/none", action, f"page fault {name}")
        for name in FRAME_FAULTS:
            compare_server(count, triage, f"{url}/none/{name}", action, f"frame fault {name}")


def compare_folders(count: Count, triage: str) -> None:
    """Write folders and compare the verdicts about them."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        write(root, "openenv.yaml", MANIFEST)
        write(root, "validation/runtime.json", json.dumps(PLAN))
        write(root, "Dockerfile", "FROM scratch\n")
        write(root, "envs/mine/openenv.yaml", "name: mine\ndescription: y\n")
        for name, manifest in [
            ("the good one", MANIFEST),
            ("a list", "- x\n"),
            ("no YAML", "a: [\n"),
            ("nothing", ""),
            ("a tab", "a:\n\t- b\n"),
            *manifests(),
        ]:
            write(root, "openenv.yaml", manifest)
            count.hold("manifest", name, static(root), (judged(triage, str(root)) or {})["static.manifest"])
        write(root, "openenv.yaml", MANIFEST)
        for name, plan in plans():
            (root / "validation/runtime.json").write_bytes(
                plan.encode("utf-8", "surrogateescape") if "UTF-16" not in name else plan.encode("latin-1")
            )
            count.hold("plan", name, planned(root), (judged(triage, str(root)) or {})["runtime.plan"])
        write(root, "validation/runtime.json", json.dumps(PLAN))
        for name, declaration in declarations():
            write(root, "envs/mine/discovery.json", declaration)
            count.hold("catalog", name, declared(root, declaration), (judged(triage, str(root)) or {})["catalog/mine"])
        (root / "envs/mine/discovery.json").unlink()
        for name, make in trees().items():
            with tempfile.TemporaryDirectory() as other:
                there = Path(other)
                write(there, "openenv.yaml", MANIFEST)
                make(there)
                ours = judged(triage, str(there)) or {}
                count.hold(
                    "folder",
                    name,
                    static(there),
                    ours["package.signature"] and ours["package.source"] and bool(ours["static.manifest"]),
                )


def main() -> int:
    """Compare what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urls", nargs="*", help="addresses of servers")
    parser.add_argument("--triage", default="triage", help="the program")
    parser.add_argument("--action", action="append", default=[], help="an action that the servers take (repeatable)")
    parser.add_argument("--self", action="store_true", dest="own", help="servers and folders of this script's own")
    args = parser.parse_args()
    count = Count()
    for url in args.urls:
        compare_server(count, args.triage, url, [json.loads(a) for a in args.action])
    if args.own:
        compare_own_servers(count, args.triage)
        compare_folders(count, args.triage)
    print(f"{count.compared} verdicts compared, {count.different} disagreements ({count.known} more are meant)")
    return 1 if count.different or not count.compared else 0


if __name__ == "__main__":
    sys.exit(main())
