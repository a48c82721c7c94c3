/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel as a library: it collects readings, computes a mean with its interval, and answers
 * "enough?".
 *
 *     cc ... $(pkg-config --cflags --libs cupel)
 *
 * Longer than 500 lines because it is the one header of the library, and its reference.
 *
 * A session contains the readings of one or more metrics in the order in which they were measured,
 * and judges them as `cupel run` and `cupel analyze` do (Li et al., Pilot (2016);
 * docs/statistics.md): change points, the stable segment between warm-up and cool-down,
 * autocorrelation, an interval, and a stop rule whose interval stays valid although the caller
 * stops because of it. A session can be filled in two ways. A program with its own loop passes
 * readings to cupel_push, and cupel_enough tells when there are enough. Or cupel_measure calls a
 * function, round after round, until there are enough.
 *
 * Names. Everything begins with cupel_ or CUPEL_, and the archive has no other global symbol.
 *
 * Errors. A function that can fail returns -1 (or NULL) and fills *error, unless `error` is NULL;
 * on success it does not change *error. Nothing is printed and nothing ends the program. After an
 * error a session is as it was before the call, except that rounds already measured remain. A NULL
 * session, run or function is CUPEL_USAGE. Other pointers may be NULL only where the comment says
 * so. Nothing may be used or freed again after it was freed.
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
 * session needs 8 bytes for each reading and, to judge its longest series, 60 to 110 bytes more for
 * each reading of that.
 *
 * Units. The caller chooses the unit of readings, limits and means; times are in seconds; shares
 * are between 0 and 1. Indices count from 0, and segments are half open: [begin, end).
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

/* Grows by 1 when the declarations below change so that programs must be compiled again. */
#define CUPEL_HEADER_VERSION 2

int cupel_header_version(void);       /* CUPEL_HEADER_VERSION of the archive */
const char *cupel_version_text(void); /* static text: "0.1.0", perhaps followed by the commit */

/* ---- errors ---- */

/* the exit statuses of the program */
enum cupel_code {
    CUPEL_OK = 0,
    CUPEL_FAILED = 1,    /* a function of the caller ended the call */
    CUPEL_USAGE = 2,     /* an argument is wrong: the message says which one and what is possible */
    CUPEL_UNSAFE = 3,    /* refused, because data could be lost */
    CUPEL_TARGET = 4,    /* the target failed */
    CUPEL_UNDECIDED = 5, /* the time limit came before the requested precision was reached */
    CUPEL_MACHINE = 6    /* this machine, kernel or permission does not allow it; no memory */
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
 * normal, strict), "ci" ("5%": the full width of the interval, as a share of the mean, that is
 * enough), "confidence", "min-samples", "changepoint", "interval", "autocorr", and for
 * cupel_measure "min-time" and "limit". A session needs at least 250 readings for its decision;
 * with "min-samples" set, only that number, for readings that take long. A later call overrides an
 * earlier one, and a preset sets several values: set it first. A new session has the preset
 * `normal`. CUPEL_USAGE: there is no such setting, or the value is not possible.
 */
int cupel_set(struct cupel_session *session, const char *name, const char *value,
              struct cupel_error *error);

/* The properties of a metric: 0, or a sum of these flags. */
enum cupel_metric_flags {
    /* for times and costs; it matters only for what counts as a slowdown */
    CUPEL_LOWER_IS_BETTER = 1,
    /* readings are rates over equal amounts of work, each above 0: the mean is harmonic */
    CUPEL_HARMONIC = 2,
    /* each reading is 0 or 1, such as failed or done: the interval is Wilson's */
    CUPEL_PROPORTION = 4,
    CUPEL_INFORMATIVE = 8, /* judged and reported, but cupel_enough does not wait for it */
    /* cupel_measure makes one reading of each round itself: units of work per second (this also
       sets CUPEL_HARMONIC), or seconds per unit with CUPEL_LOWER_IS_BETTER. */
    CUPEL_TIMED = 16,
    /* CUPEL_TIMED in processor time of this thread: other programs then do not affect the readings
       of a computation that never waits */
    CUPEL_PROCESSOR_TIME = 32
};

