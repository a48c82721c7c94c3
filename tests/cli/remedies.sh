#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A refusal proposes a remedy where there is one: another folder, if the filesystem is read-only or the folder may not be
# written to; and options with which the session fits into memory.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# shellcheck disable=SC2016 # the inner shell's
if unshare -m true 2>/dev/null; then
    mkdir still
    for target in still still/new; do
        CUPEL=$CUPEL timeout 60 unshare -m sh -c 'mount -t tmpfs -o ro none still && exec "$CUPEL" run "$1" --size 1m --limit 1s -o "$2"' \
            sh "$target" kept >out 2>err
        got=$?
        [ $got -eq 6 ] || fault "a filesystem that is read-only: exit status $got: $(cat err)"
        holds err "$target: the filesystem is read-only: choose another folder, /dev/shm for a try"
        rm -rf kept
    done
    CUPEL=$CUPEL timeout 60 unshare -m sh -c 'mount -t tmpfs -o ro none still && exec "$CUPEL" run --ioengine null --runtime 0.2s -o still/kept' >out 2>err
    got=$?
    [ $got -eq 2 ] || fault "a folder of -o on a filesystem that is read-only: exit status $got: $(cat err)"
    holds err 'choose a folder on another filesystem, /dev/shm for a try'
fi

# As an ordinary user, if that user may run the program.
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 54321 --clear-groups "$CUPEL" --version >out 2>err; then
    chmod 755 .
    mkdir closed
    for target in / closed closed/new; do
        timeout 60 setpriv --reuid 54321 --clear-groups "$CUPEL" run "$target" --size 1m --limit 1s >out 2>err
        got=$?
        [ $got -eq 6 ] || fault "$target of another user: exit status $got: $(cat err)"
        holds err "$target: permission denied; choose a folder that you may write to, /dev/shm for a try"
    done
    timeout 60 setpriv --reuid 54321 --clear-groups "$CUPEL" run --ioengine null --runtime 0.2s -o closed/kept >out 2>err
    holds err 'cannot make the folder closed/kept: Permission denied; choose a folder that you may write to'
fi

if is_static; then
    (
        ulimit -v 1000000
        refused 6 ': lower --iodepth or --bs, or raise the limit (ulimit -v unlimited)' run --ioengine null --iodepth 2048 --bs 1m --limit 5s
        exit "${failures:-0}"
    ) || fault 'the limit of memory'
fi
finish
