    xor r8d, r8d
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm0, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm0, zmm0, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm1, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm1, zmm1, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm2, zmm0, zmm1
    vpunpckhdq zmm0, zmm0, zmm1
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm3, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm3, zmm3, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm4, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm4, zmm4, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm5, zmm3, zmm4
    vpunpckhdq zmm3, zmm3, zmm4
    vpunpcklqdq zmm6, zmm2, zmm5
    vpunpckhqdq zmm2, zmm2, zmm5
    vpunpcklqdq zmm7, zmm0, zmm3
    vpunpckhqdq zmm0, zmm0, zmm3
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm8, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm8, zmm8, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm9, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm9, zmm9, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm10, zmm8, zmm9
    vpunpckhdq zmm8, zmm8, zmm9
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm13, zmm11, zmm12
    vpunpckhdq zmm11, zmm11, zmm12
    vpunpcklqdq zmm14, zmm10, zmm13
    vpunpckhqdq zmm10, zmm10, zmm13
    vpunpcklqdq zmm15, zmm8, zmm11
    vpunpckhqdq zmm8, zmm8, zmm11
    vshufi64x2 zmm16, zmm6, zmm14, 0x88
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 0], zmm16
    vshufi64x2 zmm6, zmm6, zmm14, 0xdd
    vpshufb zmm6, zmm6, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 256], zmm6
    vshufi64x2 zmm17, zmm2, zmm10, 0x88
    vpshufb zmm17, zmm17, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 64], zmm17
    vshufi64x2 zmm2, zmm2, zmm10, 0xdd
    vpshufb zmm2, zmm2, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 320], zmm2
    vshufi64x2 zmm18, zmm7, zmm15, 0x88
    vpshufb zmm18, zmm18, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 128], zmm18
    vshufi64x2 zmm7, zmm7, zmm15, 0xdd
    vpshufb zmm7, zmm7, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 384], zmm7
    vshufi64x2 zmm19, zmm0, zmm8, 0x88
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 192], zmm19
    vshufi64x2 zmm0, zmm0, zmm8, 0xdd
    vpshufb zmm0, zmm0, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 448], zmm0
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm22, zmm20, zmm21
    vpunpckhdq zmm20, zmm20, zmm21
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm23, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm23, zmm23, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm25, zmm23, zmm24
    vpunpckhdq zmm23, zmm23, zmm24
    vpunpcklqdq zmm26, zmm22, zmm25
    vpunpckhqdq zmm22, zmm22, zmm25
    vpunpcklqdq zmm27, zmm20, zmm23
    vpunpckhqdq zmm20, zmm20, zmm23
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm30, zmm28, zmm29
    vpunpckhdq zmm28, zmm28, zmm29
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm1, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm1, zmm1, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm4, zmm31, zmm1
    vpunpckhdq zmm31, zmm31, zmm1
    vpunpcklqdq zmm5, zmm30, zmm4
    vpunpckhqdq zmm30, zmm30, zmm4
    vpunpcklqdq zmm3, zmm28, zmm31
    vpunpckhqdq zmm28, zmm28, zmm31
    vshufi64x2 zmm9, zmm26, zmm5, 0x88
    vpshufb zmm9, zmm9, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 512], zmm9
    vshufi64x2 zmm26, zmm26, zmm5, 0xdd
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 768], zmm26
    vshufi64x2 zmm12, zmm22, zmm30, 0x88
    vpshufb zmm12, zmm12, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 576], zmm12
    vshufi64x2 zmm22, zmm22, zmm30, 0xdd
    vpshufb zmm22, zmm22, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 832], zmm22
    vshufi64x2 zmm13, zmm27, zmm3, 0x88
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 640], zmm13
    vshufi64x2 zmm27, zmm27, zmm3, 0xdd
    vpshufb zmm27, zmm27, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 896], zmm27
    vshufi64x2 zmm11, zmm20, zmm28, 0x88
    vpshufb zmm11, zmm11, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 704], zmm11
    vshufi64x2 zmm20, zmm20, zmm28, 0xdd
    vpshufb zmm20, zmm20, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 960], zmm20
    vmovdqa64 zmm0, zmmword ptr [rdi + 0]
    vmovdqa64 zmm1, zmmword ptr [rdi + 64]
    vmovdqa64 zmm2, zmmword ptr [rdi + 128]
    vmovdqa64 zmm3, zmmword ptr [rdi + 192]
    vmovdqa64 zmm4, zmmword ptr [rdi + 256]
    vmovdqa64 zmm5, zmmword ptr [rdi + 320]
    vmovdqa64 zmm6, zmmword ptr [rdi + 384]
    vmovdqa64 zmm7, zmmword ptr [rdi + 448]
