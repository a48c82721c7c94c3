#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel record --cgroup and --all: a group with the groups below it, including a process that joins later, and no other
# process; all processes except cupel; the end of a group ends its recording.
# Slow: a trace shows that the recording has begun when a second of it is written.
# shellcheck source=/dev/null
. "$(dirname "$0")/recordings"
needs python3

GROUPS_MOUNT=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$GROUPS_MOUNT" ] || skip 'no control groups of version 2'
group=cupel-test.$$
above=$GROUPS_MOUNT/$group
mkdir "$above" "$above/below" "$above/below/deep" "$GROUPS_MOUNT/$group.other" 2>err || skip "no control group can be made: $(cat err)"
remove_groups() {
    # shellcheck disable=SC2154 # start sets it
    for process in $sessions $programs; do
        kill -KILL "$process" 2>/dev/null
    done
    for _ in $(seq 50); do
        rmdir "$above/below/deep" "$above/below" "$above" "$GROUPS_MOUNT/$group.other" 2>/dev/null
        [ -d "$above" ] || [ -d "$GROUPS_MOUNT/$group.other" ] || break
        sleep 0.1
    done
}
programs=''
trap 'remove_groups; undo' EXIT

# A program that writes "sentinel" until "go" exists, and then COUNT times 256000 bytes, every other time in a child.
cat >program.py <<'END'
import os, sys, time
name, count = sys.argv[1], int(sys.argv[2])
data = b"y" * 256000  # so much that no other file of this machine comes before it in the list of --all
file = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
sentinel = os.open(name + ".sentinel", os.O_WRONLY | os.O_CREAT, 0o600)
while not os.path.exists("go"):
    os.pwrite(sentinel, b"x", 0)
    time.sleep(0.02)
child = 0
for i in range(count):
    if i % 10 == 0:
        child = os.fork()
        if child == 0:
            os.pwrite(file, data, 0)
            os._exit(0)
        os.waitpid(child, 0)
    else:
        os.pwrite(file, data, 0)
END

# run_in GROUP NAME COUNT: starts the program in that control group; its process is in PROGRAM.
run_in() {
    # shellcheck disable=SC2016 # the inner shell's
    timeout -s KILL 100 sh -c 'echo $$ >"$1/cgroup.procs" && exec python3 program.py "$2" "$3"' - "$1" "$2" "$3" &
    PROGRAM=$!
    programs="$programs $PROGRAM"
    for _ in $(seq 200); do
        [ ! -e "$2.sentinel" ] || break
        sleep 0.05
    done
}
end_programs() {
    : >go
    for process in $programs; do
        wait "$process" || fault 'a program failed'
    done
    programs=''
}

"$CUPEL" record --cgroup "$group" --for 0.01s >out 2>err || {
    got=$?
    [ $got -ne 6 ] || skip "$(cat err)"
    fault "a group without processes: exit status $got: $(cat err)"
}
run_in "$above/below/deep" deep 70
run_in "$above" above 30
run_in "$GROUPS_MOUNT/$group.other" stranger 50
start one record --buffer 64m --cgroup "$group" --format csv -o one.trace
one=$WATCHDOG
start all record --buffer 64m --all --format csv -o all.trace
# shellcheck disable=SC2153 # start sets it
all=$WATCHDOG session=$SESSION
until_recorded one.trace
until_recorded all.trace
end_programs
# A process that joins during the recording.
rm go
run_in "$GROUPS_MOUNT" later 20
pid=$(cat "/proc/$PROGRAM/task/$PROGRAM/children")
echo "${pid% }" >"$above/below/cgroup.procs"
end_programs

# The end of the group ends its recording; --all records until a signal.
rmdir "$above/below/deep" "$above/below" "$above" || fault 'the groups are not empty'
WATCHDOG=$one
ended_rated one
row_is 70 one.out calls write "$FOLDER/deep"
row_is 17920000 one.out bytes write "$FOLDER/deep"
row_is 30 one.out calls write "$FOLDER/above"
row_is 20 one.out calls write "$FOLDER/later"
[ -z "$(row one.out calls write "$FOLDER/stranger")" ] || fault 'a stranger to the group was recorded'
is_true "$(row one.out processes all) >= 3 + 7 + 3 + 2"
kill -INT "$session"
WATCHDOG=$all
ended_rated all
for of in deep:70 above:30 stranger:50 later:20; do
    row_is "${of#*:}" all.out calls write "$FOLDER/${of%:*}"
done
[ -z "$(row all.out calls write "$FOLDER/all.trace")" ] || fault 'cupel recorded itself'
finish
