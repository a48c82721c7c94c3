/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers with units, as people type and read them.
 *
 * Parsing takes the whole string, or fails with ERR_USAGE and a message that says what is expected.
 * Sizes: 512, 4k, 1m, 2g, 1t and KiB, MiB ... (powers of 1024, as in fio). Times: 500us, 10ms, 2s,
 * 5m, 1h (bare numbers are seconds). Shares: 5%, 0.05. Formatting writes at most `size` bytes and
 * returns the buffer, so that the call can be an argument of printf.
 */
#ifndef CUPEL_BASE_UNITS_H
#define CUPEL_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

int parse_size(const char *text, uint64_t *bytes, struct err *e);
int parse_time(const char *text, uint64_t *ns, struct err *e);
/* Reads a rate in requests per second: 500, 20k, 1.5m (powers of 1000); the smallest unit is a
   millionth. */
int parse_rate(const char *text, double *per_second, struct err *e);
/* Reads a frequency in Hz: 2.1g, 1200m, 2.1GHz (powers of 1000). */
int parse_frequency(const char *text, uint64_t *hertz, struct err *e);
int parse_share(const char *text, double *share, struct err *e);
/* Reads the full width of an interval relative to its value: 5%, 0.05, or as reports write it,
   +-2.5%. */
int parse_width(const char *text, double *share, struct err *e);
int parse_unsigned(const char *text, uint64_t *value, struct err *e);

#define UNITS_BUFFER 32

char *format_size(char *to, size_t size, double bytes); /* "4 KiB", "1.5 GiB" */
/* writes "523 MB/s": powers of 1000 */
char *format_rate(char *to, size_t size, double bytes);
char *format_count(char *to, size_t size, double count); /* "17.9k", "1.20M" */
/* writes "56.3 us", "1.20 ms", "12 s" */
char *format_time(char *to, size_t size, double ns);
char *format_time_left(char *to, size_t size, double seconds); /* writes "3 min 20 s", rounded up */
/* Writes "2026-11-22 09:03:40 UTC" as 2026-11-22T09:03:40Z (ISO 8601); "" when `words` is not such
   a date. Returns `to`. */
char *format_date_iso(char *to, size_t size, const char *words);
char *format_instant(char *to, size_t size,
                     uint64_t ns); /* `ns`: since 1970; written as "2026-11-23T15:04:05.000Z" */

#endif
