/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A qualification: is this machine what was paid for? Plain data; src/machine/qualify fills it,
 * src/report prints it.
 *
 * Every judgement is a check: a device (or the machine), what was examined, what was found, what
 * was expected, and a grade: pass, warn, undecided or fail. The verdict on a device is the worst
 * grade of its checks; the verdict on the machine is the worst grade of all checks.
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

/* The kind of a qualification's report in JSON. */
#define QUALIFICATION_KIND "qualify"

enum grade {
    GRADE_NONE, /* could not be examined, or was not requested: it is reported and does not count */
    GRADE_PASS,
    GRADE_WARN,
    GRADE_UNDECIDED, /* must be decided, and is not: the exit status is never 0 */
    GRADE_FAIL
};

const char *grade_name(enum grade grade); /* none, pass, warn, undecided, fail */

struct qualification_check {
    int device; /* index of the device; -1: the machine as a whole */
    enum grade grade;
    char what[64];      /* "link", "health", "read bandwidth", "randread read.p99" */
    char found[120];    /* "8.0 GT/s x4" */
    char expected[120]; /* "at least 16.0 GT/s x4"; "" when there was no expectation */
    char note[200];     /* the reason, in words; "" */
    bool replaceable;   /* an expectation about the same property replaces its grade */
};

/* One measurement of a device. */
struct qualification_test {
    char name[16];     /* "read", "randread", "write", "randwrite" */
    char workload[80]; /* "read 1 MiB, iodepth 8" */
    char engine[16];
    struct result_key key; /* the workload, as in the result of a session */
    bool measured;
    enum verdict verdict;                                       /* verdict of the session */
    struct result_row bandwidth, iops, response_time, p50, p99; /* NaN where there is no value */
    double efficiency;                                          /* over the data path's limit; NaN:
                                                                   not known */
    double seconds;
    char phase[24];      /* phase of the session: flat, warmup, slowdown, no_steady_state; "" */
    char disturbed[120]; /* which other programs were active meanwhile, so that slowness may be due
                            to them; "" */
    char failure[240];   /* "" */
    struct result_clause clauses[CLAUSES_MAX]; /* clauses of its expectations */
    size_t clause_count;
};

#define QUALIFICATION_TESTS   4
#define QUALIFICATION_DEVICES 128
#define QUALIFICATION_CHECKS  4096

struct qualification_device {
    char name[64];  /* nvme0n1: its node in `hardware` */
    char kind[16];  /* nvme, sata, sas, usb, virtio ...: selects a section of expectations */
    char model[64]; /* "" when unknown */
    char serial[64];
    char firmware[32];
    char link[64]; /* "16.0 GT/s x4", or "" */
    char slot[32];
    char place[32];                            /* "NUMA node 1", or "" */
    uint64_t size;                             /* bytes */
    double limit_read;                         /* bytes/s of its data path; NaN: not known */
    double temperature_begin, temperature_max; /* degrees Celsius; NaN: not known */
    enum grade grade;
    struct qualification_test tests[QUALIFICATION_TESTS];
    size_t test_count;
};

/* A measured number with its interval; NaN: it has none. */
struct qualification_number {
    double value, low, high, confidence;
};

/* The memory, where --memory asked for it. */
struct qualification_memory {
    bool measured;
    struct qualification_number bandwidth; /* bytes/s, of the kernel that moves most */
    struct qualification_number latency;   /* ns */
    double limit;                          /* bytes/s of the modules; NaN: not known */
    char disturbed[120];                   /* other programs that were at work; "" */
};

/* Power and temperature of the processors over time. */
#define HEAT_SAMPLES_MAX 240

struct heat_sample {
    double seconds;        /* since the first reading */
    double watts, celsius; /* of all packages since the sample before; of the hottest sensor; NaN:
                              not known */
};

struct heat_history {
    size_t count;
    struct heat_sample samples[HEAT_SAMPLES_MAX];
    double watts, celsius;      /* the mean power; the highest temperature; NaN: not known */
    double watts_limit;         /* of all packages over time; NaN: not known */
    bool counts;                /* the kernel counts throttling */
    uint64_t by_heat, by_power; /* events meanwhile */
    bool energy_denied;         /* the kernel does not let this user read the power */
};

