/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/io/net share. */
#ifndef CUPEL_IO_NET_INTERNAL_H
#define CUPEL_IO_NET_INTERNAL_H

#include "base/err.h"
#include "io/io.h"
#include "io/net/address.h"

/*
 * A connection to setup->peer at which cupel serve has accepted the session; *far is its address.
 * The caller closes it. -1, ERR_TARGET: there is none.
 */
int net_connect(const struct io_setup *setup, const struct net_address **far, struct err *e);

#endif
