// image_stub_aarch64.S — as image_stub_x86_64.S, which explains it. Not tried on a machine yet.

        .section .interp, "aR", %progbits
        .asciz  "/lib/ld-linux-aarch64.so.1"

        .section .note.heddle, "aR", %note
        .balign 4
        .word   7
        .word   8
        .word   1
        .asciz  "Heddle"
        .balign 4
        .word   1
        .word   heddle_image_entry - .

        .section .data.rel.ro, "aw", %progbits
        .balign 8
        .globl  heddle_image_entry
        .hidden heddle_image_entry
        .type   heddle_image_entry, %object
        .size   heddle_image_entry, 16
heddle_image_entry:
        .xword  main
        .xword  open_from_here

        .text
        .type   open_from_here, %function
open_from_here:
        .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        mov     x29, sp
        mov     x3, x0
        mov     x0, x1
        mov     w1, w2
        blr     x3
        ldp     x29, x30, [sp], #16
        .cfi_adjust_cfa_offset -16
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_endproc
        .size   open_from_here, . - open_from_here

        .globl  heddle_image_start
        .hidden heddle_image_start
        .type   heddle_image_start, %function
heddle_image_start:
        .cfi_startproc
        .cfi_undefined x30
        mov     x29, #0
        mov     x30, #0
        mov     x5, x0
        ldr     x1, [sp, #0]
        add     x2, sp, #8
        mov     x6, sp
        mov     x3, #0
        mov     x4, #0
        adrp    x0, :got:main
        ldr     x0, [x0, #:got_lo12:main]
        bl      __libc_start_main
        brk     #0
        .cfi_endproc
        .size   heddle_image_start, . - heddle_image_start

        .globl  __libc_start_main
        .hidden __libc_start_main
        .type   __libc_start_main, %function
__libc_start_main:
        .cfi_startproc
        adrp    x16, :got:libc_start_main
        ldr     x16, [x16, #:got_lo12:libc_start_main]
        br      x16
        .cfi_endproc
        .size   __libc_start_main, . - __libc_start_main
        .symver libc_start_main, __libc_start_main@GLIBC_2.34, remove

        .section .note.GNU-stack, "", %progbits
