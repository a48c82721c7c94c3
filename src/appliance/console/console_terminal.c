/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One terminal: opened without waiting for a carrier, in raw mode, never blocking. */
#include "appliance/console/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "appliance/console/console.h"
#include "appliance/process/milliseconds.h"

/* For a serial port poll reports that it can be written only when its queue of 4 KiB is nearly
   empty, which takes seconds at 9600 baud. So a write is tried this often, regardless of poll. */
#define TRY_AGAIN_MS 20
/* A terminal that stalled is waited for again once it has taken this many bytes: a little room may
   come and go in the buffers of one that nobody reads. */
#define STALLED_UNTIL 4096

static const char lost[] = "\r\n[some output was lost here]\r\n";

void terminal_attach(struct terminal *t, int in, int out)
{
    *t = (struct terminal){.in = in, .out = out, .settings_fd = -1};
    int fd = isatty(in) ? in : out;
    if (!tcgetattr(fd, &t->settings)) {
        /* Raw mode; speed, bits and handshake stay as the kernel's console= option set them. */
        t->settings_fd = fd;
        struct termios raw = t->settings;
        raw.c_iflag &= ~(tcflag_t)(BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXOFF);
        raw.c_iflag |= IGNBRK;
        raw.c_oflag &= ~(tcflag_t)OPOST;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | ISIG | IEXTEN);
        raw.c_cflag |= CLOCAL | CREAD;
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        tcsetattr(fd, TCSANOW, &raw);
    }
    t->in_flags = fcntl(in, F_GETFL);
    t->out_flags = fcntl(out, F_GETFL);
    if (t->in_flags >= 0)
        fcntl(in, F_SETFL, t->in_flags | O_NONBLOCK);
    if (t->out_flags >= 0)
        fcntl(out, F_SETFL, t->out_flags | O_NONBLOCK);
}

bool terminal_open(struct terminal *t, const char *path)
{
    int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    terminal_attach(t, fd, fd);
    t->owned = true;
    return true;
}

bool terminal_read(struct terminal *t)
{
    if (t->input_ended || t->taken < t->have)
        return false;
    ssize_t got = read(t->in, t->input, sizeof t->input);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        t->input_ended = true;
        return false;
    }
    t->have = (size_t)got;
    t->taken = 0;
    t->last_input_ms = now_ms();
    return true;
}

int terminal_key(struct terminal *t)
{
    size_t used;
    int key = key_decode(&t->decoder, t->input + t->taken, t->have - t->taken, &used);
    t->taken += used;
    return key;
}

/* Writes without waiting; returns the number of bytes that were taken. */
static size_t write_now(struct terminal *t, const char *bytes, size_t length)
{
    if (t->output_failed)
        return 0;
    ssize_t written = write(t->out, bytes, length);
    if (written >= 0)
        return (size_t)written;
    if (errno != EAGAIN && errno != EINTR)
        t->output_failed = true;
    return 0;
}

/* Writes what the terminal takes at once, after a note if some output was lost. */
static void write_without_waiting(struct terminal *t, const char *bytes, size_t length)
{
    if (t->gap && write_now(t, lost, strlen(lost)) < strlen(lost))
        return;
    size_t taken = write_now(t, bytes, length);
    t->gap = taken < length;
    t->owed -= taken < t->owed ? taken : t->owed;
}

void terminals_write(struct terminal *all, unsigned count, const char *bytes, size_t length)
{
    size_t sent[CONSOLES_MAX] = {0};
    uint64_t progress_ms[CONSOLES_MAX]; /* when each terminal last took something */
    bool waits[CONSOLES_MAX];
    for (unsigned i = 0; i < count; i++) {
        waits[i] = length > 0 && all[i].owed == 0 && !all[i].gap;
        progress_ms[i] = now_ms();
        if (length > 0 && !waits[i])
            write_without_waiting(&all[i], bytes, length);
    }
    for (;;) {
        struct pollfd wanting[CONSOLES_MAX];
        nfds_t waiting = 0;
        for (unsigned i = 0; i < count; i++) {
            struct terminal *t = &all[i];
            if (!waits[i])
                continue;
            size_t taken = write_now(t, bytes + sent[i], length - sent[i]);
            uint64_t now = now_ms();
            sent[i] += taken;
            if (taken > 0) {
                progress_ms[i] = now;
            } else if (now - progress_ms[i] >= TERMINAL_PATIENCE_MS) {
                t->owed = STALLED_UNTIL;
                t->gap = true;
            }
            waits[i] = sent[i] < length && !t->output_failed && t->owed == 0;
            if (waits[i])
                wanting[waiting++] = (struct pollfd){.fd = t->out, .events = POLLOUT};
        }
        if (waiting == 0)
            return;
        poll(wanting, waiting, TRY_AGAIN_MS);
    }
}

/* Bytes that are not sent yet, as far as the driver knows. */
static int queued(const struct terminal *t)
{
    int bytes = 0;
    return !t->output_failed && ioctl(t->out, TIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

void terminal_write_if_idle(struct terminal *t, const char *bytes, size_t length)
{
    if (t->owed == 0 && queued(t) == 0)
        write_now(t, bytes, length);
}

void terminals_drain(const struct terminal *all, unsigned count)
{
    uint64_t begin = now_ms();
    for (unsigned i = 0; i < count; i++)
        while (all[i].owed == 0 && queued(&all[i]) > 0 && now_ms() - begin < TERMINAL_PATIENCE_MS)
            poll(NULL, 0, TRY_AGAIN_MS);
}

void terminal_close(struct terminal *t)
{
    /* Closing a serial port would wait 30 s for output that nobody takes. */
    if (t->owned && queued(t) > 0)
        tcflush(t->out, TCOFLUSH);
    if (t->settings_fd >= 0)
        tcsetattr(t->settings_fd, TCSANOW, &t->settings);
    if (t->in_flags >= 0)
        fcntl(t->in, F_SETFL, t->in_flags);
    if (t->out_flags >= 0)
        fcntl(t->out, F_SETFL, t->out_flags);
    if (t->owned)
        close(t->in);
}
