/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads keys from all consoles, and whole lines of input. */
#include "appliance/console/internal.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "appliance/process/milliseconds.h"

/* Reads the bytes that are there. Returns false if there were none. */
static bool terminal_read(struct terminal *t)
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

/* Returns the next key from the bytes that were read, or CONSOLE_NONE. */
static int terminal_key(struct terminal *t)
{
    size_t used;
    int key = key_decode(&t->decoder, t->input + t->taken, t->have - t->taken, &used);
    t->taken += used;
    return key;
}

/* Returns CONSOLE_ESCAPE if nothing has followed an escape for long enough. *wait_ms is reduced so
   that the next such escape is noticed in time. */
static int expired_key(struct console *c, int *wait_ms)
{
    uint64_t now = now_ms();
    for (unsigned i = 0; i < c->count; i++) {
        struct terminal *t = &c->terminals[i];
        if (!key_is_pending(&t->decoder))
            continue;
        uint64_t age = now - t->last_input_ms;
        if (age >= KEY_ESCAPE_MS || t->input_ended) {
            int key = key_expire(&t->decoder);
            if (key != CONSOLE_NONE) {
                c->key_terminal = i;
                return key;
            }
        } else if (*wait_ms < 0 || *wait_ms > (int)(KEY_ESCAPE_MS - age)) {
            *wait_ms = (int)(KEY_ESCAPE_MS - age);
        }
    }
    return CONSOLE_NONE;
}

/* Returns a key that is already there: held back, typed at a terminal, or the request to
   restart. */
static int ready_key(struct console *c)
{
    int key = c->held_key;
    c->held_key = CONSOLE_NONE;
    for (unsigned i = 0; key == CONSOLE_NONE && i < c->count; i++) {
        key = terminal_key(&c->terminals[i]);
        c->key_terminal = key == CONSOLE_NONE ? c->key_terminal : i;
    }
    struct signalfd_siginfo info;
    if (key == CONSOLE_NONE && c->restart_fd >= 0 &&
        read(c->restart_fd, &info, sizeof info) == sizeof info)
        key = CONSOLE_RESTART;
    return key;
}

int console_key(struct console *c, int milliseconds)
{
    uint64_t begin = now_ms();
    for (;;) {
        int key = ready_key(c);
        if (key != CONSOLE_NONE)
            return key;
        bool any_read = false;
        for (unsigned i = 0; i < c->count; i++)
            any_read |= terminal_read(&c->terminals[i]);
        if (any_read)
            continue;
        uint64_t passed = now_ms() - begin;
        int left = milliseconds < 0                   ? -1
                   : passed >= (uint64_t)milliseconds ? 0
                                                      : milliseconds - (int)passed;
        int wait_ms = left;
        key = expired_key(c, &wait_ms);
        if (key != CONSOLE_NONE)
            return key;
        struct pollfd inputs[CONSOLES_MAX + 1];
        nfds_t count = 0;
        for (unsigned i = 0; i < c->count; i++)
            if (!c->terminals[i].input_ended)
                inputs[count++] = (struct pollfd){.fd = c->terminals[i].in, .events = POLLIN};
        if (count == 0)
            return CONSOLE_END_OF_INPUT;
        if (left == 0)
            return CONSOLE_NONE;
        if (c->restart_fd >= 0)
            inputs[count++] = (struct pollfd){.fd = c->restart_fd, .events = POLLIN};
        poll(inputs, count, wait_ms);
    }
}

static void echo(struct console *c, const char *bytes, size_t length)
{
    terminals_write(c->terminals, c->count, bytes, length);
}

bool console_read_line(struct console *c, const char *prompt, char *to, size_t size)
{
    size_t length = 0, columns = CONSOLE_COLUMNS - 1 - strlen(prompt) % CONSOLE_COLUMNS;
    size_t max = size - 1 < columns ? size - 1 : columns;
    int key;
    console_write(c, prompt, strlen(prompt));
    do {
        key = console_key(c, -1);
        if (key == CONSOLE_BACKSPACE && length > 0) {
            length--;
            echo(c, "\b \b", 3);
        } else if (key >= ' ' && key < 127 && length < max) {
            to[length++] = (char)key;
            echo(c, to + length - 1, 1);
        }
    } while (key != CONSOLE_ENTER && key != CONSOLE_ESCAPE && key != CONSOLE_INTERRUPT &&
             key != CONSOLE_RESTART && key != CONSOLE_END_OF_INPUT);
    to[length] = '\0';
    for (size_t i = 0; i < length && !c->log_rests; i++)
        log_add(&c->log, to[i]);
    console_write(c, "\n", 1);
    if (key == CONSOLE_RESTART)
        c->held_key = key;
    return key == CONSOLE_ENTER;
}
