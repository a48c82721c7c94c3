/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One verdict for each part of a machine: what to replace, what was found, what was not decided. */
#include "check.h"

#include <string.h>

#include "qualification_fixture.h"
#include "report/qualify/qualification.h"

static struct qualified f;

static void part_is(enum qualification_part part, enum grade grade, const char *words)
{
    const struct qualification_part_verdict v = qualification_part_judge(&f.q, part);
    CHECK_STR(grade_name(v.grade), grade_name(grade));
    if (!strstr(v.words, words))
        CHECK_STR(v.words, words);
}

static void note(int device, enum grade grade, const char *what, const char *found,
                 const char *words)
{
    note_check(&f.q, device, grade, what, found, "%s", words);
}

/* A machine whose firmware reports no memory module, without sensors and network. */
static void check_bare(void)
{
    qualified_begin(&f);
    part_is(PART_LINKS, GRADE_NONE, "none reports");
    part_is(PART_DISKS, GRADE_NONE, "0 of 0");
    part_is(PART_MEMORY, GRADE_NONE, "--memory");
    part_is(PART_PROCESSORS, GRADE_NONE, "--processors");
    part_is(PART_NETWORK, GRADE_NONE, "no port");
    part_is(PART_SENSORS, GRADE_NONE, "no sensor");
    for (enum qualification_part part = 0; part < QUALIFICATION_PARTS; part++)
        CHECK_STR(qualification_verdict_word(qualification_part_judge(&f.q, part).grade),
                  "NOT DECIDED");
    qualified_end(&f);
}

static void check_good(void)
{
    qualified_begin(&f);
    struct inventory *v = &f.hardware;
    qualified_good_drive(&f, 0);
    fact_add(v, inventory_find(v, "memory"), "modules", "24");
    const int port = inventory_add_node(v, NODE_NETWORK, "eth0", NULL, 0);
    fact_add(v, port, "state", "up");
    inventory_add(v, port, "speed", "25000000000", "bits/s", "fixture", FACT_OK);
    fact_add(v, inventory_add_node(v, NODE_NETWORK, "eth1", NULL, 0), "state", "down");
    judge_state(&f.q);
    part_is(PART_LINKS, GRADE_PASS, "1 as fast");
    part_is(PART_DISKS, GRADE_PASS, "1 of 1 measured");
    part_is(PART_MEMORY, GRADE_NONE, "24 modules, not measured");
    part_is(PART_NETWORK, GRADE_PASS, "1 of 2 ports up, the fastest with 25 Gbit/s");
    part_is(PART_SENSORS, GRADE_PASS, "1 temperature, the highest 38 C");
    f.q.memory = (struct qualification_memory){
        .measured = true, .bandwidth = {480e9, 470e9, 490e9, 0.95}, .limit = 600e9};
    f.q.processors = (struct qualification_processors){.measured = true,
                                                       .clock = {3.2e9, 3.1e9, 3.3e9, 0.95},
                                                       .slowest = {3.18e9, 3.1e9, 3.3e9, 0.95},
                                                       .slowest_name = "cpu9",
                                                       .heat.watts = 412};
    part_is(PART_MEMORY, GRADE_PASS, "24 modules, 480 GB/s, 80 % of");
    part_is(PART_PROCESSORS, GRADE_PASS, "3.20 GHz under load, the slowest (cpu9) 3.18 GHz, 412 W");
    qualified_end(&f);
}

/* A fault is in the line of its part, with what to replace. */
static void check_faults(void)
{
    qualified_begin(&f);
    struct inventory *v = &f.hardware;
    qualified_device(&f, qualified_add_nvme(&f, 3, "8.0 GT/s x4"));
    const int memory = inventory_find(v, "memory");
    fact_add(v, memory, "edac_correctable", "7");
    fact_add(v, memory, "edac_modules", "CPU1_DIMM_B1 (7)");
    const int card = inventory_add_node(v, NODE_PCI_DEVICE, "0000:c1:00.0", NULL, 0);
    fact_add(v, card, "negotiated", "16.0 GT/s x8");
    fact_add(v, card, "capable", "16.0 GT/s x16");
    fact_add(v, card, "degraded", "yes");
    fact_add(v, card, "slot", "7");
    judge_state(&f.q);
    part_is(PART_LINKS, GRADE_FAIL, "nvme3n1 (slot 23): link; and 1 more");
    part_is(PART_MEMORY, GRADE_WARN, "corrected since the start, CPU1_DIMM_B1 (7)");
    qualified_expect(&f.q, -1, "link of 0000:c1:00.0", GRADE_FAIL, "x8", "slot 7, degraded");
    part_is(PART_DISKS, GRADE_NONE, "0 of 1 measured");
    note(0, GRADE_UNDECIDED, "read", "", "not measured");
    part_is(PART_DISKS, GRADE_UNDECIDED, "nvme3n1 (slot 23): read");
    note(-1, GRADE_FAIL, "disks", "11", "");
    part_is(PART_DISKS, GRADE_FAIL, "disks: 11; and 1 more");
    note(-1, GRADE_WARN, "slowest processor", "cpu77 2.1 GHz", "the mean of all is 3.2 GHz");
    note(-1, GRADE_FAIL, "power limit", "180", "");
    part_is(PART_PROCESSORS, GRADE_FAIL, "power limit: 180; and 1 more");
    note(-1, GRADE_WARN, "fan alarm", "", "fan2");
    note(-1, GRADE_WARN, "power", "", "it runs on its battery");
    part_is(PART_SENSORS, GRADE_WARN, "fan alarm, fan2; and 1 more");
    note(-1, GRADE_FAIL, "configuration", "", "limit = 1 fortnight");
    part_is(PART_PROCESSORS, GRADE_FAIL, "power limit: 180; and 1 more");
    part_is(PART_DISKS, GRADE_FAIL, "disks: 11; and 1 more");
    qualified_end(&f);
}

int main(void)
{
    check_bare();
    check_good();
    check_faults();
    return check_result();
}
