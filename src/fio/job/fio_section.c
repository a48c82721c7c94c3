/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the settings of one section to the words of a command line of cupel run. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cmd/options/fio_option.h"
#include "fio/job/fio_value.h"
#include "fio/job/internal.h"
#include "source/generator/workload_spec_text.h"

/* Converts write_mode: the NVMe commands that are sent as writes. */
static int section_make_write_modes(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_WRITE_MODE];
    struct stream_spec stream;
    struct err why;
    if (!at)
        return 0;
    if (section_need_value(s, at, e))
        return -1;
    if (!strcmp(at->value, "zone_append")) {
        section_cannot(s, at, "write_mode=zone_append: zones are written at their write pointers");
        return 0;
    }
    if (write_modes_parse(at->value, &stream, &why))
        return section_refuse(s, at, e, "write_mode: %s", why.msg);
    if (!s->stream.past_block_layer)
        section_cannot(s, at, "write_mode: of io_uring_cmd alone");
    else if (s->stream.writes && strcmp(at->value, "write") != 0)
        section_word(s, "--%s=%s", fio_key_name(FIO_KEY_WRITE_MODE), at->value);
    return 0;
}

enum {
    MIX_READS = 50 /* fio's default percentage of reads */,
    PROCESSOR_MAX = 1023,
    RANGES_MAX = 256 /* number of ranges of one Dataset Management command */
};

static int read_base(struct section_reader *s, struct err *e)
{
    uint64_t base = 1024;
    if (section_read_number(s, FIO_KEY_BASE, 1024, &base, e))
        return -1;
    if (base != 1024 && base != 1000)
        return section_refuse(s, s->given[FIO_KEY_BASE], e, "kb_base is 1024 or 1000");
    s->base = (unsigned)base;
    return 0;
}

static int make_pattern(struct section_reader *s, struct err *e)
{
    static const char *const names[] = {"read",      "write",        "rw",   "randread",
                                        "randwrite", "randrw",       "trim", "trimwrite",
                                        "randtrim",  "randtrimwrite"};
    enum { TRIM = 6, RANDTRIM = 8 };
    const struct fio_setting *at = s->given[FIO_KEY_RW];
    char shown[64], name[64] = "read";
    uint64_t reads = MIX_READS, writes = 100 - MIX_READS;
    if (at && section_need_value(s, at, e))
        return -1;
    if (at)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at->value, ":"), at->value);
    for (size_t i = 0; i < FIO_PATTERN_COUNT; i++)
        if (!strcmp(name, fio_patterns[i].name))
            snprintf(name, sizeof name, "%s", fio_patterns[i].ours);
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strcmp(names[i], name) != 0)
        i++;
    if (i == sizeof names / sizeof *names)
        return section_refuse(s, at, e,
                              "%s is one of read, write, rw, trim, trimwrite, randread, randwrite, "
                              "randrw, randtrim, randtrimwrite, not %s",
                              at->name, section_printable(shown, at->value));
    s->stream.random = i >= RANDTRIM || (i >= 3 && i < TRIM);
    s->stream.mixed = i < TRIM && i % 3 == 2;
    s->stream.writes = i >= TRIM || i % 3 != 0;
    s->stream.trims = i >= TRIM ? names[i] : NULL;
    if (section_read_number(s, FIO_KEY_MIX_READ, 100, &reads, e) ||
        section_read_number(s, FIO_KEY_MIX_WRITE, 100, &writes, e))
        return -1;
    if (!s->given[FIO_KEY_MIX_READ] ||
        (s->given[FIO_KEY_MIX_WRITE] && s->given[FIO_KEY_MIX_WRITE] > s->given[FIO_KEY_MIX_READ]))
        reads = 100 - writes;
    s->stream.reads = reads;
    return section_read_number(s, FIO_KEY_RANGES, RANGES_MAX, &s->stream.ranges, e);
}

