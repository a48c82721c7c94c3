#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Help, version, usage errors with their exit statuses, and output that cannot be written.
project=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

status 0 --version
holds out 'cupel '
holds out 'GPL-3.0-or-later'

status 0 --help
holds out 'cupel run'
status 0 help
for command in run replay compare qualify accept sweep analyze predict report sign serve restore help; do
    holds out "$command"
done
for command in run replay compare qualify accept sweep analyze predict report sign serve restore help; do
    status 0 help $command
    cp out page
    for heading in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES 'EXIT STATUS'; do
        grep -qx "$heading" page || fault "the help of $command has no $heading"
    done
    status 0 $command --help
    cmp -s page out || fault "cupel $command --help and cupel help $command differ"
    [ "$(awk 'length > 79' page | wc -l)" -eq 0 ] || fault "the help of $command is wider than 79 columns"
done
status 0 run --bs nonsense --help

refused 2 'a command is missing'
refused 2 'there is no command "anlyze"; did you mean analyze?' anlyze
refused 2 'there is no command "rnu"' help rnu
refused 2 'unknown option --bs' --bs
refused 2 'did you mean --iodepth?' run --iodpeth 4
refused 2 'too many names' restore a b
refused 2 'FILE|- is missing' analyze
refused 2 'RECORD is missing' report
refused 2 '--min-time 30 s is longer than the whole session may take (--limit 20 s)' run --ioengine null \
    --min-time 30s --limit 20s
refused 2 '--bs 1: it must be between 512 B and 64 MiB' run --bs 1
refused 2 '--interval foo: it must be one of spectral, pilot' run --interval foo
refused 2 '--interval 10ms: it must be between 100 ms and 24 h' run --interval 10ms
refused 2 '--interval 20 s is longer than the run of 10 s (--runtime)' run --ioengine null --interval 20s --runtime 10s
refused 2 'readings without times' analyze --interval 1s nothing
refused 2 'multiple of 512' run --bs 1000
refused 2 '--ioengine uring' run --ioengine sync --iodepth 8
refused 2 '--ioengine nvme-uring' run --ioengine nvme --iodepth 8
refused 2 'page cache' run --ioengine nvme-uring --direct 0
refused 2 'is for whole NVMe namespaces' run "$CUPEL" --ioengine nvme
refused 2 'is for whole NVMe namespaces' run "$CUPEL" --ioengine nvme-uring
refused 2 '--rwmixread needs --rw rw or randrw' run --rwmixread 70
refused 2 'one of text, csv, json' run --format yaml
refused 2 "the target's name is empty" run ''
refused 2 'does-not-exist' run does-not-exist
refused 2 'does-not-exist' report does-not-exist
refused 2 '?' run 'does
not-exist'

# docs/rules.md, the rules between options, equals what the program's tables print.
status 0 help rules
awk '$0 == "\140\140\140" { inside = !inside; next } inside' "$project/docs/rules.md" | diff - out >changed ||
    fault "docs/rules.md is not what cupel help rules prints: $(head -5 changed)"

# Output that cannot be written is a failure, with a message.
"$CUPEL" help run >/dev/full 2>err
got=$?
[ $got -eq 4 ] || fault "a full disk under standard output: exit status $got instead of 4"
holds err 'standard output'
(
    ulimit -f 1
    "$CUPEL" help --man >limited 2>err
    echo $? >got
)
[ "$(cat got)" -eq 4 ] || fault "a limit on file sizes: exit status $(cat got) instead of 4"
"$CUPEL" --version >&- 2>err
got=$?
[ $got -eq 4 ] || fault "a closed standard output: exit status $got instead of 4"
{
    "$CUPEL" help run 2>err
    echo $? >got
} | true
[ "$(cat got)" -eq 4 ] || [ "$(cat got)" -eq 0 ] || fault "a closed pipe: exit status $(cat got)"

# The manual page has every option, and groff has no warning about it.
status 0 help --man
for option in randread numjobs preset column 'lower\-is\-better'; do
    holds out "$option"
done
if command -v groff >/dev/null; then
    groff -man -ww -Tascii out >page 2>warnings
    [ ! -s warnings ] || fault "groff on the manual page: $(head -n 3 warnings)"
fi
# A folder named like a file, for every command; a profile by name; inputs of cupel report that are not a record.
refused 2 '--output foo.json: it makes a folder' run --ioengine null --output=foo.json
refused 2 '--output a.HTML: it makes a folder' merge -o a.HTML x
[ ! -e foo.json ] || fault 'foo.json was made'
status 0 help profile tpc-b
holds out 'TPC-B'
refused 2 'there is no profile tpc-x' help profile tpc-x
refused 2 'too many names' help run x
seq 1 200 | awk "{ print 1000 + \$1 % 3 }" >column
status 0 compare column column -o compared
status 0 report compared
cmp -s out compared/comparison.txt || fault 'report of a comparison is not what was kept'
status 0 report compared --format csv
cmp -s out compared/comparison.csv || fault 'report of a comparison as CSV is not what was kept'
refused 2 'not a cupel record' report column
printf 'fio version 2 iolog\n/dev/x add\n/dev/x open\n/dev/x read 0 4096\n' >some.iolog
refused 2 'some.iolog is a trace (' report some.iolog
finish
