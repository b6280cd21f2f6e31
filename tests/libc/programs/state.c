/* Prints what libc's hidden state makes of a fixed sequence of calls that depends on argv[2]. Between
 * the calls it yields, so that ranks on one worker would disturb each other if they shared the state.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <search.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

extern char** environ;
extern const char* __progname;

static int variant;

static void others(void) {
  sched_yield();
}

static void show_rand(void) {
  for (int i = 0; i < 5; ++i, others()) printf("unseeded %d %ld\n", rand(), random());
  srand((unsigned)variant);
  for (int i = 0; i < 50; ++i, others()) printf("rand %d\n", rand());
  srandom(17u + (unsigned)variant);
  char small[8], large[256];
  char* before = initstate((unsigned)variant, small, sizeof small);
  for (int i = 0; i < 20; ++i, others()) printf("small %ld\n", random());
  initstate(3, large, sizeof large);
  for (int i = 0; i < 20; ++i, others()) printf("large %ld\n", random());
  setstate(small);
  printf("small again %ld\n", random());
  setstate(before);
  printf("first again %ld\n", random());
  unsigned short numbers[3] = {1, 2, (unsigned short)variant};
  for (int i = 0; i < 5; ++i, others())
    printf("drand48 %a %ld %ld\n", drand48(), lrand48(), mrand48());
  srand48(variant);
  for (int i = 0; i < 20; ++i, others()) {
    printf("drand48 %a %a %ld %ld %ld %ld\n", drand48(), erand48(numbers), lrand48(),
           nrand48(numbers), mrand48(), jrand48(numbers));
  }
  unsigned short* old = seed48(numbers);
  printf("seed48 %d %d %d %ld\n", old[0], old[1], old[2], lrand48());
  unsigned short parameters[7] = {1, 2, 3, 4, 5, 6, (unsigned short)variant};
  lcong48(parameters);
  printf("lcong48 %ld\n", lrand48());
}

static void show_strtok(void) {
  char text[200];
  snprintf(text, sizeof text, "one,two;;three %d;;,four", variant);
  for (char* word = strtok(text, ",;"); word != NULL; word = strtok(NULL, ",;")) {
    others();
    printf("word <%s>\n", word);
  }
}

static void show_time(void) {
  const time_t moment = 1000000000 + 86400L * 40 * variant;
  struct tm* utc = gmtime(&moment);
  others();
  char* text = asctime(utc);
  others();
  printf("gmtime %d-%d-%d asctime %s", utc->tm_year, utc->tm_mon, utc->tm_mday, text);
  struct tm* local = localtime(&moment);
  others();
  printf("same buffer %d, ctime %s", local == utc, ctime(&moment));
}

static void show_locale(void) {
  printf("locale %s\n", setlocale(LC_ALL, NULL));
  char* c_utf8 = setlocale(LC_CTYPE, "C.UTF-8");
  others();
  printf("C.UTF-8: %s, all: %s, codeset %s, max %zu\n", c_utf8 ? c_utf8 : "none",
         setlocale(LC_ALL, NULL), nl_langinfo(CODESET), MB_CUR_MAX);
  if (variant % 2) setlocale(LC_ALL, "C");
  others();
  printf("now %s, codeset %s, upper %d, wide %d\n", setlocale(LC_ALL, NULL), nl_langinfo(CODESET),
         toupper('a'), (int)btowc(0xe4));
  char* saved = strdup(setlocale(LC_ALL, NULL));
  printf("unknown %s\n", setlocale(LC_NUMERIC, "no_SUCH") ? "set" : "refused");
  setlocale(LC_ALL, "C");
  printf("restored %s\n", setlocale(LC_ALL, saved));
  free(saved);
  const struct lconv* convention = localeconv();
  printf("point <%s> group <%s> currency <%s> digits %d\n", convention->decimal_point,
         convention->thousands_sep, convention->currency_symbol, convention->frac_digits);
  setenv("LC_ALL", "POSIX", 1);
  printf("from environment %s\n", setlocale(LC_ALL, ""));
}

static int by_name(const void* a, const void* b) {
  return strcmp(*(char**)a, *(char**)b);
}

static void show_environment(void) {
  char value[32];
  snprintf(value, sizeof value, "value %d", variant);
  printf("PATH is %s\n", getenv("PATH") ? "set" : "not set");
  setenv("HEDDLE_A", value, 1);
  setenv("HEDDLE_A", "not this", 0);
  others();
  printf("A %s\n", getenv("HEDDLE_A"));
  static char put[32];
  snprintf(put, sizeof put, "HEDDLE_B=%d", variant);
  putenv(put);
  others();
  printf("B %s\n", getenv("HEDDLE_B"));
  put[9] = 'x';
  printf("B written through %s\n", getenv("HEDDLE_B"));
  printf("bad names %d %d\n", setenv("", "x", 1), unsetenv("a=b"));
  unsetenv("HEDDLE_A");
  putenv("HEDDLE_B");
  printf("gone %d %d\n", getenv("HEDDLE_A") == NULL, getenv("HEDDLE_B") == NULL);
  clearenv();
  printf("cleared %d\n", getenv("PATH") == NULL);
  setenv("ONE", value, 1);
  setenv("TWO", "2", 1);
  char* own[] = {"OWN=1", "OTHER=2", NULL};
  int count = 0;
  while (environ[count]) ++count;
  qsort(environ, (size_t)count, sizeof *environ, by_name);
  for (int i = 0; i < count; ++i) printf("environ %s\n", environ[i]);
  environ = own;
  others();
  printf("own %s\n", getenv("OWN"));
  setenv("THREE", "3", 1);
  printf("copied %d %s\n", environ != own, getenv("THREE"));
}

static void show_lookups(void) {
  others();
  struct passwd* root = getpwnam("root");
  printf("root %s %d\n", root ? root->pw_name : "none", root ? (int)root->pw_uid : -1);
  printf("nobody there %d\n", getpwnam("no such user") == NULL);
  int point, sign;
  char* digits = ecvt(3.14159 * (variant + 1), 6, &point, &sign);
  others();
  printf("ecvt %s %d %d\n", digits, point, sign);
  printf("fcvt %s\n", fcvt(-2.5 * variant, 3, &point, &sign));
  printf("l64a %s\n", l64a(123456789L + variant));
  hcreate(30);
  ENTRY entry = {"key", &variant};
  hsearch(entry, ENTER);
  others();
  ENTRY* found = hsearch(entry, FIND);
  printf("hsearch %d\n", found && *(int*)found->data == variant);
  hdestroy();
}

static void show_directory(void) {
  char path[64], here[4096];
  snprintf(path, sizeof path, "/proc/sys/%s",
           variant % 3 == 0   ? "kernel"
           : variant % 3 == 1 ? "fs"
                              : "vm");
  printf("chdir %d\n", chdir(path));
  for (int i = 0; i < 5; ++i) {
    others();
    printf("in %s, %s\n", getcwd(here, sizeof here),
           access(variant % 3 == 2 ? "swappiness" : "nothing", F_OK) == 0 ? "swappiness" : "none");
  }
  const int failed = chdir("/no/such/place");
  printf("failed %d %s\n", failed, strerror(errno));
  umask(022);
  printf("umask %o\n", umask((mode_t)(variant % 8)));
  others();
  printf("umask %o\n", umask(077));
}

static void show_options(int argc, char** argv) {
  static const struct option names[] = {{"alpha", no_argument, NULL, 'a'},
                                        {"alphabet", required_argument, NULL, 'l'},
                                        {"beta", optional_argument, NULL, 'b'},
                                        {"gamma", required_argument, &variant, 99},
                                        {"gammon", no_argument, NULL, 'g'},
                                        {"delta", no_argument, NULL, 'd'},
                                        {NULL, 0, NULL, 0}};
  static const char* const letters[] = {
      "ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "ab:W;", "-:ab:"};
  static const char* const words[] = {
      "-a",      "-b",     "-bvalue",  "-c",     "-cx",       "--alpha", "--alph",
      "--al",    "--beta", "--beta=1", "--gam",  "--gamma=5", "--gamma", "--",
      "-",       "plain",  "other",    "-x",     "-ab",       "-W",      "-Wbeta",
      "alpha=3", "-alpha", "--zeta",   "-delta", "--alpha=3"};
  (void)argc;
  (void)argv;
  unsigned random_state = 12345u * (unsigned)variant + 1;
  for (int round = 0; round < 400; ++round) {
    char* line[12] = {"prog"};
    int count = 1;
    random_state = random_state * 1103515245u + 12345u;
    const int length = (int)(random_state >> 16) % 8;
    for (int i = 0; i < length; ++i) {
      random_state = random_state * 1103515245u + 12345u;
      line[count++] = (char*)words[(random_state >> 16) % (sizeof words / sizeof *words)];
    }
    line[count] = NULL;
    const char* chosen = letters[(unsigned)round % (sizeof letters / sizeof *letters)];
    optind = 0;
    opterr = round % 5 != 0;
    for (;;) {
      int index = -1, result;
      if (round % 3 == 0) {
        result = getopt(count, line, chosen);
      } else if (round % 3 == 1) {
        result = getopt_long(count, line, chosen, names, &index);
      } else {
        result = getopt_long_only(count, line, chosen, names, &index);
      }
      others();
      printf("%d: %d index %d optind %d optopt %d optarg %s variant %d\n", round, result, index,
             optind, optopt, optarg ? optarg : "(none)", variant);
      if (result == -1) break;
    }
    for (int i = 0; i < count; ++i) printf(" %s", line[i]);
    printf("\n");
  }
}

static void show_streams(void) {
  others();
  puts("puts");
  putchar('c');
  others();
  putchar_unlocked('\n');
  fprintf(stdout, "fprintf %d\n", variant);
  others();
  fflush(stdout);
  if (write(1, "write\n", 6) != 6) return;
  dprintf(1, "dprintf %d\n", variant);
  fputs("half a ", stdout);
  others();
  fputs("line\n", stdout);
  fprintf(stderr, "error %d: ", variant);
  others();
  fprintf(stderr, "in pieces\n");
  errno = ENOENT;
  perror("perror");
  printf("fileno %d %d %d, getchar %d, eof %d\n", fileno(stdin), fileno(stdout), fileno(stderr),
         getchar(), feof(stdin) != 0);
  int number = 5;
  printf("scanf %d %d, read %zd\n", scanf("%d", &number), number, read(0, &number, 1));
  fprintf(stdout, "no end of line");
}

static void show_file(const char* path) {
  char text[300];
  FILE* file = fopen(path, "r");
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  for (size_t i = 0; i < size; ++i) putchar(text[i] != '\0' ? text[i] : '|');
  int descriptor = open(path, O_RDONLY);
  others();
  char again[300];
  printf(" %d\n",
         read(descriptor, again, sizeof again) == (ssize_t)size && memcmp(text, again, size) == 0);
  close(descriptor);
}

static int same_file(const char* a, const char* b) {
  struct stat one, other;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_ino == other.st_ino;
}

/* The program once more, by fork and exec or by posix_spawn. */
static void show_itself(int spawn) {
  char text[100] = "", *words[] = {"again", "itself", "7", NULL};
  int ends[2];
  pid_t child = -1;
  pipe(ends);
  if (spawn) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn(&child, "/proc/self/exe", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
  } else if ((child = fork()) == 0) {
    dup2(ends[1], 1);
    execv("/proc/self/exe", words);
    _exit(1);
  }
  close(ends[1]);
  read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  waitpid(child, NULL, 0);
  printf("itself: %s", text);
}

