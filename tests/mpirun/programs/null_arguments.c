/* Each call has a null pointer in the place of a result, a handle, a flag or a list. */
#include <mpi.h>
#include <stdio.h>

static int number, accepted;

static void answered(const char *name, int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  ++number;
  if (class == MPI_ERR_ARG) return;
  ++accepted;
  printf("%s returned the class %d\n", name, class);
}

#define NULL_IN(name, ...) answered(#name, MPI_##name(__VA_ARGS__))

static void results(MPI_Comm world, MPI_Comm grid) {
  int x = 0, y = 0;
  NULL_IN(Comm_rank, world, NULL);
  NULL_IN(Comm_dup, world, NULL);
  NULL_IN(Comm_free, NULL);
  NULL_IN(Group_free, NULL);
  NULL_IN(Type_free, NULL);
  NULL_IN(Type_commit, NULL);
  NULL_IN(Op_free, NULL);
  NULL_IN(Info_create, NULL);
  NULL_IN(Info_free, NULL);
  NULL_IN(Errhandler_free, NULL);
  NULL_IN(Comm_get_errhandler, world, NULL);
  NULL_IN(Query_thread, NULL);
  NULL_IN(Is_thread_main, NULL);
  NULL_IN(Initialized, NULL);
  NULL_IN(Finalized, NULL);
  NULL_IN(Pack_size, 1, MPI_INT, world, NULL);
  NULL_IN(Topo_test, world, NULL);
  NULL_IN(Cartdim_get, grid, NULL);
  NULL_IN(Cart_shift, grid, 0, 1, &x, NULL);
  NULL_IN(Cart_shift, grid, 0, 1, NULL, &y);
  NULL_IN(Add_error_class, NULL);
}

static void texts(MPI_Comm world) {
  int x = 0, flag = 0, key = 0, *value = &x;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(world, key, value);
  NULL_IN(Get_version, NULL, &x);
  NULL_IN(Get_version, &x, NULL);
  NULL_IN(Get_library_version, NULL, &x);
  NULL_IN(Get_library_version, text, NULL);
  NULL_IN(Get_processor_name, NULL, &x);
  NULL_IN(Get_processor_name, text, NULL);
  NULL_IN(Error_string, MPI_ERR_ARG, NULL, &x);
  NULL_IN(Comm_get_name, world, NULL, &x);
  NULL_IN(Comm_set_name, world, NULL);
  NULL_IN(Type_set_name, MPI_INT, NULL);
  NULL_IN(Info_get, info, "key", 7, NULL, &flag);
  NULL_IN(Info_get_nthkey, info, 0, NULL);
  NULL_IN(Comm_get_attr, world, key, NULL, &flag);
  NULL_IN(Comm_get_attr, world, MPI_TAG_UB, NULL, &flag);
  NULL_IN(Alloc_mem, 8, MPI_INFO_NULL, NULL);
#if MPI_VERSION >= 4
  NULL_IN(Info_get_string, info, "key", NULL, text, &flag);
#endif
#if MPI_VERSION >= 5
  NULL_IN(Abi_get_version, NULL, &x);
  NULL_IN(Abi_get_info, NULL);
  NULL_IN(Get_hw_resource_info, NULL);
#endif
  MPI_Info_free(&info);
  MPI_Comm_delete_attr(world, key);
  MPI_Comm_free_keyval(&key);
}

