/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory and processors in a rack: the machine with a lower power limit is named with that limit;
   its drives are not named. */
#include "machine/qualify/fleet.h"

#include "check.h"
#include "qualification_fixture.h"
#include "report/qualify/fleet.h"
#include "report/qualify/qualification.h"

enum { MACHINES = 12, CAPPED = 7 };

/* Adds the report of a machine whose processors have this clock under a power limit. */
static void add_machine(struct fleet *to, int number, double clock, const char *watts,
                        double memory, const char *disturbed)
{
    static struct qualified f;
    struct text report = {0};
    const struct report_style style = {.width = 80};
    char name[32];
    const double noise = 1 + 0.002 * (number % 5);
    qualified_begin(&f);
    qualified_good_drive(&f, 0);
    snprintf(f.q.board_serial, sizeof f.q.board_serial, "SN%04d", number);
    struct inventory *v = &f.hardware;
    fact_add(v, inventory_add_node(v, NODE_CPU_PACKAGE, "package0", NULL, inventory_find(v, "cpu")),
             "power_limit_long_term", watts);
    f.q.processors = (struct qualification_processors){
        .measured = true,
        .clock = {clock * noise, clock * noise * 0.999, clock * noise * 1.001, 0.95},
        .heat = {.celsius = 70, .watts = NAN}};
    f.q.memory = (struct qualification_memory){
        .measured = true,
        .bandwidth = {memory * noise, memory * noise * 0.998, memory * noise * 1.002, 0.95},
        .limit = NAN};
    snprintf(f.q.processors.disturbed, sizeof f.q.processors.disturbed, "%s", disturbed);
    report_print(&qualification_report, &f.q, "json", &style, &report);
    snprintf(name, sizeof name, "machine%d", number);
    CHECK(fleet_read_report(to, report.data, report.length, name));
    text_free(&report);
    qualified_end(&f);
}

static void check_rack(void)
{
    struct fleet f = {0};
    struct err e = {0};
    struct text page = {0};
    const struct report_style style = {.width = 300, .full = true};
    for (int i = 0; i < MACHINES; i++)
        add_machine(&f, i, i == CAPPED ? 2.4e9 : 3.2e9, i == CAPPED ? "150" : "225", 480e9, "");
    CHECK_INT(f.disk_count, 3 * MACHINES);
    CHECK_INT(f.part_count, 2 * MACHINES);
    CHECK_INT(fleet_judge(&f, &e), 0);
    CHECK_INT(f.slow_count, 1);
    CHECK_INT(f.parts_judged, 2 * MACHINES);
    CHECK_INT(f.judged, MACHINES);
    if (f.slow_count == 1) {
        const struct fleet_slow *s = &f.slow[0];
        CHECK(!s->whole_machine && s->machine == CAPPED);
        CHECK_STR(f.disks[s->disk].name, "processors");
        CHECK(s->low < 0.25 && s->high > 0.25);
        CHECK_STR(s->cause, "power limit 150 W, its peers power limit 225 W");
    }
    report_print(&fleet_report, &f, "text", &style, &page);
    CHECK(strstr(page.data, "memory or processors of 1 machine slower") != NULL);
    CHECK(strstr(page.data, "12 drives in 12 machines") != NULL);
    CHECK(strstr(page.data, "slow SN0007: processors clock 2") != NULL);
    text_free(&page);
    fleet_free(&f);
}

/* Values measured beside other programs are not compared; a rack of equal machines passes. */
static void check_disturbed(void)
{
    struct fleet f = {0};
    struct err e = {0};
    for (int i = 0; i < MACHINES; i++)
        add_machine(&f, i, i == CAPPED ? 2.4e9 : 3.2e9, "225", 480e9,
                    i == CAPPED ? "other programs" : "");
    CHECK_INT(fleet_judge(&f, &e), 0);
    CHECK_INT(f.slow_count, 0);
    CHECK_INT(f.parts_judged, 2 * MACHINES - 1);
    CHECK_INT(fleet_status(&f), ERR_NONE);
    fleet_free(&f);
}

int main(void)
{
    check_rack();
    check_disturbed();
    return check_result();
}
