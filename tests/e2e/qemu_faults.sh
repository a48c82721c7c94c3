#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Drives that fail during the measurement: unreadable sectors, a falling rate, a health warning, removal. Also what a run
# reports about the path to the drive: the backend, the cost of the block layer, polled queues.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/report.sh"

# port NAME NUMBER: adds a slot from which a drive can be pulled.
port() {
    devices+=(-device "pcie-root-port,id=$1,chassis=$2,slot=$2")
}

# next_machine NAME: puts away the files and drives of the last machine.
next_machine() {
    rm -rf serial.in monitor.in monitor.out extra
    mkdir -p "$1"
    mv serial.log report* "$1"
    devices=()
}

# plug_in NAME SLOT: plugs in a drive while the machine runs, so that its name is known: Linux numbers drives in the order in
# which it finds them, and drives (or namespaces of a controller) that are present at the start may be found in any order.
plug_in() {
    monitor device_add "nvme,id=$1-nvme,drive=$1,serial=$1,bus=$2" >/dev/null
    sleep 3
}

# measuring COMMAND STAGE: waits until the console shows that the run with this beginning is in that stage, however long an
# emulated processor needs to get there.
measuring() {
    local deadline=$((SECONDS + 120))
    until since_sent | awk -v command="command \"$1" -v stage="$2" 'index($0, command) { seen = 1 }
        seen && $0 ~ "^(" stage ")," { found = 1 } END { exit !found }'; do
        [ $SECONDS -lt $deadline ] || give_up "\"$1\" did not get to $2"
        sleep 0.1
    done
}

# ---- The first machine: three drives, each with a fault.
drive bad 16M
drive slow 64M
drive plain 64M
error=file.inject-error.0
port slot1 1
port slot2 2
port slot3 3
devices+=(-drive "if=none,id=bad,driver=raw,file.driver=blkdebug,file.image.driver=file,file.image.filename=$FOLDER/bad.img,\
$error.event=none,$error.iotype=read,$error.errno=5,$error.sector=2048" -device 'nvme,id=bad-nvme,drive=bad,serial=bad,bus=slot1'
    -drive "if=none,id=slow,driver=raw,file.driver=file,file.filename=$FOLDER/slow.img,throttling.iops-total=1000"
    -drive "if=none,id=plain,driver=raw,file.driver=file,file.filename=$FOLDER/plain.img")

bad='--offset 1m --size 64k --limit 4s'
any='--preset quick --ci 100% --min-samples 2 --interval pilot --changepoint none' # precise even on a busy machine
data_stick 'countdown = 0' "command = \
run null --runtime 9s;\
run /dev/nvme0n1 $bad --ioengine nvme-uring -o bad-nvme-uring;\
run /dev/nvme0n1 $bad --ioengine nvme -o bad-nvme;\
run /dev/nvme0n1 $bad --ioengine uring -o bad-uring;\
run /dev/nvme1n1 --preset quick --min-time 16s --limit 20s -o slow;\
run /dev/nvme2n1 $any --min-time 3s --limit 30s -o auto;\
probe nvme2n1;\
run /dev/nvme2n1 --limit 60s -o gone"
direct_boot ''

wait_for 'command "run null' 150
plug_in slow slot2
plug_in plain slot3
measuring 'run /dev/nvme1n1' 'warming up|round 1'
sleep 7
monitor block_set_io_throttle slow 0 0 0 250 0 0 >/dev/null
measuring 'run /dev/nvme2n1 --preset' 'warming up|round 1'
monitor qom-set /machine/peripheral/plain-nvme smart_critical_warning 4 >/dev/null
measuring 'run /dev/nvme2n1 --limit' 'warming up|round 1'
monitor device_del plain-nvme >/dev/null
wait_for 'Press a key for the menu.' 20
send ' '
wait_for 'Key:' 20
since_sent | grep -q 'all 2 disks' || fault 'the menu still has the drive that was pulled'
send '9\r'
power_off_within 30
read_reports

# Unreadable sectors: all backends fail, and passthrough reports the NVMe status.
for backend in nvme-uring nvme uring; do
    ended_with 4 "run /dev/nvme0n1 $bad --ioengine $backend -o"
    file=report/bad-$backend/report.txt
    says "$file" 'read of 4096 bytes at byte 1048576 failed: No data available'
    is_true "$(metric "report/bad-$backend/summary.csv" errors) > 0"
done
for backend in nvme-uring nvme; do
    file=report/bad-$backend/report.txt
    says "$file" '(NVMe: Unrecovered Read Error (media and data integrity, 2h/81h))'
    count=$(metric "report/bad-$backend/summary.csv" errors)
    says "$file" "the device failed $count NVMe commands: $count media errors"
done

# The rate falls during the run: the change is reported, and the result is one of the two levels.
limited report report/slow/record.cupel --format json >slow.json 2>slow.err || [ $? -eq 5 ] || fault "$(cat slow.err)"
says_not slow.json '"changepoints": []'
says_not slow.json '"phase": "flat"'
rate=$(metric report/slow/summary.csv iops)
is_true "($rate > 800 && $rate < 1100) || ($rate > 200 && $rate < 275)"
says report/slow/report.txt 'Change point'

