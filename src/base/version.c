/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version. build.sh passes it only to this file, so that a commit compiles nothing else
   again. */
#include "base/version.h"

const char cupel_version[] = CUPEL_VERSION;
const char cupel_licence[] = "GPL-3.0-or-later: free software, with no warranty of any kind";
