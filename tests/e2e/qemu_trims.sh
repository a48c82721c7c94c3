#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Trims (--rw trim and others) and commands other than Write (--write_mode) on NVMe drives, in tests/guest/guest_trims.c. The
# image files show which ranges the commands covered, and the emulated drives' trace has each range.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

for name in ioctl ring block example modes; do
    drive "$name" 16M
    devices+=(-drive "file=$FOLDER/$name.img,if=none,id=$name,format=raw,discard=unmap"
        -device "nvme,id=$name-nvme,serial=$name" -device "nvme-ns,drive=$name,bus=$name-nvme,nsid=1")
done

add_file "$CUPEL" cupel
devices+=(-trace "pci_nvme_dsm*" -D "$FOLDER/dsm.trace")
QEMU_LIMIT=280 guest_test guest_trims nvme

mib=1048576
# expect FILE zeros|numbers BEGIN END: the bytes from BEGIN to END contain that.
expect() {
    if [ "$2" = zeros ]; then
        cmp -s -n $(($4 - $3)) -i "$3":0 "$1" /dev/zero
    else
        cmp -s <(seq $((100000000000000 + $3 / 16)) $((100000000000000 + $4 / 16 - 1))) \
            <(tail -c "+$(($3 + 1))" "$1" | head -c $(($4 - $3)))
    fi || fault "$1 does not hold $2 from byte $3 to $4"
}
expect ioctl.img numbers 0 $((4 * mib))
expect ioctl.img zeros $((4 * mib)) $((8 * mib))
expect ioctl.img numbers $((8 * mib)) $((16 * mib))
expect ring.img numbers 0 $((8 * mib))
expect ring.img zeros $((8 * mib)) $((12 * mib))
expect ring.img numbers $((12 * mib)) $((16 * mib))
expect block.img numbers 0 $mib
expect block.img zeros $mib $((3 * mib))
expect block.img numbers $((3 * mib)) $((8 * mib))
expect block.img numbers $((10 * mib)) $((12 * mib))
expect block.img zeros $((12 * mib)) $((14 * mib))
expect block.img numbers $((14 * mib)) $((16 * mib))
[ "$(tail -c +$((8 * mib + 1)) block.img | head -c $((2 * mib)) | tr -d '\245\0' | wc -c)" = 0 ] ||
    fault "block.img holds what was neither trimmed nor written"
expect example.img zeros 0 $((10 * mib))
expect example.img numbers $((10 * mib)) $((16 * mib))
# Half of the writes were zeroes; afterwards the first 8 MiB were zeroed again. Beyond them is only written data or zeros.
expect modes.img zeros 0 $((8 * mib))
[ "$(tail -c +$((8 * mib + 1)) modes.img | tr -d '\245\0' | wc -c)" = 0 ] || fault 'modes.img holds what was not written'
ones=$(tail -c +$((8 * mib + 1)) modes.img | tr -d '\0' | wc -c)
{ [ "$ones" -gt $((2 * mib)) ] && [ "$ones" -lt $((6 * mib)) ]; } || fault "$ones of 8 MiB are data"
serial_holds 'Latency by command'
serial_holds '64 KiB writes, zeroes'
serial_holds 'has no command Write Uncorrectable'
serial_holds 'has no command Verify'
[ -s dsm.trace ] || fault "the drives' trace is empty"
grep -q 'nr 8' dsm.trace || fault "no command had eight ranges"
finish
