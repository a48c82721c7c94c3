/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/exec share. */
#ifndef CUPEL_EXEC_INTERNAL_H
#define CUPEL_EXEC_INTERNAL_H

#include <limits.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/json/json_read.h"
#include "base/pool.h"
#include "base/span.h"
#include "exec/exec.h"
#include "exec/watch/program_watch.h"
#include "run/watch/other_programs.h"
#include "stat/wps/work_session.h"

/* ---- process.c: one process from its start to its end, with all its descendants ---- */

enum { QUOTED = 60 }; /* room for the program's text in a message */

/* What a process printed, in fixed memory: when it is full, the older half goes. */
struct output {
    char *data;
    size_t length, capacity;
    bool cut; /* the beginning is gone */
};

/* Text of the output from its last line on that is not blank. */
struct span output_last_line(const struct output *o);

struct unit_reader;

struct process_request {
    char *const *environment;
    const char *directory;  /* NULL: this one */
    double timeout_seconds; /* 0: none */
    const volatile sig_atomic_t *stop;
    bool discard_output;
    bool may_leave; /* processes that go on after its end are its own matter: a server it started */
    struct output *output, *errors;
    struct unit_reader *units; /* what it writes to `unit_descriptor` goes there; NULL: none */
    int unit_descriptor;       /* open for reading; -1: it gets a pipe as descriptor UNIT_CHILD */
    void (*guard)(void *guard_context, pid_t group); /* as struct exec_program has it */
    void *guard_context;
};

struct process_end {
    double seconds, user_seconds, system_seconds;
    uint64_t max_rss;
    double io_blocks;       /* of 512 bytes, from disks and to them; NaN: it has not ended */
    int status;             /* of wait */
    bool timed_out;         /* killed for it */
    bool stopped;           /* killed because *stop was set */
    bool answered;          /* served_round: a line came */
    bool closed;            /* served_round: its output was closed, and it was killed */
    bool unasked;           /* served_round: it printed what no round asked for */
    size_t left;            /* descendants that went on without it, killed */
    double stopped_seconds; /* of the program by a signal */
    double away_seconds;    /* that this process was stopped for, or its machine, meanwhile */
};

/*
 * Start the words, ended by NULL, in a process group of its own, read what it prints, and wait for
 * it. At the timeout, or when *stop is set, it is asked to end and killed a second later.
 * ERR_USAGE: there is no such program or folder, or it cannot be run; ERR_MACHINE.
 */
int process_run(const struct process_request *request, char *const *words, struct process_end *end,
                struct err *e);

/* ---- program_parent.c: the process between this one and a program ---- */

struct program_parent {
    pid_t id;
    int socket;
};

struct program_started {
    int error; /* why it could not be; 0: it runs */
    pid_t id;
    double begin; /* process_now just before */
    double runs;  /* boot clock, when it ran */
};

struct program_status {
    int status; /* of wait */
    struct rusage usage;
    double stopped_seconds; /* that it was stopped for, by a signal */
};

/* Start the program, with all signals blocked: 0 or an error number. */
typedef int program_spawn(const void *context, pid_t *id);

/*
 * Start a child that starts the program and keeps what it leaves running, unless that may be left.
 * `spawn` is called in the child, which then closes all its files. Returns 0 or an error number; 0
 * is to be followed by program_parent_end. The program's number is its own until then.
 */
int program_parent_start(struct program_parent *p, bool may_leave, program_spawn *spawn,
                         const void *context, struct program_started *started);

/* Once, after the program has ended. */
struct program_status program_parent_status(const struct program_parent *p);

/*
 * After program_parent_status: end the descendants that are still there after the program's end.
 * Those that end within a tenth of a second do no harm; the others are killed, and theirs in turn;
 * all at once when the program was killed itself. Returns how many were killed of a program that
 * was not.
 */
size_t program_parent_end(struct program_parent *p, bool is_killed);

/* ---- a process in its parts (process.c), for served.c ---- */

/* When this process was last at work: a long time until the next look is one in which it was
   stopped, or its machine was. */
struct process_look {
    double at;     /* boot clock, which goes on while the machine sleeps */
    double waited; /* by this thread for a processor, until then */
};

