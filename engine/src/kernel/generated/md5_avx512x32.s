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
    vmovdqa64 zmmword ptr [r9 + 0], zmm16
    vshufi64x2 zmm6, zmm6, zmm14, 0xdd
    vmovdqa64 zmmword ptr [r9 + 256], zmm6
    vshufi64x2 zmm17, zmm2, zmm10, 0x88
    vmovdqa64 zmmword ptr [r9 + 64], zmm17
    vshufi64x2 zmm2, zmm2, zmm10, 0xdd
    vmovdqa64 zmmword ptr [r9 + 320], zmm2
    vshufi64x2 zmm18, zmm7, zmm15, 0x88
    vmovdqa64 zmmword ptr [r9 + 128], zmm18
    vshufi64x2 zmm7, zmm7, zmm15, 0xdd
    vmovdqa64 zmmword ptr [r9 + 384], zmm7
    vshufi64x2 zmm19, zmm0, zmm8, 0x88
    vmovdqa64 zmmword ptr [r9 + 192], zmm19
    vshufi64x2 zmm0, zmm0, zmm8, 0xdd
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
    vmovdqa64 zmmword ptr [r9 + 512], zmm9
    vshufi64x2 zmm26, zmm26, zmm5, 0xdd
    vmovdqa64 zmmword ptr [r9 + 768], zmm26
    vshufi64x2 zmm12, zmm22, zmm30, 0x88
    vmovdqa64 zmmword ptr [r9 + 576], zmm12
    vshufi64x2 zmm22, zmm22, zmm30, 0xdd
    vmovdqa64 zmmword ptr [r9 + 832], zmm22
    vshufi64x2 zmm13, zmm27, zmm3, 0x88
    vmovdqa64 zmmword ptr [r9 + 640], zmm13
    vshufi64x2 zmm27, zmm27, zmm3, 0xdd
    vmovdqa64 zmmword ptr [r9 + 896], zmm27
    vshufi64x2 zmm11, zmm20, zmm28, 0x88
    vmovdqa64 zmmword ptr [r9 + 704], zmm11
    vshufi64x2 zmm20, zmm20, zmm28, 0xdd
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
    vmovdqa64 zmmword ptr [r9 + 1024], zmm29
    vshufi64x2 zmm18, zmm18, zmm25, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1280], zmm18
    vshufi64x2 zmm1, zmm6, zmm8, 0x88
    vmovdqa64 zmmword ptr [r9 + 1088], zmm1
    vshufi64x2 zmm6, zmm6, zmm8, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1344], zmm6
    vshufi64x2 zmm4, zmm15, zmm23, 0x88
    vmovdqa64 zmmword ptr [r9 + 1152], zmm4
    vshufi64x2 zmm15, zmm15, zmm23, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1408], zmm15
    vshufi64x2 zmm31, zmm16, zmm7, 0x88
    vmovdqa64 zmmword ptr [r9 + 1216], zmm31
    vshufi64x2 zmm16, zmm16, zmm7, 0xdd
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
    vmovdqa64 zmmword ptr [r9 + 1536], zmm19
    vshufi64x2 zmm13, zmm13, zmm2, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1792], zmm13
    vshufi64x2 zmm21, zmm26, zmm28, 0x88
    vmovdqa64 zmmword ptr [r9 + 1600], zmm21
    vshufi64x2 zmm26, zmm26, zmm28, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1856], zmm26
    vshufi64x2 zmm24, zmm3, zmm17, 0x88
    vmovdqa64 zmmword ptr [r9 + 1664], zmm24
    vshufi64x2 zmm3, zmm3, zmm17, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1920], zmm3
    vshufi64x2 zmm0, zmm9, zmm27, 0x88
    vmovdqa64 zmmword ptr [r9 + 1728], zmm0
    vshufi64x2 zmm9, zmm9, zmm27, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1984], zmm9
    vmovdqa64 zmm0, zmmword ptr [rdi + 0]
    vmovdqa64 zmm1, zmmword ptr [rdi + 64]
    vmovdqa64 zmm2, zmmword ptr [rdi + 128]
    vmovdqa64 zmm3, zmmword ptr [rdi + 192]
    vmovdqa64 zmm4, zmmword ptr [rdi + 512]
    vmovdqa64 zmm5, zmmword ptr [rdi + 576]
    vmovdqa64 zmm6, zmmword ptr [rdi + 640]
    vmovdqa64 zmm7, zmmword ptr [rdi + 704]
