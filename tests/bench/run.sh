#!/bin/sh
exec "$CUPEL_BENCH/null_loop"
