/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A result: everything a report says, as plain data. src/run fills it, src/report prints it.
 *
 * It is one block of memory without pointers of its own, except the plotted series and histograms,
 * which belong to whoever measured and outlive it.
 * Longer than 500 lines because each part of a report is a struct here.
 */
#ifndef CUPEL_FACTS_RESULT_H
#define CUPEL_FACTS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/change/change_search.h"
#include "facts/clause.h"
#include "facts/fact.h"
#include "facts/inventory.h"
#include "facts/labels.h"
#include "facts/log/kernel_log.h"
#include "facts/operation.h"
#include "facts/option_values.h"
#include "tables/metrics.h"

struct metric {
    enum metric_id id;
    const char *name, *unit;
    enum metric_kind kind;
    enum metric_better better;
    const char *title, *meaning;
};

/* The row of tables/metrics.h with that identifier. */
const struct metric *metric_of(enum metric_id id);

struct result_row {
    enum metric_id metric;
    char op[8];         /* of operation_names */
    double value;       /* NaN: no value, the note says why ("not enough samples") */
    double low, high;   /* the interval; NaN when it has none */
    double confidence;  /* of the interval; NaN when it has none */
    uint64_t n;         /* samples that it rests on */
    double effective_n; /* independent samples that are worth as much; NaN when unknown */
    char note[120];
};

enum verdict {
    VERDICT_PRECISE,     /* the interval is as narrow as asked for */
    VERDICT_LIMIT,       /* the session limit came first */
    VERDICT_INTERRUPTED, /* a signal came first */
    VERDICT_FAILED,      /* the target failed; what was measured before stands */
    VERDICT_CUT_SHORT,   /* the record ends without an end: the program was killed */
    VERDICT_COMPLETE,    /* one pass from begin to end, phases or a trace: no width was asked for */
    VERDICT_SATURATED,   /* the target does not keep up with the rate that was asked for */
    VERDICT_SUSPENDED,   /* this program was stopped in the middle of its one pass */
    VERDICT_DECIDED,     /* every clause of --sla passed or failed */
    VERDICT_MEASURED,    /* as long as --runtime asked for */
    VERDICT_DAMAGED,     /* the record lacks, repeats or adds parts; notes say which */
    VERDICT_UNCONFIRMED, /* the record says that it is decided, and computed again it is not */
    VERDICT_BOTTLENECK,  /* --strict-bottleneck: another part than the target limited it */
    VERDICT_MERGED,      /* of sources that were measured before; no clause is open */
};

/* A session's own end; the others are found when its record is read. */
#define VERDICT_LAST_OF_SESSION VERDICT_MEASURED

const char *verdict_name(enum verdict verdict); /* precise, limit, ..., cut_short */

#define RESULT_PARTS_MAX  192
#define RESULT_EDGES_MAX  256
#define RESULT_GAUGES_MAX 256
#define RESULT_EVENTS_MAX 32

/* Requests with due times: were they issued then, and did the target keep up? */
struct result_phase {
    double begin_seconds, seconds; /* since the pass began */
    double rate_begin, rate_end;   /* asked for, requests per second */
    double iops;                   /* completed */
    double response_time_ns;       /* mean, from due to completion; NaN: nothing completed */
    double service_time_ns;
    double backlog; /* the largest */
    bool kept_up;   /* the backlog did not grow through it */
};
#define RESULT_PHASES_MAX 32

/* What a distance between a trace and its replay is (stat/basic/distance.h). */
enum fidelity_measure {
    FIDELITY_NONE,
    FIDELITY_KS, /* Kolmogorov-Smirnov, of distributions: 0 the same, 1 nothing in common */
    FIDELITY_EARTH_MOVER, /* of distributions, in the unit of the row's values */
    FIDELITY_CORRELATION, /* over time: 1 in step, 0 unrelated */
};
#define FIDELITY_MEASURES (FIDELITY_CORRELATION + 1)

const char *fidelity_measure_name(enum fidelity_measure measure); /* "", ks, earth_mover, ... */

/* One quantity of a trace and of its replay, and how far apart they are. */
struct result_fidelity {
    char name[48]; /* "requests per 1 s: most": what stands after ": " is an aspect of it */
    enum metric_kind kind;
    double original, replay; /* NaN: not known, or the row is a distance alone */
    enum fidelity_measure measure;
    double distance; /* NaN: none */
    char note[120];
};
#define RESULT_FIDELITY_MAX 32

