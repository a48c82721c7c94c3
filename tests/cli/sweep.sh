#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel sweep: every run is done once and is in the result, for sessions and for programs; interruptions, shards, commands,
# refusals.
# Slow: many runs.
# shellcheck source=/dev/null
. "$(dirname "$0")/in_memory"
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# rows FILE: prints configuration and pass of every regular run, sorted.
rows() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["control"] == 0 { print $at["configuration"], $at["block"] }' "$1" | sort -n
}

# every_pass FILE CONFIGURATIONS REPEATS: each configuration occurs once in every pass.
every_pass() {
    rows "$1" >got_rows
    for c in $(seq "$2"); do
        for b in $(seq "$3"); do
            echo "$c $b"
        done
    done | sort -n >all_rows
    cmp -s got_rows all_rows || fault "$1: not every configuration once in every pass: $(diff got_rows all_rows | head -n 5)"
}

# Sessions on one file that is made for all of them.
cat >plan.txt <<'END'
target: data
realtime: 0
direct: 0
runtime: 0.3s
factor threads: 1 2
factor file-size: 64k 1m
factor bs: 4k 128k      # KiB
factor mode: read randwrite
constraint: file-size > bs
constraint: threads <= 1
response: throughput p99 bps
repeats: 2
control: every 4 runs
END
longer 0 sweep plan.txt -o kept --keep-records
grep -qE '^SWEPT( ON A BUSY MACHINE)?: ' out || fault "the first line is $(head -n 1 out)"
[ "$(find kept/records -name 'run-*.cupel' | wc -l)" -eq "$(($(wc -l <kept/runs.csv) - 1))" ] || fault 'a run has no record'
limited report kept/records/run-000007.cupel --format csv >out 2>err
bandwidth=$(metric_of bandwidth value)
[ "$bandwidth" = "$(awk -F, '$8 == 7 { print $5 }' kept/runs.csv)" ] || fault "the record of run 7 says $bandwidth"
[ "$(awk 'length > 80' kept/sweep.txt | wc -l)" -eq 0 ] || fault "lines beyond 80 columns: $(awk 'length > 80' kept/sweep.txt)"
head -n 1 kept/runs.csv | grep -qx 'threads,file-size,bs,mode,throughput,p99,bps,run,configuration,control,time,seconds,host,block' ||
    fault "the header: $(head -n 1 kept/runs.csv)"
every_pass kept/runs.csv 6 2
[ "$(awk -F, '$10 == 1' kept/runs.csv | wc -l)" -eq 4 ] || fault "controls: $(awk -F, '$10 == 1' kept/runs.csv)"
# On a busy machine a run of 0.3 s may have a level of 0, if other programs had the processors until its end; but not half of
# the runs.
awk -F, 'NR > 1 && !($5 > 0 && $7 > 0)' kept/runs.csv >bad
bad_max=0
! grep -q '^SWEPT ON A BUSY MACHINE' kept/sweep.txt || bad_max=8
[ "$(wc -l <bad)" -le $bad_max ] || fault "rows without responses: $(cat bad)"
# A p99 needs some hundred independent requests, more than a busy machine completes in some runs of 0.3 s.
awk -F, 'NR > 1 { rows++; with += $6 > 0 } END { exit !(2 * with > rows) }' kept/runs.csv || fault "a p99 in few rows: $(cat kept/runs.csv)"
awk -F, 'NR > 1 && !($2 > $3)' kept/runs.csv >bad
[ ! -s bad ] || fault "rows against a constraint: $(cat bad)"
[ "$(wc -l <kept/configurations.csv)" -eq 19 ] || fault "configurations.csv: $(wc -l <kept/configurations.csv) lines"
refused 2 'kept holds a sweep already: --resume goes on with it' sweep plan.txt -o kept
status 0 sweep plan.txt -o kept --resume --format csv
cmp -s out kept/runs.csv || fault 'a complete sweep that is resumed ran something'
status 0 sweep plan.txt --dry-run
grep -qx '6 configurations, 12 runs' out || fault "--dry-run: $(cat out)"
holds out 'They take about '

# A program, with a factor that a command sets.
cat >program.txt <<'END'
exec: echo "%n% $(cat level)"; echo x >>ran
index: twice,1/s,0
factor n: 1 2 3
factor load: low high
  set: echo %LEVEL% >level; echo %LEVEL% >>sets
  unset: echo off >level
repeats: 4
seed: 7
END
status 0 sweep program.txt -o programs --format csv
every_pass out 6 4
awk -F, 'NR > 1 && $3 != $1' out >bad
[ ! -s bad ] || fault "responses of a program: $(cat bad)"
[ "$(cat level)" = off ] || fault 'the level was not unset'
[ "$(wc -l <ran)" -eq 24 ] || fault "$(wc -l <ran) runs instead of 24"
awk -F, 'NR > 1 { print $1 $2 }' out >first
status 0 sweep program.txt --format csv
awk -F, 'NR > 1 { print $1 $2 }' out >second
cmp -s first second || fault 'the same seed made another order'

# Repeats until each SD is known well enough, and a map made from the same file. The noise is the program's own.
cat >noise <<'END'
#!/bin/sh
echo x >>count
awk -v mean="$(($1 * $2))" -v seed="$(wc -l <count)" 'BEGIN { srand(seed); for (i = 0; i < 12; i++) x += rand()
    print mean * (1 + (x - 6) / 10) }'
END
chmod +x noise
cat >until.txt <<'END'
exec: ./noise %n% %m%
index: value,1/s,0
factor n: 1 2 4 8
factor m: 3 6 12
repeats: until sd within 60% at least 6 at most 40
END
longer 0 sweep until.txt -o until
holds out 'configurations is known to within 60 %'
awk -F, 'NR > 1 { n[$5]++ } END { for (c = 1; c <= 12; c++) if (n[c] < 6 || n[c] > 40) print c, n[c] }' until/runs.csv >bad
[ ! -s bad ] || fault "runs of a configuration: $(cat bad)"
awk -F, 'NR > 1 && $5 < 40 && $9 - $7 > 0.6 * $7 * 1.000001' until/configurations.csv >bad
[ ! -s bad ] || fault "an SD is not known as well as asked: $(cat bad)"
status 0 predict --data until/runs.csv --factors n,m --value value --response mean --validate --shares .7 --splits 50 --format csv
error=$(awk -F, '$1 == "lr" && $3 == "random" { print $5 }' out)
is_true "${error:-100} < 20"

# Refusals: an unknown key with its position in the plan, a folder as a target, conflicting options, a permission in a plan.
printf 'factor bs: 4k\nrepeats: 1\nioengin: null\n' >bad.txt
refused 2 'bad.txt:3:1: there is no "ioengin"; did you mean ioengine?' sweep bad.txt
printf 'target: .\nfactor bs: 4k\nrepeats: 1\n' >bad.txt
refused 2 'it is a folder: name a file in it' sweep bad.txt
printf 'ioengine: sync\nfactor iodepth: 1 4\nrepeats: 1\n' >bad.txt
refused 2 'iodepth=4: --ioengine sync has one I/O at a time' sweep bad.txt
printf 'target: data\noverwrite: 1\nfactor bs: 4k\nrepeats: 1\n' >bad.txt
refused 2 'permission to destroy stands on the command line' sweep bad.txt
head -c 1m /dev/urandom >mine
cksum mine >before
printf 'target: mine\nrw: write\ndirect: 0\nfactor bs: 4k\nrepeats: 1\n' >bad.txt
refused 3 'mine' sweep bad.txt
cksum mine | cmp -s - before || fault 'a file that cupel did not make was written'
finish
