"""Holds reports of `openenv validate --json` against what they may say: verdict.py REPORT pass|warn …

`pass` wants the verdict PASS; `warn` allows WARN too, which is what skipped checks give. No check may FAIL or ERROR in either.
"""

import json
import sys

for path, wanted in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    results = report["results"] if "results" in report else report["checks"]
    bad = [r for r in results if r["status"].lower() in ("fail", "error")]
    verdict = report["verdict"].lower()
    counts: dict[str, int] = {}
    for r in results:
        counts[r["status"].lower()] = counts.get(r["status"].lower(), 0) + 1
    print(f"{verdict}: {counts}")
    if bad or verdict not in ("pass", wanted):
        raise SystemExit(f"{path}: verdict {verdict}, {bad}")
