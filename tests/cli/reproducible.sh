#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two builds of the commit in different folders, by different users, are equal: the binary, its symbols, every package.
#
# Slow: the program is built twice, out of ccache's store where there is one.
set -euo pipefail

case $CUPEL in
*/asan/* | */emulated/*)
    echo 'what is reproducible is the product'
    exit 77
    ;;
esac
{ [ -e .git ] && command -v git >/dev/null; } || {
    echo 'no commit is here to be built twice'
    exit 77
}
command -v ccache >/dev/null || [ "${CUPEL_REPRODUCE:-no}" = yes ] || {
    echo 'without ccache two builds take minutes: CUPEL_REPRODUCE=yes makes them'
    exit 77
}
./build.sh reproduce
