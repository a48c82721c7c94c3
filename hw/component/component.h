/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Components that the user adds to the data path: their limits and counters, from a plain text file
 * (Li et al., Pilot (2016), III-B: static and dynamic probers as plug-ins).
 *
 *   # a comment, on a line of its own or at the end of a line
 *   [component backplane]
 *   between = nvme0..0000:00:1c.0     between these parts of the path; default: beside the path
 *   limit = 12 GB/s
 *   counter = /sys/devices/backplane/bytes
 *
 * The number of a component comes from one of
 *   counter = FILE               a counter, whose growth per second is used
 *   level = FILE                 a value that is used directly
 *   counter_command = COMMAND    the same, from the output of a shell command
 *   level_command = COMMAND
 * and is found in the text by
 *   key = WORD       the first line that has this word; without a key, the whole text
 *   column = N       the Nth word, counted after the key if there is one; the first by default
 * Words are separated by blanks, '=' and ','; a ':' at the end of a word is ignored.
 *   scale = X        a factor, such as 512 for sectors; 1 by default
 *   unit = WORD      unit of the scaled number; "bytes" if the limit is in bytes/s
 *   limit = NUMBER [B/s ... TiB/s, kbit/s ... Gbit/s, k, M, G]
 *   every = TIME     between two readings; by default 250ms for a file, 1s for a command
 *   timeout = TIME   after which a command is killed; 1s by default
 *
 * Only commands that the file names are executed. A user who passes another user's file is
 * responsible for it; root may not use a file that others can write.
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
    size_t line; /* line of its section in the file */
    /* the two parts of the path between which the component lies; "": beside the path */
    char ends[2][48];
    /* limit of the number's growth per second (for a counter) or of the number itself (for a
       level); NaN: none */
    double limit;
    bool bytes;             /* the limit is in bytes/s, so it counts as a limit of the data path */
    bool grows, is_command; /* a counter, not a level; the output of a command, not a file */
    char source[512];       /* file name or command; "": no source */
    char key[48];           /* word that comes before the number; "": no such word */
    unsigned column;        /* number of the word that is used, from 1 */
    double scale;
    char unit[10]; /* "": no unit */
    double every_seconds, timeout_seconds;
};

struct components {
    struct component list[COMPONENTS_MAX];
    size_t count;
    char file[1024]; /* name of the file, for messages */
};

/* Reads the file. ERR_USAGE with FILE:LINE:COLUMN; ERR_UNSAFE: the process is root, and others can
   write the file. */
int components_load(struct components *components, const char *file, struct err *e);

/* Reads components from a text, as components_load does from a file. `source` is its name for
   messages. */
int components_parse(struct components *components, const char *source, struct span text,
                     struct err *e);

/*
 * Adds every component to the inventory, and those with `between` to the path, on every way between
 * their two ends: right before the end that is nearer to the machine. The limits of the path are
 * computed again. ERR_USAGE: the path has no such part, or no such way, or the inventory already
 * has the name.
 */
int components_join(const struct components *components, struct inventory *v,
                    struct data_path *path, struct err *e);

/* ---- reading the counters during a measurement ---- */

struct component_commands;

/* The counters of all components, opened and tested. The caller releases them with
   component_sources_close. */
struct component_sources {
    const struct components *components; /* owned by the caller */
    int files[COMPONENTS_MAX];           /* -1: it has no file */
    struct component_commands *commands; /* NULL: there are no commands */
};

/*
 * Settings of the reading. A thread runs the commands one after the other, each in its own process
 * group and with empty standard input, until the output ends or the time is over; then the group is
 * killed. A command runs again after `every`, or later, so that its processor time stays below the
 * share `cost` of one processor. The thread avoids the processors `avoid` if it may use others.
 */
struct component_watch {
    const struct components *components;
    const struct sysroot *root; /* root below which the files lie */
    const int *avoid;
    size_t avoid_count;
    double cost; /* maximum share of one processor for commands; 0: no limit */
};

/* Reads every file and runs every command once. ERR_USAGE: a component gives no number; the message
   names it. After -1 there is nothing to close. */
int component_sources_open(struct component_sources *sources, const struct component_watch *watch,
                           struct err *e);
void component_sources_close(struct component_sources *sources);

/* A number, and the time of its reading. */
struct component_reading {
    double number;  /* the number in the component's unit; NaN: not known */
    double seconds; /* CLOCK_MONOTONIC */
    char why[160];  /* why the value is missing */
};

/* Gets the number of a component: from its file now, or from the last run of its command. Returns
   false if there is nothing new since `last_seconds`. It waits for no command and allocates
   nothing. */
bool component_read(const struct component_sources *sources, size_t component, double last_seconds,
                    struct component_reading *reading);

#endif
