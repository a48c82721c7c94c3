/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A record, from its bytes to the printed result, and by a scan, which reads every record that the
 * result is made of and adds up to the same. A fuzzer does not find the checksums of chunks by
 * itself, so an input is made into a file: after the first byte, chunks of u8 kind, u16 length and
 * payload become chunks with right frames. In the first byte 0x80: the rest is the file as it is;
 * 0x40: the file is of format 2; 0x20: it ends with the LAST that goes with its chunks; the other
 * bits choose how the result is printed. In format 2 the kind's bits 0x80 and 0x40 make a chunk
 * one that is missing, or that has the number of the one before it.
 */
#include <math.h>
#include <string.h>

#include "base/crc32c.h"
#include "report/document/document.h"
#include "report/report.h"
#include "run/record/record.h"
#include "run/record/record_scan.h"
#include "run/session/session.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

#define FILE_MAX_BYTES (64u << 10)
#define PIECE_HEAD     3
#define AS_IT_IS       0x80
#define FORMAT_2       0x40
#define WITH_LAST      0x20
#define PRINTED        0x1f

/* Bits of a piece's first byte. */
#define KIND        0x1f
#define IS_MISSING  0x80
#define IS_REPEATED 0x40

/* The kinds of chunks by their number in a piece: only ever extended. */
static const char types[][5] = {"PLAN", "NODE", "FACT", "SLEN", "RBEG", "TIMG", "BTCH", "REND",
                                "GAUG", "PART", "PATH", "SMPL", "OWNS", "EVNT", "OVER", "BLKL",
                                "NOTE", "FIDE", "LATE", "DONE", "XXXX", "AWAY", "LAST", "WHEN",
                                "SPAN", "JOBH", "HOST", "CLCK", "BUSY", "KIND"};
#define TYPES     (sizeof types / sizeof *types)
#define KIND_LAST 22

/* ---- the file ---- */

static uint8_t file[FILE_MAX_BYTES];
static size_t file_length;
static unsigned version;
static uint32_t checksum_seed, number, all_checksums, counts[TYPES];

static void put_u32(uint32_t v)
{
    for (int i = 0; i < 4; i++)
        file[file_length++] = (uint8_t)(v >> (8 * i));
}

static void put(const void *bytes, size_t length)
{
    if (length > 0)
        memcpy(file + file_length, bytes, length);
    file_length += length;
}

static void put_head(void)
{
    file_length = 0;
    put("CUPELREC", 8);
    put_u32(version);
    put_u32(0);
    if (version > 1) {
        put_u32(1);
        checksum_seed = crc32c(0, file, file_length);
        put_u32(checksum_seed);
    }
    number = all_checksums = 0;
    memset(counts, 0, sizeof counts);
}

static void put_chunk(size_t kind, const uint8_t *payload, size_t length)
{
    size_t from = file_length;
    if (length + 16 > FILE_MAX_BYTES - from)
        return;
    put(types[kind], 4);
    put_u32((uint32_t)length);
    if (version > 1)
        put_u32(number);
    put(payload, length);
    put_u32(crc32c(version > 1 ? checksum_seed : 0, file + from, file_length - from));
    all_checksums = crc32c(all_checksums, file + file_length - 4, 4);
    number++;
    counts[kind]++;
}

static size_t leb128(uint8_t *to, uint32_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        to[n++] = (uint8_t)(v | 0x80);
    to[n++] = (uint8_t)v;
    return n;
}

/* What was put so far, as its writer counts it. */
static void put_last(void)
{
    uint8_t payload[9 + TYPES * 9];
    size_t length = leb128(payload, number);
    for (int i = 0; i < 4; i++)
        payload[length++] = (uint8_t)(all_checksums >> (8 * i));
    for (size_t kind = 0; kind < TYPES; kind++) {
        if (counts[kind] == 0)
            continue;
        memcpy(payload + length, types[kind], 4);
        length += 4;
        length += leb128(payload + length, counts[kind]);
    }
    put_chunk(KIND_LAST, payload, length);
}

/* Returns the length of the payload of the piece at `at`; the last one ends with the input. */
static size_t piece_length(const uint8_t *pieces, size_t size, size_t at)
{
    size_t said = pieces[at + 1] | (size_t)pieces[at + 2] << 8, left = size - at - PIECE_HEAD;
    return said < left ? said : left;
}

static void put_piece(unsigned kind, const uint8_t *payload, size_t length)
{
    if (version > 1 && kind & IS_REPEATED && number > 0)
        number--;
    if (version > 1 && kind & IS_MISSING)
        number++;
    else
        put_chunk((kind & KIND) % TYPES, payload, length);
}

static void make_file(unsigned choice, const uint8_t *pieces, size_t size)
{
    version = choice & FORMAT_2 ? RECORD_VERSION : 1;
    put_head();
    for (size_t at = 0; at + PIECE_HEAD <= size;) {
        size_t length = piece_length(pieces, size, at);
        put_piece(pieces[at], pieces + at + PIECE_HEAD, length);
        at += PIECE_HEAD + length;
    }
    if (choice & WITH_LAST)
        put_last();
}

