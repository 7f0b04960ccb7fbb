"""The OpenEnv files of the project: the real validator, its runtime graders on a live server, and the real catalog."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from openenv.discovery import build_catalog, search_catalog
from openenv.validation import ProviderCapability, run_validation
from openenv.validation.types import CheckStatus, Level, Verdict

PROJECT = Path(__file__).parents[3]
FILES = ["openenv.yaml", "validation/runtime.json", "envs/triage/openenv.yaml", "envs/triage/discovery.json"]
FILES += ["envs/triage/README.md", "LICENSE"]

pytestmark = pytest.mark.skipif(not (PROJECT / "openenv.yaml").exists(), reason="the project's folder is not around")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package's files."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, tmp_path / name)
    return tmp_path


def manifest(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def test_both_manifests_say_the_same() -> None:
    root = manifest(PROJECT / "openenv.yaml")
    # How the Dockerfile beside it is built and asked: a catalog's entry has none.
    execution = root["validation"].pop("execution")
    assert root == manifest(PROJECT / "envs/triage/openenv.yaml")
    assert (PROJECT / execution["dockerfile"]).exists()
    assert (PROJECT / execution["probe_path"]).exists()


@pytest.mark.parametrize("folder", [".", "envs/triage"])
def test_the_validator_passes_the_static_level(package: Path, folder: str) -> None:
    report = run_validation(package / folder, max_level=Level.STATIC)
    assert report.verdict is Verdict.PASS, report.model_dump_json(indent=1)


def test_without_a_build_nothing_fails(package: Path) -> None:
    report = run_validation(package, skip_build=True)
    assert report.verdict is Verdict.WARN
    assert {result.status for result in report.results} == {CheckStatus.PASS, CheckStatus.SKIP}


class Running:
    """A subject that runs already."""

    def __init__(self, url: str) -> None:
        self.base_url = url

    def inspect(self) -> dict[str, str]:
        return {"provider": "running"}

    def stop(self) -> None:
        pass


class Provider:
    """Hands the validator a server that runs, in place of a container."""

    name = "running"
    capabilities = frozenset({ProviderCapability.IMAGE_BUILD})
    supported_network_modes = frozenset({"public", "no-network"})

    def __init__(self, url: str) -> None:
        self.url = url

    def build(self, *_: object) -> str:
        return "sha256:" + "0" * 64

    def start(self, _: object) -> Running:
        return Running(self.url)


def test_the_runtime_graders_pass_on_the_server(package: Path, binary_url: str) -> None:
    path = package / "openenv.yaml"
    declared = manifest(path)
    declared["validation"].setdefault("execution", {"probe_path": "validation/runtime.json"})
    path.write_text(yaml.safe_dump(declared), encoding="utf-8")
    report = run_validation(package, provider=Provider(binary_url))
    status = {result.check_id: result.status for result in report.results}
    for check in ("startup", "reward_well_formed", "observation_schema", "state_contract"):
        assert status[f"runtime.{check}"] is CheckStatus.PASS, report.model_dump_json(indent=1)
    assert not {CheckStatus.FAIL, CheckStatus.ERROR} & set(status.values())


def test_the_plan_plays_a_whole_episode(binary_url: str) -> None:
    from triage_env import create_env

    plan = json.loads((PROJECT / "validation/runtime.json").read_text(encoding="utf-8"))
    options: Any = {**plan["reset"]["options"], "episode_id": plan["reset"]["episode_id"]}
    with create_env(track="queue", url=binary_url) as env:
        env.reset(plan["reset"]["seed"], options=options)
        done = [env.step(action)[2] for action in plan["actions"]]
    assert done == [False] * (len(done) - 1) + [True]


def test_what_is_declared_is_what_the_server_has(binary_url: str) -> None:
    declared = manifest(PROJECT / "openenv.yaml")["validation"]["capabilities"]
    names = {s["name"] for s in httpx.get(f"{binary_url}/triage/splits", trust_env=False).json()}
    counts = {
        name: httpx.post(f"{binary_url}/triage/num_tasks", json={"split": name}, trust_env=False).json()["num_tasks"]
        for name in names
    }
    assert counts == declared["declared_task_count"]
    listed = httpx.post(
        f"{binary_url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, trust_env=False
    ).json()["result"]["tools"]
    assert {tool["name"] for tool in listed} == set(declared["declared_tools"])
    discovery = json.loads((PROJECT / "envs/triage/discovery.json").read_text(encoding="utf-8"))
    assert discovery["agent_tools"]["names"] == declared["declared_tools"]


def test_the_catalog_finds_the_environment(package: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    git = ["git", "-C", str(package), "-c", "user.name=test", "-c", "user.email=test@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "package"]):
        subprocess.run([*git, *command], check=True)
    snapshot = build_catalog(
        package, repository_uri="https://github.com/triagebench/triage.git", publisher="example.org"
    )
    assert snapshot.complete
    assert list(snapshot.issues) == []
    (entry,) = snapshot.entries
    assert (entry.display_name, entry.data.license, entry.data.source.path) == ("triage", "MIT", "envs/triage")
    assert entry.capabilities == ["read_ticket", "submit_triage", "read_handbook", "queue_status"]
    for query in ("support tickets", "customer-support triage", "route help desk tickets by urgency"):
        assert [match.entry.display_name for match in search_catalog(snapshot, query)] == ["triage"]
