"""What every other package may use: command lines, processes, files, messages, exit statuses."""
