/* Processes that ranks start, one use a call: what they write, read and see, and how they end. Each rank
 * works in files of its own in the working directory and prints what it finds there. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int rank;
static char file[64]; /* of this rank */

static int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Prints what is in the file, and empties it. */
static void show(const char* what) {
  char text[256] = "";
  const int in = open(file, O_RDONLY);
  const ssize_t size = in < 0 ? -1 : read(in, text, sizeof text - 1);
  close(in);
  for (char* c = text; *c != '\0'; ++c) {
    if (*c == '\n') *c = '|';
  }
  printf("%d %s: %s\n", rank, what, size < 0 ? "no file" : text);
  unlink(file);
}

static int new_file(void) {
  return open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

/* A child whose output goes to the file; `how` says in which way. */
static void redirected(const char* what, int by_vfork, int by_close) {
  char word[32];
  snprintf(word, sizeof word, "of %d", rank);
  const int out = new_file();
  const pid_t child = by_vfork ? vfork() : fork();
  if (child == 0) {
    if (by_close) {
      close(1);
      if (dup(out) != 1) _exit(3);
    } else {
      dup2(out, 1);
    }
    if (write(1, "raw\n", 4) != 4) _exit(4);
    execl("/bin/echo", "echo", word, (char*)NULL);
    _exit(5);
  }
  close(out);
  printf("%d %s: status %d\n", rank, what, status_of(child));
  show(what);
}

/* A child that goes on in C: the lowest descriptor is free, its streams are its own. */
static void continued(void) {
  const pid_t child = fork();
  if (child == 0) {
    close(0);
    close(1);
    if (open("/dev/null", O_RDONLY) != 0 || new_file() != 1) _exit(3);
    printf("printed by a child\n");
    if (getchar() != EOF) _exit(4);
    if (freopen("/dev/full", "w", stderr) == NULL || fprintf(stderr, "lost\n") > 0) _exit(5);
    exit(6);
  }
  printf("%d continued: status %d\n", rank, status_of(child));
  show("continued");
}

/* What a rank has made of its own output is its children's, by every way to start them. */
static void inherited(void) {
  static char shell[] = "sh", option[] = "-c", command[] = "echo spawned; echo error >&2";
  char* const argv[] = {shell, option, command, NULL};
  pid_t child = 0;
  fflush(stdout);
  const int saved[] = {dup(1), dup(2)}, out = new_file();
  dup2(out, 1);
  dup2(1, 2);
  if (system("echo system") != 0) exit(3);
  if (posix_spawnp(&child, "sh", NULL, NULL, argv, environ) != 0 || status_of(child) != 0) exit(4);
  FILE* writer = popen("cat", "w");
  fprintf(writer, "popen\n");
  if (pclose(writer) != 0) exit(5);
  if ((child = fork()) == 0) execlp("echo", "echo", "fork", (char*)NULL);
  if (status_of(child) != 0) exit(6);
  if ((child = fork()) == 0)
    execl("/bin/sh", "sh", "-c", "echo execl $0 $1", "a", "b", (char*)NULL);
  if (status_of(child) != 0) exit(7);
  static char given[] = "GIVEN=execle";
  char* const variables[] = {given, NULL};
  if ((child = fork()) == 0) execle("/bin/sh", "sh", "-c", "echo $GIVEN", (char*)NULL, variables);
  if (status_of(child) != 0) exit(8);
  dup2(saved[0], 1);
  dup2(saved[1], 2);
  close(out);
  show("inherited");
}

/* The program's own actions come after, and see what the rank sees. */
static void with_actions(void) {
  static char shell[] = "sh", option[] = "-c", command[] = "cat; echo done; echo $WHO >&2";
  static char who[] = "WHO=spawned";
  char* const argv[] = {shell, option, command, NULL};
  char* const variables[] = {who, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child = 0;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int error = posix_spawn(&child, "/bin/sh", &actions, NULL, argv, variables);
  printf("%d actions: %d, status %d\n", rank, error, status_of(child));
  posix_spawn_file_actions_destroy(&actions);
  show("actions");
  printf("%d nothing: %d\n", rank,
         posix_spawnp(&child, "heddle-no-such", NULL, NULL, argv, environ));
}

static void read_line(FILE* from, const char* what) {
  char line[128] = "nothing\n";
  if (fgets(line, sizeof line, from) == NULL) strcpy(line, "end\n");
  printf("%d %s: %s", rank, what, line);
}

static void environment(void) {
  char value[32], *argv[] = {"sh", "-c", "echo $WHOSE >> $FILE", NULL};
  snprintf(value, sizeof value, "of %d", rank);
  setenv("WHOSE", value, 1);
  setenv("FILE", file, 1);
  FILE* reader = popen("echo $WHOSE", "r");
  read_line(reader, "popen");
  if (pclose(reader) != 0) exit(3);
  if (system("echo $WHOSE >> $FILE") != 0) exit(3);
  for (int way = 0; way < 4; ++way) {
    const pid_t child = fork();
    if (child == 0) {
      if (way == 0) execv("/bin/sh", argv);
      if (way == 1) execvp("sh", argv);
      if (way == 2) execl("/bin/sh", "sh", "-c", argv[2], (char*)NULL);
      if (way == 3) {
        setenv("WHOSE", "a child's", 1);
        _exit(system(argv[2]));
      }
      _exit(4);
    }
    if (status_of(child) != 0) exit(4);
  }
  show("environment");
}

/* What else in libc reads variables. */
static void variables(void) {
  char value[64];
  snprintf(value, sizeof value, "temporary.%d", rank);
  mkdir(value, 0700);
  setenv("TMPDIR", value, 1);
  char* name = tempnam("/usr", "prefixed");
  printf("%d tempnam: %.*s %zu\n", rank, (int)strlen(value) + 6, name,
         strlen(name) - strlen(value));
  free(name);
}

/* PATH as the rank has set it: `tool` is a script in its own folder. */
static void path(void) {
  char folder[64], name[128], command[256], *argv[] = {"tool", NULL};
  pid_t child = 0;
  snprintf(folder, sizeof folder, "path.%d", rank);
  snprintf(name, sizeof name, "%s/tool", folder);
  snprintf(command, sizeof command,
           "mkdir -p %s && echo 'echo tool of %d >> %s' > %s && chmod +x %s", folder, rank, file,
           name, name);
  if (system(command) != 0) exit(3);
  snprintf(command, sizeof command, "/nowhere:%s:%s", folder, getenv("PATH"));
  setenv("PATH", command, 1);
  if ((child = fork()) == 0) {
    execvp("tool", argv); /* no header: the shell's */
    _exit(9);
  }
  printf("%d path: status %d\n", rank, status_of(child));
  if ((child = fork()) == 0) {
    execlp("heddle-no-such", "x", (char*)NULL);
    _exit(errno == ENOENT ? 7 : 8);
  }
  printf("%d path: status %d\n", rank, status_of(child));
  show("path");
}

static void deaths(void) {
  const int signals[] = {SIGSEGV, SIGABRT, SIGTERM, SIGINT};
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      raise(signals[i]);
      _exit(3);
    }
    printf("%d death: %d\n", rank, status_of(child) - 128 == signals[i]);
  }
}

