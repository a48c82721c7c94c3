# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Virtual machines for the end to end tests, to be read in with `.`. A test in five lines, tests/e2e/qemu_NAME.sh:
#
#   #!/usr/bin/env bash
#   . "$(dirname "$0")/qemu/lib.sh"
#   nvme_drive disk 64M                                    # every 16 bytes of it are known: see drive
#   guest_test nvme_io nvme                                # tests/guest/nvme_io.c is /init, with the nvme module loaded
#   finish
#
# or with cupel itself as /init, in place of guest_test:
#
#   direct_boot cupel.countdown=0 'cupel.command="run /dev/nvme0n1 --limit 5s"'
#   wait_for 'IOPS' 60; send 'q'; power_off_within 20
#
# The machine: `direct_boot` (kernel and initrd, 3 s to /init), or `stick_boot bios|uefi|secure` (build/cupel.img as
# a USB stick, 15 s). CUPEL_GUEST=aarch64: an ARM server, with build/aarch64/cupel.img. Everything about it is in $FOLDER: serial.log, monitor.log, NAME.img of each drive.
# Needs ./build.sh image; without it, or without QEMU, the test is skipped. Emulated processors (TCG), always: KVM's
# timing would hide on a developer's machine what is slow in continuous integration.
PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
guest=${CUPEL_GUEST:-x86_64} BUILT=$PROJECT/build
if [ "$guest" = aarch64 ]; then
    BUILT+=/aarch64
    CUPEL=$BUILT/cupel
fi
# shellcheck source=/dev/null
. "$PROJECT/tests/cli/checks" # and now in $FOLDER
# shellcheck source=tests/e2e/qemu/stick.sh
. "$PROJECT/tests/e2e/qemu/stick.sh"

BOOT=$BUILT/image # vmlinuz, initrd, root/ (the initrd's content), kernel/ (all modules of that kernel)
PATH=$PATH:/usr/sbin:/sbin

needs() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || skip "there is no $tool"
    done
}

[ "${CUPEL_QEMU:-yes}" != no ] || skip "no virtual machines: CUPEL_QEMU=no"
needs "qemu-system-$guest" cpio modprobe depmod
[ -e "$BOOT/initrd" ] || skip "./build.sh image --target $guest makes what this test boots"
RELEASE=$(basename "$BOOT"/root/lib/modules/*)

devices=() # options of QEMU; the functions below and tests add to them
serial_from=1
machine=q35 processor=max,la57=off arguments="console=ttyS0,115200 no_timer_check" memory=512M processors=2
[ "$guest" = x86_64 ] || machine=virt processor=neoverse-n1 arguments=console=ttyAMA0,115200

# ---------------------------------------------------------------- drives

bytes_of() {
    numfmt --from=iec "$1"
}

# drive NAME SIZE [FILLED]: makes NAME.img, a sparse file whose first FILLED bytes (default: all) have known data: the 16
# bytes at offset 16 n are the decimal number 10^14 + n and a line feed, so that each sector is different and shows where it
# belongs.
drive() {
    local size filled
    size=$(bytes_of "$2")
    filled=$(bytes_of "${3:-$2}")
    seq 100000000000000 $((100000000000000 + filled / 16 - 1)) >"$1.img"
    truncate -s "$size" "$1.img"
}

# nvme_drive NAME SIZE [FILLED [PROPERTIES]]: adds an NVMe drive with the serial number NAME. PROPERTIES are added to the
# device ("mdts=5,logical_block_size=4096").
nvme_drive() {
    drive "$1" "$2" "${3:-$2}"
    devices+=(-drive "file=$FOLDER/$1.img,if=none,id=$1,format=raw"
        -device "nvme,id=$1-nvme,drive=$1,serial=$1${4:+,$4}")
}

# sata_drive NAME SIZE [FILLED]: adds a drive to the machine's AHCI controller, or to a new one if the machine has none.
sata_drive() {
    drive "$1" "$2" "${3:-$2}"
    devices+=(-drive "file=$FOLDER/$1.img,if=none,id=$1,format=raw")
    if [ "$guest" = x86_64 ]; then
        devices+=(-device "ide-hd,drive=$1,serial=$1")
    else
        devices+=(-device "ich9-ahci,id=$1-ahci" -device "ide-hd,drive=$1,serial=$1,bus=$1-ahci.0")
    fi
}

# ---------------------------------------------------------------- what is added to the initrd

# add_file SOURCE PATH: the guest gets the file at PATH.
add_file() {
    mkdir -p "extra/$(dirname "$2")"
    cp "$1" "extra/$2"
}

# add_modules MODULE...: adds modules of the same kernel for a program as /init (tests/guest/guest.h), which loads them in
# this order, each after those it depends on. A MODULE is a name, with parameters if any: 'null_blk gb=1 zoned=1'.
add_modules() {
    local module name file
    mkdir -p extra/test
    for module in "$@"; do
        name=${module%% *}
        module_files "$name" | sed "\$s/\$/${module#"$name"}/"
    done | awk '!seen[$1]++' >extra/test/modules
    while read -r file _; do
        add_file "$BOOT/kernel/$file" "$file"
    done <extra/test/modules
}

# module_files NAME: prints the paths of a module and of all modules it depends on, in the order in which they can be loaded.
module_files() {
    modprobe -d "$BOOT/kernel" -S "$RELEASE" --show-depends "$1" | sed -n 's,^insmod .*/lib/modules/\([^ ]*\).*,lib/modules/\1,p'
}

