"""Model files are read by small readers that take the real ones and refuse every damaged one."""

from __future__ import annotations

import contextlib
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.embedding.minilm import find_weights
from remem.embedding.weights import WeightsError, map_file, read_onnx, read_safetensors


def make_varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def make_field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return make_varint(number << 3) + make_varint(value)
    return make_varint(number << 3 | 2) + make_varint(len(value)) + value


def make_onnx(name: str, kind: int, shape: list[int], raw: bytes, *, packed: bool = False) -> bytes:
    dims = make_field(1, b"".join(map(make_varint, shape))) if packed else b"".join(make_field(1, n) for n in shape)
    tensor = dims + make_field(2, kind) + make_field(8, name.encode()) + make_field(9, raw)
    fixed = make_varint(99 << 3 | 5) + b"1234" + make_varint(98 << 3 | 1) + b"12345678"
    return make_field(1, 10) + fixed + make_field(7, make_field(2, b"graph") + make_field(5, tensor))


def make_safetensors(header: object, data: bytes = b"") -> memoryview:
    told = json.dumps(header).encode()
    return memoryview(struct.pack("<Q", len(told)) + told + data)


def test_the_weights_of_the_default_model_are_all_found_where_they_lie() -> None:
    tensors = read_onnx(map_file(find_weights()))
    words = tensors["inner.embeddings.word_embeddings.weight_q"]
    assert words.shape == (30522, 384)
    assert words.dtype == np.dtype(np.int8)
    assert not words.flags.owndata
    assert sum(name.startswith("val_") and name.endswith("_q") for name in tensors) == 36


@pytest.mark.parametrize("packed", [False, True])
def test_a_tensor_has_the_shape_type_and_numbers_that_were_written(packed: bool) -> None:
    written = np.arange(300, dtype="<f4").reshape(2, 150)
    tensors = read_onnx(memoryview(make_onnx("weight", 1, [2, 150], written.tobytes(), packed=packed)))
    assert list(tensors) == ["weight"]
    assert np.array_equal(tensors["weight"], written)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (make_onnx("w", 1, [3], b"\0" * 8), "another size"),
        (make_onnx("w", 99, [2], b"\0" * 8), "type that is not known"),
        (make_onnx("w", 1, [2], b"\0" * 8)[:-3], "cut off"),
        (make_field(1, 10), "no weights"),
        (b"\xff" * 20, "no ONNX model"),
        (b"not a model at all", "cut off|no ONNX model|no weights"),
    ],
)
def test_a_damaged_onnx_file_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(WeightsError, match=reason):
        read_onnx(memoryview(data))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for read in (read_onnx, read_safetensors):
        with contextlib.suppress(WeightsError):
            read(memoryview(data))


@given(st.integers(0, 400), st.binary(min_size=1, max_size=4))
def test_an_onnx_file_with_other_bytes_anywhere_is_read_or_refused(place: int, other: bytes) -> None:
    data = bytearray(make_onnx("weight", 1, [8, 8], b"\1" * 256))
    data[place : place + len(other)] = other
    with contextlib.suppress(WeightsError):
        read_onnx(memoryview(bytes(data)))


def test_safetensors_of_each_type_are_read() -> None:
    data = struct.pack("<2f", 1.5, -2.0) + struct.pack("<2e", 0.5, 4.0) + struct.pack("<2H", 0x3F80, 0xC000)
    header = {
        "__metadata__": {"format": "pt"},
        "single": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "half": {"dtype": "F16", "shape": [2, 1], "data_offsets": [8, 12]},
        "brain": {"dtype": "BF16", "shape": [2], "data_offsets": [12, 16]},
    }
    tensors = read_safetensors(make_safetensors(header, data))
    assert tensors["single"].tolist() == [1.5, -2.0]
    assert tensors["half"].tolist() == [[0.5], [4.0]]
    assert tensors["brain"].tolist() == [1.0, -2.0]


@pytest.mark.parametrize(
    "header",
    [
        [],
        {"w": 5},
        {"w": {}},
        {"w": {"dtype": "F32", "shape": [9], "data_offsets": [0, 4]}},
        {"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 400]}},
        {"w": {"dtype": "F32", "shape": ["1"], "data_offsets": [0, 4]}},
        {"w": {"dtype": "F32", "shape": [1], "data_offsets": ["0", 4]}},
        {"w": {"dtype": "F32", "shape": [-2, -2], "data_offsets": [0, 4]}},
        {"w": {"dtype": "Q4", "shape": [1], "data_offsets": [0, 4]}},
        {"w": {"dtype": ["F32"], "shape": [1], "data_offsets": [0, 4]}},
    ],
    ids=repr,
)
def test_a_damaged_safetensors_file_is_refused(header: object) -> None:
    with pytest.raises(WeightsError):
        read_safetensors(make_safetensors(header, b"\0" * 4))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(WeightsError, match="empty"):
        map_file(tmp_path / "empty")
