/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of hw/sensor share. */
#ifndef CUPEL_HW_SENSOR_INTERNAL_H
#define CUPEL_HW_SENSOR_INTERNAL_H

#include <sensors/sensors.h>
#include <stdbool.h>
#include <stddef.h>

#include "hw/prober.h"
#include "hw/sysroot/sysroot.h"

/* ---- sensor_chip ---- */

/*
 * The facts of one chip that libsensors found.
 *
 * Per feature (temp1, fan1, power1, in0, curr1): its value, and where the driver has them _label,
 * _max, _critical, _min, _cap and _alarm (yes, no). For the chip: temperature, and its
 * temperature_max and temperature_critical, of the sensor that is nearest to its limit; of the
 * hottest one where none has a limit. Limits that no device can have (drivers fill in 0 or 65261
 * where there is none) are left out. Sources are files, which a monitor can read again.
 */

/* While the library is open. `folder` is the chip's own: "/sys/class/hwmon/hwmon3". */
void sensor_chip_add_facts(struct probe *p, int node, const sensors_chip_name *name,
                           const char *folder);

/* ---- sensor_library ---- */

/*
 * libsensors below a root, without its side effects: no file of /etc is read, nothing is printed,
 * nothing exits, and the environment is as before.
 */

/* What is called while the library is open; its functions may be used then. */
typedef void sensor_library_work(void *context);

/*
 * Open the library, call `work`, close it. `work` may be left in the middle (longjmp) when memory
 * runs out: it owns nothing meanwhile.
 *
 * The library has one state for the whole process and takes its root from an environment variable:
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
