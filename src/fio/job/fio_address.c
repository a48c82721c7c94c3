/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the settings for the addresses of a section's requests: their distribution, and the
   region of the target. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fio/job/fio_value.h"
#include "fio/job/internal.h"
#include "source/generator/workload_spec_text.h"

/* ---- distributions ---- */

/* Converts rw=read:-8k and the like to a stride; the number is the distance from the end of one
   request to the beginning of the next. */
static int make_holes(struct section_reader *s, const struct fio_setting *at, struct err *e)
{
    const char *gap = strchr(at->value, ':') + 1;
    bool back = *gap == '-';
    uint64_t bytes = 0;
    char shown[64];
    if (s->stream.random || *s->stream.sizes) {
        section_cannot(s, at, "%s=%s: every offset is drawn by itself", at->name,
                       section_printable(shown, at->value));
        return 0;
    }
    if (section_read_bytes(s, at, gap + back, &bytes, e))
        return -1;
    if (back && bytes <= s->stream.block) {
        section_cannot(s, at, "%s=%s: the next request begins where the one before does, or in it",
                       at->name, section_printable(shown, at->value));
        return 0;
    }
    if (!bytes)
        return 0;
    snprintf(s->stream.address, sizeof s->stream.address, "stride:%s%" PRIu64, back ? "-" : "",
             back ? bytes - s->stream.block : bytes + s->stream.block);
    text_addf(&s->session->notes, "%s: after the end the gaps have their turn\n", at->name);
    return 0;
}

/* Converts a setting with a share from 0 to 1 to the option of the same name. */
static int add_zone_share(struct section_reader *s, enum fio_key key, struct err *e)
{
    const struct fio_setting *at = s->given[key];
    char *end;
    if (!at)
        return 0;
    if (section_need_value(s, at, e))
        return -1;
    double share = strtod(at->value, &end);
    if (*end || end == at->value || !(share >= 0 && share <= 1))
        return section_refuse(s, at, e, "%s is a share from 0 to 1", at->name);
    if (share > 0)
        section_word(s, "--%s=%.10g", at->name, share);
    return 0;
}

/* Converts zonemode=zbd, whose settings have the same names as cupel's options. */
static int make_zones(struct section_reader *s, struct err *e)
{
    const struct fio_setting *size = s->given[FIO_KEY_ZONE_SIZE];
    uint64_t bytes = 0, most = 0, each = 0;
    bool beyond = false;
    if ((size && section_read_bytes(s, size, size->value, &bytes, e)) ||
        section_read_number(s, FIO_KEY_MAX_OPEN_ZONES, 1000000, &most, e) ||
        section_read_number(s, FIO_KEY_JOB_MAX_OPEN_ZONES, 1000000, &each, e) ||
        section_read_flag(s, FIO_KEY_READ_BEYOND_WP, &beyond, e))
        return -1;
    if (each)
        section_cannot(
            s, s->given[FIO_KEY_JOB_MAX_OPEN_ZONES],
            "job_max_open_zones: all jobs share the open zones; max_open_zones is known");
    section_word(s, "--zonemode=zbd");
    if (bytes)
        section_word(s, "--zonesize=%" PRIu64, bytes);
    if (beyond)
        section_word(s, "--read_beyond_wp=1");
    if (!s->stream.writes)
        return 0;
    if (most)
        section_word(s, "--max_open_zones=%" PRIu64, most);
    return add_zone_share(s, FIO_KEY_ZONE_RESET_THRESHOLD, e) ||
                   add_zone_share(s, FIO_KEY_ZONE_RESET_FREQUENCY, e)
               ? -1
               : 0;
}

