#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the table of docs/controllers.md: each controller that QEMU has, with a disk of known serial number, in a virtual
# machine that boots the stick's kernel and drivers. There tests/guest/guest_controllers.c is process 1; it finds the disk by
# a mark in its data, so that it notices a disk that cupel misses. Controllers share a machine where they can. The rows of a
# machine are replaced as soon as it is off; a machine that does not get that far leaves its rows unchanged.
#
#   tests/bench/controllers.sh [MACHINE...]      nvme scsi usb pc memory network: all, or those; 2 minutes each
# shellcheck disable=SC2317 # machine_NAME is called by its name
set -uo pipefail
# shellcheck source=tests/e2e/qemu/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/qemu/lib.sh"

page=$PROJECT/docs/controllers.md
kept=$PROJECT/build/controllers # the output of each machine
export QEMU_LIMIT=${QEMU_LIMIT:-400}
mkdir -p "$kept"
wanted=" $* "

# ---------------------------------------------------------------- the devices of a machine

# card DEVICE...: adds a device, given as for QEMU's -device.
card() {
    local device
    for device in "$@"; do
        devices+=(-device "$device")
    done
}

# slot ID [BUS]: adds a slot of a PCIe machine, from which a card can be pulled.
slots=0
slot() {
    slots=$((slots + 1))
    card "pcie-root-port,id=$1,bus=${2:-pcie.0},chassis=$slots,slot=$slots"
}

# disk MARK LABEL [UNPLUG]: adds a drive named MARK whose data begins with that word; LABEL is the label of its row. UNPLUG is
# the device that is pulled during the measurement, or "- WHY" if none is; the row gives the reason.
labels=() marks=() pulled=()
disk() {
    [ -e "$1.img" ] || blank_drive "$1" 64M
    marks+=("$1") labels+=("$2") pulled+=("${3:-- not tried}")
    mkdir -p extra/test
    case ${3:--} in
    -*) echo "$1 0" ;;
    *) echo "$1 30" ;;
    esac >>extra/test/disks
}

# blank_drive MARK SIZE: makes the image of a drive whose data begins with the mark.
blank_drive() {
    drive "$1" "$2"
    printf '%s\n' "$1" | dd of="$1.img" conv=notrunc status=none
}

# backend MARK: adds the image as a QEMU drive, to be used by a device.
backend() {
    devices+=(-drive "file=$FOLDER/$1.img,if=none,id=$1,format=raw")
}

# scsi_disk MARK LABEL BUS [UNPLUG]: adds a SCSI disk on that bus.
scsi_disk() {
    disk "$1" "$2" "${4:-$1-disk}"
    backend "$1"
    card "scsi-hd,id=$1-disk,drive=$1,bus=$3.0,serial=$1"
}

# interface MAC LABEL DEVICE: adds a network card, which QEMU connects to this machine, where cupel serve runs.
interface() {
    marks+=("$1") labels+=("$2") pulled+=("$3-card")
    slot "$3-slot"
    devices+=(-netdev "user,id=$3-net" -device "$3,id=$3-card,netdev=$3-net,mac=$1,bus=$3-slot")
    mkdir -p extra/test
    echo "$1 30" >>extra/test/interfaces
}

# ---------------------------------------------------------------- the machines

