/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The facts of one chip that libsensors found.
 *
 * Per feature (temp1, fan1, power1, in0, curr1): its value, and where the driver has them _label,
 * _max, _critical, _min, _cap and _alarm (yes, no). For the chip: temperature, and its
 * temperature_max and temperature_critical, of the sensor that is nearest to its limit; of the
 * hottest one where none has a limit. Limits that no device can have (drivers fill in 0 or 65261
 * where there is none) are left out. Sources are files, which a monitor can read again.
 */
#ifndef CUPEL_HW_SENSOR_CHIP_H
#define CUPEL_HW_SENSOR_CHIP_H

#include <sensors/sensors.h>

#include "hw/prober.h"

/* While the library is open. `folder` is the chip's own: "/sys/class/hwmon/hwmon3". */
void sensor_chip_add_facts(struct probe *p, int node, const sensors_chip_name *name,
                           const char *folder);

#endif
