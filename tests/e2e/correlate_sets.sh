#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel compare --correlate over the access cases of He, Sun and Yin, BPS (2013), IV-C, Sets 2 to 4: request sizes,
# concurrency, additional data movement. BPS has the sign of their Table 1 in every set, which none of the other metrics
# has, and correlates with the execution time as closely as any that has it.
# Timed: the devices are made slow, so that their limits decide; a machine that is busy all the time has others.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

# A group of processes whose reads of a device have limits, of the first or second version of control groups.
group=''
ungroup() {
    status=$?
    [ -z "$group" ] || rmdir "$group"
    (exit $status)
    undo
}
trap ungroup EXIT
# limit_reads DEVICE IOPS BYTES_PER_SECOND
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
# within ARGUMENT...: cupel in that group. EXPECTED as in `longer`.
within() {
    # shellcheck disable=SC2016 # $$ and $@ are the inner shell's
    timeout -s KILL 100 sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$CUPEL" "$@" >out 2>err </dev/null
    got=$?
    { [ $got -eq 0 ] || [ $got -eq 5 ]; } || fault "cupel $*: exit status $got: $(cat err)"
}

# reads_of SIZE COUNT: a trace of so many reads of that size one after the other.
reads_of() {
    awk -v size="$1" -v count="$2" 'BEGIN { for (i = 0; i < count; i++)
        printf "128166%012d,hm,1,Read,%d,%d,10\n", 20 * i, size * i, size }'
}

# judged SET METRIC...: the correlations in out. BPS is as expected with its whole interval; no METRIC is; of the others
# none that has its sign is beyond BPS by more than a tenth: a time is a straight line over the time, a rate is not.
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

# Set 2: 4 MiB in requests of 4 to 64 KiB, on a device of 500 requests/s and 8 MiB/s. Larger requests are fewer and each
# takes longer, and the whole takes less: IOPS and response time say the opposite.
limit_reads "$LOOP" 500 8388608
for size in 4096 5120 6144 8192 12288 16384 32768 65536; do
    reads_of "$size" $((4194304 / size)) >trace
    within replay trace "$LOOP" --speed asap --iodepth 1 -o "size-$size"
done
status 0 compare --correlate size-* --format csv
judged 'request sizes' iops response_time

# Set 3: 100 requests, 2 to 8 at a time, on a target that answers each after 20 ms and 5 ms more for each that is in flight: what
# a busy machine adds to a time is little beside that, but for a stretch without a processor. The shortest of three has none.
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

# Set 4: 200 regions of 4 KiB, read with the growing holes between them, on a device of 200 requests/s and 4 MiB/s. What
# the program asked for stays the same, and so do the requests; the bandwidth is that of the holes as well.
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