machine_nvme() {
    slot slot1
    disk NVME-1 'nvme, first of two namespaces' '- with the second'
    disk NVME-2 'nvme, second of two namespaces' NVME
    backend NVME-1
    backend NVME-2
    card nvme,id=NVME,serial=NVME,bus=slot1 nvme-ns,drive=NVME-1,bus=NVME,nsid=1 nvme-ns,drive=NVME-2,bus=NVME,nsid=2

    slot slot2
    slot slot3
    disk NVME-SHARED 'nvme-subsys, two controllers, one namespace (multipath)' PATH-1
    backend NVME-SHARED
    card nvme-subsys,id=subsystem,nqn=subsystem nvme,id=PATH-1,serial=SHARED,subsys=subsystem,bus=slot2 \
        nvme,id=PATH-2,serial=SHARED,subsys=subsystem,bus=slot3 nvme-ns,drive=NVME-SHARED,bus=PATH-1,nsid=1,shared=on

    slot slot4
    disk NVME-ZONED 'nvme, zoned' ZONED
    backend NVME-ZONED
    card nvme,id=ZONED,serial=ZONED,bus=slot4 nvme-ns,drive=NVME-ZONED,bus=ZONED,nsid=1,zoned=on,zoned.zone_size=16M

    slot slot5
    disk NVME-SRIOV 'nvme, SR-IOV with two virtual functions' SRIOV
    backend NVME-SRIOV
    card nvme-subsys,id=virtual,nqn=virtual \
        nvme,id=SRIOV,serial=SRIOV,subsys=virtual,bus=slot5,sriov_max_vfs=2,sriov_vq_flexible=4,sriov_vi_flexible=2,max_ioqpairs=6,msix_qsize=7 \
        nvme-ns,drive=NVME-SRIOV,bus=SRIOV,nsid=1

    slot slot6
    disk NVME-SWITCH 'nvme behind a PCIe switch (x3130)' BEHIND
    backend NVME-SWITCH
    card x3130-upstream,id=up,bus=slot6 xio3130-downstream,id=down,bus=up,chassis=99,slot=99 \
        nvme,id=BEHIND,serial=BEHIND,bus=down,drive=NVME-SWITCH
}

machine_scsi() {
    slot slot1
    card megasas-gen2,id=megasas2,bus=slot1
    scsi_disk MEGASAS2 megasas-gen2 megasas2 megasas2
    slot slot2
    card virtio-scsi-pci,id=virtio,bus=slot2
    scsi_disk VIRTIO-SCSI 'virtio-scsi' virtio
    slot slot3
    card pvscsi,id=pvscsi,bus=slot3
    scsi_disk PVSCSI pvscsi pvscsi
    slot slot4
    disk VIRTIO-BLK 'virtio-blk, two queues' VIRTIO-BLK-disk
    backend VIRTIO-BLK
    card virtio-blk-pci,id=VIRTIO-BLK-disk,drive=VIRTIO-BLK,serial=VIRTIO-BLK,num-queues=2,bus=slot4
    slot slot5
    disk AHCI 'ich9-ahci' ahci
    backend AHCI
    card ich9-ahci,id=ahci,bus=slot5 ide-hd,drive=AHCI,serial=AHCI,bus=ahci.0
}

machine_usb() {
    card qemu-xhci,id=xhci
    disk USB-BOT 'usb-storage (bulk only) at qemu-xhci' USB-BOT-disk
    backend USB-BOT
    card usb-storage,id=USB-BOT-disk,drive=USB-BOT,serial=USB-BOT,bus=xhci.0
    card usb-uas,id=uas,serial=UAS-BRIDGE,bus=xhci.0
    scsi_disk USB-UAS 'usb-uas at qemu-xhci' uas uas
    card usb-ehci,id=ehci
    disk USB-EHCI 'usb-storage (bulk only) at usb-ehci' USB-EHCI-disk
    backend USB-EHCI
    card usb-storage,id=USB-EHCI-disk,drive=USB-EHCI,serial=USB-EHCI,bus=ehci.0
    slot slot1
    disk SD 'sdhci-pci, an SD card' sdhci
    backend SD
    card sdhci-pci,id=sdhci,bus=slot1 sd-card,drive=SD
}

# A machine without PCIe: cards in all its slots can be removed through ACPI.
machine_pc() {
    machine=pc
    disk IDE 'piix3-ide' '- a disk at it cannot be pulled'
    backend IDE
    card ide-hd,drive=IDE,serial=IDE,bus=ide.0
    card megasas,id=megasas
    scsi_disk MEGASAS megasas megasas megasas
    card mptsas1068,id=mptsas
    scsi_disk MPTSAS mptsas1068 mptsas mptsas
    card lsi53c895a,id=lsi
    scsi_disk LSI lsi53c895a lsi lsi
    add_modules sym53c8xx
}

