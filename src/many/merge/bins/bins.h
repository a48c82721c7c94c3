/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms of other programs, as one row of a log or a text holds them.
 *
 * hdr_histogram.c: what HdrHistogram stores.
 *
 * A layout has 2^(half_bits + 1) linear bins of 2^unit_bits, followed by octaves of 2^half_bits
 * bins, enough for that many significant decimal digits. A stored histogram is a zlib stream (RFC
 * 1950) with a header of its own, in base64 (RFC 4648). The stream holds a header of 40 bytes and
 * the counts of all bins up to the last one in use: in version 2 as ZigZag LEB128 numbers of 1 to 9
 * bytes, where -n stands for n empty bins; in versions 1 and 0 as whole numbers of fixed size.
 */
#ifndef CUPEL_MANY_MERGE_BINS_BINS_H
#define CUPEL_MANY_MERGE_BINS_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "base/text.h"

#define HDR_DIGITS_MAX 5u

/* The first words of comments in cupel's own logs. They state the unit, which other logs leave
   unknown, and which operations are not known. */
#define HDR_LOG_UNIT        "#[Values are latencies in ns"
#define HDR_LOG_OPS_UNKNOWN "#[Operations of some I/Os are not known"

struct hdr_layout {
    unsigned digits;
    unsigned unit_bits, half_bits;
    uint64_t highest; /* all values up to this one have a bin */
    size_t bins;
};

/* Finds a layout. -1: no layout has these properties. */
int hdr_layout_of(struct hdr_layout *layout, unsigned digits, uint64_t lowest, uint64_t highest);

/* Returns the bin of a value. The bin may lie after the last one. */
size_t hdr_bin(const struct hdr_layout *layout, uint64_t value);
/* Return a bin's first value, and its last value. */
uint64_t hdr_low(const struct hdr_layout *layout, size_t bin);
uint64_t hdr_high(const struct hdr_layout *layout, size_t bin);

struct hdr_count {
    size_t bin;
    uint64_t count; /* at least 1 */
};

/* A histogram that is read row by row. The caller frees it with hdr_histogram_free; an empty one is
   all zeros. */
struct hdr_histogram {
    struct hdr_layout layout;
    uint64_t total;
    struct hdr_count *counts; /* [used], ascending by bin */
    size_t used;

    size_t capacity;
    unsigned char *packed, *plain; /* `packed`: bytes of the zlib stream; `plain`: its contents */
    size_t packed_capacity, plain_capacity;
};

/*
 * Decodes a histogram. Errors: ERR_USAGE with the reason, ERR_MACHINE. The layout in the header
 * bounds how much is decompressed.
 */
int hdr_decode(struct hdr_histogram *h, struct span base64, struct err *e);
void hdr_histogram_free(struct hdr_histogram *h);

/*
 * Appends the base64 of a version 2 histogram; counts in order of bins. Its zlib stream has stored
 * blocks, because runs of empty bins are already short. -1: out->failed.
 */
int hdr_encode(const struct hdr_layout *layout, const struct hdr_count counts[], size_t n,
               struct text *out);

/* ---- prometheus_text.c ---- */

/*
 * Samples of Prometheus' text (0.0.4) and of OpenMetrics: NAME{LABELS} VALUE [TIMESTAMP] [#
 * EXEMPLAR], where the value may be {...}, a native histogram. All spans point into the line.
 */

struct prometheus_sample {
    struct span name, labels, value; /* labels without their braces */
};

/* Splits a line that is no comment. False: it is no sample. */
bool prometheus_sample_parse(struct span line, struct prometheus_sample *to);

/* Gives the next label and its value, without quotes; escapes are kept. False: none is left. */
bool prometheus_label_next(struct span *rest, struct span *key, struct span *value);

/* Returns the value of a label; "" when it is not there. */
struct span prometheus_label(struct span labels, const char *name);

/* Returns the number that is written as "0.05" or "+Inf"; NaN for other text. */
double prometheus_number(struct span s);

/* Returns a field of {...}: a number, or what is between brackets; "" when it is not there. */
struct span prometheus_field(struct span native, const char *name);

/* Takes the next number of a list, up to a comma, colon or blank. NaN: none is left, or it is no
   number. */
double prometheus_number_next(struct span *rest);

#endif
