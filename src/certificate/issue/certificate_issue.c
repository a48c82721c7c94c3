/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes certificates: finds the files that a certificate covers, and computes their checksums. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file/file.h"
#include "base/file/record_file.h"
#include "base/span.h"
#include "base/version.h"
#include "certificate/issue/certificate_issue.h"
#include "certificate/signature/ed25519.h"

#define FILE_BYTES_MAX ((size_t)1 << 31)
#define QUALIFICATION  "qualification.json"
#define MERGED         "merged.cupel"

static const char *const of_folder[] = {RECORD_FILE,    PROGRAM_FILE,    MERGED,
                                        "repeat.cupel", "targets.cupel", QUALIFICATION,
                                        "machine.json"};

/* A certificate lists these reports only if cupel cannot make them again from records: reports of
   merged results contain warnings about the sources, and those of qualifications contain facts
   about the machine. */
static const char *const reports[] = {"report.txt", "report.html", "qualification.txt",
                                      "qualification.csv"};

struct list {
    struct certificate_file *files;
    size_t count, capacity;
};

int certificate_check_regular(const char *path, struct err *e)
{
    struct stat st;
    if (stat(path, &st) || S_ISREG(st.st_mode))
        return 0;
    return err_set(e, ERR_USAGE, "%.200s: it is no regular file, and is not read", path);
}

static void hash_words(char to[2 * SHA256_BYTES + 1], const char *data, size_t length)
{
    unsigned char hash[SHA256_BYTES];
    sha256(hash, data, length);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(to + 2 * i, 3, "%02x", hash[i]);
}

static int hash_file(char to[2 * SHA256_BYTES + 1], const char *path, struct err *e)
{
    char *data;
    size_t length;
    if (certificate_check_regular(path, e) ||
        file_read_all(path, FILE_BYTES_MAX, &data, &length, e))
        return -1;
    hash_words(to, data, length);
    free(data);
    return 0;
}

/* Writes the SHA-256 of the list of files, in hexadecimal digits. */
static void hash_list(char to[65], const struct certificate_file files[], size_t count)
{
    struct text list = {0};
    for (size_t i = 0; i < count; i++)
        text_addf(&list, "%s  %s\n", files[i].sha256, files[i].name);
    hash_words(to, list.data ? list.data : "", list.length);
    text_free(&list);
}

const char *certificate_list(const char *text)
{
    while (*text && strspn(text, "0123456789abcdef") != 2 * SHA256_BYTES)
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    return text;
}

static int add_file(struct list *list, const char *path, const char *name, struct err *e)
{
    struct certificate_file *file;
    char shown[sizeof file->name];
    span_printable(shown, sizeof shown, span_of(name));
    if (strcmp(shown, name) != 0 || strchr(name, '\n') || strchr(name, '\\'))
        return err_set(e, ERR_USAGE, "%.100s: no certificate can show this name", shown);
    if (!array_grow(&list->files, sizeof *file, list->count, &list->capacity))
        return err_no_memory(e, "a list of files");
    file = &list->files[list->count];
    snprintf(file->name, sizeof file->name, "%s", name);
    if (hash_file(file->sha256, path, e))
        return -1;
    list->count++;
    return 0;
}

/* Adds FOLDER/NAME to the list if the file exists. */
static int add_of_folder(struct list *list, const char *folder, const char *name, struct err *e)
{
    char path[PATH_MAX];
    if (!file_path(path, "%s/%s", folder, name))
        return err_set(e, ERR_USAGE, "%.100s: the name is too long", folder);
    return access(path, F_OK) ? 0 : add_file(list, path, name, e);
}

static int add_subfolders(struct list *list, const char *folder, struct err *e)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int status = 0;
    while (dir && !status && (entry = readdir(dir)) != NULL) {
        char name[PATH_MAX];
        if (entry->d_name[0] != '.' && file_path(name, "%s/" RECORD_FILE, entry->d_name))
            status = add_of_folder(list, folder, name, e);
        if (!status && entry->d_name[0] != '.' &&
            file_path(name, "%s/" PROGRAM_FILE, entry->d_name))
            status = add_of_folder(list, folder, name, e);
    }
    if (dir)
        closedir(dir);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct certificate_file *)a)->name,
                  ((const struct certificate_file *)b)->name);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Finds the folder of a result. For a merged result, that is the folder of its merged.cupel,
   because it consists of several files. Returns false for a result that is a single file. */
