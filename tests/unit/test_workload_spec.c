/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language of workloads: its meaning, messages for mistakes, and derived values. */
#include "check.h"
#include "source/generator/workload_spec_text.h"

static struct err e;

static void expect_error(int result, const char *beginning, const char *part)
{
    CHECK_INT(result, -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!check_that(strncmp(e.msg, beginning, strlen(beginning)) == 0 && strstr(e.msg, part),
                    __FILE__, __LINE__, "the message")) {
        fprintf(stderr, "    got \"%s\", expected \"%s ... %s\"\n", e.msg, beginning, part);
    }
    e = (struct err){0};
}

static void test_arrival(void)
{
    struct arrival_spec a;
    CHECK_INT(arrival_parse("uniform", &a, &e), 0);
    CHECK_INT(a.kind, ARRIVAL_UNIFORM);
    CHECK_INT(arrival_parse("poisson", &a, &e), 0);
    CHECK_INT(a.kind, ARRIVAL_POISSON);
    CHECK_INT(arrival_parse("normal", &a, &e), 0);
    CHECK(a.kind == ARRIVAL_NORMAL && a.parameter == .25);
    CHECK_INT(arrival_parse("pareto:1.7", &a, &e), 0);
    CHECK(a.kind == ARRIVAL_PARETO && a.parameter == 1.7);
    CHECK_INT(arrival_parse("burst:64", &a, &e), 0);
    CHECK(a.kind == ARRIVAL_BURST && a.parameter == 64);

    expect_error(arrival_parse("poison", &a, &e), "column 1: \"poison\"", "did you mean poisson");
    expect_error(arrival_parse("", &a, &e), "column 1: ", "missing");
    expect_error(arrival_parse("xyz", &a, &e), "column 1: ", "uniform, poisson, normal, pareto, b");
    expect_error(arrival_parse("uniform:3", &a, &e), "column 9: ", "takes nothing");
    expect_error(arrival_parse("pareto:1", &a, &e), "column 8: \"1\" is not shape", "1.01");
    expect_error(arrival_parse("pareto:", &a, &e), "column 8: ", "shape");
    expect_error(arrival_parse("normal:nan", &a, &e), "column 8: ", "a number");
    expect_error(arrival_parse("burst:1.5", &a, &e), "column 7: ", "whole number");
    expect_error(arrival_parse("burst:0", &a, &e), "column 7: ", "from 1");
}

static void test_phases(void)
{
    struct phases p;
    CHECK_INT(phases_parse("5k:10s,5k-50k:1m,200/10ms/90ms:5s,1.5m", &p, &e), 0);
    CHECK_INT(p.count, 4);
    CHECK(p.phase[0].rate_begin == 5000 && p.phase[0].rate_end == 5000);
    CHECK(p.phase[0].length_ns == 10000000000u);
    CHECK(p.phase[1].rate_begin == 5000 && p.phase[1].rate_end == 50000);
    CHECK(p.phase[2].on_ns == 10000000 && p.phase[2].off_ns == 90000000);
    CHECK(p.phase[3].rate_begin == 1.5e6 && p.phase[3].length_ns == 0);

    expect_error(phases_parse("", &p, &e), "column 1: ", "a rate");
    expect_error(phases_parse("5k:10s,", &p, &e), "column 8: ", "a rate");
    expect_error(phases_parse("5k,6k:1s", &p, &e), "column 1: RATE:TIME", "only the last");
    expect_error(phases_parse("1k-2k", &p, &e), "column 1: FROM-TO:TIME", "1m");
    expect_error(phases_parse("1k:0s", &p, &e), "column 4: ", "longer than 0");
    expect_error(phases_parse("1k:1s,x:1s", &p, &e), "column 7: \"x\" is not a rate", "5k");
    expect_error(phases_parse("1k/1s:3s", &p, &e), "column 4: RATE/ON/OFF", "5k/100ms");
    expect_error(phases_parse("1k/0s/1s:3s", &p, &e), "column 4: ", "above 0");
    expect_error(phases_parse("-5:1s", &p, &e), "column 1: ", "not a rate");
    expect_error(phases_parse("0:5s", &p, &e), "column 1: ", "above 0");
    expect_error(phases_parse("2000m", &p, &e), "column 1: ", "1000m");
    expect_error(phases_parse("1k:99999999s", &p, &e), "column 4: ", "days");
    expect_error(phases_parse("1k:1x", &p, &e), "column 4: \"1x\" is not a time", "10ms");
    char many[4 * PHASES_MAX + 40] = "";
    for (int i = 0; i <= PHASES_MAX; i++) {
        strcat(many, i ? ",1:1" : "1:1");
    }
    expect_error(phases_parse(many, &p, &e), "column 129: more than 32", "phases");
}

