#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The stick under BIOS: it starts, qualifies the machine's drive, keeps its report and switches off.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

boots_and_qualifies bios
holds qualification.txt nvme0n1
finish
