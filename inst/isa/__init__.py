"""What each instruction reads, writes, touches and transfers to: tables, one package per ISA."""
