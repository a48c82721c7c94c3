/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the kernel's log as it grows: the header of each line, its subject, and whether it matters
 * to the run.
 */
#include "hw/log/log_reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "hw/log/internal.h"

/* A line in the form of /dev/kmsg: "6,339,5140900,-;usb 1-1: ...". */
struct log_message {
    unsigned level; /* severity, from 0 (emergency) to 7 (debug) */
    /* a program wrote the line: it has a facility other than the kernel's, and programs cannot
       write with the kernel's facility */
    bool by_program;
    uint64_t number;
    double stamp; /* time stamp in seconds, by the kernel's local clock */
    const char *text;
};

/* The subject that a line must have to match a row. */
enum about { ANY, TARGET, MACHINE };

/* Maximum rate at which NTP slews a clock. */
#define DRIFT 500e-6

/*
 * The kinds of lines that matter; the first row that matches is used. `words` must be in the line,
 * at the beginning of a word; upper and lower case are equal. Rows of TARGET match only lines about
 * the target's devices. Rows of MACHINE are about no device, although the name of a program in such
 * a line may look like one.
 */
static const struct kind_row {
    const char *words, *kind;
    enum kernel_severity severity;
    enum about about;
} kinds[] = {
    {"i/o error", "I/O error", KERNEL_ERROR, ANY},
    {"medium error", "medium error", KERNEL_ERROR, ANY},
    {"target error", "I/O error", KERNEL_ERROR, ANY},
    {"protection error", "I/O error", KERNEL_ERROR, ANY},
    {"unrecovered read", "medium error", KERNEL_ERROR, ANY},
    {"aer: uncorrect", "PCIe error", KERNEL_ERROR, ANY},
    {"aer: multiple uncorrect", "PCIe error", KERNEL_ERROR, ANY},
    {"severity=uncorrect", "PCIe error", KERNEL_ERROR, ANY},
    {"aer:", "PCIe error", KERNEL_WARNING, ANY},
    {"pcie bus error", "PCIe error", KERNEL_WARNING, ANY},
    {"limiting sata link", "link", KERNEL_WARNING, ANY},
    {"available pcie bandwidth", "link", KERNEL_WARNING, ANY},
    {"link is down", "link down", KERNEL_ERROR, ANY},
    {"link down", "link down", KERNEL_ERROR, ANY},
    {"link is up", "link up", KERNEL_WARNING, ANY},
    {"link up", "link up", KERNEL_WARNING, ANY},
    {"link becomes ready", "link up", KERNEL_NOTICE, ANY},
    {"blocked for more than", "hung task", KERNEL_ERROR, MACHINE},
    {"soft lockup", "lockup", KERNEL_ERROR, MACHINE},
    {"hard lockup", "lockup", KERNEL_ERROR, MACHINE},
    {"detected stalls", "lockup", KERNEL_ERROR, MACHINE},
    {"self-detected stall", "lockup", KERNEL_ERROR, MACHINE},
    {"temperature above threshold", "thermal", KERNEL_WARNING, ANY},
    {"temperature/speed normal", "thermal", KERNEL_NOTICE, ANY},
    {"throttl", "thermal", KERNEL_WARNING, ANY},
    {"thermal", "thermal", KERNEL_WARNING, TARGET},
    {"machine check", "machine check", KERNEL_ERROR, MACHINE},
    {"[hardware error]", "machine check", KERNEL_ERROR, MACHINE},
    {"mce:", "machine check", KERNEL_WARNING, MACHINE},
    {"edac", "memory error", KERNEL_WARNING, MACHINE},
    {"out of memory:", "memory", KERNEL_WARNING, MACHINE},
    {"marking clocksource", "clock", KERNEL_WARNING, MACHINE},
    {"disk failure", "array", KERNEL_ERROR, ANY},
    {"controller is down", "gone", KERNEL_ERROR, ANY},
    {"failed command", "I/O error", KERNEL_ERROR, ANY},
    {"exception emask", "I/O error", KERNEL_ERROR, ANY},
    {"remounting filesystem read-only", "read-only", KERNEL_ERROR, ANY},
    {"timeout", "timeout", KERNEL_ERROR, TARGET},
    {"timed out", "timeout", KERNEL_ERROR, TARGET},
    {"timing out", "timeout", KERNEL_ERROR, TARGET},
    {"abort", "timeout", KERNEL_WARNING, TARGET},
    {"offline", "gone", KERNEL_ERROR, TARGET},
    {"disconnect", "gone", KERNEL_ERROR, TARGET},
    {"removing", "gone", KERNEL_ERROR, TARGET},
    {"reset", "reset", KERNEL_WARNING, TARGET},
    {"error", "error", KERNEL_ERROR, TARGET},
    {"corrupt", "error", KERNEL_ERROR, TARGET},
    {"fail", "error", KERNEL_ERROR, TARGET},
};

