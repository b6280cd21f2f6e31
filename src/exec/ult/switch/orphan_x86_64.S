// orphan_x86_64.S — how a kernel thread leaves its frame behind, and how another takes it up.

        .text

// void heddle_orphan_park(void** frame): stores where the frame is and ends the kernel thread. It
// returns in the kernel thread that heddle_orphan_revive makes.
        .globl  heddle_orphan_park
        .hidden heddle_orphan_park
        .type   heddle_orphan_park, @function
heddle_orphan_park:
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        xorl    %edi, %edi
        movl    $60, %eax               // SYS_exit: this thread only
        syscall
        ud2
        .cfi_endproc
        .size   heddle_orphan_park, . - heddle_orphan_park

// long heddle_orphan_revive(long flags, void* frame, int* tid, void* thread_pointer): clone. In the
// caller it returns the new thread's id or -errno; the new thread continues the parked frame.
        .globl  heddle_orphan_revive
        .hidden heddle_orphan_revive
        .type   heddle_orphan_revive, @function
heddle_orphan_revive:
        .cfi_startproc
        movq    %rcx, %r8               // tls
        movq    %rdx, %r10              // child tid: cleared when the thread ends
        movl    $56, %eax               // SYS_clone
        syscall
        testq   %rax, %rax
        jz      1f
        ret
1:      popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .cfi_endproc
        .size   heddle_orphan_revive, . - heddle_orphan_revive

        .section .note.GNU-stack, "", @progbits
