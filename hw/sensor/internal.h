/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/sensor share. */
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
 * For each feature (temp1, fan1, power1, in0, curr1): its value and, where the driver has them,
 * _label, _max, _critical, _min, _cap and _alarm (yes, no). For the chip: temperature,
 * temperature_max and temperature_critical of the sensor that is nearest to its limit, or of the
 * hottest one if no sensor has a limit. Impossible limits (drivers fill in 0 or 65261 where there
 * is no limit) are left out. Sources are files, which a monitor can read again.
 */

/* Adds the facts. Call it while the library is open. `folder` is the chip's own folder, such as
   "/sys/class/hwmon/hwmon3". */
void sensor_chip_add_facts(struct probe *p, int node, const sensors_chip_name *name,
                           const char *folder);

/* ---- the library: sensors.c ---- */

/*
 * Uses libsensors below a root, without its side effects: no file in /etc is read, nothing is
 * printed, the process is not ended, and the environment is unchanged afterwards.
 */

/* The type of the functions that are called while the library is open and may use it. */
typedef void sensor_library_work(void *context);

/*
 * Opens the library, calls `work`, and closes it. `work` may be left by a longjmp when memory runs
 * out, so it must own nothing.
 *
 * The library has one state for the whole process and takes its root from an environment variable:
 * only one call at a time, while no other thread uses the environment, prints to stderr or forks.
 */
enum sensor_library_result {
    SENSOR_LIBRARY_DONE,
    /* the tree has links or files that no kernel makes, on which the library would crash or hang;
       or the root's path has more than 128 bytes, and the library would cut it off */
    SENSOR_LIBRARY_REFUSED,
    SENSOR_LIBRARY_FAILED,    /* the library reported an error */
    SENSOR_LIBRARY_NO_MEMORY, /* `work` was not called, or did not finish */
};
enum sensor_library_result sensor_library_use(const struct sysroot *root, sensor_library_work *work,
                                              void *context);

#endif
