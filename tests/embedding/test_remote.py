"""Embedders behind HTTP against real services on loopback: good, slow, broken, lying."""

from __future__ import annotations

import math
import socket
import threading
import time
from typing import Any

import numpy as np
import pytest

from remem.embedding import endpoint
from remem.embedding.base import Embedder
from remem.embedding.endpoint import Endpoint, parse_wait
from remem.embedding.remote import RemoteEmbedder, open_remote
from remem.errors import ConfigError, EmbedderError
from remem.records import EmbedderOptions, Refusal
from tests.embedding.server import (
    Service,
    answer_json,
    make_vector,
    reply_ollama,
    reply_openai,
    reply_status,
    reply_vectors,
    serve,
)
from tests.guard import HANG_SECONDS, guard_hang

KEY = "sk-very-secret"
TEXT = "what a note says"


def open_embedder(service: Service | str, waits: list[float] | None = None, **changes: Any) -> RemoteEmbedder:
    options = EmbedderOptions(
        **{
            "provider": "openai",
            "url": service if isinstance(service, str) else f"{service.url}/v1/",
            "model": "small-model",
            "api_key": KEY,
            "dimensions": 3,
            "retries": 2,
            "read_timeout": HANG_SECONDS,
            **changes,
        }
    )
    return open_remote(options, pause=([] if waits is None else waits).append)


def fail(embedder: RemoteEmbedder) -> EmbedderError:
    with pytest.raises(EmbedderError) as caught:
        embedder.embed_passages([TEXT])
    told = f"{caught.value.message} {caught.value.facts} {caught.value.__cause__} {caught.value.__context__!r}"
    assert KEY not in told
    assert TEXT not in told
    assert caught.value.facts["model"] == "small-model"
    assert str(caught.value.facts["endpoint"]) in caught.value.message
    assert "small-model" in caught.value.message
    return caught.value


# --- good services ----------------------------------------------------------------------------------------------------


def test_an_openai_service_gets_model_texts_and_key_and_its_answer_is_put_in_order() -> None:
    with serve(reply_openai) as service:
        texts = ["first", "second text", "third"]
        found = open_embedder(service).embed_passages(texts)
    (request,) = service.requests
    assert (request.path, request.key) == ("/v1/embeddings", f"Bearer {KEY}")
    assert request.body == {"model": "small-model", "input": texts, "encoding_format": "float", "dimensions": 3}
    for vector, text in zip(found, texts, strict=True):
        expected = np.array(make_vector(text))
        assert np.allclose(np.asarray(vector), expected / np.linalg.norm(expected))


def test_an_ollama_service_is_asked_its_own_way_and_without_a_key() -> None:
    with serve(reply_ollama) as service:
        embedder = open_embedder(service.url, provider="ollama", api_key="", dimensions=0)
        assert embedder.dimensions == 3
        assert not isinstance(embedder.embed_queries(["text"])[0], Refusal)
    assert [(request.path, request.key) for request in service.requests] == [("/api/embed", None)] * 2
    assert service.requests[1].body == {"model": "small-model", "input": ["text"], "truncate": True}


def test_texts_go_out_in_batches_and_empty_ones_not_at_all() -> None:
    with serve(reply_openai) as service:
        found = open_embedder(service, batch_size=2).embed_passages(["a", "", "b", " ", "c", "d", "e"])
    assert [request.body["input"] for request in service.requests] == [["a", "b"], ["c", "d"], ["e"]]
    assert [place for place, item in enumerate(found) if isinstance(item, Refusal)] == [1, 3]


def test_nothing_is_sent_where_there_is_nothing_to_embed() -> None:
    with serve(reply_openai) as service:
        assert (
            open_embedder(service, dimensions=0).embed_passages(["", "\n"]) == [Refusal("the text is empty", False)] * 2
        )
    assert service.requests == []


def test_prefixes_stand_before_texts_of_each_kind() -> None:
    with serve(reply_openai) as service:
        embedder = open_embedder(service, query_prefix="query: ", passage_prefix="passage: ")
        embedder.embed_queries(["a"])
        embedder.embed_passages(["b", ""])
    assert [request.body["input"] for request in service.requests] == [["query: a"], ["passage: b"]]


def test_the_width_is_asked_once_where_it_is_not_set() -> None:
    with serve(reply_openai) as service:
        embedder = open_embedder(service, dimensions=0)
        assert (embedder.dimensions, embedder.dimensions) == (3, 3)
        assert embedder.fingerprint.startswith("small-model/3/")
    assert len(service.requests) == 1
    assert "dimensions" not in service.requests[0].body


