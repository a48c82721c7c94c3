/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record: every field is read back; damage never crashes the reader and is never taken for
   data. Longer than 500 lines because all tests use one record, which is made here. */
#include "check.h"
#include "fake_io.h"
#include "record_bytes.h"

#include <sys/stat.h>

#include "run/record/record.h"
#include "run/session/session.h"

static struct arena arena;
static struct contents written, back;
static struct record_bytes whole, changed;
static char path[300];

static void fill_facts(struct contents *c)
{
    facts_add(&c->settings, "target", "target", "/a path/with \"quotes\", commas;\n\xc3\xa9 \x01",
              "", "", FACT_OK);
    struct inventory *v = &c->hardware;
    int top = inventory_add_node(v, NODE_MACHINE, "machine", NULL, INVENTORY_NONE);
    int cpu = inventory_add_node(v, NODE_CPU, "cpu", NULL, top);
    int disk = inventory_add_node(v, NODE_DISK, "vda", "/sys/devices/x", top);
    inventory_add(v, cpu, "model", "", "Hz", "/proc/cpuinfo", FACT_ABSENT);
    inventory_add(v, disk, "scheduler", "[none] mq-deadline", "", "/sys/x", FACT_OK);
    inventory_add(v, disk, "\xff\xfe", "%s%n", "bytes", "/sys/y", FACT_INVALID);
}

/* Writes a record with a trial round and a measured one, with everything that a record can contain.
 */
static void write_record(unsigned batches, bool end)
{
    struct record_writer w;
    struct random random;
    struct err e = {0};
    struct contents *c = &written;
    struct measurement *m = &c->measurement;
    random_seed(&random, 5, 0);
    arena_reset(&arena, 0);
    contents_free(c);
    CHECK_INT(contents_init(c, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&c->plan);
    snprintf(c->plan.target, sizeof c->plan.target, "/tmp/a b\nc");
    c->plan.write_share = 0.25;
    fill_facts(c);
    unlink(path);
    CHECK_INT(record_create(&w, path, &arena, &e), 0);
    CHECK_INT(record_create(&(struct record_writer){0}, path, &arena, &e), -1);
    CHECK_INT(e.code, ERR_USAGE); /* an existing file is never overwritten */
    record_plan(&w, &c->plan);
    record_facts(&w, c);
    CHECK_INT(measurement_begin_round(m, true, 0.125, &e), 0);
    record_begin_round(&w, &m->rounds[0]);
    struct slice total = {.op = {{1ull << 49, 1, 127, 128}, {16383, 16384, 0, 1}}};
    measurement_end_round(m, 0.5, &total);
    record_end_round(&w, &m->rounds[0]);
    m->slice_seconds = 0.01;
    record_slice_length(&w, 0.01);
    CHECK_INT(measurement_begin_round(m, false, 1, &e), 0);
    record_begin_round(&w, &m->rounds[1]);
    for (unsigned i = 0; i < batches; i++) {
        struct batch batch = random_batch(&random);
        batch.span = i % 3 == 2 ? 2 : 1;
        measurement_add(m, &batch);
        record_batch(&w, &batch);
    }
    measurement_end_round(m, 1.25, &total);
    record_end_round(&w, &m->rounds[1]);
    facts_add(&c->settings, "rounds", "slices", "late", "", "", FACT_OK);
    record_facts(&w, c); /* the new one only */
    c->overhead = (struct overhead){12.5, NAN, 0x1p59, -0.0};
    c->block_layer = (struct block_layer){{0.9, 0.85, 0.95}, {1.25, NAN, NAN}, 12};
    contents_note(c, true, "a warning with %% and \n a line");
    contents_note(c, false, "%s", "");
    c->verdict = VERDICT_INTERRUPTED;
    snprintf(c->failure, sizeof c->failure, "read at byte 5 failed: %s", "no \"luck\"");
    c->elapsed_seconds = 3.000000001;
    c->records_seen = 1ull << 40;
    c->records_lost = UINT64_MAX;
    c->ended = true;
    if (end)
        record_end(&w, c);
    record_close(&w);
    CHECK_INT(w.error.code, 0);
    CHECK(record_bytes_load(&whole, path));
}

/* Reads the file at `path` as cupel report does. */
static int read_back(struct err *e)
{
    static struct arena fresh;
    *e = (struct err){0};
    contents_free(&back);
    arena_free(&fresh);
    CHECK_INT(arena_init_untouched(&fresh, contents_bytes(OPERATION_SET_ALL, false) + 4096, e), 0);
    CHECK_INT(contents_init(&back, OPERATION_SET_ALL, false, &fresh, e), 0);
    return record_read(&back, path, e);
}

static bool same_facts(const struct facts *a, const struct facts *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct fact *x = &a->rows[i], *y = &b->rows[i];
        if (strcmp(x->node, y->node) || strcmp(x->key, y->key) || strcmp(x->value, y->value) ||
            strcmp(x->unit, y->unit) || strcmp(x->source, y->source) || x->status != y->status)
            return false;
    }
    return true;
}

