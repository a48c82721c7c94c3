#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The test harness: a program as /init finds the drive that was filled on the host, with a module that the image does not
# have.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

nvme_drive disk 64M 4M
guest_start guest_smoke nvme null_blk
wait_for 'guest: ready' 120
monitor info block | grep -q '^disk' || fault 'the monitor does not know the drive'
guest_passes 60
finish
