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
    mov rax, qword ptr [rsi + 256]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 288]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 264]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 296]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm18, zmm29, zmm25
    vpunpckhdq zmm29, zmm29, zmm25
    mov rax, qword ptr [rsi + 272]
    vmovdqu64 ymm1, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 304]
    vinserti64x4 zmm1, zmm1, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 280]
    vmovdqu64 ymm8, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 312]
    vinserti64x4 zmm8, zmm8, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm6, zmm1, zmm8
    vpunpckhdq zmm1, zmm1, zmm8
    vpunpcklqdq zmm4, zmm18, zmm6
    vpunpckhqdq zmm18, zmm18, zmm6
    vpunpcklqdq zmm23, zmm29, zmm1
    vpunpckhqdq zmm29, zmm29, zmm1
    mov rax, qword ptr [rsi + 320]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 352]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 328]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 360]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm7, zmm15, zmm31
    vpunpckhdq zmm15, zmm15, zmm31
    mov rax, qword ptr [rsi + 336]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 368]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 344]
    vmovdqu64 ymm5, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 376]
    vinserti64x4 zmm5, zmm5, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm30, zmm16, zmm5
    vpunpckhdq zmm16, zmm16, zmm5
    vpunpcklqdq zmm22, zmm7, zmm30
    vpunpckhqdq zmm7, zmm7, zmm30
    vpunpcklqdq zmm12, zmm15, zmm16
    vpunpckhqdq zmm15, zmm15, zmm16
    vshufi64x2 zmm11, zmm4, zmm22, 0x88
    vmovdqa64 zmmword ptr [r9 + 2048], zmm11
    vshufi64x2 zmm4, zmm4, zmm22, 0xdd
    vmovdqa64 zmmword ptr [r9 + 2304], zmm4
    vshufi64x2 zmm14, zmm18, zmm7, 0x88
    vmovdqa64 zmmword ptr [r9 + 2112], zmm14
    vshufi64x2 zmm18, zmm18, zmm7, 0xdd
    vmovdqa64 zmmword ptr [r9 + 2368], zmm18
    vshufi64x2 zmm10, zmm23, zmm12, 0x88
    vmovdqa64 zmmword ptr [r9 + 2176], zmm10
    vshufi64x2 zmm23, zmm23, zmm12, 0xdd
    vmovdqa64 zmmword ptr [r9 + 2432], zmm23
    vshufi64x2 zmm20, zmm29, zmm15, 0x88
    vmovdqa64 zmmword ptr [r9 + 2240], zmm20
    vshufi64x2 zmm29, zmm29, zmm15, 0xdd
    vmovdqa64 zmmword ptr [r9 + 2496], zmm29
    mov rax, qword ptr [rsi + 256]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 288]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 264]
    vmovdqu64 ymm2, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 296]
    vinserti64x4 zmm2, zmm2, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm13, zmm19, zmm2
    vpunpckhdq zmm19, zmm19, zmm2
    mov rax, qword ptr [rsi + 272]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 304]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 280]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 312]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm26, zmm21, zmm28
    vpunpckhdq zmm21, zmm21, zmm28
    vpunpcklqdq zmm24, zmm13, zmm26
    vpunpckhqdq zmm13, zmm13, zmm26
    vpunpcklqdq zmm17, zmm19, zmm21
    vpunpckhqdq zmm19, zmm19, zmm21
    mov rax, qword ptr [rsi + 320]
    vmovdqu64 ymm3, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 352]
    vinserti64x4 zmm3, zmm3, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 328]
    vmovdqu64 ymm0, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 360]
    vinserti64x4 zmm0, zmm0, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm27, zmm3, zmm0
    vpunpckhdq zmm3, zmm3, zmm0
    mov rax, qword ptr [rsi + 336]
    vmovdqu64 ymm9, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 368]
    vinserti64x4 zmm9, zmm9, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 344]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 376]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm8, zmm9, zmm25
    vpunpckhdq zmm9, zmm9, zmm25
    vpunpcklqdq zmm6, zmm27, zmm8
    vpunpckhqdq zmm27, zmm27, zmm8
    vpunpcklqdq zmm1, zmm3, zmm9
    vpunpckhqdq zmm3, zmm3, zmm9
    vshufi64x2 zmm31, zmm24, zmm6, 0x88
    vmovdqa64 zmmword ptr [r9 + 2560], zmm31
    vshufi64x2 zmm24, zmm24, zmm6, 0xdd
    vmovdqa64 zmmword ptr [r9 + 2816], zmm24
    vshufi64x2 zmm5, zmm13, zmm27, 0x88
    vmovdqa64 zmmword ptr [r9 + 2624], zmm5
    vshufi64x2 zmm13, zmm13, zmm27, 0xdd
    vmovdqa64 zmmword ptr [r9 + 2880], zmm13
    vshufi64x2 zmm30, zmm17, zmm1, 0x88
    vmovdqa64 zmmword ptr [r9 + 2688], zmm30
    vshufi64x2 zmm17, zmm17, zmm1, 0xdd
    vmovdqa64 zmmword ptr [r9 + 2944], zmm17
    vshufi64x2 zmm16, zmm19, zmm3, 0x88
    vmovdqa64 zmmword ptr [r9 + 2752], zmm16
    vshufi64x2 zmm19, zmm19, zmm3, 0xdd
    vmovdqa64 zmmword ptr [r9 + 3008], zmm19
    mov rax, qword ptr [rsi + 384]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 416]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 392]
    vmovdqu64 ymm22, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 424]
    vinserti64x4 zmm22, zmm22, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm4, zmm11, zmm22
    vpunpckhdq zmm11, zmm11, zmm22
    mov rax, qword ptr [rsi + 400]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 432]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 408]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 440]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm18, zmm14, zmm7
    vpunpckhdq zmm14, zmm14, zmm7
    vpunpcklqdq zmm10, zmm4, zmm18
    vpunpckhqdq zmm4, zmm4, zmm18
    vpunpcklqdq zmm12, zmm11, zmm14
    vpunpckhqdq zmm11, zmm11, zmm14
    mov rax, qword ptr [rsi + 448]
    vmovdqu64 ymm23, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 480]
    vinserti64x4 zmm23, zmm23, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 456]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 488]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm15, zmm23, zmm20
    vpunpckhdq zmm23, zmm23, zmm20
    mov rax, qword ptr [rsi + 464]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 496]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 472]
    vmovdqu64 ymm2, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 504]
    vinserti64x4 zmm2, zmm2, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm28, zmm29, zmm2
    vpunpckhdq zmm29, zmm29, zmm2
    vpunpcklqdq zmm26, zmm15, zmm28
    vpunpckhqdq zmm15, zmm15, zmm28
    vpunpcklqdq zmm21, zmm23, zmm29
    vpunpckhqdq zmm23, zmm23, zmm29
    vshufi64x2 zmm0, zmm10, zmm26, 0x88
    vmovdqa64 zmmword ptr [r9 + 3072], zmm0
    vshufi64x2 zmm10, zmm10, zmm26, 0xdd
    vmovdqa64 zmmword ptr [r9 + 3328], zmm10
    vshufi64x2 zmm25, zmm4, zmm15, 0x88
    vmovdqa64 zmmword ptr [r9 + 3136], zmm25
    vshufi64x2 zmm4, zmm4, zmm15, 0xdd
    vmovdqa64 zmmword ptr [r9 + 3392], zmm4
    vshufi64x2 zmm8, zmm12, zmm21, 0x88
    vmovdqa64 zmmword ptr [r9 + 3200], zmm8
    vshufi64x2 zmm12, zmm12, zmm21, 0xdd
    vmovdqa64 zmmword ptr [r9 + 3456], zmm12
    vshufi64x2 zmm9, zmm11, zmm23, 0x88
    vmovdqa64 zmmword ptr [r9 + 3264], zmm9
    vshufi64x2 zmm11, zmm11, zmm23, 0xdd
    vmovdqa64 zmmword ptr [r9 + 3520], zmm11
    mov rax, qword ptr [rsi + 384]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 416]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 392]
    vmovdqu64 ymm6, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 424]
    vinserti64x4 zmm6, zmm6, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm24, zmm31, zmm6
    vpunpckhdq zmm31, zmm31, zmm6
    mov rax, qword ptr [rsi + 400]
    vmovdqu64 ymm5, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 432]
    vinserti64x4 zmm5, zmm5, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 408]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 440]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm13, zmm5, zmm27
    vpunpckhdq zmm5, zmm5, zmm27
    vpunpcklqdq zmm30, zmm24, zmm13
    vpunpckhqdq zmm24, zmm24, zmm13
    vpunpcklqdq zmm1, zmm31, zmm5
    vpunpckhqdq zmm31, zmm31, zmm5
    mov rax, qword ptr [rsi + 448]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 480]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 456]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 488]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm3, zmm17, zmm16
    vpunpckhdq zmm17, zmm17, zmm16
    mov rax, qword ptr [rsi + 464]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 496]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 472]
    vmovdqu64 ymm22, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 504]
    vinserti64x4 zmm22, zmm22, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm7, zmm19, zmm22
    vpunpckhdq zmm19, zmm19, zmm22
    vpunpcklqdq zmm18, zmm3, zmm7
    vpunpckhqdq zmm3, zmm3, zmm7
    vpunpcklqdq zmm14, zmm17, zmm19
    vpunpckhqdq zmm17, zmm17, zmm19
    vshufi64x2 zmm20, zmm30, zmm18, 0x88
    vmovdqa64 zmmword ptr [r9 + 3584], zmm20
    vshufi64x2 zmm30, zmm30, zmm18, 0xdd
    vmovdqa64 zmmword ptr [r9 + 3840], zmm30
    vshufi64x2 zmm2, zmm24, zmm3, 0x88
    vmovdqa64 zmmword ptr [r9 + 3648], zmm2
    vshufi64x2 zmm24, zmm24, zmm3, 0xdd
    vmovdqa64 zmmword ptr [r9 + 3904], zmm24
    vshufi64x2 zmm28, zmm1, zmm14, 0x88
    vmovdqa64 zmmword ptr [r9 + 3712], zmm28
    vshufi64x2 zmm1, zmm1, zmm14, 0xdd
    vmovdqa64 zmmword ptr [r9 + 3968], zmm1
    vshufi64x2 zmm29, zmm31, zmm17, 0x88
    vmovdqa64 zmmword ptr [r9 + 3776], zmm29
    vshufi64x2 zmm31, zmm31, zmm17, 0xdd
    vmovdqa64 zmmword ptr [r9 + 4032], zmm31
    vmovdqa64 zmm0, zmmword ptr [rdi + 0]
    vmovdqa64 zmm1, zmmword ptr [rdi + 64]
    vmovdqa64 zmm2, zmmword ptr [rdi + 128]
    vmovdqa64 zmm3, zmmword ptr [rdi + 192]
    vmovdqa64 zmm4, zmmword ptr [rdi + 512]
    vmovdqa64 zmm5, zmmword ptr [rdi + 576]
    vmovdqa64 zmm6, zmmword ptr [rdi + 640]
    vmovdqa64 zmm7, zmmword ptr [rdi + 704]
    vmovdqa64 zmm8, zmmword ptr [rdi + 1024]
    vmovdqa64 zmm9, zmmword ptr [rdi + 1088]
    vmovdqa64 zmm10, zmmword ptr [rdi + 1152]
    vmovdqa64 zmm11, zmmword ptr [rdi + 1216]
    vmovdqa64 zmm12, zmmword ptr [rdi + 1536]
    vmovdqa64 zmm13, zmmword ptr [rdi + 1600]
    vmovdqa64 zmm14, zmmword ptr [rdi + 1664]
    vmovdqa64 zmm15, zmmword ptr [rdi + 1728]
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
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 2048]
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 3072]
    vmovdqa64 zmm16, zmm1
    vpternlogd zmm16, zmm2, zmm3, 0xca
    vmovdqa64 zmm17, zmm5
    vpternlogd zmm17, zmm6, zmm7, 0xca
    vmovdqa64 zmm18, zmm9
    vpternlogd zmm18, zmm10, zmm11, 0xca
    vmovdqa64 zmm19, zmm13
    vpternlogd zmm19, zmm14, zmm15, 0xca
    vpaddd zmm0, zmm0, dword ptr [r10 + 0]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 0]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 0]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 0]{1to16}
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 64]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1088]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 2112]
    vpaddd zmm15, zmm15, zmmword ptr [rdx + 3136]
    vpaddd zmm0, zmm0, zmm16
    vpaddd zmm4, zmm4, zmm17
    vpaddd zmm8, zmm8, zmm18
    vpaddd zmm12, zmm12, zmm19
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 4]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 4]{1to16}
    vpaddd zmm15, zmm15, dword ptr [r10 + 4]{1to16}
    vprold zmm0, zmm0, 7
    vprold zmm4, zmm4, 7
    vprold zmm8, zmm8, 7
    vprold zmm12, zmm12, 7
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm8, zmm8, zmm9
    vpaddd zmm12, zmm12, zmm13
    vpaddd zmm20, zmm2, zmmword ptr [rdx + 128]
    vpaddd zmm21, zmm6, zmmword ptr [rdx + 1152]
    vpaddd zmm22, zmm10, zmmword ptr [rdx + 2176]
    vpaddd zmm23, zmm14, zmmword ptr [rdx + 3200]
    vpternlogd zmm2, zmm1, zmm0, 0xd8
    vpternlogd zmm6, zmm5, zmm4, 0xd8
    vpternlogd zmm10, zmm9, zmm8, 0xd8
    vpternlogd zmm14, zmm13, zmm12, 0xd8
    vpaddd zmm20, zmm20, dword ptr [r10 + 8]{1to16}
    vpaddd zmm21, zmm21, dword ptr [r10 + 8]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 8]{1to16}
    vpaddd zmm23, zmm23, dword ptr [r10 + 8]{1to16}
    vpaddd zmm3, zmm3, zmm2
    vpaddd zmm7, zmm7, zmm6
    vpaddd zmm11, zmm11, zmm10
    vpaddd zmm15, zmm15, zmm14
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 0], 1
    vprold zmm3, zmm3, 12
    vprold zmm7, zmm7, 12
    vprold zmm11, zmm11, 12
    vprold zmm15, zmm15, 12
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm11, zmm11, zmm8
    vpaddd zmm15, zmm15, zmm12
    vpunpckldq zmm28, zmm24, zmm25
    vpunpckhdq zmm24, zmm24, zmm25
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    vmovdqa64 zmm29, zmm3
    vpternlogd zmm29, zmm0, zmm1, 0xca
    vmovdqa64 zmm30, zmm7
    vpternlogd zmm30, zmm4, zmm5, 0xca
    vmovdqa64 zmm31, zmm11
    vpternlogd zmm31, zmm8, zmm9, 0xca
    vmovdqa64 zmm16, zmm15
    vpternlogd zmm16, zmm12, zmm13, 0xca
    vpunpckldq zmm17, zmm26, zmm27
    vpunpckhdq zmm26, zmm26, zmm27
    vpunpcklqdq zmm18, zmm28, zmm17
    vpunpckhqdq zmm28, zmm28, zmm17
    vpunpcklqdq zmm19, zmm24, zmm26
    vpunpckhqdq zmm24, zmm24, zmm26
    vpaddd zmm20, zmm20, zmm29
    vpaddd zmm21, zmm21, zmm30
    vpaddd zmm22, zmm22, zmm31
    vpaddd zmm23, zmm23, zmm16
    vprold zmm20, zmm20, 17
    vprold zmm21, zmm21, 17
    vprold zmm22, zmm22, 17
    vprold zmm23, zmm23, 17
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 192]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1216]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 2240]
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 3264]
    vpaddd zmm20, zmm20, zmm3
    vpaddd zmm21, zmm21, zmm7
    vpaddd zmm22, zmm22, zmm11
    vpaddd zmm23, zmm23, zmm15
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 12]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 12]{1to16}
    vpaddd zmm13, zmm13, dword ptr [r10 + 12]{1to16}
    vmovdqa64 zmm2, zmm20
    vpternlogd zmm2, zmm3, zmm0, 0xca
    vmovdqa64 zmm6, zmm21
    vpternlogd zmm6, zmm7, zmm4, 0xca
    vmovdqa64 zmm10, zmm22
    vpternlogd zmm10, zmm11, zmm8, 0xca
    vmovdqa64 zmm14, zmm23
    vpternlogd zmm14, zmm15, zmm12, 0xca
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 256]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1280]
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 2304]
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 3328]
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm5, zmm5, zmm6
    vpaddd zmm9, zmm9, zmm10
    vpaddd zmm13, zmm13, zmm14
    vpaddd zmm0, zmm0, dword ptr [r10 + 16]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 16]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 16]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 16]{1to16}
    vprold zmm1, zmm1, 22
    vprold zmm5, zmm5, 22
    vprold zmm9, zmm9, 22
    vprold zmm13, zmm13, 22
    vpaddd zmm1, zmm1, zmm20
    vpaddd zmm5, zmm5, zmm21
    vpaddd zmm9, zmm9, zmm22
    vpaddd zmm13, zmm13, zmm23
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
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
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    vmovdqa64 zmm17, zmm1
    vpternlogd zmm17, zmm20, zmm3, 0xca
    vmovdqa64 zmm26, zmm5
    vpternlogd zmm26, zmm21, zmm7, 0xca
    vmovdqa64 zmm29, zmm9
    vpternlogd zmm29, zmm22, zmm11, 0xca
    vmovdqa64 zmm30, zmm13
    vpternlogd zmm30, zmm23, zmm15, 0xca
    vpaddd zmm0, zmm0, zmm17
    vpaddd zmm4, zmm4, zmm26
    vpaddd zmm8, zmm8, zmm29
    vpaddd zmm12, zmm12, zmm30
    vpunpckldq zmm31, zmm25, zmm27
    vpunpckhdq zmm25, zmm25, zmm27
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm2, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm2, zmm2, ymmword ptr [rax + r8 + 0], 1
    vprold zmm0, zmm0, 7
    vprold zmm4, zmm4, 7
    vprold zmm8, zmm8, 7
    vprold zmm12, zmm12, 7
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 320]
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1344]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 2368]
    vpaddd zmm15, zmm15, zmmword ptr [rdx + 3392]
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm4, zmm4, zmm5
    vpaddd zmm8, zmm8, zmm9
    vpaddd zmm12, zmm12, zmm13
    vpunpckldq zmm6, zmm16, zmm2
    vpunpckhdq zmm16, zmm16, zmm2
    vpaddd zmm3, zmm3, dword ptr [r10 + 20]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 20]{1to16}
    vpunpcklqdq zmm10, zmm31, zmm6
    vpunpckhqdq zmm31, zmm31, zmm6
    vpunpcklqdq zmm14, zmm25, zmm16
    vpunpckhqdq zmm25, zmm25, zmm16
    vpaddd zmm11, zmm11, dword ptr [r10 + 20]{1to16}
    vpaddd zmm15, zmm15, dword ptr [r10 + 20]{1to16}
    vmovdqa64 zmm17, zmm0
    vpternlogd zmm17, zmm1, zmm20, 0xca
    vmovdqa64 zmm26, zmm4
    vpternlogd zmm26, zmm5, zmm21, 0xca
    vmovdqa64 zmm29, zmm8
    vpternlogd zmm29, zmm9, zmm22, 0xca
    vpaddd zmm3, zmm3, zmm17
    vpaddd zmm7, zmm7, zmm26
    vmovdqa64 zmm30, zmm12
    vpternlogd zmm30, zmm13, zmm23, 0xca
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 384]
    vpaddd zmm21, zmm21, zmmword ptr [rdx + 1408]
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 2432]
    vpaddd zmm23, zmm23, zmmword ptr [rdx + 3456]
    vpaddd zmm11, zmm11, zmm29
    vpaddd zmm15, zmm15, zmm30
    vprold zmm3, zmm3, 12
    vprold zmm7, zmm7, 12
    vpaddd zmm20, zmm20, dword ptr [r10 + 24]{1to16}
    vpaddd zmm21, zmm21, dword ptr [r10 + 24]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 24]{1to16}
    vpaddd zmm23, zmm23, dword ptr [r10 + 24]{1to16}
    vprold zmm11, zmm11, 12
    vprold zmm15, zmm15, 12
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm7, zmm7, zmm4
    vpaddd zmm27, zmm1, zmmword ptr [rdx + 448]
    vpaddd zmm2, zmm5, zmmword ptr [rdx + 1472]
    vpaddd zmm11, zmm11, zmm8
    vpaddd zmm15, zmm15, zmm12
    vpternlogd zmm1, zmm0, zmm3, 0xd8
    vpternlogd zmm5, zmm4, zmm7, 0xd8
    vpaddd zmm27, zmm27, dword ptr [r10 + 28]{1to16}
    vpaddd zmm2, zmm2, dword ptr [r10 + 28]{1to16}
    vmovdqa64 zmm6, zmm11
    vpternlogd zmm6, zmm8, zmm9, 0xca
    vpaddd zmm20, zmm20, zmm1
    vpaddd zmm21, zmm21, zmm5
    vmovdqa64 zmm16, zmm15
    vpternlogd zmm16, zmm12, zmm13, 0xca
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 2496]
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 3520]
    vpaddd zmm22, zmm22, zmm6
    vpaddd zmm23, zmm23, zmm16
    vprold zmm20, zmm20, 17
    vprold zmm21, zmm21, 17
    vpaddd zmm9, zmm9, dword ptr [r10 + 28]{1to16}
    vpaddd zmm13, zmm13, dword ptr [r10 + 28]{1to16}
    vshufi64x2 zmm17, zmm18, zmm10, 0x88
    vshufi64x2 zmm18, zmm18, zmm10, 0xdd
    vprold zmm22, zmm22, 17
    vprold zmm23, zmm23, 17
    vpaddd zmm20, zmm20, zmm3
    vpaddd zmm21, zmm21, zmm7
    vmovdqa64 zmmword ptr [r9 + 0], zmm17
    vmovdqa64 zmmword ptr [r9 + 256], zmm18
    vshufi64x2 zmm26, zmm28, zmm31, 0x88
    vshufi64x2 zmm28, zmm28, zmm31, 0xdd
    vpaddd zmm22, zmm22, zmm11
    vpaddd zmm23, zmm23, zmm15
    vmovdqa64 zmm29, zmm20
    vpternlogd zmm29, zmm3, zmm0, 0xca
    vmovdqa64 zmm30, zmm21
    vpternlogd zmm30, zmm7, zmm4, 0xca
    vmovdqa64 zmmword ptr [r9 + 64], zmm26
    vmovdqa64 zmmword ptr [r9 + 320], zmm28
    vshufi64x2 zmm1, zmm19, zmm14, 0x88
    vshufi64x2 zmm19, zmm19, zmm14, 0xdd
    vshufi64x2 zmm5, zmm24, zmm25, 0x88
    vmovdqa64 zmm6, zmm22
    vpternlogd zmm6, zmm11, zmm8, 0xca
    vmovdqa64 zmm16, zmm23
    vpternlogd zmm16, zmm15, zmm12, 0xca
    vpaddd zmm27, zmm27, zmm29
    vpaddd zmm2, zmm2, zmm30
    vmovdqa64 zmmword ptr [r9 + 128], zmm1
    vmovdqa64 zmmword ptr [r9 + 384], zmm19
    vmovdqa64 zmmword ptr [r9 + 192], zmm5
    vshufi64x2 zmm24, zmm24, zmm25, 0xdd
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 512]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1536]
    vpaddd zmm9, zmm9, zmm6
    vpaddd zmm13, zmm13, zmm16
    vmovdqa64 zmmword ptr [r9 + 448], zmm24
    vprold zmm27, zmm27, 22
    vprold zmm2, zmm2, 22
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 2560]
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 3584]
    vpaddd zmm0, zmm0, dword ptr [r10 + 32]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 32]{1to16}
    vprold zmm9, zmm9, 22
    vprold zmm13, zmm13, 22
    vpaddd zmm27, zmm27, zmm20
    vpaddd zmm2, zmm2, zmm21
    vpaddd zmm8, zmm8, dword ptr [r10 + 32]{1to16}
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
    vpaddd zmm12, zmm12, dword ptr [r10 + 32]{1to16}
    vpaddd zmm10, zmm3, zmmword ptr [rdx + 576]
    vpaddd zmm17, zmm7, zmmword ptr [rdx + 1600]
    vpaddd zmm9, zmm9, zmm22
    vpaddd zmm13, zmm13, zmm23
    vpternlogd zmm3, zmm20, zmm27, 0xd8
    vpternlogd zmm7, zmm21, zmm2, 0xd8
    vpaddd zmm18, zmm11, zmmword ptr [rdx + 2624]
    vpaddd zmm31, zmm15, zmmword ptr [rdx + 3648]
    vpaddd zmm10, zmm10, dword ptr [r10 + 36]{1to16}
    vpaddd zmm17, zmm17, dword ptr [r10 + 36]{1to16}
    vpternlogd zmm11, zmm22, zmm9, 0xd8
    vpternlogd zmm15, zmm23, zmm13, 0xd8
    vpaddd zmm0, zmm0, zmm3
    vpaddd zmm4, zmm4, zmm7
    vpaddd zmm18, zmm18, dword ptr [r10 + 36]{1to16}
    vpaddd zmm31, zmm31, dword ptr [r10 + 36]{1to16}
    vpaddd zmm8, zmm8, zmm11
    vpaddd zmm12, zmm12, zmm15
    vprold zmm0, zmm0, 7
    vprold zmm4, zmm4, 7
    vprold zmm8, zmm8, 7
    vprold zmm12, zmm12, 7
    vpaddd zmm0, zmm0, zmm27
    vpaddd zmm4, zmm4, zmm2
    vpaddd zmm26, zmm20, zmmword ptr [rdx + 640]
    vpaddd zmm28, zmm21, zmmword ptr [rdx + 1664]
    vpaddd zmm8, zmm8, zmm9
    vpaddd zmm12, zmm12, zmm13
    vpternlogd zmm20, zmm27, zmm0, 0xd8
    vpternlogd zmm21, zmm2, zmm4, 0xd8
    vpaddd zmm14, zmm22, zmmword ptr [rdx + 2688]
    vpaddd zmm29, zmm23, zmmword ptr [rdx + 3712]
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 32], 1
    vpternlogd zmm22, zmm9, zmm8, 0xd8
    vpternlogd zmm23, zmm13, zmm12, 0xd8
    vpaddd zmm10, zmm10, zmm20
    vpaddd zmm17, zmm17, zmm21
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm1, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm1, zmm1, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm5, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm5, zmm5, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm18, zmm18, zmm22
    vpaddd zmm31, zmm31, zmm23
    vprold zmm10, zmm10, 12
    vprold zmm17, zmm17, 12
    vpunpckldq zmm25, zmm30, zmm1
    vpunpckhdq zmm30, zmm30, zmm1
    vpaddd zmm26, zmm26, dword ptr [r10 + 40]{1to16}
    vpaddd zmm28, zmm28, dword ptr [r10 + 40]{1to16}
    vprold zmm18, zmm18, 12
    vprold zmm31, zmm31, 12
    vpaddd zmm10, zmm10, zmm0
    vpaddd zmm17, zmm17, zmm4
    vpunpckldq zmm6, zmm19, zmm5
    vpunpckhdq zmm19, zmm19, zmm5
    vpaddd zmm14, zmm14, dword ptr [r10 + 40]{1to16}
    vpaddd zmm29, zmm29, dword ptr [r10 + 40]{1to16}
    vpaddd zmm18, zmm18, zmm8
    vpaddd zmm31, zmm31, zmm12
    vpunpcklqdq zmm16, zmm25, zmm6
    vpunpckhqdq zmm25, zmm25, zmm6
    vpunpcklqdq zmm24, zmm30, zmm19
    vpunpckhqdq zmm30, zmm30, zmm19
    vmovdqa64 zmm3, zmm10
    vpternlogd zmm3, zmm0, zmm27, 0xca
    vmovdqa64 zmm7, zmm17
    vpternlogd zmm7, zmm4, zmm2, 0xca
    vmovdqa64 zmm11, zmm18
    vpternlogd zmm11, zmm8, zmm9, 0xca
    vmovdqa64 zmm15, zmm31
    vpternlogd zmm15, zmm12, zmm13, 0xca
    vpaddd zmm26, zmm26, zmm3
    vpaddd zmm28, zmm28, zmm7
    vpaddd zmm27, zmm27, zmmword ptr [rdx + 704]
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 1728]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 2752]
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 3776]
    vpaddd zmm14, zmm14, zmm11
    vpaddd zmm29, zmm29, zmm15
    vprold zmm26, zmm26, 17
    vprold zmm28, zmm28, 17
    vpaddd zmm27, zmm27, dword ptr [r10 + 44]{1to16}
    vpaddd zmm2, zmm2, dword ptr [r10 + 44]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 44]{1to16}
    vpaddd zmm13, zmm13, dword ptr [r10 + 44]{1to16}
    vprold zmm14, zmm14, 17
    vprold zmm29, zmm29, 17
    vpaddd zmm26, zmm26, zmm10
    vpaddd zmm28, zmm28, zmm17
    vpaddd zmm20, zmm0, zmmword ptr [rdx + 768]
    vpaddd zmm21, zmm4, zmmword ptr [rdx + 1792]
    vpaddd zmm14, zmm14, zmm18
    vpaddd zmm29, zmm29, zmm31
    vpternlogd zmm0, zmm10, zmm26, 0xd8
    vpternlogd zmm4, zmm17, zmm28, 0xd8
    vpaddd zmm22, zmm8, zmmword ptr [rdx + 2816]
    vpaddd zmm23, zmm12, zmmword ptr [rdx + 3840]
    vpaddd zmm20, zmm20, dword ptr [r10 + 48]{1to16}
    vpaddd zmm21, zmm21, dword ptr [r10 + 48]{1to16}
    vpternlogd zmm8, zmm18, zmm14, 0xd8
    vpternlogd zmm12, zmm31, zmm29, 0xd8
    vpaddd zmm27, zmm27, zmm0
    vpaddd zmm2, zmm2, zmm4
    vpaddd zmm22, zmm22, dword ptr [r10 + 48]{1to16}
    vpaddd zmm23, zmm23, dword ptr [r10 + 48]{1to16}
    vpaddd zmm9, zmm9, zmm8
    vpaddd zmm13, zmm13, zmm12
    vprold zmm27, zmm27, 22
    vprold zmm2, zmm2, 22
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm1, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm1, zmm1, ymmword ptr [rax + r8 + 32], 1
    vprold zmm9, zmm9, 22
    vprold zmm13, zmm13, 22
    vpaddd zmm27, zmm27, zmm26
    vpaddd zmm2, zmm2, zmm28
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm5, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm5, zmm5, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm9, zmm9, zmm14
    vpaddd zmm13, zmm13, zmm29
    vmovdqa64 zmm6, zmm27
    vpternlogd zmm6, zmm26, zmm10, 0xca
    vmovdqa64 zmm19, zmm2
    vpternlogd zmm19, zmm28, zmm17, 0xca
    vpunpckldq zmm3, zmm1, zmm5
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
    vpunpckhdq zmm1, zmm1, zmm5
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 32], 1
    vmovdqa64 zmm15, zmm9
    vpternlogd zmm15, zmm14, zmm18, 0xca
    vpaddd zmm20, zmm20, zmm6
    vpaddd zmm21, zmm21, zmm19
    vmovdqa64 zmm0, zmm13
    vpternlogd zmm0, zmm29, zmm31, 0xca
    vpaddd zmm10, zmm10, zmmword ptr [rdx + 832]
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 1856]
    vpaddd zmm22, zmm22, zmm15
    vpaddd zmm23, zmm23, zmm0
    vprold zmm20, zmm20, 7
    vprold zmm21, zmm21, 7
    vpunpckldq zmm4, zmm7, zmm11
    vpunpckhdq zmm7, zmm7, zmm11
    vpaddd zmm18, zmm18, zmmword ptr [rdx + 2880]
    vpaddd zmm31, zmm31, zmmword ptr [rdx + 3904]
    vprold zmm22, zmm22, 7
    vprold zmm23, zmm23, 7
    vpunpcklqdq zmm8, zmm3, zmm4
    vpunpckhqdq zmm3, zmm3, zmm4
    vpaddd zmm20, zmm20, zmm27
    vpaddd zmm21, zmm21, zmm2
    vpaddd zmm10, zmm10, dword ptr [r10 + 52]{1to16}
    vpaddd zmm17, zmm17, dword ptr [r10 + 52]{1to16}
    vpunpcklqdq zmm12, zmm1, zmm7
    vpunpckhqdq zmm1, zmm1, zmm7
    vpaddd zmm22, zmm22, zmm9
    vpaddd zmm23, zmm23, zmm13
    vpaddd zmm18, zmm18, dword ptr [r10 + 52]{1to16}
    vpaddd zmm31, zmm31, dword ptr [r10 + 52]{1to16}
    vmovdqa64 zmm5, zmm20
    vpternlogd zmm5, zmm27, zmm26, 0xca
    vmovdqa64 zmm6, zmm21
    vpternlogd zmm6, zmm2, zmm28, 0xca
    vmovdqa64 zmm19, zmm22
    vpternlogd zmm19, zmm9, zmm14, 0xca
    vpaddd zmm10, zmm10, zmm5
    vpaddd zmm17, zmm17, zmm6
    vmovdqa64 zmm15, zmm23
    vpternlogd zmm15, zmm13, zmm29, 0xca
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 896]
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 1920]
    vpaddd zmm14, zmm14, zmmword ptr [rdx + 2944]
    vpaddd zmm29, zmm29, zmmword ptr [rdx + 3968]
    vpaddd zmm18, zmm18, zmm19
    vpaddd zmm31, zmm31, zmm15
    vprold zmm10, zmm10, 12
    vprold zmm17, zmm17, 12
    vpaddd zmm26, zmm26, dword ptr [r10 + 56]{1to16}
    vpaddd zmm28, zmm28, dword ptr [r10 + 56]{1to16}
    vpaddd zmm14, zmm14, dword ptr [r10 + 56]{1to16}
    vpaddd zmm29, zmm29, dword ptr [r10 + 56]{1to16}
    vprold zmm18, zmm18, 12
    vprold zmm31, zmm31, 12
    vpaddd zmm10, zmm10, zmm20
    vpaddd zmm17, zmm17, zmm21
    vpaddd zmm0, zmm27, zmmword ptr [rdx + 960]
    vpaddd zmm11, zmm2, zmmword ptr [rdx + 1984]
    vpaddd zmm18, zmm18, zmm22
    vpaddd zmm31, zmm31, zmm23
    vpternlogd zmm27, zmm20, zmm10, 0xd8
    vpternlogd zmm2, zmm21, zmm17, 0xd8
    vpaddd zmm0, zmm0, dword ptr [r10 + 60]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 60]{1to16}
    vmovdqa64 zmm4, zmm18
    vpternlogd zmm4, zmm22, zmm9, 0xca
    vpaddd zmm26, zmm26, zmm27
    vpaddd zmm28, zmm28, zmm2
    vmovdqa64 zmm7, zmm31
    vpternlogd zmm7, zmm23, zmm13, 0xca
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 3008]
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 4032]
    vpaddd zmm14, zmm14, zmm4
    vpaddd zmm29, zmm29, zmm7
    vprold zmm26, zmm26, 17
    vprold zmm28, zmm28, 17
    vpaddd zmm9, zmm9, dword ptr [r10 + 60]{1to16}
    vpaddd zmm13, zmm13, dword ptr [r10 + 60]{1to16}
    vshufi64x2 zmm5, zmm16, zmm8, 0x88
    vshufi64x2 zmm16, zmm16, zmm8, 0xdd
    vprold zmm14, zmm14, 17
    vprold zmm29, zmm29, 17
    vpaddd zmm26, zmm26, zmm10
    vpaddd zmm28, zmm28, zmm17
    vmovdqa64 zmmword ptr [r9 + 512], zmm5
    vmovdqa64 zmmword ptr [r9 + 768], zmm16
    vshufi64x2 zmm6, zmm25, zmm3, 0x88
    vshufi64x2 zmm25, zmm25, zmm3, 0xdd
    vpaddd zmm14, zmm14, zmm18
    vpaddd zmm29, zmm29, zmm31
    vmovdqa64 zmmword ptr [r9 + 576], zmm6
    vmovdqa64 zmmword ptr [r9 + 832], zmm25
    vshufi64x2 zmm19, zmm24, zmm12, 0x88
    vshufi64x2 zmm24, zmm24, zmm12, 0xdd
    vshufi64x2 zmm15, zmm30, zmm1, 0x88
    vshufi64x2 zmm30, zmm30, zmm1, 0xdd
    vmovdqa64 zmm27, zmm26
    vpternlogd zmm27, zmm10, zmm20, 0xca
    vmovdqa64 zmm2, zmm28
    vpternlogd zmm2, zmm17, zmm21, 0xca
    vmovdqa64 zmmword ptr [r9 + 640], zmm19
    vmovdqa64 zmmword ptr [r9 + 896], zmm24
    vmovdqa64 zmmword ptr [r9 + 704], zmm15
    vmovdqa64 zmmword ptr [r9 + 960], zmm30
    vmovdqa64 zmm4, zmm14
    vpternlogd zmm4, zmm18, zmm22, 0xca
    vmovdqa64 zmm7, zmm29
    vpternlogd zmm7, zmm31, zmm23, 0xca
    vpaddd zmm0, zmm0, zmm27
    vpaddd zmm11, zmm11, zmm2
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 64]
    vpaddd zmm21, zmm21, zmmword ptr [rdx + 1088]
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 2112]
    vpaddd zmm23, zmm23, zmmword ptr [rdx + 3136]
    vpaddd zmm9, zmm9, zmm4
    vpaddd zmm13, zmm13, zmm7
    vprold zmm0, zmm0, 22
    vprold zmm11, zmm11, 22
    vpaddd zmm20, zmm20, dword ptr [r10 + 64]{1to16}
    vpaddd zmm21, zmm21, dword ptr [r10 + 64]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 64]{1to16}
    vpaddd zmm23, zmm23, dword ptr [r10 + 64]{1to16}
    vprold zmm9, zmm9, 22
    vprold zmm13, zmm13, 22
    vpaddd zmm0, zmm0, zmm26
    vpaddd zmm11, zmm11, zmm28
    vpaddd zmm8, zmm10, zmmword ptr [rdx + 384]
    vpaddd zmm5, zmm17, zmmword ptr [rdx + 1408]
    vpaddd zmm9, zmm9, zmm14
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
    vpaddd zmm13, zmm13, zmm29
    vpternlogd zmm10, zmm26, zmm0, 0xac
    vpternlogd zmm17, zmm28, zmm11, 0xac
    vpaddd zmm16, zmm18, zmmword ptr [rdx + 2432]
    vpaddd zmm3, zmm31, zmmword ptr [rdx + 3456]
    vpaddd zmm8, zmm8, dword ptr [r10 + 68]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 68]{1to16}
    vpternlogd zmm18, zmm14, zmm9, 0xac
    vpternlogd zmm31, zmm29, zmm13, 0xac
    vpaddd zmm20, zmm20, zmm10
    vpaddd zmm21, zmm21, zmm17
    vpaddd zmm16, zmm16, dword ptr [r10 + 68]{1to16}
    vpaddd zmm3, zmm3, dword ptr [r10 + 68]{1to16}
    vpaddd zmm22, zmm22, zmm18
    vpaddd zmm23, zmm23, zmm31
    vprold zmm20, zmm20, 5
    vprold zmm21, zmm21, 5
    vprold zmm22, zmm22, 5
    vprold zmm23, zmm23, 5
    vpaddd zmm20, zmm20, zmm0
    vpaddd zmm21, zmm21, zmm11
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm6, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm6, zmm6, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm22, zmm22, zmm9
    vpaddd zmm23, zmm23, zmm13
    vmovdqa64 zmm25, zmm20
    vpternlogd zmm25, zmm0, zmm26, 0xe4
    vmovdqa64 zmm12, zmm21
    vpternlogd zmm12, zmm11, zmm28, 0xe4
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm1, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm1, zmm1, ymmword ptr [rax + r8 + 0], 1
    vmovdqa64 zmm19, zmm22
    vpternlogd zmm19, zmm9, zmm14, 0xe4
    vmovdqa64 zmm24, zmm23
    vpternlogd zmm24, zmm13, zmm29, 0xe4
    vpaddd zmm8, zmm8, zmm25
    vpaddd zmm5, zmm5, zmm12
    vpunpckldq zmm15, zmm6, zmm1
    vpunpckhdq zmm6, zmm6, zmm1
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm16, zmm16, zmm19
    vpaddd zmm3, zmm3, zmm24
    vprold zmm8, zmm8, 9
    vprold zmm5, zmm5, 9
    vpunpckldq zmm2, zmm30, zmm27
    vpunpckhdq zmm30, zmm30, zmm27
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 704]
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 1728]
    vprold zmm16, zmm16, 9
    vprold zmm3, zmm3, 9
    vpaddd zmm8, zmm8, zmm20
    vpaddd zmm5, zmm5, zmm21
    vpunpcklqdq zmm4, zmm15, zmm2
    vpunpckhqdq zmm15, zmm15, zmm2
    vpaddd zmm14, zmm14, zmmword ptr [rdx + 2752]
    vpaddd zmm29, zmm29, zmmword ptr [rdx + 3776]
    vpaddd zmm16, zmm16, zmm22
    vpaddd zmm3, zmm3, zmm23
    vpunpcklqdq zmm7, zmm6, zmm30
    vpunpckhqdq zmm6, zmm6, zmm30
    vpaddd zmm26, zmm26, dword ptr [r10 + 72]{1to16}
    vpaddd zmm28, zmm28, dword ptr [r10 + 72]{1to16}
    vpaddd zmm14, zmm14, dword ptr [r10 + 72]{1to16}
    vpaddd zmm29, zmm29, dword ptr [r10 + 72]{1to16}
    vmovdqa64 zmm10, zmm8
    vpternlogd zmm10, zmm20, zmm0, 0xe4
    vmovdqa64 zmm17, zmm5
    vpternlogd zmm17, zmm21, zmm11, 0xe4
    vmovdqa64 zmm18, zmm16
    vpternlogd zmm18, zmm22, zmm9, 0xe4
    vmovdqa64 zmm31, zmm3
    vpternlogd zmm31, zmm23, zmm13, 0xe4
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 0]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1024]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 2048]
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 3072]
    vpaddd zmm26, zmm26, zmm10
    vpaddd zmm28, zmm28, zmm17
    vpaddd zmm14, zmm14, zmm18
    vpaddd zmm29, zmm29, zmm31
    vpaddd zmm0, zmm0, dword ptr [r10 + 76]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 76]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 76]{1to16}
    vpaddd zmm13, zmm13, dword ptr [r10 + 76]{1to16}
    vprold zmm26, zmm26, 14
    vprold zmm28, zmm28, 14
    vprold zmm14, zmm14, 14
    vprold zmm29, zmm29, 14
    vpaddd zmm26, zmm26, zmm8
    vpaddd zmm28, zmm28, zmm5
    vpaddd zmm14, zmm14, zmm16
    vpaddd zmm29, zmm29, zmm3
    vpaddd zmm25, zmm20, zmmword ptr [rdx + 320]
    vpaddd zmm12, zmm21, zmmword ptr [rdx + 1344]
    vpaddd zmm1, zmm22, zmmword ptr [rdx + 2368]
    vpaddd zmm19, zmm23, zmmword ptr [rdx + 3392]
    vpternlogd zmm20, zmm8, zmm26, 0xac
    vpternlogd zmm21, zmm5, zmm28, 0xac
    vpternlogd zmm22, zmm16, zmm14, 0xac
    vpternlogd zmm23, zmm3, zmm29, 0xac
    vpaddd zmm25, zmm25, dword ptr [r10 + 80]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 80]{1to16}
    vpaddd zmm1, zmm1, dword ptr [r10 + 80]{1to16}
    vpaddd zmm19, zmm19, dword ptr [r10 + 80]{1to16}
    vpaddd zmm0, zmm0, zmm20
    vpaddd zmm11, zmm11, zmm21
    vpaddd zmm9, zmm9, zmm22
    vpaddd zmm13, zmm13, zmm23
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm2, ymmword ptr [rax + r8 + 0]
    vprold zmm0, zmm0, 20
    vprold zmm11, zmm11, 20
    vprold zmm9, zmm9, 20
    vprold zmm13, zmm13, 20
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 0]
    vpaddd zmm0, zmm0, zmm26
    vpaddd zmm11, zmm11, zmm28
    vpaddd zmm9, zmm9, zmm14
    vpaddd zmm13, zmm13, zmm29
    vpunpckldq zmm10, zmm24, zmm27
    vpunpckhdq zmm24, zmm24, zmm27
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm2, zmm2, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 0], 1
    vmovdqa64 zmm17, zmm0
    vpternlogd zmm17, zmm26, zmm8, 0xe4
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
    vmovdqa64 zmm18, zmm11
    vpternlogd zmm18, zmm28, zmm5, 0xe4
    vmovdqa64 zmm31, zmm9
    vpternlogd zmm31, zmm14, zmm16, 0xe4
    vpaddd zmm25, zmm25, zmm17
    vpaddd zmm12, zmm12, zmm18
    vmovdqa64 zmm20, zmm13
    vpternlogd zmm20, zmm29, zmm3, 0xe4
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 640]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1664]
    vpunpckldq zmm21, zmm2, zmm30
    vpunpckhdq zmm2, zmm2, zmm30
    vpaddd zmm1, zmm1, zmm31
    vpaddd zmm19, zmm19, zmm20
    vprold zmm25, zmm25, 5
    vprold zmm12, zmm12, 5
    vpaddd zmm16, zmm16, zmmword ptr [rdx + 2688]
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 3712]
    vpunpcklqdq zmm22, zmm10, zmm21
    vpunpckhqdq zmm10, zmm10, zmm21
    vpunpcklqdq zmm23, zmm24, zmm2
    vpunpckhqdq zmm24, zmm24, zmm2
    vpaddd zmm25, zmm25, zmm0
    vpaddd zmm12, zmm12, zmm11
    vpaddd zmm8, zmm8, dword ptr [r10 + 84]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 84]{1to16}
    vprold zmm1, zmm1, 5
    vprold zmm19, zmm19, 5
    vpaddd zmm16, zmm16, dword ptr [r10 + 84]{1to16}
    vpaddd zmm3, zmm3, dword ptr [r10 + 84]{1to16}
    vmovdqa64 zmm27, zmm25
    vpternlogd zmm27, zmm0, zmm26, 0xe4
    vmovdqa64 zmm17, zmm12
    vpternlogd zmm17, zmm11, zmm28, 0xe4
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 960]
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 1984]
    vpaddd zmm1, zmm1, zmm9
    vpaddd zmm19, zmm19, zmm13
    vpaddd zmm8, zmm8, zmm27
    vpaddd zmm5, zmm5, zmm17
    vpaddd zmm18, zmm14, zmmword ptr [rdx + 3008]
    vpaddd zmm30, zmm29, zmmword ptr [rdx + 4032]
    vpaddd zmm26, zmm26, dword ptr [r10 + 88]{1to16}
    vpaddd zmm28, zmm28, dword ptr [r10 + 88]{1to16}
    vpternlogd zmm14, zmm9, zmm1, 0xac
    vpternlogd zmm29, zmm13, zmm19, 0xac
    vprold zmm8, zmm8, 9
    vprold zmm5, zmm5, 9
    vpaddd zmm18, zmm18, dword ptr [r10 + 88]{1to16}
    vpaddd zmm30, zmm30, dword ptr [r10 + 88]{1to16}
    vpaddd zmm16, zmm16, zmm14
    vpaddd zmm3, zmm3, zmm29
    vpaddd zmm8, zmm8, zmm25
    vpaddd zmm5, zmm5, zmm12
    vprold zmm16, zmm16, 9
    vprold zmm3, zmm3, 9
    vmovdqa64 zmm31, zmm8
    vpternlogd zmm31, zmm25, zmm0, 0xe4
    vmovdqa64 zmm20, zmm5
    vpternlogd zmm20, zmm12, zmm11, 0xe4
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 256]
    vpaddd zmm16, zmm16, zmm1
    vpaddd zmm3, zmm3, zmm19
    vpaddd zmm26, zmm26, zmm31
    vpaddd zmm28, zmm28, zmm20
    vshufi64x2 zmm21, zmm4, zmm22, 0x88
    vshufi64x2 zmm4, zmm4, zmm22, 0xdd
    vshufi64x2 zmm2, zmm15, zmm10, 0x88
    vmovdqa64 zmm27, zmm16
    vpternlogd zmm27, zmm1, zmm9, 0xe4
    vprold zmm26, zmm26, 14
    vprold zmm28, zmm28, 14
    vmovdqa64 zmmword ptr [r9 + 1024], zmm21
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm19, zmm13, 0xe4
    vmovdqa64 zmmword ptr [r9 + 1280], zmm4
    vmovdqa64 zmmword ptr [r9 + 1088], zmm2
    vshufi64x2 zmm15, zmm15, zmm10, 0xdd
    vshufi64x2 zmm14, zmm7, zmm23, 0x88
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1280]
    vpaddd zmm18, zmm18, zmm27
    vpaddd zmm30, zmm30, zmm17
    vpaddd zmm26, zmm26, zmm8
    vpaddd zmm28, zmm28, zmm5
    vmovdqa64 zmmword ptr [r9 + 1344], zmm15
    vmovdqa64 zmmword ptr [r9 + 1152], zmm14
    vshufi64x2 zmm7, zmm7, zmm23, 0xdd
    vshufi64x2 zmm29, zmm6, zmm24, 0x88
    vshufi64x2 zmm6, zmm6, zmm24, 0xdd
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 2304]
    vprold zmm18, zmm18, 14
    vprold zmm30, zmm30, 14
    vmovdqa64 zmmword ptr [r9 + 1408], zmm7
    vmovdqa64 zmmword ptr [r9 + 1216], zmm29
    vmovdqa64 zmmword ptr [r9 + 1472], zmm6
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 3328]
    vpaddd zmm0, zmm0, dword ptr [r10 + 92]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 92]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 92]{1to16}
    vmovdqa64 zmm31, zmm26
    vpternlogd zmm31, zmm8, zmm25, 0xe4
    vmovdqa64 zmm20, zmm28
    vpternlogd zmm20, zmm5, zmm12, 0xe4
    vpaddd zmm18, zmm18, zmm16
    vpaddd zmm30, zmm30, zmm3
    vpaddd zmm13, zmm13, dword ptr [r10 + 92]{1to16}
    vpaddd zmm0, zmm0, zmm31
    vpaddd zmm11, zmm11, zmm20
    vmovdqa64 zmm22, zmm18
    vpternlogd zmm22, zmm16, zmm1, 0xe4
    vmovdqa64 zmm21, zmm30
    vpternlogd zmm21, zmm3, zmm19, 0xe4
    vprold zmm0, zmm0, 20
    vprold zmm11, zmm11, 20
    vpaddd zmm25, zmm25, zmmword ptr [rdx + 576]
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 1600]
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 2624]
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 3648]
    vpaddd zmm9, zmm9, zmm22
    vpaddd zmm13, zmm13, zmm21
    vpaddd zmm0, zmm0, zmm26
    vpaddd zmm11, zmm11, zmm28
    vpaddd zmm25, zmm25, dword ptr [r10 + 96]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 96]{1to16}
    vpaddd zmm1, zmm1, dword ptr [r10 + 96]{1to16}
    vpaddd zmm19, zmm19, dword ptr [r10 + 96]{1to16}
    vprold zmm9, zmm9, 20
    vprold zmm13, zmm13, 20
    vmovdqa64 zmm4, zmm0
    vpternlogd zmm4, zmm26, zmm8, 0xe4
    vmovdqa64 zmm2, zmm11
    vpternlogd zmm2, zmm28, zmm5, 0xe4
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 896]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1920]
    vpaddd zmm9, zmm9, zmm18
    vpaddd zmm13, zmm13, zmm30
    vpaddd zmm25, zmm25, zmm4
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
    vpaddd zmm12, zmm12, zmm2
    vpaddd zmm10, zmm16, zmmword ptr [rdx + 2944]
    vpaddd zmm27, zmm3, zmmword ptr [rdx + 3968]
    vpaddd zmm8, zmm8, dword ptr [r10 + 100]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 100]{1to16}
    vpternlogd zmm16, zmm18, zmm9, 0xac
    vpternlogd zmm3, zmm30, zmm13, 0xac
    vprold zmm25, zmm25, 5
    vprold zmm12, zmm12, 5
    vpaddd zmm10, zmm10, dword ptr [r10 + 100]{1to16}
    vpaddd zmm27, zmm27, dword ptr [r10 + 100]{1to16}
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 32]
    vpaddd zmm1, zmm1, zmm16
    vpaddd zmm19, zmm19, zmm3
    vpaddd zmm25, zmm25, zmm0
    vpaddd zmm12, zmm12, zmm11
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 32], 1
    vprold zmm1, zmm1, 5
    vprold zmm19, zmm19, 5
    vmovdqa64 zmm14, zmm25
    vpternlogd zmm14, zmm0, zmm26, 0xe4
    vmovdqa64 zmm23, zmm12
    vpternlogd zmm23, zmm11, zmm28, 0xe4
    vpunpckldq zmm24, zmm17, zmm15
    vpunpckhdq zmm17, zmm17, zmm15
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 32]
    vpaddd zmm1, zmm1, zmm9
    vpaddd zmm19, zmm19, zmm13
    vpaddd zmm8, zmm8, zmm14
    vpaddd zmm5, zmm5, zmm23
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 32], 1
    vmovdqa64 zmm6, zmm1
    vpternlogd zmm6, zmm9, zmm18, 0xe4
    vmovdqa64 zmm31, zmm19
    vpternlogd zmm31, zmm13, zmm30, 0xe4
    vprold zmm8, zmm8, 9
    vpunpckldq zmm20, zmm7, zmm29
    vpunpckhdq zmm7, zmm7, zmm29
    vprold zmm5, zmm5, 9
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 192]
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 1216]
    vpaddd zmm10, zmm10, zmm6
    vpaddd zmm27, zmm27, zmm31
    vpunpcklqdq zmm22, zmm24, zmm20
    vpunpckhqdq zmm24, zmm24, zmm20
    vpunpcklqdq zmm21, zmm17, zmm7
    vpunpckhqdq zmm17, zmm17, zmm7
    vpaddd zmm8, zmm8, zmm25
    vpaddd zmm5, zmm5, zmm12
    vprold zmm10, zmm10, 9
    vprold zmm27, zmm27, 9
    vpaddd zmm18, zmm18, zmmword ptr [rdx + 2240]
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 3264]
    vpaddd zmm26, zmm26, dword ptr [r10 + 104]{1to16}
    vpaddd zmm28, zmm28, dword ptr [r10 + 104]{1to16}
    vmovdqa64 zmm4, zmm8
    vpternlogd zmm4, zmm25, zmm0, 0xe4
    vmovdqa64 zmm2, zmm5
    vpternlogd zmm2, zmm12, zmm11, 0xe4
    vpaddd zmm10, zmm10, zmm1
    vpaddd zmm27, zmm27, zmm19
    vpaddd zmm18, zmm18, dword ptr [r10 + 104]{1to16}
    vpaddd zmm30, zmm30, dword ptr [r10 + 104]{1to16}
    vpaddd zmm26, zmm26, zmm4
    vpaddd zmm28, zmm28, zmm2
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 512]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1536]
    vmovdqa64 zmm16, zmm10
    vpternlogd zmm16, zmm1, zmm9, 0xe4
    vmovdqa64 zmm3, zmm27
    vpternlogd zmm3, zmm19, zmm13, 0xe4
    vprold zmm26, zmm26, 14
    vprold zmm28, zmm28, 14
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 2560]
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 3584]
    vpaddd zmm0, zmm0, dword ptr [r10 + 108]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 108]{1to16}
    vpaddd zmm18, zmm18, zmm16
    vpaddd zmm30, zmm30, zmm3
    vpaddd zmm26, zmm26, zmm8
    vpaddd zmm28, zmm28, zmm5
    vpaddd zmm9, zmm9, dword ptr [r10 + 108]{1to16}
    vpaddd zmm13, zmm13, dword ptr [r10 + 108]{1to16}
    vprold zmm18, zmm18, 14
    vprold zmm30, zmm30, 14
    vmovdqa64 zmm15, zmm26
    vpternlogd zmm15, zmm8, zmm25, 0xe4
    vmovdqa64 zmm14, zmm28
    vpternlogd zmm14, zmm5, zmm12, 0xe4
    vpaddd zmm25, zmm25, zmmword ptr [rdx + 832]
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 1856]
    vpaddd zmm18, zmm18, zmm10
    vpaddd zmm30, zmm30, zmm27
    vpaddd zmm0, zmm0, zmm15
    vpaddd zmm11, zmm11, zmm14
    vpaddd zmm23, zmm1, zmmword ptr [rdx + 2880]
    vpaddd zmm29, zmm19, zmmword ptr [rdx + 3904]
    vpaddd zmm25, zmm25, dword ptr [r10 + 112]{1to16}
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm6, ymmword ptr [rax + r8 + 32]
    vpternlogd zmm1, zmm10, zmm18, 0xac
    vpternlogd zmm19, zmm27, zmm30, 0xac
    vprold zmm0, zmm0, 20
    vprold zmm11, zmm11, 20
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm6, zmm6, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 32]
    vpaddd zmm9, zmm9, zmm1
    vpaddd zmm13, zmm13, zmm19
    vpaddd zmm0, zmm0, zmm26
    vpaddd zmm11, zmm11, zmm28
    vpunpckldq zmm4, zmm6, zmm31
    vpunpckhdq zmm6, zmm6, zmm31
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 32], 1
    vprold zmm9, zmm9, 20
    vprold zmm13, zmm13, 20
    vpunpckldq zmm2, zmm20, zmm7
    vpunpckhdq zmm20, zmm20, zmm7
    vpaddd zmm12, zmm12, dword ptr [r10 + 112]{1to16}
    vpaddd zmm23, zmm23, dword ptr [r10 + 112]{1to16}
    vpaddd zmm29, zmm29, dword ptr [r10 + 112]{1to16}
    vmovdqa64 zmm16, zmm0
    vpternlogd zmm16, zmm26, zmm8, 0xe4
    vpaddd zmm9, zmm9, zmm18
    vpaddd zmm13, zmm13, zmm30
    vpunpcklqdq zmm3, zmm4, zmm2
    vpunpckhqdq zmm4, zmm4, zmm2
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
    vpunpcklqdq zmm15, zmm6, zmm20
    vpunpckhqdq zmm6, zmm6, zmm20
    vmovdqa64 zmm14, zmm11
    vpternlogd zmm14, zmm28, zmm5, 0xe4
    vpaddd zmm25, zmm25, zmm16
    vmovdqa64 zmm1, zmm9
    vpternlogd zmm1, zmm18, zmm10, 0xe4
    vpaddd zmm12, zmm12, zmm14
    vmovdqa64 zmm19, zmm13
    vpternlogd zmm19, zmm30, zmm27, 0xe4
    vprold zmm25, zmm25, 5
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 128]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 1152]
    vpaddd zmm10, zmm10, zmmword ptr [rdx + 2176]
    vpaddd zmm27, zmm27, zmmword ptr [rdx + 3200]
    vpaddd zmm23, zmm23, zmm1
    vpaddd zmm29, zmm29, zmm19
    vprold zmm12, zmm12, 5
    vpaddd zmm25, zmm25, zmm0
    vpaddd zmm8, zmm8, dword ptr [r10 + 116]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 116]{1to16}
    vpaddd zmm10, zmm10, dword ptr [r10 + 116]{1to16}
    vpaddd zmm27, zmm27, dword ptr [r10 + 116]{1to16}
    vprold zmm23, zmm23, 5
    vprold zmm29, zmm29, 5
    vpaddd zmm12, zmm12, zmm11
    vmovdqa64 zmm31, zmm25
    vpternlogd zmm31, zmm0, zmm26, 0xe4
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 448]
    vpaddd zmm7, zmm28, zmmword ptr [rdx + 1472]
    vpaddd zmm23, zmm23, zmm9
    vpaddd zmm29, zmm29, zmm13
    vpternlogd zmm28, zmm11, zmm12, 0xac
    vpaddd zmm8, zmm8, zmm31
    vpaddd zmm2, zmm18, zmmword ptr [rdx + 2496]
    vpaddd zmm26, zmm26, dword ptr [r10 + 120]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 120]{1to16}
    vpternlogd zmm18, zmm9, zmm23, 0xac
    vpaddd zmm5, zmm5, zmm28
    vmovdqa64 zmm20, zmm29
    vpternlogd zmm20, zmm13, zmm30, 0xe4
    vprold zmm8, zmm8, 9
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 3520]
    vpaddd zmm2, zmm2, dword ptr [r10 + 120]{1to16}
    vpaddd zmm10, zmm10, zmm18
    vpaddd zmm27, zmm27, zmm20
    vprold zmm5, zmm5, 9
    vpaddd zmm8, zmm8, zmm25
    vpaddd zmm30, zmm30, dword ptr [r10 + 120]{1to16}
    vshufi64x2 zmm16, zmm22, zmm3, 0x88
    vprold zmm10, zmm10, 9
    vprold zmm27, zmm27, 9
    vpaddd zmm5, zmm5, zmm12
    vmovdqa64 zmm14, zmm8
    vpternlogd zmm14, zmm25, zmm0, 0xe4
    vmovdqa64 zmmword ptr [r9 + 1536], zmm16
    vshufi64x2 zmm22, zmm22, zmm3, 0xdd
    vshufi64x2 zmm1, zmm24, zmm4, 0x88
    vpaddd zmm10, zmm10, zmm23
    vpaddd zmm27, zmm27, zmm29
    vmovdqa64 zmm19, zmm5
    vpternlogd zmm19, zmm12, zmm11, 0xe4
    vpaddd zmm26, zmm26, zmm14
    vmovdqa64 zmmword ptr [r9 + 1792], zmm22
    vmovdqa64 zmmword ptr [r9 + 1600], zmm1
    vshufi64x2 zmm24, zmm24, zmm4, 0xdd
    vshufi64x2 zmm31, zmm21, zmm15, 0x88
    vmovdqa64 zmm28, zmm10
    vpternlogd zmm28, zmm23, zmm9, 0xe4
    vmovdqa64 zmm18, zmm27
    vpternlogd zmm18, zmm29, zmm13, 0xe4
    vpaddd zmm7, zmm7, zmm19
    vprold zmm26, zmm26, 14
    vmovdqa64 zmmword ptr [r9 + 1856], zmm24
    vmovdqa64 zmmword ptr [r9 + 1664], zmm31
    vshufi64x2 zmm21, zmm21, zmm15, 0xdd
    vshufi64x2 zmm20, zmm17, zmm6, 0x88
    vshufi64x2 zmm17, zmm17, zmm6, 0xdd
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 768]
    vpaddd zmm2, zmm2, zmm28
    vpaddd zmm30, zmm30, zmm18
    vprold zmm7, zmm7, 14
    vpaddd zmm26, zmm26, zmm8
    vmovdqa64 zmmword ptr [r9 + 1920], zmm21
    vmovdqa64 zmmword ptr [r9 + 1728], zmm20
    vmovdqa64 zmmword ptr [r9 + 1984], zmm17
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1792]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 2816]
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 3840]
    vpaddd zmm0, zmm0, dword ptr [r10 + 124]{1to16}
    vprold zmm2, zmm2, 14
    vprold zmm30, zmm30, 14
    vpaddd zmm7, zmm7, zmm5
    vpaddd zmm11, zmm11, dword ptr [r10 + 124]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 124]{1to16}
    vpaddd zmm13, zmm13, dword ptr [r10 + 124]{1to16}
    vmovdqa64 zmm16, zmm26
    vpternlogd zmm16, zmm8, zmm25, 0xe4
    vpaddd zmm2, zmm2, zmm10
    vpaddd zmm30, zmm30, zmm27
    vmovdqa64 zmm3, zmm7
    vpternlogd zmm3, zmm5, zmm12, 0xe4
    vpaddd zmm0, zmm0, zmm16
    vpaddd zmm25, zmm25, zmmword ptr [rdx + 320]
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 1344]
    vpaddd zmm14, zmm23, zmmword ptr [rdx + 2368]
    vpaddd zmm22, zmm29, zmmword ptr [rdx + 3392]
    vpternlogd zmm23, zmm10, zmm2, 0xac
    vpternlogd zmm29, zmm27, zmm30, 0xac
    vpaddd zmm11, zmm11, zmm3
    vprold zmm0, zmm0, 20
    vpaddd zmm25, zmm25, dword ptr [r10 + 128]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 128]{1to16}
    vpaddd zmm14, zmm14, dword ptr [r10 + 128]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 128]{1to16}
    vpaddd zmm9, zmm9, zmm23
    vpaddd zmm13, zmm13, zmm29
    vprold zmm11, zmm11, 20
    vpaddd zmm0, zmm0, zmm26
    vprold zmm9, zmm9, 20
    vprold zmm13, zmm13, 20
    vpaddd zmm11, zmm11, zmm7
    vmovdqa64 zmm1, zmm0
    vpternlogd zmm1, zmm26, zmm8, 0x96
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 512]
    vpaddd zmm4, zmm5, zmmword ptr [rdx + 1536]
    vpaddd zmm9, zmm9, zmm2
    vpaddd zmm13, zmm13, zmm30
    vpternlogd zmm5, zmm7, zmm11, 0x96
    vpaddd zmm25, zmm25, zmm1
    vpaddd zmm19, zmm10, zmmword ptr [rdx + 2560]
    vpaddd zmm24, zmm27, zmmword ptr [rdx + 3584]
    vpaddd zmm8, zmm8, dword ptr [r10 + 132]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 132]{1to16}
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 256]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 264]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 272]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 280]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpternlogd zmm10, zmm2, zmm9, 0x96
    vpternlogd zmm27, zmm30, zmm13, 0x96
    vpaddd zmm12, zmm12, zmm5
    vprold zmm25, zmm25, 4
    vpaddd zmm19, zmm19, dword ptr [r10 + 132]{1to16}
    vpaddd zmm24, zmm24, dword ptr [r10 + 132]{1to16}
    mov rax, qword ptr [rsi + 256]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 288]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 264]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 296]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm14, zmm14, zmm10
    vpaddd zmm22, zmm22, zmm27
    vprold zmm12, zmm12, 4
    vpaddd zmm25, zmm25, zmm0
    vpunpckldq zmm6, zmm31, zmm15
    vpunpckhdq zmm31, zmm31, zmm15
    mov rax, qword ptr [rsi + 272]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 304]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 280]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 0]
    vprold zmm14, zmm14, 4
    vprold zmm22, zmm22, 4
    vpaddd zmm12, zmm12, zmm11
    vmovdqa64 zmm21, zmm25
    vpternlogd zmm21, zmm0, zmm26, 0x96
    mov rax, qword ptr [rsi + 312]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm14, zmm14, zmm9
    vpaddd zmm22, zmm22, zmm13
    vmovdqa64 zmm20, zmm12
    vpternlogd zmm20, zmm11, zmm7, 0x96
    vpunpckldq zmm17, zmm28, zmm18
    vpunpckhdq zmm28, zmm28, zmm18
    vpaddd zmm8, zmm8, zmm21
    vpunpcklqdq zmm16, zmm6, zmm17
    vpunpckhqdq zmm6, zmm6, zmm17
    vpunpcklqdq zmm3, zmm31, zmm28
    vpunpckhqdq zmm31, zmm31, zmm28
    vmovdqa64 zmm23, zmm14
    vpternlogd zmm23, zmm9, zmm2, 0x96
    vmovdqa64 zmm29, zmm22
    vpternlogd zmm29, zmm13, zmm30, 0x96
    vpaddd zmm4, zmm4, zmm20
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 704]
    vpaddd zmm19, zmm19, zmm23
    vpaddd zmm24, zmm24, zmm29
    vprold zmm8, zmm8, 11
    vprold zmm4, zmm4, 11
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 1728]
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 2752]
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 3776]
    vpaddd zmm26, zmm26, dword ptr [r10 + 136]{1to16}
    vprold zmm19, zmm19, 11
    vprold zmm24, zmm24, 11
    vpaddd zmm8, zmm8, zmm25
    vpaddd zmm4, zmm4, zmm12
    vpaddd zmm7, zmm7, dword ptr [r10 + 136]{1to16}
    vpaddd zmm2, zmm2, dword ptr [r10 + 136]{1to16}
    vpaddd zmm30, zmm30, dword ptr [r10 + 136]{1to16}
    vpaddd zmm1, zmm0, zmmword ptr [rdx + 896]
    vpaddd zmm19, zmm19, zmm14
    vpaddd zmm24, zmm24, zmm22
    vpternlogd zmm0, zmm25, zmm8, 0x96
    vmovdqa64 zmm5, zmm4
    vpternlogd zmm5, zmm12, zmm11, 0x96
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1920]
    vpaddd zmm10, zmm9, zmmword ptr [rdx + 2944]
    vpaddd zmm27, zmm13, zmmword ptr [rdx + 3968]
    vpaddd zmm1, zmm1, dword ptr [r10 + 140]{1to16}
    vpternlogd zmm9, zmm14, zmm19, 0x96
    vpternlogd zmm13, zmm22, zmm24, 0x96
    vpaddd zmm26, zmm26, zmm0
    vpaddd zmm7, zmm7, zmm5
    vpaddd zmm11, zmm11, dword ptr [r10 + 140]{1to16}
    vpaddd zmm10, zmm10, dword ptr [r10 + 140]{1to16}
    vpaddd zmm27, zmm27, dword ptr [r10 + 140]{1to16}
    vpaddd zmm2, zmm2, zmm9
    vpaddd zmm30, zmm30, zmm13
    vprold zmm26, zmm26, 16
    vprold zmm7, zmm7, 16
    vprold zmm2, zmm2, 16
    vprold zmm30, zmm30, 16
    vpaddd zmm26, zmm26, zmm8
    vpaddd zmm7, zmm7, zmm4
    mov rax, qword ptr [rsi + 320]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 352]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm2, zmm2, zmm19
    vpaddd zmm30, zmm30, zmm24
    vmovdqa64 zmm18, zmm26
    vpternlogd zmm18, zmm8, zmm25, 0x96
    vmovdqa64 zmm21, zmm7
    vpternlogd zmm21, zmm4, zmm12, 0x96
    mov rax, qword ptr [rsi + 328]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 360]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 0], 1
    vmovdqa64 zmm28, zmm2
    vpternlogd zmm28, zmm19, zmm14, 0x96
    vmovdqa64 zmm20, zmm30
    vpternlogd zmm20, zmm24, zmm22, 0x96
    vpaddd zmm1, zmm1, zmm18
    vpaddd zmm11, zmm11, zmm21
    vpunpckldq zmm23, zmm15, zmm17
    vpunpckhdq zmm15, zmm15, zmm17
    mov rax, qword ptr [rsi + 336]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 368]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 344]
    vmovdqu64 ymm0, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 376]
    vinserti64x4 zmm0, zmm0, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm10, zmm10, zmm28
    vpaddd zmm27, zmm27, zmm20
    vprold zmm1, zmm1, 23
    vprold zmm11, zmm11, 23
    vpunpckldq zmm5, zmm29, zmm0
    vpunpckhdq zmm29, zmm29, zmm0
    vpaddd zmm25, zmm25, zmmword ptr [rdx + 64]
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 1088]
    vprold zmm10, zmm10, 23
    vprold zmm27, zmm27, 23
    vpaddd zmm1, zmm1, zmm26
    vpaddd zmm11, zmm11, zmm7
    vpunpcklqdq zmm9, zmm23, zmm5
    vpunpckhqdq zmm23, zmm23, zmm5
    vpaddd zmm14, zmm14, zmmword ptr [rdx + 2112]
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 3136]
    vpaddd zmm10, zmm10, zmm2
    vpaddd zmm27, zmm27, zmm30
    vpunpcklqdq zmm13, zmm15, zmm29
    vpunpckhqdq zmm15, zmm15, zmm29
    vpaddd zmm25, zmm25, dword ptr [r10 + 144]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 144]{1to16}
    vpaddd zmm14, zmm14, dword ptr [r10 + 144]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 144]{1to16}
    vmovdqa64 zmm18, zmm1
    vpternlogd zmm18, zmm26, zmm8, 0x96
    vmovdqa64 zmm21, zmm11
    vpternlogd zmm21, zmm7, zmm4, 0x96
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 256]
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 288]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 296]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 304]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 312]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1280]
    vmovdqa64 zmm17, zmm10
    vpternlogd zmm17, zmm2, zmm19, 0x96
    vpaddd zmm25, zmm25, zmm18
    vpaddd zmm12, zmm12, zmm21
    vmovdqa64 zmm28, zmm27
    vpternlogd zmm28, zmm30, zmm24, 0x96
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 2304]
    vpaddd zmm24, zmm24, zmmword ptr [rdx + 3328]
    vpaddd zmm8, zmm8, dword ptr [r10 + 148]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 148]{1to16}
    vpaddd zmm14, zmm14, zmm17
    vpaddd zmm22, zmm22, zmm28
    vprold zmm25, zmm25, 4
    vprold zmm12, zmm12, 4
    vpaddd zmm19, zmm19, dword ptr [r10 + 148]{1to16}
    vpaddd zmm24, zmm24, dword ptr [r10 + 148]{1to16}
    vprold zmm14, zmm14, 4
    vprold zmm22, zmm22, 4
    vpaddd zmm25, zmm25, zmm1
    vpaddd zmm12, zmm12, zmm11
    vpaddd zmm20, zmm26, zmmword ptr [rdx + 448]
    vpaddd zmm0, zmm7, zmmword ptr [rdx + 1472]
    vpaddd zmm14, zmm14, zmm10
    vpaddd zmm22, zmm22, zmm27
    vpternlogd zmm26, zmm1, zmm25, 0x96
    vpternlogd zmm7, zmm11, zmm12, 0x96
    vpaddd zmm20, zmm20, dword ptr [r10 + 152]{1to16}
    vpaddd zmm0, zmm0, dword ptr [r10 + 152]{1to16}
    vmovdqa64 zmm5, zmm14
    vpternlogd zmm5, zmm10, zmm2, 0x96
    vpaddd zmm8, zmm8, zmm26
    vpaddd zmm4, zmm4, zmm7
    vmovdqa64 zmm29, zmm22
    vpternlogd zmm29, zmm27, zmm30, 0x96
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 2496]
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 3520]
    vpaddd zmm19, zmm19, zmm5
    vpaddd zmm24, zmm24, zmm29
    vprold zmm8, zmm8, 11
    vprold zmm4, zmm4, 11
    vpaddd zmm2, zmm2, dword ptr [r10 + 152]{1to16}
    vpaddd zmm30, zmm30, dword ptr [r10 + 152]{1to16}
    vshufi64x2 zmm18, zmm16, zmm9, 0x88
    vshufi64x2 zmm16, zmm16, zmm9, 0xdd
    vprold zmm19, zmm19, 11
    vprold zmm24, zmm24, 11
    vpaddd zmm8, zmm8, zmm25
    vpaddd zmm4, zmm4, zmm12
    vmovdqa64 zmmword ptr [r9 + 2048], zmm18
    vmovdqa64 zmmword ptr [r9 + 2304], zmm16
    vshufi64x2 zmm21, zmm6, zmm23, 0x88
    vshufi64x2 zmm6, zmm6, zmm23, 0xdd
    vpaddd zmm19, zmm19, zmm14
    vpaddd zmm24, zmm24, zmm22
    vmovdqa64 zmm17, zmm8
    vpternlogd zmm17, zmm25, zmm1, 0x96
    vmovdqa64 zmm28, zmm4
    vpternlogd zmm28, zmm12, zmm11, 0x96
    vmovdqa64 zmmword ptr [r9 + 2112], zmm21
    vmovdqa64 zmmword ptr [r9 + 2368], zmm6
    vshufi64x2 zmm26, zmm3, zmm13, 0x88
    vshufi64x2 zmm3, zmm3, zmm13, 0xdd
    vshufi64x2 zmm7, zmm31, zmm15, 0x88
    vshufi64x2 zmm31, zmm31, zmm15, 0xdd
    vmovdqa64 zmm5, zmm19
    vpternlogd zmm5, zmm14, zmm10, 0x96
    vmovdqa64 zmm29, zmm24
    vpternlogd zmm29, zmm22, zmm27, 0x96
    vpaddd zmm20, zmm20, zmm17
    vpaddd zmm0, zmm0, zmm28
    vmovdqa64 zmmword ptr [r9 + 2176], zmm26
    vmovdqa64 zmmword ptr [r9 + 2432], zmm3
    vmovdqa64 zmmword ptr [r9 + 2240], zmm7
    vmovdqa64 zmmword ptr [r9 + 2496], zmm31
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 640]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1664]
    vpaddd zmm2, zmm2, zmm5
    vpaddd zmm30, zmm30, zmm29
    vprold zmm20, zmm20, 16
    vprold zmm0, zmm0, 16
    vpaddd zmm10, zmm10, zmmword ptr [rdx + 2688]
    vpaddd zmm27, zmm27, zmmword ptr [rdx + 3712]
    vpaddd zmm1, zmm1, dword ptr [r10 + 156]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 156]{1to16}
    vprold zmm2, zmm2, 16
    vprold zmm30, zmm30, 16
    vpaddd zmm20, zmm20, zmm8
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm10, zmm10, dword ptr [r10 + 156]{1to16}
    vpaddd zmm27, zmm27, dword ptr [r10 + 156]{1to16}
    vpaddd zmm9, zmm25, zmmword ptr [rdx + 832]
    vpaddd zmm18, zmm12, zmmword ptr [rdx + 1856]
    vpaddd zmm2, zmm2, zmm19
    vpaddd zmm30, zmm30, zmm24
    vpternlogd zmm25, zmm8, zmm20, 0x96
    vpternlogd zmm12, zmm4, zmm0, 0x96
    vpaddd zmm16, zmm14, zmmword ptr [rdx + 2880]
    vpaddd zmm23, zmm22, zmmword ptr [rdx + 3904]
    vpaddd zmm9, zmm9, dword ptr [r10 + 160]{1to16}
    vpaddd zmm18, zmm18, dword ptr [r10 + 160]{1to16}
    vpternlogd zmm14, zmm19, zmm2, 0x96
    vpternlogd zmm22, zmm24, zmm30, 0x96
    vpaddd zmm1, zmm1, zmm25
    vpaddd zmm11, zmm11, zmm12
    vpaddd zmm16, zmm16, dword ptr [r10 + 160]{1to16}
    vpaddd zmm23, zmm23, dword ptr [r10 + 160]{1to16}
    vpaddd zmm10, zmm10, zmm14
    vpaddd zmm27, zmm27, zmm22
    vprold zmm1, zmm1, 23
    vprold zmm11, zmm11, 23
    vprold zmm10, zmm10, 23
    vprold zmm27, zmm27, 23
    vpaddd zmm1, zmm1, zmm20
    vpaddd zmm11, zmm11, zmm0
    vpaddd zmm21, zmm8, zmmword ptr [rdx + 0]
    vpaddd zmm6, zmm4, zmmword ptr [rdx + 1024]
    vpaddd zmm10, zmm10, zmm2
    vpaddd zmm27, zmm27, zmm30
    vpternlogd zmm8, zmm20, zmm1, 0x96
    vpternlogd zmm4, zmm0, zmm11, 0x96
    mov rax, qword ptr [rsi + 256]
    vmovdqu64 ymm13, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 288]
    vinserti64x4 zmm13, zmm13, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 264]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 296]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 32], 1
    vmovdqa64 zmm17, zmm10
    vpternlogd zmm17, zmm2, zmm19, 0x96
    vmovdqa64 zmm28, zmm27
    vpternlogd zmm28, zmm30, zmm24, 0x96
    vpaddd zmm9, zmm9, zmm8
    vpaddd zmm18, zmm18, zmm4
    vpunpckldq zmm26, zmm13, zmm15
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 320]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 328]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 336]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 344]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpunpckhdq zmm13, zmm13, zmm15
    mov rax, qword ptr [rsi + 272]
    vmovdqu64 ymm3, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 304]
    vinserti64x4 zmm3, zmm3, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 280]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 312]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm16, zmm16, zmm17
    vpaddd zmm23, zmm23, zmm28
    vprold zmm9, zmm9, 4
    vprold zmm18, zmm18, 4
    vpunpckldq zmm31, zmm3, zmm7
    vpunpckhdq zmm3, zmm3, zmm7
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 2048]
    vpaddd zmm24, zmm24, zmmword ptr [rdx + 3072]
    vprold zmm16, zmm16, 4
    vprold zmm23, zmm23, 4
    vpaddd zmm9, zmm9, zmm1
    vpaddd zmm18, zmm18, zmm11
    vpunpcklqdq zmm5, zmm26, zmm31
    vpunpckhqdq zmm26, zmm26, zmm31
    vpaddd zmm21, zmm21, dword ptr [r10 + 164]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 164]{1to16}
    vpaddd zmm16, zmm16, zmm10
    vpaddd zmm23, zmm23, zmm27
    vpunpcklqdq zmm29, zmm13, zmm3
    vpunpckhqdq zmm13, zmm13, zmm3
    vpaddd zmm19, zmm19, dword ptr [r10 + 164]{1to16}
    vpaddd zmm24, zmm24, dword ptr [r10 + 164]{1to16}
    vmovdqa64 zmm25, zmm9
    vpternlogd zmm25, zmm1, zmm20, 0x96
    vmovdqa64 zmm12, zmm18
    vpternlogd zmm12, zmm11, zmm0, 0x96
    vmovdqa64 zmm14, zmm16
    vpternlogd zmm14, zmm10, zmm2, 0x96
    vmovdqa64 zmm22, zmm23
    vpternlogd zmm22, zmm27, zmm30, 0x96
    vpaddd zmm21, zmm21, zmm25
    vpaddd zmm6, zmm6, zmm12
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 192]
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 1216]
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 2240]
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 3264]
    vpaddd zmm19, zmm19, zmm14
    vpaddd zmm24, zmm24, zmm22
    vprold zmm21, zmm21, 11
    vprold zmm6, zmm6, 11
    vpaddd zmm20, zmm20, dword ptr [r10 + 168]{1to16}
    vpaddd zmm0, zmm0, dword ptr [r10 + 168]{1to16}
    vpaddd zmm2, zmm2, dword ptr [r10 + 168]{1to16}
    vpaddd zmm30, zmm30, dword ptr [r10 + 168]{1to16}
    vprold zmm19, zmm19, 11
    vprold zmm24, zmm24, 11
    vpaddd zmm21, zmm21, zmm9
    vpaddd zmm6, zmm6, zmm18
    vpaddd zmm8, zmm1, zmmword ptr [rdx + 384]
    vpaddd zmm4, zmm11, zmmword ptr [rdx + 1408]
    vpaddd zmm19, zmm19, zmm16
    vpaddd zmm24, zmm24, zmm23
    vpternlogd zmm1, zmm9, zmm21, 0x96
    vpternlogd zmm11, zmm18, zmm6, 0x96
    vpaddd zmm15, zmm10, zmmword ptr [rdx + 2432]
    vpaddd zmm17, zmm27, zmmword ptr [rdx + 3456]
    vpaddd zmm8, zmm8, dword ptr [r10 + 172]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 172]{1to16}
    vpternlogd zmm10, zmm16, zmm19, 0x96
    vpternlogd zmm27, zmm23, zmm24, 0x96
    vpaddd zmm20, zmm20, zmm1
    vpaddd zmm0, zmm0, zmm11
    vpaddd zmm15, zmm15, dword ptr [r10 + 172]{1to16}
    vpaddd zmm17, zmm17, dword ptr [r10 + 172]{1to16}
    vpaddd zmm2, zmm2, zmm10
    vpaddd zmm30, zmm30, zmm27
    vprold zmm20, zmm20, 16
    vprold zmm0, zmm0, 16
    mov rax, qword ptr [rsi + 320]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 352]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 328]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 360]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 32], 1
    vprold zmm2, zmm2, 16
    vprold zmm30, zmm30, 16
    vpaddd zmm20, zmm20, zmm21
    vpaddd zmm0, zmm0, zmm6
    vpunpckldq zmm31, zmm28, zmm7
    vpunpckhdq zmm28, zmm28, zmm7
    mov rax, qword ptr [rsi + 336]
    vmovdqu64 ymm3, ymmword ptr [rax + r8 + 32]
    vpaddd zmm2, zmm2, zmm19
    vpaddd zmm30, zmm30, zmm24
    vmovdqa64 zmm25, zmm20
    vpternlogd zmm25, zmm21, zmm9, 0x96
    vmovdqa64 zmm12, zmm0
    vpternlogd zmm12, zmm6, zmm18, 0x96
    mov rax, qword ptr [rsi + 368]
    vinserti64x4 zmm3, zmm3, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 344]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 376]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 32], 1
    vmovdqa64 zmm22, zmm2
    vpternlogd zmm22, zmm19, zmm16, 0x96
    vpaddd zmm8, zmm8, zmm25
    vpaddd zmm4, zmm4, zmm12
    vmovdqa64 zmm1, zmm30
    vpternlogd zmm1, zmm24, zmm23, 0x96
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 576]
    vpaddd zmm18, zmm18, zmmword ptr [rdx + 1600]
    vpaddd zmm15, zmm15, zmm22
    vpaddd zmm17, zmm17, zmm1
    vprold zmm8, zmm8, 23
    vprold zmm4, zmm4, 23
    vpunpckldq zmm11, zmm3, zmm14
    vpunpckhdq zmm3, zmm3, zmm14
    vpaddd zmm16, zmm16, zmmword ptr [rdx + 2624]
    vpaddd zmm23, zmm23, zmmword ptr [rdx + 3648]
    vpunpcklqdq zmm10, zmm31, zmm11
    vpunpckhqdq zmm31, zmm31, zmm11
    vpunpcklqdq zmm27, zmm28, zmm3
    vpunpckhqdq zmm28, zmm28, zmm3
    vpaddd zmm8, zmm8, zmm20
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm9, zmm9, dword ptr [r10 + 176]{1to16}
    vpaddd zmm18, zmm18, dword ptr [r10 + 176]{1to16}
    vprold zmm15, zmm15, 23
    vprold zmm17, zmm17, 23
    vpaddd zmm16, zmm16, dword ptr [r10 + 176]{1to16}
    vpaddd zmm23, zmm23, dword ptr [r10 + 176]{1to16}
    vmovdqa64 zmm7, zmm8
    vpternlogd zmm7, zmm20, zmm21, 0x96
    vmovdqa64 zmm25, zmm4
    vpternlogd zmm25, zmm0, zmm6, 0x96
    vpaddd zmm21, zmm21, zmmword ptr [rdx + 768]
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1792]
    vpaddd zmm15, zmm15, zmm2
    vpaddd zmm17, zmm17, zmm30
    vpaddd zmm9, zmm9, zmm7
    vpaddd zmm18, zmm18, zmm25
    vpaddd zmm12, zmm19, zmmword ptr [rdx + 2816]
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 352]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 360]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 368]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 376]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpaddd zmm22, zmm24, zmmword ptr [rdx + 3840]
    vpaddd zmm21, zmm21, dword ptr [r10 + 180]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 180]{1to16}
    vpternlogd zmm19, zmm2, zmm15, 0x96
    vpternlogd zmm24, zmm30, zmm17, 0x96
    vprold zmm9, zmm9, 4
    vprold zmm18, zmm18, 4
    vpaddd zmm12, zmm12, dword ptr [r10 + 180]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 180]{1to16}
    vpaddd zmm16, zmm16, zmm19
    vpaddd zmm23, zmm23, zmm24
    vpaddd zmm9, zmm9, zmm8
    vpaddd zmm18, zmm18, zmm4
    vprold zmm16, zmm16, 4
    vprold zmm23, zmm23, 4
    vmovdqa64 zmm1, zmm9
    vpternlogd zmm1, zmm8, zmm20, 0x96
    vmovdqa64 zmm14, zmm18
    vpternlogd zmm14, zmm4, zmm0, 0x96
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 960]
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 1984]
    vpaddd zmm16, zmm16, zmm15
    vpaddd zmm23, zmm23, zmm17
    vpaddd zmm21, zmm21, zmm1
    vpaddd zmm6, zmm6, zmm14
    vpaddd zmm11, zmm2, zmmword ptr [rdx + 3008]
    vpaddd zmm3, zmm30, zmmword ptr [rdx + 4032]
    vpaddd zmm20, zmm20, dword ptr [r10 + 184]{1to16}
    vpaddd zmm0, zmm0, dword ptr [r10 + 184]{1to16}
    vpternlogd zmm2, zmm15, zmm16, 0x96
    vpternlogd zmm30, zmm17, zmm23, 0x96
    vprold zmm21, zmm21, 11
    vprold zmm6, zmm6, 11
    vpaddd zmm12, zmm12, zmm2
    vpaddd zmm22, zmm22, zmm30
    vpaddd zmm21, zmm21, zmm9
    vpaddd zmm6, zmm6, zmm18
    vshufi64x2 zmm7, zmm5, zmm10, 0x88
    vshufi64x2 zmm5, zmm5, zmm10, 0xdd
    vshufi64x2 zmm25, zmm26, zmm31, 0x88
    vshufi64x2 zmm26, zmm26, zmm31, 0xdd
    vprold zmm12, zmm12, 11
    vprold zmm22, zmm22, 11
    vmovdqa64 zmmword ptr [r9 + 2560], zmm7
    vmovdqa64 zmmword ptr [r9 + 2816], zmm5
    vmovdqa64 zmmword ptr [r9 + 2624], zmm25
    vmovdqa64 zmmword ptr [r9 + 2880], zmm26
    vshufi64x2 zmm19, zmm29, zmm27, 0x88
    vshufi64x2 zmm29, zmm29, zmm27, 0xdd
    vpaddd zmm11, zmm11, dword ptr [r10 + 184]{1to16}
    vpaddd zmm3, zmm3, dword ptr [r10 + 184]{1to16}
    vmovdqa64 zmm24, zmm21
    vpternlogd zmm24, zmm9, zmm8, 0x96
    vmovdqa64 zmm1, zmm6
    vpternlogd zmm1, zmm18, zmm4, 0x96
    vpaddd zmm12, zmm12, zmm16
    vpaddd zmm22, zmm22, zmm23
    vmovdqa64 zmmword ptr [r9 + 2688], zmm19
    vmovdqa64 zmmword ptr [r9 + 2944], zmm29
    vshufi64x2 zmm14, zmm13, zmm28, 0x88
    vshufi64x2 zmm13, zmm13, zmm28, 0xdd
    vpaddd zmm20, zmm20, zmm24
    vpaddd zmm0, zmm0, zmm1
    vmovdqa64 zmmword ptr [r9 + 2752], zmm14
    vmovdqa64 zmmword ptr [r9 + 3008], zmm13
    vmovdqa64 zmm2, zmm12
    vpternlogd zmm2, zmm16, zmm15, 0x96
    vmovdqa64 zmm30, zmm22
    vpternlogd zmm30, zmm23, zmm17, 0x96
    vprold zmm20, zmm20, 16
    vprold zmm0, zmm0, 16
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 128]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1152]
    vpaddd zmm15, zmm15, zmmword ptr [rdx + 2176]
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 3200]
    vpaddd zmm11, zmm11, zmm2
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm20, zmm20, zmm21
    vpaddd zmm0, zmm0, zmm6
    vpaddd zmm8, zmm8, dword ptr [r10 + 188]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 188]{1to16}
    vpaddd zmm15, zmm15, dword ptr [r10 + 188]{1to16}
    vpaddd zmm17, zmm17, dword ptr [r10 + 188]{1to16}
    vprold zmm11, zmm11, 16
    vprold zmm3, zmm3, 16
    vmovdqa64 zmm10, zmm20
    vpternlogd zmm10, zmm21, zmm9, 0x96
    vmovdqa64 zmm31, zmm0
    vpternlogd zmm31, zmm6, zmm18, 0x96
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 0]
    vpaddd zmm18, zmm18, zmmword ptr [rdx + 1024]
    vpaddd zmm11, zmm11, zmm12
    vpaddd zmm3, zmm3, zmm22
    vpaddd zmm8, zmm8, zmm10
    vpaddd zmm4, zmm4, zmm31
    vpaddd zmm7, zmm16, zmmword ptr [rdx + 2048]
    vpaddd zmm5, zmm23, zmmword ptr [rdx + 3072]
    vpaddd zmm9, zmm9, dword ptr [r10 + 192]{1to16}
    vpaddd zmm18, zmm18, dword ptr [r10 + 192]{1to16}
    vpternlogd zmm16, zmm12, zmm11, 0x96
    vpternlogd zmm23, zmm22, zmm3, 0x96
    vprold zmm8, zmm8, 23
    vprold zmm4, zmm4, 23
    vpaddd zmm7, zmm7, dword ptr [r10 + 192]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 192]{1to16}
    vpaddd zmm15, zmm15, zmm16
    vpaddd zmm17, zmm17, zmm23
    vpaddd zmm8, zmm8, zmm20
    vpaddd zmm4, zmm4, zmm0
    vprold zmm15, zmm15, 23
    vprold zmm17, zmm17, 23
    vmovdqa64 zmm25, zmm8
    vpternlogd zmm25, zmm20, zmm21, 0x39
    vmovdqa64 zmm26, zmm4
    vpternlogd zmm26, zmm0, zmm6, 0x39
    mov rax, qword ptr [rsi + 384]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 416]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 392]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    vpaddd zmm15, zmm15, zmm11
    vpaddd zmm17, zmm17, zmm3
    vpaddd zmm9, zmm9, zmm25
    vpaddd zmm18, zmm18, zmm26
    mov rax, qword ptr [rsi + 424]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 400]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    vmovdqa64 zmm28, zmm15
    vpternlogd zmm28, zmm11, zmm12, 0x39
    vmovdqa64 zmm24, zmm17
    vpternlogd zmm24, zmm3, zmm22, 0x39
    vprold zmm9, zmm9, 6
    vprold zmm18, zmm18, 6
    vpunpckldq zmm1, zmm27, zmm19
    vpunpckhdq zmm27, zmm27, zmm19
    mov rax, qword ptr [rsi + 408]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 0]
    vpaddd zmm21, zmm21, zmmword ptr [rdx + 448]
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 384]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 392]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 400]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 408]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 1472]
    vpaddd zmm7, zmm7, zmm28
    vpaddd zmm5, zmm5, zmm24
    vpaddd zmm9, zmm9, zmm8
    vpaddd zmm18, zmm18, zmm4
    mov rax, qword ptr [rsi + 432]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 440]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 2496]
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 3520]
    vprold zmm7, zmm7, 6
    vprold zmm5, zmm5, 6
    vpunpckldq zmm13, zmm29, zmm14
    vpunpckhdq zmm29, zmm29, zmm14
    vpaddd zmm21, zmm21, dword ptr [r10 + 196]{1to16}
    vpaddd zmm6, zmm6, dword ptr [r10 + 196]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 196]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 196]{1to16}
    vpaddd zmm7, zmm7, zmm15
    vpunpcklqdq zmm2, zmm1, zmm13
    vpunpckhqdq zmm1, zmm1, zmm13
    vpunpcklqdq zmm30, zmm27, zmm29
    vpunpckhqdq zmm27, zmm27, zmm29
    vpaddd zmm5, zmm5, zmm17
    vmovdqa64 zmm10, zmm9
    vpternlogd zmm10, zmm8, zmm20, 0x39
    vmovdqa64 zmm31, zmm18
    vpternlogd zmm31, zmm4, zmm0, 0x39
    vmovdqa64 zmm16, zmm7
    vpternlogd zmm16, zmm15, zmm11, 0x39
    vmovdqa64 zmm23, zmm5
    vpternlogd zmm23, zmm17, zmm3, 0x39
    vpaddd zmm21, zmm21, zmm10
    vpaddd zmm6, zmm6, zmm31
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 896]
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 1920]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 2944]
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 3968]
    vpaddd zmm12, zmm12, zmm16
    vpaddd zmm22, zmm22, zmm23
    vprold zmm21, zmm21, 10
    vprold zmm6, zmm6, 10
    vpaddd zmm20, zmm20, dword ptr [r10 + 200]{1to16}
    vpaddd zmm0, zmm0, dword ptr [r10 + 200]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 200]{1to16}
    vpaddd zmm3, zmm3, dword ptr [r10 + 200]{1to16}
    vprold zmm12, zmm12, 10
    vprold zmm22, zmm22, 10
    vpaddd zmm21, zmm21, zmm9
    vpaddd zmm6, zmm6, zmm18
    vpaddd zmm25, zmm8, zmmword ptr [rdx + 320]
    vpaddd zmm26, zmm4, zmmword ptr [rdx + 1344]
    vpaddd zmm12, zmm12, zmm7
    vpaddd zmm22, zmm22, zmm5
    vpternlogd zmm8, zmm9, zmm21, 0x63
    vpternlogd zmm4, zmm18, zmm6, 0x63
    vpaddd zmm19, zmm15, zmmword ptr [rdx + 2368]
    vpaddd zmm28, zmm17, zmmword ptr [rdx + 3392]
    vpaddd zmm25, zmm25, dword ptr [r10 + 204]{1to16}
    vpaddd zmm26, zmm26, dword ptr [r10 + 204]{1to16}
    vpternlogd zmm15, zmm7, zmm12, 0x63
    vpternlogd zmm17, zmm5, zmm22, 0x63
    vpaddd zmm20, zmm20, zmm8
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm19, zmm19, dword ptr [r10 + 204]{1to16}
    vpaddd zmm28, zmm28, dword ptr [r10 + 204]{1to16}
    mov rax, qword ptr [rsi + 448]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 480]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 456]
    vmovdqu64 ymm14, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 488]
    vinserti64x4 zmm14, zmm14, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm11, zmm11, zmm15
    vpaddd zmm3, zmm3, zmm17
    vprold zmm20, zmm20, 15
    vprold zmm0, zmm0, 15
    vpunpckldq zmm13, zmm24, zmm14
    vpunpckhdq zmm24, zmm24, zmm14
    mov rax, qword ptr [rsi + 464]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 472]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 0]
    vprold zmm11, zmm11, 15
    vprold zmm3, zmm3, 15
    vpaddd zmm20, zmm20, zmm21
    vpaddd zmm0, zmm0, zmm6
    mov rax, qword ptr [rsi + 496]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 504]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm11, zmm11, zmm12
    vpaddd zmm3, zmm3, zmm22
    vmovdqa64 zmm31, zmm20
    vpternlogd zmm31, zmm21, zmm9, 0x39
    vmovdqa64 zmm16, zmm0
    vpternlogd zmm16, zmm6, zmm18, 0x39
    vmovdqa64 zmm23, zmm11
    vpternlogd zmm23, zmm12, zmm7, 0x39
    vpaddd zmm25, zmm25, zmm31
    vpaddd zmm26, zmm26, zmm16
    vpunpckldq zmm8, zmm29, zmm10
    vpunpckhdq zmm29, zmm29, zmm10
    vmovdqa64 zmm4, zmm3
    vpternlogd zmm4, zmm22, zmm5, 0x39
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 768]
    vpaddd zmm18, zmm18, zmmword ptr [rdx + 1792]
    vpunpcklqdq zmm15, zmm13, zmm8
    vpunpckhqdq zmm13, zmm13, zmm8
    vpaddd zmm19, zmm19, zmm23
    vpunpcklqdq zmm17, zmm24, zmm29
    vpunpckhqdq zmm24, zmm24, zmm29
    vpaddd zmm28, zmm28, zmm4
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 2816]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 3840]
    vprold zmm25, zmm25, 21
    vprold zmm26, zmm26, 21
    vprold zmm19, zmm19, 21
    vprold zmm28, zmm28, 21
    vpaddd zmm9, zmm9, dword ptr [r10 + 208]{1to16}
    vpaddd zmm18, zmm18, dword ptr [r10 + 208]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 208]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 208]{1to16}
    vpaddd zmm25, zmm25, zmm20
    vpaddd zmm26, zmm26, zmm0
    vpaddd zmm19, zmm19, zmm11
    vpaddd zmm28, zmm28, zmm3
    vpaddd zmm14, zmm21, zmmword ptr [rdx + 192]
    vpaddd zmm31, zmm6, zmmword ptr [rdx + 1216]
    vpternlogd zmm21, zmm20, zmm25, 0x63
    vpternlogd zmm6, zmm0, zmm26, 0x63
    vpaddd zmm14, zmm14, dword ptr [r10 + 212]{1to16}
    vpaddd zmm31, zmm31, dword ptr [r10 + 212]{1to16}
    vmovdqa64 zmm16, zmm19
    vpternlogd zmm16, zmm11, zmm12, 0x39
    vpaddd zmm9, zmm9, zmm21
    vpaddd zmm18, zmm18, zmm6
    vmovdqa64 zmm10, zmm28
    vpternlogd zmm10, zmm3, zmm22, 0x39
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 2240]
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 416]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 424]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 432]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 440]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 3264]
    vpaddd zmm7, zmm7, zmm16
    vpaddd zmm5, zmm5, zmm10
    vprold zmm9, zmm9, 6
    vprold zmm18, zmm18, 6
    vpaddd zmm12, zmm12, dword ptr [r10 + 212]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 212]{1to16}
    vprold zmm7, zmm7, 6
    vprold zmm5, zmm5, 6
    vpaddd zmm9, zmm9, zmm25
    vpaddd zmm18, zmm18, zmm26
    vshufi64x2 zmm8, zmm2, zmm15, 0x88
    vpaddd zmm7, zmm7, zmm19
    vpaddd zmm5, zmm5, zmm28
    vmovdqa64 zmm23, zmm9
    vpternlogd zmm23, zmm25, zmm20, 0x39
    vmovdqa64 zmmword ptr [r9 + 3072], zmm8
    vmovdqa64 zmm29, zmm18
    vpternlogd zmm29, zmm26, zmm0, 0x39
    vshufi64x2 zmm2, zmm2, zmm15, 0xdd
    vshufi64x2 zmm4, zmm1, zmm13, 0x88
    vmovdqa64 zmm21, zmm7
    vpternlogd zmm21, zmm19, zmm11, 0x39
    vpaddd zmm14, zmm14, zmm23
    vpaddd zmm31, zmm31, zmm29
    vmovdqa64 zmm6, zmm5
    vpternlogd zmm6, zmm28, zmm3, 0x39
    vmovdqa64 zmmword ptr [r9 + 3328], zmm2
    vmovdqa64 zmmword ptr [r9 + 3136], zmm4
    vshufi64x2 zmm1, zmm1, zmm13, 0xdd
    vshufi64x2 zmm16, zmm30, zmm17, 0x88
    vshufi64x2 zmm30, zmm30, zmm17, 0xdd
    vshufi64x2 zmm10, zmm27, zmm24, 0x88
    vpaddd zmm12, zmm12, zmm21
    vpaddd zmm22, zmm22, zmm6
    vprold zmm14, zmm14, 10
    vprold zmm31, zmm31, 10
    vmovdqa64 zmmword ptr [r9 + 3392], zmm1
    vmovdqa64 zmmword ptr [r9 + 3200], zmm16
    vmovdqa64 zmmword ptr [r9 + 3456], zmm30
    vmovdqa64 zmmword ptr [r9 + 3264], zmm10
    vshufi64x2 zmm27, zmm27, zmm24, 0xdd
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 640]
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 1664]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 2688]
    vprold zmm12, zmm12, 10
    vprold zmm22, zmm22, 10
    vpaddd zmm14, zmm14, zmm9
    vpaddd zmm31, zmm31, zmm18
    vmovdqa64 zmmword ptr [r9 + 3520], zmm27
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 3712]
    vpaddd zmm20, zmm20, dword ptr [r10 + 216]{1to16}
    vpaddd zmm0, zmm0, dword ptr [r10 + 216]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 216]{1to16}
    vpaddd zmm12, zmm12, zmm7
    vpaddd zmm22, zmm22, zmm5
    vpaddd zmm3, zmm3, dword ptr [r10 + 216]{1to16}
    vmovdqa64 zmm8, zmm14
    vpternlogd zmm8, zmm9, zmm25, 0x39
    vmovdqa64 zmm15, zmm31
    vpternlogd zmm15, zmm18, zmm26, 0x39
    vmovdqa64 zmm23, zmm12
    vpternlogd zmm23, zmm7, zmm19, 0x39
    vmovdqa64 zmm29, zmm22
    vpternlogd zmm29, zmm5, zmm28, 0x39
    vpaddd zmm20, zmm20, zmm8
    vpaddd zmm0, zmm0, zmm15
    vpaddd zmm25, zmm25, zmmword ptr [rdx + 64]
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 1088]
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 2112]
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 3136]
    vpaddd zmm11, zmm11, zmm23
    vpaddd zmm3, zmm3, zmm29
    vprold zmm20, zmm20, 15
    vprold zmm0, zmm0, 15
    vpaddd zmm25, zmm25, dword ptr [r10 + 220]{1to16}
    vpaddd zmm26, zmm26, dword ptr [r10 + 220]{1to16}
    vpaddd zmm19, zmm19, dword ptr [r10 + 220]{1to16}
    vpaddd zmm28, zmm28, dword ptr [r10 + 220]{1to16}
    vprold zmm11, zmm11, 15
    vprold zmm3, zmm3, 15
    vpaddd zmm20, zmm20, zmm14
    vpaddd zmm0, zmm0, zmm31
    vpaddd zmm2, zmm9, zmmword ptr [rdx + 512]
    vpaddd zmm4, zmm18, zmmword ptr [rdx + 1536]
    vpaddd zmm11, zmm11, zmm12
    vpaddd zmm3, zmm3, zmm22
    vpternlogd zmm9, zmm14, zmm20, 0x63
    vpternlogd zmm18, zmm31, zmm0, 0x63
    vpaddd zmm13, zmm7, zmmword ptr [rdx + 2560]
    vpaddd zmm17, zmm5, zmmword ptr [rdx + 3584]
    vpaddd zmm2, zmm2, dword ptr [r10 + 224]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 224]{1to16}
    vpternlogd zmm7, zmm12, zmm11, 0x63
    vpternlogd zmm5, zmm22, zmm3, 0x63
    vpaddd zmm25, zmm25, zmm9
    vpaddd zmm26, zmm26, zmm18
    vpaddd zmm13, zmm13, dword ptr [r10 + 224]{1to16}
    vpaddd zmm17, zmm17, dword ptr [r10 + 224]{1to16}
    mov rax, qword ptr [rsi + 384]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 416]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 392]
    vmovdqu64 ymm6, ymmword ptr [rax + r8 + 32]
    vpaddd zmm19, zmm19, zmm7
    vpaddd zmm28, zmm28, zmm5
    vprold zmm25, zmm25, 21
    vprold zmm26, zmm26, 21
    mov rax, qword ptr [rsi + 424]
    vinserti64x4 zmm6, zmm6, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 400]
    vmovdqu64 ymm1, ymmword ptr [rax + r8 + 32]
    vprold zmm19, zmm19, 21
    vprold zmm28, zmm28, 21
    vpaddd zmm25, zmm25, zmm20
    vpaddd zmm26, zmm26, zmm0
    vpunpckldq zmm16, zmm21, zmm6
    vpunpckhdq zmm21, zmm21, zmm6
    mov rax, qword ptr [rsi + 408]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 32]
    vpaddd zmm19, zmm19, zmm11
    vpaddd zmm28, zmm28, zmm3
    vmovdqa64 zmm10, zmm25
    vpternlogd zmm10, zmm20, zmm14, 0x39
    vmovdqa64 zmm24, zmm26
    vpternlogd zmm24, zmm0, zmm31, 0x39
    mov rax, qword ptr [rsi + 432]
    vinserti64x4 zmm1, zmm1, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 440]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 32], 1
    vmovdqa64 zmm27, zmm19
    vpternlogd zmm27, zmm11, zmm12, 0x39
    vmovdqa64 zmm8, zmm28
    vpternlogd zmm8, zmm3, zmm22, 0x39
    vpaddd zmm2, zmm2, zmm10
    vpaddd zmm4, zmm4, zmm24
    vpunpckldq zmm15, zmm1, zmm30
    vpunpckhdq zmm1, zmm1, zmm30
    vpaddd zmm14, zmm14, zmmword ptr [rdx + 960]
    vpaddd zmm31, zmm31, zmmword ptr [rdx + 1984]
    vpaddd zmm13, zmm13, zmm27
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 448]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 456]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 464]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 472]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vpunpcklqdq zmm23, zmm16, zmm15
    vpunpckhqdq zmm16, zmm16, zmm15
    vpunpcklqdq zmm29, zmm21, zmm1
    vpunpckhqdq zmm21, zmm21, zmm1
    vpaddd zmm17, zmm17, zmm8
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 3008]
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 4032]
    vprold zmm2, zmm2, 6
    vprold zmm4, zmm4, 6
    vprold zmm13, zmm13, 6
    vprold zmm17, zmm17, 6
    vpaddd zmm14, zmm14, dword ptr [r10 + 228]{1to16}
    vpaddd zmm31, zmm31, dword ptr [r10 + 228]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 228]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 228]{1to16}
    vpaddd zmm2, zmm2, zmm25
    vpaddd zmm4, zmm4, zmm26
    vpaddd zmm13, zmm13, zmm19
    vpaddd zmm17, zmm17, zmm28
    vpaddd zmm9, zmm20, zmmword ptr [rdx + 384]
    vpaddd zmm18, zmm0, zmmword ptr [rdx + 1408]
    vpaddd zmm7, zmm11, zmmword ptr [rdx + 2432]
    vpaddd zmm5, zmm3, zmmword ptr [rdx + 3456]
    vpternlogd zmm20, zmm25, zmm2, 0x63
    vpternlogd zmm0, zmm26, zmm4, 0x63
    vpternlogd zmm11, zmm19, zmm13, 0x63
    vpternlogd zmm3, zmm28, zmm17, 0x63
    vpaddd zmm9, zmm9, dword ptr [r10 + 232]{1to16}
    vpaddd zmm18, zmm18, dword ptr [r10 + 232]{1to16}
    vpaddd zmm7, zmm7, dword ptr [r10 + 232]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 232]{1to16}
    vpaddd zmm14, zmm14, zmm20
    vpaddd zmm31, zmm31, zmm0
    vpaddd zmm12, zmm12, zmm11
    vpaddd zmm22, zmm22, zmm3
    vprold zmm14, zmm14, 10
    vprold zmm31, zmm31, 10
    vprold zmm12, zmm12, 10
    vprold zmm22, zmm22, 10
    vpaddd zmm14, zmm14, zmm2
    vpaddd zmm31, zmm31, zmm4
    vpaddd zmm12, zmm12, zmm13
    vpaddd zmm22, zmm22, zmm17
    vpaddd zmm6, zmm25, zmmword ptr [rdx + 832]
    vpaddd zmm10, zmm26, zmmword ptr [rdx + 1856]
    vpaddd zmm24, zmm19, zmmword ptr [rdx + 2880]
    mov rax, qword ptr [rsi + 448]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 32]
    vpternlogd zmm25, zmm2, zmm14, 0x63
    vpternlogd zmm26, zmm4, zmm31, 0x63
    vpternlogd zmm19, zmm13, zmm12, 0x63
    vmovdqa64 zmm27, zmm22
    vpternlogd zmm27, zmm17, zmm28, 0x39
    mov rax, qword ptr [rsi + 480]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 456]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 488]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm9, zmm9, zmm25
    vpaddd zmm18, zmm18, zmm26
    vpaddd zmm7, zmm7, zmm19
    vpaddd zmm5, zmm5, zmm27
    vpunpckldq zmm1, zmm30, zmm15
    vpunpckhdq zmm30, zmm30, zmm15
    mov rax, qword ptr [rsi + 464]
    vmovdqu64 ymm8, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 496]
    vinserti64x4 zmm8, zmm8, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 472]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 504]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 32], 1
    vprold zmm9, zmm9, 15
    vprold zmm18, zmm18, 15
    vprold zmm7, zmm7, 15
    vprold zmm5, zmm5, 15
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 3904]
    vpaddd zmm6, zmm6, dword ptr [r10 + 236]{1to16}
    vpaddd zmm10, zmm10, dword ptr [r10 + 236]{1to16}
    vpaddd zmm24, zmm24, dword ptr [r10 + 236]{1to16}
    vpaddd zmm9, zmm9, zmm14
    vpaddd zmm18, zmm18, zmm31
    vpaddd zmm7, zmm7, zmm12
    vpaddd zmm5, zmm5, zmm22
    vpunpckldq zmm0, zmm8, zmm20
    vpunpckhdq zmm8, zmm8, zmm20
    vpaddd zmm28, zmm28, dword ptr [r10 + 236]{1to16}
    vpunpcklqdq zmm11, zmm1, zmm0
    vpunpckhqdq zmm1, zmm1, zmm0
    vpunpcklqdq zmm3, zmm30, zmm8
    vpunpckhqdq zmm30, zmm30, zmm8
    vmovdqa64 zmm25, zmm9
    vpternlogd zmm25, zmm14, zmm2, 0x39
    vmovdqa64 zmm26, zmm18
    vpternlogd zmm26, zmm31, zmm4, 0x39
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 256]
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 1280]
    vmovdqa64 zmm19, zmm7
    vpternlogd zmm19, zmm12, zmm13, 0x39
    vpaddd zmm6, zmm6, zmm25
    vpaddd zmm10, zmm10, zmm26
    vmovdqa64 zmm27, zmm5
    vpternlogd zmm27, zmm22, zmm17, 0x39
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 2304]
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 3328]
    vpaddd zmm2, zmm2, dword ptr [r10 + 240]{1to16}
    vpaddd zmm4, zmm4, dword ptr [r10 + 240]{1to16}
    vpaddd zmm24, zmm24, zmm19
    vpaddd zmm28, zmm28, zmm27
    vprold zmm6, zmm6, 21
    vprold zmm10, zmm10, 21
    vpaddd zmm13, zmm13, dword ptr [r10 + 240]{1to16}
    vpaddd zmm17, zmm17, dword ptr [r10 + 240]{1to16}
    vprold zmm24, zmm24, 21
    vprold zmm28, zmm28, 21
    vpaddd zmm6, zmm6, zmm9
    vpaddd zmm10, zmm10, zmm18
    vpaddd zmm15, zmm14, zmmword ptr [rdx + 704]
    vpaddd zmm20, zmm31, zmmword ptr [rdx + 1728]
    vpaddd zmm24, zmm24, zmm7
    vpaddd zmm28, zmm28, zmm5
    vpternlogd zmm14, zmm9, zmm6, 0x63
    vpternlogd zmm31, zmm18, zmm10, 0x63
    vpaddd zmm15, zmm15, dword ptr [r10 + 244]{1to16}
    vpaddd zmm20, zmm20, dword ptr [r10 + 244]{1to16}
    vmovdqa64 zmm0, zmm24
    vpternlogd zmm0, zmm7, zmm12, 0x39
    vpaddd zmm2, zmm2, zmm14
    vpaddd zmm4, zmm4, zmm31
    vmovdqa64 zmm8, zmm28
    vpternlogd zmm8, zmm5, zmm22, 0x39
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 2752]
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 3776]
    vpaddd zmm13, zmm13, zmm0
    vpaddd zmm17, zmm17, zmm8
    vprold zmm2, zmm2, 6
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 480]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 488]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 496]
    prefetcht0 byte ptr [rax + r15 + 0]
    mov rax, qword ptr [rsi + 504]
    prefetcht0 byte ptr [rax + r15 + 0]
