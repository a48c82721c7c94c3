#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel accept on a machine that loses power: an NVMe drive is formatted and then written, and QEMU is killed in the middle.
# With another drive in its place nothing is written; with the same drive the work continues until all of it is written.
# Finally the drive is pulled out during the work. tests/guest/guest_accept.c runs in the machine.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

needs mkfs.vfat
export QEMU_LIMIT=280

# boot DRIVE SERIAL: starts a machine with that image as the new drive, which writes 12 MB/s, and with the state.
boot() {
    rm -rf serial.in monitor.in monitor.out extra
    [ ! -e serial.log ] || cat serial.log >>serial.all
    # shellcheck disable=SC2034,SC2054 # lib.sh uses it, and QEMU has the commas
    devices=(-drive "file=$FOLDER/$1.img,if=none,id=new,format=raw,throttling.bps-write=12582912"
        -device pcie-root-port,id=pull,chassis=1,slot=1 -device "nvme,id=pulled,bus=pull,drive=new,serial=$2"
        -drive "file=$FOLDER/state.img,if=none,id=state,format=raw" -device "nvme,drive=state,serial=state")
    add_file "$CUPEL" cupel
    chmod +x extra/cupel
    guest_start guest_accept nvme vfat nls_cp437 nls_ascii
}

drive new 48M
drive other 48M
truncate -s 16M state.img
mkfs.vfat state.img >/dev/null
sha256sum other.img >before

boot new NEW-1
wait_for 'Its serial number:' 60
send 'WRONG-9\r'
wait_for 'its serial number is not WRONG-9; nothing was written' 20
wait_for 'guest: begins' 60
# The kill comes somewhere in the three passes; the drive's image then has what a power loss leaves.
for _ in $(seq 120); do
    mcopy -n -o -i state.img ::kept/accept.state first.state 2>mtools.err && grep -q ' 0 written ' first.state && break
    sleep 0.5
done
is_running || give_up 'the work was over before the power went'
stop_qemu
mcopy -n -o -i state.img ::kept/accept.state first.state 2>mtools.err || give_up "no state was kept: $(cat mtools.err)"
grep -q ' 0 written ' first.state || fault 'nothing was flushed before the power went'
grep -q 'stage=purge status=done' first.state || fault 'the drive was not formatted'
grep -q 'status=done.*stage=precondition' first.state && fault 'it was over'

# Another drive in its place.
boot other OTHER-1
guest_passes 60
serial_holds 'there is no disk of that name or serial number'
sha256sum --quiet -c before || fault 'another drive was written to'

# A drive with the same serial number and another size.
cp new.img larger.img
truncate -s 64M larger.img
sha256sum larger.img >before
mcopy -i state.img first.state ::resized
boot larger NEW-1
guest_passes 60
serial_holds 'when the work began; nothing was written'
sha256sum --quiet -c before || fault 'a drive of another size was written to'
mdel -i state.img ::resized

# The same drive.
boot new NEW-1
guest_passes 100
serial_holds 'accepted'
serial_holds 'taken up again'
od -An -v -w512 -tx8 new.img | sort | uniq -d >twice
[ ! -s twice ] || fault "$(wc -l <twice) sectors are alike: they were not written"
mcopy -n -i state.img ::kept/accept.state last.state
grep -q 'generation=3 flushed=50331648' last.state || fault 'the state does not end at the end of the drive'
head -c "$(wc -c <first.state)" last.state | head -n "$(($(wc -l <first.state) - 1))" >begin
head -n "$(($(wc -l <first.state) - 1))" first.state | cmp -s - begin || fault 'what was kept before is another one now'

# A drive that is pulled out during the work.
mcopy -i state.img first.state ::pull
boot new NEW-1
wait_for 'pass 1 of 3, ' 60
sleep 2
monitor device_del pulled
guest_passes 60
serial_holds 'the drive is gone'
finish
