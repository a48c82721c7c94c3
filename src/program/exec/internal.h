/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/program/exec. */
#ifndef CUPEL_PROGRAM_EXEC_INTERNAL_H
#define CUPEL_PROGRAM_EXEC_INTERNAL_H

#include <limits.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/durable/line_journal.h"
#include "base/json/json_read.h"
#include "base/pool.h"
#include "base/span.h"
#include "program/exec/exec.h"
#include "program/exec/watch/program_watch.h"
#include "run/launch/rank_common_begin.h"
#include "run/watch/other_programs.h"
#include "stat/level_seen.h"
#include "stat/wps/work_session.h"

/* ---- process.c: one process from its start to its end, with all its descendants ---- */

enum { QUOTED = 60 }; /* characters of the program's output that are quoted in a message */

/* The output of a process, in fixed memory: when it is full, the older half is dropped. */
struct output {
    char *data;
    size_t length, capacity;
    bool cut; /* the beginning was dropped */
};

/* Returns the output from its last non-blank line on. */
struct span output_last_line(const struct output *o);

struct unit_reader;

struct process_request {
    char *const *environment;
    const char *directory;  /* NULL: this one */
    double timeout_seconds; /* 0: no timeout */
    const volatile sig_atomic_t *stop;
    bool discard_output;
    /* leave processes alone that outlive the program, such as a server that it started */
    bool may_leave;
    struct output *output, *errors;
    struct unit_reader *units; /* receives the unit readings; or NULL */
    /* descriptor from which unit readings are read; -1: from a pipe that the process gets as
       descriptor UNIT_CHILD */
    int unit_descriptor;
    /* called with the process group, as in struct exec_program */
    void (*guard)(void *guard_context, pid_t group);
    void *guard_context;
};

struct process_end {
    double seconds, user_seconds, system_seconds;
    uint64_t max_rss;
    double io_blocks; /* blocks of 512 bytes that were read and written; NaN: the program has
                         not ended */
    int status;       /* status as wait returns it */
    bool timed_out;   /* killed because of the timeout */
    bool stopped;     /* killed because *stop was set */
    bool answered;    /* set by served_round: an answer arrived */
    /* set by served_round: the program's output was closed, and it was killed */
    bool closed;
    bool unasked;           /* set by served_round: the program printed text outside of any round */
    size_t left;            /* number of descendants that outlived it and were killed */
    double stopped_seconds; /* time for which a signal stopped the program */
    /* time for which this process, or its machine, was stopped during the run */
    double away_seconds;
};

/*
 * Starts the command `words`, ended by NULL, in a process group of its own, reads the output, and
 * waits for the end. At the timeout, or when *stop is set, the process is asked to end, and killed
 * a second later. ERR_USAGE: there is no such program or folder, or it cannot be run; ERR_MACHINE.
 */
int process_run(const struct process_request *request, char *const *words, struct process_end *end,
                struct err *e);

/* ---- program_parent.c: the process between this one and a program ---- */

struct program_parent {
    pid_t id;
    int socket;
};

struct program_started {
    int error; /* error number that says why the program could not be started; 0: it runs */
    pid_t id;
    double begin; /* value of process_now just before the program started */
    double runs;  /* time on the boot clock at which the program was running */
};

struct program_status {
    int status; /* status as wait returns it */
    struct rusage usage;
    double stopped_seconds; /* time for which a signal stopped the program */
};

/* What program_parent_start starts: the command's words, ended by NULL, with the settings of a
   request. */
struct program_spawning {
    const struct process_request *request;
    char *const *words;
    int ends[4]; /* the program's input, output, errors and unit readings; -1: none */
};

/*
 * Starts a child, the parent, which starts the program. The parent becomes the parent of everything
 * that the program leaves running, unless that may be left alone. It then closes all its files.
 * Returns 0 or an error number; after 0, program_parent_end must follow. Until then no other
 * process can get the program's number.
 */
