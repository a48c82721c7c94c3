/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why something was not permitted, as text: root is never told to try as root. */
#include "base/machine/permission.h"

#include <linux/capability.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/check.h"

int main(void)
{
    char to[PERMISSION_BYTES];
    struct permission p = {.capabilities = UINT64_MAX};
    CHECK_STR(permission_remedy_of(&p, true, to), "try as root");
    p.root = true;
    CHECK(strstr(permission_remedy_of(&p, true, to), "device cgroup") != NULL);
    CHECK(strstr(permission_remedy_of(&p, false, to), "policy of this system") != NULL);
    snprintf(p.lockdown, sizeof p.lockdown, "integrity");
    CHECK_STR(permission_remedy_of(&p, false, to), "the kernel is locked down (integrity)");
    p.capabilities &= ~(UINT64_C(1) << CAP_SYS_ADMIN | UINT64_C(1) << CAP_SYS_RAWIO);
    CHECK_STR(permission_remedy_of(&p, true, to),
              "root lacks CAP_SYS_RAWIO, CAP_SYS_ADMIN here, as in a container");
    p.own_users = true;
    CHECK(strstr(permission_remedy_of(&p, true, to), "user namespace") != NULL);

    permission_read(&p);
    CHECK_INT(p.root, geteuid() == 0);
    CHECK_INT(!strcmp(permission_remedy("/dev/null", to), "try as root"), geteuid() != 0);
    return check_result();
}
