/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognises identifiers by their form, and replaces them by a number in the same form. */
#include "hw/capture/capture_mask.h"

#include <ctype.h>
#include <string.h>

#define IDENTIFIER_MAX 256
#define LONG_NUMBER    16 /* minimum number of hexadecimal digits of a WWN */
/* minimum length of a host name: shorter ones are parts of too many other words */
#define SHORTEST_HOST 3

/* ---- known identifiers ---- */

/* Returns the number of an identifier. Numbers begin with 1, in the order in which identifiers
   first occur. */
static size_t number_of(struct capture_mask *m, struct span identifier)
{
    uint32_t number = string_table_find(&m->known, identifier);
    if (number != STRING_TABLE_NONE)
        return number + 1u;
    const char *copy = pool_copy(&m->strings, identifier.text, identifier.length);
    if (!copy || string_table_add(&m->known, span_of(copy)) == STRING_TABLE_NONE)
        m->failed = true;
    return m->known.count;
}

void mask_identifier(struct capture_mask *m, struct span identifier, struct text *to)
{
    /* The letters and digits without separators, in lower case, so that two spellings of an
       identifier are equal. */
    char reduced[IDENTIFIER_MAX + 1];
    size_t length = 0, begin = to->length;
    for (size_t i = 0; i < identifier.length && length < IDENTIFIER_MAX; i++)
        if (isalnum((unsigned char)identifier.text[i]))
            reduced[length++] = (char)tolower((unsigned char)identifier.text[i]);
    reduced[length] = '\0';
    if (m->word && length) {
        text_add(to, m->word);
        return;
    }
    text_add_bytes(to, identifier.text, identifier.length);
    if (!reduced[strspn(reduced, "0")] || !reduced[strspn(reduced, "f")] || to->failed)
        return;
    size_t number = number_of(m, (struct span){reduced, length});
    for (size_t i = to->length; i-- > begin;) {
        if (!isalnum((unsigned char)to->data[i]))
            continue;
        to->data[i] = (char)('0' + number % 10);
        number /= 10;
    }
}

void mask_take_host(struct capture_mask *m, const struct sysroot *root)
{
    sysroot_line(root, "/proc/sys/kernel/hostname", m->host, sizeof m->host);
    m->host[strcspn(m->host, ".")] = '\0';
    if (strlen(m->host) < SHORTEST_HOST || !strcmp(m->host, "localhost"))
        m->host[0] = '\0';
}

void capture_mask_free(struct capture_mask *m)
{
    string_table_free(&m->known);
    pool_free(&m->strings);
    *m = (struct capture_mask){0};
}

/* ---- forms ---- */

static size_t hex_digits(struct span s)
{
    size_t n = 0;
    while (n < s.length && isxdigit((unsigned char)s.text[n]))
        n++;
    return n;
}

static struct span span_after(struct span s, size_t length)
{
    return (struct span){s.text + length, s.length - length};
}

/* A function that recognises one form of identifiers. Given text that begins a word, it returns the
   length of the identifier in it, which comes after *kept bytes that are not masked; 0: there is no
   identifier. */
typedef size_t form_function(const struct capture_mask *m, struct span s, size_t *kept);

/* Recognises a UUID (RFC 4122): 8-4-4-4-12 digits. */
static size_t uuid(const struct capture_mask *m, struct span s, size_t *kept)
{
    static const size_t groups[] = {8, 4, 4, 4, 12};
    size_t used = 0;
    (void)m;
    *kept = 0;
    for (int i = 0; i < 5; i++) {
        if (i && (used == s.length || s.text[used++] != '-'))
            return 0;
        if (hex_digits(span_after(s, used)) != groups[i])
            return 0;
        used += groups[i];
    }
    return used;
}

/* Recognises six pairs of digits separated by colons (MAC address), or twenty (InfiniBand). */
static size_t hardware_address(const struct capture_mask *m, struct span s, size_t *kept)
{
    size_t pairs = 0, used = 0;
    (void)m;
    *kept = 0;
    while (hex_digits(span_after(s, used)) == 2) {
        used += 2;
        pairs++;
        if (used == s.length || s.text[used] != ':')
            break;
        used++;
    }
    if (pairs < 6)
        return 0;
    return s.text[used - 1] == ':' ? used - 1 : used;
}

/* Recognises a name that systemd gives to an interface by its MAC address: enx001b213c9df8. */
static size_t interface_name(const struct capture_mask *m, struct span s, size_t *kept)
{
    static const char *const kinds[] = {"enx", "wlx", "wwx"};
    (void)m;
    *kept = 3;
    for (int i = 0; i < 3; i++)
        if (s.length > 3 && !memcmp(s.text, kinds[i], 3) && hex_digits(span_after(s, 3)) == 12)
            return 12;
    return 0;
}

/* Finds the lower half of an IPv6 address that was made from a MAC address, with ff:fe in its
   middle (RFC 4291, appendix A). The address has 32 digits without colons, as in /proc/net. */
static size_t ipv6_of_hardware(const struct capture_mask *m, struct span s, size_t *kept)
{
    (void)m;
    *kept = 16;
    return hex_digits(s) == 32 && !memcmp(s.text + 22, "fffe", 4) ? 16 : 0;
}

static size_t long_number(const struct capture_mask *m, struct span s, size_t *kept)
{
    (void)m;
    *kept = s.length > 2 && s.text[0] == '0' && (s.text[1] | 32) == 'x' ? 2 : 0;
    size_t digits = hex_digits(span_after(s, *kept));
    return digits >= LONG_NUMBER ? digits : 0;
}

static size_t host_name(const struct capture_mask *m, struct span s, size_t *kept)
{
    size_t length = strlen(m->host);
    *kept = 0;
    return length && s.length >= length && !memcmp(s.text, m->host, length) ? length : 0;
}

static const struct {
    form_function *form;
    unsigned only; /* flag that must be given for this form to be masked; 0: always masked */
} forms[] = {
    {uuid, 0},
    {hardware_address, 0},
    {interface_name, 0},
    {ipv6_of_hardware, 0},
    {host_name, MASK_HOST},
    {long_number, MASK_LONG_NUMBERS},
};

static size_t find_form(const struct capture_mask *m, struct span s, unsigned also, size_t *kept)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].only && !(forms[i].only & also))
            continue;
        size_t length = forms[i].form(m, s, kept);
        struct span rest = span_after(s, length ? *kept + length : 0);
        if (length && (!rest.length || !isalnum((unsigned char)*rest.text)))
            return length;
    }
    return 0;
}

void mask_text(struct capture_mask *m, struct span text, unsigned also, struct text *to)
{
    size_t done = 0;
    for (size_t i = 0; i < text.length;) {
        size_t kept, length = 0;
        bool in_word = i && isalnum((unsigned char)text.text[i - 1]);
        if (!in_word && isalnum((unsigned char)text.text[i]))
            length = find_form(m, span_after(text, i), also, &kept);
        if (!length) {
            i++;
            continue;
        }
        text_add_bytes(to, text.text + done, i + kept - done);
        mask_identifier(m, (struct span){text.text + i + kept, length}, to);
        i += kept + length;
        done = i;
    }
    text_add_bytes(to, text.text + done, text.length - done);
}
