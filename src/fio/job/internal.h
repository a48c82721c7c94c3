/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/fio/job share: one section during its conversion to a command
   line. */
#ifndef CUPEL_FIO_JOB_INTERNAL_H
#define CUPEL_FIO_JOB_INTERNAL_H

#include <stdint.h>

#include "fio/job/fio_job.h"
#include "source/priority.h"
#include "tables/fio_keys.h"

/* A region of the target, in bytes or as shares of it in percent. A number below 0 means that the
   setting is not given. */
struct fio_region {
    double size, offset;
    bool shares;
    /* bytes from a job's region to the next job's; 0: all use the same region */
    uint64_t increment;
};

/* The workload of a section. */
struct fio_stream {
    char name[64];
    bool random, mixed, writes;
    /* pattern of a section with trims, such as "randtrim", or NULL; trims count as writes */
    const char *trims;
    uint64_t ranges;   /* number of ranges in each trim; 0: 1 */
    bool without_data; /* the engine moves no data (io_is_without_data) */
    bool resizes;      /* the engine changes the size of the file; only with `without_data` */
    uint64_t reads;    /* percent of a mix */
    char sizes[512];   /* sizes with weights; "": all requests have the size `block` */
    uint64_t block, align;
    uint64_t depth, jobs;
    bool serial; /* the engine has at most one I/O in flight */
    uint64_t think_us;
    double rate;       /* requests per second of one job; 0: limited only by the depth */
    double write_rate; /* rate of writes if `apart`, in requests per second of one job */
    /* reads and writes are two streams, because no mix of whole percents has their rates: `rate`
       is that of reads, `write_rate` that of writes. One of them may be 0: limited only by the
       depth. */
    bool apart;
    bool poisson;
    char address[512]; /* kind of address; "": sequential, or uniformly random */
    uint64_t random_share;
    uint64_t flow;
    /* options about written data, one on each line; "": the section does not write, or writes noise
     */
    char data[400];
    uint16_t priority; /* priority of all requests of the stream (source/priority.h); 0: none */
    /* priorities of a share of the requests, in the notation of
       source/generator/workload_spec_text.h; or "" */
    char shares[256];
    bool buffered, past_block_layer;
    enum fio_key flush_key; /* fsync or fdatasync */
    uint64_t flush_every;   /* number of a job's writes between flushes; 0: no flushes */
    uint64_t batch;         /* completions that a job waits for before it issues requests; 0: 1 */
    struct fio_region region;
    const char *entries; /* name of an engine for files and folders; NULL: the engine moves bytes */
    bool sized;          /* with `entries`: the files have a size */
    uint64_t files;      /* number of files of each job */
};

struct section_reader {
    const struct fio_job_file *file;
    struct fio_sessions *all;
    struct fio_session *session;
    const struct fio_setting *given[FIO_KEY_COUNT];
    int section;
    unsigned base; /* value of kb_base: 1024 or 1000 */
    bool impossible;
    struct fio_stream stream;
    bool targetless;
    bool own_files; /* the section names no file: each job has files that are made for it */
    /* number of targets in session->targets; each gets a share of the section */
    size_t target_count;
    bool folders; /* the targets are folders, and each job uses one of them */
    /* the targets are measured one after another, each with all jobs of the section */
    bool one_by_one;
};

/* Refuses a value that cannot be read: sets ERR_USAGE with the place of the setting. Returns -1. */
int section_refuse(const struct section_reader *s, const struct fio_setting *at, struct err *e,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Records that a setting cannot be honoured; `at` NULL: the section itself. */
void section_cannot(struct section_reader *s, const struct fio_setting *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a word to the session's command line. */
void section_word(struct section_reader *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes a value printable in a message. Returns `to`. */
const char *section_printable(char to[64], const char *text);

/* section_gather finds the settings that apply to the section, and stores them in `given` under
   their keys; section_look_at_others adds notes on settings without a key. */
void section_gather(struct section_reader *s);
void section_look_at_others(struct section_reader *s);
/* Returns true if the setting belongs to the section, or to a [global] above the section. */
bool section_has(const struct section_reader *s, const struct fio_setting *at);

/* Returns true if settings of that name are supported. */
bool fio_key_is(const char *name);

/* Returns the name of the key in fio, which is also the name of the option of cupel run. */
const char *fio_key_name(enum fio_key key);

/* Read the value of a setting. If the setting is not given, the result stays unchanged. Return -1
   after section_refuse refused the value. */
int section_need_value(const struct section_reader *s, const struct fio_setting *at, struct err *e);
int section_read_number(const struct section_reader *s, enum fio_key key, uint64_t max,
                        uint64_t *to, struct err *e);
int section_read_bytes(const struct section_reader *s, const struct fio_setting *at,
                       const char *text, uint64_t *to, struct err *e);
int section_read_flag(const struct section_reader *s, enum fio_key key, bool *yes, struct err *e);

/* The values of a setting for the directions of the section's pattern: one value, or two if those
   of reads and writes differ. */
struct section_directed {
    char value[2][1024];
    unsigned count;
};
int section_read_directed(const struct section_reader *s, const struct fio_setting *at,
                          struct section_directed *to, struct err *e);

/* Copies the value for the direction of the section's pattern. *differs: the section mixes reads
   and writes, and their values differ, so that there is no common value. */
int section_choose_direction(struct section_reader *s, const struct fio_setting *at, char *to,
                             size_t size, bool *differs, struct err *e);

/* Converts all settings of the section to words, except those of its stream. */
int section_make(struct section_reader *s, struct err *e);

/* Parts of section_make in fio_files.c: convert the number of files; and, when sizes are known, the
   targets. */
int section_make_files(struct section_reader *s, struct err *e);
int section_make_target(struct section_reader *s, struct err *e);
/* Changes `s` from the whole section to the part for target `number`: its share of the jobs,
   requests in flight, rates and bytes. */
void section_give_share(struct section_reader *s, size_t number);

/* Returns true if the engine is libblkio with the driver io_uring, which opens a path. */
bool section_is_blkio_ring(const struct section_reader *s, const struct fio_setting *engine);

/* Parts of section_make in fio_address.c: convert the distribution of addresses, and the region of
   the target. */
int section_make_address(struct section_reader *s, struct err *e);
int section_make_region(struct section_reader *s, struct err *e);
/* Converts the sizes of requests and the offsets at which they begin. */
int section_make_sizes(struct section_reader *s, struct err *e);
/* Converts the priorities of requests; sizes and the engine must be known. */
int section_make_priorities(struct section_reader *s, struct err *e);

/* Part of section_make: converts the settings about written data. */
int section_make_data(struct section_reader *s, struct err *e);
/* Converts the settings about reading data back; it must be called after section_make_data. */
int section_make_verify(struct section_reader *s, struct err *e);

/* Returns true if the streams are equal except for their names and jobs. */
bool fio_streams_alike(const struct fio_stream *a, const struct fio_stream *b);
/* Add options to the session's command line, for one stream or for several that run at the same
   time. `shared`: the streams or jobs share one target, whose size is the sum of their sizes;
   false: the target has the size of one stream's or job's region. */
void section_add_options(struct section_reader *s, bool shared);
void section_add_profile(struct section_reader *s, const struct section_reader parts[],
                         size_t count, bool shared);

#endif
