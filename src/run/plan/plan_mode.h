/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Modes: the tests of IOzone, whose throughput Cameron et al. (MOANA, 2019, table 1) map. A mode is
 * a pattern, a direction, the calls that do it and the state in which it finds the file.
 */
#ifndef CUPEL_RUN_PLAN_PLAN_MODE_H
#define CUPEL_RUN_PLAN_PLAN_MODE_H

#include "io/io.h"
#include "run/plan/plan.h"

/* What the file is before each pass over it, ... */
enum mode_file {
    MODE_NEW_FILE, /* empty: writes make it longer. Each job has one of its own, without a name */
    MODE_WRITTEN,  /* written before */
    MODE_UNCACHED, /* written, and not in the page cache */
    MODE_CACHED,   /* ... or before the first one: written, and read just before */
};

struct plan_mode {
    const char *name;
    const char *words; /* "fwrite to a new file" */
    enum plan_pattern pattern;
    bool writes;
    enum mode_file file;
    const char *engine;
    bool engine_is_it; /* the mode is about these calls: no other backend will do */
};

/* name, words, pattern, writes, file, backend, the calls are what it is about */
/* clang-format off */
#define PLAN_MODE_ROWS(ROW)                                                                        \
    ROW("initialwrite", "first write of a new file", PATTERN_SEQUENTIAL, true, MODE_NEW_FILE, "readwrite", false) \
    ROW("rewrite", "write over a file", PATTERN_SEQUENTIAL, true, MODE_WRITTEN, "readwrite", false) \
    ROW("read", "first read of a file", PATTERN_SEQUENTIAL, false, MODE_UNCACHED, "readwrite", false) \
    ROW("reread", "read of a file that was just read", PATTERN_SEQUENTIAL, false, MODE_CACHED, "readwrite", false) \
    ROW("randread", "random read", PATTERN_RANDOM, false, MODE_CACHED, "readwrite", false)         \
    ROW("randwrite", "random write", PATTERN_RANDOM, true, MODE_WRITTEN, "readwrite", false)       \
    ROW("backwardread", "read from the end to the begin", PATTERN_BACKWARD, false, MODE_CACHED, "readwrite", false) \
    ROW("recordrewrite", "write of one record again and again", PATTERN_SAME, true, MODE_WRITTEN, "readwrite", false) \
    ROW("strideread", "read of every 17th record", PATTERN_STRIDE, false, MODE_CACHED, "readwrite", false) \
    ROW("fwrite", "fwrite to a new file", PATTERN_SEQUENTIAL, true, MODE_NEW_FILE, "stdio", true)  \
    ROW("fread", "fread, first of a file", PATTERN_SEQUENTIAL, false, MODE_UNCACHED, "stdio", true) \
    ROW("pwrite", "pwrite over a file", PATTERN_SEQUENTIAL, true, MODE_WRITTEN, "sync", true)      \
    ROW("pread", "pread, first of a file", PATTERN_SEQUENTIAL, false, MODE_UNCACHED, "sync", true)
/* clang-format on */

/* The plan's mode, or NULL. */
const struct plan_mode *plan_mode_of(const struct plan *p);

/* What was given of the fields that a mode decides where they were not given. */
struct mode_given {
    bool engine, direct;
};

/* Make the plan's pattern, direction, backend and direct I/O those of its mode, if it has one. */
void plan_take_mode(struct plan *p, struct mode_given given);

/* The same of a backend whose requests move no bytes, if the plan has one: what they are about
   stands for itself. */
void plan_take_action(struct plan *p);

/* A mode with what goes against it: ERR_USAGE, with both names. */
int plan_check_mode(const struct plan *p, struct err *e);

/* What a backend does before each pass. */
enum io_pass plan_pass(const struct plan *p);

#endif
