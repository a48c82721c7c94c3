/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share: one section on its way to a command line. */
#ifndef CUPEL_CMD_FIO_JOB_INTERNAL_H
#define CUPEL_CMD_FIO_JOB_INTERNAL_H

#include <stdint.h>

#include "cmd/fio_job/fio_job.h"
#include "tables/fio_keys.h"

struct section_reader {
    const struct fio_job_file *file;
    struct fio_sessions *all;
    struct fio_session *session;
    const struct fio_setting *given[FIO_KEY_COUNT];
    int section;
    unsigned base; /* of sizes */
    bool impossible;
    bool random, mixed, writes; /* the pattern */
    uint64_t block, jobs;
    bool serial; /* the engine has one I/O at a time */
    bool targetless;
    uint64_t size; /* bytes of the region; 0: not given */
};

/* A value that cannot be read: ERR_USAGE with its place, -1. */
int section_refuse(const struct section_reader *s, const struct fio_setting *at, struct err *e,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What cannot be honoured; `at` NULL: the section itself. */
void section_cannot(struct section_reader *s, const struct fio_setting *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One more word of the command line. */
void section_word(struct section_reader *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A value fit for a message. Returns `to`. */
const char *section_printable(char to[64], const char *text);

/* The settings that hold for the section, by key; and what is to be said of all the others. */
void section_gather(struct section_reader *s);
void section_look_at_others(struct section_reader *s);

/* Its name, as cupel run has it too. */
const char *fio_key_name(enum fio_key key);

/* Values; where the setting is not given they leave everything as it was. -1: section_refuse. */
int section_need_value(const struct section_reader *s, const struct fio_setting *at, struct err *e);
int section_read_number(const struct section_reader *s, enum fio_key key, uint64_t max,
                        uint64_t *to, struct err *e);
int section_read_bytes(const struct section_reader *s, const struct fio_setting *at,
                       const char *text, uint64_t *to, struct err *e);
int section_read_flag(const struct section_reader *s, enum fio_key key, bool *yes, struct err *e);

/* All words of the section but its size and jobs, which others may add to. */
int section_make(struct section_reader *s, struct err *e);

#endif
