"""Where the settings come from. The only reader of TOML and of the environment.

An argument goes before an environment variable, that before the file, that before the default. Each place is checked on
its own, so that an error names the place. What can be set stands in `remem.settings`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from remem.checks import find_meant
from remem.datafiles import SETTINGS_FILE, find_data
from remem.errors import ConfigError
from remem.settings import FileOnly, Section, Settings

PREFIX = "REMEM_"
CONFIG_VARIABLE = "REMEM_CONFIG"
SHORT_VARIABLES = {"REMEM_DB": "storage.path", "REMEM_API_KEY": "server.api_key"}
"""Variables with a name of their own for a setting. They go before the setting's long variable."""

_Layer: TypeAlias = dict[str, dict[str, Any]]
_Places: TypeAlias = Callable[[str], str]


def load_settings(
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
    names: Mapping[str, str] | None = None,
) -> Settings:
    """The settings that hold here and now.

    `config` is the file (else `$REMEM_CONFIG`, else `./remem-server.toml` where there is one). `environ` is the
    environment (None: that of the process); an empty variable counts as not set. `overrides` are the arguments by
    dotted name, as in `{"storage.path": "notes.db"}`; the value None means that the argument was not given. `names` are
    what messages call these arguments (else their dotted names).

    Raises ConfigError for whatever is unknown, misspelt, out of range or unreadable, naming it and its place.
    """
    environ = os.environ if environ is None else environ
    return resolve_settings(find_config(config, environ), environ, overrides or {}, names or {})


def default_toml() -> str:
    """The text of `remem-server.toml`: every setting with its default and a comment."""
    return find_data(SETTINGS_FILE).read_text(encoding="utf-8")


def find_config(config: Path | None, environ: Mapping[str, str]) -> Path | None:
    """The file that holds the settings, None where there is none. One that is named has to be there."""
    if config is not None:
        return config
    if environ.get(CONFIG_VARIABLE):
        return Path(environ[CONFIG_VARIABLE]).expanduser()
    return Path(SETTINGS_FILE) if os.path.exists(SETTINGS_FILE) else None


def resolve_settings(
    file: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, object],
    names: Mapping[str, str] = MappingProxyType({}),
) -> Settings:
    """The same with the file that holds the settings, None for none. Raises ConfigError."""
    merged: _Layer = {}
    for layer in (
        read_file(file) if file is not None else {},
        read_environment(environ),
        read_overrides(overrides, names),
    ):
        for section, values in layer.items():
            merged.setdefault(section, {}).update(values)
    return check_values(merged, name_plainly)


# --- the places -------------------------------------------------------------------------------------------------------


def read_file(file: Path) -> _Layer:
    """What a file says, by section and name. Raises ConfigError."""
    data = parse_file(file)
    known = list_settings()
    sections = {dotted.partition(".")[0] for dotted in known}
    for section, values in data.items():
        if not isinstance(values, dict) and section in sections:
            raise ConfigError(f"{file}: {section} is a section; its settings stand below [{section}]", name=section)
        if not isinstance(values, dict):
            refuse_name(f"{file}: {section} stands in no section", section, known, name_in_file)
        if section not in sections:
            refuse_name(f"{file}: there is no section [{section}]", section, sections, "[{}]".format)
        for name in values:
            if f"{section}.{name}" not in known:
                message = f"{file}: there is no setting [{section}] {name}"
                refuse_name(message, f"{section}.{name}", known, name_in_file)
    check_values(data, lambda dotted: f"{file}: {name_in_file(dotted)}", strict=True)
    return data