struct process {
    pid_t id;
    struct program_parent parent;
    int descriptor;     /* readable at its end */
    int output, errors; /* what it prints; -1: closed */
    int input;          /* where it reads; -1: /dev/null */
    int units;          /* the pipe of its unit readings; -1: none */
    double begin;
    double kill_at; /* it was asked to end, and is killed then; 0: not asked */
    struct process_look look;
};

struct process_look process_look_now(void);

/* Seconds of the monotonic clock. */
static inline double process_now(void)
{
    return seconds_of_clock(CLOCK_MONOTONIC);
}

int process_start(struct process *p, const struct process_request *request, char *const *words,
                  bool with_input, struct err *e);

/*
 * poll() for so many ms at most. Where much more than that passed since the last look, less the
 * time that this thread waited for a processor, this process or the machine was stopped: *away
 * grows by it.
 */
void process_poll(struct process *p, struct pollfd wait[], nfds_t count, int milliseconds,
                  double *away);

/* SIGTERM, and SIGKILL a second later; to be called again until it has ended. */
void process_kill(struct process *p, double now);

/* Has it ended? Its status is then in *end. */
bool process_has_ended(struct process *p, struct process_end *end);

/* Read what is there, at most a chunk. False: the other end is closed. */
bool output_read(struct output *o, int fd);

/* Once, after its end: its descriptors, and the descendants that go on without it. Returns as
   program_parent_end. */
size_t process_close(struct process *p, bool is_killed);

/* ---- served.c: one process for many rounds ---- */

struct served {
    struct process process;
    bool runs;
    bool was_asked; /* a round before this one had its answer of the same process */
    char
        unasked[QUOTED]; /* it printed more than answers: rounds and answers go apart from there on;
                            "": it did not */
};

/*
 * Write a line with the work amount, and wait for a line that is not blank. end->seconds is the
 * time between, user_seconds all processor time that the process took. A process that ends, or that
 * the timeout kills, is started anew by the next round. One that prints more than an answer to each
 * line, or before it has read the line, is ended, and no round has an answer from then on. Errors
 * as process_run.
 */
int served_round(struct served *s, const struct process_request *request, char *const *words,
                 const char *work, struct process_end *end, struct err *e);

/* Close its input, wait for its end, and kill it after a second. Returns how many descendants went
   on after its end; they are killed. */
size_t served_end(struct served *s);

/* ---- substitution.c: %WORK_AMOUNT%, %RESULT_DIR%, %ROUND% ---- */

struct substitution {
    const char *work, *folder, *round;
    const char *units;                            /* %UNIT_READINGS% */
    const struct execution_parameter *parameters; /* %NAME% */
    size_t parameter_count;
};

/* Does a text have a place for the folder? */
bool substitution_needs_folder(const char *text);

/* The text with its places filled, for free. NULL: no memory. */
char *substitution_apply(const struct substitution *s, const char *text);

/* ---- unit_reader.c: the readings within a round ---- */

enum {
    UNIT_CHILD = 3, /* the descriptor that a program finds its pipe at */
    UNIT_KEPT_MAX = 1 << 16,
    UNIT_LINE_MAX = 4000
};
#define UNIT_CHILD_PATH "/dev/fd/3"

/* Of one round at a time, in fixed memory. */
struct unit_reader {
    const struct exec_index *indices;
    size_t count;
    double *kept[UNIT_INDICES_MAX]; /* means of `merged` neighbours each, of every index */
    size_t kept_count, merged;
    double sums[UNIT_INDICES_MAX]; /* of the next group, of which `pending` are there */
    size_t pending;
    uint64_t lines;
    char line[UNIT_LINE_MAX]; /* one that is not whole yet */
    size_t line_length;
    char *chunk;
    char why[240]; /* what is wrong with them; "": nothing yet */
};

/* Owner: unit_reader_free, also after a failure. */
int unit_reader_make(struct unit_reader **reader, const struct exec_program *program,
                     struct err *e);
void unit_reader_free(struct unit_reader *r);

void unit_reader_begin(struct unit_reader *r);         /* a round begins */
bool unit_reader_read(struct unit_reader *r, int fd);  /* at most a chunk; false: none is there */
void unit_reader_drain(struct unit_reader *r, int fd); /* what is left in a pipe */
const char *unit_reader_end(struct unit_reader *r);    /* why it has no readings; NULL: it has */

/* What a mean is taken of, and back from it: rates over equal work have a harmonic mean. */
double unit_mean_domain(enum index_type type, double value);
double unit_mean_of(enum index_type type, const double values[], size_t n);