/* What stat and its kin say of /proc/self/exe is said of the file, and of the link where they do not follow it. */
static void show_link(const char* file) {
  char path[4096] = "";
  struct stat named, found, by_link, link;
  struct statx extended;
  const int folder = open("/proc/self", O_RDONLY | O_DIRECTORY);
  const int length = (int)readlinkat(folder, "exe", path, sizeof path - 1);
  printf("by folder %d\n", length == (int)strlen(file) && strcmp(path, file) == 0);
  stat(file, &named);
  fstatat(folder, "exe", &found, 0);
  fstatat(folder, "exe", &by_link, AT_SYMLINK_NOFOLLOW);
  statx(AT_FDCWD, "/proc/self/exe", 0, STATX_INO, &extended);
  printf("stat %d %d %d\n", same_file("/proc/thread-self/exe", file), found.st_ino == named.st_ino,
         extended.stx_ino == named.st_ino);
  lstat("/proc/self/exe", &link);
  printf("lstat %d %d\n", S_ISLNK(link.st_mode), S_ISLNK(by_link.st_mode));
  const int descriptor = openat(folder, "exe", O_RDONLY);
  printf("openat %d\n", fstat(descriptor, &found) == 0 && found.st_ino == named.st_ino);
  close(descriptor);
  close(folder);
  printf("access %d %d\n", access("/proc/self/exe", R_OK | X_OK),
         faccessat(AT_FDCWD, "/proc/self/exe", X_OK, AT_EACCESS));
}

