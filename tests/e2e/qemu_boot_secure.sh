#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The stick under UEFI with Secure Boot and Microsoft's keys: the kernel is locked down, and all works all the same.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

boots_and_qualifies secure
holds qualification.txt nvme0n1
holds kernel.txt 'Kernel is locked down from EFI Secure Boot'
finish
