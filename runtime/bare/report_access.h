/* What report_access.c has where there is no operating system. */

/* The decoders tell that a store is half of an exchange before the hook is called, and the hook that
   needs it defines this: no variable could, since an interrupt may come in between. */
void inst_exchange(inst_address address, inst_address pc, uint64_t value, unsigned size)
    __attribute__((weak));

int inst_report_several(unsigned size, int stores, inst_address address, inst_address pc,
                        const inst_address *registers)
{
    (void)size, (void)stores, (void)address, (void)pc, (void)registers;
    return 0;
}

/* Of the library `ring`, where several processors have rings. */
void inst_order(inst_address address, const char *how) __attribute__((weak));

void inst_report_order(unsigned size, inst_address address, const char *how)
{
    (void)size;
    if (inst_order)
        inst_order(address, how);
}

void inst_report_exchange(unsigned size, inst_address address, inst_address pc, uint64_t value)
{
    if (inst_exchange)
        inst_exchange(address, pc, value, size);
    else
        inst_report_store(size, address, pc, value, 0);
}
