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

/* Returns the row of tables/metrics.h with this identifier. */
const struct metric *metric_of(enum metric_id id);

struct result_row {
    enum metric_id metric;
    char op[8];       /* one of operation_names */
    double value;     /* NaN: no value, for a reason given in the note ("not enough samples") */
    double low, high; /* confidence interval; NaN: none */
    /* Prediction interval for the value in a repetition of the same length, at the same confidence.
       NaN: none. */
    double next_low, next_high;
    double memory;     /* long-memory parameter d for which both intervals are widened; 0: none */
    double confidence; /* confidence of the intervals; NaN: no interval */
    uint64_t n;        /* number of samples that `value` is computed from */
    /* number of independent samples that carry as much information as these `n`; NaN: not known */
    double effective_n;
    char note[120];
};

/* What a session still needs before it can end, other than a narrow interval of the headline. */
enum lack_kind {
    LACK_NOTHING,
    LACK_TIME,
    LACK_READINGS,
    LACK_INDEPENDENT_READINGS,
    /* a narrow interval of another metric than the headline; or of the headline, whose interval is
       widened because the session may stop early (stop_rule.h) */
    LACK_WIDTH,
    /* a level that lasts to the end of the session: the last slices have another level than the
       judged ones */
    LACK_LASTING_LEVEL,
    LACK_SETTLED_LEVEL, /* a level without doubts (claim.doubt) */
};

struct result_lack {
    enum lack_kind kind;
    /* For LACK_INDEPENDENT_READINGS and LACK_WIDTH: */
    char of[40];  /* the metric: "the read response time"; "": the headline */
    double width; /* relative full width by which the stop rule decides */
    double effective_n, minimum_independent;
};

enum verdict {
    VERDICT_PRECISE,     /* the interval became as narrow as requested */
    VERDICT_LIMIT,       /* the session limit was reached first */
    VERDICT_INTERRUPTED, /* a signal ended the session first */
    VERDICT_FAILED,      /* the target failed; what was measured before is kept */
    VERDICT_CUT_SHORT,   /* the record ends early: the program was killed */
    /* one pass over the whole target, phases or a trace: no width was requested */
    VERDICT_COMPLETE,
    VERDICT_SATURATED, /* the target does not keep up with the requested rate */
    VERDICT_SUSPENDED, /* cupel was suspended during its only pass */
    VERDICT_DECIDED,   /* every clause of --sla passed or failed */
    VERDICT_MEASURED,  /* ran for the time of --runtime */
    /* because of long memory the requested width would take far longer than the session limit */
    VERDICT_BEST_POSSIBLE,
    /* parts of the record are missing, repeated or foreign; notes say which */
    VERDICT_DAMAGED,
    /* the record says that the session was decided, but a second computation did not confirm it */
    VERDICT_UNCONFIRMED,
    /* a part other than the target limited the result (only with --strict-bottleneck) */
    VERDICT_BOTTLENECK,
    VERDICT_MERGED, /* a result merged from earlier measurements; no clause is undecided */
    /* The session ended without its precision because its level does not hold (level_state.h): */
    VERDICT_NO_LEVEL, /* the level wanders */
    VERDICT_MOVES,    /* the level still rises or falls */
    VERDICT_CYCLES,   /* the session has too few periods of its slowest cycle */
    /* the interval was as narrow as requested, but at the session limit it was still open whether
       the level holds (level_doubt) */
    VERDICT_UNSETTLED,
    VERDICTS,
};

/* The last enumerator above that a session itself can give. Those after it are found when the
   session's record is read. */
#define VERDICT_LAST_OF_SESSION VERDICT_BEST_POSSIBLE

const char *verdict_name(enum verdict verdict); /* "precise", "limit", ..., "cut_short" */

/* Returns true if the session ran to its end but reached no precise level. Its numbers are
   complete, but never count as precise. */
bool verdict_is_imprecise(enum verdict verdict);

