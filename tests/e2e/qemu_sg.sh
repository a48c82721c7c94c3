#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SCSI commands that bypass the block layer (--ioengine sg), in tests/guest/guest_sg.c: what they write, trim and zero is in
# the image files, and nothing else; a mounted disk is refused; errors of scsi_debug are reported by name.
# The write cache is read, and purges that the drives cannot do change nothing: scsi_debug calls itself an ATA drive.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

needs mkfs.vfat

devices+=(-device "virtio-scsi-pci,id=scsi")
for name in plain verified mounted; do
    drive "$name" 16M
    devices+=(-drive "file=$FOLDER/$name.img,if=none,id=$name,format=raw,discard=unmap,detect-zeroes=off"
        -device "scsi-hd,drive=$name,bus=scsi.0,product=$name,serial=$name")
done
mkfs.vfat mounted.img >/dev/null
add_file "$CUPEL" cupel
chmod +x extra/cupel
QEMU_LIMIT=280 guest_test guest_sg virtio_pci virtio_scsi sd_mod sg 'scsi_debug dev_size_mb=16' vfat nls_cp437 nls_ascii

mib=1048576
# expect FILE BEGIN END BYTE: the MiB from BEGIN to END contain BYTE, which is octal or "numbers".
expect() {
    if [ "$4" = numbers ]; then
        cmp -s <(seq $((100000000000000 + $2 * mib / 16)) $((100000000000000 + $3 * mib / 16 - 1))) \
            <(tail -c "+$(($2 * mib + 1))" "$1" | head -c $((($3 - $2) * mib)))
    else
        cmp -s <(head -c $((($3 - $2) * mib)) /dev/zero | tr '\0' "$4") \
            <(tail -c "+$(($2 * mib + 1))" "$1" | head -c $((($3 - $2) * mib)))
    fi || fault "$1 does not hold $4 from MiB $2 to $3"
}
expect plain.img 0 2 numbers
expect plain.img 2 4 '\245'
expect plain.img 4 6 numbers
expect plain.img 6 7 '\132'
expect plain.img 7 8 numbers
expect plain.img 8 9 '\0'
expect plain.img 9 10 numbers
expect plain.img 10 11 '\0'
expect plain.img 11 16 numbers

verified=$(grep -c 'DATA VERIFIED' serial.log)
[ "$verified" = 4 ] || fault "$verified of 4 sessions say that their data were read back as written"
serial_holds '--destroy says that you mean it'
serial_holds 'it holds a mounted filesystem (/tmp/there)'
serial_holds 'one SCSI command to it may move at most'
serial_holds 'it is a character device; give a regular file'
serial_holds 'drive_write_cache,on,,"SCSI MODE SENSE, caching",ok'
serial_holds 'the drive does not report which commands it has'
serial_holds 'it is an ATA drive: --purge secure-erase is for these; nothing was sent'
serial_holds '(SCSI: Unrecovered read error (medium error, 3h/11h/00h))'
serial_holds 'Logical unit not ready, initializing command required (not ready, 2h/04h/02h)'
finish
