// Waits of 50 ms that end by their limit: simulated and real milliseconds of each. The last wait
// is ended by another thread long before its limit.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static double real_ms(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

static struct timespec later(clockid_t clock, int ms) {
  struct timespec now;
  clock_gettime(clock, &now);
  const long sum = now.tv_nsec + ms * 1000000L;
  return (struct timespec){now.tv_sec + sum / 1000000000, sum % 1000000000};
}

static void* set_ready(void* unused) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static int rank;
static double begin, begin_real;

static void start(void) { begin = MPI_Wtime(), begin_real = real_ms(); }

static void tell(const char* name, int code) {
  printf("%d %s %d %.0f %.0f\n", rank, name, code, 1e3 * (MPI_Wtime() - begin),
         real_ms() - begin_real);
  start();
}

static void wait_for_files(void) {
  int ends[2], set = epoll_create1(0);
  if (pipe(ends) != 0) return;
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
  struct pollfd file = {.fd = ends[0], .events = POLLIN};
  const struct timespec limit = {0, 50000000};
  struct timeval rest = {0, 50000};
  fd_set files;
  FD_ZERO(&files);
  FD_SET(ends[0], &files);
  start();
  tell("poll", poll(&file, 1, 50));
  tell("ppoll", ppoll(&file, 1, &limit, NULL));
  tell("select", select(ends[0] + 1, &files, NULL, NULL, &rest));
  FD_SET(ends[0], &files);
  tell("pselect", pselect(ends[0] + 1, &files, NULL, NULL, &limit, NULL));
  tell("epoll_wait", epoll_wait(set, &event, 1, 50));
  tell("epoll_pwait", epoll_pwait(set, &event, 1, 50, NULL));
  tell("no_files", poll(NULL, 0, 50));
  if (write(ends[1], "x", 1) != 1) return;
  tell("is_ready", poll(&file, 1, 50));
}

static void wait_for_threads(void) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  struct timespec end = later(CLOCK_REALTIME, 50);
  start();
  tell("sem_timedwait", sem_timedwait(&semaphore, &end) == -1 ? errno : 0);
  end = later(CLOCK_MONOTONIC, 50);
  tell("sem_clockwait", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &end) == -1 ? errno : 0);
  pthread_mutex_lock(&mutex);
  end = later(CLOCK_REALTIME, 50);
  tell("cond_timedwait", pthread_cond_timedwait(&condition, &mutex, &end));
  end = later(CLOCK_MONOTONIC, 50);
  tell("cond_clockwait", pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &end));
  pthread_condattr_t how;
  pthread_condattr_init(&how), pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
  pthread_cond_t steady;
  pthread_cond_init(&steady, &how);
  end = later(CLOCK_MONOTONIC, 50);
  tell("cond_of_monotonic", pthread_cond_timedwait(&steady, &mutex, &end));
  pthread_t thread;
  pthread_create(&thread, NULL, set_ready, NULL);
  while (!ready) {
    end = later(CLOCK_REALTIME, 60000);
    pthread_cond_timedwait(&condition, &mutex, &end);
  }
  pthread_mutex_unlock(&mutex);
  tell("ended_by_thread", 0);
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  wait_for_files();
  wait_for_threads();
  return MPI_Finalize();
}
