/* What the decoders of both widths know of instruction words. */
#ifndef INST_DECODE_H
#define INST_DECODE_H

#include <opcodes.h>
#include <stdint.h>

static inline int is_system_call(uint32_t word)
{
    enum { XCC = 0x1000 };
    uint32_t always = word & ~XCC;      /* whichever condition codes "always" is asked of */
    return always == WORD_SYSTEM_CALL_32 || always == WORD_SYSTEM_CALL_64;
}

#endif
