"""Where settings come from, which place wins, and how each mistake is named."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import remem
from docs import make_config
from remem.config import default_toml, list_settings, load_settings
from remem.errors import ConfigError
from remem.settings import Settings
from remem.sources.formats import MAX_FILE_BYTES


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_file(text: str, name: str = "remem-server.toml") -> Path:
    Path(name).write_text(text, encoding="utf-8")
    return Path(name)


def fail(config: Path | None = None, environ: dict[str, str] | None = None, **overrides: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_settings(config, environ or {}, {name.replace("__", "."): value for name, value in overrides.items()})
    return caught.value


# --- the file that comes with Remem -----------------------------------------------------------------------------------


def test_the_default_file_says_the_defaults_and_nothing_else() -> None:
    assert tomllib.loads(default_toml()) == Settings().model_dump(mode="json")


def test_the_default_file_explains_every_setting_in_the_words_of_the_code() -> None:
    lines = default_toml().splitlines()
    for dotted, field in list_settings().items():
        section, _, name = dotted.partition(".")
        start = lines.index(f"[{section}]")
        place = next(number for number, line in enumerate(lines) if number > start and line.startswith(f"{name} ="))
        assert lines[place - 1] == f"# {field.description}"


def test_the_default_file_is_read_as_the_defaults() -> None:
    assert load_settings(write_file(default_toml()), {}, {}) == Settings()


def test_the_limit_of_a_file_is_the_one_that_scanning_and_reading_have_by_themselves() -> None:
    assert Settings().compile.max_file_bytes == MAX_FILE_BYTES


# --- precedence -------------------------------------------------------------------------------------------------------


def test_without_file_variable_or_argument_the_defaults_hold() -> None:
    settings = load_settings(None, {}, {})
    assert settings.storage.path == "memory.db"
    assert (settings.storage.synchronous, settings.compile.max_node_tokens) == ("full", 512)


def test_an_argument_goes_before_a_variable_before_the_file_before_the_default() -> None:
    write_file("[compile]\nmax_node_tokens = 100\n[storage]\npath = 'file.db'\n")
    environ = {"REMEM_COMPILE__MAX_NODE_TOKENS": "200"}
    assert load_settings(None, environ, {"compile.max_node_tokens": 300}).compile.max_node_tokens == 300
    assert load_settings(None, environ, {"compile.max_node_tokens": None}).compile.max_node_tokens == 200
    assert load_settings(None, {}, {}).compile.max_node_tokens == 100
    assert load_settings(None, environ, {}).storage.path == "file.db"
    assert load_settings(None, environ, {}).storage.synchronous == "full"


def test_the_short_variable_of_the_store_goes_before_its_long_one() -> None:
    environ = {"REMEM_STORAGE__PATH": "long.db", "REMEM_DB": "short.db"}
    assert load_settings(None, environ, {}).storage.path == "short.db"
    assert load_settings(None, environ, {"storage.path": "given.db"}).storage.path == "given.db"
    assert load_settings(None, {"REMEM_STORAGE__PATH": "long.db"}, {}).storage.path == "long.db"


def test_the_file_is_the_one_given_else_the_variable_else_the_working_directory() -> None:
    write_file("[storage]\npath = 'here.db'")
    given, named = write_file("[storage]\npath = 'a.db'", "a.toml"), write_file("[storage]\npath = 'b.db'", "b.toml")
    assert load_settings(given, {"REMEM_CONFIG": str(named)}, {}).storage.path == "a.db"
    assert load_settings(None, {"REMEM_CONFIG": str(named)}, {}).storage.path == "b.db"
    assert load_settings(None, {}, {}).storage.path == "here.db"


def test_the_environment_of_the_process_counts_where_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEM_STORAGE__BUSY_TIMEOUT", "1.5")
    assert load_settings().storage.busy_timeout == 1.5


def test_an_empty_variable_counts_as_not_set() -> None:
    assert load_settings(None, {"REMEM_DB": "", "REMEM_CONFIG": "", "REMEM_STORAGE__SYNCHRONOUS": ""}, {}) == Settings()


def test_variables_of_other_programs_are_left_alone() -> None:
    assert load_settings(None, {"PATH": "x", "REMEMBER_ME": "1", "REMEM": "2"}, {}) == Settings()


def test_a_tilde_in_the_path_of_the_store_is_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert Path(load_settings(None, {"REMEM_DB": "~/m.db"}, {}).storage.path) == tmp_path / "m.db"


def test_a_file_with_a_byte_order_mark_is_read() -> None:
    Path("bom.toml").write_bytes(b"\xef\xbb\xbf[storage]\r\npath = 'x.db'\r\n")
    assert load_settings(Path("bom.toml"), {}, {}).storage.path == "x.db"


def test_settings_do_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().storage.path = "other.db"


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "asked", "meant"),
    [
        ("[storage]\npth = 'x'", "[storage] pth", "[storage] path"),
        ("[storge]\npath = 'x'", "[storge]", "[storage]"),
        ("[storage]\nmax_node_tokens = 99", "[storage] max_node_tokens", "[compile] max_node_tokens"),
        ("path = 'x'", "path", "[storage] path"),
        ("[[storage]]\npath = 'x'", "storage", "[storage]"),
    ],
)
def test_an_unknown_name_in_the_file_is_refused_with_the_one_that_is_meant(text: str, asked: str, meant: str) -> None:
    message = fail(write_file(text)).message
    assert "remem-server.toml" in message
    assert asked in message.partition(";")[0]
    assert meant in message.partition(";")[2]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("REMEM_STORAGE_PATH", "REMEM_STORAGE__PATH"),
        ("REMEM_COMPILE__MAX_NODE_TOKEN", "REMEM_COMPILE__MAX_NODE_TOKENS"),
        ("REMEM_storage__path", "REMEM_STORAGE__PATH"),
        ("remem_server__port", "REMEM_SERVER__PORT"),
        ("Remem_Db", "REMEM_DB"),
        ("remem_config", "REMEM_CONFIG"),
        ("REMEM_CONFG", "REMEM_CONFIG"),
        ("REMEM_DB_", "REMEM_DB"),
    ],
)
def test_a_misspelt_variable_is_refused_with_the_one_that_is_meant(name: str, meant: str) -> None:
    error = fail(None, {name: "x"})
    assert error.code == "config"
    assert f"no variable {name}; did you mean {meant}?" in error.message


@pytest.mark.parametrize("name", ["REMEM_AUTO_DISCOVERY_TOP_K", "REMEM_CONNECTION__AUTO_DISCOVERY_TOP_K"])
def test_a_misspelt_variable_of_a_setting_that_no_variable_has_is_explained_at_once(name: str) -> None:
    message = fail(None, {name: "3"}).message
    assert message.startswith(f"{name}: the auto_discovery_* settings come from the file or an argument only")
    assert "did you mean" not in message


TOLD = [
    ("[redaction]\npatterns = ['a=(']", "the pattern of a is no regular expression: missing )"),
    ("[redaction]\nkinds = ['a']", "must be 'private_key', 'api_key', "),
    ("[embedding]\nnotes = 3", "must be 'auto', or be true or false"),
    ("[embedding]\nmodel = 'MANY'".replace("MANY", "x" * 300), "has more than 200 characters"),
    ("[server]\nport = 'x'", "must be a whole number"),
    ("[server]\nallowed_hosts = 'x'", "must be a list"),
    ("[server]\nallowed_hosts = ['', 3]", "must not be empty"),
    ("[server]\nallowed_hosts = ['http://a.b/']", "'http://a.b/' is no name of a host"),
    ("[server]\nallowed_hosts = ['*']", "'*' is no name of a host"),
    ("[server]\nallowed_hosts = ['a.b:80']", "without scheme, port, path or *, like notes.example"),
    ("[server]\nallowed_hosts = ['::1']", "'::1' is no name of a host"),
    ("[server]\ncors_origins = ['foo']", "'foo' is no origin: it is written with scheme and host"),
    ("[server]\ncors_origins = ['https://a.b/c']", "without path, like https://notes.example"),
    ("[server]\ncors_origins = ['https://*.a.b']", "is no origin"),
    ("[server]\nhost = ''", "must not be empty"),
    ("[server]\napi_key = 3", "must be text"),
    ("[compile]\nwatch = 1", "must be true or false"),
    ("[search]\ndense_share = 'x'", "must be a number"),
    ("[search]\ndense_share = 1.5", "must be less than or equal to 1"),
]


@pytest.mark.parametrize(("text", "told"), TOLD)
def test_a_wrong_value_is_told_in_plain_words(text: str, told: str) -> None:
    message = fail(write_file(text)).message
    assert told in message and "should" not in message and "Value error" not in message


def test_hosts_and_origins_that_mean_something_are_taken() -> None:
    hosts = ["notes.example", "NOTES", "192.168.1.2", "[fe80::1]", "my_host"]
    origins = ["*", "null", "https://notes.example", "http://[::1]:3000/", "chrome-extension://abc", "HTTPS://A.B:8443"]
    server = load_settings(write_file(f"[server]\nallowed_hosts = {hosts}\ncors_origins = {origins}"), {}, {}).server
    assert (list(server.allowed_hosts), list(server.cors_origins)) == (hosts, origins)


def test_an_argument_is_called_what_the_caller_calls_it() -> None:
    with pytest.raises(ConfigError, match=r"^--db: must not be empty$"):
        load_settings(None, {}, {"storage.path": ""}, {"storage.path": "--db"})
    with pytest.raises(ConfigError, match=r"^storage\.path: must not be empty$"):
        load_settings(None, {}, {"storage.path": ""})


def test_a_name_without_a_neighbour_is_refused_all_the_same() -> None:
    assert (
        "there is no setting [storage] zzzzzz; remem-server.toml" in fail(write_file("[storage]\nzzzzzz = 1")).message
    )
    Path("remem-server.toml").unlink()
    assert (
        "there is no variable REMEM_ZZZZZZZZZZZZ; remem-server.toml" in fail(None, {"REMEM_ZZZZZZZZZZZZ": "1"}).message
    )


def test_an_unknown_argument_is_refused_with_the_one_that_is_meant() -> None:
    assert "did you mean storage.path?" in fail(storage__pth="x").message


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "max_node_tokens = 63",
        "max_node_tokens = 8193",
        "max_node_tokens = '512'",
        "max_node_tokens = 512.5",
        "max_node_tokens = true",
        "max_node_tokens = []",
        "max_node_tokens = 2020-01-01",
        "max_file_bytes = 0",
        "slice_bytes = -1",
    ],
)
def test_a_wrong_value_in_the_file_is_refused_with_its_place(line: str) -> None:
    error = fail(write_file(f"[compile]\n{line}"))
    name = line.partition(" ")[0]
    assert f"remem-server.toml: [compile] {name}: " in error.message
    assert error.facts["name"] == f"compile.{name}"


@pytest.mark.parametrize(
    "line", ["busy_timeout = nan", "busy_timeout = inf", "path = ''", "synchronous = 'off'", "path = 2020-01-01"]
)
def test_a_value_that_no_store_can_use_is_refused(line: str) -> None:
    assert line.partition(" ")[0] in fail(write_file(f"[storage]\n{line}")).message


def test_a_wrong_value_in_a_variable_is_named_by_the_variable_and_not_repeated() -> None:
    message = fail(None, {"REMEM_COMPILE__MAX_NODE_TOKENS": "secret"}).message
    assert message.startswith("REMEM_COMPILE__MAX_NODE_TOKENS: ")
    assert "secret" not in message
    assert fail(None, {"REMEM_STORAGE__BUSY_TIMEOUT": "nan"}).message.startswith("REMEM_STORAGE__BUSY_TIMEOUT: ")


def test_a_wrong_value_in_an_argument_is_refused() -> None:
    assert fail(compile__max_node_tokens=1).message.startswith("compile.max_node_tokens: ")


def test_a_whole_number_serves_where_a_decimal_is_asked() -> None:
    assert load_settings(write_file("[storage]\nbusy_timeout = 2"), {}, {}).storage.busy_timeout == 2.0


# --- the file as a file -----------------------------------------------------------------------------------------------


def test_a_file_that_is_no_toml_is_refused_with_the_line() -> None:
    message = fail(write_file("[storage]\npath = 'a'\nsynchronous = full\n")).message
    assert "remem-server.toml is not TOML" in message
    assert "line 3" in message


def test_a_named_file_that_is_missing_is_refused() -> None:
    assert "none.toml does not exist" in fail(Path("none.toml")).message
    assert "none.toml does not exist" in fail(None, {"REMEM_CONFIG": "none.toml"}).message


def test_a_folder_or_bytes_in_the_place_of_the_file_are_refused(tmp_path: Path) -> None:
    assert "cannot be read" in fail(tmp_path).message
    Path("bytes.toml").write_bytes(b"[storage]\npath = '\xff'")
    assert "is not UTF-8" in fail(Path("bytes.toml")).message


# --- marks and lists --------------------------------------------------------------------------------------------------


def test_a_setting_marked_as_the_files_is_taken_from_file_and_argument_but_not_from_the_environment() -> None:
    file = write_file("[connections]\nauto_discovery_top_k = 7")
    given = {"connections.auto_discovery_top_k": 9}
    assert load_settings(file, {}, {}).connections.auto_discovery_top_k == 7
    assert load_settings(file, {}, given).connections.auto_discovery_top_k == 9
    message = fail(None, {"REMEM_CONNECTIONS__AUTO_DISCOVERY_TOP_K": "9"}).message
    assert "the auto_discovery_* settings come from the file or an argument only" in message
    assert "[connections] auto_discovery_top_k" in message


def test_lists_and_truth_values_come_from_every_place() -> None:
    file = write_file("[compile]\nroots = ['a', 'b']\nwatch = true")
    environ = {"REMEM_COMPILE__ROOTS": '["c"]', "REMEM_COMPILE__WATCH": "false"}
    from_file, from_environment = load_settings(file, {}).compile, load_settings(file, environ).compile
    assert (from_file.roots, from_file.watch) == (("a", "b"), True)
    assert (from_environment.roots, from_environment.watch) == (("c",), False)
    assert load_settings(file, environ, {"compile.roots": ["d"]}).compile.roots == ("d",)


@pytest.mark.parametrize("text", ["a,b", "[1", "[1]", "{}"])
def test_a_variable_that_is_no_list_of_texts_is_refused(text: str) -> None:
    assert "REMEM_COMPILE__ROOTS" in fail(None, {"REMEM_COMPILE__ROOTS": text}).message


def test_importing_the_settings_brings_in_no_large_package() -> None:
    code = "import sys, remem.config; print([name for name in sys.argv[1:] if name in sys.modules])"
    names = ["pydantic_settings", "numpy", "aiosqlite", "pathspec", "bpe_openai", "pyromark", "mcp", "tomllib"]
    command, top = [sys.executable, "-c", code, *names], Path(remem.__file__).parents[1]
    done = subprocess.run(command, cwd=top, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_about_the_configuration_is_what_the_code_says_now() -> None:
    assert make_config.PAGE.read_text(encoding="utf-8") == make_config.make_page(), "run python docs/make_config.py"


def test_the_page_tells_every_setting_with_its_variable_and_default() -> None:
    page = make_config.PAGE.read_text(encoding="utf-8")
    for dotted, setting in list_settings().items():
        section, _, name = dotted.partition(".")
        part = page.partition(f"## [{section}]\n")[2].partition("\n## [")[0]
        row = next(line for line in part.splitlines() if line.startswith(f"| `{name}`"))
        assert (setting.description or "") in row.replace("\\|", "|")
        assert ("not from the environment" in row) == dotted.startswith("connections.auto_discovery_")


# --- the service ------------------------------------------------------------------------------------------------------


def test_the_key_has_a_short_variable_and_is_never_shown() -> None:
    settings = load_settings(None, {"REMEM_API_KEY": "s3cret", "REMEM_SERVER__API_KEY": "long"}, {})
    assert settings.server.api_key == "s3cret"
    assert "s3cret" not in repr(settings)
    assert load_settings(None, {"REMEM_SERVER__API_KEY": "long"}, {}).server.api_key == "long"


def test_the_port_comes_from_every_place_in_order() -> None:
    write_file("[server]\nport = 1")
    assert load_settings(None, {}, {}).server.port == 1
    assert load_settings(None, {"REMEM_SERVER__PORT": "2"}, {}).server.port == 2
    assert load_settings(None, {"REMEM_SERVER__PORT": "2"}, {"server.port": 0}).server.port == 0


@pytest.mark.parametrize(
    "name", ["AUTO_DISCOVERY_THRESHOLD", "AUTO_DISCOVERY_TOP_K", "AUTO_DISCOVERY_MAX_DEGREE", "AUTO_DISCOVERY_NEW"]
)
def test_no_discovery_setting_is_taken_from_the_environment(name: str) -> None:
    message = fail(None, {f"REMEM_CONNECTIONS__{name}": "0.5"}).message
    assert f"REMEM_CONNECTIONS__{name}" in message
    if not name.endswith("NEW"):
        assert "the auto_discovery_* settings come from the file or an argument only" in message


@pytest.mark.parametrize(
    "line",
    [
        "[server]\nport = 65536",
        "[server]\nport = -1",
        "[server]\nhost = ''",
        "[server]\napi_key = ' x'",
        "[server]\napi_key = 7",
        "[server]\nallowed_hosts = 'x'",
        "[server]\nallowed_hosts = ['']",
        "[server]\nrate_limit = -1",
        "[logging]\nlevel = 'loud'",
        "[logging]\nformat = 'xml'",
        "[limits]\nmax_body_bytes = 10",
        "[limits]\nbody_timeout = 0",
        "[redaction]\nkinds = ['all']",
        "[redaction]\npatterns = ['no-kind']",
        "[redaction]\npatterns = ['kind=(']",
        "[mcp]\ntools = 'none'",
        "[compile]\nwatch = 'yes'",
    ],
)
def test_a_wrong_value_for_the_service_is_refused(line: str) -> None:
    section, name = line.partition("]")[0][1:], line.partition("\n")[2].partition(" ")[0]
    error = fail(write_file(line))
    assert f"[{section}] {name}" in error.message and error.facts["name"] == f"{section}.{name}"
