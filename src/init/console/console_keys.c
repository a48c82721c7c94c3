/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of a terminal to keys, one byte at a time. */
#include "init/console/internal.h"

#include "init/console/console.h"

static int plain(struct key_decoder *d, unsigned char byte)
{
    bool after_return = d->after_return;
    d->after_return = byte == '\r';
    switch (byte) {
    case '\n':
        /* The second half of a line end that was reported already. */
        return after_return ? CONSOLE_NONE : CONSOLE_ENTER;
    case '\r':
        return CONSOLE_ENTER;
    case '\b':
    case 127:
        return CONSOLE_BACKSPACE;
    case 3:
        return CONSOLE_INTERRUPT;
    case 27:
        d->state = KEYS_ESCAPE;
        return CONSOLE_NONE;
    default:
        return byte >= ' ' && byte < 127 ? byte : CONSOLE_NONE;
    }
}

static int control(struct key_decoder *d, unsigned char byte)
{
    if (byte >= '0' && byte <= '9') {
        d->number = (d->number * 10 + byte - '0') % 1000;
        return CONSOLE_NONE;
    }
    if (byte >= 0x20 && byte < 0x40)
        return CONSOLE_NONE;
    d->state = byte == '[' ? KEYS_LINUX : KEYS_PLAIN;
    /* Escape [ FINAL, and escape [ NUMBER ~ */
    if (byte == '~')
        return d->number == 5 ? CONSOLE_PAGE_UP : d->number == 6 ? CONSOLE_PAGE_DOWN : CONSOLE_NONE;
    return byte == 'A' ? CONSOLE_UP : byte == 'B' ? CONSOLE_DOWN : CONSOLE_NONE;
}

static int shift(struct key_decoder *d, unsigned char byte)
{
    d->state = KEYS_PLAIN;
    switch (byte) {
    case 'A':
        return CONSOLE_UP;
    case 'B':
        return CONSOLE_DOWN;
    case 'M':
        return CONSOLE_ENTER;
    default:
        return CONSOLE_NONE;
    }
}

/* The byte after escape. *used is cleared when it belongs to no sequence: escape was a key. */
static int escape(struct key_decoder *d, unsigned char byte, bool *used)
{
    d->number = 0;
    if (byte == '[' || byte == 'O') {
        d->state = byte == '[' ? KEYS_CONTROL : KEYS_SHIFT;
        return CONSOLE_NONE;
    }
    d->state = KEYS_PLAIN;
    *used = false;
    return CONSOLE_ESCAPE;
}

static int decode_one(struct key_decoder *d, unsigned char byte, bool *used)
{
    switch (d->state) {
    case KEYS_ESCAPE:
        return escape(d, byte, used);
    case KEYS_CONTROL:
        return control(d, byte);
    case KEYS_SHIFT:
        return shift(d, byte);
    case KEYS_LINUX:
        d->state = KEYS_PLAIN;
        return CONSOLE_NONE;
    default:
        return plain(d, byte);
    }
}

int key_decode(struct key_decoder *d, const unsigned char *bytes, size_t length, size_t *taken)
{
    *taken = 0;
    while (*taken < length) {
        bool used = true;
        int key = decode_one(d, bytes[*taken], &used);
        *taken += used;
        if (key != CONSOLE_NONE)
            return key;
    }
    return CONSOLE_NONE;
}

bool key_is_pending(const struct key_decoder *d)
{
    return d->state != KEYS_PLAIN;
}

int key_expire(struct key_decoder *d)
{
    int key = d->state == KEYS_ESCAPE ? CONSOLE_ESCAPE : CONSOLE_NONE;
    d->state = KEYS_PLAIN;
    return key;
}
