/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of src/merge share.
 *
 * A source is one file: a record, a log. Its reader (one of merge_formats) gives what it finds to
 * merge_add_latencies, merge_add_value and merge_add_stretches. From there it goes into the
 * timeline of all sources together, and into the totals of this one. Sums of whole numbers only:
 * the order of sources changes nothing.
 */
#ifndef CUPEL_MERGE_INTERNAL_H
#define CUPEL_MERGE_INTERNAL_H

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
#include "merge/merge.h"
#include "run/measurement/measurement.h"
#include "run/record/record_scan.h"
#include "stat/basic/histogram.h"

/* The first ones are those of a session. */
enum merge_op {
    MERGE_READ = IO_READ,
    MERGE_WRITE = IO_WRITE,
    MERGE_SYNC = IO_FLUSH,
    MERGE_TRIM = IO_TRIM,
    MERGE_OPS = IO_OPS
};

/* Sums of a source beside its operations: of requests with due times. */
enum {
    MERGE_ISSUE_ERROR = MERGE_OPS,
    MERGE_SERVICE, /* of each of IO_OPS */
    MERGE_SUMS = MERGE_SERVICE + IO_OPS
};

/* Is the operation one of all I/O together? A flush moves no data (facts/operation.h). */
static inline bool merge_is_data(int op)
{
    return op >= IO_OPS || operation_moves_data(op);
}

extern const char *const merge_op_names[MERGE_OPS]; /* read, write, sync, trim */

/* ---- stretch_set.c: disjoint stretches of time ---- */

struct stretch_ns {
    uint64_t begin, end; /* ns, half open */
};

/* Sorted, disjoint, none touching. Owner: stretch_set_free; zeros are an empty set. */
struct stretch_set {
    struct stretch_ns *at;
    size_t count, capacity;
};

/* Make stretches that are ordered by their begins disjoint; their number. */
size_t stretches_unite(struct stretch_ns stretches[], size_t n);

/* Add stretches, each of which begins after the one before it ended. ERR_MACHINE. */
int stretch_set_add(struct stretch_set *set, const struct stretch_ns add[], size_t n,
                    struct err *e);
/* Length of the set's part in [begin, end). */
uint64_t stretch_set_length(const struct stretch_set *set, uint64_t begin, uint64_t end);
/* Of the part of `a` in [begin, end) that does not lie in `b`. */
uint64_t stretch_set_length_without(const struct stretch_set *a, const struct stretch_set *b,
                                    uint64_t begin, uint64_t end);
void stretch_set_free(struct stretch_set *set);

/* Latencies of one operation: buckets in use, ascending. Plain view: it owns nothing. */
struct latency_buckets {
    uint64_t n;        /* `over` included */
    uint64_t min, max; /* ns */
    uint64_t over;     /* longer than the last bucket */
    size_t used;
    const uint16_t *bucket;
    const uint64_t *count;
};

/* ---- timeline.c: all sources together, interval by interval ---- */

#define TIMELINE_SLICES    INTERVAL_SLICES
#define TIMELINE_ASKED_MAX 1000000 /* intervals of a length that is asked for */

struct timeline_op {
    uint64_t n, over; /* I/Os; of them, over the last bucket */
    uint64_t min, max;
    uint64_t *group[HISTOGRAM_GROUPS]; /* HISTOGRAM_SUBBUCKETS counts each, or NULL: zeros */
};

/*
 * With I/O in flight. Every set is a union over sources, so that unions of unions are the same.
 * `exact`: stretches without a gap. `gapped`: stretches whose gaps are not known one by one, only
 * their sum. `inner`: what was surely busy, `outer`: what may have been, wherever each source's
 * clock really stood within its error.
 */
enum timeline_set { SET_EXACT, SET_GAPPED, SET_INNER, SET_OUTER, TIMELINE_SETS };

struct timeline_slice {
    struct slice_op op[MERGE_OPS];
    uint64_t asked_bytes;
    /* of gapped stretches: the sum of length x -log2(share of gaps), in 1/1024 ns; where sources
       are independent, the shares of their gaps multiply */
    uint64_t gap_bits;
};

