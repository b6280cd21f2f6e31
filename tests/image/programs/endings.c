/* A file of a program, built several times, that writes LETTER into the file $ENDINGS in its
   constructor, and the capital letter in its destructor. Needs whatever it is linked with. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void note(char letter) {
  const int file = open(getenv("ENDINGS"), O_WRONLY | O_APPEND);
  if (file < 0 || write(file, &letter, 1) != 1) abort();
  close(file);
}

__attribute__((constructor)) static void begin(void) {
  note(LETTER);
}
__attribute__((destructor)) static void end(void) {
  note(LETTER - 'a' + 'A');
}

#ifdef PROGRAM
int main(int argc, char** argv) {
  return argc > 1 && dlopen(argv[1], RTLD_NOW) == NULL;
}
#endif
