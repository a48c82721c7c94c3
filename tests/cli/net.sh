#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --net and cupel serve over the loopback interface: both ends count the same I/O, all features of a session work,
# and failures are reported. tests/e2e/network.sh tests a real network.
# Slow: sessions run for seconds.
# Timed: requests with due times need both ends at the right moment.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# serve NAME ARGUMENT...: starts cupel serve in the background. Its output goes to NAME.out, its address to $far, its process
# to $server.
serve() {
    name=$1
    shift
    : >"$name.err"
    "$CUPEL" serve 127.0.0.1:0 --for 2m "$@" >"$name.out" 2>"$name.err" </dev/null &
    server=$!
    until far=$(sed -n 's/^serving at //p' "$name.err") && [ "$far" ]; do
        kill -0 $server 2>/dev/null || {
            fault "cupel serve does not listen: $(cat "$name.err")"
            finish
        }
        sleep 0.05
    done
}

# ends EXPECTED: the server ends with this status, by itself or after an earlier signal.
ends() {
    wait $server
    got=$?
    [ $got -eq "$1" ] || fault "cupel serve: exit status $got instead of $1"
}

serve first
trap 'kill $server 2>/dev/null; rm -rf "$FOLDER"' EXIT

# Reads, writes, both, and several connections: the far end counts the I/O of this end. Runs end when a clause is decided,
# however long that takes on a busy machine.
decided='--overhead 0 --preset quick --sla iops>1 --min-time 0.3s --limit 100s'
# shellcheck disable=SC2086 # the options are words
longer 0 run --net "$far" $decided -o reads --format csv
iops=$(metric_of iops value)
is_true "$iops > 0"
grep -q "^iops,read,.*,$far,randread,4096," out || fault "the target is not $far: $(grep ^iops out)"
[ "$(metric_of errors value)" = 0 ] || fault "errors: $(metric_of errors value)"
for words in 'far end .*127.0.0.1 port .*, this machine itself' 'far end.s counts *the same as here' 'backend *tcp' \
    'is this machine itself: packets go through its memory' 'TCP 127.0.0.1'; do
    grep -q "$words" reads/report.txt || fault "no \"$words\" in the report"
done
# shellcheck disable=SC2086
longer 0 run --net "$far" $decided --rw randrw --bs 16k --iodepth 8 --numjobs 3 --full
holds out 'the same as here'
grep -qE '^ *IOPS +write +[1-9]' out || fault 'no writes'
# shellcheck disable=SC2086
longer 0 run --net "$far" $decided --rw write --bs 1m --iodepth 4 --iopoll on --full
holds out 'the same as here'
grep -qE '(receiving by|^) *polling' out || fault 'it does not poll'
[ "$(wc -l <first.out)" -eq 3 ] || fault "cupel serve has not three sessions: $(cat first.out)"
grep -qE '^127\.0\.0\.1: 3 connections, [0-9.]+ s: [1-9][0-9]* reads, .* sent; [1-9][0-9]* writes, .* received' first.out ||
    fault "what cupel serve prints: $(cat first.out)"

# Kept results are reported and merged like those of a disk.
longer '0 5' report reads --format csv
is_true "$(metric_of iops value) == $iops"
status 0 merge reads --format csv
is_true "$(metric_of iops value) > 0"

# Requests with due times, and clauses on them. All due requests were issued, or the report says that the rate was not kept.
longer '0 1 5' run --net "$far" --rate_iops 500 --arrival uniform --runtime 2s --sla 'read.p50<1s' --format csv -o due
is_true "$(metric_of iops value) < 550"
grep -q 'NOT KEPT UP' due/report.txt || is_true "$(metric_of iops value) > 450"
[ "$(metric_of issue_error_p50 value)" ] || fault 'there is no issue error'

# The far end disappears during the run: the session fails and says why.
"$CUPEL" run --net "$far" --runtime 60s --overhead 0 -o gone >out 2>err </dev/null &
process=$!
until grep -q BTCH gone/record.cupel 2>/dev/null || ! kill -0 $process 2>/dev/null; do
    sleep 0.05
done
kill -INT $server
ends 0
wait $process
got=$?
[ $got -eq 4 ] || fault "the far end has gone: exit status $got instead of 4"
grep -qE 'closed the connection|connection broke' err || fault "the far end has gone: $(cat err)"
refused 4 'nothing listens there: start cupel serve on that host' run --net "$far"

# Limits of the serving end.
serve second --connections 1 --max-bs 64k
refused 4 'it takes no requests above 65536 bytes: see --bs' run --net "$far" --bs 128k
refused 4 'it has no room for a further connection: it takes 1 in all' run --net "$far" --numjobs 2
refused 6 'another program listens there' serve "$far"
kill -TERM $server
ends 0
grep -q 'refused: its requests are too long' second.out || fault "second: $(cat second.out)"
"$CUPEL" serve 127.0.0.1:0 --for 100ms >out 2>err </dev/null || fault "serve --for: $(cat err)"
[ ! -s out ] || fault 'a line for no session'

# A full standard output that nobody reads delays no session, and is reported.
mkfifo full
exec 3<>full
dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>/dev/null
: >unread.err
"$CUPEL" serve 127.0.0.1:0 --max-bs 64k --for 2m >full 2>unread.err </dev/null 3>&- &
server=$!
until far=$(sed -n 's/^serving at //p' unread.err) && [ "$far" ]; do
    kill -0 $server 2>/dev/null || break
    sleep 0.05
done
for attempt in 1 2 3; do
    refused 4 'it takes no requests above 65536 bytes' run --net "$far" --bs 128k
done
longer '0 5' run --net "$far" --runtime 200ms --overhead 0 --full
holds out 'the same as here'
kill -TERM $server
ends 4
grep -q 'nobody read it for a while, and 4 sessions are missing' unread.err || fault "unread ($attempt): $(cat unread.err)"
exec 3>&-

# Invalid command lines.
refused 2 'ADDRESS is missing' serve
refused 2 'this is no HOST[:PORT]' serve 127.0.0.1:http
refused 2 'this is no HOST[:PORT]' run --net 127.0.0.1:70000
refused 2 'this machine has no such address' serve 192.0.2.77
refused 2 'cannot be used with it' run file --net 127.0.0.1
refused 2 'has a backend of its own' run --net 127.0.0.1 --ioengine sync
refused 2 '--net and --mode exclude each other' run --net 127.0.0.1 --mode reread
refused 2 'needs the host where cupel serve runs' run --ioengine tcp
refused 2 '--sqpoll on needs' run --net 127.0.0.1 --sqpoll on
finish
