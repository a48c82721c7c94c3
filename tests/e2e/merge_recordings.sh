#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Merged recordings of programs: merging a single recording gives what the recording reports. Two recordings of the same time
# are one system, whose blocks are the sum and whose time with I/O in flight is the union.
# shellcheck source=/dev/null
. "$(dirname "$0")/../cli/checks"

"$CUPEL" record -o try.trace -- true >/dev/null 2>err || skip "programs cannot be recorded here: $(cat err)"

# value METRIC OP FILE: prints its value.
value() {
    awk -F, -v m="$1" -v o="$2" '$1 == m && $2 == o { print $4; exit }' "$3"
}

# near GOT EXPECTED SHARE: the two are equal within this share.
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= t * b) }' ||
        fault "$1 is not near $2"
}

# A program with short reads, reads past the end and small requests: it writes 300 x 4096 bytes and reads 300 x 300 and 1 x
# 4096.
cat >program <<'END'
#!/bin/sh
i=0
while [ $i -lt 300 ]; do
    dd if=/dev/zero of="$1" bs=4096 count=1 seek=$i conv=notrunc 2>/dev/null
    i=$((i + 30))
done
dd if="$1" of=/dev/null bs=300 count=50 2>/dev/null
dd if="$1" of=/dev/null bs=4096 skip=1000000 count=1 2>/dev/null
true
END
chmod +x program
for i in 1 2; do
    (
        "$CUPEL" record --format csv -o $i.trace -- ./program data$i >$i.csv 2>$i.err
        echo $? >$i.status
    ) &
done
wait
# Status 5: on a busy machine the kernel lost events, which are missing in recording and merge.
for i in 1 2; do
    [ "$(cat $i.status)" != 5 ] || skip "recording $i lost events: $(cat $i.err)"
done
for i in 1 2; do
    [ -s $i.trace ] || fault "there is no recording $i"
done
for i in 1 2; do
    status 0 merge $i.trace --format csv
    for metric in lat_p50 lat_p99 lat_max; do
        for op in read write; do
            near "$(value $metric $op out)" "$(value $metric $op $i.csv)" .016
        done
    done
    near "$(value bps all out)" "$(value bps all $i.csv)" .001
done
# Blocks add up. The union of the times is at most their sum and at least the longest of them.
status 0 merge 1.trace 2.trace --format json
holds out '"clocks": 1'
awk -F'[:,]' '/"busy_seconds"/ { busy = $2 } /"busy_seconds_low"/ { low = $2 } /"busy_seconds_high"/ { high = $2 }
    END { exit !(busy > 0 && low <= busy && busy <= high) }' out || fault 'the time in flight lies outside of its interval'
status 0 merge 1.trace 2.trace --format csv --by source
n=$(awk -F, '$1 == "lat_max" && $2 == "write" && $(NF - 8) == "" { print $8 }' out)
sum=$(awk -F, '$1 == "lat_max" && $2 == "write" { n += $8 } END { print n }' 1.csv 2.csv)
[ "$n" = "$sum" ] || fault "writes: $n in the merge, $sum in the recordings"
finish
