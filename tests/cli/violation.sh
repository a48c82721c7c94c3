#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --on-violation: the command runs once for each broken clause and gets its details; a command that fails; and, while a merge
# is followed, a command that runs on its own.
# Slow: sessions run for seconds.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

cat >note <<'SCRIPT'
#!/bin/sh
read -r line && echo "input: $line" >>noted
echo "$CUPEL_CLAUSE|$CUPEL_VERDICT|$CUPEL_LIMIT|$CUPEL_VALUE|$CUPEL_TIME" >>noted
echo 'said by the command'
SCRIPT
chmod +x note

# At the end of a run the command runs for the broken clause and for no other.
null='--ioengine null --null-script const:1ms --rw randread --size 64m --overhead 0'
# shellcheck disable=SC2086
longer '1 5' run null $null --runtime 4s --sla 'iops>100M, read.errors=0' --on-violation ./note -o one --format csv
[ "$(wc -l <noted)" -eq 1 ] || fault "not one line: $(cat noted)"
grep -qE '^iops>100M\|fail\|100000000\|[0-9.]+\|20[0-9-]+T[0-9:]+Z$' noted || fault "what the command was given: $(cat noted)"
grep -q 'said by the command' out && fault 'the output of the command stands in the result'
holds err 'said by the command'

# At the end of a merge; if the command fails, that is reported in a line and changes nothing else.
rm noted
longer 1 merge one --sla 'iops>100M, iops>200M' --on-violation './note; exit 3'
sort noted | cut -d '|' -f 1 >clauses
printf 'iops>100M\niops>200M\n' | cmp -s - clauses || fault "not both clauses: $(cat noted)"
holds err '--on-violation for iops>100M: its exit status is 3'
longer 1 merge one --sla 'iops>100M' --on-violation 'kill -9 $$'
holds err 'it was ended by signal 9'
longer 1 merge one --sla 'iops>100M' --on-violation ./nothing-there
holds err 'its exit status is 127'
longer '0 5' merge one --sla 'iops>1' --on-violation './note; touch wrong'
[ ! -e wrong ] || fault 'the command ran although the clause holds'

# While a merge is followed, the command runs once, as soon as the clause is decided, and following continues meanwhile. The
# command waits for the end of the session, which comes after further intervals.
rm noted
# shellcheck disable=SC2086
"$CUPEL" run null $null --runtime 12s -o live >/dev/null 2>&1 &
session=$!
until [ -e live/record.cupel ] || ! kill -0 $session 2>/dev/null; do
    sleep 0.1
done
status 1 merge --follow live --stale 5s --sla 'iops>100M' \
    --on-violation "./note; kill -0 $session && echo early >>noted; while kill -0 $session 2>/dev/null; do sleep .1; done"
wait
[ "$(grep -c '^iops>100M|fail|' noted)" -eq 1 ] || fault "not once: $(cat noted)"
[ "$(grep -c '^iops>100M|now|' noted)" -le 1 ] || fault "more than once broken now: $(cat noted)"
grep -q early noted || fault 'the command ran at the end only'
[ "$(grep -c '^20' out)" -ge 6 ] || fault "watching did not go on: $(cat out)"

# A limit over the whole time that is kept at first: the command runs when later intervals break it.
# shellcheck disable=SC2086
"$CUPEL" run null --ioengine null --null-script '8s@const:100us;const:30ms' --rw randread --size 64m --overhead 0 --rate_iops 500 \
    --iodepth 64 --runtime 20s --limit 60s -o turns >/dev/null 2>&1 &
until [ -e turns/record.cupel ] || ! kill -0 $! 2>/dev/null; do
    sleep 0.1
done
longer '1 5' merge --follow turns --stale 9s --sla 'read.p50<20ms' --on-violation "echo \$CUPEL_VERDICT \$CUPEL_VALUE >>turned"
wait
grep '^now ' turned >now || fault "what the command was given: $(cat turned)"
[ "$(wc -l <now)" -eq 1 ] || fault "not once: $(cat turned)"
[ "$(cut -d ' ' -f 2 now | cut -d . -f 1)" -ge 20000000 ] || fault "the value of the interval: $(cat now)"
grep -q '^20.*; broken now: read.p50<20ms' out || fault "the lines: $(cat out)"

# The command has default signal handling, and a second Ctrl-C ends it together with cupel.
longer 1 merge one --sla 'iops>100M' --on-violation 'yes | head -n 1'
grep -q 'Broken pipe' err && fault 'the command does not know that nobody reads on'
env --ignore-signal=CHLD "$CUPEL" merge one --sla 'iops>100M' --on-violation 'exit 3' >out 2>err
holds err 'its exit status is 3'
"$CUPEL" merge one --sla 'iops>100M' --on-violation 'echo $$ >runs; sleep 25; echo went on >ended' >/dev/null 2>&1 &
merge=$!
until [ -s runs ] || ! kill -0 $merge 2>/dev/null; do
    sleep 0.1
done
kill -INT $merge
sleep 1.2
kill -INT $merge
wait $merge
goes_on() { # a process that ended but was not waited for does not count
    grep -qs '^State:.[^ZX]' "/proc/$(cat runs)/status"
}
for wait in 1 2 3 4; do
    goes_on && sleep "0.$wait"
done
goes_on && fault 'the command of a merge that was ended goes on'

refused 2 '--on-violation needs --sla' merge one --on-violation true
refused 2 '--on-violation needs --sla' run null --ioengine null --on-violation true --runtime 1s
finish
