/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Declarations that the files of src/many/merge share.
 *
 * A source is one file: a record, a log. Its reader (one of merge_formats) passes its measurements
 * to merge_add_latencies, merge_add_value and merge_add_stretches, which add them to the timeline
 * of all sources together and to the totals of the source. All sums are of whole numbers, so the
 * order of sources makes no difference.
 *
 * Longer than 500 lines because all files of the folder work on the two structs of a merge here.
 */
#ifndef CUPEL_MANY_MERGE_INTERNAL_H
#define CUPEL_MANY_MERGE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/machine/clock_error.h"
#include "base/pool.h"
#include "base/span.h"
#include "base/text.h"
#include "facts/followed.h"
#include "facts/merged.h"
#include "many/merge/merge.h"
#include "run/measurement/measurement.h"
#include "run/record/record_scan.h"
#include "stat/basic/histogram.h"

/* Sums of a source in addition to those of its operations, for requests with due times. */
enum {
    MERGE_ISSUE_ERROR = OPERATIONS,
    MERGE_SERVICE, /* one sum for each of OPERATIONS */
    MERGE_SUMS = MERGE_SERVICE + OPERATIONS
};

/* ---- in_flight_stretches.c: disjoint stretches of time ---- */

struct stretch_ns {
    uint64_t begin, end; /* ns, half open */
};

/* A set of stretches of time: sorted, disjoint, and none touches another. The caller frees it with
   stretch_set_free; an empty set is all zeros. */
struct stretch_set {
    struct stretch_ns *at;
    size_t count, capacity;
};

/* Makes the stretches of time disjoint, in place. They must be in order of their begins. Returns
   their new number. */
size_t stretches_unite(struct stretch_ns stretches[], size_t n);

/* Adds stretches of time, each of which begins after the end of the previous one. Errors:
   ERR_MACHINE. */
int stretch_set_add(struct stretch_set *set, const struct stretch_ns add[], size_t n,
                    struct err *e);
/* Returns the length of the set's part in [begin, end). */
uint64_t stretch_set_length(const struct stretch_set *set, uint64_t begin, uint64_t end);
/* Returns the length of the part of `a` in [begin, end) that does not lie in `b`. */
uint64_t stretch_set_length_without(const struct stretch_set *a, const struct stretch_set *b,
                                    uint64_t begin, uint64_t end);
void stretch_set_free(struct stretch_set *set);

/* Latencies of one operation: the used buckets, ascending. A plain view that owns nothing. */
struct latency_buckets {
    uint64_t n;        /* including `over` */
    uint64_t min, max; /* ns */
    uint64_t over;     /* number of those longer than the last bucket */
    size_t used;
    const uint16_t *bucket;
    const uint64_t *count;
};

/* ---- timeline.c: all sources together, interval by interval ---- */

#define TIMELINE_SLICES INTERVAL_SLICES
/* maximum number of intervals when the user gives their length */
#define TIMELINE_ASKED_MAX 1000000

struct timeline_op {
    uint64_t n, over; /* number of I/Os, and of those over the last bucket */
    uint64_t min, max;
    /* counts of HISTOGRAM_SUBBUCKETS buckets each; NULL stands for zeros */
    uint64_t *group[HISTOGRAM_GROUPS];
};

/*
 * Sets of times with I/O in flight (stretches). Every set is a union over sources, so that a merge
 * of merges gives the same sets as one merge. `exact`: stretches without gaps. `gapped`: stretches
 * with gaps of which only the sum is known. Each source's clock has an error: I/O was certainly in
 * flight during `inner`, and certainly not outside `outer`.
 */
enum timeline_set { SET_EXACT, SET_GAPPED, SET_INNER, SET_OUTER, TIMELINE_SETS };

struct timeline_slice {
    struct slice_op op[OPERATIONS];
    uint64_t asked_bytes;
    /* sum over gapped stretches of their length times -log2(share of gaps), in 1/1024 ns. These are
       added up because the shares of gaps of independent sources multiply. */
    uint64_t gap_bits;
};

