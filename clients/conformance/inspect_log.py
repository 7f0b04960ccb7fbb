"""Reads logs that `triage report --format inspect` wrote with inspect_ai itself, and holds them against the run.

usage: inspect_log.py RUN LOGS   (a run folder, the folder of its logs)
"""

import collections
import json
import math
import pathlib
import statistics
import sys

from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
from inspect_ai.scorer import SampleScore, Score, stderr


def episodes(run):
    with open(run / "episodes.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


TICKETS = {"queue-easy": 8, "queue-medium": 10, "queue-hard": 12}


def close(name, got, want, allowed=2e-6):
    assert abs(got - want) <= allowed, f"{name}: {got}, not {want}"


def check_samples(log, played):
    """Each ticket is a sample, with what was seen, answered and earned."""
    by_id = {(s.id, s.epoch): s for s in log.samples}
    assert len(by_id) == len(log.samples), "two samples have one id and epoch"
    n = 0
    for episode in played:
        key, desk = episode["key"], episode["key"]["task"].startswith("desk")
        queue = episode["key"]["task"].startswith("queue")
        groups = [episode["steps"]] if desk else [[s] for s in episode["steps"]]
        for i, steps in enumerate(groups):
            place = f"{key['seed']}/{key.get('position', i)}" if queue else str(key["seed"])
            sample = by_id[(place, key.get("trial", 0) + 1)]
            n += 1
            if not steps:
                assert sample.error and not sample.messages and not sample.scores, "a broken episode has no error"
                continue
            users = [m for m in sample.messages if isinstance(m, ChatMessageUser)]
            said = [m for m in sample.messages if isinstance(m, ChatMessageAssistant)]
            assert [json.loads(m.text) for m in users] == [s["observation"] for s in steps]
            assert len(said) == len(steps) and sample.output.completion == said[-1].text
            if episode["ended"] == "error":
                assert sample.error and not sample.scores, "a broken episode has no error"
                continue
            graded = [s["score"] for s in steps if s["score"]]
            if not graded:
                assert not sample.scores
                continue
            close(f"{place}: score", sample.scores["score"].value, episode["score"] if desk else graded[-1]["total"])
            for part in graded[-1]["parts"]:
                score = sample.scores[part["name"]]
                close(f"{place}: {part['name']}", score.value, part["value"])
                assert score.explanation == part["why"] and score.answer == part["got"]
        if episode["ended"] == "error" and queue:  # what was never shown is a sample of its own, to the end of the queue
            alone = key.get("position")
            if alone is None:
                rest = range(len(groups), TICKETS[key["task"]])
            else:
                rest = [] if groups else [alone]
            for i in rest:
                sample = by_id[(f"{key['seed']}/{i}", key.get("trial", 0) + 1)]
                assert sample.error and not sample.messages and not sample.scores, "a ticket of a broken episode has no error"
                n += 1
    assert n == len(log.samples), f"{len(log.samples)} samples for {n} tickets"
    return n


def check_metrics(log, played):
    """The mean is over tickets and their trials; what broke counts as 0. The standard error is inspect_ai's own, by scenario."""
    shown = {s.name: s.metrics for s in log.results.scores}
    if any(e["ended"] == "error" for e in played):
        assert log.status == "error" and log.error, "episodes broke, and the log does not say so"
    elif log.results.scores:
        assert log.status == "success" and log.results.completed_samples == len(log.samples)
        for name, metrics in shown.items():
            values, scenario = collections.defaultdict(list), {}
            for s in log.samples:
                values[s.id].append(s.scores[name].value)
                scenario[s.id] = s.metadata["scenario"] or f"alone {s.id}"
            means = [statistics.fmean(v) for v in values.values()]
            close(name, metrics["mean"].value, statistics.fmean(means))
            if len(means) > 1:
                scores = [SampleScore(score=Score(value=statistics.fmean(v)), sample_id=i, sample_metadata={"scenario": scenario[i]}) for i, v in values.items()]
                close(f"{name}: standard error", metrics["stderr"].value, stderr(cluster="scenario")(scores))
    whole = [0 if e["ended"] == "error" else e["score"] for e in played]
    if log.results.scores and len({e["key"].get("trial", 0) for e in played}) == 1:
        close("the mean over episodes", shown["score"]["mean"].value, statistics.fmean(whole), 1e-5)
    assert all(math.isfinite(m.value) for metrics in shown.values() for m in metrics.values())


def main():
    run, folder = pathlib.Path(sys.argv[1]), sys.argv[2]
    played = collections.defaultdict(list)
    for e in episodes(run):
        played[e["key"]["agent"], e["key"]["task"]].append(e)
    infos = list_eval_logs(folder)
    assert len(infos) == len(played), f"{len(infos)} logs for {len(played)} pairs of agent and task"
    samples = 0
    for info in infos:
        head = read_eval_log(info, header_only=True)
        log = read_eval_log(info)
        assert head.results == log.results and head.version == 2 and info.task == log.eval.task
        own = played.pop((log.eval.metadata["agent"], log.eval.task))
        samples += check_samples(log, own)
        check_metrics(log, own)
        log.model_dump_json()
    assert not played
    print(f"inspect_ai reads {len(infos)} logs with {samples} samples as the run has them")


if __name__ == "__main__":
    main()
