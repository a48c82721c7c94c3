/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A result: everything that a report shows, as plain data. src/run fills it, src/report prints it.
 *
 * It is one block of memory without pointers of its own, except the plotted series and histograms,
 * which belong to the code that measured and outlive it.
 *
 * Longer than 500 lines because each part of a report is a struct here.
 */
#ifndef CUPEL_FACTS_RESULT_H
#define CUPEL_FACTS_RESULT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/change/change_search.h"
#include "facts/change/level_claim.h"
#include "facts/clause.h"
#include "facts/fact.h"
#include "facts/history/history.h"
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
    char op[8];       /* one of operation_names */
    double value;     /* NaN: no value; the note says why ("not enough samples") */
    double low, high; /* the interval; NaN when there is none */
    /* Prediction interval of the same value in a repetition of this length, at the same confidence;
       NaN when there is none. */
    double next_low, next_high;
    double memory; /* d of the long memory that both intervals allow for; 0: none, or no interval */
    double confidence;  /* confidence of the interval; NaN when there is none */
    uint64_t n;         /* number of samples that it is computed from */
    double effective_n; /* number of independent samples that carry the same information; NaN when
                           unknown */
    char note[120];
};

/* What a session lacks that would end it, beside the width of the headline's interval. */
enum lack_kind {
    LACK_NOTHING,
    LACK_TIME,
    LACK_READINGS,
    LACK_INDEPENDENT_READINGS,
    LACK_WIDTH,         /* of a response time, or with the allowance for stopping (stop_rule.h) */
    LACK_LASTING_LEVEL, /* the slices end at a different level than the one that was judged */
    LACK_SETTLED_LEVEL, /* the claim's doubt */
};

struct result_lack {
    enum lack_kind kind;
    /* LACK_INDEPENDENT_READINGS, LACK_WIDTH: */
    char of[40];  /* "the read response time"; "": the headline */
    double width; /* full width over the mean that the stop rule decides on */
    double effective_n, minimum_independent;
};

enum verdict {
    VERDICT_PRECISE,     /* the interval is as narrow as requested */
    VERDICT_LIMIT,       /* the session limit came first */
    VERDICT_INTERRUPTED, /* a signal came first */
    VERDICT_FAILED,      /* the target failed; measurements before that stand */
    VERDICT_CUT_SHORT,   /* the record breaks off: the program was killed */
    VERDICT_COMPLETE,    /* one pass from begin to end, phases or a trace: no width was requested */
    VERDICT_SATURATED,   /* the target does not keep up with the requested rate */
    VERDICT_SUSPENDED,   /* this program was suspended in the middle of its one pass */
    VERDICT_DECIDED,     /* every clause of --sla passed or failed */
    VERDICT_MEASURED,    /* it ran for the time of --runtime */
    VERDICT_BEST_POSSIBLE, /* long memory puts the requested width far beyond the session limit */
    VERDICT_DAMAGED,       /* the record lacks, repeats or adds parts; notes say which */
    VERDICT_UNCONFIRMED,   /* the record says that the session was decided, but computing it again
                              does not confirm that */
    VERDICT_BOTTLENECK,    /* --strict-bottleneck: a part other than the target limited it */
    VERDICT_MERGED,        /* a result of sources that were measured before; no clause is open */
    /* Why a session that ended without its precision has no level to claim (level_state.h): */
    VERDICT_NO_LEVEL,  /* the level wanders */
    VERDICT_MOVES,     /* it still rises or falls */
    VERDICT_CYCLES,    /* it holds too few of its slowest cycles */
    VERDICT_UNSETTLED, /* the session limit came when the interval was as narrow as requested: only
                          whether the level holds was open (level_doubt) */
    VERDICTS,
};

/* The last verdict with which a session can end; later ones are found when its record is read. */
#define VERDICT_LAST_OF_SESSION VERDICT_BEST_POSSIBLE

const char *verdict_name(enum verdict verdict); /* precise, limit, ..., cut_short */

/* Did the session come to its end without a precise level? Its numbers are whole, and never count
   as precise. */
bool verdict_is_imprecise(enum verdict verdict);

/* Is the level why it has no interval to claim: NO_LEVEL, MOVES, CYCLES? */
bool verdict_is_of_level(enum verdict verdict);