def test_the_fingerprint_depends_on_model_width_and_prefixes_and_not_on_the_place() -> None:
    def make(url: str = "http://127.0.0.1:1", **changes: Any) -> str:
        return open_embedder(url, **changes).fingerprint

    assert make() == make("http://127.0.0.1:2/v1", batch_size=7, api_key="other")
    assert (
        len({make(), make(model="other"), make(dimensions=4), make(query_prefix="q: "), make(passage_prefix="p: ")})
        == 5
    )


def test_it_is_an_embedder_whose_threshold_follows_the_name() -> None:
    embedder: Embedder = open_embedder("http://127.0.0.1:1", model="intfloat/e5-base")
    assert (embedder.name, embedder.link_threshold) == ("intfloat/e5-base", 0.92)


def test_half_a_surrogate_pair_is_sent_as_a_question_mark() -> None:
    with serve(reply_openai) as service:
        open_embedder(service).embed_passages(["a\ud800b"])
    assert service.requests[0].body["input"] == ["a?b"]


# --- single items -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [[math.nan, 1.0, 1.0], [math.inf, 1.0, 1.0], [], [1.0, 2.0], [0.0, 0.0, 0.0], None, ["1", "2", "3"], "text", 5],
    ids=repr,
)
def test_one_bad_vector_is_refused_alone_and_worth_another_attempt(bad: object) -> None:
    with serve(reply_vectors([1.0, 0.0, 0.0], bad, [0.0, 2.0, 0.0])) as service:
        first, second, third = open_embedder(service).embed_passages(["a", "b", "c"])
    assert isinstance(second, Refusal)
    assert second.retry
    assert np.asarray(first).tolist() == [1.0, 0.0, 0.0]
    assert np.asarray(third).tolist() == [0.0, 1.0, 0.0]


def test_a_service_whose_trial_answer_is_no_vector_has_no_width() -> None:
    for bad in ([], [math.nan], None, [0.0, 0.0]):
        with serve(reply_vectors(bad)) as service:
            assert "trial holds no vector" in fail(open_embedder(service, dimensions=0)).message


def test_items_without_a_usable_index_count_in_their_order() -> None:
    def reply(request: object) -> tuple[int, dict[str, str], bytes]:
        return answer_json({"data": [{"embedding": [1, 0, 0], "index": 5}, {"embedding": [0, 1, 0]}]})

    with serve(reply) as service:
        first, second = open_embedder(service).embed_passages(["a", "b"])
    assert (np.asarray(first).tolist(), np.asarray(second).tolist()) == ([1, 0, 0], [0, 1, 0])


# --- whole answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (answer_json({"data": []}), "0 vectors for 1 texts"),
        (answer_json({"data": [{"embedding": [1, 2, 3]}] * 2}), "2 vectors for 1 texts"),
        (answer_json({"data": "none"}), "0 vectors for 1 texts"),
        (answer_json([1, 2]), "0 vectors for 1 texts"),
        (answer_json(None), "0 vectors for 1 texts"),
        ((200, {}, b"<html>"), "not JSON"),
        ((200, {}, b""), "not JSON"),
        ((200, {}, b"\xff\xfe"), "not JSON"),
        ((200, {}, b"[" * 100_000), "not JSON"),
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), "answered 302: redirects are not followed"),
    ],
)
def test_an_answer_that_is_none_fails_at_once(answer: tuple[int, dict[str, str], bytes], reason: str) -> None:
    with serve(lambda request: answer) as service:
        assert reason in fail(open_embedder(service)).message
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("status", "reason"),
    [(400, "the request was refused"), (401, "the key is missing or wrong"), (403, "may not"), (404, "no such model")],
)
def test_a_refusal_is_not_repeated_and_its_body_is_not_told(status: int, reason: str) -> None:
    with serve(reply_status(status)) as service:
        assert f"answered {status}: " in (message := fail(open_embedder(service)).message)
    assert reason in message
    assert len(service.requests) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again_with_growing_waits(status: int) -> None:
    waits: list[float] = []
    with serve(reply_status(status), reply_status(status), reply_openai) as service:
        assert not isinstance(open_embedder(service, waits).embed_passages([TEXT])[0], Refusal)
    assert waits == [0.5, 1.0]
    with serve(reply_status(status)) as service:
        assert f"it answered {status}" in fail(open_embedder(service)).message
    assert len(service.requests) == 3