/* Returns true if there is no precise result because the level does not hold: NO_LEVEL, MOVES,
   CYCLES. */
bool verdict_is_of_level(enum verdict verdict);

/* Returns true if the result predicts nothing about a repetition: the target failed, the record is
   damaged, or the measurement is not valid. */
bool verdict_predicts_nothing(enum verdict verdict);

/* Returns the final verdict of a session that ended with `verdict` while its level was in state
   `level`. If the width was not reached because of the level, the verdict says so (NO_LEVEL, MOVES,
   CYCLES). It is UNSETTLED if at the limit only the question whether the level holds was open
   (`held_back`). */
enum verdict verdict_of_level(enum verdict verdict, enum level_state level, bool held_back);

#define RESULT_PARTS_MAX  192
#define RESULT_EDGES_MAX  256
#define RESULT_GAUGES_MAX 256
#define RESULT_EVENTS_MAX 32

/* A phase of requests with due times: whether they were issued on time, and whether the target kept
   up. */
struct result_phase {
    double begin_seconds, seconds; /* begin_seconds counts from the start of the pass */
    /* requested rate at the begin and at the end, in requests per second */
    double rate_begin, rate_end;
    double iops;             /* completed requests per second */
    double response_time_ns; /* mean time from due to completion; NaN: nothing completed */
    double service_time_ns;
    double backlog; /* maximum number of requests that were due and not issued */
    bool kept_up;   /* the backlog did not grow during the phase */
};
#define RESULT_PHASES_MAX 32

/* How the distance between a trace and its replay is measured (stat/basic/distance.h). */
enum fidelity_measure {
    FIDELITY_NONE,
    /* Kolmogorov-Smirnov distance of distributions: 0 equal, 1 without overlap */
    FIDELITY_KS,
    /* earth mover's distance of distributions, in the unit of the row's values */
    FIDELITY_EARTH_MOVER,
    FIDELITY_CORRELATION, /* correlation over time: 1 in step, 0 unrelated */
};
#define FIDELITY_MEASURES (FIDELITY_CORRELATION + 1)

/* Returns "", "ks", "earth_mover" or "correlation". */
const char *fidelity_measure_name(enum fidelity_measure measure);

/* One quantity of a trace and of its replay, and the distance between them. */
struct result_fidelity {
    /* "requests per 1 s: most"; the words after ": " are one aspect of the quantity */
    char name[48];
    enum metric_kind kind;
    double original, replay; /* NaN: not known, or the row has only a distance */
    enum fidelity_measure measure;
    double distance; /* NaN: no distance */
    char note[120];
};
#define RESULT_FIDELITY_MAX 32

/* A note that is shown with the verdict. */
struct result_note {
    bool warning;
    char text[240];
};

/* A series of equal time slices, for the plot and for unit_readings.csv. */
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

/* A latency histogram: bucket i holds latencies from edges[i] to below edges[i + 1], in ns. There
   are count + 1 edges. */
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

/* The spread of slices over all I/O that completed in measured rounds, including the begin and end
   of rounds. */
struct result_spread {
    uint64_t n; /* number of slices that the values below are computed from; 0: not known */
    double mean, sd, min, max;
};
struct result_total {
    char op[8];
    uint64_t ios, bytes, errors;
    struct result_spread iops, bandwidth; /* spreads over the slices */
};

/* A part of the machine that data went through or that was watched (Li et al., Pilot (2016),
   III-B). Rates are bytes/s, means over the measured rounds; NaN: not known. */
struct result_part {
    char name[64];
    enum node_kind kind;
    bool on_path;    /* false: watched, but not on the data path, such as a processor core */
    bool under_test; /* a disk that holds the target's data */
    bool bottleneck; /* not under test, but saturated by this session for 20 % of the time */
    unsigned depth;  /* number of parts between this part and the target */
    double limit_read, limit_write;
    double used_read, used_write;
    double utilisation, peak; /* mean and highest sample, as shares of the part's capacity */
    /* share of the measured time in which this session used more than 80 % of the part's
       capacity */
    double saturated;
    char measure[24]; /* unit of the capacity: "bytes", "busy time", "processor time" */
};