struct timeline_interval {
    uint64_t number; /* the interval begins at `number` times length_ns since 1970 */
    struct timeline_op op[OPERATIONS];
    struct timeline_slice slices[TIMELINE_SLICES];
    struct stretch_set sets[TIMELINE_SETS];
};

/*
 * Intervals have the length that the user gives. Without one they are .1 s long at first, and
 * become ten times as long whenever a source's readings are longer or there are too many intervals.
 * Shorter intervals lie within longer ones, so it makes no difference when they are lengthened.
 */
struct timeline {
    uint64_t length_ns;
    uint64_t unit_ns; /* sums are distributed over pieces of this length, the shortest slice */
    bool asked;       /* the user gave the length, so it is fixed */
    struct timeline_interval **intervals; /* in order of time */
    size_t count, capacity;
    size_t last; /* index of the interval found last */
    /* list of memory blocks for intervals and counts; the first one is in use */
    struct timeline_block *blocks;
};

/* Makes a timeline without intervals. asked_ns 0: the user gave no length. */
void timeline_init(struct timeline *t, uint64_t asked_ns);
void timeline_free(struct timeline *t);
/* Makes intervals at least length_ns long, unless the user gave their length. Errors:
   ERR_MACHINE. */
int timeline_lengthen(struct timeline *t, uint64_t length_ns, struct err *e);
/* Returns the interval that contains an instant, or makes it. NULL with ERR_MACHINE. */
struct timeline_interval *timeline_at(struct timeline *t, uint64_t at_ns, struct err *e);
/*
 * Prefetches memory; called after readings of an operation were added. Readings come in order of
 * time, and those of the next interval will use nearly the same buckets. A timeline is larger than
 * the processor's caches, so that without prefetching most of the time is spent waiting for its
 * counts.
 */
void timeline_foresee(const struct timeline *t, int op, const struct latency_buckets *like);
/* Adds an interval of another timeline, whose length divides this one's. Errors: ERR_MACHINE. */
int timeline_absorb(struct timeline *t, const struct timeline_interval *from, uint64_t from_ns,
                    struct err *e);
/* Returns the timeline that is judged. */
const struct timeline *judged_timeline(const struct merge *m);
/* Every reading is added to each timeline of the merge. Returns the timeline after `t`; NULL after
   the last. */
struct timeline *next_timeline(struct merge *m, const struct timeline *t);
/* Returns the number of the first interval that does not begin before `number`; t->count: there is
   none. */
size_t timeline_from(const struct timeline *t, uint64_t number);
/* Returns the counts of a group of buckets, which it allocates if there are none yet. NULL with
   ERR_MACHINE. */
uint64_t *timeline_group(struct timeline *t, struct timeline_op *op, size_t group, struct err *e);
/* Returns what a stretch of time with gaps in its I/O adds to gap_bits. */
uint64_t gap_bits_of(uint64_t length_ns, uint64_t busy_ns);
/* Returns a slice's time with I/O in flight. It is estimated as if the gaps of different sources
   were independent. */
double timeline_busy_ns(const struct timeline_interval *interval, uint64_t length_ns,
                        unsigned slice);

/* ---- sources ---- */

/* The sums of a source's operation. Owner: the source. */
struct source_op {
    struct slice_op sum;
    struct latency_buckets latency;
    uint16_t *bucket; /* memory to which `latency` points: the numbers of its buckets */
    uint64_t *count;
};

/* What is known about a source's instants. */
enum source_time {
    TIME_ABSOLUTE, /* ns since 1970, by the clock of the source's host */
    TIME_RELATIVE, /* ns since the source began, at an unknown time */
    TIME_NONE      /* the source has no times, only sums over its whole run */
};

