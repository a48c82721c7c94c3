#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of the machine that a run changes are restored after every kind of end, including kill -9. On a loop device.
set -u

# Every other cupel on this machine would restore, and report, what a killed session left; so the files about that are hidden
# from tests that run beside this one.
if [ -z "${CUPEL_OWN_RUN:-}" ] && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2016 # the inner shell's
    CUPEL_OWN_RUN=yes exec unshare -m sh -c 'mkdir -p /run/cupel; mount -t tmpfs -o mode=755 tmpfs /run/cupel; exec "$0"' "$0"
fi
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

head -c 16m /dev/urandom >disk
attach "$FOLDER/disk"
queue=/sys/block/${LOOP#/dev/}/queue
file=$queue/scheduler
chosen() { sed 's/.*\[\(.*\)\].*/\1/' "$file"; }
other=none before=mq-deadline
for scheduler in $other $before; do
    tr -d '[]' <"$file" | grep -qw "$scheduler" || skip "$LOOP does not offer $scheduler"
done

# Prints all settings of the queue, since a new scheduler resets nr_requests and its own parameters.
settings() { grep -s . "$queue"/* "$queue"/iosched/*; }

# tune SCHEDULER REQUESTS: sets values that are not the kernel's defaults.
tune() {
    echo "$1" >"$file"
    echo "$2" >"$queue/nr_requests"
    [ ! -e "$queue/iosched/read_expire" ] || echo 123 >"$queue/iosched/read_expire"
}

# A new loop device may have a used number, with the settings of the earlier device.
found=$(chosen) found_requests=$(cat "$queue/nr_requests")
found_expire=$(cat "$queue/iosched/read_expire" 2>/dev/null)
leave() {
    status=$?
    echo "$found" >"$file"
    echo "$found_requests" >"$queue/nr_requests"
    [ -z "$found_expire" ] || echo "$found_expire" >"$queue/iosched/read_expire"
    (exit $status)
    undo
}
trap leave EXIT

# becomes SCHEDULER WHEN: the device gets this scheduler within 5 s.
becomes() {
    for _ in $(seq 100); do
        [ "$(chosen)" != "$1" ] || return 0
        sleep 0.05
    done
    fault "$2: the scheduler is $(chosen), not $1"
}

# all_back WHEN: all settings of the queue are restored within 5 s.
all_back() {
    for _ in $(seq 100); do
        settings >now
        ! cmp -s tuned now || return 0
        sleep 0.05
    done
    fault "$1, these settings are not as before: $(diff tuned now)"
}

# From the scheduler none to another one and back.
tune "$other" 64
settings >tuned
measured "$LOOP" --scheduler "$before" --bs 4k
all_back 'after a run from none'

tune "$before" 64
settings >tuned
measured "$LOOP" --scheduler "$other" --bs 4k
all_back 'after a run'

for signal in INT TERM HUP KILL; do
    start "$signal" run "$LOOP" --scheduler "$other" --ci 1% --limit 30s --overhead 0 --format csv
    becomes "$other" 'during the run'
    sleep 0.5
    kill -"$signal" "$SESSION"
    all_back "after SIG$signal"
    wait "$WATCHDOG"
done

# The report lists exactly the changed settings.
limited run "$LOOP" --full --scheduler "$other" --preset quick --limit 3s --min-time 0.5s >out 2>err
grep -q "$other, for the run; it was $before" out || fault 'the report does not say that the scheduler was changed'
[ "$(grep -c 'for the run; it was' out)" -eq 1 ] || fault 'the report names changes that nobody asked for'
all_back 'after a run with a report'

# A second run that needs the same setting is refused until the first one has restored it.
start first run "$LOOP" --scheduler "$other" --ci 1% --limit 30s --overhead 0 --format csv
becomes "$other" 'before a second run'
for scheduler in "$other" "$before"; do
    refused 3 "another run of cupel has changed $file; wait for its end" run "$LOOP" --scheduler "$scheduler" --limit 3s
done
[ "$(chosen)" = "$other" ] || fault "a run that was refused has changed the scheduler to $(chosen)"
kill -KILL "$SESSION"
all_back 'after a run beside one that was refused'
wait "$WATCHDOG"
measured "$LOOP" --scheduler "$other" --bs 4k
all_back 'after the next run'

# A setting that somebody else changes during the run is left as it is, and the report says so; this includes nr_requests.
theirs=$before
! grep -qw kyber "$file" || theirs=kyber
start foreign run "$LOOP" --scheduler "$other" --preset quick --ci 1% --limit 3s --overhead 0
becomes "$other" 'before somebody else changes it'
sleep 0.5
tune "$theirs" 32
wait "$WATCHDOG"
[ "$(chosen)" = "$theirs" ] || fault "the scheduler that somebody else chose is now $(chosen)"
[ "$(cat "$queue/nr_requests")" -eq 32 ] || fault "the number of requests is $(cat "$queue/nr_requests"), not theirs"
tr -s ' \n' ' ' <foreign.out >out
holds out "Warning: $file was changed to $theirs by somebody else during the run: it was left so; before the run it was $before"
tune "$before" 64
measured "$LOOP" --scheduler "$other" --bs 4k
all_back 'after a run that nobody disturbed'

# A value that the device does not offer is refused, and nothing is changed.
limited run "$LOOP" --scheduler nonsense --limit 3s >out 2>err
got=$?
[ $got -eq 2 ] || fault "--scheduler nonsense: exit status $got"
grep -q "$before" err || fault "the error does not say what is possible: $(cat err)"
all_back 'after a refusal'

# ---- both killed at once ----

# kill_both: kills the session and its keeper, so that neither can restore the settings.
kill_both() {
    keepers=
    for process in /proc/[0-9]*; do
        [ "$(cat "$process/comm" 2>/dev/null)" != cupel-keeper ] ||
            ! find "$process/fd" -lname "*/${LOOP#/dev/}/*" 2>/dev/null | grep -q . || keepers="$keepers ${process#/proc/}"
    done
    [ "$keepers" ] || fault 'there is no keeper'
    # shellcheck disable=SC2086 # numbers
    kill -STOP $keepers "$SESSION"
    # shellcheck disable=SC2086 # numbers
    kill -KILL $keepers "$SESSION"
}

# Another cupel does not restore the settings of a running session, and does not mention them.
start both run "$LOOP" --scheduler "$other" --ci 1% --limit 30s --overhead 0 --format csv
becomes "$other" 'before both are killed'
refused 3 'its session still runs' restore
[ "$(chosen)" = "$other" ] || fault 'a running session was taken its scheduler'
limited probe >/dev/null 2>err
! grep -q 'cupel restore' err || fault 'a session that runs is reported as killed'
kill_both
wait "$WATCHDOG"
sleep 0.3
[ "$(chosen)" = "$other" ] || fault 'somebody has restored it'
limited probe >/dev/null 2>err
[ "$(grep -c 'left settings of this machine changed: cupel restore puts them back' err)" -eq 1 ] ||
    fault "nobody says what is left changed: $(cat err)"
status 0 restore
holds out "$file  $other -> $before"
all_back 'after cupel restore'
status 0 restore
holds out 'no session left a setting of this machine changed'
limited probe >/dev/null 2>err
! grep -q 'cupel restore' err || fault 'it is said again'

# Settings that somebody else has changed since are left alone.
start both run "$LOOP" --scheduler "$other" --nr_requests 96 --ci 1% --limit 30s --overhead 0 --format csv
becomes "$other" 'before both are killed again'
sleep 0.5
kill_both
wait "$WATCHDOG"
tune "$theirs" 32
status 0 restore
holds out "$file is not $other any more, and is left as it is; it was $before"
[ "$(chosen)" = "$theirs" ] || fault "cupel restore changed what is somebody else's to $(chosen)"
tune "$before" 64
# Files that restore nothing: a damaged one, one of another boot, and one that an untrusted user may have written.
mkdir -p /run/cupel
printf 'cupel settings 1\nboot 0\nprocess 1 1\nchange 0\t%s\t%s\t%s\nend\n' "$file" "$other" "$before" >/run/cupel/settings-1-0
printf 'cupel settings 1\nboot %s\nprocess 1 1\nchange 0\t%s\t%s\t%s\n' "$(cat /proc/sys/kernel/random/boot_id)" \
    "$file" "$other" "$before" >/run/cupel/settings-1-1
status 0 restore
all_back 'after files of no session of this boot'
[ -z "$(ls /run/cupel)" ] || fault "files of no session stay: $(ls /run/cupel)"
ln -s "$FOLDER/disk" /run/cupel/settings-1-2
status 6 restore
rm /run/cupel/settings-1-2
# A file to which others can write.
printf 'cupel settings 1\nboot %s\nprocess 1 1\nchange 0\t%s\t%s\t%s\nend\n' "$(cat /proc/sys/kernel/random/boot_id)" \
    "$file" "$other" "$before" >/run/cupel/settings-1-2
chmod 666 /run/cupel/settings-1-2
refused 6 'others can have written it' restore
[ "$(chosen)" = "$before" ] || fault "a file that others can write restored $(chosen)"
rm /run/cupel/settings-1-2

# Files that may still be needed are kept: those of another version, and all files if this boot cannot be identified.
tune "$other" 64
printf 'cupel settings 2\nboot %s\nprocess 1 1\nchanged\nend\n' "$(cat /proc/sys/kernel/random/boot_id)" >/run/cupel/settings-1-3
status 6 restore
[ -s /run/cupel/settings-1-3 ] || fault 'a file of another version is removed'
rm /run/cupel/settings-1-3
printf 'cupel settings 1\nboot %s\nprocess 1 1\nchange 0\t%s\t%s\t%s\nend\n' "$(cat /proc/sys/kernel/random/boot_id)" \
    "$file" "$before" "$other" >/run/cupel/settings-1-4
# shellcheck disable=SC2016 # the inner shell's
unshare -m sh -c 'mount -t tmpfs tmpfs /proc && exec "$1" restore' sh "$CUPEL" >out 2>err
got=$?
[ $got -eq 6 ] || fault "restore without /proc: exit status $got: $(cat out err)"
[ -s /run/cupel/settings-1-4 ] || fault 'without /proc the file that says what is changed is removed'

# Processes that only look at the file do not prevent restoring.
(while :; do "$CUPEL" probe --help >/dev/null 2>&1; done) &
looking=$!
status 0 restore
kill $looking
[ "$(chosen)" = "$before" ] || fault "after a restore beside others that look the scheduler is $(chosen)"
tune "$before" 64
finish