struct result_edge {
    unsigned from, to; /* indices into parts; `to` is nearer to the processor */
};

/* A property that was watched over time, with one value for each of the `count` intervals of the
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
    const double *begin, *end; /* seconds from the start of the session */
    struct result_gauge gauges[RESULT_GAUGES_MAX];
    size_t gauge_count;
};

/* A change of the machine's state during the measurement. */
struct result_event {
    double seconds; /* time from the start of the session; NaN: at an unknown time during the run */
    char text[200];
};

/* One of the slowest requests of the measured rounds. */
struct result_slow {
    char op[8];      /* one of operation_names */
    uint64_t offset; /* offset into the target, in bytes */
    uint32_t length; /* bytes */
    uint32_t job;    /* number of the job, from 1 */
    /* time from the start of the session at which the request was due, or else issued */
    uint64_t begin_ns;
    uint64_t latency_ns;
    bool failed;
    /* index in `stalls` of the stall in which the request waited, plus 1; 0: it is not kept */
    uint32_t stall;
};
#define RESULT_SLOW_MAX 64

/* A stall: some of the slowest requests waited at the same time. The state of the machine at that
   time is kept with them. */
struct result_stall {
    double begin_seconds, seconds; /* begin_seconds counts from the start of the session */
    /* number of the stall's requests among the slowest ones; further, faster requests may have
       waited too */
    uint64_t requests;
    /* the requests waited for the same cause; false: they were slow one after another */
    bool one_wait;
    bool stands_out;   /* the stall is unusual, and the report shows it on the first screen */
    double longest_ns; /* the longest latency */
    /* what happened at that time: "temperature of nvme0 71 C, its limit 70 C; ..."; never "" */
    char beside[240];
};
#define RESULT_STALLS_MAX 8

/* The share of the machine that other programs used during the session
   (run/watch/other_programs.h). NaN: not known. */
struct result_others {
    double processors; /* other programs' share of all processors' time */
    double stolen;     /* other virtual machines' share of that time */
    double device;     /* other programs' share of the bytes that the target's disk transferred */
};

/* The upper bound of the difference between the machine's wall clock and UTC
   (base/machine/clock_error.h). */
struct result_clock {
    bool looked;     /* false: the clock was not checked, or the record has no entry about it */
    double error_ns; /* NaN: the clock was not synchronised, or not checked */
    char source[16]; /* source of the bound: "adjtimex", "chrony" or "" */
};

/* Latencies of one operation in a period of wall-clock time. Times of the period are in seconds,
   latencies in ns. */
struct result_percentile {
    double value;
    double low, high; /* NaN: no interval */
};
struct result_period {
    char op[8];
    char job[12];         /* "all", or a job's number from 1 */
    char begin[32];       /* "2026-11-22T09:03:40.000Z" */
    double begin_seconds; /* begin, from the start of the first period */
    double seconds;       /* length of the period */
    double covered;       /* measured time within the period, in seconds */
    uint64_t n;           /* I/Os that completed in the period */
    /* number of I/Os, each counted by the fraction of its duration that lies in the period */
    double weight;
    struct result_percentile p50, p90, p99, p999;
    double max;
    /* mean latency in ns; bytes/s of measured time; both NaN unless the result is merged */
    double mean_ns, byte_rate;
};