struct merge_source {
    const char *path, *format;               /* strings are in the merge's pool */
    const char *name;                        /* the path; for a record, the path of its folder */
    const char *host, *job, *device, *label; /* "": not known */
    const char *labels;                      /* text form of struct labels */
    const char *run;   /* part of the path that all jobs of one run of fio share; or NULL */
    const char *group; /* value of the label that defines groups; NULL: it has no such label */
    const char *rw;    /* pattern; this field and the next three are as in struct result_key */
    uint64_t block_size, iodepth, jobs;
    /* hash of the contents: sources with equal hashes are one run given twice */
    uint64_t identity[2];
    /* identifies the machine's clock since the machine booted; zeros: not known */
    uint64_t clock[2];
    int64_t clock_error_ns; /* bound of |its clock - UTC|, or CLOCK_ERROR_UNKNOWN */
    /* largest step by which the clock was set back during the measurement */
    uint64_t clock_step_ns;
    enum source_time time;
    /* width of the source's widest bin over the values in it; 0 if no bin is wider than cupel's
       buckets */
    double bin_error;
    uint64_t open_end;         /* I/Os in a last bin that has no upper limit */
    uint64_t begin_ns, end_ns; /* begin and end of the measurement; 0, 0: nothing was measured */
    uint64_t busy_ns;          /* busy time of this source alone */
    uint64_t asked_bytes;
    uint64_t straddling; /* I/Os of rows that lie in more than one interval */
    bool cut_short, damaged, failed, late;
    bool values_averaged; /* a log of means, not of single I/Os */
    bool has_stretches;
    bool from_sum; /* only the source's sums are known, from a merged.cupel */
    /* the source's operations are not known; several of its tags may be of the same I/Os */
    bool ops_unknown, tags_mixed;
    uint64_t guessed_unit_ns; /* unit of the values, if the unit had to be guessed; else 0 */
    /* requests that were due but never issued */
    uint64_t never_issued;
    /* never_issued is a minimum; the source did not keep up with its requests */
    bool never_issued_at_least, saturated;
    const char *launch;  /* identifies the run that a launcher began on all ranks; "": not known */
    const char *failure; /* why the source failed, in words; "": it did not */
    /* rank of the source and number of ranks, as its launcher stated them; size 0: there was no
       launcher */
    unsigned rank, size;
    struct source_op op[MERGE_SUMS];
};

/* ---- what readers give: merge_add.c ---- */

/* One operation's I/Os of one source that completed in [begin_ns, end_ns). */
struct merge_latencies {
    enum operation op;
    uint64_t begin_ns, end_ns;
    /* sums over the I/Os in `latency` and over failed I/Os; if latency_ns is 0, it is computed from
       the buckets */
    struct slice_op sum;
    struct latency_buckets latency;
};

/* Counts of every bucket of one operation: of a source, or of the row that is being read. */
struct open_buckets {
    uint64_t n, min, max, over;
    uint64_t count[HISTOGRAM_BUCKETS];
};

struct merge {
    const struct merge_plan *plan;
    struct timeline timeline; /* the intervals that are shown and written */
    /* The intervals that are judged. cupel always chooses their length, because a verdict must not
       depend on --interval. length_ns 0: `timeline` is judged, because no --interval was given, or
       because the intervals of a merged.cupel do not add up to these. */
    struct timeline judged;
    struct merge_source *sources;
    size_t source_count, source_capacity;
    /* hash table by identity, used while files are read: 1 + index of a source; 0: the slot is
       empty */
    size_t *slots;
    size_t slot_count;
    struct merge_source *current;
    struct open_buckets *totals; /* [MERGE_SUMS], counts of the current source */
    struct open_buckets *bins;   /* counts of the row of another tool's bins that is being read */
    uint16_t *bins_bucket;       /* buckets of `bins` that are not empty, filled by bins_end */
    uint64_t *bins_count;        /* counts of the buckets in bins_bucket */
    int64_t offset_ns; /* added to the instants of the current source (--start-at, --shift) */
    bool offset_known;
    uint64_t shifts_used;       /* bit i: plan->shifts[i] named a host */
    struct stretch_ns *clipped; /* scratch of merge_add_stretches */
    size_t clipped_capacity;
    struct pool strings;
    struct result_note notes[RESULT_NOTES_MAX];
    /* for each note: its text, its source if it is about a source, and how many further sources
       have it */
    struct {
        const char *format;
        size_t more;
    } note_kinds[RESULT_NOTES_MAX];
    size_t note_count, notes_left_out;
    size_t repeated;          /* number of sources that were given twice, which count once */
    char repeated_path[1024]; /* path of the first source that was given twice, as text */
    struct merge_view *view;  /* memory that the result points into (merge_result.c) */
    size_t missing_ranks;     /* ranks that launchers began, but that left no record */
    size_t unread_records;    /* followed records that could not be read at all */
    uint64_t until_ns;        /* results cover the time before this instant; 0: everything */
};