/*
 * Adds a metric, before the first reading; returns its index, 0, 1 and so on, or -1. Messages use
 * `name` (at most 63 bytes). CUPEL_USAGE: flags that exclude each other, or more than
 * CUPEL_METRICS_MAX metrics.
 */
int cupel_metric(struct cupel_session *session, const char *name, unsigned flags,
                 struct cupel_error *error);

/*
 * Sets an absolute width in place of "ci": the full width of the interval of this metric's mean, in
 * the metric's unit, that is enough. 0: "ci" applies again. CUPEL_USAGE: not finite, or below 0.
 */
int cupel_set_width(struct cupel_session *session, int metric, double width,
                    struct cupel_error *error);

/* Allocates memory for this number of readings of each metric, so that nothing is allocated during
   the measurement. CUPEL_MACHINE: no memory. */
int cupel_reserve(struct cupel_session *session, size_t readings, struct cupel_error *error);

/*
 * Appends readings[0..count) in the order of measurement: the one reading of a round, or all its
 * unit readings (one for each unit of work) at once. CUPEL_USAGE: a reading is not finite, is
 * beyond 1e60, or is not possible for this metric; then none is stored. CUPEL_MACHINE: no memory.
 */
int cupel_push(struct cupel_session *session, int metric, const double readings[], size_t count,
               struct cupel_error *error);

/*
 * Returns 1 when there are enough readings, otherwise 0. There are when every metric is as precise
 * as requested, at a level that lasts to its last reading (or its limits are decided,
 * cupel_set_limits); in a session with a range of work the speed must be precise, too. May be
 * called after every reading: a judgement costs microseconds for each reading, so the session is
 * judged only when it has a twentieth more readings, and never before it can have enough.
 * CUPEL_USAGE: there is neither a metric nor a range. CUPEL_MACHINE: no memory.
 */
int cupel_enough(struct cupel_session *session, struct cupel_error *error);

/* ---- results ---- */

enum cupel_phase {
    CUPEL_FLAT = 0,     /* one level from the first reading to the last */
    CUPEL_WARMUP = 1,   /* other readings precede the stable segment and are left out */
    CUPEL_SLOWDOWN = 2, /* a worse level follows the stable segment */
    CUPEL_UNSTEADY = 3  /* no level holds for more than half of the readings: no steady state */
};

struct cupel_result {
    double mean;       /* mean of the stable segment; NaN: no readings */
    double low, high;  /* interval of the mean; -inf and +inf while there are too few readings */
    double confidence; /* confidence of the interval, such as 0.95 */
    /* prediction interval, at the same confidence, for the mean of as many further readings: what a
       repetition should give; -inf and +inf if nothing is predicted, because there is no interval
       or the level does not last */
    double next_low, next_high;
    /* full width of the interval over the mean, including the allowance for stopping on it: the
       value that the stop rule compares */
    double width;
    double sd;              /* standard deviation of single readings */
    double autocorrelation; /* autocorrelation of neighbours, -1 to 1 */
    /* number of independent readings that would have the same uncertainty of the mean */
    double effective_n;
    double required; /* total number of readings expected to be enough; may be inf */
    size_t readings;
    /* range of the readings used for the values above; all readings if unsteady */
    size_t stable_begin, stable_end;
    size_t change_points;
    enum cupel_phase phase;
    int enough; /* 1: as precise as requested */
};

/*
 * Judges all readings of a metric so far. If cupel_enough or cupel_measure was called before and
 * the readings are enough, the interval is wider, because stopping at that moment is itself a
 * choice made from the readings. CUPEL_MACHINE: no memory.
 */
int cupel_result(struct cupel_session *session, int metric, struct cupel_result *result,
                 struct cupel_error *error);

/* Stores the first `capacity` change points in ascending order; each is the index of the first
   reading of a new segment. Returns the number of all change points, or -1. */
