/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the file of allowed signers. A line has principals, options, the key's type, the key, and a
   comment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file/file.h"
#include "base/glob.h"
#include "certificate/signature/internal.h"
#include "certificate/signature/ssh_key.h"

#define FILE_MAX (1 << 20)
#define WORD_MAX 512

/* Removes the next word from the line and returns it; a blank outside quotes ends a word. */
static struct span next_word(struct span *line)
{
    *line = span_trimmed(*line);
    size_t n = 0;
    for (bool quoted = false; n < line->length; n++) {
        char c = line->text[n];
        if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == ' ' || c == '\t'))
            break;
    }
    struct span word = {line->text, n};
    line->text += n;
    line->length -= n;
    return word;
}

/* Removes the next item from a list; a comma outside quotes ends an item. Returns false at the
   end. */
static bool next_of_list(struct span *list, struct span *item)
{
    if (!list->length)
        return false;
    size_t n = 0;
    for (bool quoted = false; n < list->length && (quoted || list->text[n] != ','); n++)
        quoted ^= list->text[n] == '"';
    *item = (struct span){list->text, n};
    n += n < list->length;
    list->text += n;
    list->length -= n;
    return true;
}

/* Returns true if a pattern of the list matches the name, and none that begins with "!" does. */
static bool list_matches(struct span list, const char *name)
{
    bool matches = false;
    char pattern[WORD_MAX];
    for (struct span item; next_of_list(&list, &item);) {
        if (item.length >= sizeof pattern)
            return false;
        span_copy(pattern, item);
        bool negated = *pattern == '!';
        if (!glob_matches(pattern + negated, name))
            continue;
        if (negated)
            return false;
        matches = true;
    }
    return matches;
}

/* Returns true if the list allows anybody: it has a pattern that does not begin with "!". */
static bool names_somebody(struct span list)
{
    for (struct span item; next_of_list(&list, &item);)
        if (item.length && *item.text != '!')
            return true;
    return false;
}

/* Removes the next digits from `text`, and returns their number. */
static int take_number(struct span *text, size_t digits)
{
    int number = 0;
    for (size_t i = 0; i < digits && text->length; i++) {
        number = 10 * number + (*text->text++ - '0');
        text->length--;
    }
    return number;
}

/* Reads YYYYMMDD[HHMM[SS]]Z. Returns -1 for any other text. A time without Z is refused: it would
   depend on the reader's time zone, so that the same key would be valid in one place and not in
   another. */
static time_t parse_instant(struct span text)
{
    if (!text.length || text.text[--text.length] != 'Z')
        return -1;
    if (text.length != 8 && text.length != 12 && text.length != 14)
        return -1;
    for (size_t i = 0; i < text.length; i++)
        if (text.text[i] < '0' || text.text[i] > '9')
            return -1;
    struct tm tm = {.tm_isdst = 0};
    tm.tm_year = take_number(&text, 4) - 1900;
    tm.tm_mon = take_number(&text, 2) - 1;
    tm.tm_mday = take_number(&text, 2);
    tm.tm_hour = take_number(&text, 2);
    tm.tm_min = take_number(&text, 2);
    tm.tm_sec = take_number(&text, 2);
    return timegm(&tm);
}

/* Returns why the options do not allow the key to sign for this namespace now, or NULL if they
   do. */
static const char *refused_by(struct span options, const char *name_space, time_t now)
{
    for (struct span option; next_of_list(&options, &option);) {
        const char *equals = memchr(option.text, '=', option.length);
        size_t length = equals ? (size_t)(equals - option.text) : option.length;
        struct span value = {option.text + length, option.length - length};
        if (equals)
            value = span_unquoted((struct span){equals + 1, value.length - 1});
        time_t instant = parse_instant(value);
        if (length == 10 && !strncasecmp(option.text, "namespaces", length)) {
            if (!list_matches(value, name_space))
                return "its namespaces do not have this one";
        } else if (length == 11 && !strncasecmp(option.text, "valid-after", length)) {
            if (instant < 0 || now < instant)
                return "it is not valid yet, or its time is not in UTC (Z)";
        } else if (length == 12 && !strncasecmp(option.text, "valid-before", length)) {
            if (instant < 0 || now > instant)
                return "it is not valid any more, or its time is not in UTC (Z)";
        } else {
            return "it has an option that cupel does not know, or is of a certification authority";
        }
    }
    return NULL;
}

static bool has_key(struct span letters, const unsigned char public[ED25519_BYTES])
{
    unsigned char bytes[BASE64_BYTES(WORD_MAX)], found[ED25519_BYTES];
    size_t length;
    if (letters.length > WORD_MAX || span_decode_base64(letters, bytes, &length, NULL))
        return false;
    struct wire w = {.rest = {(const char *)bytes, length}};
    return !wire_public(&w, found, NULL) && !w.rest.length && !memcmp(found, public, ED25519_BYTES);
}

static void read_line(struct ssh_signer *signer, struct span line,
                      const unsigned char public[ED25519_BYTES], const char *name_space, time_t now)
{
    struct span who = next_word(&line), type = next_word(&line), options = {"", 0};
    if (!who.length || *who.text == '#')
        return;
    if (!span_is(type, SSH_KEY_TYPE)) {
        options = type;
        type = next_word(&line);
    }
    if (!span_is(type, SSH_KEY_TYPE) || !has_key(next_word(&line), public))
        return;
    const char *refused = names_somebody(span_unquoted(who)) ? refused_by(options, name_space, now)
                                                             : "its line names nobody";
    span_printable(signer->who, sizeof signer->who, span_unquoted(who));
    snprintf(signer->refused, sizeof signer->refused, "%s", refused ? refused : "");
    signer->allowed = !refused;
}

void ssh_signer_search(struct ssh_signer *signer, struct span text,
                       const unsigned char public[ED25519_BYTES], const char *name_space,
                       time_t now)
{
    *signer = (struct ssh_signer){.allowed = false};
    while (text.length && !signer->allowed) {
        const char *end = memchr(text.text, '\n', text.length);
        struct span line = {text.text, end ? (size_t)(end - text.text) : text.length};
        size_t used = line.length + (end != NULL);
        text.text += used;
        text.length -= used;
        read_line(signer, line, public, name_space, now);
    }
}

int ssh_signer_find(struct ssh_signer *signer, const char *path,
                    const unsigned char public[ED25519_BYTES], const char *name_space, time_t now,
                    struct err *e)
{
    char *text;
    size_t length;
    *signer = (struct ssh_signer){.allowed = false};
    if (file_read_all(path, FILE_MAX, &text, &length, e))
        return -1;
    ssh_signer_search(signer, (struct span){text, length}, public, name_space, now);
    free(text);
    return 0;
}
