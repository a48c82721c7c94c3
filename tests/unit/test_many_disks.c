/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More disks than a qualification can hold: as many as possible are examined, and the others are
   reported. */
#include "check.h"
#include "tree.h"

#include "machine/qualify/qualify.h"

enum { EXTRA = 3, DISKS = QUALIFICATION_DEVICES + EXTRA };

static volatile sig_atomic_t never;

/* Makes disks of 0 bytes, so that nothing is measured or opened. */
static void make_disks(struct tree *t)
{
    char path[TREE_PATH], target[128];
    for (unsigned i = 0; i < DISKS; i++) {
        snprintf(target, sizeof target, "/sys/devices/vbd-%u/block/xvd%u", i, i);
        snprintf(path, sizeof path, "%s/size", target);
        tree_file(t, path, "0\n");
        snprintf(path, sizeof path, "%s/dev", target);
        tree_filef(t, path, "202:%u\n", i);
        snprintf(path, sizeof path, "%s/device", target);
        tree_folder(t, path);
        snprintf(path, sizeof path, "/sys/class/block/xvd%u", i);
        snprintf(target, sizeof target, "../../devices/vbd-%u/block/xvd%u", i, i);
        tree_link(t, path, target);
    }
}

int main(void)
{
    static struct tree t;
    struct qualifier *qualifier = NULL;
    struct err e = {0};
    size_t left = 0;
    tree_begin(&t);
    make_disks(&t);
    const struct qualify_request request = {
        .root = &t.root, .preset = "quick", .limit_seconds = 1, .stop = &never};
    CHECK_INT(qualify(&qualifier, &request, &e), 0);
    CHECK_STR(e.msg, "");
    if (qualifier) {
        const struct qualification *q = qualifier_result(qualifier);
        CHECK_INT(q->device_count, QUALIFICATION_DEVICES);
        CHECK_INT(q->grade, GRADE_FAIL);
        for (size_t i = 0; i < q->check_count; i++)
            if (!strcmp(q->checks[i].what, "disk") && q->checks[i].grade == GRADE_FAIL) {
                CHECK(!strncmp(q->checks[i].found, "xvd", 3));
                CHECK(strstr(q->checks[i].note, "more than 128 disks") != NULL);
                left++;
            }
        CHECK_INT(left, EXTRA);
    }
    qualifier_free(qualifier);
    tree_end(&t);
    return check_result();
}
