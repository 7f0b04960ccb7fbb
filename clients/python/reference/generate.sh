#!/bin/sh
# Makes the tickets that the reference server reads: generate.sh FOLDER QUEUE_EPISODES DESK_EPISODES [SPLIT]. The program is
# $TRIAGE_BINARY or triage. The sample was made by `generate.sh data 2 8`.
set -eu
folder=$1 queue=$2 desk=$3 split=${4:-train}
triage=${TRIAGE_BINARY:-triage}
unset TRIAGE_BINARY
mkdir -p "$folder"
for task in queue-easy:8 queue-medium:10 queue-hard:12 desk-easy:1 desk-medium:1 desk-hard:1; do
  case $task in
    queue-*) episodes=$queue ;;
    *) episodes=$desk ;;
  esac
  name=${task%:*} each=${task#*:}
  "$triage" tickets generate --task "$name" --split "$split" --seed 0 -n $((each * episodes)) --labels --format jsonl \
    >"$folder/$name.jsonl"
done
