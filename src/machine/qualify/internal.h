/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/machine/qualify. */
#ifndef CUPEL_MACHINE_QUALIFY_INTERNAL_H
#define CUPEL_MACHINE_QUALIFY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "base/text_reader.h"
#include "facts/clause.h"
#include "facts/fleet.h"
#include "facts/inventory.h"
#include "facts/qualification.h"
#include "hw/sysroot/sysroot.h"
#include "machine/qualify/expectation.h"

/* ---- zeros_share.c: was the disk ever written? ---- */

/* Blocks of zeros may never have been written. A drive answers reads of such blocks without
   reaching its medium. */

/* Samples the whole disk at `path` and warns if there are zeros among the samples. Returns whether
   most of them are zeros. `allowed`: the disk is measured even if it was never written. */
bool contents_unwritten(struct qualification *q, int device, const char *path, bool allowed);

/* Judges in the same way the first `covered` bytes, the only ones that a sequential test reached.
   Does nothing if the disk has its warning already or was covered completely. */
void contents_judge_covered(struct qualification *q, int device, const char *path, double covered);

/* ---- disk_identity.c ---- */

/* Returns whether both nodes are one disk, which the kernel shows twice because two cables lead to
   it: world wide name (NAA or EUI), serial number and size of both are known and equal. */
bool disk_is_same(const struct inventory *v, const struct sysroot *root, int node, int other);

/* ---- expectation_units.c ---- */

/*
 * Quantities of an expectation as people write and read them: "6.5 GB/s", "900k", "500us", "7 TB",
 * "512 GiB", "70 C", "5 %", "16.0 GT/s x4". kB, MB, GB and TB are powers of 1000; KiB, MiB, GiB and
 * TiB are powers of 1024. The functions keep no state.
 */

enum quantity {
    QUANTITY_COUNT,
    QUANTITY_PERCENT,     /* 5 means 5 % */
    QUANTITY_SHARE,       /* 0.95 or 95 %; at most 1 */
    QUANTITY_HOURS,       /* hours */
    QUANTITY_TEMPERATURE, /* degrees Celsius */
    QUANTITY_SIZE,        /* bytes */
    QUANTITY_RATE,        /* bytes/s */
    QUANTITY_COUNT_RATE,  /* per second */
    QUANTITY_TIME,        /* ns */
    QUANTITY_FREQUENCY,   /* Hz */
    QUANTITY_LINK,
    QUANTITY_TEXT /* a shell pattern */
};

#define QUANTITY_TEXT_MAX 120

struct amount {
    double number;     /* value; of a link: transfers or bits per second and lane */
    double half_digit; /* for a size: half of the last typed digit, at most 0.05 % of the number */
    bool binary;       /* for a size: the unit is a power of 1024 */
    unsigned lanes;    /* for a link: number of lanes; 0: not known */
    bool transfers;    /* for a link: `number` is in GT/s, not in Gbit/s */
    const char *text;  /* for QUANTITY_TEXT; belongs to the owner of the amount */
};

/*
 * Parses all of `s`, which has no blanks at its ends. A text is not copied: `text` stays NULL.
 * Returns 0, or -1 with *at set to the offset of the mistake and *expected to what would be right
 * there.
 */
int quantity_parse(enum quantity quantity, struct span s, struct amount *a, size_t *at,
                   const char **expected);

/* Reads a link as the inventory writes it. More text may follow the lanes ("12 Gbit/s x3 and 1
   slower"). */
bool quantity_read_link(const char *text, struct amount *a);

/* Returns whether a link is neither slower nor narrower than `limit`. Lanes are compared only if
   both have them. */
bool quantity_link_reaches(const struct amount *link, const struct amount *limit);

/* Returns an example of how the quantity is written, at most 13 characters: "6.5 GB/s". */
const char *quantity_example(enum quantity quantity);

/* Formats a number for a report beside the expectation `like`. For a size, `like` chooses units of
   1000 or 1024 (NULL: 1000), and enough digits are shown that two different sizes look different.
   Returns `to`. */
char *quantity_format(enum quantity quantity, double number, const struct amount *like, char *to,
                      size_t size);

/* Formats "6.931 GB/s (6.902 to 6.960)", "1.05M IOPS (0.95M to 1.15M)": all numbers in one unit,
   with enough digits that half the interval's width shows two. Without an interval (NaN) three
   digits. Returns `to`. */
char *quantity_format_interval(enum quantity quantity, double number, double low, double high,
                               char *to, size_t size);

/* ---- expectation_keys.c ---- */

/* the keys of expectations: a new key is one row of expectation_keys.c */

enum key_scope {
    KEY_OF_MACHINE,
    KEY_OF_DISK,
    KEY_OF_TEST, /* follows the name of a test: "randread iops" */
};

/* the value found for a key */
struct found {
    double value;          /* NaN: no value, and `missing` says why */
    bool measured;         /* has an interval, or should have one */
    double low, high;      /* the interval; NaN: no interval */
    double confidence;     /* confidence of the interval */
    const char *text;      /* value of a text or link; NULL: no value */
    const char *missing;   /* why there is no value */
    const char *undecided; /* why the interval decides nothing; NULL if it may decide */
    /* other programs that were at work and may have lowered the value; NULL: none */
    const char *disturbed;
    /* the measurement was not requested, so that a missing value is no deviation */
    bool not_asked;
    char words[200]; /* buffer for `missing` */
};