static int make_engine(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_ENGINE];
    char shown[64];
    uint64_t depth = 1, kernel_cpu = 0;
    bool direct = false, buffered = true, poll = false, thread = false;
    if (section_need_value(s, at, e) ||
        section_read_number(s, FIO_KEY_DEPTH, UINT32_MAX, &depth, e) ||
        section_read_flag(s, FIO_KEY_DIRECT, &direct, e) ||
        section_read_flag(s, FIO_KEY_BUFFERED, &buffered, e) ||
        section_read_flag(s, FIO_KEY_IOPOLL, &poll, e) ||
        section_read_flag(s, FIO_KEY_SQPOLL, &thread, e) ||
        section_read_number(s, FIO_KEY_SQPOLL_CPU, PROCESSOR_MAX, &kernel_cpu, e))
        return -1;
    const struct fio_engine *engine = fio_engine_find(at ? at->value : "psync");
    bool blkio = section_is_blkio_ring(s, at);
    if (!engine) {
        section_cannot(s, at, "ioengine=%s: cupel has no such engine",
                       section_printable(shown, at ? at->value : NULL));
        s->impossible = true;
        return 0;
    }
    if (engine->other && !blkio)
        section_cannot(s, at, "ioengine=%s: cupel has no such engine, and takes %s", engine->name,
                       engine->ours);
    if (*engine->note)
        text_addf(&s->session->notes, "%s\n", engine->note);
    for (size_t i = 0; i < sizeof fio_entry_engines / sizeof *fio_entry_engines; i++)
        if (!strcmp(fio_entry_engines[i].name, engine->name)) {
            s->stream.entries = engine->name;
            s->stream.sized = fio_entry_engines[i].sized;
        }
    s->stream.without_data = engine->without_data;
    s->stream.resizes = engine->resizes;
    s->stream.serial = engine->serial;
    s->stream.depth = engine->serial ? 1 : depth;
    s->targetless = engine->targetless;
    section_word(s, "--ioengine=%s", engine->ours);
    if (engine->serial && depth > 1)
        text_addf(&s->session->notes, "%s: one at a time with %s, as in fio\n",
                  fio_key_name(FIO_KEY_DEPTH), engine->name);
    /* the later of the two settings counts, as in fio */
    if (s->given[FIO_KEY_BUFFERED] && s->given[FIO_KEY_BUFFERED] > s->given[FIO_KEY_DIRECT])
        direct = !buffered;
    /* fio ignores `direct` for engines whose commands bypass the page cache */
    if (!s->targetless && !engine->direct)
        section_word(s, "--direct=%d", direct);
    s->stream.buffered = !direct && !engine->direct;
    s->stream.past_block_layer = engine->direct || engine->targetless;
    if (poll && !engine->serial)
        section_word(s, "--iopoll=on");
    if (thread && !engine->serial)
        section_word(s, "--sqpoll=on");
    if (thread && !engine->serial && s->given[FIO_KEY_SQPOLL_CPU])
        section_word(s, "--sqthread_poll_cpu=%" PRIu64, kernel_cpu);
    return 0;
}

/* Returns the size of the reads (direction 0) or writes (1) in bytes; 0 if there are several
   sizes. */
static double bytes_of(const struct fio_stream *f, unsigned direction)
{
    const char *comma = strchr(f->sizes, ',');
    if (!*f->sizes)
        return (double)f->block;
    return strchr(f->sizes, '/') ? 0 : strtod(direction && comma ? comma + 1 : f->sizes, NULL);
}

/* Reads the rates of reads and of writes, in requests per second of one job. A single number
   applies to both, and a missing number means no limit. A rate becomes -1 if it is in bytes per
   second and the request sizes differ. */
static int read_rates(struct section_reader *s, const struct fio_setting *at, double rates[2],
                      struct err *e)
{
    const bool in_bytes = at == s->given[FIO_KEY_RATE];
    const char *comma = strchr(at->value, ',');
    char text[64];
    bool differs = false;
    uint64_t number;
    for (unsigned i = 0; i < 2; i++) {
        if (i ? !fio_direction(at->value, 1, text, sizeof text)
              : section_choose_direction(s, at, text, sizeof text, &differs, e))
            return i ? section_refuse(s, at, e, "%s is too long", at->name) : -1;
        if (i && comma && (!comma[1] || comma[1] == ','))
            *text = '\0'; /* "1000," limits only the reads, as in fio */
        if (section_read_bytes(s, at, *text ? text : "0", &number, e))
            return -1;
        const double unit =
            in_bytes ? bytes_of(&s->stream, i || (s->stream.writes && !s->stream.mixed)) : 1;
        rates[i] = unit > 0 ? (double)number / unit : -1;
    }
    return 0;
}