# Two sockets, each with its own memory, and kinds of memory besides DIMMs. A drive is at the bridge of the second socket.
machine_memory() {
    machine=q35,nvdimm=on,cxl=on memory=512M,slots=2,maxmem=2G
    # shellcheck disable=SC2034 # of lib.sh
    processors=2,sockets=2
    local node
    for node in 0 1; do
        devices+=(-object "memory-backend-ram,id=memory$node,size=256M" -numa "node,nodeid=$node,cpus=$node,memdev=memory$node")
    done
    disk NVDIMM nvdimm "- a module cannot be pulled"
    devices+=(-object "memory-backend-file,id=NVDIMM,mem-path=$FOLDER/NVDIMM.img,size=64M,share=on")
    card nvdimm,id=NVDIMM-module,memdev=NVDIMM,node=0
    card pxb-pcie,id=second,bus_nr=128,numa_node=1
    slot slot1 second
    disk NVME-SOCKET 'nvme at the second of two sockets' SOCKET
    backend NVME-SOCKET
    card nvme,id=SOCKET,serial=SOCKET,bus=slot1,drive=NVME-SOCKET
}

machine_network() {
    local port=$((20000 + RANDOM % 20000))
    interface 52:54:00:00:00:01 e1000e e1000e
    interface 52:54:00:00:00:02 vmxnet3 vmxnet3
    interface 52:54:00:00:00:03 virtio-net virtio-net-pci
    echo "10.0.2.2:$port" >extra/test/far-end # QEMU's name for 127.0.0.1 here
    "$CUPEL" serve "127.0.0.1:$port" --for "${QEMU_LIMIT}s" >serve.log 2>&1 &
    serving=$!
}

# ---------------------------------------------------------------- the output of the machine

# said FROM: prints the output of the command that begins with FROM; reads the file spoken, if that is set.
said() {
    awk -v begin="guest: begin cupel $1" 'index($0, begin) == 1 { inside = 1; next } /^guest: / { inside = 0 } inside' "${spoken:-console}"
}

