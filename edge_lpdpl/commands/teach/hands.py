"""The commands that teach: add to a hand, show it, forget, and the same for the running service."""

import argparse
import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edge_lpdpl.commands.service.live import Add, add_socket, ask_service
from edge_lpdpl.errors import DoubtError, HandError, ServiceError
from edge_lpdpl.files.text import print_result, printable, table

if TYPE_CHECKING:
    from edge_lpdpl.numeral.recogniser import Recognition

_LARGEST = 2**53
_STILL = "this picture is still read as {}, perhaps in doubt; more like it do not change that"


def teach(arguments: argparse.Namespace) -> int:
    """Teach a hand what pictures of one numeral each show; `recognise` reads with it from then on."""
    from edge_lpdpl.files.pictures import read_picture
    from edge_lpdpl.library.hands import changing, load_hand
    from edge_lpdpl.library.models import find_model
    from edge_lpdpl.library.teaching import Teacher
    from edge_lpdpl.model.files import read_model
    from edge_lpdpl.number.pictures.reader import PictureReader
    from edge_lpdpl.numeral.hand import write_hand
    from edge_lpdpl.numeral.recogniser import Recogniser

    model = read_model(find_model(arguments.model))
    _check_known(arguments.label, model)
    teacher = Teacher(model, arguments.backend)
    reader = PictureReader(Recogniser(model, arguments.backend), arguments.polarity, arguments.single)
    shown = list[tuple[str, Any, str]]()
    for file in arguments.pictures:
        with _naming(file):
            shown.append((file, *_only_numeral(reader, read_picture(file), arguments.polarity)))
    with changing(arguments.hand) as path:
        hand = before = load_hand(arguments.hand)
        for file, grey, polarity in shown:
            with _naming(file):
                hand = teacher.teach(hand, grey, arguments.label, polarity=polarity, sure=arguments.yes)
        write_hand(path, hand)
    reads = [(file, teacher.reads(hand, grey, polarity)) for file, grey, polarity in shown]
    known, kept = ({sample.id: sample.label for sample in one.samples} for one in (before, hand))
    taught, wrong = [one for one in kept if one not in known], [one for one in known if one not in kept]
    text = [f"{len(taught)} taught as {printable(arguments.label)}"]
    text += ["the hand has the others already"] if len(taught) < len(shown) else []
    text += [f"the same picture as {known[one]} is forgotten" for one in wrong]
    text += [f"{printable(str(path))} has {_samples(len(hand))}", *_not_learned(arguments.label, reads)]
    told = {"hand": str(path), "taught": taught, "forgotten": wrong, "samples": len(hand)}
    told["read"] = [{"picture": file, "label": read.label, "reason": read.reason} for file, read in reads]
    told["service"] = service = _tell_service(path)
    text += [service] if service else []
    print_result(arguments.json, told, "; ".join(text))
    return 0


def _not_learned(label: str, reads: Sequence[tuple[str, "Recognition"]]) -> Iterator[str]:
    """What is said of the pictures that are still read otherwise, or in doubt, after they were taught."""
    from edge_lpdpl.numeral.recogniser import UNSURE
    from edge_lpdpl.page.rejection import why

    for file, read in reads:
        if read.label != label:
            yield f"{printable(file)}: {_STILL.format(read.label)}"
        elif read.reason:
            reason = why(read.reason, read.label, read.runner_up, read.novelty)
            remedy = "teach more like it" if read.reason == UNSURE else "more like it do not change that"
            yield f"{printable(file)} is still in doubt ({reason}); {remedy}"


@contextlib.contextmanager
def _naming(file: str) -> Iterator[None]:
    """Say which file cannot be taught or forgotten from."""
    try:
        yield
    except DoubtError as doubt:
        raise DoubtError(
            f"{printable(file)}: {doubt}; nothing was taught; teach it with --yes if it is right"
        ) from None
    except HandError as error:
        raise HandError(f"{printable(file)}: {error}") from None


