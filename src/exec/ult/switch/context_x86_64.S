// context_x86_64.S — the first instructions of a new context (context.h has the switch).

        .text

// make_context put the function and its argument behind the saved frame, which is in rsi.
        .globl  heddle_context_entry
        .hidden heddle_context_entry
        .type   heddle_context_entry, @function
heddle_context_entry:
        .cfi_startproc
        .cfi_undefined rip              // the outermost frame: unwinders and gdb stop here
        movq    72(%rsi), %rdi
        callq   *64(%rsi)
        ud2
        .cfi_endproc
        .size   heddle_context_entry, . - heddle_context_entry

        .section .note.GNU-stack, "", @progbits