/* What a rank closes is closed for it and its children, and the lowest number for what it opens next. */
static void closed(void) {
  struct stat status;
  char text[16] = "";
  fflush(stdout);
  const int saved = dup(1), null = open("/dev/null", O_RDONLY);
  const int first = close(1), again = close(1), error = errno, written = (int)write(1, "lost", 4);
  const int hidden = system("test ! -e /proc/self/fd/1");
  const int out = creat(file, 0600), ok = printf("to the file\n") > 0 && fflush(stdout) == 0;
  const int size = fstat(1, &status) == 0 ? (int)status.st_size : -1;
  close(1);
  const int back = fcntl(saved, F_DUPFD, 0);
  printf("%d closed: %d %d %d %d %d, opened: %d %d %d, back: %d\n", rank, first, again,
         error == EBADF, written, hidden, out, ok, size, back);
  show("closed");
  close(0);
  const int in = open("/proc/self/stat", O_RDONLY),
            same = pread(in, text, 15, 0) == 15 && lseek(0, 5, SEEK_SET) == 5;
  close(0);
  const int duplicate = dup(null), nothing = (int)read(0, text, 1);
  printf("%d input: %d %d, %d %d\n", rank, in, same, duplicate, nothing);
}

/* Who waits for any child gets one of its own, and each once. */
static void any_child(void) {
  enum { kChildren = 5 };
  siginfo_t info;
  int status = 0, sum = 0, options = WNOHANG;
  pid_t made[kChildren];
  for (int i = 0; i < kChildren; ++i) {
    made[i] = fork();
    if (made[i] == 0) _exit(10 * rank + i);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* all ranks have theirs */
  for (int i = 0; i < kChildren; ++i) {
    pid_t ended = 0;
    if (i == 0) ended = wait(&status);
    if (i == 1) ended = waitpid(0, &status, 0);
    if (i == 2)
      while ((ended = waitpid(-1, &status, options)) == 0) usleep(100);
    if (i == 3) ended = wait4(-getpgrp(), &status, 0, NULL);
    if (i == 4) ended = waitid(P_ALL, 0, &info, WEXITED) == 0 ? info.si_pid : -1;
    if (i == 4) status = info.si_status << 8;
    sum += WEXITSTATUS(status);
    for (int k = 0; k < kChildren; ++k) {
      if (made[k] == ended) made[k] = 0;
    }
  }
  int left = 0;
  for (int k = 0; k < kChildren; ++k) left += made[k] != 0;
  const pid_t none = wait(&status);
  printf("%d any: sum %d, left %d, then %d %d\n", rank, sum - 5 * 10 * rank, left, (int)none,
         errno == ECHILD);
}

/* All ranks together have more files open than a process may by default; their children may not. */
static void many_files(void) {
  int opened = 0;
  for (int i = 0; i < 60; ++i) opened += open("/dev/null", O_RDONLY) >= 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const pid_t child = fork();
  if (child == 0) _exit((int)sysconf(_SC_OPEN_MAX));
  printf("%d files: %d, limit of a child %d\n", rank, opened, status_of(child));
}

/* The limit that a child sees at once, by every way to start it. */
static void limits(void) {
  static char shell[] = "sh", option[] = "-c",
              command[] = "echo $(ulimit -Sn) $(ulimit -Hn) >> $FILE";
  char* const argv[] = {shell, option, command, NULL};
  pid_t child = 0;
  setenv("FILE", file, 1);
  if (system(command) != 0) exit(3);
  FILE* writer = popen("sh", "w");
  fprintf(writer, "%s\n", command);
  if (pclose(writer) != 0) exit(4);
  if (posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ) != 0 || status_of(child) != 0)
    exit(5);
  if ((child = fork()) == 0) execv("/bin/sh", argv);
  if (status_of(child) != 0) exit(6);
  if ((child = vfork()) == 0) execv("/bin/sh", argv);
  if (status_of(child) != 0) exit(7);
  show("limits");
}

