/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Somebody else's program as a benchmark: one execution is one round, and the program's own
 * numbers, or the time it took, are the readings (Li et al., Pilot (2016), II and III).
 *
 * Two levels. exec_open, exec_round, exec_close run single rounds of one program: whoever
 * interleaves several programs calls these. exec_session_* runs rounds until every index is as
 * precise as asked, keeps a record, and makes the result.
 *
 * One thread, the first of the process, which has no other child processes while a round runs: what
 * the program leaves running is found by waiting for any child of this thread.
 */
#ifndef CUPEL_EXEC_EXEC_H
#define CUPEL_EXEC_EXEC_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "facts/execution.h"
#include "stat/judge.h"
#include "stat/wps/work_amount.h"

/* ---- an index: what is read out of each round ---- */

#define EXEC_INDEX_REPORTED (-1.0)

struct exec_index {
    char name[48], op[8], unit[16];
    /*
     * A column from 0; a place in JSON: "jobs.0.read.iops"; "text:WORDS", "text2:WORDS", the first
     * or second number after the last WORDS in the output; or several of them, the first of which
     * is there, joined by '|'. "": the duration.
     */
    char source[128];
    double scale; /* readings are what the program prints times this */
    enum index_type type;
    enum metric_better better;
    double target_width; /* 0: that of the session; EXEC_INDEX_REPORTED: it is not waited for */
    bool above_zero;     /* a reading of 0 means that the program did nothing of the kind */
};

/*
 * "name,unit,column,type,better,ci" as --pi takes it; what is left out at the end has its default:
 * column 0, ordinary, higher (of a duration lower), the session's ci. ERR_USAGE.
 */
int exec_index_parse(const char *text, struct exec_index *index, struct err *e);

#define EXEC_PARSER_INDICES_MAX 8

/* The indices of a well-known benchmark (parsers.c). */
struct exec_parser {
    const char *name;    /* NULL: the end of the list */
    const char *refused; /* a place in JSON that may not be there; NULL: none */
    const char *why;
    const struct exec_index *indices; /* ended by an empty name, at most EXEC_PARSER_INDICES_MAX */
};
extern const struct exec_parser exec_parsers[];
const struct exec_parser *exec_parser_find(const char *name); /* NULL: there is none */

/* ---- a program ---- */

#define EXEC_UNITS_PIPE  "pipe" /* descriptor 3 of the program, which %UNIT_READINGS% names */
#define UNIT_INDICES_MAX 8

struct unit_reader;

struct exec_program {
    /* words, ended by NULL; %WORK_AMOUNT%, %RESULT_DIR%, %ROUND% in them */
    const char *const *command;
    const struct execution_parameter *parameters; /* %NAME% in the words, beside the places above */
    size_t parameter_count;
    bool shell;                            /* /bin/sh runs the words, joined by blanks */
    const char *setup, *prepare, *cleanup; /* shell commands before the first round, before each,
                                              after the last; with the same places. NULL: none */
    const char *directory;                 /* to run in; NULL: this one */
    const char *const *environment; /* NAME=VALUE beside cupel's own, ended by NULL; or NULL */
    bool exit_ok[256];              /* exit codes of a good round */
    double timeout_seconds;         /* of a round; 0: none */
    double hook_seconds;            /* of setup, preparation and cleanup, each; 0: none */
    double seconds_left;            /* from the next call on, for all that it runs; 0: no end; may
                                       change between calls. A cleanup has 10 s at least */
    bool bare;                      /* only the time is of interest: nothing is read, and nobody
                                       looks for what it leaves; may change between rounds */
    bool serve;                     /* one process for all rounds: each gives it a line with the
                                       work amount and ends with a line of its answer */
    /* Who ends a round's program when this process dies: called with its process group once it
       runs, and with 0 once it has ended. NULL: nobody does */
    void (*guard)(void *guard_context, pid_t group);
    void *guard_context;
    bool discard_output;              /* its standard output goes to /dev/null */
    const char *result_folder;        /* %RESULT_DIR% is a folder of its own below it for each
                                         round, and stays; NULL: below TMPDIR, and goes */
    const struct exec_index *indices; /* read out of its output; none: its duration */
    size_t index_count;
    const struct exec_parser *parser; /* whose refusal holds; NULL: none */
    const char *unit_readings; /* where it writes readings within a round: a file or FIFO, with the
                                  same places, or EXEC_UNITS_PIPE; NULL: nowhere */
    const struct exec_index *unit_indices; /* read out of each line of them; source: a column */
    size_t unit_index_count;
    int duration_column; /* where it prints its own duration in seconds; -1: wall time */
};