static bool folder_of(char to[PATH_MAX], const char *path)
{
    const char *base = base_name(path);
    if (dir_exists(path))
        return file_path(to, "%s", path);
    return !strcmp(base, MERGED) && file_path(to, "%.*s.", (int)(base - path), path);
}

int certificate_files(struct certificate_file **files, size_t *count, const char *path,
                      struct err *e)
{
    struct list list = {.count = 0};
    char folder[PATH_MAX];
    int status = 0;
    if (folder_of(folder, path)) {
        path = folder;
        for (size_t i = 0; !status && i < sizeof of_folder / sizeof *of_folder; i++)
            status = add_of_folder(&list, path, of_folder[i], e);
        for (size_t i = 0;
             !status && certificate_names_reports(path) && i < sizeof reports / sizeof *reports;
             i++)
            status = add_of_folder(&list, path, reports[i], e);
        if (!status)
            status = add_subfolders(&list, path, e);
    } else {
        status = add_file(&list, path, base_name(path), e);
    }
    if (!status && !list.count)
        status = err_set(e, ERR_USAGE, "%.200s: it holds no record", path);
    if (status) {
        free(list.files);
        list = (struct list){.count = 0};
    } else if (list.files) {
        qsort(list.files, list.count, sizeof *list.files, by_name);
    }
    *files = list.files;
    *count = list.count;
    return status;
}

static bool holds(const char *folder, const char *file)
{
    char name[PATH_MAX];
    return file_path(name, "%s/%s", folder, file) && !access(name, F_OK);
}

bool certificate_is_of_machine(const char *path)
{
    return holds(path, QUALIFICATION);
}

bool certificate_names_reports(const char *path)
{
    char folder[PATH_MAX];
    return folder_of(folder, path) && (holds(folder, QUALIFICATION) || holds(folder, MERGED));
}

/* Returns true if the folder contains at least one of the files that the text names. In the text,
   each name follows a checksum. */
static bool names_one_of(const char *folder, const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        char name[PATH_MAX];
        size_t digits = strspn(line, "0123456789abcdef");
        if (digits != 2 * SHA256_BYTES || strncmp(line + digits, "  ", 2) != 0)
            continue;
        line += digits + 2;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line, "\n"), line);
        if (holds(folder, name))
            return true;
    }
    return false;
}

bool certificate_result_beside(char to[PATH_MAX], const char *certificate, const char *text)
{
    static const char ending[] = "." CERTIFICATE_NAME;
    char real[PATH_MAX];
    if (!realpath(certificate, real))
        return false;
    size_t length = strlen(real), tail = sizeof ending - 1;
    snprintf(to, PATH_MAX, "%s", real);
    if (length > tail && !strcmp(real + length - tail, ending)) {
        to[length - tail] = '\0';
        if (!access(to, F_OK))
            return true;
    }
    snprintf(to, PATH_MAX, "%.*s", (int)(base_name(real) - real), real);
    bool found = names_one_of(to, text);
    for (size_t i = 0; i < sizeof of_folder / sizeof *of_folder; i++)
        found |= holds(to, of_folder[i]);
    return found;
}

int certificate_path(char to[PATH_MAX], const char *path, struct err *e)
{
    const char *base = base_name(path);
    bool usual = !strcmp(base, RECORD_FILE) || !strcmp(base, MERGED);
    bool fits = dir_exists(path) ? file_path(to, "%s/" CERTIFICATE_NAME, path)
                : usual          ? file_path(to, "%.*s" CERTIFICATE_NAME, (int)(base - path), path)
                                 : file_path(to, "%s." CERTIFICATE_NAME, path);
    return fits ? 0 : err_set(e, ERR_USAGE, "%.100s: the name is too long", path);
}

int certificate_make(const struct certificate_request *request, struct text *out, struct text *html,
                     struct err *e)
{
    struct certificate_file *files = NULL;
    size_t count = 0;
    if (request->path && certificate_files(&files, &count, request->path, e))
        return -1;
    struct certificate certificate = {
        .result = request->result,
        .qualification = request->qualification,
        .status = request->status->code,
        .missing = request->status->msg,
        .version = request->version ? request->version : cupel_version,
        .files = files,
        .file_count = count,
    };
    hash_list(certificate.list_sha256, files, count);
    certificate_print_text(&certificate, out);
    if (html)
        certificate_print_html(&certificate, html);
    free(files);
    return out->failed || (html && html->failed) ? err_no_memory(e, "a certificate") : 0;
}