/* Converts zonemode=strided: sequential requests through a strip of the region, then a gap. */
static int make_strips(struct section_reader *s, const struct fio_setting *at, struct err *e)
{
    const struct fio_setting *size = s->given[FIO_KEY_ZONE_SIZE];
    const struct fio_setting *skip = s->given[FIO_KEY_ZONE_SKIP];
    uint64_t bytes = 0, gap = 0;
    char shown[64];
    if (section_need_value(s, at, e))
        return -1;
    if (!at || !strcmp(at->value, "none"))
        return 0;
    if (!strcmp(at->value, "zbd"))
        return make_zones(s, e);
    bool strided = !strcmp(at->value, "strided") && size && !s->given[FIO_KEY_ZONE_RANGE];
    if (!strided || s->stream.random || *s->stream.address) {
        section_cannot(
            s, at, "zonemode=%s: zbd is known, and strided in sequence, with zonesize and zoneskip",
            section_printable(shown, at->value));
        return 0;
    }
    if (section_read_bytes(s, size, size->value, &bytes, e) ||
        (skip && section_read_bytes(s, skip, skip->value, &gap, e)))
        return -1;
    if (bytes)
        snprintf(s->stream.address, sizeof s->stream.address, "strips:%" PRIu64 "/%" PRIu64, bytes,
                 gap);
    return 0;
}

/* Converts sequence:2,0,1. If the section requests strides, each repetition moves on by as many
   blocks as the sequence has numbers. */
static int make_sequence(struct section_reader *s, const struct fio_setting *at, struct err *e)
{
    char *to = s->stream.address, step[24] = "";
    bool strides = false;
    struct address_spec address;
    struct err why = {0};
    if (section_read_flag(s, FIO_KEY_SEQUENCE_STRIDE, &strides, e))
        return -1;
    size_t count = 1;
    for (const char *p = at->value; *p; p++)
        count += *p == ',';
    if (strides)
        snprintf(step, sizeof step, "/%zu", count);
    if (snprintf(to, sizeof s->stream.address, "%s%s", at->value, step) >=
        (int)sizeof s->stream.address)
        return section_refuse(s, at, e, "%s is too long", at->name);
    return address_parse(to, &address, &why) ? section_refuse(s, at, e, "%s: %s", at->name, why.msg)
                                             : 0;
}

int section_make_address(struct section_reader *s, struct err *e)
{
    const struct fio_setting *pattern = s->given[FIO_KEY_RW];
    const struct fio_setting *spread = s->given[FIO_KEY_DISTRIBUTION];
    char shown[64];
    if (section_need_value(s, spread, e) ||
        (pattern && strchr(pattern->value, ':') && make_holes(s, pattern, e)) ||
        make_strips(s, s->given[FIO_KEY_ZONES], e))
        return -1;
    if (!spread || !s->stream.random || !strcmp(spread->value, "random"))
        return 0;
    if (!strncmp(spread->value, "sequence:", 9))
        return make_sequence(s, spread, e);
    bool zoned = !strncmp(spread->value, "zoned:", 6);
    bool ours =
        zoned || ((!strncmp(spread->value, "zipf:", 5) || !strncmp(spread->value, "pareto:", 7)) &&
                  !strchr(spread->value, '/'));
    struct address_spec address;
    struct err why = {0};
    if (ours && !strchr(spread->value, ',') && strlen(spread->value) < sizeof s->stream.address) {
        if (address_parse(spread->value, &address, &why))
            return section_refuse(s, spread, e, "%s: %s", spread->name, why.msg);
        snprintf(s->stream.address, sizeof s->stream.address, "%s", spread->value);
    } else
        section_cannot(s, spread,
                       "random_distribution=%s: random, zipf:THETA, pareto:H, zoned:LIST and "
                       "sequence:LIST are known",
                       section_printable(shown, spread->value));
    return 0;
}

/* ---- regions ---- */

/* Reads "524z", which means 524 times zonesize. Returns false if the value is not of this form;
 *failed becomes -1 after an error. */