struct expectation_key {
    enum key_scope scope;
    const char *name;
    enum quantity quantity;
    /* Fills in `found`, which comes with NaN and NULL. `device` is -1 for the machine; `test` is a
       test of the device, or NULL. */
    void (*find)(const struct expectation_key *key, const struct qualification *q, int device,
                 const struct qualification_test *test, struct found *found);
    const char *fact;  /* for `find`: the key of the fact */
    enum node_kind of; /* for `find`: the kind of node that has a fact of the machine */
    int member;        /* for `find`: index of a text of the device, or of a row of the test */
    double room;       /* share of the expected value by which a value may fall short of it */
    const char *note;  /* why a value may fall short, in words */
    const char *meaning;
    /* --write-expect multiplies the worst end of the interval by this factor and expects at least
       that, or at most that for a time; 0: it expects nothing. Used for what is measured of the
       machine, and for a KEY_OF_TEST: for random tests if `write_random`, else for sequential
       ones. */
    double write_factor;
    bool write_random;
};

extern const struct expectation_key expectation_keys[]; /* ended by a name of NULL */

/* Returns whether `s` is this name, in upper or lower case. */
bool expectation_is_name(const char *name, struct span s);

/* Returns the row of that name (words separated by one blank, in upper or lower case), or NULL. */
const struct expectation_key *expectation_key_find(enum key_scope scope, struct span name);

/* Lists the keys of one scope: "disks, memory, ...". Returns `to`. */
char *expectation_key_list(enum key_scope scope, char *to, size_t size);

/* Returns whether the name is a kind of disk ("nvme", "SATA", in upper or lower case) and not a
   pattern for models. */
bool expectation_is_kind(struct span name);

/* the names of tests */
extern const char *const expectation_tests[]; /* ended by NULL */

/* ---- expectation.c ---- */

/* A parsed expectation: sections with rules. */

enum compare { COMPARE_EQUAL, COMPARE_MIN, COMPARE_MAX };

struct rule {
    const struct expectation_key *key;
    int test; /* index in expectation_tests; -1: none */
    enum compare compare;
    struct amount limit, warn;
    bool has_warn;
    char text[QUANTITY_TEXT_MAX];      /* the limit as it was typed */
    char warn_text[QUANTITY_TEXT_MAX]; /* the limit of the warning as it was typed */
    size_t line;
};

struct section {
    bool of_machine, of_tests;        /* otherwise a section about disks */
    int test;                         /* for of_tests: index in expectation_tests; -1: all */
    struct clauses clauses;           /* for of_tests, which have no rules */
    char selector[QUANTITY_TEXT_MAX]; /* "nvme", "SAMSUNG*"; "": every disk */
    bool by_kind;                     /* the selector is a kind of disk, not a pattern for models */
    size_t line, first_rule, rule_count;
};

#define EXPECTATION_SECTIONS 64
#define EXPECTATION_RULES    512

struct expectation {
    char name[128];
    size_t section_count, rule_count;
    struct section sections[EXPECTATION_SECTIONS];
    struct rule rules[EXPECTATION_RULES];
};

/* ---- expectation_clauses.c ---- */

/* Adds the clauses of a line, "p99 < 500us, errors = 0", to a section about tests. */
int clauses_read_line(struct section *s, struct span line, const struct text_reader *lines);

/* Returns whether the section applies to this device, by its kind or model. */
bool section_is_about(const struct section *s, const struct qualification_device *d);

/* Adds checks of a disk: the results of its sessions for the clauses of a section. */
void clauses_judge(const struct section *s, struct qualification *q, int device);

/* ---- judge_state.c, judge_changes.c: checks without an expectation ---- */

#define NOTE_MAX sizeof(((struct qualification_check *)0)->note)

/* Appends a check with the value found and the reason in words ("" if there is nothing to say). */
void note_check(struct qualification *q, int device, enum grade grade, const char *what,
                const char *found, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Like note_check, for a check that an expectation of the same name replaces. */
void note_replaceable(struct qualification *q, int device, enum grade grade, const char *what,
                      const char *found, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Judges links, health, heat and errors by q->hardware alone, before anything is measured. */
void judge_state(struct qualification *q);

/* Judge after the measurements what changed on the machine, and how warm its disks became. */
void judge_changes(struct qualification *q, const struct inventory *after);
void judge_temperatures(struct qualification *q);

/* Warns about each drive that is slower than the other drives of its model in this machine
   (judge_peers.c). -1: no memory. */
int judge_peers(struct qualification *q, struct err *e);

/* ---- fleet_judge.c: what else differs between a slow drive and its peers? ---- */

/*
 * Fills in slow->cause: every fact in which the slow drive differs from its peers. Peers are the
 * drives of its model and conditions that are not slow themselves. A fact that a fifth of the peers
 * share explains nothing. Needs `slow` and `disk` of all slow drives.
 */
void fleet_find_cause(const struct fleet *f, struct fleet_slow *slow);

/* Returns the row whose conditions define the drive's peers. For a mean over rows it is the first
   row that the drive has. */
size_t fleet_row_of(const struct fleet *f, const struct fleet_slow *slow);

/* ---- judge_together.c ---- */

/*
 * Adds a warning for each part of the machine at which disks lose speed; the checks of these disks
 * name the part. A disk whose loss no part explains gets the warning itself. A disk without a
 * verdict gets an undecided check, and a disk that failed gets a failed one. For disks with an
 * expectation of `together`, that expectation decides instead.
 */
void judge_sharing(struct qualification *q, const struct sharing *s);

#endif
