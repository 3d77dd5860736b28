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
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm6, zmm16, zmm14
    vpunpckhdq zmm16, zmm16, zmm14
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm2, zmm17, zmm10
    vpunpckhdq zmm17, zmm17, zmm10
    vpunpcklqdq zmm18, zmm6, zmm2
    vpunpckhqdq zmm6, zmm6, zmm2
    vpunpcklqdq zmm15, zmm16, zmm17
    vpunpckhqdq zmm16, zmm16, zmm17
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm8, zmm7, zmm19
    vpunpckhdq zmm7, zmm7, zmm19
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm0, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm0, zmm0, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm24, zmm0, zmm21
    vpunpckhdq zmm0, zmm0, zmm21
    vpunpcklqdq zmm25, zmm8, zmm24
    vpunpckhqdq zmm8, zmm8, zmm24
    vpunpcklqdq zmm23, zmm7, zmm0
    vpunpckhqdq zmm7, zmm7, zmm0
    vshufi64x2 zmm29, zmm18, zmm25, 0x88
    vpshufb zmm29, zmm29, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1024], zmm29
    vshufi64x2 zmm18, zmm18, zmm25, 0xdd
    vpshufb zmm18, zmm18, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1280], zmm18
    vshufi64x2 zmm1, zmm6, zmm8, 0x88
    vpshufb zmm1, zmm1, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1088], zmm1
    vshufi64x2 zmm6, zmm6, zmm8, 0xdd
    vpshufb zmm6, zmm6, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1344], zmm6
    vshufi64x2 zmm4, zmm15, zmm23, 0x88
    vpshufb zmm4, zmm4, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1152], zmm4
    vshufi64x2 zmm15, zmm15, zmm23, 0xdd
    vpshufb zmm15, zmm15, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1408], zmm15
    vshufi64x2 zmm31, zmm16, zmm7, 0x88
    vpshufb zmm31, zmm31, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1216], zmm31
    vshufi64x2 zmm16, zmm16, zmm7, 0xdd
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1472], zmm16
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm9, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm9, zmm9, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm5, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm5, zmm5, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm26, zmm9, zmm5
    vpunpckhdq zmm9, zmm9, zmm5
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm22, zmm12, zmm30
    vpunpckhdq zmm12, zmm12, zmm30
    vpunpcklqdq zmm13, zmm26, zmm22
    vpunpckhqdq zmm26, zmm26, zmm22
    vpunpcklqdq zmm3, zmm9, zmm12
    vpunpckhqdq zmm9, zmm9, zmm12
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm28, zmm27, zmm11
    vpunpckhdq zmm27, zmm27, zmm11
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm10, zmm20, zmm14
    vpunpckhdq zmm20, zmm20, zmm14
    vpunpcklqdq zmm2, zmm28, zmm10
    vpunpckhqdq zmm28, zmm28, zmm10
    vpunpcklqdq zmm17, zmm27, zmm20
    vpunpckhqdq zmm27, zmm27, zmm20
    vshufi64x2 zmm19, zmm13, zmm2, 0x88
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1536], zmm19
    vshufi64x2 zmm13, zmm13, zmm2, 0xdd
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1792], zmm13
    vshufi64x2 zmm21, zmm26, zmm28, 0x88
    vpshufb zmm21, zmm21, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1600], zmm21
    vshufi64x2 zmm26, zmm26, zmm28, 0xdd
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1856], zmm26
    vshufi64x2 zmm24, zmm3, zmm17, 0x88
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1664], zmm24
    vshufi64x2 zmm3, zmm3, zmm17, 0xdd
    vpshufb zmm3, zmm3, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1920], zmm3
    vshufi64x2 zmm0, zmm9, zmm27, 0x88
    vpshufb zmm0, zmm0, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1728], zmm0
    vshufi64x2 zmm9, zmm9, zmm27, 0xdd
    vpshufb zmm9, zmm9, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1984], zmm9
    vmovdqa64 zmm0, zmmword ptr [rdi + 0]
    vmovdqa64 zmm1, zmmword ptr [rdi + 64]
    vmovdqa64 zmm2, zmmword ptr [rdi + 128]
    vmovdqa64 zmm3, zmmword ptr [rdi + 192]
    vmovdqa64 zmm4, zmmword ptr [rdi + 256]
    vmovdqa64 zmm5, zmmword ptr [rdi + 512]
    vmovdqa64 zmm6, zmmword ptr [rdi + 576]
    vmovdqa64 zmm7, zmmword ptr [rdi + 640]
    vmovdqa64 zmm8, zmmword ptr [rdi + 704]
    vmovdqa64 zmm9, zmmword ptr [rdi + 768]