/* What stands beside the verdict. */
struct result_note {
    bool warning;
    char text[240];
};

/* One series of equal time slices, for the plot and for unit_readings.csv. */
struct result_series {
    const char *name, *unit;
    enum metric_kind kind;
    const double *values;
    size_t count;
    double slice_seconds;
    size_t stable_begin, stable_end;
    const size_t *changepoints;
    size_t changepoint_count;
};

/* One latency histogram: bucket i spans [edge[i], edge[i+1]) ns; count + 1 edges. */
struct result_histogram {
    char op[8];
    const double *edges;
    const uint64_t *counts;
    size_t count;
};

struct result_round {
    double begin_seconds, seconds;
    bool trial;
    uint64_t ios, bytes, errors;
    double iops, bandwidth, response_time_ns; /* this round alone */
};

/* Everything that completed in measured rounds, edges included. */
struct result_spread {
    uint64_t n; /* slices of the part that the number is of; 0: not known */
    double mean, sd, min, max;
};
struct result_total {
    char op[8];
    uint64_t ios, bytes, errors;
    struct result_spread iops, bandwidth; /* from slice to slice */
};

/* A component that data went through or that was watched (Li et al., Pilot (2016), III-B). Rates
   are bytes/s, means over the measured rounds; NaN: not known. */
struct result_part {
    char name[64];
    enum node_kind kind;
    bool on_path;    /* false: watched beside it, as a processor core is */
    bool under_test; /* a disk that the target's data lies on */
    bool bottleneck; /* saturated by this session for 20 % of the time, and not under test */
    unsigned depth;  /* parts from the target on */
    double limit_read, limit_write;
    double used_read, used_write;
    double utilisation, peak; /* share of what it can do; the peak is that of one sample */
    double saturated; /* share of the measured time in which this session used more than 80 % of
                         it */
    char measure[24]; /* what the share is of: "bytes", "busy time", "processor time" */
};

struct result_edge {
    unsigned from, to; /* parts; `to` is nearer to the processor */
};

/* One thing that was watched over time: `count` intervals of the timeline. */
struct result_gauge {
    char node[64];
    char key[24]; /* "frequency", "temperature", "busy" */
    char unit[12];
    double limit; /* NaN: none */
    const float *low, *mean, *high;
};

struct result_timeline {
    size_t count;
    const double *begin, *end; /* s since the session began */
    struct result_gauge gauges[RESULT_GAUGES_MAX];
    size_t gauge_count;
};

/* A change of the machine's state while it measured. */
struct result_event {
    double seconds; /* since the session began; NaN: some time during the run */
    char text[200];
};

/* One of the slowest requests of the measured rounds. */
struct result_slow {
    char op[8];        /* of operation_names */
    uint64_t offset;   /* bytes into the target */
    uint32_t length;   /* bytes */
    uint32_t job;      /* from 1 */
    uint64_t begin_ns; /* since the session began: when it was due, or issued */
    uint64_t latency_ns;
    bool failed;
    uint32_t
        stall; /* which of struct result's stalls it is part of, from 1; 0: none that is kept */
};
#define RESULT_SLOW_MAX 64

/* Slowest requests that waited at the same time, and the machine meanwhile. */
struct result_stall {
    double begin_seconds, seconds; /* since the session began */
    uint64_t requests;             /* of the slowest ones: there may be more that were faster */
    bool one_wait;   /* they waited for one another's cause; false: one after the other was slow */
    bool stands_out; /* from what is usual: the first screen has it */
    double longest_ns; /* latency */
    char beside[240];  /* "temperature of nvme0 71 C, its limit 70 C; ..."; never empty */
};
#define RESULT_STALLS_MAX 8

/* What others had meanwhile, as shares (run/watch/other_programs.h); NaN: not known. */
struct result_others {
    double processors; /* of all processors' time, other programs */
    double stolen;     /* of it, other virtual machines */
    double device;     /* of the bytes that the target's disk moved, other programs */
};

/* How far the machine's wall clock may have been from UTC, at worst
   (base/machine/clock_error.h). */
struct result_clock {
    bool looked;     /* false: nobody looked, or the record does not say */
    double error_ns; /* NaN: it was not synchronised, or nobody looked */
    char source[16]; /* who vouches for it: "adjtimex" or "chrony"; "" */
};

