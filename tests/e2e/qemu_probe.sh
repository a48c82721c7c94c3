#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What cupel finds out through a real kernel: PCIe, SATA and network links, NVMe identify and health data, sensors, the path
# from each drive to its socket; and settings that a run changes. tests/guest/guest_probe.c adds devices that QEMU does not
# have.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/report.sh"

# Two sockets, each with a memory node; the host bridge of bus 128 is at the second socket.
# shellcheck disable=SC2034 # of lib.sh
processors=2,sockets=2
for node in 0 1; do
    devices+=(-object "memory-backend-ram,id=memory$node,size=256M"
        -numa "node,nodeid=$node,cpus=$node,memdev=memory$node")
done
devices+=(-device 'pxb-pcie,id=second,bus_nr=128,numa_node=1')

# nvme_behind NAME BUS NUMBER SPEED WIDTH [PROPERTIES]: adds a drive in a slot of that speed (8: 8.0 GT/s) and width.
nvme_behind() {
    drive "$1" 32M
    devices+=(-device "pcie-root-port,id=slot$3,bus=$2,chassis=$3,slot=$3,x-speed=$4,x-width=$5"
        -drive "file=$FOLDER/$1.img,if=none,id=$1,format=raw"
        -device "nvme,drive=$1,serial=$1,bus=slot$3${6:+,$6}")
}
nvme_behind WIDE-SLOT second 1 8 4 mdts=5,logical_block_size=4096,physical_block_size=4096
nvme_behind DEGRADED pcie.0 2 8 4
nvme_behind NARROW-SLOT pcie.0 3 2_5 1
sata_drive SATA 32M
devices+=(-netdev 'user,id=wire' -device 'e1000e,netdev=wire,bus=pcie.0'
    -netdev 'user,id=virtual' -device 'virtio-net-pci,netdev=virtual,bus=pcie.0,speed=10000,duplex=full')

# QEMU's cards support 2.5 GT/s x1, and say so. Those in two slots are made to say 8.0 GT/s x4.
mkdir -p extra/test
for card in 0000:01:00.0 0000:02:00.0; do
    printf '%s\n' "/sys/bus/pci/devices/$card/max_link_speed 8.0 GT/s PCIe" \
        "/sys/bus/pci/devices/$card/max_link_width 4" >>extra/test/attributes
done
guest_program guest_probe e1000e virtio_pci virtio_net i2c-dev 'i2c-stub chip_addr=0x48' lm75
add_file "$CUPEL" cupel

quick='--preset quick --ci 100% --min-time 500ms --limit 3s'
direct_boot cupel.countdown=0 cupel.data-wait=0 cupel.after=power-off "cupel.command=\"\
probe nvme0n1 nvme1n1 nvme2n1 sda; probe --format csv --serials; probe --format json --serials;\
run /dev/sda --full $quick --scheduler none; probe --no-commands; run /dev/sda $quick --scheduler elevator;\
run /dev/sda $quick --governor performance\""
power_off_within 90
console_of 'probe nvme0n1' | words >first.txt
console_of 'probe --format csv' | tail -n +2 >all.csv
console_of 'probe --format json' | tail -n +2 >all.json
console_of 'probe --no-commands' | words >last.txt

# fact NODE KEY VALUE[,UNIT]: the CSV has this value, quoted or not, with the status ok.
fact() {
    local line
    line=$(grep -E "^$1,[a-z_]+,[^,]*,$2,.*,ok\$" all.csv | cut -d, -f5- | tr -d '"')
    [[ $line = "$3,"* ]] || fault "$1 $2 is not $3: $(grep "^$1,[^,]*,[^,]*,$2," all.csv)"
}

# not_known NODE KEY STATUS: the CSV has the fact without a value, with this status.
not_known() {
    grep -qE "^$1,[a-z_]+,[^,]*,$2,,.*,$3\$" all.csv ||
        fault "$1 $2 is not $3: $(grep "^$1,[^,]*,[^,]*,$2," all.csv)"
}

# node_with KEY VALUE: prints the first node that has the fact.
node_with() {
    awk -F, -v key="$1" -v value="$2" '$4 == key && $5 == value { print $1; exit }' all.csv
}

