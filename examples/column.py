#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The library from Python: the mean of the numbers on standard input, through ctypes.

    cc -shared -o cupel.so -Wl,--whole-archive libcupel.a -Wl,--no-whole-archive -lm -pthread
    python3 column.py ./cupel.so <numbers
"""
import ctypes
import sys


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 480)]


class Result(ctypes.Structure):
    _fields_ = ([(name, ctypes.c_double) for name in
                 ("mean", "low", "high", "confidence", "next_low", "next_high", "width", "sd", "autocorrelation",
                  "effective_n", "required")]
                + [(name, ctypes.c_size_t) for name in ("readings", "stable_begin", "stable_end", "change_points")]
                + [("phase", ctypes.c_int), ("enough", ctypes.c_int)])


cupel = ctypes.CDLL(sys.argv[1])
cupel.cupel_session_new.restype = ctypes.c_void_p
error = Error()


def call(function, *arguments):
    if function(session, *arguments, ctypes.byref(error)) < 0:
        sys.exit(error.message.decode())


session = ctypes.c_void_p(cupel.cupel_session_new(ctypes.byref(error)))
call(cupel.cupel_metric, b"number", 0)
readings = [float(line) for line in sys.stdin]
call(cupel.cupel_push, 0, (ctypes.c_double * len(readings))(*readings), ctypes.c_size_t(len(readings)))
result = Result()
call(cupel.cupel_result, 0, ctypes.byref(result))
phase = ("flat", "warmup", "slowdown", "no_steady_state")[result.phase]
print(f"{result.mean:.12g} {result.low:.12g} {result.high:.12g} {result.effective_n:.12g} "
      f"{result.stable_begin} {result.stable_end} {phase}")
cupel.cupel_session_free(session)
