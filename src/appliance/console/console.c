/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combines all consoles: each is a terminal that is opened and restored here, and output goes to
   all of them. */
#include "appliance/console/console.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kd.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "appliance/console/internal.h"
#include "appliance/process/milliseconds.h"
#include "base/file/file.h"

/* ECMA-48: clears from the cursor to the line's end. */
#define ERASE_TO_END "\033[K"

/* For a serial port poll reports that it can be written only when its queue of 4 KiB is nearly
   empty, which takes seconds at 9600 baud. So a write is tried this often, regardless of poll. */
#define TRY_AGAIN_MS 20
/* A terminal that stalled is waited for again once it has taken this many bytes: in the buffers of
   a terminal that nobody reads, a little room may come and go. */
#define STALLED_UNTIL 4096

#define ROWS_DEFAULT 24
/* Limits of a plausible screen: a larger size is not believed; a smaller screen can show nothing
   whole. */
#define COLUMNS_MIN        20
#define ROWS_MIN           5
#define SIZE_MAX_OF_SCREEN 1000

#define FULL_BLOCK      0x2588
#define FONT_CHARACTERS 8192

/* ---- one terminal: opened without waiting for a carrier, in raw mode, never blocking ---- */

static const char lost[] = "\r\n[some output was lost here]\r\n";

