/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds socket and channel of a memory module from the names of its slot. SMBIOS has no fields for
 * them: board makers write "P1-DIMMA1", "CPU2_DIMM_B1", "P0 CHANNEL A" with "DIMM 1", "DIMM120",
 * "NODE 1 CHANNEL 0 DIMM 0", "Controller0-ChannelA-DIMM0". What a name does not contain remains
 * unknown.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/machine/internal.h"

enum { WORDS_MAX = 16, WORD_MAX = 16 };

/* A name split into words: each is letters, in capitals, or digits. */
struct name_words {
    size_t count;
    char words[WORDS_MAX][WORD_MAX];
};

static void split(struct span name, struct name_words *to)
{
    to->count = 0;
    for (size_t i = 0; i < name.length && to->count < WORDS_MAX;) {
        const bool digits = isdigit((unsigned char)name.text[i]) != 0;
        char *word = to->words[to->count];
        size_t length = 0;
        for (; i < name.length && isalnum((unsigned char)name.text[i]) &&
               (isdigit((unsigned char)name.text[i]) != 0) == digits;
             i++)
            if (length + 1 < WORD_MAX)
                word[length++] = (char)toupper((unsigned char)name.text[i]);
        word[length] = '\0';
        to->count += length > 0;
        i += length == 0;
    }
}

static bool is_number(const struct name_words *n, size_t at)
{
    return at < n->count && isdigit((unsigned char)n->words[at][0]);
}

static bool is_letter(const struct name_words *n, size_t at)
{
    return at < n->count && isalpha((unsigned char)n->words[at][0]) && !n->words[at][1];
}

static bool is_one_of(const char *word, const char *const list[])
{
    for (; *list; list++)
        if (!strcmp(word, *list))
            return true;
    return false;
}

/* Returns true if some word from word `at` on is a letter and the next word is a number, as in
   "P0_A0". */
static bool pair_follows(const struct name_words *n, size_t at)
{
    for (; at + 1 < n->count; at++)
        if (is_letter(n, at) && is_number(n, at + 1))
            return true;
    return false;
}

static void set(char *to, size_t size, const char *text)
{
    if (!*to)
        snprintf(to, size, "%s", text);
}

/* Returns the part after the word for a channel ("CHANNELA": "A"), or NULL for another word. */
static const char *after_channel(const char *word)
{
    static const char *const words[] = {"CHANNEL", "CHAN", "CH"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (!strncmp(word, words[i], length) && strlen(word) <= length + 1)
            return word + length;
    }
    return NULL;
}

/* Reads digits as in "DIMM120": socket 1, channel 2, slot 0. */
static bool take_digits(const char *digits, struct dimm_place *p)
{
    if (strlen(digits) != 3 || *p->channel)
        return false;
    set(p->socket, sizeof p->socket, (char[]){digits[0], '\0'});
    set(p->channel, sizeof p->channel, (char[]){digits[1], '\0'});
    return true;
}

static void read_words(const struct name_words *n, struct dimm_place *p)
{
    static const char *const sockets[] = {"CPU",  "PROC", "PROCESSOR", "SOCKET",
                                          "SOCK", "SKT",  "NODE",      NULL},
                             *const controllers[] = {"CONTROLLER", "IMC", "MC", NULL};
    char controller[8] = "", channel[8] = "";
    bool after_dimm = false;
    for (size_t i = 0; i < n->count; i++) {
        const char *word = n->words[i], *rest = after_channel(word);
        const bool numbered = is_number(n, i + 1), letter = is_letter(n, i);
        const bool of_socket =
            letter && strchr("PSN", *word) && (!after_dimm || pair_follows(n, i + 2));
        /* a channel as in "CPU0_C1D0" */
        const bool of_channel = letter && *word == 'C' && !after_dimm && *p->socket;
        if (numbered && (of_socket || is_one_of(word, sockets))) {
            set(p->socket, sizeof p->socket, n->words[++i]);
        } else if (is_one_of(word, controllers) && numbered) {
            set(controller, sizeof controller, n->words[++i]);
        } else if (rest && *rest) {
            set(channel, sizeof channel, rest);
        } else if ((rest && is_letter(n, i + 1)) || (numbered && (rest || of_channel))) {
            set(channel, sizeof channel, n->words[++i]);
        } else if (!strncmp(word, "DIMM", 4) && strlen(word) == 5) {
            set(channel, sizeof channel, word + 4);
        } else if (!strcmp(word, "DIMM")) {
            after_dimm = true;
            i += numbered && take_digits(n->words[i + 1], p);
        } else if (letter && numbered && after_dimm) {
            set(channel, sizeof channel, word);
        } else if (letter && numbered && i == 0 && n->count == 2) {
            set(p->socket, sizeof p->socket, word); /* "B3" alone: the third slot of socket B */
        }
    }
    if (*channel && !*p->channel)
        snprintf(p->channel, sizeof p->channel, "%s%s%s", controller, *controller ? "." : "",
                 channel);
}

struct dimm_place dimm_place_of(struct span device, struct span bank)
{
    struct dimm_place p = {"", ""};
    struct name_words words = {0};
    split(device, &words);
    read_words(&words, &p);
    split(bank, &words);
    read_words(&words, &p);
    return p;
}
