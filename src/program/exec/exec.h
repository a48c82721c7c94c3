/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs another program as a benchmark: one execution is one round, and the program's own numbers,
 * or its duration, are the readings (Li et al., Pilot (2016), II and III).
 *
 * There are two levels. exec_open, exec_round and exec_close run single rounds of one program, for
 * callers that interleave several programs. exec_session_* runs rounds until every index has the
 * requested precision, keeps a record, and makes the result.
 *
 * All calls come from the first thread of the process. It has no other child processes while a
 * round runs, because waiting for any child of this thread finds what the program leaves running.
 */
#ifndef CUPEL_PROGRAM_EXEC_EXEC_H
#define CUPEL_PROGRAM_EXEC_EXEC_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "facts/execution.h"
#include "run/launch/rank_common_start.h"
#include "stat/judge.h"
#include "stat/wps/work_amount.h"

/* ---- an index: a number read from each round ---- */

#define EXEC_INDEX_REPORTED (-1.0)

#define WORK_DURATIONS_MAX 8

struct exec_index {
    char name[48], op[8], unit[16];
    /*
     * Where the number is: a column, counted from 0; a place in JSON, "jobs.0.read.iops";
     * "text:WORDS" or "text2:WORDS", the first or second number after the last WORDS in the output;
     * or several of these, joined by '|', of which the first that exists counts. "": the duration.
     */
    char source[128];
    double scale; /* factor by which the printed number is multiplied to give a reading */
    enum index_type type;
    enum metric_better better;
    /* full width of the interval over the mean; 0: the session's width; EXEC_INDEX_REPORTED: the
       index is reported, and the session does not wait for it */
    double target_width;
    /* full width in `unit`, which replaces target_width; 0: no absolute width */
    double absolute_width;
    /* a value of 0 means that the program did no such work, and the round fails */
    bool above_zero;
};

/*
 * Parses "name,unit,column,type,better,ci", the value of --pi. Fields that are left out at the end
 * have their defaults: column 0, ordinary, higher (lower for a duration), the session's ci. Errors:
 * ERR_USAGE.
 */
int exec_index_parse(const char *text, struct exec_index *index, struct err *e);

#define EXEC_PARSER_INDICES_MAX 8

/* The indices of a well-known benchmark (parsers.c). */
struct exec_parser {
    const char *name;    /* NULL ends the list */
    const char *refused; /* a place in JSON at which the output must have nothing; or NULL */
    const char *why;
    /* the list ends with an empty name, after at most EXEC_PARSER_INDICES_MAX */
    const struct exec_index *indices;
};
extern const struct exec_parser exec_parsers[];
/* returns NULL if there is no parser of that name */
const struct exec_parser *exec_parser_find(const char *name);

/* ---- a program ---- */

#define EXEC_UNITS_PIPE  "pipe" /* descriptor 3 of the program, whose path is %UNIT_READINGS% */
#define UNIT_INDICES_MAX 8

struct unit_reader;

