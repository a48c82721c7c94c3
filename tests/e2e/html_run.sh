#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of a run, in a browser: no errors, no network requests, printable; it shows its plots without scripts and looks as
# before; plots zoom by keys and by mouse. The record is always the same one (tests/fixtures/pages).
# shellcheck source=/dev/null
. "$(dirname "$0")/browser/lib.sh"

fixture run.cupel
status 0 report run.cupel --format html
mv out run.html
# Both plots, each drawn twice, show the limit as a line with its name. Labels are below the title.
[ "$(grep -c 'class="limit"' run.html)" -eq 4 ] || fault "$(grep -c 'class="limit"' run.html) lines of limits"
[ "$(grep -c '>read.p99&lt;6ms</text>' run.html)" -eq 4 ] || fault 'a limit has no name'
grep -A 1 '<h1>' run.html | grep -q '<p class="what">ticket: OPS-17; who: someone</p>' || fault 'labels are not below the title'
browse pages.py run.html
browse pictures.py run.html "$GOLDEN/pages/run"
browse zoom.py run.html

# The page of a ten-minute run is smaller than 1 MB.
python3 "$BROWSER/lengthen.py" run.cupel long.cupel 75
status 0 report long.cupel --format html
holds out 'in 10 min'
[ "$(wc -c <out)" -lt 1000000 ] || fault "the page of ten minutes has $(wc -c <out) bytes"
mv out long.html
browse pages.py long.html
finish
