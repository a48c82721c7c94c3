#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Jails and containers: each command names the parts of /sys and /proc that it would read but that are not mounted, hidden or
# not permitted; and no command calls healthy what it could not look at.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

[ "$(id -u)" = 0 ] || skip 'a jail of its own needs root'
unshare -m true 2>/dev/null || skip 'a mount namespace of its own is not permitted'
is_static || skip 'this build is linked with libraries, which a jail does not have'

mkdir -p jail/sys jail/proc jail/dev jail/tmp jail/empty
cp "$CUPEL" jail/cupel
mknod -m 666 jail/dev/null c 1 3
chroot jail /cupel --version >/dev/null 2>&1 </dev/null || skip 'a jail cannot run a program here'
printf 'target: /tmp/data\nsize: 64k\nrealtime: 0\ndirect: 0\nruntime: 0.1s\nfactor bs: 4k 8k\nresponse: throughput\nrepeats: 1\n' >jail/tmp/plan

sys='mount -t sysfs sys jail/sys'
proc='mount -t proc proc jail/proc'

# jailed STATUSES MOUNTS ARGUMENT...: runs cupel in the jail after MOUNTS. Standard output is in the file raw, and as a single
# line in the file out.
jailed() {
    expected=$1
    mounts=$2
    shift 2
    # shellcheck disable=SC2016
    timeout -s KILL 60 unshare -m --propagation private sh -c "$mounts"' || exit 99; shift 0; exec chroot $USERSPEC jail /cupel "$@"' \
        jail "$@" >raw 2>err </dev/null
    got=$?
    case " $expected " in
    *" $got "*) ;;
    *) fault "cupel $* after '$mounts': exit status $got instead of $expected: $(cat err)" ;;
    esac
    tr -s ' \n' ' ' <raw >out
}

# states WORDS / silent WORDS: the last command's output contains the words, or does not.
states() {
    grep -qF -- "$1" out || fault "after '$mounts' this is not said: $1: $(head -c 700 out)"
}
silent() {
    ! grep -qF -- "$1" out || fault "after '$mounts' this is claimed: $1"
}

# ---- neither /sys nor /proc is mounted ----

USERSPEC=
export USERSPEC
jailed 0 : probe
[ "$(head -c 42 out)" = 'NOT SEEN: /sys and /proc are not mounted: ' ] || fault "probe begins with $(head -n 1 raw)"
states 'mount -t sysfs sys /sys, mount -t proc proc /proc'
states 'whether anything is degraded is not known'
silent 'nothing degraded'
jailed 0 : probe --format csv
grep -q '^machine,machine,,sysfs,,,/sys,absent' raw || fault "the CSV does not say that /sys is absent"
jailed 0 : probe --format json
grep -q '"sysfs"' raw || fault 'the JSON does not say that /sys is absent'
jailed 0 : probe --format html
states 'NOT SEEN'

jailed '0 5' : run --ioengine null --runtime 0.3s --full -o /tmp/kept
states 'Warning: whether other programs ran and what disks and links did cannot be seen here: /sys and /proc are not mounted'
states 'machine watched nothing of it could be watched: /sys and /proc are not mounted'
silent 'times a second'
silent 'idle machine'
jailed 0 : report /tmp/kept
states 'whether other programs ran and what disks and links did cannot be seen here'
jailed 0 : exec --rounds 3 -- /cupel --version
states 'whether other programs ran and what disks and links did cannot be seen here'
jailed 5 : qualify
states '/sys is not mounted'
jailed '0 5' : compare --limit 1s 'exec -- /cupel --version' 'exec -- /cupel --version'
states 'whether other programs ran'
jailed 0 : sweep /tmp/plan
states 'whether other programs ran'
for command in 'accept --dry-run -o /tmp/accepted sdz' 'qualify sdz'; do
    # shellcheck disable=SC2086
    jailed 6 : $command
    grep -q 'sdz: no disk can be found: /sys is not mounted; mount what is missing' err || fault "$command: $(cat err)"
done
jailed 6 : record -- /cupel --version
grep -q '/sys' err || fault "record without /sys: $(cat err)"
jailed 0 : merge /tmp/kept/record.cupel

# ---- one of them is mounted ----

jailed 0 "$proc" probe
states 'NOT SEEN: /sys is not mounted: '
silent 'mount -t proc'
silent 'Processors and memory were not looked at'
jailed '0 5' "$proc" run --ioengine null --runtime 0.3s
states 'Warning: what disks and links did cannot be seen here: /sys is not mounted'
silent 'other programs ran'
jailed 5 "$proc" qualify
states '/sys is not mounted'

jailed 0 "$sys" probe
states 'NOT SEEN: /proc is not mounted: '
silent 'mount -t sysfs'
silent 'No device and no link'
jailed '0 5' "$sys" run --ioengine null --runtime 0.3s
states 'Warning: whether other programs ran cannot be seen here: /proc is not mounted'
silent 'disks and links'
jailed 0 "$sys" exec --rounds 3 -- /cupel --version
states 'whether other programs ran cannot be seen here: /proc is not mounted'

# ---- hidden parts, and parts without permission ----

jailed 0 "$sys && $proc && mount -t tmpfs none jail/sys/devices" probe
states 'NOT SEEN: /sys/devices is hidden: use cupel'
silent 'nothing degraded'
jailed '0 5' "$sys && $proc && mount --bind jail/dev/null jail/proc/stat" run --ioengine null --runtime 0.3s
states 'whether other programs ran cannot be seen here: /proc/stat is hidden'
if unshare -m sh -c "mount -t proc -o subset=pid proc jail/proc" 2>/dev/null; then
    jailed 0 "$sys && mount -t proc -o subset=pid proc jail/proc" probe
    states 'NOT SEEN: /proc/cpuinfo and /proc/stat are hidden'
fi
chmod 700 jail/sys jail/proc
USERSPEC=--userspec=65534:65534
jailed 0 : probe
states 'NOT SEEN: /sys and /proc may not be read: use cupel'
silent 'nothing degraded'
jailed '0 5' : run --ioengine null --runtime 0.3s
states 'whether other programs ran and what disks and links did cannot be seen here: /sys and /proc may not be read'

# ---- both mounted read-only as in a container; another machine's tree without /sys ----

USERSPEC=
chmod 755 jail/sys jail/proc
jailed 0 "mount -t sysfs -o ro sys jail/sys && $proc" probe
silent 'NOT SEEN'
jailed '0 5' "mount -t sysfs -o ro sys jail/sys && $proc" run --ioengine null --runtime 0.3s --full
silent 'cannot be seen here'
states 'times a second'
mkdir -p other/proc
cp /proc/cpuinfo other/proc
status 0 probe --sysroot other
tr -s ' \n' ' ' <out | grep -q '^NOT SEEN: /sys is not mounted\. No device' || fault "a tree without /sys: $(head -n 2 out)"

finish
