#!/usr/bin/env bash
# gate.sh BASE NEW GATE...: prints the comparison, writes triage.html and triage.xml (JUnit), and ends with the comparison's exit code:
# 0 pass, 1 regression, 2 it could not be compared, 5 inconclusive. Reports of an earlier run do not stay.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: gate.sh BASE NEW GATE..." >&2; exit 2; }
rm -f triage.html triage.xml
compare=(triage compare "$1" "$2")
shift 2
for gate in "$@"; do compare+=("--gate=$gate"); done
code=0
"${compare[@]}" || code=$?
case $code in 0 | 1 | 5) ;; *) exit "$code" ;; esac
for report in html:triage.html junit:triage.xml; do
  again=0
  said=$("${compare[@]}" --format "${report%%:*}" --output "${report#*:}" 2>&1 >/dev/null) || again=$? # the verdict is printed above
  [ "$again" -eq "$code" ] || { printf '%s\n' "$said" >&2; exit 2; }
done
exit "$code"
