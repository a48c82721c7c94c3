#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel merge --follow: running sessions, one that begins later and one that is killed; Ctrl-C; --for; refusals.
# Slow: sessions run for seconds.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# session FOLDER SECONDS SEED [OPTION...]: starts a session in the background; its process is $!.
session() {
    folder=$1
    seconds=$2
    seed=$3
    shift 3
    "$CUPEL" run null --ioengine null --rw randrw --size 64m --rate_iops 2k --runtime "${seconds}s" --seed "$seed" \
        -o "$folder" "$@" >/dev/null 2>&1 &
}

# until_holds FILE WORDS PROCESS: waits until the file contains the words, or the process ends.
until_holds() {
    until grep -q -- "$2" "$1" || ! kill -0 "$3" 2>/dev/null; do
        sleep 0.1
    done
    grep -q -- "$2" "$1" || fault "no \"$2\" in $1: $(cat "$1")"
}

# Two sessions at once, a third one later, a fourth one that is killed: when all have ended, the result is complete.
mkdir shared
session shared/a 4 1
session shared/b 4 2
session shared/d 30 4 --limit 90s
killed=$!
timeout -s KILL 90 "$CUPEL" merge --follow shared --full --stale 5s -o live >out 2>err </dev/null &
follower=$!
until_holds out '^20' $follower
session shared/c 3 3
until_holds out '4 records' $follower
kill -9 $killed
wait $follower || fault "merge --follow: exit status not 0: $(cat err)"
wait
grep '^20' out >lines
[ "$(wc -l <lines)" -ge 3 ] || fault "too few lines: $(cat out)"
cut -d ' ' -f 1 lines | sort -cu || fault 'the intervals are not in order, or come twice'
grep -c '  IOPS .*  bandwidth .*  p50 .*  p90 .*  p99 .*  p99.9 .*  max .* of 1 host: ' lines | grep -qx "$(wc -l <lines)" ||
    fault "a line lacks figures: $(cat lines)"
tail -n 1 lines | grep -q 'silent: shared/d for ' || fault "the killed one is not named: $(tail -n 1 lines)"
holds out 'MERGED: '
holds out 'cut short'
# The result is byte for byte that of a later merge.
status 0 merge shared --interval 1s -o later
cmp live/merged.cupel later/merged.cupel || fault 'following and merging later differ'

# Finished records are merged at once. An earlier copy of a record that grew is the same record.
mkdir copies
for bytes in 3000 10000 20000; do
    head -c $bytes shared/a/record.cupel >copies/new
    mv copies/new copies/record.cupel
done
mkdir copies/again
cp copies/record.cupel copies/again
status 0 merge --follow copies --stale 1s
holds out 'it breaks off'
status 0 merge --follow shared/a shared/b shared/a/record.cupel --format csv
grep -q '^20' err || fault "no intervals on standard error: $(cat err)"
head -n 1 out | grep -q '^metric,op,' || fault "more than the result on standard output: $(head -n 3 out)"
cp out first
status 0 merge shared/a shared/b --interval 1s --format csv
cmp first out || fault 'the result of following differs from that of a merge'

status 0 merge --follow shared/a shared/b --by host --interval 1s --format csv
holds out ",$(uname -n),20"

# Ctrl-C ends it with the report; a record that still grows is not called cut short.
session going 60 5 --limit 180s
session_process=$!
until [ -e going/record.cupel ] || ! kill -0 $session_process 2>/dev/null; do
    sleep 0.1
done
timeout -s KILL 60 "$CUPEL" merge --follow going --full >out 2>err </dev/null &
until_holds out '^20' $!
kill -INT "$(pgrep -P $!)"
wait $!
got=$?
[ "$got" -eq 0 ] || fault "after Ctrl-C: exit status $got: $(cat err)"
holds out 'MERGED: '
holds out 'still grew at the end'
grep -q 'breaks off\|cut short' out && fault 'a record that grows counts as cut short'

# Limits are judged, and --for ends it in time.
longer 1 merge --follow going --for 10s --sla 'iops>100M'
holds out 'SLA BROKEN'
kill -INT $session_process
wait

# An empty folder: there is nothing to follow.
mkdir empty
status 5 merge --follow empty --for 1s
holds err 'no reading has come'
echo hello >empty/record.cupel
status 5 merge --follow empty --for 1s

# An unreadable record could be one that breaks a limit, so limits that the other records keep are undecided.
mkdir -p unread/a unread/b
cp shared/a/record.cupel unread/a
status 0 merge --follow unread --stale 1s --sla 'errors=0'
echo 'no record at all, of whatever' >unread/b/record.cupel
status 5 merge --follow unread --stale 1s --sla 'errors=0'
holds out 'not a record'
holds out 'but 1 record could'
: >unread/b/record.cupel
status 5 merge --follow unread --stale 1s --sla 'errors=0'
holds out 'nothing could be read'

refused 2 'not a record' merge --follow empty/record.cupel --for 1s
refused 2 'No such file' merge --follow nothing-there
refused 2 'exists already' merge --follow shared -o copies
refused 2 '--for needs --follow' merge copies --for 1s
finish