/* In a mix with a rate for reads and one for writes, the rates determine the share of reads, and
   rwmixread has no effect. */
static void make_mixed_rate(struct section_reader *s, const double rates[2])
{
    const double sum = rates[0] + rates[1], percent = 100 * rates[0] / sum;
    if (sum <= 0)
        return;
    s->stream.apart = rates[0] <= 0 || rates[1] <= 0 || percent > floor(percent);
    s->stream.rate = s->stream.apart ? rates[0] : sum;
    s->stream.write_rate = s->stream.apart ? rates[1] : 0;
    if (!s->stream.apart)
        s->stream.reads = (uint64_t)percent;
    text_add(&s->session->notes,
             "rate: reads and writes have a rate each, which makes their mix\n");
}

static int make_rate(struct section_reader *s, struct err *e)
{
    const struct fio_setting *iops = s->given[FIO_KEY_RATE_IOPS],
                             *bandwidth = s->given[FIO_KEY_RATE];
    const struct fio_setting *at = iops ? iops : bandwidth;
    const struct fio_setting *process = s->given[FIO_KEY_RATE_PROCESS];
    char shown[64];
    double rates[2] = {0};
    if (!at)
        return 0;
    if (section_need_value(s, at, e) || read_rates(s, at, rates, e))
        return -1;
    const bool mixed = s->stream.mixed && s->stream.reads > 0 && s->stream.reads < 100;
    if (rates[0] < 0 || (mixed && rates[1] < 0)) {
        section_cannot(s, bandwidth, "rate: with several sizes it is no number of requests");
        return 0;
    }
    if (mixed)
        make_mixed_rate(s, rates);
    else
        s->stream.rate = rates[0];
    if (s->stream.rate <= 0 && s->stream.write_rate <= 0)
        return 0;
    if (process && process->value && strcmp(process->value, "linear") != 0 &&
        strcmp(process->value, "poisson") != 0)
        return section_refuse(s, process, e, "rate_process is linear or poisson, not %s",
                              section_printable(shown, process->value));
    s->stream.poisson = process && process->value && !strcmp(process->value, "poisson");
    text_add(&s->session->notes,
             "rate: requests have due times, and response times begin at these\n");
    return 0;
}

/* Converts latency_target: fio searches the highest depth that keeps the latency, cupel the highest
   rate. */
static int make_latency_target(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_LATENCY];
    const struct fio_setting *share = s->given[FIO_KEY_LATENCY_SHARE];
    uint64_t us = 0;
    char *end, text[64] = "";
    if (at && (!at->value || fio_time(at->value, 1, &us)))
        return section_refuse(s, at, e, "latency_target is a time in us");
    if (!us)
        return 0;
    double percent = share && share->value ? strtod(share->value, &end) : 100;
    if (share && (!share->value || *end || !(percent > 0 && percent <= 100)))
        return section_refuse(s, share, e, "latency_percentile is a share from 0 to 100");
    if (percent >= 100)
        section_cannot(s, at,
                       "latency_target: of all requests none is the slowest that is possible; "
                       "latency_percentile makes it a limit that can be decided");
    else {
        if (!s->stream.writes || s->stream.mixed)
            snprintf(text, sizeof text, "read.p%.6g<%" PRIu64 "us", percent, us);
        if (s->stream.writes)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s.p%.6g<%" PRIu64 "us",
                     *text ? "," : "", s->stream.trims ? "trim" : "write", percent, us);
        section_word(s, "--find-rate=%s", text);
        text_add(
            &s->session->notes,
            "latency_target: the most that keeps it is looked for over rates, not over depths\n");
    }
    return 0;
}