2:
    xchg rdx, r9
    add r15, 64
    lea r14, [r8 + 64]
    cmp r14, r12
    cmovb r8, r14
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 0]
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
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1024]
    vpaddd zmm0, zmm0, dword ptr [r10 + 0]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
    vmovdqa64 zmm8, zmm1
    vpternlogd zmm8, zmm2, zmm3, 0xca
    vmovdqa64 zmm9, zmm5
    vpternlogd zmm9, zmm6, zmm7, 0xca
    vpaddd zmm0, zmm0, zmm8
    vpaddd zmm4, zmm4, zmm9
    vprold zmm0, zmm0, 7
    vprold zmm4, zmm4, 7
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 64]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1088]
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm10, zmm0
    vpternlogd zmm10, zmm1, zmm2, 0xca
    vmovdqa64 zmm11, zmm4
    vpternlogd zmm11, zmm5, zmm6, 0xca
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm7, zmm7, zmm11
    vprold zmm3, zmm3, 12
    vprold zmm7, zmm7, 12
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 128]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1152]
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 8]{1to16}
    vmovdqa64 zmm12, zmm3
    vpternlogd zmm12, zmm0, zmm1, 0xca
    vmovdqa64 zmm13, zmm7
    vpternlogd zmm13, zmm4, zmm5, 0xca
    vpaddd zmm2, zmm2, zmm12
    vpaddd zmm6, zmm6, zmm13
    vprold zmm2, zmm2, 17
    vprold zmm6, zmm6, 17
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 192]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1216]
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 12]{1to16}
    vmovdqa64 zmm14, zmm2
    vpternlogd zmm14, zmm3, zmm0, 0xca
    vmovdqa64 zmm15, zmm6
    vpternlogd zmm15, zmm7, zmm4, 0xca
    vpaddd zmm1, zmm1, zmm14
    vpaddd zmm5, zmm5, zmm15
    vprold zmm1, zmm1, 22
    vprold zmm5, zmm5, 22
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 256]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1280]
    vpaddd zmm0, zmm0, dword ptr [r10 + 16]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 16]{1to16}
    vmovdqa64 zmm16, zmm1
    vpternlogd zmm16, zmm2, zmm3, 0xca
    vmovdqa64 zmm17, zmm5
    vpternlogd zmm17, zmm6, zmm7, 0xca
    vpaddd zmm0, zmm0, zmm16
    vpaddd zmm4, zmm4, zmm17
    vprold zmm0, zmm0, 7
    vprold zmm4, zmm4, 7
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 320]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1344]
    vpaddd zmm3, zmm3, dword ptr [r10 + 20]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 20]{1to16}
    vmovdqa64 zmm18, zmm0
    vpternlogd zmm18, zmm1, zmm2, 0xca
    vmovdqa64 zmm19, zmm4
    vpternlogd zmm19, zmm5, zmm6, 0xca
    vpaddd zmm3, zmm3, zmm18
    vpaddd zmm7, zmm7, zmm19
    vprold zmm3, zmm3, 12
    vprold zmm7, zmm7, 12
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 384]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1408]
    vpaddd zmm2, zmm2, dword ptr [r10 + 24]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 24]{1to16}
    vmovdqa64 zmm20, zmm3
    vpternlogd zmm20, zmm0, zmm1, 0xca
    vmovdqa64 zmm21, zmm7
    vpternlogd zmm21, zmm4, zmm5, 0xca
    vpaddd zmm2, zmm2, zmm20
    vpaddd zmm6, zmm6, zmm21
    vprold zmm2, zmm2, 17
    vprold zmm6, zmm6, 17
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 448]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1472]
    vpaddd zmm1, zmm1, dword ptr [r10 + 28]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 28]{1to16}
    vmovdqa64 zmm22, zmm2
    vpternlogd zmm22, zmm3, zmm0, 0xca
    vmovdqa64 zmm23, zmm6
    vpternlogd zmm23, zmm7, zmm4, 0xca
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm5, zmm5, zmm23
    vprold zmm1, zmm1, 22
    vprold zmm5, zmm5, 22
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 512]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1536]
    vpaddd zmm0, zmm0, dword ptr [r10 + 32]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 32]{1to16}
    vmovdqa64 zmm24, zmm1
    vpternlogd zmm24, zmm2, zmm3, 0xca
    vmovdqa64 zmm25, zmm5
    vpternlogd zmm25, zmm6, zmm7, 0xca
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm4, zmm4, zmm25
    vprold zmm0, zmm0, 7
    vprold zmm4, zmm4, 7
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 576]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1600]
    vpaddd zmm3, zmm3, dword ptr [r10 + 36]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 36]{1to16}
    vmovdqa64 zmm26, zmm0
    vpternlogd zmm26, zmm1, zmm2, 0xca
    vmovdqa64 zmm27, zmm4
    vpternlogd zmm27, zmm5, zmm6, 0xca
    vpaddd zmm3, zmm3, zmm26
    vpaddd zmm7, zmm7, zmm27
    vprold zmm3, zmm3, 12
    vprold zmm7, zmm7, 12
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 640]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1664]
    vpaddd zmm2, zmm2, dword ptr [r10 + 40]{1to16}
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
    vpaddd zmm6, zmm6, dword ptr [r10 + 40]{1to16}
    vmovdqa64 zmm28, zmm3
    vpternlogd zmm28, zmm0, zmm1, 0xca
    vmovdqa64 zmm29, zmm7
    vpternlogd zmm29, zmm4, zmm5, 0xca
    vpaddd zmm2, zmm2, zmm28
    vpaddd zmm6, zmm6, zmm29
    vprold zmm2, zmm2, 17
    vprold zmm6, zmm6, 17
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 704]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1728]
    vpaddd zmm1, zmm1, dword ptr [r10 + 44]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 44]{1to16}
    vmovdqa64 zmm30, zmm2
    vpternlogd zmm30, zmm3, zmm0, 0xca
    vmovdqa64 zmm31, zmm6
    vpternlogd zmm31, zmm7, zmm4, 0xca
    vpaddd zmm1, zmm1, zmm30
    vpaddd zmm5, zmm5, zmm31
    vprold zmm1, zmm1, 22
    vprold zmm5, zmm5, 22
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 768]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1792]
    vpaddd zmm0, zmm0, dword ptr [r10 + 48]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 48]{1to16}
    vmovdqa64 zmm8, zmm1
    vpternlogd zmm8, zmm2, zmm3, 0xca
    vmovdqa64 zmm9, zmm5
    vpternlogd zmm9, zmm6, zmm7, 0xca
    vpaddd zmm0, zmm0, zmm8
    vpaddd zmm4, zmm4, zmm9
    vprold zmm0, zmm0, 7
    vprold zmm4, zmm4, 7
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 832]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1856]
    vpaddd zmm3, zmm3, dword ptr [r10 + 52]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 52]{1to16}
    vmovdqa64 zmm10, zmm0
    vpternlogd zmm10, zmm1, zmm2, 0xca
    vmovdqa64 zmm11, zmm4
    vpternlogd zmm11, zmm5, zmm6, 0xca
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm7, zmm7, zmm11
    vprold zmm3, zmm3, 12
    vprold zmm7, zmm7, 12
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 896]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1920]
    vpaddd zmm2, zmm2, dword ptr [r10 + 56]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 56]{1to16}
    vmovdqa64 zmm12, zmm3
    vpternlogd zmm12, zmm0, zmm1, 0xca
    vmovdqa64 zmm13, zmm7
    vpternlogd zmm13, zmm4, zmm5, 0xca
    vpaddd zmm2, zmm2, zmm12
    vpaddd zmm6, zmm6, zmm13
    vprold zmm2, zmm2, 17
    vprold zmm6, zmm6, 17
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 960]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1984]
    vpaddd zmm1, zmm1, dword ptr [r10 + 60]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 60]{1to16}
    vmovdqa64 zmm14, zmm2
    vpternlogd zmm14, zmm3, zmm0, 0xca
    vmovdqa64 zmm15, zmm6
    vpternlogd zmm15, zmm7, zmm4, 0xca
    vpaddd zmm1, zmm1, zmm14
    vpaddd zmm5, zmm5, zmm15
    vprold zmm1, zmm1, 22
    vprold zmm5, zmm5, 22
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 64]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1088]
    vpaddd zmm0, zmm0, dword ptr [r10 + 64]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 64]{1to16}
    vmovdqa64 zmm16, zmm1
    vpternlogd zmm16, zmm2, zmm3, 0xe4
    vmovdqa64 zmm17, zmm5
    vpternlogd zmm17, zmm6, zmm7, 0xe4
    vpaddd zmm0, zmm0, zmm16
    vpaddd zmm4, zmm4, zmm17
    vprold zmm0, zmm0, 5
    vprold zmm4, zmm4, 5
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 384]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1408]
    vpaddd zmm3, zmm3, dword ptr [r10 + 68]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 68]{1to16}
    vmovdqa64 zmm18, zmm0
    vpternlogd zmm18, zmm1, zmm2, 0xe4
    vmovdqa64 zmm19, zmm4
    vpternlogd zmm19, zmm5, zmm6, 0xe4
    vpaddd zmm3, zmm3, zmm18
    vpaddd zmm7, zmm7, zmm19
    vprold zmm3, zmm3, 9
    vprold zmm7, zmm7, 9
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 704]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1728]
    vpaddd zmm2, zmm2, dword ptr [r10 + 72]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 72]{1to16}
    vmovdqa64 zmm20, zmm3
    vpternlogd zmm20, zmm0, zmm1, 0xe4
    vmovdqa64 zmm21, zmm7
    vpternlogd zmm21, zmm4, zmm5, 0xe4
    vpaddd zmm2, zmm2, zmm20
    vpaddd zmm6, zmm6, zmm21
    vprold zmm2, zmm2, 14
    vprold zmm6, zmm6, 14
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 0]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1024]
    vpaddd zmm1, zmm1, dword ptr [r10 + 76]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 76]{1to16}
    vmovdqa64 zmm22, zmm2
    vpternlogd zmm22, zmm3, zmm0, 0xe4
    vmovdqa64 zmm23, zmm6
    vpternlogd zmm23, zmm7, zmm4, 0xe4
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm5, zmm5, zmm23
    vprold zmm1, zmm1, 20
    vprold zmm5, zmm5, 20
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 320]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1344]
    vpaddd zmm0, zmm0, dword ptr [r10 + 80]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 80]{1to16}
    vmovdqa64 zmm24, zmm1
    vpternlogd zmm24, zmm2, zmm3, 0xe4
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
    vmovdqa64 zmm25, zmm5
    vpternlogd zmm25, zmm6, zmm7, 0xe4
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm4, zmm4, zmm25
    vprold zmm0, zmm0, 5
    vprold zmm4, zmm4, 5
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 640]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1664]
    vpaddd zmm3, zmm3, dword ptr [r10 + 84]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 84]{1to16}
    vmovdqa64 zmm26, zmm0
    vpternlogd zmm26, zmm1, zmm2, 0xe4
    vmovdqa64 zmm27, zmm4
    vpternlogd zmm27, zmm5, zmm6, 0xe4
    vpaddd zmm3, zmm3, zmm26
    vpaddd zmm7, zmm7, zmm27
    vprold zmm3, zmm3, 9
    vprold zmm7, zmm7, 9
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 960]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1984]
    vpaddd zmm2, zmm2, dword ptr [r10 + 88]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 88]{1to16}
    vmovdqa64 zmm28, zmm3
    vpternlogd zmm28, zmm0, zmm1, 0xe4
    vmovdqa64 zmm29, zmm7
    vpternlogd zmm29, zmm4, zmm5, 0xe4
    vpaddd zmm2, zmm2, zmm28
    vpaddd zmm6, zmm6, zmm29
    vprold zmm2, zmm2, 14
    vprold zmm6, zmm6, 14
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 256]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1280]
    vpaddd zmm1, zmm1, dword ptr [r10 + 92]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 92]{1to16}
    vmovdqa64 zmm30, zmm2
    vpternlogd zmm30, zmm3, zmm0, 0xe4
    vmovdqa64 zmm31, zmm6
    vpternlogd zmm31, zmm7, zmm4, 0xe4
    vpaddd zmm1, zmm1, zmm30
    vpaddd zmm5, zmm5, zmm31
    vprold zmm1, zmm1, 20
    vprold zmm5, zmm5, 20
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 576]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1600]
    vpaddd zmm0, zmm0, dword ptr [r10 + 96]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 96]{1to16}
    vmovdqa64 zmm8, zmm1
    vpternlogd zmm8, zmm2, zmm3, 0xe4
    vmovdqa64 zmm9, zmm5
    vpternlogd zmm9, zmm6, zmm7, 0xe4
    vpaddd zmm0, zmm0, zmm8
    vpaddd zmm4, zmm4, zmm9
    vprold zmm0, zmm0, 5
    vprold zmm4, zmm4, 5
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 896]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1920]
    vpaddd zmm3, zmm3, dword ptr [r10 + 100]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 100]{1to16}
    vmovdqa64 zmm10, zmm0
    vpternlogd zmm10, zmm1, zmm2, 0xe4
    vmovdqa64 zmm11, zmm4
    vpternlogd zmm11, zmm5, zmm6, 0xe4
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm7, zmm7, zmm11
    vprold zmm3, zmm3, 9
    vprold zmm7, zmm7, 9
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 192]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1216]
    vpaddd zmm2, zmm2, dword ptr [r10 + 104]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 104]{1to16}
    vmovdqa64 zmm12, zmm3
    vpternlogd zmm12, zmm0, zmm1, 0xe4
    vmovdqa64 zmm13, zmm7
    vpternlogd zmm13, zmm4, zmm5, 0xe4
    vpaddd zmm2, zmm2, zmm12
    vpaddd zmm6, zmm6, zmm13
    vprold zmm2, zmm2, 14
    vprold zmm6, zmm6, 14
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 512]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1536]
    vpaddd zmm1, zmm1, dword ptr [r10 + 108]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 108]{1to16}
    vmovdqa64 zmm14, zmm2
    vpternlogd zmm14, zmm3, zmm0, 0xe4
    vmovdqa64 zmm15, zmm6
    vpternlogd zmm15, zmm7, zmm4, 0xe4
    vpaddd zmm1, zmm1, zmm14
    vpaddd zmm5, zmm5, zmm15
    vprold zmm1, zmm1, 20
    vprold zmm5, zmm5, 20
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 832]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1856]
    vpaddd zmm0, zmm0, dword ptr [r10 + 112]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 112]{1to16}
    vmovdqa64 zmm16, zmm1
    vpternlogd zmm16, zmm2, zmm3, 0xe4
    vmovdqa64 zmm17, zmm5
    vpternlogd zmm17, zmm6, zmm7, 0xe4
    vpaddd zmm0, zmm0, zmm16
    vpaddd zmm4, zmm4, zmm17
    vprold zmm0, zmm0, 5
    vprold zmm4, zmm4, 5
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 128]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1152]
    vpaddd zmm3, zmm3, dword ptr [r10 + 116]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 116]{1to16}
    vmovdqa64 zmm18, zmm0
    vpternlogd zmm18, zmm1, zmm2, 0xe4
    vmovdqa64 zmm19, zmm4
    vpternlogd zmm19, zmm5, zmm6, 0xe4
    vpaddd zmm3, zmm3, zmm18
    vpaddd zmm7, zmm7, zmm19
    vprold zmm3, zmm3, 9
    vprold zmm7, zmm7, 9
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 448]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1472]
    vpaddd zmm2, zmm2, dword ptr [r10 + 120]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 120]{1to16}
    vmovdqa64 zmm20, zmm3
    vpternlogd zmm20, zmm0, zmm1, 0xe4
    vmovdqa64 zmm21, zmm7
    vpternlogd zmm21, zmm4, zmm5, 0xe4
    vpaddd zmm2, zmm2, zmm20
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
    vpaddd zmm6, zmm6, zmm21
    vprold zmm2, zmm2, 14
    vprold zmm6, zmm6, 14
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 768]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1792]
    vpaddd zmm1, zmm1, dword ptr [r10 + 124]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 124]{1to16}
    vmovdqa64 zmm22, zmm2
    vpternlogd zmm22, zmm3, zmm0, 0xe4
    vmovdqa64 zmm23, zmm6
    vpternlogd zmm23, zmm7, zmm4, 0xe4
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm5, zmm5, zmm23
    vprold zmm1, zmm1, 20
    vprold zmm5, zmm5, 20
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 320]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1344]
    vpaddd zmm0, zmm0, dword ptr [r10 + 128]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 128]{1to16}
    vmovdqa64 zmm24, zmm1
    vpternlogd zmm24, zmm2, zmm3, 0x96
    vmovdqa64 zmm25, zmm5
    vpternlogd zmm25, zmm6, zmm7, 0x96
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm4, zmm4, zmm25
    vprold zmm0, zmm0, 4
    vprold zmm4, zmm4, 4
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 512]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1536]
    vpaddd zmm3, zmm3, dword ptr [r10 + 132]{1to16}
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm28, zmm26, zmm27
    vpunpckhdq zmm26, zmm26, zmm27
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm7, zmm7, dword ptr [r10 + 132]{1to16}
    vmovdqa64 zmm30, zmm0
    vpternlogd zmm30, zmm1, zmm2, 0x96
    vmovdqa64 zmm31, zmm4
    vpternlogd zmm31, zmm5, zmm6, 0x96
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm7, zmm7, zmm31
    vprold zmm3, zmm3, 11
    vprold zmm7, zmm7, 11
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm8, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm8, zmm8, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm9, zmm29, zmm8
    vpunpckhdq zmm29, zmm29, zmm8
    vpunpcklqdq zmm10, zmm28, zmm9
    vpunpckhqdq zmm28, zmm28, zmm9
    vpunpcklqdq zmm11, zmm26, zmm29
    vpunpckhqdq zmm26, zmm26, zmm29
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 704]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1728]
    vpaddd zmm2, zmm2, dword ptr [r10 + 136]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 136]{1to16}
    vmovdqa64 zmm12, zmm3
    vpternlogd zmm12, zmm0, zmm1, 0x96
    vmovdqa64 zmm13, zmm7
    vpternlogd zmm13, zmm4, zmm5, 0x96
    vpaddd zmm2, zmm2, zmm12
    vpaddd zmm6, zmm6, zmm13
    vprold zmm2, zmm2, 16
    vprold zmm6, zmm6, 16
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm16, zmm14, zmm15
    vpunpckhdq zmm14, zmm14, zmm15
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 896]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1920]
    vpaddd zmm1, zmm1, dword ptr [r10 + 140]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 140]{1to16}
    vmovdqa64 zmm18, zmm2
    vpternlogd zmm18, zmm3, zmm0, 0x96
    vmovdqa64 zmm19, zmm6
    vpternlogd zmm19, zmm7, zmm4, 0x96
    vpaddd zmm1, zmm1, zmm18
    vpaddd zmm5, zmm5, zmm19
    vprold zmm1, zmm1, 23
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm21, zmm17, zmm20
    vpunpckhdq zmm17, zmm17, zmm20
    vpunpcklqdq zmm22, zmm16, zmm21
    vpunpckhqdq zmm16, zmm16, zmm21
    vpunpcklqdq zmm23, zmm14, zmm17
    vpunpckhqdq zmm14, zmm14, zmm17
    vprold zmm5, zmm5, 23
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 64]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1088]
    vpaddd zmm0, zmm0, dword ptr [r10 + 144]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 144]{1to16}
    vmovdqa64 zmm24, zmm1
    vpternlogd zmm24, zmm2, zmm3, 0x96
    vmovdqa64 zmm25, zmm5
    vpternlogd zmm25, zmm6, zmm7, 0x96
    vshufi64x2 zmm27, zmm10, zmm22, 0x88
    vmovdqa64 zmmword ptr [r9 + 0], zmm27
    vshufi64x2 zmm10, zmm10, zmm22, 0xdd
    vmovdqa64 zmmword ptr [r9 + 256], zmm10
    vshufi64x2 zmm30, zmm28, zmm16, 0x88
    vmovdqa64 zmmword ptr [r9 + 64], zmm30
    vshufi64x2 zmm28, zmm28, zmm16, 0xdd
    vmovdqa64 zmmword ptr [r9 + 320], zmm28
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm4, zmm4, zmm25
    vprold zmm0, zmm0, 4
    vprold zmm4, zmm4, 4
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 256]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1280]
    vpaddd zmm3, zmm3, dword ptr [r10 + 148]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 148]{1to16}
    vshufi64x2 zmm31, zmm11, zmm23, 0x88
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
    vmovdqa64 zmmword ptr [r9 + 128], zmm31
    vshufi64x2 zmm11, zmm11, zmm23, 0xdd
    vmovdqa64 zmmword ptr [r9 + 384], zmm11
    vshufi64x2 zmm8, zmm26, zmm14, 0x88
    vmovdqa64 zmmword ptr [r9 + 192], zmm8
    vshufi64x2 zmm26, zmm26, zmm14, 0xdd
    vmovdqa64 zmmword ptr [r9 + 448], zmm26
    vmovdqa64 zmm9, zmm0
    vpternlogd zmm9, zmm1, zmm2, 0x96
    vmovdqa64 zmm29, zmm4
    vpternlogd zmm29, zmm5, zmm6, 0x96
    vpaddd zmm3, zmm3, zmm9
    vpaddd zmm7, zmm7, zmm29
    vprold zmm3, zmm3, 11
    vprold zmm7, zmm7, 11
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 448]
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm13, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm13, zmm13, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm15, zmm12, zmm13
    vpunpckhdq zmm12, zmm12, zmm13
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1472]
    vpaddd zmm2, zmm2, dword ptr [r10 + 152]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 152]{1to16}
    vmovdqa64 zmm19, zmm3
    vpternlogd zmm19, zmm0, zmm1, 0x96
    vmovdqa64 zmm20, zmm7
    vpternlogd zmm20, zmm4, zmm5, 0x96
    vpaddd zmm2, zmm2, zmm19
    vpaddd zmm6, zmm6, zmm20
    vprold zmm2, zmm2, 16
    vprold zmm6, zmm6, 16
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm17, zmm18, zmm21
    vpunpckhdq zmm18, zmm18, zmm21
    vpunpcklqdq zmm27, zmm15, zmm17
    vpunpckhqdq zmm15, zmm15, zmm17
    vpunpcklqdq zmm22, zmm12, zmm18
    vpunpckhqdq zmm12, zmm12, zmm18
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 640]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1664]
    vpaddd zmm1, zmm1, dword ptr [r10 + 156]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 156]{1to16}
    vmovdqa64 zmm10, zmm2
    vpternlogd zmm10, zmm3, zmm0, 0x96
    vmovdqa64 zmm30, zmm6
    vpternlogd zmm30, zmm7, zmm4, 0x96
    vpaddd zmm1, zmm1, zmm10
    vpaddd zmm5, zmm5, zmm30
    vprold zmm1, zmm1, 23
    vprold zmm5, zmm5, 23
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm24, zmm16, zmm28
    vpunpckhdq zmm16, zmm16, zmm28
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 832]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1856]
    vpaddd zmm0, zmm0, dword ptr [r10 + 160]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 160]{1to16}
    vmovdqa64 zmm31, zmm1
    vpternlogd zmm31, zmm2, zmm3, 0x96
    vmovdqa64 zmm23, zmm5
    vpternlogd zmm23, zmm6, zmm7, 0x96
    vpaddd zmm0, zmm0, zmm31
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm8, zmm25, zmm11
    vpunpckhdq zmm25, zmm25, zmm11
    vpunpcklqdq zmm14, zmm24, zmm8
    vpunpckhqdq zmm24, zmm24, zmm8
    vpunpcklqdq zmm26, zmm16, zmm25
    vpunpckhqdq zmm16, zmm16, zmm25
    vpaddd zmm4, zmm4, zmm23
    vprold zmm0, zmm0, 4
    vprold zmm4, zmm4, 4
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 0]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1024]
    vpaddd zmm3, zmm3, dword ptr [r10 + 164]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 164]{1to16}
    vmovdqa64 zmm9, zmm0
    vpternlogd zmm9, zmm1, zmm2, 0x96
    vshufi64x2 zmm29, zmm27, zmm14, 0x88
    vmovdqa64 zmmword ptr [r9 + 512], zmm29
    vshufi64x2 zmm27, zmm27, zmm14, 0xdd
    vmovdqa64 zmmword ptr [r9 + 768], zmm27
    vshufi64x2 zmm13, zmm15, zmm24, 0x88
    vmovdqa64 zmmword ptr [r9 + 576], zmm13
    vshufi64x2 zmm15, zmm15, zmm24, 0xdd
    vmovdqa64 zmmword ptr [r9 + 832], zmm15
    vmovdqa64 zmm19, zmm4
    vpternlogd zmm19, zmm5, zmm6, 0x96
    vpaddd zmm3, zmm3, zmm9
    vpaddd zmm7, zmm7, zmm19
    vprold zmm3, zmm3, 11
    vprold zmm7, zmm7, 11
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 192]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1216]
    vshufi64x2 zmm20, zmm22, zmm26, 0x88
    vmovdqa64 zmmword ptr [r9 + 640], zmm20
    vshufi64x2 zmm22, zmm22, zmm26, 0xdd
    vmovdqa64 zmmword ptr [r9 + 896], zmm22
    vshufi64x2 zmm21, zmm12, zmm16, 0x88
    vmovdqa64 zmmword ptr [r9 + 704], zmm21
    vshufi64x2 zmm12, zmm12, zmm16, 0xdd
    vmovdqa64 zmmword ptr [r9 + 960], zmm12
    vpaddd zmm2, zmm2, dword ptr [r10 + 168]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 168]{1to16}
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm0, zmm1, 0x96
    vmovdqa64 zmm18, zmm7
    vpternlogd zmm18, zmm4, zmm5, 0x96
    vpaddd zmm2, zmm2, zmm17
    vpaddd zmm6, zmm6, zmm18
    vprold zmm2, zmm2, 16
    vprold zmm6, zmm6, 16
    vpaddd zmm2, zmm2, zmm3
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
    vpaddd zmm6, zmm6, zmm7
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm28, zmm10, zmm30
    vpunpckhdq zmm10, zmm10, zmm30
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 384]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1408]
    vpaddd zmm1, zmm1, dword ptr [r10 + 172]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 172]{1to16}
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm0, 0x96
    vmovdqa64 zmm8, zmm6
    vpternlogd zmm8, zmm7, zmm4, 0x96
    vpaddd zmm1, zmm1, zmm11
    vpaddd zmm5, zmm5, zmm8
    vprold zmm1, zmm1, 23
    vprold zmm5, zmm5, 23
    vpaddd zmm1, zmm1, zmm2
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm23, zmm31, zmm25
    vpunpckhdq zmm31, zmm31, zmm25
    vpunpcklqdq zmm29, zmm28, zmm23
    vpunpckhqdq zmm28, zmm28, zmm23
    vpunpcklqdq zmm14, zmm10, zmm31
    vpunpckhqdq zmm10, zmm10, zmm31
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 576]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1600]
    vpaddd zmm0, zmm0, dword ptr [r10 + 176]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 176]{1to16}
    vmovdqa64 zmm27, zmm1
    vpternlogd zmm27, zmm2, zmm3, 0x96
    vmovdqa64 zmm13, zmm5
    vpternlogd zmm13, zmm6, zmm7, 0x96
    vpaddd zmm0, zmm0, zmm27
    vpaddd zmm4, zmm4, zmm13
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm9, zmm24, zmm15
    vpunpckhdq zmm24, zmm24, zmm15
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    vprold zmm0, zmm0, 4
    vprold zmm4, zmm4, 4
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 768]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1792]
    vpaddd zmm3, zmm3, dword ptr [r10 + 180]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 180]{1to16}
    vmovdqa64 zmm20, zmm0
    vpternlogd zmm20, zmm1, zmm2, 0x96
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm22, zmm19, zmm26
    vpunpckhdq zmm19, zmm19, zmm26
    vpunpcklqdq zmm21, zmm9, zmm22
    vpunpckhqdq zmm9, zmm9, zmm22
    vpunpcklqdq zmm16, zmm24, zmm19
    vpunpckhqdq zmm24, zmm24, zmm19
    vmovdqa64 zmm12, zmm4
    vpternlogd zmm12, zmm5, zmm6, 0x96
    vpaddd zmm3, zmm3, zmm20
    vpaddd zmm7, zmm7, zmm12
    vprold zmm3, zmm3, 11
    vprold zmm7, zmm7, 11
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 960]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1984]
    vpaddd zmm2, zmm2, dword ptr [r10 + 184]{1to16}
    vshufi64x2 zmm17, zmm29, zmm21, 0x88
    vmovdqa64 zmmword ptr [r9 + 1024], zmm17
    vshufi64x2 zmm29, zmm29, zmm21, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1280], zmm29
    vshufi64x2 zmm18, zmm28, zmm9, 0x88
    vmovdqa64 zmmword ptr [r9 + 1088], zmm18
    vshufi64x2 zmm28, zmm28, zmm9, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1344], zmm28
    vpaddd zmm6, zmm6, dword ptr [r10 + 184]{1to16}
    vmovdqa64 zmm30, zmm3
    vpternlogd zmm30, zmm0, zmm1, 0x96
    vmovdqa64 zmm11, zmm7
    vpternlogd zmm11, zmm4, zmm5, 0x96
    vpaddd zmm2, zmm2, zmm30
    vpaddd zmm6, zmm6, zmm11
    vprold zmm2, zmm2, 16
    vprold zmm6, zmm6, 16
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vshufi64x2 zmm8, zmm14, zmm16, 0x88
    vmovdqa64 zmmword ptr [r9 + 1152], zmm8
    vshufi64x2 zmm14, zmm14, zmm16, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1408], zmm14
    vshufi64x2 zmm25, zmm10, zmm24, 0x88
    vmovdqa64 zmmword ptr [r9 + 1216], zmm25
    vshufi64x2 zmm10, zmm10, zmm24, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1472], zmm10
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 128]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1152]
    vpaddd zmm1, zmm1, dword ptr [r10 + 188]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 188]{1to16}
    vmovdqa64 zmm23, zmm2
    vpternlogd zmm23, zmm3, zmm0, 0x96
    vmovdqa64 zmm31, zmm6
    vpternlogd zmm31, zmm7, zmm4, 0x96
    vpaddd zmm1, zmm1, zmm23
    vpaddd zmm5, zmm5, zmm31
    vprold zmm1, zmm1, 23
    vprold zmm5, zmm5, 23
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm13, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm13, zmm13, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm15, zmm27, zmm13
    vpunpckhdq zmm27, zmm27, zmm13
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 0]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1024]
    vpaddd zmm0, zmm0, dword ptr [r10 + 192]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 192]{1to16}
    vmovdqa64 zmm22, zmm1
    vpternlogd zmm22, zmm2, zmm3, 0x39
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
    vmovdqa64 zmm19, zmm5
    vpternlogd zmm19, zmm6, zmm7, 0x39
    vpaddd zmm0, zmm0, zmm22
    vpaddd zmm4, zmm4, zmm19
    vprold zmm0, zmm0, 6
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm12, zmm26, zmm20
    vpunpckhdq zmm26, zmm26, zmm20
    vpunpcklqdq zmm17, zmm15, zmm12
    vpunpckhqdq zmm15, zmm15, zmm12
    vpunpcklqdq zmm21, zmm27, zmm26
    vpunpckhqdq zmm27, zmm27, zmm26
    vprold zmm4, zmm4, 6
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 448]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1472]
    vpaddd zmm3, zmm3, dword ptr [r10 + 196]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 196]{1to16}
    vmovdqa64 zmm29, zmm0
    vpternlogd zmm29, zmm1, zmm2, 0x39
    vmovdqa64 zmm18, zmm4
    vpternlogd zmm18, zmm5, zmm6, 0x39
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm9, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm9, zmm9, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm30, zmm9, zmm28
    vpunpckhdq zmm9, zmm9, zmm28
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm3, zmm3, zmm29
    vpaddd zmm7, zmm7, zmm18
    vprold zmm3, zmm3, 10
    vprold zmm7, zmm7, 10
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 896]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1920]
    vpaddd zmm2, zmm2, dword ptr [r10 + 200]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 200]{1to16}
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm8, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm8, zmm8, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm16, zmm11, zmm8
    vpunpckhdq zmm11, zmm11, zmm8
    vpunpcklqdq zmm14, zmm30, zmm16
    vpunpckhqdq zmm30, zmm30, zmm16
    vpunpcklqdq zmm25, zmm9, zmm11
    vpunpckhqdq zmm9, zmm9, zmm11
    vmovdqa64 zmm24, zmm3
    vpternlogd zmm24, zmm0, zmm1, 0x39
    vmovdqa64 zmm10, zmm7
    vpternlogd zmm10, zmm4, zmm5, 0x39
    vpaddd zmm2, zmm2, zmm24
    vpaddd zmm6, zmm6, zmm10
    vprold zmm2, zmm2, 15
    vprold zmm6, zmm6, 15
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 320]
    vshufi64x2 zmm23, zmm17, zmm14, 0x88
    vmovdqa64 zmmword ptr [r9 + 1536], zmm23
    vshufi64x2 zmm17, zmm17, zmm14, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1792], zmm17
    vshufi64x2 zmm31, zmm15, zmm30, 0x88
    vmovdqa64 zmmword ptr [r9 + 1600], zmm31
    vshufi64x2 zmm15, zmm15, zmm30, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1856], zmm15
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1344]
    vpaddd zmm1, zmm1, dword ptr [r10 + 204]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 204]{1to16}
    vmovdqa64 zmm13, zmm2
    vpternlogd zmm13, zmm3, zmm0, 0x39
    vmovdqa64 zmm22, zmm6
    vpternlogd zmm22, zmm7, zmm4, 0x39
    vpaddd zmm1, zmm1, zmm13
    vpaddd zmm5, zmm5, zmm22
    vprold zmm1, zmm1, 21
    vprold zmm5, zmm5, 21
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vshufi64x2 zmm19, zmm21, zmm25, 0x88
    vmovdqa64 zmmword ptr [r9 + 1664], zmm19
    vshufi64x2 zmm21, zmm21, zmm25, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1920], zmm21
    vshufi64x2 zmm20, zmm27, zmm9, 0x88
    vmovdqa64 zmmword ptr [r9 + 1728], zmm20
    vshufi64x2 zmm27, zmm27, zmm9, 0xdd
    vmovdqa64 zmmword ptr [r9 + 1984], zmm27
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 768]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1792]
    vpaddd zmm0, zmm0, dword ptr [r10 + 208]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 208]{1to16}
    vmovdqa64 zmm12, zmm1
    vpternlogd zmm12, zmm2, zmm3, 0x39
    vmovdqa64 zmm26, zmm5
    vpternlogd zmm26, zmm6, zmm7, 0x39
    vpaddd zmm0, zmm0, zmm12
    vpaddd zmm4, zmm4, zmm26
    vprold zmm0, zmm0, 6
    vprold zmm4, zmm4, 6
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 192]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1216]
    vpaddd zmm3, zmm3, dword ptr [r10 + 212]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 212]{1to16}
    vmovdqa64 zmm28, zmm0
    vpternlogd zmm28, zmm1, zmm2, 0x39
    vmovdqa64 zmm29, zmm4
    vpternlogd zmm29, zmm5, zmm6, 0x39
    vpaddd zmm3, zmm3, zmm28
    vpaddd zmm7, zmm7, zmm29
    vprold zmm3, zmm3, 10
    vprold zmm7, zmm7, 10
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 640]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1664]
    vpaddd zmm2, zmm2, dword ptr [r10 + 216]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 216]{1to16}
    vmovdqa64 zmm18, zmm3
    vpternlogd zmm18, zmm0, zmm1, 0x39
    vmovdqa64 zmm8, zmm7
    vpternlogd zmm8, zmm4, zmm5, 0x39
    vpaddd zmm2, zmm2, zmm18
    vpaddd zmm6, zmm6, zmm8
    vprold zmm2, zmm2, 15
    vprold zmm6, zmm6, 15
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 64]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1088]
    vpaddd zmm1, zmm1, dword ptr [r10 + 220]{1to16}
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
    vpaddd zmm5, zmm5, dword ptr [r10 + 220]{1to16}
    vmovdqa64 zmm16, zmm2
    vpternlogd zmm16, zmm3, zmm0, 0x39
    vmovdqa64 zmm11, zmm6
    vpternlogd zmm11, zmm7, zmm4, 0x39
    vpaddd zmm1, zmm1, zmm16
    vpaddd zmm5, zmm5, zmm11
    vprold zmm1, zmm1, 21
    vprold zmm5, zmm5, 21
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 512]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1536]
    vpaddd zmm0, zmm0, dword ptr [r10 + 224]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 224]{1to16}
    vmovdqa64 zmm24, zmm1
    vpternlogd zmm24, zmm2, zmm3, 0x39
    vmovdqa64 zmm10, zmm5
    vpternlogd zmm10, zmm6, zmm7, 0x39
    vpaddd zmm0, zmm0, zmm24
    vpaddd zmm4, zmm4, zmm10
    vprold zmm0, zmm0, 6
    vprold zmm4, zmm4, 6
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 960]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1984]
    vpaddd zmm3, zmm3, dword ptr [r10 + 228]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 228]{1to16}
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0x39
    vmovdqa64 zmm14, zmm4
    vpternlogd zmm14, zmm5, zmm6, 0x39
    vpaddd zmm3, zmm3, zmm23
    vpaddd zmm7, zmm7, zmm14
    vprold zmm3, zmm3, 10
    vprold zmm7, zmm7, 10
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 384]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1408]
    vpaddd zmm2, zmm2, dword ptr [r10 + 232]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 232]{1to16}
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm0, zmm1, 0x39
    vmovdqa64 zmm31, zmm7
    vpternlogd zmm31, zmm4, zmm5, 0x39
    vpaddd zmm2, zmm2, zmm17
    vpaddd zmm6, zmm6, zmm31
    vprold zmm2, zmm2, 15
    vprold zmm6, zmm6, 15
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 832]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1856]
    vpaddd zmm1, zmm1, dword ptr [r10 + 236]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 236]{1to16}
    vmovdqa64 zmm30, zmm2
    vpternlogd zmm30, zmm3, zmm0, 0x39
    vmovdqa64 zmm15, zmm6
    vpternlogd zmm15, zmm7, zmm4, 0x39
    vpaddd zmm1, zmm1, zmm30
    vpaddd zmm5, zmm5, zmm15
    vprold zmm1, zmm1, 21
    vprold zmm5, zmm5, 21
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 256]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1280]
    vpaddd zmm0, zmm0, dword ptr [r10 + 240]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 240]{1to16}
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0x39
    vmovdqa64 zmm22, zmm5
    vpternlogd zmm22, zmm6, zmm7, 0x39
    vpaddd zmm0, zmm0, zmm13
    vpaddd zmm4, zmm4, zmm22
    vprold zmm0, zmm0, 6
    vprold zmm4, zmm4, 6
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 704]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1728]
    vpaddd zmm3, zmm3, dword ptr [r10 + 244]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 244]{1to16}
    vmovdqa64 zmm19, zmm0
    vpternlogd zmm19, zmm1, zmm2, 0x39
    vmovdqa64 zmm25, zmm4
    vpternlogd zmm25, zmm5, zmm6, 0x39
    vpaddd zmm3, zmm3, zmm19
    vpaddd zmm7, zmm7, zmm25
    vprold zmm3, zmm3, 10
    vprold zmm7, zmm7, 10
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 128]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1152]
    vpaddd zmm2, zmm2, dword ptr [r10 + 248]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 248]{1to16}
    vmovdqa64 zmm21, zmm3
    vpternlogd zmm21, zmm0, zmm1, 0x39
    vmovdqa64 zmm20, zmm7
    vpternlogd zmm20, zmm4, zmm5, 0x39
    vpaddd zmm2, zmm2, zmm21
    vpaddd zmm6, zmm6, zmm20
    vprold zmm2, zmm2, 15
    vprold zmm6, zmm6, 15
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm6, zmm6, zmm7
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 576]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1600]
    vpaddd zmm1, zmm1, dword ptr [r10 + 252]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 252]{1to16}
    vmovdqa64 zmm9, zmm2
    vpternlogd zmm9, zmm3, zmm0, 0x39
    vmovdqa64 zmm27, zmm6
    vpternlogd zmm27, zmm7, zmm4, 0x39
    vpaddd zmm1, zmm1, zmm9
    vpaddd zmm5, zmm5, zmm27
    vprold zmm1, zmm1, 21
    vprold zmm5, zmm5, 21
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm0, zmm0, zmmword ptr [rdi + 0]
    vpaddd zmm4, zmm4, zmmword ptr [rdi + 512]
    vmovdqa64 zmmword ptr [rdi + 0], zmm0
    vmovdqa64 zmmword ptr [rdi + 512], zmm4
    vpaddd zmm1, zmm1, zmmword ptr [rdi + 64]
    vpaddd zmm5, zmm5, zmmword ptr [rdi + 576]
    vmovdqa64 zmmword ptr [rdi + 64], zmm1
    vmovdqa64 zmmword ptr [rdi + 576], zmm5
    vpaddd zmm2, zmm2, zmmword ptr [rdi + 128]
    vpaddd zmm6, zmm6, zmmword ptr [rdi + 640]
    vmovdqa64 zmmword ptr [rdi + 128], zmm2
    vmovdqa64 zmmword ptr [rdi + 640], zmm6
    vpaddd zmm3, zmm3, zmmword ptr [rdi + 192]
    vpaddd zmm7, zmm7, zmmword ptr [rdi + 704]
    vmovdqa64 zmmword ptr [rdi + 192], zmm3
    vmovdqa64 zmmword ptr [rdi + 704], zmm7
    cmp r14, r12
    jb 2b
