"""Holds the task of triage_task.py against `triage run`: the same answers earn the same, episode by episode.

    python examples/inspect/check.py --triage ./triage

Plays scripted policies through inspect_ai, and as programs through `triage run --agent exec:…`, on the same seeds. Then
two endpoints on this machine: `triage fake-llm`, against `triage run --agent llm`, and the example chat_endpoint.py,
which streams. Prints a line a pair, and exits with 1 if two differ.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
from my_agent import act  # noqa: E402

CONSTANT = {
    "route_category": "technical",
    "urgency_assessment": "medium",
    "resolution_difficulty": "medium",
    "priority_score": 33,
    "category": "Bug",
    "priority": "Medium",
    "urgency_days": 3,
    "department": "Engineering",
}
QUEUE, DESK = list(CONSTANT)[:4], list(CONSTANT)[4:]
UNREADABLE = "I cannot say."


def constant(seen: dict[str, Any]) -> str:
    """One answer to every ticket."""
    return json.dumps({k: CONSTANT[k] for k in (QUEUE if "ticket" in seen else DESK)})


def reading(seen: dict[str, Any]) -> str:
    """The answer of the example agent, which counts words."""
    return json.dumps(act(seen))


def sloppy(seen: dict[str, Any]) -> str:
    """The same, but of three answers one has a wrong value and one is no JSON; which, the ticket's id decides."""
    number = int((seen.get("ticket") or seen)["ticket_id"].rpartition("-")[2])
    answer = act(seen)
    wrong = {**answer, next(iter(answer)): "sales"}
    return [json.dumps(answer), json.dumps(wrong), UNREADABLE][number % 3]


POLICIES: dict[str, Callable[[dict[str, Any]], str]] = {"constant": constant, "reading": reading, "sloppy": sloppy}
PLAYED = [
    ("constant", "queue-hard", 10),
    ("reading", "queue-easy", 10),
    ("reading", "desk-hard", 20),
    ("sloppy", "queue-medium", 10),
    ("sloppy", "desk-medium", 20),
]
REPLY = f"Gladly, this is my answer:\n```json\n{json.dumps({k: CONSTANT[k] for k in QUEUE})}\n```\n"


def answer_lines(name: str) -> None:
    """Is the policy as a program: an observation a line in, an answer a line out."""
    for line in sys.stdin:
        answer = POLICIES[name](json.loads(line))
        print("{}" if answer == UNREADABLE else answer, flush=True)  # a program that writes no JSON is started again


def by_run(triage: str, task: str, episodes: int, *flags: str) -> dict[int, float]:
    """The score of each seed's episode, as `triage run` has it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        command = [triage, "run", "--tasks", task, "--episodes", str(episodes), "--out", str(out), "--no-floor"]
        done = subprocess.run([*command, "--progress", "off", *flags], capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise SystemExit(f"triage run {task}: exit {done.returncode}: {done.stderr}")
        lines = (out / "episodes.jsonl").read_text(encoding="utf-8").splitlines()
    return {e["key"]["seed"]: e["score"] for e in map(json.loads, lines)}


def by_inspect(model: Any, task: str, episodes: int, logs: str) -> dict[int, float]:
    """The score of each seed's sample, as inspect_ai has it; its rewards must sum to it, and its mean be theirs."""
    from inspect_ai import eval as evaluate
    from triage_task import triage

    (log,) = evaluate(triage(task=task, episodes=episodes), model=model, display="none", log_dir=logs)
    if log.status != "success":
        raise SystemExit(f"inspect eval {task}: {log.status}: {log.error}")
    scores = {}
    for sample in log.samples:
        score = sample.scores["episode"]
        scores[int(sample.id)] = score.value["score"]
        total = sum(score.metadata["rewards"])
        earned = score.value["score" if task.startswith("queue") else "reward"]
        if abs(total - earned) > 1e-6:
            raise SystemExit(f"{task}, seed {sample.id}: the rewards sum to {total}, and not to {earned}")
    told = next(s for s in log.results.scores if s.name == "score").metrics["mean"].value
    if abs(told - sum(scores.values()) / len(scores)) > 1e-9:
        raise SystemExit(f"{task}: inspect_ai's mean {told} is not that of its samples")
    return scores


