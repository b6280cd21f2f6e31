// The least a switch between two threads of control can be: stack, preserved registers, TLS base.
        .text
        .globl  bare_switch
        .type   bare_switch, @function
        .p2align 5
bare_switch:                            // (void** save_sp, void* sp, void* thread_pointer)
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        wrfsbase %rdx
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        popq    %rcx
        jmpq    *%rcx
        .size   bare_switch, . - bare_switch
        .section .note.GNU-stack, "", @progbits