4:
    vprold zmm4, zmm4, 6
    vpaddd zmm12, zmm12, dword ptr [r10 + 244]{1to16}
    vpaddd zmm22, zmm22, dword ptr [r10 + 244]{1to16}
    vshufi64x2 zmm25, zmm23, zmm11, 0x88
    vshufi64x2 zmm23, zmm23, zmm11, 0xdd
    vprold zmm13, zmm13, 6
    vprold zmm17, zmm17, 6
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm4, zmm4, zmm10
    vmovdqa64 zmmword ptr [r9 + 3584], zmm25
    vmovdqa64 zmmword ptr [r9 + 3840], zmm23
    vshufi64x2 zmm26, zmm16, zmm1, 0x88
    vshufi64x2 zmm16, zmm16, zmm1, 0xdd
    vpaddd zmm13, zmm13, zmm24
    vpaddd zmm17, zmm17, zmm28
    vmovdqa64 zmm19, zmm2
    vpternlogd zmm19, zmm6, zmm9, 0x39
    vmovdqa64 zmm27, zmm4
    vpternlogd zmm27, zmm10, zmm18, 0x39
    vmovdqa64 zmmword ptr [r9 + 3648], zmm26
    vmovdqa64 zmmword ptr [r9 + 3904], zmm16
    vshufi64x2 zmm14, zmm29, zmm3, 0x88
    vshufi64x2 zmm29, zmm29, zmm3, 0xdd
    vmovdqa64 zmm31, zmm13
    vpternlogd zmm31, zmm24, zmm7, 0x39
    vmovdqa64 zmm0, zmm17
    vpternlogd zmm0, zmm28, zmm5, 0x39
    vpaddd zmm15, zmm15, zmm19
    vpaddd zmm20, zmm20, zmm27
    vmovdqa64 zmmword ptr [r9 + 3712], zmm14
    vmovdqa64 zmmword ptr [r9 + 3968], zmm29
    vshufi64x2 zmm8, zmm21, zmm30, 0x88
    vshufi64x2 zmm21, zmm21, zmm30, 0xdd
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 128]
    vpaddd zmm18, zmm18, zmmword ptr [rdx + 1152]
    vpaddd zmm12, zmm12, zmm31
    vpaddd zmm22, zmm22, zmm0
    vprold zmm15, zmm15, 10
    vprold zmm20, zmm20, 10
    vmovdqa64 zmmword ptr [r9 + 3776], zmm8
    vmovdqa64 zmmword ptr [r9 + 4032], zmm21
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 2176]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 3200]
    vpaddd zmm9, zmm9, dword ptr [r10 + 248]{1to16}
    vpaddd zmm18, zmm18, dword ptr [r10 + 248]{1to16}
    vprold zmm12, zmm12, 10
    vprold zmm22, zmm22, 10
    vpaddd zmm15, zmm15, zmm2
    vpaddd zmm20, zmm20, zmm4
    vpaddd zmm7, zmm7, dword ptr [r10 + 248]{1to16}
    vpaddd zmm5, zmm5, dword ptr [r10 + 248]{1to16}
    vpaddd zmm12, zmm12, zmm13
    vpaddd zmm22, zmm22, zmm17
    vmovdqa64 zmm11, zmm15
    vpternlogd zmm11, zmm2, zmm6, 0x39
    vmovdqa64 zmm25, zmm20
    vpternlogd zmm25, zmm4, zmm10, 0x39
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 576]
    vpaddd zmm10, zmm10, zmmword ptr [rdx + 1600]
    vpaddd zmm23, zmm24, zmmword ptr [rdx + 2624]
    vpaddd zmm1, zmm28, zmmword ptr [rdx + 3648]
    vpternlogd zmm24, zmm13, zmm12, 0x63
    vpternlogd zmm28, zmm17, zmm22, 0x63
    vpaddd zmm9, zmm9, zmm11
    vpaddd zmm18, zmm18, zmm25
    vpaddd zmm6, zmm6, dword ptr [r10 + 252]{1to16}
    vpaddd zmm10, zmm10, dword ptr [r10 + 252]{1to16}
    vpaddd zmm23, zmm23, dword ptr [r10 + 252]{1to16}
    vpaddd zmm1, zmm1, dword ptr [r10 + 252]{1to16}
    vpaddd zmm7, zmm7, zmm24
    vpaddd zmm5, zmm5, zmm28
    vprold zmm9, zmm9, 15
    vprold zmm18, zmm18, 15
    vprold zmm7, zmm7, 15
    vprold zmm5, zmm5, 15
    vpaddd zmm9, zmm9, zmm15
    vpaddd zmm18, zmm18, zmm20
    vpaddd zmm26, zmm2, zmmword ptr [rdi + 0]
    vpaddd zmm16, zmm4, zmmword ptr [rdi + 512]
    vpaddd zmm7, zmm7, zmm12
    vpaddd zmm5, zmm5, zmm22
    vpternlogd zmm2, zmm15, zmm9, 0x63
    vpternlogd zmm4, zmm20, zmm18, 0x63
    vpaddd zmm3, zmm13, zmmword ptr [rdi + 1024]
    vpaddd zmm19, zmm17, zmmword ptr [rdi + 1536]
    vmovdqa64 zmmword ptr [rdi + 0], zmm26
    vmovdqa64 zmmword ptr [rdi + 512], zmm16
    vpternlogd zmm13, zmm12, zmm7, 0x63
    vpternlogd zmm17, zmm22, zmm5, 0x63
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm10, zmm10, zmm4
    vmovdqa64 zmmword ptr [rdi + 1024], zmm3
    vmovdqa64 zmmword ptr [rdi + 1536], zmm19
    vpaddd zmm27, zmm9, zmmword ptr [rdi + 128]
    vpaddd zmm14, zmm18, zmmword ptr [rdi + 640]
    vpaddd zmm23, zmm23, zmm13
    vpaddd zmm1, zmm1, zmm17
    vprold zmm6, zmm6, 21
    vprold zmm10, zmm10, 21
    vpaddd zmm29, zmm7, zmmword ptr [rdi + 1152]
    vpaddd zmm30, zmm5, zmmword ptr [rdi + 1664]
    vmovdqa64 zmmword ptr [rdi + 128], zmm27
    vmovdqa64 zmmword ptr [rdi + 640], zmm14
    vprold zmm23, zmm23, 21
    vprold zmm1, zmm1, 21
    vpaddd zmm6, zmm6, zmm9
    vpaddd zmm10, zmm10, zmm18
    vmovdqa64 zmmword ptr [rdi + 1152], zmm29
    vmovdqa64 zmmword ptr [rdi + 1664], zmm30
    vpaddd zmm15, zmm15, zmmword ptr [rdi + 192]
    vpaddd zmm20, zmm20, zmmword ptr [rdi + 704]
    vpaddd zmm23, zmm23, zmm7
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm6, zmm6, zmmword ptr [rdi + 64]
    vpaddd zmm10, zmm10, zmmword ptr [rdi + 576]
    vpaddd zmm12, zmm12, zmmword ptr [rdi + 1216]
    vpaddd zmm22, zmm22, zmmword ptr [rdi + 1728]
    vmovdqa64 zmmword ptr [rdi + 192], zmm15
    vmovdqa64 zmmword ptr [rdi + 704], zmm20
    vpaddd zmm23, zmm23, zmmword ptr [rdi + 1088]
    vpaddd zmm1, zmm1, zmmword ptr [rdi + 1600]
    vmovdqa64 zmmword ptr [rdi + 64], zmm6
    vmovdqa64 zmmword ptr [rdi + 576], zmm10
    vmovdqa64 zmmword ptr [rdi + 1216], zmm12
    vmovdqa64 zmmword ptr [rdi + 1728], zmm22
    vmovdqa64 zmmword ptr [rdi + 1088], zmm23
    vmovdqa64 zmmword ptr [rdi + 1600], zmm1
    vmovdqa64 zmm0, zmm26
    vmovdqa64 zmm2, zmm27
    vmovdqa64 zmm4, zmm16
    vmovdqa64 zmm13, zmm1
    vmovdqa64 zmm1, zmm6
    vmovdqa64 zmm11, zmm12
    vmovdqa64 zmm12, zmm19
    vmovdqa64 zmm9, zmm23
    vmovdqa64 zmm8, zmm3
    vmovdqa64 zmm3, zmm15
    vmovdqa64 zmm15, zmm22
    vmovdqa64 zmm5, zmm10
    vmovdqa64 zmm7, zmm20
    vmovdqa64 zmm6, zmm14
    vmovdqa64 zmm14, zmm30
    vmovdqa64 zmm10, zmm29
    cmp r14, r12
    jb 2b
