/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel as a library: it takes readings, computes a mean with its interval, and answers "enough?".
 *
 *     cc ... $(pkg-config --cflags --libs cupel)
 *
 * Longer than 500 lines because it is the one header of the library, and its reference.
 *
 * A session holds the readings of one or more metrics in the order in which they were measured, and
 * judges them as `cupel run` and `cupel analyze` do (Li et al., Pilot (2016); docs/statistics.md):
 * change points, the stable segment between warm-up and cool-down, autocorrelation, an interval,
 * and a stop rule that allows for stopping on it. A session can be filled in two ways. In a loop of
 * the program's own, cupel_push takes readings and cupel_enough says when there are enough. Or
 * cupel_measure calls a function, round after round, until there are enough.
 *
 * Names. Everything begins with cupel_ or CUPEL_, and the archive has no other global symbol.
 *
 * Errors. A function that can fail returns -1 (or NULL) and fills *error, unless `error` is NULL;
 * on success it leaves *error alone. Nothing is printed and nothing ends the program. After an
 * error a session is as it was before the call, except that rounds already measured remain. A NULL
 * session, run or function is CUPEL_USAGE. Other pointers may be NULL only where the comment says
 * so. Do not use or free anything again after it was freed.
 *
 * Threads. There is no state outside of sessions and runs. One thread at a time may use a session;
 * several threads may use different sessions at once. Functions given by the caller are called by
 * the thread that called the library (filaments: by threads of the run). They may not throw C++
 * exceptions, jump out, or measure or free the session for which they are called. A process may
 * have only one cupel_run_measure at a time.
 *
 * Signals. Sessions do not touch signals: the program's handlers run as usual, and a round that
 * they interrupt takes longer. For runs see cupel_run_measure.
 *
 * Memory. The library copies its arguments, and the caller owns the structs that it fills. A
 * session needs 8 bytes for each reading, and 60 to 110 more for each reading of the longest series
 * to judge it.
 *
 * Units. The caller chooses the unit of readings, limits and means; times are in seconds; shares
 * are between 0 and 1. Indices count from 0, and segments are half open.
 *
 * The archive and this header belong together: cupel_header_version returns the archive's
 * CUPEL_HEADER_VERSION.
 */
