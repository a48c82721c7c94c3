/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contains the version. build.sh passes it to this file only, so that after a commit no other file
   is compiled again. */
#include "base/version.h"

const char cupel_version[] = CUPEL_VERSION;
const char cupel_licence[] = "GPL-3.0-or-later: free software, with no warranty of any kind";