def show(arguments: argparse.Namespace) -> int:
    """Show what was taught, as a list; --sheet draws it, too."""
    from edge_lpdpl.library.hands import hand_file, hand_names, load_hand

    hand, path = load_hand(arguments.hand, must_exist=True), hand_file(arguments.hand)
    if arguments.sheet:
        from edge_lpdpl.drawing.decision import save_png
        from edge_lpdpl.drawing.hand import draw_hand
        from edge_lpdpl.files.atomic import check_drawing

        check_drawing(arguments.sheet, *([path] if path else []))
        save_png(draw_hand(hand), arguments.sheet)
    samples = [{"sample": sample.id, "label": sample.label} for sample in hand.samples]
    told = {"hand": None if path is None else str(path), "names": hand_names(), "samples": samples}
    rows = [[sample.id, sample.label] for sample in hand.samples]
    text = f"{printable(str(path))}: {_samples(len(hand))}" if path else "no hand is shown: it is switched off"
    print_result(arguments.json, told, "\n".join([text, *([table(rows, "<<")] if rows else [])]))
    return 0


def export(arguments: argparse.Namespace) -> int:
    """Write a copy of a hand into a new file; another machine can read with it as `--hand FILE`."""
    from edge_lpdpl.files.atomic import check_new, check_place
    from edge_lpdpl.library.hands import hand_file, load_hand
    from edge_lpdpl.numeral.hand import write_hand

    hand, path = load_hand(arguments.hand, must_exist=True), hand_file(arguments.hand)
    check_place(arguments.file, *([path] if path else []))
    check_new(arguments.file)
    write_hand(arguments.file, hand)
    text = f"{printable(str(arguments.file))}: {_samples(len(hand))}"
    print_result(arguments.json, {"file": str(arguments.file), "samples": len(hand)}, text)
    return 0


def forget(arguments: argparse.Namespace) -> int:
    """Forget samples, as if they had never been taught."""
    from edge_lpdpl.library.hands import changing, load_hand
    from edge_lpdpl.numeral.hand import write_hand

    with changing(arguments.hand) as path:
        hand = load_hand(arguments.hand, must_exist=True)
        with _naming(str(path)):
            left = hand.without(arguments.samples)
        write_hand(path, left)
    return _kept(arguments, path, len(left))


def clear(arguments: argparse.Namespace) -> int:
    """Forget everything, also where the file is damaged."""
    from edge_lpdpl.library.hands import changing, check_clearable, load_hand
    from edge_lpdpl.numeral.hand import Hand, write_hand

    with changing(arguments.hand) as path:
        if not path.exists():
            load_hand(arguments.hand, must_exist=True)  # a mistyped name would begin a hand
        check_clearable(path)
        write_hand(path, Hand())
    return _kept(arguments, path, 0)


def ask_teach(arguments: argparse.Namespace) -> int:
    """Teach the running service what a numeral of one of its last decisions is."""
    numeral = {"decision": arguments.decision, "numeral": arguments.numeral, "label": arguments.label}
    answer = ask_service(arguments, {"request": "teach", **numeral, "sure": arguments.yes})
    if not answer.get("ok"):
        raise ServiceError(f"{answer.get('doubt')}; nothing was taught; teach it with --yes if it is right")
    if answer.get("sample") is None:
        answer["note"] = "the hand has this picture already"
    if answer.get("read") not in (None, arguments.label):
        answer["note"] = f"{answer.get('note')}; {_STILL.format(answer['read'])}"
    return _answered(arguments, answer)


def ask_forget(arguments: argparse.Namespace) -> int:
    """Let the running service forget a sample, or all of them."""
    what = {"all": True} if arguments.sample == "all" else {"sample": arguments.sample}
    return _answered(arguments, ask_service(arguments, {"request": "forget", **what}))


def ask_hand(arguments: argparse.Namespace) -> int:
    """Print what was taught to the running service."""
    answer = ask_service(arguments, {"request": "hand"})
    rows = [[printable(str(one["sample"])), printable(str(one["label"]))] for one in answer.get("samples", ())]
    text = [f"{printable(str(answer.get('hand')))}: {_samples(len(rows))}", *([table(rows, "<<")] if rows else [])]
    print_result(arguments.json, answer, "\n".join(text))
    return 0


