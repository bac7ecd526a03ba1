"""The subcommands of inst, one module each: `add_arguments(parser)` and `run(args)`."""