static bool read_zones(struct section_reader *s, const struct fio_setting *at, double *to,
                       struct err *e, int *failed)
{
    const struct fio_setting *size = s->given[FIO_KEY_ZONE_SIZE];
    const struct fio_setting *mode = s->given[FIO_KEY_ZONES];
    char *end;
    uint64_t bytes = 0, count = strtoull(at->value, &end, 10);
    if (end == at->value || strcasecmp(end, "z") != 0)
        return false;
    if (!mode || !mode->value || strcmp(mode->value, "zbd") != 0 || !size)
        *failed = section_refuse(s, at, e, "%s=%s: zones need zonemode=zbd and zonesize", at->name,
                                 at->value);
    else
        *failed = section_read_bytes(s, size, size->value, &bytes, e);
    *to = count && bytes ? (double)bytes * (double)count : -1;
    return true;
}

/* Reads bytes or a share; *to is -1 when the setting is not given. */
static int read_region(struct section_reader *s, enum fio_key key, double *to, bool *is_share,
                       struct err *e)
{
    char shown[64], *end;
    const struct fio_setting *at = s->given[key];
    uint64_t bytes = 0;
    *to = -1;
    if (!at)
        return 0;
    if (section_need_value(s, at, e))
        return -1;
    int failed = 0;
    if (read_zones(s, at, to, e, &failed))
        return failed;
    if (strpbrk(at->value, "*/+-()zZ")) {
        section_cannot(s, at, "%s=%s: bytes are needed, no sums", at->name,
                       section_printable(shown, at->value));
        /* the section must not run without its region, because it would write outside of it */
        s->impossible |= s->stream.writes;
        return 0;
    }
    const char *percent = strchr(at->value, '%');
    if (!percent) {
        if (section_read_bytes(s, at, at->value, &bytes, e))
            return -1;
        *to = bytes ? (double)bytes : -1;
        return 0;
    }
    *to = strtod(at->value, &end);
    *is_share = true; /* "100%%" means 100 %, as in fio */
    return end == percent && !percent[strspn(percent, "%")] && *to >= 0 && *to <= 100
               ? 0
               : section_refuse(s, at, e, "%s is a share from 0%% to 100%%", at->name);
}

/* Reads offset_increment. In fio, jobs with a file each have their regions at the same offset; here
   such jobs share one region, so an increment is refused. */
static int read_increment(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_OFFSET_INCREMENT];
    double bytes;
    bool is_share = false;
    if (!at || s->stream.jobs < 2)
        return 0;
    if (read_region(s, FIO_KEY_OFFSET_INCREMENT, &bytes, &is_share, e))
        return -1;
    if (is_share || s->stream.region.shares || s->own_files)
        section_cannot(s, at,
                       "offset_increment: bytes are needed, of a file or device with a name");
    else if (bytes > 0)
        s->stream.region.increment = (uint64_t)bytes;
    return 0;
}

int section_make_region(struct section_reader *s, struct err *e)
{
    struct fio_region *r = &s->stream.region;
    double filesize;
    bool size_share = false, offset_share = false, other = false;
    if (read_region(s, FIO_KEY_SIZE, &r->size, &size_share, e) ||
        read_region(s, FIO_KEY_OFFSET, &r->offset, &offset_share, e) ||
        read_region(s, FIO_KEY_FILESIZE, &filesize, &other, e))
        return -1;
    if (size_share && r->size >= 100)
        size_share = false, r->size = -1;
    if (offset_share && r->offset <= 0)
        offset_share = false, r->offset = -1;
    if (filesize > 0 && !size_share)
        r->size = filesize;
    r->shares = size_share || offset_share;
    bool mixed = (size_share && r->offset > 0 && !offset_share) ||
                 (offset_share && r->size > 0 && !size_share);
    if (mixed || (r->shares && s->own_files)) {
        section_cannot(s, s->given[size_share ? FIO_KEY_SIZE : FIO_KEY_OFFSET],
                       mixed ? "size and offset are both bytes or both shares"
                             : "a share of a file that is not there yet: bytes are needed");
        *r = (struct fio_region){.size = -1, .offset = -1};
        /* the section must not run without its region, because it would write outside of it */
        s->impossible |= s->stream.writes;
    }
    if (r->shares && r->offset + (r->size < 0 ? 0 : r->size) > 100)
        return section_refuse(s, s->given[FIO_KEY_OFFSET], e, "the region ends after the target");
    return read_increment(s, e);
}
