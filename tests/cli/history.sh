#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The history of this machine: each run adds a session and checks the prediction of the one before. --no-history reads and
# writes none. No fault in the history ends a session. cupel report --history shows the sessions over time.
# Timed: a machine that is busy with other things leaves few sessions with a prediction.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

own_folders
unset CUPEL_NO_HISTORY
export XDG_STATE_HOME="$FOLDER/state" HOME="$FOLDER/home"
history=$XDG_STATE_HOME/cupel
quick='--direct 0 --thinktime 1ms --runtime 0.5s --overhead 0 --monitor-cost 0'

# As root the test hides the load of other programs: a copy of /proc/stat never changes, and no disk is used.
cat /proc/stat >stat
if [ "$(id -u)" -eq 0 ] && unshare -m mount --bind stat /proc/stat 2>/dev/null; then
    # shellcheck disable=SC2016 # $0 and $@ are the inner shell's
    printf '#!/bin/sh\nexec unshare -m sh -c '\''mount --bind "$0" /proc/stat && exec "$@"'\'' "%s" "%s" "$@"\n' "$FOLDER/stat" "$CUPEL" >idle
    chmod 755 idle
    CUPEL=$FOLDER/idle
fi

# measure STATUS ARGUMENT...: runs on the same file and prints the report in full (--full).
measure() {
    expected=$1
    shift
    # shellcheck disable=SC2086 # the options are words
    longer "$expected" run data --size 1m --full $quick "$@"
}

# lacks FILE WORDS: the file does not contain the words.
lacks() {
    ! grep -qF -- "$2" "$1" || fault "there is \"$2\" in the $1 of the last command"
}

# predicting: measures until a session predicts the next one (on a busy machine one may not), and then once more.
predicting() {
    for _ in 1 2 3 4 5 6 7 8; do
        measure 0
        ! grep -q 'A repetition should give' out || break
    done
    sessions=$(($(cat "$history"/*.history | wc -l) - 1))
    measure 0
}

# lines: prints the number of lines in all histories, heads included.
lines() { cat "$history"/*.history 2>/dev/null | wc -l; }

# The history is not touched with the option or with the environment variable.
measure 0 --no-history
CUPEL_NO_HISTORY=1 measure 0
[ ! -e "$XDG_STATE_HOME" ] || fault '--no-history or CUPEL_NO_HISTORY has left something'
lacks out 'kept in the history'

# The first session, and the second, which checks the first one's prediction.
measure 0
grep -q 'kept in the history  *yes' out || fault 'the report does not say that the session was kept'
lacks out 'Repeated:'
predicting
holds out 'Repeated: '
[ "$(lines)" -eq $((sessions + 2)) ] || fault "a session added $(($(lines) - sessions - 1)) lines"
[ "$(stat -c %a "$history")/$(stat -c %a "$history"/*.history)" = 700/600 ] || fault 'others may read the history'

# The record contains the result of the check wherever it is read. A session that other programs disturbed is not checked, and
# says so.
for i in 1 2 3 4 5 6 7 8; do
    measure 0 -o "kept$i"
    ! grep -q '^predictions_held,' "kept$i/summary.csv" || break
done
mv "kept$i" kept
grep -Eq '^predictions_held,read,1,[0-9]+,' kept/summary.csv || fault 'summary.csv has no predictions_held'
XDG_STATE_HOME=/nowhere limited report kept >again 2>err
limited report kept >here 2>err
cmp -s again here || fault 'the report of a record depends on the history of whoever reads it'
holds again 'Repeated: '
XDG_STATE_HOME=/nowhere limited report kept --format json >again 2>err
holds again '"prediction_check"'

# Another workload has a history of its own.
measure 0 --iodepth 4
lacks out 'Repeated:'
[ "$(find "$history" -name '*.history' | wc -l)" -eq 2 ] || fault 'another workload has no history of its own'

# The sessions over time, in all formats.
status 0 report --history
holds out 'data'
status 0 report --history data --full
status 0 report --history data --format csv
[ "$(wc -l <out)" -eq $(($(lines) - 1)) ] || fault "$(($(lines) - 2)) sessions are $(wc -l <out) lines of CSV"
head -n 1 out | grep -q '^target,workload,date,metric,op,unit,value,ci_low,ci_high' || fault 'the CSV has other columns'
status 0 report --history data --format json
holds out '"kind": "history"'
status 0 report --history data --format html
holds out '<svg'
status 2 report --history nothing
status 2 report
holds err 'RECORD is missing'
status 2 report --history --sla 'p99<1ms'
status 2 report kept kept --certificate

# Several records, and a repeated run.
before=$(lines)
measure '0 5' --repeat 3 -o repeated
[ "$(lines)" -eq $((before + 3)) ] || fault "three repeated sessions are $(($(lines) - before)) lines"
grep -q '^predictions_held,' repeated/summary.csv || lacks out 'predictions of these sessions'
rm -r "$XDG_STATE_HOME"
status 0 report --history repeated --format csv
[ "$(wc -l <out)" -eq 4 ] || fault 'not all sessions of a repeated run are shown'
status 0 report kept repeated --format csv
[ "$(wc -l <out)" -eq 5 ] || fault 'not all sessions of two folders are shown'
[ ! -e "$XDG_STATE_HOME" ] || fault 'a report has made a folder'

# Faults in the history are reported and end no session.
measure 0
file=$(echo "$history"/*.history)
printf 'torn' >>"$file"
measure 0
[ "$(lines)" -eq 3 ] || fault 'a torn line was not cut away'
lacks "$file" torn
sed -i '2s/response/RESPONSE/' "$file"
measure 0
status 0 report --history data
holds out 'damaged line'
echo 'notes of somebody' >notes
rm "$file"
ln -s "$FOLDER/notes" "$file"
measure 0
holds out 'no:'
rm "$file"
cp notes "$file"
measure 0
holds out 'no:'
status 2 report --history
holds err 'cannot be read'
cmp -s notes "$file" || fault 'a file of somebody else was changed'
[ "$(cat notes)" = 'notes of somebody' ] || fault 'it was written through a link'
XDG_STATE_HOME=$FOLDER/notes measure 0
holds out 'is not in the history:'
(
    unset XDG_STATE_HOME HOME
    measure 0
    holds out 'no: neither XDG_STATE_HOME'
    exit "$failures"
)
failures=$((failures + $?))

# Two sessions at the same time.
rm -r "$XDG_STATE_HOME"
for i in 1 2; do
    # shellcheck disable=SC2086
    limited run data --size 1m $quick >"both$i" 2>&1 &
done
wait
[ "$(lines)" -eq 3 ] || fault "two sessions at a time are $(lines) lines"
finish