/* Latencies of one operation in a period of the wall clock. Instants in s; ns otherwise. */
struct result_percentile {
    double value;
    double low, high; /* NaN: there is no interval */
};
struct result_period {
    char op[8];
    char job[12];         /* "all", or the number of one, from 1 */
    char begin[32];       /* "2026-11-22T09:03:40.000Z" */
    double begin_seconds; /* since the first period began */
    double seconds;       /* length; of it, ... */
    double covered;       /* ... so much was measured */
    uint64_t n;           /* I/Os that completed in it */
    double weight;        /* of I/Os, each by the fraction of its life in it */
    struct result_percentile p50, p90, p99, p999;
    double max;
};

/* Requests of one kind: an operation, a size, a priority. Times in ns. */
struct result_priority {
    char op[8];
    char priority[16]; /* "rt/0", "be/4", "idle", "none"; or of a command: "zeroes", "write" */
    uint64_t bytes;    /* of a request; 0: several sizes */
    uint64_t n;        /* that completed in full */
    double share;      /* of those of the operation and the size */
    struct result_percentile mean, p50, p99, p999;
    double max;
    /* Over those of the same operation and size that have the priority `than` ("": these are
       those): below 1 it is served sooner. */
    char than[16];
    struct result_percentile mean_ratio, p99_ratio;
};
#define RESULT_PRIORITIES_MAX 12

/* A clause of --sla or --precise, judged. */
enum clause_verdict { CLAUSE_UNDECIDED, CLAUSE_PASSED, CLAUSE_FAILED };

const char *clause_verdict_name(enum clause_verdict verdict); /* undecided, pass, fail */

struct result_clause {
    char text[48]; /* as it was asked: "read.p99<500us" */
    bool is_width; /* of --precise */
    enum clause_verdict verdict;
    enum metric_kind kind;
    double value;         /* measured, in the kind's unit; of --precise the width over it */
    double limit;         /* in the same unit */
    double more_seconds;  /* expected until it is decided; 0: it is; infinite: not to be expected */
    double more_readings; /* the same of a column of numbers, which knows no time */
    double period_seconds; /* length of the intervals that it is about; 0: the whole run is */
    double periods;        /* intervals that count; of them, ... */
    double periods_kept;   /* ... those that kept the limit */
    char note[120];
};

/* What the rows of many results are sorted by. */
struct result_key {
    char rw[16];            /* randread ..., the name of a mode, "replay", "profile"; "" */
    uint64_t block_size;    /* bytes; 0: none or several */
    uint64_t iodepth, jobs; /* 0: not known, or several */
    char date[32];          /* when it began: ISO 8601 with the zone; "" */
};

struct result_repeat;
struct result_rates;
struct result_merged;

/* What a session is to reach, after which it ends. */
enum result_goal {
    GOAL_PRECISION, /* the interval of the headline is as narrow as target_width */
    GOAL_WIDTHS,    /* every width of --precise */
    GOAL_CLAUSES,   /* every clause of --sla is decided */
    GOAL_RUNTIME,   /* the time of --runtime */
    GOAL_PASS,      /* the end of phases or of a trace */
    GOAL_MERGED,    /* none: it is of sources that were measured before */
};

#define RESULT_ROWS_MAX       128
#define RESULT_NOTES_MAX      24
#define RESULT_SERIES_MAX     12
#define RESULT_HISTOGRAMS_MAX OPERATIONS
#define RESULT_ROUNDS_MAX     256
#define RESULT_TOTALS_MAX     OPERATIONS

struct result {
    enum verdict verdict;
    char target[256];
    char rate_title[24];     /* of requests that move no bytes, as the title of their rate: "file
                                creations/s"; "": IOPS. Their operation says nothing beside it */
    char workload[200];      /* one line: "randread 4 KiB, iodepth 32, 1 job" */
    enum metric_id headline; /* the metric the stop rule watched */
    char headline_op[8];
    enum result_goal goal;
    double target_width;    /* asked for: full width of the interval over the mean; 0: none was */
    double minimum_seconds; /* minimum measuring time asked for; 0: unknown */
    uint64_t minimum_readings; /* minimum number of the headline's readings; 0: unknown */
    char phase[24];            /* flat, warmup, slowdown, no_steady_state */
    enum change_search search; /* for changes of the headline's level */
    char failure[240];         /* VERDICT_FAILED: what happened */
    char invalid[160];         /* VERDICT_BOTTLENECK: why it is no valid measurement */
    struct result_others others;
    struct result_clock clock;
    char busy[160]; /* others had enough of the machine to move the number: "other programs used 40
                       % of the processors"; "" when not */

