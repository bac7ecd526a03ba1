/* A program that knows what each register of each window must be when a restore has brought it
   back: every function fills its window with a number of its own and writes it down.

   descend calls itself until it is 44 frames deep, more than there are windows, and each depth
   leaves in another way.  LEAVING stands in front of each restore.  */
#define DEPTH 44
#define FILL                                                                                \
	sethi %hi(depth),%g1; ld [%g1+%lo(depth)],%g2; add %g2,1,%g2; st %g2,[%g1+%lo(depth)];  \
	sethi %hi(serial),%g1; ld [%g1+%lo(serial)],%g3; add %g3,1,%g3; st %g3,[%g1+%lo(serial)]; \
	sll %g3,8,%l0; add %l0,1,%l1; add %l0,2,%l2; add %l0,3,%l3; add %l0,4,%l4;              \
	add %l0,5,%l5; add %l0,6,%l6; add %l0,7,%l7; add %l0,16,%i0; add %l0,17,%i1;            \
	add %l0,18,%i2; add %l0,19,%i3; add %l0,20,%i4; add %l0,21,%i5;                         \
	sll %g2,6,%g3; sethi %hi(expected),%g1; or %g1,%lo(expected),%g1; add %g1,%g3,%g1;      \
	std %i0,[%g1]; std %i2,[%g1+8]; std %i4,[%g1+16]; std %i6,[%g1+24];                     \
	std %l0,[%g1+32]; std %l2,[%g1+40]; std %l4,[%g1+48]; std %l6,[%g1+56]
#define LEAVING                                                                             \
	sethi %hi(depth),%g1; ld [%g1+%lo(depth)],%g2; sub %g2,1,%g2; st %g2,[%g1+%lo(depth)]

	.section ".text"
	.align 4
	.global descend
	.type descend, #function
descend:
	save %sp,-96,%sp
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
	ld [%o0+%lo(at_bottom)],%o0
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
	sethi %hi(.Lcrowd-16),%o3
	or %o3,%lo(.Lcrowd-16),%o3
	mov 16,%o4
	jmp %o3+%o4
	 restore
.Lcrowd:
	add %g1,%g2,%g1
	add %g3,%g4,%g3
	add %g1,%g3,%g1
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
expected: .skip 64*64
	.ident "written by hand"
