#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel accept and kill -9 at two dozen random moments: each call continues from the state's place, never before or beyond
# what was flushed, and in the end the whole disk is written as without a kill.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

truncate -s 256M disk
attach disk
random 0.1 0.7 24 >moments
passes=12 # so that the kills come before the end
kills=0 again=0
while read -r moment; do
    start work accept "$LOOP" --destroy -o kept --passes $passes
    sleep "$moment"
    kill -KILL "$SESSION" 2>/dev/null && kills=$((kills + 1))
    wait "$WATCHDOG" 2>/dev/null
    [ -s kept/accept.state ] || { # before its first line
        rm -rf kept
        continue
    }
    # The places in the state never go back: pass and byte are never less than before.
    awk '{ g = f = 0
        for (i = 4; i <= NF; i++) {
            split($i, part, "=")
            if (part[1] == "generation") g = part[2]
            if (part[1] == "flushed") f = part[2]
        } }
        $3 == "written" { if (g < was_g || (g == was_g && f < was_f)) bad++
            was_g = g; was_f = f }
        END { exit bad > 0 }' kept/accept.state || fault "after $moment s: the state goes back"
    limited report kept >out 2>err
    got=$?
    case $got in
    0) break ;;
    5) again=$((again + 1)) ;;
    2) grep -q 'nothing was begun\|no whole line' err || fault "after $moment s: $(cat err)" ;;
    *) fault "after $moment s: report: exit status $got: $(cat err)" ;;
    esac
    if grep -q 'nothing was begun\|no whole line' err; then
        rm -rf kept
    fi
done <moments
echo "$kills kills, $again of them in the middle of the work"
[ "$again" -ge 5 ] || skip 'the disk is so fast that few kills came before the end'
for _ in 1 2 3; do
    timeout -s KILL 100 "$CUPEL" accept --resume kept --destroy >out 2>err </dev/null && break
done
[ "$(head -n 1 out | cut -d ' ' -f 1)" = accepted ] || fault "in the end: $(cat err)"
holds out 'taken up again'
sync "$LOOP"
twice=$(alike disk)
[ "$twice" -eq 0 ] || fault "$twice sectors are alike: they were not written"
flushed=$(grep -o "generation=$passes flushed=[0-9]*" kept/accept.state | tail -n 1)
[ "$flushed" = "generation=$passes flushed=268435456" ] || fault "the state ends at $flushed"
finish
