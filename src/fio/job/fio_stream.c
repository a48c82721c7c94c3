/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the streams of sections as options of cupel run or, when options do not suffice, as a
   profile. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fio/job/internal.h"

/* ---- one stream as options ---- */

static const char *pattern_of(const struct fio_stream *f)
{
    static const char *const names[2][3] = {{"read", "write", "rw"},
                                            {"randread", "randwrite", "randrw"}};
    if (f->trims)
        return f->trims;
    /* If another option names the kind of address, the pattern must be random, even if the
       addresses are sequential. */
    return names[f->random || *f->address][f->mixed ? 2 : f->writes];
}

static void add_depth(struct section_reader *s, bool serial, uint64_t depth)
{
    if (!serial)
        section_word(s, "--%s=%" PRIu64, fio_key_name(FIO_KEY_DEPTH), depth);
}

static void add_arrival(struct section_reader *s, double rate, bool poisson)
{
    section_word(s, "--rate_iops=%.6f", rate);
    section_word(s, "--arrival=%s", poisson ? "poisson" : "uniform");
}

static const char *after_slash(const char *text)
{
    text += strcspn(text, "/");
    return text + (*text == '/');
}

/* Adds the priorities of a share of the requests. A single split for any size and without a hint,
   such as "any/20/rt/0", is written as cmdprio_percentage; all others as cmdprio_bssplit. */
static void add_shares(struct section_reader *s, const char *shares)
{
    const char *percent = after_slash(shares), *class = after_slash(percent);
    const char *level = after_slash(class);
    if (!*shares)
        return;
    if (strncmp(shares, "any/", 4) != 0 || strpbrk(shares, ":,") || strchr(level, '/')) {
        section_word(s, "--%s=%s", fio_key_name(FIO_KEY_CMDPRIO_BSSPLIT), shares);
        return;
    }
    section_word(s, "--%s=%.*s", fio_key_name(FIO_KEY_CMDPRIO_PERCENTAGE),
                 (int)strcspn(percent, "/"), percent);
    section_word(s, "--%s=%.*s", fio_key_name(FIO_KEY_CMDPRIO_CLASS), (int)strcspn(class, "/"),
                 class);
    if (*level)
        section_word(s, "--%s=%s", fio_key_name(FIO_KEY_CMDPRIO), level);
}

static void add_priorities(struct section_reader *s, const struct fio_stream *f)
{
    char words[PRIORITY_WORDS];
    priority_words(f->priority, words);
    if (f->priority) {
        section_word(s, "--%s=%.*s", fio_key_name(FIO_KEY_PRIO_CLASS), (int)strcspn(words, "/"),
                     words);
        section_word(s, "--%s=%u", fio_key_name(FIO_KEY_PRIO), priority_level_of(f->priority));
    }
    if (priority_hint_of(f->priority))
        section_word(s, "--%s=%u", fio_key_name(FIO_KEY_PRIO_HINT), priority_hint_of(f->priority));
    add_shares(s, f->shares);
}

static void add_region(struct section_reader *s, double offset, double size)
{
    if (offset > 0)
        section_word(s, "--offset=%.0f", offset);
    if (size > 0)
        section_word(s, "--size=%.0f", size);
}

/* Adds offset_increment. It is refused if the session has several streams, because each could have
   a different increment. */
static void add_increment(struct section_reader *s, const struct section_reader *part, bool alone)
{
    const uint64_t increment = part->stream.region.increment;
    if (increment && alone)
        section_word(s, "--%s=%" PRIu64, fio_key_name(FIO_KEY_OFFSET_INCREMENT), increment);
    else if (increment)
        section_cannot(s, part->given[FIO_KEY_OFFSET_INCREMENT],
                       "offset_increment: only where one section runs at a time on its target");
}

/* Adds the option for flushes. Only a closed loop supports flushes: neither profiles nor requests
   with due times do. */
static void add_flush(struct section_reader *s, const struct section_reader *part, bool possible)
{
    const struct fio_stream *f = &part->stream;
    if (f->flush_every && possible)
        section_word(s, "--%s=%" PRIu64, fio_key_name(f->flush_key), f->flush_every);
    else if (f->flush_every)
        section_cannot(s, part->given[f->flush_key],
                       "%s: flushes follow the writes of one stream alone, of one size and without "
                       "rate, thinktime and random_distribution",
                       fio_key_name(f->flush_key));
}