/* The first line alone. */
static void show_status(void) {
  char line[100] = "", rest[100] = "";
  FILE* const status = fopen("/proc/self/status", "r");
  if (fgets(line, sizeof line, status) != NULL && fgets(rest, sizeof rest, status) != NULL) {
    printf("status %s then %.5s\n", line, rest);
  }
  fclose(status);
}

/* The file's own name differs between the image and the process; what is said of it is the same. */
static void show_names(const char* file) {
  char path[4096] = "", *real, name[20] = "";
  printf("%s %s\n", program_invocation_name, program_invocation_short_name);
  printf("%s\n", __progname);
  printf("readlink %d\n",
         (int)readlink("/proc/self/exe", path, sizeof path - 1) == (int)strlen(file));
  printf("it is %d\n", strcmp(path, file) == 0);
  printf("in short %d\n", (int)readlinkat(AT_FDCWD, "/proc/thread-self/exe", path, 4));
  others();
  snprintf(path, sizeof path, "/proc/%d/exe", (int)getpid());
  real = realpath(path, NULL);
  printf("realpath %d\n", strcmp(real, file) == 0);
  free(real);
  printf("AT_EXECFN %d\n", same_file((const char*)getauxval(AT_EXECFN), file));
  int descriptor = open("/proc/self/exe", O_RDONLY);
  char magic[4];
  struct stat opened, named;
  printf("open %d\n", fstat(descriptor, &opened) == 0 && stat(file, &named) == 0 &&
                          opened.st_ino == named.st_ino);
  printf("ELF %d\n", read(descriptor, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0);
  close(descriptor);
  show_itself(0);
  show_itself(1);
  show_link(file);
  show_file("/proc/self/cmdline");
  prctl(PR_GET_NAME, name);
  printf("name %d\n", strncmp(name, strrchr(file, '/') + 1, 15) == 0);
  snprintf(name, sizeof name, "rank %d", variant);
  prctl(PR_SET_NAME, name);
  others();
  show_file("/proc/self/comm");
  show_status();
  prctl(PR_GET_NAME, name);
  printf("%s\n", name);
  program_invocation_name = program_invocation_short_name = name;
  others();
  warnx("renamed");
  error(0, 0, "renamed");
}

static void show_complaints(void) {
  errno = ENOENT;
  warn("warned %d", variant);
  others();
  errno = EPERM;
  warn(NULL);
  warnx("without a reason %d", variant);
  error(0, EINTR, "an error %d", variant);
  error_at_line(0, 0, "file", 3, "in a line");
  error_at_line(0, 0, NULL, 3, "in no file");
  error_one_per_line = 1;
  error_at_line(0, 0, "file", 4, "once");
  error_at_line(0, 0, "file", 4, "once");
  others();
  printf("%u errors\n", error_message_count);
  if (variant % 2 == 0) errx(40 + variant, "the end");
  error(40 + variant, 0, "the end");
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  variant = atoi(argv[2]);
  const char* what = argv[1];
  if (strcmp(what, "rand") == 0) show_rand();
  if (strcmp(what, "strtok") == 0) show_strtok();
  if (strcmp(what, "time") == 0) show_time();
  if (strcmp(what, "locale") == 0) show_locale();
  if (strcmp(what, "environment") == 0) show_environment();
  if (strcmp(what, "lookups") == 0) show_lookups();
  if (strcmp(what, "directory") == 0) show_directory();
  if (strcmp(what, "options") == 0) show_options(argc, argv);
  if (strcmp(what, "streams") == 0) show_streams();
  if (strcmp(what, "itself") == 0) printf("started as %s\n", argv[0]);
  if (strcmp(what, "names") == 0) show_names(getenv("PROGRAM_FILE"));
  if (strcmp(what, "complaints") == 0) show_complaints();
  if (strcmp(what, "assert") == 0) assert(variant == 0);
  if (strcmp(what, "assert_perror") == 0) assert_perror(variant);
  return variant;
}
