/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sensors over the probes of cupel probe --watch: one that drifts is named, others are not. */
#include "base/err.h"
#include "base/span.h"
#include "check.h"
#include "cmd/probe/internal.h"
#include "facts/inventory.h"
#include "simulated.h"

/* A disk that warms up by 0.01 C per probe, with readings in half degrees; a fan with noise; a
   voltage with a single step; a constant limit; a sensor that cannot be read. */
static void look(struct sensor_history *h, int number, uint64_t *state)
{
    struct inventory v = {0};
    int node = inventory_add_node(&v, NODE_SENSOR, "nvme", NULL, INVENTORY_NONE);
    double warm = 40 + 0.01 * number + 0.5 * simulated_normal(state);
    inventory_addf(&v, node, "temp1", "C", "", "%.1f", floor(2 * warm) / 2);
    inventory_addf(&v, node, "temp1_max", "C", "", "%d", 85);
    inventory_add(&v, node, "temp2", "", "C", "", FACT_DENIED);
    node = inventory_add_node(&v, NODE_SENSOR, "board", NULL, INVENTORY_NONE);
    inventory_addf(&v, node, "fan1", "RPM", "", "%.0f", 900 + 20 * simulated_normal(state));
    double volts = (number < 200 ? 12 : 11.6) + 0.02 * simulated_normal(state);
    inventory_addf(&v, node, "in0", "V", "", "%.3f", volts);
    node = inventory_add_node(&v, NODE_DISK, "disk", NULL, INVENTORY_NONE);
    inventory_addf(&v, node, "size", "bytes", "", "%d", number);
    CHECK(!v.failed);
    sensor_history_add(h, &v);
    inventory_free(&v);
}

int main(void)
{
    struct sensor_history *h = NULL;
    struct err e;
    uint64_t state = 4;
    CHECK_INT(sensor_history_make(&h, 2, &e), 0);
    for (int i = 0; i < 90; i++)
        look(h, i, &state);
    struct text none = {0};
    sensor_history_lines(h, &none);
    CHECK(none.length == 0); /* too few looks */
    text_free(&none);

    /* When the room is used up, the older half is removed. */
    for (int i = 90; i < 1500; i++)
        look(h, i, &state);
    struct text out = {0};
    sensor_history_lines(h, &out);
    const char *line = out.data ? out.data : "";
    CHECK(strncmp(line, "slow shift: nvme temp1 rises by ", 32) == 0);
    CHECK(strstr(line, " C (") != NULL && strstr(line, ") in ") != NULL);
    CHECK(strchr(line, '\n') == line + strlen(line) - 1);
    /* 0.01 C in 2 s, over the readings that are kept. */
    const char *stretch = strstr(line, ") in ");
    double seconds = stretch ? strtod(stretch + 5, NULL) : 0;
    CHECK(seconds > 500);
    CHECK_NEAR(strtod(line + 32, NULL) / seconds, 0.005, 0.15);
    text_free(&out);
    sensor_history_notices(h);
    sensor_history_free(h);
    sensor_history_free(NULL);
    return check_result();
}