#ifndef CUPEL_H
#define CUPEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* some functions and structs share a name */
#endif
extern "C" {
#endif

/* Increases when a declaration below changes so that programs must be compiled again. */
#define CUPEL_HEADER_VERSION 2

int cupel_header_version(void);       /* CUPEL_HEADER_VERSION of the archive */
const char *cupel_version_text(void); /* static; "0.1.0", perhaps followed by the commit */

/* ---- errors ---- */

/* the exit statuses of the program */
enum cupel_code {
    CUPEL_OK = 0,
    CUPEL_FAILED = 1,    /* a function of the caller ended the call */
    CUPEL_USAGE = 2,     /* an argument is not possible: the message says which one and what is
                            possible */
    CUPEL_UNSAFE = 3,    /* refused, because data could be lost */
    CUPEL_TARGET = 4,    /* the target failed */
    CUPEL_UNDECIDED = 5, /* the time limit came before the precision */
    CUPEL_MACHINE = 6    /* this machine, kernel or permission cannot do it; no memory */
};

struct cupel_error {
    enum cupel_code code;
    char message[480]; /* one line: what failed, where, and what to do */
};

/* ---- a session ---- */

struct cupel_session;

#define CUPEL_METRICS_MAX 32

/* Makes a session. Returns NULL if there is no memory. The caller frees it with cupel_session_free,
   which accepts NULL. */
struct cupel_session *cupel_session_new(struct cupel_error *error);
void cupel_session_free(struct cupel_session *session);

/*
 * Sets a value, named and written as an option of `cupel run` without its dashes: "preset" (quick,
 * normal, strict), "ci" ("5%": the full width of the interval over the mean that is enough),
 * "confidence", "min-samples", "changepoint", "interval", "autocorr", and for cupel_measure
 * "min-time" and "limit". A session decides on 250 readings at the earliest; with "min-samples" on
 * as few as that says, for readings that take long. A later call overrides an earlier one, and a
 * preset sets several values: set it first. A new session has the preset `normal`. CUPEL_USAGE: no
 * such setting, or not that value.
 */
int cupel_set(struct cupel_session *session, const char *name, const char *value,
              struct cupel_error *error);

/* The kind of readings of a metric: 0, or a sum of these flags. */
enum cupel_metric_flags {
    CUPEL_LOWER_IS_BETTER = 1, /* times and costs; decides only what counts as a slowdown */
    CUPEL_HARMONIC = 2,        /* rates over equal amounts of work, each above 0: the mean is
                                  harmonic */
    CUPEL_PROPORTION = 4,      /* each reading is 0 or 1, as in failed or done: the interval is
                                  Wilson's */
    CUPEL_INFORMATIVE = 8,     /* judged and reported, but cupel_enough does not wait for it */
    /* cupel_measure makes one reading of each round by itself: units of work per second (this sets
       CUPEL_HARMONIC, too), or with CUPEL_LOWER_IS_BETTER seconds per unit. */
    CUPEL_TIMED = 16,
    CUPEL_PROCESSOR_TIME = 32 /* CUPEL_TIMED in seconds that this thread had a processor: for
                                 computations that never wait, other programs then do not count */
};

/*
 * Adds a metric, before the first reading; returns its index, 0, 1 and so on, or -1. Messages use
 * `name` (at most 63 bytes). CUPEL_USAGE: flags that exclude each other, or more than
 * CUPEL_METRICS_MAX metrics.
 */
int cupel_metric(struct cupel_session *session, const char *name, unsigned flags,
                 struct cupel_error *error);

/*
 * Requests an absolute width: the full width of the interval of this metric's mean, in its own
 * unit, that is enough, in place of "ci". 0: "ci" counts again. CUPEL_USAGE: not finite, or below
 * 0.
 */
int cupel_set_width(struct cupel_session *session, int metric, double width,
                    struct cupel_error *error);

/* Allocates memory for this number of readings of each metric, so that nothing is allocated during
   the measurement. CUPEL_MACHINE: no memory. */
int cupel_reserve(struct cupel_session *session, size_t readings, struct cupel_error *error);

/*
 * Appends readings[0..count) in the order of measurement: one reading of a round, or all its unit
 * readings (one for each unit of work) at once. CUPEL_USAGE: a reading is not finite, is beyond
 * 1e60, or is not possible for this metric; then none is stored. CUPEL_MACHINE: no memory.
 */
int cupel_push(struct cupel_session *session, int metric, const double readings[], size_t count,
               struct cupel_error *error);

/*
 * Returns 1 if every metric is as precise as requested, at a level that lasts to its last reading
 * (or its limits are decided, cupel_set_limits), and if the speed of a session with a range of work
 * is precise, too; otherwise 0. May be called after every reading: a judgement costs microseconds
 * for each reading, so the session is judged only when it has a twentieth more readings, and never
 * before it can have enough. CUPEL_USAGE: there is neither a metric nor a range. CUPEL_MACHINE: no
 * memory.
 */
int cupel_enough(struct cupel_session *session, struct cupel_error *error);

/* ---- results ---- */

enum cupel_phase {
    CUPEL_FLAT = 0,     /* one level from beginning to end */
    CUPEL_WARMUP = 1,   /* different readings come before the stable segment and are left out */
    CUPEL_SLOWDOWN = 2, /* a worse level follows the stable segment */
    CUPEL_UNSTEADY = 3  /* no level holds for more than half of the readings: no steady state */
};

struct cupel_result {
    double mean;       /* mean of the stable segment; NaN: no readings */
    double low, high;  /* interval of the mean; -inf and +inf while there are too few readings for
                          one */
    double confidence; /* confidence of the interval, 0.95 */
    double next_low, next_high; /* prediction interval of the mean that as many further readings
                                   have, at the same confidence: what a repetition should give; -inf
                                   and +inf where nothing is predicted, because there is no interval
                                   or the level does not hold */
    double width; /* full width of the interval over the mean, with the allowance for stopping: the
                     value that the stop rule uses */
    double sd;    /* standard deviation of single readings */
    double autocorrelation; /* autocorrelation of neighbours, -1 to 1 */
    double effective_n;     /* number of independent readings with the same uncertainty of the
                               mean */
    double required;        /* total number of readings expected to be enough; may be inf */
    size_t readings;
    size_t stable_begin, stable_end; /* the readings used for the values above; all readings if
                                        unsteady */
    size_t change_points;
    enum cupel_phase phase;
    int enough; /* 1: as precise as requested */
};

/*
 * Judges all readings of a metric so far. If cupel_enough or cupel_measure was called before and
 * the readings are enough, the interval is wider, to allow for stopping on it. CUPEL_MACHINE: no
 * memory.
 */
int cupel_result(struct cupel_session *session, int metric, struct cupel_result *result,
                 struct cupel_error *error);

/* Stores the first `capacity` change points in ascending order; each is the first reading of a new
   segment. Returns the number of all change points, or -1. */
int cupel_change_points(struct cupel_session *session, int metric, size_t to[], size_t capacity,
                        struct cupel_error *error);

struct cupel_percentile {
    double share;     /* 0.99 */
    double value;     /* value of the nearest rank in the stable segment; NaN: no readings */
    double low, high; /* the interval by test inversion (binomial, with the effective number of
                         readings); NaN if there is none */
    double confidence;
    double effective_n; /* independent readings at the percentile itself */
    double more;        /* slope from one reading to the next; 0 for fewer than 120 readings, except
                           for a plain trend in fewer than 60 */
    char note[120];     /* why there is no interval, or what the interval does not cover; or "" */
};

/* Computes a percentile of the stable segment; `share` lies between 0 and 1, else CUPEL_USAGE. */
int cupel_percentile(struct cupel_session *session, int metric, double share,
                     struct cupel_percentile *percentile, struct cupel_error *error);

/* A level that moves so slowly that no single change point shows it. If it is found, its 95 %
   interval excludes chance, and the whole change is at least 1 % of the mean. */
struct cupel_shift {
    int found;         /* 1: such a shift was found */
    double slope;      /* slope from one reading to the next; 0 for fewer than 120 readings, of
                          which only a plain trend in fewer than 60 is found */
    double low, high;  /* 95 % interval of the slope; 0 if there is no slope */
    double change;     /* change over the readings that the line was fitted to */
    size_t begin, end; /* the readings of that change, half open */
};

/* Finds a slow shift. CUPEL_MACHINE: no memory. */
int cupel_slow_shift(struct cupel_session *session, int metric, struct cupel_shift *shift,
                     struct cupel_error *error);

/* Stores the first `capacity` readings of a metric in the order of measurement, to export what
   cupel_measure took. Returns the number of all readings, or -1. */
int64_t cupel_readings(struct cupel_session *session, int metric, double to[], size_t capacity,
                       struct cupel_error *error);

/* ---- limits ---- */

enum cupel_verdict {
    CUPEL_LIMIT_OPEN = 0,   /* the readings so far do not decide it */
    CUPEL_LIMIT_KEPT = 1,   /* the metric keeps the limit */
    CUPEL_LIMIT_BROKEN = 2, /* the metric breaks the limit */
};

#define CUPEL_LIMITS_MAX 16

struct cupel_limit {
    char text[48]; /* as the caller wrote it, without spaces: "p99<500" */
    enum cupel_verdict verdict;
    double value;   /* the measured mean or percentile; NaN: none yet */
    double limit;   /* in the same unit */
    double more;    /* readings (cupel_run_limits: seconds) that are still expected to decide it; 0:
                       it is decided; inf: more readings like these would not decide it */
    char note[120]; /* why the limit is open; or "" */
};

/*
 * Sets limits on the mean and percentiles of a metric, "p99<500, mean<200" in the metric's own
 * unit, written as for `cupel analyze --sla`: at most CUPEL_LIMITS_MAX, "" for none. From then on
 * the metric is enough when each limit is decided, however narrow its interval is. The chance that
 * any limit of the session is ever decided wrongly is 1 - "confidence", no matter how often the
 * caller looks at the growing readings: set the limits before the first look. CUPEL_USAGE: such
 * limits are not possible.
 */
int cupel_set_limits(struct cupel_session *session, int metric, const char *limits,
                     struct cupel_error *error);

/* Stores the verdicts on all readings so far, the first `capacity` in the order of the limits.
   Returns the number of all limits, or -1. CUPEL_MACHINE: no memory. */
int cupel_limits(struct cupel_session *session, int metric, struct cupel_limit to[],
                 size_t capacity, struct cupel_error *error);

/* ---- rounds ---- */

/* The request of a round. It belongs to the library and is valid during the call. */
struct cupel_round {
    struct cupel_session *session; /* for cupel_push */
    uint64_t number;               /* from 0, trial rounds included */
    uint64_t work; /* units of work to do: the same in every round that counts, unless the session
                      has a range (cupel_work_range) */
    int trial;     /* 1: the round finds out how long work takes, and its readings are not kept */
};

/* Does one round. Returns 0 to go on; any other value ends cupel_measure with CUPEL_FAILED. */
typedef int (*cupel_round_function)(void *context, const struct cupel_round *round);

/*
 * Calls `round` until cupel_enough returns 1 and "min-time" has passed. Trial rounds double the
 * work from 1 until a round takes a thousandth of a second: short work is repeated within a round,
 * so that reading the clock costs no precision. The work stays 1 if a round with work 1 takes
 * longer, or if the function ignores its work. The session has at least one metric. A round may
 * push any number of readings; the library makes those of CUPEL_TIMED metrics. A session with a
 * range of work has no such trial rounds, see below. CUPEL_UNDECIDED: "limit" came first; the
 * session holds everything that was measured. CUPEL_FAILED: the function ended it.
 */
int cupel_measure(struct cupel_session *session, cupel_round_function round, void *context,
                  struct cupel_error *error);

/* The cost of judging in addition to the rounds. Read it after measuring. */
struct cupel_overhead {
    double rounds_seconds;      /* time of the rounds that count, from cupel_measure and
                                   cupel_push_round */
    double judging_seconds;     /* time that the library needed to judge, between rounds */
    double share;               /* judging over both; NaN: no rounds were timed */
    double empty_round_seconds; /* measured time of a round that does nothing: the error that
                                   reading the clock leaves in a CUPEL_TIMED reading */
};

int cupel_overhead(const struct cupel_session *session, struct cupel_overhead *overhead,
                   struct cupel_error *error);

/* ---- rounds of different work ---- */

/*
 * Measures units of work per second for work that has no readings within a round. Rounds of
 * different work take setup + work / speed seconds, and the slope leaves out set-up, warm-up and
 * cool-down (Li et al., Pilot (2016), III-A, equation 4; `cupel exec --wps`). The amounts are
 * chosen from min to max, 1 <= min < max < 2^53: they double while rounds take less than `shortest`
 * seconds (such rounds are kept but do not count), and then spread over a range that depends on the
 * requested precision. A `shortest` of 0 means a second; a thousandth is short. The session is
 * enough when the interval of the speed is as narrow as "ci" on at least "min-samples" rounds, and
 * its metrics, if any, are enough, too. `flags` is 0 or CUPEL_PROCESSOR_TIME. Call it once, before
 * the first round. CUPEL_USAGE: a wrong range; or a metric is CUPEL_TIMED, which would time a round
 * with its set-up.
 */
int cupel_work_range(struct cupel_session *session, uint64_t min, uint64_t max, double shortest,
                     unsigned flags, struct cupel_error *error);

/* Returns the work of the next round, for a loop of the program's own in place of cupel_measure; 0
   if the session has no range. */
uint64_t cupel_next_work(const struct cupel_session *session);

/* Adds a round of the program's own loop that took this time. `work` is the value of
   cupel_next_work, or another one in the range. CUPEL_USAGE: `work` is out of range, or `seconds`
   is negative or not finite. CUPEL_MACHINE: no memory. */
int cupel_push_round(struct cupel_session *session, uint64_t work, double seconds,
                     struct cupel_error *error);

struct cupel_speed {
    double speed;     /* units of work per second; NaN: fewer than two amounts; inf: more work took
                         no longer */
    double low, high; /* interval of the speed; 0 and inf where an end is not known */
    double next_low, next_high;   /* prediction interval of the speed that as many further rounds
                                     show; 0 and inf where an end is not known */
    double setup;                 /* seconds of a round that do not grow with its work; below 0:
                                     what a cache saves that takes the first of it; or NaN */
    double setup_low, setup_high; /* interval of setup; -inf and inf if there is none */
    double confidence;            /* confidence of both intervals */
    double width;        /* full width of the speed's interval over the speed, with the allowance
                            for stopping: the value that the stop rule uses; inf while unbounded */
    double rounds_left;  /* expected number of rounds until it is enough */
    double seconds_left; /* expected time of these rounds; NaN while it is not known */
    double bend;         /* rounds with less work are left out, because a unit takes another time
                            there (a cache); or 0 */
    size_t rounds, used; /* number of all rounds, and of those to which the line is fitted */
    int bounded;         /* 0: the rounds do not even show that more work takes longer */
    int enough;          /* 1: as precise as requested */
    char note[240];      /* what would show the speed better; or "" */
};

/*
 * Computes the speed from all rounds so far. If cupel_enough or cupel_measure was called before and
 * the rounds are enough, the interval is wider, to allow for stopping on it. CUPEL_USAGE: the
 * session has no range.
 */
int cupel_speed(struct cupel_session *session, struct cupel_speed *speed,
                struct cupel_error *error);

/*
 * Computes how many seconds a round of `work` takes, with its interval (-inf and inf while there is
 * none): on the line of the rounds that count, or, for less work than theirs, on that of the
 * others, which a cache or a warm-up gives another slope. `work` may be out of the range.
 * CUPEL_USAGE: the session has no range, or `work` is 0.
 */
int cupel_duration_of(struct cupel_session *session, uint64_t work, double *seconds, double *low,
                      double *high, struct cupel_error *error);

/* ---- requests that a program says of itself ---- */

/*
 * What an application or a middleware asked for, one record for each request, in a file that `cupel
 * merge` reads: data sieving and collective buffering then count by what was asked for, not by what
 * was moved (BPS, and response times as the application had them). These functions fill in records;
 * the program appends them to a file of its own (opened with O_APPEND, one write a record or many:
 * any order, any number of threads and processes), a head first. The layout stands in
 * docs/library.md for programs without the library.
 */
#define CUPEL_LOG_BYTES 32

struct cupel_logged_request {
    uint64_t begin_ns, end_ns; /* since 1970: CLOCK_REALTIME */
    uint64_t bytes;
    uint32_t process;
    uint16_t operation; /* 0 read, 1 write, 2 sync, 3 trim */
    uint16_t failed;    /* 0 or 1 */
};

/* Makes the record that a file begins with. `host` is the name of this machine, of which 20 bytes
   are kept; NULL: not known. */
void cupel_log_head(unsigned char record[CUPEL_LOG_BYTES], const char *host);

/* Makes the record of a request. */
void cupel_log_request(unsigned char record[CUPEL_LOG_BYTES],
                       const struct cupel_logged_request *request);

/* ---- two means compared ---- */

enum cupel_order {
    CUPEL_OPEN = 0,          /* nothing is decided yet */
    CUPEL_FIRST_HIGHER = 1,  /* the first mean is higher than the second */
    CUPEL_SECOND_HIGHER = 2, /* the first mean is lower than the second */
    CUPEL_SAME = 3           /* the whole interval lies within the margin */
};

struct cupel_comparison {
    double ratio;      /* the first mean over the second */
    double low, high;  /* interval of the ratio; 0 and inf where an end is not known */
    double confidence; /* confidence of the interval, taken from the first session */
    double p_value;    /* chance of such a difference if both are the same: Welch's test, or the
                          test of pairs; valid for one look */
    double p_any;      /* the same chance by evidence that is valid after every reading */
    double more;       /* by which factor the number of readings is expected to grow until it is
                          decided; may be inf */
    enum cupel_order order;
};

/* a metric of a session, and for cupel_compare_rounds the function of its rounds */
struct cupel_side {
    struct cupel_session *session;
    int metric;
    cupel_round_function round; /* may be NULL in cupel_compare */
    void *context;
};

/* The readings are looked at only once, and their number was fixed beforehand: the interval is
   Fieller's and the test is Welch's. Without this flag both are valid however often the caller
   looks, and if the caller stops because of what it sees (as cupel_enough and cupel_measure do). */
#define CUPEL_ONE_LOOK 1u

/*
 * Compares the means of two stable segments; autocorrelation is accounted for. `margin` is the
 * difference that does not matter: with 0.01, ratios of 0.99 to 1.01 count as the same. With 0 the
 * answer is never CUPEL_SAME. CUPEL_USAGE: a mean is not above 0, a session has no readings, or one
 * mean is harmonic and the other is not.
 */
int cupel_compare(const struct cupel_side *first, const struct cupel_side *second, double margin,
                  unsigned flags, struct cupel_comparison *comparison, struct cupel_error *error);

/* An earlier measurement without its readings. */
struct cupel_baseline {
    double mean, sd; /* of single readings */
    double n;        /* number of independent readings, 2 or more: cupel_result's effective_n */
};

/*
 * Compares a metric's mean, the first, with that of a baseline in its unit, the second: Fieller's
 * interval and Welch's test, for one look. CUPEL_USAGE: the baseline is not possible, a mean is not
 * above 0, or the metric's mean is harmonic, which a mean and a standard deviation do not have.
 */
int cupel_compare_baseline(struct cupel_session *session, int metric,
                           const struct cupel_baseline *baseline, double margin,
                           struct cupel_comparison *comparison, struct cupel_error *error);

/*
 * Runs cupel_measure for two functions in turns. The order of each two rounds is random, so that
 * changes of the machine affect both. Ends when the order of the means is decided and the first
 * session's "min-time" has passed. The two sessions differ, have no range of work, and each has its
 * own metric. CUPEL_UNDECIDED: its "limit" came first; *comparison is filled all the same.
 * CUPEL_FAILED: a function ended it.
 */
int cupel_compare_rounds(const struct cupel_side *first, const struct cupel_side *second,
                         double margin, struct cupel_comparison *comparison,
                         struct cupel_error *error);

/* ---- a program's own requests to a file, a folder or a block device (libcupel-run.a) ---- */

/*
 * Measures like `cupel run`, except that a function of the program decides which request is next,
 * and when: a "filament" of Anderson et al., Buttress (2004), section 4.2, driven by events.
 * Rounds, clock, backend, rules of safety and statistics are those of `cupel run`.
 *
 *     run = cupel_run_new("/data", &error);
 *     cupel_run_set(run, "size", "1g", &error);
 *     cupel_run_measure(run, &filament, &error);
 *     cupel_run_value(run, "iops", "all", &value, &error);
 *
 * Safety: a filament that only reads opens the target for reading only. A filament with `writes` is
 * refused (CUPEL_UNSAFE) in the same cases as `cupel run --rw write`: a block device without the
 * setting "destroy" or "destroy-serial", any block device in use, a file of somebody else without
 * "overwrite". A folder gets a scratch file, which is removed.
 */
struct cupel_run;

enum cupel_event_kind {
    CUPEL_BEGIN = 0,     /* time 0 of a round; requests and timers of the round before are
                            forgotten */
    CUPEL_TIMER = 1,     /* comes at the time of cupel_timer, or later */
    CUPEL_COMPLETION = 2 /* a request has completed */
};

struct cupel_actor; /* identifies who answers an event */

/* An event. It belongs to the library and is valid during the call. */
struct cupel_event {
    struct cupel_actor *actor; /* for cupel_request and cupel_timer */
    enum cupel_event_kind kind;
    uint64_t now_ns;       /* time of the event since the round began */
    uint64_t tag;          /* for CUPEL_COMPLETION: the tag of the request */
    int error;             /* for CUPEL_COMPLETION: 0, or the errno of the failure */
    unsigned copy, copies; /* number of this copy of the filament, and how many the setting
                              "numjobs" makes */
    uint64_t size;         /* bytes that requests may address: the size of the target, or "size" */
};

/*
 * The library calls copies of a filament at the same time from different threads, each copy from
 * one thread; the program must guard data that they share. Requests wait while a call lasts.
 */
struct cupel_filament {
    void (*handle)(void *context, const struct cupel_event *event);
    void *context;
    uint32_t largest;     /* bytes of the largest request, 512 to 16 MiB */
    uint32_t granularity; /* in bytes: offsets and lengths are multiples of it, and of the target's
                             block, too */
    unsigned queue;       /* requests of a copy that can wait for their times, 1 to 65535 */
    int writes;           /* 0: the filament only reads */
};

struct cupel_request {
    uint64_t due_ns; /* since the round began; a time in the past means as soon as possible.
                        Response times begin here */
    uint64_t offset; /* bytes */
    uint32_t length; /* bytes */
    int write;
    uint64_t tag; /* the program's own number, for CUPEL_COMPLETION */
};

/*
 * Makes a request; may be called from `handle` only. Returns 0 if it is queued; 1 if `queue`
 * requests wait already (try again at a completion or a timer); -1 if such a request is not
 * possible (beyond the size, not a multiple of the granularity, a write of a filament that only
 * reads), which ends the run with CUPEL_USAGE and a message.
 */
int cupel_request(struct cupel_actor *actor, const struct cupel_request *request);

/* Sets a timer that makes an event at that time. There is one timer; returns -1 if it is already
   set. */
int cupel_timer(struct cupel_actor *actor, uint64_t at_ns);

/* Makes a run; `target` is written as for cupel run. Returns NULL on CUPEL_USAGE, or CUPEL_MACHINE
   for no memory. */
struct cupel_run *cupel_run_new(const char *target, struct cupel_error *error);
void cupel_run_free(struct cupel_run *run);

/*
 * Sets a value, named and written as an option of `cupel run` without its dashes; switches take
 * "1". The settings are: iodepth (default 256: the maximum in flight), numjobs, offset, size, seed,
 * ioengine, direct, sqpoll, iopoll, null-script, destroy, destroy-serial, overwrite,
 * allow-unwritten, preset, ci, confidence, min-samples, changepoint, interval, autocorr, min-time,
 * limit, runtime, precise, sla, cpus, realtime, clock, spin. CUPEL_USAGE.
 */
int cupel_run_set(struct cupel_run *run, const char *name, const char *value,
                  struct cupel_error *error);

/*
 * Measures: trial rounds, then rounds until the mean response time is as precise as requested, or
 * with "sla" until each of its limits is decided. A filament that makes no more requests and has
 * none in flight ends its round. Call it once for each run. With CUPEL_UNDECIDED and CUPEL_TARGET
 * the result holds what was measured; with CUPEL_USAGE, CUPEL_UNSAFE and CUPEL_MACHINE there is no
 * result.
 *
 * Threads of the library, "numjobs" and a few more, do the I/O until it returns. They take no
 * signals, call `handle` on a stack of 256 KiB, and may have a processor, a priority and a timer
 * slack of their own. Those of the calling thread do not change.
 *
 * Signals: no handler is installed, and no disposition changed. The program's handlers run in its
 * own threads, and a handler that interrupts the calling thread does not end the run: it may call
 * cupel_run_stop. The calling thread blocks SIGIO for a moment while it asks the kernel whether
 * anybody writes to a file. No child process is made.
 */
int cupel_run_measure(struct cupel_run *run, const struct cupel_filament *filament,
                      struct cupel_error *error);

/* Ends cupel_run_measure soon, with CUPEL_UNDECIDED. May be called from any thread or signal
   handler until the run is freed. */
void cupel_run_stop(struct cupel_run *run);

struct cupel_value {
    double value, low, high;    /* in the unit of the metric; NaN if there is no value */
    double next_low, next_high; /* prediction interval of the value that a repetition of the run
                                   has; NaN: nothing is predicted */
    double effective_n;         /* number of independent readings; NaN: unknown */
    uint64_t n;                 /* number of readings */
    char unit[16];              /* "1/s", "ns", ... */
    char note[120];             /* why there is no value or interval; or "" */
};

/*
 * Returns a metric of the report by its name in summary.csv (iops, bandwidth, response_time, bps,
 * lat_p50, lat_p99, service_time, issue_error_p99, errors ...), for "read", "write" or "all".
 * CUPEL_USAGE: this result has no metric of that name.
 */
int cupel_run_value(const struct cupel_run *run, const char *metric, const char *op,
                    struct cupel_value *value, struct cupel_error *error);

/* Returns the verdicts on the limits of "sla", as cupel_limits does; there are none before
   measuring. Values are in nanoseconds, 1/s, bytes/s or numbers, and `more` in seconds. */
int cupel_run_limits(const struct cupel_run *run, struct cupel_limit to[], size_t capacity,
                     struct cupel_error *error);

#ifdef __cplusplus
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#endif

#endif
