#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Several sessions on a loop device: settings stay changed between sessions and are restored after every kind of end; a device
# that is written stays reserved between sessions; the I/O of other programs on it is in the verdict.
set -u
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

head -c 16m /dev/urandom >disk
attach "$FOLDER/disk"
file=/sys/block/${LOOP#/dev/}/queue/scheduler
chosen() { sed 's/.*\[\(.*\)\].*/\1/' "$file"; }
found=$(chosen)
other=none
[ "$found" != none ] || other=mq-deadline
tr -d '[]' <"$file" | grep -qw "$other" || skip "$LOOP does not offer $other"
leave() {
    status=$?
    echo "$found" >"$file"
    (exit $status)
    undo
}
trap leave EXIT
quick='--preset quick --ci 100% --min-samples 2 --interval pilot --changepoint none --min-time 0.3s --overhead 0'

# wait_for FILE: waits until it exists.
wait_for() {
    for _ in $(seq 300); do
        [ ! -s "$1" ] || return 0
        sleep 0.1
    done
    fault "$1 does not come"
}

# becomes SCHEDULER WHEN: the device gets this scheduler within 5 s.
becomes() {
    for _ in $(seq 50); do
        [ "$(chosen)" != "$1" ] || return 0
        sleep 0.1
    done
    fault "$2: the scheduler is $(chosen), not $1"
}

# The limit leaves 6 s for each session.
for signal in INT KILL; do
    # shellcheck disable=SC2086 # several options
    start $signal run "$LOOP" --rw randwrite --destroy $quick --scheduler $other --repeat 3 --every 10m --limit 1206s \
        -o kept-$signal
    wait_for kept-$signal/session-1/summary.csv
    sleep 0.5
    [ "$(chosen)" = "$other" ] || fault "while it waits the scheduler is $(chosen), not $other"
    # The kernel lets nobody else open it exclusively: the next session would overwrite a filesystem made meanwhile.
    limited run "$LOOP" --rw randwrite --destroy --limit 1s >out 2>err
    got=$?
    [ $got -eq 3 ] || fault "another run may write the device while it waits: exit status $got"
    if command -v mkfs.ext4 >/dev/null; then
        mkfs.ext4 -q -F "$LOOP" >out 2>err && fault 'a filesystem can be made on it while it waits'
    fi
    # shellcheck disable=SC2153 # of start
    kill -$signal "$SESSION"
    becomes "$found" "after SIG$signal while it waited"
    wait "$WATCHDOG"
    limited report kept-$signal --full >out 2>err
    grep -q "$other, for the run; it was $found" out || fault 'the report does not name the setting'
done

# Until the end, with the setting: sessions that share the setting report no change of it.
# shellcheck disable=SC2086 # several options
limited run "$LOOP" --full $quick --scheduler $other --repeat 2 --every 1s --limit 20s -o whole >out 2>err
becomes "$found" 'at the end'
grep -q 'the I/O scheduler changed' out && fault 'the setting is told as a change of the machine'
for session in 1 2; do
    grep -q "$other, for the run; it was $found" whole/session-$session/report.txt ||
        fault "session $session does not name the setting"
done

# Another program reads the same device.
(while :; do dd if="$LOOP" of=/dev/null bs=1M iflag=direct; done) >/dev/null 2>&1 &
reader=$!
# shellcheck disable=SC2086 # several options
limited run "$LOOP" $quick --limit 5s --format json >out 2>err
kill $reader
is_true "$(sed -n 's/^ *"device": \([0-9.]*\),*$/\1/p' out) > 0.05"
holds out "of the disk's bytes"
# Without other programs, all bytes are the session's.
sleep 1
# shellcheck disable=SC2086 # several options
limited run "$LOOP" $quick --limit 5s --format json >out 2>err
is_true "$(sed -n 's/^ *"device": \([0-9.]*\),*$/\1/p' out) < 0.05"
finish
