#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The menu (qemu_menu.sh) on an ARM server.
CUPEL_GUEST=aarch64 exec "$(dirname "$0")/qemu_menu.sh"
