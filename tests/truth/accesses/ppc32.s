# Every kind of access, in a known order.
        .data
        .balign 128
buffer: .skip 1024
        .text
        .global _start
_start: lis 31,buffer@ha
        addi 31,31,buffer@l
        li 5,1
        stb 5,1(31)
        sth 5,2(31)
        stw 5,4(31)
        lbz 5,1(31)
        lhz 5,2(31)
        lha 5,2(31)
        lwz 5,4(31)
        mr 6,31
        stwu 5,8(6)
        lwzu 5,-8(6)
        lfs 1,16(31)
        stfs 1,20(31)
        lfd 2,24(31)
        stfd 2,32(31)
        li 7,40
        stfiwx 2,31,7
        lwbrx 5,31,7
        sthbrx 5,31,7
        stw 5,45(31)    # unaligned
        lfd 2,50(31)
        li 28,0
        stmw 28,64(31)
        mr 3,31
        lmw 28,64(3)
        lis 31,buffer@ha
        addi 31,31,buffer@l
        addi 6,31,80
        lswi 8,6,7
        stswi 8,6,7
        li 7,5
        mtxer 7
        li 7,0
        lswx 8,6,7
        stswx 8,6,7
        addi 6,31,256
        dcbz 0,6
        lwarx 5,0,6
        stwcx. 5,0,6
        stwcx. 5,0,6     # no reservation: does not store
        lwarx 5,0,6
        addi 9,6,128
        stwcx. 5,0,9     # another address
        li 0,1
        li 3,0
        sc