/* Reads digits and the comma after them, and moves *at past both. */
static bool take_number(const char **at, uint64_t *to)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    *to = strtoull(*at, &end, 10);
    *at = end + 1;
    return *end == ',';
}

/* Parses a line. Returns false if it has another form. `line` ends with '\0'; m->text points into
   it. */
static bool log_message_parse(struct log_message *m, const char *line)
{
    uint64_t priority, microseconds;
    if (!take_number(&line, &priority) || !take_number(&line, &m->number) ||
        !take_number(&line, &microseconds))
        return false;
    /* More fields may come before the text, as in "6,339,5140900,-,caller=T1;". */
    const char *text = strchr(line, ';');
    if (!text)
        return false;
    m->level = (unsigned)(priority & 7);
    m->by_program = priority >> 3 != 0;
    m->stamp = (double)microseconds * 1e-6;
    m->text = text + 1;
    return true;
}

/* ---- the subject of a line ---- */

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Moves past the number of a partition, so that "sda1" and "nvme0n1p2" match their whole device. */
static const char *past_partition(const char *end, char last)
{
    const char *digits = end;
    if (isdigit((unsigned char)last) && *digits++ != 'p')
        return end;
    size_t length = strspn(digits, "0123456789");
    return length ? digits + length : end;
}

static bool names_device(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++) {
        const char *end = past_partition(at + length, name[length - 1]);
        /* a name such as "0000:01:00.0", "2:0:0:0", "2-1" */
        bool is_number = isdigit((unsigned char)*name);
        bool begins = at == text || !(is_in_word(at[-1]) || (is_number && strchr(":.-", at[-1])));
        bool goes_on = is_number && *end && strchr(":.-", *end) && is_in_word(end[1]);
        if (begins && !is_in_word(*end) && !goes_on)
            return true;
    }
    return false;
}

static bool names_target(const char *text, const struct log_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (names_device(text, names->names[i]))
            return true;
    return false;
}

static bool has_words(const char *text, const char *words)
{
    for (const char *at = text; (at = strcasestr(at, words)); at++)
        if (at == text || !is_in_word(at[-1]) || !isalnum((unsigned char)*words))
            return true;
    return false;
}

static void escape(char *to, size_t size, const char *text)
{
    size_t used = 0;
    for (; *text && used + 5 < size; text++) {
        const unsigned char c = (unsigned char)*text;
        used +=
            (size_t)snprintf(to + used, size - used, c >= 0x20 && c < 0x7f ? "%c" : "\\x%02x", c);
    }
    to[used] = '\0';
}

/* Returns true for a line that contains words which a program may choose: its name, its
   arguments. */
static bool quotes_programs(const char *text)
{
    static const char *const marks[] = {"audit:", "traps:", "segfault at", "process '"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(text, marks[i]))
            return true;
    return false;
}

/* Determines the line's kind, severity, and escaped text. Returns false if the line does not matter
   to the run. */
static bool log_message_classify(const struct log_message *m, const struct log_names *names,
                                 struct kernel_line *to)
{
    if (quotes_programs(m->text))
        return false;
    const struct kind_row *row = kinds, *end = kinds + sizeof kinds / sizeof *kinds;
    bool of_target = names_target(m->text, names);
    while (row < end && ((row->about == TARGET && !of_target) || !has_words(m->text, row->words)))
        row++;
    if (row == end && !of_target)
        return false;
    of_target &= row == end || row->about != MACHINE;
    *to = (struct kernel_line){.count = 1, .of_target = of_target, .by_program = m->by_program};
    to->severity = row < end       ? row->severity
                   : m->level <= 3 ? KERNEL_ERROR
                   : m->level == 4 ? KERNEL_WARNING
                                   : KERNEL_NOTICE;
    snprintf(to->kind, sizeof to->kind, "%s", row < end ? row->kind : "other");
    escape(to->text, sizeof to->text, m->text);
    return true;
}

