#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# NVMe commands through io_uring: the guest (tests/guest/guest_nvme_uring.c) tests data, splitting, statuses and polling; this
# script checks the written data in the image files.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

nvme_drive plain 64M 8M
nvme_drive small 64M 8M mdts=2
nvme_drive large 64M 8M logical_block_size=4096,physical_block_size=4096
drive bad 64M 8M
printf '[inject-error]\nevent = "read_aio"\nerrno = "5"\nsector = "2048"\n' >bad.conf
layers="driver=raw,file.driver=blkdebug,file.config=$FOLDER/bad.conf"
layers="$layers,file.image.driver=file,file.image.filename=$FOLDER/bad.img"
devices+=(-drive "$layers,if=none,id=bad" -device "nvme,drive=bad,serial=bad")
drive shared 16M
devices+=(-device "nvme-subsys,id=shared,nqn=shared"
    -device "nvme,id=path0,serial=shared,subsys=shared" -device "nvme,id=path1,serial=shared,subsys=shared"
    -drive "file=$FOLDER/shared.img,if=none,id=shared-drive,format=raw"
    -device "nvme-ns,drive=shared-drive,bus=path0,nsid=1,shared=on")
QEMU_LIMIT=280 guest_test guest_nvme_uring nvme

head -c 256K /dev/zero | tr '\0' w >expected
for name in plain small large; do
    cmp -n 262144 -i $((2 * 8388608 + 8192)):0 $name.img expected || fault "$name: what was written is not there"
    # The guest wrote the same data over that of the host.
    seq 100000000000000 $((100000000000000 + 8388608 / 16 - 1)) | cmp -n 8388608 - $name.img || fault "$name: other data"
done
finish
