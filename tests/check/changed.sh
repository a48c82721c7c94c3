#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the C files of src, hw and tables that changed lately, and those that include a header that did: what is not committed,
# and what the commits of some hours up to the last one changed. All C files, where git cannot say, or .clang-tidy changed.
#
#   tests/check/changed.sh [ROOT]
#
# CUPEL_CHANGED_SINCE  a commit: what changed since then (default: the last one that is 6 hours older than the newest)
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

# The tree's own history, not that of one around it.
ask_git() {
    GIT_CEILING_DIRECTORIES=$(dirname "$PWD") git --no-optional-locks -c "safe.directory=$PWD" "$@" 2>/dev/null
}

all_files() {
    find src hw tables -name '*.c' 2>/dev/null | sort
}

# The commit that changes are looked for since; nothing where there is none.
base() {
    local newest
    if [ -n "${CUPEL_CHANGED_SINCE:-}" ]; then
        ask_git rev-parse --verify --quiet "$CUPEL_CHANGED_SINCE^{commit}"
    else
        newest=$(ask_git log -1 --format=%ct) || return 0
        ask_git rev-list -1 --before=$((newest - 6 * 3600)) HEAD
    fi
}

since=$(base) || {
    echo "CUPEL_CHANGED_SINCE=$CUPEL_CHANGED_SINCE is no commit here" >&2
    exit 1
}
if [ -z "$since" ]; then
    all_files
    exit
fi
changed=$(ask_git diff --name-only --relative "$since" && ask_git ls-files --others --exclude-standard)
if grep -qx '\.clang-tidy' <<<"$changed"; then
    all_files
    exit
fi
includes=$(sed -n -e 's,^src/\(.*\.h\)$,#include "\1",p' -e 's,^.*\.h$,#include "&",p' <<<"$changed")
{
    all_files | grep -Fx -f <(printf '%s\n' "$changed") || true
    [ -z "$includes" ] || all_files | tr '\n' '\0' | xargs -0 -r grep -lF -f <(printf '%s\n' "$includes") || true
} | sort -u
