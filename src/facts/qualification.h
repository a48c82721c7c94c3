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
#include "facts/disk_sharing.h"
#include "facts/inventory.h"
#include "facts/result.h"

/* The value of "kind" in a qualification's report in JSON. */
#define QUALIFICATION_KIND "qualify"

enum grade {
    /* could not be examined, or was not requested: reported, but without effect on the verdict */
    GRADE_NONE,
    GRADE_PASS,
    GRADE_WARN,
    GRADE_UNDECIDED, /* a decision was required but not possible: the exit status is not 0 */
    GRADE_FAIL
};

const char *grade_name(enum grade grade); /* "none", "pass", "warn", "undecided", "fail" */

struct qualification_check {
    int device; /* index of the device; -1: the machine as a whole */
    enum grade grade;
    char what[64];      /* subject: "link", "health", "read bandwidth", "randread read.p99" */
    char found[120];    /* "8.0 GT/s x4" */
    char expected[120]; /* "at least 16.0 GT/s x4"; "": nothing specific was expected */
    char note[200];     /* the reason in words, or "" */
    /* the grade is a default, which an expectation about the same property replaces */
    bool replaceable;
};

/* One measurement of a device. */
struct qualification_test {
    char name[16];     /* "read", "randread", "write", "randwrite" */
    char workload[80]; /* "read 1 MiB, iodepth 8" */
    char engine[16];
    struct result_key key; /* identifies the workload, as in the result of a session */
    bool measured;
    enum verdict verdict;                                       /* verdict of the session */
    struct result_row bandwidth, iops, response_time, p50, p99; /* NaN: not measured */
    /* bandwidth divided by the data path's limit; NaN: not known */
    double efficiency;
    double seconds;
    /* phase of the session: "flat", "warmup", "slowdown", "no_steady_state", or "" */
    char phase[24];
    /* other programs that were active during the test, so that they may have slowed it; "": none */
    char disturbed[120];
    char failure[240];                         /* why the test failed, or "" */
    struct result_clause clauses[CLAUSES_MAX]; /* clauses of the expectations about this test */
    size_t clause_count;
};

#define QUALIFICATION_TESTS   4
#define QUALIFICATION_DEVICES 128
#define QUALIFICATION_CHECKS  4096

struct qualification_device {
    char name[64]; /* "nvme0n1", also the name of its node in `hardware` */
    /* "nvme", "sata", "sas", "usb", "virtio" ...: selects a section of expectations */
    char kind[16];
    char model[64]; /* "" when unknown */
    char serial[64];
    char firmware[32];
    char link[64]; /* negotiated: "16.0 GT/s x4", or "" */
    char slot[32];
    char place[32]; /* "NUMA node 1", or "" */
    uint64_t size;  /* bytes */
    /* read limit of its data path in bytes/s; NaN: not known */
    double limit_read;
    double temperature_begin, temperature_max; /* degrees Celsius; NaN: not known */
    enum grade grade;
    struct qualification_test tests[QUALIFICATION_TESTS];
    size_t test_count;
};

/* A measured number with its confidence interval; NaN: no interval. */
struct qualification_number {
    double value, low, high, confidence;
};

/* Measurements of the memory, if --memory was given. */
struct qualification_memory {
    bool measured;
    struct qualification_number bandwidth; /* bytes/s, of the fastest access kernel */
    struct qualification_number latency;   /* ns */
    double limit;                          /* maximum of the modules in bytes/s; NaN: not known */
    /* other programs that were active during the test, or "" */
    char disturbed[120];
};

/* Power and temperature of the processors over time. */
#define HEAT_SAMPLES_MAX 240

struct heat_sample {
    double seconds; /* time from the first reading */
    /* power of all packages since the last sample; temperature of the hottest sensor; NaN: not
       known */
    double watts, celsius;
};

struct heat_history {
    size_t count;
    struct heat_sample samples[HEAT_SAMPLES_MAX];
    double watts, celsius; /* mean power; highest temperature; NaN: not known */
    double watts_limit;    /* sustained power limit of all packages; NaN: not known */
    bool counts;           /* the kernel counts throttling on this machine */
    /* throttling events during the readings: because of heat, and because of a power limit */
    uint64_t by_heat, by_power;
    bool energy_denied; /* this user has no permission to read the power */
};

/* Measurements of the processors, if --processors was given. */
struct qualification_processors {
    bool measured;
    struct qualification_number clock, slowest; /* Hz; `slowest`: of the slowest processor */
    struct qualification_number rate;           /* floating-point operations per second */
    char slowest_name[16];                      /* "cpu7"; "": there is only one processor */
    bool alike;                                 /* all processors have the same maximum clock */
    double base, turbo;                         /* Hz; NaN: not known */
    char base_of[16];                           /* source of the base clock: "cpufreq" */
    struct heat_history heat;
    char disturbed[120]; /* other programs that were active during the test, or "" */
};