/* Does nothing follow from it about a repetition, because the target failed, the record is damaged
   or the measurement is not valid? */
bool verdict_predicts_nothing(enum verdict verdict);

/* The verdict of a session that ended with `verdict` while its level was in that state: one of the
   level where that is why the width was not reached, UNSETTLED where the limit came while only
   whether the level holds was open (`held_back`). */
enum verdict verdict_of_level(enum verdict verdict, enum level_state level, bool held_back);

#define RESULT_PARTS_MAX  192
#define RESULT_EDGES_MAX  256
#define RESULT_GAUGES_MAX 256
#define RESULT_EVENTS_MAX 32

/* A phase of requests with due times: were they issued on time, and did the target keep up? */
struct result_phase {
    double begin_seconds, seconds; /* since the pass began */
    double rate_begin, rate_end;   /* requested, in requests per second */
    double iops;                   /* completed requests per second */
    double response_time_ns;       /* mean, from due to completion; NaN: nothing completed */
    double service_time_ns;
    double backlog; /* the largest number of requests that were due and not issued */
    bool kept_up;   /* the backlog did not grow during the phase */
};
#define RESULT_PHASES_MAX 32

/* How the distance between a trace and its replay is measured (stat/basic/distance.h). */
enum fidelity_measure {
    FIDELITY_NONE,
    FIDELITY_KS,          /* Kolmogorov-Smirnov, for distributions: 0 equal, 1 no overlap */
    FIDELITY_EARTH_MOVER, /* for distributions, in the unit of the row's values */
    FIDELITY_CORRELATION, /* over time: 1 in step, 0 unrelated */
};
#define FIDELITY_MEASURES (FIDELITY_CORRELATION + 1)

const char *fidelity_measure_name(enum fidelity_measure measure); /* "", ks, earth_mover, ... */

/* One quantity of a trace and of its replay, and the distance between them. */
struct result_fidelity {
    char name[48]; /* "requests per 1 s: most": the words after ": " name an aspect of it */
    enum metric_kind kind;
    double original, replay; /* NaN: not known, or the row has only a distance */
    enum fidelity_measure measure;
    double distance; /* NaN: no distance */
    char note[120];
};
#define RESULT_FIDELITY_MAX 32

/* A note beside the verdict. */
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
    double iops, bandwidth, response_time_ns; /* values of this round alone */
};

/* The spread of everything that completed in measured rounds, including their begin and end. */
struct result_spread {
    uint64_t n; /* slices of the part that the number is computed from; 0: not known */
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
    bool on_path;    /* false: it was watched beside the path, such as a processor core */
    bool under_test; /* a disk that the target's data lies on */
    bool bottleneck; /* this session saturated it for 20 % of the time, and it is not under test */
    unsigned depth;  /* number of parts between it and the target */
    double limit_read, limit_write;
    double used_read, used_write;
    double utilisation, peak; /* share of its capacity; the peak is that of one sample */
    double saturated; /* share of the measured time in which this session used more than 80 % of
                         it */
    char measure[24]; /* what the share is a share of: "bytes", "busy time", "processor time" */
};

struct result_edge {
    unsigned from, to; /* indices of parts; `to` is nearer to the processor */
};

/* A property that was watched over time, with a value for each of the `count` intervals of the
   timeline. */
struct result_gauge {
    char node[64];
    char key[24]; /* "frequency", "temperature", "busy" */
    char unit[12];
    double limit; /* NaN: no limit */
    const float *low, *mean, *high;
};

struct result_timeline {
    size_t count;
    const double *begin, *end; /* s since the session began */
    struct result_gauge gauges[RESULT_GAUGES_MAX];
    size_t gauge_count;
};

/* A change of the machine's state during the measurement. */
struct result_event {
    double seconds; /* since the session began; NaN: some time during the run */
    char text[200];
};

/* One of the slowest requests of the measured rounds. */
struct result_slow {
    char op[8];        /* one of operation_names */
    uint64_t offset;   /* bytes into the target */
    uint32_t length;   /* bytes */
    uint32_t job;      /* from 1 */
    uint64_t begin_ns; /* since the session began: when it was due, or else issued */
    uint64_t latency_ns;
    bool failed;
    uint32_t stall; /* the number of its stall in struct result, from 1; 0: none is kept */
};
#define RESULT_SLOW_MAX 64

