/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel as a library: readings in, a mean with its interval out, and the answer to "enough?".
 *
 *     cc ... $(pkg-config --cflags --libs cupel)
 *
 * Longer than 500 lines because it is the one header of the library, and its reference.
 *
 * A session holds the readings of one or more metrics in the order in which they were measured, and
 * judges them as `cupel run` and `cupel analyze` do (Li et al., Pilot (2016); docs/statistics.md):
 * change points, the stable segment between warm-up and cool-down, autocorrelation, an interval,
 * and a stop rule that allows for stopping on it. There are two ways to fill it. In a loop of the
 * program's own, cupel_push takes readings and cupel_enough says when there are enough.
 * Or cupel_measure calls a function, round after round, until there are enough.
 *
 * Names. Everything begins with cupel_ or CUPEL_, and the archive has no other global symbol.
 *
 * Errors. A function that can fail returns -1 (or NULL) and fills *error, unless `error` is NULL;
 * on success it leaves *error alone. Nothing is printed and nothing ends the program. After an
 * error a session is as it was before the call, but for rounds that were measured. A session, run
 * or function that is NULL is CUPEL_USAGE. Other pointers may be NULL only where it says so, and
 * what was freed may not be used, or freed, again.
 *
 * Threads. There is no state outside of sessions and runs. One thread at a time may use a session,
 * several threads several sessions at once. Functions given by the caller are called by the thread
 * that called the library (a filament's: by threads of the run); they may not throw C++ exceptions,
 * jump out, or measure or free the session that they are called for. A process has one
 * cupel_run_measure at a time.
 *
 * Signals. Sessions have nothing to do with signals: handlers of the program's run as always, and
 * a round that they interrupt takes longer. For runs see cupel_run_measure.
 *
 * Memory. What a function takes is the caller's, and is copied; what it fills is the caller's. A
 * session takes 8 bytes for a reading, and once for the longest series 60 to 110 to judge it.
 *
 * Units. Readings and everything in their unit are what the caller says they are; times are in
 * seconds; shares are between 0 and 1. Indices count from 0, and segments are half open.
 *
 * The archive and this header belong together: cupel_header_version gives CUPEL_HEADER_VERSION.
 */
#ifndef CUPEL_H
#define CUPEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* functions with the name of the struct they fill */
#endif
extern "C" {
#endif

/* Counts up when a declaration below changes so that programs have to be compiled again. */
#define CUPEL_HEADER_VERSION 1

int cupel_header_version(void);       /* of the archive */
const char *cupel_version_text(void); /* "0.1.0", or followed by the commit; static */

/* ---- errors ---- */

/* The exit statuses of the program. */
enum cupel_code {
    CUPEL_OK = 0,
    CUPEL_FAILED = 1,    /* a function of the caller's ended it */
    CUPEL_USAGE = 2,     /* an argument that cannot be: the message says which and what can */
    CUPEL_UNSAFE = 3,    /* refused, because data could be lost */
    CUPEL_TARGET = 4,    /* the target failed */
    CUPEL_UNDECIDED = 5, /* the limit of time came before the precision */
    CUPEL_MACHINE = 6    /* this machine, kernel or permission cannot do it; no memory */
};

struct cupel_error {
    enum cupel_code code;
    char message[480]; /* one line: what failed, where, and what to do */
};

/* ---- a session ---- */

struct cupel_session;

#define CUPEL_METRICS_MAX 32

/* NULL: no memory. The owner gives it back by cupel_session_free, which takes NULL as well. */
struct cupel_session *cupel_session_new(struct cupel_error *error);
void cupel_session_free(struct cupel_session *session);

/*
 * A setting, named and typed as an option of `cupel run` without its dashes: "preset" (quick,
 * normal, strict), "ci" ("5%": the full width of the interval over the mean that is enough),
 * "confidence", "min-samples", "changepoint", "interval", "autocorr", "min-time" and "limit" (both
 * of cupel_measure). Calls count in their order, and a preset sets several: set it first. The
 * preset is `normal` at the beginning. CUPEL_USAGE: there is no such setting, or not that value.
 */
int cupel_set(struct cupel_session *session, const char *name, const char *value,
              struct cupel_error *error);

/* What the readings of a metric are: 0, or these added up. */
enum cupel_metric_flags {
    CUPEL_LOWER_IS_BETTER = 1, /* times and costs. It decides what a slowdown is, nothing else */
    CUPEL_HARMONIC = 2,    /* rates over equal amounts of work, each above 0: the harmonic mean */
    CUPEL_PROPORTION = 4,  /* each 0 or 1, as in failed or done: Wilson's interval of their share */
    CUPEL_INFORMATIVE = 8, /* judged and reported; enough never waits for it */
    /* cupel_measure makes one reading of every round by itself: the units of work per second
       (CUPEL_HARMONIC comes with it), or with CUPEL_LOWER_IS_BETTER the seconds per unit. */
    CUPEL_TIMED = 16,
    CUPEL_PROCESSOR_TIME = 32 /* ... in seconds that this thread had a processor: for what computes
                                 and never waits, other programs then do not count */
};

/*
 * A further metric, before the first reading; returns its index, 0, 1 and so on, or -1. `name` (at
 * most 63 bytes) is the one that messages use. CUPEL_USAGE: flags that exclude each other, more
 * than CUPEL_METRICS_MAX.
 */
int cupel_metric(struct cupel_session *session, const char *name, unsigned flags,
                 struct cupel_error *error);

/* Room for so many readings of each metric, so that nothing is allocated while something is
   measured. CUPEL_MACHINE: no memory. */
int cupel_reserve(struct cupel_session *session, size_t readings, struct cupel_error *error);

/*
 * Append readings[0..count) in the order in which they were measured: one for a round, or its unit
 * readings (one for each unit of work) all at once. CUPEL_USAGE: one is not finite or beyond 1e60,
 * or such a metric cannot have it; then none of them is taken. CUPEL_MACHINE: no memory.
 */
int cupel_push(struct cupel_session *session, int metric, const double readings[], size_t count,
               struct cupel_error *error);

/*
 * 1: every metric is as precise as asked, at a level that lasts to its last reading (or its limits
 * are decided, cupel_set_limits), and so is the speed of a session with a range of work; 0: not
 * yet. May be asked after every reading: a judgement costs microseconds for a reading, so one is
 * made only when there are a twentieth more of them, and none before there can be enough.
 * CUPEL_USAGE: there is neither a metric nor a range. CUPEL_MACHINE: no memory.
 */
int cupel_enough(struct cupel_session *session, struct cupel_error *error);

/* ---- results ---- */

enum cupel_phase {
    CUPEL_FLAT = 0,     /* one level from beginning to end */
    CUPEL_WARMUP = 1,   /* the stable segment comes after different readings, left out */
    CUPEL_SLOWDOWN = 2, /* the stable segment ends and a worse level follows */
    CUPEL_UNSTEADY = 3  /* no level holds for more than half of the readings: no steady state */
};

struct cupel_result {
    double mean;       /* of the stable segment; NaN: no readings */
    double low, high;  /* its interval; -inf and +inf while there are too few readings for one */
    double confidence; /* of the interval, 0.95 */
    double
        width; /* full, over the mean, with the allowance for stopping: what the stop rule sees */
    double sd; /* of single readings */
    double autocorrelation; /* of neighbours, -1 to 1 */
    double effective_n;     /* independent readings that would leave the mean as uncertain */
    double required;        /* readings expected to be enough, those at hand included; may be inf */
    size_t readings;
    size_t stable_begin, stable_end; /* the readings that the above is of; all when unsteady */
    size_t change_points;
    enum cupel_phase phase;
    int enough; /* 1: as precise as asked */
};

/*
 * The judgement of all readings of a metric so far. Where cupel_enough or cupel_measure was asked
 * before and the readings are enough, the interval is the wider one that stopping on it takes.
 * CUPEL_MACHINE: no memory.
 */
int cupel_result(struct cupel_session *session, int metric, struct cupel_result *result,
                 struct cupel_error *error);

/* The first `capacity` change points, each the first reading of a new segment, ascending; returns
   how many there are in all, or -1. */
int cupel_change_points(struct cupel_session *session, int metric, size_t to[], size_t capacity,
                        struct cupel_error *error);

struct cupel_percentile {
    double share;     /* 0.99 */
    double value;     /* of the nearest rank in the stable segment; NaN: no readings */
    double low, high; /* the interval by test inversion (Binomial, on what the readings are worth);
                         NaN while there is none */
    double confidence;
    double effective_n; /* independent readings at the percentile itself */
    double more;        /* how many times as many readings the interval takes; 1: it is there */
    char note[120];     /* why there is no interval, or what it leaves out; or "" */
};

/* A percentile of the stable segment; `share` between 0 and 1. CUPEL_USAGE: another one. */
int cupel_percentile(struct cupel_session *session, int metric, double share,
                     struct cupel_percentile *percentile, struct cupel_error *error);

/* A level that moves bit by bit, so that no single change point shows it. Its 95 % interval is
   beyond chance, and the whole change at least 1 % of the mean, where one is found. */
struct cupel_shift {
    int found;         /* 1: there is one */
    double slope;      /* from one reading to the next; 0 for fewer than 120 readings, of which
                          only a plain trend in fewer than 60 is found */
    double low, high;  /* its 95 % interval; 0 for so few */
    double change;     /* over the readings that the line was fitted to, ... */
    size_t begin, end; /* ... which are these */
};

/* CUPEL_MACHINE: no memory. */
int cupel_slow_shift(struct cupel_session *session, int metric, struct cupel_shift *shift,
                     struct cupel_error *error);

/* ---- limits ---- */

enum cupel_verdict {
    CUPEL_LIMIT_OPEN = 0,   /* the readings so far do not decide it */
    CUPEL_LIMIT_KEPT = 1,   /* it passes */
    CUPEL_LIMIT_BROKEN = 2, /* it fails */
};

#define CUPEL_LIMITS_MAX 16

struct cupel_limit {
    char text[48]; /* as it was given, without spaces: "p99<500" */
    enum cupel_verdict verdict;
    double value;   /* measured: the mean or the percentile; NaN: none yet */
    double limit;   /* in the same unit */
    double more;    /* readings (cupel_run_limits: seconds) more that are expected to decide it; 0:
                       they do already; inf: more of the kind would not */
    char note[120]; /* why it is open; or "" */
};

/*
 * Limits on the mean and percentiles of a metric, "p99<500, mean<200" in the metric's own unit, as
 * `cupel analyze --sla` has them; at most CUPEL_LIMITS_MAX, and "" for none. The metric is enough
 * from then on when each of them is decided, however narrow its interval is. The chance that any
 * limit of the session is ever decided wrongly is 1 - "confidence", however often one looks at
 * readings that go on: set them before the first look. CUPEL_USAGE: no such limits.
 */
int cupel_set_limits(struct cupel_session *session, int metric, const char *limits,
                     struct cupel_error *error);

/* The verdicts on all readings so far: the first `capacity`, in the order in which they were given;
   returns how many there are in all, or -1. CUPEL_MACHINE: no memory. */
int cupel_limits(struct cupel_session *session, int metric, struct cupel_limit to[],
                 size_t capacity, struct cupel_error *error);

/* ---- rounds ---- */

/* What a round is asked for. It is the library's, and valid during the call. */
struct cupel_round {
    struct cupel_session *session; /* for cupel_push */
    uint64_t number;               /* from 0, trial rounds included */
    uint64_t work; /* units of work to do: the same in every round that counts, unless there is a
                      range (cupel_work_range) */
    int trial;     /* 1: it finds out how much work a round takes; what is pushed is not kept */
};

/* One round; 0 to go on, anything else ends cupel_measure with CUPEL_FAILED. */
typedef int (*cupel_round_function)(void *context, const struct cupel_round *round);

/*
 * Call `round` until cupel_enough says so and "min-time" has passed. Trial rounds double the work
 * from 1 until a round takes a thousandth of a second: what is short is measured with others of its
 * kind, so that reading the clock costs no precision; a round that takes longer has a work of 1,
 * and so has one whose function takes no notice of its work. The session has at least one metric; a
 * round pushes as many readings as it likes, and those of CUPEL_TIMED metrics are the library's.
 * A session with a range of work has no such trial rounds, see below.
 * CUPEL_UNDECIDED: "limit" came first; everything measured is in the session all the same.
 * CUPEL_FAILED: the function ended it.
 */
int cupel_measure(struct cupel_session *session, cupel_round_function round, void *context,
                  struct cupel_error *error);

/* What judging took, beside the rounds. Called after measuring. */
struct cupel_overhead {
    double rounds_seconds;      /* of rounds that count: cupel_measure's, cupel_push_round's */
    double judging_seconds;     /* that the library took to judge, between rounds */
    double share;               /* judging over both; NaN: no rounds were timed */
    double empty_round_seconds; /* what a round that does nothing is timed as: the error that
                                   reading the clock leaves in a CUPEL_TIMED reading */
};

int cupel_overhead(const struct cupel_session *session, struct cupel_overhead *overhead,
                   struct cupel_error *error);

/* ---- rounds of different work ---- */

/*
 * Units of work per second of what has no readings within a round: rounds of different work take
 * setup + work / speed seconds, and the slope leaves set-up, warm-up and cool-down out (Li et al.,
 * Pilot (2016), III-A, equation 4; `cupel exec --wps`). The amounts are chosen from min to max, 1
 * <= min < max < 2^53: they double while rounds take less than `shortest` seconds, which are kept
 * and do not count, and then spread over a range that the precision asked for decides on. 0 for
 * `shortest` is a second; a thousandth is short. The session is enough when the interval of the
 * speed is as narrow as "ci" on "min-samples" rounds, and its metrics, if any, are. `flags` is 0,
 * or CUPEL_PROCESSOR_TIME. Once, before the first round. CUPEL_USAGE: a wrong range; a metric is
 * CUPEL_TIMED, which times a round with its set-up.
 */
int cupel_work_range(struct cupel_session *session, uint64_t min, uint64_t max, double shortest,
                     unsigned flags, struct cupel_error *error);

/* In a loop of the program's own, in place of cupel_measure: the work of the next round; 0: the
   session has no range. */
uint64_t cupel_next_work(const struct cupel_session *session);

/* ... and that it took so long. `work` is what cupel_next_work said, or another one of the range.
   CUPEL_USAGE: out of it, or seconds that are below 0 or not finite. CUPEL_MACHINE: no memory. */
int cupel_push_round(struct cupel_session *session, uint64_t work, double seconds,
                     struct cupel_error *error);

struct cupel_speed {
    double speed;     /* units of work per second; NaN: fewer than two amounts; inf: more
                         work took no longer */
    double low, high; /* its interval; 0 and inf where an end is not known */
    double setup;     /* seconds of a round that do not grow with its work; or NaN */
    double setup_low, setup_high; /* its interval, cut at 0; 0 and inf where there is none */
    double confidence;            /* of both intervals */
    double width;        /* full, of the speed's interval over the speed, with the allowance for
                            stopping: what the stop rule sees; inf while unbounded */
    double rounds_left;  /* expected until it is enough, and ... */
    double seconds_left; /* ... how long they take; NaN while it is not known */
    double bend;         /* below this work a unit takes another time (a cache): left out; or 0 */
    size_t rounds, used; /* all, and those that the line rests on */
    int bounded;         /* 0: the rounds do not even show that more work takes longer */
    int enough;          /* 1: as precise as asked */
    char note[240];      /* what would show the speed better; or "" */
};

/*
 * The speed of all rounds so far. Where cupel_enough or cupel_measure was asked before and they are
 * enough, the interval is the wider one that stopping on it takes. CUPEL_USAGE: there is no range.
 */
int cupel_speed(struct cupel_session *session, struct cupel_speed *speed,
                struct cupel_error *error);

/* ---- two beside each other ---- */

enum cupel_order {
    CUPEL_OPEN = 0,          /* nothing is decided yet */
    CUPEL_FIRST_HIGHER = 1,  /* the first mean is higher than the second */
    CUPEL_SECOND_HIGHER = 2, /* ... or lower */
    CUPEL_SAME = 3           /* the whole interval lies within the margin */
};

struct cupel_comparison {
    double ratio;      /* the first mean over the second */
    double low, high;  /* its interval; 0 and inf where an end is not known */
    double confidence; /* of the interval, that of the first session */
    double p_value;    /* that they are the same: Welch's test, or of pairs; right for one look */
    double p_any;      /* the same by evidence that may be looked at after every reading */
    double more;       /* how many times as many readings are expected to decide; may be inf */
    enum cupel_order order;
};

/* A metric of a session, and for cupel_compare_rounds the function of its rounds. */
struct cupel_side {
    struct cupel_session *session;
    int metric;
    cupel_round_function round; /* may be NULL in cupel_compare */
    void *context;
};

/* What was looked at once, after a number of readings that was settled beforehand: the interval is
   Fieller's and the test Welch's. Without it both hold however often one looks, and when one stops
   on what one sees (cupel_enough and cupel_measure do). */
#define CUPEL_ONE_LOOK 1u

/*
 * The ratio of two means, of the stable segments; autocorrelation is accounted for. `margin` is the
 * difference that does not matter: 0.01 takes ratios of 0.99 to 1.01 for the same; 0: there is
 * none, and CUPEL_SAME is never said. CUPEL_USAGE: means that are not above 0, sessions without
 * readings, one mean harmonic and the other not.
 */
int cupel_compare(const struct cupel_side *first, const struct cupel_side *second, double margin,
                  unsigned flags, struct cupel_comparison *comparison, struct cupel_error *error);

/*
 * cupel_measure of two functions in turns, the order of each two rounds by chance, so that what
 * changes on the machine meets both: until their order is decided and the first session's
 * "min-time" has passed. The sessions are two, without a range of work, their metrics one of each.
 * CUPEL_UNDECIDED: its "limit" came first, *comparison is filled all the same. CUPEL_FAILED: a
 * function ended it.
 */
int cupel_compare_rounds(const struct cupel_side *first, const struct cupel_side *second,
                         double margin, struct cupel_comparison *comparison,
                         struct cupel_error *error);

/* ---- requests of the program's own, to a file, a folder or a block device (libcupel-run.a) ----
 */

/*
 * What `cupel run` does, but which request is next, and when, is decided by a function of the
 * program: a "filament" of Anderson et al., Buttress (2004), section 4.2, driven by events. Rounds,
 * clock, backend, rules of safety and statistics are those of `cupel run`.
 *
 *     run = cupel_run_new("/data", &error);
 *     cupel_run_set(run, "size", "1g", &error);
 *     cupel_run_measure(run, &filament, &error);
 *     cupel_run_value(run, "iops", "all", &value, &error);
 *
 * Safety: reading opens the target for reading only. A filament with `writes` is refused as
 * `cupel run --rw write` is (CUPEL_UNSAFE): a block device without the setting "destroy" or
 * "destroy-serial", one in use always, a file of somebody else's without "overwrite". A folder gets
 * a scratch file, which is removed.
 */
struct cupel_run;

enum cupel_event_kind {
    CUPEL_BEGIN = 0,     /* time 0 of a round, which forgets what the one before asked for */
    CUPEL_TIMER = 1,     /* at the instant of cupel_timer, or later */
    CUPEL_COMPLETION = 2 /* of a request */
};

struct cupel_actor; /* who answers an event */

/* It is the library's, and valid during the call. */
struct cupel_event {
    struct cupel_actor *actor; /* for cupel_request and cupel_timer */
    enum cupel_event_kind kind;
    uint64_t now_ns;       /* the instant that the event is of, since the round's begin */
    uint64_t tag;          /* CUPEL_COMPLETION: of its request, ... */
    int error;             /* ... and 0, or the errno it failed with */
    unsigned copy, copies; /* of the filament: one for each of the setting "numjobs" */
    uint64_t size;         /* bytes that requests may go to: of the target, or of "size" */
};

/*
 * Copies are called at the same time by different threads of the library, each copy by one thread:
 * what they share is the program's to guard. A call takes time that requests wait for.
 */
struct cupel_filament {
    void (*handle)(void *context, const struct cupel_event *event);
    void *context;
    uint32_t largest;     /* bytes of the largest request, 512 to 16 MiB */
    uint32_t granularity; /* bytes: offsets and lengths are multiples; of the target's block, too */
    unsigned queue;       /* requests of a copy that can wait for their instants, 1 to 65535 */
    int writes;           /* 0: it only reads */
};

struct cupel_request {
    uint64_t due_ns; /* since the round's begin; a time that has passed: as soon as there is room.
                        Response times begin here */
    uint64_t offset; /* bytes */
    uint32_t length; /* bytes */
    int write;
    uint64_t tag; /* the program's own, for CUPEL_COMPLETION */
};

/*
 * Ask for a request, from within `handle` only. 0: it is queued; 1: `queue` requests wait already,
 * ask again at a completion or by a timer; -1: there cannot be such a request (beyond the size, no
 * multiple of the granularity, a write of a filament that only reads), which ends the run with
 * CUPEL_USAGE and a message.
 */
int cupel_request(struct cupel_actor *actor, const struct cupel_request *request);

/* An event at that instant; one at a time. -1: one is set. */
int cupel_timer(struct cupel_actor *actor, uint64_t at_ns);

/* `target` as cupel run takes it. NULL: CUPEL_USAGE, or CUPEL_MACHINE for no memory. */
struct cupel_run *cupel_run_new(const char *target, struct cupel_error *error);
void cupel_run_free(struct cupel_run *run);

/*
 * A setting, named and typed as an option of `cupel run` without its dashes; switches take "1". All
 * of: iodepth (default 256: the most that may be in flight), numjobs, offset, size, seed, ioengine,
 * direct, sqpoll, iopoll, null-script, destroy, destroy-serial, overwrite, allow-unwritten, preset,
 * ci, confidence, min-samples, changepoint, interval, autocorr, min-time, limit, runtime, precise,
 * sla, cpus, realtime, clock, spin. CUPEL_USAGE.
 */
int cupel_run_set(struct cupel_run *run, const char *name, const char *value,
                  struct cupel_error *error);

/*
 * Measure: trial rounds, then rounds until the mean response time is as precise as asked, or with
 * "sla" until each of its limits is decided. A filament that asks for nothing more and has nothing
 * in flight ends its round. Once for each run. The result is there also with CUPEL_UNDECIDED and
 * CUPEL_TARGET, as far as it was measured; CUPEL_USAGE, CUPEL_UNSAFE and CUPEL_MACHINE leave none.
 *
 * Threads of the library's do the I/O until it returns, "numjobs" and a few more. They take no
 * signals, call `handle` on a stack of 256 KiB, and may have a processor, a priority and a timer
 * slack of their own; those of the calling thread stay as they are.
 *
 * Signals: no handler is installed, and no disposition changed. Handlers of the program's run in
 * its own threads, and one that interrupts the calling thread does not end the run: it may call
 * cupel_run_stop. The calling thread blocks SIGIO for an instant while it asks the kernel whether
 * anybody writes to a file. No child process is made.
 */
int cupel_run_measure(struct cupel_run *run, const struct cupel_filament *filament,
                      struct cupel_error *error);

/* Ends cupel_run_measure soon, with CUPEL_UNDECIDED. From any thread or signal handler, while the
   run is not freed. */
void cupel_run_stop(struct cupel_run *run);

struct cupel_value {
    double value, low, high; /* in the unit of the metric; NaN where there is none */
    double effective_n;      /* independent readings behind it; NaN: unknown */
    uint64_t n;              /* readings */
    char unit[16];           /* "1/s", "ns", ... */
    char note[120];          /* why there is no value or interval; or "" */
};

/*
 * A metric of the report by its name in summary.csv (iops, bandwidth, response_time, bps, lat_p50,
 * lat_p99, service_time, issue_error_p99, errors ...), of "read", "write" or "all". CUPEL_USAGE:
 * there is none of that name in this result.
 */
int cupel_run_value(const struct cupel_run *run, const char *metric, const char *op,
                    struct cupel_value *value, struct cupel_error *error);

/* The verdicts on the limits of "sla", as cupel_limits; none before it was measured. Values are in
   nanoseconds, 1/s, bytes/s or numbers, and `more` in seconds. */
int cupel_run_limits(const struct cupel_run *run, struct cupel_limit to[], size_t capacity,
                     struct cupel_error *error);

#ifdef __cplusplus
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#endif

#endif