/* ---- mutations that keep pieces intact ---- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Usually the payload of one piece is changed and its length corrected, so that later pieces stay
   the same. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size_t starts[256], count = 0;
    if (size > 1 + PIECE_HEAD && !(data[0] & AS_IT_IS))
        for (size_t at = 1; at + PIECE_HEAD <= size && count < 256;
             at += PIECE_HEAD + piece_length(data, size, at))
            starts[count++] = at;
    if (count == 0 || seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, most);
    static uint8_t payload[FILE_MAX_BYTES];
    size_t at = starts[seed / 4 % count], begin = at + PIECE_HEAD;
    size_t length = piece_length(data, size, at), after = size - begin - length;
    size_t room = most - (size - length);
    room = room < 0xffff ? room : 0xffff;
    if (length > room || room == 0)
        return LLVMFuzzerMutate(data, size, most);
    memcpy(payload, data + begin, length);
    size_t changed = LLVMFuzzerMutate(payload, length, room);
    memmove(data + begin + changed, data + begin + length, after);
    memcpy(data + begin, payload, changed);
    data[at + 1] = (uint8_t)changed;
    data[at + 2] = (uint8_t)(changed >> 8);
    return size - length + changed;
}

/* ---- the result ---- */

static void check_row(const struct result_row *row)
{
    FUZZ_CHECK(!isinf(row->value), "a number of the result is infinite");
}

static void print(const struct result *result, size_t choice)
{
    struct report_style style = {.full = true};
    struct text out = {0};
    static const char *const formats[] = {"text", "csv", "json", "fio-json", "html"};
    const size_t forms = sizeof formats / sizeof *formats;
    size_t files = 0;
    while (report_files[files].name)
        files++;
    choice %= 1 + forms + files;
    if (choice > forms)
        report_files[choice - forms - 1].render(result, &out);
    else if (choice > 0)
        report_print(&result_report, result, formats[choice - 1], &style, &out);
    text_free(&out);
}

/* ---- the scan ---- */

/* What a scan and the record's reader must agree on. */
struct sums {
    uint64_t rounds, slices, latencies;
};

static void add_item(struct sums *s, const struct record_item *item)
{
    if (item->kind == RECORD_ITEM_ROUND_BEGIN)
        s->rounds++;
    if (item->kind != RECORD_ITEM_BATCH)
        return;
    const struct record_batch *b = item->batch;
    s->slices += b->slice_count;
    uint64_t of_slices = 0, of_stretches = 0, reached = b->begin_ns;
    for (unsigned i = 0; i < b->slice_count; i++)
        of_slices += b->slices[i].busy_ns;
    for (unsigned i = 0; i < b->stretch_count; i++) {
        const struct record_stretch *stretch = &b->stretches[i];
        FUZZ_CHECK(stretch->begin_ns >= reached && stretch->busy_ns > 0 &&
                       stretch->busy_ns <= stretch->end_ns - stretch->begin_ns,
                   "a stretch that cannot be");
        reached = stretch->end_ns;
        of_stretches += stretch->busy_ns;
    }
    FUZZ_CHECK(!b->stretch_count || of_slices == of_stretches, "stretches of another batch");
    for (int op = 0; op < OPERATIONS; op++) {
        const struct sparse_histogram *h = &b->latency[op];
        uint64_t n = h->over;
        for (unsigned i = 0; i < h->used; i++)
            n += h->count[i];
        FUZZ_CHECK(h->n == n, "a histogram has another number of values than its buckets");
        s->latencies += n;
    }
}

static enum record_scan_state scan(struct sums *s, bool grows)
{
    struct record_scan *scan;
    struct record_item item;
    struct err e = {0};
    enum record_scan_state state;
    *s = (struct sums){0};
    if (record_scan_open(&scan, MEMORY_FILE, grows, &e))
        return RECORD_SCAN_FAILED;
    while ((state = record_scan_next(scan, &item, &e)) == RECORD_SCAN_ITEM)
        add_item(s, &item);
    if (state == RECORD_SCAN_WAIT) {
        record_scan_stop_waiting(scan);
        while ((state = record_scan_next(scan, &item, &e)) == RECORD_SCAN_ITEM)
            add_item(s, &item);
    }
    FUZZ_CHECK(state != RECORD_SCAN_WAIT, "a scan that waits for a record that does not grow");
    FUZZ_CHECK(state != RECORD_SCAN_FAILED || *e.msg, "a scan that fails without a reason");
    record_scan_close(scan);
    return state;
}

/* Every record that gives a session can be scanned, with pauses or without, to the same sums. */
static void check_scan(bool is_loaded, bool is_damaged, size_t rounds)
{
    struct sums whole, growing;
    enum record_scan_state state = scan(&whole, false);
    FUZZ_CHECK(scan(&growing, true) == state, "a growing record ends otherwise");
    FUZZ_CHECK(!memcmp(&whole, &growing, sizeof whole), "a growing record is scanned otherwise");
    FUZZ_CHECK(!is_loaded || state == RECORD_SCAN_END, "a record is loaded and not scanned");
    FUZZ_CHECK(!is_loaded || is_damaged || whole.rounds == rounds, "a scan has other rounds");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct result result;
    struct session *session = NULL;
    struct err e = {0};
    if (size == 0)
        return 0;
    if (data[0] & AS_IT_IS) {
        memory_file_set(0, data + 1, size - 1);
    } else {
        make_file(data[0], data + 1, size - 1);
        memory_file_set(0, file, file_length);
    }
    if (session_load(&session, MEMORY_FILE, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a record refused without a reason");
        check_scan(false, false, 0);
        return 0;
    }
    session_result(session, &result);
    FUZZ_CHECK(result.row_count <= RESULT_ROWS_MAX && result.round_count <= RESULT_ROUNDS_MAX,
               "more rows than there can be");
    for (size_t i = 0; i < result.row_count; i++)
        check_row(&result.rows[i]);
    check_scan(true, result.verdict == VERDICT_DAMAGED, result.round_count);
    print(&result, data[0] & PRINTED);
    session_free(session);
    return 0;
}
