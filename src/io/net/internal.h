/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/io/net share. */
#ifndef CUPEL_IO_NET_INTERNAL_H
#define CUPEL_IO_NET_INTERNAL_H

#include "base/err.h"
#include "io/io.h"
#include "io/net/address.h"

/*
 * Connects to setup->peer. When this returns, the cupel serve there has accepted the session.
 * Returns the descriptor, which the caller closes; *far is the address. -1 with ERR_TARGET when
 * there is no such server.
 */
int net_connect(const struct io_setup *setup, const struct net_address **far, struct err *e);

#endif