/* A stall: slowest requests that waited at the same time, and the machine's state meanwhile. */
struct result_stall {
    double begin_seconds, seconds; /* since the session began */
    uint64_t requests;             /* number of its requests among the slowest ones; there may be
                                      more that were faster */
    bool one_wait;   /* they waited for the same cause; false: they were slow one after the other */
    bool stands_out; /* unusual: shown on the first screen */
    double longest_ns; /* the longest latency */
    char beside[240];  /* what happened meanwhile: "temperature of nvme0 71 C, its limit 70 C; ...";
                          never empty */
};
#define RESULT_STALLS_MAX 8

/* The share of the machine that others used meanwhile (run/watch/other_programs.h); NaN: not
   known. */
struct result_others {
    double processors; /* other programs' share of all processors' time */
    double stolen;     /* other virtual machines' share of that time */
    double device;     /* other programs' share of the bytes that the target's disk moved */
};

/* The largest possible error of the machine's wall clock against UTC
   (base/machine/clock_error.h). */
struct result_clock {
    bool looked;     /* false: the clock was not checked, or the record does not say */
    double error_ns; /* NaN: it was not synchronised, or not checked */
    char source[16]; /* source of the bound: "adjtimex" or "chrony"; "" */
};

/* Latencies of one operation in a period of the wall clock. Times of the period are in seconds,
   latencies in ns. */
struct result_percentile {
    double value;
    double low, high; /* NaN: no interval */
};
struct result_period {
    char op[8];
    char job[12];         /* "all", or the number of a job, from 1 */
    char begin[32];       /* "2026-11-22T09:03:40.000Z" */
    double begin_seconds; /* since the first period began */
    double seconds;       /* length of the period */
    double covered;       /* measured seconds of the period */
    uint64_t n;           /* I/Os that completed in the period */
    double weight;        /* sum of I/Os, each weighted by the fraction of its duration that lies in
                             the period */
    struct result_percentile p50, p90, p99, p999;
    double max;
    double mean_ns, byte_rate; /* mean latency, and bytes over the measured time; of merges alone,
                                  NaN otherwise */
};

/* Requests of one kind: an operation, a size, a priority. Times in ns. */
struct result_priority {
    char op[8];
    char priority[16]; /* "rt/0", "be/4", "idle", "none"; or the kind of a command: "zeroes",
                          "write" */
    uint64_t bytes;    /* size of a request; 0: several sizes */
    uint64_t n;        /* number of requests that completed in full */
    double share;      /* share of the requests with the same operation and size */
    struct result_percentile mean, p50, p99, p999;
    double max;
    /* The ratios below compare with the requests of the same operation and size that have the
       priority `than`: below 1 these are served faster. "": these are the ones that others are
       compared with. */
    char than[16];
    struct result_percentile mean_ratio, p99_ratio;
};
#define RESULT_PRIORITIES_MAX 12

/* A clause of --sla or --precise, with its verdict. */
enum clause_verdict { CLAUSE_UNDECIDED, CLAUSE_PASSED, CLAUSE_FAILED };

const char *clause_verdict_name(enum clause_verdict verdict); /* undecided, pass, fail */

/*
 * A level that comes once in N on average has come in 95 of 100 sessions of 3 N. What is judged
 * therefore excludes levels that come once in a third of its length, or more often.
 */
enum unseen_by {
    UNSEEN_SESSION, /* a third of what was judged */
    UNSEEN_HISTORY, /* a third of that and of the sessions before, each of which this one and the
                       next one repeated: for means, whose levels they show */
    UNSEEN_ASSUMED, /* --assume-memory: the user knows that no level comes less often. Nothing
                       passes before three times that time */
};

const char *unseen_by_name(enum unseen_by by); /* session, history, assumption */