2:
    xchg rdx, r9
    add r15, 64
    lea r14, [r8 + 64]
    cmp r14, r12
    cmovb r8, r14
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
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
    vpaddd zmm9, zmm9, dword ptr [r10 + 0]{1to16}
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 0]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 1024]
    vmovdqa64 zmm10, zmm1
    vpternlogd zmm10, zmm2, zmm3, 0xca
    vmovdqa64 zmm11, zmm6
    vpternlogd zmm11, zmm7, zmm8, 0xca
    vpaddd zmm4, zmm4, zmm10
    vpaddd zmm9, zmm9, zmm11
    vprold zmm12, zmm0, 5
    vprold zmm13, zmm5, 5
    vpaddd zmm4, zmm4, zmm12
    vpaddd zmm9, zmm9, zmm13
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vpaddd zmm3, zmm3, dword ptr [r10 + 0]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 0]{1to16}
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 64]
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 1088]
    vmovdqa64 zmm14, zmm0
    vpternlogd zmm14, zmm1, zmm2, 0xca
    vmovdqa64 zmm15, zmm5
    vpternlogd zmm15, zmm6, zmm7, 0xca
    vpaddd zmm3, zmm3, zmm14
    vpaddd zmm8, zmm8, zmm15
    vprold zmm16, zmm4, 5
    vprold zmm17, zmm9, 5
    vpaddd zmm3, zmm3, zmm16
    vpaddd zmm8, zmm8, zmm17
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vpaddd zmm2, zmm2, dword ptr [r10 + 0]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 0]{1to16}
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 128]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1152]
    vmovdqa64 zmm18, zmm4
    vpternlogd zmm18, zmm0, zmm1, 0xca
    vmovdqa64 zmm19, zmm9
    vpternlogd zmm19, zmm5, zmm6, 0xca
    vpaddd zmm2, zmm2, zmm18
    vpaddd zmm7, zmm7, zmm19
    vprold zmm20, zmm3, 5
    vprold zmm21, zmm8, 5
    vpaddd zmm2, zmm2, zmm20
    vpaddd zmm7, zmm7, zmm21
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vpaddd zmm1, zmm1, dword ptr [r10 + 0]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 0]{1to16}
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 192]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1216]
    vmovdqa64 zmm22, zmm3
    vpternlogd zmm22, zmm4, zmm0, 0xca
    vmovdqa64 zmm23, zmm8
    vpternlogd zmm23, zmm9, zmm5, 0xca
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm6, zmm6, zmm23
    vprold zmm24, zmm2, 5
    vprold zmm25, zmm7, 5
    vpaddd zmm1, zmm1, zmm24
    vpaddd zmm6, zmm6, zmm25
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vpaddd zmm0, zmm0, dword ptr [r10 + 0]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 0]{1to16}
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 256]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1280]
    vmovdqa64 zmm26, zmm2
    vpternlogd zmm26, zmm3, zmm4, 0xca
    vmovdqa64 zmm27, zmm7
    vpternlogd zmm27, zmm8, zmm9, 0xca
    vpaddd zmm0, zmm0, zmm26
    vpaddd zmm5, zmm5, zmm27
    vprold zmm28, zmm1, 5
    vprold zmm29, zmm6, 5
    vpaddd zmm0, zmm0, zmm28
    vpaddd zmm5, zmm5, zmm29
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 0]{1to16}
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 320]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 1344]
    vmovdqa64 zmm30, zmm1
    vpternlogd zmm30, zmm2, zmm3, 0xca
    vmovdqa64 zmm31, zmm6
    vpternlogd zmm31, zmm7, zmm8, 0xca
    vpaddd zmm4, zmm4, zmm30
    vpaddd zmm9, zmm9, zmm31
    vprold zmm10, zmm0, 5
    vprold zmm11, zmm5, 5
    vpaddd zmm4, zmm4, zmm10
    vpaddd zmm9, zmm9, zmm11
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vpaddd zmm3, zmm3, dword ptr [r10 + 0]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 0]{1to16}
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 384]
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 1408]
    vmovdqa64 zmm12, zmm0
    vpternlogd zmm12, zmm1, zmm2, 0xca
    vmovdqa64 zmm13, zmm5
    vpternlogd zmm13, zmm6, zmm7, 0xca
    vpaddd zmm3, zmm3, zmm12
    vpaddd zmm8, zmm8, zmm13
    vprold zmm14, zmm4, 5
    vprold zmm15, zmm9, 5
    vpaddd zmm3, zmm3, zmm14
    vpaddd zmm8, zmm8, zmm15
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vpaddd zmm2, zmm2, dword ptr [r10 + 0]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 0]{1to16}
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 448]
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm18, zmm16, zmm17
    vpunpckhdq zmm16, zmm16, zmm17
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm21, zmm19, zmm20
    vpunpckhdq zmm19, zmm19, zmm20
    vpunpcklqdq zmm22, zmm18, zmm21
    vpunpckhqdq zmm18, zmm18, zmm21
    vpunpcklqdq zmm23, zmm16, zmm19
    vpunpckhqdq zmm16, zmm16, zmm19
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1472]
    vmovdqa64 zmm24, zmm4
    vpternlogd zmm24, zmm0, zmm1, 0xca
    vmovdqa64 zmm25, zmm9
    vpternlogd zmm25, zmm5, zmm6, 0xca
    vpaddd zmm2, zmm2, zmm24
    vpaddd zmm7, zmm7, zmm25
    vprold zmm26, zmm3, 5
    vprold zmm27, zmm8, 5
    vpaddd zmm2, zmm2, zmm26
    vpaddd zmm7, zmm7, zmm27
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vpaddd zmm1, zmm1, dword ptr [r10 + 0]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 0]{1to16}
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 512]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1536]
    vmovdqa64 zmm28, zmm3
    vpternlogd zmm28, zmm4, zmm0, 0xca
    vmovdqa64 zmm29, zmm8
    vpternlogd zmm29, zmm9, zmm5, 0xca
    vpaddd zmm1, zmm1, zmm28
    vpaddd zmm6, zmm6, zmm29
    vprold zmm30, zmm2, 5
    vprold zmm31, zmm7, 5
    vpaddd zmm1, zmm1, zmm30
    vpaddd zmm6, zmm6, zmm31
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vpaddd zmm0, zmm0, dword ptr [r10 + 0]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 0]{1to16}
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 576]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1600]
    vmovdqa64 zmm10, zmm2
    vpternlogd zmm10, zmm3, zmm4, 0xca
    vmovdqa64 zmm11, zmm7
    vpternlogd zmm11, zmm8, zmm9, 0xca
    vpaddd zmm0, zmm0, zmm10
    vpaddd zmm5, zmm5, zmm11
    vprold zmm12, zmm1, 5
    vprold zmm13, zmm6, 5
    vpaddd zmm0, zmm0, zmm12
    vpaddd zmm5, zmm5, zmm13
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 0]{1to16}
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 640]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 1664]
    vmovdqa64 zmm14, zmm1
    vpternlogd zmm14, zmm2, zmm3, 0xca
    vmovdqa64 zmm15, zmm6
    vpternlogd zmm15, zmm7, zmm8, 0xca
    vpaddd zmm4, zmm4, zmm14
    vpaddd zmm9, zmm9, zmm15
    vprold zmm17, zmm0, 5
    vprold zmm20, zmm5, 5
    vpaddd zmm4, zmm4, zmm17
    vpaddd zmm9, zmm9, zmm20
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vpaddd zmm3, zmm3, dword ptr [r10 + 0]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 0]{1to16}
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 704]
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 1728]
    vmovdqa64 zmm21, zmm0
    vpternlogd zmm21, zmm1, zmm2, 0xca
    vmovdqa64 zmm19, zmm5
    vpternlogd zmm19, zmm6, zmm7, 0xca
    vpaddd zmm3, zmm3, zmm21
    vpaddd zmm8, zmm8, zmm19
    vprold zmm24, zmm4, 5
    vprold zmm25, zmm9, 5
    vpaddd zmm3, zmm3, zmm24
    vpaddd zmm8, zmm8, zmm25
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vpaddd zmm2, zmm2, dword ptr [r10 + 0]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 0]{1to16}
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 768]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1792]
    vmovdqa64 zmm26, zmm4
    vpternlogd zmm26, zmm0, zmm1, 0xca
    vmovdqa64 zmm27, zmm9
    vpternlogd zmm27, zmm5, zmm6, 0xca
    vpaddd zmm2, zmm2, zmm26
    vpaddd zmm7, zmm7, zmm27
    vprold zmm28, zmm3, 5
    vprold zmm29, zmm8, 5
    vpaddd zmm2, zmm2, zmm28
    vpaddd zmm7, zmm7, zmm29
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vpaddd zmm1, zmm1, dword ptr [r10 + 0]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 0]{1to16}
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 832]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1856]
    vmovdqa64 zmm30, zmm3
    vpternlogd zmm30, zmm4, zmm0, 0xca
    vmovdqa64 zmm31, zmm8
    vpternlogd zmm31, zmm9, zmm5, 0xca
    vpaddd zmm1, zmm1, zmm30
    vpaddd zmm6, zmm6, zmm31
    vprold zmm10, zmm2, 5
    vprold zmm11, zmm7, 5
    vpaddd zmm1, zmm1, zmm10
    vpaddd zmm6, zmm6, zmm11
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vpaddd zmm0, zmm0, dword ptr [r10 + 0]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 0]{1to16}
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 896]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1920]
    vmovdqa64 zmm12, zmm2
    vpternlogd zmm12, zmm3, zmm4, 0xca
    vmovdqa64 zmm13, zmm7
    vpternlogd zmm13, zmm8, zmm9, 0xca
    vpaddd zmm0, zmm0, zmm12
    vpaddd zmm5, zmm5, zmm13
    vprold zmm14, zmm1, 5
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm20, zmm15, zmm17
    vpunpckhdq zmm15, zmm15, zmm17
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm24, zmm21, zmm19
    vpunpckhdq zmm21, zmm21, zmm19
    vpunpcklqdq zmm25, zmm20, zmm24
    vpunpckhqdq zmm20, zmm20, zmm24
    vpunpcklqdq zmm26, zmm15, zmm21
    vpunpckhqdq zmm15, zmm15, zmm21
    vprold zmm27, zmm6, 5
    vpaddd zmm0, zmm0, zmm14
    vpaddd zmm5, zmm5, zmm27
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 0]{1to16}
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 960]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 1984]
    vmovdqa64 zmm28, zmm1
    vpternlogd zmm28, zmm2, zmm3, 0xca
    vmovdqa64 zmm29, zmm6
    vpternlogd zmm29, zmm7, zmm8, 0xca
    vpaddd zmm4, zmm4, zmm28
    vpaddd zmm9, zmm9, zmm29
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
    vprold zmm30, zmm0, 5
    vprold zmm31, zmm5, 5
    vpaddd zmm4, zmm4, zmm30
    vpaddd zmm9, zmm9, zmm31
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm10, zmmword ptr [rdx + 128]
    vmovdqa64 zmm11, zmmword ptr [rdx + 1152]
    vmovdqa64 zmm12, zmmword ptr [rdx + 512]
    vmovdqa64 zmm13, zmmword ptr [rdx + 1536]
    vpternlogd zmm10, zmm12, zmmword ptr [rdx + 832], 0x96
    vpternlogd zmm11, zmm13, zmmword ptr [rdx + 1856], 0x96
    vpxord zmm10, zmm10, zmmword ptr [rdx + 0]
    vpxord zmm11, zmm11, zmmword ptr [rdx + 1024]
    vprold zmm10, zmm10, 1
    vprold zmm11, zmm11, 1
    vmovdqa64 zmmword ptr [rdx + 0], zmm10
    vmovdqa64 zmmword ptr [rdx + 1024], zmm11
    vpaddd zmm3, zmm3, dword ptr [r10 + 0]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 0]{1to16}
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm8, zmm8, zmm11
    vmovdqa64 zmm17, zmm0
    vpternlogd zmm17, zmm1, zmm2, 0xca
    vmovdqa64 zmm19, zmm5
    vpternlogd zmm19, zmm6, zmm7, 0xca
    vpaddd zmm3, zmm3, zmm17
    vpaddd zmm8, zmm8, zmm19
    vprold zmm24, zmm4, 5
    vprold zmm21, zmm9, 5
    vpaddd zmm3, zmm3, zmm24
    vpaddd zmm8, zmm8, zmm21
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm14, zmmword ptr [rdx + 192]
    vmovdqa64 zmm27, zmmword ptr [rdx + 1216]
    vmovdqa64 zmm28, zmmword ptr [rdx + 576]
    vmovdqa64 zmm29, zmmword ptr [rdx + 1600]
    vpternlogd zmm14, zmm28, zmmword ptr [rdx + 896], 0x96
    vpternlogd zmm27, zmm29, zmmword ptr [rdx + 1920], 0x96
    vpxord zmm14, zmm14, zmmword ptr [rdx + 64]
    vpxord zmm27, zmm27, zmmword ptr [rdx + 1088]
    vprold zmm14, zmm14, 1
    vprold zmm27, zmm27, 1
    vmovdqa64 zmmword ptr [rdx + 64], zmm14
    vmovdqa64 zmmword ptr [rdx + 1088], zmm27
    vpaddd zmm2, zmm2, dword ptr [r10 + 0]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 0]{1to16}
    vpaddd zmm2, zmm2, zmm14
    vpaddd zmm7, zmm7, zmm27
    vmovdqa64 zmm30, zmm4
    vpternlogd zmm30, zmm0, zmm1, 0xca
    vmovdqa64 zmm31, zmm9
    vpternlogd zmm31, zmm5, zmm6, 0xca
    vpaddd zmm2, zmm2, zmm30
    vpaddd zmm7, zmm7, zmm31
    vprold zmm12, zmm3, 5
    vprold zmm13, zmm8, 5
    vpaddd zmm2, zmm2, zmm12
    vpaddd zmm7, zmm7, zmm13
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm17, zmmword ptr [rdx + 256]
    vmovdqa64 zmm19, zmmword ptr [rdx + 1280]
    vmovdqa64 zmm24, zmmword ptr [rdx + 640]
    vmovdqa64 zmm21, zmmword ptr [rdx + 1664]
    vpternlogd zmm17, zmm24, zmmword ptr [rdx + 960], 0x96
    vpternlogd zmm19, zmm21, zmmword ptr [rdx + 1984], 0x96
    vpxord zmm17, zmm17, zmmword ptr [rdx + 128]
    vpxord zmm19, zmm19, zmmword ptr [rdx + 1152]
    vprold zmm17, zmm17, 1
    vprold zmm19, zmm19, 1
    vmovdqa64 zmmword ptr [rdx + 128], zmm17
    vmovdqa64 zmmword ptr [rdx + 1152], zmm19
    vpaddd zmm1, zmm1, dword ptr [r10 + 0]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 0]{1to16}
    vpaddd zmm1, zmm1, zmm17
    vpaddd zmm6, zmm6, zmm19
    vmovdqa64 zmm28, zmm3
    vpternlogd zmm28, zmm4, zmm0, 0xca
    vmovdqa64 zmm29, zmm8
    vpternlogd zmm29, zmm9, zmm5, 0xca
    vpaddd zmm1, zmm1, zmm28
    vpaddd zmm6, zmm6, zmm29
    vprold zmm30, zmm2, 5
    vprold zmm31, zmm7, 5
    vpaddd zmm1, zmm1, zmm30
    vpaddd zmm6, zmm6, zmm31
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm12, zmmword ptr [rdx + 320]
    vmovdqa64 zmm13, zmmword ptr [rdx + 1344]
    vshufi64x2 zmm24, zmm22, zmm25, 0x88
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 0], zmm24
    vshufi64x2 zmm22, zmm22, zmm25, 0xdd
    vpshufb zmm22, zmm22, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 256], zmm22
    vshufi64x2 zmm21, zmm18, zmm20, 0x88
    vpshufb zmm21, zmm21, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 64], zmm21
    vshufi64x2 zmm18, zmm18, zmm20, 0xdd
    vpshufb zmm18, zmm18, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 320], zmm18
    vshufi64x2 zmm28, zmm23, zmm26, 0x88
    vpshufb zmm28, zmm28, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 128], zmm28
    vshufi64x2 zmm23, zmm23, zmm26, 0xdd
    vpternlogd zmm12, zmm10, zmmword ptr [rdx + 704], 0x96
    vpternlogd zmm13, zmm11, zmmword ptr [rdx + 1728], 0x96
    vpxord zmm12, zmm12, zmmword ptr [rdx + 192]
    vpxord zmm13, zmm13, zmmword ptr [rdx + 1216]
    vprold zmm12, zmm12, 1
    vprold zmm13, zmm13, 1
    vmovdqa64 zmmword ptr [rdx + 192], zmm12
    vmovdqa64 zmmword ptr [rdx + 1216], zmm13
    vpaddd zmm0, zmm0, dword ptr [r10 + 0]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 0]{1to16}
    vpaddd zmm0, zmm0, zmm12
    vpaddd zmm5, zmm5, zmm13
    vmovdqa64 zmm29, zmm2
    vpternlogd zmm29, zmm3, zmm4, 0xca
    vmovdqa64 zmm30, zmm7
    vpternlogd zmm30, zmm8, zmm9, 0xca
    vpaddd zmm0, zmm0, zmm29
    vpaddd zmm5, zmm5, zmm30
    vprold zmm31, zmm1, 5
    vprold zmm24, zmm6, 5
    vpaddd zmm0, zmm0, zmm31
    vpaddd zmm5, zmm5, zmm24
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm25, zmmword ptr [rdx + 384]
    vmovdqa64 zmm22, zmmword ptr [rdx + 1408]
    vpternlogd zmm25, zmm14, zmmword ptr [rdx + 768], 0x96
    vpternlogd zmm22, zmm27, zmmword ptr [rdx + 1792], 0x96
    vpxord zmm25, zmm25, zmmword ptr [rdx + 256]
    vpxord zmm22, zmm22, zmmword ptr [rdx + 1280]
    vprold zmm25, zmm25, 1
    vprold zmm22, zmm22, 1
    vmovdqa64 zmmword ptr [rdx + 256], zmm25
    vmovdqa64 zmmword ptr [rdx + 1280], zmm22
    vpaddd zmm4, zmm4, dword ptr [r10 + 4]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 4]{1to16}
    vpaddd zmm4, zmm4, zmm25
    vpaddd zmm9, zmm9, zmm22
    vmovdqa64 zmm21, zmm1
    vpternlogd zmm21, zmm2, zmm3, 0x96
    vmovdqa64 zmm20, zmm6
    vpternlogd zmm20, zmm7, zmm8, 0x96
    vpaddd zmm4, zmm4, zmm21
    vpaddd zmm9, zmm9, zmm20
    vprold zmm18, zmm0, 5
    vprold zmm28, zmm5, 5
    vpaddd zmm4, zmm4, zmm18
    vpaddd zmm9, zmm9, zmm28
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm26, zmmword ptr [rdx + 448]
    vmovdqa64 zmm10, zmmword ptr [rdx + 1472]
    vpternlogd zmm26, zmm17, zmmword ptr [rdx + 832], 0x96
    vpternlogd zmm10, zmm19, zmmword ptr [rdx + 1856], 0x96
    vpxord zmm26, zmm26, zmmword ptr [rdx + 320]
    vpxord zmm10, zmm10, zmmword ptr [rdx + 1344]
    vprold zmm26, zmm26, 1
    vprold zmm10, zmm10, 1
    vmovdqa64 zmmword ptr [rdx + 320], zmm26
    vmovdqa64 zmmword ptr [rdx + 1344], zmm10
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 4]{1to16}
    vpaddd zmm3, zmm3, zmm26
    vpaddd zmm8, zmm8, zmm10
    vmovdqa64 zmm11, zmm0
    vpternlogd zmm11, zmm1, zmm2, 0x96
    vmovdqa64 zmm29, zmm5
    vpternlogd zmm29, zmm6, zmm7, 0x96
    vpaddd zmm3, zmm3, zmm11
    vpaddd zmm8, zmm8, zmm29
    vprold zmm30, zmm4, 5
    vprold zmm31, zmm9, 5
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm8, zmm8, zmm31
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm24, zmmword ptr [rdx + 512]
    vmovdqa64 zmm14, zmmword ptr [rdx + 1536]
    vpternlogd zmm24, zmm12, zmmword ptr [rdx + 896], 0x96
    vpternlogd zmm14, zmm13, zmmword ptr [rdx + 1920], 0x96
    vpxord zmm24, zmm24, zmmword ptr [rdx + 384]
    vpxord zmm14, zmm14, zmmword ptr [rdx + 1408]
    vprold zmm24, zmm24, 1
    vprold zmm14, zmm14, 1
    vmovdqa64 zmmword ptr [rdx + 384], zmm24
    vmovdqa64 zmmword ptr [rdx + 1408], zmm14
    vpaddd zmm2, zmm2, dword ptr [r10 + 4]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 4]{1to16}
    vpaddd zmm2, zmm2, zmm24
    vpaddd zmm7, zmm7, zmm14
    vmovdqa64 zmm27, zmm4
    vpternlogd zmm27, zmm0, zmm1, 0x96
    vmovdqa64 zmm21, zmm9
    vpternlogd zmm21, zmm5, zmm6, 0x96
    vpaddd zmm2, zmm2, zmm27
    vpaddd zmm7, zmm7, zmm21
    vprold zmm20, zmm3, 5
    vprold zmm18, zmm8, 5
    vpaddd zmm2, zmm2, zmm20
    vpaddd zmm7, zmm7, zmm18
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm28, zmmword ptr [rdx + 576]
    vmovdqa64 zmm17, zmmword ptr [rdx + 1600]
    vpternlogd zmm28, zmm25, zmmword ptr [rdx + 960], 0x96
    vpternlogd zmm17, zmm22, zmmword ptr [rdx + 1984], 0x96
    vpxord zmm28, zmm28, zmmword ptr [rdx + 448]
    vpxord zmm17, zmm17, zmmword ptr [rdx + 1472]
    vprold zmm28, zmm28, 1
    vprold zmm17, zmm17, 1
    vpshufb zmm23, zmm23, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 384], zmm23
    vshufi64x2 zmm19, zmm16, zmm15, 0x88
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 192], zmm19
    vshufi64x2 zmm16, zmm16, zmm15, 0xdd
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 448], zmm16
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm30, zmm11, zmm29
    vpunpckhdq zmm11, zmm11, zmm29
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 32], 1
    vmovdqa64 zmmword ptr [rdx + 448], zmm28
    vmovdqa64 zmmword ptr [rdx + 1472], zmm17
    vpaddd zmm1, zmm1, dword ptr [r10 + 4]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 4]{1to16}
    vpaddd zmm1, zmm1, zmm28
    vpaddd zmm6, zmm6, zmm17
    vmovdqa64 zmm12, zmm3
    vpternlogd zmm12, zmm4, zmm0, 0x96
    vmovdqa64 zmm13, zmm8
    vpternlogd zmm13, zmm9, zmm5, 0x96
    vpaddd zmm1, zmm1, zmm12
    vpaddd zmm6, zmm6, zmm13
    vprold zmm27, zmm2, 5
    vprold zmm21, zmm7, 5
    vpaddd zmm1, zmm1, zmm27
    vpaddd zmm6, zmm6, zmm21
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm20, zmmword ptr [rdx + 640]
    vmovdqa64 zmm18, zmmword ptr [rdx + 1664]
    vpternlogd zmm20, zmm26, zmmword ptr [rdx + 0], 0x96
    vpternlogd zmm18, zmm10, zmmword ptr [rdx + 1024], 0x96
    vpxord zmm20, zmm20, zmmword ptr [rdx + 512]
    vpxord zmm18, zmm18, zmmword ptr [rdx + 1536]
    vprold zmm20, zmm20, 1
    vprold zmm18, zmm18, 1
    vmovdqa64 zmmword ptr [rdx + 512], zmm20
    vmovdqa64 zmmword ptr [rdx + 1536], zmm18
    vpaddd zmm0, zmm0, dword ptr [r10 + 4]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 4]{1to16}
    vpaddd zmm0, zmm0, zmm20
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
    vpaddd zmm5, zmm5, zmm18
    vmovdqa64 zmm25, zmm2
    vpternlogd zmm25, zmm3, zmm4, 0x96
    vmovdqa64 zmm22, zmm7
    vpternlogd zmm22, zmm8, zmm9, 0x96
    vpaddd zmm0, zmm0, zmm25
    vpaddd zmm5, zmm5, zmm22
    vprold zmm23, zmm1, 5
    vprold zmm19, zmm6, 5
    vpaddd zmm0, zmm0, zmm23
    vpaddd zmm5, zmm5, zmm19
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm15, zmmword ptr [rdx + 704]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1728]
    vpternlogd zmm15, zmm24, zmmword ptr [rdx + 64], 0x96
    vpternlogd zmm16, zmm14, zmmword ptr [rdx + 1088], 0x96
    vpxord zmm15, zmm15, zmmword ptr [rdx + 576]
    vpxord zmm16, zmm16, zmmword ptr [rdx + 1600]
    vprold zmm15, zmm15, 1
    vprold zmm16, zmm16, 1
    vmovdqa64 zmmword ptr [rdx + 576], zmm15
    vmovdqa64 zmmword ptr [rdx + 1600], zmm16
    vpaddd zmm4, zmm4, dword ptr [r10 + 4]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 4]{1to16}
    vpaddd zmm4, zmm4, zmm15
    vpaddd zmm9, zmm9, zmm16
    vmovdqa64 zmm29, zmm1
    vpternlogd zmm29, zmm2, zmm3, 0x96
    vmovdqa64 zmm12, zmm6
    vpternlogd zmm12, zmm7, zmm8, 0x96
    vpaddd zmm4, zmm4, zmm29
    vpaddd zmm9, zmm9, zmm12
    vprold zmm13, zmm0, 5
    vprold zmm27, zmm5, 5
    vpaddd zmm4, zmm4, zmm13
    vpaddd zmm9, zmm9, zmm27
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm21, zmmword ptr [rdx + 768]
    vmovdqa64 zmm26, zmmword ptr [rdx + 1792]
    vpternlogd zmm21, zmm28, zmmword ptr [rdx + 128], 0x96
    vpternlogd zmm26, zmm17, zmmword ptr [rdx + 1152], 0x96
    vpxord zmm21, zmm21, zmmword ptr [rdx + 640]
    vpxord zmm26, zmm26, zmmword ptr [rdx + 1664]
    vprold zmm21, zmm21, 1
    vprold zmm26, zmm26, 1
    vmovdqa64 zmmword ptr [rdx + 640], zmm21
    vmovdqa64 zmmword ptr [rdx + 1664], zmm26
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 4]{1to16}
    vpaddd zmm3, zmm3, zmm21
    vpaddd zmm8, zmm8, zmm26
    vmovdqa64 zmm10, zmm0
    vpternlogd zmm10, zmm1, zmm2, 0x96
    vmovdqa64 zmm25, zmm5
    vpternlogd zmm25, zmm6, zmm7, 0x96
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm8, zmm8, zmm25
    vprold zmm22, zmm4, 5
    vprold zmm23, zmm9, 5
    vpaddd zmm3, zmm3, zmm22
    vpaddd zmm8, zmm8, zmm23
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm19, zmmword ptr [rdx + 832]
    vmovdqa64 zmm24, zmmword ptr [rdx + 1856]
    vpternlogd zmm19, zmm20, zmmword ptr [rdx + 192], 0x96
    vpternlogd zmm24, zmm18, zmmword ptr [rdx + 1216], 0x96
    vpxord zmm19, zmm19, zmmword ptr [rdx + 704]
    vpxord zmm24, zmm24, zmmword ptr [rdx + 1728]
    vprold zmm19, zmm19, 1
    vprold zmm24, zmm24, 1
    vmovdqa64 zmmword ptr [rdx + 704], zmm19
    vmovdqa64 zmmword ptr [rdx + 1728], zmm24
    vpaddd zmm2, zmm2, dword ptr [r10 + 4]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 4]{1to16}
    vpaddd zmm2, zmm2, zmm19
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm29, zmm31, zmm14
    vpunpckhdq zmm31, zmm31, zmm14
    vpunpcklqdq zmm12, zmm30, zmm29
    vpunpckhqdq zmm30, zmm30, zmm29
    vpunpcklqdq zmm13, zmm11, zmm31
    vpunpckhqdq zmm11, zmm11, zmm31
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm17, zmm27, zmm28
    vpunpckhdq zmm27, zmm27, zmm28
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm7, zmm7, zmm24
    vmovdqa64 zmm25, zmm4
    vpternlogd zmm25, zmm0, zmm1, 0x96
    vmovdqa64 zmm22, zmm9
    vpternlogd zmm22, zmm5, zmm6, 0x96
    vpaddd zmm2, zmm2, zmm25
    vpaddd zmm7, zmm7, zmm22
    vprold zmm23, zmm3, 5
    vprold zmm20, zmm8, 5
    vpaddd zmm2, zmm2, zmm23
    vpaddd zmm7, zmm7, zmm20
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm18, zmmword ptr [rdx + 896]
    vmovdqa64 zmm14, zmmword ptr [rdx + 1920]
    vpternlogd zmm18, zmm15, zmmword ptr [rdx + 256], 0x96
    vpternlogd zmm14, zmm16, zmmword ptr [rdx + 1280], 0x96
    vpxord zmm18, zmm18, zmmword ptr [rdx + 768]
    vpxord zmm14, zmm14, zmmword ptr [rdx + 1792]
    vprold zmm18, zmm18, 1
    vprold zmm14, zmm14, 1
    vmovdqa64 zmmword ptr [rdx + 768], zmm18
    vmovdqa64 zmmword ptr [rdx + 1792], zmm14
    vpaddd zmm1, zmm1, dword ptr [r10 + 4]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 4]{1to16}
    vpaddd zmm1, zmm1, zmm18
    vpaddd zmm6, zmm6, zmm14
    vmovdqa64 zmm29, zmm3
    vpternlogd zmm29, zmm4, zmm0, 0x96
    vmovdqa64 zmm31, zmm8
    vpternlogd zmm31, zmm9, zmm5, 0x96
    vpaddd zmm1, zmm1, zmm29
    vpaddd zmm6, zmm6, zmm31
    vprold zmm28, zmm2, 5
    vprold zmm25, zmm7, 5
    vpaddd zmm1, zmm1, zmm28
    vpaddd zmm6, zmm6, zmm25
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm22, zmmword ptr [rdx + 960]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1984]
    vpternlogd zmm22, zmm21, zmmword ptr [rdx + 320], 0x96
    vpternlogd zmm23, zmm26, zmmword ptr [rdx + 1344], 0x96
    vpxord zmm22, zmm22, zmmword ptr [rdx + 832]
    vpxord zmm23, zmm23, zmmword ptr [rdx + 1856]
    vprold zmm22, zmm22, 1
    vprold zmm23, zmm23, 1
    vmovdqa64 zmmword ptr [rdx + 832], zmm22
    vmovdqa64 zmmword ptr [rdx + 1856], zmm23
    vpaddd zmm0, zmm0, dword ptr [r10 + 4]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 4]{1to16}
    vpaddd zmm0, zmm0, zmm22
    vpaddd zmm5, zmm5, zmm23
    vmovdqa64 zmm20, zmm2
    vpternlogd zmm20, zmm3, zmm4, 0x96
    vmovdqa64 zmm15, zmm7
    vpternlogd zmm15, zmm8, zmm9, 0x96
    vpaddd zmm0, zmm0, zmm20
    vpaddd zmm5, zmm5, zmm15
    vprold zmm16, zmm1, 5
    vprold zmm29, zmm6, 5
    vpaddd zmm0, zmm0, zmm16
    vpaddd zmm5, zmm5, zmm29
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm31, zmmword ptr [rdx + 0]
    vmovdqa64 zmm28, zmmword ptr [rdx + 1024]
    vpternlogd zmm31, zmm19, zmmword ptr [rdx + 384], 0x96
    vpternlogd zmm28, zmm24, zmmword ptr [rdx + 1408], 0x96
    vpxord zmm31, zmm31, zmmword ptr [rdx + 896]
    vpxord zmm28, zmm28, zmmword ptr [rdx + 1920]
    vprold zmm31, zmm31, 1
    vprold zmm28, zmm28, 1
    vmovdqa64 zmmword ptr [rdx + 896], zmm31
    vmovdqa64 zmmword ptr [rdx + 1920], zmm28
    vpaddd zmm4, zmm4, dword ptr [r10 + 4]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 4]{1to16}
    vpaddd zmm4, zmm4, zmm31
    vpaddd zmm9, zmm9, zmm28
    vmovdqa64 zmm25, zmm1
    vpternlogd zmm25, zmm2, zmm3, 0x96
    vmovdqa64 zmm21, zmm6
    vpternlogd zmm21, zmm7, zmm8, 0x96
    vpaddd zmm4, zmm4, zmm25
    vpaddd zmm9, zmm9, zmm21
    vprold zmm26, zmm0, 5
    vprold zmm20, zmm5, 5
    vpaddd zmm4, zmm4, zmm26
    vpaddd zmm9, zmm9, zmm20
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm15, zmmword ptr [rdx + 64]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1088]
    vpternlogd zmm15, zmm18, zmmword ptr [rdx + 448], 0x96
    vpternlogd zmm16, zmm14, zmmword ptr [rdx + 1472], 0x96
    vpxord zmm15, zmm15, zmmword ptr [rdx + 960]
    vpxord zmm16, zmm16, zmmword ptr [rdx + 1984]
    vprold zmm15, zmm15, 1
    vprold zmm16, zmm16, 1
    vmovdqa64 zmmword ptr [rdx + 960], zmm15
    vmovdqa64 zmmword ptr [rdx + 1984], zmm16
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 4]{1to16}
    vpaddd zmm3, zmm3, zmm15
    vpaddd zmm8, zmm8, zmm16
    vmovdqa64 zmm29, zmm0
    vpternlogd zmm29, zmm1, zmm2, 0x96
    vmovdqa64 zmm19, zmm5
    vpternlogd zmm19, zmm6, zmm7, 0x96
    vpaddd zmm3, zmm3, zmm29
    vpaddd zmm8, zmm8, zmm19
    vprold zmm24, zmm4, 5
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm21, zmm10, zmm25
    vpunpckhdq zmm10, zmm10, zmm25
    vpunpcklqdq zmm26, zmm17, zmm21
    vpunpckhqdq zmm17, zmm17, zmm21
    vpunpcklqdq zmm20, zmm27, zmm10
    vpunpckhqdq zmm27, zmm27, zmm10
    vshufi64x2 zmm18, zmm12, zmm26, 0x88
    vpshufb zmm18, zmm18, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 512], zmm18
    vshufi64x2 zmm12, zmm12, zmm26, 0xdd
    vpshufb zmm12, zmm12, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 768], zmm12
    vshufi64x2 zmm14, zmm30, zmm17, 0x88
    vpshufb zmm14, zmm14, zmmword ptr [r11]
    vprold zmm29, zmm9, 5
    vpaddd zmm3, zmm3, zmm24
    vpaddd zmm8, zmm8, zmm29
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm19, zmmword ptr [rdx + 128]
    vmovdqa64 zmm25, zmmword ptr [rdx + 1152]
    vpternlogd zmm19, zmm22, zmmword ptr [rdx + 512], 0x96
    vpternlogd zmm25, zmm23, zmmword ptr [rdx + 1536], 0x96
    vpxord zmm19, zmm19, zmmword ptr [rdx + 0]
    vpxord zmm25, zmm25, zmmword ptr [rdx + 1024]
    vprold zmm19, zmm19, 1
    vprold zmm25, zmm25, 1
    vmovdqa64 zmmword ptr [rdx + 0], zmm19
    vmovdqa64 zmmword ptr [rdx + 1024], zmm25
    vpaddd zmm2, zmm2, dword ptr [r10 + 4]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 4]{1to16}
    vpaddd zmm2, zmm2, zmm19
    vpaddd zmm7, zmm7, zmm25
    vmovdqa64 zmm21, zmm4
    vpternlogd zmm21, zmm0, zmm1, 0x96
    vmovdqa64 zmm10, zmm9
    vpternlogd zmm10, zmm5, zmm6, 0x96
    vpaddd zmm2, zmm2, zmm21
    vpaddd zmm7, zmm7, zmm10
    vprold zmm18, zmm3, 5
    vprold zmm26, zmm8, 5
    vpaddd zmm2, zmm2, zmm18
    vpaddd zmm7, zmm7, zmm26
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm12, zmmword ptr [rdx + 192]
    vmovdqa64 zmm24, zmmword ptr [rdx + 1216]
    vpternlogd zmm12, zmm31, zmmword ptr [rdx + 576], 0x96
    vpternlogd zmm24, zmm28, zmmword ptr [rdx + 1600], 0x96
    vpxord zmm12, zmm12, zmmword ptr [rdx + 64]
    vpxord zmm24, zmm24, zmmword ptr [rdx + 1088]
    vprold zmm12, zmm12, 1
    vprold zmm24, zmm24, 1
    vmovdqa64 zmmword ptr [rdx + 64], zmm12
    vmovdqa64 zmmword ptr [rdx + 1088], zmm24
    vpaddd zmm1, zmm1, dword ptr [r10 + 4]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 4]{1to16}
    vpaddd zmm1, zmm1, zmm12
    vpaddd zmm6, zmm6, zmm24
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
    vmovdqa64 zmm29, zmm3
    vpternlogd zmm29, zmm4, zmm0, 0x96
    vmovdqa64 zmm22, zmm8
    vpternlogd zmm22, zmm9, zmm5, 0x96
    vpaddd zmm1, zmm1, zmm29
    vpaddd zmm6, zmm6, zmm22
    vprold zmm23, zmm2, 5
    vprold zmm21, zmm7, 5
    vpaddd zmm1, zmm1, zmm23
    vpaddd zmm6, zmm6, zmm21
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm10, zmmword ptr [rdx + 256]
    vmovdqa64 zmm18, zmmword ptr [rdx + 1280]
    vpternlogd zmm10, zmm15, zmmword ptr [rdx + 640], 0x96
    vpternlogd zmm18, zmm16, zmmword ptr [rdx + 1664], 0x96
    vpxord zmm10, zmm10, zmmword ptr [rdx + 128]
    vpxord zmm18, zmm18, zmmword ptr [rdx + 1152]
    vprold zmm10, zmm10, 1
    vprold zmm18, zmm18, 1
    vmovdqa64 zmmword ptr [rdx + 128], zmm10
    vmovdqa64 zmmword ptr [rdx + 1152], zmm18
    vpaddd zmm0, zmm0, dword ptr [r10 + 4]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 4]{1to16}
    vpaddd zmm0, zmm0, zmm10
    vpaddd zmm5, zmm5, zmm18
    vmovdqa64 zmm26, zmm2
    vpternlogd zmm26, zmm3, zmm4, 0x96
    vmovdqa64 zmm31, zmm7
    vpternlogd zmm31, zmm8, zmm9, 0x96
    vpaddd zmm0, zmm0, zmm26
    vpaddd zmm5, zmm5, zmm31
    vprold zmm28, zmm1, 5
    vprold zmm29, zmm6, 5
    vpaddd zmm0, zmm0, zmm28
    vpaddd zmm5, zmm5, zmm29
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm22, zmmword ptr [rdx + 320]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1344]
    vpternlogd zmm22, zmm19, zmmword ptr [rdx + 704], 0x96
    vpternlogd zmm23, zmm25, zmmword ptr [rdx + 1728], 0x96
    vpxord zmm22, zmm22, zmmword ptr [rdx + 192]
    vpxord zmm23, zmm23, zmmword ptr [rdx + 1216]
    vprold zmm22, zmm22, 1
    vprold zmm23, zmm23, 1
    vmovdqa64 zmmword ptr [rdx + 192], zmm22
    vmovdqa64 zmmword ptr [rdx + 1216], zmm23
    vpaddd zmm4, zmm4, dword ptr [r10 + 4]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 4]{1to16}
    vpaddd zmm4, zmm4, zmm22
    vpaddd zmm9, zmm9, zmm23
    vmovdqa64 zmm21, zmm1
    vpternlogd zmm21, zmm2, zmm3, 0x96
    vmovdqa64 zmm15, zmm6
    vpternlogd zmm15, zmm7, zmm8, 0x96
    vpaddd zmm4, zmm4, zmm21
    vpaddd zmm9, zmm9, zmm15
    vprold zmm16, zmm0, 5
    vprold zmm26, zmm5, 5
    vpaddd zmm4, zmm4, zmm16
    vpaddd zmm9, zmm9, zmm26
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmmword ptr [r9 + 576], zmm14
    vshufi64x2 zmm30, zmm30, zmm17, 0xdd
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 832], zmm30
    vshufi64x2 zmm31, zmm13, zmm20, 0x88
    vpshufb zmm31, zmm31, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 640], zmm31
    vshufi64x2 zmm13, zmm13, zmm20, 0xdd
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 896], zmm13
    vshufi64x2 zmm28, zmm11, zmm27, 0x88
    vpshufb zmm28, zmm28, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 704], zmm28
    vshufi64x2 zmm11, zmm11, zmm27, 0xdd
    vpshufb zmm11, zmm11, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 960], zmm11
    vmovdqa64 zmm29, zmmword ptr [rdx + 384]
    vmovdqa64 zmm19, zmmword ptr [rdx + 1408]
    vpternlogd zmm29, zmm12, zmmword ptr [rdx + 768], 0x96
    vpternlogd zmm19, zmm24, zmmword ptr [rdx + 1792], 0x96
    vpxord zmm29, zmm29, zmmword ptr [rdx + 256]
    vpxord zmm19, zmm19, zmmword ptr [rdx + 1280]
    vprold zmm29, zmm29, 1
    vprold zmm19, zmm19, 1
    vmovdqa64 zmmword ptr [rdx + 256], zmm29
    vmovdqa64 zmmword ptr [rdx + 1280], zmm19
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 4]{1to16}
    vpaddd zmm3, zmm3, zmm29
    vpaddd zmm8, zmm8, zmm19
    vmovdqa64 zmm25, zmm0
    vpternlogd zmm25, zmm1, zmm2, 0x96
    vmovdqa64 zmm21, zmm5
    vpternlogd zmm21, zmm6, zmm7, 0x96
    vpaddd zmm3, zmm3, zmm25
    vpaddd zmm8, zmm8, zmm21
    vprold zmm15, zmm4, 5
    vprold zmm16, zmm9, 5
    vpaddd zmm3, zmm3, zmm15
    vpaddd zmm8, zmm8, zmm16
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm26, zmmword ptr [rdx + 448]
    vmovdqa64 zmm14, zmmword ptr [rdx + 1472]
    vpternlogd zmm26, zmm10, zmmword ptr [rdx + 832], 0x96
    vpternlogd zmm14, zmm18, zmmword ptr [rdx + 1856], 0x96
    vpxord zmm26, zmm26, zmmword ptr [rdx + 320]
    vpxord zmm14, zmm14, zmmword ptr [rdx + 1344]
    vprold zmm26, zmm26, 1
    vprold zmm14, zmm14, 1
    vmovdqa64 zmmword ptr [rdx + 320], zmm26
    vmovdqa64 zmmword ptr [rdx + 1344], zmm14
    vpaddd zmm2, zmm2, dword ptr [r10 + 4]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 4]{1to16}
    vpaddd zmm2, zmm2, zmm26
    vpaddd zmm7, zmm7, zmm14
    vmovdqa64 zmm17, zmm4
    vpternlogd zmm17, zmm0, zmm1, 0x96
    vmovdqa64 zmm30, zmm9
    vpternlogd zmm30, zmm5, zmm6, 0x96
    vpaddd zmm2, zmm2, zmm17
    vpaddd zmm7, zmm7, zmm30
    vprold zmm31, zmm3, 5
    vprold zmm20, zmm8, 5
    vpaddd zmm2, zmm2, zmm31
    vpaddd zmm7, zmm7, zmm20
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm13, zmmword ptr [rdx + 512]
    vmovdqa64 zmm28, zmmword ptr [rdx + 1536]
    vpternlogd zmm13, zmm22, zmmword ptr [rdx + 896], 0x96
    vpternlogd zmm28, zmm23, zmmword ptr [rdx + 1920], 0x96
    vpxord zmm13, zmm13, zmmword ptr [rdx + 384]
    vpxord zmm28, zmm28, zmmword ptr [rdx + 1408]
    vprold zmm13, zmm13, 1
    vprold zmm28, zmm28, 1
    vmovdqa64 zmmword ptr [rdx + 384], zmm13
    vmovdqa64 zmmword ptr [rdx + 1408], zmm28
    vpaddd zmm1, zmm1, dword ptr [r10 + 4]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 4]{1to16}
    vpaddd zmm1, zmm1, zmm13
    vpaddd zmm6, zmm6, zmm28
    vmovdqa64 zmm27, zmm3
    vpternlogd zmm27, zmm4, zmm0, 0x96
    vmovdqa64 zmm11, zmm8
    vpternlogd zmm11, zmm9, zmm5, 0x96
    vpaddd zmm1, zmm1, zmm27
    vpaddd zmm6, zmm6, zmm11
    vprold zmm12, zmm2, 5
    vprold zmm24, zmm7, 5
    vpaddd zmm1, zmm1, zmm12
    vpaddd zmm6, zmm6, zmm24
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm25, zmmword ptr [rdx + 576]
    vmovdqa64 zmm21, zmmword ptr [rdx + 1600]
    vpternlogd zmm25, zmm29, zmmword ptr [rdx + 960], 0x96
    vpternlogd zmm21, zmm19, zmmword ptr [rdx + 1984], 0x96
    vpxord zmm25, zmm25, zmmword ptr [rdx + 448]
    vpxord zmm21, zmm21, zmmword ptr [rdx + 1472]
    vprold zmm25, zmm25, 1
    vprold zmm21, zmm21, 1
    vmovdqa64 zmmword ptr [rdx + 448], zmm25
    vmovdqa64 zmmword ptr [rdx + 1472], zmm21
    vpaddd zmm0, zmm0, dword ptr [r10 + 4]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 4]{1to16}
    vpaddd zmm0, zmm0, zmm25
    vpaddd zmm5, zmm5, zmm21
    vmovdqa64 zmm15, zmm2
    vpternlogd zmm15, zmm3, zmm4, 0x96
    vmovdqa64 zmm16, zmm7
    vpternlogd zmm16, zmm8, zmm9, 0x96
    vpaddd zmm0, zmm0, zmm15
    vpaddd zmm5, zmm5, zmm16
    vprold zmm10, zmm1, 5
    vprold zmm18, zmm6, 5
    vpaddd zmm0, zmm0, zmm10
    vpaddd zmm5, zmm5, zmm18
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm17, zmmword ptr [rdx + 640]
    vmovdqa64 zmm30, zmmword ptr [rdx + 1664]
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm22, zmm31, zmm20
    vpunpckhdq zmm31, zmm31, zmm20
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm23, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm23, zmm23, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm11, zmm23, zmm27
    vpunpckhdq zmm23, zmm23, zmm27
    vpunpcklqdq zmm12, zmm22, zmm11
    vpunpckhqdq zmm22, zmm22, zmm11
    vpunpcklqdq zmm24, zmm31, zmm23
    vpunpckhqdq zmm31, zmm31, zmm23
    vpternlogd zmm17, zmm26, zmmword ptr [rdx + 0], 0x96
    vpternlogd zmm30, zmm14, zmmword ptr [rdx + 1024], 0x96
    vpxord zmm17, zmm17, zmmword ptr [rdx + 512]
    vpxord zmm30, zmm30, zmmword ptr [rdx + 1536]
    vprold zmm17, zmm17, 1
    vprold zmm30, zmm30, 1
    vmovdqa64 zmmword ptr [rdx + 512], zmm17
    vmovdqa64 zmmword ptr [rdx + 1536], zmm30
    vpaddd zmm4, zmm4, dword ptr [r10 + 8]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 8]{1to16}
    vpaddd zmm4, zmm4, zmm17
    vpaddd zmm9, zmm9, zmm30
    vmovdqa64 zmm29, zmm1
    vpternlogd zmm29, zmm2, zmm3, 0xe8
    vmovdqa64 zmm19, zmm6
    vpternlogd zmm19, zmm7, zmm8, 0xe8
    vpaddd zmm4, zmm4, zmm29
    vpaddd zmm9, zmm9, zmm19
    vprold zmm15, zmm0, 5
    vprold zmm16, zmm5, 5
    vpaddd zmm4, zmm4, zmm15
    vpaddd zmm9, zmm9, zmm16
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm10, zmmword ptr [rdx + 704]
    vmovdqa64 zmm18, zmmword ptr [rdx + 1728]
    vpternlogd zmm10, zmm13, zmmword ptr [rdx + 64], 0x96
    vpternlogd zmm18, zmm28, zmmword ptr [rdx + 1088], 0x96
    vpxord zmm10, zmm10, zmmword ptr [rdx + 576]
    vpxord zmm18, zmm18, zmmword ptr [rdx + 1600]
    vprold zmm10, zmm10, 1
    vprold zmm18, zmm18, 1
    vmovdqa64 zmmword ptr [rdx + 576], zmm10
    vmovdqa64 zmmword ptr [rdx + 1600], zmm18
    vpaddd zmm3, zmm3, dword ptr [r10 + 8]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 8]{1to16}
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm8, zmm8, zmm18
    vmovdqa64 zmm20, zmm0
    vpternlogd zmm20, zmm1, zmm2, 0xe8
    vmovdqa64 zmm27, zmm5
    vpternlogd zmm27, zmm6, zmm7, 0xe8
    vpaddd zmm3, zmm3, zmm20
    vpaddd zmm8, zmm8, zmm27
    vprold zmm11, zmm4, 5
    vprold zmm23, zmm9, 5
    vpaddd zmm3, zmm3, zmm11
    vpaddd zmm8, zmm8, zmm23
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm26, zmmword ptr [rdx + 768]
    vmovdqa64 zmm14, zmmword ptr [rdx + 1792]
    vpternlogd zmm26, zmm25, zmmword ptr [rdx + 128], 0x96
    vpternlogd zmm14, zmm21, zmmword ptr [rdx + 1152], 0x96
    vpxord zmm26, zmm26, zmmword ptr [rdx + 640]
    vpxord zmm14, zmm14, zmmword ptr [rdx + 1664]
    vprold zmm26, zmm26, 1
    vprold zmm14, zmm14, 1
    vmovdqa64 zmmword ptr [rdx + 640], zmm26
    vmovdqa64 zmmword ptr [rdx + 1664], zmm14
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 8]{1to16}
    vpaddd zmm2, zmm2, zmm26
    vpaddd zmm7, zmm7, zmm14
    vmovdqa64 zmm29, zmm4
    vpternlogd zmm29, zmm0, zmm1, 0xe8
    vmovdqa64 zmm19, zmm9
    vpternlogd zmm19, zmm5, zmm6, 0xe8
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 128]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 136]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 144]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 152]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpaddd zmm2, zmm2, zmm29
    vpaddd zmm7, zmm7, zmm19
    vprold zmm15, zmm3, 5
    vprold zmm16, zmm8, 5
    vpaddd zmm2, zmm2, zmm15
    vpaddd zmm7, zmm7, zmm16
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm13, zmmword ptr [rdx + 832]
    vmovdqa64 zmm28, zmmword ptr [rdx + 1856]
    vpternlogd zmm13, zmm17, zmmword ptr [rdx + 192], 0x96
    vpternlogd zmm28, zmm30, zmmword ptr [rdx + 1216], 0x96
    vpxord zmm13, zmm13, zmmword ptr [rdx + 704]
    vpxord zmm28, zmm28, zmmword ptr [rdx + 1728]
    vprold zmm13, zmm13, 1
    vprold zmm28, zmm28, 1
    vmovdqa64 zmmword ptr [rdx + 704], zmm13
    vmovdqa64 zmmword ptr [rdx + 1728], zmm28
    vpaddd zmm1, zmm1, dword ptr [r10 + 8]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 8]{1to16}
    vpaddd zmm1, zmm1, zmm13
    vpaddd zmm6, zmm6, zmm28
    vmovdqa64 zmm20, zmm3
    vpternlogd zmm20, zmm4, zmm0, 0xe8
    vmovdqa64 zmm27, zmm8
    vpternlogd zmm27, zmm9, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmm20
    vpaddd zmm6, zmm6, zmm27
    vprold zmm11, zmm2, 5
    vprold zmm23, zmm7, 5
    vpaddd zmm1, zmm1, zmm11
    vpaddd zmm6, zmm6, zmm23
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm25, zmmword ptr [rdx + 896]
    vmovdqa64 zmm21, zmmword ptr [rdx + 1920]
    vpternlogd zmm25, zmm10, zmmword ptr [rdx + 256], 0x96
    vpternlogd zmm21, zmm18, zmmword ptr [rdx + 1280], 0x96
    vpxord zmm25, zmm25, zmmword ptr [rdx + 768]
    vpxord zmm21, zmm21, zmmword ptr [rdx + 1792]
    vprold zmm25, zmm25, 1
    vprold zmm21, zmm21, 1
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm15, zmm29, zmm19
    vpunpckhdq zmm29, zmm29, zmm19
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm30, zmm16, zmm17
    vpunpckhdq zmm16, zmm16, zmm17
    vpunpcklqdq zmm20, zmm15, zmm30
    vpunpckhqdq zmm15, zmm15, zmm30
    vpunpcklqdq zmm27, zmm29, zmm16
    vpunpckhqdq zmm29, zmm29, zmm16
    vmovdqa64 zmmword ptr [rdx + 768], zmm25
    vmovdqa64 zmmword ptr [rdx + 1792], zmm21
    vpaddd zmm0, zmm0, dword ptr [r10 + 8]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 8]{1to16}
    vpaddd zmm0, zmm0, zmm25
    vpaddd zmm5, zmm5, zmm21
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm4, 0xe8
    vmovdqa64 zmm23, zmm7
    vpternlogd zmm23, zmm8, zmm9, 0xe8
    vpaddd zmm0, zmm0, zmm11
    vpaddd zmm5, zmm5, zmm23
    vprold zmm10, zmm1, 5
    vprold zmm18, zmm6, 5
    vpaddd zmm0, zmm0, zmm10
    vpaddd zmm5, zmm5, zmm18
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm19, zmmword ptr [rdx + 960]
    vmovdqa64 zmm17, zmmword ptr [rdx + 1984]
    vpternlogd zmm19, zmm26, zmmword ptr [rdx + 320], 0x96
    vpternlogd zmm17, zmm14, zmmword ptr [rdx + 1344], 0x96
    vpxord zmm19, zmm19, zmmword ptr [rdx + 832]
    vpxord zmm17, zmm17, zmmword ptr [rdx + 1856]
    vprold zmm19, zmm19, 1
    vprold zmm17, zmm17, 1
    vmovdqa64 zmmword ptr [rdx + 832], zmm19
    vmovdqa64 zmmword ptr [rdx + 1856], zmm17
    vpaddd zmm4, zmm4, dword ptr [r10 + 8]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 8]{1to16}
    vpaddd zmm4, zmm4, zmm19
    vpaddd zmm9, zmm9, zmm17
    vmovdqa64 zmm30, zmm1
    vpternlogd zmm30, zmm2, zmm3, 0xe8
    vmovdqa64 zmm16, zmm6
    vpternlogd zmm16, zmm7, zmm8, 0xe8
    vpaddd zmm4, zmm4, zmm30
    vpaddd zmm9, zmm9, zmm16
    vprold zmm11, zmm0, 5
    vprold zmm23, zmm5, 5
    vpaddd zmm4, zmm4, zmm11
    vpaddd zmm9, zmm9, zmm23
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm10, zmmword ptr [rdx + 0]
    vmovdqa64 zmm18, zmmword ptr [rdx + 1024]
    vpternlogd zmm10, zmm13, zmmword ptr [rdx + 384], 0x96
    vpternlogd zmm18, zmm28, zmmword ptr [rdx + 1408], 0x96
    vpxord zmm10, zmm10, zmmword ptr [rdx + 896]
    vpxord zmm18, zmm18, zmmword ptr [rdx + 1920]
    vprold zmm10, zmm10, 1
    vprold zmm18, zmm18, 1
    vmovdqa64 zmmword ptr [rdx + 896], zmm10
    vmovdqa64 zmmword ptr [rdx + 1920], zmm18
    vpaddd zmm3, zmm3, dword ptr [r10 + 8]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 8]{1to16}
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm8, zmm8, zmm18
    vmovdqa64 zmm26, zmm0
    vpternlogd zmm26, zmm1, zmm2, 0xe8
    vmovdqa64 zmm14, zmm5
    vpternlogd zmm14, zmm6, zmm7, 0xe8
    vpaddd zmm3, zmm3, zmm26
    vpaddd zmm8, zmm8, zmm14
    vprold zmm30, zmm4, 5
    vprold zmm16, zmm9, 5
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm8, zmm8, zmm16
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm11, zmmword ptr [rdx + 64]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1088]
    vpternlogd zmm11, zmm25, zmmword ptr [rdx + 448], 0x96
    vpternlogd zmm23, zmm21, zmmword ptr [rdx + 1472], 0x96
    vpxord zmm11, zmm11, zmmword ptr [rdx + 960]
    vpxord zmm23, zmm23, zmmword ptr [rdx + 1984]
    vprold zmm11, zmm11, 1
    vprold zmm23, zmm23, 1
    vmovdqa64 zmmword ptr [rdx + 960], zmm11
    vmovdqa64 zmmword ptr [rdx + 1984], zmm23
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 8]{1to16}
    vpaddd zmm2, zmm2, zmm11
    vpaddd zmm7, zmm7, zmm23
    vmovdqa64 zmm13, zmm4
    vpternlogd zmm13, zmm0, zmm1, 0xe8
    vmovdqa64 zmm28, zmm9
    vpternlogd zmm28, zmm5, zmm6, 0xe8
    vpaddd zmm2, zmm2, zmm13
    vpaddd zmm7, zmm7, zmm28
    vprold zmm26, zmm3, 5
    vprold zmm14, zmm8, 5
    vpaddd zmm2, zmm2, zmm26
    vpaddd zmm7, zmm7, zmm14
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm30, zmmword ptr [rdx + 128]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1152]
    vpternlogd zmm30, zmm19, zmmword ptr [rdx + 512], 0x96
    vpternlogd zmm16, zmm17, zmmword ptr [rdx + 1536], 0x96
    vpxord zmm30, zmm30, zmmword ptr [rdx + 0]
    vpxord zmm16, zmm16, zmmword ptr [rdx + 1024]
    vprold zmm30, zmm30, 1
    vprold zmm16, zmm16, 1
    vmovdqa64 zmmword ptr [rdx + 0], zmm30
    vmovdqa64 zmmword ptr [rdx + 1024], zmm16
    vpaddd zmm1, zmm1, dword ptr [r10 + 8]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 8]{1to16}
    vpaddd zmm1, zmm1, zmm30
    vshufi64x2 zmm25, zmm12, zmm20, 0x88
    vpshufb zmm25, zmm25, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1024], zmm25
    vshufi64x2 zmm12, zmm12, zmm20, 0xdd
    vpshufb zmm12, zmm12, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1280], zmm12
    vshufi64x2 zmm21, zmm22, zmm15, 0x88
    vpshufb zmm21, zmm21, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1088], zmm21
    vshufi64x2 zmm22, zmm22, zmm15, 0xdd
    vpshufb zmm22, zmm22, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1344], zmm22
    vshufi64x2 zmm13, zmm24, zmm27, 0x88
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1152], zmm13
    vshufi64x2 zmm24, zmm24, zmm27, 0xdd
    vpaddd zmm6, zmm6, zmm16
    vmovdqa64 zmm28, zmm3
    vpternlogd zmm28, zmm4, zmm0, 0xe8
    vmovdqa64 zmm26, zmm8
    vpternlogd zmm26, zmm9, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmm28
    vpaddd zmm6, zmm6, zmm26
    vprold zmm14, zmm2, 5
    vprold zmm19, zmm7, 5
    vpaddd zmm1, zmm1, zmm14
    vpaddd zmm6, zmm6, zmm19
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm17, zmmword ptr [rdx + 192]
    vmovdqa64 zmm25, zmmword ptr [rdx + 1216]
    vpternlogd zmm17, zmm10, zmmword ptr [rdx + 576], 0x96
    vpternlogd zmm25, zmm18, zmmword ptr [rdx + 1600], 0x96
    vpxord zmm17, zmm17, zmmword ptr [rdx + 64]
    vpxord zmm25, zmm25, zmmword ptr [rdx + 1088]
    vprold zmm17, zmm17, 1
    vprold zmm25, zmm25, 1
    vmovdqa64 zmmword ptr [rdx + 64], zmm17
    vmovdqa64 zmmword ptr [rdx + 1088], zmm25
    vpaddd zmm0, zmm0, dword ptr [r10 + 8]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 8]{1to16}
    vpaddd zmm0, zmm0, zmm17
    vpaddd zmm5, zmm5, zmm25
    vmovdqa64 zmm20, zmm2
    vpternlogd zmm20, zmm3, zmm4, 0xe8
    vmovdqa64 zmm12, zmm7
    vpternlogd zmm12, zmm8, zmm9, 0xe8
    vpaddd zmm0, zmm0, zmm20
    vpaddd zmm5, zmm5, zmm12
    vprold zmm21, zmm1, 5
    vprold zmm15, zmm6, 5
    vpaddd zmm0, zmm0, zmm21
    vpaddd zmm5, zmm5, zmm15
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm22, zmmword ptr [rdx + 256]
    vmovdqa64 zmm13, zmmword ptr [rdx + 1280]
    vpternlogd zmm22, zmm11, zmmword ptr [rdx + 640], 0x96
    vpternlogd zmm13, zmm23, zmmword ptr [rdx + 1664], 0x96
    vpxord zmm22, zmm22, zmmword ptr [rdx + 128]
    vpxord zmm13, zmm13, zmmword ptr [rdx + 1152]
    vprold zmm22, zmm22, 1
    vprold zmm13, zmm13, 1
    vmovdqa64 zmmword ptr [rdx + 128], zmm22
    vmovdqa64 zmmword ptr [rdx + 1152], zmm13
    vpaddd zmm4, zmm4, dword ptr [r10 + 8]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 8]{1to16}
    vpaddd zmm4, zmm4, zmm22
    vpaddd zmm9, zmm9, zmm13
    vmovdqa64 zmm27, zmm1
    vpternlogd zmm27, zmm2, zmm3, 0xe8
    vmovdqa64 zmm28, zmm6
    vpternlogd zmm28, zmm7, zmm8, 0xe8
    vpaddd zmm4, zmm4, zmm27
    vpaddd zmm9, zmm9, zmm28
    vprold zmm26, zmm0, 5
    vprold zmm14, zmm5, 5
    vpaddd zmm4, zmm4, zmm26
    vpaddd zmm9, zmm9, zmm14
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm19, zmmword ptr [rdx + 320]
    vmovdqa64 zmm10, zmmword ptr [rdx + 1344]
    vpternlogd zmm19, zmm30, zmmword ptr [rdx + 704], 0x96
    vpternlogd zmm10, zmm16, zmmword ptr [rdx + 1728], 0x96
    vpxord zmm19, zmm19, zmmword ptr [rdx + 192]
    vpxord zmm10, zmm10, zmmword ptr [rdx + 1216]
    vprold zmm19, zmm19, 1
    vprold zmm10, zmm10, 1
    vmovdqa64 zmmword ptr [rdx + 192], zmm19
    vmovdqa64 zmmword ptr [rdx + 1216], zmm10
    vpaddd zmm3, zmm3, dword ptr [r10 + 8]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 8]{1to16}
    vpaddd zmm3, zmm3, zmm19
    vpaddd zmm8, zmm8, zmm10
    vmovdqa64 zmm18, zmm0
    vpternlogd zmm18, zmm1, zmm2, 0xe8
    vmovdqa64 zmm20, zmm5
    vpternlogd zmm20, zmm6, zmm7, 0xe8
    vpaddd zmm3, zmm3, zmm18
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 160]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 168]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 176]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 184]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpaddd zmm8, zmm8, zmm20
    vprold zmm12, zmm4, 5
    vprold zmm21, zmm9, 5
    vpaddd zmm3, zmm3, zmm12
    vpaddd zmm8, zmm8, zmm21
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm15, zmmword ptr [rdx + 384]
    vmovdqa64 zmm11, zmmword ptr [rdx + 1408]
    vpternlogd zmm15, zmm17, zmmword ptr [rdx + 768], 0x96
    vpternlogd zmm11, zmm25, zmmword ptr [rdx + 1792], 0x96
    vpxord zmm15, zmm15, zmmword ptr [rdx + 256]
    vpxord zmm11, zmm11, zmmword ptr [rdx + 1280]
    vprold zmm15, zmm15, 1
    vprold zmm11, zmm11, 1
    vmovdqa64 zmmword ptr [rdx + 256], zmm15
    vmovdqa64 zmmword ptr [rdx + 1280], zmm11
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 8]{1to16}
    vpaddd zmm2, zmm2, zmm15
    vpaddd zmm7, zmm7, zmm11
    vmovdqa64 zmm23, zmm4
    vpternlogd zmm23, zmm0, zmm1, 0xe8
    vmovdqa64 zmm27, zmm9
    vpternlogd zmm27, zmm5, zmm6, 0xe8
    vpaddd zmm2, zmm2, zmm23
    vpaddd zmm7, zmm7, zmm27
    vprold zmm28, zmm3, 5
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1408], zmm24
    vshufi64x2 zmm26, zmm31, zmm29, 0x88
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1216], zmm26
    vshufi64x2 zmm31, zmm31, zmm29, 0xdd
    vpshufb zmm31, zmm31, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1472], zmm31
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm16, zmm14, zmm30
    vpunpckhdq zmm14, zmm14, zmm30
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 32], 1
    vprold zmm20, zmm8, 5
    vpaddd zmm2, zmm2, zmm28
    vpaddd zmm7, zmm7, zmm20
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm12, zmmword ptr [rdx + 448]
    vmovdqa64 zmm21, zmmword ptr [rdx + 1472]
    vpternlogd zmm12, zmm22, zmmword ptr [rdx + 832], 0x96
    vpternlogd zmm21, zmm13, zmmword ptr [rdx + 1856], 0x96
    vpxord zmm12, zmm12, zmmword ptr [rdx + 320]
    vpxord zmm21, zmm21, zmmword ptr [rdx + 1344]
    vprold zmm12, zmm12, 1
    vprold zmm21, zmm21, 1
    vmovdqa64 zmmword ptr [rdx + 320], zmm12
    vmovdqa64 zmmword ptr [rdx + 1344], zmm21
    vpaddd zmm1, zmm1, dword ptr [r10 + 8]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 8]{1to16}
    vpaddd zmm1, zmm1, zmm12
    vpaddd zmm6, zmm6, zmm21
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm4, zmm0, 0xe8
    vmovdqa64 zmm25, zmm8
    vpternlogd zmm25, zmm9, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmm17
    vpaddd zmm6, zmm6, zmm25
    vprold zmm23, zmm2, 5
    vprold zmm27, zmm7, 5
    vpaddd zmm1, zmm1, zmm23
    vpaddd zmm6, zmm6, zmm27
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm24, zmmword ptr [rdx + 512]
    vmovdqa64 zmm26, zmmword ptr [rdx + 1536]
    vpternlogd zmm24, zmm19, zmmword ptr [rdx + 896], 0x96
    vpternlogd zmm26, zmm10, zmmword ptr [rdx + 1920], 0x96
    vpxord zmm24, zmm24, zmmword ptr [rdx + 384]
    vpxord zmm26, zmm26, zmmword ptr [rdx + 1408]
    vprold zmm24, zmm24, 1
    vprold zmm26, zmm26, 1
    vmovdqa64 zmmword ptr [rdx + 384], zmm24
    vmovdqa64 zmmword ptr [rdx + 1408], zmm26
    vpaddd zmm0, zmm0, dword ptr [r10 + 8]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 8]{1to16}
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm5, zmm5, zmm26
    vmovdqa64 zmm29, zmm2
    vpternlogd zmm29, zmm3, zmm4, 0xe8
    vmovdqa64 zmm31, zmm7
    vpternlogd zmm31, zmm8, zmm9, 0xe8
    vpaddd zmm0, zmm0, zmm29
    vpaddd zmm5, zmm5, zmm31
    vprold zmm30, zmm1, 5
    vprold zmm28, zmm6, 5
    vpaddd zmm0, zmm0, zmm30
    vpaddd zmm5, zmm5, zmm28
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm20, zmmword ptr [rdx + 576]
    vmovdqa64 zmm22, zmmword ptr [rdx + 1600]
    vpternlogd zmm20, zmm15, zmmword ptr [rdx + 960], 0x96
    vpternlogd zmm22, zmm11, zmmword ptr [rdx + 1984], 0x96
    vpxord zmm20, zmm20, zmmword ptr [rdx + 448]
    vpxord zmm22, zmm22, zmmword ptr [rdx + 1472]
    vprold zmm20, zmm20, 1
    vprold zmm22, zmm22, 1
    vmovdqa64 zmmword ptr [rdx + 448], zmm20
    vmovdqa64 zmmword ptr [rdx + 1472], zmm22
    vpaddd zmm4, zmm4, dword ptr [r10 + 8]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 8]{1to16}
    vpaddd zmm4, zmm4, zmm20
    vpaddd zmm9, zmm9, zmm22
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0xe8
    vmovdqa64 zmm17, zmm6
    vpternlogd zmm17, zmm7, zmm8, 0xe8
    vpaddd zmm4, zmm4, zmm13
    vpaddd zmm9, zmm9, zmm17
    vprold zmm25, zmm0, 5
    vprold zmm23, zmm5, 5
    vpaddd zmm4, zmm4, zmm25
    vpaddd zmm9, zmm9, zmm23
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm27, zmmword ptr [rdx + 640]
    vmovdqa64 zmm19, zmmword ptr [rdx + 1664]
    vpternlogd zmm27, zmm12, zmmword ptr [rdx + 0], 0x96
    vpternlogd zmm19, zmm21, zmmword ptr [rdx + 1024], 0x96
    vpxord zmm27, zmm27, zmmword ptr [rdx + 512]
    vpxord zmm19, zmm19, zmmword ptr [rdx + 1536]
    vprold zmm27, zmm27, 1
    vprold zmm19, zmm19, 1
    vmovdqa64 zmmword ptr [rdx + 512], zmm27
    vmovdqa64 zmmword ptr [rdx + 1536], zmm19
    vpaddd zmm3, zmm3, dword ptr [r10 + 8]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 8]{1to16}
    vpaddd zmm3, zmm3, zmm27
    vpaddd zmm8, zmm8, zmm19
    vmovdqa64 zmm10, zmm0
    vpternlogd zmm10, zmm1, zmm2, 0xe8
    vmovdqa64 zmm29, zmm5
    vpternlogd zmm29, zmm6, zmm7, 0xe8
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm8, zmm8, zmm29
    vprold zmm31, zmm4, 5
    vprold zmm30, zmm9, 5
    vpaddd zmm3, zmm3, zmm31
    vpaddd zmm8, zmm8, zmm30
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm15, zmm18, zmm28
    vpunpckhdq zmm18, zmm18, zmm28
    vpunpcklqdq zmm11, zmm16, zmm15
    vpunpckhqdq zmm16, zmm16, zmm15
    vpunpcklqdq zmm13, zmm14, zmm18
    vpunpckhqdq zmm14, zmm14, zmm18
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm23, zmm17, zmm25
    vpunpckhdq zmm17, zmm17, zmm25
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 32], 1
    vmovdqa64 zmm21, zmmword ptr [rdx + 704]
    vmovdqa64 zmm10, zmmword ptr [rdx + 1728]
    vpternlogd zmm21, zmm24, zmmword ptr [rdx + 64], 0x96
    vpternlogd zmm10, zmm26, zmmword ptr [rdx + 1088], 0x96
    vpxord zmm21, zmm21, zmmword ptr [rdx + 576]
    vpxord zmm10, zmm10, zmmword ptr [rdx + 1600]
    vprold zmm21, zmm21, 1
    vprold zmm10, zmm10, 1
    vmovdqa64 zmmword ptr [rdx + 576], zmm21
    vmovdqa64 zmmword ptr [rdx + 1600], zmm10
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 8]{1to16}
    vpaddd zmm2, zmm2, zmm21
    vpaddd zmm7, zmm7, zmm10
    vmovdqa64 zmm29, zmm4
    vpternlogd zmm29, zmm0, zmm1, 0xe8
    vmovdqa64 zmm31, zmm9
    vpternlogd zmm31, zmm5, zmm6, 0xe8
    vpaddd zmm2, zmm2, zmm29
    vpaddd zmm7, zmm7, zmm31
    vprold zmm30, zmm3, 5
    vprold zmm28, zmm8, 5
    vpaddd zmm2, zmm2, zmm30
    vpaddd zmm7, zmm7, zmm28
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm15, zmmword ptr [rdx + 768]
    vmovdqa64 zmm18, zmmword ptr [rdx + 1792]
    vpternlogd zmm15, zmm20, zmmword ptr [rdx + 128], 0x96
    vpternlogd zmm18, zmm22, zmmword ptr [rdx + 1152], 0x96
    vpxord zmm15, zmm15, zmmword ptr [rdx + 640]
    vpxord zmm18, zmm18, zmmword ptr [rdx + 1664]
    vprold zmm15, zmm15, 1
    vprold zmm18, zmm18, 1
    vmovdqa64 zmmword ptr [rdx + 640], zmm15
    vmovdqa64 zmmword ptr [rdx + 1664], zmm18
    vpaddd zmm1, zmm1, dword ptr [r10 + 8]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 8]{1to16}
    vpaddd zmm1, zmm1, zmm15
    vpaddd zmm6, zmm6, zmm18
    vmovdqa64 zmm25, zmm3
    vpternlogd zmm25, zmm4, zmm0, 0xe8
    vmovdqa64 zmm24, zmm8
    vpternlogd zmm24, zmm9, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmm25
    vpaddd zmm6, zmm6, zmm24
    vprold zmm26, zmm2, 5
    vprold zmm29, zmm7, 5
    vpaddd zmm1, zmm1, zmm26
    vpaddd zmm6, zmm6, zmm29
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm31, zmmword ptr [rdx + 832]
    vmovdqa64 zmm30, zmmword ptr [rdx + 1856]
    vpternlogd zmm31, zmm27, zmmword ptr [rdx + 192], 0x96
    vpternlogd zmm30, zmm19, zmmword ptr [rdx + 1216], 0x96
    vpxord zmm31, zmm31, zmmword ptr [rdx + 704]
    vpxord zmm30, zmm30, zmmword ptr [rdx + 1728]
    vprold zmm31, zmm31, 1
    vprold zmm30, zmm30, 1
    vmovdqa64 zmmword ptr [rdx + 704], zmm31
    vmovdqa64 zmmword ptr [rdx + 1728], zmm30
    vpaddd zmm0, zmm0, dword ptr [r10 + 8]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 8]{1to16}
    vpaddd zmm0, zmm0, zmm31
    vpaddd zmm5, zmm5, zmm30
    vmovdqa64 zmm28, zmm2
    vpternlogd zmm28, zmm3, zmm4, 0xe8
    vmovdqa64 zmm20, zmm7
    vpternlogd zmm20, zmm8, zmm9, 0xe8
    vpaddd zmm0, zmm0, zmm28
    vpaddd zmm5, zmm5, zmm20
    vprold zmm22, zmm1, 5
    vprold zmm25, zmm6, 5
    vpaddd zmm0, zmm0, zmm22
    vpaddd zmm5, zmm5, zmm25
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm24, zmmword ptr [rdx + 896]
    vmovdqa64 zmm26, zmmword ptr [rdx + 1920]
    vpternlogd zmm24, zmm21, zmmword ptr [rdx + 256], 0x96
    vpternlogd zmm26, zmm10, zmmword ptr [rdx + 1280], 0x96
    vpxord zmm24, zmm24, zmmword ptr [rdx + 768]
    vpxord zmm26, zmm26, zmmword ptr [rdx + 1792]
    vprold zmm24, zmm24, 1
    vprold zmm26, zmm26, 1
    vmovdqa64 zmmword ptr [rdx + 768], zmm24
    vmovdqa64 zmmword ptr [rdx + 1792], zmm26
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 12]{1to16}
    vpaddd zmm4, zmm4, zmm24
    vpaddd zmm9, zmm9, zmm26
    vmovdqa64 zmm29, zmm1
    vpternlogd zmm29, zmm2, zmm3, 0x96
    vmovdqa64 zmm27, zmm6
    vpternlogd zmm27, zmm7, zmm8, 0x96
    vpaddd zmm4, zmm4, zmm29
    vpaddd zmm9, zmm9, zmm27
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 192]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 200]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 208]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 216]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vprold zmm19, zmm0, 5
    vprold zmm28, zmm5, 5
    vpaddd zmm4, zmm4, zmm19
    vpaddd zmm9, zmm9, zmm28
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm20, zmmword ptr [rdx + 960]
    vmovdqa64 zmm22, zmmword ptr [rdx + 1984]
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm21, zmm12, zmm25
    vpunpckhdq zmm12, zmm12, zmm25
    vpunpcklqdq zmm10, zmm23, zmm21
    vpunpckhqdq zmm23, zmm23, zmm21
    vpunpcklqdq zmm29, zmm17, zmm12
    vpunpckhqdq zmm17, zmm17, zmm12
    vshufi64x2 zmm27, zmm11, zmm10, 0x88
    vpshufb zmm27, zmm27, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1536], zmm27
    vshufi64x2 zmm11, zmm11, zmm10, 0xdd
    vpshufb zmm11, zmm11, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1792], zmm11
    vshufi64x2 zmm19, zmm16, zmm23, 0x88
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vpternlogd zmm20, zmm15, zmmword ptr [rdx + 320], 0x96
    vpternlogd zmm22, zmm18, zmmword ptr [rdx + 1344], 0x96
    vpxord zmm20, zmm20, zmmword ptr [rdx + 832]
    vpxord zmm22, zmm22, zmmword ptr [rdx + 1856]
    vprold zmm20, zmm20, 1
    vprold zmm22, zmm22, 1
    vmovdqa64 zmmword ptr [rdx + 832], zmm20
    vmovdqa64 zmmword ptr [rdx + 1856], zmm22
    vpaddd zmm3, zmm3, dword ptr [r10 + 12]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 12]{1to16}
    vpaddd zmm3, zmm3, zmm20
    vpaddd zmm8, zmm8, zmm22
    vmovdqa64 zmm28, zmm0
    vpternlogd zmm28, zmm1, zmm2, 0x96
    vmovdqa64 zmm25, zmm5
    vpternlogd zmm25, zmm6, zmm7, 0x96
    vpaddd zmm3, zmm3, zmm28
    vpaddd zmm8, zmm8, zmm25
    vprold zmm21, zmm4, 5
    vprold zmm12, zmm9, 5
    vpaddd zmm3, zmm3, zmm21
    vpaddd zmm8, zmm8, zmm12
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm27, zmmword ptr [rdx + 0]
    vmovdqa64 zmm10, zmmword ptr [rdx + 1024]
    vpternlogd zmm27, zmm31, zmmword ptr [rdx + 384], 0x96
    vpternlogd zmm10, zmm30, zmmword ptr [rdx + 1408], 0x96
    vpxord zmm27, zmm27, zmmword ptr [rdx + 896]
    vpxord zmm10, zmm10, zmmword ptr [rdx + 1920]
    vprold zmm27, zmm27, 1
    vprold zmm10, zmm10, 1
    vmovdqa64 zmmword ptr [rdx + 896], zmm27
    vmovdqa64 zmmword ptr [rdx + 1920], zmm10
    vpaddd zmm2, zmm2, dword ptr [r10 + 12]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 12]{1to16}
    vpaddd zmm2, zmm2, zmm27
    vpaddd zmm7, zmm7, zmm10
    vmovdqa64 zmm11, zmm4
    vpternlogd zmm11, zmm0, zmm1, 0x96
    vmovdqa64 zmm15, zmm9
    vpternlogd zmm15, zmm5, zmm6, 0x96
    vpaddd zmm2, zmm2, zmm11
    vpaddd zmm7, zmm7, zmm15
    vprold zmm18, zmm3, 5
    vprold zmm28, zmm8, 5
    vpaddd zmm2, zmm2, zmm18
    vpaddd zmm7, zmm7, zmm28
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm25, zmmword ptr [rdx + 64]
    vmovdqa64 zmm21, zmmword ptr [rdx + 1088]
    vpternlogd zmm25, zmm24, zmmword ptr [rdx + 448], 0x96
    vpternlogd zmm21, zmm26, zmmword ptr [rdx + 1472], 0x96
    vpxord zmm25, zmm25, zmmword ptr [rdx + 960]
    vpxord zmm21, zmm21, zmmword ptr [rdx + 1984]
    vprold zmm25, zmm25, 1
    vprold zmm21, zmm21, 1
    vmovdqa64 zmmword ptr [rdx + 960], zmm25
    vmovdqa64 zmmword ptr [rdx + 1984], zmm21
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 12]{1to16}
    vpaddd zmm1, zmm1, zmm25
    vpaddd zmm6, zmm6, zmm21
    vmovdqa64 zmm12, zmm3
    vpternlogd zmm12, zmm4, zmm0, 0x96
    vmovdqa64 zmm31, zmm8
    vpternlogd zmm31, zmm9, zmm5, 0x96
    vpaddd zmm1, zmm1, zmm12
    vpaddd zmm6, zmm6, zmm31
    vprold zmm30, zmm2, 5
    vprold zmm11, zmm7, 5
    vpaddd zmm1, zmm1, zmm30
    vpaddd zmm6, zmm6, zmm11
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm15, zmmword ptr [rdx + 128]
    vmovdqa64 zmm18, zmmword ptr [rdx + 1152]
    vpternlogd zmm15, zmm20, zmmword ptr [rdx + 512], 0x96
    vpternlogd zmm18, zmm22, zmmword ptr [rdx + 1536], 0x96
    vpxord zmm15, zmm15, zmmword ptr [rdx + 0]
    vpxord zmm18, zmm18, zmmword ptr [rdx + 1024]
    vprold zmm15, zmm15, 1
    vprold zmm18, zmm18, 1
    vmovdqa64 zmmword ptr [rdx + 0], zmm15
    vmovdqa64 zmmword ptr [rdx + 1024], zmm18
    vpaddd zmm0, zmm0, dword ptr [r10 + 12]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 12]{1to16}
    vpaddd zmm0, zmm0, zmm15
    vpaddd zmm5, zmm5, zmm18
    vmovdqa64 zmm28, zmm2
    vpternlogd zmm28, zmm3, zmm4, 0x96
    vmovdqa64 zmm24, zmm7
    vpternlogd zmm24, zmm8, zmm9, 0x96
    vpaddd zmm0, zmm0, zmm28
    vpaddd zmm5, zmm5, zmm24
    vprold zmm26, zmm1, 5
    vprold zmm12, zmm6, 5
    vpaddd zmm0, zmm0, zmm26
    vpaddd zmm5, zmm5, zmm12
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm31, zmmword ptr [rdx + 192]
    vmovdqa64 zmm30, zmmword ptr [rdx + 1216]
    vpternlogd zmm31, zmm27, zmmword ptr [rdx + 576], 0x96
    vpternlogd zmm30, zmm10, zmmword ptr [rdx + 1600], 0x96
    vpxord zmm31, zmm31, zmmword ptr [rdx + 64]
    vpxord zmm30, zmm30, zmmword ptr [rdx + 1088]
    vprold zmm31, zmm31, 1
    vmovdqa64 zmmword ptr [r9 + 1600], zmm19
    vshufi64x2 zmm16, zmm16, zmm23, 0xdd
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1856], zmm16
    vshufi64x2 zmm11, zmm13, zmm29, 0x88
    vpshufb zmm11, zmm11, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1664], zmm11
    vshufi64x2 zmm13, zmm13, zmm29, 0xdd
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1920], zmm13
    vshufi64x2 zmm20, zmm14, zmm17, 0x88
    vpshufb zmm20, zmm20, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1728], zmm20
    vshufi64x2 zmm14, zmm14, zmm17, 0xdd
    vpshufb zmm14, zmm14, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1984], zmm14
    vprold zmm30, zmm30, 1
    vmovdqa64 zmmword ptr [rdx + 64], zmm31
    vmovdqa64 zmmword ptr [rdx + 1088], zmm30
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 12]{1to16}
    vpaddd zmm4, zmm4, zmm31
    vpaddd zmm9, zmm9, zmm30
    vmovdqa64 zmm22, zmm1
    vpternlogd zmm22, zmm2, zmm3, 0x96
    vmovdqa64 zmm28, zmm6
    vpternlogd zmm28, zmm7, zmm8, 0x96
    vpaddd zmm4, zmm4, zmm22
    vpaddd zmm9, zmm9, zmm28
    vprold zmm24, zmm0, 5
    vprold zmm26, zmm5, 5
    vpaddd zmm4, zmm4, zmm24
    vpaddd zmm9, zmm9, zmm26
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm12, zmmword ptr [rdx + 256]
    vmovdqa64 zmm27, zmmword ptr [rdx + 1280]
    vpternlogd zmm12, zmm25, zmmword ptr [rdx + 640], 0x96
    vpternlogd zmm27, zmm21, zmmword ptr [rdx + 1664], 0x96
    vpxord zmm12, zmm12, zmmword ptr [rdx + 128]
    vpxord zmm27, zmm27, zmmword ptr [rdx + 1152]
    vprold zmm12, zmm12, 1
    vprold zmm27, zmm27, 1
    vmovdqa64 zmmword ptr [rdx + 128], zmm12
    vmovdqa64 zmmword ptr [rdx + 1152], zmm27
    vpaddd zmm3, zmm3, dword ptr [r10 + 12]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 12]{1to16}
    vpaddd zmm3, zmm3, zmm12
    vpaddd zmm8, zmm8, zmm27
    vmovdqa64 zmm10, zmm0
    vpternlogd zmm10, zmm1, zmm2, 0x96
    vmovdqa64 zmm19, zmm5
    vpternlogd zmm19, zmm6, zmm7, 0x96
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm8, zmm8, zmm19
    vprold zmm23, zmm4, 5
    vprold zmm16, zmm9, 5
    vpaddd zmm3, zmm3, zmm23
    vpaddd zmm8, zmm8, zmm16
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm11, zmmword ptr [rdx + 320]
    vmovdqa64 zmm29, zmmword ptr [rdx + 1344]
    vpternlogd zmm11, zmm15, zmmword ptr [rdx + 704], 0x96
    vpternlogd zmm29, zmm18, zmmword ptr [rdx + 1728], 0x96
    vpxord zmm11, zmm11, zmmword ptr [rdx + 192]
    vpxord zmm29, zmm29, zmmword ptr [rdx + 1216]
    vprold zmm11, zmm11, 1
    vprold zmm29, zmm29, 1
    vmovdqa64 zmmword ptr [rdx + 192], zmm11
    vmovdqa64 zmmword ptr [rdx + 1216], zmm29
    vpaddd zmm2, zmm2, dword ptr [r10 + 12]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 12]{1to16}
    vpaddd zmm2, zmm2, zmm11
    vpaddd zmm7, zmm7, zmm29
    vmovdqa64 zmm13, zmm4
    vpternlogd zmm13, zmm0, zmm1, 0x96
    vmovdqa64 zmm20, zmm9
    vpternlogd zmm20, zmm5, zmm6, 0x96
    vpaddd zmm2, zmm2, zmm13
    vpaddd zmm7, zmm7, zmm20
    vprold zmm17, zmm3, 5
    vprold zmm14, zmm8, 5
    vpaddd zmm2, zmm2, zmm17
    vpaddd zmm7, zmm7, zmm14
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm22, zmmword ptr [rdx + 384]
    vmovdqa64 zmm28, zmmword ptr [rdx + 1408]
    vpternlogd zmm22, zmm31, zmmword ptr [rdx + 768], 0x96
    vpternlogd zmm28, zmm30, zmmword ptr [rdx + 1792], 0x96
    vpxord zmm22, zmm22, zmmword ptr [rdx + 256]
    vpxord zmm28, zmm28, zmmword ptr [rdx + 1280]
    vprold zmm22, zmm22, 1
    vprold zmm28, zmm28, 1
    vmovdqa64 zmmword ptr [rdx + 256], zmm22
    vmovdqa64 zmmword ptr [rdx + 1280], zmm28
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 12]{1to16}
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm6, zmm6, zmm28
    vmovdqa64 zmm24, zmm3
    vpternlogd zmm24, zmm4, zmm0, 0x96
    vmovdqa64 zmm26, zmm8
    vpternlogd zmm26, zmm9, zmm5, 0x96
    vpaddd zmm1, zmm1, zmm24
    vpaddd zmm6, zmm6, zmm26
    vprold zmm25, zmm2, 5
    vprold zmm21, zmm7, 5
    vpaddd zmm1, zmm1, zmm25
    vpaddd zmm6, zmm6, zmm21
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm10, zmmword ptr [rdx + 448]
    vmovdqa64 zmm19, zmmword ptr [rdx + 1472]
    vpternlogd zmm10, zmm12, zmmword ptr [rdx + 832], 0x96
    vpternlogd zmm19, zmm27, zmmword ptr [rdx + 1856], 0x96
    vpxord zmm10, zmm10, zmmword ptr [rdx + 320]
    vpxord zmm19, zmm19, zmmword ptr [rdx + 1344]
    vprold zmm10, zmm10, 1
    vprold zmm19, zmm19, 1
    vmovdqa64 zmmword ptr [rdx + 320], zmm10
    vmovdqa64 zmmword ptr [rdx + 1344], zmm19
    vpaddd zmm0, zmm0, dword ptr [r10 + 12]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 12]{1to16}
    vpaddd zmm0, zmm0, zmm10
    vpaddd zmm5, zmm5, zmm19
    vmovdqa64 zmm23, zmm2
    vpternlogd zmm23, zmm3, zmm4, 0x96
    vmovdqa64 zmm16, zmm7
    vpternlogd zmm16, zmm8, zmm9, 0x96
    vpaddd zmm0, zmm0, zmm23
    vpaddd zmm5, zmm5, zmm16
    vprold zmm15, zmm1, 5
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 224]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 232]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 240]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 248]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vprold zmm18, zmm6, 5
    vpaddd zmm0, zmm0, zmm15
    vpaddd zmm5, zmm5, zmm18
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm13, zmmword ptr [rdx + 512]
    vmovdqa64 zmm20, zmmword ptr [rdx + 1536]
    vpternlogd zmm13, zmm11, zmmword ptr [rdx + 896], 0x96
    vpternlogd zmm20, zmm29, zmmword ptr [rdx + 1920], 0x96
    vpxord zmm13, zmm13, zmmword ptr [rdx + 384]
    vpxord zmm20, zmm20, zmmword ptr [rdx + 1408]
    vprold zmm13, zmm13, 1
    vprold zmm20, zmm20, 1
    vmovdqa64 zmmword ptr [rdx + 384], zmm13
    vmovdqa64 zmmword ptr [rdx + 1408], zmm20
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 12]{1to16}
    vpaddd zmm4, zmm4, zmm13
    vpaddd zmm9, zmm9, zmm20
    vmovdqa64 zmm17, zmm1
    vpternlogd zmm17, zmm2, zmm3, 0x96
    vmovdqa64 zmm14, zmm6
    vpternlogd zmm14, zmm7, zmm8, 0x96
    vpaddd zmm4, zmm4, zmm17
    vpaddd zmm9, zmm9, zmm14
    vprold zmm31, zmm0, 5
    vprold zmm30, zmm5, 5
    vpaddd zmm4, zmm4, zmm31
    vpaddd zmm9, zmm9, zmm30
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm24, zmmword ptr [rdx + 576]
    vmovdqa64 zmm26, zmmword ptr [rdx + 1600]
    vpternlogd zmm24, zmm22, zmmword ptr [rdx + 960], 0x96
    vpternlogd zmm26, zmm28, zmmword ptr [rdx + 1984], 0x96
    vpxord zmm24, zmm24, zmmword ptr [rdx + 448]
    vpxord zmm26, zmm26, zmmword ptr [rdx + 1472]
    vprold zmm24, zmm24, 1
    vprold zmm26, zmm26, 1
    vmovdqa64 zmmword ptr [rdx + 448], zmm24
    vmovdqa64 zmmword ptr [rdx + 1472], zmm26
    vpaddd zmm3, zmm3, dword ptr [r10 + 12]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 12]{1to16}
    vpaddd zmm3, zmm3, zmm24
    vpaddd zmm8, zmm8, zmm26
    vmovdqa64 zmm25, zmm0
    vpternlogd zmm25, zmm1, zmm2, 0x96
    vmovdqa64 zmm21, zmm5
    vpternlogd zmm21, zmm6, zmm7, 0x96
    vpaddd zmm3, zmm3, zmm25
    vpaddd zmm8, zmm8, zmm21
    vprold zmm12, zmm4, 5
    vprold zmm27, zmm9, 5
    vpaddd zmm3, zmm3, zmm12
    vpaddd zmm8, zmm8, zmm27
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm23, zmmword ptr [rdx + 640]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1664]
    vpternlogd zmm23, zmm10, zmmword ptr [rdx + 0], 0x96
    vpternlogd zmm16, zmm19, zmmword ptr [rdx + 1024], 0x96
    vpxord zmm23, zmm23, zmmword ptr [rdx + 512]
    vpxord zmm16, zmm16, zmmword ptr [rdx + 1536]
    vprold zmm23, zmm23, 1
    vprold zmm16, zmm16, 1
    vpaddd zmm2, zmm2, dword ptr [r10 + 12]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 12]{1to16}
    vpaddd zmm2, zmm2, zmm23
    vpaddd zmm7, zmm7, zmm16
    vmovdqa64 zmm15, zmm4
    vpternlogd zmm15, zmm0, zmm1, 0x96
    vmovdqa64 zmm18, zmm9
    vpternlogd zmm18, zmm5, zmm6, 0x96
    vpaddd zmm2, zmm2, zmm15
    vpaddd zmm7, zmm7, zmm18
    vprold zmm11, zmm3, 5
    vprold zmm29, zmm8, 5
    vpaddd zmm2, zmm2, zmm11
    vpaddd zmm7, zmm7, zmm29
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm17, zmmword ptr [rdx + 704]
    vmovdqa64 zmm14, zmmword ptr [rdx + 1728]
    vpternlogd zmm17, zmm13, zmmword ptr [rdx + 64], 0x96
    vpternlogd zmm14, zmm20, zmmword ptr [rdx + 1088], 0x96
    vpxord zmm17, zmm17, zmmword ptr [rdx + 576]
    vpxord zmm14, zmm14, zmmword ptr [rdx + 1600]
    vprold zmm17, zmm17, 1
    vprold zmm14, zmm14, 1
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 12]{1to16}
    vpaddd zmm1, zmm1, zmm17
    vpaddd zmm6, zmm6, zmm14
    vmovdqa64 zmm31, zmm3
    vpternlogd zmm31, zmm4, zmm0, 0x96
    vmovdqa64 zmm30, zmm8
    vpternlogd zmm30, zmm9, zmm5, 0x96
    vpaddd zmm1, zmm1, zmm31
    vpaddd zmm6, zmm6, zmm30
    vprold zmm22, zmm2, 5
    vprold zmm28, zmm7, 5
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm6, zmm6, zmm28
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm25, zmmword ptr [rdx + 768]
    vmovdqa64 zmm21, zmmword ptr [rdx + 1792]
    vpternlogd zmm25, zmm24, zmmword ptr [rdx + 128], 0x96
    vpternlogd zmm21, zmm26, zmmword ptr [rdx + 1152], 0x96
    vpxord zmm25, zmm25, zmmword ptr [rdx + 640]
    vpxord zmm21, zmm21, zmmword ptr [rdx + 1664]
    vprold zmm25, zmm25, 1
    vprold zmm21, zmm21, 1
    vpaddd zmm0, zmm0, dword ptr [r10 + 12]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 12]{1to16}
    vpaddd zmm0, zmm0, zmm25
    vpaddd zmm5, zmm5, zmm21
    vmovdqa64 zmm12, zmm2
    vpternlogd zmm12, zmm3, zmm4, 0x96
    vmovdqa64 zmm27, zmm7
    vpternlogd zmm27, zmm8, zmm9, 0x96
    vpaddd zmm0, zmm0, zmm12
    vpaddd zmm5, zmm5, zmm27
    vprold zmm10, zmm1, 5
    vprold zmm19, zmm6, 5
    vpaddd zmm0, zmm0, zmm10
    vpaddd zmm5, zmm5, zmm19
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vmovdqa64 zmm15, zmmword ptr [rdx + 832]
    vmovdqa64 zmm18, zmmword ptr [rdx + 1856]
    vpternlogd zmm15, zmm23, zmmword ptr [rdx + 192], 0x96
    vpternlogd zmm18, zmm16, zmmword ptr [rdx + 1216], 0x96
    vpxord zmm15, zmm15, zmmword ptr [rdx + 704]
    vpxord zmm18, zmm18, zmmword ptr [rdx + 1728]
    vprold zmm15, zmm15, 1
    vprold zmm18, zmm18, 1
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 12]{1to16}
    vpaddd zmm4, zmm4, zmm15
    vpaddd zmm9, zmm9, zmm18
    vmovdqa64 zmm11, zmm1
    vpternlogd zmm11, zmm2, zmm3, 0x96
    vmovdqa64 zmm29, zmm6
    vpternlogd zmm29, zmm7, zmm8, 0x96
    vpaddd zmm4, zmm4, zmm11
    vpaddd zmm9, zmm9, zmm29
    vprold zmm13, zmm0, 5
    vprold zmm20, zmm5, 5
    vpaddd zmm4, zmm4, zmm13
    vpaddd zmm9, zmm9, zmm20
    vprold zmm1, zmm1, 30
    vprold zmm6, zmm6, 30
    vmovdqa64 zmm31, zmmword ptr [rdx + 896]
    vmovdqa64 zmm30, zmmword ptr [rdx + 1920]
    vpternlogd zmm31, zmm17, zmmword ptr [rdx + 256], 0x96
    vpternlogd zmm30, zmm14, zmmword ptr [rdx + 1280], 0x96
    vpxord zmm31, zmm31, zmmword ptr [rdx + 768]
    vpxord zmm30, zmm30, zmmword ptr [rdx + 1792]
    vprold zmm31, zmm31, 1
    vprold zmm30, zmm30, 1
    vpaddd zmm3, zmm3, dword ptr [r10 + 12]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 12]{1to16}
    vpaddd zmm3, zmm3, zmm31
    vpaddd zmm8, zmm8, zmm30
    vmovdqa64 zmm22, zmm0
    vpternlogd zmm22, zmm1, zmm2, 0x96
    vmovdqa64 zmm28, zmm5
    vpternlogd zmm28, zmm6, zmm7, 0x96
    vpaddd zmm3, zmm3, zmm22
    vpaddd zmm8, zmm8, zmm28
    vprold zmm24, zmm4, 5
    vprold zmm26, zmm9, 5
    vpaddd zmm3, zmm3, zmm24
    vpaddd zmm8, zmm8, zmm26
    vprold zmm0, zmm0, 30
    vprold zmm5, zmm5, 30
    vmovdqa64 zmm12, zmmword ptr [rdx + 960]
    vmovdqa64 zmm27, zmmword ptr [rdx + 1984]
    vpternlogd zmm12, zmm25, zmmword ptr [rdx + 320], 0x96
    vpternlogd zmm27, zmm21, zmmword ptr [rdx + 1344], 0x96
    vpxord zmm12, zmm12, zmmword ptr [rdx + 832]
    vpxord zmm27, zmm27, zmmword ptr [rdx + 1856]
    vprold zmm12, zmm12, 1
    vprold zmm27, zmm27, 1
    vpaddd zmm2, zmm2, dword ptr [r10 + 12]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 12]{1to16}
    vpaddd zmm2, zmm2, zmm12
    vpaddd zmm7, zmm7, zmm27
    vmovdqa64 zmm10, zmm4
    vpternlogd zmm10, zmm0, zmm1, 0x96
    vmovdqa64 zmm19, zmm9
    vpternlogd zmm19, zmm5, zmm6, 0x96
    vpaddd zmm2, zmm2, zmm10
    vpaddd zmm7, zmm7, zmm19
    vprold zmm23, zmm3, 5
    vprold zmm16, zmm8, 5
    vpaddd zmm2, zmm2, zmm23
    vpaddd zmm7, zmm7, zmm16
    vprold zmm4, zmm4, 30
    vprold zmm9, zmm9, 30
    vmovdqa64 zmm11, zmmword ptr [rdx + 0]
    vmovdqa64 zmm29, zmmword ptr [rdx + 1024]
    vpternlogd zmm11, zmm15, zmmword ptr [rdx + 384], 0x96
    vpternlogd zmm29, zmm18, zmmword ptr [rdx + 1408], 0x96
    vpxord zmm11, zmm11, zmmword ptr [rdx + 896]
    vpxord zmm29, zmm29, zmmword ptr [rdx + 1920]
    vprold zmm11, zmm11, 1
    vprold zmm29, zmm29, 1
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 12]{1to16}
    vpaddd zmm1, zmm1, zmm11
    vpaddd zmm6, zmm6, zmm29
    vmovdqa64 zmm13, zmm3
    vpternlogd zmm13, zmm4, zmm0, 0x96
    vmovdqa64 zmm20, zmm8
    vpternlogd zmm20, zmm9, zmm5, 0x96
    vpaddd zmm1, zmm1, zmm13
    vpaddd zmm6, zmm6, zmm20
    vprold zmm17, zmm2, 5
    vprold zmm14, zmm7, 5
    vpaddd zmm1, zmm1, zmm17
    vpaddd zmm6, zmm6, zmm14
    vprold zmm3, zmm3, 30
    vprold zmm8, zmm8, 30
    vmovdqa64 zmm22, zmmword ptr [rdx + 64]
    vmovdqa64 zmm28, zmmword ptr [rdx + 1088]
    vpternlogd zmm22, zmm31, zmmword ptr [rdx + 448], 0x96
    vpternlogd zmm28, zmm30, zmmword ptr [rdx + 1472], 0x96
    vpxord zmm22, zmm22, zmmword ptr [rdx + 960]
    vpxord zmm28, zmm28, zmmword ptr [rdx + 1984]
    vprold zmm22, zmm22, 1
    vprold zmm28, zmm28, 1
    vpaddd zmm0, zmm0, dword ptr [r10 + 12]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 12]{1to16}
    vpaddd zmm0, zmm0, zmm22
    vpaddd zmm5, zmm5, zmm28
    vmovdqa64 zmm24, zmm2
    vpternlogd zmm24, zmm3, zmm4, 0x96
    vmovdqa64 zmm26, zmm7
    vpternlogd zmm26, zmm8, zmm9, 0x96
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm5, zmm5, zmm26
    vprold zmm25, zmm1, 5
    vprold zmm21, zmm6, 5
    vpaddd zmm0, zmm0, zmm25
    vpaddd zmm5, zmm5, zmm21
    vprold zmm2, zmm2, 30
    vprold zmm7, zmm7, 30
    vpaddd zmm0, zmm0, zmmword ptr [rdi + 0]
    vpaddd zmm5, zmm5, zmmword ptr [rdi + 512]
    vmovdqa64 zmmword ptr [rdi + 0], zmm0
    vmovdqa64 zmmword ptr [rdi + 512], zmm5
    vpaddd zmm1, zmm1, zmmword ptr [rdi + 64]
    vpaddd zmm6, zmm6, zmmword ptr [rdi + 576]
    vmovdqa64 zmmword ptr [rdi + 64], zmm1
    vmovdqa64 zmmword ptr [rdi + 576], zmm6
    vpaddd zmm2, zmm2, zmmword ptr [rdi + 128]
    vpaddd zmm7, zmm7, zmmword ptr [rdi + 640]
    vmovdqa64 zmmword ptr [rdi + 128], zmm2
    vmovdqa64 zmmword ptr [rdi + 640], zmm7
    vpaddd zmm3, zmm3, zmmword ptr [rdi + 192]
    vpaddd zmm8, zmm8, zmmword ptr [rdi + 704]
    vmovdqa64 zmmword ptr [rdi + 192], zmm3
    vmovdqa64 zmmword ptr [rdi + 704], zmm8
    vpaddd zmm4, zmm4, zmmword ptr [rdi + 256]
    vpaddd zmm9, zmm9, zmmword ptr [rdi + 768]
    vmovdqa64 zmmword ptr [rdi + 256], zmm4
    vmovdqa64 zmmword ptr [rdi + 768], zmm9
    cmp r14, r12
    jb 2b
