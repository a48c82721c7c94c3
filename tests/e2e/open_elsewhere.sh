#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What another program has open for writing is not written: a device, its partition, the disk that contains it, the file below
# a loop device, the file below an overlay, a file that gives no lease. Where the open files of programs cannot be seen, the
# refusal says so, and an option permits it. A program that only reads, or soon closes it, is no reason to refuse.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs losetup unshare

# opened REDIRECTION FILE: another program opens it, as in `opened '7<>' FILE`, until `closed`.
opened() {
    rm -f is_open
    sh -c "exec $1\"\$0\"; : >is_open; exec sleep 100" "$2" &
    holder=$!
    sessions="$holder $sessions"
    while [ ! -e is_open ]; do
        sleep 0.01
    done
}
closed() {
    kill "$holder"
    wait "$holder" 2>/dev/null
}

write='--rw write --destroy --allow-unwritten'
truncate -s 32M disk
attach disk
sum_of disk >before

# ---- a device, with every command that would write it
opened '7<>' "$LOOP"
# shellcheck disable=SC2086 # the options are words
refused 3 "it is open for writing by sleep (process $holder)" run "$LOOP" $write
# shellcheck disable=SC2086
refused 3 'open for writing by' run "$LOOP" $write --allow-unseen
refused 3 'open for writing by' accept "$LOOP" --destroy -o kept
refused 3 'open for writing by' compare "run $LOOP $write" "run $LOOP $write --bs 8k" --limit 5s
closed
[ ! -e kept/accept.state ] || fault 'an acceptance began'
opened '7>>' disk
# shellcheck disable=SC2086
refused 3 'open for writing by' run "$LOOP" $write
closed
sum_of disk | cmp -s - before || fault 'a device was written that another program has open for writing'

# ---- readers, and a writer that soon closes it, as udev does
opened '7<' "$LOOP"
# shellcheck disable=SC2086
measured "$LOOP" $write
closed
opened '7<>' "$LOOP"
(sleep 0.3 && kill "$holder") &
# shellcheck disable=SC2086
measured "$LOOP" $write
wait "$holder" 2>/dev/null

# ---- a disk and its partition
if command -v sfdisk >/dev/null && truncate -s 64M parts && echo '2048,32768' | sfdisk -q parts >/dev/null 2>&1; then
    whole=$(losetup --find --show --partscan parts) && loops="$whole $loops"
    for _ in $(seq 30); do
        [ ! -b "${whole}p1" ] || break
        sleep 0.1
    done
    if [ -b "${whole}p1" ]; then
        opened '7<>' "${whole}p1"
        # shellcheck disable=SC2086
        refused 3 "its partition ${whole#/dev/}p1 is open for writing" run "$whole" $write
        closed
        opened '7<>' "$whole"
        # shellcheck disable=SC2086
        refused 3 'the disk it is a part of, is open for writing' run "${whole}p1" $write
        closed
        # shellcheck disable=SC2086
        measured "${whole}p1" $write
    fi
fi

# ---- where the open files of some programs cannot be seen
if unshare --pid --fork --mount-proc true 2>/dev/null; then
    for arguments in '' --allow-unseen; do
        # shellcheck disable=SC2086,SC2154
        unshare --pid --fork --mount-proc "$CUPEL" run "$LOOP" $write $quick --format text $arguments >out 2>err </dev/null
        got=$?
        case $got$arguments in
        3) holds err 'cannot be seen here' ;;
        [05]--allow-unseen) holds out 'other programs may have had it open' ;;
        *) fault "in a namespace of processes, with '$arguments': exit status $got: $(cat err)" ;;
        esac
    done
fi

# ---- the file below an overlay
mkdir lower upper work merged
head -c 1048576 /dev/urandom >upper/file
cp upper/file copy
if mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged 2>/dev/null; then
    mounts="$FOLDER/merged $mounts"
    for folders in 'upper merged' 'merged upper' 'merged merged'; do
        opened '7<>' "${folders% *}/file"
        refused 3 'open for writing' run "${folders#* }/file" --rw randwrite --overwrite
        closed
    done
    cmp -s copy upper/file || fault 'the file of an overlay was written'
    measured merged/file --rw randwrite --overwrite
    # A loop device on an overlay's file: its data is that of the file in the upper folder and of another loop device on that
    # file.
    truncate -s 16M merged/disk
    attach merged/disk
    on_merged=$LOOP
    opened '7<>' upper/disk
    # shellcheck disable=SC2086
    refused 3 'open for writing' run "$on_merged" $write
    closed
    refused 3 "the loop device ${on_merged#/dev/} lies on it" run upper/disk --rw randwrite --overwrite
    attach upper/disk
    mkfs.ext4 -q -F "$LOOP" 2>err || skip "mkfs.ext4 failed: $(cat err)"
    mkdir mounted
    mount "$LOOP" mounted && mounts="$FOLDER/mounted $mounts"
    # shellcheck disable=SC2086
    refused 3 "${LOOP#/dev/}, a loop device on the same file, holds a mounted filesystem" run "$on_merged" $write
    # The same when /dev has no node for the other loop device, and no table shows the mount.
    cat >small_dev.sh <<'END'
mount --make-rprivate / && umount mounted && mount -t tmpfs tmpfs /dev && mknod /dev/null c 1 3 &&
    mknod "$1" b 7 "${1#/dev/loop}" || exit 77
exec "$CUPEL" run "$@" </dev/null
END
    # shellcheck disable=SC2086,SC2154
    CUPEL=$CUPEL unshare -m sh small_dev.sh "$on_merged" $write $quick >out 2>err
    got=$?
    [ $got -eq 77 ] || [ $got -eq 3 ] || fault "without a node in /dev: exit status $got: $(cat err)"
    [ $got -eq 77 ] || holds err "${LOOP#/dev/}, a loop device on the same file"
    umount mounted
    mounts=${mounts#"$FOLDER/mounted "}
    detach "$LOOP" "$on_merged"
fi

# ---- a file of another user, which gives no lease
if command -v setpriv >/dev/null && mkdir -m 777 public && cp copy public/file && chmod 666 public/file &&
    chmod 755 "$FOLDER" && setpriv --reuid 65534 --clear-groups test -w public/file; then
    opened '7<>' public/file
    # shellcheck disable=SC2086
    setpriv --reuid 65534 --clear-groups "$CUPEL" run public/file --rw randwrite --overwrite $quick >out 2>err </dev/null
    got=$?
    closed
    [ $got -eq 3 ] || fault "a file of somebody else: exit status $got: $(cat err)"
    holds err 'cannot be' # "seen", or "which loop device lies on it"
    cmp -s copy public/file || fault 'a file of somebody else was written'
    opened '7<>' public/file
    refused 3 'open for writing' run public/file --rw randwrite --overwrite
    closed
fi
finish
