#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The command cupel record: combinations of options, and its messages where recording is not permitted. (tests/cli/record.sh
# tests the record of a session.)
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

refused 2 'after --' record
refused 2 'after --' record ls
refused 2 'after --' record ls -- ls
refused 2 'not both' record --device /dev/null -- ls
refused 2 '--for needs --device' record --for 1s -- ls
refused 2 'name is empty' record -- ''
refused 2 'not a block device' record --device /dev/null
refused 2 'No such file' record --device /dev/nothing
refused 2 'not both' record --pid 1 -- ls
refused 2 'not both' record --pid 1 --device /dev/null
refused 2 'not both' record --pid 1 --cgroup system.slice
refused 2 'not both' record --all --cgroup system.slice
refused 2 'not both' record --all -- ls
refused 2 'not both' record --all --device /dev/null
refused 2 'is named twice' record --pid 1,1
for list in 0 -1 '1,' ',1' '1,,2' x 1x 99999999999 '1 2'; do
    refused 2 'numbers of processes' record --pid "$list"
done
refused 2 'at most 64' record --pid "$(seq -s , 65)"
refused 2 '--report' record -o - -- ls
refused 2 'power of two' record --buffer 100k -- ls
refused 2 '64 KiB' record --buffer 1k -- ls
: >there
status 0 record --help
holds out '/sys/kernel/btf/vmlinux'
holds out '--device DEV'

# Control groups, only of version 2.
if grep -q ' cgroup2 ' /proc/mounts; then
    refused 2 'No such file' record --cgroup no/such/group
    refused 2 'not a control group' record --cgroup /proc
    refused 2 'Not a directory' record --cgroup "$FOLDER/there"
fi
first=$(awk '$3 == "cgroup" { print $2; exit }' /proc/mounts)
if [ -n "$first" ] && grep -q ' cgroup2 ' /proc/mounts; then
    refused 2 'of version 1' record --cgroup "$first"
fi

# Without permission to trace other processes, one line says what would permit it, and the program does not run.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod 755 .
    setpriv --reuid 65534 --regid 65534 --clear-groups "$CUPEL" record -- touch ran >out 2>err
    got=$?
    [ $got -eq 6 ] || fault "as nobody: exit status $got"
    holds err 'CAP_SYS_ADMIN'
    [ "$(grep -c "^cupel[ :]" err)" -eq 1 ] || fault 'the error is not one line'
    [ ! -s out ] || fault 'there is a report'
    [ ! -e ran ] || fault 'the program ran'
    setpriv --reuid 65534 --regid 65534 --clear-groups "$CUPEL" record --pid $$ --for 1s >out 2>err
    got=$?
    [ $got -eq 6 ] || fault "a process of another user: exit status $got"
    holds err 'CAP_SYS_ADMIN'
fi

# Process numbers that cannot be recorded: of no process, a thread, a kernel thread, a process that has ended, cupel itself.
refused 2 'no process 2147483647' record --pid 2147483647
# shellcheck disable=SC2016 # $$ is the inner shell's
timeout -s KILL 30 sh -c 'exec "$0" record --pid $$' "$CUPEL" >out 2>err
[ $? -eq 2 ] || fault 'cupel recorded itself'
holds err 'is cupel itself'
if [ "$(sed -n 's/^.*(\(.*\)).*$/\1/p' /proc/2/stat 2>/dev/null)" = kthreadd ]; then
    refused 2 'a thread of the kernel' record --pid 2
fi
if command -v python3 >/dev/null; then
    python3 -c 'import os, threading, time
if os.fork() == 0: os._exit(0)
thread = threading.Thread(target=time.sleep, args=(30,), daemon=True)
thread.start()
print(os.getpid(), thread.native_id, flush=True)
time.sleep(30)' >numbers &
    python=$!
    for _ in $(seq 200); do
        [ ! -s numbers ] || break
        sleep 0.05
    done
    zombie=$(cat /proc/$python/task/$python/children)
    refused 2 'has ended already' record --pid "${zombie% }"
    refused 2 "is a thread of process $python" record --pid "$(cut -d ' ' -f 2 numbers)"
    kill -KILL $python
fi

# Block requests of all programs are events: while another program is busy, a small buffer overflows before it is read.
"$CUPEL" record --buffer 64m -- true >out 2>err </dev/null
[ $? -ne 6 ] || { echo "recording is not possible here: $(cat err)" && finish; }
refused 2 'exists' record --report there -- true
refused 2 'trace cannot be made' record -o there -- touch ran
[ ! -e ran ] || fault 'the program ran though the trace could not be made'
refused 2 'cannot be started' record -o trace -- ./nothing
[ ! -e trace ] || fault 'a trace was left of a program that did not start'
refused 2 'Permission denied' record --report text -- ./there
[ ! -e text ] || fault 'a report was left of a program that did not start'

# The program reads cupel's standard input. Its output goes to standard error, or with --report to standard output.
echo hello | "$CUPEL" record --buffer 64m --format csv -- cat >out 2>err || fault "exit status $?"
[ "$(cat err)" = hello ] || fault "standard error has: $(cat err)"
[ "$(head -n 1 out)" = metric,op,unit,value,ci_low,ci_high,confidence,n,effective_n,note,next_low,next_high,target,rw,bs,iodepth,numjobs,label,date ] || fault 'no CSV'
echo hello | "$CUPEL" record --buffer 64m --report text -- cat >out 2>err || fault "exit status $?"
[ "$(cat out)" = hello ] || fault "standard output has: $(cat out)"
[ ! -s err ] || fault "standard error has: $(cat err)"
grep -q '^RECORDED: ' text || fault 'no report in the file'
awk 'length($0) > 80 && !/[^ -~]/ { exit 1 }' text || fault 'a line is longer than 80 columns'

# recorded ARGUMENT...: the program does so little that one lost event, as on a busy machine, is more than 1 %; then no rate
# is reported.
recorded() {
    longer '0 5' "$@"
    # shellcheck disable=SC2154 # got comes from longer
    [ "$got" -eq 0 ] || holds err 'were lost, so no rate is known'
}

# When the program fails, the recording is still valid.
recorded record --buffer 64m -- sh -c 'exit 3'
holds out 'exit status 3'
# shellcheck disable=SC2016 # $$ is the inner shell's
recorded record --buffer 64m -- sh -c 'kill -KILL $$'
holds out 'signal 9'
recorded record --buffer 64m --format json -- sh -c 'echo x >made; exit 3'
holds out '"program": "sh -c'
holds out "$FOLDER/made"
if command -v python3 >/dev/null; then
    python3 -c 'import json; r = json.load(open("out")); assert r["calls"]["write"]["bytes"] == 2' || fault 'bad JSON'
fi

# The program's command line may have any number of words.
# shellcheck disable=SC2046 # they are words
recorded record --buffer 64m --format csv -- echo $(seq 300)
holds err ' 299 300'
finish
