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
    vmovdqa64 zmm5, zmmword ptr [rdi + 320]
    vmovdqa64 zmm6, zmmword ptr [rdi + 384]
    vmovdqa64 zmm7, zmmword ptr [rdi + 448]
    vmovdqa64 zmm8, zmmword ptr [rdi + 512]
    vmovdqa64 zmm9, zmmword ptr [rdi + 576]
    vmovdqa64 zmm10, zmmword ptr [rdi + 640]
    vmovdqa64 zmm11, zmmword ptr [rdi + 704]
    vmovdqa64 zmm12, zmmword ptr [rdi + 768]
    vmovdqa64 zmm13, zmmword ptr [rdi + 832]
    vmovdqa64 zmm14, zmmword ptr [rdi + 896]
    vmovdqa64 zmm15, zmmword ptr [rdi + 960]
2:
    xchg rdx, r9
    add r15, 64
    mov r13d, 3
3:
    vprord zmm16, zmm4, 6
    vprord zmm17, zmm12, 6
    vprord zmm18, zmm4, 11
    vprord zmm19, zmm12, 11
    vprord zmm20, zmm4, 25
    vpaddd zmm7, zmm7, dword ptr [r10 + 0]{1to16}
    vpaddd zmm15, zmm15, dword ptr [r10 + 0]{1to16}
    vmovdqa64 zmm21, zmm4
    vpternlogd zmm21, zmm5, zmm6, 0xca
    vmovdqa64 zmm22, zmm12
    vpternlogd zmm22, zmm13, zmm14, 0xca
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0xe8
    vprord zmm24, zmm12, 25
    vprord zmm25, zmm0, 2
    vprord zmm26, zmm8, 2
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 0]
    vpaddd zmm15, zmm15, zmmword ptr [rdx + 1024]
    vpternlogd zmm16, zmm18, zmm20, 0x96
    vmovdqa64 zmm27, zmm8
    vpternlogd zmm27, zmm9, zmm10, 0xe8
    vpaddd zmm6, zmm6, dword ptr [r10 + 4]{1to16}
    vpaddd zmm14, zmm14, dword ptr [r10 + 4]{1to16}
    vprord zmm28, zmm0, 13
    vprord zmm29, zmm8, 13
    vprord zmm30, zmm0, 22
    vprord zmm31, zmm8, 22
    vpaddd zmm7, zmm7, zmm21
    vpaddd zmm15, zmm15, zmm22
    vpternlogd zmm17, zmm19, zmm24, 0x96
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 64]
    vpaddd zmm14, zmm14, zmmword ptr [rdx + 1088]
    vpaddd zmm7, zmm7, zmm16
    vpaddd zmm15, zmm15, zmm17
    vpternlogd zmm25, zmm28, zmm30, 0x96
    vpternlogd zmm26, zmm29, zmm31, 0x96
    vmovdqa64 zmm18, zmmword ptr [rdx + 64]
    vmovdqa64 zmm20, zmmword ptr [rdx + 1088]
    vmovdqa64 zmm21, zmmword ptr [rdx + 896]
    vmovdqa64 zmm22, zmmword ptr [rdx + 1920]
    vmovdqa64 zmm19, zmmword ptr [rdx + 128]
    vmovdqa64 zmm24, zmmword ptr [rdx + 1152]
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm11, zmm11, zmm15
    vpaddd zmm7, zmm7, zmm23
    vpaddd zmm15, zmm15, zmm27
    vmovdqa64 zmm16, zmmword ptr [rdx + 960]
    vmovdqa64 zmm17, zmmword ptr [rdx + 1984]
    vprord zmm28, zmm18, 7
    vprord zmm30, zmm20, 7
    vpaddd zmm7, zmm7, zmm25
    vpaddd zmm15, zmm15, zmm26
    vprord zmm29, zmm18, 18
    vpsrld zmm18, zmm18, 3
    vprord zmm31, zmm20, 18
    vpsrld zmm20, zmm20, 3
    vpternlogd zmm28, zmm29, zmm18, 0x96
    vprord zmm23, zmm21, 17
    vprord zmm27, zmm22, 17
    vpternlogd zmm30, zmm31, zmm20, 0x96
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 0]
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 1024]
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 576]
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 1600]
    vprord zmm25, zmm21, 19
    vpsrld zmm21, zmm21, 10
    vprord zmm26, zmm22, 19
    vpsrld zmm22, zmm22, 10
    vpternlogd zmm23, zmm25, zmm21, 0x96
    vprord zmm29, zmm3, 6
    vpternlogd zmm27, zmm26, zmm22, 0x96
    vpaddd zmm28, zmm28, zmm23
    vmovdqa64 zmm18, zmm3
    vpternlogd zmm18, zmm4, zmm5, 0xca
    vmovdqa64 zmm31, zmm11
    vpternlogd zmm31, zmm12, zmm13, 0xca
    vpaddd zmm5, zmm5, dword ptr [r10 + 8]{1to16}
    vpaddd zmm13, zmm13, dword ptr [r10 + 8]{1to16}
    vprord zmm20, zmm11, 6
    vprord zmm25, zmm3, 11
    vprord zmm21, zmm11, 11
    vpaddd zmm30, zmm30, zmm27
    vmovdqa64 zmmword ptr [rdx + 0], zmm28
    vpaddd zmm6, zmm6, zmm18
    vpaddd zmm14, zmm14, zmm31
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 128]
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 1152]
    vmovdqa64 zmmword ptr [rdx + 1024], zmm30
    vprord zmm26, zmm3, 25
    vprord zmm22, zmm11, 25
    vpternlogd zmm29, zmm25, zmm26, 0x96
    vprord zmm23, zmm7, 2
    vpternlogd zmm20, zmm21, zmm22, 0x96
    vpaddd zmm6, zmm6, zmm29
    vmovdqa64 zmm27, zmm7
    vpternlogd zmm27, zmm0, zmm1, 0xe8
    vmovdqa64 zmm18, zmm15
    vpternlogd zmm18, zmm8, zmm9, 0xe8
    vprord zmm31, zmm15, 2
    vprord zmm25, zmm7, 13
    vpaddd zmm14, zmm14, zmm20
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm27
    vprord zmm26, zmm15, 13
    vpaddd zmm10, zmm10, zmm14
    vpaddd zmm14, zmm14, zmm18
    vprord zmm21, zmm7, 22
    vprord zmm22, zmm15, 22
    vpternlogd zmm23, zmm25, zmm21, 0x96
    vprord zmm29, zmm19, 7
    vprord zmm20, zmm24, 7
    vprord zmm27, zmm19, 18
    vpsrld zmm19, zmm19, 3
    vpternlogd zmm31, zmm26, zmm22, 0x96
    vpaddd zmm6, zmm6, zmm23
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vprord zmm25, zmm16, 17
    vprord zmm21, zmm17, 17
    vpaddd zmm14, zmm14, zmm31
    vpternlogd zmm29, zmm27, zmm19, 0x96
    vprord zmm26, zmm16, 19
    vprord zmm22, zmm17, 19
    vpsrld zmm16, zmm16, 10
    vpsrld zmm17, zmm17, 10
    vpternlogd zmm20, zmm18, zmm24, 0x96
    vpaddd zmm29, zmm29, zmmword ptr [rdx + 64]
    vprord zmm23, zmm2, 6
    vprord zmm31, zmm10, 6
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 1088]
    vpaddd zmm29, zmm29, zmmword ptr [rdx + 640]
    vpternlogd zmm25, zmm26, zmm16, 0x96
    vpternlogd zmm21, zmm22, zmm17, 0x96
    vmovdqa64 zmm27, zmm2
    vpternlogd zmm27, zmm3, zmm4, 0xca
    vmovdqa64 zmm19, zmm10
    vpternlogd zmm19, zmm11, zmm12, 0xca
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 12]{1to16}
    vprord zmm18, zmm2, 11
    vprord zmm24, zmm10, 11
    vprord zmm26, zmm2, 25
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 1664]
    vpaddd zmm29, zmm29, zmm25
    vpaddd zmm5, zmm5, zmm27
    vpaddd zmm13, zmm13, zmm19
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 192]
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 1216]
    vprord zmm16, zmm10, 25
    vpaddd zmm20, zmm20, zmm21
    vmovdqa64 zmmword ptr [rdx + 64], zmm29
    vpternlogd zmm23, zmm18, zmm26, 0x96
    vmovdqa64 zmm22, zmm6
    vpternlogd zmm22, zmm7, zmm0, 0xe8
    vmovdqa64 zmm17, zmm14
    vpternlogd zmm17, zmm15, zmm8, 0xe8
    vprord zmm25, zmm6, 2
    vprord zmm27, zmm14, 2
    vprord zmm19, zmm6, 13
    vmovdqa64 zmmword ptr [rdx + 1088], zmm20
    vpternlogd zmm31, zmm24, zmm16, 0x96
    vpaddd zmm5, zmm5, zmm23
    vprord zmm21, zmm14, 13
    vprord zmm18, zmm6, 22
    vpaddd zmm13, zmm13, zmm31
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm22
    vprord zmm26, zmm14, 22
    vpaddd zmm9, zmm9, zmm13
    vpaddd zmm13, zmm13, zmm17
    vpternlogd zmm25, zmm19, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 192]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1216]
    vprord zmm23, zmm28, 17
    vprord zmm31, zmm30, 17
    vprord zmm22, zmm28, 19
    vpsrld zmm28, zmm28, 10
    vpternlogd zmm27, zmm21, zmm26, 0x96
    vpaddd zmm5, zmm5, zmm25
    vprord zmm17, zmm24, 7
    vprord zmm19, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm13, zmm13, zmm27
    vpternlogd zmm23, zmm22, zmm28, 0x96
    vprord zmm21, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm26, zmm30, 19
    vpsrld zmm30, zmm30, 10
    vpternlogd zmm17, zmm18, zmm24, 0x96
    vprord zmm25, zmm1, 6
    vprord zmm27, zmm9, 6
    vpternlogd zmm19, zmm21, zmm16, 0x96
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 128]
    vpternlogd zmm31, zmm26, zmm30, 0x96
    vmovdqa64 zmm22, zmm1
    vpternlogd zmm22, zmm2, zmm3, 0xca
    vmovdqa64 zmm28, zmm9
    vpternlogd zmm28, zmm10, zmm11, 0xca
    vpaddd zmm3, zmm3, dword ptr [r10 + 16]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 16]{1to16}
    vprord zmm18, zmm1, 11
    vprord zmm24, zmm9, 11
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 1152]
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 704]
    vpaddd zmm4, zmm4, zmm22
    vpaddd zmm12, zmm12, zmm28
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 256]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1280]
    vprord zmm21, zmm1, 25
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 1728]
    vpaddd zmm17, zmm17, zmm23
    vprord zmm16, zmm9, 25
    vpaddd zmm19, zmm19, zmm31
    vmovdqa64 zmmword ptr [rdx + 128], zmm17
    vpternlogd zmm25, zmm18, zmm21, 0x96
    vmovdqa64 zmm26, zmm5
    vpternlogd zmm26, zmm6, zmm7, 0xe8
    vmovdqa64 zmm30, zmm13
    vpternlogd zmm30, zmm14, zmm15, 0xe8
    vprord zmm22, zmm5, 2
    vprord zmm28, zmm13, 2
    vprord zmm23, zmm5, 13
    vmovdqa64 zmmword ptr [rdx + 1152], zmm19
    vpternlogd zmm27, zmm24, zmm16, 0x96
    vpaddd zmm4, zmm4, zmm25
    vprord zmm31, zmm13, 13
    vprord zmm18, zmm5, 22
    vpaddd zmm12, zmm12, zmm27
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm26
    vprord zmm21, zmm13, 22
    vpaddd zmm8, zmm8, zmm12
    vpaddd zmm12, zmm12, zmm30
    vpternlogd zmm22, zmm23, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 256]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1280]
    vprord zmm25, zmm29, 17
    vprord zmm27, zmm20, 17
    vprord zmm26, zmm29, 19
    vpsrld zmm29, zmm29, 10
    vpternlogd zmm28, zmm31, zmm21, 0x96
    vpaddd zmm4, zmm4, zmm22
    vprord zmm30, zmm24, 7
    vprord zmm23, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm12, zmm12, zmm28
    vpternlogd zmm25, zmm26, zmm29, 0x96
    vprord zmm31, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm21, zmm20, 19
    vpsrld zmm20, zmm20, 10
    vpternlogd zmm30, zmm18, zmm24, 0x96
    vprord zmm22, zmm0, 6
    vprord zmm28, zmm8, 6
    vpternlogd zmm23, zmm31, zmm16, 0x96
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 192]
    vpternlogd zmm27, zmm21, zmm20, 0x96
    vmovdqa64 zmm26, zmm0
    vpternlogd zmm26, zmm1, zmm2, 0xca
    vmovdqa64 zmm29, zmm8
    vpternlogd zmm29, zmm9, zmm10, 0xca
    vpaddd zmm2, zmm2, dword ptr [r10 + 20]{1to16}
    vpaddd zmm10, zmm10, dword ptr [r10 + 20]{1to16}
    vprord zmm18, zmm0, 11
    vprord zmm24, zmm8, 11
    vpaddd zmm23, zmm23, zmmword ptr [rdx + 1216]
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 768]
    vpaddd zmm3, zmm3, zmm26
    vpaddd zmm11, zmm11, zmm29
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 320]
    vpaddd zmm10, zmm10, zmmword ptr [rdx + 1344]
    vprord zmm31, zmm0, 25
    vpaddd zmm23, zmm23, zmmword ptr [rdx + 1792]
    vpaddd zmm30, zmm30, zmm25
    vprord zmm16, zmm8, 25
    vpaddd zmm23, zmm23, zmm27
    vmovdqa64 zmmword ptr [rdx + 192], zmm30
    vpternlogd zmm22, zmm18, zmm31, 0x96
    vmovdqa64 zmm21, zmm4
    vpternlogd zmm21, zmm5, zmm6, 0xe8
    vmovdqa64 zmm20, zmm12
    vpternlogd zmm20, zmm13, zmm14, 0xe8
    vprord zmm26, zmm4, 2
    vprord zmm29, zmm12, 2
    vprord zmm25, zmm4, 13
    vmovdqa64 zmmword ptr [rdx + 1216], zmm23
    vpternlogd zmm28, zmm24, zmm16, 0x96
    vpaddd zmm3, zmm3, zmm22
    vprord zmm27, zmm12, 13
    vprord zmm18, zmm4, 22
    vpaddd zmm11, zmm11, zmm28
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm21
    vprord zmm31, zmm12, 22
    vpaddd zmm15, zmm15, zmm11
    vpaddd zmm11, zmm11, zmm20
    vpternlogd zmm26, zmm25, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 320]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1344]
    vprord zmm22, zmm17, 17
    vprord zmm28, zmm19, 17
    vprord zmm21, zmm17, 19
    vpsrld zmm17, zmm17, 10
    vpternlogd zmm29, zmm27, zmm31, 0x96
    vpaddd zmm3, zmm3, zmm26
    vprord zmm20, zmm24, 7
    vprord zmm25, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm11, zmm11, zmm29
    vpternlogd zmm22, zmm21, zmm17, 0x96
    vprord zmm27, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm31, zmm19, 19
    vpsrld zmm19, zmm19, 10
    vpternlogd zmm20, zmm18, zmm24, 0x96
    vprord zmm26, zmm7, 6
    vprord zmm29, zmm15, 6
    vpternlogd zmm25, zmm27, zmm16, 0x96
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 256]
    vpternlogd zmm28, zmm31, zmm19, 0x96
    vmovdqa64 zmm21, zmm7
    vpternlogd zmm21, zmm0, zmm1, 0xca
    vmovdqa64 zmm17, zmm15
    vpternlogd zmm17, zmm8, zmm9, 0xca
    vpaddd zmm1, zmm1, dword ptr [r10 + 24]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 24]{1to16}
    vprord zmm18, zmm7, 11
    vprord zmm24, zmm15, 11
    vpaddd zmm25, zmm25, zmmword ptr [rdx + 1280]
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 832]
    vpaddd zmm2, zmm2, zmm21
    vpaddd zmm10, zmm10, zmm17
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 384]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 1408]
    vprord zmm27, zmm7, 25
    vpaddd zmm25, zmm25, zmmword ptr [rdx + 1856]
    vpaddd zmm20, zmm20, zmm22
    vprord zmm16, zmm15, 25
    vpaddd zmm25, zmm25, zmm28
    vmovdqa64 zmmword ptr [rdx + 256], zmm20
    vpternlogd zmm26, zmm18, zmm27, 0x96
    vmovdqa64 zmm31, zmm3
    vpternlogd zmm31, zmm4, zmm5, 0xe8
    vmovdqa64 zmm19, zmm11
    vpternlogd zmm19, zmm12, zmm13, 0xe8
    vprord zmm21, zmm3, 2
    vprord zmm17, zmm11, 2
    vprord zmm22, zmm3, 13
    vmovdqa64 zmmword ptr [rdx + 1280], zmm25
    vpternlogd zmm29, zmm24, zmm16, 0x96
    vpaddd zmm2, zmm2, zmm26
    vprord zmm28, zmm11, 13
    vprord zmm18, zmm3, 22
    vpaddd zmm10, zmm10, zmm29
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm31
    vprord zmm27, zmm11, 22
    vpaddd zmm14, zmm14, zmm10
    vpaddd zmm10, zmm10, zmm19
    vpternlogd zmm21, zmm22, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 384]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1408]
    vprord zmm26, zmm30, 17
    vprord zmm29, zmm23, 17
    vprord zmm31, zmm30, 19
    vpsrld zmm30, zmm30, 10
    vpternlogd zmm17, zmm28, zmm27, 0x96
    vpaddd zmm2, zmm2, zmm21
    vprord zmm19, zmm24, 7
    vprord zmm22, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm10, zmm10, zmm17
    vpternlogd zmm26, zmm31, zmm30, 0x96
    vprord zmm28, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm27, zmm23, 19
    vpsrld zmm23, zmm23, 10
    vpternlogd zmm19, zmm18, zmm24, 0x96
    vprord zmm21, zmm6, 6
    vprord zmm17, zmm14, 6
    vpternlogd zmm22, zmm28, zmm16, 0x96
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 320]
    vpternlogd zmm29, zmm27, zmm23, 0x96
    vmovdqa64 zmm31, zmm6
    vpternlogd zmm31, zmm7, zmm0, 0xca
    vmovdqa64 zmm30, zmm14
    vpternlogd zmm30, zmm15, zmm8, 0xca
    vpaddd zmm0, zmm0, dword ptr [r10 + 28]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 28]{1to16}
    vprord zmm18, zmm6, 11
    vprord zmm24, zmm14, 11
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 1344]
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 896]
    vpaddd zmm1, zmm1, zmm31
    vpaddd zmm9, zmm9, zmm30
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 448]
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 1472]
    vprord zmm28, zmm6, 25
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 1920]
    vpaddd zmm19, zmm19, zmm26
    vprord zmm16, zmm14, 25
    vpaddd zmm22, zmm22, zmm29
    vmovdqa64 zmmword ptr [rdx + 320], zmm19
    vpternlogd zmm21, zmm18, zmm28, 0x96
    vmovdqa64 zmm27, zmm2
    vpternlogd zmm27, zmm3, zmm4, 0xe8
    vmovdqa64 zmm23, zmm10
    vpternlogd zmm23, zmm11, zmm12, 0xe8
    vprord zmm31, zmm2, 2
    vprord zmm30, zmm10, 2
    vprord zmm26, zmm2, 13
    vmovdqa64 zmmword ptr [rdx + 1344], zmm22
    vpternlogd zmm17, zmm24, zmm16, 0x96
    vpaddd zmm1, zmm1, zmm21
    vprord zmm29, zmm10, 13
    vprord zmm18, zmm2, 22
    vpaddd zmm9, zmm9, zmm17
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm1, zmm1, zmm27
    vprord zmm28, zmm10, 22
    vpaddd zmm13, zmm13, zmm9
    vpaddd zmm9, zmm9, zmm23
    vpternlogd zmm31, zmm26, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 448]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1472]
    vprord zmm21, zmm20, 17
    vprord zmm17, zmm25, 17
    vprord zmm27, zmm20, 19
    vpsrld zmm20, zmm20, 10
    vpternlogd zmm30, zmm29, zmm28, 0x96
    vpaddd zmm1, zmm1, zmm31
    vprord zmm23, zmm24, 7
    vprord zmm26, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm9, zmm9, zmm30
    vpternlogd zmm21, zmm27, zmm20, 0x96
    vprord zmm29, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm28, zmm25, 19
    vpsrld zmm25, zmm25, 10
    vpternlogd zmm23, zmm18, zmm24, 0x96
    vprord zmm31, zmm5, 6
    vprord zmm30, zmm13, 6
    vpternlogd zmm26, zmm29, zmm16, 0x96
    vpaddd zmm23, zmm23, zmmword ptr [rdx + 384]
    vpternlogd zmm17, zmm28, zmm25, 0x96
    vmovdqa64 zmm27, zmm5
    vpternlogd zmm27, zmm6, zmm7, 0xca
    vmovdqa64 zmm20, zmm13
    vpternlogd zmm20, zmm14, zmm15, 0xca
    vpaddd zmm7, zmm7, dword ptr [r10 + 32]{1to16}
    vpaddd zmm15, zmm15, dword ptr [r10 + 32]{1to16}
    vprord zmm18, zmm5, 11
    vprord zmm24, zmm13, 11
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 1408]
    vpaddd zmm23, zmm23, zmmword ptr [rdx + 960]
    vpaddd zmm0, zmm0, zmm27
    vpaddd zmm8, zmm8, zmm20
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 512]
    vpaddd zmm15, zmm15, zmmword ptr [rdx + 1536]
    vprord zmm29, zmm5, 25
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 1984]
    vpaddd zmm23, zmm23, zmm21
    vprord zmm16, zmm13, 25
    vpaddd zmm26, zmm26, zmm17
    vmovdqa64 zmmword ptr [rdx + 384], zmm23
    vpternlogd zmm31, zmm18, zmm29, 0x96
    vmovdqa64 zmm28, zmm1
    vpternlogd zmm28, zmm2, zmm3, 0xe8
    vmovdqa64 zmm25, zmm9
    vpternlogd zmm25, zmm10, zmm11, 0xe8
    vprord zmm27, zmm1, 2
    vprord zmm20, zmm9, 2
    vprord zmm21, zmm1, 13
    vmovdqa64 zmmword ptr [rdx + 1408], zmm26
    vpternlogd zmm30, zmm24, zmm16, 0x96
    vpaddd zmm0, zmm0, zmm31
    vprord zmm17, zmm9, 13
    vprord zmm18, zmm1, 22
    vpaddd zmm8, zmm8, zmm30
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm28
    vprord zmm29, zmm9, 22
    vpaddd zmm12, zmm12, zmm8
    vpaddd zmm8, zmm8, zmm25
    vpternlogd zmm27, zmm21, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 512]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1536]
    vprord zmm31, zmm19, 17
    vprord zmm30, zmm22, 17
    vprord zmm28, zmm19, 19
    vpsrld zmm19, zmm19, 10
    vpternlogd zmm20, zmm17, zmm29, 0x96
    vpaddd zmm0, zmm0, zmm27
    vprord zmm25, zmm24, 7
    vprord zmm21, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm8, zmm8, zmm20
    vpternlogd zmm31, zmm28, zmm19, 0x96
    vprord zmm17, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm29, zmm22, 19
    vpsrld zmm22, zmm22, 10
    vpternlogd zmm25, zmm18, zmm24, 0x96
    vprord zmm27, zmm4, 6
    vprord zmm20, zmm12, 6
    vpternlogd zmm21, zmm17, zmm16, 0x96
    vpaddd zmm25, zmm25, zmmword ptr [rdx + 448]
    vpternlogd zmm30, zmm29, zmm22, 0x96
    vmovdqa64 zmm28, zmm4
    vpternlogd zmm28, zmm5, zmm6, 0xca
    vmovdqa64 zmm19, zmm12
    vpternlogd zmm19, zmm13, zmm14, 0xca
    vpaddd zmm6, zmm6, dword ptr [r10 + 36]{1to16}
    vpaddd zmm14, zmm14, dword ptr [r10 + 36]{1to16}
    vprord zmm18, zmm4, 11
    vprord zmm24, zmm12, 11
    vpaddd zmm21, zmm21, zmmword ptr [rdx + 1472]
    vpaddd zmm25, zmm25, zmmword ptr [rdx + 0]
    vpaddd zmm7, zmm7, zmm28
    vpaddd zmm15, zmm15, zmm19
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 576]
    vpaddd zmm14, zmm14, zmmword ptr [rdx + 1600]
    vprord zmm17, zmm4, 25
    vpaddd zmm21, zmm21, zmmword ptr [rdx + 1024]
    vpaddd zmm25, zmm25, zmm31
    vprord zmm16, zmm12, 25
    vpaddd zmm21, zmm21, zmm30
    vmovdqa64 zmmword ptr [rdx + 448], zmm25
    vpternlogd zmm27, zmm18, zmm17, 0x96
    vmovdqa64 zmm29, zmm0
    vpternlogd zmm29, zmm1, zmm2, 0xe8
    vmovdqa64 zmm22, zmm8
    vpternlogd zmm22, zmm9, zmm10, 0xe8
    vprord zmm28, zmm0, 2
    vprord zmm19, zmm8, 2
    vprord zmm31, zmm0, 13
    vmovdqa64 zmmword ptr [rdx + 1472], zmm21
    vpternlogd zmm20, zmm24, zmm16, 0x96
    vpaddd zmm7, zmm7, zmm27
    vprord zmm30, zmm8, 13
    vprord zmm18, zmm0, 22
    vpaddd zmm15, zmm15, zmm20
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm7, zmm7, zmm29
    vprord zmm17, zmm8, 22
    vpaddd zmm11, zmm11, zmm15
    vpaddd zmm15, zmm15, zmm22
    vpternlogd zmm28, zmm31, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 576]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1600]
    vprord zmm27, zmm23, 17
    vprord zmm20, zmm26, 17
    vprord zmm29, zmm23, 19
    vpsrld zmm23, zmm23, 10
    vpternlogd zmm19, zmm30, zmm17, 0x96
    vpaddd zmm7, zmm7, zmm28
    vprord zmm22, zmm24, 7
    vprord zmm31, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm15, zmm15, zmm19
    vpternlogd zmm27, zmm29, zmm23, 0x96
    vprord zmm30, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm17, zmm26, 19
    vpsrld zmm26, zmm26, 10
    vpternlogd zmm22, zmm18, zmm24, 0x96
    vprord zmm28, zmm3, 6
    vprord zmm19, zmm11, 6
    vpternlogd zmm31, zmm30, zmm16, 0x96
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 512]
    vpternlogd zmm20, zmm17, zmm26, 0x96
    vmovdqa64 zmm29, zmm3
    vpternlogd zmm29, zmm4, zmm5, 0xca
    vmovdqa64 zmm23, zmm11
    vpternlogd zmm23, zmm12, zmm13, 0xca
    vpaddd zmm5, zmm5, dword ptr [r10 + 40]{1to16}
    vpaddd zmm13, zmm13, dword ptr [r10 + 40]{1to16}
    vprord zmm18, zmm3, 11
    vprord zmm24, zmm11, 11
    vpaddd zmm31, zmm31, zmmword ptr [rdx + 1536]
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 64]
    vpaddd zmm6, zmm6, zmm29
    vpaddd zmm14, zmm14, zmm23
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 640]
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 1664]
    vprord zmm30, zmm3, 25
    vpaddd zmm31, zmm31, zmmword ptr [rdx + 1088]
    vpaddd zmm22, zmm22, zmm27
    vprord zmm16, zmm11, 25
    vpaddd zmm31, zmm31, zmm20
    vmovdqa64 zmmword ptr [rdx + 512], zmm22
    vpternlogd zmm28, zmm18, zmm30, 0x96
    vmovdqa64 zmm17, zmm7
    vpternlogd zmm17, zmm0, zmm1, 0xe8
    vmovdqa64 zmm26, zmm15
    vpternlogd zmm26, zmm8, zmm9, 0xe8
    vprord zmm29, zmm7, 2
    vprord zmm23, zmm15, 2
    vprord zmm27, zmm7, 13
    vmovdqa64 zmmword ptr [rdx + 1536], zmm31
    vpternlogd zmm19, zmm24, zmm16, 0x96
    vpaddd zmm6, zmm6, zmm28
    vprord zmm20, zmm15, 13
    vprord zmm18, zmm7, 22
    vpaddd zmm14, zmm14, zmm19
    vpaddd zmm2, zmm2, zmm6
    vpaddd zmm6, zmm6, zmm17
    vprord zmm30, zmm15, 22
    vpaddd zmm10, zmm10, zmm14
    vpaddd zmm14, zmm14, zmm26
    vpternlogd zmm29, zmm27, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 640]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1664]
    vprord zmm28, zmm25, 17
    vprord zmm19, zmm21, 17
    vprord zmm17, zmm25, 19
    vpsrld zmm25, zmm25, 10
    vpternlogd zmm23, zmm20, zmm30, 0x96
    vpaddd zmm6, zmm6, zmm29
    vprord zmm26, zmm24, 7
    vprord zmm27, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm14, zmm14, zmm23
    vpternlogd zmm28, zmm17, zmm25, 0x96
    vprord zmm20, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm30, zmm21, 19
    vpsrld zmm21, zmm21, 10
    vpternlogd zmm26, zmm18, zmm24, 0x96
    vprord zmm29, zmm2, 6
    vprord zmm23, zmm10, 6
    vpternlogd zmm27, zmm20, zmm16, 0x96
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 576]
    vpternlogd zmm19, zmm30, zmm21, 0x96
    vmovdqa64 zmm17, zmm2
    vpternlogd zmm17, zmm3, zmm4, 0xca
    vmovdqa64 zmm25, zmm10
    vpternlogd zmm25, zmm11, zmm12, 0xca
    vpaddd zmm4, zmm4, dword ptr [r10 + 44]{1to16}
    vpaddd zmm12, zmm12, dword ptr [r10 + 44]{1to16}
    vprord zmm18, zmm2, 11
    vprord zmm24, zmm10, 11
    vpaddd zmm27, zmm27, zmmword ptr [rdx + 1600]
    vpaddd zmm26, zmm26, zmmword ptr [rdx + 128]
    vpaddd zmm5, zmm5, zmm17
    vpaddd zmm13, zmm13, zmm25
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 704]
    vpaddd zmm12, zmm12, zmmword ptr [rdx + 1728]
    vprord zmm20, zmm2, 25
    vpaddd zmm27, zmm27, zmmword ptr [rdx + 1152]
    vpaddd zmm26, zmm26, zmm28
    vprord zmm16, zmm10, 25
    vpaddd zmm27, zmm27, zmm19
    vmovdqa64 zmmword ptr [rdx + 576], zmm26
    vpternlogd zmm29, zmm18, zmm20, 0x96
    vmovdqa64 zmm30, zmm6
    vpternlogd zmm30, zmm7, zmm0, 0xe8
    vmovdqa64 zmm21, zmm14
    vpternlogd zmm21, zmm15, zmm8, 0xe8
    vprord zmm17, zmm6, 2
    vprord zmm25, zmm14, 2
    vprord zmm28, zmm6, 13
    vmovdqa64 zmmword ptr [rdx + 1600], zmm27
    vpternlogd zmm23, zmm24, zmm16, 0x96
    vpaddd zmm5, zmm5, zmm29
    vprord zmm19, zmm14, 13
    vprord zmm18, zmm6, 22
    vpaddd zmm13, zmm13, zmm23
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm30
    vprord zmm20, zmm14, 22
    vpaddd zmm9, zmm9, zmm13
    vpaddd zmm13, zmm13, zmm21
    vpternlogd zmm17, zmm28, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 704]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1728]
    vprord zmm29, zmm22, 17
    vprord zmm23, zmm31, 17
    vprord zmm30, zmm22, 19
    vpsrld zmm22, zmm22, 10
    vpternlogd zmm25, zmm19, zmm20, 0x96
    vpaddd zmm5, zmm5, zmm17
    vprord zmm21, zmm24, 7
    vprord zmm28, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm13, zmm13, zmm25
    vpternlogd zmm29, zmm30, zmm22, 0x96
    vprord zmm19, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm20, zmm31, 19
    vpsrld zmm31, zmm31, 10
    vpternlogd zmm21, zmm18, zmm24, 0x96
    vprord zmm17, zmm1, 6
    vprord zmm25, zmm9, 6
    vpternlogd zmm28, zmm19, zmm16, 0x96
    vpaddd zmm21, zmm21, zmmword ptr [rdx + 640]
    vpternlogd zmm23, zmm20, zmm31, 0x96
    vmovdqa64 zmm30, zmm1
    vpternlogd zmm30, zmm2, zmm3, 0xca
    vmovdqa64 zmm22, zmm9
    vpternlogd zmm22, zmm10, zmm11, 0xca
    vpaddd zmm3, zmm3, dword ptr [r10 + 48]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 48]{1to16}
    vprord zmm18, zmm1, 11
    vprord zmm24, zmm9, 11
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 1664]
    vpaddd zmm21, zmm21, zmmword ptr [rdx + 192]
    vpaddd zmm4, zmm4, zmm30
    vpaddd zmm12, zmm12, zmm22
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 768]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1792]
    vprord zmm19, zmm1, 25
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 1216]
    vpaddd zmm21, zmm21, zmm29
    vprord zmm16, zmm9, 25
    vpaddd zmm28, zmm28, zmm23
    vmovdqa64 zmmword ptr [rdx + 640], zmm21
    vpternlogd zmm17, zmm18, zmm19, 0x96
    vmovdqa64 zmm20, zmm5
    vpternlogd zmm20, zmm6, zmm7, 0xe8
    vmovdqa64 zmm31, zmm13
    vpternlogd zmm31, zmm14, zmm15, 0xe8
    vprord zmm30, zmm5, 2
    vprord zmm22, zmm13, 2
    vprord zmm29, zmm5, 13
    vmovdqa64 zmmword ptr [rdx + 1664], zmm28
    vpternlogd zmm25, zmm24, zmm16, 0x96
    vpaddd zmm4, zmm4, zmm17
    vprord zmm23, zmm13, 13
    vprord zmm18, zmm5, 22
    vpaddd zmm12, zmm12, zmm25
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm20
    vprord zmm19, zmm13, 22
    vpaddd zmm8, zmm8, zmm12
    vpaddd zmm12, zmm12, zmm31
    vpternlogd zmm30, zmm29, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 768]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1792]
    vprord zmm17, zmm26, 17
    vprord zmm25, zmm27, 17
    vprord zmm20, zmm26, 19
    vpsrld zmm26, zmm26, 10
    vpternlogd zmm22, zmm23, zmm19, 0x96
    vpaddd zmm4, zmm4, zmm30
    vprord zmm31, zmm24, 7
    vprord zmm29, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm12, zmm12, zmm22
    vpternlogd zmm17, zmm20, zmm26, 0x96
    vprord zmm23, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm19, zmm27, 19
    vpsrld zmm27, zmm27, 10
    vpternlogd zmm31, zmm18, zmm24, 0x96
    vprord zmm30, zmm0, 6
    vprord zmm22, zmm8, 6
    vpternlogd zmm29, zmm23, zmm16, 0x96
    vpaddd zmm31, zmm31, zmmword ptr [rdx + 704]
    vpternlogd zmm25, zmm19, zmm27, 0x96
    vmovdqa64 zmm20, zmm0
    vpternlogd zmm20, zmm1, zmm2, 0xca
    vmovdqa64 zmm26, zmm8
    vpternlogd zmm26, zmm9, zmm10, 0xca
    vpaddd zmm2, zmm2, dword ptr [r10 + 52]{1to16}
    vpaddd zmm10, zmm10, dword ptr [r10 + 52]{1to16}
    vprord zmm18, zmm0, 11
    vprord zmm24, zmm8, 11
    vpaddd zmm29, zmm29, zmmword ptr [rdx + 1728]
    vpaddd zmm31, zmm31, zmmword ptr [rdx + 256]
    vpaddd zmm3, zmm3, zmm20
    vpaddd zmm11, zmm11, zmm26
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 832]
    vpaddd zmm10, zmm10, zmmword ptr [rdx + 1856]
    vprord zmm23, zmm0, 25
    vpaddd zmm29, zmm29, zmmword ptr [rdx + 1280]
    vpaddd zmm31, zmm31, zmm17
    vprord zmm16, zmm8, 25
    vpaddd zmm29, zmm29, zmm25
    vmovdqa64 zmmword ptr [rdx + 704], zmm31
    vpternlogd zmm30, zmm18, zmm23, 0x96
    vmovdqa64 zmm19, zmm4
    vpternlogd zmm19, zmm5, zmm6, 0xe8
    vmovdqa64 zmm27, zmm12
    vpternlogd zmm27, zmm13, zmm14, 0xe8
    vprord zmm20, zmm4, 2
    vprord zmm26, zmm12, 2
    vprord zmm17, zmm4, 13
    vmovdqa64 zmmword ptr [rdx + 1728], zmm29
    vpternlogd zmm22, zmm24, zmm16, 0x96
    vpaddd zmm3, zmm3, zmm30
    vprord zmm25, zmm12, 13
    vprord zmm18, zmm4, 22
    vpaddd zmm11, zmm11, zmm22
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm3, zmm3, zmm19
    vprord zmm23, zmm12, 22
    vpaddd zmm15, zmm15, zmm11
    vpaddd zmm11, zmm11, zmm27
    vpternlogd zmm20, zmm17, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 832]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1856]
    vprord zmm30, zmm21, 17
    vprord zmm22, zmm28, 17
    vprord zmm19, zmm21, 19
    vpsrld zmm21, zmm21, 10
    vpternlogd zmm26, zmm25, zmm23, 0x96
    vpaddd zmm3, zmm3, zmm20
    vprord zmm27, zmm24, 7
    vprord zmm17, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm11, zmm11, zmm26
    vpternlogd zmm30, zmm19, zmm21, 0x96
    vprord zmm25, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm23, zmm28, 19
    vpsrld zmm28, zmm28, 10
    vpternlogd zmm27, zmm18, zmm24, 0x96
    vprord zmm20, zmm7, 6
    vprord zmm26, zmm15, 6
    vpternlogd zmm17, zmm25, zmm16, 0x96
    vpaddd zmm27, zmm27, zmmword ptr [rdx + 768]
    vpternlogd zmm22, zmm23, zmm28, 0x96
    vmovdqa64 zmm19, zmm7
    vpternlogd zmm19, zmm0, zmm1, 0xca
    vmovdqa64 zmm21, zmm15
    vpternlogd zmm21, zmm8, zmm9, 0xca
    vpaddd zmm1, zmm1, dword ptr [r10 + 56]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 56]{1to16}
    vprord zmm18, zmm7, 11
    vprord zmm24, zmm15, 11
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 1792]
    vpaddd zmm27, zmm27, zmmword ptr [rdx + 320]
    vpaddd zmm2, zmm2, zmm19
    vpaddd zmm10, zmm10, zmm21
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 896]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 1920]
    vprord zmm25, zmm7, 25
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 1344]
    vpaddd zmm27, zmm27, zmm30
    vprord zmm16, zmm15, 25
    vpaddd zmm17, zmm17, zmm22
    vmovdqa64 zmmword ptr [rdx + 768], zmm27
    vpternlogd zmm20, zmm18, zmm25, 0x96
    vmovdqa64 zmm23, zmm3
    vpternlogd zmm23, zmm4, zmm5, 0xe8
    vmovdqa64 zmm28, zmm11
    vpternlogd zmm28, zmm12, zmm13, 0xe8
    vprord zmm19, zmm3, 2
    vprord zmm21, zmm11, 2
    vprord zmm30, zmm3, 13
    vmovdqa64 zmmword ptr [rdx + 1792], zmm17
    vpternlogd zmm26, zmm24, zmm16, 0x96
    vpaddd zmm2, zmm2, zmm20
    vprord zmm22, zmm11, 13
    vprord zmm18, zmm3, 22
    vpaddd zmm10, zmm10, zmm26
    vpaddd zmm6, zmm6, zmm2
    vpaddd zmm2, zmm2, zmm23
    vprord zmm25, zmm11, 22
    vpaddd zmm14, zmm14, zmm10
    vpaddd zmm10, zmm10, zmm28
    vpternlogd zmm19, zmm30, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 896]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1920]
    vprord zmm20, zmm31, 17
    vprord zmm26, zmm29, 17
    vprord zmm23, zmm31, 19
    vpsrld zmm31, zmm31, 10
    vpternlogd zmm21, zmm22, zmm25, 0x96
    vpaddd zmm2, zmm2, zmm19
    vprord zmm28, zmm24, 7
    vprord zmm30, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm10, zmm10, zmm21
    vpternlogd zmm20, zmm23, zmm31, 0x96
    vprord zmm22, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm25, zmm29, 19
    vpsrld zmm29, zmm29, 10
    vpternlogd zmm28, zmm18, zmm24, 0x96
    vprord zmm19, zmm6, 6
    vprord zmm21, zmm14, 6
    vpternlogd zmm30, zmm22, zmm16, 0x96
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 832]
    vpternlogd zmm26, zmm25, zmm29, 0x96
    vmovdqa64 zmm23, zmm6
    vpternlogd zmm23, zmm7, zmm0, 0xca
    vmovdqa64 zmm31, zmm14
    vpternlogd zmm31, zmm15, zmm8, 0xca
    vpaddd zmm0, zmm0, dword ptr [r10 + 60]{1to16}
    vpaddd zmm8, zmm8, dword ptr [r10 + 60]{1to16}
    vprord zmm18, zmm6, 11
    vprord zmm24, zmm14, 11
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 1856]
    vpaddd zmm28, zmm28, zmmword ptr [rdx + 384]
    vpaddd zmm1, zmm1, zmm23
    vpaddd zmm9, zmm9, zmm31
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 960]
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 1984]
    vprord zmm22, zmm6, 25
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 1408]
    vpaddd zmm28, zmm28, zmm20
    vprord zmm16, zmm14, 25
    vpaddd zmm30, zmm30, zmm26
    vmovdqa64 zmmword ptr [rdx + 832], zmm28
    vpternlogd zmm19, zmm18, zmm22, 0x96
    vmovdqa64 zmm25, zmm2
    vpternlogd zmm25, zmm3, zmm4, 0xe8
    vmovdqa64 zmm29, zmm10
    vpternlogd zmm29, zmm11, zmm12, 0xe8
    vprord zmm23, zmm2, 2
    vprord zmm31, zmm10, 2
    vprord zmm20, zmm2, 13
    vmovdqa64 zmmword ptr [rdx + 1856], zmm30
    vpternlogd zmm21, zmm24, zmm16, 0x96
    vpaddd zmm1, zmm1, zmm19
    vprord zmm26, zmm10, 13
    vprord zmm18, zmm2, 22
    vpaddd zmm9, zmm9, zmm21
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm1, zmm1, zmm25
    vprord zmm22, zmm10, 22
    vpaddd zmm13, zmm13, zmm9
    vpaddd zmm9, zmm9, zmm29
    vpternlogd zmm23, zmm20, zmm18, 0x96
    vmovdqa64 zmm24, zmmword ptr [rdx + 960]
    vmovdqa64 zmm16, zmmword ptr [rdx + 1984]
    vprord zmm19, zmm27, 17
    vprord zmm21, zmm17, 17
    vprord zmm25, zmm27, 19
    vpsrld zmm27, zmm27, 10
    vpternlogd zmm31, zmm26, zmm22, 0x96
    vpaddd zmm1, zmm1, zmm23
    vprord zmm29, zmm24, 7
    vprord zmm20, zmm16, 7
    vprord zmm18, zmm24, 18
    vpsrld zmm24, zmm24, 3
    vpaddd zmm9, zmm9, zmm31
    vpternlogd zmm19, zmm25, zmm27, 0x96
    vprord zmm26, zmm16, 18
    vpsrld zmm16, zmm16, 3
    vprord zmm22, zmm17, 19
    vpsrld zmm17, zmm17, 10
    vpternlogd zmm29, zmm18, zmm24, 0x96
    vprord zmm23, zmm5, 6
    vprord zmm31, zmm13, 6
    vpternlogd zmm20, zmm26, zmm16, 0x96
    vpaddd zmm29, zmm29, zmmword ptr [rdx + 896]
    vpternlogd zmm21, zmm22, zmm17, 0x96
    vmovdqa64 zmm25, zmm5
    vpternlogd zmm25, zmm6, zmm7, 0xca
    vmovdqa64 zmm27, zmm13
    vpternlogd zmm27, zmm14, zmm15, 0xca
    vprord zmm18, zmm5, 11
    vprord zmm24, zmm13, 11
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 1920]
    vpaddd zmm29, zmm29, zmmword ptr [rdx + 448]
    vpaddd zmm0, zmm0, zmm25
    vpaddd zmm8, zmm8, zmm27
    vprord zmm26, zmm5, 25
    vpaddd zmm20, zmm20, zmmword ptr [rdx + 1472]
    vpaddd zmm29, zmm29, zmm19
    vprord zmm16, zmm13, 25
    vprord zmm22, zmm1, 2
    vpaddd zmm20, zmm20, zmm21
    vmovdqa64 zmmword ptr [rdx + 896], zmm29
    vpternlogd zmm23, zmm18, zmm26, 0x96
    vmovdqa64 zmm17, zmm1
    vpternlogd zmm17, zmm2, zmm3, 0xe8
    vmovdqa64 zmm25, zmm9
    vpternlogd zmm25, zmm10, zmm11, 0xe8
    vprord zmm27, zmm9, 2
    vprord zmm19, zmm1, 13
    vprord zmm21, zmm9, 13
    vprord zmm29, zmm1, 22
    vmovdqa64 zmmword ptr [rdx + 1920], zmm20
    vpternlogd zmm31, zmm24, zmm16, 0x96
    vpaddd zmm0, zmm0, zmm23
    vprord zmm18, zmm9, 22
    vprord zmm26, zmm28, 17
    vpaddd zmm8, zmm8, zmm31
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm17
    vpternlogd zmm22, zmm19, zmm29, 0x96
    vmovdqa64 zmm20, zmmword ptr [rdx + 0]
    vmovdqa64 zmm24, zmmword ptr [rdx + 1024]
    vprord zmm16, zmm30, 17
    vprord zmm23, zmm28, 19
    vprord zmm31, zmm30, 19
    vpsrld zmm28, zmm28, 10
    vpsrld zmm30, zmm30, 10
    vpaddd zmm12, zmm12, zmm8
    vpaddd zmm8, zmm8, zmm25
    vpternlogd zmm27, zmm21, zmm18, 0x96
    vpaddd zmm0, zmm0, zmm22
    vprord zmm17, zmm20, 7
    vprord zmm19, zmm24, 7
    vprord zmm29, zmm20, 18
    vprord zmm25, zmm24, 18
    vpsrld zmm20, zmm20, 3
    vpaddd zmm8, zmm8, zmm27
    vpternlogd zmm26, zmm23, zmm28, 0x96
    vpternlogd zmm16, zmm31, zmm30, 0x96
    vpsrld zmm24, zmm24, 3
    vpternlogd zmm17, zmm29, zmm20, 0x96
    vpternlogd zmm19, zmm25, zmm24, 0x96
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 960]
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 1984]
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 512]
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 1536]
    vpaddd zmm17, zmm17, zmm26
    vpaddd zmm19, zmm19, zmm16
    vmovdqa64 zmmword ptr [rdx + 960], zmm17
    vmovdqa64 zmmword ptr [rdx + 1984], zmm19
    add r10, 64
    dec r13d
    jnz 3b
    lea r14, [r8 + 64]
    cmp r14, r12
    cmovb r8, r14
    vprord zmm16, zmm4, 6
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
    vprord zmm17, zmm12, 6
    vprord zmm18, zmm4, 11
    vprord zmm19, zmm12, 11
    vprord zmm20, zmm4, 25
    vpaddd zmm7, zmm7, dword ptr [r10 + 0]{1to16}
    vpaddd zmm15, zmm15, dword ptr [r10 + 0]{1to16}
    vmovdqa64 zmm21, zmm4
    vpternlogd zmm21, zmm5, zmm6, 0xca
    vmovdqa64 zmm22, zmm12
    vpternlogd zmm22, zmm13, zmm14, 0xca
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0xe8
    vprord zmm24, zmm12, 25
    vprord zmm25, zmm0, 2
    vprord zmm26, zmm8, 2
    vpaddd zmm7, zmm7, zmmword ptr [rdx + 0]
    vpaddd zmm15, zmm15, zmmword ptr [rdx + 1024]
    vpternlogd zmm16, zmm18, zmm20, 0x96
    vmovdqa64 zmm27, zmm8
    vpternlogd zmm27, zmm9, zmm10, 0xe8
    vpaddd zmm6, zmm6, dword ptr [r10 + 4]{1to16}
    vpaddd zmm14, zmm14, dword ptr [r10 + 4]{1to16}
    vprord zmm28, zmm0, 13
    vprord zmm29, zmm8, 13
    vprord zmm30, zmm0, 22
    vprord zmm31, zmm8, 22
    vpaddd zmm7, zmm7, zmm21
    vpaddd zmm15, zmm15, zmm22
    vpternlogd zmm17, zmm19, zmm24, 0x96
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 64]
    vpaddd zmm14, zmm14, zmmword ptr [rdx + 1088]
    vpaddd zmm7, zmm7, zmm16
    vpaddd zmm15, zmm15, zmm17
    vpternlogd zmm25, zmm28, zmm30, 0x96
    vpternlogd zmm26, zmm29, zmm31, 0x96
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm22, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 0]
    vpaddd zmm3, zmm3, zmm7
    vpaddd zmm11, zmm11, zmm15
    vpaddd zmm7, zmm7, zmm23
    vpaddd zmm15, zmm15, zmm27
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm22, zmm22, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm7, zmm7, zmm25
    vpaddd zmm15, zmm15, zmm26
    vmovdqa64 zmm28, zmm3
    vpternlogd zmm28, zmm4, zmm5, 0xca
    vmovdqa64 zmm30, zmm11
    vpternlogd zmm30, zmm12, zmm13, 0xca
    vpaddd zmm5, zmm5, dword ptr [r10 + 8]{1to16}
    vprord zmm29, zmm3, 6
    vprord zmm31, zmm11, 6
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 0], 1
    vpaddd zmm6, zmm6, zmm28
    vpaddd zmm14, zmm14, zmm30
    vpaddd zmm13, zmm13, dword ptr [r10 + 8]{1to16}
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 128]
    vprord zmm23, zmm3, 11
    vpaddd zmm13, zmm13, zmmword ptr [rdx + 1152]
    vprord zmm27, zmm11, 11
    vprord zmm25, zmm3, 25
    vprord zmm26, zmm11, 25
    vpternlogd zmm29, zmm23, zmm25, 0x96
    vpternlogd zmm31, zmm27, zmm26, 0x96
    vpaddd zmm6, zmm6, zmm29
    vmovdqa64 zmm28, zmm7
    vpternlogd zmm28, zmm0, zmm1, 0xe8
    vpunpckldq zmm30, zmm18, zmm20
    vpunpckhdq zmm18, zmm18, zmm20
    vpunpckldq zmm23, zmm21, zmm22
    vpunpckhdq zmm21, zmm21, zmm22
    vpunpckldq zmm25, zmm19, zmm24
    vpaddd zmm14, zmm14, zmm31
    vpaddd zmm2, zmm2, zmm6
    vmovdqa64 zmm27, zmm15
    vpternlogd zmm27, zmm8, zmm9, 0xe8
    vpaddd zmm6, zmm6, zmm28
    vpunpckhdq zmm19, zmm19, zmm24
    vpunpcklqdq zmm26, zmm30, zmm23
    vpunpckhqdq zmm30, zmm30, zmm23
    vpunpcklqdq zmm29, zmm18, zmm21
    vpunpckhqdq zmm18, zmm18, zmm21
    vpaddd zmm10, zmm10, zmm14
    vpaddd zmm14, zmm14, zmm27
    vmovdqa64 zmm20, zmm2
    vpternlogd zmm20, zmm3, zmm4, 0xca
    vpaddd zmm4, zmm4, dword ptr [r10 + 12]{1to16}
    vpaddd zmm22, zmm12, dword ptr [r10 + 12]{1to16}
    vpunpckldq zmm31, zmm16, zmm17
    vpunpckhdq zmm16, zmm16, zmm17
    vprord zmm28, zmm7, 2
    vpternlogd zmm12, zmm11, zmm10, 0xd8
    vpaddd zmm5, zmm5, zmm20
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 192]
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 1216]
    vpunpcklqdq zmm24, zmm25, zmm31
    vpunpckhqdq zmm25, zmm25, zmm31
    vpunpcklqdq zmm23, zmm19, zmm16
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
    vpunpckhqdq zmm19, zmm19, zmm16
    vprord zmm21, zmm15, 2
    vpaddd zmm13, zmm13, zmm12
    vprord zmm27, zmm7, 13
    vprord zmm17, zmm15, 13
    vprord zmm20, zmm7, 22
    vprord zmm31, zmm15, 22
    vpternlogd zmm28, zmm27, zmm20, 0x96
    vprord zmm16, zmm2, 6
    vpternlogd zmm21, zmm17, zmm31, 0x96
    vpaddd zmm6, zmm6, zmm28
    vprord zmm12, zmm10, 6
    vpaddd zmm14, zmm14, zmm21
    vprord zmm27, zmm2, 11
    vprord zmm20, zmm10, 11
    vprord zmm17, zmm2, 25
    vprord zmm31, zmm10, 25
    vpternlogd zmm16, zmm27, zmm17, 0x96
    vpternlogd zmm12, zmm20, zmm31, 0x96
    vpaddd zmm5, zmm5, zmm16
    vmovdqa64 zmm28, zmm6
    vpternlogd zmm28, zmm7, zmm0, 0xe8
    vprord zmm21, zmm6, 2
    vpaddd zmm13, zmm13, zmm12
    vpaddd zmm1, zmm1, zmm5
    vmovdqa64 zmm27, zmm14
    vpternlogd zmm27, zmm15, zmm8, 0xe8
    vpaddd zmm5, zmm5, zmm28
    vprord zmm17, zmm14, 2
    vpaddd zmm9, zmm9, zmm13
    vpaddd zmm13, zmm13, zmm27
    vprord zmm20, zmm6, 13
    vprord zmm31, zmm14, 13
    vprord zmm16, zmm6, 22
    vprord zmm12, zmm14, 22
    vpternlogd zmm21, zmm20, zmm16, 0x96
    vpternlogd zmm17, zmm31, zmm12, 0x96
    vpaddd zmm5, zmm5, zmm21
    vmovdqa64 zmm28, zmm1
    vpternlogd zmm28, zmm2, zmm3, 0xca
    vpaddd zmm3, zmm3, dword ptr [r10 + 16]{1to16}
    vprord zmm27, zmm1, 6
    vpaddd zmm13, zmm13, zmm17
    vmovdqa64 zmm20, zmm9
    vpternlogd zmm20, zmm10, zmm11, 0xca
    vpaddd zmm4, zmm4, zmm28
    vpaddd zmm11, zmm11, dword ptr [r10 + 16]{1to16}
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 256]
    vprord zmm16, zmm9, 6
    vpaddd zmm22, zmm22, zmm20
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1280]
    vprord zmm31, zmm1, 11
    vshufi64x2 zmm12, zmm26, zmm24, 0x88
    vshufi64x2 zmm26, zmm26, zmm24, 0xdd
    vpshufb zmm12, zmm12, zmmword ptr [r11]
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vshufi64x2 zmm21, zmm30, zmm25, 0x88
    vshufi64x2 zmm30, zmm30, zmm25, 0xdd
    vshufi64x2 zmm17, zmm29, zmm23, 0x88
    vshufi64x2 zmm29, zmm29, zmm23, 0xdd
    vshufi64x2 zmm28, zmm18, zmm19, 0x88
    vmovdqa64 zmmword ptr [r9 + 0], zmm12
    vmovdqa64 zmmword ptr [r9 + 256], zmm26
    vpshufb zmm21, zmm21, zmmword ptr [r11]
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vpshufb zmm17, zmm17, zmmword ptr [r11]
    vpshufb zmm29, zmm29, zmmword ptr [r11]
    vpshufb zmm28, zmm28, zmmword ptr [r11]
    vshufi64x2 zmm18, zmm18, zmm19, 0xdd
    vprord zmm20, zmm9, 11
    vprord zmm24, zmm1, 25
    vprord zmm25, zmm9, 25
    vmovdqa64 zmmword ptr [r9 + 64], zmm21
    vmovdqa64 zmmword ptr [r9 + 320], zmm30
    vmovdqa64 zmmword ptr [r9 + 128], zmm17
    vmovdqa64 zmmword ptr [r9 + 384], zmm29
    vmovdqa64 zmmword ptr [r9 + 192], zmm28
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm23, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 32]
    vpshufb zmm18, zmm18, zmmword ptr [r11]
    vprord zmm19, zmm5, 2
    vprord zmm21, zmm13, 2
    vpternlogd zmm27, zmm31, zmm24, 0x96
    vpternlogd zmm16, zmm20, zmm25, 0x96
    vmovdqa64 zmm30, zmm5
    vpternlogd zmm30, zmm6, zmm7, 0xe8
    vmovdqa64 zmm17, zmm13
    vpternlogd zmm17, zmm14, zmm15, 0xe8
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm23, zmm23, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 32], 1
    vprord zmm29, zmm5, 13
    vprord zmm28, zmm13, 13
    vmovdqa64 zmmword ptr [r9 + 448], zmm18
    vpaddd zmm4, zmm4, zmm27
    vpaddd zmm22, zmm22, zmm16
    vpaddd zmm31, zmm2, dword ptr [r10 + 20]{1to16}
    vpunpckldq zmm24, zmm23, zmm12
    vpunpckhdq zmm23, zmm23, zmm12
    vprord zmm20, zmm5, 22
    vprord zmm25, zmm13, 22
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm8, zmm8, zmm22
    vpaddd zmm4, zmm4, zmm30
    vpaddd zmm22, zmm22, zmm17
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
    vpaddd zmm31, zmm31, zmmword ptr [rdx + 320]
    vprord zmm18, zmm0, 6
    vprord zmm27, zmm8, 6
    vprord zmm16, zmm0, 11
    vpternlogd zmm19, zmm29, zmm20, 0x96
    vpternlogd zmm21, zmm28, zmm25, 0x96
    vpternlogd zmm2, zmm1, zmm0, 0xd8
    vmovdqa64 zmm12, zmm8
    vpternlogd zmm12, zmm9, zmm10, 0xca
    vpaddd zmm10, zmm10, dword ptr [r10 + 20]{1to16}
    vprord zmm30, zmm8, 11
    vprord zmm17, zmm0, 25
    vprord zmm29, zmm8, 25
    vpaddd zmm4, zmm4, zmm19
    vpaddd zmm22, zmm22, zmm21
    vpaddd zmm3, zmm3, zmm2
    vpaddd zmm11, zmm11, zmm12
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 32]
    vpaddd zmm10, zmm10, zmmword ptr [rdx + 1344]
    vprord zmm28, zmm4, 2
    vprord zmm25, zmm22, 2
    vpternlogd zmm18, zmm16, zmm17, 0x96
    vpternlogd zmm27, zmm30, zmm29, 0x96
    vmovdqa64 zmm19, zmm4
    vpternlogd zmm19, zmm5, zmm6, 0xe8
    vmovdqa64 zmm21, zmm22
    vpternlogd zmm21, zmm13, zmm14, 0xe8
    vprord zmm2, zmm4, 13
    vprord zmm12, zmm22, 13
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm3, zmm3, zmm18
    vpaddd zmm11, zmm11, zmm27
    vprord zmm16, zmm4, 22
    vprord zmm17, zmm22, 22
    vpaddd zmm7, zmm7, zmm3
    vpaddd zmm15, zmm15, zmm11
    vpaddd zmm3, zmm3, zmm19
    vpaddd zmm11, zmm11, zmm21
    vpunpckldq zmm30, zmm26, zmm20
    vpunpckhdq zmm26, zmm26, zmm20
    vpternlogd zmm28, zmm2, zmm16, 0x96
    vpternlogd zmm25, zmm12, zmm17, 0x96
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 32]
    vpunpcklqdq zmm21, zmm24, zmm30
    vpunpckhqdq zmm24, zmm24, zmm30
    vpunpcklqdq zmm20, zmm23, zmm26
    vpunpckhqdq zmm23, zmm23, zmm26
    vpaddd zmm3, zmm3, zmm28
    vpaddd zmm11, zmm11, zmm25
    vmovdqa64 zmm2, zmm7
    vpternlogd zmm2, zmm0, zmm1, 0xca
    vmovdqa64 zmm16, zmm15
    vpternlogd zmm16, zmm8, zmm9, 0xca
    vpaddd zmm1, zmm1, dword ptr [r10 + 24]{1to16}
    vpaddd zmm9, zmm9, dword ptr [r10 + 24]{1to16}
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 32], 1
    vprord zmm12, zmm7, 6
    vpaddd zmm31, zmm31, zmm2
    vpaddd zmm10, zmm10, zmm16
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm4, zmm5, 0xe8
    vpaddd zmm1, zmm1, zmmword ptr [rdx + 384]
    vpaddd zmm9, zmm9, zmmword ptr [rdx + 1408]
    vpunpckldq zmm30, zmm29, zmm18
    vpunpckhdq zmm29, zmm29, zmm18
    vpunpckldq zmm26, zmm27, zmm19
    vpunpckhdq zmm27, zmm27, zmm19
    vpunpcklqdq zmm28, zmm30, zmm26
    vpunpckhqdq zmm30, zmm30, zmm26
    vpunpcklqdq zmm25, zmm29, zmm27
    vpunpckhqdq zmm29, zmm29, zmm27
    vshufi64x2 zmm2, zmm21, zmm28, 0x88
    vshufi64x2 zmm21, zmm21, zmm28, 0xdd
    vpshufb zmm2, zmm2, zmmword ptr [r11]
    vpshufb zmm21, zmm21, zmmword ptr [r11]
    vshufi64x2 zmm16, zmm24, zmm30, 0x88
    vprord zmm18, zmm15, 6
    vshufi64x2 zmm24, zmm24, zmm30, 0xdd
    vprord zmm19, zmm7, 11
    vmovdqa64 zmmword ptr [r9 + 512], zmm2
    vmovdqa64 zmmword ptr [r9 + 768], zmm21
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vprord zmm26, zmm15, 11
    vprord zmm27, zmm7, 25
    vmovdqa64 zmmword ptr [r9 + 576], zmm16
    vmovdqa64 zmmword ptr [r9 + 832], zmm24
    vprord zmm28, zmm15, 25
    vpternlogd zmm12, zmm19, zmm27, 0x96
    vmovdqa64 zmm30, zmm11
    vpternlogd zmm30, zmm22, zmm13, 0xe8
    vprord zmm2, zmm3, 2
    vprord zmm21, zmm11, 2
    vprord zmm16, zmm3, 13
    vpternlogd zmm18, zmm26, zmm28, 0x96
    vpaddd zmm31, zmm31, zmm12
    vprord zmm24, zmm11, 13
    vprord zmm19, zmm3, 22
    vpaddd zmm10, zmm10, zmm18
    vpaddd zmm6, zmm6, zmm31
    vpaddd zmm31, zmm31, zmm17
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
    vprord zmm27, zmm11, 22
    vprord zmm26, zmm6, 6
    vpaddd zmm14, zmm14, zmm10
    vpaddd zmm10, zmm10, zmm30
    vpternlogd zmm2, zmm16, zmm19, 0x96
    vmovdqa64 zmm28, zmm6
    vpternlogd zmm28, zmm7, zmm0, 0xca
    vpaddd zmm0, zmm0, dword ptr [r10 + 28]{1to16}
    vprord zmm12, zmm14, 6
    vprord zmm18, zmm6, 11
    vprord zmm17, zmm14, 11
    vpternlogd zmm21, zmm24, zmm27, 0x96
    vpaddd zmm31, zmm31, zmm2
    vmovdqa64 zmm30, zmm14
    vpternlogd zmm30, zmm15, zmm8, 0xca
    vpaddd zmm1, zmm1, zmm28
    vpaddd zmm8, zmm8, dword ptr [r10 + 28]{1to16}
    vpaddd zmm0, zmm0, zmmword ptr [rdx + 448]
    vprord zmm16, zmm6, 25
    vprord zmm19, zmm14, 25
    vpaddd zmm10, zmm10, zmm21
    vpaddd zmm9, zmm9, zmm30
    vpaddd zmm8, zmm8, zmmword ptr [rdx + 1472]
    vshufi64x2 zmm24, zmm20, zmm25, 0x88
    vshufi64x2 zmm20, zmm20, zmm25, 0xdd
    vshufi64x2 zmm27, zmm23, zmm29, 0x88
    vshufi64x2 zmm23, zmm23, zmm29, 0xdd
    vpternlogd zmm26, zmm18, zmm16, 0x96
    vpternlogd zmm12, zmm17, zmm19, 0x96
    vmovdqa64 zmm2, zmm31
    vpternlogd zmm2, zmm3, zmm4, 0xe8
    vmovdqa64 zmm28, zmm10
    vpternlogd zmm28, zmm11, zmm22, 0xe8
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 0]
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vpshufb zmm20, zmm20, zmmword ptr [r11]
    vpshufb zmm27, zmm27, zmmword ptr [r11]
    vpshufb zmm23, zmm23, zmmword ptr [r11]
    vpaddd zmm1, zmm1, zmm26
    vpaddd zmm9, zmm9, zmm12
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 0], 1
    vprord zmm18, zmm31, 2
    vprord zmm16, zmm10, 2
    vprord zmm17, zmm31, 13
    vpaddd zmm5, zmm5, zmm1
    vpaddd zmm13, zmm13, zmm9
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm9, zmm9, zmm28
    vmovdqa64 zmmword ptr [r9 + 640], zmm24
    vmovdqa64 zmmword ptr [r9 + 896], zmm20
    vmovdqa64 zmmword ptr [r9 + 704], zmm27
    vmovdqa64 zmmword ptr [r9 + 960], zmm23
    vpaddd zmm19, zmm7, dword ptr [r10 + 32]{1to16}
    vpunpckldq zmm26, zmm21, zmm30
    vpunpckhdq zmm21, zmm21, zmm30
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    vprord zmm12, zmm10, 13
    vpternlogd zmm7, zmm6, zmm5, 0xd8
    vmovdqa64 zmm2, zmm13
    vpternlogd zmm2, zmm14, zmm15, 0xca
    vpaddd zmm15, zmm15, dword ptr [r10 + 32]{1to16}
    vpaddd zmm19, zmm19, zmmword ptr [rdx + 512]
    vpunpckldq zmm28, zmm25, zmm29
    vpunpckhdq zmm25, zmm25, zmm29
    vprord zmm24, zmm31, 22
    vprord zmm20, zmm10, 22
    vpaddd zmm0, zmm0, zmm7
    vpaddd zmm8, zmm8, zmm2
    vpaddd zmm15, zmm15, zmmword ptr [rdx + 1536]
    vpunpcklqdq zmm27, zmm26, zmm28
    vpunpckhqdq zmm26, zmm26, zmm28
    vpunpcklqdq zmm23, zmm21, zmm25
    vpunpckhqdq zmm21, zmm21, zmm25
    vprord zmm30, zmm5, 6
    vpternlogd zmm18, zmm17, zmm24, 0x96
    vpternlogd zmm16, zmm12, zmm20, 0x96
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm2, ymmword ptr [rax + r8 + 0]
    vprord zmm28, zmm13, 6
    vprord zmm25, zmm5, 11
    vpaddd zmm1, zmm1, zmm18
    vpaddd zmm9, zmm9, zmm16
    vprord zmm17, zmm13, 11
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm2, zmm2, ymmword ptr [rax + r8 + 0], 1
    vprord zmm24, zmm5, 25
    vprord zmm12, zmm13, 25
    vpternlogd zmm30, zmm25, zmm24, 0x96
    vpternlogd zmm28, zmm17, zmm12, 0x96
    vpaddd zmm0, zmm0, zmm30
    vmovdqa64 zmm20, zmm1
    vpternlogd zmm20, zmm31, zmm3, 0xe8
    vmovdqa64 zmm18, zmm9
    vpternlogd zmm18, zmm10, zmm11, 0xe8
    vprord zmm16, zmm1, 2
    vprord zmm25, zmm9, 2
    vpaddd zmm8, zmm8, zmm28
    vpaddd zmm4, zmm4, zmm0
    vpaddd zmm0, zmm0, zmm20
    vprord zmm24, zmm1, 13
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
    vpaddd zmm22, zmm22, zmm8
    vpaddd zmm8, zmm8, zmm18
    vprord zmm17, zmm9, 13
    vprord zmm12, zmm1, 22
    vprord zmm30, zmm9, 22
    vpternlogd zmm16, zmm24, zmm12, 0x96
    vpternlogd zmm25, zmm17, zmm30, 0x96
    vpaddd zmm0, zmm0, zmm16
    vmovdqa64 zmm28, zmm4
    vpternlogd zmm28, zmm5, zmm6, 0xca
    vmovdqa64 zmm20, zmm22
    vpternlogd zmm20, zmm13, zmm14, 0xca
    vpaddd zmm6, zmm6, dword ptr [r10 + 36]{1to16}
    vpaddd zmm14, zmm14, dword ptr [r10 + 36]{1to16}
    vprord zmm18, zmm4, 6
    vprord zmm24, zmm22, 6
    vprord zmm12, zmm4, 11
    vpaddd zmm8, zmm8, zmm25
    vpaddd zmm19, zmm19, zmm28
    vpaddd zmm15, zmm15, zmm20
    vpaddd zmm6, zmm6, zmmword ptr [rdx + 576]
    vpaddd zmm14, zmm14, zmmword ptr [rdx + 1600]
    vprord zmm17, zmm22, 11
    vprord zmm30, zmm4, 25
    vpunpckldq zmm16, zmm29, zmm7
    vpunpckhdq zmm29, zmm29, zmm7
    vpternlogd zmm18, zmm12, zmm30, 0x96
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 0]
    vpaddd zmm19, zmm19, zmm18
    vpaddd zmm3, zmm3, zmm19
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm28, zmm2, zmm25
    vpunpckhdq zmm2, zmm2, zmm25
    vpunpcklqdq zmm20, zmm16, zmm28
    vpunpckhqdq zmm16, zmm16, zmm28
    vpunpcklqdq zmm7, zmm29, zmm2
    vpunpckhqdq zmm29, zmm29, zmm2
    vshufi64x2 zmm12, zmm27, zmm20, 0x88
    vshufi64x2 zmm27, zmm27, zmm20, 0xdd
    vpshufb zmm12, zmm12, zmmword ptr [r11]
    vpshufb zmm27, zmm27, zmmword ptr [r11]
    vshufi64x2 zmm30, zmm26, zmm16, 0x88
    vshufi64x2 zmm26, zmm26, zmm16, 0xdd
    vshufi64x2 zmm18, zmm23, zmm7, 0x88
    vshufi64x2 zmm23, zmm23, zmm7, 0xdd
    vprord zmm25, zmm22, 25
    vmovdqa64 zmmword ptr [r9 + 1024], zmm12
    vmovdqa64 zmmword ptr [r9 + 1280], zmm27
    vmovdqa64 zmm28, zmm0
    vpternlogd zmm28, zmm1, zmm31, 0xe8
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vpshufb zmm18, zmm18, zmmword ptr [r11]
    vprord zmm2, zmm0, 2
    vprord zmm20, zmm8, 2
    vpternlogd zmm24, zmm17, zmm25, 0x96
    vmovdqa64 zmm16, zmm8
    vpternlogd zmm16, zmm9, zmm10, 0xe8
    vpaddd zmm19, zmm19, zmm28
    vprord zmm7, zmm0, 13
    vprord zmm12, zmm8, 13
    vprord zmm27, zmm0, 22
    vprord zmm17, zmm8, 22
    vpshufb zmm23, zmm23, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1088], zmm30
    vmovdqa64 zmmword ptr [r9 + 1344], zmm26
    vmovdqa64 zmmword ptr [r9 + 1152], zmm18
    vpaddd zmm15, zmm15, zmm24
    vprord zmm25, zmm3, 6
    vprord zmm28, zmm3, 11
    vprord zmm30, zmm3, 25
    vpaddd zmm11, zmm11, zmm15
    vpaddd zmm15, zmm15, zmm16
    vpternlogd zmm2, zmm7, zmm27, 0x96
    vpternlogd zmm20, zmm12, zmm17, 0x96
    vmovdqa64 zmm26, zmm3
    vpternlogd zmm26, zmm4, zmm5, 0xca
    vpaddd zmm5, zmm5, dword ptr [r10 + 40]{1to16}
    vpaddd zmm18, zmm13, dword ptr [r10 + 40]{1to16}
    vprord zmm24, zmm11, 6
    vprord zmm16, zmm11, 11
    vprord zmm7, zmm11, 25
    vshufi64x2 zmm27, zmm21, zmm29, 0x88
    vshufi64x2 zmm21, zmm21, zmm29, 0xdd
    vpaddd zmm19, zmm19, zmm2
    vpaddd zmm15, zmm15, zmm20
    vpternlogd zmm13, zmm22, zmm11, 0xd8
    vpaddd zmm6, zmm6, zmm26
    vpternlogd zmm25, zmm28, zmm30, 0x96
    vmovdqa64 zmmword ptr [r9 + 1408], zmm23
    vprord zmm12, zmm19, 2
    vprord zmm17, zmm15, 2
    vprord zmm29, zmm19, 13
    vprord zmm2, zmm15, 13
    vprord zmm20, zmm19, 22
    vpaddd zmm14, zmm14, zmm13
    vpternlogd zmm24, zmm16, zmm7, 0x96
    vpaddd zmm6, zmm6, zmm25
    vmovdqa64 zmm26, zmm19
    vpternlogd zmm26, zmm0, zmm1, 0xe8
    vmovdqa64 zmm28, zmm15
    vpternlogd zmm28, zmm8, zmm9, 0xe8
    vprord zmm30, zmm15, 22
    vpshufb zmm27, zmm27, zmmword ptr [r11]
    vpshufb zmm21, zmm21, zmmword ptr [r11]
    vpaddd zmm14, zmm14, zmm24
    vpaddd zmm31, zmm31, zmm6
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
    vpaddd zmm6, zmm6, zmm26
    vpternlogd zmm12, zmm29, zmm20, 0x96
    mov rax, qword ptr [rsi + 128]
    vmovdqu64 ymm23, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 136]
    vmovdqu64 ymm13, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 144]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 32]
    vpaddd zmm5, zmm5, zmmword ptr [rdx + 640]
    vpaddd zmm18, zmm18, zmmword ptr [rdx + 1664]
    vprord zmm7, zmm31, 6
    vpaddd zmm10, zmm10, zmm14
    vpaddd zmm14, zmm14, zmm28
    vpternlogd zmm17, zmm2, zmm30, 0x96
    vpaddd zmm6, zmm6, zmm12
    vmovdqa64 zmmword ptr [r9 + 1216], zmm27
    vmovdqa64 zmmword ptr [r9 + 1472], zmm21
    mov rax, qword ptr [rsi + 152]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 192]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 200]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 208]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 32]
    vmovdqa64 zmm20, zmm31
    vpternlogd zmm20, zmm3, zmm4, 0xca
    vpaddd zmm4, zmm4, dword ptr [r10 + 44]{1to16}
    mov rax, qword ptr [rsi + 160]
    vinserti64x4 zmm23, zmm23, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 168]
    vinserti64x4 zmm13, zmm13, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 176]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 32], 1
    vprord zmm28, zmm10, 6
    vpaddd zmm14, zmm14, zmm17
    vmovdqa64 zmm2, zmm10
    vpternlogd zmm2, zmm11, zmm22, 0xca
    vpaddd zmm5, zmm5, zmm20
    vpaddd zmm22, zmm22, dword ptr [r10 + 44]{1to16}
    vpaddd zmm4, zmm4, zmmword ptr [rdx + 704]
    vpunpckldq zmm30, zmm23, zmm13
    vpunpckhdq zmm23, zmm23, zmm13
    mov rax, qword ptr [rsi + 184]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 224]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 232]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 32], 1
    vpaddd zmm18, zmm18, zmm2
    vmovdqa64 zmm12, zmm6
    vpternlogd zmm12, zmm19, zmm0, 0xe8
    vpaddd zmm22, zmm22, zmmword ptr [rdx + 1728]
    vpunpckldq zmm27, zmm16, zmm25
    vpunpckhdq zmm16, zmm16, zmm25
    mov rax, qword ptr [rsi + 240]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 32], 1
    vpunpcklqdq zmm21, zmm30, zmm27
    vpunpckhqdq zmm30, zmm30, zmm27
    vpunpcklqdq zmm17, zmm23, zmm16
    vpunpckhqdq zmm23, zmm23, zmm16
    vpunpckldq zmm20, zmm24, zmm26
    vpunpckhdq zmm24, zmm24, zmm26
    vprord zmm13, zmm31, 11
    vprord zmm2, zmm10, 11
    vprord zmm25, zmm31, 25
    vprord zmm27, zmm10, 25
    vpternlogd zmm7, zmm13, zmm25, 0x96
    vpternlogd zmm28, zmm2, zmm27, 0x96
    vpaddd zmm5, zmm5, zmm7
    vmovdqa64 zmm16, zmm14
    vpternlogd zmm16, zmm15, zmm8, 0xe8
    vprord zmm26, zmm6, 2
    vprord zmm13, zmm14, 2
    vpaddd zmm18, zmm18, zmm28
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm5, zmm5, zmm12
    vprord zmm25, zmm6, 13
    vpaddd zmm9, zmm9, zmm18
    vpaddd zmm18, zmm18, zmm16
    vprord zmm2, zmm14, 13
    vprord zmm27, zmm6, 22
    vprord zmm7, zmm14, 22
    vpternlogd zmm26, zmm25, zmm27, 0x96
    vpternlogd zmm13, zmm2, zmm7, 0x96
    vpaddd zmm5, zmm5, zmm26
    vmovdqa64 zmm28, zmm1
    vpternlogd zmm28, zmm31, zmm3, 0xca
    vmovdqa64 zmm12, zmm9
    vpternlogd zmm12, zmm10, zmm11, 0xca
    vpaddd zmm3, zmm3, dword ptr [r10 + 48]{1to16}
    vpaddd zmm11, zmm11, dword ptr [r10 + 48]{1to16}
    vprord zmm16, zmm1, 6
    vprord zmm25, zmm9, 6
    vprord zmm27, zmm1, 11
    vpaddd zmm18, zmm18, zmm13
    vpaddd zmm4, zmm4, zmm28
    vpaddd zmm22, zmm22, zmm12
    vpaddd zmm3, zmm3, zmmword ptr [rdx + 768]
    vpaddd zmm11, zmm11, zmmword ptr [rdx + 1792]
    vprord zmm2, zmm9, 11
    vprord zmm7, zmm1, 25
    vprord zmm26, zmm9, 25
    vpternlogd zmm16, zmm27, zmm7, 0x96
    vpternlogd zmm25, zmm2, zmm26, 0x96
    vpaddd zmm4, zmm4, zmm16
    vmovdqa64 zmm13, zmm5
    vpternlogd zmm13, zmm6, zmm19, 0xe8
    vmovdqa64 zmm28, zmm18
    vpternlogd zmm28, zmm14, zmm15, 0xe8
    vprord zmm12, zmm5, 2
    vprord zmm27, zmm18, 2
    vpaddd zmm22, zmm22, zmm25
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm4, zmm4, zmm13
    vpaddd zmm8, zmm8, zmm22
    vpaddd zmm22, zmm22, zmm28
    mov rax, qword ptr [rsi + 216]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 248]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm2, zmm29, zmm7
    vpunpckhdq zmm29, zmm29, zmm7
    vpunpcklqdq zmm26, zmm20, zmm2
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
    vpunpckhqdq zmm20, zmm20, zmm2
    vpunpcklqdq zmm16, zmm24, zmm29
    vpunpckhqdq zmm24, zmm24, zmm29
    vshufi64x2 zmm25, zmm21, zmm26, 0x88
    vshufi64x2 zmm21, zmm21, zmm26, 0xdd
    vpshufb zmm25, zmm25, zmmword ptr [r11]
    vpshufb zmm21, zmm21, zmmword ptr [r11]
    vshufi64x2 zmm13, zmm30, zmm20, 0x88
    vshufi64x2 zmm30, zmm30, zmm20, 0xdd
    vshufi64x2 zmm28, zmm17, zmm16, 0x88
    vshufi64x2 zmm17, zmm17, zmm16, 0xdd
    vshufi64x2 zmm7, zmm23, zmm24, 0x88
    vmovdqa64 zmmword ptr [r9 + 1536], zmm25
    vmovdqa64 zmmword ptr [r9 + 1792], zmm21
    vmovdqa64 zmm2, zmm0
    vpternlogd zmm2, zmm1, zmm31, 0xca
    vpaddd zmm31, zmm31, dword ptr [r10 + 52]{1to16}
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vpshufb zmm28, zmm28, zmmword ptr [r11]
    vpshufb zmm17, zmm17, zmmword ptr [r11]
    vpshufb zmm7, zmm7, zmmword ptr [r11]
    vpaddd zmm3, zmm3, zmm2
    vmovdqa64 zmm29, zmm8
    vpternlogd zmm29, zmm9, zmm10, 0xca
    vpaddd zmm10, zmm10, dword ptr [r10 + 52]{1to16}
    vpaddd zmm31, zmm31, zmmword ptr [rdx + 832]
    vshufi64x2 zmm23, zmm23, zmm24, 0xdd
    vprord zmm26, zmm5, 13
    vprord zmm20, zmm18, 13
    vprord zmm16, zmm5, 22
    vprord zmm25, zmm18, 22
    vmovdqa64 zmmword ptr [r9 + 1600], zmm13
    vmovdqa64 zmmword ptr [r9 + 1856], zmm30
    vmovdqa64 zmmword ptr [r9 + 1664], zmm28
    vmovdqa64 zmmword ptr [r9 + 1920], zmm17
    vmovdqa64 zmmword ptr [r9 + 1728], zmm7
    vpaddd zmm11, zmm11, zmm29
    vpaddd zmm10, zmm10, zmmword ptr [rdx + 1856]
    vpaddd zmm21, zmm1, dword ptr [r10 + 56]{1to16}
    vpaddd zmm2, zmm9, dword ptr [r10 + 56]{1to16}
    vpshufb zmm23, zmm23, zmmword ptr [r11]
    vprord zmm24, zmm0, 6
    vprord zmm13, zmm8, 6
    vprord zmm30, zmm0, 11
    vprord zmm28, zmm8, 11
    vpternlogd zmm12, zmm26, zmm16, 0x96
    vpternlogd zmm27, zmm20, zmm25, 0x96
    vpaddd zmm21, zmm21, zmmword ptr [rdx + 896]
    vpaddd zmm2, zmm2, zmmword ptr [rdx + 1920]
    vprord zmm17, zmm0, 25
    vprord zmm7, zmm8, 25
    vmovdqa64 zmmword ptr [r9 + 1984], zmm23
    vpaddd zmm4, zmm4, zmm12
    vpaddd zmm22, zmm22, zmm27
    vprord zmm29, zmm4, 2
    vprord zmm26, zmm22, 2
    vprord zmm16, zmm4, 13
    vprord zmm20, zmm22, 13
    vpternlogd zmm24, zmm30, zmm17, 0x96
    vpternlogd zmm13, zmm28, zmm7, 0x96
    vmovdqa64 zmm25, zmm4
    vpternlogd zmm25, zmm5, zmm6, 0xe8
    vmovdqa64 zmm23, zmm22
    vpternlogd zmm23, zmm18, zmm14, 0xe8
    vprord zmm12, zmm4, 22
    vprord zmm27, zmm22, 22
    vpaddd zmm3, zmm3, zmm24
    vpaddd zmm11, zmm11, zmm13
    vpaddd zmm19, zmm19, zmm3
    vpaddd zmm15, zmm15, zmm11
    vpaddd zmm3, zmm3, zmm25
    vpaddd zmm11, zmm11, zmm23
    vpternlogd zmm29, zmm16, zmm12, 0x96
    vpternlogd zmm26, zmm20, zmm27, 0x96
    vpaddd zmm30, zmm0, dword ptr [r10 + 60]{1to16}
    vpaddd zmm17, zmm8, dword ptr [r10 + 60]{1to16}
    vprord zmm28, zmm19, 6
    vprord zmm7, zmm15, 6
    vprord zmm24, zmm19, 11
    vprord zmm13, zmm15, 11
    vprord zmm25, zmm19, 25
    vpaddd zmm3, zmm3, zmm29
    vpaddd zmm11, zmm11, zmm26
    vpternlogd zmm1, zmm0, zmm19, 0xd8
    vpternlogd zmm9, zmm8, zmm15, 0xd8
    vpaddd zmm30, zmm30, zmmword ptr [rdx + 960]
    vprord zmm23, zmm15, 25
    vprord zmm16, zmm3, 2
    vprord zmm12, zmm11, 2
    vpaddd zmm31, zmm31, zmm1
    vpaddd zmm10, zmm10, zmm9
    vpternlogd zmm28, zmm24, zmm25, 0x96
    vmovdqa64 zmm20, zmm3
    vpternlogd zmm20, zmm4, zmm5, 0xe8
    vmovdqa64 zmm27, zmm11
    vpternlogd zmm27, zmm22, zmm18, 0xe8
    vpaddd zmm17, zmm17, zmmword ptr [rdx + 1984]
    vprord zmm29, zmm3, 13
    vprord zmm26, zmm11, 13
    vprord zmm1, zmm3, 22
    vpternlogd zmm7, zmm13, zmm23, 0x96
    vpaddd zmm31, zmm31, zmm28
    vprord zmm9, zmm11, 22
    vpaddd zmm10, zmm10, zmm7
    vpaddd zmm6, zmm6, zmm31
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
    vpaddd zmm31, zmm31, zmm20
    vpternlogd zmm16, zmm29, zmm1, 0x96
    vprord zmm24, zmm6, 6
    vprord zmm25, zmm6, 11
    vprord zmm13, zmm6, 25
    vpaddd zmm14, zmm14, zmm10
    vpaddd zmm10, zmm10, zmm27
    vpternlogd zmm12, zmm26, zmm9, 0x96
    vpaddd zmm31, zmm31, zmm16
    vpternlogd zmm0, zmm19, zmm6, 0xd8
    vpaddd zmm23, zmm3, zmmword ptr [rdi + 192]
    vprord zmm28, zmm14, 6
    vprord zmm7, zmm14, 11
    vprord zmm20, zmm14, 25
    vprord zmm29, zmm31, 2
    vprord zmm1, zmm31, 13
    vpaddd zmm10, zmm10, zmm12
    vpternlogd zmm8, zmm15, zmm14, 0xd8
    vpaddd zmm21, zmm21, zmm0
    vpternlogd zmm24, zmm25, zmm13, 0x96
    vmovdqa64 zmm27, zmm31
    vpternlogd zmm27, zmm3, zmm4, 0xe8
    vprord zmm26, zmm10, 2
    vprord zmm9, zmm10, 13
    vprord zmm16, zmm31, 22
    vprord zmm12, zmm10, 22
    vpaddd zmm2, zmm2, zmm8
    vpternlogd zmm28, zmm7, zmm20, 0x96
    vpaddd zmm21, zmm21, zmm24
    vmovdqa64 zmm0, zmm10
    vpternlogd zmm0, zmm11, zmm22, 0xe8
    vmovdqa64 zmmword ptr [rdi + 192], zmm23
    vpaddd zmm2, zmm2, zmm28
    vpaddd zmm5, zmm5, zmm21
    vpaddd zmm21, zmm21, zmm27
    vpternlogd zmm29, zmm1, zmm16, 0x96
    vpternlogd zmm26, zmm9, zmm12, 0x96
    vpaddd zmm25, zmm31, zmmword ptr [rdi + 128]
    vpaddd zmm13, zmm10, zmmword ptr [rdi + 640]
    vpaddd zmm8, zmm11, zmmword ptr [rdi + 704]
    vpaddd zmm7, zmm6, zmmword ptr [rdi + 384]
    vpaddd zmm20, zmm14, zmmword ptr [rdi + 896]
    vprord zmm24, zmm5, 6
    vprord zmm28, zmm5, 11
    vprord zmm27, zmm5, 25
    vpaddd zmm18, zmm18, zmm2
    vpaddd zmm2, zmm2, zmm0
    vpaddd zmm21, zmm21, zmm29
    vpternlogd zmm6, zmm5, zmm19, 0xe2
    vmovdqa64 zmmword ptr [rdi + 128], zmm25
    vmovdqa64 zmmword ptr [rdi + 640], zmm13
    vmovdqa64 zmmword ptr [rdi + 704], zmm8
    vpaddd zmm5, zmm5, zmmword ptr [rdi + 320]
    vmovdqa64 zmmword ptr [rdi + 384], zmm7
    vmovdqa64 zmmword ptr [rdi + 896], zmm20
    vpaddd zmm19, zmm19, zmmword ptr [rdi + 448]
    vprord zmm1, zmm18, 6
    vprord zmm16, zmm18, 11
    vprord zmm9, zmm18, 25
    vprord zmm12, zmm21, 2
    vprord zmm0, zmm21, 13
    vpaddd zmm2, zmm2, zmm26
    vpternlogd zmm14, zmm18, zmm15, 0xe2
    vpaddd zmm30, zmm30, zmm6
    vpternlogd zmm24, zmm28, zmm27, 0x96
    vpternlogd zmm31, zmm21, zmm3, 0xe8
    vprord zmm29, zmm2, 2
    vprord zmm26, zmm2, 13
    vprord zmm6, zmm21, 22
    vprord zmm28, zmm2, 22
    vpaddd zmm17, zmm17, zmm14
    vpternlogd zmm1, zmm16, zmm9, 0x96
    vpaddd zmm30, zmm30, zmm24
    vpternlogd zmm10, zmm2, zmm11, 0xe8
    vpaddd zmm21, zmm21, zmmword ptr [rdi + 64]
    vpaddd zmm2, zmm2, zmmword ptr [rdi + 576]
    vpaddd zmm17, zmm17, zmm1
    vpaddd zmm4, zmm4, zmm30
    vpaddd zmm30, zmm30, zmm31
    vpternlogd zmm12, zmm0, zmm6, 0x96
    vpternlogd zmm29, zmm26, zmm28, 0x96
    vmovdqa64 zmmword ptr [rdi + 64], zmm21
    vmovdqa64 zmmword ptr [rdi + 576], zmm2
    vpaddd zmm18, zmm18, zmmword ptr [rdi + 832]
    vmovdqa64 zmmword ptr [rdi + 320], zmm5
    vpaddd zmm15, zmm15, zmmword ptr [rdi + 960]
    vmovdqa64 zmmword ptr [rdi + 448], zmm19
    vpaddd zmm22, zmm22, zmm17
    vpaddd zmm17, zmm17, zmm10
    vpaddd zmm30, zmm30, zmm12
    vpaddd zmm4, zmm4, zmmword ptr [rdi + 256]
    vmovdqa64 zmmword ptr [rdi + 832], zmm18
    vmovdqa64 zmmword ptr [rdi + 960], zmm15
    vpaddd zmm17, zmm17, zmm29
    vpaddd zmm30, zmm30, zmmword ptr [rdi + 0]
    vpaddd zmm22, zmm22, zmmword ptr [rdi + 768]
    vmovdqa64 zmmword ptr [rdi + 256], zmm4
    vpaddd zmm17, zmm17, zmmword ptr [rdi + 512]
    vmovdqa64 zmmword ptr [rdi + 0], zmm30
    vmovdqa64 zmmword ptr [rdi + 768], zmm22
    vmovdqa64 zmmword ptr [rdi + 512], zmm17
    vmovdqa64 zmm0, zmm30
    vmovdqa64 zmm14, zmm20
    vmovdqa64 zmm1, zmm21
    vmovdqa64 zmm12, zmm22
    vmovdqa64 zmm11, zmm8
    vmovdqa64 zmm10, zmm13
    vmovdqa64 zmm13, zmm18
    vmovdqa64 zmm8, zmm17
    vmovdqa64 zmm9, zmm2
    vmovdqa64 zmm6, zmm7
    vmovdqa64 zmm7, zmm19
    vmovdqa64 zmm2, zmm25
    vmovdqa64 zmm3, zmm23
    sub r10, 192
    cmp r14, r12
    jb 2b
