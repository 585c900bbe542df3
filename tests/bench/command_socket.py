# SPDX-License-Identifier: GPL-3.0-or-later
"""Just enough of the command protocol to list and upgrade workers: 8-byte little-endian length that includes itself, then proto2."""
import socket
import struct


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def fields(data):
    """(number, value) of each field; value is an int or bytes."""
    at = 0

    def read_varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = read_varint()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, read_varint()
        elif kind == 2:
            size = read_varint()
            yield tag >> 3, data[at:at + size]
            at += size
        elif kind == 1:
            yield tag >> 3, data[at:at + 8]
            at += 8
        else:
            yield tag >> 3, data[at:at + 4]
            at += 4


class CommandSocket:
    def __init__(self, path):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(30)
        self.link.connect(str(path))

    def close(self):
        self.link.close()

    def _read(self, count):
        data = b""
        while len(data) < count:
            piece = self.link.recv(count - len(data))
            if not piece:
                raise ConnectionError("the agent closed the command socket")
            data += piece
        return data

    def ask(self, payload, until=lambda status, answer: status != 1):
        """Sends a request, reads answers until one satisfies `until`: (status 0 OK, 1 PROCESSING, 2 FAILURE; fields)."""
        self.link.sendall(struct.pack("<Q", len(payload) + 8) + payload)
        while True:
            size = struct.unpack("<Q", self._read(8))[0]
            answer = dict(fields(self._read(size - 8)))
            status = answer.get(1, 0)
            if until(status, answer):
                return status, answer

    def running_workers(self):
        _, answer = self.ask(b"\x22\x00")
        ids = []
        for number, workers in fields(answer.get(3, b"")):
            if number != 1:
                continue
            for _, worker in fields(workers):
                info = dict(fields(worker))
                if info.get(3, 0) == 0:
                    ids.append(info[1])
        return sorted(ids)

    def upgrade(self, worker):
        """Waits for the end of the upgrade; (worked, message)."""
        status, answer = self.ask(b"\x48" + varint(worker))
        return status == 0, answer.get(2, b"").decode()
