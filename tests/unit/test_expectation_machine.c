/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations on measured memory and processors: judged, and written with a margin. */
#include "expectation_fixture.h"

/* Memory: bandwidth, its share of the limit, and latency, judged by their whole intervals. */
static void check_memory(void)
{
    f.q.memory = (struct qualification_memory){.bandwidth = {NAN, NAN, NAN, NAN}, .limit = NAN};
    check_grade("[machine]\nmemory bandwidth >= 1 GB/s", "memory bandwidth", GRADE_NONE,
                "--memory");
    f.q.memory = (struct qualification_memory){.measured = true,
                                               .bandwidth = {500e9, 480e9, 520e9, 0.95},
                                               .latency = {110, 105, 115, 0.95},
                                               .limit = NAN};
    check_grade("[machine]\nmemory bandwidth >= 450 GB/s", "memory bandwidth", GRADE_PASS, "");
    check_grade("[machine]\nmemory bandwidth >= 490 GB/s", "memory bandwidth", GRADE_UNDECIDED,
                "inside");
    check_grade("[machine]\nmemory bandwidth >= 600 GB/s", "memory bandwidth", GRADE_FAIL, "");
    check_grade("[machine]\nmemory latency <= 120ns", "memory latency", GRADE_PASS, "");
    check_grade("[machine]\nmemory efficiency >= 80 %", "memory efficiency", GRADE_UNDECIDED,
                "not known");
    f.q.memory.limit = 614.4e9;
    check_grade("[machine]\nmemory efficiency >= 75 %", "memory efficiency", GRADE_PASS, "");
    check_grade("[machine]\nmemory efficiency >= 90 %", "memory efficiency", GRADE_FAIL, "");
    snprintf(f.q.memory.disturbed, sizeof f.q.memory.disturbed, "others used the processors");
    check_grade("[machine]\nmemory efficiency >= 80 %", "memory efficiency", GRADE_UNDECIDED,
                "others");
}

/* Processors: the clock of all, and of the slowest one. */
static void check_processors(void)
{
    f.q.processors = (struct qualification_processors){.clock = {NAN, NAN, NAN, NAN}};
    check_grade("[machine]\nprocessor clock >= 3 GHz", "processor clock", GRADE_NONE,
                "--processors");
    f.q.processors = (struct qualification_processors){.measured = true,
                                                       .clock = {3.2e9, 3.15e9, 3.25e9, 0.95},
                                                       .slowest = {2.1e9, 2.0e9, 2.2e9, 0.95}};
    check_grade("[machine]\nprocessor clock >= 3.1 GHz", "processor clock", GRADE_PASS, "");
    check_grade("[machine]\nprocessor clock >= 3200 MHz", "processor clock", GRADE_UNDECIDED,
                "inside");
    check_grade("[machine]\nslowest processor >= 3 GHz", "slowest processor", GRADE_FAIL, "");
    f.q.processors.slowest = (struct qualification_number){NAN, NAN, NAN, NAN};
    check_grade("[machine]\nslowest processor >= 3 GHz", "slowest processor", GRADE_UNDECIDED,
                "one processor");
}

/* Measured values of the machine are written with a margin, and the same machine meets them; values
   measured beside other programs are not written. */
static void check_written_machine(void)
{
    struct text out = {0}, busy = {0};
    f.q.memory = (struct qualification_memory){.measured = true,
                                               .bandwidth = {500e9, 480e9, 520e9, 0.95},
                                               .latency = {110, 105, 115, 0.95},
                                               .limit = NAN};
    f.q.processors = (struct qualification_processors){
        .measured = true, .clock = {3.2e9, 3.1e9, 3.3e9, 0.95}, .slowest = {NAN, NAN, NAN, NAN}};
    expectation_write(&f.q, &out);
    CHECK(strstr(out.data, "\nmemory bandwidth >= 456 GB/s\n") != NULL);
    CHECK(strstr(out.data, "\nmemory latency <= 126 ns\n") != NULL ||
          strstr(out.data, "\nmemory latency <= 127 ns\n") != NULL);
    CHECK(strstr(out.data, "\nprocessor clock >= 2.945 GHz\n") != NULL);
    CHECK(!strstr(out.data, "slowest processor") && !strstr(out.data, "memory efficiency"));
    check_grade(out.data, "processor clock", GRADE_PASS, "");
    check_grade(out.data, "memory latency", GRADE_PASS, "");
    snprintf(f.q.processors.disturbed, sizeof f.q.processors.disturbed, "others");
    expectation_write(&f.q, &busy);
    CHECK(strstr(busy.data, "\n# processor clock: other programs") != NULL);
    text_free(&busy);
    text_free(&out);
    f.q.memory = (struct qualification_memory){.limit = NAN};
    f.q.processors = (struct qualification_processors){.measured = false};
}

int main(void)
{
    qualified_begin(&f);
    qualified_good_drive(&f, 0);
    check_memory();
    check_processors();
    check_written_machine();
    qualified_end(&f);
    return check_result();
}
