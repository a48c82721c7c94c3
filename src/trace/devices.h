/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The devices and files of a trace, found by name: a table of fixed size. One thread at a time. */
#ifndef CUPEL_TRACE_DEVICES_H
#define CUPEL_TRACE_DEVICES_H

#include "base/span.h"
#include "trace/trace.h"

#define DEVICES_SLOTS   (4 * TRACE_DEVICES_MAX)
#define DEVICES_NO_ROOM (-1)
#define DEVICES_LONG    (-2)

/* A struct of zeros has no devices. */
struct devices {
    struct trace_device device[TRACE_DEVICES_MAX];
    char key[TRACE_DEVICES_MAX][sizeof((struct trace_device *)0)->name]; /* what it is found by */
    uint8_t key_length[TRACE_DEVICES_MAX];
    uint16_t slot[DEVICES_SLOTS]; /* index + 1 of the device whose key's hash leads here; 0: free */
    size_t count;
    size_t last; /* the one that was found last */
};

/* The index of the device of this key, which is made when it is new, and has the key as its name,
   fit to be printed; DEVICES_NO_ROOM when the table is full, DEVICES_LONG when the key is too long
   for it. */
int devices_find(struct devices *d, struct span key);

/* The same for a device of Linux, "8,16". */
int devices_find_number(struct devices *d, uint64_t major, uint64_t minor);

#endif
