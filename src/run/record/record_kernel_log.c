/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads the lines of the kernel's log in a record. A line is written at once: if the
   machine crashes with its drive, the record still has it. */
#include <stdio.h>

#include "run/record/internal.h"

void record_kernel_line(struct record_writer *w, const struct kernel_log *log, size_t place)
{
    const struct kernel_line *l = &log->lines[place];
    if (!chunk_begin(w, RECORD_KLOG))
        return;
    chunk_put_number(w, place);
    chunk_put_double(w, l->seconds);
    chunk_put_double(w, l->within);
    chunk_put_double(w, l->last_seconds);
    chunk_put_number(w, l->count);
    chunk_put_number(w, l->number);
    chunk_put_text(w, l->kind);
    chunk_put_number(w, l->severity);
    chunk_put_u8(w, l->scattered);
    chunk_put_u8(w, l->of_target);
    chunk_put_u8(w, l->by_program);
    chunk_put_text(w, l->text);
    chunk_end(w);
}

void record_kernel_log(struct record_writer *w, const struct kernel_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        if (log->lines[i].count > 1)
            record_kernel_line(w, log, i);
    if (!chunk_begin(w, RECORD_KEND))
        return;
    chunk_put_text(w, log->state);
    chunk_put_number(w, log->seen);
    chunk_put_number(w, log->lost);
    chunk_put_number(w, log->left_out);
    chunk_end(w);
}

/* Reads a text and makes it printable, because reports print it unchanged. */
static void read_text(struct payload *p, char *to, size_t size)
{
    snprintf(to, size, "%s", payload_text(p));
    for (const char *c = to; *c; c++)
        if (*c < 0x20 || *c > 0x7e)
            payload_refuse(p, "a line of the kernel's log has characters that it cannot have");
}

static void read_kernel_line(struct contents *c, struct payload *p)
{
    struct kernel_log *log = &c->kernel_log;
    struct kernel_line l;
    /* If chunks were lost, lines before this one may be missing, so its place may be beyond the
       known lines. */
    size_t place = (size_t)payload_number(p, p->lossy ? KERNEL_LINES_MAX - 1 : log->count);
    l.seconds = payload_double(p, 0, PAYLOAD_SECONDS_MAX);
    l.within = payload_double(p, 0, PAYLOAD_SECONDS_MAX);
    l.last_seconds = payload_double(p, 0, PAYLOAD_SECONDS_MAX);
    l.count = payload_number(p, PAYLOAD_COUNT_MAX);
    l.number = payload_number(p, UINT64_MAX);
    read_text(p, l.kind, sizeof l.kind);
    l.severity = (unsigned)payload_number(p, KERNEL_SEVERITIES - 1);
    l.scattered = payload_flag(p);
    l.of_target = payload_flag(p);
    l.by_program = payload_flag(p);
    read_text(p, l.text, sizeof l.text);
    if (!p->refused && place >= log->count)
        place = log->count < KERNEL_LINES_MAX ? log->count++ : KERNEL_LINES_MAX - 1;
    if (!p->refused)
        log->lines[place] = l;
}

static void read_kernel_log(struct contents *c, struct payload *p)
{
    struct kernel_log *log = &c->kernel_log;
    char state[sizeof log->state];
    read_text(p, state, sizeof state);
    const uint64_t seen = payload_number(p, PAYLOAD_COUNT_MAX),
                   lost = payload_number(p, UINT64_MAX),
                   left_out = payload_number(p, PAYLOAD_COUNT_MAX);
    if (p->refused)
        return;
    snprintf(log->state, sizeof log->state, "%s", state);
    log->seen = seen;
    log->lost = lost;
    log->left_out = left_out;
}

const struct record_reader_row record_kernel_log_readers[] = {
    {RECORD_KLOG, read_kernel_line},
    {RECORD_KEND, read_kernel_log},
    {0, NULL},
};
