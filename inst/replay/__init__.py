"""Re-execution: instructions run again from registers and from the values that loads returned."""
