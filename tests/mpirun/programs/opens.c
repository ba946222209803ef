/* Knows nothing of MPI: opens a shared object and runs its main() with the arguments after it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* program = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (program == NULL) return fprintf(stderr, "%s\n", dlerror()), 70;
  return ((int (*)(int, char**))dlsym(program, "main"))(argc - 1, argv + 1);
}
