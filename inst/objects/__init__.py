"""Relocatable objects as assembly: ELF in, text that GNU as makes the same object of, out."""
