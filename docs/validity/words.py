#!/usr/bin/env python3
"""How far words alone get: TF-IDF of words and word pairs with logistic regression, per task and label (ridge regression for the
priority score).

    python3 -m venv .venv && .venv/bin/pip install -r docs/validity/requirements.txt
    go build -o /tmp/triage ./cmd/triage
    .venv/bin/python docs/validity/words.py --triage /tmp/triage > docs/validity/words.md

Each task's model learns from 20,000 tickets of the train split, sees the text alone (subject and body; on the desk the
issue text) and is judged on 4,000 unseen tickets of train scenarios and on 4,000 of the test split. The first 14,000 or so
seeds of a split belong to training; the unseen ones begin at seed 5,000,000. Bars (exit 1 if one does not hold): route on
queue-easy at least 0.95 on train scenarios and 0.75 on test; route on queue-hard, test, at most 0.70 and at least 0.05
over the majority.
"""
import argparse
import collections
import json
import subprocess
import sys

import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge

QUEUE = ["route_category", "urgency_assessment", "resolution_difficulty", "priority_score"]
DESK = ["category", "priority", "department", "urgency_days"]
TASKS = ["queue-easy", "queue-medium", "queue-hard", "desk-easy", "desk-medium", "desk-hard"]


def tickets(binary, task, split, seed, n):
    """Gives n texts and, per label, the n right values."""
    out = subprocess.run([binary, "tickets", "generate", "--task", task, "--split", split, "--seed", str(seed), "-n", str(n),
                          "--labels", "--format", "jsonl"], check=True, capture_output=True, text=True).stdout
    texts, labels = [], collections.defaultdict(list)
    track = task.split("-")[0]
    for line in out.splitlines():
        d = json.loads(line)
        t = d["ticket"]
        texts.append(t["issue_text"] if track == "desk" else t["subject"] + "\n\n" + t["description"])
        for k in QUEUE if track == "queue" else DESK:
            labels[k].append(d["truth"][track][k])
    return texts, labels


def accuracy(model, x, want):
    return sum(a == b for a, b in zip(model.predict(x), want)) / len(want)


def within(predicted, want):
    """Gives the share of numbers that are at most 2 off, as the priority score is graded."""
    return sum(abs(a - b) <= 2 for a, b in zip(predicted, want)) / len(want)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--triage", default="triage", help="the program")
    p.add_argument("--train", type=int, default=20000)
    p.add_argument("--test", type=int, default=4000)
    p.add_argument("--tasks", nargs="+", default=TASKS)
    p.add_argument("--bars-only", action="store_true", help="only what the bars need: routes of queue-easy and queue-hard")
    a = p.parse_args()
    version = subprocess.run([a.triage, "version"], check=True, capture_output=True, text=True).stdout
    generator = version.split("generator ")[1].split()[0]
    print(f"Words-only models: generator {generator}, scikit-learn {sklearn.__version__}, {a.train} training tickets a task, "
          f"{a.test} judged ones. Made by `docs/validity/words.py`.\n")
    print("| task | label | train scenarios, unseen tickets | test | majority of test | over majority |")
    print("|---|---|--:|--:|--:|--:|")
    got = {}
    for task in ["queue-easy", "queue-hard"] if a.bars_only else a.tasks:
        texts, labels = tickets(a.triage, task, "train", 1, a.train)
        vec = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
        x = vec.fit_transform(texts)
        seen, seen_labels = tickets(a.triage, task, "train", 5_000_000, a.test)
        test, test_labels = tickets(a.triage, task, "test", 5_000_000, a.test)
        xs, xt = vec.transform(seen), vec.transform(test)
        for k in ["route_category"] if a.bars_only else labels:
            if k == "priority_score":  # a number: regression, and the best constant in place of the majority
                model = Ridge(alpha=1.0).fit(x, labels[k])
                s, t = within(model.predict(xs), seen_labels[k]), within(model.predict(xt), test_labels[k])
                best = max(within([c] * len(test_labels[k]), test_labels[k]) for c in range(101))
                print(f"| {task} | {k}, within 2 | {s:.3f} | {t:.3f} | {best:.3f} | {t - best:+.3f} |", flush=True)
                continue
            model = LogisticRegression(C=10, max_iter=300)
            model.fit(x, [str(v) for v in labels[k]])
            ts, tt = [str(v) for v in seen_labels[k]], [str(v) for v in test_labels[k]]
            majority = collections.Counter(tt).most_common(1)[0][1] / len(tt)
            s, t = accuracy(model, xs, ts), accuracy(model, xt, tt)
            got[task, k] = s, t, majority
            print(f"| {task} | {k} | {s:.3f} | {t:.3f} | {majority:.3f} | {t - majority:+.3f} |", flush=True)
    bad = []

    def bar(what, value, low=None, high=None):
        if (low is not None and value < low) or (high is not None and value > high):
            bad.append(f"{what}: {value:.3f}, allowed is {low if low is not None else '-'} to {high if high is not None else '-'}")

    if ("queue-easy", "route_category") in got:
        s, t, _ = got["queue-easy", "route_category"]
        bar("route on queue-easy, train scenarios", s, low=0.95)
        bar("route on queue-easy, test", t, low=0.75)
    if ("queue-hard", "route_category") in got:
        _, t, m = got["queue-hard", "route_category"]
        bar("route on queue-hard, test", t, high=0.70)
        bar("route on queue-hard, test, over majority", t - m, low=0.05)
    for line in bad:
        print("bar does not hold: " + line, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
