/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the current word of one knob (a setting of the machine) and the offered words, writes a
   word, and checks that it was accepted. */
#include "hw/knob/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLANKS " \t\r\n"

/* Returns the next word of *text, with its length in *length; NULL at the end. */
static const char *next_word(const char **text, size_t *length)
{
    const char *word = *text + strspn(*text, BLANKS);
    *length = strcspn(word, BLANKS);
    *text = word + *length;
    return *length ? word : NULL;
}

static bool in_brackets(const char *word, size_t length)
{
    return length > 2 && word[0] == '[' && word[length - 1] == ']';
}

enum fact_status knob_value_read(const struct sysroot *root, const char *path,
                                 char value[KNOB_VALUE])
{
    char line[KNOB_OFFER];
    value[0] = '\0';
    enum fact_status status = sysroot_line(root, path, line, sizeof line);
    if (status != FACT_OK)
        return status;
    const char *rest = line, *word, *in_force = NULL;
    size_t length, words = 0, in_force_length = 0;
    while ((word = next_word(&rest, &length))) {
        words++;
        if (in_brackets(word, length)) {
            in_force = word + 1;
            in_force_length = length - 2;
        } else if (words == 1) {
            in_force = word;
            in_force_length = length;
        }
    }
    bool marked = in_force && in_force > line && in_force[-1] == '[';
    if (!in_force || (words > 1 && !marked) || in_force_length >= KNOB_VALUE)
        return FACT_INVALID;
    memcpy(value, in_force, in_force_length);
    value[in_force_length] = '\0';
    return FACT_OK;
}

enum fact_status knob_value_offer(const struct sysroot *root, const char *path,
                                  char offer[KNOB_OFFER])
{
    char line[KNOB_OFFER];
    offer[0] = '\0';
    enum fact_status status = sysroot_line(root, path, line, sizeof line);
    if (status != FACT_OK)
        return status;
    const char *rest = line, *word;
    size_t length, used = 0;
    while ((word = next_word(&rest, &length))) {
        if (in_brackets(word, length)) {
            word++;
            length -= 2;
        }
        if (used)
            offer[used++] = ' ';
        memcpy(offer + used, word, length);
        used += length;
        offer[used] = '\0';
    }
    return FACT_OK;
}

bool knob_value_offered(const char *offer, const char *value)
{
    const char *word;
    size_t length, wanted = strlen(value);
    while ((word = next_word(&offer, &length)))
        if (length == wanted && !memcmp(word, value, length))
            return true;
    return false;
}

/* Writes the value in a single write, as the kernel requires; plain files of a captured tree are
   truncated to it. */
static int write_word(const char *full, const char *value)
{
    char text[KNOB_VALUE + 1];
    int length = snprintf(text, sizeof text, "%s\n", value);
    if (length < 0 || (size_t)length >= sizeof text)
        return EINVAL;
    int fd = open(full, O_WRONLY | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    ssize_t written;
    do
        written = write(fd, text, (size_t)length);
    while (written < 0 && errno == EINTR);
    int error = written == length ? 0 : written < 0 ? errno : EIO;
    if (close(fd) && !error)
        error = errno;
    return error;
}

int knob_value_write(const struct sysroot *root, const char *path, const char *value)
{
    char full[PATH_MAX], now[KNOB_VALUE];
    int error = write_word(sysroot_path(root, full, sizeof full, path), value);
    if (error)
        return error;
    return knob_value_read(root, path, now) == FACT_OK && !strcmp(now, value) ? 0 : KNOB_IGNORED;
}

const char *knob_value_problem(int result)
{
    return result == KNOB_IGNORED ? "the kernel took it and kept another value" : strerror(result);
}
