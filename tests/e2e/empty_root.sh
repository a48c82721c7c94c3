#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The static binary runs in a root folder that contains nothing else: no libraries, no /proc, no /sys, no /dev.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs chroot

if command -v readelf >/dev/null; then
    # The sanitizer build is dynamic and only for tests.
    is_static || skip "$CUPEL is not the static build"
    readelf -l "$CUPEL" | grep -q INTERP && fault 'the binary asks for a dynamic loader'
fi
if command -v file >/dev/null; then
    file "$CUPEL" | grep -Eq 'statically linked|static-pie linked' || fault "file says: $(file "$CUPEL")"
fi

mkdir root
cp "$CUPEL" root/cupel
inside() {
    timeout -s KILL 30 chroot root /cupel "$@"
}
inside --version >out 2>err || fault "--version: $(cat err)"
holds out cupel
seq 100 | inside analyze - --format csv >out 2>err
[ -n "$(value_of mean)" ] || fault "analyze: $(cat err)"
# shellcheck disable=SC2086,SC2154 # the options are words; quick is in devices
inside run --ioengine null --null-script const:200us $quick >out 2>err </dev/null
got=$?
[ $got -eq 0 ] || [ $got -eq 5 ] || fault "run: exit status $got: $(cat err)"
is_true "$(metric_of iops value) > 100"
head -c 4194304 /dev/urandom >root/data
# shellcheck disable=SC2086
inside run /data $quick -o /kept >out 2>err </dev/null
got=$?
[ $got -eq 0 ] || [ $got -eq 5 ] || fault "run on a file: exit status $got: $(cat err)"
is_true "$(metric_of iops value) > 10"
inside report /kept/record.cupel --format csv >again 2>err
cmp -s out again || fault 'the record gives another result'
inside run --help >out 2>err || fault "run --help: $(cat err)"
# cupel exec does not count missing files of this root as a failure of the program.
inside exec --limit 5s -- /cupel --version >out 2>err
got=$?
[ $got -eq 6 ] || fault "exec without /dev/null: exit status $got: $(cat err)"
holds err 'there is no /dev/null here'

# Closed standard streams: even without /dev/null, no file may get their descriptor numbers, or messages would be written into
# it.
for streams in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
    rm -rf root/kept
    sh -c "exec chroot root /cupel run /data --runtime 20s -o /kept </dev/null >out 2>err $streams" &
    session=$!
    sessions="$session $sessions"
    for _ in $(seq 200); do
        data=$(find -L "/proc/$session/fd" -samefile root/data 2>/dev/null)
        [ -z "$data" ] || break
        sleep 0.05
    done
    [ -n "$data" ] || fault "$streams: the session did not begin: $(cat err)"
    for number in 0 1 2; do
        case $(readlink "/proc/$session/fd/$number") in
        / | /dev/null | */out | */err | */root) ;;
        *) fault "$streams: $number is $(readlink "/proc/$session/fd/$number")" ;;
        esac
    done
    kill -KILL "$session"
    wait "$session" 2>/dev/null
done
[ "$(ls root)" = "$(printf 'cupel\ndata\nkept')" ] || fault "left in the root: $(ls root)"
finish