struct result_clause {
    char text[48]; /* the clause as it was given: "read.p99<500us" */
    bool is_width; /* it is a width of --precise */
    bool is_fact;  /* counted, not estimated: no confidence belongs to it (clause_is_fact) */
    enum clause_verdict verdict;
    enum metric_kind kind;
    enum unseen_by unseen_by; /* where `unseen` comes from */
    double value;         /* measured value, in the kind's unit; for --precise: the interval's width
                             over it */
    double limit;         /* in the same unit */
    double more_seconds;  /* expected time until it is decided; 0: it is decided; infinite: no
                             decision is expected */
    double more_readings; /* expected readings until it is decided, for a column of numbers, which
                             has no time */
    double unseen; /* a level that comes less often than once in this time (seconds; readings for a
                      column of numbers) may still break what passed; 0: nothing passed, or the
                      verdict is exact */
    double period_seconds; /* length of the intervals that it is about; 0: it is about the whole
                              run */
    double periods;        /* number of intervals that count */
    double periods_kept;   /* number of these intervals in which the limit was kept */
    char note[120];
    char first_over[256]; /* max<45ms, broken: the first request over it, and the machine meanwhile;
                             otherwise "" */
};

/* The keys by which rows of many results are sorted. */
struct result_key {
    char rw[16];            /* randread ..., the name of a mode, "replay", "profile"; "" */
    uint64_t block_size;    /* bytes; 0: no size, or several */
    uint64_t iodepth, jobs; /* 0: not known, or several */
    char date[32];          /* when it began: ISO 8601 with the zone; "" */
};

/* What was predicted for this result, or within it, and what came of it (facts/history/history.h).
 */
struct result_history {
    enum prediction_check check;   /* of the prediction that the session before made */
    double low, high;              /* that prediction, for a session of this length; NaN: none */
    char date[32];                 /* when the session before began */
    struct prediction_count count; /* this check included; 0 checked: nothing to report */
    size_t differing; /* pairs of earlier sessions by whose differences the predictions were
                         widened; 0: they were not */
    double seconds; /* length of the sessions before, from the last one back as far as each repeats
                       the one before it; 0: this one does not repeat the last one */
};

struct result_repeat;
struct result_rates;
struct result_merged;

