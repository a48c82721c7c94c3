#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A small stack is no segmentation fault, and memory that is not there is no surprise in the middle of a session.
# Slow: dozens of limits.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
is_static || {
    echo 'the sanitizers need more stack and addresses than these limits leave'
    exit 77
}

# Every command on a stack of 160 KiB, to whatever end but a signal.
on_small_stack() {
    (
        # shellcheck disable=SC3045 # dash and bash have it
        ulimit -s 160
        timeout -s KILL 60 "$CUPEL" "$@" </dev/null >out 2>err
    )
    got=$?
    [ $got -lt 128 ] || fault "cupel $*: ended by signal $((got - 128)) on a stack of 160 KiB"
}

head -c 4194304 /dev/zero >file
seq 1 3000 >numbers
printf '128166372003061629,hm,0,Read,0,4096,100\n128166372013061629,hm,0,Read,8192,4096,100\n' >trace.csv
on_small_stack --help
on_small_stack help run
on_small_stack help profile
on_small_stack help expect.txt
on_small_stack probe
on_small_stack probe --all --format json
on_small_stack probe --format csv
on_small_stack probe --capture capture.tar
on_small_stack probe --sysroot capture.tar
on_small_stack run --ioengine null --null-script const:100us --limit 1s --preset quick -o result
on_small_stack report result/record.cupel
on_small_stack report result/record.cupel --format json -o again
on_small_stack run --ioengine null --null-script const:100us --limit 1s --preset quick --rate_iops 1k --format csv
on_small_stack run --ioengine null --limit 1s --preset quick --profile tpc-b --rate_iops 100
on_small_stack run file --overwrite --limit 1s --preset quick --ioengine sync --numjobs 4
on_small_stack run file --overwrite --limit 1s --preset quick --iodepth 8 --rw randrw
on_small_stack replay trace.csv file
on_small_stack analyze numbers
on_small_stack analyze numbers --format json
on_small_stack record -- true
on_small_stack record -o recording -- dd if=file of=/dev/null bs=4k
on_small_stack qualify no-such-disk
on_small_stack qualify --write-expect expect.txt no-such-disk
(
    # shellcheck disable=SC3045
    ulimit -s 64
    timeout -s KILL 30 "$CUPEL" --version >out 2>err
)
[ $? -eq 6 ] || fault "a stack of 64 KiB is not refused"
holds err 'ulimit -s'

# Buffers for which there is no memory, and those for which there is just enough.
# shellcheck disable=SC3045
(
    ulimit -v 1000000
    refused 6 'of memory, and' run --ioengine null --iodepth 128 --numjobs 2 --bs 4m --limit 5s
    holds err '2 jobs x iodepth 128 x 4 MiB'
    holds err 'lower --numjobs, --iodepth or --bs'
    timeout -s KILL 30 "$CUPEL" run --ioengine null --iodepth 128 --bs 1m --limit 1s --preset quick >out 2>err
    holds err '1 job x iodepth 128 x 1 MiB take'
    exit "${failures:-0}"
) || fault "limited memory"

# While they are set up a signal ends it.
"$CUPEL" run --ioengine null --iodepth 512 --bs 4m --limit 60s -o stopped >out 2>err </dev/null &
process=$!
sleep 0.3
kill -INT $process
began=$(date +%s)
wait $process
got=$?
[ $got -eq 5 ] || [ $got -eq 6 ] || fault "stopped while memory was set up: exit status $got instead of 5"
[ $(($(date +%s) - began)) -lt 20 ] || fault "a signal did not end the setting up of memory"
finish