# The best backend is chosen; its saving is reported with an interval; interrupts are not called polling.
ended_with 0 'run /dev/nvme2n1 --preset'
says report/auto/report.txt 'backend nvme-uring'
says report/auto/report.txt 'completions by interrupt'
says report/auto/report.txt 'poll queues none'
# On a busy machine a round may complete no read, and then no cost is reported.
unmeasured='not measured: a round did not run to its end, or nothing completed in it'
costs=
words report/auto/report.txt | grep -qF "cost of block layer $unmeasured" || {
    says report/auto/report.txt 'cost of block layer 12 pairs of like rounds'
    costs='block_layer_iops block_layer_cpu'
}
for metric in $costs; do
    read -r low value high < <(for column in ci_low value ci_high; do
        metric report/auto/summary.csv "$metric" "$column"
    done | tr '\n' ' ')
    # All three are empty if other load made the pairs too different for an interval of the ratio.
    [ -z "$low$value$high" ] || is_true "0 < $low && $low < $value && $value < $high"
done

# The drive itself raises a warning during the measurement; it is reported for the run and by a later probe.
says report/auto/report.txt 'during the run: nvme2: its critical warning changed: from 0 to 4'
console_of 'probe' >probe.txt
says probe.txt 'HEALTH nvme2 QEMU NVMe Ctrl (nvme2n1): health: reliability degraded'

# A pulled drive: the run ends by itself, and parts that are still there are not reported as gone.
ended_with 4 'run /dev/nvme2n1 --limit'
says report/gone/report.txt 'FAILED: /dev/nvme2n1: read of 4096 bytes'
says report/gone/report.txt 'No such device'
says report/gone/report.txt 'nvme2n1: it is no longer there'
says_not report/gone/report.txt 'pci0000:00: it is no longer there'
is_true "$(metric report/gone/summary.csv elapsed) < 30"

# ---- The second machine: polled queues; a qualification of two drives, one of which is pulled.
next_machine first
port slot1 1
port slot2 2
for name in pulled ill; do
    drive $name 64M
    devices+=(-drive "file=$FOLDER/$name.img,if=none,id=$name,format=raw")
done
devices+=(-device 'nvme,id=pulled-nvme,drive=pulled,serial=PULLED,bus=slot1'
    -device 'nvme,id=ill-nvme,drive=ill,serial=ILL,bus=slot2')
polled="run /dev/nvme0n1 $any --min-time 500ms --limit 6s --overhead 0 --block-layer 0"
data_stick 'countdown = 0' 'preset = quick' 'limit = 3s' 'devices = PULLED ILL' \
    "command = $polled --ioengine uring -o uring; $polled --ioengine nvme-uring -o nvme-uring"
direct_boot nvme.poll_queues=1
wait_for 'Press a key for the menu.' 60
send ' '
wait_for '[all 2 disks]' 20
monitor qom-set /machine/peripheral/ill-nvme smart_critical_warning 4 >/dev/null
send '1'
wait_for 'sequential read, 1 of 4' 20
sleep 1.5
monitor device_del pulled-nvme >/dev/null
wait_for 'Press a key for the menu.' 60
send ' '
wait_for 'last result: ' 20
send '9\r'
power_off_within 30
read_reports

# Polled queues: the block layer uses them. Passthrough may not use them with this kernel, and then reports interrupts.
case $RELEASE in
[1-5].* | 6.[0-7].*) passthrough=interrupt ;;
*) passthrough=polling ;;
esac
says report/uring/report.txt 'completions by polling'
says report/nvme-uring/report.txt 'poll queues there are some'
says report/nvme-uring/report.txt "completions by $passthrough"
for backend in uring nvme-uring; do
    is_true "$(metric report/$backend/summary.csv errors) == 0"
    is_true "$(metric report/$backend/summary.csv iops) > 0"
done

# The qualification: both drives fail, one because it is gone, the other, which was measured, because of its health.
file=report-2/qualification.csv
row() {
    grep -q "^$1\$" "$file" || fault "no row $1 in $(cat "$file")"
}
row 'device,nvme[01]n1,[^,]*,PULLED,verdict,fail,.*'
row 'device,nvme[01]n1,[^,]*,ILL,verdict,fail,.*'
row 'check,nvme[01]n1,[^,]*,PULLED,device,fail,.*it is no longer there.*'
row 'check,nvme[01]n1,[^,]*,PULLED,read,fail,.*[Nn]o such device.*'
row 'check,nvme[01]n1,[^,]*,PULLED,randread,fail,.*not measured: .*'
row 'check,nvme[01]n1,[^,]*,ILL,health,fail,.*"reliability degraded, .*'
! grep -E '^check,[^,]*,[^,]*,ILL,(device|read|randread|I.O errors),fail,' "$file" || fault 'the other drive fails as well'
for test in 'read bandwidth' 'randread iops'; do
    row "measurement,nvme[01]n1,[^,]*,ILL,$test,,[^,]*,[1-9][0-9.]*,.*"
done
words report-2/qualification.txt >page.txt
says page.txt 'health reliability degraded'
says page.txt 'FAIL: QEMU Standard PC'
finish