static void terminal_attach(struct terminal *t, int in, int out)
{
    *t = (struct terminal){.in = in, .out = out, .settings_fd = -1};
    int fd = isatty(in) ? in : out;
    if (!tcgetattr(fd, &t->settings)) {
        /* Sets raw mode. Speed, bits and handshake stay as the kernel's console= option set them.
         */
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

/* Opens the terminal at `path`. Returns false if it cannot be opened. */
static bool terminal_open(struct terminal *t, const char *path)
{
    int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    terminal_attach(t, fd, fd);
    t->owned = true;
    return true;
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
    uint64_t progress_ms[CONSOLES_MAX]; /* when each terminal last took some output */
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

/* Returns the number of bytes that are not yet sent, as far as the driver knows. */
static int queued(const struct terminal *t)
{
    int bytes = 0;
    return !t->output_failed && ioctl(t->out, TIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

/* Writes as much as the terminal takes at once; nothing if earlier output is still waiting. */
static void terminal_write_if_idle(struct terminal *t, const char *bytes, size_t length)
{
    if (t->owed == 0 && queued(t) == 0)
        write_now(t, bytes, length);
}

/* Waits until all output is sent, for at most TERMINAL_PATIENCE_MS. */
static void terminals_drain(const struct terminal *all, unsigned count)
{
    uint64_t begin = now_ms();
    for (unsigned i = 0; i < count; i++)
        while (all[i].owed == 0 && queued(&all[i]) > 0 && now_ms() - begin < TERMINAL_PATIENCE_MS)
            poll(NULL, 0, TRY_AGAIN_MS);
}

static void terminal_close(struct terminal *t)
{
    /* Drops output that nobody takes: closing a serial port would wait 30 s for it. */
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

/* Returns whether the font has the full block. Only the kernel's own console answers this query. */
static bool has_blocks(int fd)
{
    struct unipair *pairs = calloc(FONT_CHARACTERS, sizeof *pairs);
    struct unimapdesc font = {.entry_ct = FONT_CHARACTERS, .entries = pairs};
    bool found = false;
    if (pairs && ioctl(fd, GIO_UNIMAP, &font) == 0)
        for (size_t i = 0; i < font.entry_ct && i < FONT_CHARACTERS; i++)
            found = found || pairs[i].unicode == FULL_BLOCK;
    free(pairs);
    return found;
}

struct console_screen terminal_screen(const struct terminal *t)
{
    struct console_screen screen = {CONSOLE_COLUMNS, ROWS_DEFAULT, false};
    struct winsize window;
    if (ioctl(t->out, TIOCGWINSZ, &window) == 0) {
        if (window.ws_col > 0 && window.ws_col <= SIZE_MAX_OF_SCREEN)
            screen.columns = window.ws_col < COLUMNS_MIN ? COLUMNS_MIN : window.ws_col;
        if (window.ws_row > 0 && window.ws_row <= SIZE_MAX_OF_SCREEN)
            screen.rows = window.ws_row < ROWS_MIN ? ROWS_MIN : window.ws_row;
    }
    screen.blocks = has_blocks(t->out);
    return screen;
}

/* ---- opening ---- */

static struct console *console_allocate(struct err *e)
{
    struct console *c = calloc(1, sizeof *c);
    if (c)
        c->restart_fd = -1;
    else
        err_no_memory(e, "the consoles");
    return c;
}

int console_open(struct console **c, const char *sys, const char *dev, struct err *e)
{
    char path[PATH_MAX], *names, *rest = NULL;
    *c = NULL;
    snprintf(path, sizeof path, "%s/class/tty/console/active", sys);
    if (file_read_all(path, (size_t)1 << 16, &names, NULL, e)) {
        if (e)
            e->code = ERR_MACHINE;
        return -1;
    }
    *c = console_allocate(e);
    if (!*c) {
        free(names);
        return -1;
    }
    struct terminal *next = (*c)->terminals;
    for (char *name = strtok_r(names, " \n", &rest); name; name = strtok_r(NULL, " \n", &rest)) {
        char device[PATH_MAX];
        int length = snprintf(device, sizeof device, "%s/%s", dev, name);
        if ((*c)->count < CONSOLES_MAX && length > 0 && (size_t)length < sizeof device &&
            terminal_open(next, device)) {
            (*c)->count++;
            next++;
        }
    }
    free(names);
    /* If the caller has blocked SIGINT, it is read here: the kernel sends it to process 1 for
       Ctrl-Alt-Del. */
    sigset_t blocked, restart;
    sigemptyset(&restart);
    sigaddset(&restart, SIGINT);
    if (!sigprocmask(SIG_BLOCK, NULL, &blocked) && sigismember(&blocked, SIGINT))
        (*c)->restart_fd = signalfd(-1, &restart, SFD_NONBLOCK | SFD_CLOEXEC);
    if ((*c)->count > 0)
        return 0;
    console_close(*c);
    *c = NULL;
    return err_set(e, ERR_MACHINE, "no console of %s can be opened: give the kernel console=tty0",
                   path);
}

int console_open_on(struct console **c, int in, int out, struct err *e)
{
    *c = console_allocate(e);
    if (!*c)
        return -1;
    terminal_attach(&(*c)->terminals[0], in, out);
    (*c)->count = 1;
    return 0;
}

void console_close(struct console *c)
{
    if (!c)
        return;
    terminals_drain(c->terminals, c->count);
    for (unsigned i = 0; i < c->count; i++)
        terminal_close(&c->terminals[i]);
    if (c->restart_fd >= 0)
        close(c->restart_fd);
    free(c);
}

/* ---- output ---- */

static void send_text(struct console *c, const char *text)
{
    terminals_write(c->terminals, c->count, text, strlen(text));
}

/* Returns the ASCII character that is shown for a byte of text; '\0' for no character. */
static char plain_character(struct console *c, unsigned char byte)
{
    if (byte >= 0x80 && byte < 0xc0 && c->continuations > 0) {
        c->continuations--;
        return '\0';
    }
    c->continuations = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
    bool is_layout = byte == '\n' || byte == '\t' || byte == '\r';
    return is_layout || (byte >= ' ' && byte < 127) ? (char)byte : '?';
}

void console_write(struct console *c, const char *text, size_t length)
{
    char out[1024];
    size_t used = 0;
    if (length > 0 && c->line_stands) {
        send_text(c, "\r" ERASE_TO_END);
        c->line_stands = false;
    }
    for (size_t i = 0; i < length; i++) {
        char plain = plain_character(c, (unsigned char)text[i]);
        if (plain == '\0')
            continue;
        if (!c->log_rests)
            log_add(&c->log, plain);
        if (plain == '\n')
            out[used++] = '\r';
        out[used++] = plain;
        if (used >= sizeof out - 1) {
            terminals_write(c->terminals, c->count, out, used);
            used = 0;
        }
    }
    terminals_write(c->terminals, c->count, out, used);
}

void console_print(struct console *c, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    console_write(c, text, strlen(text));
}

void console_line(struct console *c, const char *format, ...)
{
    /* A character may take four bytes. The last column stays free, because some terminals go to the
       next line after writing there. */
    char text[4 * CONSOLE_COLUMNS], out[1 + CONSOLE_COLUMNS + sizeof ERASE_TO_END] = "\r";
    size_t used = 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *p = text; *p && used < CONSOLE_COLUMNS; p++) {
        char plain = plain_character(c, (unsigned char)*p);
        if (plain != '\0')
            out[used++] = (unsigned char)plain < ' ' ? ' ' : plain;
    }
    c->continuations = 0;
    c->line_stands = true;
    for (unsigned i = 0; i < c->count; i++) {
        size_t columns = terminal_screen(&c->terminals[i]).columns;
        size_t length = used < columns ? used : columns;
        char cut[sizeof out];
        memcpy(cut, out, length);
        memcpy(cut + length, ERASE_TO_END, sizeof ERASE_TO_END);
        terminal_write_if_idle(&c->terminals[i], cut, length + strlen(ERASE_TO_END));
    }
}

void console_clear(struct console *c)
{
    c->line_stands = false;
    send_text(c, CONSOLE_ERASE_SCREEN);
}

void console_keep_log(struct console *c, bool keep)
{
    c->log_rests = !keep;
}

size_t console_log(const struct console *c, char *to, size_t size)
{
    return log_copy(&c->log, to, size);
}

/* ---- the log ---- */

void log_add(struct log_ring *log, char byte)
{
    if (byte == '\r') {
        log->returned = true;
        return;
    }
    if (log->returned && byte != '\n') {
        log->length -= log->open;
        log->open = 0;
    }
    log->returned = false;
    if (log->length == CONSOLE_LOG) {
        char dropped;
        do {
            dropped = log->bytes[log->first];
            log->first = (log->first + 1) % CONSOLE_LOG;
            log->length--;
        } while (log->length > 0 && dropped != '\n');
        if (log->open > log->length)
            log->open = log->length;
    }
    log->bytes[(log->first + log->length) % CONSOLE_LOG] = byte;
    log->length++;
    log->open = byte == '\n' ? 0 : log->open + 1;
}

size_t log_copy(const struct log_ring *log, char *to, size_t size)
{
    if (size == 0)
        return 0;
    /* Whole lines are copied, or the end of the last line if that line alone is too long. */
    size_t earliest = log->length > size - 1 ? log->length - (size - 1) : 0, from = earliest;
    while (from > 0 && from < log->length &&
           log->bytes[(log->first + from - 1) % CONSOLE_LOG] != '\n')
        from++;
    if (from == log->length)
        from = earliest;
    size_t length = log->length - from, start = (log->first + from) % CONSOLE_LOG;
    size_t before_wrap = length < CONSOLE_LOG - start ? length : CONSOLE_LOG - start;
    memcpy(to, log->bytes + start, before_wrap);
    memcpy(to + before_wrap, log->bytes, length - before_wrap);
    to[length] = '\0';
    return length;
}
