/* A program that knows what each register of each window must be when a restore has brought it
   back: every function fills its window with a number of its own and writes it down.

   descend calls itself until it is 44 frames deep, more than there are windows, and each depth
   leaves in another way.  LEAVING stands in front of each restore.  */
#define DEPTH 44
#ifdef __arch64__
	.register %g2,#scratch
	.register %g3,#scratch
#define FRAME 176
#define LOAD ldx
#define SERIAL sllx %g3,40,%l0  /* so that each half of a register counts */
#define LOG2_WINDOW 7
#define KEEP                                                                                \
	stx %i0,[%g1]; stx %i1,[%g1+8]; stx %i2,[%g1+16]; stx %i3,[%g1+24];                     \
	stx %i4,[%g1+32]; stx %i5,[%g1+40]; stx %i6,[%g1+48]; stx %i7,[%g1+56];                 \
	stx %l0,[%g1+64]; stx %l1,[%g1+72]; stx %l2,[%g1+80]; stx %l3,[%g1+88];                 \
	stx %l4,[%g1+96]; stx %l5,[%g1+104]; stx %l6,[%g1+112]; stx %l7,[%g1+120]
#else
#define FRAME 96
#define LOAD ld
#define SERIAL sll %g3,8,%l0
#define LOG2_WINDOW 6
#define KEEP                                                                                \
	std %i0,[%g1]; std %i2,[%g1+8]; std %i4,[%g1+16]; std %i6,[%g1+24];                     \
	std %l0,[%g1+32]; std %l2,[%g1+40]; std %l4,[%g1+48]; std %l6,[%g1+56]
#endif
#define FILL                                                                                \
	sethi %hi(depth),%g1; ld [%g1+%lo(depth)],%g2; add %g2,1,%g2; st %g2,[%g1+%lo(depth)];  \
	sethi %hi(serial),%g1; ld [%g1+%lo(serial)],%g3; add %g3,1,%g3; st %g3,[%g1+%lo(serial)]; \
	SERIAL; add %l0,1,%l1; add %l0,2,%l2; add %l0,3,%l3; add %l0,4,%l4;                     \
	add %l0,5,%l5; add %l0,6,%l6; add %l0,7,%l7; add %l0,16,%i0; add %l0,17,%i1;            \
	add %l0,18,%i2; add %l0,19,%i3; add %l0,20,%i4; add %l0,21,%i5;                         \
	sll %g2,LOG2_WINDOW,%g3; sethi %hi(expected),%g1; or %g1,%lo(expected),%g1;             \
	add %g1,%g3,%g1; KEEP
#define LEAVING                                                                             \
	sethi %hi(depth),%g1; ld [%g1+%lo(depth)],%g2; sub %g2,1,%g2; st %g2,[%g1+%lo(depth)]

	.section ".text"
	.align 4
	.global descend
	.type descend, #function
descend:
	save %sp,-FRAME,%sp
	FILL
	cmp %g2,DEPTH
	bge .Lbottom
	 nop
	call descend
	 nop
	ba .Lchoose
	 nop
.Lbottom:
	sethi %hi(at_bottom),%o0
	LOAD [%o0+%lo(at_bottom)],%o0
	call %o0
	 nop
.Lchoose:
	LEAVING
	and %g2,7,%g2
	cmp %g2,1
	be .Lstraight
	 cmp %g2,2
	be .Ljump
	 cmp %g2,3
	be .Ltail
	 cmp %g2,4
	be .Lthrough
	 cmp %g2,5
	be .Lannulled
	 cmp %g2,6
	be .Lcrowded
	 cmp %g2,7
	be .Lbranch
	 nop
	ret
	 restore
.Lstraight:
	restore
	retl
	 nop
.Ljump:
	jmpl %i7+8,%g0
	 restore %g0,7,%o0
.Ltail:
	call leaf
	 restore
.Lthrough:
	sethi %hi(leaf),%g1
	or %g1,%lo(leaf),%g1
	jmp %g1
	 restore
.Lannulled:
	be,a .Lout
	 restore
	ret
	 restore
.Lbranch:
	be .Lout
	 restore
	retl
	 nop
.Lout:
	retl
	 nop
.Lcrowded:
	mov 1,%g1
	mov 2,%g2
	mov 3,%g3
	mov 4,%g4
#ifdef __arch64__
	mov 0,%g5
#endif
	sethi %hi(.Lcrowd-16),%o3
	or %o3,%lo(.Lcrowd-16),%o3
	mov 16,%o4
	jmp %o3+%o4
	 restore
.Lcrowd:
	add %g1,%g2,%g1
	add %g3,%g4,%g3
	add %g1,%g3,%g1
#ifdef __arch64__
	add %g1,%g5,%g1
#endif
	sethi %hi(crowded),%g3
	ld [%g3+%lo(crowded)],%g4
	add %g4,%g1,%g4
	retl
	 st %g4,[%g3+%lo(crowded)]
	.size descend,.-descend

	.type leaf, #function
leaf:
	retl
	 mov 5,%o0
	.size leaf,.-leaf

	.section ".bss"
	.align 8
	.global depth, serial, expected, crowded
depth:	.skip 4
serial:	.skip 4
crowded: .skip 8
expected: .skip 64<<LOG2_WINDOW
	.ident "written by hand"
