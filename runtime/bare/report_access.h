/* What report_access.c has where there is no operating system. */

/* What a library may define in place of these: as calls of what may not be there they would have to be taken
   to change every register, and processors without floating point could not save those. */

/* A store is half of an exchange.  The decoders say so in the call: no variable could, since an interrupt
   may come in between. */
__attribute__((weak)) void inst_exchange(inst_address address, inst_address pc, uint64_t value,
                                         unsigned size)
{
    inst_report_store(size, address, pc, value, 0);
}

/* What comes next in the order of all processors. */
__attribute__((weak)) void inst_order(inst_address address, const char *how)
{
    (void)address, (void)how;
}

int inst_report_several(unsigned size, int stores, inst_address address, inst_address pc,
                        const inst_address *registers)
{
    (void)size, (void)stores, (void)address, (void)pc, (void)registers;
    return 0;
}

void inst_report_order(unsigned size, inst_address address, const char *how)
{
    (void)size;
    inst_order(address, how);
}

void inst_report_exchange(unsigned size, inst_address address, inst_address pc, uint64_t value)
{
    inst_exchange(address, pc, value, size);
}
