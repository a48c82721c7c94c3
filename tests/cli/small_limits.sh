#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Small limits of the shell never crash cupel: not a small stack, nor any other limit. Missing memory is reported before a
# session begins, not in the middle of it.
# Slow: dozens of limits.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
is_static || {
    echo 'the sanitizers need more stack and addresses than these limits leave'
    exit 77
}

# on_stack KIB ARGUMENTS...: runs cupel on a stack of that size, with an environment that takes almost none of it.
on_stack() {
    # shellcheck disable=SC2016 # the inner shell's
    env -i PATH="$PATH" sh -c 'ulimit -s "$1" && shift && exec "$@"' sh "$1" "$CUPEL" "${@:2}" </dev/null >out 2>err
}

# on_small_stack ARGUMENT...: on the smallest stack that is not refused, the command may end in any way but by a signal.
on_small_stack() {
    got=0
    on_stack 256 "$@" || got=$?
    [ $got -lt 128 ] || fault "cupel $*: ended by signal $((got - 128)) on a stack of 256 KiB"
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
on_small_stack exec --limit 1s -- true
on_small_stack compare numbers numbers
on_small_stack sweep --help
on_small_stack run file --limit 1s --preset quick --format html

# Smaller stacks are refused with a message, and so is a stack of which arguments and environment leave too little. (Below 12
# KiB the kernel kills some programs before their first instruction.)
for stack in 12 16 24 32 48 64 96 128 160 200 240; do
    for command in --version help 'help run' probe 'run file --limit 1s' 'exec --limit 1s -- true' 'analyze numbers'; do
        got=0
        # shellcheck disable=SC2086 # words
        on_stack $stack $command || got=$?
        [ $got -eq 6 ] || fault "cupel $command on a stack of $stack KiB: exit status $got instead of 6"
        holds err 'ulimit -s'
    done
done
(ulimit -s 300 && exec "$CUPEL" analyze "$(head -c 100000 /dev/zero | tr '\0' x)") </dev/null >out 2>err
[ $? -eq 6 ] || fault "a stack that arguments take a third of is not refused"
holds err 'ulimit -s'
on_stack 1024 --version || fault 'what the message says does not help'

# Buffers for which there is no memory, and buffers for which there is just enough.
(
    ulimit -v 1000000
    refused 6 'of memory, and' run --ioengine null --iodepth 128 --numjobs 2 --bs 4m --limit 5s
    holds err '2 jobs x iodepth 128 x 4 MiB'
    holds err 'lower --numjobs, --iodepth or --bs'
    timeout -s KILL 30 "$CUPEL" run --ioengine null --iodepth 128 --bs 1m --limit 1s --preset quick >out 2>err
    holds err '1 job x iodepth 128 x 1 MiB take'
    exit "${failures:-0}"
) || fault "limited memory"

# Limits on open files, processes, locked memory and file size: cupel prints a message and exits with a documented status.
# Limits on processes do not apply to root, so an ordinary user runs these commands, if that user may run the program.
chmod 777 .
as_user=(setpriv --reuid 54321 --clear-groups)
limits=('-n 3' '-n 6' '-l 0' '-f 0' '-v 8000' '-v 20000')
# shellcheck disable=SC2016 # the inner shell's
if "${as_user[@]}" bash -c 'exec "$@"' bash "$CUPEL" --version >out 2>err; then
    limits+=('-u 0' '-u 1' '-u 2')
else
    as_user=()
fi
for limit in "${limits[@]}"; do
    for command in --version probe 'run --ioengine null --limit 0.3s --preset quick' 'run . --size 1m --limit 0.3s --preset quick --numjobs 2' \
        'exec --limit 0.3s -- true' 'record -- true' 'analyze numbers' 'qualify no-such-disk'; do
        got=0
        # shellcheck disable=SC2016,SC2086 # the inner shell's; words
        timeout -s KILL 60 "${as_user[@]}" bash -c 'ulimit $1 || exit 77; shift; exec "$@"' bash "$limit" "$CUPEL" $command \
            </dev/null 2>err | cat >out
        got=${PIPESTATUS[0]}
        [ "$got" -le 6 ] || fault "ulimit $limit; cupel $command: exit status $got"
        [ "$got" -eq 0 ] || [ -s err ] || [ "$limit" = '-f 0' ] || fault "ulimit $limit; cupel $command: not a word, exit status $got"
    done
done
# The limit on file size is not reported as a full disk.
(
    failures=0
    ulimit -f 64
    status 2 run . --size 1m --limit 0.3s --preset quick
    holds err 'a limit of this shell allows no file so large'
    exit "$failures"
) || fault 'limited size of files'

# A signal ends the setup of large buffers.
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
