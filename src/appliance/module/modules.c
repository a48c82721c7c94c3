/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads kernel modules for devices, with the index, the loader, and the modaliases looked up so
   far. */
#include "appliance/module/modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "appliance/module/internal.h"
#include "appliance/process/kernel_arguments.h"
#include "base/file/file.h"
#include "base/pool.h"
#include "base/text.h"

#define MAX_MODALIAS     4096
#define MAX_MATCHES      128
#define MAX_PROC_MODULES ((size_t)1 << 20)

struct modules {
    struct module_index index;
    struct module_loader loader;
    struct string_table modaliases; /* the modaliases looked up before */
    struct pool pool;
    const char *folder, *command_line;
    bool kernel_asked;
};

int modules_open(struct modules **m, const char *folder, const char *command_line, struct err *e)
{
    struct modules *made = calloc(1, sizeof *made);
    *m = NULL;
    if (made == NULL)
        return err_no_memory(e, "loading modules");
    command_line = command_line != NULL ? command_line : "";
    made->loader.insertions = (struct module_insertions){.fd = -1, .thread_fd = -1};
    made->folder = pool_copy(&made->pool, folder, strlen(folder));
    made->command_line = pool_copy(&made->pool, command_line, strlen(command_line));
    if (made->folder == NULL || made->command_line == NULL) {
        err_no_memory(e, "loading modules");
    } else if (module_index_read(&made->index, made->folder, e) == 0 &&
               module_loader_open(&made->loader, &made->index, made->folder, made->command_line,
                                  e) == 0) {
        *m = made;
        return 0;
    }
    modules_free(made);
    return -1;
}

void modules_free(struct modules *m)
{
    if (m == NULL)
        return;
    module_loader_close(&m->loader);
    module_index_free(&m->index);
    string_table_free(&m->modaliases);
    pool_free(&m->pool);
    free(m);
}

void modules_set_insert(struct modules *m, modules_insert_function *insert, void *context)
{
    m->loader.insert = insert;
    m->loader.insert_context = context;
}

void modules_note_loaded(struct modules *m, const char *proc_modules)
{
    char *text;
    m->kernel_asked = true;
    if (file_read_all(proc_modules, MAX_PROC_MODULES, &text, NULL, NULL) != 0)
        return;
    for (const char *line = text; line != NULL && *line != '\0';) {
        struct span name;
        if (module_index_word(&line, &name)) {
            uint32_t module = module_index_find(&m->index, name);
            if (module != STRING_TABLE_NONE)
                module_loader_note_present(&m->loader, module);
        }
        line = strchr(line, '\n');
        line += line != NULL;
    }
    free(text);
}

static void ask_kernel_once(struct modules *m)
{
    if (!m->kernel_asked && m->loader.insert == NULL)
        modules_note_loaded(m, "/proc/modules");
}

int modules_load(struct modules *m, const char *name)
{
    ask_kernel_once(m);
    return module_loader_load_named(&m->loader, name, true);
}

void modules_begin(struct modules *m, const char *name)
{
    ask_kernel_once(m);
    module_loader_load_named(&m->loader, name, false);
}

unsigned modules_load_for(struct modules *m, const char *modalias)
{
    char normalised[MAX_MODALIAS + 1];
    const char *names[MAX_MATCHES];
    size_t length = strlen(modalias);
    if (length == 0 || length > MAX_MODALIAS)
        return 0;
    memcpy(normalised, modalias, length + 1);
    module_pattern_normalise(normalised);
    length = strlen(normalised);
    if (string_table_find(&m->modaliases, (struct span){normalised, length}) != STRING_TABLE_NONE)
        return 0;
    const char *copy = pool_copy(&m->pool, normalised, length);
    if (copy != NULL)
        string_table_add(&m->modaliases, (struct span){copy, length});
    ask_kernel_once(m);
    size_t count = module_aliases_find(&m->index.aliases, normalised, names, MAX_MATCHES);
    for (size_t i = 0; i < count; i++) {
        uint32_t module = module_index_find(&m->index, span_of(names[i]));
        if (module != STRING_TABLE_NONE &&
            !kernel_argument_lists(m->command_line, "modprobe.blacklist", names[i]))
            module_loader_load(&m->loader, module, false);
    }
    return (unsigned)count;
}

/* ---- the modaliases of the devices ---- */

struct visitor {
    void (*found)(void *context, const char *modalias);
    void *context;
};