# fact_of NODE KEY: prints a value of the probe's CSV.
fact_of() {
    awk -F, -v node="$1" -v key="$2" '$1 == node && $4 == key && /,ok$/ {
        sub(/^[^,]*,[^,]*,[^,]*,[^,]*,/, ""); sub(/,[^,]*,[^,]*,ok$/, ""); gsub(/"/, ""); print; exit }' facts
}

# nearest NODE KEY: prints the value of the node, or of the nearest node above it that has one.
nearest() {
    local node=$1 value
    while [ -n "$node" ]; do
        value=$(fact_of "$node" "$2")
        [ -z "$value" ] || break
        node=$(awk -F, -v node="$node" '$1 == node { print $3; exit }' facts)
    done
    echo "${value:-}"
}

# path_of DEVICE: prints the data path in the report, "sda, host0, 0000:00:1f.2"; branches of several paths follow each other.
path_of() {
    said "probe $1" | awk '
        /^Data path of/ { inside = 1; next }
        inside && /^$/ { exit }
        inside && /^  .* (-|[kMGT]?B\/s)( <- the limit)?$/ {
            gsub(/^[ |`-]*/, ""); split($0, word, "  "); path = path (path ? ", " : "") word[1] }
        END { print path }'
}

limit_of() {
    local limit
    limit=$(said "probe $1" | tr '\n' ' ' | tr -s ' ' | sed -n 's/.*The path as a whole lets through \([^.]*[0-9][^ ]* [^ ]*\) of reads.*/\1/p')
    echo "${limit:-not known}"
}

# measured TARGET: prints the result of the run on it.
measured() {
    local status iops
    status=$(awk -v begin="guest: begin cupel run --runtime 2s --overhead 0 --format csv $1" '
        index($0, begin) == 1 { inside = 1 } inside && sub(/^guest: end status /, "") { print $1; exit }' "$spoken")
    iops=$(said "run --runtime 2s --overhead 0 --format csv $1" | awk -F, '$1 == "iops" {
        printf "%.0f IOPS", $4; if ($5) printf " +-%.0f %%", 50 * ($6 - $5) / $4; exit }')
    [ -n "$iops" ] || iops="no IOPS"
    [[ "$status" = [05] ]] || iops+=", exit $status"
    echo "$iops"
}

# unplugged MARK WHAT: prints what happened when the device was pulled.
unplugged() {
    local line
    case $2 in
    -*) echo "${2#- }" && return ;;
    esac
    line=$(grep "^guest: unplugged $1 " console | sed 's/^guest: unplugged [^ ]* //')
    read -r _ gone _ ended _ status <<<"$line"
    if [ -z "$line" ]; then
        echo 'not reached'
    elif [ "$ended" -lt 0 ]; then
        if [ "$gone" -lt 0 ]; then
            echo "the disk stayed, measured on for 30 s, exit $status"
        else
            echo "gone after $gone ms; cupel had not ended after 30 s"
        fi
    else
        awk -v gone="$gone" -v ended="$ended" -v status="$status" 'BEGIN {
            printf "exit %d after %.1f s%s", status, ended / 1000,
                gone < 0 ? "" : sprintf(", gone after %.1f s", gone / 1000) }'
    fi
}

# row_of INDEX: prints the table row of that device.
row_of() {
    local mark=${marks[$1]} name seconds serial device target
    name=$(sed -n "s/^guest: device $mark //p" console)
    [ -n "$name" ] || return 0 # the machine did not get to this device, which says nothing about the controller
    if [ "$name" = none ]; then
        printf '| %s | no | | | | | | | |\n' "${labels[$1]}"
        return
    fi
    # Selects the output about this device, since the command is the same for all interfaces.
    awk -v begin="guest: device $mark " '/^guest: device / { inside = index($0, begin) == 1 } inside' console >spoken
    local spoken=spoken
    device=/dev/$name target=/dev/$name serial=$(fact_of "$name" serial)
    [[ $mark != *:* ]] || device=$name target=--net serial=$(fact_of "$name" address)
    [ -n "$serial" ] || serial=$(fact_of "$name" usb_serial | sed 's/$/ (of the USB device)/')
    seconds=$(sed -n "s/^guest: measured $mark in \([0-9]*\) ms/\1/p" console)
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "${labels[$1]}" "$name" "${serial:-no}" \
        "$(nearest "$name" driver)" "$(path_of "$device")" "$(limit_of "$device")" "$(measured "$target")" \
        "$(unplugged "$mark" "${pulled[$1]}")" "$(awk -v ms="$seconds" 'BEGIN { printf "%.1f s", ms / 1000 }')"
}

# put_row ROW: replaces the row with the same first cell, or appends the row.
put_row() {
    awk -v row="$1" '
        BEGIN { split(row, cell, "|") }
        /^\|/ { table = 1; split($0, old, "|"); if (old[2] == cell[2]) { print row; done = 1; next } }
        table && !/^\|/ && !done { print row; done = 1 }
        !/^\|/ { table = 0 }
        { print }
        END { if (!done) print row }' "$page" >"$page.new" && mv "$page.new" "$page"
}

# ---------------------------------------------------------------- one machine

# pull_when_asked: pulls the devices that the guest asks for, until the machine is off.
pull_when_asked() {
    local asked=0 mark i
    while is_running; do
        mark=$(tr -d '\000\r' <serial.log | sed -n 's/^guest: unplug //p' | tail -n +$((asked + 1)) | head -n 1)
        if [ -n "$mark" ]; then
            asked=$((asked + 1))
            for i in "${!marks[@]}"; do
                [ "${marks[$i]}" != "$mark" ] || monitor device_del "${pulled[$i]}" | sed 's/^/    qemu: /'
            done
        fi
        sleep 0.1
    done
    wait "$watchdog" 2>/dev/null || true
    watchdog=''
}

# boot MACHINE: does everything for one machine, in a folder and a subshell of its own.
boot() (
    FOLDER=$FOLDER/$1
    mkdir "$FOLDER"
    cd "$FOLDER" || exit 1
    "machine_$1"
    mkdir -p extra/test
    guest_program guest_controllers
    add_file "$CUPEL" cupel
    chmod +x extra/cupel
    begin=$SECONDS
    direct_boot
    pull_when_asked
    [ -z "${serving:-}" ] || kill "$serving" 2>/dev/null
    tr -d '\000\r' <serial.log >console
    cp console "$kept/$1.log"
    grep -q '^guest: done' console || echo "the machine $1 did not reach its end in $((SECONDS - begin)) s: build/controllers/$1.log"
    said 'probe --format csv --serials' >facts
    for i in "${!marks[@]}"; do
        row=$(row_of "$i")
        [ -z "$row" ] || put_row "$row"
        echo "${row:-${labels[$i]}: not reached}"
    done
    echo "$1: $((SECONDS - begin)) s"
    grep -q '^guest: done' console
)

status=0
for each in nvme scsi usb pc memory network; do
    [[ $wanted == '  ' || $wanted == *" $each "* ]] || continue
    boot "$each" || status=1
done
exit $status