int cupel_change_points(struct cupel_session *session, int metric, size_t to[], size_t capacity,
                        struct cupel_error *error);

struct cupel_percentile {
    double share; /* such as 0.99 */
    double value; /* value of the nearest rank in the stable segment; NaN: no readings */
    /* interval by test inversion (binomial, with the effective number of readings); NaN if there is
       none */
    double low, high;
    double confidence;
    double effective_n; /* number of independent readings, at the percentile itself */
    /* factor by which the number of readings must grow until there is an interval; 1: there is one
       now */
    double more;
    char note[120]; /* why there is no interval, or what the interval does not cover; or "" */
};

/* Computes a percentile of the stable segment; `share` must be between 0 and 1, else
   CUPEL_USAGE. */
int cupel_percentile(struct cupel_session *session, int metric, double share,
                     struct cupel_percentile *percentile, struct cupel_error *error);

/* A mean that moves so slowly that no single change point shows it. A shift is found if the 95 %
   interval of its slope excludes chance, and the whole change is at least 1 % of the mean. */
struct cupel_shift {
    int found; /* 1: such a shift was found */
    /* slope from one reading to the next; for fewer than 120 readings 0, unless fewer than 60
       plainly rise or fall throughout */
    double slope;
    double low, high;  /* 95 % interval of the slope; 0 if there is no slope */
    double change;     /* change over the readings to which the line was fitted */
    size_t begin, end; /* range of these readings, half open */
};

/* Finds a slow shift. CUPEL_MACHINE: no memory. */
int cupel_slow_shift(struct cupel_session *session, int metric, struct cupel_shift *shift,
                     struct cupel_error *error);

/* Stores the first `capacity` readings of a metric in the order of measurement, for instance to
   export what cupel_measure took. Returns the number of all readings, or -1. */
int64_t cupel_readings(struct cupel_session *session, int metric, double to[], size_t capacity,
                       struct cupel_error *error);

/* ---- limits ---- */

enum cupel_verdict {
    CUPEL_LIMIT_OPEN = 0,   /* the readings so far do not decide the limit */
    CUPEL_LIMIT_KEPT = 1,   /* the metric keeps the limit */
    CUPEL_LIMIT_BROKEN = 2, /* the metric breaks the limit */
};

#define CUPEL_LIMITS_MAX 16

struct cupel_limit {
    char text[48]; /* as the caller wrote it, without spaces: "p99<500" */
    enum cupel_verdict verdict;
    double value; /* the measured mean or percentile; NaN: none yet */
    double limit; /* the limit, in the unit of `value` */
    /* number of further readings (cupel_run_limits: seconds) expected to decide it; 0: it is
       decided; inf: more readings like these would not decide it */
    double more;
    char note[120]; /* why the limit is open; or "" */
};

/*
 * Sets limits on the mean and percentiles of a metric, such as "p99<500, mean<200" in the metric's
 * unit, written as for `cupel analyze --sla`: at most CUPEL_LIMITS_MAX, "" for none. From then on
 * the metric is enough when each limit is decided, however wide its interval is. The probability
 * that any limit of the session is ever decided wrongly is at most 1 - "confidence", no matter how
 * often the caller looks at the growing readings; for this the limits must be set before the first
 * look. CUPEL_USAGE: the limits are not possible.
 */
int cupel_set_limits(struct cupel_session *session, int metric, const char *limits,
                     struct cupel_error *error);

/* Stores the verdicts on all readings so far, the first `capacity` in the order of the limits.
   Returns the number of all limits, or -1. CUPEL_MACHINE: no memory. */
int cupel_limits(struct cupel_session *session, int metric, struct cupel_limit to[],
                 size_t capacity, struct cupel_error *error);

/* ---- rounds ---- */

/* What one round has to do. It belongs to the library and is valid during the call. */
struct cupel_round {
    struct cupel_session *session; /* for cupel_push */
    uint64_t number;               /* counts from 0 and includes trial rounds */
    /* units of work to do: the same in every round that counts, unless the session has a range
       (cupel_work_range) */
    uint64_t work;
    /* 1: a trial round, which finds out how long work takes; its readings are dropped */
    int trial;
};