/* ---- unit_source.c ---- */

struct unit_source {
    struct unit_reader *reader; /* NULL: the program has no unit readings */
    bool streams;               /* they are read while the round runs */
    int descriptor;             /* of a FIFO; -1: none */
    char path[PATH_MAX];
};

/* Their name for the program, %UNIT_READINGS%, for free. NULL: no memory. */
char *unit_source_name(const struct exec_program *p, const struct substitution *s);

/* Be ready before the program starts. False, and why, when the round cannot have any. */
bool unit_source_begin(struct unit_source *u, const struct exec_program *p, const char *name,
                       char *why, size_t size);

/* The round is over: read what is left, if it was a good one. Returns as unit_reader_end. */
const char *unit_source_end(struct unit_source *u, bool is_good, const volatile sig_atomic_t *stop);

/* ---- columns.c, index_spec.c ---- */

/* How many columns a line has: blanks, tabs or one comma part two of them, except within "...". */
size_t count_columns(struct span line);

/* The column of that number, from 0, of a line. False: it has not so many. */
bool column_at(struct span line, size_t index, struct span *column);

/* Can its type of mean have the value? False, and why not. */
bool index_can_have(const struct exec_index *index, double value, char *why, size_t size);

/* ---- readings.c: the numbers out of a round's output ---- */

struct reader_memory {
    size_t columns; /* of the first good round; 0: none yet */
};

/*
 * The values of the indices into `values`, of the program's own duration into *duration. False, and
 * why not, when the output has not all of them.
 */
bool readings_take(const struct exec_program *program, const struct output *output,
                   struct reader_memory *memory, double values[], double *duration, char *why,
                   size_t size);

/* ---- result_folder.c ---- */

/* A new folder for the round below `parent`, where it stays: *fd is -1. NULL: below TMPDIR, and
   open until result_folder_remove. */
int result_folder_make(const char *parent, uint64_t round, char *path, size_t size, int *fd,
                       struct err *e);

/* Remove a folder with all that is in it, as folder_remove does, and close it. False, and why, when
   anything of it stays. */
bool result_folder_remove(int fd, const char *path, char *why, size_t size);

/* ---- round_series.c: the rounds of a session and their readings ---- */

struct round_series {
    struct execution_round *rounds;
    size_t round_count, round_capacity;
    /* Readings of the rounds that count: of index i at values[i], the duration's last. */
    double *values[EXECUTION_INDICES_MAX];
    size_t count, capacity;
    size_t index_count; /* arrays of `values` */
    struct pool strings;
};

/* Append a round, and its readings when it counts. The strings are copied. */
int round_series_add(struct round_series *s, const struct execution_round *round,
                     const double values[], struct err *e);
void round_series_free(struct round_series *s);

/* ---- short_rounds.c ---- */

/* The use of the busiest thread, where rounds are so short that the readings of the kernel for each
   of them say more than samples. */
void short_rounds_use(const struct round_series *series, struct program_watch_result *machine);

/* ---- own_io.c ---- */

/* A disk is no bottleneck of a program that read and wrote none, but for a cold start. */
void own_io_judge(const struct round_series *series, struct program_watch_result *machine);

/* ---- judged_index.c: an index judged ---- */

struct judging {
    struct arena scratch;
    size_t capacity; /* readings that it is for */
    size_t *changepoints[EXECUTION_INDICES_MAX];
};

/* Room for so many readings of so many indices. */
int judging_reserve(struct judging *j, size_t readings, size_t indices, struct err *e);
void judging_free(struct judging *j);

/* Judge values[0..n) of the index `number`. Width and direction are the index's own. */
void index_judge(struct judging *j, size_t number, const struct exec_index *index,
                 const struct judge_config *common, const double values[], size_t n,
                 struct execution_index *to);

/* Cut an interval at 0 that goes below it, where the index cannot. */
void index_cut_at_zero(const struct exec_index *index, struct execution_index *to);

/* ---- unit_session.c: the unit readings of all rounds ---- */

enum { UNIT_ROUNDS_MIN = 3 };

