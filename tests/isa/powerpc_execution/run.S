/* run(in, out, slot): load every register from a context, run one slot, store them all.
   Only r1 is ours.  A slot takes ctr from r31 and r31 from 64(r1), then runs its instruction. */

#define FRAME 1024
#define VS 256
#define CR 1280
#define LR 1288
#define CTR 1296
#define XER 1304
#define FPSCR 1312
#define VSCR 1328

    .macro each_general operation, base
    .irp n, 0,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    \operation \n, 8*\n(\base)
    .endr
    .endm

    .macro each_vsx operation, base
    .set n, 0
    .rept 64
    li 6, VS+16*n
    \operation n, \base, 6
    .set n, n+1
    .endr
    .endm

    .section .opd,"aw"
    .globl run
run:
    .quad .Lrun, .TOC.@tocbase, 0
    .text
.Lrun:
    mflr 0
    std 0, 16(1)
    stdu 1, -FRAME(1)
    mfcr 0
    std 0, 56(1)
    .irp n, 2,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    std \n, 128+8*\n(1)
    .endr
    .irp n, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    stfd \n, 512+8*\n(1)
    .endr
    .set n, 20
    .rept 12
    li 6, 768+16*(n-20)
    stvx n, 1, 6
    .set n, n+1
    .endr
    std 4, 48(1)
    mr 31, 3
    mtctr 5
    lfd 0, FPSCR(31)
    mtfsf 255, 0
    addi 6, 31, VSCR
    lvx 0, 0, 6
    mtvscr 0
    each_vsx lxvd2x, 31
    ld 6, CR(31)
    mtcr 6
    ld 6, LR(31)
    mtlr 6
    ld 6, XER(31)
    mtxer 6
    ld 6, 8*31(31)
    std 6, 64(1)
    each_general ld, 31
    ld 31, CTR(31)
    bctr

done:
    std 31, 72(1)
    ld 31, 48(1)
    each_general std, 31
    ld 0, 72(1)
    std 0, 8*31(31)
    mfcr 6
    std 6, CR(31)
    mflr 6
    std 6, LR(31)
    mfctr 6
    std 6, CTR(31)
    mfxer 6
    std 6, XER(31)
    each_vsx stxvd2x, 31
    mffs 0
    stfd 0, FPSCR(31)
    mfvscr 0
    addi 6, 31, VSCR
    stvx 0, 0, 6
    ld 0, 56(1)
    mtcr 0
    .irp n, 2,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld \n, 128+8*\n(1)
    .endr
    .irp n, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    lfd \n, 512+8*\n(1)
    .endr
    .set n, 20
    .rept 12
    li 6, 768+16*(n-20)
    lvx n, 1, 6
    .set n, n+1
    .endr
    addi 1, 1, FRAME
    ld 0, 16(1)
    mtlr 0
    blr

    .macro slot word
    mtctr 31
    ld 31, 64(1)
    .long \word
    b done
    .endm

    .globl slots
    .balign 16
slots:
#include "slots.h"
