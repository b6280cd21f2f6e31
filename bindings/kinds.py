"""What the shells do with each kind of parameter: how it is checked and what the expression sees.

Each function below gets a Shell (generate.py) and a Parameter and appends lines to the shell:
`shell.check(condition, call)` for a test that fails with <call> of entry.h, `shell.local(...)` for what
the expression of the calls file names.
"""


class HandleClass:
    def __init__(self, kind, type_, null, header, lookup=None):
        self.kind = kind      # of object::Kind
        self.type = type_     # what the expression gets a pointer to
        self.null = null      # the ABI's constant for no object
        self.header = header
        self.lookup = lookup  # from handle to pointer


HANDLES = {
    "COMMUNICATOR": HandleClass("kComm", "comm::Comm", "MPI_COMM_NULL", "mpi/comm/comm.h",
                                "comm::from_handle"),
    "DATATYPE": HandleClass("kDatatype", "datatype::Datatype", "MPI_DATATYPE_NULL",
                            "mpi/datatype/datatype.h", "datatype::from_handle"),
    "OPERATION": HandleClass("kOp", "op::Op", "MPI_OP_NULL", "mpi/op/op.h", "op::from_handle"),
    "GROUP": HandleClass("kGroup", "group::Group", "MPI_GROUP_NULL", "mpi/group/group.h",
                         "entry.group"),
    "ERRHANDLER": HandleClass("kErrhandler", "error::Errhandler", "MPI_ERRHANDLER_NULL",
                              "mpi/error/errhandler.h", "error::from_handle"),
    "INFO": HandleClass("kInfo", "info::Info", "MPI_INFO_NULL", "mpi/info/info.h",
                        "info::from_handle"),
    "SESSION": HandleClass("kSession", "session::Session", "MPI_SESSION_NULL", "mpi/session/session.h",
                           "entry.session"),
    "WINDOW": HandleClass("kWin", "rma::Window", "MPI_WIN_NULL", "mpi/rma/window.h", "entry.window"),
    "FILE": HandleClass("kFile", "io::File", "MPI_FILE_NULL", "mpi/io/file.h", "entry.file"),
    # Only given out: everything else about requests is the callee's, see bindings/README.md.
    "REQUEST": HandleClass("kRequest", "request::Request", "MPI_REQUEST_NULL",
                           "mpi/request/request.h"),
}

# Handles that no folder implements yet, and those that stay raw: the expression gets the handle.
RAW_HANDLES = ("MESSAGE",)

COUNTS = ("XFER_NUM_ELEM", "XFER_NUM_ELEM_NNI", "DTYPE_NUM_ELEM", "DTYPE_NUM_ELEM_NNI",
          "DTYPE_NUM_ELEM_PI", "NUM_BYTES_NNI", "NUM_BYTES", "DTYPE_PACK_SIZE",
          "NUM_PARAM_VALUES", "ALLOC_MEM_NUM_BYTES", "WINDOW_SIZE", "RMA_DISPLACEMENT_NNI")
LENGTHS = ("ARRAY_LENGTH", "ARRAY_LENGTH_NNI", "ARRAY_LENGTH_PI", "NUM_DIMS", "COMM_SIZE", "DEGREE")
# Scalars that are widened to MPI_Count when they come in and narrowed when they go out.
WIDENED = COUNTS + ("DISPLACEMENT_AINT_COUNT", "DTYPE_STRIDE_BYTES", "DISPLACEMENT_COUNT",
                    "LOCATION", "DISPOFFSET", "RMA_DISPLACEMENT", "LENGTH")

# Outputs that may be left out, or that the function treats by itself.
MAY_BE_NULL = ("STATUS", "BUFFER", "C_BUFFER4", "ARGUMENT_COUNT", "ARGUMENT_LIST", "EXTRA_STATE",
               "EXTRA_STATE2", "ERROR_CODE", "WEIGHT")

# Strings for which the room may be 0: then only the length is asked for. The callee checks them.
STRINGS_WITH_ROOM = (("MPI_Info_get_string", "value"), ("MPI_Session_get_nth_pset", "pset_name"))

