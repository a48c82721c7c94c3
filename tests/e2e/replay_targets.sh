#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel replay of a trace of three devices on three devices: each gets its own requests at the times of the common trace;
# nothing is written unless all may be; a device that fails ends alone.
# Timed: how late requests are issued is measured.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs losetup

for i in 1 2 3; do
    head -c 16777216 /dev/urandom >disk$i
    attach disk$i
    eval "disk$i=$LOOP"
done
# shellcheck disable=SC2154 # eval
all="$disk1 $disk2 $disk3"
sums() { sync; cat disk1 disk2 disk3 | sha256sum; }

# 3 s with a request every ms: lu.0 has half of them, lu.1 a third, lu.2 a sixth; some are writes.
awk 'BEGIN { split("0 1 0 2 0 1", of, " ")
    for (i = 0; i < 3000; i++) printf "128166%012d,lu,%d,%s,%d,%d,10\n", 10000 * i, of[i % 6 + 1], i % 7 ? "Read" : "Write",
        4096 * (i * 1237 % 4000), 4096 * (1 + of[i % 6 + 1]) }' >trace

value() { awk -F, -v m="$1" -v t="$2" '$1 == m && $13 == t { print $4; exit }' out; }
requests() { awk -F, -v t="$1" '$1 == "iops" && $13 == t { n += $8 } END { print n + 0 }' out; }
bytes() { awk -F, -v t="$1" '$1 == "elapsed" && $13 == t { s = $4 } $1 == "bandwidth" && $13 == t { b += $4 }
    END { printf "%.0f\n", b * s }' out; }
# check_devices TARGET...: checks the targets of lu.0, lu.1 and lu.2.
check_devices() {
    number=0
    for target; do
        set -- 1500 1000 500
        shift $number
        number=$((number + 1))
        [ "$(requests "$target")" -eq "$1" ] || fault "$target has $(requests "$target") requests instead of $1"
        is_true "$(bytes "$target") == $1 * $number * 4096"
        # At least half of them are in time, and the last one comes at its time in the trace.
        is_true "$(value issue_error_p50 "$target") < 2000000"
        is_true "$(value elapsed "$target") > 2.98 && $(value elapsed "$target") < 3.5"
    done
}

# ---- reads only, in the order of the devices; then as --map assigns
before=$(sums)
# shellcheck disable=SC2086 # several words
longer 0 replay trace $all --format csv -o read
check_devices "$disk1" "$disk2" "$disk3"
issued=$(awk -F, '$1 == "issue_error_p50" && $13 == "all" { print $8 }' out)
[ "$issued" = 3000 ] || fault "all have $issued requests"
for disk in $all; do
    status 0 report "read/$(basename "$disk")" --full
    grep -q 'after the common start' out && fault "$disk began late: $(grep 'common start' out)"
done
longer 0 replay trace --map "lu.2=$disk1" --map "lu.0=$disk2" --map "lu.1=$disk3" --format csv
check_devices "$disk2" "$disk3" "$disk1"
[ "$(sums)" = "$before" ] || fault 'a replay that only reads has written'

# ---- no target is written unless all may be
# shellcheck disable=SC2086
status 3 replay trace $all --allow-writes
# shellcheck disable=SC2086
status 3 replay trace $all --allow-writes --destroy-serial A,B,C
holds err serial
head -c 16777216 /dev/zero >plain
status 3 replay trace "$disk1" "$disk2" plain --allow-writes --destroy
holds err overwrite
mkfs.ext4 -q -F "$disk3" 2>err || skip "no ext4: $(cat err)"
before=$(sums)
mkdir mounted
mount -o ro "$disk3" mounted || skip 'nothing can be mounted'
# shellcheck disable=SC2086
status 3 replay trace $all --allow-writes --destroy -o none
holds err mounted
[ ! -e none ] || fault 'a replay that was refused left its folder'
umount mounted || fault 'it stays mounted'
ln -s "$disk1" link
status 3 replay trace "$disk1" link "$disk2" --allow-writes --destroy
holds err 'two names of one disk'
[ "$(sums)" = "$before" ] || fault 'something was written'

head -c 16777216 /dev/urandom >"$disk3"
before=$(sums)

# ---- each target is written at the offsets of its device, and nowhere else
sum1=$(sha256sum <disk1)
longer 0 replay trace "$disk2" "$disk3" --map lu.0=- --allow-writes --destroy --format csv
sync
[ "$(sha256sum <disk1)" = "$sum1" ] || fault 'a device that is left out was written'
is_true "$(awk -F, -v t="$disk2" '$1 == "iops" && $2 == "write" && $13 == t { print $8 }' out) > 100"
[ "$(sums)" != "$before" ] || fault 'nothing was written'

# ---- one fails in the middle: it is named, and the others continue to the end of the trace
awk -F, -v OFS=, '{ $1 = "128166" sprintf("%012d", 40000 * (NR - 1)); print }' trace >slow # 12 s
# shellcheck disable=SC2086
start cut replay slow $all --allow-unwritten --format csv -o cut.kept
sleep 6 # the preparation and a part of the replay
truncate -s 4096 disk2
wait "$WATCHDOG"
got=$?
[ $got -eq 4 ] || fault "exit status $got instead of 4: $(cat cut.err)"
tail -n 1 cut.err | grep -q "$(basename "$disk2"): " || fault "the failed one is not named: $(tail -n 1 cut.err)"
cp cut.out out
[ "$(requests "$disk1")" -eq 1500 ] || fault "$disk1 has $(requests "$disk1") requests"
[ "$(requests "$disk3")" -eq 500 ] || fault "$disk3 has $(requests "$disk3") requests"

# ---- interrupted in the middle: the result has what was measured
truncate -s 16777216 disk2
# shellcheck disable=SC2086
start stopped replay slow $all --allow-unwritten --format csv -o stopped.kept
sleep 5
kill -INT "$SESSION" 2>/dev/null
wait "$WATCHDOG"
got=$?
[ $got -eq 5 ] || fault "exit status $got instead of 5: $(cat stopped.err)"
status 5 report stopped.kept
holds out 'UNDECIDED: 3 targets'
finish
