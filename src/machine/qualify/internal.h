/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/machine/qualify share. */
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

/* ---- contents.c: is there anything on the disk? ---- */

/* Zeros may be blocks that were never written, for which a drive answers without reaching its
   medium. */

/* Samples the whole disk at `path`; zeros among the samples are a warning. Is most of it zeros?
   `allowed`: it is measured all the same. */
bool contents_unwritten(struct qualification *q, int device, const char *path, bool allowed);

/* Likewise the first `covered` bytes, which are all that a sequential test came to. Nothing when
   the disk has its warning already, or was covered whole. */
void contents_judge_covered(struct qualification *q, int device, const char *path, double covered);

/* ---- disk_identity.c ---- */

/* Are both nodes one disk, which the kernel shows twice because two cables lead to it? They are
   when world wide name (NAA or EUI), serial number and size are known of both and the same. */
bool disk_is_same(const struct inventory *v, const struct sysroot *root, int node, int other);

/* ---- quantity.c ---- */

/*
 * Quantities of an expectation, as people write and read them: "6.5 GB/s", "900k", "500us",
 * "7 TB", "512 GiB", "70 C", "5 %", "16.0 GT/s x4". Units of 1000 (kB, MB, GB, TB) and of 1024
 * (KiB, MiB, GiB, TiB) are what they say. No state.
 */

enum quantity {
    QUANTITY_COUNT,
    QUANTITY_PERCENT,     /* 5 is 5 % */
    QUANTITY_SHARE,       /* 0.95, or 95 %; not above 1 */
    QUANTITY_HOURS,       /* h */
    QUANTITY_TEMPERATURE, /* degrees Celsius */
    QUANTITY_SIZE,        /* bytes */
    QUANTITY_RATE,        /* bytes/s */
    QUANTITY_COUNT_RATE,  /* per second */
    QUANTITY_TIME,        /* ns */
    QUANTITY_LINK,
    QUANTITY_TEXT /* a shell pattern */
};

#define QUANTITY_TEXT_MAX 120

struct amount {
    double number;     /* of a link: transfers or bits per second and lane */
    double half_digit; /* of a size: half of the last digit typed, at most 0.05 % of the number */
    bool binary;       /* a size in units of 1024 */
    unsigned lanes;    /* of a link; 0: not known */
    bool transfers;    /* of a link: GT/s, not Gbit/s */
    const char *text;  /* QUANTITY_TEXT; belongs to whoever has the amount */
};

/*
 * The whole of `s`, which has no blanks at its ends; a text is not copied, `text` stays NULL. 0, or
 * -1 with *at the byte where it is wrong and *expected what would be right there.
 */
int quantity_parse(enum quantity quantity, struct span s, struct amount *a, size_t *at,
                   const char **expected);

/* A link as the inventory has it, which may go on after the lanes ("12 Gbit/s x3 and 1 slower").
 */
bool quantity_read_link(const char *text, struct amount *a);

/* Neither slower nor narrower than `limit`; lanes are compared where both have them. */
bool quantity_link_reaches(const struct amount *link, const struct amount *limit);

/* How it is written, of at most 13 characters: "6.5 GB/s". */
const char *quantity_example(enum quantity quantity);

/* "" or the unit that `text`, a quantity as it was typed, leaves out: " C" after "70". */
const char *quantity_unit_after(enum quantity quantity, const char *text);

/* A number as a report shows it. `like` is the expectation it stands beside: of a size it chooses
   between units of 1000 and 1024 (NULL: 1000) and asks for so many digits that it shows as another
   number than it unless it is the same. Returns `to`. */
char *quantity_format(enum quantity quantity, double number, const struct amount *like, char *to,
                      size_t size);

/* "6.931 GB/s (6.902 to 6.960)", "1.05M IOPS (0.95M to 1.15M)": one unit, and so many digits that
   half the interval's width shows two. Without an interval (NaN) three digits. Returns `to`. */
char *quantity_format_interval(enum quantity quantity, double number, double low, double high,
                               char *to, size_t size);

/* ---- expectation_keys.c ---- */

/* The keys that an expectation may have: a new key is one row of expectation_keys.c. */

enum key_scope {
    KEY_OF_MACHINE,
    KEY_OF_DISK,
    KEY_OF_TEST, /* stands after the name of a test: "randread iops" */
};

/* The value found for a key. */
struct found {
    double value;          /* NaN: nothing, `missing` says why */
    bool measured;         /* it has an interval, or should have */
    double low, high;      /* the interval; NaN: none */
    double confidence;     /* of it */
    const char *text;      /* of a text or link; NULL: nothing */
    const char *missing;   /* why there is no value */
    const char *undecided; /* why an interval decides nothing; NULL: it may */
    const char *disturbed; /* who else was at work: slowness may be theirs; NULL: nobody */
    bool not_asked;        /* nobody asked for it to be measured: that is no deviation */
    char words[200];       /* room for `missing` */
};

