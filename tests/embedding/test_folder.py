"""A model folder gives the vectors that its encoder has by plain arithmetic; any other folder is refused."""

from __future__ import annotations

import json
import math
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from remem.embedding.folder import FolderEmbedder
from remem.errors import EmbedderError
from remem.records import EmbedderOptions, Refusal

HIDDEN, HEADS, LAYERS, WIDE, POSITIONS = 24, 3, 2, 40, 20
ENTRIES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "key", "##s", "query", ":", "passage", *"abcdef"]
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": HIDDEN,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "max_position_embeddings": POSITIONS,
    "layer_norm_eps": 1e-12,
}
Tensors = dict[str, npt.NDArray[np.float32]]
Numbers = npt.NDArray[np.float64]


def make_tensors(seed: int = 1) -> Tensors:
    random = np.random.default_rng(seed)

    def make(*shape: int) -> npt.NDArray[np.float32]:
        return random.normal(0, 0.5, shape).astype(np.float32)

    tensors = {
        "embeddings.word_embeddings.weight": make(len(ENTRIES), HIDDEN),
        "embeddings.position_embeddings.weight": make(POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": make(2, HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            tensors[f"{layer}.attention.{name}.weight"] = make(HIDDEN, HIDDEN)
            tensors[f"{layer}.attention.{name}.bias"] = make(HIDDEN)
        tensors[f"{layer}.intermediate.dense.weight"] = make(WIDE, HIDDEN)
        tensors[f"{layer}.intermediate.dense.bias"] = make(WIDE)
        tensors[f"{layer}.output.dense.weight"] = make(HIDDEN, WIDE)
        tensors[f"{layer}.output.dense.bias"] = make(HIDDEN)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        tensors |= {f"{name}.weight": make(HIDDEN), f"{name}.bias": make(HIDDEN)}
    return tensors


def write_tensors(path: Path, tensors: Tensors) -> None:
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    told = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(told)) + told + data)


