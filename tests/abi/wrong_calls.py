#!/usr/bin/env python3
"""Writes wrong_calls.cpp: for every implemented function and every argument that can be wrong, a call
with just that argument wrong, and the error class that the standard asks for.

    wrong_calls.py OUTPUT.cpp

`f` in the text is the Fixtures of wrong_calls.h. What is right and wrong stands here once more,
apart from bindings/kinds.py, so that the two check each other.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings"))
import api  # noqa: E402
import calls  # noqa: E402

# Calls that end something, or whose arguments cannot be wrong.
LEFT_OUT = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Pcontrol"}

HANDLES = {
    "COMMUNICATOR": ("MPI_Comm", "comm", "MPI_COMM_WORLD", "MPI_ERR_COMM"),
    "DATATYPE": ("MPI_Datatype", "type", "MPI_INT", "MPI_ERR_TYPE"),
    "OPERATION": ("MPI_Op", "op", "MPI_SUM", "MPI_ERR_OP"),
    "GROUP": ("MPI_Group", "group", "f.live.group", "MPI_ERR_GROUP"),
    "INFO": ("MPI_Info", "info", "f.live.info", "MPI_ERR_INFO"),
    "ERRHANDLER": ("MPI_Errhandler", "errhandler", "MPI_ERRORS_RETURN", "MPI_ERR_ERRHANDLER"),
    "REQUEST": ("MPI_Request", "request", "f.live.request", "MPI_ERR_REQUEST"),
    "SESSION": ("MPI_Session", "session", "f.live.session", "MPI_ERR_SESSION"),
    "WINDOW": ("MPI_Win", "win", "f.live.win", "MPI_ERR_WIN"),
    "FILE": ("MPI_File", "file", "f.live.file", "MPI_ERR_FILE"),
    "MESSAGE": ("MPI_Message", "message", "MPI_MESSAGE_NO_PROC", "MPI_ERR_REQUEST"),
}
NULLS = {"COMMUNICATOR": "MPI_COMM_NULL", "DATATYPE": "MPI_DATATYPE_NULL", "OPERATION": "MPI_OP_NULL",
         "GROUP": "MPI_GROUP_NULL", "ERRHANDLER": "MPI_ERRHANDLER_NULL",
         "SESSION": "MPI_SESSION_NULL", "WINDOW": "MPI_WIN_NULL", "FILE": "MPI_FILE_NULL"}
COUNT_KINDS = ("XFER_NUM_ELEM", "XFER_NUM_ELEM_NNI", "DTYPE_NUM_ELEM_NNI", "NUM_BYTES_NNI",
               "ARRAY_LENGTH", "ARRAY_LENGTH_NNI")
RECEIVES = ("MPI_Recv", "MPI_Irecv", "MPI_Recv_init", "MPI_Probe", "MPI_Iprobe", "MPI_Mprobe",
            "MPI_Improbe")
# What nobody may free.
PREDEFINED = {"MPI_Comm_free": ("MPI_Comm", ["MPI_COMM_WORLD", "MPI_COMM_SELF"], "MPI_ERR_COMM"),
              "MPI_Type_free": ("MPI_Datatype", ["MPI_INT", "MPI_DOUBLE_INT"], "MPI_ERR_TYPE"),
              "MPI_Op_free": ("MPI_Op", ["MPI_SUM", "MPI_MAXLOC"], "MPI_ERR_OP")}
# What has a name, or an error handler, even if it is null.
NAMED_NULLS = ("MPI_Comm_get_name", "MPI_Type_get_name", "MPI_Win_get_name", "MPI_File_get_errhandler", "MPI_File_set_errhandler",
               "MPI_File_call_errhandler")
# Only for intercommunicators: the intracommunicator that everybody else gets is wrong.
INTERCOMM_ONLY = ("MPI_Comm_remote_size", "MPI_Comm_remote_group", "MPI_Intercomm_merge")


STRINGS_WITH_ROOM = (("MPI_Info_get_string", "value"), ("MPI_Session_get_nth_pset", "pset_name"))

# Those whose arguments are checked against a topology.
NEED_A_GRID = ("MPI_Cart_rank", "MPI_Cart_sub")


def needs_a_grid(function):
    among_neighbors = "neighbor" in function.base.lower() and function.chapter != "topologies"
    return among_neighbors or function.base in NEED_A_GRID


def valid(function, parameter):
    """An expression that is right for the parameter."""
    if parameter.kind == "COMMUNICATOR" and parameter.dir == "in" and needs_a_grid(function):
        return "f.grid"
    kind, c_type = parameter.kind, parameter.type
    if kind in HANDLES:
        handle_type, field, expression, _ = HANDLES[kind]
        if parameter.is_array:
            return f"f.arrays.{field}s"
        if "*" in c_type:
            return f"&f.out.{field}"
        if parameter.name == "local_comm":
            return "MPI_COMM_SELF"  # its ranks meet before its leader finds the others wrong
        if kind == "ERRHANDLER":  # which is told, where the call makes what it is for
            return {"Session": "f.of_session", "Win": "f.of_window", "File": "f.of_file"}.get(function.base.split("_")[1], "f.live.errhandler")
        return expression
    if kind == "STATUS":
        out = parameter.dir == "out"
        return "f.arrays.statuses" if parameter.is_array else "MPI_STATUS_IGNORE" if out else "&f.status"
    if kind == "BUFFER":
        return "f.in_buffer" if parameter.dir == "in" else "f.out_buffer"
    if kind in ("RANK", "RANK_NNI") and not parameter.is_array and parameter.dir == "in":
        return "MPI_PROC_NULL" if parameter.name in ("dest", "source") else "0"
    if kind == "TAG" and parameter.dir == "in":
        return "5"
    if kind == "KEYVAL":
        return "&f.out.keyval" if "*" in c_type else "f.live.keyval"
    if kind.startswith("FUNCTION"):
        return f"reinterpret_cast<{c_type}>(&nothing)"
    if kind in ("EXTRA_STATE", "EXTRA_STATE2", "ARGUMENT_LIST"):
        return "nullptr"
    if kind in ("ATTRIBUTE_VAL", "ATTRIBUTE_VAL_10", "C_BUFFER", "C_BUFFER2", "LOGICAL_VOID"):
        return "&f.out.pointer"
    if kind == "STRING":
        return '"name"' if c_type.startswith("const") else "f.text"
    return valid_by_type(parameter)


def valid_by_type(parameter):
    base = parameter.type.removeprefix("const ").rstrip("* ")
    if base == "MPI_F08_status":
        return "&f.out.f08_status"
    table = {"int": "i", "MPI_Count": "count", "MPI_Aint": "aint", "MPI_Offset": "count",
             "MPI_Fint": "i"}
    if parameter.c.endswith("[3]"):
        return "f.arrays.ranges"
    if base not in table:
        raise SystemExit(f"wrong_calls.py does not know what is right for {parameter.c}")
    if parameter.is_array:
        kept = "zeros" if "RANK" in parameter.kind or "DISP" in parameter.kind else "ones"
        return f"f.arrays.{table[base]}_{kept}"
    if "*" in parameter.type:
        return "f.arrays.i_zeros" if base == "MPI_Fint" else f"&f.out.{table[base]}"
    return "64" if parameter.kind == "NUM_BYTES_NNI" else "1"


def wrong_handles(function, parameter):
    handle_type, field, _, error_class = HANDLES[parameter.kind]
    if parameter.is_array or parameter.dir == "out" or parameter.kind in ("MESSAGE",):
        return
    if parameter.kind == "REQUEST" and parameter.dir == "in" and "*" not in parameter.type:
        pass
    values = {"garbage": f"f.garbage<{handle_type}>()", "a freed one": f"f.freed.{field}",
              "of another kind": f"f.other_kind<{handle_type}>(f.live.{'group' if field != 'group' else 'info'})",
              "a constant of another kind": f"f.other_kind<{handle_type}>(MPI_{'INT' if field != 'type' else 'SUM'})",
              "a null pointer": f"f.garbage<{handle_type}>(0)"}
    if field in ("errhandler",):
        values.pop("a freed one")
    null = NULLS.get(parameter.kind)
    if null and function.base not in NAMED_NULLS:
        values["null"] = null
    if parameter.kind == "COMMUNICATOR":
        values["another rank's"] = "f.foreign"
    for what, value in values.items():
        if "*" in parameter.type:  # in and out: free, wait
            yield what, f"f.hold<{handle_type}>({value})", error_class
        else:
            yield what, value, error_class
    if parameter.kind == "DATATYPE" and any(p.kind == "BUFFER" for p in function.params):
        yield "uncommitted", "f.live.uncommitted", "MPI_ERR_TYPE"


def wrong_buffers(function, parameter):
    after = function.params[function.params.index(parameter) + 1:]
    types = [p for p in after if p.kind == "DATATYPE"]
    count = next((p for p in after if p.kind in COUNT_KINDS), None)
    if not types or count is None or count.kind == "NUM_BYTES_NNI":
        return
    yield "a null pointer", "nullptr", "MPI_ERR_BUFFER"
    yield "MPI_BUFFER_AUTOMATIC", "MPI_BUFFER_AUTOMATIC", "MPI_ERR_BUFFER"
    name = function.base.lower()
    collective = function.chapter.endswith("collectives") and "neighbor" not in name
    in_place = collective and (parameter.name == "sendbuf" and "scatter" not in name.replace(
        "reduce_scatter", "reduce") or parameter.name == "recvbuf" and "scatter" in name.replace(
        "reduce_scatter", "reduce"))
    if not in_place:
        yield "MPI_IN_PLACE", "MPI_IN_PLACE", "MPI_ERR_BUFFER"


def wrong_ranks(function, parameter):
    if not any(p.kind == "COMMUNICATOR" and p.dir == "in" for p in function.params):
        return
    error_class = "MPI_ERR_ROOT" if parameter.name == "root" else "MPI_ERR_RANK"
    if parameter.name not in ("root", "dest", "source", "local_leader"):
        return
    values = ["f.size", "f.size + 1", "-4", "-5", "INT_MAX", "INT_MIN"]
    receives = parameter.name == "source" and (function.base in RECEIVES or function.param("recvtag"))
    if not receives:
        values.append("MPI_ANY_SOURCE")
    if parameter.name in ("root", "local_leader"):
        values.append("MPI_PROC_NULL")
    for value in values:
        yield value, value, error_class


def wrong_tags(function, parameter):
    if not any(p.kind == "COMMUNICATOR" for p in function.params):
        return
    receives = parameter.name == "recvtag" or parameter.name == "tag" and function.base in RECEIVES
    for value in ["-1", "-3", "INT_MIN"] + ([] if receives else ["MPI_ANY_TAG"]):
        yield value, value, "MPI_ERR_TAG"


def wrong_counts(function, parameter):
    error_class = "MPI_ERR_COUNT" if "count" in parameter.name else "MPI_ERR_ARG"
    lowest = "-(MPI_Count{1} << 40)" if parameter.type == "MPI_Count" else "INT_MIN"
    for value in ("-1", lowest):
        yield value, value, error_class
    # Even of elements of one byte so many fit into no memory. Products with their sizes overflow.
    counts_elements = any(p.kind == "BUFFER" for p in function.params) and any(
        p.kind == "DATATYPE" and not p.is_array for p in function.params)
    if counts_elements and parameter.type == "MPI_Count" and parameter.kind != "NUM_BYTES_NNI":
        for value in ("MPI_Count{1} << 58", "MPI_Count{1} << 61", "MPI_Count{1} << 62"):
            yield value, value, error_class


def wrong_pointers(function, parameter):
    optional = ("STATUS", "WEIGHT", "ARGUMENT_LIST", "ARGUMENT_COUNT", "EXTRA_STATE", "EXTRA_STATE2",
                "FUNCTION", "FUNCTION_SMALL", "STRING_ARRAY")
    if parameter.kind in optional and not (parameter.kind == "STATUS" and parameter.dir != "out"):
        return
    if parameter.kind.startswith("ATTRIBUTE_VAL") and parameter.dir == "in":
        return
    if (function.base, parameter.name) in STRINGS_WITH_ROOM:
        return  # may be null where the room is 0, which the other arguments of the call make it
    error_class = "MPI_ERR_ARG"
    if function.chapter == "info":
        error_class = {"key": "MPI_ERR_INFO_KEY", "value": "MPI_ERR_INFO_VALUE"}.get(parameter.name, error_class)
    yield "a null pointer", "nullptr", error_class


def wrong_keyvals(function, parameter):
    for value in ("MPI_KEYVAL_INVALID", "123456", "-7"):
        expression = f"f.hold<int>({value})" if "*" in parameter.type else value
        yield value, expression, "MPI_ERR_KEYVAL"


def wrong_values(function, parameter):
    """(what is wrong, expression, error class) for every way to get the argument wrong."""
    kind = parameter.kind
    scalar = "*" not in parameter.type
    if kind in HANDLES and parameter.dir != "out":
        yield from wrong_handles(function, parameter)
    if kind == "KEYVAL" and parameter.dir != "out":
        yield from wrong_keyvals(function, parameter)
    if kind == "BUFFER":
        yield from wrong_buffers(function, parameter)
    elif not scalar:
        yield from wrong_pointers(function, parameter)
    elif kind in ("RANK", "RANK_NNI") and parameter.dir == "in":
        yield from wrong_ranks(function, parameter)
    elif kind == "TAG":
        yield from wrong_tags(function, parameter)
    elif kind in COUNT_KINDS and parameter.dir == "in":
        yield from wrong_counts(function, parameter)
    if kind == "COLOR":
        yield "-5", "-5", "MPI_ERR_ARG"


def cases(function):
    right = [valid(function, p) for p in function.params if p.c != "..."]
    for i, parameter in enumerate(function.params):
        for what, expression, error_class in wrong_values(function, parameter):
            arguments = ", ".join(right[:i] + [expression] + right[i + 1:])
            label = f"{function.name}: {parameter.name} is {what}".replace('"', "'")
            yield f'  f.expect("{label}", {error_class}, {function.name}({arguments}));'
    handle_type, constants, error_class = PREDEFINED.get(function.base, (None, [], None))
    for constant in constants:
        yield (f'  f.expect("{function.name} of {constant}", {error_class}, '
               f'{function.name}(f.hold<{handle_type}>({constant})));')
    if any(p.kind == "OPERATION" and p.dir == "in" for p in function.params) and any(
            p.name == "datatype" for p in function.params) and function.chapter != "rma":
        values = {"op": "MPI_BAND", "datatype": "MPI_DOUBLE"}
        arguments = ", ".join(values.get(p.name, r) for p, r in zip(function.params, right))
        yield (f'  f.expect("{function.name}: MPI_BAND of doubles", MPI_ERR_OP, '
               f'{function.name}({arguments}));')
    if function.base in INTERCOMM_ONLY:
        yield (f'  f.expect("{function.name} of an intracommunicator", MPI_ERR_COMM, '
               f'{function.name}({", ".join(right)}));')


HEAD = """\
// From the API table by tests/abi/wrong_calls.py. Do not edit.

#include <climits>

#include "tests/abi/wrong_calls.h"

namespace heddle::testing {
namespace {

void nothing() {}
"""


def main():
    values = {c.name for f in calls.read_all() for c in f.calls if c.returns}
    implemented = calls.implemented() - LEFT_OUT
    # The tools interface has errors of its own: tests/tool.
    functions = [f for f in api.functions()
                 if f.name in implemented and f.base not in values and f.chapter != "tools"]
    text, bodies, total = HEAD, [], 0
    for chapter in api.chapters():
        lines = [line for f in functions if f.chapter == chapter for line in cases(f)]
        if lines:
            total += len(lines)
            bodies.append(f"wrong_{chapter}")
            text += f"\nvoid wrong_{chapter}(Fixtures& f) {{\n" + "\n".join(lines) + "\n}\n"
    text += "\n}  // namespace\n\nvoid make_wrong_calls(Fixtures& f) {\n"
    text += "".join(f"  {name}(f);\n" for name in bodies)
    text += "}\n\n}  // namespace heddle::testing\n"
    pathlib.Path(sys.argv[1]).write_text(text)
    print(f"{total} wrong calls of {len(functions)} functions")


if __name__ == "__main__":
    main()
