#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --net between two hosts: network namespaces of this test and a link between them with known rate (tc tbf) and
# delay (tc netem), from which the expected results follow. They belong to processes of the test and end with them; this
# machine's network does not change.
# Slow: sessions run for seconds.
[ "${CUPEL_TEST_NETWORK:-}" ] || {
    [ "$(id -u)" -eq 0 ] || {
        echo 'needs root, for network namespaces'
        exit 77
    }
    unshare --net --mount true 2>/dev/null || {
        echo 'there are no network namespaces here'
        exit 77
    }
    CUPEL_TEST_NETWORK=own exec unshare --net --mount "$0"
}
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=/dev/null
. "$tests/cli/in_memory"
# shellcheck source=/dev/null
. "$tests/e2e/devices"
needs ip tc nsenter setpriv
mount -t sysfs none /sys # the /sys of this namespace, which lists its interfaces
ip link set lo up

# The far end: a namespace, a process that keeps it, and the link to it.
setpriv --pdeathsig KILL unshare --net sleep 1000 &
keeper=$!
until [ "$(readlink /proc/$keeper/ns/net)" != "$(readlink /proc/$$/ns/net)" ] && [ "$(cat /proc/$keeper/comm)" = sleep ]; do
    sleep 0.05
done
ip link add near type veth peer name far netns $keeper || skip 'there are no veth devices here'
ip address add 10.213.0.1/24 dev near
ip address add fd13::1/64 dev near nodad
ip link set near up

there() {
    nsenter --net --target $keeper -- "$@"
}
there ip link set lo up
there ip address add 10.213.0.2/24 dev far
there ip address add fd13::2/64 dev far nodad
there ip link set far up

# serve ARGUMENT...: starts the far end's server for the following tests.
serve() {
    : >serving
    nsenter --net --target $keeper -- "$CUPEL" serve "$@" --for 5m >served 2>serving </dev/null &
    server=$!
    until grep -q '^serving at' serving; do
        kill -0 $server 2>/dev/null || skip "cupel serve does not listen: $(cat serving)"
        sleep 0.05
    done
}
trap 'kill $keeper $server 2>/dev/null; rm -rf "$FOLDER"' EXIT
serve :7231

# between NUMBER LOW HIGH WHAT: the number is in this range.
between() {
    awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x != "" && x >= a && x <= b) }' || fault "$4 is $1, not $2 to $3"
}

# passes_by NAME KIND: the last report's data path has that part; a few words about its load may be between the two.
passes_by() {
    tr -s ' \n' ' ' <out | grep -qE " $1 .{0,80}$2" || fault "$1 is not in the data path"
}

# The run uses the network and not the loopback interface, also with IPv6 names; the data path leaves through the link.
longer '0 5' run --net 10.213.0.2 --runtime 1s --overhead 0 -o plain --full
holds out 'the same as here'
! grep -q 'this machine itself' out || fault 'the far end is taken for this machine'
passes_by near 'network interface'
longer '0 5' run --net '[fd13::2]:7231' --runtime 1s --overhead 0 --numjobs 2 --rw randrw --full
holds out 'the same as here'
grep -q '^fd13::1: 2 connections' served || fault "what cupel serve prints: $(cat served)"

# Links with known limits, from the captured machines: efficiency relative to the smallest limit; with the far host's capture
# the path has both halves.
for name in bond server; do
    "$tests/fixtures/unpack.sh" "$tests/fixtures/machines/$name.tree" "$name" || fault "$name.tree cannot be unpacked"
done
longer '0 5' run --net 10.213.0.2 --sysroot bond --rw read --bs 8k --runtime 1s --overhead 0 --format csv
is_true "$(metric_of efficiency value) > 0.001"
grep '^efficiency,read' out | grep -qE 'of the 3.10 GB/s that the data path lets through|lower end cut at 0' || fault "efficiency: $(grep '^efficiency' out)"
between "$(awk "BEGIN { print $(metric_of bandwidth value) / $(metric_of efficiency value) / 3.1e9 }")" .99 1.01 'the limit'
longer '0 5' run --net 10.213.0.2 --sysroot bond --remote server --runtime 1s --overhead 0 --full
for words in 'server:ens3f0np0' 'server:0000:61:00.0'; do
    holds out "$words"
done
passes_by bond0 'network bond'
passes_by eno1 'network interface'

