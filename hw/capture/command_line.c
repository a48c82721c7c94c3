/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hides private parts of the kernel's command line, word by word, with a table of keys whose values
   are private. */
#include "hw/capture/command_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "hw/capture/capture_mask.h"

#define KEY_MAX 256

/* Patterns (base/glob.h) of keys in lower case, without leading dashes and with '_' for '-'. */
static const char *const private_keys[] = {
    /* addresses and names of the machine and of its boot servers */
    "ip", "rd.ip", "*nameserver", "*dns*", "*gateway*", "*route", "*addr", "*addrs", "*address",
    "bootif", "ifname", "*mac", "*macaddr*", "*hostname*", "*domain", "*server*", "netroot",
    "nfsroot", "netconsole*", "*iscsi*", "*initiator*", "*nqn*", "*wwpn*", "*wwn*", "rd.zfcp*",
    /* where the machine was installed from */
    "ks", "*.ks", "*.repo", "*url*", "preseed/*", "autoinstall", "ds", "cloud_config*",
    /* users and secrets */
    "*user", "*username*", "*login*", "*owner*", "*email*", "pass", "*.pass", "*_pass", "*passw*",
    "*passphrase*", "*pwd*", "*psk*", "pin", "*_pin", "*token*", "*secret*", "*cred*", "key",
    "*.key", "*_key", "*keyfile*", "*auth", "*chap*", "*licen[cs]e*",
    /* identifiers */
    "*serial", "*serial_number*", "*serialno*", "*uuid*", "*guid*", "*machine_id*", "*instance_id*",
    "*label*", "*asset*"};

static bool is_private(struct span key)
{
    char lower[KEY_MAX];
    size_t used = 0;
    while (key.length && *key.text == '-')
        key = (struct span){key.text + 1, key.length - 1};
    for (; used < key.length && used < sizeof lower - 1; used++) {
        char c = (char)tolower((unsigned char)key.text[used]);
        lower[used] = (char)(c == '-' ? '_' : c);
    }
    lower[used] = '\0';
    for (size_t i = 0; i < sizeof private_keys / sizeof *private_keys; i++)
        if (glob_matches(private_keys[i], lower))
            return true;
    return false;
}

static struct span span_after(struct span s, size_t length)
{
    return (struct span){s.text + length, s.length - length};
}

static size_t key_length(struct span word)
{
    const char *equal = memchr(word.text, '=', word.length);
    return equal ? (size_t)(equal - word.text) : word.length;
}

/* Returns the offset of the identifier after "UUID=" in a word such as "root=PARTUUID=1234abcd-02";
   the identifier may have any form. 0: there is none. */
static size_t after_uuid(struct span word)
{
    const char *end = word.text + word.length, *at = word.text;
    for (; (at = memchr(at, '=', (size_t)(end - at))); at++)
        if (at - word.text >= 4 && (!memcmp(at - 4, "UUID", 4) || !memcmp(at - 4, "uuid", 4)))
            return (size_t)(at - word.text) + 1;
    return 0;
}

/* Returns true if the value names another machine, as in "root=nfs:10.0.0.5:/export". Such a value
   is hidden with any key. */
static bool names_server(struct span value)
{
    static const char *const marks[] = {"://", "nfs:", "nfs4:", "iscsi:", "nbd:", "//"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (memmem(value.text, value.length, marks[i], strlen(marks[i])))
            return true;
    return false;
}

/* Appends the first `kept` bytes of the word, "hidden" in place of its other bytes, and the closing
   quote if the word begins with one. */
static void hide_value(struct span word, size_t kept, struct text *to)
{
    text_add_bytes(to, word.text, kept);
    if (kept < word.length)
        text_add(to, COMMAND_LINE_HIDDEN);
    if (*word.text == '"')
        text_add(to, "\"");
}

void command_line_hide(struct span line, const char *host, struct text *to)
{
    struct capture_mask m = {.word = COMMAND_LINE_HIDDEN};
    bool announced = false;
    snprintf(m.host, sizeof m.host, "%s", host);
    while (line.length) {
        /* A word ends at a blank outside of quotes, as the kernel splits its line. */
        size_t length = 0;
        bool quoted = false;
        for (; length < line.length; length++) {
            char c = line.text[length];
            if (c == '"')
                quoted = !quoted;
            if (c == '\n' || (!quoted && (c == ' ' || c == '\t')))
                break;
        }
        struct span word = {line.text, length};
        if (announced && word.length && *word.text != '-')
            text_add(to, COMMAND_LINE_HIDDEN);
        else if (word.length) {
            struct span key = {word.text, key_length(word)};
            size_t quote = key.length && *key.text == '"', uuid = after_uuid(word);
            bool has_value = key.length < word.length;
            if (has_value &&
                (is_private(span_after(key, quote)) || names_server(span_after(word, key.length))))
                hide_value(word, key.length + 1, to);
            else if (uuid)
                hide_value(word, uuid, to);
            else
                mask_text(&m, word, MASK_NAMES, to);
        }
        if (word.length)
            /* After an option such as "--password" the next word is its value. */
            announced = word.length > 1 && *word.text == '-' && key_length(word) == word.length &&
                        is_private(word);
        line = span_after(line, word.length);
        if (line.length) {
            text_add_bytes(to, line.text, 1);
            line = span_after(line, 1);
        }
    }
    capture_mask_free(&m);
}
