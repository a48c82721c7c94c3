# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a run (src/run/record/record.h) with its measured round many times as long: what that round has again
and again, at later times.

lengthen.py FROM TO TIMES
"""

import struct
import sys

TABLE = []
for entry in range(256):
    for _ in range(8):
        entry = entry >> 1 ^ (0x82f63b78 if entry & 1 else 0)
    TABLE.append(entry)


def crc32c(seed, data):
    crc = ~seed & 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return ~crc & 0xffffffff


def numbers(data, at=0):
    """LEB128."""
    found, value, shift = [], 0, 0
    for byte in data[at:]:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value = shift = 0
    return found


def written(values):
    data = bytearray()
    for value in values:
        while value > 127:
            data.append(value & 127 | 128)
            value >>= 7
        data.append(value)
    return bytes(data)


def chunks_of(record):
    at = 24
    while at < len(record):
        kind, length = struct.unpack("<4sI", record[at:at + 8])
        yield kind, record[at + 12:at + 12 + length]
        at += length + 16


def time_of(sample):
    return numbers(sample[:10])[0]


def later(kind, payload, by):
    """A sample of the machine begins with its time; batches follow each other at once."""
    if kind != b"SMPL":
        return payload
    return written([time_of(payload) + by]) + payload[len(written([time_of(payload)])):]


def lengthened(chunks, times):
    begin = max(i for i, (kind, _) in enumerate(chunks) if kind == b"RBEG")
    end = next(i for i in range(begin, len(chunks)) if chunks[i][0] == b"REND")
    again = [c for c in chunks[begin + 1:end] if c[0] != b"WHEN"]
    length, *totals = numbers(chunks[end][1])
    samples = [time_of(payload) for kind, payload in again if kind == b"SMPL"]
    period = max(length, 2 * samples[-1] - samples[-2] - samples[0])
    yield from chunks[:end]
    for time in range(1, times):
        for kind, payload in again:
            yield kind, later(kind, payload, time * period)
    yield b"REND", written([times * length] + [total * times for total in totals])
    for kind, payload in chunks[end + 1:]:
        if kind == b"DONE":
            elapsed = numbers(payload[1:11])[0]
            payload = payload[:1] + written([elapsed + (times - 1) * length]) + payload[1 + len(written([elapsed])):]
        if kind != b"LAST":
            yield kind, payload


def main(source, to, times):
    with open(source, "rb") as file:
        record = file.read()
    seed, checksums, counts = struct.unpack("<I", record[20:24])[0], b"", {}
    with open(to, "wb") as file:
        file.write(record[:24])

        def write(number, kind, payload):
            chunk = struct.pack("<4sII", kind, len(payload), number) + payload
            checksum = struct.pack("<I", crc32c(seed, chunk))
            file.write(chunk + checksum)
            return checksum

        for number, (kind, payload) in enumerate(lengthened(list(chunks_of(record)), int(times))):
            checksums += write(number, kind, payload)
            counts[kind] = counts.get(kind, 0) + 1
        last = written([number + 1]) + struct.pack("<I", crc32c(0, checksums))
        write(number + 1, b"LAST", last + b"".join(kind + written([count]) for kind, count in counts.items()))


main(*sys.argv[1:])
