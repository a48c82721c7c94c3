/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damage to a text: words that are its own are moved, doubled, removed or changed by a letter, and
 * strange ones put in, so that most of what comes out still looks like the text. Decided by the
 * generator of random numbers alone. Pure.
 */
#ifndef TESTS_FUZZ_FUZZ_TEXT_H
#define TESTS_FUZZ_FUZZ_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/random.h"

struct fuzz_piece {
    size_t at, length;
};

static inline bool fuzz_text_parts(char c)
{
    return c == ' ' || c == '\n' || c == ':' || c == '/' || c == '-' || c == ',';
}

/* Any word of the text, or the line it is in. */
static inline struct fuzz_piece fuzz_text_piece(struct random *r, const char *text, size_t length,
                                                bool line)
{
    struct fuzz_piece piece = {.at = random_below(r, length + 1)};
    while (piece.at > 0 &&
           !(line ? text[piece.at - 1] == '\n' : fuzz_text_parts(text[piece.at - 1]))) {
        piece.at--;
    }
    while (piece.at + piece.length < length &&
           !(line ? text[piece.at + piece.length] == '\n'
                  : fuzz_text_parts(text[piece.at + piece.length]))) {
        piece.length++;
    }
    piece.length += line && piece.at + piece.length < length;
    return piece;
}

/* Replaces a piece by other bytes, where they fit. Returns the new length. */
static inline size_t fuzz_text_replace(char *text, size_t length, size_t most,
                                       struct fuzz_piece piece, const char *by, size_t by_length)
{
    if (length - piece.length + by_length > most) {
        return length;
    }
    memmove(text + piece.at + by_length, text + piece.at + piece.length,
            length - piece.at - piece.length);
    memcpy(text + piece.at, by, by_length);
    return length - piece.length + by_length;
}

static const char *const fuzz_text_words[] = {"",
                                              "0",
                                              "-1",
                                              "1",
                                              "64",
                                              "1e9",
                                              "1e308",
                                              "0.5",
                                              "100%",
                                              "0%",
                                              "99999999999999999999",
                                              "4k",
                                              "16m",
                                              "512",
                                              "1ns",
                                              "1000h",
                                              ":",
                                              "/",
                                              "-",
                                              ",",
                                              "#",
                                              "[",
                                              "]",
                                              "\n",
                                              "\r\n",
                                              "\t",
                                              "nan",
                                              "inf",
                                              "0x10",
                                              "%n%s",
                                              "\xff",
                                              "\xe2\x80\xae",
                                              "\x1b[2J",
                                              "same",
                                              "same:16",
                                              "tell",
                                              "log",
                                              "kind",
                                              "transaction",
                                              "closed",
                                              "random",
                                              "zipf:20",
                                              "streams:4096",
                                              "stride:1g",
                                              "[stream x]\n",
                                              "step read random\n",
                                              "hotspot:1%/1%",
                                              "0-1g:1s",
                                              "1/1ns/1ns:1h"};

/* One to four changes. Returns the new length, at most `most`. */
static inline size_t fuzz_text(struct random *r, char *text, size_t length, size_t most)
{
    static char copy[1024];
    for (uint64_t changes = 1 + random_below(r, 4); changes > 0; changes--) {
        bool line = random_below(r, 3) == 0;
        struct fuzz_piece piece = fuzz_text_piece(r, text, length, line);
        struct fuzz_piece other = fuzz_text_piece(r, text, length, line);
        const char *word =
            fuzz_text_words[random_below(r, sizeof fuzz_text_words / sizeof *fuzz_text_words)];
        other.length = other.length < sizeof copy ? other.length : sizeof copy;
        memcpy(copy, text + other.at, other.length);
        switch (random_below(r, 7)) {
        case 0: /* removed */
            length = fuzz_text_replace(text, length, most, piece, "", 0);
            break;
        case 1: /* one of its own instead */
            length = fuzz_text_replace(text, length, most, piece, copy, other.length);
            break;
        case 2: /* one of its own before it */
            piece.length = 0;
            length = fuzz_text_replace(text, length, most, piece, copy, other.length);
            break;
        case 3:
        case 4: /* a strange one instead */
            length = fuzz_text_replace(text, length, most, piece, word, strlen(word));
            break;
        case 5: /* another byte */
            if (length > 0) {
                text[random_below(r, length)] = (char)random_u64(r);
            }
            break;
        default: /* cut short, seldom */
            length = random_below(r, 8) == 0 ? random_below(r, length + 1) : length;
        }
    }
    return length;
}

#endif