struct exec_program {
    /* Measures a round in this process instead of running a command; the words of the command are
       only shown in the report. Stores a value for each index. Returns 0, or -1 with an error that
       ends the session. NULL: the command is run. */
    int (*measure)(void *measure_context, double values[], struct err *e);
    void *measure_context;
    /* words, ended by NULL; %WORK_AMOUNT%, %RESULT_DIR% and %ROUND% in them are replaced */
    const char *const *command;
    /* values for %NAME% in the command's words, in addition to the placeholders above */
    const struct execution_parameter *parameters;
    size_t parameter_count;
    bool shell; /* the command's words are joined by blanks and run by /bin/sh */
    /* shell commands before the first round, before each round, and after the last, with the same
       placeholders; or NULL */
    const char *setup, *prepare, *cleanup;
    const char *directory; /* working directory; NULL: that of this process */
    /* NAME=VALUE, in addition to cupel's own variables, ended by NULL; or NULL */
    const char *const *environment;
    bool exit_ok[256];      /* exit codes of a good round */
    double timeout_seconds; /* time limit of a round; 0: no limit */
    /* time limit of each setup, preparation and cleanup; 0: no limit */
    double hook_seconds;
    /* time left for everything that is run from the next call on; 0: unlimited; may change between
       calls. A cleanup has at least 10 s */
    double seconds_left;
    /* only the duration matters: no readings are taken, and processes that the program leaves
       running are ignored; may change between rounds */
    bool bare;
    bool serve; /* one process serves all rounds: each round sends it a line
                   with the work amount, and ends with the line that it
                   answers */
    /* Reports which process group has to be ended if this process dies. Called with the group of a
       round's program once it runs, and with 0 once it has ended. May be NULL. */
    void (*guard)(void *guard_context, pid_t group);
    void *guard_context;
    /* Called once a round is prepared, before its program is started; the time that it takes is no
       part of the round, nor of seconds_left. Returns 0, or -1 with an error, which ends the
       session. Not called with `measure`. May be NULL. */
    int (*await)(void *await_context, struct err *e);
    void *await_context;
    bool discard_output; /* the program's standard output goes to /dev/null */
    /* parent of the folder %RESULT_DIR% of each round, which is kept; NULL: the folder is below
       TMPDIR and is removed */
    const char *result_folder;
    /* read from the program's output; without indices, the duration of the round is the reading */
    const struct exec_index *indices;
    size_t index_count;
    const struct exec_parser *parser; /* parser whose `refused` applies; or NULL */
    /* file or FIFO, with the same placeholders, to which the program writes readings within a
       round, or EXEC_UNITS_PIPE; NULL: it writes none */
    const char *unit_readings;
    /* [unit_index_count], indices that each line of unit readings has; their source is a column */
    const struct exec_index *unit_indices;
    size_t unit_index_count;
    /* column of the duration in seconds that the program prints; -1: wall time is used */
    int duration_column;
};

/* A finished round. Strings are valid until the next round. */
struct exec_reading {
    double seconds, user_seconds, system_seconds;
    uint64_t max_rss;     /* bytes */
    double io_blocks;     /* blocks of 512 bytes from and to disks, as in struct execution_round */
    double duration;      /* seconds of wall time, or the duration that the program printed */
    const double *values; /* [program->index_count], the value of each index */
    const char *why;      /* why the round failed and has no values; NULL: it is good */
    /* the round's readings are left out, but the program did not fail; `why` gives the reason */
    bool left_out;
    const struct unit_reader *units; /* the unit readings of the round, or NULL */
    /* the end of the program's standard output, followed by the end of its standard error */
    const char *output;
    /* the round's folder, which could not be removed, and the reason; or NULL */
    const char *left_folder;
    bool timed_out;   /* the round failed because of the timeout */
    bool out_of_time; /* the round is left out because program->seconds_left ran out */
    bool stopped;     /* *stop ended the round, which is neither good nor failed */
};

struct exec;

/*
 * Checks the program and runs its setup. `program` must outlive *exec. `stop`, or NULL, becomes
 * non-zero when the user wants to end. ERR_USAGE: the program or a setting is wrong; ERR_TARGET:
 * the setup failed; ERR_UNDECIDED: the setup was ended because program->seconds_left ran out. Other
 * errors: ERR_MACHINE.
 */
int exec_open(struct exec **exec, const struct exec_program *program,
              const volatile sig_atomic_t *stop, struct err *e);

/*
 * Prepares and runs one round. -1: it could not be run at all, because the program cannot be
 * started, its preparation fails (ERR_UNDECIDED: program->seconds_left ran out), its folder
 * %RESULT_DIR% cannot be made, or memory runs out.
 */
int exec_round(struct exec *x, uint64_t number, double work, struct exec_reading *reading,
               struct err *e);

/* Ends a program that serves rounds earlier than exec_close would. Returns how many processes that
   it started were still running and were killed. NULL is allowed. */
