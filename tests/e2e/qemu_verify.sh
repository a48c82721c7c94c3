#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --verify with NVMe commands: the data is read back as written, through /dev/nvmeXnY and /dev/ngXnY
# (tests/guest/guest_verify.c). Each session reports that, and no session reports damage.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

nvme_drive plain 16M
nvme_drive small 16M 16M mdts=1
nvme_drive large 16M 16M logical_block_size=4096,physical_block_size=4096
add_file "$CUPEL" cupel
chmod +x extra/cupel
QEMU_LIMIT=280 guest_test guest_verify nvme
verified=$(grep -c 'DATA VERIFIED' serial.log)
[ "$verified" = 15 ] || fault "$verified of 15 sessions say that their data were read back as written: $(grep -e DATA -e cupel serial.log)"
finish