static void arrays(MPI_Comm world, MPI_Comm grid) {
  int x = 1, zero = 0, place = 0;
  char packed[8];
  MPI_Aint address = 0;
  MPI_Comm graph, none = MPI_COMM_NULL;
  MPI_Group group, made;
  MPI_Datatype pair;
  MPI_Comm_group(world, &group);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Graph_create(world, 1, &x, &zero, 0, &graph);
  MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
  NULL_IN(Pack, &x, 1, MPI_INT, packed, 8, NULL, world);
  NULL_IN(Unpack, packed, 8, NULL, &x, 1, MPI_INT, world);
  NULL_IN(Pack_external, "external32", &x, 1, MPI_INT, packed, 8, NULL);
  NULL_IN(Unpack_external, "external32", packed, 8, NULL, &x, 1, MPI_INT);
  NULL_IN(Pack_external, NULL, &x, 1, MPI_INT, packed, 8, &address);
  NULL_IN(Cart_create, world, 1, NULL, &zero, 0, &none);
  NULL_IN(Cart_create, world, 1, &x, NULL, 0, &none);
  NULL_IN(Cart_coords, grid, 0, 1, NULL);
  NULL_IN(Cart_rank, grid, NULL, &place);
  NULL_IN(Cart_get, grid, 1, &place, NULL, &place);
  NULL_IN(Cart_sub, grid, NULL, &none);
  NULL_IN(Cart_sub, grid, &x, NULL);
  NULL_IN(Dims_create, 1, 1, NULL);
  NULL_IN(Graph_neighbors, graph, 0, 1, NULL);
  NULL_IN(Group_incl, group, 1, NULL, &made);
  NULL_IN(Group_range_excl, group, 1, NULL, &made);
  NULL_IN(Group_translate_ranks, group, 1, &zero, group, NULL);
  NULL_IN(Dist_graph_create, world, 1, &zero, NULL, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
          &none);
  NULL_IN(Type_get_contents, pair, 1, 0, 1, NULL, &address, &pair);
  NULL_IN(Type_create_f90_integer, 5, NULL);
  MPI_Comm_free(&graph);
  MPI_Type_free(&pair);
  MPI_Group_free(&group);
}

static void requests(MPI_Comm world) {
  int x = 1, y = 0, flag = 0, count = 0, place = 0;
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status status;
  NULL_IN(Irecv, &y, 1, MPI_INT, 0, 0, world, NULL);
  NULL_IN(Isend, &x, 1, MPI_INT, 0, 0, world, NULL);
  NULL_IN(Issend, &x, 1, MPI_INT, MPI_PROC_NULL, 0, world, NULL);
  NULL_IN(Send_init, &x, 1, MPI_INT, 0, 0, world, NULL);
  NULL_IN(Recv_init, &y, 1, MPI_INT, 0, 0, world, NULL);
  NULL_IN(Ibarrier, world, NULL);
  NULL_IN(Iallreduce, &x, &y, 1, MPI_INT, MPI_SUM, world, NULL);
  NULL_IN(Wait, NULL, MPI_STATUS_IGNORE);
  NULL_IN(Test, NULL, &flag, MPI_STATUS_IGNORE);
  NULL_IN(Test, &none, NULL, MPI_STATUS_IGNORE);
  NULL_IN(Testall, 1, &none, NULL, MPI_STATUSES_IGNORE);
  NULL_IN(Waitany, 1, &none, NULL, MPI_STATUS_IGNORE);
  NULL_IN(Testany, 1, &none, &place, NULL, MPI_STATUS_IGNORE);
  NULL_IN(Waitsome, 1, &none, NULL, &place, MPI_STATUSES_IGNORE);
  NULL_IN(Testsome, 1, &none, &count, NULL, MPI_STATUSES_IGNORE);
  NULL_IN(Start, NULL);
  NULL_IN(Startall, 1, NULL);
  NULL_IN(Cancel, NULL);
  NULL_IN(Request_free, NULL);
  NULL_IN(Iprobe, 0, 0, world, NULL, &status);
  NULL_IN(Get_count, NULL, MPI_INT, &count);
  NULL_IN(Get_count, &status, MPI_INT, NULL);
  NULL_IN(Test_cancelled, NULL, &flag);
}

int main(int argc, char **argv) {
  int side = 1, period = 1, flag = 1;
  MPI_Comm grid;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &side, &period, 0, &grid);
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  results(MPI_COMM_WORLD, grid);
  texts(MPI_COMM_WORLD);
  arrays(MPI_COMM_WORLD, grid);
  requests(MPI_COMM_WORLD);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  printf("calls %d, not refused %d, messages left %d\n", number, accepted, flag);
  MPI_Comm_free(&grid);
  return MPI_Finalize();
}