static bool same_inventory(const struct inventory *a, const struct inventory *b)
{
    if (a->node_count != b->node_count || a->fact_count != b->fact_count)
        return false;
    for (int i = 0; i < a->node_count; i++) {
        const struct inventory_node *x = &a->nodes[i], *y = &b->nodes[i];
        if (strcmp(x->name, y->name) || x->kind != y->kind || x->parent != y->parent)
            return false;
    }
    for (int i = 0; i < a->fact_count; i++) {
        const struct inventory_fact *x = &a->facts[i], *y = &b->facts[i];
        if (strcmp(x->key, y->key) || strcmp(x->value, y->value) || strcmp(x->unit, y->unit) ||
            strcmp(x->source, y->source) || x->status != y->status)
            return false;
    }
    return true;
}

static void check_round_trip(void)
{
    struct err e;
    write_record(20, true);
    CHECK_INT(read_back(&e), 0);
    CHECK_STR(back.plan.target, written.plan.target);
    CHECK(back.plan.write_share == 0.25);
    CHECK(same_facts(&back.settings, &written.settings));
    CHECK(same_inventory(&back.hardware, &written.hardware));
    CHECK_INT(back.settings.count, 2);
    CHECK(memcmp(&back.overhead, &written.overhead, sizeof back.overhead) == 0);
    CHECK(memcmp(&back.block_layer, &written.block_layer, sizeof back.block_layer) == 0);
    CHECK_INT(back.note_count, 2);
    CHECK(back.notes[0].warning && !back.notes[1].warning);
    CHECK_STR(back.notes[0].text, "a warning with % and \n a line");
    CHECK(back.ended && back.verdict == VERDICT_INTERRUPTED);
    CHECK_STR(back.failure, written.failure);
    CHECK(back.elapsed_seconds == written.elapsed_seconds);
    CHECK_INT(back.records_seen, written.records_seen);
    CHECK_INT(back.records_lost, written.records_lost);
    CHECK_INT(back.measurement.round_count, 2);
    CHECK(back.measurement.rounds[0].trial && !back.measurement.rounds[1].trial);
    CHECK(back.measurement.rounds[1].seconds == 1.25);
    CHECK(memcmp(&back.measurement.rounds[0].total, &written.measurement.rounds[0].total,
                 sizeof(struct slice)) == 0);
    CHECK_INT(back.measurement.original_slices, written.measurement.original_slices);
    CHECK(memcmp(back.measurement.slices, written.measurement.slices,
                 MEASUREMENT_SLICES * sizeof(struct slice)) == 0);
}

/* Returns true for every byte of the head and of the first chunks' frames, and some bytes of each
   chunk. */
static bool is_sampled(size_t at)
{
    return at < 48 || at % 37 == 0 || at + 24 > whole.size;
}