static int make_timing(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_RUNTIME], *think = s->given[FIO_KEY_THINK];
    char shown[64];
    uint64_t us = 0;
    if (at && (!at->value || fio_time(at->value, 1000000, &us)))
        return section_refuse(s, at, e, "%s is a time as 30 or 10m, not %s", at->name,
                              section_printable(shown, at->value));
    if (us)
        section_word(s, "--runtime=%.10gs", (double)us / 1e6);
    if (us && s->stream.trims && !strstr(s->stream.trims, "write"))
        text_add(&s->session->notes,
                 "runtime: what is trimmed is trimmed again until then, as with "
                 "time_based; without it each block is trimmed once\n");
    if (think && (!think->value || fio_time(think->value, 1, &s->stream.think_us)))
        return section_refuse(s, think, e, "thinktime is a time in us, not %s",
                              section_printable(shown, think->value));
    s->stream.random_share = 100;
    return section_read_number(s, FIO_KEY_RANDOM_SHARE, 100, &s->stream.random_share, e) ||
                   section_read_number(s, FIO_KEY_FLOW, 1000000, &s->stream.flow, e) ||
                   make_latency_target(s, e)
               ? -1
               : make_rate(s, e);
}

/* Refuses a section that writes if readonly is set, as fio does. */
static int make_read_only(struct section_reader *s, struct err *e)
{
    bool only = false;
    if (section_read_flag(s, FIO_KEY_READ_ONLY, &only, e))
        return -1;
    if (only && s->stream.writes)
        section_cannot(s, s->given[FIO_KEY_READ_ONLY], "readonly: and rw says that it writes");
    return 0;
}

/* Converts the number of completions that a job waits for before it issues the next requests.
   iodepth_low gives it indirectly: the number of requests that are then still in flight. */
static int make_batch(struct section_reader *s, struct err *e)
{
    const struct fio_setting *low = s->given[FIO_KEY_DEPTH_LOW];
    struct fio_stream *f = &s->stream;
    uint64_t rest = f->depth;
    if (section_read_number(s, FIO_KEY_BATCH_COMPLETE, UINT32_MAX, &f->batch, e) ||
        section_read_number(s, FIO_KEY_DEPTH_LOW, UINT32_MAX, &rest, e))
        return -1;
    if (low && rest && rest < f->depth && f->depth - rest > f->batch)
        f->batch = f->depth - rest;
    f->batch = f->batch < f->depth ? f->batch : f->depth;
    if (f->batch > 1 && s->targetless) {
        text_addf(&s->session->notes, "%s: requests of this engine complete at once\n",
                  fio_key_name(FIO_KEY_BATCH_COMPLETE));
        f->batch = 1;
    }
    return 0;
}

/* Converts fsync and fdatasync: the number of a job's writes between two flushes. */
static int make_flush(struct section_reader *s, struct err *e)
{
    static const enum fio_key keys[] = {FIO_KEY_FSYNC, FIO_KEY_FDATASYNC};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct fio_setting *at = s->given[keys[i]];
        uint64_t every = 0;
        if (section_read_number(s, keys[i], 1000000000, &every, e))
            return -1;
        if (!every)
            continue;
        if (!s->stream.writes)
            text_addf(&s->session->notes, "%s: nothing is written\n", at->name);
        else if (s->stream.flush_every)
            section_cannot(s, at, "%s: there is one kind of flush, and it has fsync", at->name);
        else {
            s->stream.flush_key = keys[i];
            s->stream.flush_every = every;
        }
    }
    return 0;
}

static int make_sync(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_SYNC];
    char shown[64];
    const char *kind = at ? fio_sync_kind(at->value ? at->value : "1") : "none";
    if (!kind)
        return section_refuse(s, at, e, "sync is one of none, sync, dsync, not %s",
                              section_printable(shown, at->value));
    if (!strcmp(kind, "none") || s->targetless)
        return 0;
    if (s->stream.writes)
        section_word(s, "--sync=%s", kind);
    else
        text_add(&s->session->notes, "sync: nothing is written\n");
    return 0;
}

