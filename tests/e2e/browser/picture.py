# SPDX-License-Identifier: GPL-3.0-or-later
"""Screenshots, and whether two look alike: as coarse grids of grey, in which another font or another smoothing of lines
changes little, and a line that is missing much."""

import os
import struct
import zlib

LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
FAR = 2  # levels between two cells that are not alike
UNLIKE = .02  # the share of such cells in two pictures that are


def rows_of(png):
    """The rows of an 8-bit RGB or RGBA picture, as bytes, and the bytes of one dot."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        chunk = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert depth == 8 and colours in (2, 6) and not interlaced
        elif kind == b"IDAT":
            data += chunk
        at += length + 12
    step = 3 if colours == 2 else 4
    data, stride, above, rows = zlib.decompress(data), width * step, bytearray(width * step), []
    for y in range(height):
        kind, row = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        unfilter(kind, row, above, step)
        rows.append(bytes(row))
        above = row
    return rows, step


def unfilter(kind, row, above, step):
    if kind == 2:
        row[:] = bytes((a + b) & 255 for a, b in zip(row, above))
    elif kind:
        for i in range(len(row)):
            left, up, corner = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            if kind == 1:
                guess = left
            elif kind == 3:
                guess = (left + up) // 2
            else:
                to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                guess = left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
            row[i] = (row[i] + guess) & 255


def grid_of(png, columns, lines):
    """Lines of text with a letter for the mean grey of each cell."""
    rows, step = rows_of(png)
    width, height, grid = len(rows[0]) // step, len(rows), []
    for line in range(lines):
        part = rows[line * height // lines:(line + 1) * height // lines]
        letters = ""
        for column in range(columns):
            begin, end = (c * width // columns * step for c in (column, column + 1))
            cell = [row[begin:end] for row in part]
            red, green, blue = (sum(sum(row[c::step]) for row in cell) for c in range(3))
            dots = len(cell) * (end - begin) // step
            letters += LEVELS[int((.299 * red + .587 * green + .114 * blue) / dots / 256 * len(LEVELS))]
        grid.append(letters)
    return grid


def unlike(one, other):
    """The share of cells that are far apart; 1 for grids of two sizes."""
    if [len(line) for line in one] != [len(line) for line in other]:
        return 1
    pairs = [(a, b) for x, y in zip(one, other) for a, b in zip(x, y)]
    return sum(abs(LEVELS.index(a) - LEVELS.index(b)) > FAR for a, b in pairs) / len(pairs)


def compare(png, path, columns, lines):
    """None, or how the picture differs from the known good one in the file; CUPEL_GOLDEN=write makes it the known good one."""
    grid = grid_of(png, columns, lines)
    if os.environ.get("CUPEL_GOLDEN") == "write":
        with open(path, "w") as file:
            file.write("\n".join(grid) + "\n")
        return None
    with open(path) as file:
        share = unlike(grid, file.read().split())
    return f"{share:.1%} of its cells are unlike {path}; now it is\n" + "\n".join(grid) if share > UNLIKE else None
