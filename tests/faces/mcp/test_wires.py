"""The two ends of the stdio protocol, whatever they lead to: lines come whole and in order; nothing waits for them."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.faces.mcp.wires import LineReader, LineWriter
from tests.guard import guard_hang

TEXTS = [
    b"",
    b"a",
    b"\n",
    b"\n\nabc",
    b"abc\n",
    b"a\nb\nc",
    b"a\n\nb\n",
    b"x" * 70_000 + b"\ny",
    b"\r\n\n\xff\n",
    b"end\n\n",
]


def split_text(text: bytes) -> list[bytes]:
    """The lines that are not empty."""
    return [line for line in text.split(b"\n") if line]


async def read_all(descriptor: int) -> list[bytes]:
    """What a reader delivers until the end."""
    found: list[bytes] = []

    async def deliver(lines: list[bytes]) -> None:
        await asyncio.sleep(0)
        found.extend(line for line in lines if line)

    reader = LineReader(descriptor, deliver)
    reader.start()
    await reader.ended.wait()
    return found


def open_pipe() -> tuple[int, int]:
    return os.pipe()


def open_sockets() -> tuple[int, int]:
    one, two = socket.socketpair()
    return one.detach(), two.detach()


def send_pieces(descriptor: int, text: bytes, seed: int) -> None:
    chance = random.Random(seed)
    while text:
        size = chance.choice((1, 3, 10, 5000, 100_000))
        os.write(descriptor, text[:size])
        text = text[size:]
    os.close(descriptor)


@pytest.mark.parametrize("make", [open_pipe, open_sockets])
@pytest.mark.parametrize("seed", range(len(TEXTS)))
def test_lines_come_whole_and_in_order(make: Callable[[], tuple[int, int]], seed: int) -> None:
    text = TEXTS[seed] + b"".join(random.Random(seed).choices(TEXTS, k=5))
    incoming, outgoing = make()
    sender = threading.Thread(target=send_pieces, args=(outgoing, text, seed))
    with guard_hang("reading"):
        sender.start()
        assert asyncio.run(read_all(incoming)) == split_text(text)
        sender.join()
    os.close(incoming)


@pytest.mark.parametrize("text", TEXTS)
def test_a_file_is_read_too(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "input").write_bytes(text)
    descriptor = os.open(tmp_path / "input", os.O_RDONLY)
    with guard_hang("reading"):
        assert asyncio.run(read_all(descriptor)) == split_text(text)
    os.close(descriptor)


@pytest.mark.parametrize("make", [open_pipe, open_sockets])
def test_lines_go_out_in_order_while_the_loop_goes_on_though_nobody_reads_yet(
    make: Callable[[], tuple[int, int]],
) -> None:
    lines = [bytes([65 + number % 26]) * size for number, size in enumerate((10, 300_000, 5, 70_000, 1, 0, 65_535, 3))]
    incoming, outgoing = make()

    async def run() -> None:
        writer = LineWriter(outgoing)
        writer.start()
        tasks = [asyncio.ensure_future(writer.write(line)) for line in lines]
        await asyncio.sleep(0.05)
        assert not all(task.done() for task in tasks)  # the loop has not waited for who does not read
        got = await asyncio.to_thread(read_exactly, incoming, sum(len(line) + 1 for line in lines))
        await asyncio.gather(*tasks)
        assert got == b"".join(line + b"\n" for line in lines)
        await writer.write(b"last")
        assert os.read(incoming, 100) == b"last\n"

    with guard_hang("writing"):
        asyncio.run(run())
    os.close(incoming)
    os.close(outgoing)


def read_exactly(descriptor: int, size: int) -> bytes:
    found = b""
    while len(found) < size:
        found += os.read(descriptor, 1 << 16)
    return found


@pytest.mark.parametrize("size", [10, 200_000])
@pytest.mark.parametrize("make", [open_pipe, open_sockets])
def test_it_is_known_when_nobody_reads_any_more(make: Callable[[], tuple[int, int]], size: int) -> None:
    incoming, outgoing = make()

    async def run() -> None:
        writer = LineWriter(outgoing)
        writer.start()
        os.close(incoming)
        await writer.write(b"x" * size)
        await writer.broken.wait()
        await writer.write(b"more")

    with guard_hang("writing"):
        asyncio.run(run())
    os.close(outgoing)
