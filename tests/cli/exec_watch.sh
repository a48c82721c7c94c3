#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What limits a program: its threads, the disks of files that it names or opens, and the user's components, in the report, the
# files and the record. Commands of components run beside the rounds and leave no process running.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

umask 022

# column PART NAME: prints the column of that part's row.
column() {
    awk -F, -v part="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        $1 == part { print $at; exit }' kept/machine.csv
}

# The disks that a run on this folder watches; none in a container that hides them.
# shellcheck disable=SC2086 # the options are words
longer '0 5' run file --size 8m --preset quick --min-samples 2 --min-time 1s --limit 5s --overhead 0 --block-layer 0 -o ran
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["on_path"] == 1 && $at["kind"] == "disk" { print $at["part"] }' ran/data_path.csv >disks

# ---- a component that is always at its limit, whose command runs beside the rounds ----

cat >graph <<'END'
[component queue]
level_command = echo 17
limit = 20
every = 100ms
END
# shellcheck disable=SC2016 # the program's shell expands it
busy='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'
status 0 exec --rounds 8 --limit 60s --graph graph -o kept -- sh -c "$busy; exec dd if=file of=/dev/null bs=64k"
tr -s ' \n' ' ' <out >flat
grep -q 'BOTTLENECK: .*queue was saturated 100 % of the time (85 % of its limit on average)' flat ||
    fault "the queue is no bottleneck: $(head -n 20 out)"
holds flat 'queue 85 % of its limit, at most 85 %: a bottleneck'
[ "$(awk -F, 'NR > 1 && $NF != "" { n++ } END { print n + 0 }' kept/rounds.csv)" -eq 8 ] || fault "rounds are missing"
if grep -q 'failed' err; then
    fault "a round failed beside a command: $(cat err)"
fi
is_true "$(column queue utilisation) > 0.849 && $(column queue saturated) > 0.999999"
is_true "$(column 'busiest thread' utilisation) > 0 && $(column 'busiest thread' utilisation) <= 1"
is_true "$(column 'all processors' utilisation) > 0"
while read -r disk; do
    [ "$(column "$disk" on_path)" = 1 ] || fault "the disk $disk, where the file of the command lies, was not watched"
done <disks

# The record gives the same result.
cp out first
status 0 report kept
cmp -s first out || fault "the record says something else: $(diff first out | head -n 4)"
status 0 report kept --format json
holds out '"parts":'
holds out '"measure": "limit"'
rm -r kept

# With --strict-bottleneck the result is not accepted as a measurement of the disk, also when read from the record.
status 5 exec --rounds 8 --limit 60s --graph graph --strict-bottleneck -o strict -- sh -c "$busy"
holds err 'not the disk: '
holds err ' of the time (see --strict-bottleneck)'
holds out 'NOT DECIDED: duration'
cp out first
status 5 report strict
cmp -s first out || fault "the record of a strict session says something else"
status 5 report strict --format json
holds out '"verdict": "bottleneck"'
refused 2 '--strict-bottleneck and --monitor-cost 0 exclude each other' exec --strict-bottleneck --monitor-cost 0 -- true

# ---- files that are only opened, and found while the program runs ----

cat >opens <<'END'
exec 3<"$(printf 'f%s' ile)"
sleep 1
END
status 0 exec --rounds 3 --limit 60s -o kept -- sh -c '. ./opens'
while read -r disk; do
    [ "$(column "$disk" on_path)" = 1 ] || fault "the disk $disk, where an open file lies, was not watched"
done <disks
rm -r kept

# ---- nothing is watched, and what is refused ----

status 0 exec --rounds 3 --monitor-cost 0 -o kept -- sleep 0.2
[ "$(wc -l <kept/machine.csv)" -eq 1 ] || fault "--monitor-cost 0 watched: $(cat kept/machine.csv)"
refused 2 '--graph and --monitor-cost 0 exclude each other' exec --monitor-cost 0 --graph graph -- true
refused 2 'nowhere: No such file' exec --graph nowhere -- true
printf '[component a]\nlevel_command = exit 7\n' >graph
refused 2 'component a: exit 7: its exit status is 7' exec --graph graph -- touch executed
[ ! -e executed ] || fault 'the program ran though its graph was refused'
printf '[component a]\nbetween = xyzzy..machine\nlimit = 1 GB/s\n' >graph
refused 2 'component a: ' exec --graph graph -- dd if=file of=/dev/null

finish
