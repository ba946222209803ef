/* BoomerAMG whose coarse levels move to fewer ranks where a model says that this is faster.
 *
 * A BoomerAMG that was created and configured as ever, but not set up, is handed over:
 *
 *     odonata_amg_create(boomeramg, &amg);
 *     odonata_amg_set_model(amg, &model);
 *     HYPRE_PCGSetPrecond(pcg, (HYPRE_PtrToSolverFcn) odonata_amg_solve,
 *                         (HYPRE_PtrToSolverFcn) odonata_amg_setup, amg);
 *     ...
 *     odonata_amg_destroy(amg);       which destroys boomeramg too
 *
 * Coarsening, interpolation, products and smoothers are hypre's. All functions return 0, or
 * another number if something is wrong: odonata_amg_error then names it, on every rank. */
#ifndef ODONATA_AMG_H
#define ODONATA_AMG_H

#include <HYPRE_parcsr_ls.h>

#include <stdio.h>

#if defined(__GNUC__)
#define ODONATA_AMG_API __attribute__((visibility("default")))
#else
#define ODONATA_AMG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Penalties of the model, to be combined with |. */
enum odonata_amg_penalty {
  ODONATA_AMG_DISTANCE = 1,  /* every message goes `hops` hops beyond the nearest */
  ODONATA_AMG_BANDWIDTH = 2, /* peak_bandwidth and links limit the bandwidth */
  ODONATA_AMG_ALPHA = 4,     /* the ranks of a node wait for each other to start a message */
  ODONATA_AMG_GAMMA = 8      /* and at each hop */
};

enum { ODONATA_AMG_MOST_FLOPS = 16 };

/* The model's numbers of the machine, and the rules of the decision. The struct has no pointers,
 * so that one rank may fill it and broadcast its bytes. */
typedef struct {
  double alpha;                                /* [s] to start a message */
  double beta;                                 /* [s] a value of 8 bytes */
  double gamma;                                /* [s] a hop */
  double hops; /* between the furthest nodes, beyond the nearest */
  double links; /* that messages share; for BANDWIDTH */
  double peak_bandwidth; /* [B/s] of a node; for BANDWIDTH */
  double flop_seconds[ODONATA_AMG_MOST_FLOPS]; /* [s] on level 0, 1, ...; the last holds beyond */
  double cache_bytes; /* of a node; 0: a rank may have any size */
  double least_gain; /* of the sum of the levels so far, 0 to 1 */
  int num_flop_seconds; /* 0: they are measured during the setup */
  int ranks_per_node;
  int penalties; /* of odonata_amg_penalty */
  int every_number; /* 0: powers of two are looked at; 1: every number of groups */
} odonata_amg_model;

/* The rules of the paper (a least gain of 5 %, powers of two, distance) and no machine. */
ODONATA_AMG_API void odonata_amg_model_defaults(odonata_amg_model* model);

/* Takes alpha, beta, gamma, hops, flop_seconds and the cache from a machine file of Odonata;
 * numbers that the file lacks stay as they are. `why` (may be null) gets the reason where that
 * fails. */
ODONATA_AMG_API int odonata_amg_read_machine(const char* file, odonata_amg_model* model, char* why,
                                             int size_of_why);

/* At first redistribution is off: boomeramg itself sets up and solves. */
ODONATA_AMG_API HYPRE_Int odonata_amg_create(HYPRE_Solver boomeramg, HYPRE_Solver* amg);
ODONATA_AMG_API HYPRE_Int odonata_amg_set_off(HYPRE_Solver amg);
ODONATA_AMG_API HYPRE_Int odonata_amg_set_model(HYPRE_Solver amg, const odonata_amg_model* model);
/* Levels are built one at a time, and none is switched. */
ODONATA_AMG_API HYPRE_Int odonata_amg_set_never(HYPRE_Solver amg);
/* `level` (0: the finest) goes to `groups` ranks, whatever a model says. */
ODONATA_AMG_API HYPRE_Int odonata_amg_set_forced(HYPRE_Solver amg, int level, int groups);

/* For a simulated machine (odonata mpirun); other MPIs ignore both. Phases: MPI_Pcontrol marks setup
 * and solve, and unless off their levels and the gathers and scatters of a switch, in traces. Flop seconds: each cycle states the time of its
 * flops, level by level, unless off; the last holds beyond, and with none they take no time. */
ODONATA_AMG_API HYPRE_Int odonata_amg_set_phases(HYPRE_Solver amg, int on);
ODONATA_AMG_API HYPRE_Int odonata_amg_set_flop_seconds(HYPRE_Solver amg, int number,
                                                       const double* seconds);

/* These have the type of a preconditioner of hypre's Krylov solvers. Collective. */
ODONATA_AMG_API HYPRE_Int odonata_amg_setup(HYPRE_Solver amg, HYPRE_ParCSRMatrix A,
                                            HYPRE_ParVector b, HYPRE_ParVector x);
ODONATA_AMG_API HYPRE_Int odonata_amg_solve(HYPRE_Solver amg, HYPRE_ParCSRMatrix A,
                                            HYPRE_ParVector b, HYPRE_ParVector x);
ODONATA_AMG_API HYPRE_Int odonata_amg_destroy(HYPRE_Solver amg);

/* The reason of the last failure; "" if there was none. It is valid until the next call. */
ODONATA_AMG_API const char* odonata_amg_error(HYPRE_Solver amg);

/* Writes the decisions of the last setup. All ranks have the same: one of them may print. */
ODONATA_AMG_API HYPRE_Int odonata_amg_print(HYPRE_Solver amg, FILE* file);
ODONATA_AMG_API HYPRE_Int odonata_amg_print_json(HYPRE_Solver amg, FILE* file);

#ifdef __cplusplus
}
#endif

#endif