def test_the_wait_that_a_service_asks_for_is_kept_up_to_a_bound() -> None:
    waits: list[float] = []
    with serve(reply_status(429, Retry_After="7"), reply_status(429, Retry_After="3600"), reply_openai) as service:
        open_embedder(service, waits).embed_passages([TEXT])
    assert waits == [7.0, endpoint.MAX_WAIT]


@pytest.mark.parametrize("header", [None, "", "soon", "-1", "nan", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_wait_that_is_none_is_left_to_the_client(header: str | None) -> None:
    assert parse_wait(header) is None


def test_waiting_ends_when_the_program_does() -> None:
    stop = threading.Event()
    stop.set()
    with serve(reply_status(503)) as service:
        options = EmbedderOptions("openai", "small-model", service.url, dimensions=3, retries=9)
        fail(open_remote(options, pause=stop.wait))
    assert len(service.requests) == 1


# --- connections ------------------------------------------------------------------------------------------------------


def test_a_service_that_does_not_answer_is_given_up_in_time() -> None:
    with serve(reply_openai) as service:
        service.hangs = True
        assert "no whole answer within 0.1 s" in fail(open_embedder(service, read_timeout=0.1, retries=1)).message
        with guard_hang("the second request"):
            while len(service.requests) < 2:
                time.sleep(0.001)
    assert len(service.requests) == 2


def test_a_service_that_drips_is_given_up_in_time() -> None:
    with serve(reply_openai) as service:
        service.drips = True
        assert "no whole answer within 0.2 s" in fail(open_embedder(service, read_timeout=0.2, retries=0)).message


def test_an_answer_that_is_cut_off_is_tried_again() -> None:
    with serve(reply_openai) as service:
        service.cuts = True
        assert (
            "IncompleteRead" in fail(open_embedder(service)).message
            or "cut off" in fail(open_embedder(service)).message
        )
    assert len(service.requests) >= 3


def test_an_answer_of_excessive_length_is_refused() -> None:
    with serve(lambda request: (200, {}, b" " * 50_000)) as service:
        embedder = open_embedder(service)
        original, endpoint.MAX_ANSWER = endpoint.MAX_ANSWER, 10_000
        try:
            assert "longer than 10000 bytes" in fail(embedder).message
        finally:
            endpoint.MAX_ANSWER = original


def test_nobody_listening_is_an_error_that_says_so() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        waits: list[float] = []
        assert "no connection" in fail(open_embedder(f"http://127.0.0.1:{port}", waits)).message
    assert waits == [0.5, 1.0]


def test_a_service_that_speaks_no_http_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            client, _ = listener.accept()
            with client:
                client.recv(1 << 16)
                client.sendall(b"SSH-2.0-nothing\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert "the connection broke (BadStatusLine)" in fail(open_embedder(url, retries=0)).message
        thread.join()


def test_a_service_without_tls_behind_https_is_an_error() -> None:
    with serve(reply_openai) as service:
        url = service.url.replace("http:", "https:")
        assert "no connection" in fail(open_embedder(url, retries=0, connect_timeout=2.0)).message


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host",
        "host:80",
        "http://",
        "http://user:word@host",
        "http://host/?key=1",
        "http://host:port",
        "http://h:99999",
        "http://[bad",
        "http://h/é",
        "http://ho st",
        "http://h/\r\nX: y",
        "http://h/#key",
    ],
)
def test_a_url_that_is_none_is_a_mistake_of_the_settings(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_embedder(url)
    assert caught.value.facts["name"] == "embedding.url"
    assert "word" not in caught.value.message.replace("password", "")


def test_a_key_that_would_break_the_request_is_refused_unseen() -> None:
    for key in ("two\r\nlines", "schlüssel"):
        with pytest.raises(ConfigError) as caught:
            open_embedder("http://127.0.0.1:1", api_key=key)
        assert key not in caught.value.message


def test_a_service_without_a_model_is_a_mistake_of_the_settings() -> None:
    with pytest.raises(ConfigError, match="needs a model"):
        open_embedder("http://127.0.0.1:1", model="")


def test_the_key_is_in_no_description_of_options_or_endpoint() -> None:
    assert KEY not in repr(Endpoint("http://127.0.0.1:1", "m", KEY))
    assert KEY not in repr(EmbedderOptions(api_key=KEY))