/* Requests with the same operation, size and priority. Times in ns. */
struct result_priority {
    char op[8];
    char priority[16]; /* "rt/0", "be/4", "idle", "none"; or the command: "zeroes", "write" */
    uint64_t bytes;    /* bytes of a request; 0: several sizes */
    uint64_t n;        /* number of requests that completed in full */
    /* `n` divided by the number of all requests with the same operation and size */
    double share;
    struct result_percentile mean, p50, p99, p999;
    double max;
    /* The ratios below divide by the values of the requests that have the same operation and size,
       but the priority `than`: a ratio below 1 means that these requests are served faster. "":
       these requests are the ones that others are compared with. */
    char than[16];
    struct result_percentile mean_ratio, p99_ratio;
};
#define RESULT_PRIORITIES_MAX 12

/* The verdict on a clause of --sla or --precise. */
enum clause_verdict { CLAUSE_UNDECIDED, CLAUSE_PASSED, CLAUSE_FAILED };

const char *clause_verdict_name(enum clause_verdict verdict); /* "undecided", "pass", "fail" */

/*
 * What a limit on unseen levels is based on. By the rule of three, a level that occurs once in a
 * time N on average is seen in 95 of 100 sessions of length 3 N. A session therefore excludes
 * levels that occur once in a third of its length, or more often.
 */
enum unseen_by {
    UNSEEN_SESSION, /* a third of the length of what was judged */
    /* a third of the length of this session and of the earlier sessions in a row that each repeat
       the one before: only for means, as repetitions show only these */
    UNSEEN_HISTORY,
    /* the user states (--assume-memory) that no level occurs less often than once in this time; no
       clause passes before three times this time */
    UNSEEN_ASSUMED,
};

const char *unseen_by_name(enum unseen_by by); /* "session", "history", "assumption" */

struct result_clause {
    char text[48]; /* the clause as it was given: "read.p99<500us" */
    bool is_width; /* the clause is a width of --precise */
    bool is_fact;  /* the value is counted, not estimated: it has no confidence (clause_is_fact) */
    enum clause_verdict verdict;
    enum metric_kind kind;
    enum unseen_by unseen_by; /* what `unseen` is based on */
    /* measured value, in the unit of `kind`; for a clause of --precise, the width of the interval
       divided by the value */
    double value;
    double limit; /* limit in the unit of `value` */
    /* expected time until the clause is decided; 0: decided; infinite: a decision is not
       expected */
    double more_seconds;
    /* expected number of further readings until the clause is decided, for a column of numbers,
       which has no time */
    double more_readings;
    /* a level that occurs less often than once in this time (seconds; for a column of numbers,
       readings) may still break a clause that passed; 0: the clause did not pass, or its verdict is
       exact */
    double unseen;
    /* length of the intervals that the clause limits; 0: it limits the whole run */
    double period_seconds;
    double periods;      /* number of intervals that are counted */
    double periods_kept; /* number of counted intervals in which the limit was kept */
    char note[120];
    /* for a broken max<45ms: the first request over it, and the state of the machine at that time;
       otherwise "" */
    char first_over[256];
};

/* The keys by which the rows of many results are sorted. */
struct result_key {
    char rw[16];            /* "randread" ..., name of a mode, "replay", "profile" or "" */
    uint64_t block_size;    /* bytes; 0: not known, or several sizes */
    uint64_t iodepth, jobs; /* 0: not known, or several */
    char date[32];          /* start: ISO 8601 with the time zone; "": not known, or several */
};

/* The prediction that the session before made for this one, whether it held, and how far back
   sessions repeat one another (facts/history/history.h). */
struct result_history {
    enum prediction_check check; /* outcome of the prediction of the session before */
    /* prediction interval of the session before, for a session of this length; NaN: none */
    double low, high;
    char date[32];                 /* start of the session before */
    struct prediction_count count; /* includes this check; checked is 0: nothing to report */
    /* number of pairs of earlier sessions whose differences widened the prediction; 0: not
       widened */
    size_t differing;
    /* total length of the earlier sessions in a row that each repeat the one before; 0: this
       session does not repeat the last one */
    double seconds;
};

struct result_repeat;
struct result_rates;
struct result_merged;

