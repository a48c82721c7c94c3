/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a job file of fio and converts it to command lines of cupel run.
 *
 * Reading follows fio's HOWTO. A section begins with a name in brackets, and has the settings of
 * every [global] above it. A setting is "name=value" or a name alone; ; and # begin comments.
 * include FILE inserts the lines of another file, which is first looked for beside the including
 * file. ${NAME} is an environment variable; $ncpus, $pagesize and $mb_memory describe this machine.
 * Sizes may have the units k, m, g, t, p by kb_base (1024 or 1000); as in fio, units such as ki use
 * the other base.
 *
 * Nothing here opens a target. A job file never permits writing.
 */
#ifndef CUPEL_FIO_JOB_FIO_JOB_H
#define CUPEL_FIO_JOB_FIO_JOB_H

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

/* One setting: a line of the file. */
struct fio_setting {
    char *name;  /* as typed */
    char *value; /* without comment and quotes, variables replaced; NULL: there is no value */
    int section; /* index of the setting's section; -1: [global] */
    int before;  /* for a setting of [global]: index of the first section that it applies to */
    int file;    /* index in fio_job_file.files */
    size_t line, column, value_column;
};

struct fio_section {
    char name[64]; /* the section's name, without characters that cannot be shown in a message */
    size_t line, column;
    int file;
};

struct fio_job_file {
    char *files[FIO_FILES_MAX];
    struct fio_section sections[FIO_SECTIONS_MAX];
    struct fio_setting settings[FIO_SETTINGS_MAX];
    size_t file_count, section_count, setting_count;
    /* names of the sections to convert, separated by commas; NULL: all. Set by the caller; it must
       outlive the sessions. */
    const char *only;
};

/* Returns true if the name ends in ".fio". */
bool fio_job_is(const char *path);

/*
 * Reads the job file `path`; `text` is its contents, or NULL to read the file itself.
 * `may_include`: include FILE is permitted. Error: ERR_USAGE "FILE:LINE:COLUMN: ...", if it is not
 * a job file; *file is then empty. The caller frees *file with fio_job_free.
 */
int fio_job_read(struct fio_job_file *file, const char *path, const struct span *text,
                 bool may_include, struct err *e);
void fio_job_free(struct fio_job_file *file);

/* A session, made from one section, or from several sections that run at the same time. */
struct fio_session {
    char name[64];     /* name of the session's first section */
    struct text words; /* "--rw=read" and so on, each ended by '\0' */
    size_t word_count;
    char target[1024];
    /* if the session's section has several targets: all of them, each ended by '\0' */
    struct text targets;
    bool at_once;         /* runs at the same time as the previous session */
    struct text notes;    /* lines about differences from fio */
    struct text left_out; /* lines about settings that are not honoured, each with its place */
};

struct fio_sessions {
    struct fio_session list[FIO_SECTIONS_MAX];
    size_t count;
    struct text faults; /* lines "FILE:LINE:COLUMN: ..." about settings that cannot be honoured */
    size_t fault_count;
};

/*
 * Makes the sessions of a file, in the order of the file. Settings that cannot be honoured are
 * listed in `faults`, and also in `left_out` of the session that is made without them; a section
 * for which no session can be made has only a fault. Error: ERR_USAGE, with the place, if a value
 * cannot be read, or if no section has a name of file->only. The caller frees the sessions with
 * fio_sessions_free, also after a failure.
 */
int fio_sessions_make(const struct fio_job_file *file, struct fio_sessions *sessions,
                      struct err *e);
void fio_sessions_free(struct fio_sessions *sessions);

/*
 * Converts a command line of fio to one of cupel run, or several joined by " && ". It must have
 * --name, or a job file and only options about output. Options that only cupel has are kept.
 * Returns false if it is not a command line of fio. When `to` stays empty, *why says what cannot be
 * honoured; otherwise `notes` has a line for each option that is measured differently or left out.
 * The caller frees both texts.
 */
bool fio_command_line(char *const words[], int count, struct text *to, struct text *notes,
                      struct err *why);

/* Adds a blank and the word, quoted for a shell. */
void fio_shell_word(struct text *to, const char *word);

/* A session as a command line of cupel run. */
struct fio_job_session {
    char *const *words; /* the words after "cupel run" */
    int word_count;
    const char *name;
    char folder_name[64]; /* the name, changed so that it can be a folder's name */
    /* number of the session's step, from 1, and number of all steps; sessions that run at the same
       time are one step */
    size_t number, of;
    size_t at_once; /* number of sessions in the same step */
    /* folder for the result if there are several steps; "": --output in `words` decides */
    char folder[1024];
    /* serial number of the session's target if --destroy-serial lists several; "": --destroy-serial
       in `words` decides */
    char serial[256];
    char left_out[1024]; /* settings that are not honoured, joined by "; " */
};

struct fio_job_runner {
    /* Checks, before anything is measured, that the session may write its target. Errors:
       ERR_UNSAFE. */
    int (*may_write)(const struct fio_job_session *s, struct err *e);
    const volatile sig_atomic_t *stop; /* nonzero: no further session begins */
    /* Checks that the words are a possible session. *writes becomes true if the session writes.
       `permitted` (unless NULL) becomes the target that the session may write, or "" if it may
       write none. Errors: ERR_USAGE. */
    int (*check)(const struct fio_job_session *s, bool *writes, char permitted[1024],
                 struct err *e);
    /* Runs the `count` sessions of a step at the same time. Returns an exit status, as the function
       of a command does (struct command). */
    int (*run)(const struct fio_job_session s[], size_t count, struct err *e);
};

/*
 * Runs a job file, the first operand of `set`. The other words of the command line are added after
 * those of each section. With --dry-run the command lines are only printed; --section selects
 * sections. Before the first session runs, all sessions are checked, and whether each may write its
 * target. Returns an exit status, as the function of a command does (struct command).
 */
int fio_job_run(const struct option_set *set, const struct fio_job_runner *runner, struct err *e);

#endif