int program_parent_start(struct program_parent *p, const struct program_spawning *spawning,
                         struct program_started *started);

/* Returns the status of the program. Called once, after it has ended. */
struct program_status program_parent_status(const struct program_parent *p);

/*
 * Ends the descendants that outlive the program; called after program_parent_status. Descendants
 * that end within a tenth of a second are ignored. Others are killed, and their descendants in
 * turn; all are killed at once if the program itself was killed. Returns how many were killed; if
 * the program itself was killed, none counts.
 */
size_t program_parent_end(struct program_parent *p, bool is_killed);

/* ---- process.c: one process for many rounds ---- */

/* The last time at which this process certainly ran. If it is checked again only long after that,
   the process or its machine was stopped meanwhile. */
struct process_look {
    double at;     /* boot clock, which goes on while the machine sleeps */
    double waited; /* total time up to `at` for which this thread waited for a processor */
};

struct process {
    pid_t id;
    struct program_parent parent;
    int descriptor;     /* pidfd: readable when the process ends */
    int output, errors; /* pipes that the process writes to; -1: closed */
    int input;          /* pipe that the process reads from; -1: it reads /dev/null */
    int units;          /* pipe of the process's unit readings; -1: none */
    double begin;
    double kill_at; /* when the process is killed, after it was asked to end; 0: it was not asked */
    struct process_look look;
};

/* Returns seconds of the monotonic clock. */
static inline double process_now(void)
{
    return seconds_of_clock(CLOCK_MONOTONIC);
}

struct served {
    struct process process;
    bool runs;
    bool was_asked; /* an earlier round got an answer from the same process */
    /* text that it printed in addition to answers, so that rounds and answers no longer match; or
       "" */
    char unasked[QUOTED];
};

/*
 * Writes a line with the work amount, and waits for a line that is not blank. end->seconds is the
 * time between them, user_seconds all processor time of the process in it. A process that ends, or
 * that the timeout kills, is started again by the next round. A process that prints more than one
 * answer to a line, or prints before it has read the line, is ended, and later rounds get no
 * answers. Errors as process_run.
 */
int served_round(struct served *s, const struct process_request *request, char *const *words,
                 const char *work, struct process_end *end, struct err *e);

/* Closes the process's input, waits for its end, and kills it after a second. Returns how many
   descendants outlived it and were killed. */
size_t served_end(struct served *s);

/* ---- substitution.c: %WORK_AMOUNT%, %RESULT_DIR%, %ROUND% ---- */

struct substitution {
    const char *work, *folder, *round;
    const char *units;                            /* %UNIT_READINGS% */
    const struct execution_parameter *parameters; /* %NAME% */
    size_t parameter_count;
};

/* Returns true if the text contains the placeholder of the folder. */
bool substitution_needs_folder(const char *text);

/* Returns the text with its placeholders replaced; the caller frees it. NULL: no memory. */
char *substitution_apply(const struct substitution *s, const char *text);

/* ---- unit_reader.c: the readings within a round ---- */

enum {
    UNIT_CHILD = 3, /* descriptor of the pipe in the program */
    UNIT_KEPT_MAX = 1 << 16,
    UNIT_LINE_MAX = 4000
};
#define UNIT_CHILD_PATH "/dev/fd/3"

/* The unit readings of one round at a time, in fixed memory. */
struct unit_reader {
    const struct exec_index *indices;
    size_t count;
    double *kept[UNIT_INDICES_MAX]; /* [index]: means of `merged` neighbouring readings each */
    size_t kept_count, merged;
    /* sums of the next group, to which `pending` readings belong so far */
    double sums[UNIT_INDICES_MAX];
    size_t pending;
    uint64_t lines;
    char line[UNIT_LINE_MAX]; /* the part of an incomplete line */
    size_t line_length;
    char *chunk;
    char why[240]; /* why the readings are invalid; or "" */
};

/* Makes a reader. The caller frees it with unit_reader_free, also after a failure. */
int unit_reader_make(struct unit_reader **reader, const struct exec_program *program,
                     struct err *e);
