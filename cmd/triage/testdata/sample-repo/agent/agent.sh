#!/bin/sh
# Routes a ticket by the words of rules.txt: the first line with a word that stands in the ticket decides. A ticket a line in, an answer a line out.
cd "$(dirname "$0")" || exit 1
while read -r ticket; do
  text=$(printf '%s' "${ticket%%,\"fields\":*}" | tr '[:upper:]' '[:lower:]') # behind it are the names of the teams
  route="Technical Support"
  while IFS=: read -r words team; do
    if printf '%s' "$text" | grep -qE "$words"; then
      route=$team
      break
    fi
  done <rules.txt
  printf '{"route":"%s"}\n' "$route"
done