/* Adds the number of completions that a job waits for. It is possible only if requests are issued
   as soon as the depth allows. */
static void add_batch(struct section_reader *s, const struct section_reader *part, bool possible)
{
    const struct fio_stream *f = &part->stream;
    const struct fio_setting *at = part->given[FIO_KEY_BATCH_COMPLETE];
    if (f->batch < 2)
        return;
    if (possible)
        section_word(s, "--iodepth_batch_complete_min=%" PRIu64, f->batch);
    else
        section_cannot(s, at ? at : part->given[FIO_KEY_DEPTH_LOW],
                       "%s: batches are those of one stream alone, of one size and without rate, "
                       "thinktime and random_distribution",
                       (at ? at : part->given[FIO_KEY_DEPTH_LOW])->name);
}

/* Removes the present words, which are options about the conduct of the session, and returns them.
   put_words_back adds them after the words about the workload. */
static struct text set_words_apart(struct section_reader *s)
{
    struct text rest = s->session->words;
    s->session->words = (struct text){0};
    return rest;
}

static void put_words_back(struct section_reader *s, struct text *rest)
{
    text_add_bytes(&s->session->words, rest->data ? rest->data : "", rest->length);
    text_free(rest);
}

/* Adds the words about written data from the first stream that writes; all streams have the
   same. */
static void add_data(struct section_reader *s, const struct section_reader parts[], size_t count)
{
    size_t i = 0;
    while (i < count && !*parts[i].stream.data)
        i++;
    for (const char *at = i < count ? parts[i].stream.data : ""; *at; at += strcspn(at, "\n") + 1)
        section_word(s, "%.*s", (int)strcspn(at, "\n"), at);
}

static void add_entries(struct section_reader *s)
{
    const struct fio_stream *f = &s->stream;
    section_word(s, "--files=%" PRIu64, f->files);
    if (f->sized)
        add_region(s, 0, f->region.size);
    if (f->jobs > 1)
        section_word(s, "--numjobs=%" PRIu64, f->jobs);
}

void section_add_options(struct section_reader *s, bool shared)
{
    const struct fio_stream *f = &s->stream;
    if (f->entries) {
        add_entries(s);
        return;
    }
    struct text rest = set_words_apart(s);
    section_word(s, "--rw=%s", pattern_of(f));
    if (f->mixed && f->reads != 50)
        section_word(s, "--rwmixread=%" PRIu64, f->reads);
    if (*f->sizes)
        section_word(s, "--%s=%s", fio_key_name(FIO_KEY_BSSPLIT), f->sizes);
    else
        section_word(s, "--bs=%" PRIu64, f->block);
    if (f->ranges > 1)
        section_word(s, "--num_range=%" PRIu64, f->ranges);
    add_data(s, s, 1);
    add_depth(s, f->serial, f->depth);
    if (*f->address)
        section_word(s, "--random_distribution=%s", f->address);
    else if (f->random && f->random_share < 100)
        section_word(s, "--percentage_random=%" PRIu64, f->random_share);
    if (f->think_us)
        section_word(s, "--thinktime=%" PRIu64 "us", f->think_us);
    if (f->rate > 0)
        add_arrival(s, f->rate * (double)f->jobs, f->poisson);
    const bool plain = !*f->sizes && !*f->address && !f->think_us && !(f->rate > 0);
    add_flush(s, s, plain);
    add_batch(s, s, plain);
    add_region(s, f->region.offset, f->region.size * (shared ? (double)f->jobs : 1));
    add_increment(s, s, true);
    if (f->jobs > 1)
        section_word(s, "--numjobs=%" PRIu64, f->jobs);
    add_priorities(s, f);
    if (shared && f->jobs > 1)
        text_addf(&s->session->notes,
                  "%" PRIu64 " jobs share one scratch file, as large as theirs\n", f->jobs);
    put_words_back(s, &rest);
}

/* ---- streams as a profile ---- */

