#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# When a shell becomes cupel by exec, cupel inherits the shell's children. It leaves them alone, and also the processes that
# they leave running meanwhile: with cupel exec, --serve, hooks, compare and sweep. Processes that a round leaves running are
# ended.
# shellcheck disable=SC2016 # $ is for the shells that are run
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

trap 'end_all; rm -rf "$FOLDER"' EXIT

# All processes that the test leaves running sleep for this number of seconds, which no other test uses.
seconds=9$$
end_all() {
    for id in $(running); do
        kill -KILL "$id"
    done
}

# running: prints the numbers of those that are alive.
running() {
    for process in /proc/[0-9]*; do
        [ "$(tr '\0' ' ' 2>/dev/null <"$process/cmdline")" != "sleep $seconds " ] || echo "${process#/proc/}"
    done
}

# beside COUNT ARGUMENT...: a shell with children becomes cupel, and COUNT of them must be alive afterwards. One child is in
# the shell's process group, one leads a session, and one ends during the rounds and leaves an orphan.
beside() {
    expected=$1
    shift
    rm -f orphan
    SECONDS_OF=$seconds timeout -s KILL 60 sh -c '
        sleep "$SECONDS_OF" >&- 2>&- &
        setsid sleep "$SECONDS_OF" >&- 2>&- &
        (sleep 0.15; (setsid sleep "$SECONDS_OF" >&- 2>&- & sleep "$SECONDS_OF" >&- 2>&- &); : >orphan) >&- 2>&- &
        exec "$0" "$@"' "$CUPEL" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq 0 ] || {
        fault "cupel $*: exit status $got"
        sed 's/^/    /' err
    }
    [ -e orphan ] || fault "cupel $*: it ended before the orphans were there"
    lived=$(running | wc -l)
    [ "$lived" -eq "$expected" ] || fault "cupel $*: $lived of $expected processes that it had before or that are not its own live"
    end_all
}

beside 4 exec --rounds 4 -- sleep 0.2
beside 4 exec --rounds 4 --serve --pi x,1,0 -- sh -c 'while read -r w; do sleep 0.2; echo 1; done'
beside 4 exec --rounds 3 --prepare 'sleep 0.2' --cleanup true -- sleep 0.1
beside 4 compare 'exec -- sleep 0.1' 'exec -- sleep 0.3' --limit 20s
printf 'exec: sleep 0.1; echo %%n%%\nfactor n: 1 2 3 4\nfactor load: off\n  set: true\n  unset: true\nrepeats: 1\n' >plan.txt
beside 4 sweep plan.txt

# When a round fails because it left a process running, or is killed at its timeout, only its own processes are ended.
leaves() {
    words=$1
    shift
    rm -f orphan
    SECONDS_OF=$seconds timeout -s KILL 60 sh -c 'sleep "$SECONDS_OF" >&- 2>&- & exec "$0" "$@"' \
        "$CUPEL" "$@" >out 2>err </dev/null
    holds err "$words"
    [ "$(running | wc -l)" -eq 1 ] || fault "cupel $*: $(running | wc -l) processes live, and not the one from before"
    end_all
}
leaves 'left 2 processes that went on' exec -- sh -c "sleep $seconds & (setsid sleep $seconds >/dev/null 2>&1 &); echo done"
leaves 'took longer than 0.2 s' exec --timeout 0.2s -- sh -c "sleep $seconds & (setsid sleep $seconds >/dev/null 2>&1 &); sleep 100"

# Processes that a preparation leaves running are not ended.
status 0 exec --rounds 2 --prepare "sleep $seconds >/dev/null 2>&1 &" -- true
[ "$(running | wc -l)" -eq 2 ] || fault "$(running | wc -l) servers of two preparations live"
end_all

finish