/* ---- merge_sources.c ---- */

/* Begins a new source with the properties of `is`. What readers add until source_pause belongs to
   it. */
int source_begin(struct merge *m, const struct merge_source *is, struct err *e);
int source_end(struct merge *m, struct err *e);
/* Continues an earlier source, until source_pause; meanwhile m->totals hold its additions. */
void source_resume(struct merge *m, size_t source);
int source_pause(struct merge *m, struct err *e);
void source_free(struct merge_source *s);
/* Returns the first source that has only sums over its whole run, without instants, or NULL. */
const struct merge_source *whole_run(const struct merge *m);
const struct merge_source *source_of_identity(const struct merge *m, const uint64_t identity[2]);

/* ---- source_labels.c ---- */

/* Gives the labels of the merge itself to a source. */
void source_take_labels(struct merge *m, struct merge_source *s);
/* Collects the labels that all sources share, in addition to those of the merge. */
void merge_common_labels(const struct merge *m, struct labels *to);

/* ---- merge_files.c ---- */

/* Returns a source of which only the file is known. */
struct merge_source source_of_file(struct merge *m, const char *path, const char *format);
/* Finds the identity that distinguishes the source's file from other files. ERR_USAGE: the file
   cannot be read. */
int source_find_identity(struct merge_source *s, struct err *e);
/* Finds the files named record.cupel below a folder, or takes the file itself. ERR_USAGE: `input`
   does not exist. */
int sources_find_records(const char *input, void (*found)(void *context, const char *path),
                         void *context, struct err *e);
/* Reads files, and every source in folders. */
int sources_read(struct merge *m, const char *const inputs[], size_t count, struct err *e);

/* ---- same_ios.c ---- */

/* Refuses logs of fio that hold the same I/Os, wherever they lie. ERR_USAGE, ERR_MACHINE. */
int sources_check_same_ios(struct merge *m, struct err *e);

/* Adds the counts to a histogram, whose sum of values stays unknown. */
void latency_buckets_add(struct histogram *h, const struct latency_buckets *from);

/* The percentiles of a report, in the order of PERCENTILE_ROWS. */
struct merged_percentile {
    enum metric_id metric;
    double share;
};
extern const struct merged_percentile merged_percentiles[MERGED_PERCENTILES];

/* ---- odd_groups.c: hosts, jobs, operations or devices beside each other ---- */

struct merge_groups {
    struct result_group *groups; /* owner: the view */
    const char **names;          /* full name of each group, which may be longer than in `groups` */
    size_t count;
};
/* Returns true if the bytes of the source's operations [first, last) are known, or if it did none
   of these operations. */
bool source_has_bytes(const struct merge_source *s, int first, int last);
int groups_find(const struct merge *m, enum merge_by by, struct merge_groups *to, struct err *e);
/* Returns the name that distinguishes a source from others: its host, job, ... */
const char *source_name(const struct merge_source *s, enum merge_by by);
void groups_free(struct merge_groups *groups);
/* Finds each percentile of the system, and the average of the hosts' percentiles beside it. */
int averages_find(const struct merge *m, const struct merge_groups *hosts, struct result_merged *to,
                  struct err *e);

/* ---- merge_rows.c: rows that the result of a session does not have ---- */

int merge_add_rows(const struct merge *m, const struct result_merged *merged, struct result *r,
                   struct err *e);

/* ---- merge_contents.c ---- */

/* The time in which sources measured, from the first to the last. */
struct span_ns {
    uint64_t begin, end;
    bool has_stretches; /* every source states when it had I/O in flight */
};

struct contents;

