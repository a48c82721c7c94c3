/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads depmod's files into an index of modules by name, and by the devices that they are for. */
#include "appliance/module/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"

#define MAX_BYTES ((size_t)64 << 20)
#define BLANKS    " \t\r"

/* Lengths to which beginnings are cut. "pci:v", "usb:v", "cpu:t" have 5; "pci:v00008086d" and
   "usb:v0781p5567" have 14 (vendor; vendor and product); "pci:v00008086d00002922" has 22 (vendor
   and device). */
static const size_t lengths[] = {22, 14, 5, 3, 0};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool module_index_word(const char **text, struct span *word)
{
    const char *p = *text;
    while (is_blank(*p))
        p++;
    word->text = p;
    while (*p != '\0' && !is_blank(*p))
        p++;
    word->length = (size_t)(p - word->text);
    *text = p;
    return word->length > 0;
}

bool module_index_last_word(struct span *text, struct span *word)
{
    size_t end = text->length;
    while (end > 0 && is_blank(text->text[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && !is_blank(text->text[begin - 1]))
        begin--;
    *word = (struct span){text->text + begin, end - begin};
    text->length = begin;
    return word->length > 0;
}

/* Writes the kernel's name of a module: without folders, ".ko" and the text after it, and with '_'
   for '-'. Returns its length, 0 if it is too long for a name. */
static size_t name_of(struct span path, char name[MODULE_NAME])
{
    size_t length = 0;
    for (size_t i = 0; i < path.length; i++) {
        if (path.text[i] == '/') {
            length = 0;
        } else if (length < MODULE_NAME) {
            name[length++] = path.text[i];
        }
    }
    if (length == MODULE_NAME)
        return 0;
    name[length] = '\0';
    char *suffix = strstr(name, ".ko");
    if (suffix != NULL && (suffix[3] == '\0' || suffix[3] == '.'))
        *suffix = '\0';
    module_pattern_normalise(name);
    return strlen(name);
}

uint32_t module_index_find(const struct module_index *index, struct span name_or_path)
{
    char name[MODULE_NAME];
    size_t length = name_of(name_or_path, name);
    return length > 0 ? string_table_find(&index->names, (struct span){name, length})
                      : STRING_TABLE_NONE;
}

size_t module_index_named(const struct module_index *index, struct span name,
                          uint32_t modules[MODULES_OF_ALIAS])
{
    char alias[4 * MODULE_NAME];
    const char *names[MODULES_OF_ALIAS];
    size_t count = 0;
    modules[0] = module_index_find(index, name);
    if (modules[0] != STRING_TABLE_NONE)
        return 1;
    if (name.length >= sizeof alias)
        return 0;
    span_copy(alias, name);
    module_pattern_normalise(alias);
    size_t found = module_aliases_find(&index->aliases, alias, names, MODULES_OF_ALIAS);
    for (size_t i = 0; i < found; i++) {
        modules[count] = module_index_find(index, span_of(names[i]));
        count += modules[count] != STRING_TABLE_NONE;
    }
    return count;
}

/* Finds the number of the module with that path, which is added if it is new; STRING_TABLE_NONE if
   the path holds no name. */
static int add_module(struct module_index *index, struct span path, uint32_t *number, struct err *e)
{
    char name[MODULE_NAME];
    size_t length = name_of(path, name);
    *number = STRING_TABLE_NONE;
    if (length == 0)
        return 0;
    *number = string_table_find(&index->names, (struct span){name, length});
    if (*number != STRING_TABLE_NONE)
        return 0;
    const char *copy = pool_copy(&index->pool, name, length);
    if (copy != NULL)
        *number = string_table_add(&index->names, (struct span){copy, length});
    if (*number == STRING_TABLE_NONE)
        return err_no_memory(e, "the index of the kernel's modules");
    index->modules[*number] = (struct module){.name = copy, .path = "", .needs = ""};
    return 0;
}

/* Adds a module and what it needs, from a line such as "kernel/drivers/nvme/host/nvme.ko:
   kernel/drivers/nvme/host/nvme-core.ko ...". */
static int take_dependencies(struct module_index *index, const char *line, struct err *e)
{
    uint32_t number;
    const char *colon = strchr(line, ':');
    if (colon == NULL)
        return 0;
    struct span path = {line, (size_t)(colon - line)};
    if (add_module(index, path, &number, e) != 0)
        return -1;
    if (number == STRING_TABLE_NONE)
        return 0;
    const char *copy = pool_copy(&index->pool, path.text, path.length);
    if (copy == NULL)
        return err_no_memory(e, "the index of the kernel's modules");
    index->modules[number].path = copy;
    index->modules[number].needs = colon + 1;
    return 0;
}

/* Adds a built-in module, from a line such as "kernel/fs/fat/vfat.ko". A module that modules.dep
   has is a file, even if it is listed here. */
static int take_built_in(struct module_index *index, const char *line, struct err *e)
{
    struct span path = span_trimmed(span_of(line));
    uint32_t known = index->names.count, number;
    if (add_module(index, path, &number, e) != 0)
        return -1;
    if (number != STRING_TABLE_NONE && number >= known)
        index->modules[number].built_in = true;
    return 0;
}

static bool is_word(struct span word, const char *expected)
{
    return word.length == strlen(expected) && memcmp(word.text, expected, word.length) == 0;
}

static int take_softdep(struct module_index *index, const char *line, struct err *e)
{
    const char *rest = line;
    struct span keyword, name, word;
    bool before = false, after = false;
    (void)e;
    if (!module_index_word(&rest, &keyword) || !is_word(keyword, "softdep") ||
        !module_index_word(&rest, &name))
        return 0;
    uint32_t number = module_index_find(index, name);
    while (number != STRING_TABLE_NONE && module_index_word(&rest, &word)) {
        if (is_word(word, "pre:") || is_word(word, "post:")) {
            before = is_word(word, "pre:");
            after = !before;
        } else if (before || after) {
            index->softdeps[index->softdep_count++] = (struct module_softdep){number, word, before};
        }
    }
    return 0;
}

/* Reads a file into *text, which is NULL if there is no such file. */
static int read_text(const char *folder, const char *name, char **text, struct err *e)
{
    char path[PATH_MAX];
    *text = NULL;
    if (!file_path(path, "%s/%s", folder, name))
        return err_set(e, ERR_MACHINE, "cannot read %s of %.200s: the path is too long", name,
                       folder);
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (file_read_all(path, MAX_BYTES, text, NULL, e) != 0) {
        if (e != NULL)
            e->code = ERR_MACHINE;
        return -1;
    }
    return 0;
}

typedef int take_line(struct module_index *index, const char *line, struct err *e);

static int index_lines(struct module_index *index, char *text, take_line *take, struct err *e)
{
    while (text != NULL && *text != '\0') {
        char *line = text;
        text = strchr(line, '\n');
        if (text != NULL)
            *text++ = '\0';
        if (*line != '#' && take(index, line, e) != 0)
            return -1;
    }
    return 0;
}

/* ---- modules.alias, filed by the literal beginnings of its patterns ---- */

/* Returns an upper bound of the number of lines in a file's text (NULL: no lines), which exceeds it
   by at most one. */
static size_t module_lines(const char *text)
{
    size_t lines = text != NULL;
    while (text != NULL && (text = strchr(text, '\n')) != NULL) {
        text++;
        lines++;
    }
    return lines;
}

static bool is_blank_of_line(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Splits the line "alias PATTERN MODULE" in place. The module is the last word, because a pattern
   may have blanks. */
static bool alias_parse(char *line, struct module_alias *alias)
{
    static const char keyword[] = "alias ";
    size_t length = strlen(line);
    while (length > 0 && is_blank_of_line(line[length - 1]))
        line[--length] = '\0';
    if (strncmp(line, keyword, sizeof keyword - 1) != 0)
        return false;
    char *pattern = line + sizeof keyword - 1;
    pattern += strspn(pattern, BLANKS);
    char *module = line + length;
    while (module > pattern && !is_blank_of_line(module[-1]))
        module--;
    char *end = module;
    while (end > pattern && is_blank_of_line(end[-1]))
        end--;
    if (end == pattern) /* one word only */
        return false;
    *end = '\0';
    module_pattern_normalise(pattern);
    module_pattern_normalise(module);
    *alias = (struct module_alias){.pattern = pattern, .module = module};
    return true;
}

static void module_aliases_free(struct module_aliases *a)
{
    string_table_free(&a->beginnings);
    free(a->first);
    free(a->all);
    free(a->text);
    *a = (struct module_aliases){0};
}

/* Files the lines of `text` (from malloc, or NULL), which it owns from now on, even on failure.
   Lines other than "alias PATTERN MODULE" are skipped. ERR_MACHINE without memory. */
static int module_aliases_file(struct module_aliases *a, char *text, struct err *e)
{
    size_t max = module_lines(text) + 1;
    *a = (struct module_aliases){.text = text};
    a->all = malloc(max * sizeof *a->all);
    a->first = calloc(max, sizeof *a->first);
    bool room = a->all != NULL && a->first != NULL;
    for (char *line = text; room && line != NULL && *line != '\0';) {
        struct module_alias alias;
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        if (alias_parse(line, &alias)) {
            size_t literal = module_pattern_literal(alias.pattern), i = 0;
            while (lengths[i] > literal)
                i++;
            uint32_t beginning =
                string_table_add(&a->beginnings, (struct span){alias.pattern, lengths[i]});
            room = beginning != STRING_TABLE_NONE;
            if (room) {
                alias.next = a->first[beginning];
                a->all[a->count] = alias;
                a->first[beginning] = ++a->count;
            }
        }
        line = end;
    }
    if (!room) {
        module_aliases_free(a);
        return err_no_memory(e, "the index of modules.alias");
    }
    return 0;
}

/* Inserts `number` into the sorted array. If the array is full, its last entry is dropped. */
static size_t insert_sorted(uint32_t numbers[], size_t count, size_t max, uint32_t number)
{
    if (count == max && (max == 0 || numbers[max - 1] < number))
        return count;
    size_t i = count < max ? count++ : count - 1;
    for (; i > 0 && numbers[i - 1] > number; i--)
        numbers[i] = numbers[i - 1];
    numbers[i] = number;
    return count;
}

size_t module_aliases_find(const struct module_aliases *a, const char *modalias,
                           const char *modules[], size_t max)
{
    enum { COUNT_MAX = 128 };
    uint32_t numbers[COUNT_MAX];
    size_t count = 0, length = strlen(modalias);
    max = max < COUNT_MAX ? max : COUNT_MAX;
    for (size_t i = 0; i < LENGTHS; i++) {
        if (lengths[i] > length)
            continue;
        uint32_t beginning = string_table_find(&a->beginnings, (struct span){modalias, lengths[i]});
        if (beginning == STRING_TABLE_NONE)
            continue;
        for (uint32_t n = a->first[beginning]; n != 0; n = a->all[n - 1].next)
            if (module_pattern_matches(a->all[n - 1].pattern, modalias))
                count = insert_sorted(numbers, count, max, n - 1);
    }
    for (size_t i = 0; i < count; i++)
        modules[i] = a->all[numbers[i]].module;
    return count;
}

/* ---- all files ---- */

/* Marks the modules that are for devices. The aliases of a module are consecutive, so most lines
   have the same module as the line before. */
static void mark_those_with_devices(struct module_index *index)
{
    const char *last = "";
    for (uint32_t i = 0; i < index->aliases.count; i++) {
        const struct module_alias *alias = &index->aliases.all[i];
        /* "pci:..." is for a device, "crypto_crc32c" is not. Modules for a kind of processor have
           nothing to probe. */
        bool of_device =
            strchr(alias->pattern, ':') != NULL && strncmp(alias->pattern, "cpu:", 4) != 0;
        if (!of_device || strcmp(alias->module, last) == 0)
            continue;
        last = alias->module;
        uint32_t number = module_index_find(index, span_of(last));
        if (number != STRING_TABLE_NONE)
            index->modules[number].has_devices = true;
    }
}

static int read_files(struct module_index *index, const char *folder, struct err *e)
{
    static const char *const names[] = {"modules.dep", "modules.builtin", "modules.softdep"};
    static take_line *const takes[] = {take_dependencies, take_built_in, take_softdep};
    char *aliases;
    size_t words = 0;
    struct span word;
    for (size_t i = 0; i < 3; i++)
        if (read_text(folder, names[i], &index->texts[i], e) != 0)
            return -1;
    for (const char *text = index->texts[2]; text != NULL && module_index_word(&text, &word);)
        words++;
    size_t max = module_lines(index->texts[0]) + module_lines(index->texts[1]);
    index->modules = calloc(max + 1, sizeof *index->modules);
    index->softdeps = calloc(words + 1, sizeof *index->softdeps);
    if (index->modules == NULL || index->softdeps == NULL)
        return err_no_memory(e, "the index of the kernel's modules");
    for (size_t i = 0; i < 3; i++)
        if (index_lines(index, index->texts[i], takes[i], e) != 0)
            return -1;
    if (read_text(folder, "modules.alias", &aliases, e) != 0 ||
        module_aliases_file(&index->aliases, aliases, e) != 0)
        return -1;
    mark_those_with_devices(index);
    return 0;
}

int module_index_read(struct module_index *index, const char *folder, struct err *e)
{
    *index = (struct module_index){0};
    int status = read_files(index, folder, e);
    if (status != 0)
        module_index_free(index);
    return status;
}

void module_index_free(struct module_index *index)
{
    module_aliases_free(&index->aliases);
    string_table_free(&index->names);
    free(index->modules);
    free(index->softdeps);
    for (size_t i = 0; i < 3; i++)
        free(index->texts[i]);
    pool_free(&index->pool);
    *index = (struct module_index){0};
}
