#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel merge of incomplete input: every missing part is reported, and no limit counts as kept when the host that may have
# broken it is missing.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# Prints a log with one I/O of 100 us every 10 ms for 20 s.
log() {
    awk 'BEGIN { for (i = 0; i < 2000; i++) printf "%.0f, %d, 0, 4096, 0\n", 1795507200000 + 10 * i, 100000 + i % 7 }' >"$1"
}

# grep_err TEXT: standard error contains the text.
grep_err() {
    grep -qF -- "$1" err || fault "standard error has no \"$1\": $(cat err)"
}

mkdir logs
for i in 1 2 3; do log logs/x_lat.1.log.node$i; done
echo 'fio --client' >logs/README
limits='read.p50<1s,errors=0'

status 0 merge logs --sla "$limits" --full
grep -q 'logs/README: left out, because its format is not known' out || fault 'a file that is left out is not named'

# A host without I/O, or whose log is cut short, may have broken the limits in the part that is missing.
: >logs/x_lat.1.log.node4
status 5 merge logs --sla "$limits"
tr -s ' \n' ' ' <out | grep -q 'kept by what is there, but node4 holds no I/O' || fault 'the empty log does not leave limits open'
log whole
head -c 30000 whole >logs/x_lat.1.log.node4
status 5 merge logs --sla "$limits"
tr -s ' \n' ' ' <out | grep -q 'but node4 breaks off' || fault 'a log that breaks off does not leave limits open'
status 1 merge logs --sla 'read.p50<10us'

# A log that cannot be read is refused, also when it is inside a folder.
head -c 5000 /dev/zero >logs/x_lat.1.log.node4
status 2 merge logs
grep_err 'node4: its format is not known'
rm logs/x_lat.1.log.node4
ln -s /nowhere logs/x_lat.1.log.node4
status 2 merge logs
grep_err 'node4: it cannot be read'
rm logs/x_lat.1.log.node4
mkfifo logs/x_lat.1.log.node4
status 2 merge logs
grep_err 'node4: it is no file'
rm logs/x_lat.1.log.node4

# An empty log has no times, so it does not conflict with logs whose times count from their start.
printf '0, 5000, 0, 4096, 0\n900, 5000, 0, 4096, 0\n' >own_lat.1.log
: >own_lat.2.log
status 0 merge own_lat.1.log own_lat.2.log

# A log and its gzipped copy are one source; two hosts whose long names have the same beginning are two.
gzip -c logs/x_lat.1.log.node1 >copy_lat.1.log.gz
status 0 merge logs/x_lat.1.log.node1 copy_lat.1.log.gz
grep -q 'again' out || fault 'a gzipped copy counts twice'
mkdir long
name=$(printf '%0150d' 0)
log "long/x_lat.1.log.${name}a"
sed 's/, 0, 4096/, 0, 8192/' "long/x_lat.1.log.${name}a" >"long/x_lat.1.log.${name}b"
status 0 merge long --by host --interval 10s --format csv
[ "$(awk -F, '$1 == "iops" && $(NF - 7) ~ /08:00:10/ && $(NF - 8) != "" { print $8 }' out | tr '\n' ' ')" = '1000 1000 ' ] ||
    fault 'hosts whose names begin alike share their intervals'

# The longest I/O ends 3 ms into the last slice of 20 ms. It counts in the mean response time, 2.595 ms, though 3 ms of a
# slice are too little for a rate.
awk 'BEGIN { for (i = 0; i < 2000; i++) printf "%.0f, 100000, 0, 4096, 0\n", 1795507200000 + i
    printf "1795507202003, 4992600000, 0, 4096, 0\n" }' >last_lat.1.log
status 0 merge last_lat.1.log --format csv
awk -F, '$1 == "response_time" && $2 == "read" { exit !($4 > 2.1e6 && $4 < 2.7e6) }' out ||
    fault "the last I/O is not in the mean: $(grep ^response_time out)"

# Links to folders are reported, because a host may be in them.
mkdir elsewhere
log elsewhere/x_lat.1.log.node4
ln -s ../elsewhere logs/node4
status 0 merge logs
grep -q 'Warning: logs/node4: a link to a folder' out || fault 'a link to a folder is left out in silence'
mkdir -p deep/1/2/3/4/5/6/7/8/9/10/11/12/13
status 2 merge deep
grep_err 'folders are looked into 12 deep'

# One I/O a day: intervals that cupel chooses are long enough for that; the number of requested intervals is limited.
awk 'BEGIN { for (i = 0; i < 365; i++) printf "%.0f, 500000, 0, 4096, 0\n", 1795507200000 + i * 86400000 }' >year_lat.1.log
status 0 merge year_lat.1.log
status 2 merge year_lat.1.log --interval 1s
grep_err 'more than 1000000 intervals'
printf '1795507200000, 86400000000000, 0, 4096, 0\n' >day_lat.1.log
status 2 merge day_lat.1.log --interval 10ms
grep_err 'more than 1000000 intervals'
finish