struct timeline_interval {
    uint64_t number; /* it begins at `number` times the length, since 1970 */
    struct timeline_op op[MERGE_OPS];
    struct timeline_slice slices[TIMELINE_SLICES];
    struct stretch_set sets[TIMELINE_SETS];
};

/*
 * Unless a length is asked for, intervals are as short as .1 s, and ten times as long whenever a
 * source's readings are longer, or there are too many of them. Shorter ones lie within longer ones,
 * so that it makes no difference when that happens.
 */
struct timeline {
    uint64_t length_ns;
    uint64_t unit_ns; /* sums are shared out among pieces of this length: a slice of the shortest */
    bool asked;       /* the length is fixed */
    struct timeline_interval **intervals; /* in order of time */
    size_t count, capacity;
    size_t last;                   /* the one found last */
    struct timeline_block *blocks; /* memory of intervals and counts, the one in use first */
};

/* asked_ns 0: no length is asked for. */
void timeline_init(struct timeline *t, uint64_t asked_ns);
void timeline_free(struct timeline *t);
/* Make intervals at least that long, if no length is asked for. ERR_MACHINE. */
int timeline_lengthen(struct timeline *t, uint64_t length_ns, struct err *e);
/* The interval that an instant lies in, made when it is not there. NULL with ERR_MACHINE. */
struct timeline_interval *timeline_at(struct timeline *t, uint64_t at_ns, struct err *e);
/*
 * Readings come in order of time, and a timeline is larger than the processor's caches: without a
 * hint most of the time goes into waiting for its counts. After readings of that operation were
 * added: those of the next interval will be of nearly the same buckets.
 */
void timeline_foresee(const struct timeline *t, int op, const struct latency_buckets *like);
void timeline_slice_add(struct timeline_slice *to, const struct timeline_slice *from);
/* Counts of a bucket's group; made when they are not there. NULL with ERR_MACHINE. */
uint64_t *timeline_group(struct timeline *t, struct timeline_op *op, size_t group, struct err *e);
/* What a stretch that has gaps adds to gap_bits. */
uint64_t gap_bits_of(uint64_t length_ns, uint64_t busy_ns);
/* Time of a slice with I/O in flight, by the estimate that gapped stretches are independent. */
double timeline_busy_ns(const struct timeline_interval *interval, uint64_t length_ns,
                        unsigned slice);

/* ---- sources ---- */

/* The sums of a source's operation. Owner: the source. */
struct source_op {
    struct slice_op sum;
    struct latency_buckets latency;
    uint16_t *bucket; /* of `latency` */
    uint64_t *count;
};

/* How a source's instants are known. */
enum source_time {
    TIME_ABSOLUTE, /* ns since 1970, by its host's clock */
    TIME_RELATIVE, /* since it began, whenever that was */
    TIME_NONE      /* it has none: a sum over its whole run */
};

struct merge_source {
    const char *path, *format;               /* strings live in the merge's pool */
    const char *name;                        /* the path, of a record that of its folder */
    const char *host, *job, *device, *label; /* "": not known */
    const char *labels;                      /* text of struct labels */
    const char *group; /* the value of the label that groups are of; NULL: it has none */
    const char *rw;    /* as in struct result_key, as the next three */
    uint64_t block_size, iodepth, jobs;
    uint64_t identity[2];   /* of the contents: the same twice is one run twice */
    uint64_t clock[2];      /* of the machine since it booted (same clock); zeros: not known */
    int64_t clock_error_ns; /* bound of |its clock - UTC|; CLOCK_ERROR_UNKNOWN */
    uint64_t clock_step_ns; /* by which its clock was set back at most while it measured */
    enum source_time time;
    double bin_error;          /* a bin's width over its value where it is coarser than ours; 0 */
    uint64_t open_end;         /* I/Os in a last bin without an end */
    uint64_t begin_ns, end_ns; /* of what was measured; 0, 0: nothing was */
    uint64_t busy_ns;          /* of this source alone */
    uint64_t asked_bytes;
    uint64_t straddling; /* I/Os of rows that lie in more than one interval */
    bool cut_short, damaged, failed, late;
    bool values_averaged; /* a log of means, not of I/Os */
    bool has_stretches;
    bool from_sum;                /* it is known out of a merged.cupel alone */
    bool ops_unknown, tags_mixed; /* which operations it is of; rows that may be of the same I/Os */
    uint64_t guessed_unit_ns;     /* of its values, which it does not state; 0: none is guessed */
    uint64_t never_issued;        /* requests that were due and never issued */
    bool never_issued_at_least, saturated; /* there may be more; it did not keep up with them */
    const char *launch;  /* the run that a launcher began on all ranks; "": none is known */
    const char *failure; /* in words; "" */
    unsigned rank, size; /* of a launcher; size 0: none */
    struct source_op op[MERGE_SUMS];
};

