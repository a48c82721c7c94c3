/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modes: the tests of IOzone, whose throughput Cameron et al. (MOANA, 2019, table 1) map. A mode is
   a pattern, a direction, the system calls, and the state of the file before the test. */
#ifndef CUPEL_RUN_PLAN_PLAN_IOZONE_MODE_H
#define CUPEL_RUN_PLAN_PLAN_IOZONE_MODE_H

#include "io/io.h"
#include "run/plan/plan.h"

/* State of the file before each pass over it. */
enum mode_file {
    /* an empty file, which writes make longer; each job has a separate file without a name */
    MODE_NEW_FILE,
    MODE_WRITTEN,  /* written before */
    MODE_UNCACHED, /* the file was written, and is not in the page cache */
    /* the file was written, and is read before the first pass, so that it is in the page cache */
    MODE_CACHED,
};

enum mode_requests {
    MODE_READS,
    MODE_WRITES,
    MODE_BY_JOB, /* the first job reads, the second writes, and so on */
};

struct plan_mode {
    const char *name;
    const char *words; /* text such as "fwrite to a new file" */
    enum plan_pattern pattern;
    enum mode_requests requests;
    enum mode_file file;
    const char *engine;
    /* true: the mode is a test of these calls, so no other backend can be used */
    bool engine_is_it;
};

/* Columns: name, words, pattern, requests, state of the file, backend, and whether the mode is a
   test of that backend's calls (engine_is_it). */
/* clang-format off */
#define PLAN_MODE_ROWS(ROW)                                                                        \
    ROW("initialwrite", "first write of a new file", PATTERN_SEQUENTIAL, MODE_WRITES, MODE_NEW_FILE, "readwrite", false) \
    ROW("rewrite", "write over a file", PATTERN_SEQUENTIAL, MODE_WRITES, MODE_WRITTEN, "readwrite", false) \
    ROW("read", "first read of a file", PATTERN_SEQUENTIAL, MODE_READS, MODE_UNCACHED, "readwrite", false) \
    ROW("reread", "read of a file that was just read", PATTERN_SEQUENTIAL, MODE_READS, MODE_CACHED, "readwrite", false) \
    ROW("randread", "random read", PATTERN_RANDOM, MODE_READS, MODE_CACHED, "readwrite", false)    \
    ROW("randwrite", "random write", PATTERN_RANDOM, MODE_WRITES, MODE_WRITTEN, "readwrite", false) \
    ROW("backwardread", "read from the end to the begin", PATTERN_BACKWARD, MODE_READS, MODE_CACHED, "readwrite", false) \
    ROW("recordrewrite", "write of one record again and again", PATTERN_SAME, MODE_WRITES, MODE_WRITTEN, "readwrite", false) \
    ROW("strideread", "read of every 17th record", PATTERN_STRIDE, MODE_READS, MODE_CACHED, "readwrite", false) \
    ROW("fwrite", "fwrite to a new file", PATTERN_SEQUENTIAL, MODE_WRITES, MODE_NEW_FILE, "stdio", true) \
    ROW("fread", "fread, first of a file", PATTERN_SEQUENTIAL, MODE_READS, MODE_UNCACHED, "stdio", true) \
    ROW("pwrite", "pwrite over a file", PATTERN_SEQUENTIAL, MODE_WRITES, MODE_WRITTEN, "sync", true) \
    ROW("pread", "pread, first of a file", PATTERN_SEQUENTIAL, MODE_READS, MODE_UNCACHED, "sync", true) \
    ROW("mixedworkload", "random reads and writes, each by half of the jobs", PATTERN_RANDOM, MODE_BY_JOB, MODE_CACHED, "readwrite", false) \
    ROW("mixedsequential", "reads and writes one after the other, each by half of the jobs", PATTERN_SEQUENTIAL, MODE_BY_JOB, MODE_CACHED, "readwrite", false)
/* clang-format on */

/* Returns the plan's mode, or NULL. */
const struct plan_mode *plan_mode_of(const struct plan *p);

/* The fields that the user gave, which a mode must therefore not set. */
struct mode_given {
    bool engine, direct;
};

/*
 * Sets the plan's pattern, direction, backend and direct I/O as its mode requires, if the plan has
 * a mode.
 */
void plan_take_mode(struct plan *p, struct mode_given given);

/* Sets the plan's fields as its backend requires, if requests of that backend move no bytes. */
void plan_take_action(struct plan *p);

/* Returns the share of writes among the requests of one job. */
double plan_write_share_of_job(const struct plan *p, unsigned job);

/* Returns what a backend does before each pass. */
enum io_pass plan_pass(const struct plan *p);

#endif
