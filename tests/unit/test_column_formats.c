/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns: quotients, conditions, times as hh:mm:ss, and the files of other programs. The inputs
   are made for this test from the programs' manuals. */
#include "check.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "cmd/column/column.h"
#include "column_file.h"

/* ---- quotients and differences, conditions ---- */

static void reads_where(const char *text, const char *wanted, const char *where, const char *name,
                        size_t count, const double *expected)
{
    struct column c;
    struct err e = {0};
    put(text, strlen(text));
    CHECK_INT(column_read(&c, file_path, &(struct column_request){wanted, where, NULL}, &e), 0);
    CHECK_STR(e.msg, "");
    CHECK_STR(c.name, name);
    CHECK_INT(c.count, count);
    for (size_t i = 0; i < c.count && i < count; i++)
        if (fabs(c.values[i] - expected[i]) > 1e-9 * fabs(expected[i])) {
            fprintf(stderr, "  value %zu: got %.17g, expected %.17g\n", i, c.values[i],
                    expected[i]);
            CHECK(false);
        }
    column_free(&c);
}

static void refuses_where(const char *text, const char *wanted, const char *where,
                          const char *message)
{
    struct column c;
    struct err e = {0};
    put(text, strlen(text));
    CHECK_INT(column_read(&c, file_path, &(struct column_request){wanted, where, NULL}, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!strstr(e.msg, message))
        fprintf(stderr, "  got: %s\n", e.msg);
    CHECK(strstr(e.msg, message));
}

static void formulas(void)
{
    const char *table = "bytes,time,end,start,MiB/s\n100,2,9,4,7\n300,3,8,1,5\n";
    reads(table, "bytes/time", "bytes/time", VALUES(50, 100));
    reads(table, "end-start", "end-start", VALUES(5, 7));
    reads(table, "bytes/(end-start)", "bytes/(end-start)", VALUES(20, 300.0 / 7));
    reads(table, " bytes / time - start ", " bytes / time - start ", VALUES(46, 99));
    reads(table, "bytes/time/time", "bytes/time/time", VALUES(25, 300.0 / 9));
    reads(table, "MiB/s", "MiB/s", VALUES(7, 5)); /* the column with this name, not a quotient */
    reads(table, "bytes/MiB/s", "bytes/MiB/s", VALUES(100.0 / 7, 60));
    /* case does not matter if no name matches exactly */
    reads(table, "BYTES", "bytes", VALUES(100, 300));
    reads("6 3\n8 2\n", "1/2", "", VALUES(2, 4));
    reads("size=10 took=2 ms\n", "size", "size", VALUES(10));
    reads("bytes,took\n100,2 ms\n", "bytes/took", "bytes/took", VALUES(50000)); /* per second */
    refuses_where(table, "bytes/speed", NULL, "has no column \"bytes/speed\"");
    refuses_where(table, "bytes/", NULL, "has no column \"bytes/\"");
    refuses_where(table, "a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z", NULL,
                  "has no column");
    refuses_where("a,b\n1,0\n", "a/b", NULL, "line 2: the quotient is no finite number");
}

static void conditions(void)
{
    const char *table = "Rank,IOPS,size\nTotal,5,4096\n0,2,4096\n1,3,512\nTotal,7,512\n";
    reads_where(table, "IOPS", "rank=total", "IOPS", VALUES(5, 7));
    reads_where(table, "IOPS", "Rank!=Total", "IOPS", VALUES(2, 3));
    reads_where(table, "IOPS", "rank=t*l, size>=4096", "IOPS", VALUES(5));
    reads_where(table, "IOPS", "size<4096", "IOPS", VALUES(3, 7));
    reads_where(table, "2", "size<=512,rank=1", "IOPS", VALUES(3));
    reads_where("r 5\nw 6\nr 7\n", "2", "1=r", "", VALUES(5, 7));
    refuses_where(table, "IOPS", "rank=nobody", "has no row for which all conditions hold");
    refuses_where(table, "IOPS", "host=a", "has no column \"host\"");
    refuses_where(table, "IOPS", "rank", "is no condition");
    refuses_where(table, "IOPS", "size>big", "needs a number after >");
}

static void clocks(void)
{
    reads("00:02:15\n01:00:00\n", NULL, "s", VALUES(135, 3600));
    reads("1-02:03:04\n", NULL, "s", VALUES(93784));
    reads("Elapsed\n1:02.5\n", NULL, "Elapsed (s)", VALUES(62.5));
    reads("2 min\n00:00:30\n", NULL, "min", VALUES(2, .5));
    reads("0\n12K\n1.5M\n", NULL, "K", VALUES(0, 12, 1536));
    refuses("1:2:3:4\n1\n", NULL, ", line 1: \"1:2:3:4\" is not a number");
    refuses("5\n2026-11-24T08:00:01\n", NULL, ", line 2: \"2026-11-24T08:00:01\" is not a number");
}

/* ---- files of other programs ---- */

static void hyperfine(void)
{
    const char *two = "{\"results\": [{\"command\": \"sleep 1\", \"mean\": 1.5, \"times\": [1, 2]},"
                      "{\"command\": \"a/b\", \"mean\": 4, \"times\": [3, 5]}]}";
    reads(two, "a/b", "a/b (s)", VALUES(3, 5));
    reads(two, "1", "sleep 1 (s)", VALUES(1, 2));
    refuses(two, NULL,
            " has the readings of 2 results: choose one with --column NUMBER or --column 'NAME', "
            "such as 'sleep 1'");
    refuses(two, "3", ": no result of 2 is 3");
}

static void pytest(void)
{
    reads("{\"machine_info\": {}, \"benchmarks\": [{\"name\": \"test_a\", \"stats\": "
          "{\"min\": .1, \"data\": [0.1, 0.2]}}]}",
          NULL, "test_a (s)", VALUES(.1, .2));
    refuses_where("{\"benchmarks\": [{\"name\": \"test_a\", \"stats\": {\"min\": .1}}]}", NULL,
                  NULL, "--benchmark-save-data keeps every round");
}

static void google(void)
{
    const char *json =
        "{\"context\": {\"num_cpus\": 2}, \"benchmarks\": ["
        "{\"name\": \"BM_a/8\", \"run_type\": \"iteration\", \"real_time\": 5, \"cpu_time\": 4, "
        "\"time_unit\": \"us\"},"
        "{\"name\": \"BM_a/8\", \"run_type\": \"iteration\", \"real_time\": 7, \"cpu_time\": 6, "
        "\"time_unit\": \"us\"},"
        "{\"name\": \"BM_a/8_mean\", \"run_type\": \"aggregate\", \"real_time\": 6, \"cpu_time\": "
        "5, "
        "\"time_unit\": \"us\"}]}";
    reads(json, NULL, "BM_a/8 (us)", VALUES(5, 7));
    reads(json, "cpu_time", "BM_a/8 (us)", VALUES(4, 6));
    const char *csv = "name,iterations,real_time,cpu_time,time_unit,bytes_per_second\n"
                      "\"BM_a\",10,5,4,ms,\n\"BM_b\",10,9,8,ms,\n\"BM_a\",10,7,6,ms,\n"
                      "\"BM_a_mean\",10,6,5,ms,\n";
    reads(csv, "BM_a", "BM_a (ms)", VALUES(5, 7));
    refuses_where(csv, NULL, NULL,
                  "among them \"BM_a\" and \"BM_b\": choose one with --column 'BM_a'");
}

static void criterion(void)
{
    reads("{\"sampling_mode\": \"Linear\", \"iters\": [10, 20], \"times\": [50, 120]}", NULL,
          "times/iters (ns)", VALUES(5, 6));
    reads("group,function,value,throughput_num,throughput_type,sample_measured_value,unit,"
          "iteration_count\nF,x,,,,50,ns,10\nF,x,,,,120,ns,20\n",
          NULL, "sample_measured_value/iteration_count (ns)", VALUES(5, 6));
    refuses_where("{\"mean\": {\"point_estimate\": 5}, \"std_dev\": {\"point_estimate\": 1}}", NULL,
                  NULL, "are in sample.json beside it, which cannot be read");
}

static void k6(void)
{
    const char *csv = "metric_name,timestamp,metric_value,check,error\nhttp_reqs,1,1,,\n"
                      "http_req_duration,1,221.5,,\nhttp_req_blocked,1,3,,\n"
                      "http_req_duration,2,223.5,,\n";
    reads(csv, NULL, "http_req_duration (ms)", VALUES(221.5, 223.5));
    reads(csv, "http_reqs", "http_reqs", VALUES(1));
    const char *lines =
        "{\"type\":\"Metric\",\"data\":{\"name\":\"http_req_duration\",\"type\":\"trend\"},"
        "\"metric\":\"http_req_duration\"}\n"
        "{\"metric\":\"vus\",\"type\":\"Point\",\"data\":{\"time\":\"t\",\"value\":5}}\n"
        "{\"metric\":\"http_req_duration\",\"type\":\"Point\",\"data\":{\"time\":\"t\",\"value\":9}"
        "}\n";
    reads(lines, NULL, "http_req_duration (ms)", VALUES(9));
    reads(lines, "vus", "vus", VALUES(5));
    reads("{\"metrics\": {\"iterations\": {\"count\": 4, \"rate\": 2}, \"http_req_duration\": "
          "{\"avg\": 12.5, \"p(95)\": 20}}}",
          "http_req_duration.p(95)", "http_req_duration.p(95) (ms)", VALUES(20));
    reads("{\"metrics\": {\"iterations\": {\"values\": {\"count\": 4}}, \"http_req_duration\": "
          "{\"type\": \"trend\", \"values\": {\"avg\": 12.5}}}}",
          NULL, "http_req_duration.avg (ms)", VALUES(12.5));
}

static void elbencho_and_sacct(void)
{
    const char *live = "ISO Date,Label,Phase,RuntimeMS,Rank,MixType,IOPS,\n"
                       "t,,READ,1000,Total,,30100,\nt,,READ,1000,0,,,\n"
                       "t,,READ,2000,Total,,30300,\nt,,READ,2000,0,,,\n";
    reads(live, "IOPS", "IOPS", VALUES(30100, 30300));
    refuses_where("ISO Date,Phase,Rank,MixType,IOPS\nt,WRITE,Total,,5\nt,READ,Total,,6\n", "IOPS",
                  NULL, "choose one with --where 'Phase=WRITE'");
    const char *jobs = "JobID|JobName|Elapsed|MaxRSS|State|\n7|a|00:01:05||COMPLETED|\n"
                       "7.batch|batch|00:01:04|12K|COMPLETED|\n7.0|a|00:01:03|2M|COMPLETED|\n"
                       "8|a|00:01:15||COMPLETED|\n8.batch|batch|00:01:14|14K|COMPLETED|\n";
    reads(jobs, "Elapsed", "Elapsed (s)", VALUES(65, 75));
    reads_where(jobs, "MaxRSS", "JobID=*.batch", "MaxRSS (K)", VALUES(12, 14));
    refuses_where(jobs, "MaxRSS", NULL, "--where 'JobID=*.batch'");
}

static void json_records(void)
{
    reads("[{\"a\": 1, \"b\": 4}, {\"a\": 3, \"b\": 5}]", "b-a", "b-a", VALUES(3, 2));
    reads("{\"a\": 1}\n{\"a\": 2}\n", "a", "a", VALUES(1, 2));
    reads_where("[{\"a\": 1, \"op\": \"read\"}, {\"a\": 3, \"op\": \"write\"}]", "a", "op=write",
                "a", VALUES(3));
    refuses("[{\"a\": 1}]", "x", " has no \"x\"");
    refuses("[{\"a\": 1}, {}]", "a", ", record 2 has no \"a\"");
    refuses("[1, 2", NULL, " begins like JSON but is not valid");
}

static void names_of_a_file(void)
{
    struct column_names names;
    struct err e = {0};
    const char *two =
        "{\"results\": [{\"command\": \"x\", \"times\": [1]},"
        "{\"command\": \"y\", \"times\": [3]}, {\"command\": \"x\", \"times\": [2]}]}";
    const struct column_request all = {0};
    put(two, strlen(two));
    CHECK_INT(column_names_read(&names, file_path, &all, &e), 0);
    CHECK_INT(names.count, 2);
    CHECK_STR(names.names[1], "y");
    put("1\n2\n", 4);
    CHECK_INT(column_names_read(&names, file_path, &all, &e), 0);
    CHECK_INT(names.count, 0);
    put("[1, 2]", 6);
    CHECK_INT(column_names_read(&names, file_path, &all, &e), 0);
    CHECK_INT(names.count, 0);
}

int main(void)
{
    snprintf(file_path, sizeof file_path, "/tmp/cupel-test-formats-XXXXXX");
    int fd = mkstemp(file_path);
    CHECK(fd >= 0);
    if (fd < 0)
        return check_result();
    close(fd);
    formulas();
    conditions();
    clocks();
    hyperfine();
    pytest();
    google();
    criterion();
    k6();
    elbencho_and_sacct();
    json_records();
    names_of_a_file();
    unlink(file_path);
    return check_result();
}
