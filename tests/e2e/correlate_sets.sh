#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel compare --correlate over the access cases of He, Sun and Yin, BPS (2013), IV-C, Sets 2 to 4: request sizes,
# concurrency, additional data movement. In every set BPS has the sign of the paper's Table 1, which no other metric has in
# all of them, and correlates with the execution time as closely as any metric with that sign.
# Timed: the devices are made slow, so that their limits decide; a machine that is busy all the time has others.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

# The processes of a control group, of version 1 or 2, whose reads from a device are limited.
group=''
ungroup() {
    status=$?
    [ -z "$group" ] || rmdir "$group"
    (exit $status)
    undo
}
trap ungroup EXIT
# limit_reads DEVICE IOPS BYTES_PER_SECOND: sets these limits.
limit_reads() {
    number=$(cat "/sys/block/${1#/dev/}/dev")
    if [ -z "$group" ] && [ -w /sys/fs/cgroup/blkio/blkio.throttle.read_iops_device ]; then
        group=/sys/fs/cgroup/blkio/cupel-test-$$
        mkdir "$group" || group=''
    elif [ -z "$group" ] && grep -qw io /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
        group=/sys/fs/cgroup/cupel-test-$$
        mkdir "$group" || group=''
    fi
    [ -n "$group" ] || skip 'no control group limits the I/O of processes here'
    if [ -e "$group/io.max" ]; then
        echo "$number riops=$2 rbps=$3" >"$group/io.max"
    else
        echo "$number $2" >"$group/blkio.throttle.read_iops_device" &&
            echo "$number $3" >"$group/blkio.throttle.read_bps_device"
    fi 2>err || skip "reads of $1 cannot be limited: $(cat err)"
}
# within EXPECTED ARGUMENT...: runs cupel in that group. EXPECTED as in `longer`.
within() {
    # shellcheck disable=SC2016 # $$ and $@ are the inner shell's
    timeout -s KILL 100 sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$CUPEL" "$@" >out 2>err </dev/null
    got=$?
    { [ $got -eq 0 ] || [ $got -eq 5 ]; } || fault "cupel $*: exit status $got: $(cat err)"
}

# reads_of SIZE COUNT: prints a trace of COUNT reads of that size, one after the other.
reads_of() {
    awk -v size="$1" -v count="$2" 'BEGIN { for (i = 0; i < count; i++)
        printf "128166%012d,hm,1,Read,%d,%d,10\n", 20 * i, size * i, size }'
}

# judged SET METRIC...: checks the correlations in out. The whole interval of BPS has the expected sign, and no METRIC has it.
# Any other metric with that sign exceeds BPS by at most 0.1: a time depends linearly on the execution time, a rate does not.
judged() {
    set=$1
    shift
    awk -F, -v wrong=" $* " '
        { for (i = 1; i <= 4; i++) sub(/^all\./, "", $1) }
        $1 ~ /^(iops|bandwidth|response_time|bps)$/ {
            normalised[$1] = ($6 == "-" ? -1 : 1) * $2
            verdict[$1] = $7
            if (($6 == "-") != ($1 != "response_time")) print $1 " is expected to go the other way"
            if ($3 > $2 || $2 > $4 || $3 < -1 || $4 > 1) print $1 " is not within its interval"
        }
        END {
            if (verdict["bps"] != "expected") print "bps: " verdict["bps"]
            for (m in normalised) {
                misleads = index(wrong, " " m " ") > 0
                if (misleads && (verdict[m] == "expected" || normalised[m] > 0)) print m ": not misleading"
                if (!misleads && verdict[m] != "expected") print m ": " verdict[m]
                if (normalised[m] > normalised["bps"] + 0.1) print m " is closer than bps"
            }
            if (length(normalised) != 4) print "metrics are missing"
        }' out >found
    [ ! -s found ] || fault "$set: $(cat found): $(cat out)"
}

head -c 67108864 /dev/urandom >disk.img
attach disk.img

# Set 2: 4 MiB in requests of 4 to 64 KiB, on a device of 500 requests/s and 8 MiB/s. Larger requests are fewer, and each
# takes longer, but the whole takes less time: IOPS and response time suggest the opposite.
limit_reads "$LOOP" 500 8388608
for size in 4096 5120 6144 8192 12288 16384 32768 65536; do
    reads_of "$size" $((4194304 / size)) >trace
    within replay trace "$LOOP" --speed asap --iodepth 1 -o "size-$size"
done
status 0 compare --correlate size-* --format csv
judged 'request sizes' iops response_time

# Set 3: 100 requests, 2 to 8 at a time, on a target that answers after 20 ms plus 5 ms for each request in flight. The delays
# of a busy machine are short beside that, except when it gives no processor for a while; so the shortest of three runs
# counts.
reads_of 4096 100 >trace
for depth in 2 3 4 5 6 7 8; do
    shortest=''
    for _ in 1 2 3; do
        rm -rf tried
        status 0 replay trace --ioengine null --null-script const:20ms+queue:5ms --speed asap --iodepth $depth -o tried --format csv
        elapsed=$(metric_of elapsed value)
        awk "BEGIN { exit !(\"$shortest\" == \"\" || $elapsed + 0 < 0$shortest) }" || continue
        shortest=$elapsed
        rm -rf depth-$depth
        mv tried depth-$depth
    done
done
status 0 compare --correlate depth-* --format csv
judged concurrency response_time

# Set 4: 200 regions of 4 KiB, read together with growing holes between them, on a device of 200 requests/s and 4 MiB/s. The
# requested data and the number of requests stay the same, but the bandwidth includes the holes.
limit_reads "$LOOP" 200 4194304
cat >sieve <<'END'
#!/bin/sh
dd if="$1" of=/dev/null bs=$((4096 + $2 * 1024 * ($2 + 1))) count=200 iflag=direct 2>&1 |
    awk -v moved=$((200 * (4096 + $2 * 1024 * ($2 + 1)))) '/copied/ {
        for (i = 2; i <= NF; i++) if ($i == "s,") seconds = $(i - 1)
        print 200 / seconds, moved / seconds, seconds / 200, 200 * 8 / seconds }'
END
chmod +x sieve
within exec --rounds 7 --pi iops,1/s,0 --pi bandwidth,B/s,1 --pi response_time,s,2,ordinary,lower --pi bps,block/s,3 \
    -o sieved -- ./sieve "$LOOP" %ROUND%
status 0 compare --correlate sieved --format csv
judged 'additional data' bandwidth
finish