/* What a child prints of itself after each kind of action and attribute; then starts that must fail. */
static void every_action(void) {
  /* The signals first: the shell changes its mask when it waits. libc's posix_spawn ignores two of its own. */
  static char shell[] = "sh", option[] = "-c",
              command[] =
                  "while read name value; do case $name in SigBlk: | SigIgn:) echo $name "
                  "$value;; esac; done < /proc/$$/status;"
                  "read first <&7; read second <&8; echo $first $second $PWD;"
                  "test -e /proc/$$/fd/9 || echo closed; set -- $(cat /proc/$$/stat); test $1 = $5 "
                  "&& echo group";
  char* const argv[] = {shell, option, command, NULL};
  posix_spawn_file_actions_t actions, wrong;
  posix_spawnattr_t attributes;
  sigset_t blocked, defaults;
  pid_t child = 0;
  char input[80];
  snprintf(input, sizeof input, "%s.in", file);
  FILE* text = fopen(input, "w");
  fprintf(text, "first\nsecond\n");
  fclose(text);
  /* Not one of the numbers below, whatever other ranks have open. */
  const int low = open("/", O_RDONLY | O_DIRECTORY), root = fcntl(low, F_DUPFD, 40);
  close(low);

  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_addopen(&actions, 7, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 7, input, O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 7, 8);
  posix_spawn_file_actions_adddup2(&actions, 7, 9);
  posix_spawn_file_actions_addclose(&actions, 10);
  posix_spawn_file_actions_addclose(&actions, 10); /* not open: no error */
  posix_spawn_file_actions_addfchdir_np(&actions, root);
  posix_spawn_file_actions_addchdir_np(&actions, "usr/bin");
  posix_spawn_file_actions_addclosefrom_np(&actions, 9);

  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_RESETIDS);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGWINCH);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGHUP);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  const int error = posix_spawn(&child, "/bin/sh", &actions, &attributes, argv, environ);
  printf("%d every: %d, status %d\n", rank, error, error == 0 ? status_of(child) : -1);
  show("every");

  posix_spawn_file_actions_init(&wrong);
  posix_spawn_file_actions_adddup2(&wrong, 99, 1);
  const int of_action = posix_spawn(&child, "/bin/sh", &wrong, NULL, argv, environ);
  const int of_path = posix_spawn(&child, "/heddle/no/such", NULL, NULL, argv, environ);
  const int of_file = posix_spawn(&child, input, NULL, NULL, argv, environ);
  printf("%d failed: %d %d %d, children %d\n", rank, of_action == EBADF, of_path == ENOENT,
         of_file == EACCES, wait(NULL) > 0);
  posix_spawn_file_actions_destroy(&wrong);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(root);
}

