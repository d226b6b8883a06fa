"""Which root a compile of a path means: the rules for new, known, moved and enclosing roots. Looks at folders, changes
nothing, knows no store.

Folders are told apart by device and inode, so that it does not matter how a path is spelled where the disk takes upper
and lower case as equal, or by which link it was reached. Sources take the spelling that the disk has.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from remem.errors import ConflictError, InvalidInputError, NotFoundError
from remem.records import RootPlan, RootRow
from remem.sources.formats import FORMATS, find_format, is_storable, show_name
from remem.sources.scan import is_walked

MAX_NAME = 200

_Identity: TypeAlias = tuple[int, int] | str


class _Target(NamedTuple):
    """What a path means: a folder, and a file in it where the path is one."""

    folder: Path
    file: str | None


class _Home(NamedTuple):
    """The known root that a folder lies in, and the folder's source in it ("" for the root itself)."""

    root: RootRow
    below: str


def decide_root(path: Path, name: str | None, moved: bool, known: Sequence[RootRow]) -> RootPlan:
    """The root that compiling `path` means, and how much of it.

    `name` and `moved` are the caller's `--root` and `--moved`. A name that is not given is that of the folder.

    Raises NotFoundError for a path that does not exist or a moved root that is not known, InvalidInputError for a file
    that is no note or a name that cannot be one, ConflictError where the roots that are known stand against it.
    """
    target = find_target(path)
    if name is not None:
        check_name(name)
    home = find_home(target.folder, known)
    if home is None:
        return plan_new(target, name, moved, known)
    if name is not None and name != home.root.name:
        return plan_renamed(target, home, name, moved, known)
    return plan_known(target, home, moved, known)


def plan_known(target: _Target, home: _Home, moved: bool, known: Sequence[RootRow]) -> RootPlan:
    """A known root, a folder in it, or a file in it."""
    root, below = home
    if moved and below:
        raise ConflictError(
            f"{target.folder} lies in root {root.name}, which is at {root.path}; a root does not move into itself",
            root=root.name,
        )
    if target.file is not None:
        return RootPlan(root.name, root.path, single_file=join_source(below, target.file))
    inner = find_inner(Path(root.path), below, [other for other in known if other.key != root.key])
    return RootPlan(root.name, root.path, below, takes_over=inner)


def plan_renamed(target: _Target, home: _Home, name: str, moved: bool, known: Sequence[RootRow]) -> RootPlan:
    """A known root under a name that is not its own: given a free name where the caller confirms it, else refused. What
    the root leaves out may be a root of its own."""
    root, below = home
    other = find_named(name, known)
    if below and not is_walked(Path(root.path), below):
        return plan_new(target, name, moved, known)
    if below or target.file is not None:
        place = f"{target.folder} lies in root {root.name}"
        raise ConflictError(f"{place}; leave `root` out to compile it as part of that", root=root.name)
    if other is not None:
        raise ConflictError(f"{root.path} is root {root.name}, and root {name} lies at {other.path}", root=root.name)
    if not moved:
        message = f"{root.path} is root {root.name}; leave `root` out, or give `moved` to call it {name} from now on"
        raise ConflictError(message, root=root.name)
    inner = find_inner(Path(root.path), "", [other for other in known if other.key != root.key])
    return RootPlan(name, root.path, takes_over=((root.name, ""), *inner))


def plan_new(target: _Target, name: str | None, moved: bool, known: Sequence[RootRow]) -> RootPlan:
    """A folder that no known root holds: a new root, one that has moved here, or one around known ones."""
    folder, file = target
    name = make_name(folder) if name is None else name
    inner = () if file is not None else find_inner(folder, "", known)
    same = find_named(name, known)
    if same is None and moved:
        names = ", ".join(sorted(root.name for root in known)) or "none"
        raise NotFoundError(f"no root {name} is known that could have moved; known are: {names}", root=name)
    taken = any(taken == name for taken, _ in inner)
    if same is None or taken:
        return RootPlan(name, str(folder), single_file=file, takes_over=inner)
    if not moved and is_there(same.path):
        message = f"root {name} lies at {same.path}; give another `root`, or `moved`"
        raise ConflictError(message, root=name, path=same.path)
    return RootPlan(name, str(folder), single_file=file, takes_over=inner, moved=True)


# --- the path ---------------------------------------------------------------------------------------------------------


