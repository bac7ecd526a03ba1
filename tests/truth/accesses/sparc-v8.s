! Every kind of access, in a known order: tests/truth/test_plugins.py knows what must be logged.
        .section ".data"
        .align 64
buffer: .skip 128
        .section ".text"
        .global _start
        .align 4
_start:
        sethi   %hi(buffer), %l0
        or      %l0, %lo(buffer), %l0
        mov     1, %l1
        stb     %l1, [%l0 + 1]
        sth     %l1, [%l0 + 2]
        st      %l1, [%l0 + 4]
        std     %l2, [%l0 + 8]
        ldub    [%l0 + 1], %l1
        ldsb    [%l0 + 1], %l1
        lduh    [%l0 + 2], %l1
        ldsh    [%l0 + 2], %l1
        ld      [%l0 + 4], %l1
        ldd     [%l0 + 8], %l2
        ld      [%l0 + 16], %f0
        st      %f0, [%l0 + 20]
        ldd     [%l0 + 24], %f2
        std     %f2, [%l0 + 32]
        st      %fsr, [%l0 + 40]
        ld      [%l0 + 40], %fsr
        ldstub  [%l0 + 48], %l1
        swap    [%l0 + 52], %l1
        add     %l0, 56, %l4
        mov     0, %l5
        mov     7, %l6
        casa    [%l4] 0x80, %l5, %l6     ! equal: stores
        mov     1, %l5
        mov     7, %l6
        casa    [%l4] 0x80, %l5, %l6     ! not equal
        ldda    [%l4] 0x80, %l6
        call    deep
        mov     12, %o0
        mov     0, %o0
        mov     1, %g1
        ta      0x10
deep:   save    %sp, -96, %sp            ! windows overflow into the stack and come back
        subcc   %i0, 1, %o0
        be      1f
        nop
        call    deep
        nop
1:      ret
        restore
