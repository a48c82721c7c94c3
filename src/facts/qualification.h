/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A qualification: is this machine what was paid for? Plain data; src/qualify fills it, src/report
 * prints it.
 *
 * Every judgement is a check: a device (or the machine), what was looked at, what was found, what
 * was expected, and pass, warn, undecided or fail. A device's verdict is the gravest of its checks,
 * the machine's that of all.
 */
#ifndef CUPEL_FACTS_QUALIFICATION_H
#define CUPEL_FACTS_QUALIFICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/inventory.h"
#include "facts/result.h"
#include "facts/sharing.h"

/* What a report of one is in JSON. */
#define QUALIFICATION_KIND "qualify"

enum grade {
    GRADE_NONE, /* could not be looked at, or was not asked for: says so, counts as nothing */
    GRADE_PASS,
    GRADE_WARN,
    GRADE_UNDECIDED, /* was to be decided, and is not: never exit status 0 */
    GRADE_FAIL
};

const char *grade_name(enum grade grade); /* none, pass, warn, undecided, fail */

struct qualification_check {
    int device; /* index, or -1: of the machine as a whole */
    enum grade grade;
    char what[64];      /* "link", "health", "read bandwidth", "randread read.p99" */
    char found[120];    /* "8.0 GT/s x4" */
    char expected[120]; /* "at least 16.0 GT/s x4"; "" when there was no expectation */
    char note[200];     /* why, in words; "" */
    bool replaceable;   /* an expectation of the same thing replaces its grade */
};

/* One measurement of a device. */
struct qualification_test {
    char name[16];     /* "read", "randread", "write", "randwrite" */
    char workload[80]; /* "read 1 MiB, iodepth 8" */
    char engine[16];
    struct result_key key; /* what it did, as the result of a session has it */
    bool measured;
    enum verdict verdict;                                       /* of the session */
    struct result_row bandwidth, iops, response_time, p50, p99; /* NaN where there is none */
    double efficiency;                                          /* of the data path's limit, NaN */
    double seconds;
    char phase[24];      /* of the session: flat, warmup, slowdown, no_steady_state; "" */
    char disturbed[120]; /* who else was at work meanwhile: slowness may be theirs; "" */
    char failure[240];   /* "" */
    struct result_clause clauses[CLAUSES_MAX]; /* of its expectations */
    size_t clause_count;
};

#define QUALIFICATION_TESTS   4
#define QUALIFICATION_DEVICES 128
#define QUALIFICATION_CHECKS  4096

struct qualification_device {
    char name[64];  /* nvme0n1: its node in `hardware` */
    char kind[16];  /* nvme, sata, sas, usb, virtio ...: what a section of expectations asks for */
    char model[64]; /* "" when unknown */
    char serial[64];
    char firmware[32];
    char link[64]; /* "16.0 GT/s x4", or "" */
    char slot[32];
    char place[32];                            /* "NUMA node 1", or "" */
    uint64_t size;                             /* bytes */
    double limit_read;                         /* bytes/s of its data path, NaN */
    double temperature_begin, temperature_max; /* degrees Celsius, NaN */
    enum grade grade;
    struct qualification_test tests[QUALIFICATION_TESTS];
    size_t test_count;
};

struct qualification {
    char product[96];      /* "Dell Inc. PowerEdge R7625" */
    char machine[160];     /* with the rest: ", 2 x AMD EPYC 9354, 756 GiB" */
    char board_serial[64]; /* "" when unknown */
    char date[32];         /* UTC, "2026-11-20 17:02:11 UTC" */
    char preset[16];
    struct labels labels;     /* what a person says of it: --label */
    char version[32];         /* of cupel */
    char expectations[128];   /* the file they came from, or "" */
    size_t clauses;           /* of all tests of all disks that are estimated ... */
    double clause_confidence; /* ... and that none of them is decided wrongly */
    double seconds;
    bool chosen; /* disks were left out, for others were named: how many there are is not judged */
    bool interrupted;
    enum grade grade;
    struct qualification_device *devices; /* QUALIFICATION_DEVICES */
    size_t device_count;
    struct qualification_check *checks; /* QUALIFICATION_CHECKS */
    size_t check_count;
    size_t dropped; /* deviations for which there was no room, not even by dropping what passed */
    const struct inventory *hardware; /* before it was measured */
    const struct sharing *sharing;    /* all disks together, in place of their tests; or NULL */
};

/* Append a check and raise the grades of device and machine. In a full table a deviation takes the
   place of the last check that is none; whatever else does not fit is dropped (NULL), but not its
   grade. A check moves when another is appended. */
struct qualification_check *qualification_add(struct qualification *q, int device, enum grade grade,
                                              const char *what);

/* A check turns out graver than it was. */
void qualification_raise(struct qualification *q, struct qualification_check *check,
                         enum grade grade);

/* An expectation decides what was only judged by default: the grade may also become better. Without
   effect on the better side when deviations were dropped. */
void qualification_replace(struct qualification *q, struct qualification_check *check,
                           enum grade grade);

/* Why an interval of this test decides nothing ("the test was interrupted"); NULL: it may. */
const char *qualification_undecided(const struct qualification_test *test);

/* "link 8.0 GT/s x4, expected at least 16.0 GT/s x4: one lane is dead": what, found, expected and
   why, without the device. Returns `to`. */
#define QUALIFICATION_WORDS 544
char *qualification_check_words(const struct qualification_check *check, char *to, size_t size);

/* The name of the check's device, "machine" where it is of the machine as a whole. */
const char *qualification_check_of(const struct qualification *q,
                                   const struct qualification_check *check);

/* The rows measured in a test, in the order of the reports. */
enum qualification_row {
    QUALIFICATION_BANDWIDTH,
    QUALIFICATION_IOPS,
    QUALIFICATION_RESPONSE_TIME,
    QUALIFICATION_P50,
    QUALIFICATION_P99,
    QUALIFICATION_ROWS
};
const struct result_row *qualification_row(const struct qualification_test *test, size_t i);

/* The device's test of that name, or NULL. */
const struct qualification_test *qualification_test_of(const struct qualification_device *device,
                                                       const char *name);

/* Has it no result of any of its tests? */
bool qualification_unmeasured(const struct qualification_device *device);

/*
 * The exit status: ERR_FAILED when anything failed, which outranks ERR_UNDECIDED: interrupted, a
 * measurement without a result that stands, an expectation that is not decided, or no device at
 * all. Else ERR_NONE: all that was to be decided is, and passes, be it with warnings.
 */
enum err_code qualification_status(const struct qualification *q);

/* Is there anything that was to be decided and is not, whatever failed beside it? */
bool qualification_is_open(const struct qualification *q);

/*
 * "FAIL: nvme3n1: link 8.0 GT/s x4, expected at least 16.0 GT/s x4; ...": every deviation, what
 * failed first, or "PASS: 24 devices". Those that do not fit into `size` are counted at the end.
 * Returns `to`.
 */
char *qualification_line(const struct qualification *q, char *to, size_t size);

#endif
