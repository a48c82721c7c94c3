#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A stick that is full, then pulled, then inserted again: its content stays intact, the report waits in memory, and a machine
# that should switch off does not, because the report would be lost. Mistakes in cupel.cfg and in the expectations are
# reported and stop nothing, but then nothing passes.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
needs mkfs.fat mcopy sfdisk fsck.fat

id=$(sed -n 's/^#define DATA_PARTITION_ID 0x//p' "$PROJECT/tables/boot_image.h")
truncate -s 64M stick.img
printf 'label: dos\nlabel-id: 0x%s\nstart=2048, type=c\n' "$id" | sfdisk -q stick.img
mkfs.fat -F 32 -s 1 -i "$id" --offset 2048 stick.img $((63 * 1024)) >mkfs.log
own_stick stick.img
# With the byte order mark and line ends that Notepad writes.
printf '\357\273\277countdown = 0\r\npreset = quick\r\nlimit = 1s\r\nafter = power-off\r\ncolour = red\r\n' >cupel.cfg
printf '[machine]\nnonsense = 1\n' >expect.txt
mkdir 2026-01-01-EARLIER
echo kept >2026-01-01-EARLIER/qualification.txt
mcopy -s -i stick.img@@1M cupel.cfg expect.txt 2026-01-01-EARLIER ::
room=$(mdir -i stick.img@@1M :: | sed -n 's/ bytes free//p' | tr -d ' ')
head -c $((room - 16384)) /dev/zero | mcopy -i stick.img@@1M - ::large

devices+=(-device qemu-xhci -drive "file=$FOLDER/stick.img,if=none,id=stick,format=raw"
    -device 'usb-storage,drive=stick,removable=on,id=usb1')
nvme_drive NVME-1 16M
direct_boot cupel.allow-unwritten=1

wait_for 'there is no key "colour"' 60
wait_for '! report: NOT kept on the stick' 60
wait_for 'No space left on device' 5
wait_for 'cupel: qualification FAIL: ' 5
wait_for 'nonsense' 5
wait_for 'The report is in memory only: the machine stays on.' 5
monitor device_del usb1 >/dev/null
send ' '
wait_for 'Key:' 20
send '8'
wait_for '! report: NOT kept on the stick' 30
send ' '
wait_for 'Key:' 20

# Somebody frees space and inserts the stick again.
mdel -i stick.img@@1M ::large
monitor drive_add 0 "file=$FOLDER/stick.img,if=none,id=again,format=raw" >/dev/null
monitor device_add usb-storage,drive=again,removable=on,id=usb2 >/dev/null
sleep 3
send '8'
wait_for 'report: kept on the stick as ' 30
send ' '
wait_for 'Key:' 20

# Pulled for good: the expectations are still in memory, so that nothing passes unjudged.
monitor device_del usb2 >/dev/null
wait_for 'has gone' 20
send '1'
wait_for 'nonsense' 60
wait_for '! report: NOT kept on the stick' 30
send ' '
wait_for 'last result: FAIL: ' 20
send '9\r'
power_off_within 30

dd if=stick.img of=data.img bs=1M skip=1 status=none
fsck.fat -n data.img >fsck.log || fault "the stick is damaged: $(cat fsck.log)"
[ "$(mtype -i data.img ::2026-01-01-EARLIER/qualification.txt)" = kept ] || fault 'the earlier report is not whole'
mcopy -s -n -i data.img '::/20*' . 2>/dev/null
grep -q 'no key ""colour""' 20*/qualification.csv || fault 'the report does not tell the mistake in cupel.cfg'
grep -q 'nvme nvme0: ' 20*/kernel.txt || fault "the report has no messages of the kernel's"
[ -s "$(echo 20*/machine.json)" ] || fault 'the report does not say what the machine is'
grep -q 'did not end' 20*/qualification.txt && fault 'the report of a qualification that ended says it did not'
grep -q 'cupel: ready after' 20*/console.txt || fault 'the report has no log'
[ -z "$(find . -maxdepth 1 -name '*.part')" ] || fault 'a half report is left on the stick'
finish
