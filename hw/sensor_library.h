/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libsensors below a root, without its side effects: no file of /etc is read, nothing is printed,
 * nothing exits, and the environment is as before.
 */
#ifndef CUPEL_HW_SENSOR_LIBRARY_H
#define CUPEL_HW_SENSOR_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "hw/sysroot.h"

/* What is called while the library is open; its functions may be used then. */
typedef void sensor_library_work(void *context);

/*
 * Open the library, call `work`, close it. `work` may be left in the middle (longjmp) when memory
 * runs out: it owns nothing meanwhile.
 *
 * The library has one state for the whole process and is told its root by an environment variable:
 * one call at a time, while no other thread uses the environment, prints to stderr or forks.
 */
enum sensor_library_result {
    SENSOR_LIBRARY_DONE,
    SENSOR_LIBRARY_REFUSED,   /* links or files no kernel makes, on which the library would crash or
                                 hang; a root whose path has more than 128 bytes: it cuts paths */
    SENSOR_LIBRARY_FAILED,    /* the library says no */
    SENSOR_LIBRARY_NO_MEMORY, /* `work` was not called or not finished */
};
enum sensor_library_result sensor_library_use(const struct sysroot *root, sensor_library_work *work,
                                              void *context);

/* A path of the library's ("PREFIX/sys/class/hwmon/hwmon0") as one below the root. Writes "" to
   `to` when it leads out of it. */
void sensor_library_path(const struct sysroot *root, const char *path, char *to, size_t size);

#endif