static void test_duration(void)
{
    struct duration_spec d;
    CHECK(duration_parse("0", &d, &e) == 0 && d.kind == DURATION_NONE);
    CHECK(duration_parse("5ms", &d, &e) == 0 && d.kind == DURATION_FIXED && d.ns == 5000000);
    CHECK(duration_parse("exponential:2s", &d, &e) == 0 && d.kind == DURATION_EXPONENTIAL);
    CHECK(d.ns == 2000000000);
    CHECK(duration_parse("uniform:1us", &d, &e) == 0 && d.kind == DURATION_UNIFORM);
    expect_error(duration_parse("exponental:1s", &d, &e), "column 1: ", "did you mean exponential");
    expect_error(duration_parse("uniform:", &d, &e), "column 9: ", "a time");
}

static void test_address(void)
{
    struct address_spec a;
    CHECK(address_parse("random", &a, &e) == 0 && a.kind == ADDRESS_UNIFORM);
    CHECK(address_parse("sequential", &a, &e) == 0 && a.kind == ADDRESS_SEQUENTIAL);
    CHECK(address_parse("zipf:0.9", &a, &e) == 0 && a.kind == ADDRESS_ZIPF && a.parameter == .9);
    CHECK(address_parse("hotspot:10%/0.9", &a, &e) == 0 && a.kind == ADDRESS_HOTSPOT);
    CHECK(a.parameter == .1 && a.second == .9);
    CHECK(address_parse("streams:8", &a, &e) == 0 && a.parameter == 8);
    CHECK(address_parse("stride:1m", &a, &e) == 0 && a.parameter == 1048576);
    CHECK(address_parse("stride:-4k", &a, &e) == 0 && a.parameter == -4096);
    CHECK(address_parse("strips:256m/2g", &a, &e) == 0 && a.parameter == 268435456);
    CHECK(a.kind == ADDRESS_STRIPS && a.second == 2147483648.0);
    CHECK(address_parse("zoned:50/5:30/15:20/", &a, &e) == 0 && a.zone_count == 3);
    CHECK(a.zones[0].requests == .5f && a.zones[1].region == .15f && a.zones[2].region == .8f);
    CHECK(address_parse("sequence:2,0,4000000000/3", &a, &e) == 0 && a.sequence_count == 3);
    CHECK(a.sequence[0] == 2 && a.sequence[2] == 4000000000u && a.parameter == 3);
    CHECK(address_parse("sequence:7", &a, &e) == 0 && a.sequence_count == 1 && a.parameter == 0);
    CHECK(address_parse("walk", &a, &e) == 0 && a.parameter == .44);

    expect_error(address_parse("zipf", &a, &e), "column 5: ", "theta");
    expect_error(address_parse("zipf:0", &a, &e), "column 6: ", "0.01");
    expect_error(address_parse("zpif:1", &a, &e), "column 1: ", "did you mean zipf");
    expect_error(address_parse("hotspot:10%", &a, &e), "column 9: ", "hotspot:10%/90%");
    expect_error(address_parse("hotspot:0/90%", &a, &e), "column 9: ", "above 0");
    expect_error(address_parse("hotspot:10%/190%", &a, &e), "column 13: ", "above 100%");
    expect_error(address_parse("streams:9999", &a, &e), "column 9: ", "4096");
    expect_error(address_parse("stride:1", &a, &e), "column 8: ", "512 B");
    expect_error(address_parse("stride:--4k", &a, &e), "column 9: ", "is not a size");
    expect_error(address_parse("strips:4k", &a, &e), "column 8: ", "strips:SIZE/GAP");
    expect_error(address_parse("zoned:50/5:30/15", &a, &e), "column 7: ", "make 100 each");
    expect_error(address_parse("zoned:50", &a, &e), "column 7: ", "zoned:REQUESTS/REGION");
    expect_error(address_parse("zoned:50/5:x/15", &a, &e),
                 "column 12: ", "percent of the requests");
    expect_error(address_parse("sequence", &a, &e), "column 9: ", "the number of a block");
    expect_error(address_parse("sequence:1,,2", &a, &e), "column 12: ", "the number of a block");
    expect_error(address_parse("sequence:1,-2", &a, &e), "column 12: ", "the number of a block");
    expect_error(address_parse("sequence:1,2/0", &a, &e), "column 14: ", "a step in blocks");
    char list[300] = "sequence:0";
    for (int i = 0; i < ADDRESS_SEQUENCE_MAX; i++)
        strcat(list, ",1");
    expect_error(address_parse(list, &a, &e), "column 138: ", "more than 64 numbers");
    expect_error(address_parse("walk:1", &a, &e), "column 6: ", "0.99");
    expect_error(address_parse("same", &a, &e), "column 1: ", "transactions");
    expect_error(address_parse("random:1", &a, &e), "column 8: ", "takes nothing");
}

