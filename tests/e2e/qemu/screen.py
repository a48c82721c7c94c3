#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands on a screen of QEMU's, from its screendump (PPM): text, large letters, colours.

    screen.py SCREENS LETTERS COLOUR ROWS [LEARN.ppm=SERIAL ...]

SCREENS is NAME.ppm=SERIAL, where SERIAL is a file with what the serial line got: its last page, which was drawn by the
same program for 80 columns and 24 rows. The console's font is nobody's secret but no file here either: a glyph is
learned where a page is the same on both, and then every further cell has to agree, in both directions: one glyph a
character, one character a glyph. LETTERS is a golden file whose last rows are the large letters, COLOUR what they must have, ROWS how many rows the screen must have. COLOUR "pager": a page of the pager in place of the verdict.

"""
import re
import sys

COLOURS = {'red': (255, 85, 85), 'yellow': (255, 255, 85), 'green': (85, 255, 85)}
UNKNOWN = '\ufffd'
CLEAR = '\x1b[2J\x1b[H'
faults = []


def fault(words):
    faults.append(words)
    print('screen.py:', words)


class Screen:
    """The cells of a screendump: 9x16 pixels in VGA's text mode, 8x16 on a framebuffer."""

    def __init__(self, path):
        with open(path, 'rb') as f:
            data = f.read()
        kind, width, height, most = data.split(None, 4)[:4]
        assert (kind, most) == (b'P6', b'255'), path
        self.width, self.height = int(width), int(height)
        self.pixels = data[-self.width * self.height * 3:]
        self.cell = 9 if self.width == 720 else 8
        self.columns, self.rows = self.width // self.cell, self.height // 16

    def colours(self, column, row):
        """The pixels of a cell, as a tuple of 16 strings of bytes."""
        lines = []
        for y in range(row * 16, row * 16 + 16):
            at = (y * self.width + column * self.cell) * 3
            lines.append(self.pixels[at:at + self.cell * 3])
        return lines

    def glyph(self, column, row):
        """Which of its first 8 x 16 pixels are lit."""
        return tuple(tuple(any(line[x * 3:x * 3 + 3]) for x in range(8)) for line in self.colours(column, row))

    def solid(self, column, row):
        """The one colour of a cell that is filled by it, or None."""
        pixels = b''.join(self.colours(column, row))
        colour = pixels[:3]
        return tuple(colour) if any(colour) and pixels == colour * (len(pixels) // 3) else None


class Font:
    def __init__(self):
        self.characters, self.glyphs = {}, {}

    def learn(self, screen, row, text):
        """The row shows that text and nothing after it but the cursor."""
        for column in range(screen.columns):
            character = text[column] if column < len(text) else ' '
            glyph = screen.glyph(column, row)
            if column in (len(text), len(text) + 1):  # a blank at the end of a line is not known
                continue
            if self.characters.setdefault(glyph, character) != character or \
                    self.glyphs.setdefault(character, glyph) != glyph:
                fault('row %d, column %d is not "%s" of "%s"' % (row + 1, column + 1, character, text))
                return

    def read(self, screen, row):
        text = ''.join(self.characters.get(screen.glyph(c, row), UNKNOWN) for c in range(screen.columns))
        return text.rstrip()


def serial_rows(path):
    """The lines of the last page on the serial line, without colours."""
    with open(path, 'rb') as f:
        page = f.read().decode('latin-1').replace('\r', '').split(CLEAR)[-1]
    return [line.rstrip() for line in re.sub('\x1b\\[[0-9;]*[mK]', '', page).split('\n')]


def is_colour(pixel, name):
    """As well as a screen's six or eight bits a part can show it."""
    return all(abs(a - b) <= 4 for a, b in zip(pixel, COLOURS[name]))


def is_letters(line):
    return '#' in line and not line.strip('# \n')


def check_verdict(screen, font, serial, letters, colour, rows):
    """The verdict's screen: its text is the serial line's; the letters are the last but the prompt."""
    height = len(letters)
    if screen.rows != rows:
        fault('%d rows instead of %d' % (screen.rows, rows))
    begin = screen.rows - 1 - height
    for row in range(screen.rows):
        expected = letters[row - begin] if begin <= row < screen.rows - 1 else ''
        for column in range(screen.columns):
            solid = screen.solid(column, row)
            wanted = column < len(expected) and expected[column] == '#'
            if wanted != (solid is not None) or (wanted and not is_colour(solid, colour)):
                fault('row %d, column %d is %s' % (row + 1, column + 1, solid or 'no block'))
                return
        if any(b''.join(screen.colours(screen.columns - 1, row))):
            fault('row %d has something in the last column' % (row + 1))
    text = [line for line in serial if line and not is_letters(line)]
    font.learn(screen, 0, text[0])  # the verdict in words is the first row
    font.learn(screen, screen.rows - 1, text[-1])  # what the next key does, the last
    shown = [font.read(screen, row) for row in range(begin)] + [text[-1]]
    check_text([line for line in shown if line], text, screen.columns)


def check_pager(screen, font, serial):
    """A page of a long text: every row is used, and the last one is that of the serial line."""
    font.learn(screen, screen.rows - 1, [line for line in serial if line][-1])
    blank = [row + 1 for row in range(screen.rows) if not any(map(any, screen.glyph(0, row))) and
             not any(any(map(any, screen.glyph(column, row))) for column in range(screen.columns))]
    if blank:
        fault('rows %s of %d are empty' % (blank, screen.rows))


def check_text(shown, text, columns):
    """Word for word, however the lines are broken, where glyphs are known: four fifths of them and more."""
    shown, text = ' '.join(shown).split(), ' '.join(text).split()
    known = sum(c != UNKNOWN for word in shown for c in word)
    if known < 0.8 * sum(map(len, shown)):
        fault('only %d characters are known: %s' % (known, ' '.join(shown)))
    rest = iter(shown)
    found = all(any(same(word, other) for word in rest) for other in text)
    if not found or (columns <= 80 and len(shown) != len(text)):  # a wider one has room for more
        fault('the screen shows "%s", the serial line "%s"' % (' '.join(shown), ' '.join(text)))


def same(word, other):
    return len(word) == len(other) and all(a in (b, UNKNOWN) for a, b in zip(word, other))


def main(target, golden, colour, rows, *known):
    font = Font()
    for pair in known:
        ppm, path = pair.split('=')
        screen, lines = Screen(ppm), serial_rows(path)
        for row, line in enumerate(lines):
            font.learn(screen, row, line)
    ppm, path = target.split('=')
    if colour == 'pager':
        check_pager(Screen(ppm), font, serial_rows(path))
        sys.exit(1 if faults else 0)
    with open(golden) as f:
        letters = [line.rstrip('\n') for line in f if is_letters(line)]
    check_verdict(Screen(ppm), font, serial_rows(path), letters, colour, int(rows))
    sys.exit(1 if faults else 0)


main(*sys.argv[1:])
