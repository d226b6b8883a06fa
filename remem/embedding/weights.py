"""Reads the weights of a model file: ONNX initialisers and safetensors, each by a small reader of its own. Tensors are
views of the file's bytes; nothing is computed and no graph is run."""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Tensors = dict[str, npt.NDArray[np.generic]]

# TensorProto.DataType, as far as weights use it; all are little-endian.
_ONNX_TYPES = {1: "<f4", 3: "<i1", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2"}
_SAFETENSORS_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I8": "<i1"}

_MODEL_GRAPH = 7
_GRAPH_INITIALIZER = 5
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_RAW = 1, 2, 8, 9
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class WeightsError(ValueError):
    """The file is not what it should be. The message says what is wrong with it, not where it lies."""


class _Field(NamedTuple):
    """A protobuf field: its number, and its value (a number, or start and end of its bytes)."""

    number: int
    value: int
    end: int


def map_file(path: Path) -> memoryview:
    """The bytes of a file, mapped for reading: pages are read when touched. Raises OSError, WeightsError."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            raise WeightsError("it is empty")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def read_onnx(data: memoryview) -> Tensors:
    """The initialisers of an ONNX model by name, in the order of the file. Raises WeightsError."""
    tensors: Tensors = {}
    try:
        for field in _read_fields(data, 0, len(data)):
            if field.number == _MODEL_GRAPH:
                for inner in _read_fields(data, field.value, field.end):
                    if inner.number == _GRAPH_INITIALIZER:
                        name, tensor = _read_tensor(data, inner)
                        tensors[name] = tensor
    except (IndexError, UnicodeDecodeError) as error:
        raise WeightsError("it is cut off or no ONNX model") from error
    if not tensors:
        raise WeightsError("it holds no weights")
    return tensors


def _read_tensor(data: memoryview, field: _Field) -> tuple[str, npt.NDArray[np.generic]]:
    name, kind, shape, raw = "", 0, [], (0, 0)
    for number, value, end in _read_fields(data, field.value, field.end):
        if number == _TENSOR_NAME:
            name = str(data[value:end], "utf-8")
        elif number == _TENSOR_TYPE:
            kind = value
        elif number == _TENSOR_DIMS:
            shape += list(_read_packed(data, value, end)) if end else [value]
        elif number == _TENSOR_RAW:
            raw = (value, end)
    if kind not in _ONNX_TYPES:
        raise WeightsError(f"tensor {name} has a type that is not known here ({kind})")
    return name, _view(data, raw, _ONNX_TYPES[kind], shape, name)


def _view(data: memoryview, span: tuple[int, int], kind: str, shape: list[int], name: str) -> npt.NDArray[np.generic]:
    try:
        return np.frombuffer(data[span[0] : span[1]], dtype=kind).reshape(shape)
    except ValueError as error:
        raise WeightsError(f"tensor {name} has another size than it says") from error


def _read_fields(data: memoryview, at: int, end: int) -> Iterator[_Field]:
    while at < end:
        tag, at = _read_varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, at = _read_varint(data, at)
            yield _Field(number, value, 0)
            continue
        if wire == _BYTES:
            size, at = _read_varint(data, at)
        elif wire in (_FIXED32, _FIXED64):
            size = 4 if wire == _FIXED32 else 8
        else:
            raise WeightsError("it is no ONNX model")
        if at + size > end:
            raise IndexError
        yield _Field(number, at, at + size)
        at += size


def _read_packed(data: memoryview, at: int, end: int) -> Iterator[int]:
    while at < end:
        value, at = _read_varint(data, at)
        yield value


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise WeightsError("it is no ONNX model")


def read_safetensors(data: memoryview) -> Tensors:
    """The tensors of a safetensors file by name; brain floats become float32. Raises WeightsError."""
    try:
        start = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(bytes(data[8:start])) if start <= len(data) else None
        if not isinstance(header, dict):
            raise WeightsError("it is cut off or no safetensors file")
        entries = {name: told for name, told in header.items() if name != "__metadata__"}
        return {name: _read_entry(data, start, name, told) for name, told in entries.items()}
    except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise WeightsError("its header cannot be read") from error


def _read_entry(data: memoryview, start: int, name: str, told: dict[str, object]) -> npt.NDArray[np.generic]:
    kind, shape, offsets = told["dtype"], told["shape"], told["data_offsets"]
    if not isinstance(shape, list) or not isinstance(offsets, list) or len(offsets) != 2:
        raise TypeError
    first, end = offsets
    if not 0 <= first <= end <= len(data) - start:
        raise WeightsError(f"tensor {name} lies beyond its end")
    if kind not in _SAFETENSORS_TYPES:
        raise WeightsError(f"tensor {name} has a type that is not known here ({kind})")
    tensor = _view(data, (start + first, start + end), _SAFETENSORS_TYPES[str(kind)], shape, name)
    if kind == "BF16":
        return (tensor.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return tensor
