#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Commands of a stick that write: the stick of another image is not followed at all; a serial number that is another
# disk's writes nothing; the right one writes that disk, after a countdown that says so, and no other. The images of the
# drives tell, byte for byte.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/report.sh"

export QEMU_LIMIT=170
# The machine that comes next has the same drives, and a stick with these lines as its cupel.cfg.
next_machine() {
    rm -rf serial.in monitor.in monitor.out extra data.img report*
    devices=() machine_number=$((${machine_number:-0} + 1))
    [ ! -e serial.log ] || mv serial.log "serial.$machine_number"
    devices+=(-drive "file=$FOLDER/first.img,if=none,id=first,format=raw" -device "nvme,drive=first,serial=FIRST-1"
        -drive "file=$FOLDER/second.img,if=none,id=second,format=raw" -device "virtio-blk-pci,drive=second,serial=SECOND-2")
    data_stick "$@"
}
is_unchanged() {
    sha256sum --quiet -c before || fault "$1"
}
drive first 16M
drive second 16M
sha256sum first.img second.img >before
write='--rw write --bs 64k --preset quick --limit 2s --overhead 0 --block-layer 0'

# Another image's stick: neither its command nor its other keys count; nothing is kept on it.
next_machine 'countdown = 0' "command = run /dev/nvme0n1 $write --destroy-serial FIRST-1"
own_stick data.img another-image
sha256sum data.img >stick-before
direct_boot cupel.countdown=3 cupel.data-wait=5 cupel.preset=quick cupel.limit=1s cupel.after=power-off
power_off_within 100
serial_holds 'is a stick of another image (another-image; this machine was started from'
serial_holds 'cupel: qualification '
tr -d '\000' <serial.log | grep -a 'THIS DESTROYS' && fault 'the stick of another image was followed'
is_unchanged 'the command of the stick of another image wrote'
sha256sum --quiet -c stick-before || fault 'the stick of another image was written to'

# The serial number of one disk, the name of the other; then one that no disk has.
next_machine 'countdown = 0' 'after = power-off' "command = run /dev/vda $write --destroy-serial FIRST-1"
direct_boot cupel.data-wait=60
wait_for 'THIS DESTROYS ALL DATA ON A DISK' 100
wait_for 'serial number FIRST-1, 16 MiB' 30
wait_for 'DESTROYING ALL DATA on the disk above begins in ' 10
power_off_within 100
serial_holds 'its serial number is SECOND-2, not FIRST-1; nothing was written'
serial_holds 'ended with status 3'
is_unchanged 'a command with the serial number of another disk wrote'

# The right one, and somebody who presses a key.
next_machine 'countdown = 0' "command = run /dev/nvme0n1 $write --destroy-serial FIRST-1"
direct_boot cupel.data-wait=60
wait_for 'ANY KEY STOPS IT' 100
send 'x'
wait_for 'Key:' 30
since_sent | grep -q 'minutes without a key' && fault 'what was stopped begins again by itself'
sleep 3
send '9\r'
power_off_within 30
is_unchanged 'a key did not stop the command'

# The right one, and nobody.
next_machine 'countdown = 0' 'after = power-off' "command = run /dev/nvme0n1 $write --destroy-serial FIRST-1"
direct_boot cupel.data-wait=60
power_off_within 100
serial_holds 'report: kept on the stick as '
sha256sum --quiet -c before >compared 2>/dev/null && fault 'the right serial number wrote nothing'
grep -q '^first.img: FAILED' compared || fault 'the disk that was named was not written'
grep -q '^second.img' compared && fault 'another disk than the one that was named was written'
finish