#define ATTRIBUTE_BYTES 4096 /* sysfs gives at most a page */

static void read_modaliases(int folder, const char *path, const struct visitor *visitor)
{
    char text[ATTRIBUTE_BYTES + 1];
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t length = read(fd, text, ATTRIBUTE_BYTES);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        visitor->found(visitor->context, line);
}

static void visit_bus(int sys, const char *path, const struct visitor *visitor)
{
    char attribute[PATH_MAX];
    int fd = openat(sys, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *devices = fd >= 0 ? fdopendir(fd) : NULL;
    if (devices == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    const struct dirent *device;
    while ((device = readdir(devices)) != NULL)
        if (device->d_name[0] != '.' && file_path(attribute, "%s/modalias", device->d_name))
            read_modaliases(fd, attribute, visitor);
    closedir(devices);
}

/* Processors and the board are on no bus, but have drivers. */
static const char *const elsewhere[] = {"devices/system/cpu/modalias", "class/dmi/id/modalias"};

/*
 * Calls `found` with each modalias of each device: bus/BUS/devices/DEVICE/modalias below `sys`
 * ("/sys", or a tree for tests), and those of the processors and of the board, which are on no bus.
 * The bus folders list every device once; all of /sys/devices has ten times as many folders. A
 * device may have several modaliases, one on each line.
 */
static void device_modaliases(const char *sys, void (*found)(void *context, const char *modalias),
                              void *context)
{
    struct visitor visitor = {found, context};
    char path[PATH_MAX];
    int fd = open(sys, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    int bus_fd = openat(fd, "bus", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *buses = bus_fd >= 0 ? fdopendir(bus_fd) : NULL;
    const struct dirent *bus;
    while (buses != NULL && (bus = readdir(buses)) != NULL)
        if (bus->d_name[0] != '.' && file_path(path, "bus/%s/devices", bus->d_name))
            visit_bus(fd, path, &visitor);
    if (buses != NULL)
        closedir(buses);
    else if (bus_fd >= 0)
        close(bus_fd);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        read_modaliases(fd, elsewhere[i], &visitor);
    close(fd);
}

/* ---- loading for devices ---- */

struct walk {
    struct modules *m;
    void (*meanwhile)(void *context);
    void *context;
};

static void load_for_device(void *context, const char *modalias)
{
    const struct walk *walk = context;
    uint32_t before = walk->m->modaliases.count;
    modules_load_for(walk->m, modalias);
    if (walk->m->modaliases.count == before)
        return;
    modules_finish(walk->m, false);
    if (walk->meanwhile != NULL)
        walk->meanwhile(walk->context);
}

static void load_for_usb_host(void *context, const char *modalias)
{
    const struct walk *walk = context;
    if (module_pattern_matches("pci:*bc0Csc03*", modalias))
        modules_load_for(walk->m, modalias);
}

/* USB comes first, because it is slowest: its hubs take a third of a second to find devices, and a
   disk is left alone for a second before its driver sends it anything. */
unsigned modules_load_for_devices(struct modules *m, const char *sys,
                                  void (*meanwhile)(void *context), void *context)
{
    struct walk walk = {m, meanwhile, context};
    uint32_t before = m->modaliases.count;
    device_modaliases(sys, load_for_usb_host, &walk);
    device_modaliases(sys, load_for_device, &walk);
    return m->modaliases.count - before;
}

unsigned modules_finish(struct modules *m, bool wait)
{
    return module_loader_take(&m->loader, wait);
}

int modules_fd(const struct modules *m)
{
    return m->loader.insertions.fd;
}

struct modules_counts modules_counts(const struct modules *m)
{
    struct modules_counts counts = m->loader.counts;
    counts.busy = m->loader.insertions.under_way + m->loader.deferred_count;
    return counts;
}

void modules_failures(const struct modules *m, char *to, size_t size)
{
    struct text all = {0};
    if (size == 0)
        return;
    text_add(&all, m->loader.failures.length > 0 ? m->loader.failures.data : "");
    module_loader_add_busy(&m->loader, &all);
    size_t length = all.length;
    if (length >= size) { /* copies only whole lines */
        length = size - 1;
        while (length > 0 && all.data[length - 1] != '\n')
            length--;
    }
    memcpy(to, length > 0 ? all.data : "", length);
    to[length] = '\0';
    text_free(&all);
}