2:
    xchg rdx, r9
    add r15, 64
    lea r14, [r8 + 64]
    cmp r14, r12
    cmovb r8, r14
    vpaddd zmm7, zmm7, dword ptr [r10 + 0]{1to16}
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 0]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 8]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 16]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 24]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vmovdqa64 zmm8, zmmword ptr [rdx + 0]
    vmovdqa64 zmm9, zmm4
    vpternlogd zmm9, zmm5, zmm6, 0xca
    vprord zmm10, zmm4, 6
    vprord zmm11, zmm4, 11
    vprord zmm12, zmm4, 25
    vmovdqa64 zmm13, zmm0
    vpternlogd zmm13, zmm1, zmm2, 0xe8
    vprord zmm14, zmm0, 2
    vprord zmm15, zmm0, 13
    vprord zmm16, zmm0, 22
    vmovdqa64 zmm17, zmmword ptr [rdx + 64]
    vprord zmm18, zmm17, 7
    vprord zmm19, zmm17, 18
    vpsrld zmm20, zmm17, 3
    vpaddd zmm7, zmm7, zmm8
    vpternlogd zmm10, zmm11, zmm12, 0x96
    vpternlogd zmm14, zmm15, zmm16, 0x96
    vpternlogd zmm18, zmm19, zmm20, 0x96
    vmovdqa64 zmm21, zmmword ptr [rdx + 576]
    vpaddd zmm7, zmm7, zmm9
    vpaddd zmm8, zmm8, zmm18
    vmovdqa64 zmm22, zmmword ptr [rdx + 896]
    vprord zmm23, zmm22, 17
    vpaddd zmm7, zmm7, zmm10
    vpaddd zmm8, zmm8, zmm21
    vprord zmm24, zmm22, 19
    vpsrld zmm25, zmm22, 10
    vpaddd zmm6, zmm6, dword ptr [r10 + 4]{1to16}
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm7, zmm7, zmm13
    vpternlogd zmm23, zmm24, zmm25, 0x96
    vpaddd zmm6, zmm6, zmm17
    vpaddd zmm7, zmm7, zmm14
    vpaddd zmm8, zmm8, zmm23
    vmovdqa64 zmm26, zmm3
    vpternlogd zmm26, zmm4, zmm5, 0xca
    vprord zmm27, zmm3, 6
    vprord zmm28, zmm3, 11
    vprord zmm29, zmm3, 25
    vpaddd zmm6, zmm6, zmm26
    vpternlogd zmm27, zmm28, zmm29, 0x96
    vmovdqa64 zmm30, zmm7
    vpternlogd zmm30, zmm0, zmm1, 0xe8
    vprord zmm31, zmm7, 2
    vprord zmm11, zmm7, 13
    vprord zmm12, zmm7, 22
    vmovdqa64 zmm15, zmmword ptr [rdx + 128]
    vprord zmm16, zmm15, 7
    vprord zmm19, zmm15, 18
    vpsrld zmm20, zmm15, 3
    vmovdqa64 zmm9, zmmword ptr [rdx + 640]
    vmovdqa64 zmm18, zmmword ptr [rdx + 960]
    vprord zmm10, zmm18, 17
    vpaddd zmm6, zmm6, zmm27
    vpternlogd zmm31, zmm11, zmm12, 0x96
    vpternlogd zmm16, zmm19, zmm20, 0x96
    vprord zmm13, zmm18, 19
    vpsrld zmm24, zmm18, 10
    vpaddd zmm5, zmm5, dword ptr [r10 + 8]{1to16}
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm30
    vpaddd zmm17, zmm17, zmm16
    vpternlogd zmm10, zmm13, zmm24, 0x96
    vpaddd zmm5, zmm5, zmm15
    vpaddd zmm6, zmm6, zmm31
    vpaddd zmm17, zmm17, zmm9
    vmovdqa64 zmm25, zmm2
    vpternlogd zmm25, zmm3, zmm4, 0xca
    vprord zmm14, zmm2, 6
    vprord zmm23, zmm2, 11
    vprord zmm26, zmm2, 25
    vpaddd zmm17, zmm17, zmm10
    vpaddd zmm5, zmm5, zmm25
    vpternlogd zmm14, zmm23, zmm26, 0x96
    vmovdqa64 zmm28, zmm6
    vpternlogd zmm28, zmm7, zmm0, 0xe8
    vprord zmm29, zmm6, 2
    vprord zmm27, zmm6, 13
    vprord zmm11, zmm6, 22
    vmovdqa64 zmm12, zmmword ptr [rdx + 192]
    vprord zmm19, zmm12, 7
    vprord zmm20, zmm12, 18
    vpsrld zmm30, zmm12, 3
    vpaddd zmm5, zmm5, zmm14
    vpternlogd zmm29, zmm27, zmm11, 0x96
    vpternlogd zmm19, zmm20, zmm30, 0x96
    vmovdqa64 zmm16, zmmword ptr [rdx + 704]
    vprord zmm13, zmm8, 17
    vprord zmm24, zmm8, 19
    vpsrld zmm31, zmm8, 10
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm28
    vpaddd zmm15, zmm15, zmm19
    vpternlogd zmm13, zmm24, zmm31, 0x96
    vpaddd zmm4, zmm4, zmm12
    vpaddd zmm5, zmm5, zmm29
    vpaddd zmm15, zmm15, zmm16
    vmovdqa64 zmm10, zmm1
    vpternlogd zmm10, zmm2, zmm3, 0xca
    vprord zmm25, zmm1, 6
    vprord zmm23, zmm1, 11
    vprord zmm26, zmm1, 25
    vpaddd zmm15, zmm15, zmm13
    vpaddd zmm4, zmm4, zmm10
    vpternlogd zmm25, zmm23, zmm26, 0x96
    vmovdqa64 zmm14, zmm5
    vpternlogd zmm14, zmm6, zmm7, 0xe8
    vprord zmm27, zmm5, 2
    vprord zmm11, zmm5, 13
    vprord zmm20, zmm5, 22
    vmovdqa64 zmm30, zmmword ptr [rdx + 256]
    vprord zmm28, zmm30, 7
    vprord zmm19, zmm30, 18
    vpsrld zmm24, zmm30, 3
    vpaddd zmm4, zmm4, zmm25
    vpternlogd zmm27, zmm11, zmm20, 0x96
    vpternlogd zmm28, zmm19, zmm24, 0x96
    vmovdqa64 zmm31, zmmword ptr [rdx + 768]
    vprord zmm29, zmm17, 17
    vprord zmm13, zmm17, 19
    vpsrld zmm10, zmm17, 10
    vpaddd zmm3, zmm3, dword ptr [r10 + 16]{1to16}
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm14
    vpaddd zmm12, zmm12, zmm28
    vpternlogd zmm29, zmm13, zmm10, 0x96
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm4, zmm4, zmm27
    vpaddd zmm12, zmm12, zmm31
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0xca
    vprord zmm26, zmm0, 6
    vprord zmm25, zmm0, 11
    vprord zmm11, zmm0, 25
    vpaddd zmm12, zmm12, zmm29
    vpaddd zmm3, zmm3, zmm23
    vpternlogd zmm26, zmm25, zmm11, 0x96
    vmovdqa64 zmm20, zmm4
    vpternlogd zmm20, zmm5, zmm6, 0xe8
    vprord zmm19, zmm4, 2
    vprord zmm24, zmm4, 13
    vprord zmm14, zmm4, 22
    vmovdqa64 zmm28, zmmword ptr [rdx + 320]
    vprord zmm13, zmm28, 7
    vpaddd zmm3, zmm3, zmm26
    vpternlogd zmm19, zmm24, zmm14, 0x96
    vprord zmm10, zmm28, 18
    vpsrld zmm27, zmm28, 3
    vmovdqa64 zmm29, zmmword ptr [rdx + 832]
    vpaddd zmm2, zmm2, dword ptr [r10 + 20]{1to16}
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm20
    vpternlogd zmm13, zmm10, zmm27, 0x96
    vprord zmm23, zmm15, 17
    vprord zmm25, zmm15, 19
    vpsrld zmm11, zmm15, 10
    vpaddd zmm2, zmm2, zmm28
    vpaddd zmm3, zmm3, zmm19
    vpaddd zmm30, zmm30, zmm13
    vpternlogd zmm23, zmm25, zmm11, 0x96
    vmovdqa64 zmm26, zmm7
    vpternlogd zmm26, zmm0, zmm1, 0xca
    vprord zmm24, zmm7, 6
    vprord zmm14, zmm7, 11
    vprord zmm20, zmm7, 25
    vpaddd zmm30, zmm30, zmm29
    vpaddd zmm2, zmm2, zmm26
    vpternlogd zmm24, zmm14, zmm20, 0x96
    vmovdqa64 zmm10, zmm3
    vpternlogd zmm10, zmm4, zmm5, 0xe8
    vprord zmm27, zmm3, 2
    vprord zmm19, zmm3, 13
    vpaddd zmm30, zmm30, zmm23
    vpaddd zmm2, zmm2, zmm24
    vprord zmm13, zmm3, 22
    vmovdqa64 zmm25, zmmword ptr [rdx + 384]
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm10
    vpternlogd zmm27, zmm19, zmm13, 0x96
    vprord zmm11, zmm25, 7
    vprord zmm26, zmm25, 18
    vpsrld zmm14, zmm25, 3
    vpaddd zmm1, zmm1, dword ptr [r10 + 24]{1to16}
    vpaddd zmm2, zmm2, zmm27
    vpternlogd zmm11, zmm26, zmm14, 0x96
    vprord zmm20, zmm12, 17
    vprord zmm23, zmm12, 19
    vpsrld zmm24, zmm12, 10
    vpaddd zmm1, zmm1, zmm25
    vpaddd zmm28, zmm28, zmm11
    vpternlogd zmm20, zmm23, zmm24, 0x96
    vmovdqa64 zmm10, zmm6
    vpternlogd zmm10, zmm7, zmm0, 0xca
    vprord zmm19, zmm6, 6
    vprord zmm13, zmm6, 11
    vpaddd zmm28, zmm28, zmm22
    vpaddd zmm1, zmm1, zmm10
    vprord zmm27, zmm6, 25
    vpaddd zmm28, zmm28, zmm20
    vpternlogd zmm19, zmm13, zmm27, 0x96
    vmovdqa64 zmm26, zmm2
    vpternlogd zmm26, zmm3, zmm4, 0xe8
    vprord zmm14, zmm2, 2
    vprord zmm11, zmm2, 13
    vpaddd zmm1, zmm1, zmm19
    vprord zmm23, zmm2, 22
    vpaddd zmm0, zmm0, dword ptr [r10 + 28]{1to16}
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm1, zmm1, zmm26
    vpternlogd zmm14, zmm11, zmm23, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 448]
    vprord zmm10, zmm24, 7
    vprord zmm20, zmm24, 18
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm1, zmm1, zmm14
    vpsrld zmm13, zmm24, 3
    vpternlogd zmm10, zmm20, zmm13, 0x96
    vprord zmm27, zmm30, 17
    vprord zmm19, zmm30, 19
    vpaddd zmm25, zmm25, zmm10
    vpsrld zmm26, zmm30, 10
    vpaddd zmm25, zmm25, zmm18
    vpternlogd zmm27, zmm19, zmm26, 0x96
    vmovdqa64 zmm11, zmm5
    vpternlogd zmm11, zmm6, zmm7, 0xca
    vprord zmm23, zmm5, 6
    vpaddd zmm25, zmm25, zmm27
    vpaddd zmm0, zmm0, zmm11
    vprord zmm14, zmm5, 11
    vprord zmm20, zmm5, 25
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0xe8
    vprord zmm10, zmm1, 2
    vpaddd zmm7, zmm7, dword ptr [r10 + 32]{1to16}
    vpaddd zmm0, zmm0, zmm23
    vprord zmm19, zmm1, 13
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm13
    vprord zmm26, zmm1, 22
    vpternlogd zmm10, zmm19, zmm26, 0x96
    vmovdqa64 zmm27, zmmword ptr [rdx + 512]
    vprord zmm11, zmm27, 7
    vpaddd zmm7, zmm7, zmm27
    vpaddd zmm0, zmm0, zmm10
    vprord zmm14, zmm27, 18
    vpsrld zmm20, zmm27, 3
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vprord zmm23, zmm28, 17
    vpaddd zmm24, zmm24, zmm11
    vprord zmm13, zmm28, 19
    vpaddd zmm24, zmm24, zmm8
    vpsrld zmm19, zmm28, 10
    vpternlogd zmm23, zmm13, zmm19, 0x96
    vmovdqa64 zmm26, zmm4
    vpternlogd zmm26, zmm5, zmm6, 0xca
    vpaddd zmm24, zmm24, zmm23
    vpaddd zmm7, zmm7, zmm26
    vprord zmm10, zmm4, 6
    vprord zmm14, zmm4, 11
    vprord zmm20, zmm4, 25
    vpaddd zmm6, zmm6, dword ptr [r10 + 36]{1to16}
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vmovdqa64 zmm11, zmm0
    vpternlogd zmm11, zmm1, zmm2, 0xe8
    vpaddd zmm6, zmm6, zmm21
    vpaddd zmm7, zmm7, zmm10
    vprord zmm13, zmm0, 2
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm7, zmm7, zmm11
    vprord zmm19, zmm0, 13
    vprord zmm23, zmm0, 22
    vpternlogd zmm13, zmm19, zmm23, 0x96
    vprord zmm26, zmm21, 7
    vpaddd zmm7, zmm7, zmm13
    vprord zmm14, zmm21, 18
    vpsrld zmm20, zmm21, 3
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vprord zmm10, zmm25, 17
    vpaddd zmm27, zmm27, zmm26
    vprord zmm11, zmm25, 19
    vpaddd zmm27, zmm27, zmm17
    vpsrld zmm19, zmm25, 10
    vpternlogd zmm10, zmm11, zmm19, 0x96
    vmovdqa64 zmm23, zmm3
    vpternlogd zmm23, zmm4, zmm5, 0xca
    vpaddd zmm27, zmm27, zmm10
    vpaddd zmm6, zmm6, zmm23
    vprord zmm13, zmm3, 6
    vprord zmm14, zmm3, 11
    vprord zmm20, zmm3, 25
    vpaddd zmm5, zmm5, dword ptr [r10 + 40]{1to16}
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vmovdqa64 zmm26, zmm7
    vpternlogd zmm26, zmm0, zmm1, 0xe8
    vpaddd zmm5, zmm5, zmm9
    vpaddd zmm6, zmm6, zmm13
    vprord zmm11, zmm7, 2
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm26
    vprord zmm19, zmm7, 13
    vprord zmm10, zmm7, 22
    vpternlogd zmm11, zmm19, zmm10, 0x96
    vprord zmm23, zmm9, 7
    vpaddd zmm6, zmm6, zmm11
    vprord zmm14, zmm9, 18
    vpsrld zmm20, zmm9, 3
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vprord zmm13, zmm24, 17
    vpaddd zmm21, zmm21, zmm23
    vprord zmm26, zmm24, 19
    vpaddd zmm21, zmm21, zmm15
    vpsrld zmm19, zmm24, 10
    vpternlogd zmm13, zmm26, zmm19, 0x96
    vmovdqa64 zmm10, zmm2
    vpternlogd zmm10, zmm3, zmm4, 0xca
    vpaddd zmm21, zmm21, zmm13
    vpaddd zmm5, zmm5, zmm10
    vprord zmm11, zmm2, 6
    vprord zmm14, zmm2, 11
    vprord zmm20, zmm2, 25
    vpaddd zmm4, zmm4, dword ptr [r10 + 44]{1to16}
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vmovdqa64 zmm23, zmm6
    vpternlogd zmm23, zmm7, zmm0, 0xe8
    vpaddd zmm4, zmm4, zmm16
    vpaddd zmm5, zmm5, zmm11
    vprord zmm26, zmm6, 2
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm23
    vprord zmm19, zmm6, 13
    vprord zmm13, zmm6, 22
    vpternlogd zmm26, zmm19, zmm13, 0x96
    vprord zmm10, zmm16, 7
    vpaddd zmm5, zmm5, zmm26
    vprord zmm14, zmm16, 18
    vpsrld zmm20, zmm16, 3
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vprord zmm11, zmm27, 17
    vpaddd zmm9, zmm9, zmm10
    vprord zmm23, zmm27, 19
    vpaddd zmm9, zmm9, zmm12
    vpsrld zmm19, zmm27, 10
    vpternlogd zmm11, zmm23, zmm19, 0x96
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0xca
    vpaddd zmm9, zmm9, zmm11
    vpaddd zmm4, zmm4, zmm13
    vprord zmm26, zmm1, 6
    vprord zmm14, zmm1, 11
    vprord zmm20, zmm1, 25
    vpaddd zmm3, zmm3, dword ptr [r10 + 48]{1to16}
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vmovdqa64 zmm10, zmm5
    vpternlogd zmm10, zmm6, zmm7, 0xe8
    vpaddd zmm3, zmm3, zmm31
    vpaddd zmm4, zmm4, zmm26
    vprord zmm23, zmm5, 2
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm10
    vprord zmm19, zmm5, 13
    vprord zmm11, zmm5, 22
    vpternlogd zmm23, zmm19, zmm11, 0x96
    vprord zmm13, zmm31, 7
    vpaddd zmm4, zmm4, zmm23
    vprord zmm14, zmm31, 18
    vpsrld zmm20, zmm31, 3
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vprord zmm26, zmm21, 17
    vpaddd zmm16, zmm16, zmm13
    vprord zmm10, zmm21, 19
    vpaddd zmm16, zmm16, zmm30
    vpsrld zmm19, zmm21, 10
    vpternlogd zmm26, zmm10, zmm19, 0x96
    vmovdqa64 zmm11, zmm0
    vpternlogd zmm11, zmm1, zmm2, 0xca
    vpaddd zmm16, zmm16, zmm26
    vpaddd zmm3, zmm3, zmm11
    vprord zmm23, zmm0, 6
    vprord zmm14, zmm0, 11
    vprord zmm20, zmm0, 25
    vpaddd zmm2, zmm2, dword ptr [r10 + 52]{1to16}
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vmovdqa64 zmm13, zmm4
    vpternlogd zmm13, zmm5, zmm6, 0xe8
    vpaddd zmm2, zmm2, zmm29
    vpaddd zmm3, zmm3, zmm23
    vprord zmm10, zmm4, 2
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm13
    vprord zmm19, zmm4, 13
    vprord zmm26, zmm4, 22
    vpternlogd zmm10, zmm19, zmm26, 0x96
    vprord zmm11, zmm29, 7
    vpaddd zmm3, zmm3, zmm10
    vprord zmm14, zmm29, 18
    vpsrld zmm20, zmm29, 3
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vprord zmm23, zmm9, 17
    vpaddd zmm31, zmm31, zmm11
    vprord zmm13, zmm9, 19
    vpaddd zmm31, zmm31, zmm28
    vpsrld zmm19, zmm9, 10
    vpternlogd zmm23, zmm13, zmm19, 0x96
    vmovdqa64 zmm26, zmm7
    vpternlogd zmm26, zmm0, zmm1, 0xca
    vpaddd zmm31, zmm31, zmm23
    vpaddd zmm2, zmm2, zmm26
    vprord zmm10, zmm7, 6
    vprord zmm14, zmm7, 11
    vprord zmm20, zmm7, 25
    vpaddd zmm1, zmm1, dword ptr [r10 + 56]{1to16}
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vmovdqa64 zmm11, zmm3
    vpternlogd zmm11, zmm4, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm2, zmm2, zmm10
    vprord zmm13, zmm3, 2
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm11
    vprord zmm19, zmm3, 13
    vprord zmm23, zmm3, 22
    vpternlogd zmm13, zmm19, zmm23, 0x96
    vprord zmm26, zmm22, 7
    vpaddd zmm2, zmm2, zmm13
    vprord zmm14, zmm22, 18
    vpsrld zmm20, zmm22, 3
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vprord zmm10, zmm16, 17
    vpaddd zmm29, zmm29, zmm26
    vprord zmm11, zmm16, 19
    vpaddd zmm29, zmm29, zmm25
    vpsrld zmm19, zmm16, 10
    vpternlogd zmm10, zmm11, zmm19, 0x96
    vmovdqa64 zmm23, zmm6
    vpternlogd zmm23, zmm7, zmm0, 0xca
    vpaddd zmm29, zmm29, zmm10
    vpaddd zmm1, zmm1, zmm23
    vprord zmm13, zmm6, 6
    vprord zmm14, zmm6, 11
    vprord zmm20, zmm6, 25
    vpaddd zmm0, zmm0, dword ptr [r10 + 60]{1to16}
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vmovdqa64 zmm26, zmm2
    vpternlogd zmm26, zmm3, zmm4, 0xe8
    vpaddd zmm0, zmm0, zmm18
    vpaddd zmm1, zmm1, zmm13
    vprord zmm11, zmm2, 2
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm1, zmm1, zmm26
    vprord zmm19, zmm2, 13
    vprord zmm10, zmm2, 22
    vpternlogd zmm11, zmm19, zmm10, 0x96
    vprord zmm23, zmm18, 7
    vpaddd zmm1, zmm1, zmm11
    vprord zmm14, zmm18, 18
    vpsrld zmm20, zmm18, 3
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vprord zmm13, zmm31, 17
    vpaddd zmm22, zmm22, zmm23
    vprord zmm26, zmm31, 19
    vpaddd zmm22, zmm22, zmm24
    vpsrld zmm19, zmm31, 10
    vpternlogd zmm13, zmm26, zmm19, 0x96
    vmovdqa64 zmm10, zmm5
    vpternlogd zmm10, zmm6, zmm7, 0xca
    vpaddd zmm22, zmm22, zmm13
    vpaddd zmm0, zmm0, zmm10
    vprord zmm11, zmm5, 6
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 32]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 40]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 48]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 56]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vprord zmm14, zmm5, 11
    vprord zmm20, zmm5, 25
    vpaddd zmm7, zmm7, dword ptr [r10 + 64]{1to16}
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vmovdqa64 zmm23, zmm1
    vpternlogd zmm23, zmm2, zmm3, 0xe8
    vpaddd zmm7, zmm7, zmm8
    vpaddd zmm0, zmm0, zmm11
    vprord zmm26, zmm1, 2
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm23
    vprord zmm19, zmm1, 13
    vprord zmm13, zmm1, 22
    vpternlogd zmm26, zmm19, zmm13, 0x96
    vprord zmm10, zmm8, 7
    vpaddd zmm0, zmm0, zmm26
    vprord zmm14, zmm8, 18
    vpsrld zmm20, zmm8, 3
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vprord zmm11, zmm29, 17
    vpaddd zmm18, zmm18, zmm10
    vprord zmm23, zmm29, 19
    vpaddd zmm18, zmm18, zmm27
    vpsrld zmm19, zmm29, 10
    vpternlogd zmm11, zmm23, zmm19, 0x96
    vmovdqa64 zmm13, zmm4
    vpternlogd zmm13, zmm5, zmm6, 0xca
    vpaddd zmm18, zmm18, zmm11
    vpaddd zmm7, zmm7, zmm13
    vprord zmm26, zmm4, 6
    vprord zmm14, zmm4, 11
    vprord zmm20, zmm4, 25
    vpaddd zmm6, zmm6, dword ptr [r10 + 68]{1to16}
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vmovdqa64 zmm10, zmm0
    vpternlogd zmm10, zmm1, zmm2, 0xe8
    vpaddd zmm6, zmm6, zmm17
    vpaddd zmm7, zmm7, zmm26
    vprord zmm23, zmm0, 2
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm7, zmm7, zmm10
    vprord zmm19, zmm0, 13
    vprord zmm11, zmm0, 22
    vpternlogd zmm23, zmm19, zmm11, 0x96
    vprord zmm13, zmm17, 7
    vpaddd zmm7, zmm7, zmm23
    vprord zmm14, zmm17, 18
    vpsrld zmm20, zmm17, 3
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vprord zmm26, zmm22, 17
    vpaddd zmm8, zmm8, zmm13
    vprord zmm10, zmm22, 19
    vpaddd zmm8, zmm8, zmm21
    vpsrld zmm19, zmm22, 10
    vpternlogd zmm26, zmm10, zmm19, 0x96
    vmovdqa64 zmm11, zmm3
    vpternlogd zmm11, zmm4, zmm5, 0xca
    vpaddd zmm8, zmm8, zmm26
    vpaddd zmm6, zmm6, zmm11
    vprord zmm23, zmm3, 6
    vprord zmm14, zmm3, 11
    vprord zmm20, zmm3, 25
    vpaddd zmm5, zmm5, dword ptr [r10 + 72]{1to16}
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vmovdqa64 zmm13, zmm7
    vpternlogd zmm13, zmm0, zmm1, 0xe8
    vpaddd zmm5, zmm5, zmm15
    vpaddd zmm6, zmm6, zmm23
    vprord zmm10, zmm7, 2
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm13
    vprord zmm19, zmm7, 13
    vprord zmm26, zmm7, 22
    vpternlogd zmm10, zmm19, zmm26, 0x96
    vprord zmm11, zmm15, 7
    vpaddd zmm6, zmm6, zmm10
    vprord zmm14, zmm15, 18
    vpsrld zmm20, zmm15, 3
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vprord zmm23, zmm18, 17
    vpaddd zmm17, zmm17, zmm11
    vprord zmm13, zmm18, 19
    vpaddd zmm17, zmm17, zmm9
    vpsrld zmm19, zmm18, 10
    vpternlogd zmm23, zmm13, zmm19, 0x96
    vmovdqa64 zmm26, zmm2
    vpternlogd zmm26, zmm3, zmm4, 0xca
    vpaddd zmm17, zmm17, zmm23
    vpaddd zmm5, zmm5, zmm26
    vprord zmm10, zmm2, 6
    vprord zmm14, zmm2, 11
    vprord zmm20, zmm2, 25
    vpaddd zmm4, zmm4, dword ptr [r10 + 76]{1to16}
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vmovdqa64 zmm11, zmm6
    vpternlogd zmm11, zmm7, zmm0, 0xe8
    vpaddd zmm4, zmm4, zmm12
    vpaddd zmm5, zmm5, zmm10
    vprord zmm13, zmm6, 2
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm11
    vprord zmm19, zmm6, 13
    vprord zmm23, zmm6, 22
    vpternlogd zmm13, zmm19, zmm23, 0x96
    vprord zmm26, zmm12, 7
    vpaddd zmm5, zmm5, zmm13
    vprord zmm14, zmm12, 18
    vpsrld zmm20, zmm12, 3
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vprord zmm10, zmm8, 17
    vpaddd zmm15, zmm15, zmm26
    vprord zmm11, zmm8, 19
    vpaddd zmm15, zmm15, zmm16
    vpsrld zmm19, zmm8, 10
    vpternlogd zmm10, zmm11, zmm19, 0x96
    vmovdqa64 zmm23, zmm1
    vpternlogd zmm23, zmm2, zmm3, 0xca
    vpaddd zmm15, zmm15, zmm10
    vpaddd zmm4, zmm4, zmm23
    vprord zmm13, zmm1, 6
    vprord zmm14, zmm1, 11
    vprord zmm20, zmm1, 25
    vpaddd zmm3, zmm3, dword ptr [r10 + 80]{1to16}
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vmovdqa64 zmm26, zmm5
    vpternlogd zmm26, zmm6, zmm7, 0xe8
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm4, zmm4, zmm13
    vprord zmm11, zmm5, 2
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm26
    vprord zmm19, zmm5, 13
    vprord zmm10, zmm5, 22
    vpternlogd zmm11, zmm19, zmm10, 0x96
    vprord zmm23, zmm30, 7
    vpaddd zmm4, zmm4, zmm11
    vprord zmm14, zmm30, 18
    vpsrld zmm20, zmm30, 3
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vprord zmm13, zmm17, 17
    vpaddd zmm12, zmm12, zmm23
    vprord zmm26, zmm17, 19
    vpaddd zmm12, zmm12, zmm31
    vpsrld zmm19, zmm17, 10
    vpternlogd zmm13, zmm26, zmm19, 0x96
    vmovdqa64 zmm10, zmm0
    vpternlogd zmm10, zmm1, zmm2, 0xca
    vpaddd zmm12, zmm12, zmm13
    vpaddd zmm3, zmm3, zmm10
    vprord zmm11, zmm0, 6
    vprord zmm14, zmm0, 11
    vprord zmm20, zmm0, 25
    vpaddd zmm2, zmm2, dword ptr [r10 + 84]{1to16}
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vmovdqa64 zmm23, zmm4
    vpternlogd zmm23, zmm5, zmm6, 0xe8
    vpaddd zmm2, zmm2, zmm28
    vpaddd zmm3, zmm3, zmm11
    vprord zmm26, zmm4, 2
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm23
    vprord zmm19, zmm4, 13
    vprord zmm13, zmm4, 22
    vpternlogd zmm26, zmm19, zmm13, 0x96
    vprord zmm10, zmm28, 7
    vpaddd zmm3, zmm3, zmm26
    vprord zmm14, zmm28, 18
    vpsrld zmm20, zmm28, 3
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vprord zmm11, zmm15, 17
    vpaddd zmm30, zmm30, zmm10
    vprord zmm23, zmm15, 19
    vpaddd zmm30, zmm30, zmm29
    vpsrld zmm19, zmm15, 10
    vpternlogd zmm11, zmm23, zmm19, 0x96
    vmovdqa64 zmm13, zmm7
    vpternlogd zmm13, zmm0, zmm1, 0xca
    vpaddd zmm30, zmm30, zmm11
    vpaddd zmm2, zmm2, zmm13
    vprord zmm26, zmm7, 6
    vprord zmm14, zmm7, 11
    vprord zmm20, zmm7, 25
    vpaddd zmm1, zmm1, dword ptr [r10 + 88]{1to16}
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vmovdqa64 zmm10, zmm3
    vpternlogd zmm10, zmm4, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmm25
    vpaddd zmm2, zmm2, zmm26
    vprord zmm23, zmm3, 2
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm10
    vprord zmm19, zmm3, 13
    vprord zmm11, zmm3, 22
    vpternlogd zmm23, zmm19, zmm11, 0x96
    vprord zmm13, zmm25, 7
    vpaddd zmm2, zmm2, zmm23
    vprord zmm14, zmm25, 18
    vpsrld zmm20, zmm25, 3
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vprord zmm26, zmm12, 17
    vpaddd zmm28, zmm28, zmm13
    vprord zmm10, zmm12, 19
    vpaddd zmm28, zmm28, zmm22
    vpsrld zmm19, zmm12, 10
    vpternlogd zmm26, zmm10, zmm19, 0x96
    vmovdqa64 zmm11, zmm6
    vpternlogd zmm11, zmm7, zmm0, 0xca
    vpaddd zmm28, zmm28, zmm26
    vpaddd zmm1, zmm1, zmm11
    vprord zmm23, zmm6, 6
    vprord zmm14, zmm6, 11
    vprord zmm20, zmm6, 25
    vpaddd zmm0, zmm0, dword ptr [r10 + 92]{1to16}
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vmovdqa64 zmm13, zmm2
    vpternlogd zmm13, zmm3, zmm4, 0xe8
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm1, zmm1, zmm23
    vprord zmm10, zmm2, 2
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm1, zmm1, zmm13
    vprord zmm19, zmm2, 13
    vprord zmm26, zmm2, 22
    vpternlogd zmm10, zmm19, zmm26, 0x96
    vprord zmm11, zmm24, 7
    vpaddd zmm1, zmm1, zmm10
    vprord zmm14, zmm24, 18
    vpsrld zmm20, zmm24, 3
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vprord zmm23, zmm30, 17
    vpaddd zmm25, zmm25, zmm11
    vprord zmm13, zmm30, 19
    vpaddd zmm25, zmm25, zmm18
    vpsrld zmm19, zmm30, 10
    vpternlogd zmm23, zmm13, zmm19, 0x96
    vmovdqa64 zmm26, zmm5
    vpternlogd zmm26, zmm6, zmm7, 0xca
    vpaddd zmm25, zmm25, zmm23
    vpaddd zmm0, zmm0, zmm26
    vprord zmm10, zmm5, 6
    vprord zmm14, zmm5, 11
    vprord zmm20, zmm5, 25
    vpaddd zmm7, zmm7, dword ptr [r10 + 96]{1to16}
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vmovdqa64 zmm11, zmm1
    vpternlogd zmm11, zmm2, zmm3, 0xe8
    vpaddd zmm7, zmm7, zmm27
    vpaddd zmm0, zmm0, zmm10
    vprord zmm13, zmm1, 2
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm11
    vprord zmm19, zmm1, 13
    vprord zmm23, zmm1, 22
    vpternlogd zmm13, zmm19, zmm23, 0x96
    vprord zmm26, zmm27, 7
    vpaddd zmm0, zmm0, zmm13
    vprord zmm14, zmm27, 18
    vpsrld zmm20, zmm27, 3
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vprord zmm10, zmm28, 17
    vpaddd zmm24, zmm24, zmm26
    vprord zmm11, zmm28, 19
    vpaddd zmm24, zmm24, zmm8
    vpsrld zmm19, zmm28, 10
    vpternlogd zmm10, zmm11, zmm19, 0x96
    vmovdqa64 zmm23, zmm4
    vpternlogd zmm23, zmm5, zmm6, 0xca
    vpaddd zmm24, zmm24, zmm10
    vpaddd zmm7, zmm7, zmm23
    vprord zmm13, zmm4, 6
    vprord zmm14, zmm4, 11
    vprord zmm20, zmm4, 25
    vpaddd zmm6, zmm6, dword ptr [r10 + 100]{1to16}
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vmovdqa64 zmm26, zmm0
    vpternlogd zmm26, zmm1, zmm2, 0xe8
    vpaddd zmm6, zmm6, zmm21
    vpaddd zmm7, zmm7, zmm13
    vprord zmm11, zmm0, 2
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm7, zmm7, zmm26
    vprord zmm19, zmm0, 13
    vprord zmm10, zmm0, 22
    vpternlogd zmm11, zmm19, zmm10, 0x96
    vprord zmm23, zmm21, 7
    vpaddd zmm7, zmm7, zmm11
    vprord zmm14, zmm21, 18
    vpsrld zmm20, zmm21, 3
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vprord zmm13, zmm25, 17
    vpaddd zmm27, zmm27, zmm23
    vprord zmm26, zmm25, 19
    vpaddd zmm27, zmm27, zmm17
    vpsrld zmm19, zmm25, 10
    vpternlogd zmm13, zmm26, zmm19, 0x96
    vmovdqa64 zmm10, zmm3
    vpternlogd zmm10, zmm4, zmm5, 0xca
    vpaddd zmm27, zmm27, zmm13
    vpaddd zmm6, zmm6, zmm10
    vprord zmm11, zmm3, 6
    vprord zmm14, zmm3, 11
    vprord zmm20, zmm3, 25
    vpaddd zmm5, zmm5, dword ptr [r10 + 104]{1to16}
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vmovdqa64 zmm23, zmm7
    vpternlogd zmm23, zmm0, zmm1, 0xe8
    vpaddd zmm5, zmm5, zmm9
    vpaddd zmm6, zmm6, zmm11
    vprord zmm26, zmm7, 2
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm23
    vprord zmm19, zmm7, 13
    vprord zmm13, zmm7, 22
    vpternlogd zmm26, zmm19, zmm13, 0x96
    vprord zmm10, zmm9, 7
    vpaddd zmm6, zmm6, zmm26
    vprord zmm14, zmm9, 18
    vpsrld zmm20, zmm9, 3
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vprord zmm11, zmm24, 17
    vpaddd zmm21, zmm21, zmm10
    vprord zmm23, zmm24, 19
    vpaddd zmm21, zmm21, zmm15
    vpsrld zmm19, zmm24, 10
    vpternlogd zmm11, zmm23, zmm19, 0x96
    vmovdqa64 zmm13, zmm2
    vpternlogd zmm13, zmm3, zmm4, 0xca
    vpaddd zmm21, zmm21, zmm11
    vpaddd zmm5, zmm5, zmm13
    vprord zmm26, zmm2, 6
    vprord zmm14, zmm2, 11
    vprord zmm20, zmm2, 25
    vpaddd zmm4, zmm4, dword ptr [r10 + 108]{1to16}
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vmovdqa64 zmm10, zmm6
    vpternlogd zmm10, zmm7, zmm0, 0xe8
    vpaddd zmm4, zmm4, zmm16
    vpaddd zmm5, zmm5, zmm26
    vprord zmm23, zmm6, 2
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm10
    vprord zmm19, zmm6, 13
    vprord zmm11, zmm6, 22
    vpternlogd zmm23, zmm19, zmm11, 0x96
    vprord zmm13, zmm16, 7
    vpaddd zmm5, zmm5, zmm23
    vprord zmm14, zmm16, 18
    vpsrld zmm20, zmm16, 3
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vprord zmm26, zmm27, 17
    vpaddd zmm9, zmm9, zmm13
    vprord zmm10, zmm27, 19
    vpaddd zmm9, zmm9, zmm12
    vpsrld zmm19, zmm27, 10
    vpternlogd zmm26, zmm10, zmm19, 0x96
    vmovdqa64 zmm11, zmm1
    vpternlogd zmm11, zmm2, zmm3, 0xca
    vpaddd zmm9, zmm9, zmm26
    vpaddd zmm4, zmm4, zmm11
    vprord zmm23, zmm1, 6
    vprord zmm14, zmm1, 11
    vprord zmm20, zmm1, 25
    vpaddd zmm3, zmm3, dword ptr [r10 + 112]{1to16}
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vmovdqa64 zmm13, zmm5
    vpternlogd zmm13, zmm6, zmm7, 0xe8
    vpaddd zmm3, zmm3, zmm31
    vpaddd zmm4, zmm4, zmm23
    vprord zmm10, zmm5, 2
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm13
    vprord zmm19, zmm5, 13
    vprord zmm26, zmm5, 22
    vpternlogd zmm10, zmm19, zmm26, 0x96
    vprord zmm11, zmm31, 7
    vpaddd zmm4, zmm4, zmm10
    vprord zmm14, zmm31, 18
    vpsrld zmm20, zmm31, 3
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vprord zmm23, zmm21, 17
    vpaddd zmm16, zmm16, zmm11
    vprord zmm13, zmm21, 19
    vpaddd zmm16, zmm16, zmm30
    vpsrld zmm19, zmm21, 10
    vpternlogd zmm23, zmm13, zmm19, 0x96
    vmovdqa64 zmm26, zmm0
    vpternlogd zmm26, zmm1, zmm2, 0xca
    vpaddd zmm16, zmm16, zmm23
    vpaddd zmm3, zmm3, zmm26
    vprord zmm10, zmm0, 6
    vprord zmm14, zmm0, 11
    vprord zmm20, zmm0, 25
    vpaddd zmm2, zmm2, dword ptr [r10 + 116]{1to16}
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vmovdqa64 zmm11, zmm4
    vpternlogd zmm11, zmm5, zmm6, 0xe8
    vpaddd zmm2, zmm2, zmm29
    vpaddd zmm3, zmm3, zmm10
    vprord zmm13, zmm4, 2
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm11
    vprord zmm19, zmm4, 13
    vprord zmm23, zmm4, 22
    vpternlogd zmm13, zmm19, zmm23, 0x96
    vprord zmm26, zmm29, 7
    vpaddd zmm3, zmm3, zmm13
    vprord zmm14, zmm29, 18
    vpsrld zmm20, zmm29, 3
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vprord zmm10, zmm9, 17
    vpaddd zmm31, zmm31, zmm26
    vprord zmm11, zmm9, 19
    vpaddd zmm31, zmm31, zmm28
    vpsrld zmm19, zmm9, 10
    vpternlogd zmm10, zmm11, zmm19, 0x96
    vmovdqa64 zmm23, zmm7
    vpternlogd zmm23, zmm0, zmm1, 0xca
    vpaddd zmm31, zmm31, zmm10
    vpaddd zmm2, zmm2, zmm23
    vprord zmm13, zmm7, 6
    vprord zmm14, zmm7, 11
    vprord zmm20, zmm7, 25
    vpaddd zmm1, zmm1, dword ptr [r10 + 120]{1to16}
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vmovdqa64 zmm26, zmm3
    vpternlogd zmm26, zmm4, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm2, zmm2, zmm13
    vprord zmm11, zmm3, 2
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm26
    vprord zmm19, zmm3, 13
    vprord zmm10, zmm3, 22
    vpternlogd zmm11, zmm19, zmm10, 0x96
    vprord zmm23, zmm22, 7
    vpaddd zmm2, zmm2, zmm11
    vprord zmm14, zmm22, 18
    vpsrld zmm20, zmm22, 3
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vprord zmm13, zmm16, 17
    vpaddd zmm29, zmm29, zmm23
    vprord zmm26, zmm16, 19
    vpaddd zmm29, zmm29, zmm25
    vpsrld zmm19, zmm16, 10
    vpternlogd zmm13, zmm26, zmm19, 0x96
    vmovdqa64 zmm10, zmm6
    vpternlogd zmm10, zmm7, zmm0, 0xca
    vpaddd zmm29, zmm29, zmm13
    vpaddd zmm1, zmm1, zmm10
    vprord zmm11, zmm6, 6
    vprord zmm14, zmm6, 11
    vprord zmm20, zmm6, 25
    vpaddd zmm0, zmm0, dword ptr [r10 + 124]{1to16}
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vmovdqa64 zmm23, zmm2
    vpternlogd zmm23, zmm3, zmm4, 0xe8
    vpaddd zmm0, zmm0, zmm18
    vpaddd zmm1, zmm1, zmm11
    vprord zmm26, zmm2, 2
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm1, zmm1, zmm23
    vprord zmm19, zmm2, 13
    vprord zmm13, zmm2, 22
    vpternlogd zmm26, zmm19, zmm13, 0x96
    vprord zmm10, zmm18, 7
    vpaddd zmm1, zmm1, zmm26
    vprord zmm14, zmm18, 18
    vpsrld zmm20, zmm18, 3
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vprord zmm11, zmm31, 17
    vpaddd zmm22, zmm22, zmm10
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 64]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 72]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 80]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 88]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vprord zmm23, zmm31, 19
    vpaddd zmm22, zmm22, zmm24
    vpsrld zmm19, zmm31, 10
    vpternlogd zmm11, zmm23, zmm19, 0x96
    vmovdqa64 zmm13, zmm5
    vpternlogd zmm13, zmm6, zmm7, 0xca
    vpaddd zmm22, zmm22, zmm11
    vpaddd zmm0, zmm0, zmm13
    vprord zmm26, zmm5, 6
    vprord zmm14, zmm5, 11
    vprord zmm20, zmm5, 25
    vpaddd zmm7, zmm7, dword ptr [r10 + 128]{1to16}
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vmovdqa64 zmm10, zmm1
    vpternlogd zmm10, zmm2, zmm3, 0xe8
    vpaddd zmm7, zmm7, zmm8
    vpaddd zmm0, zmm0, zmm26
    vprord zmm23, zmm1, 2
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm10
    vprord zmm19, zmm1, 13
    vprord zmm11, zmm1, 22
    vpternlogd zmm23, zmm19, zmm11, 0x96
    vprord zmm13, zmm8, 7
    vpaddd zmm0, zmm0, zmm23
    vprord zmm14, zmm8, 18
    vpsrld zmm20, zmm8, 3
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vprord zmm26, zmm29, 17
    vpaddd zmm18, zmm18, zmm13
    vprord zmm10, zmm29, 19
    vpaddd zmm18, zmm18, zmm27
    vpsrld zmm19, zmm29, 10
    vpternlogd zmm26, zmm10, zmm19, 0x96
    vmovdqa64 zmm11, zmm4
    vpternlogd zmm11, zmm5, zmm6, 0xca
    vpaddd zmm18, zmm18, zmm26
    vpaddd zmm7, zmm7, zmm11
    vprord zmm23, zmm4, 6
    vprord zmm14, zmm4, 11
    vprord zmm20, zmm4, 25
    vpaddd zmm6, zmm6, dword ptr [r10 + 132]{1to16}
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vmovdqa64 zmm13, zmm0
    vpternlogd zmm13, zmm1, zmm2, 0xe8
    vpaddd zmm6, zmm6, zmm17
    vpaddd zmm7, zmm7, zmm23
    vprord zmm10, zmm0, 2
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm7, zmm7, zmm13
    vprord zmm19, zmm0, 13
    vprord zmm26, zmm0, 22
    vpternlogd zmm10, zmm19, zmm26, 0x96
    vprord zmm11, zmm17, 7
    vpaddd zmm7, zmm7, zmm10
    vprord zmm14, zmm17, 18
    vpsrld zmm20, zmm17, 3
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vprord zmm23, zmm22, 17
    vpaddd zmm8, zmm8, zmm11
    vprord zmm13, zmm22, 19
    vpaddd zmm8, zmm8, zmm21
    vpsrld zmm19, zmm22, 10
    vpternlogd zmm23, zmm13, zmm19, 0x96
    vmovdqa64 zmm26, zmm3
    vpternlogd zmm26, zmm4, zmm5, 0xca
    vpaddd zmm8, zmm8, zmm23
    vpaddd zmm6, zmm6, zmm26
    vprord zmm10, zmm3, 6
    vprord zmm14, zmm3, 11
    vprord zmm20, zmm3, 25
    vpaddd zmm5, zmm5, dword ptr [r10 + 136]{1to16}
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vmovdqa64 zmm11, zmm7
    vpternlogd zmm11, zmm0, zmm1, 0xe8
    vpaddd zmm5, zmm5, zmm15
    vpaddd zmm6, zmm6, zmm10
    vprord zmm13, zmm7, 2
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm11
    vprord zmm19, zmm7, 13
    vprord zmm23, zmm7, 22
    vpternlogd zmm13, zmm19, zmm23, 0x96
    vprord zmm26, zmm15, 7
    vpaddd zmm6, zmm6, zmm13
    vprord zmm14, zmm15, 18
    vpsrld zmm20, zmm15, 3
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vprord zmm10, zmm18, 17
    vpaddd zmm17, zmm17, zmm26
    vprord zmm11, zmm18, 19
    vpaddd zmm17, zmm17, zmm9
    vpsrld zmm19, zmm18, 10
    vpternlogd zmm10, zmm11, zmm19, 0x96
    vmovdqa64 zmm23, zmm2
    vpternlogd zmm23, zmm3, zmm4, 0xca
    vpaddd zmm17, zmm17, zmm10
    vpaddd zmm5, zmm5, zmm23
    vprord zmm13, zmm2, 6
    vprord zmm14, zmm2, 11
    vprord zmm20, zmm2, 25
    vpaddd zmm4, zmm4, dword ptr [r10 + 140]{1to16}
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vmovdqa64 zmm26, zmm6
    vpternlogd zmm26, zmm7, zmm0, 0xe8
    vpaddd zmm4, zmm4, zmm12
    vpaddd zmm5, zmm5, zmm13
    vprord zmm11, zmm6, 2
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm26
    vprord zmm19, zmm6, 13
    vprord zmm10, zmm6, 22
    vpternlogd zmm11, zmm19, zmm10, 0x96
    vprord zmm23, zmm12, 7
    vpaddd zmm5, zmm5, zmm11
    vprord zmm14, zmm12, 18
    vpsrld zmm20, zmm12, 3
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vprord zmm13, zmm8, 17
    vpaddd zmm15, zmm15, zmm23
    vprord zmm26, zmm8, 19
    vpaddd zmm15, zmm15, zmm16
    vpsrld zmm19, zmm8, 10
    vpternlogd zmm13, zmm26, zmm19, 0x96
    vmovdqa64 zmm10, zmm1
    vpternlogd zmm10, zmm2, zmm3, 0xca
    vpaddd zmm15, zmm15, zmm13
    vpaddd zmm4, zmm4, zmm10
    vprord zmm11, zmm1, 6
    vprord zmm14, zmm1, 11
    vprord zmm20, zmm1, 25
    vpaddd zmm3, zmm3, dword ptr [r10 + 144]{1to16}
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vmovdqa64 zmm23, zmm5
    vpternlogd zmm23, zmm6, zmm7, 0xe8
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm4, zmm4, zmm11
    vprord zmm26, zmm5, 2
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm23
    vprord zmm19, zmm5, 13
    vprord zmm13, zmm5, 22
    vpternlogd zmm26, zmm19, zmm13, 0x96
    vprord zmm10, zmm30, 7
    vpaddd zmm4, zmm4, zmm26
    vprord zmm14, zmm30, 18
    vpsrld zmm20, zmm30, 3
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vprord zmm11, zmm17, 17
    vpaddd zmm12, zmm12, zmm10
    vprord zmm23, zmm17, 19
    vpaddd zmm12, zmm12, zmm31
    vpsrld zmm19, zmm17, 10
    vpternlogd zmm11, zmm23, zmm19, 0x96
    vmovdqa64 zmm13, zmm0
    vpternlogd zmm13, zmm1, zmm2, 0xca
    vpaddd zmm12, zmm12, zmm11
    vpaddd zmm3, zmm3, zmm13
    vprord zmm26, zmm0, 6
    vprord zmm14, zmm0, 11
    vprord zmm20, zmm0, 25
    vpaddd zmm2, zmm2, dword ptr [r10 + 148]{1to16}
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vmovdqa64 zmm10, zmm4
    vpternlogd zmm10, zmm5, zmm6, 0xe8
    vpaddd zmm2, zmm2, zmm28
    vpaddd zmm3, zmm3, zmm26
    vprord zmm23, zmm4, 2
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm10
    vprord zmm19, zmm4, 13
    vprord zmm11, zmm4, 22
    vpternlogd zmm23, zmm19, zmm11, 0x96
    vprord zmm13, zmm28, 7
    vpaddd zmm3, zmm3, zmm23
    vprord zmm14, zmm28, 18
    vpsrld zmm20, zmm28, 3
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vprord zmm26, zmm15, 17
    vpaddd zmm30, zmm30, zmm13
    vprord zmm10, zmm15, 19
    vpaddd zmm30, zmm30, zmm29
    vpsrld zmm19, zmm15, 10
    vpternlogd zmm26, zmm10, zmm19, 0x96
    vmovdqa64 zmm11, zmm7
    vpternlogd zmm11, zmm0, zmm1, 0xca
    vpaddd zmm30, zmm30, zmm26
    vpaddd zmm2, zmm2, zmm11
    vprord zmm23, zmm7, 6
    vprord zmm14, zmm7, 11
    vprord zmm20, zmm7, 25
    vpaddd zmm1, zmm1, dword ptr [r10 + 152]{1to16}
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vmovdqa64 zmm13, zmm3
    vpternlogd zmm13, zmm4, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmm25
    vpaddd zmm2, zmm2, zmm23
    vprord zmm10, zmm3, 2
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm13
    vprord zmm19, zmm3, 13
    vprord zmm26, zmm3, 22
    vpternlogd zmm10, zmm19, zmm26, 0x96
    vprord zmm11, zmm25, 7
    vpaddd zmm2, zmm2, zmm10
    vprord zmm14, zmm25, 18
    vpsrld zmm20, zmm25, 3
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vprord zmm23, zmm12, 17
    vpaddd zmm28, zmm28, zmm11
    vprord zmm13, zmm12, 19
    vpaddd zmm28, zmm28, zmm22
    vpsrld zmm19, zmm12, 10
    vpternlogd zmm23, zmm13, zmm19, 0x96
    vmovdqa64 zmm26, zmm6
    vpternlogd zmm26, zmm7, zmm0, 0xca
    vpaddd zmm28, zmm28, zmm23
    vpaddd zmm1, zmm1, zmm26
    vprord zmm10, zmm6, 6
    vprord zmm14, zmm6, 11
    vprord zmm20, zmm6, 25
    vpaddd zmm0, zmm0, dword ptr [r10 + 156]{1to16}
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm4, 0xe8
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm1, zmm1, zmm10
    vprord zmm13, zmm2, 2
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm1, zmm1, zmm11
    vprord zmm19, zmm2, 13
    vprord zmm23, zmm2, 22
    vpternlogd zmm13, zmm19, zmm23, 0x96
    vprord zmm26, zmm24, 7
    vpaddd zmm1, zmm1, zmm13
    vprord zmm14, zmm24, 18
    vpsrld zmm20, zmm24, 3
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vprord zmm10, zmm30, 17
    vpaddd zmm25, zmm25, zmm26
    vprord zmm11, zmm30, 19
    vpaddd zmm25, zmm25, zmm18
    vpsrld zmm19, zmm30, 10
    vpternlogd zmm10, zmm11, zmm19, 0x96
    vmovdqa64 zmm23, zmm5
    vpternlogd zmm23, zmm6, zmm7, 0xca
    vpaddd zmm25, zmm25, zmm10
    vpaddd zmm0, zmm0, zmm23
    vprord zmm13, zmm5, 6
    vprord zmm14, zmm5, 11
    vprord zmm20, zmm5, 25
    vpaddd zmm7, zmm7, dword ptr [r10 + 160]{1to16}
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vmovdqa64 zmm26, zmm1
    vpternlogd zmm26, zmm2, zmm3, 0xe8
    vpaddd zmm7, zmm7, zmm27
    vpaddd zmm0, zmm0, zmm13
    vprord zmm11, zmm1, 2
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm26
    vprord zmm19, zmm1, 13
    vprord zmm10, zmm1, 22
    vpternlogd zmm11, zmm19, zmm10, 0x96
    vprord zmm23, zmm27, 7
    vpaddd zmm0, zmm0, zmm11
    vprord zmm14, zmm27, 18
    vpsrld zmm20, zmm27, 3
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vprord zmm13, zmm28, 17
    vpaddd zmm24, zmm24, zmm23
    vprord zmm26, zmm28, 19
    vpaddd zmm24, zmm24, zmm8
    vpsrld zmm19, zmm28, 10
    vpternlogd zmm13, zmm26, zmm19, 0x96
    vmovdqa64 zmm10, zmm4
    vpternlogd zmm10, zmm5, zmm6, 0xca
    vpaddd zmm24, zmm24, zmm13
    vpaddd zmm7, zmm7, zmm10
    vprord zmm11, zmm4, 6
    vprord zmm14, zmm4, 11
    vprord zmm20, zmm4, 25
    vpaddd zmm6, zmm6, dword ptr [r10 + 164]{1to16}
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0xe8
    vpaddd zmm6, zmm6, zmm21
    vpaddd zmm7, zmm7, zmm11
    vprord zmm26, zmm0, 2
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm7, zmm7, zmm23
    vprord zmm19, zmm0, 13
    vprord zmm13, zmm0, 22
    vpternlogd zmm26, zmm19, zmm13, 0x96
    vprord zmm10, zmm21, 7
    vpaddd zmm7, zmm7, zmm26
    vprord zmm14, zmm21, 18
    vpsrld zmm20, zmm21, 3
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vprord zmm11, zmm25, 17
    vpaddd zmm27, zmm27, zmm10
    vprord zmm23, zmm25, 19
    vpaddd zmm27, zmm27, zmm17
    vpsrld zmm19, zmm25, 10
    vpternlogd zmm11, zmm23, zmm19, 0x96
    vmovdqa64 zmm13, zmm3
    vpternlogd zmm13, zmm4, zmm5, 0xca
    vpaddd zmm27, zmm27, zmm11
    vpaddd zmm6, zmm6, zmm13
    vprord zmm26, zmm3, 6
    vprord zmm14, zmm3, 11
    vprord zmm20, zmm3, 25
    vpaddd zmm5, zmm5, dword ptr [r10 + 168]{1to16}
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vmovdqa64 zmm10, zmm7
    vpternlogd zmm10, zmm0, zmm1, 0xe8
    vpaddd zmm5, zmm5, zmm9
    vpaddd zmm6, zmm6, zmm26
    vprord zmm23, zmm7, 2
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm10
    vprord zmm19, zmm7, 13
    vprord zmm11, zmm7, 22
    vpternlogd zmm23, zmm19, zmm11, 0x96
    vprord zmm13, zmm9, 7
    vpaddd zmm6, zmm6, zmm23
    vprord zmm14, zmm9, 18
    vpsrld zmm20, zmm9, 3
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vprord zmm26, zmm24, 17
    vpaddd zmm21, zmm21, zmm13
    vprord zmm10, zmm24, 19
    vpaddd zmm21, zmm21, zmm15
    vpsrld zmm19, zmm24, 10
    vpternlogd zmm26, zmm10, zmm19, 0x96
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm4, 0xca
    vpaddd zmm21, zmm21, zmm26
    vpaddd zmm5, zmm5, zmm11
    vprord zmm23, zmm2, 6
    vprord zmm14, zmm2, 11
    vprord zmm20, zmm2, 25
    vpaddd zmm4, zmm4, dword ptr [r10 + 172]{1to16}
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vmovdqa64 zmm13, zmm6
    vpternlogd zmm13, zmm7, zmm0, 0xe8
    vpaddd zmm4, zmm4, zmm16
    vpaddd zmm5, zmm5, zmm23
    vprord zmm10, zmm6, 2
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm13
    vprord zmm19, zmm6, 13
    vprord zmm26, zmm6, 22
    vpternlogd zmm10, zmm19, zmm26, 0x96
    vprord zmm11, zmm16, 7
    vpaddd zmm5, zmm5, zmm10
    vprord zmm14, zmm16, 18
    vpsrld zmm20, zmm16, 3
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vprord zmm23, zmm27, 17
    vpaddd zmm9, zmm9, zmm11
    vprord zmm13, zmm27, 19
    vpaddd zmm9, zmm9, zmm12
    vpsrld zmm19, zmm27, 10
    vpternlogd zmm23, zmm13, zmm19, 0x96
    vmovdqa64 zmm26, zmm1
    vpternlogd zmm26, zmm2, zmm3, 0xca
    vpaddd zmm9, zmm9, zmm23
    vpaddd zmm4, zmm4, zmm26
    vprord zmm10, zmm1, 6
    vprord zmm14, zmm1, 11
    vprord zmm20, zmm1, 25
    vpaddd zmm3, zmm3, dword ptr [r10 + 176]{1to16}
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vmovdqa64 zmm11, zmm5
    vpternlogd zmm11, zmm6, zmm7, 0xe8
    vpaddd zmm3, zmm3, zmm31
    vpaddd zmm4, zmm4, zmm10
    vprord zmm13, zmm5, 2
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm11
    vprord zmm19, zmm5, 13
    vprord zmm23, zmm5, 22
    vpternlogd zmm13, zmm19, zmm23, 0x96
    vprord zmm26, zmm31, 7
    vpaddd zmm4, zmm4, zmm13
    vprord zmm14, zmm31, 18
    vpsrld zmm20, zmm31, 3
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vprord zmm10, zmm21, 17
    vpaddd zmm16, zmm16, zmm26
    vprord zmm11, zmm21, 19
    vpaddd zmm16, zmm16, zmm30
    vpsrld zmm19, zmm21, 10
    vpternlogd zmm10, zmm11, zmm19, 0x96
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0xca
    vpaddd zmm16, zmm16, zmm10
    vpaddd zmm3, zmm3, zmm23
    vprord zmm13, zmm0, 6
    vprord zmm14, zmm0, 11
    vprord zmm20, zmm0, 25
    vpaddd zmm2, zmm2, dword ptr [r10 + 180]{1to16}
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vmovdqa64 zmm26, zmm4
    vpternlogd zmm26, zmm5, zmm6, 0xe8
    vpaddd zmm2, zmm2, zmm29
    vpaddd zmm3, zmm3, zmm13
    vprord zmm11, zmm4, 2
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm26
    vprord zmm19, zmm4, 13
    vprord zmm10, zmm4, 22
    vpternlogd zmm11, zmm19, zmm10, 0x96
    vprord zmm23, zmm29, 7
    vpaddd zmm3, zmm3, zmm11
    vprord zmm14, zmm29, 18
    vpsrld zmm20, zmm29, 3
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vprord zmm13, zmm9, 17
    vpaddd zmm31, zmm31, zmm23
    vprord zmm26, zmm9, 19
    vpaddd zmm31, zmm31, zmm28
    vpsrld zmm19, zmm9, 10
    vpternlogd zmm13, zmm26, zmm19, 0x96
    vmovdqa64 zmm10, zmm7
    vpternlogd zmm10, zmm0, zmm1, 0xca
    vpaddd zmm31, zmm31, zmm13
    vpaddd zmm2, zmm2, zmm10
    vprord zmm11, zmm7, 6
    vprord zmm14, zmm7, 11
    vprord zmm20, zmm7, 25
    vpaddd zmm1, zmm1, dword ptr [r10 + 184]{1to16}
    vpternlogd zmm11, zmm14, zmm20, 0x96
    vmovdqa64 zmm23, zmm3
    vpternlogd zmm23, zmm4, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm2, zmm2, zmm11
    vprord zmm26, zmm3, 2
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm23
    vprord zmm19, zmm3, 13
    vprord zmm13, zmm3, 22
    vpternlogd zmm26, zmm19, zmm13, 0x96
    vprord zmm10, zmm22, 7
    vpaddd zmm2, zmm2, zmm26
    vprord zmm14, zmm22, 18
    vpsrld zmm20, zmm22, 3
    vpternlogd zmm10, zmm14, zmm20, 0x96
    vprord zmm11, zmm16, 17
    vpaddd zmm29, zmm29, zmm10
    vprord zmm23, zmm16, 19
    vpaddd zmm29, zmm29, zmm25
    vpsrld zmm19, zmm16, 10
    vpternlogd zmm11, zmm23, zmm19, 0x96
    vmovdqa64 zmm13, zmm6
    vpternlogd zmm13, zmm7, zmm0, 0xca
    vpaddd zmm29, zmm29, zmm11
    vpaddd zmm1, zmm1, zmm13
    vprord zmm26, zmm6, 6
    vprord zmm14, zmm6, 11
    vprord zmm20, zmm6, 25
    vpaddd zmm0, zmm0, dword ptr [r10 + 188]{1to16}
    vpternlogd zmm26, zmm14, zmm20, 0x96
    vmovdqa64 zmm10, zmm2
    vpternlogd zmm10, zmm3, zmm4, 0xe8
    vpaddd zmm0, zmm0, zmm18
    vpaddd zmm1, zmm1, zmm26
    vprord zmm23, zmm2, 2
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm1, zmm1, zmm10
    vprord zmm19, zmm2, 13
    vprord zmm11, zmm2, 22
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 96]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 104]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 112]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 120]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpternlogd zmm23, zmm19, zmm11, 0x96
    vprord zmm13, zmm18, 7
    vpaddd zmm1, zmm1, zmm23
    vprord zmm14, zmm18, 18
    vpsrld zmm20, zmm18, 3
    vpternlogd zmm13, zmm14, zmm20, 0x96
    vprord zmm26, zmm31, 17
    vpaddd zmm22, zmm22, zmm13
    vprord zmm10, zmm31, 19
    vpaddd zmm22, zmm22, zmm24
    vpsrld zmm19, zmm31, 10
    vpternlogd zmm26, zmm10, zmm19, 0x96
    vmovdqa64 zmm11, zmm5
    vpternlogd zmm11, zmm6, zmm7, 0xca
    vpaddd zmm22, zmm22, zmm26
    vpaddd zmm0, zmm0, zmm11
    vprord zmm23, zmm5, 6
    vprord zmm14, zmm5, 11
    vprord zmm20, zmm5, 25
    vpaddd zmm7, zmm7, dword ptr [r10 + 192]{1to16}
    vpternlogd zmm23, zmm14, zmm20, 0x96
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0xe8
    vpaddd zmm7, zmm7, zmm8
    vpaddd zmm0, zmm0, zmm23
    vprord zmm10, zmm1, 2
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm13
    vprord zmm19, zmm1, 13
    vprord zmm26, zmm1, 22
    vpternlogd zmm10, zmm19, zmm26, 0x96
    vprord zmm11, zmm8, 7
    vpaddd zmm0, zmm0, zmm10
    vprord zmm14, zmm8, 18
    vpsrld zmm8, zmm8, 3
    vpternlogd zmm11, zmm14, zmm8, 0x96
    vprord zmm20, zmm29, 17
    vprord zmm23, zmm29, 19
    vpaddd zmm18, zmm18, zmm11
    vpsrld zmm13, zmm29, 10
    vpaddd zmm18, zmm18, zmm27
    vpternlogd zmm20, zmm23, zmm13, 0x96
    vmovdqa64 zmm19, zmm4
    vpternlogd zmm19, zmm5, zmm6, 0xca
    vprord zmm26, zmm4, 6
    vpaddd zmm6, zmm6, dword ptr [r10 + 196]{1to16}
    vpaddd zmm18, zmm18, zmm20
    vpaddd zmm7, zmm7, zmm19
    vprord zmm10, zmm4, 11
    vprord zmm14, zmm4, 25
    vpaddd zmm6, zmm6, zmm17
    vmovdqa64 zmm8, zmm0
    vpternlogd zmm8, zmm1, zmm2, 0xe8
    vpternlogd zmm26, zmm10, zmm14, 0x96
    vprord zmm11, zmm0, 2
    vprord zmm23, zmm0, 13
    vpaddd zmm7, zmm7, zmm26
    vprord zmm13, zmm0, 22
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm7, zmm7, zmm8
    vpternlogd zmm11, zmm23, zmm13, 0x96
    vpaddd zmm7, zmm7, zmm11
    vmovdqa64 zmm20, zmm3
    vpternlogd zmm20, zmm4, zmm5, 0xca
    vprord zmm19, zmm3, 6
    vprord zmm17, zmm3, 11
    vprord zmm10, zmm3, 25
    vpaddd zmm5, zmm5, dword ptr [r10 + 200]{1to16}
    vpaddd zmm6, zmm6, zmm20
    vpternlogd zmm19, zmm17, zmm10, 0x96
    vmovdqa64 zmm14, zmm7
    vpternlogd zmm14, zmm0, zmm1, 0xe8
    vprord zmm26, zmm7, 2
    vprord zmm8, zmm7, 13
    vpaddd zmm5, zmm5, zmm15
    vprord zmm23, zmm7, 22
    vpaddd zmm6, zmm6, zmm19
    vpternlogd zmm26, zmm8, zmm23, 0x96
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm14
    vpaddd zmm6, zmm6, zmm26
    vmovdqa64 zmm13, zmm2
    vpternlogd zmm13, zmm3, zmm4, 0xca
    vprord zmm11, zmm2, 6
    vprord zmm20, zmm2, 11
    vprord zmm17, zmm2, 25
    vpaddd zmm4, zmm4, dword ptr [r10 + 204]{1to16}
    vpaddd zmm5, zmm5, zmm13
    vpternlogd zmm11, zmm20, zmm17, 0x96
    vmovdqa64 zmm10, zmm6
    vpternlogd zmm10, zmm7, zmm0, 0xe8
    vprord zmm15, zmm6, 2
    vprord zmm19, zmm6, 13
    vprord zmm8, zmm6, 22
    vpaddd zmm4, zmm4, zmm12
    vpaddd zmm5, zmm5, zmm11
    vpternlogd zmm15, zmm19, zmm8, 0x96
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm10
    vpaddd zmm5, zmm5, zmm15
    vmovdqa64 zmm23, zmm1
    vpternlogd zmm23, zmm2, zmm3, 0xca
    vprord zmm14, zmm1, 6
    vprord zmm26, zmm1, 11
    vprord zmm13, zmm1, 25
    vpaddd zmm3, zmm3, dword ptr [r10 + 208]{1to16}
    vpaddd zmm4, zmm4, zmm23
    vpternlogd zmm14, zmm26, zmm13, 0x96
    vmovdqa64 zmm20, zmm5
    vpternlogd zmm20, zmm6, zmm7, 0xe8
    vprord zmm17, zmm5, 2
    vprord zmm12, zmm5, 13
    vprord zmm11, zmm5, 22
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm4, zmm4, zmm14
    vpternlogd zmm17, zmm12, zmm11, 0x96
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm20
    vpaddd zmm4, zmm4, zmm17
    vmovdqa64 zmm19, zmm0
    vpternlogd zmm19, zmm1, zmm2, 0xca
    vprord zmm8, zmm0, 6
    vprord zmm10, zmm0, 11
    vprord zmm15, zmm0, 25
    vpaddd zmm2, zmm2, dword ptr [r10 + 212]{1to16}
    vpaddd zmm3, zmm3, zmm19
    vpternlogd zmm8, zmm10, zmm15, 0x96
    vmovdqa64 zmm23, zmm4
    vpternlogd zmm23, zmm5, zmm6, 0xe8
    vprord zmm26, zmm4, 2
    vprord zmm13, zmm4, 13
    vprord zmm30, zmm4, 22
    vpaddd zmm2, zmm2, zmm28
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 0]
    vpaddd zmm3, zmm3, zmm8
    vpternlogd zmm26, zmm13, zmm30, 0x96
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm23
    vpunpckldq zmm20, zmm14, zmm12
    vpunpckhdq zmm14, zmm14, zmm12
    vpaddd zmm3, zmm3, zmm26
    vmovdqa64 zmm17, zmm7
    vpternlogd zmm17, zmm0, zmm1, 0xca
    vprord zmm19, zmm7, 6
    vprord zmm10, zmm7, 11
    vprord zmm15, zmm7, 25
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm2, zmm2, zmm17
    vpternlogd zmm19, zmm10, zmm15, 0x96
    vpunpckldq zmm8, zmm11, zmm28
    vpunpckhdq zmm11, zmm11, zmm28
    vmovdqa64 zmm13, zmm3
    vpternlogd zmm13, zmm4, zmm5, 0xe8
    vpaddd zmm2, zmm2, zmm19
    vpunpcklqdq zmm30, zmm20, zmm8
    vpunpckhqdq zmm20, zmm20, zmm8
    vpunpcklqdq zmm23, zmm14, zmm11
    vpunpckhqdq zmm14, zmm14, zmm11
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm13
    vpunpckldq zmm10, zmm12, zmm26
    vpunpckhdq zmm12, zmm12, zmm26
    vprord zmm15, zmm3, 2
    vprord zmm28, zmm3, 13
    vpaddd zmm1, zmm1, dword ptr [r10 + 216]{1to16}
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm1, zmm1, zmm25
    vpunpckldq zmm8, zmm17, zmm19
    vpunpckhdq zmm17, zmm17, zmm19
    vpunpcklqdq zmm11, zmm10, zmm8
    vpunpckhqdq zmm10, zmm10, zmm8
    vpunpcklqdq zmm13, zmm12, zmm17
    vpunpckhqdq zmm12, zmm12, zmm17
    vprord zmm26, zmm3, 22
    vpternlogd zmm15, zmm28, zmm26, 0x96
    vshufi64x2 zmm25, zmm30, zmm11, 0x88
    vshufi64x2 zmm30, zmm30, zmm11, 0xdd
    vpaddd zmm2, zmm2, zmm15
    vshufi64x2 zmm19, zmm20, zmm10, 0x88
    vshufi64x2 zmm20, zmm20, zmm10, 0xdd
    vshufi64x2 zmm8, zmm23, zmm13, 0x88
    vshufi64x2 zmm23, zmm23, zmm13, 0xdd
    vmovdqa64 zmm17, zmm6
    vpternlogd zmm17, zmm7, zmm0, 0xca
    vpshufb zmm25, zmm25, zmmword ptr [r11]
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vpshufb zmm20, zmm20, zmmword ptr [r11]
    vpshufb zmm8, zmm8, zmmword ptr [r11]
    vpaddd zmm1, zmm1, zmm17
    vpshufb zmm23, zmm23, zmmword ptr [r11]
    vshufi64x2 zmm28, zmm14, zmm12, 0x88
    vmovdqa64 zmmword ptr [r9 + 0], zmm25
    vmovdqa64 zmmword ptr [r9 + 256], zmm30
    vmovdqa64 zmmword ptr [r9 + 64], zmm19
    vmovdqa64 zmmword ptr [r9 + 320], zmm20
    vmovdqa64 zmmword ptr [r9 + 128], zmm8
    vmovdqa64 zmmword ptr [r9 + 384], zmm23
    vpshufb zmm28, zmm28, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 192], zmm28
    vshufi64x2 zmm14, zmm14, zmm12, 0xdd
    vprord zmm26, zmm6, 6
    vprord zmm11, zmm6, 11
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm13, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm13, zmm13, ymmword ptr [rax + r8 + 32], 1
    vprord zmm17, zmm6, 25
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 32], 1
    vpshufb zmm14, zmm14, zmmword ptr [r11]
    vpunpckldq zmm30, zmm15, zmm10
    vpunpckhdq zmm15, zmm15, zmm10
    vpternlogd zmm26, zmm11, zmm17, 0x96
    vpunpckldq zmm19, zmm13, zmm25
    vpunpckhdq zmm13, zmm13, zmm25
    vmovdqa64 zmmword ptr [r9 + 448], zmm14
    vpaddd zmm1, zmm1, zmm26
    vpunpcklqdq zmm20, zmm30, zmm19
    vpunpckhqdq zmm30, zmm30, zmm19
    vpunpcklqdq zmm8, zmm15, zmm13
    vpunpckhqdq zmm15, zmm15, zmm13
    vmovdqa64 zmm23, zmm2
    vpternlogd zmm23, zmm3, zmm4, 0xe8
    vpaddd zmm5, zmm5, zmm1
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm1, zmm1, zmm23
    vprord zmm11, zmm2, 2
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm25, zmm28, zmm12
    vpunpckhdq zmm28, zmm28, zmm12
    vpunpckldq zmm14, zmm10, zmm17
    vpunpckhdq zmm10, zmm10, zmm17
    vpaddd zmm0, zmm0, dword ptr [r10 + 220]{1to16}
    vpunpcklqdq zmm26, zmm25, zmm14
    vpunpckhqdq zmm25, zmm25, zmm14
    vpunpcklqdq zmm19, zmm28, zmm10
    vpunpckhqdq zmm28, zmm28, zmm10
    vpaddd zmm0, zmm0, zmm24
    vprord zmm13, zmm2, 13
    vprord zmm23, zmm2, 22
    vpternlogd zmm11, zmm13, zmm23, 0x96
    vshufi64x2 zmm12, zmm20, zmm26, 0x88
    vshufi64x2 zmm20, zmm20, zmm26, 0xdd
    vshufi64x2 zmm17, zmm30, zmm25, 0x88
    vshufi64x2 zmm30, zmm30, zmm25, 0xdd
    vshufi64x2 zmm14, zmm8, zmm19, 0x88
    vshufi64x2 zmm8, zmm8, zmm19, 0xdd
    vmovdqa64 zmm10, zmm5
    vpternlogd zmm10, zmm6, zmm7, 0xca
    vpshufb zmm12, zmm12, zmmword ptr [r11]
    vpshufb zmm20, zmm20, zmmword ptr [r11]
    vpshufb zmm17, zmm17, zmmword ptr [r11]
    vpaddd zmm1, zmm1, zmm11
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vpshufb zmm14, zmm14, zmmword ptr [r11]
    vpshufb zmm8, zmm8, zmmword ptr [r11]
    vshufi64x2 zmm24, zmm15, zmm28, 0x88
    vmovdqa64 zmmword ptr [r9 + 512], zmm12
    vmovdqa64 zmmword ptr [r9 + 768], zmm20
    vmovdqa64 zmmword ptr [r9 + 576], zmm17
    vmovdqa64 zmmword ptr [r9 + 832], zmm30
    vmovdqa64 zmmword ptr [r9 + 640], zmm14
    vmovdqa64 zmmword ptr [r9 + 896], zmm8
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vshufi64x2 zmm15, zmm15, zmm28, 0xdd
    vmovdqa64 zmmword ptr [r9 + 704], zmm24
    vpshufb zmm15, zmm15, zmmword ptr [r11]
    vpaddd zmm0, zmm0, zmm10
    vprord zmm13, zmm5, 6
    vprord zmm23, zmm5, 11
    vprord zmm26, zmm5, 25
    vmovdqa64 zmm25, zmm1
    vpternlogd zmm25, zmm2, zmm3, 0xe8
    vprord zmm19, zmm1, 2
    vprord zmm11, zmm1, 13
    vprord zmm12, zmm1, 22
    vpaddd zmm7, zmm7, dword ptr [r10 + 224]{1to16}
    vmovdqa64 zmmword ptr [r9 + 960], zmm15
    vpternlogd zmm13, zmm23, zmm26, 0x96
    vpternlogd zmm19, zmm11, zmm12, 0x96
    vpaddd zmm7, zmm7, zmm27
    vpaddd zmm0, zmm0, zmm13
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm25
    vpaddd zmm0, zmm0, zmm19
    vmovdqa64 zmm20, zmm4
    vpternlogd zmm20, zmm5, zmm6, 0xca
    vprord zmm17, zmm4, 6
    vprord zmm30, zmm4, 11
    vprord zmm14, zmm4, 25
    vpaddd zmm6, zmm6, dword ptr [r10 + 228]{1to16}
    vpaddd zmm7, zmm7, zmm20
    vpternlogd zmm17, zmm30, zmm14, 0x96
    vmovdqa64 zmm8, zmm0
    vpternlogd zmm8, zmm1, zmm2, 0xe8
    vprord zmm28, zmm0, 2
    vprord zmm24, zmm0, 13
    vprord zmm10, zmm0, 22
    vpaddd zmm6, zmm6, zmm21
    vpaddd zmm7, zmm7, zmm17
    vpternlogd zmm28, zmm24, zmm10, 0x96
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm7, zmm7, zmm8
    vpaddd zmm7, zmm7, zmm28
    vmovdqa64 zmm15, zmm3
    vpternlogd zmm15, zmm4, zmm5, 0xca
    vprord zmm23, zmm3, 6
    vprord zmm26, zmm3, 11
    vprord zmm11, zmm3, 25
    vpaddd zmm5, zmm5, dword ptr [r10 + 232]{1to16}
    vpaddd zmm6, zmm6, zmm15
    vpternlogd zmm23, zmm26, zmm11, 0x96
    vmovdqa64 zmm12, zmm7
    vpternlogd zmm12, zmm0, zmm1, 0xe8
    vprord zmm27, zmm7, 2
    vprord zmm13, zmm7, 13
    vprord zmm25, zmm7, 22
    vpaddd zmm5, zmm5, zmm9
    vpaddd zmm6, zmm6, zmm23
    vpternlogd zmm27, zmm13, zmm25, 0x96
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm12
    vpaddd zmm6, zmm6, zmm27
    vmovdqa64 zmm19, zmm2
    vpternlogd zmm19, zmm3, zmm4, 0xca
    vprord zmm20, zmm2, 6
    vprord zmm30, zmm2, 11
    vprord zmm14, zmm2, 25
    vpaddd zmm4, zmm4, dword ptr [r10 + 236]{1to16}
    vpaddd zmm5, zmm5, zmm19
    vpternlogd zmm20, zmm30, zmm14, 0x96
    vmovdqa64 zmm21, zmm6
    vpternlogd zmm21, zmm7, zmm0, 0xe8
    vprord zmm17, zmm6, 2
    vprord zmm24, zmm6, 13
    vprord zmm10, zmm6, 22
    vpaddd zmm4, zmm4, zmm16
    vpaddd zmm5, zmm5, zmm20
    vpternlogd zmm17, zmm24, zmm10, 0x96
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm21
    vpaddd zmm5, zmm5, zmm17
    vmovdqa64 zmm8, zmm1
    vpternlogd zmm8, zmm2, zmm3, 0xca
    vprord zmm28, zmm1, 6
    vprord zmm15, zmm1, 11
    vprord zmm26, zmm1, 25
    vpaddd zmm3, zmm3, dword ptr [r10 + 240]{1to16}
    vpaddd zmm4, zmm4, zmm8
    vpternlogd zmm28, zmm15, zmm26, 0x96
    vmovdqa64 zmm11, zmm5
    vpternlogd zmm11, zmm6, zmm7, 0xe8
    vprord zmm9, zmm5, 2
    vprord zmm23, zmm5, 13
    vprord zmm13, zmm5, 22
    vpaddd zmm3, zmm3, zmm31
    vpaddd zmm4, zmm4, zmm28
    vpternlogd zmm9, zmm23, zmm13, 0x96
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm11
    vpaddd zmm4, zmm4, zmm9
    vmovdqa64 zmm25, zmm0
    vpternlogd zmm25, zmm1, zmm2, 0xca
    vprord zmm12, zmm0, 6
    vprord zmm27, zmm0, 11
    vprord zmm19, zmm0, 25
    vpaddd zmm2, zmm2, dword ptr [r10 + 244]{1to16}
    vpaddd zmm3, zmm3, zmm25
    vpternlogd zmm12, zmm27, zmm19, 0x96
    vmovdqa64 zmm30, zmm4
    vpternlogd zmm30, zmm5, zmm6, 0xe8
    vprord zmm14, zmm4, 2
    vprord zmm16, zmm4, 13
    vprord zmm20, zmm4, 22
    vpaddd zmm2, zmm2, zmm29
    vpaddd zmm3, zmm3, zmm12
    vpternlogd zmm14, zmm16, zmm20, 0x96
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm3, zmm3, zmm14
    vmovdqa64 zmm24, zmm7
    vpternlogd zmm24, zmm0, zmm1, 0xca
    vprord zmm10, zmm7, 6
    vprord zmm21, zmm7, 11
    vprord zmm17, zmm7, 25
    vpaddd zmm1, zmm1, dword ptr [r10 + 248]{1to16}
    vpaddd zmm2, zmm2, zmm24
    vpternlogd zmm10, zmm21, zmm17, 0x96
    vmovdqa64 zmm8, zmm3
    vpternlogd zmm8, zmm4, zmm5, 0xe8
    vprord zmm15, zmm3, 2
    vprord zmm26, zmm3, 13
    vprord zmm31, zmm3, 22
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm2, zmm2, zmm10
    vpternlogd zmm15, zmm26, zmm31, 0x96
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm8
    vpaddd zmm2, zmm2, zmm15
    vmovdqa64 zmm28, zmm6
    vpternlogd zmm28, zmm7, zmm0, 0xca
    vprord zmm23, zmm6, 6
    vprord zmm13, zmm6, 11
    vprord zmm11, zmm6, 25
    vpaddd zmm0, zmm0, dword ptr [r10 + 252]{1to16}
    vpaddd zmm1, zmm1, zmm28
    vpternlogd zmm23, zmm13, zmm11, 0x96
    vmovdqa64 zmm9, zmm2
    vpternlogd zmm9, zmm3, zmm4, 0xe8
    vprord zmm25, zmm2, 2
    vprord zmm27, zmm2, 13
    vprord zmm19, zmm2, 22
    vpaddd zmm0, zmm0, zmm18
    vpaddd zmm1, zmm1, zmm23
    vpternlogd zmm25, zmm27, zmm19, 0x96
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm1, zmm1, zmm9
    vpaddd zmm1, zmm1, zmm25
    vmovdqa64 zmm29, zmm5
    vpternlogd zmm29, zmm6, zmm7, 0xca
    vprord zmm12, zmm5, 6
    vprord zmm16, zmm5, 11
    vprord zmm20, zmm5, 25
    vpaddd zmm30, zmm2, zmmword ptr [rdi + 128]
    vpaddd zmm0, zmm0, zmm29
    vpternlogd zmm12, zmm16, zmm20, 0x96
    vpternlogd zmm2, zmm1, zmm3, 0xe8
    vprord zmm14, zmm1, 2
    vprord zmm24, zmm1, 13
    vprord zmm21, zmm1, 22
    vpaddd zmm1, zmm1, zmmword ptr [rdi + 64]
    vmovdqa64 zmmword ptr [rdi + 128], zmm30
    vpaddd zmm3, zmm3, zmmword ptr [rdi + 192]
    vpaddd zmm0, zmm0, zmm12
    vpternlogd zmm14, zmm24, zmm21, 0x96
    vmovdqa64 zmmword ptr [rdi + 64], zmm1
    vmovdqa64 zmmword ptr [rdi + 192], zmm3
    vpaddd zmm5, zmm5, zmmword ptr [rdi + 320]
    vpaddd zmm6, zmm6, zmmword ptr [rdi + 384]
    vpaddd zmm7, zmm7, zmmword ptr [rdi + 448]
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm2
    vmovdqa64 zmmword ptr [rdi + 320], zmm5
    vmovdqa64 zmmword ptr [rdi + 384], zmm6
    vmovdqa64 zmmword ptr [rdi + 448], zmm7
    vpaddd zmm0, zmm0, zmm14
    vpaddd zmm4, zmm4, zmmword ptr [rdi + 256]
    vpaddd zmm0, zmm0, zmmword ptr [rdi + 0]
    vmovdqa64 zmmword ptr [rdi + 256], zmm4
    vmovdqa64 zmmword ptr [rdi + 0], zmm0
    vmovdqa64 zmm2, zmm30
    cmp r14, r12
    jb 2b