    struct result_row rows[RESULT_ROWS_MAX];
    size_t row_count;
    struct result_note notes[RESULT_NOTES_MAX];
    size_t note_count, notes_left_out;
    struct result_series series[RESULT_SERIES_MAX];
    size_t series_count;
    struct result_histogram histograms[RESULT_HISTOGRAMS_MAX];
    size_t histogram_count;
    struct result_round rounds[RESULT_ROUNDS_MAX];
    size_t round_count;
    struct result_total totals[RESULT_TOTALS_MAX]; /* of operations that occur */
    size_t total_count;
    struct result_clause clauses[2 * CLAUSES_MAX]; /* of --sla, then those of --precise */
    size_t clause_count;
    const struct result_period *periods; /* by operation, in order of time */
    size_t period_count;
    /* by operation and size, the highest priority first; none: all have the same */
    const struct result_priority *priorities; /* RESULT_PRIORITIES_MAX at most */
    size_t priority_count;
    double priority_confidence;   /* of their intervals */
    bool priorities_are_commands; /* "zeroes", "write" (--write_mode) instead */
    bool judged_afterwards;       /* clauses were asked for after it had been measured */
    double clause_confidence;     /* that no clause of --sla is decided wrongly */
    bool timed;                   /* requests had due times: the rows on issue errors are there */
    bool saturated;               /* the target did not keep up with what fell due */
    bool backlog; /* response times are those of a backlog, and grow with the length of the test */
    bool has_issue_error;
    double waited_share; /* of the time in which something was due and every slot in use: what fell
                            due then was late because of the target; NaN: unknown */
    struct result_histogram issue_error; /* ns after the due instant; op "all" */
    struct result_phase phases[RESULT_PHASES_MAX];
    size_t phase_count;
    struct result_fidelity fidelity[RESULT_FIDELITY_MAX]; /* of a replay, beside its trace */
    size_t fidelity_count;
    /* of a replay: series of the trace, in the slices of this result's series of the same name */
    struct result_series original[RESULT_SERIES_MAX];
    size_t original_count;
    struct result_histogram
        original_histograms[RESULT_HISTOGRAMS_MAX]; /* response times, if known */
    size_t original_histogram_count;
    struct labels labels; /* what a person says of it: --label */
    struct result_key key;
    struct option_values options; /* of the command line, all of them */
    struct facts settings; /* how it was measured: plan, backend, clock, statistics, overhead */
    const struct inventory *hardware; /* what it was measured on, and in what state; or NULL */
    struct result_part parts[RESULT_PARTS_MAX];
    size_t part_count;
    struct result_edge edges[RESULT_EDGES_MAX];
    size_t edge_count;
    double path_limit_read, path_limit_write; /* bytes/s that the whole path lets through; NaN */
    int limiting_read, limiting_write;        /* the part that sets them; -1: none is known */
    bool path_complete;                       /* every part between target and processor is known */
    struct result_timeline timeline;
    struct result_event events[RESULT_EVENTS_MAX];
    size_t event_count;
    struct result_slow slow[RESULT_SLOW_MAX]; /* slowest first */
    size_t slow_count;
    struct result_stall stalls[RESULT_STALLS_MAX]; /* by their longest request */
    size_t stall_count;
    struct kernel_log kernel_log;       /* what the kernel wrote meanwhile */
    const struct result_repeat *repeat; /* the rows are over several sessions; NULL: of one */
    const struct result_rates *rates; /* the rows are of the probe at the highest rate that holds */
    const struct result_merged *merged; /* the rows are of many sources (facts/merged.h) */
};

/* Append. The limits above leave room for every metric and op; a full table drops the row, and a
   note says so. */
struct result_row *result_add(struct result *r, enum metric_id metric, const char *op,
                              double value);
