#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel qualify: wrong command lines; and, as root, a loop device from end to end, compared with expectations.
# Slow: whole qualifications.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# ---- wrong command lines, refused before anything is measured ----

refused 2 'no-such-disk: there is no disk of that name' qualify no-such-disk
refused 2 '/dev/no-such-disk: there is no such disk' qualify /dev/no-such-disk
refused 2 'it is no disk' qualify /dev/null
refused 2 'one of quick, normal, strict' qualify --preset hasty
refused 2 'unknown option --destroy' qualify --destroy
refused 2 '--limit' qualify --limit 0
refused 2 'no.expect' qualify no-such-disk --expect no.expect
printf '[machine]\ndisks = 24\n\n[disk nvme]\n  read bandwith >= 6.5 GB/s\n' >wrong.expect
refused 2 'wrong.expect:5:3: [disk] has no "read bandwith"' qualify no-such-disk --expect wrong.expect
printf '\357\273\277[disk nvme]\r\nlink >= 16.0 GT/s x4\r\nsize >= 7\r\n' >windows.expect
refused 2 'windows.expect:3:10: a size with its unit' qualify no-such-disk --expect windows.expect
refused 2 '--sla: at character 5: a time needs a unit' qualify no-such-disk --sla 'p99<500'
refused 2 '--sla: at character 12: p99<1ms and p99>2ms contradict each other' qualify no-such-disk --sla 'p99 < 1ms, p99>2ms'
refused 2 "nothing is written without --destroy-serial: leave 'write.' out" qualify no-such-disk --sla 'write.p99<1ms'
printf '[test randread]\nerrors=0\n  iops > 200MB\n' >clause.expect
refused 2 'clause.expect:3:10: a rate is a number' qualify no-such-disk --expect clause.expect
echo precious >there
refused 2 'there: it exists already' qualify no-such-disk --write-expect there
[ "$(cat there)" = precious ] || fault '--write-expect changed a file that was there'
refused 2 'no-such-disk' qualify no-such-disk --write-expect new.expect -o new
[ ! -e new.expect ] || fault 'a refusal left the file of --write-expect'
[ ! -e new ] || fault 'a refusal left the folder of -o'
mkdir full
refused 2 'full' qualify no-such-disk -o full

# ---- a loop device, as root ----

loops=''
undo() {
    for device in $loops; do
        losetup -d "$device" 2>/dev/null
    done
    rm -rf "$FOLDER"
}
trap undo EXIT
PATH=$PATH:/usr/sbin:/sbin

# attach FILE: attaches a loop device to the file; its name is in LOOP.
attach() {
    LOOP=$(losetup --find --show "$1" 2>err) || {
        echo "no loop device, so the rest is left out: $(cat err)"
        finish
    }
    loops="$LOOP $loops"
}

[ "$(id -u)" -eq 0 ] || {
    echo 'not root: loop devices are left out'
    finish
}

# Disks that this user may not open: refused if there is nothing else to measure; otherwise they are NOT DECIDED beside the
# result.
as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
if ls -d /sys/block/[hsv]d*/device /sys/block/nvme*n*/device >/dev/null 2>&1 && $as_nobody test -x "$CUPEL" 2>err; then
    $as_nobody "$CUPEL" qualify --limit 2s >out 2>err </dev/null
    [ $? -eq 6 ] || fault "disks without permission: $(cat err)"
    holds err 'permission denied'
    $as_nobody "$CUPEL" qualify --processors --preset quick --limit 2s >out 2>err </dev/null
    grep -q '^disks  *NOT DECIDED' out || fault "disks without permission, processors with it: $(cat out err)"
    grep -q '^processors  *\(PASS\|WARN\|NOT DECIDED\|FAIL\)' out || fault "processors: $(cat out err)"
fi

