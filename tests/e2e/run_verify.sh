#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --verify on a loop device whose medium is changed below it during the measurement: each kind of damage is reported
# with its kind and place, with exit status 4; without damage nothing is reported. After Ctrl-C while it reads back, the
# report says how much was checked.
# Slow: it measures several seconds at a time, so that blocks are written again after they were kept.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs losetup

sectors=8192 # of 512 bytes: 4 MiB
options='--preset quick --monitor-cost 0 --overhead 0'

# measured STATUS ARGUMENT...: measures the disk.
measured() {
    expected=$1
    shift
    status=0
    # shellcheck disable=SC2086 # the options are words
    "$CUPEL" run "$LOOP" --destroy --verify $options "$@" >out 2>err || status=$?
    [ $status = "$expected" ] || [ "$status$expected" = 50 ] || fault "run $*: status $status, expected $expected: $(cat out err)"
}

# shows WORDS: the report contains them, wherever its lines are broken.
shows() {
    tr -s ' \n' '  ' <out | grep -q -e "$1" || fault "the report does not have '$1': $(cat out)"
}

# sector FROM FILE TO [COUNT]: copies sectors of FILE into the file below the loop device.
sector() {
    dd if="$2" of=disk bs=512 skip="$1" seek="$3" count="${4:-1}" conv=notrunc status=none
}

# damage PROCESS: changes the medium again and again while the process runs.
damage() {
    sleep 2
    cp disk kept
    sleep 1.2
    while kill -0 "$1" 2>/dev/null; do
        printf 'X' | dd of=disk bs=1 seek=$((1000 * 512 + 77)) conv=notrunc status=none
        sector 2000 kept 2000 8
        dd if=kept of=disk bs=256 skip=6001 seek=6001 count=1 conv=notrunc status=none
        sector 4000 disk 5000 8
    done
}

truncate -s $((sectors * 512)) disk
attach disk
dd if=/dev/urandom of=disk bs=1M count=4 conv=notrunc status=none
measured 0 --rw randrw --iodepth 32 --numjobs 4 --runtime 1s --full
shows 'DATA VERIFIED: [0-9.]* MiB written read back as written'
shows 'stamps a sector of 512 bytes has one'
measured 0 --rw randwrite --bssplit 4k/50:16k/50 --iodepth 8 --direct 0 --runtime 1s
shows 'DATA VERIFIED'
measured 0 --rw write --bs 64k --runtime 1s --format json
grep -q 'DATA VERIFIED' out || fault 'JSON does not have it'
measured 0 --rw write --bs 64k --runtime 1s --format csv
grep -q '^elapsed,.*DATA VERIFIED' out || fault 'CSV does not have it'

# all_kinds: true if the report has every kind of damage.
all_kinds() {
    tr -s ' \n' '  ' <out >line
    grep -q 'DATA DAMAGED: wrong sectors in 4 MiB read back' line &&
        grep -q '1 sector corrupt: LBA 1000' line &&
        grep -q 'sector[s]\{0,1\} stale: an older write, though a newer one was flushed: LBA 2000' line &&
        grep -q '1 sector torn: put together of several writes: LBA 3000' line &&
        grep -q '8 sectors misdirected: they hold what was written to other LBAs: LBA 5000-5007' line
}

# Each block is written about once a second. A write after the last damage removes it; then the test tries again.
found=0
for attempt in 1 2 3 4; do
    # shellcheck disable=SC2086 # the options are words
    "$CUPEL" run "$LOOP" --destroy --verify $options --rw write --rate_iops 1000 --arrival uniform --runtime 5s \
        --full -o result$attempt >out 2>err &
    session=$!
    sessions="$sessions $session"
    damage $session
    status=0
    wait $session || status=$?
    [ $status = 4 ] || fault "damage: status $status, expected 4: $(cat out err)"
    ! all_kinds || found=$attempt
    [ $found = 0 ] || break
done
[ $found != 0 ] || fault "not all kinds of damage were found: $(cat out)"
grep -q 'DATA DAMAGED' result"$attempt"/report.html || fault 'the page does not have it'
"$CUPEL" report result"$attempt"/record.cupel >out 2>err
shows 'DATA DAMAGED'

# A session that was stopped claims nothing.
# shellcheck disable=SC2086 # the options are words
"$CUPEL" run "$LOOP" --destroy --verify $options --rw randwrite --runtime 20s >out 2>err &
session=$!
sessions="$sessions $session"
sleep 2
kill -INT $session
status=0
wait $session || status=$?
[ $status = 5 ] || fault "stopped: status $status, expected 5: $(cat out err)"
shows 'DATA NOT VERIFIED: 0 B of [0-9.]* [KM]iB written were read back: it was stopped before'

# A job file that writes in its first section and reads back in its second.
cat >scan.fio <<END
[global]
bs=64k
direct=1
ioengine=sync
verify=meta
verify_pattern=0xaa555aa5
filename=$LOOP
[write-phase]
rw=write
do_verify=0
[verify-phase]
stonewall
rw=read
do_verify=1
END
# shellcheck disable=SC2086 # the options are words
"$CUPEL" run scan.fio --destroy --runtime 1s $options >out 2>err || [ $? = 5 ] || fault "$(cat out err)"
shows 'DATA NOT VERIFIED: what was written has stamps'
shows 'DATA VERIFIED: 4 MiB written read back as written'

# Workloads that write nothing are refused.
refused 2 'this workload only reads' run "$LOOP" --verify --rw read
refused 2 'writes nothing' run --ioengine null --verify --rw write
refused 2 'move no bytes' run . --ioengine filecreate --verify
refused 2 'keeps nothing' run --net localhost --verify --rw write
refused 2 '--verify and --repeat exclude each other' run "$LOOP" --verify --rw write --repeat 2
refused 2 '--verify and --find-rate exclude each other' run "$LOOP" --verify --rw write --find-rate 'write.p99<1ms'
refused 2 'use --rw' run . --verify --mode initialwrite
refused 2 '--verify and --zero_buffers exclude each other' run "$LOOP" --verify --rw write --zero_buffers
refused 2 '--do_verify needs --verify' run "$LOOP" --rw write --do_verify 0
refused 2 'multiple of 512 bytes' run "$LOOP" --rw write --verify --direct 0 --bs 1000
finish
