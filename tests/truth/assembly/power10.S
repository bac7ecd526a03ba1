/* Every access of an instruction of two words, one function for each kind, for both ABIs:
   int form_NAME(int flag, int *words), called with flags 0 and 1 by forms.c.  QEMU 7.2 starts plq and
   pstq over, as lq and stq, and logs them twice: only QUADS asks for them. */
#if _CALL_ELF == 2
#define ENTRY(name) .globl name; .type name, @function; name:
	.abiversion 2
#else
#define ENTRY(name) .globl name; .type name, @function; .section .opd,"aw"; .balign 8; \
	name: .quad .L.name,.TOC.@tocbase,0; .previous; .L.name:
#endif
	.machine power10
	.text

ENTRY(form_longer_general)
	plbz	5,3(4),0
	plhz	6,6(4),0
	plha	7,70(4),0
	plwz	8,60(4),0
	plwa	9,64(4),0
	pld	10,40(4),0
	pstb	5,100(4),0
	psth	6,102(4),0
	pstw	8,104(4),0
	pstd	10,112(4),0
	add	3,5,6
	add	3,3,7
	add	3,3,8
	add	3,3,9
	paddi	11,4,0x12340,0
	pld	10,-0x12340(11),0
	pld	11,-0x12338(11),0	/* overwrites its own address */
	add	3,3,10
	add	3,3,11
	blr

ENTRY(form_longer_relative)
	plbz	5,cells+1@pcrel
	plhz	6,cells+2@pcrel
	plha	7,cells+4@pcrel
	plwz	8,cells+8@pcrel
	plwa	9,cells+12@pcrel
	pld	10,cells+16@pcrel
	pstb	6,room+1@pcrel
	psth	7,room+2@pcrel
	pstw	9,room+4@pcrel
	pstd	10,room+8@pcrel
	add	3,5,6
	add	3,3,7
	add	3,3,8
	add	3,3,9
	add	3,3,10
	pld	10,room@pcrel
	pld	11,room+8@pcrel
	std	10,0(4)
	std	11,8(4)
	blr

ENTRY(form_longer_floating)
	plfs	1,0(4),0
	plfd	2,8(4),0
	pstfs	1,96(4),0
	pstfd	2,104(4),0
	plfs	3,cells@pcrel
	plfd	4,cells+8@pcrel
	fadd	4,4,3
	pstfs	3,room@pcrel
	pstfd	4,room+8@pcrel
	pld	5,room@pcrel
	pld	6,room+8@pcrel
	std	5,0(4)
	std	6,8(4)
	add	3,5,6
	blr

ENTRY(form_longer_scalar)
	plxsd	1,16(4),0
	plxssp	2,24(4),0
	pstxsd	1,96(4),0
	pstxssp	2,104(4),0
	plxsd	31,cells@pcrel
	plxssp	30,cells+8@pcrel
	pstxsd	31,room@pcrel
	pstxssp	30,room+8@pcrel
	pld	5,room@pcrel
	pld	6,room+8@pcrel
	std	5,0(4)
	std	6,8(4)
	add	3,5,6
	blr

ENTRY(form_longer_vector)
	plxv	0,16(4),0
	plxv	33,32(4),0
	pstxv	0,80(4),0
	pstxv	33,96(4),0
	plxv	40,cells@pcrel
	plxv	13,cells+16@pcrel
	pstxv	13,room@pcrel
	pstxv	40,room+16@pcrel
	lxv	1,16(4)
	pstxv	1,48(4),0
	pld	5,room@pcrel
	pld	6,room+24@pcrel
	add	3,5,6
	blr

ENTRY(form_longer_pair)
	plxvp	0,16(4),0
	plxvp	34,32(4),0
	pstxvp	0,64(4),0
	pstxvp	34,96(4),0
	plxvp	2,cells@pcrel
	pstxvp	2,room@pcrel
	plxvp	62,room@pcrel
	pstxvp	62,0(4),0
	pld	5,room@pcrel
	pld	6,room+24@pcrel
	add	3,5,6
	blr

#ifdef QUADS
ENTRY(form_longer_quad)
	plq	6,16(4),0
	pstq	6,64(4),0
	lq	10,16(4)
	stq	10,64(4)
	pstq	10,64(4),0
	plq	8,cells@pcrel
	pstq	8,room@pcrel
	pstq	8,96(4),0
	add	3,6,9
	blr
#endif

	.data
	.balign 32
cells:	.quad	0x4122334455667788, 0x40aabbccddeeff00, 0x0123456789abcdef, 0x3ff0123456789abc
room:	.quad	0, 0, 0, 0
	.section .note.GNU-stack,"",@progbits
