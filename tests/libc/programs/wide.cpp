// wide WORD NUMBER: wide characters on the standard streams, in all the ways there are.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <iostream>

static void read_from_file() {
  char path[] = "/tmp/heddle-wide-XXXXXX";
  const char text[] = "\xc3\xa4\xe2\x82\xac-\n\xf0\x9f\xa7\xb6 and more\nlast";
  const int file = mkstemp(path);
  if (write(file, text, strlen(text)) < 0 || close(file) != 0) abort();
  if (freopen(path, "r", stdin) == nullptr) abort();
  unlink(path);

  const wint_t first = getwchar(), second = getwc(stdin);
  const wint_t back = ungetwc(second, stdin), again = fgetwc(stdin);
  wprintf(L"%x %x %x %x\n", first, second, back, again);
  wchar_t line[8];
  while (fgetws(line, 8, stdin) != nullptr) wprintf(L"[%ls]\n", line);
  wprintf(L"end %d\n", getwchar() == WEOF && feof(stdin) != 0);
}

int main(int argc, char** argv) {
  setlocale(LC_ALL, "C.UTF-8");
  wprintf(L"%s %d\n", argv[2], wprintf(L"only ASCII\n"));
  wprintf(L"%ls %5.2f %c\n", L"\u00e4\u20ac\U0001f9f6", 3.14159, 'x');
  fputws(L"fputws \u00df\n", stdout);
  putwc(L'\u00f6', stdout);
  putwchar(L'\n');
  std::wcout << L"wcout " << argv[2] << L' ' << 42 << std::endl;
  for (int i = 0; i < 300; ++i) fputwc(L'\u2026', stdout);
  fwprintf(stdout, L"\n%lc|%-4ls|%n\n", L'\u00fc', L"ab", &argc);
  wprintf(L"%d\n", argc);
  fwprintf(stderr, L"to stderr by %s \u00e4\n", argv[2]);
  read_from_file();
  return 0;
}
