//go:build amd64 && !purego

#include "textflag.h"

DATA quoteByte<>+0(SB)/1, $0x22
GLOBL quoteByte<>(SB), RODATA|NOPTR, $1
DATA slashByte<>+0(SB)/1, $0x5c
GLOBL slashByte<>(SB), RODATA|NOPTR, $1
DATA controlByte<>+0(SB)/1, $0x1f
GLOBL controlByte<>(SB), RODATA|NOPTR, $1

// markBlock leaves the marks of the 64 bytes at (SI) in AX and adds the bytes to the union in Y13.
// x <= 0x1f exactly where min(x, 0x1f) = x, without sign.
#define markBlock \
	VMOVDQU   (SI), Y0        \
	VMOVDQU   32(SI), Y1      \
	VPOR      Y0, Y13, Y13    \
	VPOR      Y1, Y13, Y13    \
	VPMINUB   Y12, Y0, Y2     \
	VPMINUB   Y12, Y1, Y3     \
	VPCMPEQB  Y0, Y2, Y2      \
	VPCMPEQB  Y1, Y3, Y3      \
	VPCMPEQB  Y0, Y10, Y4     \
	VPCMPEQB  Y1, Y10, Y5     \
	VPCMPEQB  Y0, Y11, Y6     \
	VPCMPEQB  Y1, Y11, Y7     \
	VPOR      Y4, Y2, Y2      \
	VPOR      Y5, Y3, Y3      \
	VPOR      Y6, Y2, Y2      \
	VPOR      Y7, Y3, Y3      \
	VPMOVMSKB Y2, AX          \
	VPMOVMSKB Y3, BX          \
	SHLQ      $32, BX         \
	ORQ       BX, AX

// func markAVX2(dst *uint64, src *byte, n int) (high uint64)
TEXT ·markAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), DX
	MOVQ DX, CX
	SHRQ $6, CX

	VPBROADCASTB quoteByte<>(SB), Y10
	VPBROADCASTB slashByte<>(SB), Y11
	VPBROADCASTB controlByte<>(SB), Y12
	VPXOR        Y13, Y13, Y13

loop:
	markBlock
	MOVQ AX, (DI)
	ADDQ $64, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  loop

	// The last 64 bytes once more, to get at those beyond the whole blocks: their marks are shifted down to the first bits of the last
	// word, and the bits behind the end of the text are set.
	MOVQ DX, CX
	ANDQ $63, CX
	SUBQ $64, SI
	ADDQ CX, SI
	markBlock
	MOVQ $-1, BX
	SHLQ CX, BX
	MOVQ $64, DX
	SUBQ CX, DX
	MOVQ DX, CX
	SHRQ $1, AX  // by 64 - CX in two steps, because 64 is none
	DECQ CX
	SHRQ CX, AX
	ORQ  BX, AX
	MOVQ AX, (DI)

	VPMOVMSKB Y13, AX
	VZEROUPPER
	MOVQ AX, high+24(FP)
	RET

// The tables of Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte": each bit is one kind of error, and a pair
// of bytes is wrong where all three tables, indexed by the nibbles of the pair, have the bit.
DATA firstHigh<>+0(SB)/8, $0x0202020202020202
DATA firstHigh<>+8(SB)/8, $0x4915012180808080
DATA firstHigh<>+16(SB)/8, $0x0202020202020202
DATA firstHigh<>+24(SB)/8, $0x4915012180808080
GLOBL firstHigh<>(SB), RODATA|NOPTR, $32
DATA firstLow<>+0(SB)/8, $0xcbcbcb8b8383a3e7
DATA firstLow<>+8(SB)/8, $0xcbcbdbcbcbcbcbcb
DATA firstLow<>+16(SB)/8, $0xcbcbcb8b8383a3e7
DATA firstLow<>+24(SB)/8, $0xcbcbdbcbcbcbcbcb
GLOBL firstLow<>(SB), RODATA|NOPTR, $32
DATA secondHigh<>+0(SB)/8, $0x0101010101010101
DATA secondHigh<>+8(SB)/8, $0x01010101babaaee6
DATA secondHigh<>+16(SB)/8, $0x0101010101010101
DATA secondHigh<>+24(SB)/8, $0x01010101babaaee6
GLOBL secondHigh<>(SB), RODATA|NOPTR, $32

DATA nibbleMask<>+0(SB)/1, $0x0f
GLOBL nibbleMask<>(SB), RODATA|NOPTR, $1
DATA topBit<>+0(SB)/1, $0x80
GLOBL topBit<>(SB), RODATA|NOPTR, $1
DATA threeBytes<>+0(SB)/1, $0x60
GLOBL threeBytes<>(SB), RODATA|NOPTR, $1
DATA fourBytes<>+0(SB)/1, $0x70
GLOBL fourBytes<>(SB), RODATA|NOPTR, $1

// func utf8AVX2(src *byte, blocks int) (bad uint64)
TEXT ·utf8AVX2(SB), NOSPLIT, $0-24
	MOVQ src+0(FP), SI
	MOVQ blocks+8(FP), CX

	VMOVDQU      firstHigh<>(SB), Y8
	VMOVDQU      firstLow<>(SB), Y9
	VMOVDQU      secondHigh<>(SB), Y10
	VPBROADCASTB nibbleMask<>(SB), Y11
	VPBROADCASTB topBit<>(SB), Y12
	VPBROADCASTB threeBytes<>(SB), Y13
	VPBROADCASTB fourBytes<>(SB), Y14
	VPXOR        Y15, Y15, Y15         // errors
	VPXOR        Y1, Y1, Y1            // the block before

next:
	VMOVDQU   (SI), Y0
	VPOR      Y0, Y1, Y2
	VPMOVMSKB Y2, AX
	TESTL     AX, AX
	JZ        ascii

	// Y2, Y3, Y4: the bytes one, two and three places before each byte of the block.
	VPERM2I128 $0x21, Y0, Y1, Y5
	VPALIGNR   $15, Y5, Y0, Y2
	VPALIGNR   $14, Y5, Y0, Y3
	VPALIGNR   $13, Y5, Y0, Y4

	VPSRLW  $4, Y2, Y5
	VPAND   Y11, Y5, Y5
	VPSHUFB Y5, Y8, Y5
	VPAND   Y11, Y2, Y6
	VPSHUFB Y6, Y9, Y6
	VPSRLW  $4, Y0, Y7
	VPAND   Y11, Y7, Y7
	VPSHUFB Y7, Y10, Y7
	VPAND   Y5, Y6, Y5
	VPAND   Y5, Y7, Y5

	// Two continuation bytes in a row are right exactly behind the lead of three bytes or more.
	VPSUBUSB Y13, Y3, Y3
	VPSUBUSB Y14, Y4, Y4
	VPOR     Y3, Y4, Y3
	VPAND    Y12, Y3, Y3
	VPXOR    Y3, Y5, Y5
	VPOR     Y5, Y15, Y15

ascii:
	VMOVDQA Y0, Y1
	ADDQ    $32, SI
	DECQ    CX
	JNZ     next

	XORL   AX, AX
	VPTEST Y15, Y15
	SETNE  AX
	VZEROUPPER
	MOVQ AX, bad+16(FP)
	RET