/* Cut off at any byte: everything before it is used, up to the last complete chunk. */
static void check_truncation(void)
{
    struct err e;
    write_record(4, true);
    size_t at = RECORD_HEAD, plan_end = RECORD_HEAD + chunk_bytes(&whole, RECORD_HEAD);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    for (size_t size = whole.size; size-- > 0;) {
        if (!is_sampled(size))
            continue;
        CHECK_INT(ftruncate(fd, (off_t)size), 0);
        int failed = read_back(&e);
        if (size < plan_end) {
            CHECK_INT(failed, -1);
            CHECK_INT(e.code, ERR_USAGE);
            CHECK(!strchr(e.msg, '\n'));
            continue;
        }
        CHECK_INT(failed, 0);
        CHECK(!back.ended && back.verdict == VERDICT_CUT_SHORT);
        size_t good = RECORD_HEAD;
        while (good + 8 <= size && good + chunk_bytes(&whole, good) <= size)
            good += chunk_bytes(&whole, good);
        CHECK_INT(back.note_count > 0 && strstr(back.notes[back.note_count - 1].text, "is whole"),
                  good < size);
    }
    close(fd);
    for (; at < whole.size; at += chunk_bytes(&whole, at))
        ;
    CHECK_INT(at, whole.size); /* the test's own parsing of chunks is correct */
}

static bool has_note(const char *words)
{
    for (size_t i = 0; i < back.note_count; i++)
        if (back.notes[i].warning && strstr(back.notes[i].text, words))
            return true;
    return false;
}

/* Returns where the last chunk, the end, begins. */
static size_t find_last(void)
{
    size_t last = RECORD_HEAD;
    while (last + chunk_bytes(&whole, last) < whole.size)
        last += chunk_bytes(&whole, last);
    return last;
}

/* One bit changed anywhere: a checksum detects it, and what follows is read. */
static void check_flips(void)
{
    struct err e;
    write_record(4, true);
    uint64_t slices = written.measurement.original_slices;
    size_t last = find_last();
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < whole.size; i++) {
        if (!is_sampled(i))
            continue;
        unsigned char byte = whole.bytes[i] ^ (unsigned char)(1u << (i % 8));
        CHECK_INT(pwrite(fd, &byte, 1, (off_t)i), 1);
        if (read_back(&e) == 0) {
            CHECK(i >= RECORD_HEAD);
            CHECK_INT(back.ended, i < last);
            CHECK_INT(back.verdict, i < last ? VERDICT_DAMAGED : VERDICT_CUT_SHORT);
            CHECK_INT(has_note("damaged or out of place"), i < last);
            CHECK_INT(has_note("is whole up to"), i >= last);
            CHECK(back.measurement.original_slices <= slices);
            CHECK(back.measurement.round_count <= written.measurement.round_count);
        } else {
            CHECK_INT(e.code, ERR_USAGE);
        }
        CHECK_INT(pwrite(fd, &whole.bytes[i], 1, (off_t)i), 1);
    }
    close(fd);
    CHECK_INT(read_back(&e), 0);
    CHECK(back.ended);
}

/* Returns where the chunk of that type and number (from 0) begins. */
static size_t find_chunk(const char type[4], unsigned number)
{
    size_t at = RECORD_HEAD;
    while (at < whole.size && (memcmp(whole.bytes + at, type, 4) || number--))
        at += chunk_bytes(&whole, at);
    CHECK(at < whole.size);
    return at;
}

/* Reads the record with one bit of a chunk's payload changed. */
static void damage_chunk(const char type[4], unsigned number, size_t *at, size_t *bytes)
{
    struct err e;
    changed = whole;
    *at = find_chunk(type, number);
    *bytes = chunk_bytes(&whole, *at);
    changed.bytes[*at + CHUNK_HEAD] ^= 4;
    CHECK(bytes_store(path, changed.bytes, changed.size));
    CHECK_INT(read_back(&e), 0);
}