/* Does one round. Returns 0 to continue; any other value ends cupel_measure with CUPEL_FAILED. */
typedef int (*cupel_round_function)(void *context, const struct cupel_round *round);

/*
 * Calls `round` until cupel_enough returns 1 and "min-time" has passed. First come trial rounds,
 * which double the work from 1 until a round takes a thousandth of a second: short work is repeated
 * within a round, so that reading the clock costs no precision. The work stays 1 if a round with
 * work 1 takes longer, or if the function ignores its work. The session has at least one metric. A
 * round may push any number of readings; the library makes those of CUPEL_TIMED metrics. A session
 * with a range of work has no such trial rounds, see below. CUPEL_UNDECIDED: "limit" came first;
 * the session contains everything that was measured. CUPEL_FAILED: the function ended it.
 */
int cupel_measure(struct cupel_session *session, cupel_round_function round, void *context,
                  struct cupel_error *error);

/* The cost of judging, which comes on top of the rounds. Read it after measuring. */
struct cupel_overhead {
    /* time of the rounds that count, both of cupel_measure and of cupel_push_round */
    double rounds_seconds;
    double judging_seconds; /* time that the library needed to judge, between rounds */
    double share;           /* judging time over the sum of both; NaN: no rounds were timed */
    /* measured time of a round that does nothing: a CUPEL_TIMED reading is too long by up to this
       time, because of reading the clock */
    double empty_round_seconds;
};

int cupel_overhead(const struct cupel_session *session, struct cupel_overhead *overhead,
                   struct cupel_error *error);

/* ---- rounds of different work ---- */

/*
 * Measures units of work per second, for work that has no readings within a round. Rounds of
 * different amounts of work take setup + work / speed seconds; the slope of this line leaves out
 * set-up, warm-up and cool-down (Li et al., Pilot (2016), III-A, equation 4; `cupel exec --wps`).
 * The amounts are chosen from min to max, 1 <= min < max < 2^53: they double while rounds take less
 * than `shortest` seconds (such rounds are kept but do not count), and then spread over a range
 * that depends on the requested precision. A `shortest` of 0 means one second; a thousandth is
 * short. The session is enough when the interval of the speed is as narrow as "ci" on at least
 * "min-samples" rounds, and its metrics, if any, are enough, too. `flags` is 0 or
 * CUPEL_PROCESSOR_TIME. Call it once, before the first round. CUPEL_USAGE: a wrong range; or a
 * metric is CUPEL_TIMED, which would time a round with its set-up.
 */
int cupel_work_range(struct cupel_session *session, uint64_t min, uint64_t max, double shortest,
                     unsigned flags, struct cupel_error *error);

/* Returns the work of the next round, for a program with its own loop instead of cupel_measure; 0
   if the session has no range. */
uint64_t cupel_next_work(const struct cupel_session *session);

/* Adds a round of the program's own loop that took `seconds`. `work` is the value of
   cupel_next_work, or another one in the range. CUPEL_USAGE: `work` is out of range, or `seconds`
   is negative or not finite. CUPEL_MACHINE: no memory. */
int cupel_push_round(struct cupel_session *session, uint64_t work, double seconds,
                     struct cupel_error *error);

