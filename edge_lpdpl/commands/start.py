"""Where `edge-lpdpl` begins. It imports nothing at first: Ctrl-C while the program loads leaves no traceback."""


def start() -> int:
    """Load the program and run the command of `sys.argv`; returns its exit status, 130 after Ctrl-C."""
    try:
        from edge_lpdpl.commands.main import main

        return main()
    except KeyboardInterrupt:
        return 130
