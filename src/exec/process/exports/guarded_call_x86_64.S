// guarded_call_x86_64.S — void heddle_guarded_call(void (*function)(void)): calls the function, with
// a personality routine that hears of it when the frame is unwound (once.cpp).

        .text
        .globl  heddle_guarded_call
        .hidden heddle_guarded_call
        .type   heddle_guarded_call, @function
heddle_guarded_call:
        .cfi_startproc
        .cfi_personality 0x1b, heddle_guarded_call_unwound   // relative, four bytes
        subq    $8, %rsp
        .cfi_def_cfa_offset 16
        callq   *%rdi
        addq    $8, %rsp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size   heddle_guarded_call, . - heddle_guarded_call

        .section .note.GNU-stack, "", @progbits