# Does on the host, once per image, what would take an emulated processor seconds: build/guests/ gets the uncompressed kernel
# and initrd.
quick_image() {
    local folder=$BUILT/guests key
    key=$(cat "$BOOT/vmlinuz" "$BOOT/initrd" "$PROJECT/tests/e2e/qemu/lib.sh" | sha256sum | cut -c -32)
    QUICK=$folder/$key
    mkdir -p "$folder"
    (
        flock 6
        [ ! -e "$QUICK" ] || exit 0
        rm -rf "${folder:?}"/[0-9a-f]*
        mkdir "$QUICK.new"
        plain_kernel "$BOOT/vmlinuz" >"$QUICK.new/vmlinux" || ln -sf "$BOOT/vmlinuz" "$QUICK.new/vmlinux"
        cat "$BOOT"/{modules,program,id}.cpio.zst | zstd -q -dc >"$QUICK.new/initrd"
        mv "$QUICK.new" "$QUICK"
    ) 6>"$folder/lock"
}

# plain_kernel VMLINUZ: prints the uncompressed kernel, located by the file's header (boot protocol 2.08). Fails if it is
# compressed in an unknown way.
plain_kernel() {
    local sectors offset length program
    [ "$guest" = x86_64 ] || return 1
    sectors=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
    offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
    length=$(od -An -tu4 -j $((0x24c)) -N 4 "$1")
    offset=$(((sectors + 1) * 512 + offset))
    case $(od -An -tx1 -j $offset -N 4 "$1") in
    ' fd 37 7a 58') program=xz ;;
    ' 28 b5 2f fd') program=zstd ;;
    *) return 1 ;;
    esac
    tail -c "+$((offset + 1))" "$1" | head -c $((length - 4)) | $program -q -dc # the last four bytes are its size
}

# Makes the initrd: that of the image, followed by an archive with this build's cupel as /init and the added files. The kernel
# unpacks both, the later one over the earlier.
make_initrd() {
    [ -e extra/init ] || add_file "$CUPEL" init
    chmod +x extra/init
    append_extra "$1"
}

# append_extra INITRD: makes the file initrd from INITRD and an archive of the added files.
append_extra() {
    cp "$1" initrd
    truncate -s %4 initrd
    (cd extra && find . -mindepth 1 | sort | cpio --quiet -o -H newc -R 0:0) >>initrd
}

# ---------------------------------------------------------------- the machine

# start_qemu OPTION...: starts the machine, which runs until `power_off_within`, `stop_qemu`, or for QEMU_LIMIT (280) seconds.
start_qemu() {
    mkfifo serial.in monitor.in monitor.out
    exec 7<>serial.in 8<>monitor.in 9<>monitor.out # held open, so that opening either end never waits
    cat <&9 >monitor.log &
    reader=$!
    timeout -s KILL "${QEMU_LIMIT:-280}" "qemu-system-$guest" -nodefaults -no-user-config -no-reboot -display none \
        -machine "$machine" -accel tcg,thread=multi -cpu "$processor" -smp "$processors" -m "$memory" -pidfile qemu.pid \
        -chardev stdio,id=serial,signal=off -serial chardev:serial \
        -chardev "pipe,id=monitor,path=$FOLDER/monitor" -mon chardev=monitor,mode=readline \
        "$@" "${devices[@]}" <serial.in >serial.log 2>qemu.err 7>&- 8>&- 9>&- &
    watchdog=$!
    trap 'stop_qemu; rm -rf "$FOLDER"' EXIT
    serial_from=1
}

# direct_boot [KERNEL ARGUMENT...]: starts the machine with the kernel and the initrd.
# shellcheck disable=SC2120 # tests give arguments
direct_boot() {
    quick_image
    make_initrd "$QUICK/initrd"
    boot_kernel "$@"
}

# boot_kernel: with a screen or with UEFI, the compressed kernel is used, because its own loader collects needed information.
boot_kernel() {
    local file=$QUICK/vmlinux
    case ${devices[*]:-} in
    *vga* | *VGA* | *pflash*) file=$BOOT/vmlinuz ;;
    esac
    start_qemu -kernel "$file" -initrd initrd \
        -append "$arguments quiet panic=-1 cryptomgr.notests ${stick_argument:-} $*"
}

