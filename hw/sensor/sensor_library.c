/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libsensors, without the effects that a prober must not have. */
#include "hw/sensor/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sensors/error.h>
#include <sensors/sensors.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT_VARIABLE "SENSORS_SYSFS_ROOT"
#define DEPTH_MAX     16
#define PREFIX_MAX    128

/* ---- errors ---- */

/* The callback for fatal errors has no argument and must not return: this is where it jumps to. */
static jmp_buf *way_out;

static void leave(const char *function, const char *message)
{
    (void)function;
    (void)message;
    longjmp(*way_out, 1); // NOLINT(cert-err52-cpp)
}

static void ignore(const char *message, const char *file, int line)
{
    (void)message;
    (void)file;
    (void)line;
}

struct handlers {
    void (*parse)(const char *, const char *, int);
    void (*fatal)(const char *, const char *);
};

static struct handlers set_handlers(struct handlers h)
{
    struct handlers before = {sensors_parse_error_wfn, sensors_fatal_error};
    sensors_parse_error_wfn = h.parse;
    sensors_fatal_error = h.fatal;
    return before;
}

/* Redirects stderr, because the library prints a line when its root is not a mounted sysfs. Returns
   the old stderr, or -1 when it was not redirected. */
static int silence(void)
{
    int nothing = memfd_create("silence", MFD_CLOEXEC);
    int before = nothing < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (before >= 0 && dup2(nothing, STDERR_FILENO) < 0) {
        close(before);
        before = -1;
    }
    if (nothing >= 0)
        close(nothing);
    return before;
}

/* ---- trees that no kernel made ---- */

static char *full_path(const struct sysroot *root, const char *folder, const char *file,
                       char full[PATH_MAX])
{
    char path[PATH_MAX];
    return sysroot_path(root, full, PATH_MAX, sysroot_join(path, sizeof path, folder, file));
}

static bool is_regular_or_absent(const struct sysroot *root, const char *folder, const char *file)
{
    char full[PATH_MAX];
    struct stat s;
    return stat(full_path(root, folder, file, full), &s) != 0 || S_ISREG(s.st_mode);
}

/* The library takes the text after the last '/' of a link, and requires that there is one. Without
   `subsystem` it uses `bus`. */
static bool names_bus(const struct sysroot *root, const char *folder)
{
    static const char *const links[] = {"subsystem", "bus"};
    ssize_t length = -1;
    char full[PATH_MAX], target[PATH_MAX];
    for (int i = 0; length < 0 && i < 2; i++)
        length = readlink(full_path(root, folder, links[i], full), target, sizeof target - 1);
    return length < 0 || memchr(target, '/', (size_t)length);
}

/* The library goes from device to device until it knows the bus, so this must come to an end. Links
   must be relative, as the kernel's are: the library lets the system resolve them, and an absolute
   link would lead out of the tree. */
static bool devices_end(const struct sysroot *root, const char *entry)
{
    char folder[PATH_MAX], link[PATH_MAX];
    bool absolute;
    enum fact_status status = sysroot_follow(root, entry, folder, sizeof folder, &absolute);
    if (status == FACT_ABSENT)
        status = sysroot_folder(root, entry, folder, sizeof folder);
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        if (status != FACT_OK || absolute || !names_bus(root, folder) ||
            !is_regular_or_absent(root, folder, "name"))
            return false;
        sysroot_join(link, sizeof link, folder, "device");
        status = sysroot_follow(root, link, folder, sizeof folder, &absolute);
        if (status == FACT_ABSENT)
            return true;
    }
    return false;
}

/* Checks everything that the library opens or follows below its root. */
static bool is_harmless(const struct sysroot *root)
{
    static const char *const lists[] = {"/sys/class/hwmon", "/sys/class/i2c-adapter",
                                        "/sys/bus/i2c/devices"};
    bool harmless = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct sysroot_names names;
        sysroot_list(root, lists[i], &names);
        for (size_t n = 0; harmless && n < names.count; n++) {
            char entry[PATH_MAX];
            sysroot_join(entry, sizeof entry, lists[i], names.names[n]);
            harmless = is_regular_or_absent(root, entry, "device/name") && devices_end(root, entry);
        }
        sysroot_names_free(&names);
    }
    return harmless;
}

/* ---- use ---- */

static enum sensor_library_result use(const struct sysroot *root, sensor_library_work *work,
                                      void *context)
{
    jmp_buf here;
    bool volatile opened = false;
    /* Sets the library's root. The library keeps a pointer to the variable's text, so it is set for
       every use. */
    char folder[sizeof root->prefix + sizeof "/sys"];
    if (setenv(ROOT_VARIABLE, sysroot_path(root, folder, sizeof folder, "/sys"), 1))
        return SENSOR_LIBRARY_NO_MEMORY;
    way_out = &here;
    bool whole = !setjmp(here); // NOLINT(cert-err52-cpp)
    if (whole) {
        /* A configuration of one empty line, so that the library looks for no file. */
        char empty[] = "\n";
        FILE *configuration = fmemopen(empty, 1, "r");
        if (!configuration)
            leave("", "");
        opened = !sensors_init(configuration);
        fclose(configuration);
        if (opened)
            work(context);
    }
    way_out = NULL;
    if (opened)
        sensors_cleanup();
    return !whole ? SENSOR_LIBRARY_NO_MEMORY : opened ? SENSOR_LIBRARY_DONE : SENSOR_LIBRARY_FAILED;
}

enum sensor_library_result sensor_library_use(const struct sysroot *root, sensor_library_work *work,
                                              void *context)
{
    if (root->prefix[0] && (strlen(root->prefix) > PREFIX_MAX || !is_harmless(root)))
        return SENSOR_LIBRARY_REFUSED;
    const char *variable = getenv(ROOT_VARIABLE);
    char *before = variable ? strdup(variable) : NULL;
    if (variable && !before)
        return SENSOR_LIBRARY_NO_MEMORY;
    struct handlers handlers = set_handlers((struct handlers){ignore, leave});
    int output = silence();
    enum sensor_library_result result = use(root, work, context);
    if (output >= 0) {
        dup2(output, STDERR_FILENO);
        close(output);
    }
    set_handlers(handlers);
    if (before)
        setenv(ROOT_VARIABLE, before, 1);
    else
        unsetenv(ROOT_VARIABLE);
    free(before);
    return result;
}

/* The rest of the path after the prefix; NULL when it is not a path in /sys below it. */
static const char *below(const char *path, const char *prefix)
{
    size_t length = strlen(prefix);
    bool below = !strncmp(path, prefix, length) && !strncmp(path + length, "/sys/", 5);
    return below ? path + length : NULL;
}

void sensor_library_path(const struct sysroot *root, const char *path, char *to, size_t size)
{
    const char *rest = below(path, root->prefix);
    to[0] = '\0';
    if (!rest) {
        /* For drivers with their files in the device's folder, the library has followed all
           links. */
        char canonical[PATH_MAX], full[PATH_MAX];
        if (realpath(sysroot_path(root, full, sizeof full, "/"), canonical))
            rest = below(path, canonical);
    }
    if (rest && strlen(rest) < size)
        memcpy(to, rest, strlen(rest) + 1);
}