struct expectation_key {
    enum key_scope scope;
    const char *name;
    enum quantity quantity;
    /* Fills `found`, which comes with NaN and NULL. `device` is -1 of the machine, `test` of the
       device or NULL. */
    void (*find)(const struct expectation_key *key, const struct qualification *q, int device,
                 const struct qualification_test *test, struct found *found);
    const char *fact;  /* for `find`: the fact's key */
    enum node_kind of; /* for `find`: the kind of the node, of a machine's fact */
    int member;        /* for `find`: a text of the device or a row of the test */
    double room;       /* so much less than expected is enough, as a share */
    const char *note;  /* why there is room */
    const char *meaning;
    /* Of a KEY_OF_TEST: --write-expect expects at least the worst measured value times this (0: it
       expects nothing), of random or of sequential tests. */
    double write_factor;
    bool write_random;
};

extern const struct expectation_key expectation_keys[]; /* ended by a name of NULL */

/* Is `s` this name, in any case? */
bool expectation_is_name(const char *name, struct span s);

/* The row of that name, words separated by one blank each, in any case; NULL: none. */
const struct expectation_key *expectation_key_find(enum key_scope scope, struct span name);

/* "disks, memory, ..." of one scope. Returns `to`. */
char *expectation_key_list(enum key_scope scope, char *to, size_t size);

/* Is it a kind of disk, in any case ("nvme", "SATA"), and no pattern of a model? */
bool expectation_is_kind(struct span name);

/* The names of tests. */
extern const char *const expectation_tests[]; /* ended by NULL */

/* ---- expectation.c ---- */

/* An expectation once it is read: sections with rules. */

enum compare { COMPARE_EQUAL, COMPARE_MIN, COMPARE_MAX };

struct rule {
    const struct expectation_key *key;
    int test; /* of expectation_tests, -1: none */
    enum compare compare;
    struct amount limit, warn;
    bool has_warn;
    char text[QUANTITY_TEXT_MAX];      /* of the limit, as it was typed */
    char warn_text[QUANTITY_TEXT_MAX]; /* likewise */
    size_t line;
};

struct section {
    bool of_machine, of_tests;        /* else of disks */
    int test;                         /* of_tests: of expectation_tests, -1: all */
    struct clauses clauses;           /* of_tests: there are no rules */
    char selector[QUANTITY_TEXT_MAX]; /* "nvme", "SAMSUNG*"; "": every disk */
    bool by_kind;                     /* of the disk, not a pattern of its model */
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

/* Adds the clauses of a line, "p99 < 500us, errors = 0", to a section of tests. */
int clauses_read_line(struct section *s, struct span line, const struct text_reader *lines);

/* By its kind or model. */
bool section_is_about(const struct section *s, const struct qualification_device *d);

/* Checks of a disk by what its sessions found of the clauses of a section. */
void clauses_judge(const struct section *s, struct qualification *q, int device);

/* ---- judge_state.c, judge_changes.c: all that is judged without an expectation ---- */

#define NOTE_MAX sizeof(((struct qualification_check *)0)->note)

/* Append a check with what was found and why, in words ("" where there is nothing to say). */
void note_check(struct qualification *q, int device, enum grade grade, const char *what,
                const char *found, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Likewise, of what a site may expect otherwise: its expectation decides alone. */
void note_replaceable(struct qualification *q, int device, enum grade grade, const char *what,
                      const char *found, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Links, health, heat and errors by q->hardware alone: a machine as it stands before anything is
 * measured. */
void judge_state(struct qualification *q);

/* The same machine afterwards: the differences, and how warm it became. */
void judge_changes(struct qualification *q, const struct inventory *after);
void judge_temperatures(struct qualification *q);

/* Drives of one model that are slower than the others of this machine (judge_peers.c): a warning
   each. -1: no memory. */
int judge_peers(struct qualification *q, struct err *e);

/* ---- fleet_cause.c: what else differs between a slow drive and its peers ---- */

/*
 * Fills slow->cause with every fact that is the slow drive's and not its peers': those of its model
 * and conditions that are not slow themselves. A fact that a fifth of the peers has as well
 * explains nothing. Needs `slow` and `disk` of what is slow.
 */
void fleet_find_cause(const struct fleet *f, struct fleet_slow *slow);

/* The row whose conditions say who its peers are: of the mean, the first that its drive has. */
size_t fleet_row_of(const struct fleet *f, const struct fleet_slow *slow);

/* ---- judge_sharing.c ---- */

/*
 * A warning of the machine for each part by which disks lose, which its disks note; one of the disk
 * where no part explains it. A disk that is not decided is undecided, one that failed has failed.
 * An expectation of `together` decides in place of all that for its disks.
 */
void judge_sharing(struct qualification *q, const struct sharing *s);

#endif
