#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel record --device: the requests to one device and no other, for a time or until a signal; its trace is read back; and no
# trace of the recording is left in the kernel, even after kill -9.
# Timed: a device is used while the recording of some seconds lasts.
# shellcheck source=/dev/null
. "$(dirname "$0")/recordings"
needs dd

# listens: waits until the session receives the kernel's events, and a moment longer.
listens() {
    for _ in $(seq 200); do
        ! readlink /proc/"$SESSION"/fd/* 2>/dev/null | grep -q 'perf_event\|bpf' || break
        sleep 0.05
    done
    sleep 0.8
}

# until_there FILE: waits until the recorded program has made the file.
until_there() {
    for _ in $(seq 400); do
        [ ! -e "$1" ] || return 0
        sleep 0.05
    done
}

head -c 8388608 /dev/urandom >disk
attach disk
"$CUPEL" record --device "$LOOP" --for 0.1s --format csv >out 2>err || skip "$(cat err)"
grep -c tracefs /proc/mounts >mounts.before

# Four seconds in which this device and another one are used.
head -c 8388608 /dev/urandom >disk2
first=$LOOP
attach disk2
start device record --device "$first" --for 4s --format csv -o trace
listens
dd if="$first" of=/dev/null bs=16k count=100 iflag=direct 2>/dev/null
dd if="$LOOP" of=/dev/null bs=16k count=70 iflag=direct 2>/dev/null
dd if=/dev/zero of="$first" bs=4k count=50 oflag=direct 2>/dev/null
ended 0 device
[ "$(row out device_requests read)" = 100 ] || fault "$(row out device_requests read) reads instead of 100"
[ "$(row out device_bytes read)" = 1638400 ] || fault "$(row out device_bytes read) bytes instead of 1638400"
[ "$(row out device_requests write)" = 50 ] || fault "$(row out device_requests write) writes instead of 50"
is_true "$(row out elapsed all) >= 4 && $(row out elapsed all) < 6"
is_true "$(row out bps all) > 0 && $(row out iops read) * $(row out elapsed all) > 99 && $(row out iops read) * $(row out elapsed all) < 101"
is_true "$(row out events_lost all) == 0"
[ -s trace ] || fault 'there is no trace'
refused 2 'cannot be made' record --device "$first" --for 1s -o trace

# A recording without a time ends by a signal, which is its normal end.
for signal in INT TERM; do
    start until record --device "$first" --format csv
    listens
    dd if="$first" of=/dev/null bs=64k count=20 iflag=direct 2>/dev/null
    kill -s $signal "$SESSION"
    ended 0 until
    [ "$(row out device_requests read)" = 20 ] || fault "SIG$signal: $(row out device_requests read) reads instead of 20"
done

# With a program, the signal is passed on to it, and the report comes when the program has ended.
start program record --buffer 64m --format csv -- sh -c 'trap "echo x >trapped; exit 9" INT; : >runs; while :; do sleep 0.05; done'
listens
until_there runs
sleep 0.8
kill -INT "$SESSION"
ended_rated program
[ -e trapped ] || fault 'the signal did not reach the program'
[ "$(row out elapsed all)" != '' ] || fault 'there is no report'

# kill -9 of cupel: the program continues, and the kernel keeps nothing of the recording.
# shellcheck disable=SC2016 # $i is the inner shell's
start killed record --buffer 64m -o killed.trace -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; echo $i >still; done'
listens
until_there still
grep -hs '^prog_id' "/proc/$SESSION/fdinfo/"* | sort -u >programs
[ -s programs ] || fault 'the recording has no program in the kernel'
kill -KILL "$SESSION"
wait "$WATCHDOG" 2>/dev/null
! grep -hs '^prog_id' /proc/[0-9]*/fdinfo/* | grep -qxFf programs || fault 'a program is left in the kernel'
sleep 3
[ "$(cat still)" = 10 ] || fault 'the program did not go on'
grep -c tracefs /proc/mounts | cmp -s - mounts.before || fault 'tracefs was left mounted'

# A device without a request queue.
if [ -e /sys/class/zram-control/hot_add ]; then
    zram=zram$(cat /sys/class/zram-control/hot_add)
    echo 16M >"/sys/block/$zram/disksize"
    start zram record --device "/dev/$zram" --format csv
    listens
    dd if=/dev/zero of="/dev/$zram" bs=4k count=64 oflag=direct 2>/dev/null
    dd if="/dev/$zram" of=/dev/null bs=4k count=32 iflag=direct 2>/dev/null
    kill -INT "$SESSION"
    ended 0 zram
    [ "$(row out device_requests write)" = 64 ] || fault "zram: $(row out device_requests write) writes instead of 64"
    [ "$(row out device_requests read)" = 32 ] || fault "zram: $(row out device_requests read) reads instead of 32"
    reset_zram
    number=${zram#zram}
    zram=''
    echo "$number" >/sys/class/zram-control/hot_remove
fi
finish
