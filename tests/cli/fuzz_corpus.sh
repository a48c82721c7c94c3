#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each input in tests/fuzz/corpus is read once by its harness: faults that fuzzing found must stay fixed.
set -u
cd "$(dirname "$0")/../.." || exit 1
harnesses=${CUPEL_UNIT:-build/tests/unit}/../fuzz
# Inputs do not end with '\0', and strndup does not need that; the strict check would report it.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}strict_string_checks=0"
failed=0
for folder in tests/fuzz/corpus/*/; do
    name=$(basename "$folder")
    "$harnesses/fuzz_$name" "$folder"* >"$TMPDIR/out" 2>"$TMPDIR/err" || {
        failed=$((failed + 1))
        echo "FAULT: fuzz_$name; the last file named was read:"
        tail -n 30 "$TMPDIR/err"
    }
    echo "$name: $(cat "$TMPDIR/out")"
done
[ "$failed" -eq 0 ]
