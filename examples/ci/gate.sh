#!/usr/bin/env bash
# gate.sh BASE NEW GATE...: writes triage.html and triage.xml (JUnit), prints the comparison and ends with its exit code: 0 pass,
# 1 regression, 2 it could not be compared, 5 inconclusive.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: gate.sh BASE NEW GATE..." >&2; exit 2; }
compare=(triage compare "$1" "$2")
shift 2
for gate in "$@"; do compare+=("--gate=$gate"); done
for report in html:triage.html junit:triage.xml; do
  code=0
  "${compare[@]}" --format "${report%%:*}" --output "${report#*:}" >/dev/null || code=$?
  case $code in 0 | 1 | 5) ;; *) exit "$code" ;; esac
done
exec "${compare[@]}"