/* Adds --cpus with the processors whose bits are set. */
static void add_mask(struct section_reader *s, uint64_t mask)
{
    char list[256] = "";
    for (unsigned i = 0; i < 64; i++)
        if (mask >> i & 1)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%u", *list ? "," : "", i);
    section_word(s, "--cpus=%s", list);
}

static int make_machine(struct section_reader *s, struct err *e)
{
    const struct fio_setting *cpus = s->given[FIO_KEY_CPU_MASK];
    uint64_t seed = 0, mask = 0;
    if (cpus && section_read_bytes(s, cpus, cpus->value, &mask, e))
        return -1;
    if (cpus && !mask)
        return section_refuse(s, cpus, e, "cpumask has a bit for each processor, and none is set");
    const struct fio_setting *nodes = s->given[FIO_KEY_NODES], *memory = s->given[FIO_KEY_MEMORY];
    if (section_read_number(s, FIO_KEY_SEED, UINT64_MAX, &seed, e) ||
        section_need_value(s, s->given[FIO_KEY_CPUS], e) || section_need_value(s, nodes, e) ||
        section_need_value(s, memory, e) || section_need_value(s, s->given[FIO_KEY_SCHEDULER], e))
        return -1;
    if (s->given[FIO_KEY_SEED])
        section_word(s, "--seed=%" PRIu64, seed);
    if (s->given[FIO_KEY_CPU_MASK] > s->given[FIO_KEY_CPUS])
        add_mask(s, mask);
    else if (s->given[FIO_KEY_CPUS])
        section_word(s, "--cpus=%.200s", s->given[FIO_KEY_CPUS]->value);
    if (nodes && strcmp(nodes->value, "all") != 0)
        section_word(s, "--%s=%.200s", fio_key_name(FIO_KEY_NODES), nodes->value);
    if (memory)
        section_word(s, "--%s=%.200s", fio_key_name(FIO_KEY_MEMORY), memory->value);
    if (s->given[FIO_KEY_SCHEDULER])
        section_word(s, "--scheduler=%.60s", s->given[FIO_KEY_SCHEDULER]->value);
    return 0;
}

/* Sections of trims or ftruncate cannot become profiles. Reports those of their settings that need
   a profile: a region in percent, an alignment, strides. */
static void keep_from_profile(struct section_reader *s)
{
    struct fio_stream *f = &s->stream;
    const char *what = f->trims ? f->trims : "ftruncate";
    if (!f->trims && !f->resizes)
        return;
    if (f->region.shares) {
        section_cannot(s, s->given[s->given[FIO_KEY_SIZE] ? FIO_KEY_SIZE : FIO_KEY_OFFSET],
                       "%s: its region is in bytes, not in percent", what);
        s->impossible = true;
    }
    if (f->align)
        section_cannot(s, s->given[FIO_KEY_ALIGN], "%s: it begins at multiples of bs", what);
    if (*f->address && !f->random)
        section_cannot(s, s->given[FIO_KEY_RW], "%s: it has no strides", what);
    f->align = 0;
    if (!f->random)
        *f->address = '\0';
}

int section_make(struct section_reader *s, struct err *e)
{
    s->stream.jobs = 1;
    section_gather(s);
    if (read_base(s, e) || section_read_number(s, FIO_KEY_JOBS, UINT32_MAX, &s->stream.jobs, e) ||
        make_pattern(s, e) || section_make_sizes(s, e) || make_engine(s, e) ||
        make_read_only(s, e) || section_make_files(s, e) || make_batch(s, e) || make_timing(s, e) ||
        make_flush(s, e) || make_sync(s, e) || section_make_address(s, e) ||
        section_make_data(s, e) || section_make_verify(s, e) || section_make_priorities(s, e) ||
        section_make_write_modes(s, e) || make_machine(s, e) || section_make_target(s, e))
        return -1;
    keep_from_profile(s);
    section_look_at_others(s);
    if (!s->stream.jobs)
        s->stream.jobs = 1;
    return 0;
}