def find_target(path: Path) -> _Target:
    """The real folder, or the file and its folder, that a path leads to.

    Raises NotFoundError, and InvalidInputError for what cannot be compiled.
    """
    shown = show_name(str(path))
    try:
        real = path.resolve(strict=True)
        mode = real.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"{shown} does not exist", path=shown) from None
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: Python before 3.13, links in a circle
        reason = getattr(error, "strerror", None) or "it is no usable path"
        raise InvalidInputError(f"{shown} cannot be reached: {reason}", field="path") from None
    if not is_storable(str(real)):
        raise InvalidInputError(f"the path of {shown} is not valid Unicode; rename it", field="path")
    if stat.S_ISDIR(mode):
        return _Target(real, None)
    if not stat.S_ISREG(mode) or find_format(real.name) is None:
        endings = " ".join("." + ending for ending in FORMATS)
        raise InvalidInputError(f"{shown} is neither a folder nor a note ({endings})", field="path")
    return _Target(real.parent, spell_parts(real.parent, (real.name,)))


def identify(path: Path) -> _Identity:
    """What is equal for two paths of one folder. Raises OSError where there is none."""
    found = path.stat()
    return (found.st_dev, found.st_ino) if found.st_ino else os.path.normcase(path.resolve(strict=True))


def is_there(place: str) -> bool:
    """Whether a folder is at a place, or might be: what cannot be looked at is not taken as gone."""
    try:
        return stat.S_ISDIR(os.stat(place).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True


def find_home(folder: Path, known: Sequence[RootRow]) -> _Home | None:
    """The known root that a folder is or lies in; the innermost one where roots lie in each other."""
    places: dict[_Identity, RootRow] = {}
    for root in known:
        place = find_identity(Path(root.path))
        if place is not None:
            places[place] = root
    for ancestor in (folder, *folder.parents):
        place = find_identity(ancestor)
        if place in places:
            return _Home(places[place], spell_parts(ancestor, folder.relative_to(ancestor).parts))
    return None


def find_identity(path: Path) -> _Identity | None:
    """The identity of a folder, or None where there is none that can be seen."""
    try:
        return identify(path)
    except (OSError, ValueError):
        return None


def find_inner(top: Path, below: str, known: Sequence[RootRow]) -> tuple[tuple[str, str], ...]:
    """The known roots that a walk of the root at `top` meets in its folder `below`, as (name, source of their folder),
    in order of name. Roots whose place is gone lie nowhere; those in what it leaves out stay roots of their own."""
    own = find_identity(top / below)
    found = []
    for root in known:
        try:
            place = Path(root.path).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            continue
        outer = next((parent for parent in place.parents if find_identity(parent) == own), None)
        if outer is not None:
            source = join_source(below, spell_parts(outer, place.relative_to(outer).parts))
            if is_walked(top, source):
                found.append((root.name, source))
    return tuple(sorted(found))


# --- names ------------------------------------------------------------------------------------------------------------


def find_named(name: str, known: Sequence[RootRow]) -> RootRow | None:
    """The known root of a name."""
    return next((root for root in known if root.name == name), None)


def make_name(folder: Path) -> str:
    """The name of a root that was given none. Raises InvalidInputError where the folder's own does not serve."""
    name = spell_parts(folder.parent, (folder.name,)) if folder.name else ""
    try:
        check_name(name)
    except InvalidInputError as error:
        raise InvalidInputError(f"{folder} gives no name for a root ({error}); give a `root`", field="root") from None
    return name


def check_name(name: str) -> None:
    """Refuse what cannot name a root: it also names a folder when notes are written out. Raises InvalidInputError."""
    if not name.strip() or name in (".", "..") or name != name.strip():
        raise InvalidInputError(
            f"{show_name(name)!r} cannot name a root: it is empty, dots or with blanks around it", field="root"
        )
    if len(name) > MAX_NAME:
        raise InvalidInputError(f"a root's name has at most {MAX_NAME} characters", field="root")
    if not is_storable(name) or any(char in "/\\" or unicodedata.category(char) == "Cc" for char in name):
        raise InvalidInputError(
            f"{show_name(name)!r} cannot name a root: it holds a slash, a backslash or a control character",
            field="root",
        )


def join_source(folder: str, inner: str) -> str:
    """A source below a folder given by its source."""
    return f"{folder}/{inner}" if folder and inner else folder or inner


def spell_parts(folder: Path, parts: Sequence[str]) -> str:
    """The source of a path below a folder, each name as the disk spells it."""
    spelled: list[str] = []
    for part in parts:
        try:
            names = os.listdir(folder)
        except OSError:
            names = []
        folder = folder / part
        spelled.append(pick_spelling(part, names))
    return "/".join(spelled)


def pick_spelling(name: str, names: Sequence[str]) -> str:
    """The one of `names` that a path means which says `name`: the same, else the only one that differs in case or in
    Unicode form; `name` itself where neither is there."""
    if name in names:
        return name
    alike = [other for other in names if fold_name(other) == fold_name(name)]
    return alike[0] if len(alike) == 1 else name


def fold_name(name: str) -> str:
    """A file name without the differences that some disks take as none."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
