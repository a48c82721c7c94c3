#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The stick of an ARM server under UEFI: it starts, qualifies the machine's drive, keeps its report, switches off.
QEMU_LIMIT=560 CUPEL_GUEST=aarch64 exec "$(dirname "$0")/qemu_boot_uefi.sh"