/* Fills in a struct contents, which holds what a session measured, as if one session had measured
   the timeline. Its memory is from `arena`, which is made here. Errors: ERR_MACHINE. */
int merge_fill_contents(const struct merge *m, const struct span_ns *span, struct contents *c,
                        struct arena *arena, struct err *e);

/* ---- merge.c ---- */

/* merge_open makes a merge without sources; merge_conclude completes it after the last source. */
int merge_open(struct merge **merge, const struct merge_plan *plan, struct err *e);
int merge_conclude(struct merge *m, struct err *e);

/* ---- record_source.c: a record, also one that grows ---- */

struct record_reading {
    struct merge *m;
    struct record_scan *scan; /* NULL: the record is not open; the owner closes it */
    const char *path;
    uint64_t until_ns; /* end of the last batch */
    /* errors in the totals of rounds so far; those at the edges of a round are in no slice */
    uint64_t errors[OPERATIONS];
    bool trial;          /* the current round is a trial round */
    bool first_of_round; /* the next batch is the round's first */
};

/* Opens a record whose source has begun. `path` must outlive it. Errors: ERR_USAGE, ERR_MACHINE. */
int record_reading_open(struct record_reading *r, struct merge *m, const char *path, bool grows,
                        struct err *e);
/* Adds to the current source what the record holds, up to its end or the place where more is
   awaited. */
enum record_scan_state record_reading_go_on(struct record_reading *r, struct err *e);

/* ---- follow.c, complete_intervals.c: many growing records ---- */

struct growing_record {
    const char *path;
    struct record_reading reading; /* open from when its head exists until its end */
    /* index of the record's source; valid once there has been a reading */
    size_t source;
    bool has_source;
    bool named; /* named by the user, not found in a folder */
    enum followed_state state;
    uint64_t grew_ns; /* time of its last growth, on the clock of follow_look */
    double p99;       /* p99 of the readings that arrived last */
};

struct follow {
    struct merge *m; /* NULL after follow_end */
    const struct merge_plan *plan;
    uint64_t stale_ns, now_ns;
    uint64_t list_next_ns; /* time at which folders are next searched for new records */
    struct growing_record *records;
    size_t count, capacity;
    const char **known; /* paths in alphabetical order; the first known_count are in use */
    size_t known_count;
    struct open_buckets total[OPERATIONS]; /* totals of everything */
    struct histogram *scratch;
    uint64_t next_number; /* number of the next interval to be complete */
    struct followed_interval last;
    bool any;
    double p99[FOLLOWED_PLOT]; /* p99 of complete intervals, by their number modulo FOLLOWED_PLOT */
    size_t complete;
    struct clauses limits;
    struct followed_limit of_limit[CLAUSES_MAX];
};

/* ---- merge_result.c ---- */

void merge_view_free(struct merge_view *view);
/* Returns the groups that the result shows, and sets *by to the property by which sources are
   grouped. */
struct merge_groups *shown_groups(struct merge *m, enum merge_by *by);

/* Adds latencies. The histogram counts in the interval that contains the middle of their time; the
   sums are distributed over that time. Errors: ERR_MACHINE. */
int merge_add_latencies(struct merge *m, const struct merge_latencies *add, struct err *e);
/* Adds one I/O that completed at that instant. !ok: it failed or was short, and counts as an
   error. */
int merge_add_value(struct merge *m, enum operation op, uint64_t end_ns, uint64_t latency_ns,
                    uint64_t bytes, bool ok, struct err *e);
/* Adds the sums of one time slice, without latencies. */
int merge_add_slice(struct merge *m, uint64_t begin_ns, uint64_t end_ns, const struct slice *slice,
                    struct err *e);
/* A stretch of time in which this source had I/O in flight; a source's stretches come in order of
   their begins. busy_ns below the length: there were gaps. */
struct merge_stretch {
    uint64_t begin_ns, end_ns, busy_ns;
};
int merge_add_stretches(struct merge *m, const struct merge_stretch stretches[], size_t n,
                        struct err *e);

