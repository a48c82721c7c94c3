/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in fio's notation. Pure functions; -1: not such a value. */
#ifndef CUPEL_FIO_JOB_FIO_VALUE_H
#define CUPEL_FIO_JOB_FIO_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes: 4096, 4k, 1MiB, 0x1000; `base` is kb_base, 1024 or 1000. */
int fio_bytes(const char *text, unsigned base, uint64_t *bytes);

/* Parses a time; without a unit it is in `unit` us: 30, 10m, 500ms. */
int fio_time(const char *text, uint64_t unit, uint64_t *us);

/* Does the value switch its option off: 0, none, off? */
bool fio_is_off(const char *text);

/* Copies the value for reads (0) or writes (1) from one with a comma, or the only value. False: it
   does not fit into `size`. */
bool fio_direction(const char *text, unsigned direction, char *to, size_t size);

#endif
