/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sysfs tells of disks whose drivers are not through with them. */
#include "init/stick/internal.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static bool path_of(char to[PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool path_of(char to[PATH_MAX], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to, PATH_MAX, format, arguments);
    va_end(arguments);
    return length > 0 && length < PATH_MAX;
}

/* Is the answer yes for any entry of the folder whose name begins so? */
static bool any(const char *folder, const char *prefix, bool (*is)(const char *path))
{
    char path[PATH_MAX];
    bool found = false;
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (!found && entries != NULL && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            found = path_of(path, "%s/%s", folder, entry->d_name) && is(path);
    }
    if (entries != NULL)
        closedir(entries);
    return found;
}

static bool is_there(const char *path)
{
    (void)path;
    return true;
}

static bool host_without_target(const char *host)
{
    return !any(host, "target", is_there);
}

static bool unscanned_interface(const char *interface)
{
    return any(interface, "host", host_without_target);
}

static bool exists(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return path_of(path, "%s/%s", folder, name) && access(path, F_OK) == 0;
}

/* Is the attribute's text, without the line's end, one of those ("new|resetting|")? */
static bool attribute_is_one_of(const char *folder, const char *name, const char *texts)
{
    char path[PATH_MAX], wanted[64], *text;
    if (!path_of(path, "%s/%s", folder, name) || file_read_all(path, 4096, &text, NULL, NULL) != 0)
        return false;
    text[strcspn(text, "\n")] = '\0';
    int length = snprintf(wanted, sizeof wanted, "|%s|", text);
    free(text);
    return length < (int)sizeof wanted && strstr(texts, wanted) != NULL;
}

static bool unready_scsi_disk(const char *device)
{
    return exists(device, "driver") && !exists(device, "block") &&
           attribute_is_one_of(device, "type", "|0|7|20|"); /* disk, optical memory, zoned disk */
}

static bool unready_nvme_controller(const char *controller)
{
    return attribute_is_one_of(controller, "state", "|new|resetting|connecting|");
}

bool disks_awaited(const char *sys)
{
    static const struct {
        const char *folder;
        bool (*is)(const char *path);
    } places[] = {{"bus/usb/drivers/usb-storage", unscanned_interface},
                  {"bus/usb/drivers/uas", unscanned_interface},
                  {"bus/scsi/devices", unready_scsi_disk},
                  {"class/nvme", unready_nvme_controller}};
    char folder[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (path_of(folder, "%s/%s", sys, places[i].folder) && any(folder, "", places[i].is))
            return true;
    return false;
}