size_t exec_stop(struct exec *x);

/* Runs the cleanup and frees everything. -1: the cleanup failed. NULL is allowed. */
int exec_close(struct exec *x, struct err *e);

/* ---- a session of rounds ---- */

struct exec_plan {
    struct exec_program program;
    char command[256];          /* the command in one line, for the report */
    struct judge_config config; /* settings for every index; each index has its own direction and
                                   width */
    /* absolute width of the duration in seconds, if it is the only index; 0: config.target_width */
    double duration_width;
    /* replaces config.minimum_readings if that number of rounds does not fit into the limit; 0:
       config.minimum_readings is required in any case */
    size_t fewest_rounds;
    size_t unit_rounds;     /* minimum number of rounds for unit readings */
    bool width_given;       /* the width was given by a user, not by a preset */
    double minimum_seconds; /* minimum time of measuring, as the sum of all rounds */
    double limit_seconds;   /* time limit of the whole session */
    /* the session ends after this number of good rounds; 0: when it is precise */
    uint64_t rounds;
    uint64_t warmup;   /* number of warm-up rounds, which do not count */
    uint64_t failures; /* this number of failed rounds in a row ends the session */
    /* number of pairs of rounds with and without measuring, at the end; 0: none */
    uint64_t overhead_pairs;
    double work;     /* %WORK_AMOUNT% of the first round; it doubles from round to round */
    double max_work; /* the amount does not become larger than this */
    /* Range of work amounts, which replaces `work`: each round takes another amount, and the
       indices are then the speed and the set-up. max 0: `work` is used. */
    struct work_limits work_range;
    /* work amounts whose duration is predicted, up to the first 0; used with work_range */
    double durations_of[WORK_DURATIONS_MAX];
    char date[32];        /* begin of the session in ISO 8601; "": now */
    struct labels labels; /* given by the user */
    /* the verdict is undecided if a part other than a disk was the bottleneck */
    bool strict_bottleneck;
    double monitor_cost; /* maximum cost of watching the machine; 0: no watching */
    const char *graph;   /* file of the user's components; or NULL */
    /* capture of a server, path on it, and folder with sys and proc, as in struct
       program_watch_request */
    const char *remote, *remote_target, *sysroot;
    /* which of many ranks runs the session, and when its first round that counts begins; NULL:
       there is no other rank */
    const struct common_start *start;
    const char *folder; /* value of -o, an existing folder for program.cupel and output.txt; NULL:
                           nothing is kept */
};

struct exec_progress {
    const char *stage;       /* what the session waits for; NULL: it measures */
    uint64_t rounds, failed; /* numbers of good and of failed rounds so far */
    double elapsed_seconds, limit_seconds;
    /* the index that needs the most readings; NULL: not yet judged */
    const struct execution_index *slowest;
    double left_seconds; /* NaN: unknown */
};

struct exec_observer {
    void (*progress)(void *context, const struct exec_progress *now); /* each round */
    /* called after a failed round */
    void (*failed)(void *context, const struct execution_round *round);
    void *context;
};

struct exec_session;

/*
 * Runs rounds until the session ends. On success *session holds the measured rounds, even if the
 * program failed or a signal arrived. -1: nothing was measured. The caller frees it with
 * exec_session_free.
 */
int exec_session_run(struct exec_session **session, const struct exec_plan *plan,
                     const volatile sig_atomic_t *stop, const struct exec_observer *observer,
                     struct err *e);
void exec_session_free(struct exec_session *session);

/* Makes the result, which points into the session. */
void exec_session_result(const struct exec_session *s, struct execution *x);

/* Returns true if the file is the record (program.cupel) of such a session. */
bool exec_is_record(const char *path);

/* Loads a session from its record, and judges it anew. ERR_USAGE: its head is damaged. A record
   without an end, or with damage after the head, is read up to there. */
int exec_session_load(struct exec_session **session, const char *path, struct err *e);

#endif
