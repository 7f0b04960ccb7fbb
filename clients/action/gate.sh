#!/usr/bin/env bash
# The steps of action.yml: `gate.sh program`, `gate.sh play`, `gate.sh compare`. Everything comes in as variables and is only ever
# passed on as whole arguments. Written for bash 3.2, which macOS has.
set -euo pipefail

data() { # a text as the data of a workflow command
  local s=$1
  s=${s//%/%25}
  s=${s//$'\r'/%0D}
  s=${s//$'\n'/%0A}
  printf '%s' "$s"
}

annotate() { printf '::%s title=triage::%s\n' "$1" "$(data "$2")"; } # annotate error|warning|notice TEXT

die() { # die TEXT: what was asked for cannot be done
  annotate error "$1"
  printf 'verdict=error\nexit-code=2\n' >>"$GITHUB_OUTPUT"
  exit 2
}

output() { # output NAME VALUE: a value is one line
  case $2 in *$'\n'* | *$'\r'*) die "the value of the output $1 has a line break, which is not allowed" ;; esac
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

one_line() { # one_line NAME VALUE: a path of the inputs
  case $2 in *$'\n'* | *$'\r'*) die "input $1 has a line break, which is not allowed: it is one path" ;; esac
}

quietly() { # quietly FILE: shows what a program wrote; no line of it is a command to the runner, whatever a ticket holds
  local token
  [ -s "$1" ] || return 0
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '::stop-commands::%s\n' "$token"
  cat "$1"
  printf '\n::%s::\n' "$token"
}

each_line() { # each_line TEXT COMMAND...: calls the command with each line, without blanks around; empty lines and lines with # are left out
  local text=$1 line
  shift
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'}
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    case $line in '' | '#'*) ;; *) "$@" "$line" ;; esac
  done <<<"$text"
}

args=()

flag() { args+=("$1=$2"); } # flag FLAG VALUE

word() { # word INPUT LINE: a flag, or a flag and, after the first blank, its value
  local input=$1 name value
  shift
  name=${1%%[[:space:]]*}
  case ${name%%=*} in
    -h | --help | --print-config | --dry-run | --version) die "input $input: $name is not allowed there: with it nothing is played or compared" ;;
    -*) ;;
    *) die "input $input: the line \"$1\" is no flag: each line begins with a dash" ;;
  esac
  case $1 in
    -*[[:space:]]*)
      value=${1#"$name"}
      args+=("$name" "${value#"${value%%[![:space:]]*}"}")
      ;;
    *) args+=("$1") ;;
  esac
}

