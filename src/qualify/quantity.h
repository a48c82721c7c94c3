/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quantities of an expectation, as people write and read them: "6.5 GB/s", "900k", "500us",
 * "7 TB", "512 GiB", "70 C", "5 %", "16.0 GT/s x4". Units of 1000 (kB, MB, GB, TB) and of 1024
 * (KiB, MiB, GiB, TiB) are what they say. No state.
 */
#ifndef CUPEL_QUALIFY_QUANTITY_H
#define CUPEL_QUALIFY_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

enum quantity {
    QUANTITY_COUNT,
    QUANTITY_PERCENT,     /* 5 is 5 % */
    QUANTITY_HOURS,       /* h */
    QUANTITY_TEMPERATURE, /* degrees Celsius */
    QUANTITY_SIZE,        /* bytes */
    QUANTITY_RATE,        /* bytes/s */
    QUANTITY_COUNT_RATE,  /* per second */
    QUANTITY_TIME,        /* ns */
    QUANTITY_LINK,
    QUANTITY_TEXT /* a shell pattern */
};

#define QUANTITY_TEXT_MAX 120

struct amount {
    double number;     /* of a link: transfers or bits per second and lane */
    double half_digit; /* of a size: half of the last digit typed, at most 0.05 % of the number */
    bool binary;       /* a size in units of 1024 */
    unsigned lanes;    /* of a link; 0: none are told */
    bool transfers;    /* of a link: GT/s, not Gbit/s */
    const char *text;  /* QUANTITY_TEXT; belongs to whoever has the amount */
};

/*
 * The whole of `s`, which has no blanks at its ends; a text is not copied, `text` stays NULL. 0, or
 * -1 with *at the byte where it is wrong and *expected what would be right there.
 */
int quantity_parse(enum quantity quantity, struct span s, struct amount *a, size_t *at,
                   const char **expected);

/* A link as the inventory tells it, which may go on behind the lanes ("12 Gbit/s x3 and 1 slower").
 */
bool quantity_read_link(const char *text, struct amount *a);

/* Neither slower nor narrower than `least`; lanes that one of them does not tell are not compared.
 */
bool quantity_link_reaches(const struct amount *link, const struct amount *least);

/* How it is written, of at most 13 characters: "6.5 GB/s". */
const char *quantity_example(enum quantity quantity);

/* "" or the unit that `text`, a quantity as it was typed, leaves out: " C" behind "70". */
const char *quantity_unit_after(enum quantity quantity, const char *text);

/* A number as a report shows it. `like` is the expectation it stands beside: of a size it chooses
   between units of 1000 and 1024 (NULL: 1000) and asks for so many digits that it shows as another
   number than it unless it is the same. Returns `to`. */
char *quantity_format(enum quantity quantity, double number, const struct amount *like, char *to,
                      size_t size);

/* "6.931 GB/s (6.902 to 6.960)", "1.05M IOPS (0.95M to 1.15M)": one unit, and so many digits that
   half the interval's width shows two. Without an interval (NaN) three digits. Returns `to`. */
char *quantity_format_interval(enum quantity quantity, double number, double low, double high,
                               char *to, size_t size);

#endif
