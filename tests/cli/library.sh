#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The library as another program uses it: installed below a prefix, found by pkg-config, compiled as C, as C++ and with musl.
# It gives the same numbers as cupel. examples/ behave as their comments say. The library has no names but cupel_*, never
# prints and never exits.
#
# Slow: it installs, and its programs measure for seconds.
set -euo pipefail

case $CUPEL in
*/asan/*)
    echo 'the installed library is not built with sanitizers; test_library is'
    exit 77
    ;;
esac
for tool in gcc g++ pkg-config; do
    command -v $tool >/dev/null || {
        echo "$tool is not here"
        exit 77
    }
done
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

# ---- what is installed

DESTDIR=$tree/root ./build.sh install --prefix /opt/cupel >"$tree/log" 2>&1 || fail "$(cat "$tree/log")"
prefix=$tree/root/opt/cupel
for name in bin/cupel include/cupel.h lib/libcupel.a lib/libcupel-run.a lib/cupel-musl/libcupel.a \
    lib/cupel-musl/libcupel-run.a lib/pkgconfig/cupel.pc lib/pkgconfig/cupel-run.pc \
    share/man/man1/cupel.1 share/man/man1/cupel-run.1 share/bash-completion/completions/cupel; do
    [ -s "$prefix/$name" ] || fail "$name is missing or empty"
done
[ -z "$(find "$tree/root" -mindepth 1 -maxdepth 1 -not -name opt)" ] || fail 'something is outside of the prefix'
"$prefix/bin/cupel" --version >/dev/null
grep -q '^prefix=/opt/cupel$' "$prefix/lib/pkgconfig/cupel.pc"
said=$(./build.sh install --nonsense 2>&1) && fail 'a wrong option was accepted'
[[ $said == *'--prefix DIR'* ]] || fail "$said"

for archive in "$prefix"/lib/*.a "$prefix"/lib/cupel-musl/*.a; do
    others=$(nm -g --defined-only "$archive" | awk 'NF == 3 && $3 !~ /^cupel_/ { print $3 }')
    [ -z "$others" ] || fail "$archive has other names: $others"
done
# libcupel-run.a is not checked: its libraries have default handlers that print or exit, which cupel replaces.
for archive in "$prefix"/lib/libcupel.a "$prefix"/lib/cupel-musl/libcupel.a; do
    wrong=$(nm -u "$archive" | awk '{ print $NF }' | grep -xE '_?exit|_Exit|abort|__assert_fail|v?f?printf|__v?f?printf_chk|puts|fputs|putchar|perror|stderr|stdout|signal|sigaction|fork|open|socket|pthread_.*|setenv|setlocale' || true)
    [ -z "$wrong" ] || fail "$archive calls what a library must not: $wrong"
done

# ---- compiled with pkg-config, in a program whose names are also names inside the library

cat >"$tree/column.c" <<'EOF'
#include <cupel.h>
#include <stdio.h>
#include <stdlib.h>

int judge(void);
double mean_of(void);
void *arena_alloc(void);
const char cupel_licence[] = "mine";
int judge(void) { abort(); }
double mean_of(void) { abort(); }
void *arena_alloc(void) { abort(); }
int err_set = 7;

int main(void)
{
    struct cupel_error error;
    struct cupel_result r;
    struct cupel_percentile p;
    struct cupel_shift shift;
    struct cupel_limit limits[2];
    double x;
    size_t cuts[1];
    struct cupel_session *s = cupel_session_new(&error);
    if (!s || cupel_header_version() != CUPEL_HEADER_VERSION || cupel_metric(s, "number", 0, &error))
        return 6;
    while (scanf("%lf", &x) == 1)
        if (cupel_push(s, 0, &x, 1, &error))
            return 2;
    if (cupel_set_limits(s, 0, "mean<101, p99<100", &error) || cupel_limits(s, 0, limits, 2, &error) != 2 ||
        cupel_result(s, 0, &r, &error) || cupel_percentile(s, 0, 0.9, &p, &error) ||
        cupel_slow_shift(s, 0, &shift, &error) ||
        cupel_change_points(s, 0, cuts, 1, &error) != (int)r.change_points)
        return 6;
    printf("mean,%.12g\nci_low,%.12g\nci_high,%.12g\nstable_begin,%zu\nstable_end,%zu\n", r.mean, r.low, r.high,
           r.stable_begin, r.stable_end);
    printf("autocorrelation,%.12g\neffective_n,%.12g\n", r.autocorrelation, r.effective_n);
    printf("p90,%.12g\np90_ci_low,%.12g\np90_ci_high,%.12g\n", p.value, p.low, p.high);
    printf("clause_1_value,%.12g\nclause_2_value,%.12g\nslow_shift_per_reading,%.12g\n", limits[0].value, limits[1].value, shift.slope);
    if (limits[0].verdict != CUPEL_LIMIT_KEPT || limits[1].verdict != CUPEL_LIMIT_BROKEN)
        return 1;
    if (r.change_points)
        printf("changepoints,%zu\n", cuts[0]);
    cupel_session_free(s);
    return err_set != 7;
}
EOF
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tree/root
host=(-O2 -D_GNU_SOURCE -Wall -Wextra -Wconversion -Wshadow -Werror -pedantic)
read -ra flags < <(pkg-config --cflags cupel)

# build SOURCE PROGRAM [PACKAGE]: makes PROGRAM.gcc, PROGRAM.g++ and, where there is musl-gcc, PROGRAM.musl.
build() {
    local libraries musl_libraries
    read -ra libraries < <(pkg-config --libs "${3:-cupel}")
    read -ra musl_libraries < <(pkg-config --define-variable=libdir=/opt/cupel/lib/cupel-musl --libs "${3:-cupel}")
    gcc -std=c11 "${host[@]}" "${flags[@]}" "$1" -o "$2.gcc" "${libraries[@]}"
    g++ -std=c++11 "${host[@]}" "${flags[@]}" -x c++ "$1" -x none -o "$2.g++" "${libraries[@]}"
    programs=("$2.gcc" "$2.g++")
    if command -v clang >/dev/null; then
        clang -std=c11 "${host[@]}" "${flags[@]}" "$1" -o "$2.clang" "${libraries[@]}"
        programs+=("$2.clang")
    fi
    if command -v musl-gcc >/dev/null; then
        musl-gcc -static -std=c11 "${host[@]}" "${flags[@]}" "$1" -o "$2.musl" "${musl_libraries[@]}"
        programs+=("$2.musl")
    fi
}

# 300 readings of a warm-up at 150 and 1,700 at a steady level of 100. The programs must judge them as cupel analyze does.
awk 'BEGIN { srand(7); for (i = 0; i < 2000; i++) { x = -6; for (k = 0; k < 12; k++) x += rand()
    printf "%.6f\n", (i < 300 ? 150 : 100) + 3 * x } }' >"$tree/numbers"
"$CUPEL" analyze "$tree/numbers" --format csv --sla 'mean<101, p99<100' >"$tree/analyzed.csv" 2>/dev/null || [ $? -eq 1 ]
grep -q '^stable_begin,300$' "$tree/analyzed.csv"

# agrees FILE: its rows "quantity,value" equal those of cupel analyze to nine digits.
agrees() {
    awk -F, 'NR == FNR { value[$1] = $2; next }
        { count++; d = $2 - value[$1]; if (d < 0) d = -d
          if (!($1 in value) || d > 1e-9 * (value[$1] < 0 ? -value[$1] : value[$1]) + 1e-12)
              { print $1 ": " $2 " instead of " value[$1]; bad = 1 } }
        END { exit bad || count < 6 }' "$tree/analyzed.csv" "$1"
}

build "$tree/column.c" "$tree/column"
for program in "${programs[@]}"; do
    "$program" <"$tree/numbers" >"$program.out"
    agrees "$program.out" || fail "$program: above"
done

# The code in docs/library.md compiles, too.
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/library.md >"$tree/shown.c"
[ -s "$tree/shown.c" ] || fail 'docs/library.md shows nothing'
gcc -std=c99 "${host[@]}" "${flags[@]}" -c "$tree/shown.c" -o "$tree/shown.o"
g++ -std=c++11 "${host[@]}" "${flags[@]}" -x c++ -c "$tree/shown.c" -o "$tree/shown.o"

# ---- conditions that the library must stand: threads, a locale with a decimal comma, no memory

# All compilers build it, since they warn of different things; only two programs run, one per C library.
build tests/library/threads.c "$tree/threads"
for program in "${programs[0]}" "${programs[-1]}"; do
    said=$(LC_ALL=de_DE.UTF-8 "$program" 1000) || fail "$program: $said"
done
wrapped=$(printf -- ',--wrap=%s' malloc calloc realloc mmap)
host+=("-Wl$wrapped")
build tests/library/allocation_failure.c "$tree/failing"
unset 'host[-1]'
for program in "${programs[0]}" "${programs[-1]}"; do
    "$program" >"$program.out" || fail "$program: above"
done

# ---- examples/

build examples/enough.c "$tree/enough"
tail -n +301 "$tree/numbers" >"$tree/steady"
for program in "${programs[@]}"; do
    said=$("$program" <"$tree/steady") || fail "$program: $said"
    [[ $said =~ ^'enough: mean '(99|100)\..*' of '[0-9]+' readings'$ ]] || fail "$program: $said"
    said=$(head -n 200 "$tree/steady" | "$program") && fail "$program: too few were enough: $said"
done

# The numbers depend on this machine.
build examples/compare_hashes.c "$tree/hashes"
for program in "${programs[@]}"; do
    said=$("$program") || fail "$program: $said"
    [[ $said =~ ^'faster: '[a-z0-9_]+'; fnv1a over shift_add '[0-9.]+', 95 % interval '[0-9.]+' to '[0-9.]+$ ]] || fail "$program: $said"
done

build examples/unit_readings.c "$tree/readings"
said=$("$tree/readings.gcc") || fail "$said"
[[ $said =~ ^'mean '[0-9.]+' us'.*'p99 '[0-9.]+' us'.*'longer than 100 us: ' ]] || fail "$said"

build examples/speed.c "$tree/speed"
for program in "${programs[0]}" "${programs[-1]}"; do
    said=$("$program") || fail "$program: $said"
    [[ $said =~ ^[0-9.]+' heaps a second, '[0-9.]+' to '[0-9.]+'; set-up '.*' rounds ' ]] || fail "$program: $said"
done

# A preloaded library records the requests of an unmodified program to its files; cupel merge counts them, sorted by time or
# not.
# shellcheck disable=SC2046 # several words
gcc -shared -fPIC -O2 examples/requests_preload.c -o "$tree/requests.so" $(pkg-config --cflags --libs cupel) -ldl
dd if=/dev/zero of="$tree/asked" bs=64k count=16 2>/dev/null
REQUESTS=$tree/app.requests LD_PRELOAD=$tree/requests.so dd if="$tree/asked" of="$tree/copied" bs=64k 2>/dev/null
REQUESTS=$tree/app.requests LD_PRELOAD=$tree/requests.so dd if="$tree/asked" of=/dev/null bs=128k 2>/dev/null
said=$("$prefix/bin/cupel" merge "$tree/app.requests" --format csv) || fail "$said"
awk -F, '$1 == "errors" && $2 == "all" && $4 > 0 { bad = 1 } $1 == "lat_p50" && $2 == "write" { n = $8 } END { exit bad || n != 16 }' \
    <<<"$said" || fail "$said"

echo 'a letter' >"$tree/letter"
REQUESTS=$tree/letter LD_PRELOAD=$tree/requests.so dd if="$tree/asked" of=/dev/null bs=128k 2>/dev/null
[ "$(cat "$tree/letter")" = 'a letter' ] || fail 'the shim wrote into a file of something else'

# Eight users do look-ups of three reads that take 1 ms each: at most 24,000 reads/s. The scratch file in a folder is removed.
mkdir "$tree/folder"
build examples/filament.c "$tree/filament" cupel-run
said=$("$tree/filament.gcc" "$tree/folder" null) || fail "$said"
awk '$1 == "iops" { iops = $2 } END { exit !(iops > 100 && iops < 24300) }' <<<"$said" || fail "$said"
said=$("${programs[-1]}" "$tree/folder" sync 2>&1) || [[ $said == *O_DIRECT* || $said == *'past the page cache'* ]] || fail "$said"
[ -z "$(ls "$tree/folder")" ] || fail "left behind: $(ls "$tree/folder")"
said=$("$tree/filament.gcc" "$tree/no/where" 2>&1) && fail 'a target that is not there was measured'
[[ $said == *no/where* ]] || fail "$said"

if command -v python3 >/dev/null; then
    gcc -shared -o "$tree/cupel.so" -Wl,--whole-archive "$prefix/lib/libcupel.a" -Wl,--no-whole-archive -lm -pthread
    python3 examples/column.py "$tree/cupel.so" <"$tree/numbers" >"$tree/python"
    read -r mean low high effective_n begin end phase <"$tree/python"
    [ "$phase" = warmup ] || fail "$(cat "$tree/python")"
    printf '%s\n' "mean,$mean" "ci_low,$low" "ci_high,$high" "effective_n,$effective_n" "stable_begin,$begin" \
        "stable_end,$end" >"$tree/python.rows"
    agrees "$tree/python.rows" || fail "column.py: above"
fi