/* ---- what readers give: merge_add.c ---- */

/* One operation's I/Os that completed in [begin_ns, end_ns), of one source. */
struct merge_latencies {
    enum merge_op op;
    uint64_t begin_ns, end_ns;
    struct slice_op sum; /* errors and all; latency_ns 0: it is computed from the buckets */
    struct latency_buckets latency;
};

/* Counts of every bucket of one operation, of the source or the row that is being read. */
struct open_buckets {
    uint64_t n, min, max, over;
    uint64_t count[HISTOGRAM_BUCKETS];
};

struct merge {
    const struct merge_plan *plan;
    struct timeline timeline;
    struct merge_source *sources;
    size_t source_count, source_capacity;
    size_t *slots; /* sources by their identities: the number of one, from 1, or 0; while reading */
    size_t slot_count;
    struct merge_source *current;
    struct open_buckets *totals; /* MERGE_SUMS: of the current source */
    struct open_buckets *bins;   /* of a row of foreign bins; its list of buckets follows */
    uint16_t *bins_bucket;
    uint64_t *bins_count;
    int64_t offset_ns; /* added to the instants of the current source (--start-at, --shift) */
    bool offset_known;
    uint64_t shifts_used;       /* bits of plan->shifts that named a host */
    struct stretch_ns *clipped; /* scratch of merge_add_stretches */
    size_t clipped_capacity;
    struct pool strings;
    struct result_note notes[RESULT_NOTES_MAX];
    struct { /* of each note: what it is about, when it is about a source, and how many more have it
              */
        const char *format;
        size_t more;
    } note_kinds[RESULT_NOTES_MAX];
    size_t note_count, notes_left_out;
    size_t repeated;          /* sources that were given twice, and count once */
    char repeated_path[1024]; /* the first of them, in words */
    struct merge_view *view;  /* what the result points into (merge_result.c) */
    size_t missing_ranks;     /* of which launchers know, and that left no record */
    size_t unread_records;    /* which were followed, and of which nothing could be read */
    uint64_t until_ns;        /* results are of what lies before; 0: of everything */
};

/* ---- source.c ---- */

/* Between these, what readers add belongs to a source like `is`. */
int source_begin(struct merge *m, const struct merge_source *is, struct err *e);
int source_end(struct merge *m, struct err *e);
/* Go on with a source of before, up to source_pause; meanwhile m->totals hold what is added. */
void source_resume(struct merge *m, size_t source);
int source_pause(struct merge *m, struct err *e);
void source_free(struct merge_source *s);
/* A source that is a sum over its whole run, or NULL. */
const struct merge_source *whole_run(const struct merge *m);
const struct merge_source *source_of_identity(const struct merge *m, const uint64_t identity[2]);

/* ---- source_labels.c ---- */

/* Labels of the merge itself are of each of its sources. */
void source_take_labels(struct merge *m, struct merge_source *s);
/* What all sources have: labels in addition to those of the merge, and what they were asked for. */
void merge_common_labels(const struct merge *m, struct labels *to);
void merge_common_key(const struct merge *m, struct result_key *to);
/* The options of the merge itself. */
void merge_options_shown(const struct merge *m, struct option_values *to);

/* ---- sources.c ---- */

/* A source that nothing is known of but its file. */
struct merge_source source_of_file(struct merge *m, const char *path, const char *format);
/* What identifies it among other files. ERR_USAGE: it cannot be read. */
int source_find_identity(struct merge_source *s, struct err *e);
/* The files named record.cupel below a folder, or the file itself. ERR_USAGE: it is not there. */
int sources_find_records(const char *input, void (*found)(void *context, const char *path),
                         void *context, struct err *e);
/* Read files, and every source in folders. */
int sources_read(struct merge *m, const char *const inputs[], size_t count, struct err *e);