/* Why response times of such a result (`backlog`) say nothing of the target. */
extern const char result_backlog_words[];
/* Is it a response time or a percentile of response times, service times left out? */
bool metric_is_response(enum metric_id metric);
/* No metric is below 0: a lower end that is becomes 0, and the row's note says so. */
void result_set_interval(struct result_row *row, double low, double high);
/* The words for a metric and for an operation ("" for all of them) in a report on this result. */
const char *result_title(const struct result *r, enum metric_id id);
const char *result_op_word(const struct result *r, const char *op);
void result_note(struct result *r, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Of a session that did not reach its goal: "not every clause was decided". */
const char *result_missed(const struct result *r);

/*
 * The next free note of a table. NULL: it is full; then the last one says how many were left out,
 * itself among them.
 */
struct result_note *result_notes_next(struct result_note notes[], size_t max, size_t *count,
                                      size_t *left_out);

/* What the headline lacks, its interval's width apart, so that the limit could come first. */
enum result_lack {
    LACK_TIME,
    LACK_READINGS,
    LACK_LASTING_LEVEL, /* the slices end at another level than the one that was judged */
    LACK_INDEPENDENT_READINGS
};
enum result_lack result_lack(const struct result *r);

/* The bottleneck that was saturated for most of the time, of those after `last` in that order
   (NULL: the first of all). NULL: there is none. */
const struct result_part *result_bottleneck(const struct result *r, const struct result_part *last);

/* What the target is, for "not the disk": a disk, a network, a file; "target" where no part of it
   is known. */
const char *result_target_word(const struct result *r);

const struct result_row *result_find(const struct result *r, enum metric_id metric, const char *op);

/*
 * What a result over several sessions has beside its rows (struct result): the sessions one by one,
 * and how they differ. Plain data; src/run fills it, src/report prints it.
 */

struct result_session {
    size_t number;        /* from 1 */
    double begin_seconds; /* since the first session began */
    double seconds;       /* of the whole session, preparation included */
    char date[32];        /* when it began: ISO 8601 with the zone; "": not known */
    uint64_t seed;
    enum verdict verdict;
    bool counted;      /* in the mean over sessions: it was not interrupted and did not fail */
    char failure[240]; /* VERDICT_FAILED: what happened */
    char phase[24];
    bool saturated;
    struct result_others others;
    char busy[160];
    struct result_row *rows; /* as in struct result */
    size_t row_count;
};

struct result_repeat {
    const struct result_session *sessions; /* in the order of time */
    size_t session_count;
    size_t asked;         /* number of sessions */
    double every_seconds; /* asked for, from start to start; 0: one after the other */
    size_t counted;       /* sessions that the rows are over */
    size_t decided;       /* of them, those that reached a verdict of their own */
    size_t busy;          /* of them, those on a busy machine */
    size_t invalid; /* of them, those that --strict-bottleneck does not let count as decided */
    double spread_seconds; /* from the first start to the end of the last counted session */

    /* of the headline, in its unit; NaN: not known (stat/estimate/session_spread.h) */
    double sd, within, between, intraclass;
    size_t holding;  /* counted sessions whose own interval holds the mean of all */
    size_t required; /* sessions that would be needed for the width asked for; 0: not known */

    size_t late; /* sessions that began later than asked, and by how much at most */
    double late_seconds;
    bool late_by_length;    /* each because the session before it took longer than that */
    enum err_code end_code; /* what ended it early: its exit status; ERR_NONE otherwise */
};

/*
 * A search for the highest rate of requests that keeps the limits of --find-rate: one session at
 * each rate that was tried, and what they add up to.
 */

enum rate_verdict {
    RATE_UNDECIDED,
    RATE_HOLDS,
    RATE_FAILS,
    RATE_NOT_ISSUED, /* this machine could not issue requests at that rate */
};

const char *rate_verdict_name(enum rate_verdict verdict); /* undecided, holds, fails, not issued */

struct result_probe {
    size_t number;      /* from 1 */
    double rate;        /* asked for, requests per second */
    double iops;        /* completed */
    double response_ns; /* mean response time */
    double backlog, backlog_growth;
    double seconds;    /* of its session */
    double confidence; /* of its verdict and its interval */
    enum rate_verdict verdict;
    enum verdict ended;
    struct result_clause clause; /* the one that is nearest to its limit, or farthest beyond it */
    double low, high;            /* interval of the clause's value; NaN: none */
};

struct result_rates {
    const struct result_probe *probes; /* in the order of time */
    size_t count;
    char clauses[256];
    double holds;      /* the highest rate that holds; 0: none */
    double fails;      /* the lowest one that fails; infinite: none */
    double ceiling;    /* the lowest one that this machine could not issue; infinite: none */
    double estimate;   /* where the fitted curve meets the limits; NaN: unknown */
    double width;      /* fails - holds over their middle; infinite: one is missing */
    double asked;      /* the width asked for */
    double confidence; /* that both are right */
    double saturation; /* requests per second that were completed without a rate; NaN: unknown */
    bool narrow, none, machine; /* what is known: see struct rate_answer */
};

#endif
