// sigsetjmp_x86_64.S — int __sigsetjmp(struct __jmp_buf_tag* target, int save_mask): libc's, which saves
// the kernel's mask, and before it the strand's. libc must find the caller's frame as its own caller left
// it, so it is jumped to.

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
        .text
        .globl  __sigsetjmp
        .type   __sigsetjmp, @function
__sigsetjmp:
        .cfi_startproc
        testl   %esi, %esi
        je      1f
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    heddle_save_mask
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
1:      jmpq    *heddle_libc_sigsetjmp(%rip)
        .cfi_endproc
        .size   __sigsetjmp, . - __sigsetjmp
#endif

        .section .note.GNU-stack, "", @progbits
