/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads values in fio's notation. Pure functions; they return -1 for a value of another form. */
#ifndef CUPEL_FIO_JOB_FIO_VALUE_H
#define CUPEL_FIO_JOB_FIO_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads bytes: 4096, 4k, 1MiB, 0x1000; `base` is kb_base, 1024 or 1000. */
int fio_bytes(const char *text, unsigned base, uint64_t *bytes);

/* Reads a time such as 30, 10m, 500ms; a number without a unit is in units of `unit` us. */
int fio_time(const char *text, uint64_t unit, uint64_t *us);

/* Returns true if the value switches its option off: 0, none, off. */
bool fio_is_off(const char *text);

/* Copies the value for reads (0) or writes (1): one of two that are separated by a comma, or the
   only value. Returns false if it does not fit into `size`. */
bool fio_direction(const char *text, unsigned direction, char *to, size_t size);

#endif
