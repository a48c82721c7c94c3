/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for pieces of text (struct span), which may come from outside. */
#include "base/span.h"

#include <string.h>

struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

char *span_copy(char *to, struct span s)
{
    char *end = to + s.length;
    const char *from = s.text;
    for (; end - to >= 8; to += 8, from += 8)
        memcpy(to, from, 8);
    while (to < end)
        *to++ = *from++;
    *end = '\0';
    return end;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct span span_trimmed(struct span s)
{
    while (s.length && is_blank(s.text[0])) {
        s.text++;
        s.length--;
    }
    while (s.length && is_blank(s.text[s.length - 1]))
        s.length--;
    return s;
}

struct span span_unquoted(struct span s)
{
    if (s.length >= 2 && s.text[0] == '"' && s.text[s.length - 1] == '"')
        return (struct span){s.text + 1, s.length - 2};
    return s;
}

size_t span_character(struct span s)
{
    if (!s.length)
        return 0;
    const unsigned char *p = (const unsigned char *)s.text;
    if (p[0] < 0x80)
        return 1;
    size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || length > s.length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool surrogate = p[0] == 0xed && p[1] >= 0xa0;
    bool beyond = p[0] == 0xf4 && p[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

size_t span_decode(struct span s, uint32_t *code)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t length = span_character(s);
    *code = length ? (unsigned char)s.text[0] & first_bits[length] : 0u;
    for (size_t i = 1; i < length; i++)
        *code = *code << 6 | ((unsigned char)s.text[i] & 0x3f);
    return length;
}

bool span_steers(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},  {0x200b, 0x200f},
                  {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Returns true for printable ASCII, which is nearly all text. */
static bool is_plain(char c)
{
    return (unsigned char)c >= ' ' && (unsigned char)c < 0x7f;
}

bool span_is_text(struct span s)
{
    while (s.length) {
        if (is_plain(s.text[0])) {
            s.text++;
            s.length--;
            continue;
        }
        size_t length = span_character(s);
        if (!length || (is_control(s.text[0]) && !is_blank(s.text[0])))
            return false;
        s.text += length;
        s.length -= length;
    }
    return true;
}

char *span_printable(char *to, size_t size, struct span s)
{
    static const char ellipsis[] = "...";
    if (!size)
        return to;
    bool whole = s.length < size;
    size_t room = whole ? size - 1 : size > sizeof ellipsis ? size - sizeof ellipsis : 0;
    size_t used = 0;
    while (s.length) {
        if (is_plain(s.text[0]) && used < room) {
            to[used++] = *s.text++;
            s.length--;
            continue;
        }
        uint32_t code;
        size_t length = span_decode(s, &code);
        size_t step = length ? length : 1;
        bool shown = length && !span_steers(code);
        if (used + (shown ? length : 1) > room)
            break;
        if (shown)
            memcpy(to + used, s.text, length);
        else
            to[used] = '?';
        used += shown ? length : 1;
        s.text += step;
        s.length -= step;
    }
    to[used] = '\0';
    if (!whole && room)
        memcpy(to + used, ellipsis, sizeof ellipsis);
    return to;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

char *octal_unescape(char *text)
{
    char *to = text;
    for (const char *p = text; *p; to++) {
        if (p[0] == '\\' && is_octal(p[1]) && is_octal(p[2]) && is_octal(p[3])) {
            *to = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
            p += 4;
        } else {
            *to = *p++;
        }
    }
    *to = '\0';
    return text;
}

static int sextet_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

int span_decode_base64(struct span text, unsigned char *to, size_t *length, struct err *e)
{
    uint32_t bits = 0;
    size_t n = text.length, out = 0;
    if (n % 4)
        return err_set(e, ERR_USAGE, "its base64 breaks off: %zu characters are no multiple of 4",
                       n);
    for (int padding = 0; padding < 2 && n && text.text[n - 1] == '='; padding++)
        n--;
    for (size_t i = 0; i < n; i++) {
        int sextet = sextet_of(text.text[i]);
        if (sextet < 0)
            return err_set(e, ERR_USAGE, "character %zu is not base64", i + 1);
        bits = bits << 6 | (uint32_t)sextet;
        if (i % 4)
            to[out++] = (unsigned char)(bits >> (6 - i % 4 * 2));
    }
    *length = out;
    return 0;
}