def add_hand_commands(commands: Any, group: Callable[[str, str], Any], add: Add) -> None:
    """Add `teach` and `hand` to a command line; `group` and `add` as for `add_live_commands`."""
    added = add(commands, "teach", teach)
    added.add_argument("pictures", nargs="+", metavar="PICTURE", help="of one numeral")
    added.add_argument("label", metavar="LABEL", help="the character that it is")
    added.add_argument("--yes", action="store_true", help="also what corrects the hand or turns the model")
    added.add_argument("--polarity", choices=("auto", "light", "dark"), default="auto", help="of the ink (%(default)s)")
    added.add_argument("--single", action="store_true", help="a picture is one numeral, whatever its size")
    text = "which knows the character, a shipped one or a file; %(default)s when left out"
    added.add_argument("--model", default="chinese15", metavar="NAME_OR_FILE", help=text)
    added.add_argument("--backend", choices=("auto", "numba", "numpy"), default="auto", help="kernels or NumPy")
    add_hand(added)

    hands = group("hand", "show, export or change what was taught")
    added = add(hands, "show", show)
    added.add_argument("--sheet", type=Path, metavar="FILE.png", help="draw all samples")
    add_hand(added)
    added = add(hands, "export", export)
    added.add_argument("file", type=Path, metavar="FILE.hand")
    add_hand(added)
    added = add(hands, "forget", forget)
    added.add_argument("samples", nargs="+", metavar="SAMPLE", help="as `hand show` names it")
    add_hand(added)
    add_hand(add(hands, "clear", clear))


def add_ask_commands(asks: Any, add: Add) -> None:
    """Add what teaches the running service to the group `ask`."""
    added = add(asks, "teach", ask_teach)
    added.add_argument("decision", type=_whole_number, metavar="FRAME", help="frame.sequence of a message")
    added.add_argument("numeral", type=_whole_number, metavar="N", help="place in its `numerals`, counted from 0")
    added.add_argument("label", metavar="LABEL", help="the character that it is")
    added.add_argument("--yes", action="store_true", help="also what corrects the hand or turns the model")
    add_socket(added)
    added = add(asks, "forget", ask_forget)
    added.add_argument("sample", metavar="SAMPLE", help='as `ask hand` names it, or "all"')
    add_socket(added)
    add_socket(add(asks, "hand", ask_hand))


def add_hand(parser: argparse.ArgumentParser) -> None:
    """The option that names a hand."""
    text = '"auto", another name, a file, or "off" (%(default)s; docs/hand.md)'
    parser.add_argument("--hand", default="auto", metavar="NAME_OR_FILE", help=text)


def _whole_number(text: str) -> int:
    if not (text.isdecimal() and len(text) <= 16 and int(text) <= _LARGEST):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number")
    return int(text)


def _check_known(label: str, model: Any) -> None:
    """Name a shipped model that knows the label, where this one does not."""
    from edge_lpdpl.library.shipped import shipped_model, shipped_models
    from edge_lpdpl.model.files import read_model

    if label in (one.character for one in model.labels):
        return
    others = (
        name for name in shipped_models() if label in (one.character for one in read_model(shipped_model(name)).labels)
    )
    known = " ".join(one.character for one in model.labels)
    hint = f"--model {other} does" if (other := next(others, None)) else f"only {known}"
    raise HandError(f"{printable(label)[:20]}: {model.name} does not know it; {hint}")


def _only_numeral(reader: Any, grey: Any, polarity: str) -> tuple[Any, str]:
    """A picture of one numeral and the polarity of its ink: the cut-out where the picture is read as a page."""
    count = len(reader.read(grey).numerals)
    if not reader.as_page:
        return grey, polarity
    if count != 1:
        raise HandError(f"shows {count} numerals; give a picture of one, or --single")
    return reader.cut_outs()[0], "light"


def _samples(count: int) -> str:
    return "1 sample" if count == 1 else f"{count} samples"


def _kept(arguments: argparse.Namespace, path: Path, count: int) -> int:
    service = _tell_service(path)
    text = f"{printable(str(path))}: {_samples(count)} left" + (f"; {service}" if service else "")
    print_result(arguments.json, {"hand": str(path), "samples": count, "service": service}, text)
    return 0


def _tell_service(path: Path) -> str | None:
    """Have the running service read with a hand that was changed. Returns what became of it; None where no service
    runs, or it reads with another hand."""
    from edge_lpdpl.live.client import Client
    from edge_lpdpl.live.place import default_socket

    try:
        client = Client(default_socket())
    except ServiceError:
        return None
    try:
        with client:
            answer = client.ask({"request": "wear", "hand": os.path.realpath(path)})
    except ServiceError as error:
        return f"a service runs, and may read with the old hand until it is reloaded ({error})"
    return f"the running service: {printable(str(answer.get('note')))}" if answer.get("ok") else None


def _answered(arguments: argparse.Namespace, answer: dict[str, Any]) -> int:
    print_result(arguments.json, answer, printable(str(answer.get("note", "done"))))
    return 0