/* Adds a chunk in format 1. */
static void add_old_chunk(const char type[4], const void *payload, size_t length)
{
    unsigned char *at = changed.bytes + changed.size;
    memcpy(at, type, 4);
    put_le32(at + 4, (uint32_t)length);
    memcpy(at + 8, payload, length);
    put_le32(at + 8 + length, crc32c(0, at, length + 8));
    changed.size += length + 12;
}

/* A record of format 1 has sums of blocks and busy time, and none for single slices. */
static void check_older_batches(void)
{
    struct err e = {0};
    unsigned char payload[200] = {0}, *to = payload;
    static const char plan[] = "block_size=4096\n";
    memcpy(changed.bytes, "CUPELREC\1\0\0\0\0\0\0\0", 16);
    changed.size = 16;
    add_old_chunk("PLAN", plan, sizeof plan - 1);
    add_old_chunk("SLEN", payload, (size_t)(put_leb128(payload, 10000000) - payload));
    add_old_chunk("RBEG", "\0\1", 2);
    *to++ = 2;
    for (uint64_t ios = 1; ios <= 3; ios += 2) /* 1 read, 3 reads */
        for (int op = REQUEST_READ; op <= REQUEST_WRITE; op++) {
            to = put_leb128(to, op == REQUEST_READ ? ios : 0);
            to = put_leb128(to, op == REQUEST_READ ? ios * 4096 : 0);
            to = put_leb128(to, 0);
            to = put_leb128(to, 0);
        }
    to = put_leb128(to, 4 * 8ull);
    to = put_leb128(to, 9000000);
    to = put_leb128(to, 0);
    for (int op = REQUEST_READ; op <= REQUEST_WRITE; op++) {
        to = put_leb128(to, UINT64_MAX);
        memset(to, 0, 3);
        to += 3;
    }
    add_old_chunk("BTCH", payload, (size_t)(to - payload));
    CHECK(bytes_store(path, changed.bytes, changed.size));
    CHECK_INT(read_back(&e), 0);
    CHECK_INT(back.measurement.slice_count, 2);
    CHECK_INT(back.measurement.slices[0].asked_bytes, 4096);
    CHECK_INT(back.measurement.slices[1].asked_bytes, 3 * 4096);
    CHECK_INT(back.measurement.slices[0].busy_ns, 4500000);
    CHECK_INT(back.measurement.slices[1].busy_ns, 4500000);
}

/* Only the damaged chunk is lost, and chunks that cannot be placed without it. */
static void check_damage(void)
{
    char words[120];
    size_t at, bytes;
    write_record(4, true);
    uint64_t slices = written.measurement.original_slices;
    damage_chunk("BTCH", 1, &at, &bytes);
    CHECK(back.ended && back.verdict == VERDICT_DAMAGED);
    CHECK(back.measurement.original_slices > 0 && back.measurement.original_slices < slices);
    CHECK(back.measurement.rounds[1].ended);
    snprintf(
        words, sizeof words,
        "%zu bytes of the record are damaged or out of place and were left out (from byte %zu)",
        bytes, at);
    CHECK(has_note(words));
    CHECK(has_note("1 part of the record is missing: 1 x readings"));
    CHECK_INT(back.note_count, 4);

    /* If its begin is missing, nothing of a round counts in the previous round. */
    damage_chunk("RBEG", 1, &at, &bytes);
    CHECK(back.ended);
    CHECK_INT(back.measurement.round_count, 1);
    CHECK_INT(back.measurement.original_slices, 0);
    CHECK(back.measurement.rounds[0].trial && back.measurement.rounds[0].seconds == 0.5);
    damage_chunk("SLEN", 0, &at, &bytes);
    CHECK(back.ended && back.measurement.round_count == 2);
    CHECK_INT(back.measurement.original_slices, 0);
}

