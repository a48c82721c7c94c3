/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Components that the user adds to the data path that was found: their limits and counters, out of
 * a file of plain text (Li et al., Pilot (2016), III-B: static and dynamic probers as plug-ins).
 *
 *   # a line of its own, or the end of one, may be a comment
 *   [component backplane]
 *   between = nvme0..0000:00:1c.0     on the path; without it the component stands beside the path
 *   limit = 12 GB/s
 *   counter = /sys/devices/backplane/bytes
 *
 * The number that a component counts comes from one of
 *   counter = FILE               it grows: its growth per second is used
 *   level = FILE                 it stands for itself
 *   counter_command = COMMAND    the same, as the output of a command of the shell
 *   level_command = COMMAND
 * and is found in the text by
 *   key = WORD       the first line that has this word; without it, all of the text
 *   column = N       the Nth word, after the key where there is one; the first one by default
 * Words stand between blanks, '=' and ','; a ':' at the end of one belongs to none.
 *   scale = X        what one of it is worth, 512 for sectors; 1 by default
 *   unit = WORD      of the number times scale; "bytes" where the limit is in bytes/s
 *   limit = NUMBER [B/s ... TiB/s, kbit/s ... Gbit/s, k, M, G]
 *   every = TIME     between two readings: 250ms of a file and 1s of a command by default
 *   timeout = TIME   after which a command is ended; 1s by default
 *
 * Nothing is executed that the file does not name. Who gives a file of somebody else answers for
 * it; root is refused one that others can write.
 */
#ifndef CUPEL_HW_COMPONENT_COMPONENT_H
#define CUPEL_HW_COMPONENT_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "facts/inventory.h"
#include "hw/path/data_path.h"
#include "hw/sysroot/sysroot.h"

#define COMPONENTS_MAX 32

struct component {
    char name[48];
    size_t line;            /* of its section */
    char ends[2][48];       /* parts of the path that it stands between; "": beside the path */
    double limit;           /* of what it counts, per second or at once; NaN: none */
    bool bytes;             /* the limit is one of bytes/s, and so one of the data path */
    bool grows, is_command; /* of its source */
    char source[512];       /* a file or a command; "": none */
    char key[48];           /* "": none */
    unsigned column;        /* from 1 */
    double scale;
    char unit[10]; /* "": of no unit */
    double every_seconds, timeout_seconds;
};

struct components {
    struct component list[COMPONENTS_MAX];
    size_t count;
    char file[1024]; /* for messages */
};

/* ERR_USAGE with FILE:LINE:COLUMN; ERR_UNSAFE: root was given a file that others can write. */
int components_load(struct components *components, const char *file, struct err *e);

/* The same out of a text. `source` is for messages. */
int components_parse(struct components *components, const char *source, struct span text,
                     struct err *e);

/*
 * Put every component into the inventory, and those with `between` into the path: right before the
 * end that is nearer to the machine, on every way from the other one. The limits of the path are
 * found anew. ERR_USAGE: the path has no such part, or no such way, or the inventory has the name.
 */
int components_join(const struct components *components, struct inventory *v,
                    struct data_path *path, struct err *e);

/* ---- reading the counters while something is measured ---- */

struct component_commands;

/* The counters of all components, opened and working. Owner: component_sources_close. */
struct component_sources {
    const struct components *components; /* borrowed */
    int files[COMPONENTS_MAX];           /* -1: it has none */
    struct component_commands *commands; /* NULL: there are none */
};

/*
 * A thread runs the commands in turn, each in a process group of its own with nothing on its
 * standard input, until its output ends or its time is over; then the group is killed. A command
 * runs again after `every`, and so seldom that its processor time stays below the share `cost` of
 * one processor. The thread keeps off the processors `avoid` where it may use others.
 */
struct component_watch {
    const struct components *components;
    const struct sysroot *root; /* the files lie below it */
    const int *avoid;
    size_t avoid_count;
    double cost; /* 0: whatever it costs */
};

/* Every file is read and every command run once: ERR_USAGE names one that brings no number. After
   -1 there is nothing to close. */
int component_sources_open(struct component_sources *sources, const struct component_watch *watch,
                           struct err *e);
void component_sources_close(struct component_sources *sources);

/* A number, and when it was there. */
struct component_reading {
    double number;  /* in the component's unit; NaN: there is none, */
    double seconds; /* CLOCK_MONOTONIC */
    char why[160];  /* and why */
};

/* The number of one component: of its file now, of its command the last one. False: nothing is new
   since `last_seconds`. Waits for no command and allocates nothing. */
bool component_read(const struct component_sources *sources, size_t component, double last_seconds,
                    struct component_reading *reading);

#endif
