#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# NVMe namespaces as targets, and the nvme backend, tested in the guest by tests/guest/guest_nvme.c: drives of several
# formats, a mounted one, partitions, two paths to one namespace, an unreadable sector. This script checks the written data in
# the image files.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

needs mkfs.vfat sfdisk

nvme_drive plain 16M 16M mdts=2
nvme_drive filesystem 16M 16
mkfs.vfat filesystem.img >/dev/null
nvme_drive parts 16M
echo 'start=2048, size=16384' | sfdisk -q parts.img
mkfs.vfat --offset 2048 parts.img 8192 >/dev/null 2>&1

# namespace NAME NSID CONTROLLER PROPERTIES: adds a namespace.
namespace() {
    devices+=(-drive "file=$FOLDER/$1.img,if=none,id=$1,format=raw"
        -device "nvme-ns,drive=$1,bus=$3,nsid=$2${4:+,$4}")
}
devices+=(-device "nvme,id=formats,serial=formats,mdts=8")
for name in separate protected extended large huge; do
    drive "$name" 16M
done
head -c 16M /dev/zero | tr '\0' '\377' >protected.img # with protection tags of all ones nothing is checked
namespace separate 1 formats ms=16
namespace protected 2 formats ms=8,pi=1
namespace extended 3 formats ms=16,mset=1
namespace large 4 formats logical_block_size=4096,physical_block_size=4096
namespace huge 5 formats logical_block_size=65536,physical_block_size=65536

# The first controller has only the shared namespace, the second one a private namespace as well.
devices+=(-device "nvme-subsys,id=shared,nqn=shared"
    -device "nvme,id=path0,serial=shared,subsys=shared" -device "nvme,id=path1,serial=shared,subsys=shared")
drive common 16M
drive private 16M
namespace common 1 path0 shared=on
namespace private 2 path1 shared=off

drive bad 16M
injected=file.inject-error.0
devices+=(-drive "if=none,id=bad,driver=raw,file.driver=blkdebug,file.image.driver=file,file.image.filename=$FOLDER/bad.img,\
$injected.event=none,$injected.iotype=read,$injected.errno=5,$injected.sector=2048"
    -device "nvme,serial=bad,drive=bad")

guest_test guest_nvme nvme vfat nls_cp437 nls_ascii

# expect_numbers FILE FIRST BYTE BYTES: the bytes at BYTE are numbers of 16 bytes each, beginning with FIRST + BYTE / 16.
expect_numbers() {
    cmp -s <(seq $(($2 + $3 / 16)) $(($2 + ($3 + $4) / 16 - 1))) <(tail -c "+$(($3 + 1))" "$1" | head -c "$4") ||
        fault "$1 does not hold the numbers from $2 in its $4 bytes at $3"
}
mib=1048576
expect_numbers plain.img 100000000000000 0 $((4 * mib))
expect_numbers plain.img 200000000000000 $((4 * mib)) $((2 * mib))
expect_numbers plain.img 100000000000000 $((6 * mib)) $((10 * mib))
expect_numbers common.img 200000000000000 $mib $mib
expect_numbers private.img 100000000000000 0 $((16 * mib))

# expect_zeros FILE BYTE BYTES: the bytes at BYTE are zeros.
expect_zeros() {
    cmp -s -n "$3" -i "$2":0 "$1" /dev/zero || fault "$1 does not hold zeros in its $3 bytes at $2"
}
# The metadata (16 bytes per LBA) follows the 31775 LBAs of separate.img. Checks that of the written LBAs.
expect_zeros separate.img $(((31775 * 512) + 2048 * 16)) $((1024 * 16)) # written by nvme
expect_zeros separate.img $(((31775 * 512) + 8192 * 16)) $((512 * 16))  # written by nvme-uring
expect_numbers separate.img 100000000000000 $((31775 * 512)) $((2048 * 16))
finish