/* Add to a histogram, whose sum stays unknown. */
void latency_buckets_add(struct histogram *h, const struct latency_buckets *from);

/* The percentiles of a report, in the order of PERCENTILE_ROWS. */
struct merged_percentile {
    enum metric_id metric;
    double share;
};
extern const struct merged_percentile merged_percentiles[MERGED_PERCENTILES];

/* ---- groups.c: hosts, jobs, operations or devices beside each other ---- */

struct merge_groups {
    struct result_group *groups; /* owner: the view */
    const char **names;          /* of each the whole name, which may be longer than there */
    size_t count;
};
/* Are the bytes of its operations [first, last) known, or did it have none of them? */
bool source_has_bytes(const struct merge_source *s, int first, int last);
int groups_find(const struct merge *m, enum merge_by by, struct merge_groups *to, struct err *e);
/* The averages of hosts' percentiles beside the system's. */
/* What a source is called among others: its host, job, ... */
const char *source_name(const struct merge_source *s, enum merge_by by);
void groups_free(struct merge_groups *groups);
int averages_find(const struct merge *m, const struct merge_groups *hosts, struct result_merged *to,
                  struct err *e);

/* ---- silent_intervals.c ---- */

/* After the result: the intervals without I/O between its periods. first_ns: begin of the first. */
int find_silent(const struct merge *m, const struct result *r, uint64_t first_ns,
                struct result_merged *to, struct err *e);

/* ---- merge_rows.c: what no session has ---- */

int merge_add_rows(const struct merge *m, const struct result_merged *merged, struct result *r,
                   struct err *e);

/* ---- edge_slice.c ---- */

/* Time that some source measured in, from the first to the last. */
struct span_ns {
    uint64_t begin, end;
    bool has_stretches; /* every source states when its I/O was in flight */
};

/*
 * A slice at an edge stands for a whole one when half of it was measured, or half of all that was;
 * else it joins the one beside it, and is no reading of its own: false.
 */
bool reading_of_slice(const struct merge *m, const struct timeline_interval *from, unsigned i,
                      const struct span_ns *span, struct slice *to);

/* ---- completeness.c ---- */

/* Clauses that what is there keeps are undecided where sources are known to lack something. */
void leave_open_what_is_missing(const struct merge *m, struct result *r);

/* ---- merge.c ---- */

/* A merge without sources, and what is left to do after the last one. */
int merge_open(struct merge **merge, const struct merge_plan *plan, struct err *e);
int merge_conclude(struct merge *m, struct err *e);

/* ---- record_source.c: a record that grows ---- */

struct reading;

/* Its source must have begun. `path` must outlive it. ERR_USAGE, ERR_MACHINE. */
int reading_open(struct reading **to, struct merge *m, const char *path, struct err *e);
/* Add what it has got to the current source; it rests afterwards. */
enum record_scan_state reading_go_on(struct reading *r, struct err *e);
/* How far it was read, and that it grows no more. */
uint64_t reading_bytes(const struct reading *r);
void reading_stop_waiting(struct reading *r);
void reading_close(struct reading *r); /* or NULL */

/* ---- follow.c, followed_interval.c: many of them ---- */

struct growing_record {
    const char *path;
    struct reading *reading; /* NULL: before its head is there, and after its end */
    size_t source;           /* when there is a reading, or was */
    bool has_source;
    bool named; /* by the user, and not found in a folder */
    enum followed_state state;
    uint64_t grew_ns; /* of the looks' clock */
    double p99;       /* of what came last */
};

struct follow {
    struct merge *m; /* NULL after follow_end */
    const struct merge_plan *plan;
    uint64_t stale_ns, now_ns;
    uint64_t list_next_ns; /* when folders are looked through again */
    struct growing_record *records;
    size_t count, capacity;
    const char **known; /* their paths in order of the alphabet; the first known_count of them */
    size_t known_count;
    struct open_buckets total[MERGE_OPS]; /* of everything */
    struct histogram *scratch;
    uint64_t next_number; /* of the interval that is to be complete next */
    struct followed_interval last;
    bool any;
    double p99[FOLLOWED_PLOT]; /* of complete intervals, by their count modulo FOLLOWED_PLOT */
    size_t complete;
};