def write_folder(folder: Path, files: dict[str, object] | None = None, tensors: Tensors | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    write_tensors(folder / "model.safetensors", make_tensors() if tensors is None else tensors)
    (folder / "vocab.txt").write_text("\n".join(ENTRIES) + "\n", encoding="utf-8")
    for name, value in {"config.json": CONFIG, **(files or {})}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return folder


def open_folder(folder: Path, **options: Any) -> FolderEmbedder:
    return FolderEmbedder(folder, EmbedderOptions("folder", folder=str(folder), **options))


def embed(embedder: FolderEmbedder, *texts: str) -> npt.NDArray[np.float32]:
    return np.array(embedder.embed_passages(texts))


# --- the same by plain arithmetic -------------------------------------------------------------------------------------


def apply(tensors: Tensors, name: str, states: Numbers) -> Numbers:
    return np.asarray(states @ tensors[f"{name}.weight"].T.astype(float) + tensors[f"{name}.bias"])


def normalise(tensors: Tensors, name: str, states: Numbers) -> Numbers:
    centred = states - states.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
    return np.asarray(centred / spread * tensors[f"{name}.weight"] + tensors[f"{name}.bias"])


def run_plainly(tensors: Tensors, ids: list[int], pooling: str = "mean") -> Numbers:
    states = tensors["embeddings.word_embeddings.weight"][ids].astype(float)
    states = states + tensors["embeddings.position_embeddings.weight"][: len(ids)]
    states = normalise(tensors, "embeddings.LayerNorm", states + tensors["embeddings.token_type_embeddings.weight"][0])
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        query, key, value = (
            apply(tensors, f"{layer}.attention.self.{name}", states) for name in ("query", "key", "value")
        )
        seen = np.zeros_like(states)
        for head in range(HEADS):
            part = slice(head * HIDDEN // HEADS, (head + 1) * HIDDEN // HEADS)
            weights = np.exp(query[:, part] @ key[:, part].T / math.sqrt(HIDDEN / HEADS))
            seen[:, part] = weights / weights.sum(axis=1, keepdims=True) @ value[:, part]
        seen = apply(tensors, f"{layer}.attention.output.dense", seen)
        states = normalise(tensors, f"{layer}.attention.output.LayerNorm", states + seen)
        wide = apply(tensors, f"{layer}.intermediate.dense", states)
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        narrow = apply(tensors, f"{layer}.output.dense", wide)
        states = normalise(tensors, f"{layer}.output.LayerNorm", states + narrow)
    pooled = states[0] if pooling == "cls" else states.mean(axis=0)
    return np.asarray(pooled / np.linalg.norm(pooled))


# --- vectors ----------------------------------------------------------------------------------------------------------


def test_vectors_are_those_of_plain_arithmetic_for_texts_of_any_length_together(tmp_path: Path) -> None:
    texts = ["the keys", "a", "a b c d e f", "the key", "b", "the the the the the the the"]
    ids = [[2, 5, 6, 7, 3], [2, 11, 3], [2, *range(11, 17), 3], [2, 5, 6, 3], [2, 12, 3], [2, *[5] * 7, 3]]
    found = embed(open_folder(write_folder(tmp_path / "model")), *texts)
    expected = np.array([run_plainly(make_tensors(), text) for text in ids])
    assert np.abs(found - expected).max() < 1e-4


def test_pooling_by_the_first_token_is_followed(tmp_path: Path) -> None:
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False, "word_embedding_dimension": HIDDEN}
    embedder = open_folder(write_folder(tmp_path / "model", {"1_Pooling/config.json": pooling}))
    expected = run_plainly(make_tensors(), [2, 5, 6, 3], "cls")
    assert np.abs(embed(embedder, "the key")[0] - expected).max() < 1e-4


def test_tensors_under_the_name_of_the_model_are_found(tmp_path: Path) -> None:
    plain = open_folder(write_folder(tmp_path / "plain"))
    named = write_folder(tmp_path / "named", tensors={f"bert.{name}": value for name, value in make_tensors().items()})
    assert np.array_equal(embed(open_folder(named), "the key"), embed(plain, "the key"))


def test_long_texts_are_cut_where_the_model_ends(tmp_path: Path) -> None:
    embedder = open_folder(write_folder(tmp_path / "model", {"sentence_bert_config.json": {"max_seq_length": 8}}))
    long, cut = embed(embedder, "a b c d e f a b c", "a b c d e f")
    assert np.abs(long - cut).max() < 1e-6


def test_prefixes_are_those_of_the_settings_else_of_the_folder_else_of_the_e5_family(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "a ", "document": "b "}}
    plain = open_folder(write_folder(tmp_path / "plain"))
    (a, b, query, passage) = embed(plain, "a the", "b the", "query: the", "passage: the")

    def check(embedder: FolderEmbedder, of_query: object, of_passage: object) -> None:
        assert np.allclose(np.asarray(embedder.embed_queries(["the"])[0]), np.asarray(of_query), atol=1e-5)
        assert np.allclose(np.asarray(embedder.embed_passages(["the"])[0]), np.asarray(of_passage), atol=1e-5)

    prompted = write_folder(tmp_path / "prompted", {"config_sentence_transformers.json": prompts})
    check(open_folder(prompted), a, b)
    check(open_folder(prompted, query_prefix="b "), b, embed(plain, "the")[0])
    check(open_folder(write_folder(tmp_path / "tiny-e5")), query, passage)


def test_empty_texts_are_refused(tmp_path: Path) -> None:
    found = open_folder(write_folder(tmp_path / "model")).embed_queries([" ", "a"])
    assert [isinstance(item, Refusal) for item in found] == [True, False]


