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
2:
    xchg rdx, r9
    add r15, 64
    lea r14, [r8 + 64]
    cmp r14, r12
    cmovb r8, r14
    vmovdqa64 zmm5, zmmword ptr [rdx + 0]
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
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
    vmovdqa64 zmm6, zmm1
    vpternlogd zmm6, zmm2, zmm3, 0xca
    vprold zmm7, zmm0, 5
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm8, zmmword ptr [rdx + 64]
    vpaddd zmm3, zmm3, dword ptr [r10 + 0]{1to16}
    vprold zmm9, zmm0, 30
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmm8
    vpternlogd zmm0, zmm1, zmm2, 0xca
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm4, zmm4, zmm6
    vpaddd zmm3, zmm3, zmm0
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm4, zmm4, zmm7
    vmovdqa64 zmm12, zmmword ptr [rdx + 128]
    vpaddd zmm2, zmm2, dword ptr [r10 + 0]{1to16}
    vprold zmm13, zmm4, 5
    vpaddd zmm2, zmm2, zmm12
    vmovdqa64 zmm14, zmm4
    vpternlogd zmm14, zmm9, zmm1, 0xca
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm15, zmmword ptr [rdx + 192]
    vpaddd zmm3, zmm3, zmm13
    vpaddd zmm2, zmm2, zmm14
    vpaddd zmm1, zmm1, dword ptr [r10 + 0]{1to16}
    vprold zmm16, zmm3, 5
    vpaddd zmm1, zmm1, zmm15
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm4, zmm9, 0xca
    vprold zmm3, zmm3, 30
    vmovdqa64 zmm18, zmmword ptr [rdx + 256]
    vpunpckldq zmm19, zmm10, zmm11
    vpunpckhdq zmm10, zmm10, zmm11
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm2, zmm2, zmm16
    vpaddd zmm1, zmm1, zmm17
    vpaddd zmm9, zmm9, dword ptr [r10 + 0]{1to16}
    vprold zmm21, zmm2, 5
    vpaddd zmm9, zmm9, zmm18
    vmovdqa64 zmm22, zmm2
    vpternlogd zmm22, zmm3, zmm4, 0xca
    vprold zmm2, zmm2, 30
    vmovdqa64 zmm23, zmmword ptr [rdx + 320]
    vpaddd zmm1, zmm1, zmm21
    vpaddd zmm9, zmm9, zmm22
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
    vprold zmm24, zmm1, 5
    vpaddd zmm4, zmm4, zmm23
    vmovdqa64 zmm25, zmm1
    vpternlogd zmm25, zmm2, zmm3, 0xca
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm26, zmmword ptr [rdx + 384]
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm9, zmm9, zmm24
    vpaddd zmm4, zmm4, zmm25
    vpunpckldq zmm28, zmm20, zmm27
    vpunpckhdq zmm20, zmm20, zmm27
    vpaddd zmm3, zmm3, dword ptr [r10 + 0]{1to16}
    vprold zmm29, zmm9, 5
    vpaddd zmm3, zmm3, zmm26
    vmovdqa64 zmm30, zmm9
    vpternlogd zmm30, zmm1, zmm2, 0xca
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm31, zmmword ptr [rdx + 448]
    vpaddd zmm4, zmm4, zmm29
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm2, zmm2, dword ptr [r10 + 0]{1to16}
    vprold zmm6, zmm4, 5
    vpaddd zmm2, zmm2, zmm31
    vmovdqa64 zmm0, zmm4
    vpternlogd zmm0, zmm9, zmm1, 0xca
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm7, zmmword ptr [rdx + 512]
    vpaddd zmm1, zmm1, dword ptr [r10 + 0]{1to16}
    vpunpcklqdq zmm13, zmm19, zmm28
    vpunpckhqdq zmm19, zmm19, zmm28
    vpunpcklqdq zmm14, zmm10, zmm20
    vpaddd zmm3, zmm3, zmm6
    vpaddd zmm2, zmm2, zmm0
    vpunpckhqdq zmm10, zmm10, zmm20
    vprold zmm11, zmm3, 5
    vpaddd zmm1, zmm1, zmm7
    vmovdqa64 zmm16, zmm3
    vpternlogd zmm16, zmm4, zmm9, 0xca
    vprold zmm3, zmm3, 30
    vmovdqa64 zmm17, zmmword ptr [rdx + 576]
    vpaddd zmm2, zmm2, zmm11
    vpaddd zmm1, zmm1, zmm16
    vpaddd zmm9, zmm9, dword ptr [r10 + 0]{1to16}
    vprold zmm21, zmm2, 5
    vpaddd zmm9, zmm9, zmm17
    vmovdqa64 zmm22, zmm2
    vpternlogd zmm22, zmm3, zmm4, 0xca
    vprold zmm2, zmm2, 30
    vmovdqa64 zmm24, zmmword ptr [rdx + 640]
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm1, zmm1, zmm21
    vpaddd zmm9, zmm9, zmm22
    vpaddd zmm4, zmm4, zmm24
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
    vprold zmm29, zmm1, 5
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    vmovdqa64 zmm30, zmm1
    vpternlogd zmm30, zmm2, zmm3, 0xca
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm28, zmmword ptr [rdx + 704]
    vpaddd zmm9, zmm9, zmm29
    vpaddd zmm4, zmm4, zmm30
    vpaddd zmm3, zmm3, dword ptr [r10 + 0]{1to16}
    vprold zmm6, zmm9, 5
    vpaddd zmm3, zmm3, zmm28
    vmovdqa64 zmm0, zmm9
    vpternlogd zmm0, zmm1, zmm2, 0xca
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm20, zmmword ptr [rdx + 768]
    vpaddd zmm2, zmm2, dword ptr [r10 + 0]{1to16}
    vpunpckldq zmm11, zmm25, zmm27
    vpunpckhdq zmm25, zmm25, zmm27
    vpaddd zmm4, zmm4, zmm6
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm20
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 0]
    vprold zmm21, zmm4, 5
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 0], 1
    vmovdqa64 zmm22, zmm4
    vpternlogd zmm22, zmm9, zmm1, 0xca
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm29, zmmword ptr [rdx + 832]
    vpaddd zmm3, zmm3, zmm21
    vpaddd zmm2, zmm2, zmm22
    vpaddd zmm1, zmm1, dword ptr [r10 + 0]{1to16}
    vprold zmm30, zmm3, 5
    vpaddd zmm1, zmm1, zmm29
    vmovdqa64 zmm27, zmm3
    vpternlogd zmm27, zmm4, zmm9, 0xca
    vprold zmm3, zmm3, 30
    vmovdqa64 zmm6, zmmword ptr [rdx + 896]
    vpaddd zmm9, zmm9, dword ptr [r10 + 0]{1to16}
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm0, ymmword ptr [rax + r8 + 0]
    vpaddd zmm2, zmm2, zmm30
    vpaddd zmm1, zmm1, zmm27
    vpaddd zmm9, zmm9, zmm6
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm0, zmm0, ymmword ptr [rax + r8 + 0], 1
    vprold zmm21, zmm2, 5
    vmovdqa64 zmm22, zmm2
    vpternlogd zmm22, zmm3, zmm4, 0xca
    vpunpckldq zmm30, zmm16, zmm0
    vpunpckhdq zmm16, zmm16, zmm0
    vprold zmm2, zmm2, 30
    vmovdqa64 zmm27, zmmword ptr [rdx + 960]
    vpaddd zmm1, zmm1, zmm21
    vpaddd zmm9, zmm9, zmm22
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
    vprold zmm0, zmm1, 5
    vpaddd zmm4, zmm4, zmm27
    vmovdqa64 zmm21, zmm1
    vpternlogd zmm21, zmm2, zmm3, 0xca
    vprold zmm1, zmm1, 30
    vpaddd zmm3, zmm3, dword ptr [r10 + 0]{1to16}
    vpaddd zmm9, zmm9, zmm0
    vpaddd zmm4, zmm4, zmm21
    vmovdqa64 zmm22, zmm12
    vpternlogd zmm22, zmm7, zmm29, 0x96
    vpunpcklqdq zmm0, zmm11, zmm30
    vprold zmm21, zmm9, 5
    vpxord zmm5, zmm5, zmm22
    vpunpckhqdq zmm11, zmm11, zmm30
    vpunpcklqdq zmm22, zmm25, zmm16
    vpunpckhqdq zmm25, zmm25, zmm16
    vmovdqa64 zmm30, zmm9
    vpternlogd zmm30, zmm1, zmm2, 0xca
    vpaddd zmm4, zmm4, zmm21
    vprold zmm5, zmm5, 1
    vprold zmm9, zmm9, 30
    vpaddd zmm3, zmm3, zmm5
    vprold zmm16, zmm4, 5
    vpaddd zmm2, zmm2, dword ptr [r10 + 0]{1to16}
    vpaddd zmm3, zmm3, zmm30
    vmovdqa64 zmm21, zmm15
    vpternlogd zmm21, zmm17, zmm6, 0x96
    vpaddd zmm3, zmm3, zmm16
    vpxord zmm8, zmm8, zmm21
    vmovdqa64 zmm30, zmm4
    vpternlogd zmm30, zmm9, zmm1, 0xca
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm16, zmm18
    vpternlogd zmm16, zmm24, zmm27, 0x96
    vprold zmm8, zmm8, 1
    vpxord zmm12, zmm12, zmm16
    vprold zmm21, zmm3, 5
    vpaddd zmm1, zmm1, dword ptr [r10 + 0]{1to16}
    vpaddd zmm2, zmm2, zmm8
    vprold zmm12, zmm12, 1
    vpaddd zmm2, zmm2, zmm30
    vshufi64x2 zmm16, zmm13, zmm0, 0x88
    vshufi64x2 zmm13, zmm13, zmm0, 0xdd
    vpaddd zmm1, zmm1, zmm12
    vmovdqa64 zmm30, zmm3
    vpternlogd zmm30, zmm4, zmm9, 0xca
    vpaddd zmm2, zmm2, zmm21
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vpaddd zmm1, zmm1, zmm30
    vprold zmm3, zmm3, 30
    vmovdqa64 zmmword ptr [r9 + 0], zmm16
    vprold zmm0, zmm2, 5
    vmovdqa64 zmm21, zmm23
    vpternlogd zmm21, zmm28, zmm5, 0x96
    vpaddd zmm9, zmm9, dword ptr [r10 + 0]{1to16}
    vpaddd zmm1, zmm1, zmm0
    vpxord zmm15, zmm15, zmm21
    vmovdqa64 zmm30, zmm2
    vpternlogd zmm30, zmm3, zmm4, 0xca
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vshufi64x2 zmm16, zmm19, zmm11, 0x88
    vprold zmm2, zmm2, 30
    vprold zmm15, zmm15, 1
    vprold zmm0, zmm1, 5
    vmovdqa64 zmmword ptr [r9 + 256], zmm13
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vmovdqa64 zmm21, zmm26
    vpternlogd zmm21, zmm20, zmm8, 0x96
    vpaddd zmm4, zmm4, dword ptr [r10 + 4]{1to16}
    vpaddd zmm9, zmm9, zmm15
    vpxord zmm18, zmm18, zmm21
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0x96
    vpaddd zmm9, zmm9, zmm30
    vprold zmm18, zmm18, 1
    vpaddd zmm9, zmm9, zmm0
    vpaddd zmm4, zmm4, zmm18
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm21, zmm31
    vpternlogd zmm21, zmm29, zmm12, 0x96
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm4, zmm4, zmm13
    vprold zmm30, zmm9, 5
    vpxord zmm23, zmm23, zmm21
    vmovdqa64 zmmword ptr [r9 + 64], zmm16
    vshufi64x2 zmm19, zmm19, zmm11, 0xdd
    vmovdqa64 zmm0, zmm9
    vpternlogd zmm0, zmm1, zmm2, 0x96
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
    vpaddd zmm4, zmm4, zmm30
    vprold zmm23, zmm23, 1
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vprold zmm9, zmm9, 30
    vpaddd zmm3, zmm3, zmm23
    vmovdqa64 zmmword ptr [r9 + 320], zmm19
    vprold zmm13, zmm4, 5
    vmovdqa64 zmm21, zmm7
    vpternlogd zmm21, zmm6, zmm15, 0x96
    vpaddd zmm2, zmm2, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm16, zmm4
    vpternlogd zmm16, zmm9, zmm1, 0x96
    vpaddd zmm3, zmm3, zmm0
    vpxord zmm26, zmm26, zmm21
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm11, zmm17
    vpternlogd zmm11, zmm27, zmm18, 0x96
    vshufi64x2 zmm30, zmm14, zmm22, 0x88
    vpaddd zmm3, zmm3, zmm13
    vprold zmm26, zmm26, 1
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vpaddd zmm2, zmm2, zmm26
    vprold zmm19, zmm3, 5
    vmovdqa64 zmmword ptr [r9 + 128], zmm30
    vshufi64x2 zmm14, zmm14, zmm22, 0xdd
    vpxord zmm31, zmm31, zmm11
    vpaddd zmm1, zmm1, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm0, zmm3
    vpternlogd zmm0, zmm4, zmm9, 0x96
    vpaddd zmm2, zmm2, zmm16
    vprold zmm31, zmm31, 1
    vpaddd zmm2, zmm2, zmm19
    vpaddd zmm1, zmm1, zmm31
    vprold zmm3, zmm3, 30
    vpaddd zmm1, zmm1, zmm0
    vprold zmm21, zmm2, 5
    vmovdqa64 zmm13, zmm24
    vpternlogd zmm13, zmm5, zmm23, 0x96
    vpaddd zmm9, zmm9, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm30, zmm2
    vpternlogd zmm30, zmm3, zmm4, 0x96
    vpshufb zmm14, zmm14, zmmword ptr [r11]
    vshufi64x2 zmm22, zmm10, zmm25, 0x88
    vpaddd zmm1, zmm1, zmm21
    vpxord zmm7, zmm7, zmm13
    vmovdqa64 zmmword ptr [r9 + 384], zmm14
    vpshufb zmm22, zmm22, zmmword ptr [r11]
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 1
    vprold zmm11, zmm1, 5
    vmovdqa64 zmm16, zmm28
    vpternlogd zmm16, zmm8, zmm26, 0x96
    vpaddd zmm4, zmm4, dword ptr [r10 + 4]{1to16}
    vpaddd zmm9, zmm9, zmm7
    vpxord zmm17, zmm17, zmm16
    vmovdqa64 zmm19, zmm1
    vpternlogd zmm19, zmm2, zmm3, 0x96
    vpaddd zmm9, zmm9, zmm30
    vprold zmm17, zmm17, 1
    vpaddd zmm9, zmm9, zmm11
    vpaddd zmm4, zmm4, zmm17
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm0, zmm20
    vpternlogd zmm0, zmm12, zmm31, 0x96
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm4, zmm4, zmm19
    vprold zmm21, zmm9, 5
    vpxord zmm24, zmm24, zmm0
    vmovdqa64 zmmword ptr [r9 + 192], zmm22
    vshufi64x2 zmm10, zmm10, zmm25, 0xdd
    vmovdqa64 zmm13, zmm9
    vpternlogd zmm13, zmm1, zmm2, 0x96
    vpaddd zmm4, zmm4, zmm21
    vprold zmm24, zmm24, 1
    vpshufb zmm10, zmm10, zmmword ptr [r11]
    vprold zmm9, zmm9, 30
    vmovdqa64 zmmword ptr [r9 + 448], zmm10
    vpaddd zmm3, zmm3, zmm24
    vprold zmm14, zmm4, 5
    vmovdqa64 zmm16, zmm29
    vpternlogd zmm16, zmm15, zmm7, 0x96
    vpaddd zmm2, zmm2, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm30, zmm4
    vpternlogd zmm30, zmm9, zmm1, 0x96
    vpaddd zmm3, zmm3, zmm13
    vpxord zmm28, zmm28, zmm16
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm11, zmm6
    vpternlogd zmm11, zmm18, zmm17, 0x96
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 32]
    vpaddd zmm3, zmm3, zmm14
    vprold zmm28, zmm28, 1
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm0, ymmword ptr [rax + r8 + 32]
    vpaddd zmm2, zmm2, zmm28
    vprold zmm22, zmm3, 5
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm0, zmm0, ymmword ptr [rax + r8 + 32], 1
    vpxord zmm20, zmm20, zmm11
    vpaddd zmm1, zmm1, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm25, zmm3
    vpternlogd zmm25, zmm4, zmm9, 0x96
    vpaddd zmm2, zmm2, zmm30
    vprold zmm20, zmm20, 1
    vpaddd zmm2, zmm2, zmm22
    vpaddd zmm1, zmm1, zmm20
    vprold zmm3, zmm3, 30
    vpaddd zmm1, zmm1, zmm25
    vprold zmm21, zmm2, 5
    vmovdqa64 zmm10, zmm27
    vpternlogd zmm10, zmm23, zmm24, 0x96
    vpaddd zmm9, zmm9, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm13, zmm2
    vpternlogd zmm13, zmm3, zmm4, 0x96
    vpunpckldq zmm16, zmm19, zmm0
    vpunpckhdq zmm19, zmm19, zmm0
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm1, zmm1, zmm21
    vpxord zmm29, zmm29, zmm10
    vprold zmm2, zmm2, 30
    vprold zmm29, zmm29, 1
    vprold zmm11, zmm1, 5
    vmovdqa64 zmm30, zmm5
    vpternlogd zmm30, zmm26, zmm28, 0x96
    vpaddd zmm4, zmm4, dword ptr [r10 + 4]{1to16}
    vpaddd zmm9, zmm9, zmm29
    vpxord zmm6, zmm6, zmm30
    vmovdqa64 zmm22, zmm1
    vpternlogd zmm22, zmm2, zmm3, 0x96
    vpaddd zmm9, zmm9, zmm13
    vprold zmm6, zmm6, 1
    vpaddd zmm9, zmm9, zmm11
    vpaddd zmm4, zmm4, zmm6
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm25, zmm8
    vpternlogd zmm25, zmm31, zmm20, 0x96
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm4, zmm4, zmm22
    vprold zmm0, zmm9, 5
    vpxord zmm27, zmm27, zmm25
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 32], 1
    vmovdqa64 zmm10, zmm9
    vpternlogd zmm10, zmm1, zmm2, 0x96
    vpaddd zmm4, zmm4, zmm0
    vprold zmm27, zmm27, 1
    vpunpckldq zmm30, zmm14, zmm21
    vpunpckhdq zmm14, zmm14, zmm21
    vprold zmm9, zmm9, 30
    vpaddd zmm3, zmm3, zmm27
    vprold zmm13, zmm4, 5
    vmovdqa64 zmm11, zmm12
    vpternlogd zmm11, zmm7, zmm29, 0x96
    vpaddd zmm2, zmm2, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm22, zmm4
    vpternlogd zmm22, zmm9, zmm1, 0x96
    vprold zmm4, zmm4, 30
    vpaddd zmm3, zmm3, zmm10
    vpxord zmm5, zmm5, zmm11
    vmovdqa64 zmm25, zmm15
    vpternlogd zmm25, zmm17, zmm6, 0x96
    vpunpcklqdq zmm0, zmm16, zmm30
    vpaddd zmm3, zmm3, zmm13
    vprold zmm5, zmm5, 1
    vpunpckhqdq zmm16, zmm16, zmm30
    vpunpcklqdq zmm21, zmm19, zmm14
    vpaddd zmm2, zmm2, zmm5
    vprold zmm10, zmm3, 5
    vpunpckhqdq zmm19, zmm19, zmm14
    vpxord zmm8, zmm8, zmm25
    vpaddd zmm1, zmm1, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm11, zmm3
    vpternlogd zmm11, zmm4, zmm9, 0x96
    vpaddd zmm2, zmm2, zmm22
    vprold zmm8, zmm8, 1
    vpaddd zmm2, zmm2, zmm10
    vpaddd zmm1, zmm1, zmm8
    vprold zmm3, zmm3, 30
    vpaddd zmm1, zmm1, zmm11
    vprold zmm13, zmm2, 5
    vmovdqa64 zmm30, zmm18
    vpternlogd zmm30, zmm24, zmm27, 0x96
    vpaddd zmm9, zmm9, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm14, zmm2
    vpternlogd zmm14, zmm3, zmm4, 0x96
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm22, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm22, zmm22, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm1, zmm1, zmm13
    vpxord zmm12, zmm12, zmm30
    vprold zmm2, zmm2, 30
    vprold zmm12, zmm12, 1
    vprold zmm10, zmm1, 5
    vmovdqa64 zmm11, zmm23
    vpternlogd zmm11, zmm28, zmm5, 0x96
    vpaddd zmm4, zmm4, dword ptr [r10 + 4]{1to16}
    vpaddd zmm9, zmm9, zmm12
    vpxord zmm15, zmm15, zmm11
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0x96
    vpaddd zmm9, zmm9, zmm14
    vprold zmm15, zmm15, 1
    vpaddd zmm9, zmm9, zmm10
    vpaddd zmm4, zmm4, zmm15
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm30, zmm26
    vpternlogd zmm30, zmm20, zmm8, 0x96
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm4, zmm4, zmm13
    vprold zmm11, zmm9, 5
    vpxord zmm18, zmm18, zmm30
    vpunpckldq zmm14, zmm25, zmm22
    vpunpckhdq zmm25, zmm25, zmm22
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 32], 1
    vmovdqa64 zmm13, zmm9
    vpternlogd zmm13, zmm1, zmm2, 0x96
    vpaddd zmm4, zmm4, zmm11
    vprold zmm18, zmm18, 1
    vprold zmm9, zmm9, 30
    vpaddd zmm3, zmm3, zmm18
    vprold zmm30, zmm4, 5
    vmovdqa64 zmm22, zmm31
    vpternlogd zmm22, zmm29, zmm12, 0x96
    vpaddd zmm2, zmm2, dword ptr [r10 + 4]{1to16}
    vpaddd zmm3, zmm3, zmm13
    vpxord zmm23, zmm23, zmm22
    vmovdqa64 zmm11, zmm4
    vpternlogd zmm11, zmm9, zmm1, 0x96
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm13, zmm7
    vpternlogd zmm13, zmm6, zmm15, 0x96
    vpaddd zmm3, zmm3, zmm30
    vprold zmm23, zmm23, 1
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm22, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm22, zmm22, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm2, zmm2, zmm23
    vpxord zmm26, zmm26, zmm13
    vprold zmm30, zmm3, 5
    vpaddd zmm1, zmm1, dword ptr [r10 + 4]{1to16}
    vpaddd zmm2, zmm2, zmm11
    vpunpckldq zmm13, zmm10, zmm22
    vpunpckhdq zmm10, zmm10, zmm22
    vprold zmm26, zmm26, 1
    vmovdqa64 zmm11, zmm3
    vpternlogd zmm11, zmm4, zmm9, 0x96
    vpaddd zmm2, zmm2, zmm30
    vpaddd zmm1, zmm1, zmm26
    vprold zmm3, zmm3, 30
    vpaddd zmm1, zmm1, zmm11
    vprold zmm22, zmm2, 5
    vmovdqa64 zmm30, zmm17
    vpternlogd zmm30, zmm27, zmm18, 0x96
    vpaddd zmm9, zmm9, dword ptr [r10 + 4]{1to16}
    vpaddd zmm1, zmm1, zmm22
    vpxord zmm31, zmm31, zmm30
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm4, 0x96
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
    vpunpcklqdq zmm22, zmm14, zmm13
    vpunpckhqdq zmm14, zmm14, zmm13
    vpunpcklqdq zmm30, zmm25, zmm10
    vpunpckhqdq zmm25, zmm25, zmm10
    vprold zmm2, zmm2, 30
    vprold zmm31, zmm31, 1
    vprold zmm13, zmm1, 5
    vpaddd zmm4, zmm4, dword ptr [r10 + 8]{1to16}
    vpaddd zmm9, zmm9, zmm31
    vpaddd zmm9, zmm9, zmm11
    vmovdqa64 zmm10, zmm24
    vpternlogd zmm10, zmm5, zmm23, 0x96
    vpaddd zmm9, zmm9, zmm13
    vpxord zmm7, zmm7, zmm10
    vmovdqa64 zmm11, zmm1
    vpternlogd zmm11, zmm2, zmm3, 0xe8
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm13, zmm28
    vpternlogd zmm13, zmm8, zmm26, 0x96
    vpaddd zmm3, zmm3, dword ptr [r10 + 8]{1to16}
    vprold zmm7, zmm7, 1
    vpxord zmm17, zmm17, zmm13
    vprold zmm10, zmm9, 5
    vpaddd zmm4, zmm4, zmm7
    vprold zmm17, zmm17, 1
    vpaddd zmm4, zmm4, zmm11
    vshufi64x2 zmm13, zmm0, zmm22, 0x88
    vshufi64x2 zmm0, zmm0, zmm22, 0xdd
    vpaddd zmm3, zmm3, zmm17
    vmovdqa64 zmm11, zmm9
    vpternlogd zmm11, zmm1, zmm2, 0xe8
    vpaddd zmm4, zmm4, zmm10
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vpaddd zmm3, zmm3, zmm11
    vprold zmm9, zmm9, 30
    vmovdqa64 zmmword ptr [r9 + 512], zmm13
    vprold zmm22, zmm4, 5
    vmovdqa64 zmm10, zmm20
    vpternlogd zmm10, zmm12, zmm31, 0x96
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vmovdqa64 zmm11, zmm4
    vpternlogd zmm11, zmm9, zmm1, 0xe8
    vpaddd zmm3, zmm3, zmm22
    vpxord zmm24, zmm24, zmm10
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm13, zmm29
    vpternlogd zmm13, zmm15, zmm7, 0x96
    vpshufb zmm0, zmm0, zmmword ptr [r11]
    vshufi64x2 zmm22, zmm16, zmm14, 0x88
    vprold zmm24, zmm24, 1
    vmovdqa64 zmmword ptr [r9 + 768], zmm0
    vprold zmm10, zmm3, 5
    vpshufb zmm22, zmm22, zmmword ptr [r11]
    vpxord zmm28, zmm28, zmm13
    vpaddd zmm1, zmm1, dword ptr [r10 + 8]{1to16}
    vpaddd zmm2, zmm2, zmm24
    vprold zmm28, zmm28, 1
    vmovdqa64 zmm0, zmm3
    vpternlogd zmm0, zmm4, zmm9, 0xe8
    vpaddd zmm2, zmm2, zmm11
    vpaddd zmm1, zmm1, zmm28
    vpaddd zmm2, zmm2, zmm10
    vpaddd zmm1, zmm1, zmm0
    vprold zmm3, zmm3, 30
    vprold zmm13, zmm2, 5
    vmovdqa64 zmm11, zmm6
    vpternlogd zmm11, zmm18, zmm17, 0x96
    vpaddd zmm9, zmm9, dword ptr [r10 + 8]{1to16}
    vmovdqa64 zmm10, zmm2
    vpternlogd zmm10, zmm3, zmm4, 0xe8
    vmovdqa64 zmmword ptr [r9 + 576], zmm22
    vshufi64x2 zmm16, zmm16, zmm14, 0xdd
    vpaddd zmm1, zmm1, zmm13
    vpxord zmm20, zmm20, zmm11
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vprold zmm2, zmm2, 30
    vprold zmm20, zmm20, 1
    vprold zmm0, zmm1, 5
    vmovdqa64 zmmword ptr [r9 + 832], zmm16
    vmovdqa64 zmm22, zmm27
    vpternlogd zmm22, zmm23, zmm24, 0x96
    vpaddd zmm4, zmm4, dword ptr [r10 + 8]{1to16}
    vpaddd zmm9, zmm9, zmm20
    vpxord zmm29, zmm29, zmm22
    vmovdqa64 zmm14, zmm1
    vpternlogd zmm14, zmm2, zmm3, 0xe8
    vpaddd zmm9, zmm9, zmm10
    vprold zmm29, zmm29, 1
    vpaddd zmm9, zmm9, zmm0
    vpaddd zmm4, zmm4, zmm29
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm13, zmm5
    vpternlogd zmm13, zmm26, zmm28, 0x96
    vpaddd zmm3, zmm3, dword ptr [r10 + 8]{1to16}
    vpaddd zmm4, zmm4, zmm14
    vprold zmm11, zmm9, 5
    vpxord zmm6, zmm6, zmm13
    vshufi64x2 zmm16, zmm21, zmm30, 0x88
    vshufi64x2 zmm21, zmm21, zmm30, 0xdd
    vmovdqa64 zmm22, zmm9
    vpternlogd zmm22, zmm1, zmm2, 0xe8
    vpaddd zmm4, zmm4, zmm11
    vprold zmm6, zmm6, 1
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vprold zmm9, zmm9, 30
    vmovdqa64 zmmword ptr [r9 + 640], zmm16
    vpaddd zmm3, zmm3, zmm6
    vprold zmm10, zmm4, 5
    vmovdqa64 zmm0, zmm8
    vpternlogd zmm0, zmm31, zmm20, 0x96
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vmovdqa64 zmm14, zmm4
    vpternlogd zmm14, zmm9, zmm1, 0xe8
    vpaddd zmm3, zmm3, zmm22
    vpxord zmm27, zmm27, zmm0
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm13, zmm12
    vpternlogd zmm13, zmm7, zmm29, 0x96
    vpshufb zmm21, zmm21, zmmword ptr [r11]
    vpaddd zmm3, zmm3, zmm10
    vprold zmm27, zmm27, 1
    vmovdqa64 zmmword ptr [r9 + 896], zmm21
    vshufi64x2 zmm30, zmm19, zmm25, 0x88
    vpaddd zmm2, zmm2, zmm27
    vprold zmm11, zmm3, 5
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vpxord zmm5, zmm5, zmm13
    vpaddd zmm1, zmm1, dword ptr [r10 + 8]{1to16}
    vmovdqa64 zmm16, zmm3
    vpternlogd zmm16, zmm4, zmm9, 0xe8
    vpaddd zmm2, zmm2, zmm14
    vprold zmm5, zmm5, 1
    vpaddd zmm2, zmm2, zmm11
    vpaddd zmm1, zmm1, zmm5
    vprold zmm3, zmm3, 30
    vpaddd zmm1, zmm1, zmm16
    vprold zmm22, zmm2, 5
    vmovdqa64 zmm0, zmm15
    vpternlogd zmm0, zmm17, zmm6, 0x96
    vpaddd zmm9, zmm9, dword ptr [r10 + 8]{1to16}
    vmovdqa64 zmm10, zmm2
    vpternlogd zmm10, zmm3, zmm4, 0xe8
    vmovdqa64 zmmword ptr [r9 + 704], zmm30
    vshufi64x2 zmm19, zmm19, zmm25, 0xdd
    vpaddd zmm1, zmm1, zmm22
    vpxord zmm8, zmm8, zmm0
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vprold zmm2, zmm2, 30
    vprold zmm8, zmm8, 1
    vmovdqa64 zmmword ptr [r9 + 960], zmm19
    vprold zmm21, zmm1, 5
    vmovdqa64 zmm13, zmm18
    vpternlogd zmm13, zmm24, zmm27, 0x96
    vpaddd zmm4, zmm4, dword ptr [r10 + 8]{1to16}
    vpaddd zmm9, zmm9, zmm8
    vpxord zmm12, zmm12, zmm13
    vmovdqa64 zmm14, zmm1
    vpternlogd zmm14, zmm2, zmm3, 0xe8
    vpaddd zmm9, zmm9, zmm10
    vprold zmm12, zmm12, 1
    vpaddd zmm9, zmm9, zmm21
    vpaddd zmm4, zmm4, zmm12
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm11, zmm23
    vpternlogd zmm11, zmm28, zmm5, 0x96
    vpaddd zmm3, zmm3, dword ptr [r10 + 8]{1to16}
    vpaddd zmm4, zmm4, zmm14
    vprold zmm16, zmm9, 5
    vpxord zmm15, zmm15, zmm11
    vmovdqa64 zmm30, zmm9
    vpternlogd zmm30, zmm1, zmm2, 0xe8
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm25, zmm26
    vpternlogd zmm25, zmm20, zmm8, 0x96
    vpaddd zmm4, zmm4, zmm16
    vprold zmm15, zmm15, 1
    vpxord zmm18, zmm18, zmm25
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vpaddd zmm3, zmm3, zmm15
    vprold zmm22, zmm4, 5
    vprold zmm18, zmm18, 1
    vmovdqa64 zmm0, zmm4
    vpternlogd zmm0, zmm9, zmm1, 0xe8
    vprold zmm4, zmm4, 30
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm2, zmm2, zmm18
    vmovdqa64 zmm19, zmm31
    vpternlogd zmm19, zmm29, zmm12, 0x96
    vpaddd zmm3, zmm3, zmm22
    vpaddd zmm2, zmm2, zmm0
    vpxord zmm23, zmm23, zmm19
    vpaddd zmm1, zmm1, dword ptr [r10 + 8]{1to16}
    vprold zmm13, zmm3, 5
    vprold zmm23, zmm23, 1
    vmovdqa64 zmm10, zmm3
    vpternlogd zmm10, zmm4, zmm9, 0xe8
    vprold zmm3, zmm3, 30
    vmovdqa64 zmm21, zmm7
    vpternlogd zmm21, zmm6, zmm15, 0x96
    vpaddd zmm2, zmm2, zmm13
    vpaddd zmm1, zmm1, zmm23
    vpxord zmm26, zmm26, zmm21
    vpaddd zmm9, zmm9, dword ptr [r10 + 8]{1to16}
    vpaddd zmm1, zmm1, zmm10
    vprold zmm14, zmm2, 5
    vprold zmm26, zmm26, 1
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm4, 0xe8
    vprold zmm2, zmm2, 30
    vmovdqa64 zmm16, zmm17
    vpternlogd zmm16, zmm27, zmm18, 0x96
    vpaddd zmm1, zmm1, zmm14
    vpaddd zmm9, zmm9, zmm26
    vpxord zmm31, zmm31, zmm16
    vpaddd zmm4, zmm4, dword ptr [r10 + 8]{1to16}
    vpaddd zmm9, zmm9, zmm11
    vprold zmm25, zmm1, 5
    vprold zmm31, zmm31, 1
    vmovdqa64 zmm30, zmm1
    vpternlogd zmm30, zmm2, zmm3, 0xe8
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm22, zmm24
    vpternlogd zmm22, zmm5, zmm23, 0x96
    vpaddd zmm9, zmm9, zmm25
    vpaddd zmm4, zmm4, zmm31
    vpxord zmm7, zmm7, zmm22
    vpaddd zmm3, zmm3, dword ptr [r10 + 8]{1to16}
    vpaddd zmm4, zmm4, zmm30
    vprold zmm0, zmm9, 5
    vprold zmm7, zmm7, 1
    vmovdqa64 zmm19, zmm9
    vpternlogd zmm19, zmm1, zmm2, 0xe8
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm13, zmm28
    vpternlogd zmm13, zmm8, zmm26, 0x96
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm3, zmm3, zmm7
    vpxord zmm17, zmm17, zmm13
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vpaddd zmm3, zmm3, zmm19
    vprold zmm21, zmm4, 5
    vprold zmm17, zmm17, 1
    vmovdqa64 zmm10, zmm4
    vpternlogd zmm10, zmm9, zmm1, 0xe8
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm14, zmm20
    vpternlogd zmm14, zmm12, zmm31, 0x96
    vpaddd zmm3, zmm3, zmm21
    vpaddd zmm2, zmm2, zmm17
    vpxord zmm24, zmm24, zmm14
    vpaddd zmm1, zmm1, dword ptr [r10 + 8]{1to16}
    vpaddd zmm2, zmm2, zmm10
    vprold zmm16, zmm3, 5
    vprold zmm24, zmm24, 1
    vmovdqa64 zmm11, zmm3
    vpternlogd zmm11, zmm4, zmm9, 0xe8
    vprold zmm3, zmm3, 30
    vmovdqa64 zmm25, zmm29
    vpternlogd zmm25, zmm15, zmm7, 0x96
    vpaddd zmm2, zmm2, zmm16
    vpaddd zmm1, zmm1, zmm24
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
    vpxord zmm28, zmm28, zmm25
    vpaddd zmm9, zmm9, dword ptr [r10 + 8]{1to16}
    vpaddd zmm1, zmm1, zmm11
    vprold zmm22, zmm2, 5
    vprold zmm28, zmm28, 1
    vmovdqa64 zmm30, zmm2
    vpternlogd zmm30, zmm3, zmm4, 0xe8
    vprold zmm2, zmm2, 30
    vmovdqa64 zmm0, zmm6
    vpternlogd zmm0, zmm18, zmm17, 0x96
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm9, zmm9, zmm28
    vpxord zmm20, zmm20, zmm0
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm9, zmm9, zmm30
    vprold zmm13, zmm1, 5
    vprold zmm20, zmm20, 1
    vmovdqa64 zmm19, zmm1
    vpternlogd zmm19, zmm2, zmm3, 0x96
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm21, zmm27
    vpternlogd zmm21, zmm23, zmm24, 0x96
    vpaddd zmm9, zmm9, zmm13
    vpaddd zmm4, zmm4, zmm20
    vpxord zmm29, zmm29, zmm21
    vpaddd zmm3, zmm3, dword ptr [r10 + 12]{1to16}
    vpaddd zmm4, zmm4, zmm19
    vprold zmm14, zmm9, 5
    vprold zmm29, zmm29, 1
    vmovdqa64 zmm10, zmm9
    vpternlogd zmm10, zmm1, zmm2, 0x96
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm16, zmm5
    vpternlogd zmm16, zmm26, zmm28, 0x96
    vpaddd zmm4, zmm4, zmm14
    vpaddd zmm3, zmm3, zmm29
    vpxord zmm6, zmm6, zmm16
    vpaddd zmm2, zmm2, dword ptr [r10 + 12]{1to16}
    vpaddd zmm3, zmm3, zmm10
    vprold zmm25, zmm4, 5
    vprold zmm6, zmm6, 1
    vmovdqa64 zmm11, zmm4
    vpternlogd zmm11, zmm9, zmm1, 0x96
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm22, zmm8
    vpternlogd zmm22, zmm31, zmm20, 0x96
    vpaddd zmm3, zmm3, zmm25
    vpaddd zmm2, zmm2, zmm6
    vpxord zmm27, zmm27, zmm22
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm2, zmm2, zmm11
    vprold zmm0, zmm3, 5
    vprold zmm27, zmm27, 1
    vmovdqa64 zmm30, zmm3
    vpternlogd zmm30, zmm4, zmm9, 0x96
    vprold zmm3, zmm3, 30
    vmovdqa64 zmm13, zmm12
    vpternlogd zmm13, zmm7, zmm29, 0x96
    vpaddd zmm2, zmm2, zmm0
    vpaddd zmm1, zmm1, zmm27
    vpxord zmm5, zmm5, zmm13
    vpaddd zmm9, zmm9, dword ptr [r10 + 12]{1to16}
    vpaddd zmm1, zmm1, zmm30
    vprold zmm21, zmm2, 5
    vprold zmm5, zmm5, 1
    vmovdqa64 zmm19, zmm2
    vpternlogd zmm19, zmm3, zmm4, 0x96
    vprold zmm2, zmm2, 30
    vmovdqa64 zmm14, zmm15
    vpternlogd zmm14, zmm17, zmm6, 0x96
    vpaddd zmm1, zmm1, zmm21
    vpaddd zmm9, zmm9, zmm5
    vpxord zmm8, zmm8, zmm14
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm9, zmm9, zmm19
    vprold zmm16, zmm1, 5
    vprold zmm8, zmm8, 1
    vmovdqa64 zmm10, zmm1
    vpternlogd zmm10, zmm2, zmm3, 0x96
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm25, zmm18
    vpternlogd zmm25, zmm24, zmm27, 0x96
    vpaddd zmm9, zmm9, zmm16
    vpaddd zmm4, zmm4, zmm8
    vpxord zmm12, zmm12, zmm25
    vpaddd zmm3, zmm3, dword ptr [r10 + 12]{1to16}
    vpaddd zmm4, zmm4, zmm10
    vprold zmm22, zmm9, 5
    vprold zmm12, zmm12, 1
    vmovdqa64 zmm11, zmm9
    vpternlogd zmm11, zmm1, zmm2, 0x96
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm0, zmm23
    vpternlogd zmm0, zmm28, zmm5, 0x96
    vpaddd zmm4, zmm4, zmm22
    vpaddd zmm3, zmm3, zmm12
    vpxord zmm15, zmm15, zmm0
    vpaddd zmm2, zmm2, dword ptr [r10 + 12]{1to16}
    vpaddd zmm3, zmm3, zmm11
    vprold zmm13, zmm4, 5
    vprold zmm15, zmm15, 1
    vmovdqa64 zmm30, zmm4
    vpternlogd zmm30, zmm9, zmm1, 0x96
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm21, zmm26
    vpternlogd zmm21, zmm20, zmm8, 0x96
    vpaddd zmm3, zmm3, zmm13
    vpaddd zmm2, zmm2, zmm15
    vpxord zmm18, zmm18, zmm21
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm2, zmm2, zmm30
    vprold zmm14, zmm3, 5
    vprold zmm18, zmm18, 1
    vmovdqa64 zmm19, zmm3
    vpternlogd zmm19, zmm4, zmm9, 0x96
    vprold zmm3, zmm3, 30
    vmovdqa64 zmm16, zmm31
    vpternlogd zmm16, zmm29, zmm12, 0x96
    vpaddd zmm2, zmm2, zmm14
    vpaddd zmm1, zmm1, zmm18
    vpxord zmm23, zmm23, zmm16
    vpaddd zmm9, zmm9, dword ptr [r10 + 12]{1to16}
    vpaddd zmm1, zmm1, zmm19
    vprold zmm25, zmm2, 5
    vprold zmm23, zmm23, 1
    vmovdqa64 zmm10, zmm2
    vpternlogd zmm10, zmm3, zmm4, 0x96
    vprold zmm2, zmm2, 30
    vmovdqa64 zmm22, zmm7
    vpternlogd zmm22, zmm6, zmm15, 0x96
    vpaddd zmm1, zmm1, zmm25
    vpaddd zmm9, zmm9, zmm23
    vpxord zmm26, zmm26, zmm22
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm9, zmm9, zmm10
    vprold zmm0, zmm1, 5
    vprold zmm26, zmm26, 1
    vmovdqa64 zmm11, zmm1
    vpternlogd zmm11, zmm2, zmm3, 0x96
    vprold zmm1, zmm1, 30
    vmovdqa64 zmm13, zmm17
    vpternlogd zmm13, zmm27, zmm18, 0x96
    vpaddd zmm9, zmm9, zmm0
    vpaddd zmm4, zmm4, zmm26
    vpxord zmm31, zmm31, zmm13
    vpaddd zmm3, zmm3, dword ptr [r10 + 12]{1to16}
    vpaddd zmm4, zmm4, zmm11
    vprold zmm21, zmm9, 5
    vprold zmm31, zmm31, 1
    vmovdqa64 zmm30, zmm9
    vpternlogd zmm30, zmm1, zmm2, 0x96
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm14, zmm24
    vpternlogd zmm14, zmm5, zmm23, 0x96
    vpaddd zmm4, zmm4, zmm21
    vpaddd zmm3, zmm3, zmm31
    vpxord zmm7, zmm7, zmm14
    vpaddd zmm2, zmm2, dword ptr [r10 + 12]{1to16}
    vpaddd zmm3, zmm3, zmm30
    vprold zmm16, zmm4, 5
    vprold zmm7, zmm7, 1
    vmovdqa64 zmm19, zmm4
    vpternlogd zmm19, zmm9, zmm1, 0x96
    vprold zmm4, zmm4, 30
    vmovdqa64 zmm25, zmm28
    vpternlogd zmm25, zmm8, zmm26, 0x96
    vpaddd zmm3, zmm3, zmm16
    vpaddd zmm2, zmm2, zmm7
    vpxord zmm17, zmm17, zmm25
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm2, zmm2, zmm19
    vprold zmm22, zmm3, 5
    vprold zmm17, zmm17, 1
    vmovdqa64 zmm10, zmm3
    vpternlogd zmm10, zmm4, zmm9, 0x96
    vprold zmm3, zmm3, 30
    vpternlogd zmm12, zmm20, zmm31, 0x96
    vpaddd zmm2, zmm2, zmm22
    vpaddd zmm1, zmm1, zmm17
    vpxord zmm24, zmm24, zmm12
    vpaddd zmm9, zmm9, dword ptr [r10 + 12]{1to16}
    vpaddd zmm1, zmm1, zmm10
    vprold zmm0, zmm2, 5
    vprold zmm24, zmm24, 1
    vmovdqa64 zmm13, zmm2
    vpternlogd zmm13, zmm3, zmm4, 0x96
    vprold zmm2, zmm2, 30
    vpternlogd zmm15, zmm29, zmm7, 0x96
    vpaddd zmm1, zmm1, zmm0
    vpaddd zmm9, zmm9, zmm24
    vpxord zmm28, zmm28, zmm15
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm9, zmm9, zmm13
    vprold zmm11, zmm1, 5
    vprold zmm28, zmm28, 1
    vmovdqa64 zmm21, zmm1
    vpternlogd zmm21, zmm2, zmm3, 0x96
    vprold zmm1, zmm1, 30
    vpternlogd zmm18, zmm6, zmm17, 0x96
    vpaddd zmm9, zmm9, zmm11
    vpaddd zmm4, zmm4, zmm28
    vpxord zmm20, zmm20, zmm18
    vpaddd zmm3, zmm3, dword ptr [r10 + 12]{1to16}
    vpaddd zmm4, zmm4, zmm21
    vprold zmm14, zmm9, 5
    vprold zmm20, zmm20, 1
    vmovdqa64 zmm30, zmm9
    vpternlogd zmm30, zmm1, zmm2, 0x96
    vprold zmm9, zmm9, 30
    vpternlogd zmm23, zmm27, zmm24, 0x96
    vpaddd zmm4, zmm4, zmm14
    vpaddd zmm3, zmm3, zmm20
    vpxord zmm29, zmm29, zmm23
    vpaddd zmm2, zmm2, dword ptr [r10 + 12]{1to16}
    vpaddd zmm3, zmm3, zmm30
    vprold zmm16, zmm4, 5
    vprold zmm29, zmm29, 1
    vmovdqa64 zmm25, zmm4
    vpternlogd zmm25, zmm9, zmm1, 0x96
    vprold zmm4, zmm4, 30
    vpternlogd zmm5, zmm26, zmm28, 0x96
    vpaddd zmm3, zmm3, zmm16
    vpaddd zmm2, zmm2, zmm29
    vpxord zmm6, zmm6, zmm5
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm2, zmm2, zmm25
    vprold zmm19, zmm3, 5
    vprold zmm6, zmm6, 1
    vmovdqa64 zmm22, zmm3
    vpternlogd zmm22, zmm4, zmm9, 0x96
    vprold zmm3, zmm3, 30
    vpternlogd zmm8, zmm31, zmm20, 0x96
    vpaddd zmm2, zmm2, zmm19
    vpaddd zmm1, zmm1, zmm6
    vpxord zmm27, zmm27, zmm8
    vpaddd zmm9, zmm9, dword ptr [r10 + 12]{1to16}
    vpaddd zmm1, zmm1, zmm22
    vprold zmm12, zmm2, 5
    vprold zmm27, zmm27, 1
    vmovdqa64 zmm10, zmm2
    vpternlogd zmm10, zmm3, zmm4, 0x96
    vprold zmm2, zmm2, 30
    vpaddd zmm1, zmm1, zmm12
    vpaddd zmm9, zmm9, zmm27
    vpaddd zmm9, zmm9, zmm10
    vprold zmm7, zmm1, 5
    vpaddd zmm1, zmm1, zmmword ptr [rdi + 64]
    vpaddd zmm2, zmm2, zmmword ptr [rdi + 128]
    vpaddd zmm3, zmm3, zmmword ptr [rdi + 192]
    vpaddd zmm4, zmm4, zmmword ptr [rdi + 256]
    vpaddd zmm9, zmm9, zmm7
    vmovdqa64 zmmword ptr [rdi + 64], zmm1
    vmovdqa64 zmmword ptr [rdi + 128], zmm2
    vmovdqa64 zmmword ptr [rdi + 192], zmm3
    vmovdqa64 zmmword ptr [rdi + 256], zmm4
    vpaddd zmm9, zmm9, zmmword ptr [rdi + 0]
    vmovdqa64 zmmword ptr [rdi + 0], zmm9
    vmovdqa64 zmm0, zmm9
    cmp r14, r12
    jb 2b