def parse_file(file: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises ConfigError, with the line where the file is no TOML."""
    import tomllib  # needed only where there is a file

    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        reason = "does not exist"
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        reason = "is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        reason = f"is not TOML: {error}"
    raise ConfigError(f"the configuration {file} {reason}", name=str(file))


def read_environment(environ: Mapping[str, str]) -> _Layer:
    """What the variables say, by section and name. Raises ConfigError."""
    known = list_settings()
    variables = {name_variable(dotted): dotted for dotted in known}
    variables |= {name: dotted for name, dotted in SHORT_VARIABLES.items() if dotted in known}
    found: dict[str, str] = {}
    for name in sorted(name for name in environ if name.upper().startswith(PREFIX) and name != CONFIG_VARIABLE):
        if name not in variables:
            refuse_variable(name, variables)
        refuse_marked(name, variables[name], known[variables[name]])
        if environ[name] and found.get(variables[name]) not in SHORT_VARIABLES:
            found[variables[name]] = name
    values = {dotted: parse_variable(name, environ[name], known[dotted]) for dotted, name in found.items()}
    layer = nest_values(values)
    check_values(layer, lambda dotted: found.get(dotted, dotted))
    return layer


def refuse_variable(name: str, variables: Mapping[str, str]) -> None:
    """Raise ConfigError for a variable that is none, by the one that may be meant."""
    known = list_settings()
    last = name.upper().rpartition("__")[2].removeprefix(PREFIX)
    for variable, dotted in variables.items():
        if variable.rpartition("__")[2] == last:
            refuse_marked(name, dotted, known[dotted])
    refuse_name(f"there is no variable {name}", name.upper(), [*variables, CONFIG_VARIABLE], str)


def parse_variable(name: str, text: str, field: FieldInfo) -> object:
    """The value of a variable: a JSON list where the setting is a list, else the text, which the check converts."""
    if get_origin(field.annotation) is not tuple:
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise ConfigError(f'{name}: a list is written as JSON, like ["a", "b"]', name=name) from None


def refuse_marked(name: str, dotted: str, field: FieldInfo) -> None:
    """Refuse the variable of a setting that is marked as the file's. Raises ConfigError."""
    for mark in field.metadata:
        if isinstance(mark, FileOnly):
            reason = f"{mark.group} come from the file or an argument only, never from the environment"
            raise ConfigError(f"{name}: {reason}; set {name_in_file(dotted)} in {SETTINGS_FILE}", name=name)


def read_overrides(overrides: Mapping[str, object], names: Mapping[str, str]) -> _Layer:
    """What the arguments say, by section and name; messages call them by `names`. Raises ConfigError."""
    known = list_settings()
    given = {dotted: value for dotted, value in overrides.items() if value is not None}
    for dotted in given:
        if dotted not in known:
            refuse_name(f"there is no setting {dotted}", dotted, known, str)
    layer = nest_values(given)
    check_values(layer, lambda dotted: names.get(dotted, dotted))
    return layer


# --- names and values -------------------------------------------------------------------------------------------------


def list_settings() -> dict[str, FieldInfo]:
    """All settings by dotted name."""
    return {
        f"{section}.{name}": field
        for section, part in list_sections().items()
        for name, field in part.model_fields.items()
    }


def list_sections() -> dict[str, type[Section]]:
    """All sections by name."""
    return {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
    }


def nest_values(values: Mapping[str, object]) -> _Layer:
    """Values by dotted name as values by section and name."""
    layer: _Layer = {}
    for dotted, value in values.items():
        section, _, name = dotted.partition(".")
        layer.setdefault(section, {})[name] = value
    return layer


def check_values(layer: Mapping[str, Any], name_place: _Places, *, strict: bool = False) -> Settings:
    """The values of a layer over the defaults. With `strict`, text is no number and a number is no truth value.

    Raises ConfigError for the first wrong value. The message does not repeat the value: it may be a secret.
    """
    # Each section by itself, the others as they are by default: a short command sets a single one.
    sections: dict[str, Any] = {
        name: check_section(name, part, layer[name], name_place, strict=strict)
        if name in layer
        else part.model_construct()
        for name, part in list_sections().items()
    }
    return Settings.model_construct(**sections)


def check_section(name: str, part: type[Section], values: object, name_place: _Places, *, strict: bool) -> Section:
    """The values of a section over its defaults. Raises ConfigError (`check_values`)."""
    try:
        if strict:  # by way of JSON, where a list is as good as a tuple; no setting is a date
            return part.model_validate_json(json.dumps(values, default=lambda value: None), strict=True)
        return part.model_validate(values)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        place = faults[0]["loc"][:1]
        dotted = ".".join(map(str, (name, *place)))
        # Of a value that may be of several types, there is a fault for each.
        single = not isinstance((*faults[0]["loc"], 0)[1], str)
        same = faults[:1] if single else [each for each in faults if each["loc"][:1] == place]
        told = ", or ".join(dict.fromkeys(map(tell_fault, same))).replace(", or must", ", or")
        raise ConfigError(f"{name_place(dotted)}: {told}", name=dotted) from None


def tell_fault(fault: Mapping[str, Any]) -> str:
    """What is wrong with a value, without the value: what the validator says of it, in our words."""
    kind, facts = fault["type"], fault.get("ctx", {})
    if kind in _WANTED:
        return _WANTED[kind]
    match kind:
        case "value_error":
            return str(facts["error"])
        case "string_too_short" if facts["min_length"] == 1:
            return "must not be empty"
        case "string_too_long" | "too_long":
            return f"has more than {facts['max_length']} {'characters' if kind == 'string_too_long' else 'entries'}"
        case "extra_forbidden":
            return "is no setting"
    return re.sub(r"^(Input|[A-Z][a-z]+) should ", "must ", str(fault["msg"]))


_WANTED = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    **dict.fromkeys(("tuple_type", "list_type"), "must be a list"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "must be a section of settings"),
    "finite_number": "must be a finite number",
    "string_type": "must be text",
}
"""What is wanted of a value, by the kind of its fault."""


def name_variable(dotted: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + dotted.replace(".", "__").upper()


def name_in_file(dotted: str) -> str:
    """A setting as the file has it: `[section] name`."""
    section, _, name = dotted.partition(".")
    return f"[{section}] {name}" if name else section


def name_plainly(dotted: str) -> str:
    """A setting as an argument has it."""
    return dotted


def refuse_name(message: str, asked: str, known: Collection[str], show: _Places) -> None:
    """Raise ConfigError for a name that is not known, with the one that may be meant."""
    last = asked.rpartition(".")[2]
    same = [name for name in known if name.rpartition(".")[2] == last]
    meant = same[0] if same else find_meant(asked, known, 0.75)
    hint = f"; did you mean {show(meant)}?" if meant else f"; {SETTINGS_FILE} as it comes with Remem lists them all"
    raise ConfigError(message + hint, name=asked)