struct cupel_speed {
    /* units of work per second; NaN: rounds of fewer than two amounts; inf: more work took no
       longer */
    double speed;
    double low, high; /* interval of the speed; 0 and inf where an end is not known */
    /* prediction interval, for the speed of as many further rounds; 0 and inf where an end is not
       known */
    double next_low, next_high;
    /* seconds of a round that do not depend on its work; NaN: unknown. Below 0: the first units of
       a round find a filled cache, which saves this time */
    double setup;
    double setup_low, setup_high; /* interval of setup; -inf and inf if there is none */
    double confidence;            /* confidence of both intervals */
    /* full width of the speed's interval over the speed, including the allowance for stopping on
       it: the value that the stop rule compares; inf while unbounded */
    double width;
    double rounds_left;  /* expected number of further rounds until there are enough */
    double seconds_left; /* expected time of these rounds; NaN while it is not known */
    /* rounds with less work than this are left out, because there a unit takes a different time (a
       cache); or 0 */
    double bend;
    size_t rounds, used; /* number of all rounds, and of those to which the line is fitted */
    /* 0: the rounds do not even show that more work takes longer, so the speed has no upper
       bound */
    int bounded;
    int enough;     /* 1: as precise as requested */
    char note[240]; /* what would make the speed more precise; or "" */
};

/*
 * Computes the speed from all rounds so far. If cupel_enough or cupel_measure was called before and
 * the rounds are enough, the interval is wider, because stopping at that moment is itself a choice
 * made from the readings. CUPEL_USAGE: the session has no range.
 */
int cupel_speed(struct cupel_session *session, struct cupel_speed *speed,
                struct cupel_error *error);

/*
 * Computes how many seconds a round of `work` takes, with its interval (-inf and inf while there is
 * none). The value is on the line that was fitted to the rounds that count. For less work than
 * theirs it is on the line of the other rounds, whose slope a cache or a warm-up makes different.
 * `work` may be out of the range. CUPEL_USAGE: the session has no range, or `work` is 0.
 */
int cupel_duration_of(struct cupel_session *session, uint64_t work, double *seconds, double *low,
                      double *high, struct cupel_error *error);

/* ---- a log of the requests that a program makes ---- */

/*
 * The requests of an application or a middleware as it made them, one record each, in a file that
 * `cupel merge` reads. With data sieving and collective buffering, BPS then counts the bytes that
 * were requested, not those that were moved, and response times are those of the application. These
 * functions only fill records. The program appends them to a file that it opens with O_APPEND: a
 * head first, then one record or many in each write, in any order, from any number of threads and
 * processes. docs/library.md describes the layout for programs without the library.
 */
#define CUPEL_LOG_BYTES 32

struct cupel_logged_request {
    uint64_t begin_ns, end_ns; /* ns since 1970, from CLOCK_REALTIME */
    uint64_t bytes;
    uint32_t process;
    uint16_t operation; /* 0 read, 1 write, 2 sync, 3 trim */
    uint16_t failed;    /* 1: it failed; 0: not */
};

/* Fills the record at the beginning of a file. `host` is the name of this machine, of which 20
   bytes are kept; NULL: not known. */
void cupel_log_head(unsigned char record[CUPEL_LOG_BYTES], const char *host);

/* Fills the record of a request. */
void cupel_log_request(unsigned char record[CUPEL_LOG_BYTES],
                       const struct cupel_logged_request *request);

/* ---- comparing two means ---- */

enum cupel_order {
    CUPEL_OPEN = 0,          /* nothing is decided yet */
    CUPEL_FIRST_HIGHER = 1,  /* the first mean is higher than the second */
    CUPEL_SECOND_HIGHER = 2, /* the first mean is lower than the second */
    CUPEL_SAME = 3           /* the whole interval lies within the margin */
};

struct cupel_comparison {
    double ratio;      /* the first mean divided by the second */
    double low, high;  /* interval of the ratio; 0 and inf where an end is not known */
    double confidence; /* confidence of the interval, taken from the first session */
    /* probability of such a difference if both means are equal: by Welch's test, or the test of
       pairs; valid for one look */
    double p_value;
    double p_any; /* the same probability by evidence that is valid after every reading */
    /* factor by which the number of readings is expected to grow until the order is decided; may be
       inf */
    double more;
    enum cupel_order order;
};

/* A metric of a session. cupel_compare_rounds also needs the function that does the rounds. */
struct cupel_side {
    struct cupel_session *session;
    int metric;
    cupel_round_function round; /* does a round; may be NULL in cupel_compare */
    void *context;
};

