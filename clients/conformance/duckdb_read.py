"""Runs the queries of docs/history.md on fresh runs, and compares their figures with those of the results files.

usage: duckdb_read.py TRIAGE DOC, in an empty folder
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd

problems = []


def check(what, got, want):
    if got != want:
        problems.append(f"{what}: {got!r}, want {want!r}")


def near(what, got, want):
    if got is None or want is None or abs(got - want) > 1.5e-6:  # both are rounded to 6 decimals
        problems.append(f"{what}: {got!r}, want {want!r}")


def run(triage, *args):
    subprocess.run([triage, *args], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def results(folder):
    """The results files of a run by agent."""
    files = [json.loads(p.read_text()) for p in sorted(Path(folder).glob("results-*.json"))]
    return {f["agent"]["name"]: f for f in files}


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.S | re.M)


def queries(text):
    """The SQL of a document by name."""
    out = {}
    for block in blocks(text, "sql"):
        name = re.match(r"-- name: (\w+)\n", block)
        out[name.group(1)] = block
    return out


def rows(sql):
    cursor = duckdb.connect().execute(sql)
    names = [c[0] for c in cursor.description]
    return [dict(zip(names, row)) for row in cursor.fetchall()]


def tasks(sql, first):
    got = {(r["agent"], r["task"]): r for r in rows(sql)}
    want = {(a, t): v for a, f in first.items() for t, v in f["tasks"].items()}
    check("tasks", sorted(got), sorted(want))
    for key, task in want.items():
        check(f"{key} n", got[key]["n"], task["n"])
        check(f"{key} errors", got[key]["errors"], task["errors"])
        near(f"{key} score", got[key]["score"], task["score"]["mean"])
    return len(want)


def parts(sql, first):
    got = {(r["agent"], r["task"], r["part"]): r for r in rows(sql)}
    n = 0
    for agent, f in first.items():
        for name, task in f["tasks"].items():
            for part, value in task["parts"].items():
                n += 1
                near(f"{agent} {name} {part}", got[agent, name, part]["value"], value)
                near(f"{agent} {name} {part} accuracy", got[agent, name, part]["accuracy"], task["accuracy"][part])
    check("parts", len(got), n)
    return n


def worst(sql, episodes):
    """Against a count in plain Python."""
    sums = {}
    for e in episodes:
        for s in e["steps"]:
            if s["score"] is not None and e["key"]["agent"] == "heuristic":
                sums.setdefault(s["about"]["scenario"], []).append(s["score"]["total"])
    lost = {k: sum(1 - x for x in v) for k, v in sums.items()}
    got = rows(sql)
    check("worst scenarios", len(got), min(10, len(lost)))
    for r in got:
        check(r["scenario"], r["tickets"], len(sums[r["scenario"]]))
        near(r["scenario"], r["lost"], lost[r["scenario"]])
    rest = [v for k, v in lost.items() if k not in {r["scenario"] for r in got}]
    if got and rest and max(rest) > got[-1]["lost"] + 1e-6:
        problems.append(f"worst scenarios: one outside lost {max(rest)}")
    return len(got)


def join(sql, first, second):
    got = {r["task"]: r for r in rows(sql)}
    base, new = first["heuristic"]["tasks"], second["keyword"]["tasks"]
    check("joined tasks", sorted(got), sorted(new))
    for name, task in new.items():
        check(f"{name} pairs", got[name]["pairs"], task["n"])
        near(f"{name} base", got[name]["base"], base[name]["score"]["mean"])
        near(f"{name} new", got[name]["new"], task["score"]["mean"])
        seeds = {s["seed"]: s["score"] for s in base[name]["seeds"]}
        better = sum(s["score"] > seeds[s["seed"]] for s in task["seeds"])
        worse = sum(s["score"] < seeds[s["seed"]] for s in task["seeds"])
        check(f"{name} better and worse", (got[name]["better"], got[name]["worse"]), (better, worse))
    return len(got)


def history(sql, runs):
    got = {(r["run"], r["agent"], r["task"]): r for r in rows(sql)}
    n = 0
    for folder, files in runs.items():
        for agent, f in files.items():
            for name, task in f["tasks"].items():
                n += 1
                r = got[folder, agent, name]
                near(f"{folder} {agent} {name}", r["score"], task["score"]["mean"])
                near(f"{folder} {agent} {name} low", r["score_low"], task["score"]["ci95"][0])
                near(f"{folder} {agent} {name} high", r["score_high"], task["score"]["ci95"][1])
    check("history", len(got), n)
    return n


def pandas_example(code, first):
    """The example as it stands, and its figures."""
    scope = {"print": lambda means: scope.update(means=means)}
    exec(code, scope)
    means = scope["means"]
    assert isinstance(means, pd.Series)
    for agent, f in first.items():
        for name, task in f["tasks"].items():
            near(f"pandas: {agent} {name}", means[agent, name], task["score"]["mean"])
    return len(means)


def main():
    triage, doc = sys.argv[1:]
    text = Path(doc).read_text()
    sql = queries(text)
    run(triage, "run", "--agent", "heuristic", "--agent", "keyword", "--episodes", "6", "--out", "results/first", "--progress", "off")
    run(triage, "run", "--agent", "keyword", "--tasks", "queue-hard", "desk-hard", "--episodes", "6", "--out", "results/second", "--progress", "off")
    run(triage, "history", "--format", "csv", "--output", "history.csv")
    first, second = results("results/first"), results("results/second")
    episodes = [json.loads(line) for line in Path("results/first/episodes.jsonl").read_text().splitlines()]
    counts = {
        "tasks": tasks(sql.pop("tasks"), first),
        "parts": parts(sql.pop("parts"), first),
        "worst": worst(sql.pop("worst"), episodes),
        "join": join(sql.pop("join"), first, second),
        "history": history(sql.pop("history"), {"first": first, "second": second}),
        "pandas": pandas_example(blocks(text, "python")[0], first),
    }
    check("queries without a check", sorted(sql), [])
    for p in problems:
        print("PROBLEM:", p)
    print(f"duckdb {duckdb.__version__}, pandas {pd.__version__}: rows that agree: {counts}" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