/* ---- merge_result.c ---- */

void merge_view_free(struct merge_view *view);
/* The groups of the result, and what they are. */
struct merge_groups *shown_groups(struct merge *m, enum merge_by *by);

/* The histogram goes into the interval that the middle lies in, the sums are shared out over their
   time. ERR_MACHINE. */
int merge_add_latencies(struct merge *m, const struct merge_latencies *add, struct err *e);
/* Histogram of MERGE_ISSUE_ERROR or MERGE_SERVICE + op, and the sum of its values (0: not known).
 */
void merge_add_timing(struct merge *m, int sum, const struct latency_buckets *latency,
                      uint64_t sum_ns);
/* One I/O that completed at that instant; !ok: it failed or was short, and counts in errors. */
int merge_add_value(struct merge *m, enum merge_op op, uint64_t end_ns, uint64_t latency_ns,
                    uint64_t bytes, bool ok, struct err *e);
/* Sums of one time slice; no latencies. */
int merge_add_slice(struct merge *m, uint64_t begin_ns, uint64_t end_ns, const struct slice *slice,
                    struct err *e);
/* With I/O of this source in flight, ordered by their begins. busy_ns below the length: there were
 * gaps.
 */
struct merge_stretch {
    uint64_t begin_ns, end_ns, busy_ns;
};
int merge_add_stretches(struct merge *m, const struct merge_stretch stretches[], size_t n,
                        struct err *e);

/*
 * Latencies of foreign bins, gathered bucket by bucket: what a bin [low_ns, high_ns) holds is
 * spread evenly over the buckets that it covers. One at a time; cleared by bins_begin.
 */
void bins_begin(struct merge *m);
void bins_add(struct merge *m, uint64_t low_ns, uint64_t high_ns, uint64_t count);
void bins_add_bucket(struct merge *m, size_t bucket, uint64_t count);
struct latency_buckets bins_end(struct merge *m); /* valid until the next bins_begin */

/* A string that lives as long as the merge. Never NULL: "" when memory ran out. */
const char *merge_string(struct merge *m, const char *text, size_t length);
/* What is known of the source that is being read. */
struct merge_source *merge_current(struct merge *m);
/* A note about it; of many of one format the first is kept, and the others are counted. Between
   sources every note is kept. */
void merge_note(struct merge *m, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- busy_gatherer.c: from single I/Os to stretches with I/O in flight ---- */

struct busy_gatherer {
    struct merge_stretch *at;
    size_t count;
    uint64_t given_ns; /* until here they are in the merge */
};

/* ERR_MACHINE. Then busy_gatherer_free, always. */
int busy_gatherer_begin(struct busy_gatherer *g, struct err *e);
/* One I/O, nearly in order of completion; !exact: only the ms of end_ns is known. */
int busy_gather(struct merge *m, struct busy_gatherer *g, uint64_t end_ns, uint64_t latency_ns,
                bool exact, struct err *e);
/* What is left goes into the merge. */
int busy_gatherer_end(struct merge *m, struct busy_gatherer *g, struct err *e);
void busy_gatherer_free(struct busy_gatherer *g);

/* ---- formats: formats.c lists them ---- */

struct merge_format {
    const char *name;
    bool is_beside; /* it lies beside what is merged: of a folder it is left out, named it is
                       refused */
    /* Does a file that begins like this, decompressed, have this format? */
    bool (*recognise)(const char *path, const char *head, size_t length);
    /* Has it an identity in its head? Of a file without one its contents stand for it. NULL: never.
     */
    bool (*identify)(const char *head, size_t length, uint64_t identity[2]);
    /*
     * Read the whole file into the merge. ERR_USAGE: it is not what it seemed to be, with place and
     * reason. A file that breaks off is read as far as it goes (cut_short).
     */
    int (*read)(struct merge *m, const char *path, struct err *e);
    bool holds_sources; /* `read` begins and ends sources by itself */
};

extern const struct merge_format *const merge_formats[]; /* ends with NULL */
extern const struct merge_format merge_format_record, merge_format_trace, merge_format_merged,
    merge_format_fio_hist, merge_format_fio_latency, merge_format_fio_clat, merge_format_fio_other,
    merge_format_fio_json, merge_format_hdr_log;

#endif