/* A promise of the caller: it looks at the readings only once, and fixed their number beforehand.
   The interval is then Fieller's and the test is Welch's. Without this flag both are valid however
   often the caller looks, and if the caller stops because of what it sees (as cupel_enough and
   cupel_measure do). */
#define CUPEL_ONE_LOOK 1u

/*
 * Compares the means of two stable segments, and takes autocorrelation into account. `margin` is
 * the difference that does not matter: with 0.01, ratios of 0.99 to 1.01 count as the same. With 0
 * the answer is never CUPEL_SAME. CUPEL_USAGE: a mean is not above 0, a session has no readings, or
 * one mean is harmonic and the other is not.
 */
int cupel_compare(const struct cupel_side *first, const struct cupel_side *second, double margin,
                  unsigned flags, struct cupel_comparison *comparison, struct cupel_error *error);

/* An earlier measurement without its readings. */
struct cupel_baseline {
    double mean, sd; /* of single readings */
    double n;        /* number of independent readings, 2 or more: cupel_result's effective_n */
};

/*
 * Compares a metric's mean (the first) with that of a baseline in the same unit (the second):
 * Fieller's interval and Welch's test, for one look. CUPEL_USAGE: the baseline is not possible, a
 * mean is not above 0, or the metric's mean is harmonic, which a baseline's is not.
 */
int cupel_compare_baseline(struct cupel_session *session, int metric,
                           const struct cupel_baseline *baseline, double margin,
                           struct cupel_comparison *comparison, struct cupel_error *error);

/*
 * Runs cupel_measure for two functions in turns. The order of the two rounds of each turn is
 * random, so that changes of the machine affect both functions. Ends when the order of the means is
 * decided and the first session's "min-time" has passed. The two sessions must be different ones
 * without a range of work, and each must have the metric that its side names. CUPEL_UNDECIDED: the
 * first session's "limit" came first; *comparison is filled nevertheless. CUPEL_FAILED: a function
 * ended it.
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
 * setting "destroy" or "destroy-serial", any block device in use, a file that cupel did not make
 * without "overwrite". In a folder a scratch file is made, and removed at the end.
 */
struct cupel_run;

enum cupel_event_kind {
    /* time 0 of a round; requests and timers of earlier rounds are forgotten */
    CUPEL_BEGIN = 0,
    CUPEL_TIMER = 1,     /* the timer of cupel_timer has expired, at its time or later */
    CUPEL_COMPLETION = 2 /* a request has completed */
};

struct cupel_actor; /* one copy of a filament; it handles its own events */

/* An event. It belongs to the library and is valid during the call. */
struct cupel_event {
    struct cupel_actor *actor; /* for cupel_request and cupel_timer */
    enum cupel_event_kind kind;
    uint64_t now_ns; /* time of the event, ns since the round began */
    uint64_t tag;    /* CUPEL_COMPLETION: the tag that the request was given */
    int error;       /* CUPEL_COMPLETION: 0, or the errno of a failed request */
    /* number of this copy of the filament, and number of copies (the setting "numjobs") */
    unsigned copy, copies;
    /* number of bytes that requests may address: the size of the target, or the setting "size" */
    uint64_t size;
};

/*
 * The function that decides the requests, and their bounds. The library may call it for several
 * copies of the filament at the same time: each copy has its own thread. The program must guard
 * data that the copies share. Requests of a copy wait until its call returns.
 */
struct cupel_filament {
    void (*handle)(void *context, const struct cupel_event *event);
    void *context;
    uint32_t largest; /* bytes of the largest request, 512 to 16 MiB */
    /* in bytes: offsets and lengths are multiples of it, and must be multiples of the target's
       block */
    uint32_t granularity;
    /* number of requests per copy that can be queued before their due time, 1 to 65535 */
    unsigned queue;
    int writes; /* 0: the filament only reads */
};

