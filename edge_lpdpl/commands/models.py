"""The texts that `edge-lpdpl model show`, `verify` and `install` print for people."""

from typing import Any

from edge_lpdpl.files.text import printable, table


def model_card(shown: dict[str, Any]) -> str:
    """The result of `show_model`, for people."""
    folding, training, accuracy = shown["folding"], shown["training"], shown["accuracy"]
    steps = f"{shown['features']} features -> {folding['dimensions']} dimensions -> {shown['classes']} classes"
    calibration, rejection = shown["calibration"], shown["rejection"]
    rows = [
        ["name", f"{shown['name']} (profile {shown['profile']})"],
        ["reads", " ".join(character for character, _ in shown["labels"])],
        ["values", " ".join(f"{value:,}" for _, value in shown["labels"])],
        ["decides by", f"{steps}, rank {folding['rank']}, from {folding['atoms']} atoms a class"],
        ["size", f"{shown['file_bytes']:,} bytes, of which at most {shown['weight_bytes']:,} are used in a decision"],
        ["trained on", f"{training['data']}: {training['images']:,} pictures, seed {training['seed']}"],
        ["", training["digest"]],
        ["accuracy", _accuracy(accuracy)],
        ["calibration", f"expected error {calibration['expected_calibration_error']:.2%}"],
        ["rejects", f"{_rejected(shown)}: {rejection['false_rejects']:.1%} of right readings"],
        ["non-numerals", _accepted(calibration)],
        ["self-test", f"{shown['selftest_samples']} samples (run it: edge-lpdpl model verify)"],
        ["dictionaries", "included" if shown["has_dictionaries"] else "not included"],
        ["digest", shown["digest"]],
        ["file", printable(shown["file"])],
    ]
    return table(rows, "<<")


def model_table(listed: list[dict[str, Any]]) -> str:
    """The result of `list_models`, for people."""
    rows = [["name", "reads", "profile", "where", "digest"]]
    for one in listed:
        if one["problem"]:
            rows.append(["-", "-", "-", one["where"], one["problem"]])
        else:
            rows.append([one["name"], one["reads"], one["profile"], one["where"], one["digest"][:19]])
    return table(rows, "<<<<<")


def verify_report(found: dict[str, Any]) -> str:
    """The result of `verify_model`, for people."""
    tested = f"{found['selftest_samples']} self-tests pass with {found['backend']}"
    whose = f"; signed by {printable(found['signed_by'])}" if found["signed_by"] else "; shipped" * found["shipped"]
    return f"{printable(found['file'])}: ok, {tested}{whose}\n{found['name']} {found['digest']}"


def sign_report(made: dict[str, Any]) -> str:
    """The result of `sign_model`, for people."""
    return f"{printable(made['signature'])}: signed with {made['key']}\n{made['name']} {made['digest']}"


def install_report(done: dict[str, Any]) -> str:
    """The result of `install_model`, for people."""
    what = "staged" if done["staged"] else "installed" if done["changed"] else "already installed"
    return f"{verify_report(done)}\n{what} as {printable(done['installed'])}"


def _accuracy(accuracy: dict[str, Any] | None) -> str:
    if accuracy is None:
        return "not measured"
    spread = f" +- {accuracy['std']:.2%}" if accuracy.get("std") is not None else ""
    return f"{accuracy['value']:.2%}{spread} ({accuracy['protocol']})"


def _accepted(calibration: dict[str, Any]) -> str:
    """How many non-numerals the model accepts, as the trainer measured it; the numbers come unchecked from the file."""
    kinds = (
        ("strangers", "held-out drawn shapes"),
        ("characters", "characters"),
        ("struck", "held-out numerals that are struck out"),
    )
    measured = [
        f"{share:.1%} of {count:,} {what}"
        for kind, what in kinds
        if isinstance(share := calibration.get(f"{kind}_accepted"), float)
        and isinstance(count := calibration.get(kind), int)
    ]
    return f"{', '.join(measured)} are accepted" if measured else "not measured"


def _rejected(shown: dict[str, Any]) -> str:
    """The rules by which the model rejects, for people."""
    least = shown["rejection"]["threshold"]
    rules = ["numerals unlike their class (novelty above 1)"] if shown["checks_novelty"] else []
    rules += [f"numerals below confidence {least:.1%}"] if least > 0 or not rules else []
    return " and ".join(rules)