static void check_refused(const char *words)
{
    struct err e;
    CHECK_INT(read_back(&e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!check_that(strstr(e.msg, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "    got \"%s\"\n", e.msg);
}

static void check_other_files(void)
{
    write_record(1, true);
    changed = whole;
    put_le32(changed.bytes + 8, RECORD_VERSION + 1);
    CHECK(bytes_store(path, changed.bytes, changed.size));
    check_refused("version 5");
    put_le32(changed.bytes + 8, 1);
    CHECK(bytes_store(path, changed.bytes, changed.size));
    check_refused("damaged in its first 16 bytes");
    put_le32(changed.bytes + 8, UINT32_MAX);
    CHECK(bytes_store(path, changed.bytes, changed.size));
    check_refused("newer");
    CHECK(bytes_store(path, (const unsigned char *)"no record, but text\n", 20));
    check_refused("not a cupel record");
    CHECK(bytes_store(path, (const unsigned char *)"", 0));
    check_refused("not a cupel record");
    CHECK(bytes_store(path, whole.bytes, RECORD_HEAD));
    check_refused("before any measurement");
    unlink(path);
    check_refused(path);
    CHECK_INT(mkdir(path, 0755), 0);
    check_refused(path);
    rmdir(path);
}

/* Copies the chunks of the record from `at` on, and adds a matching end. */
static void copy_rest(size_t at)
{
    for (size_t last = find_last(); at < last; at += chunk_bytes(&whole, at))
        record_bytes_copy(&changed, &whole, at);
    record_bytes_end(&changed);
    CHECK(bytes_store(path, changed.bytes, changed.size));
}

/* Replaces the text of the first chunk, the plan; the rest of the record is the same. */
static void replace_plan(const char *text)
{
    record_bytes_begin(&changed, RECORD_VERSION);
    record_bytes_add(&changed, "PLAN", text, strlen(text));
    copy_rest(RECORD_HEAD + chunk_bytes(&whole, RECORD_HEAD));
}

static void check_plans(void)
{
    struct err e;
    write_record(1, true);
    replace_plan("block_size=8192\niodepth=3\n");
    CHECK_INT(read_back(&e), 0);
    CHECK(back.ended && back.plan.block_size == 8192 && back.plan.iodepth == 3);
    /* An unreadable plan is no plan: nothing can be judged with it. */
    replace_plan("block_size=8192\nwarp_factor=9\n");
    check_refused("warp_factor");
    replace_plan("block_size=1\n");
    check_refused("512 bytes");
    replace_plan("confidence=7\n");
    check_refused("confidence");
}

/* Reads the record with one more chunk after its plan, with correct numbers, checksums and end. */
static void add_chunk(const char type[4], const void *payload, size_t length)
{
    record_bytes_begin(&changed, RECORD_VERSION);
    record_bytes_copy(&changed, &whole, RECORD_HEAD);
    if (type)
        record_bytes_add(&changed, type, payload, length);
    copy_rest(RECORD_HEAD + chunk_bytes(&whole, RECORD_HEAD));
}

static void check_unknown_and_wrong_chunks(void)
{
    struct err e;
    write_record(2, true);
    add_chunk(NULL, NULL, 0);
    CHECK_INT(read_back(&e), 0);
    CHECK(back.ended && back.verdict == VERDICT_INTERRUPTED && back.note_count == 2);
    add_chunk("ZZZZ", "from later", 10);
    check_refused("does not know");
    add_chunk("\n\t  ", "", 0);
    check_refused("does not know");

    /* Correct checksums with impossible contents. */
    static const unsigned char huge[] = {0xff, 0xff, 0xff, 0xff, 0xff,
                                         0xff, 0xff, 0xff, 0xff, 0x7f};
    static const struct {
        const char *type;
        const void *payload;
        size_t length;
    } wrong[] = {
        {"SLEN", "", 0},
        {"SLEN", "\0", 1},
        {"SLEN", "\1\1", 2},
        {"BTCH", "\0", 1},
        {"BTCH", "\x06", 1},
        {"BTCH", huge, sizeof huge},
        {"REND", "\1\1", 2},
        {"RBEG", "", 0},
        {"RBEG", "\2\1", 2},
        {"FACT", "\0a\0b\0c", 6},
        {"NOTE", "\1text", 5},
        {"NOTE", "\1text\0more", 10},
        {"OVER", "1234567", 7},
        {"DONE", "\x09\1\1\1", 5},
        {"DONE", "\4\1\1\1", 5},
        {"DONE", "\0", 1},
        {"FACT", "\0a\0b\0c\0d\0e\0\x7f", 12},
        {"FACT", "\2a\0b\0c\0d\0e\0\0", 12},
        {"PLAN", "block_size=4096\n", 16},
        {"LAST", "\1", 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        add_chunk(wrong[i].type, wrong[i].payload, wrong[i].length);
        check_refused("damaged: its chunk ");
    }
}

/*
 * Chunks of a good record in any order and number, with randomly changed payloads, all with correct
 * numbers and checksums, so that parsers and judge see them. In most rounds a chunk is missing, so
 * that impossible ones are left out instead of refused. Deterministic.
 */
static void add_changed_chunk(struct random *random, size_t from)
{
    static unsigned char payload[RECORD_BYTES_MAX];
    size_t length = get_le32(whole.bytes + from + 4);
    memcpy(payload, whole.bytes + from + CHUNK_HEAD, length);
    bool keep = random_below(random, 8) > 0;
    for (unsigned n = keep ? 0 : 1 + (unsigned)random_below(random, 3); length && n; n--) {
        size_t at = random_below(random, length);
        switch (random_below(random, 4)) {
        case 0:
            payload[at] = (unsigned char)random_u64(random);
            break;
        case 1: /* a large number */
            for (size_t k = 0; k < 9 && at + k < length; k++)
                payload[at + k] = 0xff;
            break;
        case 2:
            length = at;
            break;
        default: /* one byte more or less, which moves all later fields */
            memmove(payload + at, payload + at + 1, length - at - 1);
            length--;
        }
    }
    record_bytes_add(&changed, (const char *)whole.bytes + from, payload, length);
}

static void check_fuzz(unsigned rounds)
{
    static struct result result;
    struct random random;
    size_t starts[256], count = 0, judged = 0;
    write_record(6, true);
    for (size_t at = RECORD_HEAD; at < whole.size && count < 256; at += chunk_bytes(&whole, at))
        starts[count++] = at;
    random_seed(&random, 20, 7);
    for (unsigned i = 0; i < rounds; i++) {
        record_bytes_begin(&changed, RECORD_VERSION);
        record_bytes_copy(&changed, &whole, RECORD_HEAD);
        changed.number += i % 4 > 0;
        for (size_t k = 1; k < count; k++)
            if (random_below(&random, 8))
                add_changed_chunk(
                    &random, starts[random_below(&random, 5) ? k : random_below(&random, count)]);
        CHECK(bytes_store(path, changed.bytes, changed.size));
        struct session *session = NULL;
        struct err e = {0};
        if (session_load(&session, path, &e)) {
            CHECK_INT(e.code, ERR_USAGE);
            continue;
        }
        session_result(session, &result);
        CHECK(result.row_count <= RESULT_ROWS_MAX && result.round_count <= RESULT_ROUNDS_MAX);
        judged += result.series_count > 0;
        session_free(session);
    }
    CHECK(judged > rounds / 10); /* enough of the mutated records reach the judge */
}

int main(void)
{
    struct err e;
    test_path(path, sizeof path, "record");
    CHECK_INT(
        arena_init(&arena, contents_bytes(OPERATION_SET_ALL, false) + 3 * RECORD_BUFFER + 4096, &e),
        0);
    check_round_trip();
    check_truncation();
    check_flips();
    check_damage();
    check_older_batches();
    check_other_files();
    check_plans();
    check_unknown_and_wrong_chunks();
    check_fuzz(300);
    unlink(path);
    contents_free(&written);
    contents_free(&back);
    arena_free(&arena);
    return check_result();
}