def scripted(policy: Callable[[dict[str, Any]], str]) -> Any:
    """A model of inspect_ai that answers as the policy does."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def output(messages: list[Any], *_: object) -> ModelOutput:
        reply = ModelOutput.from_content("scripted", policy(json.loads(messages[-1].text)))
        reply.usage = ModelUsage()  # without it the tokens are counted, by a table that would have to be downloaded
        return reply

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


@contextlib.contextmanager
def serving(*command: str) -> Iterator[str]:
    """A chat model on this machine, made by a command; gives its address, which its first line ends with."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            yield server.stdout.readline().split()[-1]
        finally:
            server.terminate()


def over_http(triage: str, logs: str) -> Iterator[bool]:
    """Whether models behind an address earn the same in both: one that always says the same, and one that reads."""
    from inspect_ai.model import get_model

    script = Path(logs) / "script.yaml"
    script.write_text(json.dumps({"answers": {"fixed": REPLY}}), encoding="utf-8")
    fake = (triage, "fake-llm", "--script", str(script), "--tasks", "queue-easy", "--listen", "127.0.0.1:0")
    with serving(*fake) as url:
        asked = ("--agent", "llm", "--model", "llamacpp:fake", "--base-url", url, "--cache", "off")
        ours = by_run(triage, "queue-easy", 5, *asked)
        model = get_model("openai-api/fake/model", base_url=url, api_key="none")
        yield same("triage fake-llm", "queue-easy", ours, by_inspect(model, "queue-easy", 5, logs))
    with serving(sys.executable, "-B", str(HERE.parent / "python" / "chat_endpoint.py"), "0") as url:
        ours = by_run(triage, "queue-easy", 5, "--agent", program("reading"))
        model = get_model("openai-api/fake/model", base_url=url, api_key="none", stream=True, memoize=False)
        yield same("chat_endpoint.py", "queue-easy", ours, by_inspect(model, "queue-easy", 5, logs))


def program(name: str) -> str:
    """The policy as an agent of `triage run`."""
    return f"exec:'{sys.executable}' -B '{Path(__file__).resolve()}' --agent {name}"


def same(name: str, task: str, ours: dict[int, float], theirs: dict[int, float]) -> bool:
    """Prints whether both have the same score for each seed, to the six decimals of our files."""
    mean = sum(ours.values()) / len(ours)
    differ = [s for s in sorted(ours.keys() | theirs.keys()) if abs(ours.get(s, -1) - theirs.get(s, -1)) > 1.5e-6]
    word = f"differ for seeds {differ}: {ours} and {theirs}" if differ else "agree in each episode"
    print(f"{name} on {task}: triage run has {mean:.6f}; inspect_ai and it {word}", flush=True)
    return not differ


def main() -> int:
    """Compares, or, with --agent, is a policy's program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--triage", default="triage", help="the program")
    parser.add_argument("--agent", choices=sorted(POLICIES), help="be this policy: observations in, answers out")
    args = parser.parse_args()
    if args.agent:
        answer_lines(args.agent)
        return 0
    triage = str(Path(args.triage).resolve()) if os.sep in args.triage else args.triage
    os.environ["TRIAGE_BINARY"] = triage
    equal = []
    with tempfile.TemporaryDirectory() as logs:
        for name, task, episodes in PLAYED:
            ours = by_run(triage, task, episodes, "--agent", program(name))
            equal.append(same(name, task, ours, by_inspect(scripted(POLICIES[name]), task, episodes, logs)))
        equal += over_http(triage, logs)
    return int(not all(equal))


if __name__ == "__main__":
    sys.exit(main())
