# SPDX-License-Identifier: GPL-3.0-or-later
"""A program on a pseudo terminal, and what its screen then shows.

Screen knows the few sequences that cupel writes. A terminal that is made narrower either wraps the lines that stand
there again (reflow: most of today's) or cuts them (xterm).
"""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

TOKEN = re.compile(r'\x1b\[([?\d;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)|(\x1b)')


class Screen:
    """Lines of the normal screen, unwrapped, and whether the terminal is as a shell wants it."""

    def __init__(self, columns=80, rows=24, reflow=True):
        self.columns, self.rows, self.reflow = columns, rows, reflow
        self.lines, self.row, self.at = [''], 0, 0
        self.alternate = False
        self.cursor_shown = True
        self.frames = []  # of the alternate screen: what was drawn between two returns to its corner
        self.unknown = []
        self.rest = ''  # of a sequence that was not whole yet

    def resize(self, columns, rows=24):
        self.columns, self.rows = columns, rows
        if not self.reflow:
            self.lines = [line[:columns] for line in self.lines]
            self.at = min(self.at, columns - 1)

    def _put(self, text):
        if self.alternate:
            self.frames[-1] += text
            return
        line = self.lines[self.row].ljust(self.at)
        self.lines[self.row] = line[:self.at] + text + line[self.at + len(text):]
        self.at += len(text)

    def feed(self, data):
        data = self.rest + data
        whole = re.search(r'\x1b(\[[?\d;]*)?$', data)
        self.rest = data[whole.start():] if whole else ''
        data = data[:whole.start()] if whole else data
        for found in TOKEN.finditer(data):
            arguments, final, control, text, lone = found.groups()
            if text:
                self._put(text)
            elif control and self.alternate:
                self.frames[-1] += control
            elif control == '\r':
                self.at -= self.at % self.columns
            elif control == '\n':
                self.row += 1
                self.at = 0
                if self.row == len(self.lines):
                    self.lines.append('')
            elif lone:
                self.unknown.append('a lone escape')
            else:
                self._sequence(arguments, final)

    def _sequence(self, arguments, final):
        if arguments == '?1049':
            self.alternate = final == 'h'
            if self.alternate:
                self.frames.append('')
        elif arguments == '?25':
            self.cursor_shown = final == 'h'
        elif arguments.startswith('?'):
            pass
        elif self.alternate:
            if final == 'H':
                self.frames.append('')
        elif final == 'J':
            self.lines[self.row] = self.lines[self.row][:self.at]
            del self.lines[self.row + 1:]
        elif final == 'K':
            end = self.at - self.at % self.columns + self.columns
            self.lines[self.row] = self.lines[self.row][:self.at] + self.lines[self.row][end:]
        elif final != 'm':
            self.unknown.append(arguments + final)

    def shown(self):
        return [line.rstrip() for line in self.lines if line.strip()]

    def is_sane(self):
        return not self.alternate and self.cursor_shown


class Run:
    """What a program wrote, piece by piece with its time, and how it ended."""

    def __init__(self, argv, columns=80, rows=24, events=(), environment=None, reflow=True, stdout=None, seconds=60,
                 is_job=False, until=None):
        """events: (seconds, function of this run), in order of time. is_job: below a process that stays, as below a
        shell, without which nothing can be stopped. until: it is interrupted when it has written what matches."""
        self.pieces, self.screen = [], Screen(columns, rows, reflow)
        began = time.monotonic()
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
            if is_job:
                self._become_job()
            if stdout:
                os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 1)
            os.execve(argv[0], argv, {**os.environ, 'TERM': 'xterm', **(environment or {})})
        events = list(events)
        decoder = codecs.getincrementaldecoder('utf-8')('replace')
        while time.monotonic() - began < seconds:
            if events and time.monotonic() - began >= events[0][0]:
                events.pop(0)[1](self)
            if not select.select([self.terminal], [], [], 0.005)[0]:
                continue
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                break
            if not data:
                break
            text = decoder.decode(data)
            self.pieces.append((time.monotonic() - began, text))
            self.screen.feed(text)
            if until and re.search(until, self.text()):
                until = None
                self.kill(signal.SIGINT)
        else:
            os.kill(self.process, signal.SIGKILL)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        os.close(self.terminal)

    def resize(self, columns, rows=24):
        self.screen.resize(columns, rows)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    @staticmethod
    def _become_job():
        job = os.fork()
        if job:
            os.waitpid(job, 0)
            os._exit(0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)

    def kill(self, number):
        os.kill(self.process, number)

    def kill_job(self, number):
        os.killpg(os.tcgetpgrp(self.terminal), number)

    def text(self):
        return ''.join(text for _, text in self.pieces)

    def progress(self):
        """The progress lines, in order."""
        return [line for line in re.split(r'[\r\n]+|\x1b\[J', self.text()) if line]