/* The goal of a session, which ends when it is reached. */
enum result_goal {
    GOAL_PRECISION, /* the interval of the headline is as narrow as target_width */
    GOAL_WIDTHS,    /* every width of --precise */
    GOAL_CLAUSES,   /* every clause of --sla is decided */
    GOAL_RUNTIME,   /* the time of --runtime */
    GOAL_PASS,      /* the end of phases or of a trace */
    GOAL_MERGED,    /* no goal: the sources were measured before */
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
    char rate_title[24];     /* the title of the rate, if requests move no bytes: "file
                                creations/s"; "": IOPS. Their operation then has no meaning */
    char workload[200];      /* one line: "randread 4 KiB, iodepth 32, 1 job" */
    enum metric_id headline; /* the metric that the stop rule watched */
    char headline_op[8];
    enum result_goal goal;
    double target_width;       /* requested full width of the interval over the mean; 0: none was
                                  requested */
    bool width_given;          /* --ci or --precise requested a width; otherwise a preset did */
    struct level_claim claim;  /* what may be claimed of the headline's level */
    struct result_lack lack;   /* what the width that was asked for lacks */
    double limit_seconds;      /* requested limit of the session; 0: unknown */
    double minimum_seconds;    /* requested minimum measuring time; 0: unknown */
    uint64_t minimum_readings; /* minimum number of the headline's readings; 0: unknown */
    char phase[24];            /* flat, warmup, slowdown, no_steady_state */
    enum change_search search; /* how changes of the headline's level were searched for */
    char failure[240];         /* VERDICT_FAILED: what happened */
    char invalid[160];         /* VERDICT_BOTTLENECK: why the measurement is not valid */
    struct result_others others;
    struct result_clock clock;
    char busy[160]; /* other programs used enough of the machine to change the number: "other
                       programs used 40 % of the processors"; otherwise "" */

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
    struct result_total totals[RESULT_TOTALS_MAX]; /* only operations that occur */
    size_t total_count;
    struct result_clause clauses[2 * CLAUSES_MAX]; /* clauses of --sla, then those of --precise */
    size_t clause_count;
    const struct result_period *periods; /* sorted by operation, then by time */
    size_t period_count;
    /* Sorted by operation and size, the highest priority first; empty when all requests have the
       same priority. */
    const struct result_priority *priorities; /* RESULT_PRIORITIES_MAX at most */
    size_t priority_count;
    double priority_confidence; /* confidence of their intervals */
    bool kinds_by_command;      /* rows are commands ("zeroes", "write" of --write_mode) instead
                                          of priorities */
    bool judged_afterwards;     /* the clauses were given after the measurement */
    double clause_confidence;   /* confidence that no clause of --sla is decided wrongly */
    bool timed;                 /* requests had due times: there are rows on issue errors */
    bool saturated;             /* the target did not keep up with the due requests */
    bool backlog; /* response times include a growing backlog, and increase with the length of the
                     test */
    bool has_issue_error;
    double waited_share; /* share of the time in which a request was due and every slot was in use:
                            such requests were late because of the target; NaN: unknown */
    struct result_histogram issue_error; /* ns after the due instant; op "all" */
    struct result_phase phases[RESULT_PHASES_MAX];
    size_t phase_count;
    struct result_fidelity fidelity[RESULT_FIDELITY_MAX]; /* a replay compared with its trace */
    size_t fidelity_count;
    /* For a replay: series of the trace, in the same slices as this result's series of the same
       name. */
    struct result_series original[RESULT_SERIES_MAX];
    size_t original_count;
    struct result_histogram
        original_histograms[RESULT_HISTOGRAMS_MAX]; /* response times of the trace, if known */
    size_t original_histogram_count;
    struct labels labels; /* the user's labels: --label */
    struct result_key key;
    struct option_values options; /* all options of the command line */
    struct facts settings; /* how it was measured: plan, backend, clock, statistics, overhead */
    const struct inventory *hardware; /* the machine that was measured, and its state; or NULL */
    struct result_part parts[RESULT_PARTS_MAX];
    size_t part_count;
    struct result_edge edges[RESULT_EDGES_MAX];
    size_t edge_count;
    double path_limit_read, path_limit_write; /* bytes/s that the whole path lets through; NaN: not
                                                 known */
    int limiting_read, limiting_write;        /* index of the part that sets the limit; -1: not
                                                 known */
    bool path_complete;                       /* every part between target and processor is known */
    struct result_timeline timeline;
    struct result_event events[RESULT_EVENTS_MAX];
    size_t event_count;
    struct result_slow slow[RESULT_SLOW_MAX]; /* slowest first */
    size_t slow_count;
    struct result_stall stalls[RESULT_STALLS_MAX]; /* sorted by their longest request */
    size_t stall_count;
    struct kernel_log kernel_log; /* lines that the kernel logged meanwhile */
    struct result_history history;
    const struct result_repeat *repeat; /* the rows are over several sessions; NULL: one session */
    const struct result_rates *rates;   /* the rows are those of the probe at the highest rate that
                                           holds */
    const struct result_merged *merged; /* the rows are computed from many sources
                                           (facts/merged.h) */
};

/* Append a row. The limits above leave room for every metric and op; a full table drops the row,
   and a note says so. */
struct result_row *result_add(struct result *r, enum metric_id metric, const char *op,
                              double value);
/* Explains why response times of a result with `backlog` say nothing about the target. */
extern const char result_backlog_words[];
/* Is it a response time or a percentile of response times? False for service times. */
bool metric_is_response(enum metric_id metric);
/* Sets the interval. No metric is below 0: a lower end below 0 becomes 0, and the row's note says
   so. */
