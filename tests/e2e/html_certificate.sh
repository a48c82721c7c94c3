#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Certificates in a browser: each one fits on one sheet of A4 or Letter paper, whatever was measured.
# shellcheck source=/dev/null
. "$(dirname "$0")/browser/lib.sh"

# Reads and writes with limits, labels and the data path of a machine; and with the maximum number of clauses.
fixture run.cupel
status 0 report run.cupel --certificate --format html
mv out run.html
sla='read.p50<6ms'
for share in 51 52 53 54 55 56 57 58 59 61 62 63 64 65 66; do
    sla="$sla,read.p$share<6ms"
done
"$CUPEL" report run.cupel --certificate --format html --sla "$sla" >clauses.html 2>err
grep -q 'read.p66&lt;6ms' clauses.html || fault "no certificate of 16 clauses: $(cat err)"

# Due times that are not kept, with a long command line; many sessions, so many files; a merge.
"$CUPEL" run null --ioengine null --null-script queue:500us --arrival poisson --rate_iops 20k --runtime 1s --overhead 0 \
    --sla 'p99<1s' --label 'customer=ACME & Co, the department of measurements' --label ticket=4711 -o saturated \
    --certificate --format html >saturated.html 2>err
holds saturated.html 'NOT KEPT UP'
longer '0 5' run null --ioengine null --null-script normal:95us,5us --preset quick --runtime 1s --repeat 3 --overhead 0 \
    -o sessions --certificate --format html
mv out sessions.html
longer '0 5' merge run.cupel saturated --certificate --format html -o sum
mv out sum.html
browse sheet.py run.html clauses.html saturated.html sessions.html sum.html
finish
