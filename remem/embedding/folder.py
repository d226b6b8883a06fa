"""A local model folder: a BERT encoder with a WordPiece vocabulary in the layout of sentence-transformers
(`config.json`, `vocab.txt`, `model.safetensors`, and what tells pooling and prefixes). Nothing else runs,
nothing is fetched."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remem.embedding.base import guess_threshold, list_filled, make_fingerprint, place_vectors
from remem.embedding.wordpiece import WordPiece
from remem.errors import EmbedderError
from remem.records import EmbedderOptions, Refusal

if TYPE_CHECKING:
    from remem.embedding.base import Vector
    from remem.embedding.bert import Bert
    from remem.embedding.weights import Tensors

MAX_TOKENS = 512
_E5_PREFIXES = ("query: ", "passage: ")


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the folder's small files say."""

    hidden: int
    heads: int
    layers: int
    epsilon: float
    lower: bool
    tokens: int
    pooling: str
    prefixes: tuple[str, str]


class FolderEmbedder:
    """The model of a folder. Its small files are read and its weights hashed at once; they are read when first needed.

    Prefixes are those of the options, else those of the folder, else, for a model of the E5 family, its own. Raises
    EmbedderError where a file is missing or the model is of another kind.
    """

    def __init__(self, folder: Path, options: EmbedderOptions) -> None:
        self.name = options.model or folder.resolve().name
        self._folder = folder
        self._plan = self._read_plan(options)
        self._files = {name: self._hash(name) for name in ("model.safetensors", "vocab.txt")}
        self.dimensions = self._plan.hidden
        self.link_threshold = guess_threshold(self.name)
        self._lock = threading.Lock()
        self._model: tuple[WordPiece, Bert] | None = None

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on."""
        return make_fingerprint(
            self.name,
            self.dimensions,
            weights=self._files["model.safetensors"],
            vocabulary=self._files["vocab.txt"],
            pooling=self._plan.pooling,
            unit=True,
            prefixes=list(self._plan.prefixes),
            tokens=self._plan.tokens,
            lower=self._plan.lower,
            template="{text}",
        )

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """Vectors of stored texts. Raises EmbedderError."""
        return self._embed(self._plan.prefixes[1], texts)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """Vectors of what is searched for. Raises EmbedderError."""
        return self._embed(self._plan.prefixes[0], texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> list[Vector | Refusal]:
        places = list_filled(texts)
        tokeniser, bert = self._load()
        rows = bert.encode([tokeniser.encode(prefix + texts[place], self._plan.tokens) for place in places])
        return place_vectors(texts, places, rows, self.dimensions)

    def _load(self) -> tuple[WordPiece, Bert]:
        with self._lock:
            if self._model is None:
                tokeniser, bert = self._read_vocabulary(), self._read_bert()
                if len(tokeniser) > len(bert.words.rows):
                    raise self._fail("vocab.txt has more entries than the model knows")
                self._model = tokeniser, bert
            return self._model

    # --- the files ----------------------------------------------------------------------------------------------------

    def _read_plan(self, options: EmbedderOptions) -> _Plan:
        config = self._read_json("config.json")
        if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
            raise self._fail("config.json is not that of a BERT encoder with GELU, the one kind that can be run")
        limits = self._read_json("sentence_bert_config.json", optional=True)
        epsilon = config.get("layer_norm_eps", 1e-12)
        positions = _number(config, "max_position_embeddings", MAX_TOKENS)
        plan = _Plan(
            hidden=_number(config, "hidden_size", 0),
            heads=_number(config, "num_attention_heads", 0),
            layers=_number(config, "num_hidden_layers", 0),
            epsilon=epsilon if isinstance(epsilon, float) else -1.0,
            lower=self._read_json("tokenizer_config.json", optional=True).get("do_lower_case", True) is True,
            tokens=min(positions, MAX_TOKENS, _number(limits, "max_seq_length", MAX_TOKENS)),
            pooling=self._read_pooling(),
            prefixes=self._read_prefixes(options),
        )
        if (
            min(plan.hidden, plan.heads, plan.layers) < 1
            or not plan.epsilon > 0
            or plan.hidden % plan.heads
            or plan.tokens < 3
        ):
            raise self._fail("config.json has sizes that do not fit together")
        if options.dimensions not in (0, plan.hidden):
            raise self._fail(f"its vectors have {plan.hidden} dimensions, [embedding] dimensions says otherwise")
        return plan

    def _read_pooling(self) -> str:
        told = self._read_json("1_Pooling/config.json", optional=True)
        chosen = [name for name, value in told.items() if name.startswith("pooling_mode_") and value is True]
        known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
        if len(chosen) > 1 or not set(chosen) <= known.keys():
            raise self._fail("1_Pooling/config.json asks for a pooling other than mean or cls")
        return known[chosen[0]] if chosen else "mean"

    def _read_prefixes(self, options: EmbedderOptions) -> tuple[str, str]:
        if options.query_prefix or options.passage_prefix:
            return options.query_prefix, options.passage_prefix
        prompts = self._read_json("config_sentence_transformers.json", optional=True).get("prompts")
        if isinstance(prompts, dict) and any(isinstance(prompt, str) and prompt for prompt in prompts.values()):
            passage = next((prompts[name] for name in ("passage", "document") if prompts.get(name)), "")
            return str(prompts.get("query") or ""), str(passage)
        return _E5_PREFIXES if guess_threshold(self.name) > guess_threshold("") else ("", "")

    def _read_json(self, name: str, *, optional: bool = False) -> dict[str, Any]:
        path = self._folder / name
        if optional and not path.exists():
            return {}
        try:
            found = json.loads(path.read_bytes())
        except OSError as error:
            raise self._fail(f"{name} cannot be read ({error.strerror})") from None
        except ValueError:
            raise self._fail(f"{name} is not JSON") from None
        if not isinstance(found, dict):
            raise self._fail(f"{name} is not a JSON object")
        return found

    def _hash(self, name: str) -> str:
        try:
            with (self._folder / name).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise self._fail(f"{name} cannot be read ({error.strerror})") from None

    def _read_vocabulary(self) -> WordPiece:
        try:
            text = (self._folder / "vocab.txt").read_text(encoding="utf-8")
            return WordPiece(text.rstrip("\n").split("\n"), lower=self._plan.lower)
        except (OSError, UnicodeDecodeError, KeyError):
            raise self._fail("vocab.txt is no WordPiece vocabulary") from None

    def _read_bert(self) -> Bert:
        from remem.embedding.weights import WeightsError, map_file, read_safetensors  # loads numpy

        try:
            return _build_bert(read_safetensors(map_file(self._folder / "model.safetensors")), self._plan)
        except (WeightsError, OSError) as error:
            raise self._fail(f"model.safetensors cannot be used: {error}") from None
        except KeyError as error:
            raise self._fail(f"model.safetensors lacks the tensor {error}") from None
        except ValueError:
            raise self._fail("model.safetensors does not fit config.json") from None

    def _fail(self, reason: str) -> EmbedderError:
        return EmbedderError(f"the model folder {self._folder}: {reason}", model=self.name, endpoint=None)


def _number(told: dict[str, Any], name: str, default: int) -> int:
    value = told.get(name, default)
    return value if type(value) is int and value > 0 else default


def _build_bert(tensors: Tensors, plan: _Plan) -> Bert:
    """The encoder that was planned. Raises KeyError and ValueError."""
    from remem.embedding.encoders import build_floats  # loads numpy

    bert = build_floats(tensors, layers=plan.layers, heads=plan.heads, epsilon=plan.epsilon, pooling=plan.pooling)
    if bert.words.rows.shape[1:] != (plan.hidden,) or len(bert.positions.rows) < plan.tokens:
        raise ValueError
    bert.encode([[0, 0]])  # any layer whose shape does not fit raises ValueError
    return bert