/* What stands half on a line comes once, and before what a child adds. */
static void half_lines(void) {
  printf("kept ");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    printf("by the child\n");
    exit(0);
  }
  status_of(child);
  printf("unflushed ");
  child = fork();
  if (child == 0) _exit(0);
  status_of(child);
  printf("once\n");
}

/* A child and its child, in a session of their own; then the job ends as `how` says. */
static void left_behind(const char* how) {
  int told[2];
  char byte = 0;
  if (pipe(told) != 0) exit(3);
  if (fork() == 0) {
    setsid();
    const pid_t child = fork();
    if (child == 0) pause();
    printf("%d\n%d\n", getpid(), child);
    fflush(stdout);
    if (write(told[1], "x", 1) != 1) _exit(1);
    pause();
  }
  if (read(told[0], &byte, 1) != 1) exit(4);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  if (rank == 0 && strcmp(how, "crash") == 0) raise(SIGSEGV);
  if (rank == 0 && strcmp(how, "term") == 0) kill(getpid(), SIGTERM);
  if (rank == 0 && strcmp(how, "early") == 0) exit(9);
  if (strcmp(how, "end") != 0) MPI_Barrier(MPI_COMM_SELF), sleep(1000);
}

/* Before MPI_Init, as programs do that start themselves once more. */
static void replaced(int redirects, int by_number) {
  static char shell[] = "sh", option[] = "-c", command[] = "echo by number; cat";
  char* const argv[] = {shell, option, command, NULL};
  printf("before ");
  fflush(stdout);
  const long failed = by_number ? syscall(SYS_execve, "/heddle/no/such", argv, environ)
                                : execl("/heddle/no/such", "x", (char*)NULL);
  if (failed == 0 || (errno != ENOENT && errno != EPERM)) exit(3);
  printf("after ");
  fflush(stdout);
  if (redirects && freopen("children.replaced", "w", stdout) == NULL) exit(4);
  if (by_number) {
    syscall(SYS_execveat, AT_FDCWD, "/bin/sh", argv, environ, 0);
    printf("refused: %d\n", errno == EPERM);
    return;
  }
  setenv("WHOSE", "the rank's", 1);
  execlp("sh", "sh", "-c", "echo $WHOSE; cat", (char*)NULL);
  printf("refused: %d\n", errno == EPERM);
}

int main(int argc, char** argv) {
  const char* use = argc > 1 ? argv[1] : "";
  if (strncmp(use, "replaced", 8) == 0) replaced(use[8] == '-', use[8] == '#');
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(file, sizeof file, "children.%s.%d", use, rank);
  unlink(file);
  if (strcmp(use, "redirected") == 0) {
    redirected("dup2", 0, 0);
    redirected("close", 0, 1);
    redirected("vfork", 1, 0);
  }
  if (strcmp(use, "continued") == 0) continued();
  if (strcmp(use, "inherited") == 0) inherited();
  if (strcmp(use, "actions") == 0) with_actions();
  if (strcmp(use, "environment") == 0) environment();
  if (strcmp(use, "variables") == 0) variables();
  if (strcmp(use, "path") == 0) path();
  if (strcmp(use, "deaths") == 0) deaths();
  if (strcmp(use, "lines") == 0) half_lines();
  if (strcmp(use, "closed") == 0) closed();
  if (strcmp(use, "any") == 0) any_child();
  if (strcmp(use, "files") == 0) many_files();
  if (strcmp(use, "limits") == 0) limits();
  if (strcmp(use, "every") == 0) every_action();
  if (strcmp(use, "left") == 0) left_behind(argv[2]);
  if (strcmp(use, "input") == 0) {
    FILE* reader = popen("cat", "r");
    read_line(reader, "input");
    pclose(reader);
  }
  MPI_Finalize();
  if (strcmp(use, "return") == 0) {
    const pid_t child = fork();
    if (child == 0) return 7; /* out of main, as many programs do */
    printf("%d return: %d\n", rank, status_of(child));
  }
  return 0;
}
