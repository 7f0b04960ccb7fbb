"""The environments as a task of inspect_ai: a sample is an episode, and its score is what the environment says.

    pip install ./clients/python -r examples/inspect/requirements.txt
    export TRIAGE_BINARY=$PWD/triage
    inspect eval examples/inspect/triage_task.py --model openai/gpt-4.1-mini -T task=queue-easy -T episodes=10

Each sample plays its episode on a session of its own with the served environment, many at once. Without `-T url=…` a
server is started, and stopped at the end. A model is shown one ticket at a time, without how its earlier answers were
graded, and each ticket is a conversation of its own, as in `triage run --agent llm`. An answer that cannot be read, or
that holds a wrong value, counts as an empty one and earns nothing.
"""

from __future__ import annotations

import json
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from triage_env import TriageEnv, shared_server

TASKS = [f"{track}-{difficulty}" for track in ("queue", "desk") for difficulty in ("easy", "medium", "hard")]
ANSWERS = {
    "queue": {
        "route_category": "billing, technical, feature, feedback or spam",
        "urgency_assessment": "low, medium, high or critical",
        "resolution_difficulty": "easy, medium or hard",
        "priority_score": "a whole number, 0 to 100",
    },
    "desk": {
        "category": "Bug, FeatureRequest or Question",
        "priority": "Low, Medium, High or Critical",
        "urgency_days": "a whole number, 1 to 7",
        "department": "Engineering, Product, Support or Management",
        "recommendation": "a text of at most 2,000 characters: what to do next about this ticket",
    },
}
ASKED = {"desk-easy": 1, "desk-medium": 3}  # so many fields, from the first; elsewhere all
HIDDEN = {"reward", "done", "metadata", "stats", "last_result"}  # how earlier answers did: not for the model


def fields(name: str) -> dict[str, str]:
    """The fields that a task asks for, and what each may hold."""
    answers = ANSWERS[name.split("-")[0]]
    return dict(list(answers.items())[: ASKED.get(name, len(answers))])


def instructions(name: str, handbook: str) -> str:
    """What the model is told once a ticket, before it."""
    form = "\n".join(f'- "{field}": {values}' for field, values in fields(name).items())
    text = f"You triage support tickets. Answer with one JSON object that holds these fields, and nothing else:\n{form}"
    return f"{text}\n\nYou are graded by this handbook.\n\n{handbook}" if handbook else text


def read_answer(text: str) -> dict[str, Any] | None:
    """The first JSON object in a reply, whatever stands around it; None where there is none."""
    decoder = json.JSONDecoder()
    for start, character in enumerate(text):
        if character == "{":
            try:
                found, _ = decoder.raw_decode(text, start)
            except ValueError:
                continue
            if isinstance(found, dict):
                return found
    return None


@solver
def play(url: str | None, handbook: bool) -> Solver:
    """Plays a sample's episode: shows the model what the environment shows, and hands its answers on."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        track, difficulty = state.metadata["task"].split("-")
        options = {k: state.metadata[k] for k in ("seed", "split")}
        unread, rewards = 0, []
        async with TriageEnv(url or shared_server().url, track=track) as env:
            result = await env.reset(**options, difficulty=difficulty, on_invalid="empty", handbook=handbook)
            told = ChatMessageSystem(content=instructions(state.metadata["task"], result.metadata.get("handbook", "")))
            state.messages = [told]
            while not result.done:
                shown = ChatMessageUser(content=result.observation.model_dump_json(exclude=HIDDEN))
                state.output = await get_model().generate([told, shown])
                state.messages += [shown, state.output.message]
                answer = read_answer(state.output.completion)
                unread += answer is None
                result = await env.step(answer or {})
                rewards.append(result.reward)
        state.store.set("end", {**result.metadata, "rewards": rewards, "unread": unread})
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr()]})
def episode() -> Scorer:
    """The environment's own score of the episode, beside it its reward and the mean of each graded part."""

    async def score(state: TaskState, target: Target) -> Score:
        end = state.store.get("end")
        return Score(
            value={"score": end["score"], "reward": end["reward"], **end["rubrics"]},
            answer=state.output.completion,
            explanation=f"{end['ended']} after {len(end['rewards'])} answers, {end['unread']} of which were not JSON",
            metadata={"rewards": end["rewards"]},
        )

    return score


@task
def triage(
    task: str = "queue-easy",
    episodes: int = 10,
    seed: int = 42,
    split: str = "test",
    url: str | None = None,
    handbook: bool = True,
) -> Task:
    """A task of the benchmark.

    Args:
        task: queue or desk, a hyphen, and easy, medium or hard.
        episodes: how many samples there are: sample i plays seed + i, as `triage run` does.
        seed: the first sample's seed.
        split: test, or train, whose scenarios are others.
        url: a running server's address; without it one is started.
        handbook: whether the model is given the rules that it is graded by.
    """
    if task not in TASKS:
        raise ValueError(f"task {task!r} is not allowed; allowed is one of {', '.join(TASKS)}")
    return Task(
        dataset=MemoryDataset(
            [
                Sample(id=s, input=f"{task}, seed {s}", metadata={"task": task, "seed": s, "split": split})
                for s in range(seed, seed + episodes)
            ],
            name=task,
        ),
        solver=play(url, handbook),
        scorer=episode(),
        config=GenerateConfig(temperature=0),
        name=task,
    )
