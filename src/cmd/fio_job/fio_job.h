/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job file of fio's, read and turned into command lines of cupel run.
 *
 * Reading follows fio's HOWTO: sections in brackets, whose settings begin with those of every
 * [global] above; "name=value" or a name alone; ; and # begin comments; include FILE takes the
 * lines of another file, looked for beside the one that includes it; ${NAME} is a variable of the
 * environment, $ncpus, $pagesize and $mb_memory are of this machine. Sizes have k, m, g, t, p with
 * kb_base 1024 or 1000, and the i-forms, which are the other base of the two, as in fio.
 *
 * Nothing here opens a target. No permission to write comes out of a job file.
 */
#ifndef CUPEL_CMD_FIO_JOB_FIO_JOB_H
#define CUPEL_CMD_FIO_JOB_FIO_JOB_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "base/text.h"
#include "cmd/options/options.h"

#define FIO_SECTIONS_MAX 128
#define FIO_SETTINGS_MAX 1024
#define FIO_FILES_MAX    16

/* One line of the file. */
struct fio_setting {
    char *name;  /* as typed */
    char *value; /* without comment, quotes and variables; NULL: the name stands alone */
    int section; /* its number; -1: [global] */
    int before;  /* of [global]: the number of the first section that it holds for */
    int file;    /* number of the name of the file */
    size_t line, column, value_column;
};

struct fio_section {
    char name[64]; /* fit for a message */
    size_t line, column;
    int file;
};

struct fio_job_file {
    char *files[FIO_FILES_MAX];
    struct fio_section sections[FIO_SECTIONS_MAX];
    struct fio_setting settings[FIO_SETTINGS_MAX];
    size_t file_count, section_count, setting_count;
};

/* Is it one by its name: does it end in ".fio"? */
bool fio_job_is(const char *path);

/*
 * Read a file of that name whose text is `text`; NULL: out of the file. `may_include`: other files
 * are read. ERR_USAGE "FILE:LINE:COLUMN: ..." for what is no job file; it is then empty. Owner:
 * fio_job_free.
 */
int fio_job_read(struct fio_job_file *file, const char *path, const struct span *text,
                 bool may_include, struct err *e);
void fio_job_free(struct fio_job_file *file);

/* A session, made of one section or of several that are alike and run at the same time. */
struct fio_session {
    char name[64];     /* of its first section */
    struct text words; /* "--rw=read" and so on, each ended by '\0' */
    size_t word_count;
    char target[1024];
    bool at_once;         /* it runs at the same time as the session before it */
    struct text notes;    /* lines: what is not quite the same */
    struct text left_out; /* lines: what is not honoured, with its place */
};

struct fio_sessions {
    struct fio_session list[FIO_SECTIONS_MAX];
    size_t count;
    struct text faults; /* lines "FILE:LINE:COLUMN: ...": what cannot be honoured */
    size_t fault_count;
};

/*
 * The sessions of a file, in their order. What cannot be honoured is in `faults`, and with a
 * session that is left without it in its `left_out`; a section without any session that could stand
 * for it has a fault alone. ERR_USAGE for values that cannot be read, with their place. Owner:
 * fio_sessions_free, after a failure as well.
 */
int fio_sessions_make(const struct fio_job_file *file, struct fio_sessions *sessions,
                      struct err *e);
void fio_sessions_free(struct fio_sessions *sessions);

/*
 * A command line of fio's, which has --name: what it asks for as one of cupel run's, or several
 * joined by " && ". Options that are cupel's alone stay. False: it is none. Without any text: what
 * of it cannot be honoured is in *why. Owner of `to`: the caller.
 */
bool fio_command_line(char *const words[], int count, struct text *to, struct err *why);

/* A blank and the word as a shell takes it. */
void fio_shell_word(struct text *to, const char *word);

/* A session as a command line of cupel run. */
struct fio_job_session {
    char *const *words; /* "cupel run" is before them */
    int word_count;
    const char *name;
    char folder_name[64]; /* the same, fit for a folder */
    size_t number, of;    /* the place of its step, from 1, among so many; sessions at the same time
                             are one step */
    size_t at_once;       /* sessions of its step */
    char folder[1024];    /* for the step's result where there are several; "": as the words say */
    char serial[256];     /* its target's, of several in --destroy-serial; "": as the words say */
    char left_out[1024];  /* what is not honoured, joined by "; " */
};

struct fio_job_runner {
    const volatile sig_atomic_t *stop; /* becomes true when no other session is to begin */
    /* Are the words a session that is possible? Does it write, and (unless NULL) for which target
       is that permitted, "" where it is not? ERR_USAGE. */
    int (*check)(const struct fio_job_session *s, bool *writes, char permitted[1024],
                 struct err *e);
    /* Run the `count` sessions of a step; returns as struct command has it. */
    int (*run)(const struct fio_job_session s[], size_t count, struct err *e);
};

/*
 * The whole of a job file, which is the first operand of `set`, with the other words of that
 * command line after those of each section; with --dry-run they are printed. All sessions are
 * checked before the first one runs. Returns as a command does.
 */
int fio_job_run(const struct option_set *set, const struct fio_job_runner *runner, struct err *e);

#endif