# PCIe links: the capabilities of both ends, the negotiated speed and width, and which end limits them.
port='0000:00:02.0 0000:00:03.0 0000:80:00.0'
for card in 0000:01:00.0 0000:02:00.0 0000:81:00.0; do
    fact $card driver nvme
    fact $card negotiated '2.5 GT/s x1'
    fact $card limit 209531081,bytes/s # 250 MB/s, less headers of 128 byte packets
    fact $card max_payload 128,bytes
    grep -q "^$card,pci_device,${port%% *}," all.csv || fault "$card is not behind ${port%% *}"
    port=${port#* }
done
fact 0000:01:00.0 card_capable '8.0 GT/s x4'
fact 0000:01:00.0 port_capable '8.0 GT/s x4'
fact 0000:01:00.0 degraded yes
fact 0000:01:00.0 degraded_reason '1 of 4 lanes, 2.5 of 8.0 GT/s'
fact 0000:02:00.0 degraded no
fact 0000:02:00.0 limited_by 'the port: 2.5 GT/s x1, the card can 8.0 GT/s x4'
fact 0000:81:00.0 degraded no
fact 0000:81:00.0 limited_by 'the card: 2.5 GT/s x1, the port can 8.0 GT/s x4'
for port in 0000:00:02.0 0000:00:03.0 0000:80:00.0; do
    fact $port driver pcieport
    fact $port aer_correctable 0
done
degraded=$(node_with serial DEGRADED)n1
says first.txt "DEGRADED 0000:01:00.0 Red Hat, Inc. QEMU NVM Express Controller ($degraded) in slot"
says first.txt 'both ends can 8.0 GT/s x4: 210 MB/s of 3.31 GB/s; 1 of 4 lanes, 2.5 of 8.0 GT/s'
says first.txt 'LIMITED 0000:02:00.0'
says_not first.txt 'LIMITED 0000:81:00.0'
says_not first.txt 'DEGRADED 0000:81:00.0'

# NVMe: identify and health data, which root may read.
wide=$(node_with serial WIDE-SLOT)
fact "$wide" address 0000:81:00.0
fact "$wide" numa_node 1
fact "$wide" mdts 131072,bytes # 2^5 pages
fact "$wide" nvme_version 1.4.0
fact "$wide" health good
fact "$wide" temperature 50,C
fact "$wide" critical_warning 0
fact "$wide" media_errors 0
fact "$wide" power_limit 25.00,W
fact "$wide" queue_count 3 # the admin queue and one per processor
fact "${wide}n1" size 33554432,bytes
fact "${wide}n1" lba_format 4096+0
fact "${wide}n1" max_transfer 131072,bytes
fact "$degraded" lba_format 512+0
fact "$degraded" scheduler none

# Sensors: those of the drives, and one on an I2C bus that is too hot.
for sensor in nvme-pci-0100 nvme-pci-0200 nvme-pci-8100; do
    fact $sensor temperature 49.85,C
    fact $sensor temperature_max 69.85,C
done
lm75=$(node_with temperature 85.5)
[[ $lm75 = lm75-i2c-*-48 ]] || fault "the thermometer of 85.5 C is called \"$lm75\""
fact "$lm75" temperature_max 80,C
says first.txt "HOT $lm75: 85.5 C, at or above its highest permitted temperature of 80 C"
says_not first.txt 'HOT nvme'

# SATA and network links. The rate of a virtual interface is not a limit.
sata=$(awk -F, '$1 == "sda" { print $3; exit }' all.csv)
fact "$sata" negotiated '1.5 Gbit/s'
fact "$sata" port_capable '1.5 Gbit/s'
fact "$sata" limit 148321168,bytes/s
fact "$sata" degraded no
fact sda serial SATA
fact sda queue_depth 32
wire=$(awk -F, '$2 == "network_interface" && $5 == "e1000e" { print $1 }' all.csv)
virtual=$(awk -F, '$2 == "network_interface" && $5 == "virtio_net" { print $1 }' all.csv)
fact "$wire" speed 1000000000,bits/s
fact "$wire" duplex full
fact "$wire" limit 121911573,bytes/s
fact "$virtual" speed 10000000000,bits/s
! grep -q "^$virtual,.*,limit," all.csv || fault 'a virtual network interface has a limit'

# The path from each drive to its memory node; that of one drive is at the second socket.
fact node1 cpus 1
fact package1 numa_nodes 1
says first.txt "${wide}n1 disk - - $wide NVMe controller - - 0000:81:00.0 PCI device 210 MB/s 210 MB/s <- the limit \
Red Hat, Inc. QEMU NVM Express Controller, slot 1, 2.5 GT/s x1 0000:80:00.0 PCI bridge - - pci0000:80 PCI host bridge \
- - node1 NUMA node - - machine - - The path as a whole lets through 210 MB/s of reads and 210 MB/s of writes."
says first.txt "sda disk - - $sata SATA port, 1.5 Gbit/s 148 MB/s 148 MB/s <- the limit 0000:00:1f.2 PCI device"

# The machine; missing parts are reported, and JSON has the same facts as CSV.
fact machine hypervisor QEMU
fact cpu sockets 2
fact package0 cores 1
not_known cpu governor absent
facts=$(($(wc -l <all.csv) - 1 - $(grep -c ',present,yes,' all.csv)))
[ "$(grep -c '"key": ' all.json)" -eq $facts ] || fault "JSON has not the $facts facts of CSV"
[ "$(tr -d ' \n' <all.json | head -c 12)" = '{"schema":1,' ] || fault 'this is no JSON'
grep -q '"value": "2.5 GT/s x1"' all.json || fault 'JSON has no link'

# Settings of a run are restored after it. An unknown value is refused with the list of valid ones.
console_of "run /dev/sda --full $quick --scheduler none" | words >run.txt
says run.txt '/sys/block/sda/queue/scheduler none, for the run; it was mq-deadline'
says last.txt '32 MiB, scheduler mq-deadline'
ended_with 6 "run /dev/sda $quick --governor"
serial_holds 'cupel run: processor 0 has no frequency driver here (/sys/devices/system/cpu/cpu0/cpufreq)'
# in the order in which the kernel lists them
serial_holds 'cupel run: --scheduler elevator: sda offers only: none mq-deadline'
ended_with 2 "run /dev/sda $quick --scheduler elevator"
finish