stop_qemu() {
    local process
    if [ -s qemu.pid ]; then
        process=$(cat qemu.pid)
        kill -KILL "$process" 2>/dev/null || true
    fi
    [ -z "${watchdog:-}" ] || wait "$watchdog" 2>/dev/null || true
    [ -z "${reader:-}" ] || kill "$reader" 2>/dev/null || true
    watchdog='' reader=''
}

is_running() {
    kill -0 "$watchdog" 2>/dev/null
}

# give_up WORDS: ends the test and prints the last lines of the machine.
give_up() {
    fault "$1"
    sed 's/^/    qemu: /' qemu.err
    tail -n 50 serial.log | tr -d '\000\r' | sed 's/^/    /'
    finish
}

# since_sent: prints the serial output since the last `send`, without carriage returns.
since_sent() {
    tail -c "+$serial_from" serial.log | tr -d '\000\r'
}

# wait_for TEXT SECONDS: waits until the text is in the serial output since the last `send`, and ends the test if it does not
# appear. SECONDS are for an idle machine; a busy one gets twice as long.
wait_for() {
    local deadline=$((SECONDS + 2 * $2))
    until since_sent | grep -aqF -- "$1"; do
        if ! is_running; then
            since_sent | grep -aqF -- "$1" || give_up "the machine is off, and \"$1\" was not on its serial line"
            return 0
        fi
        ! since_sent | grep -aqF 'Kernel panic' || give_up "the kernel gave up before \"$1\""
        [ $SECONDS -lt $deadline ] || give_up "no \"$1\" on the serial line in $((2 * $2)) s"
        sleep 0.1
    done
}

# send KEYS: types on the serial terminal; the keys are escapes of printf: '\r' is enter, '\033' escape.
send() {
    serial_from=$(($(wc -c <serial.log) + 1))
    # shellcheck disable=SC2059 # escapes are meant
    printf "$1" >&7
}

# monitor COMMAND...: runs a command of QEMU's human monitor and prints its answer.
monitor() {
    local from
    wait_for_prompt 1
    from=$(($(wc -c <monitor.log) + 1))
    echo "$*" >&8
    wait_for_prompt "$from"
    tail -c "+$from" monitor.log | tr -d '\r' | sed -e '1d' -e '$d'
}

# wait_for_prompt BYTE: waits until the monitor's log, from that byte on, ends with the prompt.
wait_for_prompt() {
    local deadline=$((SECONDS + 20))
    until [ "$(tail -c "+$1" monitor.log | tail -c 7)" = "(qemu) " ]; do
        is_running || return 0
        [ $SECONDS -lt $deadline ] || give_up "QEMU's monitor does not answer"
        sleep 0.05
    done
}

# power_off_within SECONDS: the guest switches the machine off, or restarts it, by itself; twice as many on a busy machine. A
# guest whose kernel panics ends QEMU, too, but does not say so.
power_off_within() {
    local deadline=$((SECONDS + 2 * $1)) status=0
    while is_running; do
        [ $SECONDS -lt $deadline ] || give_up "the machine is still on after $((2 * $1)) s"
        sleep 0.1
    done
    wait "$watchdog" || status=$?
    watchdog=''
    [ $status -eq 0 ] || give_up "QEMU ended with status $status"
    tr -d '\000\r' <serial.log | grep -aqE 'reboot: (Power down|Restarting system|machine restart)' ||
        give_up 'the machine went off, and its kernel did not say that it switches it off'
}

# serial_holds TEXT: the text is anywhere in the serial output since the machine was started.
serial_holds() {
    tr -d '\000\r' <serial.log | grep -aqF -- "$1" || give_up "no \"$1\" on the serial line"
}

# ---------------------------------------------------------------- programs in place of cupel

# guest_test NAME [MODULE...]: tests/guest/NAME.c runs as /init after the modules were loaded (see add_modules) and must pass.
# The guest has only what was added. If the test has to send monitor commands meanwhile, it calls guest_start, then wait_for,
# then guest_passes.
guest_test() {
    guest_start "$@"
    guest_passes "${QEMU_LIMIT:-120}"
}

guest_start() {
    guest_program "$@"
    quick_image
    (cd "$BOOT/program.root" && find . -type d) | sed 's,^,extra/,' | xargs mkdir -p
    make_initrd /dev/null
    boot_kernel ''
}

# guest_program NAME [MODULE...]: adds the program as /init, and the modules.
guest_program() {
    local program=$PROJECT/build/tests/guest/$1
    [ -x "$program" ] || skip "there is no $program: ./build.sh test makes it"
    add_file "$program" init
    shift
    [ $# -eq 0 ] || add_modules "$@"
}

guest_passes() {
    local said
    power_off_within "$1"
    said=$(tr -d '\000\r' <serial.log | sed -n 's/.*guest: \(pass\|fail\|skip\)/\1/p' | tail -n 1)
    case $said in
    pass*) tr -d '\000\r' <serial.log | grep -a '^skipped a part' || true ;;
    skip*) skip "$said" ;;
    *) give_up "the guest says: ${said:-nothing}" ;;
    esac
}