/*
 * Converts latencies from another tool's bins to cupel's buckets: the I/Os of a bin [low_ns,
 * high_ns) are spread evenly over the buckets that it covers. bins_begin starts a new row of bins,
 * and bins_end returns it.
 */
void bins_begin(struct merge *m);
void bins_add(struct merge *m, uint64_t low_ns, uint64_t high_ns, uint64_t count);
void bins_add_bucket(struct merge *m, size_t bucket, uint64_t count);
struct latency_buckets bins_end(struct merge *m); /* valid until the next bins_begin */

/* Returns a copy of a string that lives as long as the merge. Never NULL: "" when memory ran
   out. */
const char *merge_string(struct merge *m, const char *text, size_t length);
/* Returns the source that is being read. */
struct merge_source *merge_current(struct merge *m);
/* Adds a note about the current source; of several notes with the same format the first is kept,
   and the others are counted. Between sources every note is kept. */
void merge_note(struct merge *m, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- text_source.c: helpers of formats with sums, and with several sources in a text ---- */

/* Reads a whole file, gzipped or not, of at most 1 GiB. Errors: ERR_USAGE, ERR_MACHINE. */
int merge_read_text(struct merge *m, const char *path, struct text *text, struct err *e);

/* Takes a whole number and the blanks around it off the beginning of a text. False: none is there,
   or it is too large. */
bool merge_take_whole(struct span *rest, uint64_t *value);
/* Does the same with seconds, which may have decimals; those after the ninth are ignored. */
bool merge_take_seconds(struct span *rest, uint64_t *ns);

/* Begins source `number`, from 0, of a file. The first has begun with the file; the others get the
   same properties. */
int merge_begin_part(struct merge *m, const struct merge_source *file, uint64_t number,
                     struct err *e);

/* Notes in the source's bin_error how wide another tool's bin [low_ns, high_ns) is. */
void merge_note_width(struct merge *m, uint64_t low_ns, uint64_t high_ns);

/* Adds I/Os of which neither an instant nor the length of the measurement is known: such sources
   last MERGE_NO_LENGTH_NS from 1970 on, and have no rates. sum_ns 0: it is computed from the
   buckets. */
#define MERGE_NO_LENGTH_NS 1
int merge_add_sum(struct merge *m, enum operation op, const struct latency_buckets *latency,
                  double sum_ns, struct err *e);
bool source_has_length(const struct merge_source *s);

/* ---- formats: formats.c lists them ---- */

struct merge_format {
    const char *name;
    /* a file of this format lies beside files to merge: it is skipped in a folder, and refused if
       the user names it */
    bool is_beside;
    /* Returns true if a file whose decompressed contents begin like this has this format. */
    bool (*recognise)(const char *path, const char *head, size_t length);
    /* Finds the identity in a file's head. False: it has none, and its contents identify it. NULL:
       the format never has one. */
    bool (*identify)(const char *head, size_t length, uint64_t identity[2]);
    /*
     * Reads the whole file into the merge. ERR_USAGE, with place and reason: the file does not have
     * this format after all. A file that is cut off is read as far as it goes (cut_short).
     */
    int (*read)(struct merge *m, const char *path, struct err *e);
    bool holds_sources; /* `read` begins and ends sources itself */
};

/* All formats that can be merged, in the order in which they are tried. */
#define MERGE_FORMAT_ROWS(ROW)                                                                     \
    ROW(record)                                                                                    \
    ROW(merged)                                                                                    \
    ROW(trace)                                                                                     \
    ROW(requests)                                                                                  \
    ROW(hdr_log)                                                                                   \
    ROW(fio_json)                                                                                  \
    ROW(fio_hist)                                                                                  \
    ROW(fio_latency)                                                                               \
    ROW(fio_clat)                                                                                  \
    ROW(fio_other) ROW(biolatency) ROW(prometheus) ROW(btt_q2c) ROW(btt_d2c) ROW(btt_other)
#define MERGE_FORMAT_DECLARATION(row) extern const struct merge_format merge_format_##row;
MERGE_FORMAT_ROWS(MERGE_FORMAT_DECLARATION)
#undef MERGE_FORMAT_DECLARATION

#endif