void result_set_interval(struct result_row *row, double low, double high);
/* Sets the prediction, with a lower end of at least 0; infinite ends: nothing is predicted. */
void result_set_prediction(struct result_row *row, double low, double high);
bool result_is_predicted(const struct result_row *row);
/* The words for a metric, and for an operation ("" for all of them), in a report on this result. */
const char *result_title(const struct result *r, enum metric_id id);
const char *result_op_word(const struct result *r, const char *op);
void result_note(struct result *r, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Why a session did not reach its goal: "not every clause was decided". */
const char *result_missed(const struct result *r);

/*
 * The next free note of a table. NULL: it is full; then the last note says how many were left out,
 * including itself. The other function writes the next note, if there is one.
 */
struct result_note *result_notes_next(struct result_note notes[], size_t max, size_t *count,
                                      size_t *left_out);
void result_notes_add(struct result_note notes[], size_t max, size_t *count, size_t *left_out,
                      bool warning, const char *format, va_list arguments)
    __attribute__((format(printf, 6, 0)));

/* What the session lacks, in words that continue "the interval is narrow enough, but": "the minimum
   measuring time of 30 s (--min-time) was not over". "" where it lacks nothing. Returns `to`. */
enum { RESULT_LACK_WORDS = 120 };
const char *result_lack_words(const struct result *r, char *to, size_t size);

/* The bottleneck that was saturated for the longest time; or, in that order, the next one after
   `last` (NULL: the first). NULL: there is no further one. */
const struct result_part *result_bottleneck(const struct result *r, const struct result_part *last);

/* The kind of the target, as in "not the disk": a disk, a network, a file; "target" where no part
   of it is known. */
const char *result_target_word(const struct result *r);

/* The row of a result, or NULL. */
const struct result_row *result_find(const struct result *r, enum metric_id metric, const char *op);

/*
 * The parts that a result over several sessions has beside its rows (struct result): the sessions
 * one by one, and how they differ. Plain data; src/run fills it, src/report prints it.
 */

struct result_session {
    size_t number;        /* from 1 */
    double begin_seconds; /* since the first session began */
    double seconds;       /* duration of the whole session, preparation included */
    char date[32];        /* when it began: ISO 8601 with the zone; "": not known */
    uint64_t seed;
    enum verdict verdict;
    bool counted;      /* included in the mean over sessions: it was not interrupted and did not
                          fail */
    char failure[240]; /* VERDICT_FAILED: what happened */
    char phase[24];
    bool saturated;
    struct result_others others;
    char busy[160];
    struct result_row *rows; /* as in struct result */
    size_t row_count;
};

/* The row of a session, or NULL. */
const struct result_row *result_session_find(const struct result_session *s, enum metric_id metric,
                                             const char *op);

struct result_repeat {
    const struct result_session *sessions; /* sorted by time */
    size_t session_count;
    size_t asked;         /* requested number of sessions */
    double every_seconds; /* requested time from start to start; 0: one directly after the other */
    size_t counted;       /* number of sessions that the rows are over */
    size_t decided;       /* number of them that reached a verdict of their own */
    size_t busy;          /* number of them that ran on a busy machine */
    size_t invalid; /* number of them that do not count as decided because of --strict-bottleneck */
    double spread_seconds; /* from the first start to the end of the last counted session */

    /* Spread of the headline, in its unit; NaN: not known (stat/estimate/session_spread.h). */
    double sd, within, between, intraclass;
    size_t holding;  /* number of counted sessions whose own interval includes the mean of all */
    size_t required; /* number of sessions that the requested width would take; 0: not known */

    size_t late; /* number of sessions that began late, and the largest delay */
    double late_seconds;
    bool late_by_length;    /* each was late because the session before it took longer */
    enum err_code end_code; /* the exit status of what ended it early; ERR_NONE otherwise */
};

/*
 * A search for the highest rate of requests that keeps the limits of --find-rate: one session at
 * each rate that was tried, and the conclusion from all of them.
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
    double rate;        /* requested, in requests per second */
    double iops;        /* completed requests per second */
    double response_ns; /* mean response time */
    double backlog, backlog_growth;
    double seconds;    /* duration of its session */
    double confidence; /* confidence of its verdict and its interval */
    enum rate_verdict verdict;
    enum verdict ended;
    struct result_clause clause; /* the clause that is nearest to its limit, or farthest beyond
                                    it */
    double low, high;            /* interval of the clause's value; NaN: no interval */
};

struct result_rates {
    const struct result_probe *probes; /* sorted by time */
    size_t count;
    char clauses[256];
    double holds;      /* the highest rate that holds; 0: no rate holds */
    double fails;      /* the lowest rate that fails; infinite: no rate fails */
    double ceiling;    /* the lowest rate at which this machine could not issue requests; infinite:
                          there is none */
    double estimate;   /* the rate at which the fitted curve meets the limits; NaN: unknown */
    double width;      /* fails - holds, over the middle of both; infinite: one is missing */
    double asked;      /* requested width */
    double confidence; /* confidence that both are right */
    double saturation; /* requests per second that completed without a rate limit; NaN: unknown */
    bool narrow, none, machine; /* the kind of answer: see struct rate_answer */
};

#endif
