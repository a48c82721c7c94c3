#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A machine with two network cards, one of which has no partner: the other one is found and gets its address by DHCP, and data
# that a test program posts arrives byte for byte.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/network.sh"

deaf_card e1000e
collector_card virtio-net-pci domainname=rack-7.example
guest_test guest_network e1000e virtio_net virtio_pci
seq 100000000000000 100000000299999 >large
echo given >given
: >empty
posted 'reports/2026-11-20-A%20B/large.txt' large
posted reports/empty.txt empty
posted given/small.txt given
grep -q '^User-Agent: cupel/[0-9]' "$COLLECTOR/heads" || fault 'the program does not tell its name'
grep -q '^PUT /refused/x 507$' "$COLLECTOR/requests" || fault 'the refusal was not asked for'
grep -a 'network: ' serial.log | tr -d '\r'
finish
