// context_x86_64.S — the switch between two contexts (context.h has the picture).
//
// It ends with `pop; jmp` and not with `ret`: the return address is another stack's, so the
// processor's return predictor would always be wrong (loader measurements: 11 against 5 ns).

        .text

// Saves what a called function must preserve on this stack, then continues on the other one.
// rdi: where to store this stack pointer, rsi: the other stack pointer.
.macro SWITCH_STACKS
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsp, %r8
        movq    %rsi, %rsp
        movl    (%r8), %eax             // loading the modes is slow and hardly ever needed
        cmpl    %eax, (%rsp)
        jne     2f
        movzwl  4(%r8), %eax
        cmpw    %ax, 4(%rsp)
        jne     2f
1:      addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        popq    %rcx
        jmpq    *%rcx
2:      ldmxcsr (%rsp)
        fldcw   4(%rsp)
        jmp     1b
.endm

// The TLS base comes first, while the stack is still the old one: wrfsbase waits for what is under
// way and holds up what follows, and here there is least of both (1 ns of 21). Neither half of the
// switch touches thread_local data.

        .globl  heddle_switch_wrfsbase
        .hidden heddle_switch_wrfsbase
        .type   heddle_switch_wrfsbase, @function
        .p2align 5
heddle_switch_wrfsbase:
        .cfi_startproc
        wrfsbase %rdx
        SWITCH_STACKS
        .cfi_endproc
        .size   heddle_switch_wrfsbase, . - heddle_switch_wrfsbase

        .globl  heddle_switch_arch_prctl
        .hidden heddle_switch_arch_prctl
        .type   heddle_switch_arch_prctl, @function
        .p2align 5
heddle_switch_arch_prctl:
        .cfi_startproc
        movq    %rdi, %r8               // the system call changes rax, rcx and r11
        movq    %rsi, %r9
        movl    $158, %eax              // SYS_arch_prctl
        movl    $0x1002, %edi           // ARCH_SET_FS
        movq    %rdx, %rsi
        syscall
        movq    %r8, %rdi
        movq    %r9, %rsi
        SWITCH_STACKS
        .cfi_endproc
        .size   heddle_switch_arch_prctl, . - heddle_switch_arch_prctl

// make_context put the function into r12 and its argument into r13.
        .globl  heddle_context_entry
        .hidden heddle_context_entry
        .type   heddle_context_entry, @function
heddle_context_entry:
        .cfi_startproc
        .cfi_undefined rip              // the outermost frame: unwinders and gdb stop here
        xorl    %ebp, %ebp
        movq    %r13, %rdi
        callq   *%r12
        ud2
        .cfi_endproc
        .size   heddle_context_entry, . - heddle_context_entry

        .section .note.GNU-stack, "", @progbits
