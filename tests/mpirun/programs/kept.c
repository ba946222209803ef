/* A library with variables. */
static int sum = 100;

int kept_from_library(int value) { return sum += value; }