head -c 33554432 /dev/urandom >disk
attach disk
name=${LOOP#/dev/}
before=$(sha256sum <disk)

# qualified EXPECTED ARGUMENT...: a qualification with short measurements, which need not be precise. If one finds no steady
# state or too few readings, it decides nothing: then the exit status may be 5 instead of 0, and the last line says why.
limit=4s
qualified() {
    expected=$1
    shift
    limited qualify --preset quick --limit $limit "$@" >out 2>err
    got=$?
    if [ "$expected" -eq 0 ] && [ $got -eq 5 ]; then
        tail -n 1 err | grep -qE 'NOT DECIDED: .*(within its limit of|not decided: )' ||
            fault "exit status 5 without a reason: qualify $*: $(cat err)"
    elif [ $got -ne "$expected" ]; then
        fault "exit status $got, expected $expected: qualify $*: $(cat err)"
    fi
}

# Everything is kept, and --write-expect writes an expectation that the same disk meets.
qualified 0 "$LOOP" -o kept --write-expect good.expect
for file in qualification.txt qualification.csv qualification.json report.html machine.json "$name-read/record.cupel" \
    "$name-read/report.txt" "$name-randread/record.cupel" "$name-randread/summary.csv"; do
    [ -s "kept/$file" ] || fault "kept/$file is not there or empty"
done
[ -s out ] || fault "nothing was printed"
holds out "$name"
holds err "$name: sequential read, 1 of 2"
holds err "$name: random read, 2 of 2"
holds good.expect '[disk loop]'
holds good.expect 'size >= 33 MB'
holds good.expect '[test all loop]'
holds good.expect 'errors = 0'
# the expectation can be read; only the disk is refused
refused 2 'there is no disk of that name' qualify no-such-disk --expect good.expect
limited report "kept/$name-read/record.cupel" >out 2>err
grep -qE 'read IOPS|nothing was measured' out || fault "the record's report: $(cat out)" # the measurement may be precise or not
refused 2 'kept' qualify "$LOOP" -o kept

# An expectation that every disk of this size meets, then one that none meets: every deviation is on the last line.
printf '[disk loop]\ncount >= 1\nsize = 33554432 B\nread bandwidth >= 1 kB/s\nrandread iops >= 1\n' >easy.expect
qualified 0 "$name" --full --expect easy.expect
holds out 'read bandwidth'
holds out 'easy.expect'
limit=2s # measured values do not matter from here on
printf '[disk loop]\nsize >= 1 TB\nread bandwidth >= 900 TB/s\nrandread p99 <= 1ns\n' >hard.expect
qualified 1 "$LOOP" --expect hard.expect --format csv
tail -n 1 err >last
holds last "FAIL: $name: "
holds last 'size 33.55 MB, expected at least 1 TB'
holds last 'read bandwidth '
holds last 'expected at least 900 TB/s'
columns=row,device,model,serial,name,grade,unit,value,ci_low,ci_high,confidence,n,found,expected,note,next_low,next_high
[ "$(head -n 1 out)" = $columns,target,rw,bs,iodepth,numjobs,label,date ] ||
    fault "the header of the CSV is $(head -n 1 out)"
grep -qE "^check,$name,,,read bandwidth,(fail|warn|undecided),,,,,,," out || # a busy machine decides nothing in 2 s
    fault "no check in the CSV: $(grep '^check' out)"
grep -q "^machine,,[^,]*,[^,]*,verdict,fail," out || fault "no verdict in the CSV: $(head -n 2 out)"
grep -qE "^measurement,$name,,,read iops,,1/s,[0-9].*,$name,read,[0-9]+,[0-9]+,[0-9]*,,20..-..-..T" out || fault "no measurement in the CSV: $(grep '^measurement' out)"
qualified 1 "$LOOP" --expect hard.expect --format json
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; q = json.load(open("out")); sys.exit(q["grade"] != "fail" or len(q["devices"]) != 1)' ||
        fault 'the JSON cannot be read, or holds something else'
fi
# A size copied from the report passes. A slightly larger one fails, and the report shows enough digits to tell the two apart.
printf '[disk loop]\nsize = 33.55 MB\n' >copied.expect
qualified 0 "$LOOP" --expect copied.expect
printf '[disk loop]\nsize >= 33554433 B\n' >larger.expect
qualified 1 "$LOOP" --expect larger.expect
holds err 'size 33.554432 MB, expected at least 33554433 B'

# Clauses for all tests and for one test: each is a check, decided by the session of that test.
limit=4s
printf '[test randread loop]\nread.p50 < 10s, iops > 1\n' >easy.clauses
qualified 0 "$LOOP" --expect easy.clauses --sla 'errors=0, p50 > 1ns' -o clauses --format csv
for clause in 'randread read.p50' 'randread iops' 'randread errors' 'read errors' 'read p50' 'randread p50'; do
    grep -qE "^check,$name,,,$clause,(pass|undecided),.*,(above|below|0)" out || fault "no $clause in the CSV: $(cat out)"
done
holds "clauses/$name-randread/report.txt" 'iops>1'
# All clauses together have one chance of a wrong verdict: four are estimated, three of them in one test.
holds clauses/qualification.json '"clauses": 4'
holds clauses/qualification.txt '95 % confidence that none'
longer "0 5" report "clauses/$name-randread"
holds out 'at 96.25 % confidence'
! grep -q '^check.*,read iops,' out || fault 'a clause about randread was judged of read'
limit=2s
qualified 1 "$LOOP" --sla 'max < 1ns' --format json # a single request decides it
holds err 'read max'
holds err 'expected below 1ns'
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; c = json.load(open("out"))["devices"][0]["tests"][1]["clauses"]
sys.exit(len(c) != 1 or c[0]["verdict"] != "fail" or c[0]["clause"] != "max<1ns")' || fault 'the JSON has no such clause'
fi

# Stopped before the interval is as narrow as the preset demands: no expectation needs that width, and the note states the
# width. An expectation whose limit is inside the interval is not decided.
limited qualify "$LOOP" --full --preset strict --limit 3s >out 2>err
got=$?
if [ $got -eq 0 ]; then
    tr -s ' \n' ' ' <out | grep -qE 'within its limit of 3 s: the 95 % interval is \+-[0-9.]+ %, \+-5 % was asked' ||
        fault "the width of a measurement that was stopped is not reported: $(cat out)"
elif [ $got -ne 5 ]; then
    fault "exit status $got of a short measurement: $(cat err)"
fi

# When files cannot be kept, that is reported, and the page is printed all the same.
limit=2s
mkdir small
if mount -t tmpfs -o size=64k,mode=700 none small 2>/dev/null; then
    qualified 4 "$LOOP" -o small/kept
    umount small
    holds out 'not kept'
    holds out "$name"
fi
[ "$(sha256sum <disk)" = "$before" ] || fault 'qualify changed the disk'

# Blocks that were never written are not measured, so nothing is decided.
truncate -s 32M empty
attach empty
qualified 5 "$LOOP"
holds out 'never written'
tail -n 1 err >last
holds last 'NOT DECIDED: '
holds last 'read: not measured'
holds out 'undecided'
qualified 5 "$LOOP" --format csv
grep -q '^machine,.*,verdict,undecided,.*,not decided,,,,,,,' out || fault "the CSV does not say it: $(head -n 2 out)"

# A disk is destroyed only if its serial number is given; a loop device has none.
for serial in nothing "${LOOP#/dev/}"; do
    limited qualify "$LOOP" --preset quick --limit 1s --destroy-serial "$serial" >out 2>err
done
[ -z "$(tr -d '\0' <empty | head -c 1)" ] || fault 'a disk was written that nobody gave leave for'
for serial in ',' 'A,' ',A' 'A,,B'; do
    refused 2 'a serial number is missing' qualify "$LOOP" --destroy-serial "$serial"
done
refused 2 'none of the disks to be measured has the serial number "nothing"' qualify "$LOOP" --destroy-serial nothing

# A signal ends it with the results so far.
timeout -s KILL 30 timeout -s INT 2 "$CUPEL" qualify "/dev/$name" --limit 30s --preset strict -o ended >out 2>err
got=$?
[ $got -eq 124 ] || [ $got -eq 5 ] || fault "after a signal: exit status $got: $(cat err)"
holds out 'interrupted'
[ -s ended/qualification.txt ] || fault 'a qualification that was interrupted was not kept'
# Without /sys no disk can be found, which does not count as a failure of the machine.
if [ "$(id -u)" = 0 ]; then
    mkdir -p jail/sys jail/proc
    cp "$CUPEL" jail/cupel
    chroot jail /cupel qualify >out 2>err
    got=$?
    [ $got -eq 5 ] || fault "qualify without /sys: exit status $got instead of 5"
    holds out '/sys is not mounted'
fi

finish
