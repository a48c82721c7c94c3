#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel probe on the fixture machines: the text, the CSV and the data paths equal tests/golden/probe. CUPEL_GOLDEN_WRITE=1
# rewrites these: before a commit, read the difference as an engineer who gets the report.
# Slow: every machine in every format.
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=/dev/null
. "$tests/cli/in_memory"
# shellcheck source=/dev/null
. "$tests/cli/checks"
export NO_COLOR=1 LC_ALL=C

# same_as GOLDEN: out equals that file of tests/golden/probe.
same_as() {
    golden=$tests/golden/probe/$1
    if [ "${CUPEL_GOLDEN_WRITE:-}" = 1 ]; then
        cp out "$golden"
    elif ! diff -u "$golden" out >difference 2>&1; then
        fault "the output differs from $golden:"
        head -n 40 difference
    fi
}

# machine NAME TARGET...: probes as text with the paths to the targets, and as CSV without targets.
machine() {
    name=$1
    shift
    "$tests/fixtures/unpack.sh" "$tests/fixtures/machines/$name.tree" "$name" || {
        fault "$name.tree cannot be unpacked"
        return
    }
    status 0 probe "$@" --sysroot "$name" --pci-ids "$name/usr/share/misc/pci.ids"
    [ ! -s err ] || fault "cupel probe $name: something on standard error: $(head -n 3 err)"
    same_as "$name.txt"
    mv out whole
    status 0 probe --sysroot "$name" --pci-ids "$name/usr/share/misc/pci.ids" --format csv
    same_as "$name.csv"
    # Every row has eight columns and one of the four statuses.
    awk -v OFS=, 'BEGIN { quoted = "\"([^\"]|\"\")*\"" } { gsub(quoted, "q") }
        split($0, column, ",") != 8 { print NR ": " $0; bad = 1 }
        NR > 1 && column[8] !~ /^(ok|absent|denied|invalid)$/ { print NR ": " $0; bad = 1 }
        NR == 1 && $0 != "node,kind,parent,key,value,unit,source,status" { print; bad = 1 }
        END { exit bad }' out >columns || fault "$name.csv: not eight columns: $(head -n 3 columns)"
    # A capture of the machine gives the same result, paths included. The capture of the garbage machine lacks links that lead
    # out of its tree.
    status 0 probe --sysroot "$name" --pci-ids none --capture "$name.tar"
    status 0 probe "$@" --sysroot "$name.tar" --pci-ids "$name/usr/share/misc/pci.ids"
    [ "$name" = garbage ] || diff -u whole out >difference || fault "the capture of $name: $(head -n 20 difference)"
    status 0 probe --all --sysroot "$name" --pci-ids none
    status 0 probe --format json --sysroot "$name" --pci-ids none
}

machine server /scratch/file nvme1n1 nvme2n1 ens3f0np0
machine hba /srv/archive/file /srv/bulk/file md1 sde eno1
machine laptop / sda sdb
machine guest / ens3
machine bond /data/file /mnt/nfs/file /mnt/iscsi/file /mnt/tcp/file
machine garbage nvme0n1 dm-0 md0 bond0 /
finish
