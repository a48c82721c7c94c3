#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of the machine that a run changes are back after every kind of end, kill -9 included. On a loop device.
set -u
. "$(dirname "$0")/devices"

head -c 16m /dev/urandom >disk
attach "$FOLDER/disk"
file=/sys/block/${LOOP#/dev/}/queue/scheduler
chosen() { sed 's/.*\[\(.*\)\].*/\1/' "$file"; }
before=$(chosen)
other=$(tr ' ' '\n' <"$file" | grep -v '\[' | grep -m 1 .) || skip "$LOOP has one scheduler only"

# becomes SCHEDULER WHEN: within 5 s.
becomes() {
    for _ in $(seq 100); do
        [ "$(chosen)" != "$1" ] || return 0
        sleep 0.05
    done
    fault "$2: the scheduler is $(chosen), not $1"
}

measured "$LOOP" --scheduler "$other" --bs 4k
[ "$(chosen)" = "$before" ] || fault "after a run the scheduler is $(chosen), not $before"

for signal in INT TERM HUP KILL; do
    start "$signal" run "$LOOP" --scheduler "$other" --ci 1% --limit 30s --overhead 0 --format csv
    becomes "$other" 'during the run'
    sleep 0.5
    kill -"$signal" "$SESSION"
    becomes "$before" "after SIG$signal"
    wait "$WATCHDOG"
done

# The report says what was changed.
limited run "$LOOP" --scheduler "$other" --preset quick --limit 3s --min-time 0.5s >out 2>err
grep -q "$other, for the run; it was $before" out || fault 'the report does not say that the scheduler was changed'

# What the device does not offer is refused, and nothing is changed.
limited run "$LOOP" --scheduler nonsense --limit 3s >out 2>err
got=$?
[ $got -eq 2 ] || fault "--scheduler nonsense: exit status $got"
grep -q "$before" err || fault "the error does not say what is possible: $(cat err)"
[ "$(chosen)" = "$before" ] || fault "after a refusal the scheduler is $(chosen), not $before"
finish