/* The goal at which a session ends. */
enum result_goal {
    GOAL_PRECISION, /* the headline's interval is as narrow as target_width */
    GOAL_WIDTHS,    /* all widths of --precise are reached */
    GOAL_CLAUSES,   /* all clauses of --sla are decided */
    GOAL_RUNTIME,   /* the time of --runtime is over */
    GOAL_PASS,      /* the phases or the trace of the session have ended */
    GOAL_MERGED,    /* no goal: the result is merged from earlier measurements */
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
    /* name of the rate if requests move no bytes: "file creations/s" (their operation then has no
       meaning); "": IOPS */
    char rate_title[24];
    char workload[200];      /* workload in one line: "randread 4 KiB, iodepth 32, 1 job" */
    enum metric_id headline; /* the metric that the stop rule watched */
    char headline_op[8];
    enum result_goal goal;
    /* requested full width of the interval, relative to the mean; 0: not requested */
    double target_width;
    bool width_given;          /* the width comes from --ci or --precise; false: from a preset */
    struct level_claim claim;  /* what may be claimed of the headline's level */
    struct result_lack lack;   /* what the session still needs before it can end */
    double limit_seconds;      /* requested limit of the session; 0: not known */
    double minimum_seconds;    /* requested minimum measuring time; 0: not known */
    uint64_t minimum_readings; /* minimum number of the headline's readings; 0: not known */
    char phase[24];            /* flat, warmup, slowdown, no_steady_state */
    enum change_search search; /* how changes of the headline's level were searched for */
    char failure[240];         /* for VERDICT_FAILED: what happened */
    char invalid[160];         /* for VERDICT_BOTTLENECK: why the measurement is not valid */
    struct result_others others;
    struct result_clock clock;
    /* warning that other programs used enough of the machine to change the result: "other programs
       used 40 % of the processors"; "": none */
    char busy[160];

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
    struct result_total totals[RESULT_TOTALS_MAX]; /* only operations that the workload has */
    size_t total_count;
    struct result_clause clauses[2 * CLAUSES_MAX]; /* clauses of --sla, then those of --precise */
    size_t clause_count;
    const struct result_period *periods; /* sorted by operation, then by time */
    size_t period_count;
    /* Sorted by operation, size and priority (highest first). Empty if all requests have the same
       priority. */
    const struct result_priority *priorities; /* at most RESULT_PRIORITIES_MAX */
    size_t priority_count;
    double priority_confidence; /* confidence of the intervals of priorities */
    /* `priorities` are commands of --write_mode ("zeroes", "write") instead */
    bool kinds_by_command;
    /* the clauses were given after the measurement (cupel report --sla) */
    bool judged_afterwards;
    double clause_confidence; /* confidence that all clauses of --sla are decided correctly */
    bool timed;               /* requests had due times, so there are rows on issue errors */
    bool saturated;           /* the target did not keep up with the due requests */
    /* response times contain a growing backlog: a longer test would give longer ones */
    bool backlog;
    bool has_issue_error;
    /* share of the time in which a request was due but all slots were in use, so that the target
       made it late; NaN: not known */
    double waited_share;
    struct result_histogram issue_error; /* time from due to issue in ns, of all operations */
    struct result_phase phases[RESULT_PHASES_MAX];
    size_t phase_count;
    /* distances between a replay and its trace */
    struct result_fidelity fidelity[RESULT_FIDELITY_MAX];
    size_t fidelity_count;
    /* For a replay: series of the trace, with the names and slices of the replay's series. */
    struct result_series original[RESULT_SERIES_MAX];
    size_t original_count;
    struct result_histogram
        original_histograms[RESULT_HISTOGRAMS_MAX]; /* response times of the trace, if known */
    size_t original_histogram_count;
    struct labels labels; /* labels that the user gave by --label */
    struct result_key key;
    struct option_values options; /* all options of the command line */
    /* how the result was measured: plan, backend, clock, statistics, overhead */
    struct facts settings;
    const struct inventory *hardware; /* the measured machine and its state; NULL: not known */
    struct result_part parts[RESULT_PARTS_MAX];
    size_t part_count;
    struct result_edge edges[RESULT_EDGES_MAX];
    size_t edge_count;
    /* limit of the whole data path in bytes/s; NaN: not known */
    double path_limit_read, path_limit_write;
    /* index of the part with the lowest limit; -1: not known */
    int limiting_read, limiting_write;
    bool path_complete; /* all parts between target and processor are known */
    struct result_timeline timeline;
    struct result_event events[RESULT_EVENTS_MAX];
    size_t event_count;
    struct result_slow slow[RESULT_SLOW_MAX]; /* slowest first */
    size_t slow_count;
    /* sorted by their longest request, the longest first */
    struct result_stall stalls[RESULT_STALLS_MAX];
    size_t stall_count;
    struct kernel_log kernel_log; /* lines of the kernel's log from the time of the session */
    struct result_history history;
    /* several sessions, which the rows are computed over; NULL: one session */
    const struct result_repeat *repeat;
    /* search for the highest rate at which limits are kept, which is the rate that the rows are
       about; NULL: there was no search */
    const struct result_rates *rates;
    /* many sources that the rows are computed from (facts/merged.h); NULL: not a merge */
    const struct result_merged *merged;
};

