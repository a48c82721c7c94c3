/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes bytes of a terminal into keys, one byte at a time. */
#include "appliance/console/internal.h"

#include "appliance/console/console.h"

static int decode_plain(struct key_decoder *d, unsigned char byte)
{
    bool after_return = d->after_return;
    d->after_return = byte == '\r';
    switch (byte) {
    case '\n':
        /* A '\n' after '\r' is the second byte of a line end that has already been reported. */
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

/* Decodes a number or a final letter after "escape [". */
static int decode_control(struct key_decoder *d, unsigned char byte)
{
    if (byte >= '0' && byte <= '9') {
        d->number = (d->number * 10 + byte - '0') % 1000;
        return CONSOLE_NONE;
    }
    if (byte >= 0x20 && byte < 0x40)
        return CONSOLE_NONE;
    d->state = byte == '[' ? KEYS_LINUX : KEYS_PLAIN;
    /* The two forms are escape [ FINAL and escape [ NUMBER ~. */
    if (byte == '~')
        return d->number == 5 ? CONSOLE_PAGE_UP : d->number == 6 ? CONSOLE_PAGE_DOWN : CONSOLE_NONE;
    return byte == 'A' ? CONSOLE_UP : byte == 'B' ? CONSOLE_DOWN : CONSOLE_NONE;
}

int key_decode(struct key_decoder *d, const unsigned char *bytes, size_t length, size_t *taken)
{
    int key = CONSOLE_NONE;
    for (*taken = 0; key == CONSOLE_NONE && *taken < length;) {
        unsigned char byte = bytes[(*taken)++];
        switch (d->state) {
        case KEYS_ESCAPE:
            d->number = 0;
            d->state = byte == '[' ? KEYS_CONTROL : byte == 'O' ? KEYS_SHIFT : KEYS_PLAIN;
            if (d->state == KEYS_PLAIN) { /* not a sequence: escape was a key, and the byte is the
                                             next one */
                key = CONSOLE_ESCAPE;
                (*taken)--;
            }
            break;
        case KEYS_CONTROL:
            key = decode_control(d, byte);
            break;
        case KEYS_SHIFT:
            d->state = KEYS_PLAIN;
            key = byte == 'A'   ? CONSOLE_UP
                  : byte == 'B' ? CONSOLE_DOWN
                  : byte == 'M' ? CONSOLE_ENTER
                                : CONSOLE_NONE;
            break;
        case KEYS_LINUX:
            d->state = KEYS_PLAIN;
            break;
        default:
            key = decode_plain(d, byte);
        }
    }
    return key;
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
