/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All consoles as one: output goes to each of them, a key comes from any. */
#include "appliance/console/console.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "appliance/console/internal.h"
#include "base/file/file.h"

/* ECMA-48: clears from the cursor to the line's end. */
#define ERASE_TO_END "\033[K"

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
