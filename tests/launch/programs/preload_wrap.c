/* Stands before libc's puts and calls it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int puts(const char* text) {
  int (*next)(const char*) = (int (*)(const char*))dlsym(RTLD_NEXT, "puts");
  printf("preloaded ");
  return next(text);
}
