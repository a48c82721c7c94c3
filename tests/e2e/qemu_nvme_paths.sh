#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A namespace with two paths that the kernel does not join, so that there are two block devices. Neither may be written while
# the other one is in use (tests/guest/guest_nvme_paths.c).
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

needs mkfs.vfat

drive shared 16M 16
mkfs.vfat shared.img >/dev/null
devices+=(-device "nvme-subsys,id=shared,nqn=shared"
    -device "nvme,id=path0,serial=shared,subsys=shared" -device "nvme,id=path1,serial=shared,subsys=shared"
    -drive "file=$FOLDER/shared.img,if=none,id=drive,format=raw"
    -device "nvme-ns,drive=drive,bus=path0,nsid=1,shared=on")

guest_test guest_nvme_paths 'nvme-core multipath=N' nvme vfat nls_cp437 nls_ascii
finish
