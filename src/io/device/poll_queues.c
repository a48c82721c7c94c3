/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues that are polled, as sysfs has them: of a device, or of all paths to a namespace. */
#include "io/device/poll_queues.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "io/device/nvme_sysfs.h"

/* The first line of FOLDER/NAME; "" when there is none. */
static void read_line(const char *folder, const char *name, char line[32])
{
    char path[PATH_MAX];
    *line = '\0';
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return;
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (!fgets(line, 32, f))
        *line = '\0';
    fclose(f);
    line[strcspn(line, "\n")] = '\0';
}

static bool says(const char *folder, const char *name, const char *word)
{
    char line[32];
    read_line(folder, name, line);
    return !strcmp(line, word);
}

/* Of a controller that is reached by PCIe: those of other transports are given theirs one by one.
 */
static bool driver_may_poll(const char *root, const char *controller)
{
    char folder[PATH_MAX];
    if (!says(controller, "transport", "pcie"))
        return true;
    return snprintf(folder, sizeof folder, "%s/sys/module/nvme/parameters", root) <
               (int)sizeof folder &&
           !says(folder, "poll_queues", "0");
}

/* "nvme3": the folder of a controller, or a link to it. */
static bool is_controller(const char *name)
{
    size_t digits = strncmp(name, "nvme", 4) != 0 ? 0 : strspn(name + 4, "0123456789");
    return digits && !name[4 + digits];
}

/* Is `name` ("nvme2c3n1") a path to the namespace that is called `head` ("nvme2n1")? */
static bool is_path_of(const char *name, const char *head)
{
    size_t subsystem = 4 + strspn(head + 4, "0123456789");
    if (strncmp(name, head, subsystem) != 0 || name[subsystem] != 'c')
        return false;
    size_t controller = strspn(name + subsystem + 1, "0123456789");
    return controller && !strcmp(name + subsystem + 1 + controller, head + subsystem);
}

/* All paths through one controller; *count of them are added. */
static bool controller_polls(const char *root, const char *controller, const char *head,
                             unsigned *count)
{
    bool all = true;
    DIR *d = opendir(controller);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char folder[PATH_MAX];
        if (!is_path_of(entry->d_name, head))
            continue;
        ++*count;
        all = all &&
              snprintf(folder, sizeof folder, "%s/%s/queue", controller, entry->d_name) <
                  (int)sizeof folder &&
              says(folder, "io_poll", "1") && driver_may_poll(root, controller);
    }
    if (d)
        closedir(d);
    return all;
}

static bool all_paths_poll(const char *root, const char *subsystem, const char *head)
{
    unsigned paths = 0;
    bool all = true;
    DIR *d = opendir(subsystem);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char controller[PATH_MAX];
        if (!is_controller(entry->d_name))
            continue;
        all = snprintf(controller, sizeof controller, "%s/%s", subsystem, entry->d_name) <
                  (int)sizeof controller &&
              controller_polls(root, controller, head, &paths) && all;
    }
    if (d)
        closedir(d);
    return all && paths > 0;
}

/* The folder of a device's disk, without links. */
static bool find_disk(const char *root, dev_t device, char disk[PATH_MAX])
{
    char path[PATH_MAX], queue[PATH_MAX], unused[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/sys/dev/block/%u:%u", root, major(device), minor(device)) >=
            (int)sizeof path ||
        !realpath(path, disk))
        return false;
    if (snprintf(queue, sizeof queue, "%s/queue", disk) >= (int)sizeof queue)
        return false;
    if (!realpath(queue, unused)) /* a partition: its queue is that of the folder above */
        *strrchr(disk, '/') = '\0';
    return true;
}

bool device_has_poll_queues(const char *root, dev_t device)
{
    char disk[PATH_MAX], above[PATH_MAX], subsystem[NVME_NAME_BYTES];
    if (!find_disk(root, device, disk) || !says(disk, "queue/io_poll", "1") ||
        snprintf(above, sizeof above, "%s/device", disk) >= (int)sizeof above)
        return false;
    sysfs_subsystem(above, subsystem);
    if (!strcmp(subsystem, "nvme-subsystem"))
        return all_paths_poll(root, above, strrchr(disk, '/') + 1);
    return strcmp(subsystem, "nvme") != 0 || driver_may_poll(root, above);
}