/* The range [begin, end) that contains all streams: bytes of the target, or shares of it in
   percent. */
struct extent {
    double begin, end;
    bool shares;
};

static struct extent extent_of(const struct section_reader parts[], size_t count, bool shared)
{
    struct extent x = {.begin = INFINITY, .shares = parts[0].stream.region.shares};
    for (size_t i = 0; i < count; i++) {
        const struct fio_region *r = &parts[i].stream.region;
        double begin = fmax(r->offset, 0);
        if (shared) {
            x.begin = 0;
            x.end += r->size * (double)parts[i].stream.jobs;
            continue;
        }
        x.begin = fmin(x.begin, begin);
        x.end = fmax(x.end, r->size > 0 ? begin + r->size : 0);
    }
    if (x.shares)
        x = (struct extent){.end = 100, .shares = true};
    return x;
}

static void plain_name(char to[24], const char *name)
{
    size_t used = 0;
    for (; *name && used < 17; name++)
        to[used++] = isalnum((unsigned char)*name) || *name == '-' ? *name : '_';
    to[used] = '\0';
}

/* Adds a name that is valid in a profile and that no other stream of it has. */
static void add_name(struct text *out, const struct section_reader parts[], size_t number,
                     const char *end)
{
    char name[24], other[24];
    bool again = false;
    plain_name(name, parts[number].stream.name);
    for (size_t i = 0; i < number; i++) {
        plain_name(other, parts[i].stream.name);
        again = again || !strcmp(name, other);
    }
    text_addf(out, "[stream %s", name);
    if (again)
        text_addf(out, "_%zu", number + 1);
    text_addf(out, "%s]", end);
}

static void add_timing(struct text *out, const struct fio_stream *f)
{
    if (f->rate > 0) {
        text_addf(out, ";kind open;weight %.9g;arrival %s", f->rate * (double)f->jobs,
                  f->poisson ? "poisson" : "uniform");
        return;
    }
    text_addf(out, ";kind closed;concurrency %" PRIu64, f->depth * f->jobs);
    if (f->think_us)
        text_addf(out, ";think %" PRIu64 "us", f->think_us);
}

static void add_stream(struct text *out, const struct fio_stream *f, double from, double to)
{
    char words[PRIORITY_WORDS];
    add_timing(out, f);
    if (f->flow)
        text_addf(out, ";flow %" PRIu64, f->flow);
    else
        text_addf(out, ";jobs %" PRIu64, f->jobs);
    if (f->mixed || f->writes)
        text_addf(out, ";write %" PRIu64 "%%", f->mixed ? 100 - f->reads : 100);
    text_addf(out, ";size ");
    if (*f->sizes)
        text_add(out, f->sizes);
    else
        text_addf(out, "%" PRIu64, f->block);
    if (f->priority)
        text_addf(out, ";priority %s", priority_words(f->priority, words));
    if (*f->shares)
        text_addf(out, ";priorities %s", f->shares);
    if (f->align)
        text_addf(out, ";align %" PRIu64, f->align);
    text_addf(out, ";address %s", *f->address ? f->address : f->random ? "random" : "sequential");
    if (f->random && !*f->address && f->random_share < 100)
        text_addf(out, ";sequential %" PRIu64 "%%", 100 - f->random_share);
    if (from > 0 || to < 1)
        text_addf(out, ";region %.12g%%-%.12g%%", from * 100, to * 100);
}

/* Adds a section to the profile: one stream, or two if the reads and the writes of a mix have
   different rates. */
static void add_part(struct text *out, const struct section_reader parts[], size_t number,
                     double from, double to)
{
    const struct fio_stream *f = &parts[number].stream;
    const char *writes = strchr(f->sizes, ',');
    text_add(out, number ? ";" : "");
    if (!f->apart) {
        add_name(out, parts, number, "");
        add_stream(out, f, from, to);
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct fio_stream one = *f;
        one.mixed = false;
        one.writes = i;
        one.rate = i ? f->write_rate : f->rate;
        if (writes)
            snprintf(one.sizes, sizeof one.sizes, "%.*s",
                     i ? (int)strlen(writes + 1) : (int)(writes - f->sizes),
                     i ? writes + 1 : f->sizes);
        text_add(out, i ? ";" : "");
        add_name(out, parts, number, i ? "-write" : "-read");
        add_stream(out, &one, from, to);
    }
}