program() {
  local path=${INPUT_BINARY:-}
  one_line binary "$path"
  if [ -n "$path" ]; then
    case $path in
      */* | *\\*) [ -f "$path" ] || die "input binary: there is no file $path" ;;
      *) command -v "$path" >/dev/null || die "input binary: there is no program $path" ;;
    esac
  else
    command -v go >/dev/null || die "Go is not installed, with which the action builds triage: add actions/setup-go before it, or name a program with the input binary"
    path=$RUNNER_TEMP/triage-program/triage$(go env GOEXE)
    (cd "$SOURCE" && go build -o "$path" ./cmd/triage) || die "building triage: see the log above"
  fi
  output path "$path"
}

play() {
  local folder code=0
  [ -z "${INPUT_NEW:-}" ] || die "inputs new and run: one of them is the run to judge, not both"
  each_line "$INPUT_RUN" word run
  folder=$(mktemp -d "$RUNNER_TEMP/triage-run.XXXXXX")
  mkdir "$folder/played"
  "$PROGRAM" run ${args[@]+"${args[@]}"} --out "$folder/played/run" --progress off >"$folder/out" 2>"$folder/err" </dev/null || code=$?
  quietly "$folder/out"
  quietly "$folder/err"
  if [ "$code" -ne 0 ]; then
    annotate error "triage run ended with exit code $code: $(tail -n 1 "$folder/err")"
    output exit-code "$code"
    exit "$code"
  fi
  output path "$folder/played/run"
}

stale() { # stale FILE: removes a report that an earlier run left under the name, so that nobody takes it for one of this run
  local head
  [ -n "$1" ] && [ -f "$1" ] && [ ! -L "$1" ] || return 0
  head=$(head -c 400 "$1" | tr -d '\000')
  case $head in
    *'<testsuite name="triage compare"'* | *'"comparisons": ['* | '<!doctype html>'*"default-src &#39;none&#39;"*) rm -f -- "$1" ;;
  esac
}

again() { # again FORMAT FILE: writes the comparison in another format; the verdict is known
  local code=0
  [ -n "$2" ] || return 0
  "$PROGRAM" compare "${args[@]}" --format "$1" --output "$2" -- "$INPUT_BASE" "$new" >"$folder/out" 2>"$folder/err" </dev/null || code=$?
  case $code in
    0 | 1 | 5) output "$1" "$2" ;;
    *)
      quietly "$folder/err"
      die "writing $2 as $1: exit code $code: $(tail -n 1 "$folder/err")"
      ;;
  esac
}

compare() {
  local code=0 verdict
  new=${PLAYED:-$INPUT_NEW}
  one_line base "$INPUT_BASE"
  one_line new "$INPUT_NEW"
  one_line html "$INPUT_HTML"
  one_line json "$INPUT_JSON"
  one_line junit "$INPUT_JUNIT"
  [ -n "$INPUT_BASE" ] || die "input base is empty: it is a results file, a run folder or a name such as heuristic"
  [ -n "$new" ] || die "inputs new and run are both empty: one of them says which run to judge"
  case $INPUT_STRICT in true | false) ;; *) die "input strict is $INPUT_STRICT: allowed are true and false" ;; esac
  case $INPUT_SUMMARY in true | false) ;; *) die "input summary is $INPUT_SUMMARY: allowed are true and false" ;; esac
  args=(--moved 200)
  each_line "$INPUT_GATES" flag --gate
  local gates=$((${#args[@]} - 2))
  each_line "$INPUT_ALLOW" flag --allow
  each_line "$INPUT_AGENT" flag --agent
  each_line "$INPUT_COMPARE" word compare
  [ "$gates" -eq 0 ] || args+=(--inconclusive fail) # the action decides what it does with these
  [ -z "$INPUT_JUNIT" ] || [ "$gates" -gt 0 ] || die "input junit has a case a gate: it goes with the input gates"

  stale "$INPUT_HTML"
  stale "$INPUT_JSON"
  stale "$INPUT_JUNIT"
  folder=$(mktemp -d "$RUNNER_TEMP/triage-compare.XXXXXX")
  "$PROGRAM" compare "${args[@]}" --format github --output "$folder/summary.md" -- "$INPUT_BASE" "$new" >"$folder/out" 2>"$folder/err" </dev/null || code=$?
  case $code in
    0) verdict=pass ;;
    1) verdict=regression ;;
    5) verdict=inconclusive ;;
    *)
      quietly "$folder/err"
      annotate error "triage compare ended with exit code $code: $(grep -av '^::' "$folder/err" | head -n 5)"
      output verdict error
      output exit-code "$code"
      exit "$code"
      ;;
  esac
  [ -s "$folder/summary.md" ] || die "triage compare has compared nothing: is a setting of the environment (TRIAGE_…) in its way?"
  [ "$gates" -gt 0 ] || verdict=none
  output verdict "$verdict"
  output exit-code "$code"
  output summary "$folder/summary.md"
  output new "$new"
  if [ "$INPUT_SUMMARY" = true ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
  fi
  grep -aE '^::(error|warning|notice) title=' "$folder/err" || true
  grep -avE '^::(error|warning|notice) title=' "$folder/err" >"$folder/rest" || true
  quietly "$folder/rest"
  "$PROGRAM" compare "${args[@]}" --moved 10 --format table -- "$INPUT_BASE" "$new" >"$folder/out" 2>/dev/null </dev/null || true # for the log; the verdict is known
  quietly "$folder/out"
  again html "$INPUT_HTML"
  again json "$INPUT_JSON"
  again junit "$INPUT_JUNIT"
  case $code in
    5)
      [ "$INPUT_STRICT" = true ] || exit 0
      annotate error "inconclusive, and strict is true: more tickets or a wider margin would tell"
      exit 5
      ;;
  esac
  exit "$code"
}

case ${1:-} in
  program | play | compare) "$1" ;;
  *)
    echo "usage: gate.sh program|play|compare" >&2
    exit 2
    ;;
esac
