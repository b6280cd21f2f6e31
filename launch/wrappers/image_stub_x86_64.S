# image_stub_x86_64.S — libheddle_image.a, linked into every program (README.md, "The link").
# It turns a shared object into something that
#   - the kernel can start as a program (interpreter, entry point), and
#   - Heddle can load many times as a private image (note, ImageEntry; src/exec/image/program.h).
# Everything is hidden, so it neither clashes with the program nor depends on its visibility options.

        .section .interp, "aR", @progbits         # R: --gc-sections must keep it
        .asciz  "/lib64/ld-linux-x86-64.so.2"

# The note says where the entry is, relative to its own last word.
        .section .note.heddle, "aR", @note
        .balign 4
        .long   7                               # length of the name
        .long   8                               # length of the description
        .long   1                               # type: image
        .asciz  "Heddle"
        .balign 4
        .long   1                               # version
        .long   heddle_image_entry - .

# struct ImageEntry
        .section .data.rel.ro, "aw", @progbits
        .balign 8
        .globl  heddle_image_entry
        .hidden heddle_image_entry
        .type   heddle_image_entry, @object
        .size   heddle_image_entry, 16
heddle_image_entry:
        .quad   main
        .quad   open_from_here

        .text
# void* open_from_here(void* (*open)(const char*, int), const char* path, int mode): the return
# address that dlopen sees is in this image, so the image's RUNPATH is searched.
        .type   open_from_here, @function
open_from_here:
        .cfi_startproc
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movl    %edx, %esi
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    *%rax
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   open_from_here, . - open_from_here

# Where the kernel's loader jumps when the file is run as a program (./app): glibc's _start, for
# links that have no start files because they make a shared object.
        .globl  heddle_image_start
        .hidden heddle_image_start
        .type   heddle_image_start, @function
heddle_image_start:
        .cfi_startproc
        .cfi_undefined rip
        xorl    %ebp, %ebp
        movq    %rdx, %r9                       # rtld_fini
        popq    %rsi                            # argc
        movq    %rsp, %rdx                      # argv
        andq    $-16, %rsp
        pushq   %rax
        pushq   %rsp                            # stack_end
        xorl    %r8d, %r8d                      # no init, no fini: the linker runs them
        xorl    %ecx, %ecx
        movq    main@GOTPCREL(%rip), %rdi
        call    __libc_start_main
        hlt
        .cfi_endproc
        .size   heddle_image_start, . - heddle_image_start

# A plain `gcc` link of a program has start files that call this function. Defining it draws this
# object out of its archive in such a link, and only there: not into the user's shared libraries.
        .globl  __libc_start_main
        .hidden __libc_start_main
        .type   __libc_start_main, @function
__libc_start_main:
        .cfi_startproc
        jmp     *libc_start_main@GOTPCREL(%rip)
        .cfi_endproc
        .size   __libc_start_main, . - __libc_start_main
        .symver libc_start_main, __libc_start_main@GLIBC_2.34, remove

        .section .note.GNU-stack, "", @progbits