bool fio_streams_alike(const struct fio_stream *a, const struct fio_stream *b)
{
    const struct fio_stream *both[] = {a, b};
    struct text texts[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        struct fio_stream one = *both[i];
        one.jobs = 1;
        add_stream(&texts[i], &one, one.region.offset, one.region.size);
    }
    bool alike = texts[0].data && texts[1].data && !strcmp(texts[0].data, texts[1].data) &&
                 a->region.shares == b->region.shares && a->files == b->files &&
                 a->region.increment == b->region.increment && a->flush_every == b->flush_every &&
                 a->flush_key == b->flush_key && a->ranges == b->ranges && a->batch == b->batch &&
                 a->apart == b->apart && !(fabs(a->write_rate - b->write_rate) > 0) &&
                 !strcmp(a->trims ? a->trims : "", b->trims ? b->trims : "");
    text_free(&texts[0]);
    text_free(&texts[1]);
    return alike;
}

/* Replaces the engine by uring: jobs with one request in flight each are equivalent to one loop
   with that many requests in flight. */
static void draw_from_queue(struct section_reader *s, uint64_t jobs)
{
    static const char engine[] = "--ioengine=";
    struct text words = {0};
    const char *word = s->session->words.data;
    for (size_t i = 0; i < s->session->word_count; i++, word += strlen(word) + 1) {
        const char *one = strncmp(word, engine, sizeof engine - 1) ? word : "--ioengine=uring";
        text_add_bytes(&words, one, strlen(one) + 1);
    }
    text_free(&s->session->words);
    s->session->words = words;
    text_addf(&s->session->notes,
              "flow: %" PRIu64
              " jobs with one request each are as many requests of io_uring, drawn "
              "from the sections in these proportions\n",
              jobs);
}

void section_add_profile(struct section_reader *s, const struct section_reader parts[],
                         size_t count, bool shared)
{
    struct extent x = extent_of(parts, count, shared);
    struct text profile = {0};
    double length = x.end - x.begin, begin = 0, rate = 0;
    uint64_t jobs = 0, depth = 1, all = 0;
    for (size_t i = 0; i < count; i++) {
        const struct fio_stream *f = &parts[i].stream;
        double size = f->region.size > 0 ? f->region.size : x.end - fmax(f->region.offset, 0);
        double at = shared ? begin : fmax(f->region.offset, 0) - x.begin;
        size *= shared ? (double)f->jobs : 1;
        add_part(&profile, parts, i, length > 0 ? at / length : 0,
                 length > 0 ? (at + size) / length : 1);
        begin += size;
        rate += (f->rate + f->write_rate) * (double)f->jobs;
        jobs += f->jobs * (f->apart ? 2 : 1);
        add_flush(s, &parts[i], false);
        add_batch(s, &parts[i], false);
        add_increment(s, &parts[i], count == 1);
        depth = f->depth > depth ? f->depth : depth;
        all += f->depth * f->jobs;
    }
    /* all streams are one closed loop: each next request is drawn from one of the streams */
    bool flow = parts[0].stream.flow > 0;
    if (flow && s->stream.serial)
        draw_from_queue(s, all);
    struct text rest = set_words_apart(s);
    section_word(s, "--profile=%s", profile.data ? profile.data : "");
    add_data(s, parts, count);
    add_depth(s, s->stream.serial && !flow, flow ? all : depth);
    if (rate > 0)
        section_word(s, "--rate_iops=%.6f", rate);
    if (!x.shares)
        add_region(s, x.begin, length);
    if (jobs > 1 && !flow)
        section_word(s, "--numjobs=%" PRIu64, jobs);
    if (shared && jobs > 1)
        text_addf(&s->session->notes,
                  "%" PRIu64 " jobs share one scratch file, as large as theirs\n", jobs);
    if (count > 1)
        text_add(&s->session->notes, "one result is of all that runs at the same time\n");
    put_words_back(s, &rest);
    text_free(&profile);
}