void unit_reader_free(struct unit_reader *r);

void unit_reader_begin(struct unit_reader *r); /* begins a round */
/* reads at most a chunk; false: there is nothing to read */
bool unit_reader_read(struct unit_reader *r, int fd);
void unit_reader_drain(struct unit_reader *r, int fd); /* reads the rest of a pipe */
/* ends a round; returns why it has no readings, or NULL */
const char *unit_reader_end(struct unit_reader *r);

/* ---- unit_reader.c: where unit readings come from ---- */

struct unit_source {
    struct unit_reader *reader; /* NULL: the program has no unit readings */
    bool streams;               /* readings are read while the round runs */
    int descriptor;             /* descriptor of a FIFO; -1: no FIFO */
    char path[PATH_MAX];
};

/* Returns the path that the program uses as %UNIT_READINGS%; the caller frees it. NULL: no
   memory. */
char *unit_source_name(const struct exec_program *p, const struct substitution *s);

/* Prepares a round before its program starts. Returns false, and writes why, if the round cannot
   have unit readings. */
bool unit_source_begin(struct unit_source *u, const struct exec_program *p, const char *name,
                       char *why, size_t size);

/* Reads the remaining unit readings after a good round. Returns why the round has no readings, or
   NULL. */
const char *unit_source_end(struct unit_source *u, bool is_good, const volatile sig_atomic_t *stop);

/* ---- output_columns.c, index_spec.c ---- */

/* Returns the number of columns of a line: blanks, tabs or one comma separate two columns, except
   within "...". */
size_t count_columns(struct span line);

/* Finds the column with this index, counted from 0. False: the line has fewer columns. */
bool column_at(struct span line, size_t index, struct span *column);

/* index_mean_domain converts a value to the domain in which values are averaged, or a mean from
   there: rates over equal work have a harmonic mean. index_mean_of returns the mean of the
   values. */
double index_mean_domain(enum index_type type, double value);
double index_mean_of(enum index_type type, const double values[], size_t n);

/* Returns true if the value is possible for the index's type of mean. Otherwise writes why not. */
bool index_can_have(const struct exec_index *index, double value, char *why, size_t size);

/* ---- output_readings.c: reads the numbers from a round's output ---- */

struct reader_memory {
    size_t columns; /* number of columns in the first good round; 0: none yet */
};

/* Reads a value for each of the program's indices into `values`, and the duration that the program
   printed into *duration. Returns false, and writes why, if the output lacks one of these. */
bool readings_take(const struct exec_program *program, const struct output *output,
                   struct reader_memory *memory, double values[], double *duration, char *why,
                   size_t size);

/* ---- result_folder.c ---- */

/* Makes a new folder for the round below `parent`, where it is kept; *fd is then -1. If `parent` is
   NULL, the folder is below TMPDIR, and *fd is open until result_folder_remove. */
int result_folder_make(const char *parent, uint64_t round, char *path, size_t size, int *fd,
                       struct err *e);

/* Removes a folder and its contents, like folder_remove, and closes it. Returns false, and writes
   why, if anything remains. */
bool result_folder_remove(int fd, const char *path, char *why, size_t size);

/* ---- round_series.c: the rounds of a session and their readings ---- */

struct round_series {
    struct execution_round *rounds;
    size_t round_count, round_capacity;
    /* Readings of the rounds that count: values[i] of index i, the last of which is the
       duration. */
    double *values[EXECUTION_INDICES_MAX];
    size_t count, capacity;
    size_t index_count; /* arrays of `values` */
    struct pool strings;
};

/* Appends a round, and its readings if it counts. The strings are copied. */
int round_series_add(struct round_series *s, const struct execution_round *round,
                     const double values[], struct err *e);
void round_series_free(struct round_series *s);

/* ---- busiest_thread.c ---- */

/* Sets the use of the busiest thread. In rounds too short for several samples, the kernel's
   counters of each round show more than samples. */
