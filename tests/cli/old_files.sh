#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every version of every durable file is still read and gives the numbers that its version of cupel printed: records, merged
# files, traces, records of cupel exec, the log of a sweep, repeat.cupel. (The journal of cupel accept: accept.sh.)
# tests/golden/record has a file of each; a new version of a format adds one.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

source=${0%/*}/../..
case $source in
/*) ;;
*) source=$OLDPWD/$source ;;
esac
golden=$source/tests/golden/record

# value METRIC OP FILE: prints its value in a report's CSV.
value() {
    awk -F, -v metric="$1" -v op="$2" '$1 == metric && $2 == op { print $4 }' "$3"
}

# gives FILE METRIC OP VALUE WORDS...: the file's report has this value and contains the words.
gives() {
    file=$1 metric=$2 op=$3 number=$4
    shift 4
    longer '0 5' "$@" "$golden/$file" --format csv
    got=$(value "$metric" "$op" out)
    [ "$got" = "$number" ] || fault "$file: $op $metric is $got instead of $number: $(cat err)"
}

gives format4_closed.cupel iops read 1918738.7096774194 report
gives version1_merged.cupel iops read 1917488.2352941176 merge
gives version2_merged.cupel iops read 1994.7370500453806 merge
gives version3_merged.cupel iops read 440.5833849608048 merge
gives version4_merged.cupel iops read 1917488.2352941176 merge
gives version5_merged.cupel iops read 1917488.2352941176 merge
gives trace1.cupel lat_p99 read 210.75 merge
gives repeat1 iops read 19592331.81818182 report
gives repeat1/session-2/record.cupel lat_p99 read 10 report
for record in exec1 exec1/record.cupel; do
    gives $record duration all 0.002040492917330994 report
    gives $record x all 10 report
done

# The record of cupel exec was called record.cupel once and is called program.cupel now; both names are read.
mkdir new
cp "$golden/exec1/record.cupel" new/program.cupel
status 0 report new --format csv
cp out of_new
status 0 report "$golden/exec1" --format csv
cmp -s out of_new || fault 'the name of the record changes the report'
longer "0 5" compare "$golden/exec1" new new/program.cupel --metric x --format csv
mkdir -p several/a
cp new/program.cupel several/a
refused 2 'several/a shows the first' report several

# A resumed sweep does not repeat runs of an older version.
cp -r "$golden/sweep1" sweep
status 0 sweep sweep/plan.txt -o sweep --resume --format csv
[ "$(wc -l <out)" -eq 11 ] || fault "the sweep has other runs: $(cat out)"
cmp -s sweep/sweep.log "$golden/sweep1/sweep.log" || fault 'a resumed sweep that was complete has another log'

# Newly written files have the bytes of the old ones, where these do not depend on the time of writing.
status 0 merge "$golden/version5_merged.cupel" -o again
cmp -s again/merged.cupel "$golden/version5_merged.cupel" || fault 'a merge of a merge has other bytes'
# shellcheck disable=SC2016 # the program's shell
limited exec --rounds 12 --pi x,u,0 --label host=golden -o program --format csv -- sh -c 'echo $((9 + %ROUND% % 2 * 2))' >out 2>err
[ -e program/program.cupel ] || fault "exec's record has another name: $(ls program)"
[ ! -e program/record.cupel ] || fault 'exec has written a record.cupel'
# Compared without checksums and without newer settings, since each checksum covers all lines before it.
sed '/^date/Q; s/\t[0-9a-f]*$//' "$golden/exec1/record.cupel" >before
sed '/^set\t\(width_given\|unit_rounds\|duration_of\)/d; /^date/Q; s/\t[0-9a-f]*$//' program/program.cupel | cmp -s - before ||
    fault 'the record of exec begins in another way'

finish