def test_the_fingerprint_follows_every_file_and_setting_and_not_the_place(tmp_path: Path) -> None:
    first = open_folder(write_folder(tmp_path / "model"), model="tiny")
    moved = open_folder(Path(shutil.copytree(tmp_path / "model", tmp_path / "moved")), model="tiny")
    assert first.fingerprint == moved.fingerprint
    assert first.fingerprint.startswith(f"tiny/{HIDDEN}/")
    others = [
        open_folder(write_folder(tmp_path / "a", tensors=make_tensors(seed=2)), model="tiny"),
        open_folder(tmp_path / "model", model="tiny", query_prefix="q"),
        open_folder(write_folder(tmp_path / "b", {"sentence_bert_config.json": {"max_seq_length": 8}}), model="tiny"),
        open_folder(write_folder(tmp_path / "c", {"tokenizer_config.json": {"do_lower_case": False}}), model="tiny"),
    ]
    assert len({first.fingerprint, *[other.fingerprint for other in others]}) == 5


def test_a_model_of_the_e5_family_links_from_a_higher_similarity(tmp_path: Path) -> None:
    assert open_folder(write_folder(tmp_path / "e5-tiny")).link_threshold == 0.92
    assert open_folder(write_folder(tmp_path / "tiny")).link_threshold == 0.70


# --- other folders ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"config.json": {**CONFIG, "model_type": "xlm-roberta"}}, "not that of a BERT encoder"),
        ({"config.json": {**CONFIG, "hidden_act": "relu"}}, "not that of a BERT encoder"),
        ({"config.json": {**CONFIG, "num_attention_heads": 5}}, "sizes that do not fit"),
        ({"config.json": {**CONFIG, "hidden_size": "24"}}, "sizes that do not fit"),
        ({"config.json": {**CONFIG, "layer_norm_eps": None}}, "sizes that do not fit"),
        ({"config.json": [1]}, "not a JSON object"),
        ({"1_Pooling/config.json": {"pooling_mode_max_tokens": True}}, "pooling other than mean or cls"),
        ({"sentence_bert_config.json": 7}, "not a JSON object"),
    ],
)
def test_a_model_that_cannot_be_run_is_refused_at_once(files: dict[str, object], reason: str, tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=reason):
        open_folder(write_folder(tmp_path / "model", files))


@pytest.mark.parametrize("name", ["config.json", "vocab.txt", "model.safetensors"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model")
    (folder / name).unlink()
    with pytest.raises(EmbedderError, match=rf"{name} cannot be read \(No such file"):
        open_folder(folder)


def test_another_width_than_the_settings_say_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=f"have {HIDDEN} dimensions"):
        open_folder(write_folder(tmp_path / "model"), dimensions=HIDDEN + 1)


def test_weights_that_do_not_fit_are_refused_when_read(tmp_path: Path) -> None:
    lacking, narrow = make_tensors(), make_tensors()
    del lacking["encoder.layer.1.output.dense.bias"]
    narrow["encoder.layer.1.output.dense.weight"] = narrow["encoder.layer.1.output.dense.weight"][:, :-1]
    short = make_tensors()
    short["embeddings.position_embeddings.weight"] = short["embeddings.position_embeddings.weight"][:-1]
    for tensors, reason in (
        (lacking, "lacks the tensor 'encoder.layer.1.output.dense.bias'"),
        (narrow, "does not fit config.json"),
        (short, "does not fit config.json"),
    ):
        with pytest.raises(EmbedderError, match=reason):
            open_folder(write_folder(tmp_path / "model", tensors=tensors)).embed_queries(["a"])


def test_damaged_weights_and_vocabularies_are_refused_when_read(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model")
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(EmbedderError, match=r"model\.safetensors cannot be used"):
        open_folder(folder).embed_queries(["a"])
    (write_folder(folder) / "vocab.txt").write_text("a\nb\n", encoding="utf-8")
    with pytest.raises(EmbedderError, match="no WordPiece vocabulary"):
        open_folder(folder).embed_queries(["a"])
    (folder / "vocab.txt").write_text("\n".join([*ENTRIES, "more"]) + "\n", encoding="utf-8")
    with pytest.raises(EmbedderError, match="more entries than the model"):
        open_folder(folder).embed_queries(["a"])