void short_rounds_use(const struct round_series *series, struct program_watch_result *machine);

/* ---- unused_disks.c ---- */

/* Excludes disks as the bottleneck of a program that read and wrote none, except for a cold
   start. */
void own_io_judge(const struct round_series *series, struct program_watch_result *machine);

/* ---- index_judgement.c: judges one index ---- */

struct judging {
    struct arena scratch;
    size_t capacity; /* number of readings that the memory is large enough for */
    size_t *changepoints[EXECUTION_INDICES_MAX];
};

/* Allocates memory for this number of readings of each of the indices. */
int judging_reserve(struct judging *j, size_t readings, size_t indices, struct err *e);
void judging_free(struct judging *j);

/* Judges values[0..n) of index `number`. Width and direction are those of the index. */
void index_judge(struct judging *j, size_t number, const struct exec_index *index,
                 const struct judge_config *common, const double values[], size_t n,
                 struct execution_index *to);

/* Predicts the value of the same number of further independent rounds from the interval: each end
   of the prediction is sqrt(2) times as far from the value as that end of the interval. Nothing is
   predicted if the interval lacks an end. */
void index_predict_from_interval(struct execution_index *to);

/* Cuts an interval at 0, for an index that cannot be negative. */
void index_cut_at_zero(const struct exec_index *index, struct execution_index *to);

/* ---- unit_session.c: the unit readings of all rounds ---- */

struct unit_session {
    struct exec_index indices[UNIT_INDICES_MAX];
    size_t index_count;
    struct execution_units *list; /* [rounds with unit readings][indices] */
    double **copies;              /* the values that `list` points to */
    size_t count, capacity, total, rounds;
    bool most_unsteady[UNIT_INDICES_MAX]; /* most rounds have no steady part, so all are used */
    double *pooled[UNIT_INDICES_MAX];     /* [index], the steady parts of all rounds */
    struct judging judging;
    struct execution_index judged[UNIT_INDICES_MAX];
};

/* Copies the readings of one index in one round, and finds their steady part. */
int unit_session_add(struct unit_session *u, const struct judge_config *common,
                     const struct execution_units *from, struct err *e);
int unit_session_judge(struct unit_session *u, const struct judge_config *config, size_t min_rounds,
                       struct err *e);
bool unit_session_is_precise(const struct unit_session *u);
void unit_session_notes(const struct unit_session *u, struct execution *x);
void unit_session_free(struct unit_session *u);

/* ---- exec_record.c: program.cupel, one line for each thing that happens; output.txt ---- */

/* flags of a round in its line of the record */
enum { ROUND_WARMUP = 1, ROUND_LEFT_OUT = 2 };

#define EXEC_RECORD_MARK "cupel exec\t1\t"
extern const struct line_form exec_record_form;

/* A setting of the plan that a judgement needs. */
enum exec_setting_kind { SETTING_DOUBLE, SETTING_SIZE, SETTING_COUNT, SETTING_INT, SETTING_FLAG };
struct exec_setting {
    const char *key; /* NULL: the end */
    enum exec_setting_kind kind;
    size_t offset; /* offset of the setting in struct exec_plan */
};
extern const struct exec_setting exec_settings[];

struct exec_record; /* being written */
struct exec_session;

/* Creates the record in plan.folder and writes the plan. */
int exec_record_begin(struct exec_record **record, const struct exec_session *s, struct err *e);
int exec_record_round(struct exec_record *record, const struct execution_round *round,
                      const char *output, const double values[], size_t count, struct err *e);
/* Writes the unit readings of the round that was written last. */
int exec_record_units(struct exec_record *record, const struct execution_units *units,
                      struct err *e);
int exec_record_cost(struct exec_record *record, const struct execution_cost *cost, struct err *e);
/* Writes what was watched (NULL: nothing) and the end of the session, and closes the record;
   `record` may be NULL. */
int exec_record_end(struct exec_record *record, const struct program_watch_result *machine,
                    enum verdict verdict, const char *failure, struct err *e);

