#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel compare of plans on a loop device: every plan needs its own permission to write. Two plans that write one device, also
# under two names and with two engines, use it in turn. A replay that only reads changes nothing.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

head -c 16777216 /dev/urandom >disk.img
attach disk.img
ln -s "$LOOP" alias
awk 'BEGIN { for (i = 0; i < 500; i++)
    printf "128166%012d,hm,1,%s,%d,4096,10\n", 2000 * i, i % 3 ? "Read" : "Write", 4096 * (i * 1237 % 2048) }' >mixed
sum=$(sum_of "$LOOP")

# compared EXPECTED PLAN PLAN: compares with short rounds until the end; no round may fail.
compared() {
    expected=$1
    shift
    timeout -s KILL 100 "$CUPEL" compare "$@" --round 0.2s --limit 15s --format csv >out 2>err </dev/null
    got=$?
    case " $expected " in
    *" $got "*) ;;
    *) fault "cupel compare $*: exit status $got: $(cat err)" ;;
    esac
}

compared '0 5' "replay mixed $LOOP --speed asap" "run $LOOP --rw randread --overhead 0"
[ "$(sum_of "$LOOP")" = "$sum" ] || fault 'plans that only read changed the device'

# A permission to write counts only for the plan that has it.
compared 3 "run $LOOP --rw randread" "run $LOOP --rw randwrite"
holds err --destroy
compared 3 "run $LOOP --rw randread" "replay mixed $LOOP --allow-writes"
holds err --destroy
[ "$(sum_of "$LOOP")" = "$sum" ] || fault 'a refused plan changed the device'
compared 3 "run $LOOP --rw randwrite --destroy --overhead 0" "run $LOOP --rw randwrite --bs 8k"
holds err --destroy
compared 3 "replay mixed $LOOP --allow-writes --destroy" "replay mixed alias --allow-writes"
holds err --destroy
[ "$(sum_of "$LOOP")" = "$sum" ] && fault 'the plan with leave to write was refused as well'

# One device, opened in two ways or under two names: in its round each plan has it alone.
compared '0 5' "run $LOOP --rw randwrite --destroy --overhead 0" "run alias --rw randwrite --destroy --size 8m --overhead 0"
grep -q ',iops,' out || fault "two names: $(cat out err)"
compared '0 5' "run $LOOP --rw randwrite --destroy --overhead 0" "replay mixed alias --allow-writes --destroy --speed asap"
grep -q ',response_time,' out || fault "a run and a replay that write: $(cat out err)"
compared '0 5' "run $LOOP --rw randwrite --destroy --overhead 0" "run $LOOP --rw randread --overhead 0"
grep -q ',iops,' out || fault "writing and reading: $(cat out err)"
finish