struct cupel_request {
    /* due time, ns since the round began; a past time means as soon as possible. The response time
       begins here. */
    uint64_t due_ns;
    uint64_t offset; /* bytes */
    uint32_t length; /* bytes */
    int write;
    uint64_t tag; /* a number that the program chooses; CUPEL_COMPLETION returns it */
};

/*
 * Makes a request; may be called from `handle` only. Returns 0 if it is queued; 1 if `queue`
 * requests wait already (try again at a completion or a timer); -1 if the request is not possible
 * (beyond the size, not a multiple of the granularity, a write of a filament that only reads),
 * which ends the run with CUPEL_USAGE and a message.
 */
int cupel_request(struct cupel_actor *actor, const struct cupel_request *request);

/* Sets the timer, which makes an event at that time. There is one timer for each copy; returns -1
   if it is already set. */
int cupel_timer(struct cupel_actor *actor, uint64_t at_ns);

/* Makes a run; `target` is written as for `cupel run`. Returns NULL with CUPEL_USAGE, or
   CUPEL_MACHINE without memory. */
struct cupel_run *cupel_run_new(const char *target, struct cupel_error *error);
void cupel_run_free(struct cupel_run *run);

/*
 * Sets a value, named and written as an option of `cupel run` without its dashes; switches take the
 * value "1". The settings are: iodepth (default 256: the maximum in flight), numjobs, offset, size,
 * seed, ioengine, direct, sqpoll, iopoll, null-script, destroy, destroy-serial, overwrite,
 * allow-unwritten, preset, ci, confidence, min-samples, changepoint, interval, autocorr, min-time,
 * limit, runtime, precise, sla, cpus, realtime, clock, spin. CUPEL_USAGE: there is no such setting,
 * or the value is not possible.
 */
int cupel_run_set(struct cupel_run *run, const char *name, const char *value,
                  struct cupel_error *error);

/*
 * Measures: trial rounds, then rounds until the mean response time is as precise as requested, or
 * with "sla" until each of its limits is decided. A filament that makes no more requests and has
 * none in flight ends its round. Call it once for each run. With CUPEL_UNDECIDED and CUPEL_TARGET
 * the result contains what was measured; with CUPEL_USAGE, CUPEL_UNSAFE and CUPEL_MACHINE there is
 * no result.
 *
 * Threads of the library, "numjobs" and a few more, do the I/O until it returns. They take no
 * signals, call `handle` on a stack of 256 KiB, and may have a different processor affinity,
 * priority and timer slack. Those of the calling thread do not change.
 *
 * Signals: no handler is installed, and no disposition changed. The program's handlers run in its
 * own threads, and a handler that interrupts the calling thread does not end the run: it may call
 * cupel_run_stop. The calling thread blocks SIGIO for a moment while it asks the kernel whether
 * anybody writes to a file. No child process is made.
 */
int cupel_run_measure(struct cupel_run *run, const struct cupel_filament *filament,
                      struct cupel_error *error);

/* Makes cupel_run_measure end soon, with CUPEL_UNDECIDED. May be called from any thread or signal
   handler until the run is freed. */
void cupel_run_stop(struct cupel_run *run);

struct cupel_value {
    double value, low, high; /* in the unit of the metric; NaN if there is no value */
    /* prediction interval, for the value in a repetition of the run; NaN: nothing is predicted */
    double next_low, next_high;
    double effective_n; /* number of independent readings; NaN: unknown */
    uint64_t n;         /* number of readings */
    char unit[16];      /* "1/s", "ns", ... */
    char note[120];     /* why there is no value or interval; or "" */
};

/*
 * Finds a metric of the report by its name in summary.csv (iops, bandwidth, response_time, bps,
 * lat_p50, lat_p99, service_time, issue_error_p99, errors ...), for "read", "write" or "all".
 * CUPEL_USAGE: this result has no metric of that name.
 */
int cupel_run_value(const struct cupel_run *run, const char *metric, const char *op,
                    struct cupel_value *value, struct cupel_error *error);

/* Stores the verdicts on the limits of "sla", as cupel_limits does; there are none before
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
