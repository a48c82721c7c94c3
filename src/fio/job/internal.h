/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of this room: one section during its conversion to a command line. */
#ifndef CUPEL_FIO_JOB_INTERNAL_H
#define CUPEL_FIO_JOB_INTERNAL_H

#include <stdint.h>

#include "fio/job/fio_job.h"
#include "source/priority.h"
#include "tables/fio_keys.h"

/* A part of the target: bytes, or shares of it in percent; below 0: not given. */
struct fio_region {
    double size, offset;
    bool shares;
    uint64_t increment; /* distance from a job's region to the next job's; 0: they share one */
};

/* The workload of a section. */
struct fio_stream {
    char name[64];
    bool random, mixed, writes;
    const char *trims; /* pattern of trims, "randtrim", if it has any; they count as writes */
    uint64_t ranges;   /* in each trim; 0: 1 */
    bool without_data; /* the engine moves no data (io_is_without_data) */
    bool resizes;      /* such an engine changes the size of the file */
    uint64_t reads;    /* percent of a mix */
    char sizes[512];   /* with weights; "": block */
    uint64_t block, align;
    uint64_t depth, jobs;
    bool serial; /* the engine has only one I/O in flight */
    uint64_t think_us;
    double rate;       /* requests per second of one job; 0: as many as the depth allows */
    double write_rate; /* of writes `apart` */
    bool apart; /* `rate` is of reads alone; no mix of whole percents has these rates. One of them
                   may be 0: as many as the depth allows */
    bool poisson;
    char address[512]; /* "": sequential, or random everywhere */
    uint64_t random_share;
    uint64_t flow;
    char data[400];    /* words about written data, a line each; "": no writes, or noise */
    uint16_t priority; /* priority of all its requests (source/priority.h); 0: no
                          priority */
    char shares[256];  /* priorities of some requests, in the notation of
                          source/generator/workload_spec_text.h; or "" */
    bool buffered, past_block_layer;
    enum fio_key flush_key; /* fsync or fdatasync */
    uint64_t flush_every;   /* a flush follows this many writes of a job; 0: no flushes */
    uint64_t batch;         /* completions that a job waits for before it issues requests; 0: 1 */
    struct fio_region region;
    const char *entries; /* the engine for files and folders; NULL: it moves bytes */
    bool sized;          /* these have a size */
    uint64_t files;      /* for each job */
};

struct section_reader {
    const struct fio_job_file *file;
    struct fio_sessions *all;
    struct fio_session *session;
    const struct fio_setting *given[FIO_KEY_COUNT];
    int section;
    unsigned base; /* base of sizes */
    bool impossible;
    struct fio_stream stream;
    bool targetless;
    bool own_files;      /* each job has files that are made for it, without names */
    size_t target_count; /* of session->targets; each then has a part of the section */
    bool folders;        /* they are folders, and each job has one */
    bool one_by_one;     /* they follow one another, each with all of the section's jobs */
};

/* Refuses a value that cannot be read: ERR_USAGE with its place; returns -1. */
int section_refuse(const struct section_reader *s, const struct fio_setting *at, struct err *e,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Notes a setting that cannot be honoured; `at` NULL: the section itself. */
void section_cannot(struct section_reader *s, const struct fio_setting *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a word to the command line. */
void section_word(struct section_reader *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes a value printable in a message. Returns `to`. */
const char *section_printable(char to[64], const char *text);

/* Finds the settings that apply to the section, by key, and notes all others. */
void section_gather(struct section_reader *s);
void section_look_at_others(struct section_reader *s);
/* Is it a setting of the section, or of a [global] before it? */
bool section_has(const struct section_reader *s, const struct fio_setting *at);

/* Is a setting of that name supported? */
bool fio_key_is(const char *name);

/* Returns the key's name, which cupel run uses too. */
const char *fio_key_name(enum fio_key key);

/* Read the value of a setting. If it is not given, the result is unchanged. -1: the value was
   refused by section_refuse. */
int section_need_value(const struct section_reader *s, const struct fio_setting *at, struct err *e);
int section_read_number(const struct section_reader *s, enum fio_key key, uint64_t max,
                        uint64_t *to, struct err *e);
int section_read_bytes(const struct section_reader *s, const struct fio_setting *at,
                       const char *text, uint64_t *to, struct err *e);
int section_read_flag(const struct section_reader *s, enum fio_key key, bool *yes, struct err *e);

/* The values of a setting for the pattern's directions: one, or those of reads and writes if they
   differ. */
struct section_directed {
    char value[2][1024];
    unsigned count;
};
int section_read_directed(const struct section_reader *s, const struct fio_setting *at,
                          struct section_directed *to, struct err *e);

/* Copies the value for the pattern's direction. A mix with two values has no common one:
   `differs`. */
int section_choose_direction(struct section_reader *s, const struct fio_setting *at, char *to,
                             size_t size, bool *differs, struct err *e);

/* Makes all words of the section except those of its stream. */
int section_make(struct section_reader *s, struct err *e);

/* Parts of section_make: which files its jobs use (fio_files.c); and when their sizes are known,
   its targets. */
int section_make_files(struct section_reader *s, struct err *e);
int section_make_target(struct section_reader *s, struct err *e);
/* Makes `s`, which has all of the section, the part of its target `number`, with its share of the
   jobs, requests in flight, rates and bytes. */
void section_give_share(struct section_reader *s, size_t number);

/* libblkio's driver of that name is io_uring on a path. */
bool section_is_blkio_ring(const struct section_reader *s, const struct fio_setting *engine);

/* Part of section_make: the distribution, and the region of the target. */
int section_make_address(struct section_reader *s, struct err *e);
int section_make_region(struct section_reader *s, struct err *e);
/* How large its requests are, and where they begin. */
int section_make_sizes(struct section_reader *s, struct err *e);
/* The priorities of its requests; sizes and the engine are known. */
int section_make_priorities(struct section_reader *s, struct err *e);

/* Part of section_make: the written data. */
int section_make_data(struct section_reader *s, struct err *e);
/* Whether data are read back; called after section_make_data. */
int section_make_verify(struct section_reader *s, struct err *e);

/* Are the streams equal except for their names and jobs? */
bool fio_streams_alike(const struct fio_stream *a, const struct fio_stream *b);
/* Makes words for one stream, or for several at the same time. `shared`: they share one target as
   large as all of theirs; false: as large as one's. */
void section_add_options(struct section_reader *s, bool shared);
void section_add_profile(struct section_reader *s, const struct section_reader parts[],
                         size_t count, bool shared);

#endif
