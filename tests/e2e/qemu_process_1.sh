#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel as process 1: output goes to the VGA console and the serial port, keys are read from both, the data partition of a USB
# stick is found and written, and the machine switches off with everything on the stick. tests/guest/guest_process_1.c is
# /init.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
needs mkfs.fat mcopy sfdisk fsck.fat

id=$(sed -n 's/^#define DATA_PARTITION_ID 0x//p' "$PROJECT/tables/boot_image.h")

# fat_stick NAME: makes a stick of 64 MiB with two partitions, the data partition first.
fat_stick() {
    truncate -s 64M "$1.img"
    printf 'label: dos\nlabel-id: 0x%s\n2048,81920,c\n83968,,ef\n' "$id" | sfdisk -q "$1.img"
    mkfs.fat -F 32 -s 1 --offset 2048 -i "$id" "$1.img" 40960 >mkfs.log 2>&1
    mkfs.fat -F 16 --offset 83968 -i 12345678 "$1.img" 23552 >>mkfs.log 2>&1
    echo 'countdown = 3' | mcopy -i "$1.img@@1M" - ::cupel.cfg
    devices+=(-drive "file=$FOLDER/$1.img,if=none,id=$1,format=raw" -device "usb-storage,drive=$1,removable=on")
}

# data_of NAME: copies its first partition to the file data.img.
data_of() {
    dd if="$1.img" of=data.img bs=1M skip=1 count=40 status=none
}

devices+=(-vga std -device qemu-xhci)
fat_stick first
fat_stick second
# The bit that a system sets while it writes (byte 65 of the boot sector): it is still set, as after pulling a stick.
printf '\001' | dd of=second.img bs=1 seek=$(((1 << 20) + 65)) conv=notrunc status=none
mkfs.fat -F 12 -i "$id" -C third.img 1440 >/dev/null
devices+=(-drive "file=$FOLDER/third.img,if=virtio,readonly=on,format=raw")
# An internal disk with a copy of the stick is not taken for the stick.
cp first.img inside.img
devices+=(-drive "file=$FOLDER/inside.img,if=virtio,format=raw")
sha256sum inside.img >before

guest_program guest_process_1 xhci_pci usb_storage sd_mod virtio_pci virtio_blk nls_cp437 nls_ascii vfat
direct_boot 'console=tty0 console=ttyS0,115200'

# press KEY NUMBER: presses the key on the keyboard of the VGA console and waits until the guest has counted it.
press() {
    monitor sendkey "$1" >/dev/null
    wait_for "guest: key $2" 10
}
wait_for 'guest: keys' 60
press a 0
press shift-z 1
press up 2
press pgdn 3
press ret 4
press backspace 5
press esc 6
press ctrl-alt-delete 7
send '\033[B'
wait_for 'guest: key 8' 10
send '\003'
wait_for 'guest: key 9' 10
send '\r\nq'
wait_for 'guest: line?' 10
send 'S4\0103RIAX\177L\n'
power_off_within 60
serial_holds 'on both consoles'
serial_holds 'guest: line? S4'
serial_holds 'guest: pass'

data_of first
mcopy -n -i data.img "::2026-11-20-A Board's long name, with blanks/qualification.csv" . || fault 'no report on the stick'
[ "$(cat qualification.csv)" = a,b ] || fault 'the report on the stick is not what was written'
[ "$(mtype -i data.img ::unfinished.txt)" = begun ] || fault 'what was being written at the end is not on the stick'
sha256sum --quiet -c before || fault 'the copy of the stick inside was written to'
fsck.fat -n data.img >fsck.log || fault "the first stick is damaged: $(cat fsck.log)"
data_of second
[ "$(mtype -i data.img ::later.txt)" = kept ] || fault 'nothing was written to the dirty stick'
finish
