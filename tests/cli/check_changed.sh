#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Which files tests/check/changed.sh selects for clang-tidy and cppcheck, in a tree whose commits have dates: files that
# changed within two hours before the last commit, or since a given commit, or are not committed, and files that include
# these, which are checked without analysis. Files that moved or whose comments changed are not selected. All files are
# selected when git cannot tell what changed.
set -euo pipefail
command -v git >/dev/null || {
    echo 'there is no git'
    exit 77
}

check=$PWD/tests/check/changed.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
mkdir -p src/base src/run hw tables
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

# expect NAME FILE... [uses FILE...]: the first files are analysed, those after `uses` only use what changed.
expect() {
    local name=$1 files
    shift
    files=$("$check" "$tree" | awk '$1 == "tidy" && !n++ { printf " uses" } { printf " %s", $2 }')
    [ "$files" = "${*:+ $*}" ] || {
        echo "$name:$files instead of $*"
        exit 1
    }
}

# commit HOUR FILE...: changes the files and commits them with that hour of the day.
commit() {
    local hour=$1 file
    shift
    for file in "$@"; do
        echo "int hour_$hour;" >>"$file"
    done
    git add . && GIT_COMMITTER_DATE="2026-03-01T$hour:00:00+0000" git -c user.name=a -c user.email=a -c commit.gpgsign=false \
        commit -qm "$hour"
}

echo '#include "base/size.h"' >src/run/loop.c
echo '#include "tables/rows.h"' >hw/bus.c
echo '#include "run/plan.h"' >src/run/plan.c
touch src/base/size.h src/base/size.c tables/rows.h src/run/plan.h .clang-tidy
all=(hw/bus.c src/base/size.c src/run/loop.c src/run/plan.c)
expect 'no history' "${all[@]}"
git init -q
commit 01 README
expect 'everything is young' "${all[@]}"
commit 02 src/run/plan.h
commit 03 src/base/size.c
commit 05 README
expect 'two hours before the last commit' # a commit exactly two hours old is the base
commit 06 src/base/size.h tables/rows.h
expect 'headers with those that include them' uses hw/bus.c src/run/loop.c
echo 'int size;' >>src/base/size.c
echo >src/new.c
expect 'what is not committed' src/base/size.c src/new.c uses hw/bus.c src/run/loop.c
CUPEL_CHANGED_SINCE=HEAD expect 'since a commit' src/base/size.c src/new.c
CUPEL_CHANGED_SINCE=HEAD~3 expect 'since an old one' src/base/size.c src/new.c uses hw/bus.c src/run/loop.c
! CUPEL_CHANGED_SINCE=nothing "$check" "$tree" 2>/dev/null || {
    echo 'a commit that does not exist'
    exit 1
}

# A file that moved together with the #include of it; changed comments and layout.
commit 12 README
git mv src/base/size.c src/run/size.c
git mv tables/rows.h tables/row.h
sed -i s,tables/rows,tables/row, hw/bus.c
printf '/* Said\n * better. */\n\n' | cat - src/run/plan.h >plan.h
mv plan.h src/run/plan.h
rm src/new.c
commit 19 README
expect 'what moved, and comments'
echo '#define PLAN 1' >>src/run/plan.h
expect 'a macro' uses src/run/plan.c
commit 20 .clang-tidy
expect 'other checks' hw/bus.c src/run/loop.c src/run/plan.c src/run/size.c
