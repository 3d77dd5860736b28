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
    vmovdqa64 zmm0, zmmword ptr [rdi + 0]
    vmovdqa64 zmm1, zmmword ptr [rdi + 64]
    vmovdqa64 zmm2, zmmword ptr [rdi + 128]
    vmovdqa64 zmm3, zmmword ptr [rdi + 192]
2:
    xchg rdx, r9
    add r15, 64
    lea r14, [r8 + 64]
    cmp r14, r12
    cmovb r8, r14
    vmovdqa64 zmm4, zmmword ptr [rdx + 0]
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
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm0, zmm0, dword ptr [r10 + 0]{1to16}
    vmovdqa64 zmm5, zmm1
    vpternlogd zmm5, zmm2, zmm3, 0xca
    vpaddd zmm0, zmm0, zmm5
    vprold zmm0, zmm0, 7
    vpaddd zmm0, zmm0, zmm1
    vmovdqa64 zmm6, zmmword ptr [rdx + 64]
    vpaddd zmm3, zmm3, zmm6
    vpaddd zmm3, zmm3, dword ptr [r10 + 4]{1to16}
    vmovdqa64 zmm7, zmm0
    vpternlogd zmm7, zmm1, zmm2, 0xca
    vpaddd zmm3, zmm3, zmm7
    vprold zmm3, zmm3, 12
    vpaddd zmm3, zmm3, zmm0
    vmovdqa64 zmm8, zmmword ptr [rdx + 128]
    vpaddd zmm2, zmm2, zmm8
    vpaddd zmm2, zmm2, dword ptr [r10 + 8]{1to16}
    vmovdqa64 zmm9, zmm3
    vpternlogd zmm9, zmm0, zmm1, 0xca
    vpaddd zmm2, zmm2, zmm9
    vprold zmm2, zmm2, 17
    vpaddd zmm2, zmm2, zmm3
    vmovdqa64 zmm10, zmmword ptr [rdx + 192]
    vpaddd zmm1, zmm1, zmm10
    vpaddd zmm1, zmm1, dword ptr [r10 + 12]{1to16}
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm0, 0xca
    vpaddd zmm1, zmm1, zmm11
    vprold zmm1, zmm1, 22
    vpaddd zmm1, zmm1, zmm2
    vmovdqa64 zmm12, zmmword ptr [rdx + 256]
    vpaddd zmm0, zmm0, zmm12
    vpaddd zmm0, zmm0, dword ptr [r10 + 16]{1to16}
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0xca
    vpaddd zmm0, zmm0, zmm13
    vprold zmm0, zmm0, 7
    vpaddd zmm0, zmm0, zmm1
    vmovdqa64 zmm14, zmmword ptr [rdx + 320]
    vpaddd zmm3, zmm3, zmm14
    vpaddd zmm3, zmm3, dword ptr [r10 + 20]{1to16}
    vmovdqa64 zmm15, zmm0
    vpternlogd zmm15, zmm1, zmm2, 0xca
    vpaddd zmm3, zmm3, zmm15
    vprold zmm3, zmm3, 12
    vpaddd zmm3, zmm3, zmm0
    vmovdqa64 zmm16, zmmword ptr [rdx + 384]
    vpaddd zmm2, zmm2, zmm16
    vpaddd zmm2, zmm2, dword ptr [r10 + 24]{1to16}
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm0, zmm1, 0xca
    vpaddd zmm2, zmm2, zmm17
    vprold zmm2, zmm2, 17
    vpaddd zmm2, zmm2, zmm3
    vmovdqa64 zmm18, zmmword ptr [rdx + 448]
    vpaddd zmm1, zmm1, zmm18
    vpaddd zmm1, zmm1, dword ptr [r10 + 28]{1to16}
    vmovdqa64 zmm19, zmm2
    vpternlogd zmm19, zmm3, zmm0, 0xca
    vpaddd zmm1, zmm1, zmm19
    vprold zmm1, zmm1, 22
    vpaddd zmm1, zmm1, zmm2
    vmovdqa64 zmm20, zmmword ptr [rdx + 512]
    vpaddd zmm0, zmm0, zmm20
    vpaddd zmm0, zmm0, dword ptr [r10 + 32]{1to16}
    vmovdqa64 zmm21, zmm1
    vpternlogd zmm21, zmm2, zmm3, 0xca
    vpaddd zmm0, zmm0, zmm21
    vprold zmm0, zmm0, 7
    vpaddd zmm0, zmm0, zmm1
    vmovdqa64 zmm22, zmmword ptr [rdx + 576]
    vpaddd zmm3, zmm3, zmm22
    vpaddd zmm3, zmm3, dword ptr [r10 + 36]{1to16}
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0xca
    vpaddd zmm3, zmm3, zmm23
    vprold zmm3, zmm3, 12
    vpaddd zmm3, zmm3, zmm0
    vmovdqa64 zmm24, zmmword ptr [rdx + 640]
    vpaddd zmm2, zmm2, zmm24
    vpaddd zmm2, zmm2, dword ptr [r10 + 40]{1to16}
    vmovdqa64 zmm25, zmm3
    vpternlogd zmm25, zmm0, zmm1, 0xca
    vpaddd zmm2, zmm2, zmm25
    vprold zmm2, zmm2, 17
    vpaddd zmm2, zmm2, zmm3
    vmovdqa64 zmm26, zmmword ptr [rdx + 704]
    vpaddd zmm1, zmm1, zmm26
    vpaddd zmm1, zmm1, dword ptr [r10 + 44]{1to16}
    vmovdqa64 zmm27, zmm2
    vpternlogd zmm27, zmm3, zmm0, 0xca
    vpaddd zmm1, zmm1, zmm27
    vprold zmm1, zmm1, 22
    vpaddd zmm1, zmm1, zmm2
    vmovdqa64 zmm28, zmmword ptr [rdx + 768]
    vpaddd zmm0, zmm0, zmm28
    vpaddd zmm0, zmm0, dword ptr [r10 + 48]{1to16}
    vmovdqa64 zmm29, zmm1
    vpternlogd zmm29, zmm2, zmm3, 0xca
    vpaddd zmm0, zmm0, zmm29
    vprold zmm0, zmm0, 7
    vpaddd zmm0, zmm0, zmm1
    vmovdqa64 zmm30, zmmword ptr [rdx + 832]
    vpaddd zmm3, zmm3, zmm30
    vpaddd zmm3, zmm3, dword ptr [r10 + 52]{1to16}
    vmovdqa64 zmm31, zmm0
    vpternlogd zmm31, zmm1, zmm2, 0xca
    vpaddd zmm3, zmm3, zmm31
    vprold zmm3, zmm3, 12
    vpaddd zmm3, zmm3, zmm0
    vmovdqa64 zmm5, zmmword ptr [rdx + 896]
    vpaddd zmm2, zmm2, zmm5
    vpaddd zmm2, zmm2, dword ptr [r10 + 56]{1to16}
    vmovdqa64 zmm7, zmm3
    vpternlogd zmm7, zmm0, zmm1, 0xca
    vpaddd zmm2, zmm2, zmm7
    vprold zmm2, zmm2, 17
    vpaddd zmm2, zmm2, zmm3
    vmovdqa64 zmm9, zmmword ptr [rdx + 960]
    vpaddd zmm1, zmm1, zmm9
    vpaddd zmm1, zmm1, dword ptr [r10 + 60]{1to16}
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm0, 0xca
    vpaddd zmm1, zmm1, zmm11
    vprold zmm1, zmm1, 22
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm6
    vpaddd zmm0, zmm0, dword ptr [r10 + 64]{1to16}
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0xe4
    vpaddd zmm0, zmm0, zmm13
    vprold zmm0, zmm0, 5
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm16
    vpaddd zmm3, zmm3, dword ptr [r10 + 68]{1to16}
    vmovdqa64 zmm15, zmm0
    vpternlogd zmm15, zmm1, zmm2, 0xe4
    vpaddd zmm3, zmm3, zmm15
    vprold zmm3, zmm3, 9
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm26
    vpaddd zmm2, zmm2, dword ptr [r10 + 72]{1to16}
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm0, zmm1, 0xe4
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
    vpaddd zmm2, zmm2, zmm17
    vprold zmm2, zmm2, 14
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm4
    vpaddd zmm1, zmm1, dword ptr [r10 + 76]{1to16}
    vmovdqa64 zmm19, zmm2
    vpternlogd zmm19, zmm3, zmm0, 0xe4
    vpaddd zmm1, zmm1, zmm19
    vprold zmm1, zmm1, 20
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm14
    vpaddd zmm0, zmm0, dword ptr [r10 + 80]{1to16}
    vmovdqa64 zmm21, zmm1
    vpternlogd zmm21, zmm2, zmm3, 0xe4
    vpaddd zmm0, zmm0, zmm21
    vprold zmm0, zmm0, 5
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm24
    vpaddd zmm3, zmm3, dword ptr [r10 + 84]{1to16}
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0xe4
    vpaddd zmm3, zmm3, zmm23
    vprold zmm3, zmm3, 9
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm9
    vpaddd zmm2, zmm2, dword ptr [r10 + 88]{1to16}
    vmovdqa64 zmm25, zmm3
    vpternlogd zmm25, zmm0, zmm1, 0xe4
    vpaddd zmm2, zmm2, zmm25
    vprold zmm2, zmm2, 14
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm12
    vpaddd zmm1, zmm1, dword ptr [r10 + 92]{1to16}
    vmovdqa64 zmm27, zmm2
    vpternlogd zmm27, zmm3, zmm0, 0xe4
    vpaddd zmm1, zmm1, zmm27
    vprold zmm1, zmm1, 20
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm22
    vpaddd zmm0, zmm0, dword ptr [r10 + 96]{1to16}
    vmovdqa64 zmm29, zmm1
    vpternlogd zmm29, zmm2, zmm3, 0xe4
    vpaddd zmm0, zmm0, zmm29
    vprold zmm0, zmm0, 5
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm5
    vpaddd zmm3, zmm3, dword ptr [r10 + 100]{1to16}
    vmovdqa64 zmm31, zmm0
    vpternlogd zmm31, zmm1, zmm2, 0xe4
    vpaddd zmm3, zmm3, zmm31
    vprold zmm3, zmm3, 9
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm10
    vpaddd zmm2, zmm2, dword ptr [r10 + 104]{1to16}
    vmovdqa64 zmm7, zmm3
    vpternlogd zmm7, zmm0, zmm1, 0xe4
    vpaddd zmm2, zmm2, zmm7
    vprold zmm2, zmm2, 14
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm20
    vpaddd zmm1, zmm1, dword ptr [r10 + 108]{1to16}
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm0, 0xe4
    vpaddd zmm1, zmm1, zmm11
    vprold zmm1, zmm1, 20
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm30
    vpaddd zmm0, zmm0, dword ptr [r10 + 112]{1to16}
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0xe4
    vpaddd zmm0, zmm0, zmm13
    vprold zmm0, zmm0, 5
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm8
    vpaddd zmm3, zmm3, dword ptr [r10 + 116]{1to16}
    vmovdqa64 zmm15, zmm0
    vpternlogd zmm15, zmm1, zmm2, 0xe4
    vpaddd zmm3, zmm3, zmm15
    vprold zmm3, zmm3, 9
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm18
    vpaddd zmm2, zmm2, dword ptr [r10 + 120]{1to16}
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm0, zmm1, 0xe4
    vpaddd zmm2, zmm2, zmm17
    vprold zmm2, zmm2, 14
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm28
    vpaddd zmm1, zmm1, dword ptr [r10 + 124]{1to16}
    vmovdqa64 zmm19, zmm2
    vpternlogd zmm19, zmm3, zmm0, 0xe4
    vpaddd zmm1, zmm1, zmm19
    vprold zmm1, zmm1, 20
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm14
    vpaddd zmm0, zmm0, dword ptr [r10 + 128]{1to16}
    vmovdqa64 zmm21, zmm1
    vpternlogd zmm21, zmm2, zmm3, 0x96
    vpaddd zmm0, zmm0, zmm21
    vprold zmm0, zmm0, 4
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm20
    vpaddd zmm3, zmm3, dword ptr [r10 + 132]{1to16}
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0x96
    vpaddd zmm3, zmm3, zmm23
    vprold zmm3, zmm3, 11
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm26
    vpaddd zmm2, zmm2, dword ptr [r10 + 136]{1to16}
    vmovdqa64 zmm25, zmm3
    vpternlogd zmm25, zmm0, zmm1, 0x96
    vpaddd zmm2, zmm2, zmm25
    vprold zmm2, zmm2, 16
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm5
    vpaddd zmm1, zmm1, dword ptr [r10 + 140]{1to16}
    vmovdqa64 zmm27, zmm2
    vpternlogd zmm27, zmm3, zmm0, 0x96
    vpaddd zmm1, zmm1, zmm27
    vprold zmm1, zmm1, 23
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm6
    vpaddd zmm0, zmm0, dword ptr [r10 + 144]{1to16}
    vmovdqa64 zmm29, zmm1
    vpternlogd zmm29, zmm2, zmm3, 0x96
    vpaddd zmm0, zmm0, zmm29
    vprold zmm0, zmm0, 4
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm12
    vpaddd zmm3, zmm3, dword ptr [r10 + 148]{1to16}
    vmovdqa64 zmm31, zmm0
    vpternlogd zmm31, zmm1, zmm2, 0x96
    vpaddd zmm3, zmm3, zmm31
    vprold zmm3, zmm3, 11
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm18
    vpaddd zmm2, zmm2, dword ptr [r10 + 152]{1to16}
    vmovdqa64 zmm7, zmm3
    vpternlogd zmm7, zmm0, zmm1, 0x96
    vpaddd zmm2, zmm2, zmm7
    vprold zmm2, zmm2, 16
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm24
    vpaddd zmm1, zmm1, dword ptr [r10 + 156]{1to16}
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm0, 0x96
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
    vpaddd zmm1, zmm1, zmm11
    vprold zmm1, zmm1, 23
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm30
    vpaddd zmm0, zmm0, dword ptr [r10 + 160]{1to16}
    vmovdqa64 zmm13, zmm1
    vpternlogd zmm13, zmm2, zmm3, 0x96
    vpaddd zmm0, zmm0, zmm13
    vprold zmm0, zmm0, 4
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm4
    vpaddd zmm3, zmm3, dword ptr [r10 + 164]{1to16}
    vmovdqa64 zmm15, zmm0
    vpternlogd zmm15, zmm1, zmm2, 0x96
    vpaddd zmm3, zmm3, zmm15
    vprold zmm3, zmm3, 11
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm10
    vpaddd zmm2, zmm2, dword ptr [r10 + 168]{1to16}
    vmovdqa64 zmm17, zmm3
    vpternlogd zmm17, zmm0, zmm1, 0x96
    vpaddd zmm2, zmm2, zmm17
    vprold zmm2, zmm2, 16
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm16
    vpaddd zmm1, zmm1, dword ptr [r10 + 172]{1to16}
    vmovdqa64 zmm19, zmm2
    vpternlogd zmm19, zmm3, zmm0, 0x96
    vpaddd zmm1, zmm1, zmm19
    vprold zmm1, zmm1, 23
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm22
    vpaddd zmm0, zmm0, dword ptr [r10 + 176]{1to16}
    vmovdqa64 zmm21, zmm1
    vpternlogd zmm21, zmm2, zmm3, 0x96
    vpaddd zmm0, zmm0, zmm21
    vprold zmm0, zmm0, 4
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm28
    vpaddd zmm3, zmm3, dword ptr [r10 + 180]{1to16}
    vmovdqa64 zmm23, zmm0
    vpternlogd zmm23, zmm1, zmm2, 0x96
    vpaddd zmm3, zmm3, zmm23
    vprold zmm3, zmm3, 11
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm9
    vpaddd zmm2, zmm2, dword ptr [r10 + 184]{1to16}
    vmovdqa64 zmm25, zmm3
    vpternlogd zmm25, zmm0, zmm1, 0x96
    vpaddd zmm2, zmm2, zmm25
    vprold zmm2, zmm2, 16
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm8
    vpaddd zmm1, zmm1, dword ptr [r10 + 188]{1to16}
    vmovdqa64 zmm27, zmm2
    vpternlogd zmm27, zmm3, zmm0, 0x96
    vpaddd zmm1, zmm1, zmm27
    vprold zmm1, zmm1, 23
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm4
    vpaddd zmm0, zmm0, dword ptr [r10 + 192]{1to16}
    vmovdqa64 zmm29, zmm1
    vpternlogd zmm29, zmm2, zmm3, 0x39
    vpaddd zmm0, zmm0, zmm29
    vprold zmm0, zmm0, 6
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm18
    vpaddd zmm3, zmm3, dword ptr [r10 + 196]{1to16}
    vmovdqa64 zmm31, zmm0
    vpternlogd zmm31, zmm1, zmm2, 0x39
    vpaddd zmm3, zmm3, zmm31
    vprold zmm3, zmm3, 10
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm5
    vpaddd zmm2, zmm2, dword ptr [r10 + 200]{1to16}
    vmovdqa64 zmm7, zmm3
    vpternlogd zmm7, zmm0, zmm1, 0x39
    vpaddd zmm2, zmm2, zmm7
    vprold zmm2, zmm2, 15
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm14
    vpaddd zmm1, zmm1, dword ptr [r10 + 204]{1to16}
    vmovdqa64 zmm11, zmm2
    vpternlogd zmm11, zmm3, zmm0, 0x39
    vpaddd zmm1, zmm1, zmm11
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm13, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm13, zmm13, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm15, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm15, zmm15, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm17, zmm13, zmm15
    vpunpckhdq zmm13, zmm13, zmm15
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm23, zmm19, zmm21
    vpunpckhdq zmm19, zmm19, zmm21
    vpunpcklqdq zmm25, zmm17, zmm23
    vpunpckhqdq zmm17, zmm17, zmm23
    vpunpcklqdq zmm27, zmm13, zmm19
    vpunpckhqdq zmm13, zmm13, zmm19
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm4, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm4, zmm4, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm18, zmm4, zmm29
    vpunpckhdq zmm4, zmm4, zmm29
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm5, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm5, zmm5, ymmword ptr [rax + r8 + 0], 1
    vpunpckldq zmm7, zmm31, zmm5
    vpunpckhdq zmm31, zmm31, zmm5
    vpunpcklqdq zmm14, zmm18, zmm7
    vpunpckhqdq zmm18, zmm18, zmm7
    vpunpcklqdq zmm11, zmm4, zmm31
    vpunpckhqdq zmm4, zmm4, zmm31
    vprold zmm1, zmm1, 21
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm28
    vpaddd zmm0, zmm0, dword ptr [r10 + 208]{1to16}
    vmovdqa64 zmm15, zmm1
    vpternlogd zmm15, zmm2, zmm3, 0x39
    vpaddd zmm0, zmm0, zmm15
    vprold zmm0, zmm0, 6
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm10
    vpaddd zmm3, zmm3, dword ptr [r10 + 212]{1to16}
    vmovdqa64 zmm21, zmm0
    vpternlogd zmm21, zmm1, zmm2, 0x39
    vpaddd zmm3, zmm3, zmm21
    vprold zmm3, zmm3, 10
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm24
    vpaddd zmm2, zmm2, dword ptr [r10 + 216]{1to16}
    vmovdqa64 zmm23, zmm3
    vpternlogd zmm23, zmm0, zmm1, 0x39
    vpaddd zmm2, zmm2, zmm23
    vprold zmm2, zmm2, 15
    vpaddd zmm2, zmm2, zmm3
    vshufi64x2 zmm19, zmm25, zmm14, 0x88
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
    vmovdqa64 zmmword ptr [r9 + 0], zmm19
    vshufi64x2 zmm25, zmm25, zmm14, 0xdd
    vmovdqa64 zmmword ptr [r9 + 256], zmm25
    vshufi64x2 zmm29, zmm17, zmm18, 0x88
    vmovdqa64 zmmword ptr [r9 + 64], zmm29
    vshufi64x2 zmm17, zmm17, zmm18, 0xdd
    vmovdqa64 zmmword ptr [r9 + 320], zmm17
    vshufi64x2 zmm5, zmm27, zmm11, 0x88
    vmovdqa64 zmmword ptr [r9 + 128], zmm5
    vshufi64x2 zmm27, zmm27, zmm11, 0xdd
    vmovdqa64 zmmword ptr [r9 + 384], zmm27
    vshufi64x2 zmm7, zmm13, zmm4, 0x88
    vmovdqa64 zmmword ptr [r9 + 192], zmm7
    vshufi64x2 zmm13, zmm13, zmm4, 0xdd
    vmovdqa64 zmmword ptr [r9 + 448], zmm13
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 32]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 40]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm15, zmm31, zmm28
    vpunpckhdq zmm31, zmm31, zmm28
    mov rax, qword ptr [rsi + 16]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 24]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm24, zmm10, zmm21
    vpunpckhdq zmm10, zmm10, zmm21
    vpunpcklqdq zmm23, zmm15, zmm24
    vpunpckhqdq zmm15, zmm15, zmm24
    vpunpcklqdq zmm19, zmm31, zmm10
    vpunpckhqdq zmm31, zmm31, zmm10
    vpaddd zmm1, zmm1, zmm6
    vpaddd zmm1, zmm1, dword ptr [r10 + 220]{1to16}
    vmovdqa64 zmm14, zmm2
    vpternlogd zmm14, zmm3, zmm0, 0x39
    vpaddd zmm1, zmm1, zmm14
    vprold zmm1, zmm1, 21
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm20
    vpaddd zmm0, zmm0, dword ptr [r10 + 224]{1to16}
    vmovdqa64 zmm25, zmm1
    vpternlogd zmm25, zmm2, zmm3, 0x39
    vpaddd zmm0, zmm0, zmm25
    vprold zmm0, zmm0, 6
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm9
    vpaddd zmm3, zmm3, dword ptr [r10 + 228]{1to16}
    vmovdqa64 zmm29, zmm0
    vpternlogd zmm29, zmm1, zmm2, 0x39
    vpaddd zmm3, zmm3, zmm29
    vprold zmm3, zmm3, 10
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm16
    vpaddd zmm2, zmm2, dword ptr [r10 + 232]{1to16}
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 96]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 104]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm5, zmm18, zmm17
    vpunpckhdq zmm18, zmm18, zmm17
    mov rax, qword ptr [rsi + 80]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 88]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 32], 1
    vpunpckldq zmm7, zmm11, zmm27
    vpunpckhdq zmm11, zmm11, zmm27
    vpunpcklqdq zmm4, zmm5, zmm7
    vpunpckhqdq zmm5, zmm5, zmm7
    vpunpcklqdq zmm13, zmm18, zmm11
    vpunpckhqdq zmm18, zmm18, zmm11
    vshufi64x2 zmm28, zmm23, zmm4, 0x88
    vmovdqa64 zmmword ptr [r9 + 512], zmm28
    vshufi64x2 zmm23, zmm23, zmm4, 0xdd
    vmovdqa64 zmmword ptr [r9 + 768], zmm23
    vshufi64x2 zmm21, zmm15, zmm5, 0x88
    vmovdqa64 zmmword ptr [r9 + 576], zmm21
    vshufi64x2 zmm15, zmm15, zmm5, 0xdd
    vmovdqa64 zmmword ptr [r9 + 832], zmm15
    vshufi64x2 zmm24, zmm19, zmm13, 0x88
    vmovdqa64 zmmword ptr [r9 + 640], zmm24
    vshufi64x2 zmm19, zmm19, zmm13, 0xdd
    vmovdqa64 zmmword ptr [r9 + 896], zmm19
    vshufi64x2 zmm10, zmm31, zmm18, 0x88
    vmovdqa64 zmmword ptr [r9 + 704], zmm10
    vshufi64x2 zmm31, zmm31, zmm18, 0xdd
    vmovdqa64 zmmword ptr [r9 + 960], zmm31
    vmovdqa64 zmm6, zmm3
    vpternlogd zmm6, zmm0, zmm1, 0x39
    vpaddd zmm2, zmm2, zmm6
    vprold zmm2, zmm2, 15
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm30
    vpaddd zmm1, zmm1, dword ptr [r10 + 236]{1to16}
    vmovdqa64 zmm14, zmm2
    vpternlogd zmm14, zmm3, zmm0, 0x39
    vpaddd zmm1, zmm1, zmm14
    vprold zmm1, zmm1, 21
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmm12
    vpaddd zmm0, zmm0, dword ptr [r10 + 240]{1to16}
    vmovdqa64 zmm20, zmm1
    vpternlogd zmm20, zmm2, zmm3, 0x39
    vpaddd zmm0, zmm0, zmm20
    vprold zmm0, zmm0, 6
    vpaddd zmm0, zmm0, zmm1
    vpaddd zmm3, zmm3, zmm26
    vpaddd zmm3, zmm3, dword ptr [r10 + 244]{1to16}
    vmovdqa64 zmm25, zmm0
    vpternlogd zmm25, zmm1, zmm2, 0x39
    vpaddd zmm3, zmm3, zmm25
    vprold zmm3, zmm3, 10
    vpaddd zmm3, zmm3, zmm0
    vpaddd zmm2, zmm2, zmm8
    vpaddd zmm2, zmm2, dword ptr [r10 + 248]{1to16}
    vmovdqa64 zmm9, zmm3
    vpternlogd zmm9, zmm0, zmm1, 0x39
    vpaddd zmm2, zmm2, zmm9
    vprold zmm2, zmm2, 15
    vpaddd zmm2, zmm2, zmm3
    vpaddd zmm1, zmm1, zmm22
    vpaddd zmm1, zmm1, dword ptr [r10 + 252]{1to16}
    vmovdqa64 zmm29, zmm2
    vpternlogd zmm29, zmm3, zmm0, 0x39
    vpaddd zmm1, zmm1, zmm29
    vprold zmm1, zmm1, 21
    vpaddd zmm1, zmm1, zmm2
    vpaddd zmm0, zmm0, zmmword ptr [rdi + 0]
    vmovdqa64 zmmword ptr [rdi + 0], zmm0
    vpaddd zmm1, zmm1, zmmword ptr [rdi + 64]
    vmovdqa64 zmmword ptr [rdi + 64], zmm1
    vpaddd zmm2, zmm2, zmmword ptr [rdi + 128]
    vmovdqa64 zmmword ptr [rdi + 128], zmm2
    vpaddd zmm3, zmm3, zmmword ptr [rdi + 192]
    vmovdqa64 zmmword ptr [rdi + 192], zmm3
    cmp r14, r12
    jb 2b
