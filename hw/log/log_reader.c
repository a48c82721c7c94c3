/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the kernel's log as it grows. */
#include "hw/log/log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hw/log/internal.h"

/* NTP slews a clock by at most this. */
#define DRIFT 500e-6

static double monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
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
    /* In a captured tree the name may be of any kind of file. */
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

/* The buffer begins with a whole line that is ended by '\0'. */
static void take_line(struct log_reader *r, double before, struct kernel_log *log,
                      void (*changed)(void *, size_t), void *context)
{
    struct log_message m;
    struct kernel_line line = {0}, times = {0};
    if (r->buffer[0] == ' ' || !log_message_parse(&m, r->buffer)) /* " SUBSYSTEM=pci" */
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

/* Takes all whole lines of the buffer. Returns their number. */
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
    if (r->used == sizeof r->buffer) { /* kernel lines are never this long */
        r->in_line = true;
        r->used = 0;
    }
    return lines;
}

void log_reader_take(struct log_reader *r, double seconds, struct kernel_log *log,
                     void (*changed)(void *context, size_t place), void *context)
{
    const double began = monotonic();
    for (unsigned lines = 0, readings = 0;
         r->fd >= 0 && lines < LOG_READ_MAX && readings < LOG_READ_MAX; readings++) {
        const double looked = seconds + monotonic() - began;
        ssize_t n = read(r->fd, r->buffer + r->used, sizeof r->buffer - r->used);
        if (n > 0) {
            r->used += (size_t)n;
            lines += take_lines(r, seconds + monotonic() - began, log, changed, context);
            continue;
        }
        if (n < 0 && errno == EPIPE) { /* lines were overwritten: the next line's number shows how
                                          many */
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
