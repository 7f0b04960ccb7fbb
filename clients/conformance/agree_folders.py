"""Folders on which validators are compared, and what the reference says of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from openenv.discovery.errors import CatalogError
from openenv.discovery.metadata import DiscoveryDeclaration
from openenv.discovery.serialization import parse_json
from openenv.validation import Level, run_validation
from openenv.validation.manifest import ExecutionDeclaration
from openenv.validation.runtime.contracts import RuntimePlanError, load_runtime_plan
from openenv.validation.signature import SignatureError
from pydantic import ValidationError

MANIFEST = """name: mine
version: "1.0"
validation:
  reward: {range: [0, 1], floor_margin: 0.2}
  resources: {cpu: 1, memory_mb: 512, disk_mb: 100, episode_timeout_s: 60}
  capabilities:
    verifier: {kind: reward_channel}
    declared_tools: [answer]
    declared_task_count: {train: 10}
  types: {tags: [triage]}
  network: {mode: no-network}
  execution: {kind: openenv_ws}
"""

# What takes the place of a value of the manifest.
VALUES = (
    '1¦0¦-1¦1.5¦512.0¦1e3¦1.0e+3¦010¦0x10¦1_000¦12:30¦yes¦off¦y¦true¦"true"¦"1"¦"1.0"¦"x"¦x¦~¦¦null¦.inf¦'
    ".nan¦2026-01-02¦[]¦[1, 2]¦[a]¦{}¦{a: 1}¦[[]]¦!!str 1¦!!int 1¦!!float 1¦'1'¦|\n    1¦public¦script¦"
    'reward_channel¦""'
).split("¦")
# Lines that are put into blocks.
LINES = {
    "reward": ("oracle_tolerance: {}¦variance_tolerance: {}¦floor_margin: {}¦range: [{}, 2]¦range: {}¦more: {}").split(
        "¦"
    ),
    "resources": ("cpu: {}¦memory_mb: {}¦disk_mb: {}¦episode_timeout_s: {}¦gpus: {}¦gpu_types: {}¦more: {}").split("¦"),
    "capabilities": (
        "verifier: {}¦verifier: {{kind: {}}}¦verifier: {{kind: script, entry: {}}}¦oracle: {}¦"
        "oracle: {{form: script, location: {}}}¦oracle: {{form: injected_state, location: x}}¦set_state: {}¦"
        "llm_judged: {}¦rubric_tree: {}¦task_api: {}¦canaries: {}¦declared_tools: {}¦declared_task_count: {}¦"
        "declared_task_count: {{a: {}}}¦more: {}"
    ).split("¦"),
    "types": ("tags: {}¦tags: [{}]¦more: {}").split("¦"),
    "network": ("mode: {}¦allowed_hosts: {}¦mode: allowlist¦more: {}").split("¦"),
    "judge": ("model: {}¦version: {}¦params: {}¦more: {}").split("¦"),
    "task_distribution": ("generator_seed: {}¦dataset_version: {}¦generator_model: {}¦more: {}").split("¦"),
    "execution": (
        "kind: {}¦probe_path: {}¦dockerfile: {}¦context: {}¦agent_boundary: {}¦requires_credentials: {}¦"
        "probe_path: ../x¦context: a/../b¦context: 'a:b'¦dockerfile: .¦more: {}"
    ).split("¦"),
}


def manifests() -> Iterator[tuple[str, str]]:
    """Manifests with one block changed in one line, by what was changed."""
    base = yaml.safe_load(MANIFEST)["validation"]
    blocks = {**base, "judge": {"model": "a", "version": "b"}, "task_distribution": {}}
    for block, lines in LINES.items():
        for line in lines:
            for value in VALUES if "{}" in line else [""]:
                if "\n" in value and ("[" in line or "{{" in line):
                    continue
                text_ = line.format(value)
                key = text_.split(":")[0]
                kept = {k: v for k, v in blocks[block].items() if k != key}
                rest = {k: v for k, v in base.items() if k != block}
                body = yaml.safe_dump({"name": "mine", "version": "1.0", "validation": rest})
                inner = "".join(f"    {row}\n" for row in yaml.safe_dump(kept).splitlines()) if kept else ""
                yield f"{block}: {text_!r}", body + f"  {block}:\n{inner}    {text_}\n"
    for key in ("name", "version", "validation", "more"):
        for value in VALUES:
            body = yaml.safe_dump({k: v for k, v in yaml.safe_load(MANIFEST).items() if k != key})
            yield f"{key}: {value!r}", body + f"{key}: {value}\n"


PLAN = {
    "plan_schema_version": "1",
    "reset": {"episode_id": "e", "seed": 1, "options": {"a": 1}},
    "actions": [{"kind": "route"}],
}


def plans() -> Iterator[tuple[str, str]]:
    """Runtime plans with a change, by what it is."""
    good = json.dumps(PLAN)
    for old, new in [
        ("", ""),
        ('"1"', "1"),
        ('"1"', '"2"'),
        ('"e"', '""'),
        ('"e"', '"' + "ü" * 128 + '"'),
        ('"e"', '"' + "ü" * 129 + '"'),
        ('"e"', "7"),
        ('"seed": 1', '"seed": 4294967295'),
        ('"seed": 1', '"seed": 4294967296'),
        ('"seed": 1', '"seed": -1'),
        ('"seed": 1', '"seed": 1.0'),
        ('"seed": 1', '"seed": true'),
        ('"seed": 1', '"seed": "1"'),
        ('"seed": 1', '"seed": null'),
        ('"seed": 1', '"seed": -0'),
        ('{"a": 1}', "null"),
        ('{"a": 1}', "[]"),
        ('{"a": 1}', '{"seed": 1}'),
        ('"a": 1', '"a": 1, "a": 2'),
        ('"a": 1', '"a": NaN'),
        ('"a": 1', '"a": 1e999'),
        ('"a": 1', '"a": 1e308'),
        ('"a": 1', '"a": ' + "[" * 30 + "]" * 30),
        ('"a": 1', '"a": ' + "[" * 31 + "]" * 31),
        ('"a": 1', '"a": [' + "1," * 9000 + "1]"),
        ('"a": 1', '"a": [' + "1," * 11000 + "1]"),
        ('{"kind": "route"}', ""),
        ('{"kind": "route"}', "1"),
        ('{"kind": "route"}', ",".join(["{}"] * 100)),
        ('{"kind": "route"}', ",".join(["{}"] * 101)),
        ('{"kind": "route"}', '{"x": "' + "x" * 65500 + '"}'),
        ('"actions"', '"more": 1, "actions"'),
        (good, "[]"),
        (good, "null"),
        (good, good + "x"),
        (good, ""),
    ]:
        yield f"plan {old!r} -> {new[:40]!r}", good.replace(old, new, 1) if old else good
    yield "plan that is no UTF-8", "\udcff"
    yield "plan of UTF-16", good.encode("utf-16").decode("latin-1")


def declarations() -> Iterator[tuple[str, str]]:
    """Declarations for a catalog with a change, by what it is."""
    good = {
        "description": "x",
        "tags": ["a"],
        "representative_queries": ["a", "b"],
        "license": "MIT",
        "artifact_availability": "external",
    }
    values: list[Any] = [
        None,
        "",
        " ",
        "x",
        1,
        True,
        [],
        ["a"],
        ["a", "b"],
        ["a", 1],
        ["a"] * 5,
        ["a"] * 6,
        {},
        "resolvable",
        "MIT OR Apache-2.0",
        "MIT AND (GPL-2.0-only WITH Classpath-exception-2.0)",
        "MIT OR",
        "(MIT",
        "unknown",
        "other",
        "x" * 8192,
        "x" * 8193,
    ]
    for key in [*good, "license_source", "more"]:
        for value in values:
            yield f"discovery {key}: {str(value)[:40]!r}", json.dumps({**good, key: value})
    tools = {"protocol": "mcp", "names": ["answer"], "source": "envs/mine/openenv.yaml"}
    for key in [*tools, "more"]:
        for value in [
            *values,
            "reset",
            ["Reset"],
            ["a", "a"],
            ["a"] * 257,
            "../x",
            "/x",
            "a//b",
            "a\\b",
            "a/./b",
            "envs/mine/openenv.yaml",
        ]:
            yield (
                f"discovery tools {key}: {str(value)[:40]!r}",
                json.dumps({**good, "agent_tools": {**tools, key: value}}),
            )
    yield "discovery with a key twice", '{"description":"x","description":"y"}'
    yield "discovery with NaN", '{"description":"x","tags":[NaN]}'
    yield "discovery that is a list", "[]"


def trees() -> dict[str, Callable[[Path], None]]:
    """Folders with something in them beside a manifest, by what it is."""

    def link(at: str, to: str) -> Callable[[Path], None]:
        def make(root: Path) -> None:
            (root / at).parent.mkdir(parents=True, exist_ok=True)
            (root / at).symlink_to(to)

        return make

    def file(name: str, content: str) -> Callable[[Path], None]:
        return lambda root: write(root, name, content)

    def linked(root: Path) -> None:
        (root / "openenv.yaml").rename(root / "x")
        (root / "openenv.yaml").symlink_to("x")

    def folder(root: Path) -> None:
        (root / "openenv.yaml").unlink()
        (root / "openenv.yaml").mkdir()

    return {
        "nothing more": file("README.md", "# x\n"),
        "no manifest": lambda root: (root / "openenv.yaml").unlink(),
        "task.toml": file("task.toml", ""),
        "task.md with front matter": file("task.md", "\n ---\na: b\n---\n"),
        "task.md without": file("task.md", "# x\n"),
        "a link": link("link", "openenv.yaml"),
        "a link deep down": link("a/b/link", "/nowhere"),
        "a link to a folder": link("l", "."),
        "a link in .venv": link("a/.venv/link", "/nowhere"),
        "a link called outputs": link("outputs", "/nowhere"),
        "a manifest that is a link": linked,
        "a pipe": lambda root: os.mkfifo(root / "pipe"),
        "a manifest that is a folder": folder,
    }


def write(root: Path, name: str, content: str) -> None:
    """Write a file and the folders above it."""
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(content, encoding="utf-8")


def static(root: Path) -> bool:
    """What the reference says of the manifest of a folder."""
    try:
        report = run_validation(root, max_level=Level.STATIC)
    except SignatureError:
        return False
    return all(r.status.value == "pass" for r in report.results)


def planned(root: Path) -> bool:
    """What the reference says of the runtime plan of a folder."""
    try:
        load_runtime_plan(root, ExecutionDeclaration())
    except RuntimePlanError:
        return False
    return True


def declared(root: Path, declaration: str) -> bool:
    """What the reference says of a declaration, and of the files it names."""
    try:
        d = DiscoveryDeclaration.model_validate(parse_json(declaration))
    except (CatalogError, ValidationError):
        return False
    tools = d.agent_tools
    if tools is not None and not (tools.source.startswith("envs/mine/") and (root / tools.source).is_file()):
        return False
    if d.license is None or d.license_source is None:
        return True
    try:
        return (root / d.license_source).is_file()
    except OSError:  # a name that no file can have
        return False