/* The indices that --wps judges instead of indices that the program prints. */
enum { WORK_SPEED, WORK_SETUP, WORK_INDICES };

/* Writes a fact about the launch of this rank. The end of the record returns a failure. */
void exec_record_launch_fact(struct exec_record *record, const char *key, const char *value);

/* ---- exec_session.c, round_own_cost.c ---- */

struct exec_session {
    struct exec_plan plan;
    struct execution_parameter parameters[EXECUTION_PARAMETERS_MAX]; /* parameters of the plan */
    size_t parameter_count;
    struct exec_index
        /* indices that are read from the output, then the duration */
        indices[EXECUTION_INDICES_MAX];
    size_t index_count, output_indices;
    struct round_series series;
    struct judging judging;
    struct work_session work; /* state of --wps */
    struct unit_session units;
    struct execution_index judged[EXECUTION_INDICES_MAX];
    /* [duration_count], durations of the work amounts in plan.durations_of */
    struct execution_index durations[WORK_DURATIONS_MAX];
    size_t duration_count;
    struct execution_cost own_cost;
    size_t judged_n;          /* number of readings on which `judged` is based */
    struct level_looks looks; /* judgements that found that a width is out of reach */
    size_t failed, left_out;
    enum verdict verdict;
    char failure[240];
    bool damaged;                        /* the record is damaged after the part that was loaded */
    struct program_watch_result machine; /* while it ran */
    struct fact launch[16];              /* facts about this rank: their keys and values */
    size_t launch_count;
};

/* Adds a fact about the launch; drops it when the table is full. */
void exec_session_launch_fact(struct exec_session *s, const char *key, const char *value);

/* Returns true if the rounds have different work amounts. */
bool exec_session_varies_work(const struct exec_session *s);

/* Adds a round, and its readings if it counts. */
int exec_session_add(struct exec_session *s, const struct execution_round *round,
                     const double values[], struct err *e);

/* Begin and judge the speed and the set-up of the session (work_indices.c). */
void work_indices_begin(struct exec_session *s);
void work_indices_judge(struct exec_session *s);

/* Judges all indices over the present readings. */
int exec_session_judge(struct exec_session *s, struct err *e);

/* Returns true if all indices for which the session waits have reached their precision. */
bool exec_session_is_precise(const struct exec_session *s);

/* Returns true if the width of an index is out of reach within the limit. A single judgement may
   err. */
bool exec_session_is_out_of_reach(const struct exec_session *s);

/* Returns the work amount of the next round. */
double exec_session_next_work(const struct exec_session *s);

/* Measures s->own_cost with plan.overhead_pairs pairs of rounds of that work, for at most
   `seconds`. It stays empty if a round fails. */
int own_cost_measure(struct exec_session *s, struct exec *x, const volatile sig_atomic_t *stop,
                     double work, double seconds, struct err *e);

/* ---- rank_rounds.c: rounds that begin and end together with those of other ranks ---- */

struct rank_rounds {
    struct exec_session *session;
    struct exec_record *record;  /* NULL: no record is kept */
    struct program_watch *watch; /* NULL: nothing is watched */
    const volatile sig_atomic_t *stop;
    const struct exec_observer *observer;
    struct common_begin begin;
    bool begun;            /* the first measured round has begun, or was to begin */
    double waited_seconds; /* time of waiting in the last round, which --limit does not count */
};

/* Reports which rank this is, and makes its rounds wait for the others. `record` may be NULL. */
void rank_rounds_open(struct rank_rounds *c, struct exec_record *record);

/* Called when this rank has enough. True: all have, or no further round fits into the limit. */
bool rank_rounds_may_end(struct rank_rounds *c, double elapsed);

/* Returns true once, when all ranks have enough and this one has waited for them. */
bool rank_rounds_all_have_enough(struct rank_rounds *c, double elapsed);

/* Ends the waiting, and reports it. */
void rank_rounds_close(struct rank_rounds *c);

#endif