/* Appends a row and returns it. The table is large enough for every metric and operation. If it is
   full nevertheless, the row is dropped and a note says so. */
struct result_row *result_add(struct result *r, enum metric_id metric, const char *op,
                              double value);
/* Text that explains why response times of a result with `backlog` say nothing about the target. */
extern const char result_backlog_words[];
/* Returns true for a response time or a percentile of response times, false for service times. */
bool metric_is_response(enum metric_id metric);
/* Sets the interval. As no metric is below 0, a lower end below 0 becomes 0, and the row's note
   says so. */
void result_set_interval(struct result_row *row, double low, double high);
/* Sets the prediction interval; a lower end below 0 becomes 0. Infinite ends mean no prediction. */
void result_set_prediction(struct result_row *row, double low, double high);
bool result_is_predicted(const struct result_row *row);
/* Return the name of a metric, and of an operation ("" for all of them), as reports on this result
   show it. */
const char *result_title(const struct result *r, enum metric_id id);
const char *result_op_word(const struct result *r, const char *op);
void result_note(struct result *r, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns why a session did not reach its goal: "not every clause was decided". */
const char *result_missed(const struct result *r);

/*
 * Returns the next free note of a table. Returns NULL if the table is full: the last note then
 * states how many notes were left out, including the one whose place it takes. result_notes_add
 * also writes the note, if there is a place.
 */
struct result_note *result_notes_next(struct result_note notes[], size_t max, size_t *count,
                                      size_t *left_out);
void result_notes_add(struct result_note notes[], size_t max, size_t *count, size_t *left_out,
                      bool warning, const char *format, va_list arguments)
    __attribute__((format(printf, 6, 0)));

/* Writes what the session still needs, as words that continue "the interval is narrow enough, but":
   "the minimum measuring time of 30 s (--min-time) was not over"; "" if it needs nothing. Returns
   `to`. */
enum { RESULT_LACK_WORDS = 120 };
const char *result_lack_words(const struct result *r, char *to, size_t size);

/* Returns the bottleneck that was saturated for the longest time, or, after `last`, the next one in
   this order. Returns NULL if there are no more. Begin with `last` NULL. */
const struct result_part *result_bottleneck(const struct result *r, const struct result_part *last);

/* Returns the kind of the target, as in "not the disk": "disk", "network", "file"; "target" if no
   part of it is known. */
const char *result_target_word(const struct result *r);

/* Returns the row of a metric and operation, or NULL. */
const struct result_row *result_find(const struct result *r, enum metric_id metric, const char *op);

/*
 * What a result over several sessions has in addition to its rows (struct result): the sessions one
 * by one, and how they differ. Plain data; src/run fills it, src/report prints it.
 */

struct result_session {
    size_t number;        /* number of the session, from 1 */
    double begin_seconds; /* begin, from the start of the first session */
    double seconds;       /* duration of the whole session, preparation included */
    char date[32];        /* start: ISO 8601 with the time zone; "": not known */
    uint64_t seed;
    enum verdict verdict;
    bool counted;      /* included in the mean over sessions: neither interrupted nor failed */
    char failure[240]; /* for VERDICT_FAILED: what happened */
    char phase[24];
    bool saturated;
    struct result_others others;
    char busy[160];
    struct result_row *rows; /* the rows of this session (struct result) */
    size_t row_count;
};

/* Returns a session's row of a metric and operation, or NULL. */
const struct result_row *result_session_find(const struct result_session *s, enum metric_id metric,
                                             const char *op);

struct result_repeat {
    const struct result_session *sessions; /* sorted by time */
    size_t session_count;
    size_t asked;         /* requested number of sessions */
    double every_seconds; /* requested time between the starts of two sessions; 0: no pauses */
    size_t counted;       /* number of sessions that the rows are computed over */
    size_t decided;       /* number of counted sessions that reached their own goal */
    size_t busy;          /* number of counted sessions during which other programs were active */
    /* number of counted sessions that are undecided only because of --strict-bottleneck */
    size_t invalid;
    /* time from the start of the first to the end of the last counted session */
    double spread_seconds;

    /* Spread of the headline over sessions, in its unit; NaN: not known
       (stat/estimate/session_spread.h). */
    double sd, within, between, intraclass;
    size_t holding;  /* number of counted sessions whose own interval contains the overall mean */
    size_t required; /* number of sessions needed for the requested width; 0: not known */

    size_t late; /* number of sessions that began late, and the longest delay */
    double late_seconds;
    bool late_by_length;    /* all delays came from sessions that took too long */
    enum err_code end_code; /* exit status of the error that ended the run early, or ERR_NONE */
};

/*
 * A search for the highest rate of requests at which the limits of --find-rate are kept: one
 * session at each tried rate, and the conclusion from all of them.
 */

enum rate_verdict {
    RATE_UNDECIDED,
    RATE_HOLDS,
    RATE_FAILS,
    RATE_NOT_ISSUED, /* this machine could not issue requests that fast */
};

/* Returns "undecided", "holds", "fails" or "not issued". */
const char *rate_verdict_name(enum rate_verdict verdict);

struct result_probe {
    size_t number;      /* number of the probe, from 1 */
    double rate;        /* requested requests per second */
    double iops;        /* completed requests per second */
    double response_ns; /* mean response time */
    double backlog, backlog_growth;
    double seconds;    /* duration of its session */
    double confidence; /* confidence of the probe's verdict and of its interval */
    enum rate_verdict verdict;
    enum verdict ended;
    /* the clause that is furthest beyond its limit, or if all are kept, the closest to its limit */
    struct result_clause clause;
    double low, high; /* confidence interval of the clause's value; NaN: none */
};

struct result_rates {
    const struct result_probe *probes; /* sorted by time */
    size_t count;
    char clauses[256];
    double holds;      /* highest rate at which the limits are kept; 0: none */
    double fails;      /* lowest rate at which they are broken; infinite: none */
    double ceiling;    /* lowest rate that this machine could not issue; infinite: none */
    double estimate;   /* rate at which the fitted curve meets the limits; NaN: not known */
    double width;      /* (`fails` - `holds`) / their mean; infinite: one of the two is missing */
    double asked;      /* requested width */
    double confidence; /* confidence that the verdicts on `holds` and `fails` are both right */
    double saturation; /* completed requests per second without a rate limit; NaN: not known */
    bool narrow, none, machine; /* which kind of answer it is, as in struct rate_answer */
};

#endif