# A link of 20 Mbit/s towards this host, with requests for a quarter of a second in flight so that it stays busy on a busy
# machine: reads get the link's rate less headers, with any number of connections. A segment of 1448 bytes has a frame of
# 1514. Requests in flight wait for each other: their latency is their bytes divided by the rate.
if there tc qdisc add dev far root tbf rate 20mbit burst 16k latency 100ms 2>refused; then
    share=$(awk 'BEGIN { print 2.5e6 * 1448 / 1514 }')
    longer '0 5' run --net 10.213.0.2 --rw read --bs 64k --iodepth 8 --runtime 4s --overhead 0 --format csv
    between "$(metric_of bandwidth value)" "$(awk "BEGIN { print .93 * $share }")" "$(awk "BEGIN { print 1.05 * $share }")" \
        'the bandwidth of a link of 20 Mbit/s'
    between "$(metric_of lat_p50 value)" "$(awk "BEGIN { print .9 * 8 * 65536 / $share * 1e9 }")" \
        "$(awk "BEGIN { print 1.15 * 8 * 65536 / $share * 1e9 }")" 'the latency of eight requests of 64 KiB in flight'
    longer '0 5' run --net 10.213.0.2 --rw read --bs 256k --numjobs 3 --runtime 4s --overhead 0 --format csv
    between "$(metric_of bandwidth value)" "$(awk "BEGIN { print .93 * $share }")" "$(awk "BEGIN { print 1.05 * $share }")" \
        'the bandwidth of three connections'
    # A single request waits for its answer to be transmitted: 4,096 bytes and the headers of three segments at 1 Mbit/s.
    there tc qdisc replace dev far root tbf rate 1mbit burst 1600 latency 100ms
    longer '0 5' run --net 10.213.0.2 --rw read --bs 4k --runtime 3s --overhead 0 --format csv
    between "$(metric_of lat_p50 value)" 30e6 45e6 'the latency of a small request at 1 Mbit/s'
    there tc qdisc replace dev far root tbf rate 20mbit burst 16k latency 100ms
    # The other direction is not slowed down.
    longer '0 5' run --net 10.213.0.2 --rw write --bs 64k --iodepth 4 --runtime 1s --overhead 0 --format csv
    is_true "$(metric_of bandwidth value) > 2 * $share"
    # A queue that is too short drops segments: both ends notice it, and the report says so.
    there tc qdisc replace dev far root tbf rate 20mbit burst 4k limit 12k
    longer '0 5' run --net 10.213.0.2 --rw read --bs 256k --iodepth 4 --runtime 3s --overhead 0
    grep -qE '^Warning: the far end sent [1-9][0-9]* of [0-9]+ segments again' out || fault 'no loss is reported'
    there tc qdisc del dev far root
else
    echo "skipped a part: no tbf: $(cat refused)"
fi

# A delay of 10 ms in each direction: a small request takes 20 ms.
if there tc qdisc add dev far root netem delay 10ms 2>refused && tc qdisc add dev near root netem delay 10ms; then
    longer '0 5' run --net 10.213.0.2 --bs 512 --runtime 3s --overhead 0 --format csv
    between "$(metric_of lat_p50 value)" 20e6 23e6 'the latency over 2 x 10 ms'
    there tc qdisc del dev far root
    tc qdisc del dev near root
else
    echo "skipped a part: no netem: $(cat refused)"
    there tc qdisc del dev far root 2>/dev/null
fi

# breaks NAME COMMAND...: in the middle of a session COMMAND is run, after which no answer comes. The session waits for ten
# seconds and no longer.
breaks() {
    name=$1
    shift
    "$CUPEL" run --net 10.213.0.2 --runtime 60s --overhead 0 -o "$name" >out 2>err </dev/null &
    process=$!
    until grep -q BTCH "$name/record.cupel" 2>/dev/null || ! kill -0 $process 2>/dev/null; do
        sleep 0.05
    done
    "$@"
    waited=0
    while kill -0 $process 2>/dev/null && [ $waited -lt 30 ]; do
        sleep 1
        waited=$((waited + 1))
    done
    [ $waited -lt 30 ] || {
        fault "$*: the session waited for half a minute"
        kill $process
    }
    wait $process
    got=$?
    [ $got -eq 4 ] || fault "$*: exit status $got instead of 4"
}

breaks stopped kill -STOP $server
kill -CONT $server
holds err 'the far end is silent: it or the network has gone'
breaks down ip link set near down
grep -qE 'the far end is silent|the connection broke' err || fault "the link went down: $(cat err)"
grep -q 'its state changed: from up to down' down/report.txt || fault 'the report does not show the link'
# While the link is down, a session does not begin.
longer 4 run --net 10.213.0.2 --runtime 1s
holds err '10.213.0.2 port 7231: no connection'

# The link is up again: the server still works, and a signal ends it.
ip link set near up
ip address add fd13::1/64 dev near nodad
longer '0 5' run --net 10.213.0.2 --runtime 1s --overhead 0
kill -INT $server
wait $server
got=$?
[ $got -eq 0 ] || fault "cupel serve: exit status $got instead of 0"
grep -qE 'the connection broke|silent for too long|left without an end|takes no more' served || fault "served: $(cat served)"
finish
