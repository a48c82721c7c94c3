/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report in a fleet's folder: it gives a machine or a note, and a fleet of it and of intact ones
   can be judged. */
#include "machine/qualify/fleet.h"

#include "tests/fuzz/fuzz.h"

/* Six drives of one model, measured alike. */
static const char sound[] =
    "{\"schema\":1,\"kind\":\"qualify\",\"serial\":\"S%d\",\"date\":\"2026\",\"devices\":[{"
    "\"name\":"
    "\"a\",\"model\":\"M\",\"size_bytes\":1,\"tests\":[{\"name\":\"read\",\"measured\":true,"
    "\"metrics\":[{\"metric\":\"bandwidth\",\"value\":10%d,\"ci_low\":99,\"ci_high\":111,"
    "\"confidence\":0.95}]}]}],\"checks\":[]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fleet fleet = {0};
    struct err e = {0};
    char text[sizeof sound + 8];
    for (int i = 0; i < 6; i++) {
        int length = snprintf(text, sizeof text, sound, i, i);
        FUZZ_CHECK(fleet_read_report(&fleet, text, (size_t)length, "sound"), "a sound report");
    }
    bool read = fleet_read_report(&fleet, (const char *)data, size, "fuzzed");
    FUZZ_CHECK(fleet.machine_count == (read ? 7u : 6u), "neither a machine nor a note");
    FUZZ_CHECK(read || (fleet.unread == 1 && fleet.disk_count == 6), "no note, or half a machine");
    for (size_t i = 0; i < fleet.disk_count; i++)
        FUZZ_CHECK(fleet.disks[i].machine < fleet.machine_count, "a drive of no machine");
    FUZZ_CHECK(!fleet_judge(&fleet, &e), "a fleet that cannot be judged");
    for (size_t i = 0; i < fleet.slow_count; i++)
        FUZZ_CHECK(fleet.slow[i].disk < fleet.disk_count && fleet.slow[i].low <= fleet.slow[i].high,
                   "a slow drive that is none");
    fleet_free(&fleet);
    return 0;
}