struct unit_session {
    struct exec_index indices[UNIT_INDICES_MAX];
    size_t index_count;
    struct execution_units *list; /* for each round that counts, one for each index */
    double **copies;              /* their values */
    size_t count, capacity, total, rounds;
    bool most_unsteady[UNIT_INDICES_MAX]; /* most rounds have no steady part: all count */
    double *pooled[UNIT_INDICES_MAX];     /* the steady parts of all rounds */
    struct judging judging;
    struct execution_index judged[UNIT_INDICES_MAX];
};

/* Take the readings of a round and one index, which are copied, and find their steady part. */
int unit_session_add(struct unit_session *u, const struct judge_config *common,
                     const struct execution_units *from, struct err *e);
int unit_session_judge(struct unit_session *u, const struct judge_config *config, struct err *e);
bool unit_session_is_precise(const struct unit_session *u);
void unit_session_notes(const struct unit_session *u, struct execution *x);
void unit_session_free(struct unit_session *u);

/* ---- exec_record.c: record.cupel, a line for everything, as it happens; output.txt ---- */

/* How a round counts, in its line. */
enum { ROUND_WARMUP = 1, ROUND_LEFT_OUT = 2 };

#define EXEC_RECORD_MARK "cupel exec\t1\t"

/* What a judgement needs of the plan: a number each. */
enum exec_setting_kind { SETTING_DOUBLE, SETTING_SIZE, SETTING_COUNT, SETTING_INT, SETTING_FLAG };
struct exec_setting {
    const char *key; /* NULL: the end */
    enum exec_setting_kind kind;
    size_t offset; /* in struct exec_plan */
};
extern const struct exec_setting exec_settings[];

struct exec_record; /* being written */
struct exec_session;

/* Make the file in the folder and write the plan. */
int exec_record_begin(struct exec_record **record, const struct exec_session *s, struct err *e);
int exec_record_round(struct exec_record *record, const struct execution_round *round,
                      const char *output, const double values[], size_t count, struct err *e);
/* The unit readings of a round, after it. */
int exec_record_units(struct exec_record *record, const struct execution_units *units,
                      struct err *e);
/* What was watched. */
int exec_record_machine(struct exec_record *record, const struct program_watch_result *machine,
                        struct err *e);
int exec_record_cost(struct exec_record *record, const struct execution_cost *cost, struct err *e);
/* The end, and close; NULL is nothing. */
int exec_record_end(struct exec_record *record, enum verdict verdict, const char *failure,
                    struct err *e);

/* What --wps judges instead of what a round prints: the first two indices. */
enum { WORK_SPEED, WORK_SETUP, WORK_INDICES };

/* ---- exec_session.c, own_cost.c ---- */

struct exec_session {
    struct exec_plan plan;
    struct execution_parameter parameters[EXECUTION_PARAMETERS_MAX]; /* of the plan */
    size_t parameter_count;
    struct exec_index
        indices[EXECUTION_INDICES_MAX]; /* read out of the output, then the duration */
    size_t index_count, output_indices;
    struct round_series series;
    struct judging judging;
    struct work_session work; /* of --wps */
    struct unit_session units;
    struct execution_index judged[EXECUTION_INDICES_MAX];
    struct execution_cost own_cost;
    size_t judged_n; /* readings that they are of */
    size_t failed, left_out;
    enum verdict verdict;
    char failure[240];
    bool damaged;                        /* its record is, after what was read */
    struct program_watch_result machine; /* while it ran */
};

/* Do the rounds have different work amounts? */
bool exec_session_varies_work(const struct exec_session *s);

/* Take a round, and its readings when it counts. */
int exec_session_add(struct exec_session *s, const struct execution_round *round,
                     const double values[], struct err *e);

/* Begin and judge the session of speed and set-up (work_indices.c). */
void work_indices_begin(struct exec_session *s);
void work_indices_judge(struct exec_session *s);
void work_indices_notes(const struct exec_session *s, struct execution *x);

/* Judge all indices over the readings there are. */
int exec_session_judge(struct exec_session *s, struct err *e);

/* Have all indices that are waited for reached their precision? */
bool exec_session_is_precise(const struct exec_session *s);

/* The work amount of the next round. */
double exec_session_next_work(const struct exec_session *s);

/* Measure s->own_cost by plan.overhead_pairs, of that work, for at most so long; it stays empty
   when a round fails. */
int own_cost_measure(struct exec_session *s, struct exec *x, const volatile sig_atomic_t *stop,
                     double work, double seconds, struct err *e);

#endif
