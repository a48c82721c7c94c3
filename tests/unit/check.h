/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The checks of the unit tests. A test is a program: a failed check prints its place and both
 * values, and the program continues, so that one run shows every fault. main ends with `return
 * check_result();`. The counters are not atomic: only one thread may check.
 */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The exit status of a test that could not run here; tests/run.sh counts it as skipped. */
#define CHECK_SKIPPED 77

static long check_count;
static long check_failures;

/* Counts one check and prints its place if it failed. Returns ok, so that a caller can print the
   values. */
static inline bool check_that(bool ok, const char *file, int line, const char *text)
{
    check_count++;
    if (!ok) {
        check_failures++;
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    }
    return ok;
}

/* Returns |actual - expected| <= reltol * |expected|, or <= reltol where expected is 0; false for
   NaN. */
static inline bool check_is_near(double actual, double expected, double reltol)
{
    if (isinf(expected)) {
        return isinf(actual) && signbit(actual) == signbit(expected);
    }
    double scale = fabs(expected) > 0 ? fabs(expected) : 1.0;
    return fabs(actual - expected) <= reltol * scale;
}

static inline void check_near(double actual, double expected, double reltol, const char *file,
                              int line, const char *text)
{
    if (!check_that(check_is_near(actual, expected, reltol), file, line, text)) {
        fprintf(stderr, "    got %.17g, expected %.17g within %g relative\n", actual, expected,
                reltol);
    }
}

static inline void check_int(long long actual, long long expected, const char *file, int line,
                             const char *text)
{
    if (!check_that(actual == expected, file, line, text)) {
        fprintf(stderr, "    got %lld, expected %lld\n", actual, expected);
    }
}

static inline void check_str(const char *actual, const char *expected, const char *file, int line,
                             const char *text)
{
    bool same = actual != NULL && expected != NULL && strcmp(actual, expected) == 0;
    if (!check_that(same, file, line, text)) {
        fprintf(stderr, "    got      \"%s\"\n    expected \"%s\"\n", actual ? actual : "(null)",
                expected ? expected : "(null)");
    }
}

#define CHECK(cond)              ((void)check_that((cond), __FILE__, __LINE__, #cond))
#define CHECK_NEAR(a, b, reltol) check_near((a), (b), (reltol), __FILE__, __LINE__, #a " ~ " #b)
#define CHECK_INT(a, b)          check_int((long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STR(a, b)          check_str((a), (b), __FILE__, __LINE__, #a " equals " #b)

/* Returns true if the test was built for another processor (./build.sh test --target): then system
   calls are those of an emulator. */
static inline bool check_is_emulated(void)
{
    return getenv("CUPEL_EMULATED") != NULL;
}

/* Prints that a part of a test was left out, and why; the other parts decide the result. */
static inline void check_part_skipped(const char *why)
{
    printf("skipped a part: %s\n", why);
}

/* Returns the exit status for the end of main: 1 after any failed check, 77 when nothing was
   checked, else 0. */
static inline int check_result(void)
{
    if (check_failures > 0) {
        fprintf(stderr, "%ld of %ld checks failed\n", check_failures, check_count);
        return EXIT_FAILURE;
    }
    return check_count > 0 ? EXIT_SUCCESS : CHECK_SKIPPED;
}

#endif