/* A round as it was run. Strings are good until the next round. */
struct exec_reading {
    double seconds, user_seconds, system_seconds;
    uint64_t max_rss;                /* bytes */
    double io_blocks;                /* as in struct execution_round */
    double duration;                 /* wall time, or what the program printed as such */
    const double *values;            /* of program->indices, in their order */
    const char *why;                 /* the round failed and has no values; NULL: it is good */
    bool left_out;                   /* by no fault of the program: `why` says by what */
    const struct unit_reader *units; /* readings within the round; NULL: none */
    const char *output;              /* the end of its standard output, then of its errors */
    const char *left_folder;         /* what is left of its folder, and why; NULL: nothing is */
    bool timed_out;                  /* it failed by that */
    bool out_of_time;                /* it is left out since program->seconds_left were over */
    bool stopped;                    /* by *stop: the round is neither good nor failed */
};

struct exec;

/*
 * Check the program and run its setup. `program` must outlive it. `stop` is non-zero when the user
 * wants an end; NULL: nobody does. ERR_USAGE, ERR_TARGET: the setup failed; ERR_UNDECIDED: it was
 * ended when program->seconds_left were over; ERR_MACHINE.
 */
int exec_open(struct exec **exec, const struct exec_program *program,
              const volatile sig_atomic_t *stop, struct err *e);

/*
 * Prepare and run one round. -1 only when it could not be run at all: the program cannot be
 * started, its preparation fails (ERR_UNDECIDED: it was ended when program->seconds_left were
 * over), or there is no room for what it leaves.
 */
int exec_round(struct exec *x, uint64_t number, double work, struct exec_reading *reading,
               struct err *e);

/* End a program that serves rounds before exec_close does. Returns how many processes that it
   started went on after its end; they are killed. NULL is nothing. */
size_t exec_stop(struct exec *x);

/* Run the cleanup and free everything. -1: the cleanup failed. NULL is nothing. */
int exec_close(struct exec *x, struct err *e);

/* ---- a session of rounds ---- */

struct exec_plan {
    struct exec_program program;
    char command[256];             /* in one line, for the report */
    struct judge_config config;    /* of every index; its direction and width are the index's own */
    size_t fewest_rounds;          /* in place of config.minimum_readings, where the limit has no
                                      room for these; 0: they are asked for in any case */
    double minimum_seconds;        /* of rounds, before it ends */
    double limit_seconds;          /* of the whole session */
    uint64_t rounds;               /* exactly so many good ones; 0: until it is precise */
    uint64_t warmup;               /* rounds before those that count */
    uint64_t failures;             /* so many failed rounds in a row end the session */
    uint64_t overhead_pairs;       /* of rounds with and without measuring, at the end; 0: none */
    double work;                   /* %WORK_AMOUNT% of every round */
    struct work_limits work_range; /* or its range, of which each round takes another amount: the
                                      indices are the speed and the set-up; max 0: `work` */
    char date[32];                 /* when it began: ISO 8601; "": now */
    struct labels labels;          /* what a person says of it */
    bool strict_bottleneck;        /* undecided when another part than a disk was the bottleneck */
    double monitor_cost;           /* most that watching the machine may cost; 0: no watching */
    const char *graph;             /* file of the user's components; NULL: none */
    const char *remote, *remote_target, *sysroot; /* see struct program_watch_request */
    const char *folder; /* of -o, which is there: record.cupel and output.txt go into it;
                           NULL: nothing is kept */
};

struct exec_progress {
    uint64_t rounds, failed; /* good ones, failed ones */
    double elapsed_seconds, limit_seconds;
    const struct execution_index *slowest; /* NULL: not judged yet */
    double left_seconds;                   /* NaN: unknown */
};

struct exec_observer {
    void (*progress)(void *context, const struct exec_progress *now);   /* each round */
    void (*failed)(void *context, const struct execution_round *round); /* a round that failed */
    void *context;
};

struct exec_session;

/*
 * Rounds until the end. On success *session holds what was measured, also when the program failed
 * or a signal came. -1: nothing was measured. Owner: exec_session_free.
 */
int exec_session_run(struct exec_session **session, const struct exec_plan *plan,
                     const volatile sig_atomic_t *stop, const struct exec_observer *observer,
                     struct err *e);
void exec_session_free(struct exec_session *session);

/* The result, which points into the session. */
void exec_session_result(const struct exec_session *s, struct execution *x);

/* Is it the record.cupel of such a session? */
bool exec_is_record(const char *path);

/* A session out of its record, judged anew. ERR_USAGE: it is damaged from its head on. A record
   without an end, or damaged further on, is read as far as it holds. */
int exec_session_load(struct exec_session **session, const char *path, struct err *e);

#endif