# Of the tools interface, in all directions.
TOOLS_MAY_BE_NULL = ("TOOL_MPI_OBJ", "EXTRA_STATE")

# Handles that go out when the operation is done, and not with the call: the expression gets the pointer.
GIVEN_LATER = (("MPI_Comm_idup", "newcomm"), ("MPI_Comm_idup_with_info", "newcomm"))

# What these are asked about may be the null handle, which the expression sees as a null pointer.
NULL_HANDLE_ALLOWED = ("MPI_Comm_get_name", "MPI_Type_get_name", "MPI_Win_get_name", "MPI_File_get_errhandler",
                       "MPI_File_set_errhandler", "MPI_File_call_errhandler")

# Calls for which there is no file yet: their errors are those of MPI_FILE_NULL.
BEFORE_FILES = ("MPI_File_open", "MPI_File_delete", "MPI_Register_datarep")

# Where the size means nothing if the buffer is MPI_BUFFER_AUTOMATIC.
SIZES_AUTOMATIC_BUFFERS = ("MPI_Buffer_attach", "MPI_Comm_attach_buffer", "MPI_Session_attach_buffer")

RECEIVE_TAG_CALLS = ("MPI_Recv", "MPI_Irecv", "MPI_Recv_init", "MPI_Probe", "MPI_Iprobe",
                     "MPI_Mprobe", "MPI_Improbe")

# How long arrays are for which the API table has no length. Parameters before them have been checked.
UNSTATED_LENGTHS = {
    ("MPI_Cart_rank", "coords"): "topo_make::cart_dimensions(*comm)",
    ("MPI_Cart_sub", "remain_dims"): "topo_make::cart_dimensions(*comm)",
    ("MPI_Graph_create", "edges"): "(nnodes > 0 ? index[nnodes - 1] : 0)",
    ("MPI_Graph_map", "edges"): "(nnodes > 0 ? index[nnodes - 1] : 0)",
    ("MPI_Dist_graph_create", "destinations"): "total(object::CountArray(degrees), n)",
}

# Collectives whose send buffer (at every rank, or only at the root) may be MPI_IN_PLACE, and those
# whose receive buffer at the root may (§6). Without their prefix I and suffixes _init, _c.
IN_PLACE_EVERYWHERE = ("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv",
                       "alltoallw", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
IN_PLACE_AT_ROOT = {"gather": "sendbuf", "gatherv": "sendbuf", "reduce": "sendbuf",
                    "scatter": "recvbuf", "scatterv": "recvbuf"}


def operation_of(function):
    """"reduce_scatter" for MPI_Reduce_scatter, MPI_Ireduce_scatter_c, MPI_Reduce_scatter_init."""
    name = function.base.removeprefix("MPI_").lower().removesuffix("_init")
    known = IN_PLACE_EVERYWHERE + tuple(IN_PLACE_AT_ROOT) + ("bcast", "barrier")
    return name if name in known else name[1:] if name[:1] == "i" and name[1:] in known else name


def missing_for_tools(function, parameter):
    """When a pointer of the tools interface is null that must not be; "" for one that may be.

    Calls that ask for information leave out what the caller has no room for (§15.3.3), and so do
    strings that go out."""
    if "*" not in parameter.c and not parameter.is_array:
        return ""
    optional = parameter.dir in ("out", "inout") and function.base.endswith("get_info")
    string_out = parameter.kind in ("STRING", "STRING_LENGTH") and parameter.dir != "in"
    if optional or string_out or parameter.kind in TOOLS_MAY_BE_NULL:
        return ""
    length = f" && {parameter.length} > 0" if parameter.is_array else ""
    return f"{parameter.name} == nullptr{length}"


def error_class_of_count(parameter):
    if parameter.kind == "RMA_DISPLACEMENT_NNI":
        return "MPI_ERR_DISP"
    return "MPI_ERR_COUNT" if "count" in parameter.name else "MPI_ERR_ARG"


def error_class_of_pointer(function, parameter):
    if function.chapter == "info":
        return {"key": "MPI_ERR_INFO_KEY", "value": "MPI_ERR_INFO_VALUE"}.get(
            parameter.name, "MPI_ERR_ARG")
    return "MPI_ERR_ARG"