/* The processors, where --processors asked for them. */
struct qualification_processors {
    bool measured;
    struct qualification_number clock, slowest; /* Hz */
    struct qualification_number rate;           /* floating point operations per second */
    char slowest_name[16];                      /* "cpu7"; "": there is one processor */
    bool alike;                                 /* all are made for the same clock */
    double base, turbo;                         /* Hz; NaN: not known */
    char base_of[16];                           /* where the base clock is from: "cpufreq" */
    struct heat_history heat;
    char disturbed[120]; /* other programs that were at work; "" */
};

struct qualification {
    char product[96];      /* "Dell Inc. PowerEdge R7625" */
    char machine[160];     /* the product with processors and memory: ", 2 x AMD EPYC 9354, 756
                              GiB" */
    char board_serial[64]; /* "" when unknown */
    char date[32];         /* UTC, "2026-11-20 17:02:11 UTC" */
    char preset[16];
    struct labels labels;     /* the user's labels: --label */
    char version[32];         /* version of cupel */
    char expectations[128];   /* name of the file of expectations, or "" */
    size_t clauses;           /* number of estimated clauses in all tests of all disks */
    double clause_confidence; /* confidence that no clause is decided wrongly */
    double seconds;
    bool chosen; /* disks were named, so others were left out: the number of disks is not judged */
    bool interrupted;
    enum grade grade;
    struct qualification_memory memory;
    struct qualification_processors processors;
    struct heat_history burn;             /* while --burn tested; count 0: not asked for */
    struct qualification_device *devices; /* QUALIFICATION_DEVICES */
    size_t device_count;
    struct qualification_check *checks; /* QUALIFICATION_CHECKS */
    size_t check_count;
    size_t dropped; /* number of deviations that did not fit into `checks`, although they replace
                       checks that passed */
    const struct inventory *hardware; /* the inventory before the measurements */
    const struct sharing *sharing;    /* all disks measured together, instead of their tests; or
                                         NULL */
};

/* Append a check and raise the grades of device and machine. In a full table a deviation replaces
   the last check that is not a deviation; any other check is dropped (NULL), but its grade counts.
   A check moves when another is appended. */
struct qualification_check *qualification_add(struct qualification *q, int device, enum grade grade,
                                              const char *what);

/* Raise the grade of a check that turns out to be worse. */
void qualification_raise(struct qualification *q, struct qualification_check *check,
                         enum grade grade);

/* Replace a grade that was given by default with that of an expectation; the grade may also become
   better. When deviations were dropped, grades of device and machine do not become better. */
void qualification_replace(struct qualification *q, struct qualification_check *check,
                           enum grade grade);

/* Why an interval of this test decides nothing ("the test was interrupted"); NULL: it may
   decide. */
const char *qualification_undecided(const struct qualification_test *test);

/* "link 8.0 GT/s x4, expected at least 16.0 GT/s x4: one lane is dead": the check's subject, what
   was found, what was expected and why, without the device. Returns `to`. */
#define QUALIFICATION_WORDS 544
char *qualification_check_words(const struct qualification_check *check, char *to, size_t size);

/* The name of the check's device; "machine" for a check of the machine as a whole. */
const char *qualification_check_of(const struct qualification *q,
                                   const struct qualification_check *check);

/* The rows that are measured in a test, in the order of the reports. */
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

/* True when none of the device's tests has a result. */
bool qualification_unmeasured(const struct qualification_device *device);

/*
 * The exit status. ERR_FAILED when a check failed. Otherwise ERR_UNDECIDED when the qualification
 * was interrupted, a measurement has no valid result, an expectation is not decided, or there is no
 * device at all. Otherwise ERR_NONE: everything was decided and passed, perhaps with warnings.
 */
enum err_code qualification_status(const struct qualification *q);

/* Is anything not decided that should be, even if something else failed? */
bool qualification_is_open(const struct qualification *q);

/*
 * "FAIL: nvme3n1: link 8.0 GT/s x4, expected at least 16.0 GT/s x4; ...": every deviation, failures
 * first, or "PASS: 24 devices". Those that do not fit into `size` are counted at the end. Returns
 * `to`.
 */
char *qualification_line(const struct qualification *q, char *to, size_t size);

#endif