struct qualification {
    char product[96];      /* "Dell Inc. PowerEdge R7625" */
    char machine[160];     /* product, processors and memory: "..., 2 x AMD EPYC 9354, 756 GiB" */
    char board_serial[64]; /* "" when unknown */
    char date[32];         /* start in UTC: "2026-11-20 17:02:11 UTC" */
    char preset[16];
    struct labels labels;     /* labels that the user gave by --label */
    char version[32];         /* version of cupel */
    char expectations[128];   /* name of the file of expectations, or "" */
    size_t clauses;           /* number of estimated clauses in all tests of all disks */
    double clause_confidence; /* confidence that all of these clauses are decided correctly */
    double seconds;
    /* true: the user chose the disks, so a missing or additional disk is no deviation */
    bool chosen;
    bool interrupted;
    enum grade grade;
    struct qualification_memory memory;
    struct qualification_processors processors;
    struct heat_history burn; /* power and temperature during --burn; count 0: no --burn */
    struct qualification_device *devices; /* [device_count], of an array of QUALIFICATION_DEVICES */
    size_t device_count;
    struct qualification_check *checks; /* [check_count], of an array of QUALIFICATION_CHECKS */
    size_t check_count;
    /* number of deviations that did not fit into `checks`, even in place of checks that passed */
    size_t dropped;
    const struct inventory *hardware; /* the inventory before the measurements */
    /* result of measuring all disks at the same time; NULL: not requested */
    const struct sharing *sharing;
};

/* Appends a check and raises the grades of the device and the machine. When the table is full, a
   deviation replaces the last check that is not a deviation. Any other check is dropped (NULL), but
   its grade counts. Checks move when another one is appended. */
struct qualification_check *qualification_add(struct qualification *q, int device, enum grade grade,
                                              const char *what);

/* Raises the grade of a check to `grade` if that is worse, and the grades of its device and of the
   machine. */
void qualification_raise(struct qualification *q, struct qualification_check *check,
                         enum grade grade);

/* Replaces a default grade by the grade of an expectation, which may be better. If deviations were
   dropped, a grade never becomes better. */
void qualification_replace(struct qualification *q, struct qualification_check *check,
                           enum grade grade);

/* Returns why nothing can be decided by an interval of this test ("the test was interrupted"), or
   NULL if it can. */
const char *qualification_undecided(const struct qualification_test *test);

/* Writes a check without its device: "link 8.0 GT/s x4, expected at least 16.0 GT/s x4: one lane is
   dead", which is the subject, what was found, what was expected, and the reason. Returns `to`. */
#define QUALIFICATION_WORDS 544
char *qualification_check_words(const struct qualification_check *check, char *to, size_t size);

/* Returns the name of the check's device, or "machine" for a check of the machine as a whole. */
const char *qualification_check_of(const struct qualification *q,
                                   const struct qualification_check *check);

/* The metrics of a test, in the order of the reports. */
enum qualification_row {
    QUALIFICATION_BANDWIDTH,
    QUALIFICATION_IOPS,
    QUALIFICATION_RESPONSE_TIME,
    QUALIFICATION_P50,
    QUALIFICATION_P99,
    QUALIFICATION_ROWS
};
const struct result_row *qualification_row(const struct qualification_test *test, size_t i);

/* Returns the device's test with this name, or NULL. */
const struct qualification_test *qualification_test_of(const struct qualification_device *device,
                                                       const char *name);

/* Returns true if none of the device's tests has a result. */
bool qualification_unmeasured(const struct qualification_device *device);

/*
 * Returns the exit status: ERR_FAILED if a check failed; otherwise ERR_UNDECIDED if the
 * qualification was interrupted, a measurement has no valid result, an expectation is undecided, or
 * there is no device at all; otherwise ERR_NONE: everything was decided and passed, perhaps with
 * warnings.
 */
enum err_code qualification_status(const struct qualification *q);

/* Returns true if any check is undecided, even if another one failed. */
bool qualification_is_open(const struct qualification *q);

/*
 * Writes the verdict in one line: "FAIL: nvme3n1: link 8.0 GT/s x4, expected at least 16.0 GT/s x4;
 * ..." with every deviation, failures first; or "PASS: 24 devices". Deviations that do not fit into
 * `size` are counted at the end. Returns `to`.
 */
char *qualification_line(const struct qualification *q, char *to, size_t size);

#endif