void log_reader_open(struct log_reader *r, const struct sysroot *root, double seconds,
                     struct kernel_log *log)
{
    char path[PATH_MAX];
    struct stat status;
    *r = (struct log_reader){
        .empty_seconds = seconds, .from = -INFINITY, .to = INFINITY, .compared_seconds = seconds};
    sysroot_path(root, path, sizeof path, "/dev/kmsg");
    r->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    int error = errno;
    /* In a captured tree a file of any type may have this name. */
    if (r->fd >= 0 &&
        (fstat(r->fd, &status) || S_ISBLK(status.st_mode) || S_ISDIR(status.st_mode))) {
        log_reader_close(r);
        error = EINVAL;
    }
    if (r->fd < 0)
        snprintf(log->state, sizeof log->state, "not read: /dev/kmsg: %s%s", strerror(error),
                 error == EPERM || error == EACCES
                     ? "; root may, or everybody with kernel.dmesg_restrict = 0"
                     : "");
    else
        snprintf(log->state, sizeof log->state, KERNEL_LOG_READ);
    if (r->fd >= 0)
        lseek(r->fd, 0, SEEK_END); /* a pipe has no earlier lines */
}

void log_reader_close(struct log_reader *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
}

/* Sets the time of a line with that stamp, which was logged between `after` and `before`. */
static void place(struct log_reader *r, double stamp, double after, double before,
                  struct kernel_line *line)
{
    const double drift = DRIFT * (before - r->compared_seconds);
    double from = fmax(after - stamp, r->from - drift), to = fmin(before - stamp, r->to + drift);
    if (!(from <= to)) { /* the kernel's clock was set, or the machine was suspended */
        from = after - stamp;
        to = before - stamp;
    }
    r->from = from;
    r->to = to;
    r->compared_seconds = before;
    line->seconds = line->last_seconds = fmax(stamp + (from + to) / 2, 0);
    line->within = (to - from) / 2;
}

/* Handles the first line of the buffer, which is whole and ended by '\0'. */
static void take_line(struct log_reader *r, double before, struct kernel_log *log,
                      void (*changed)(void *, size_t), void *context)
{
    struct log_message m;
    struct kernel_line line = {0}, times = {0};
    /* a blank begins a continuation such as " SUBSYSTEM=pci" */
    if (r->buffer[0] == ' ' || !log_message_parse(&m, r->buffer))
        return;
    log->seen++;
    if (r->next_number && m.number > r->next_number)
        log->lost += m.number - r->next_number;
    r->next_number = m.number + 1;
    place(r, m.stamp, r->empty_seconds, before, &times);
    if (!log_message_classify(&m, &r->names, &line))
        return;
    line.number = m.number;
    line.seconds = times.seconds;
    line.within = times.within;
    line.last_seconds = times.last_seconds;
    size_t at = kernel_log_keep(log, &line);
    if (at < KERNEL_LINES_MAX && changed)
        changed(context, at);
}

/* Handles all whole lines of the buffer. Returns their number. */
static unsigned take_lines(struct log_reader *r, double before, struct kernel_log *log,
                           void (*changed)(void *, size_t), void *context)
{
    unsigned lines = 0;
    char *end;
    while ((end = memchr(r->buffer, '\n', r->used))) {
        *end = '\0';
        if (!r->in_line)
            take_line(r, before, log, changed, context);
        r->in_line = false;
        r->used -= (size_t)(end + 1 - r->buffer);
        memmove(r->buffer, end + 1, r->used);
        lines++;
    }
    /* no line of the kernel is this long: the rest of it is skipped */
    if (r->used == sizeof r->buffer) {
        r->in_line = true;
        r->used = 0;
    }
    return lines;
}

void log_reader_take(struct log_reader *r, double seconds, struct kernel_log *log,
                     void (*changed)(void *context, size_t place), void *context)
{
    const double began = seconds_of_clock(CLOCK_MONOTONIC);
    for (unsigned lines = 0, readings = 0;
         r->fd >= 0 && lines < LOG_READ_MAX && readings < LOG_READ_MAX; readings++) {
        const double looked = seconds + seconds_of_clock(CLOCK_MONOTONIC) - began;
        ssize_t n = read(r->fd, r->buffer + r->used, sizeof r->buffer - r->used);
        if (n > 0) {
            r->used += (size_t)n;
            lines += take_lines(r, seconds + seconds_of_clock(CLOCK_MONOTONIC) - began, log,
                                changed, context);
            continue;
        }
        /* lines were overwritten: the number of the next line shows how many */
        if (n < 0 && errno == EPIPE) {
            log->lost += !r->next_number;
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN) {
            snprintf(log->state, sizeof log->state, "not read to its end: /dev/kmsg: %s",
                     strerror(errno));
            log_reader_close(r);
        }
        r->empty_seconds = looked;
        return;
    }
}
