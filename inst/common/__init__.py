"""Shared by all other packages: command lines, processes, files, messages, exit statuses."""
