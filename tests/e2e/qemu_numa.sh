#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A machine with two NUMA nodes, each with two processors, its own memory and an NVMe drive at its own root bus:
# tests/guest/guest_numa.c checks on which processors cupel's workers run and in which memory their buffers are.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

# shellcheck disable=SC2034 # for lib.sh
processors=4 memory=768M
for node in 0 1; do
    drive "node$node" 16M
    devices+=(-object "memory-backend-ram,id=memory$node,size=384M"
        -numa "node,nodeid=$node,cpus=$((2 * node))-$((2 * node + 1)),memdev=memory$node"
        -device "pxb-pcie,id=root$node,bus=pcie.0,bus_nr=$((64 + 64 * node)),numa_node=$node"
        -device "pcie-root-port,id=port$node,bus=root$node,chassis=$node,slot=$node"
        -drive "file=$FOLDER/node$node.img,if=none,id=node$node,format=raw"
        -device "nvme,drive=node$node,serial=NODE$node,bus=port$node")
done
add_file "$CUPEL" cupel
chmod +x extra/cupel
export QEMU_LIMIT=170
guest_test guest_numa nvme
finish