static void test_sizes(void)
{
    struct stream_spec of = {.write_share = .5};
    const struct size_spec *sizes = of.sizes, *writes = of.write_sizes;
    CHECK_INT(sizes_parse("4k", &of, &e), 0);
    CHECK(of.size_count == 1 && sizes[0].bytes == 4096 && sizes[0].weight == 100);
    CHECK_INT(sizes_parse("4k/60:8k/:64k/10:1m", &of, &e), 0);
    CHECK(of.size_count == 4 && sizes[1].weight == 15 && sizes[3].weight == 15 &&
          sizes[2].weight == 10);
    CHECK_INT(sizes_parse("512/1:4k/2", &of, &e), 0);
    CHECK(of.size_count == 2 && sizes[0].weight == 1 && sizes[1].weight == 2);

    CHECK(!of.write_size_count && stream_spec_largest(&of) == 4096);
    CHECK_INT(sizes_parse("4k,64k/25:1m/75", &of, &e), 0);
    CHECK(of.size_count == 1 && of.write_size_count == 2 && writes[1].weight == 75);
    CHECK_INT(stream_spec_largest(&of), 1 << 20);
    of.write_share = 0; /* sizes that nothing has count for nothing */
    CHECK_INT(stream_spec_largest(&of), 4096);
    of.write_share = 1;
    struct workload_spec all = {.streams = {of}, .stream_count = 1};
    CHECK_INT(workload_spec_granularity(&all), 65536);

    expect_error(sizes_parse("4k,", &of, &e), "column 4: ", "a size");
    expect_error(sizes_parse("4k,8k,16k", &of, &e), "column 4: ", "a size");
    expect_error(sizes_parse("4k/60:8k/40:1m", &of, &e), "column 1: ", "nothing of 100");
    expect_error(sizes_parse("4k/0:8k/0", &of, &e), "column 1: ", "weight above 0");
    expect_error(sizes_parse("4k/60:", &of, &e), "column 7: ", "a size");
    expect_error(sizes_parse("4q", &of, &e), "column 1: ", "a size");
    expect_error(sizes_parse("100", &of, &e), "column 1: ", "512 B to 64 MiB");
    expect_error(sizes_parse("1g", &of, &e), "column 1: ", "64 MiB");
    expect_error(sizes_parse("4k/-5", &of, &e), "column 4: ", "a number");
    expect_error(
        sizes_parse("1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k:1k",
                    &of, &e),
        "column 73: ", "more than 24");
}

static void test_whole(void)
{
    static struct workload_spec spec = {.stream_count = 1};
    struct stream_spec *s = &spec.streams[0];
    s->sizes[0].bytes = 12288;
    s->sizes[1].bytes = 65536;
    s->size_count = 2;
    CHECK_INT(workload_spec_largest(&spec), 65536);
    CHECK_INT(workload_spec_granularity(&spec), 4096);
    CHECK(workload_spec_reads(&spec) && !workload_spec_writes(&spec));
    s->write_share = 1;
    CHECK(!workload_spec_reads(&spec) && workload_spec_writes(&spec));
    s->align = 1024;
    CHECK_INT(workload_spec_granularity(&spec), 1024);
    s->align = 0;
    s->address = (struct address_spec){.kind = ADDRESS_STRIDE, .parameter = 1024 * 1024 + 512};
    CHECK_INT(workload_spec_granularity(&spec), 512);

    s->kind = STREAM_TRANSACTION;
    s->size_count = 1;
    s->steps[0] = (struct step_spec){.op = 0, .message_to = -1, .bytes = 8192};
    s->steps[1] = (struct step_spec){.message_to = 1};
    s->steps[2] = (struct step_spec){.op = 0, .message_to = -1, .address = {.kind = ADDRESS_SAME}};
    s->step_count = 3;
    CHECK_INT(stream_spec_requests(s), 2);
    CHECK_INT(workload_spec_largest(&spec), 8192);
    CHECK(workload_spec_reads(&spec) && !workload_spec_writes(&spec));
    spec.streams[1] = (struct stream_spec){
        .kind = STREAM_LOG, .sizes = {{131072, 1}}, .size_count = 1, .align = 512};
    spec.stream_count = 2;
    CHECK_INT(workload_spec_largest(&spec), 131072);
    CHECK_INT(workload_spec_granularity(&spec), 512);
    CHECK(workload_spec_writes(&spec));
}

int main(void)
{
    test_arrival();
    test_phases();
    test_duration();
    test_address();
    test_sizes();
    test_whole();
    return check_result();
}
