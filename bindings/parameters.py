"""How each kind of parameter is checked and what the expression sees of it."""
import itertools

import kinds
from kinds import HANDLES


def emit(shell, parameter):
    """Appends the parameter's checks and its local to the shell."""
    if parameter.c == "...":
        return
    handle = HANDLES.get(parameter.kind)
    scalar = not parameter.is_array
    given_later = (shell.function.base, parameter.name) in kinds.GIVEN_LATER
    if handle and scalar and parameter.dir == "in" and handle.lookup:
        _handle_in(shell, parameter, handle)
    elif handle and scalar and parameter.dir == "out" and not given_later:
        _handle_out(shell, parameter, handle)
    elif parameter.is_array:
        _array(shell, parameter)
    elif parameter.kind == "BUFFER":
        _buffer(shell, parameter)
    elif parameter.kind in ("RANK", "RANK_NNI") and parameter.dir == "in":
        _rank(shell, parameter)
    elif parameter.kind == "TAG" and parameter.dir == "in" and shell.comm:
        _tag(shell, parameter)
    elif parameter.c.count("*"):
        _pointer(shell, parameter)
    elif parameter.kind in kinds.COUNTS + kinds.LENGTHS:
        _count(shell, parameter)


def emit_missing(shell, parameter):
    """A parameter that only the large twin has: nothing comes in, what goes out is dropped."""
    if parameter.is_array:
        shell.statement(f"[[maybe_unused]] {parameter.type} const {parameter.name} = nullptr;")
    else:
        shell.statement(f"[[maybe_unused]] MPI_Count {parameter.name} = 0;")


def _handle_in(shell, parameter, handle):
    name, raw = parameter.name, shell.rename(parameter)
    shell.includes.add(handle.header)
    complaint = f'bad_handle("{name}", Kind::{handle.kind}, bits({raw}))'
    lookup = f"entry.comm({raw})" if parameter is shell.comm and not shell.opens_file else f"{handle.lookup}({raw})"
    nothing = _no_message(shell, parameter) if parameter.kind == "DATATYPE" else None
    if nothing:
        lookup = f"type_of_message({raw}, [&] {{ return {nothing}; }})"
    shell.statement(f"[[maybe_unused]] {handle.type}* const {name} = {lookup};")
    if name in ("peer_comm", "remote_group"):  # significant only at the leader, so its own function checks it
        return
    if parameter.kind == "INFO" or shell.function.base in kinds.NULL_HANDLE_ALLOWED:
        shell.check(f"{name} == nullptr && {raw} != {handle.null}", complaint)
        return
    shell.check_if_significant(parameter, f"{name} == nullptr", complaint)
    if parameter.kind == "DATATYPE" and shell.has_buffers:
        shell.check_if_significant(parameter, f"!{name}->committed()", f'uncommitted("{name}")')


def _no_message(shell, parameter):
    """The condition under which a message that has elements of this type is none; None if it always is one. In
    MPI_Sendrecv each of the types belongs to the peer that comes next."""
    params = shell.function.params
    place = params.index(parameter)
    following = itertools.takewhile(lambda p: p.kind != "DATATYPE", params[place + 1:])
    peers = [p.name for p in following if p.name in ("dest", "source")]
    count = params[place - 1]
    if not peers or count.kind not in kinds.COUNTS:
        return None
    return " && ".join([f"{count.name} == 0", *(f"{peer} == MPI_PROC_NULL" for peer in peers)])


def _handle_out(shell, parameter, handle):
    name, raw = parameter.name, shell.rename(parameter)
    shell.includes.add(handle.header)
    shell.check(f"{raw} == nullptr", f'null_pointer("{name}", MPI_ERR_ARG)')
    shell.statement(f"{handle.type}* {name} = nullptr;")
    shell.results.append(f"  *{raw} = handle_of({name}, {handle.null});")


def _array(shell, parameter):
    name = parameter.name
    raw = name
    # MPI_Neighbor_alltoallw has wide displacements in both of its forms.
    counts = parameter.varies or shell.among_neighbors and parameter.kind == "DISPLACEMENT"
    if counts:
        raw = shell.rename(parameter)
    if parameter.kind not in kinds.MAY_BE_NULL and parameter.kind not in (
            "STRING_ARRAY", "STRING_2DARRAY"):
        error_class = kinds.error_class_of_pointer(shell.function, parameter)
        length = _length_of(shell, parameter)
        condition = f"{raw} == nullptr" + (f" && {length} > 0" if length else "")
        shell.check_if_significant(parameter, condition, f'null_pointer("{name}", {error_class})')
    if counts:
        shell.includes.add("mpi/object/count_array.h")
        shell.statement(f"const object::CountArray {name}{{{raw}}};")
        _elements(shell, parameter)


def _length_of(shell, parameter):
    unstated = kinds.UNSTATED_LENGTHS.get((shell.function.base, parameter.name))
    if unstated or shell.among_neighbors:
        return unstated or _pieces_of(shell, parameter)
    length = parameter.length[0] if isinstance(parameter.length, list) else parameter.length
    if parameter.name == "array_of_indices":  # as long as *outcount says, so at most this
        length = "incount"
    counted = shell.function.param(length) if length else None
    return shell.raw[length] if counted and not counted.is_array and "*" not in counted.c else None


def _pieces_of(shell, parameter):
    """How many pieces a collective's buffer or array describes; None where it has none."""
    if not shell.comm:
        return None
    comm = shell.comm.name
    if shell.among_neighbors:
        sent = parameter.name.startswith("send") or parameter.name == "sdispls"
        return f"topo_make::blocks_{'out' if sent else 'in'}(*{comm})"
    group = "size()" if shell.operation == "reduce_scatter" else "peers().size()"
    return f"{comm}->{group}"


def _elements(shell, parameter):
    """Counts in an array must not be negative."""
    name = parameter.name
    if parameter.kind not in ("XFER_NUM_ELEM_NNI", "DTYPE_NUM_ELEM_NNI"):
        return
    length = _length_of(shell, parameter) or _pieces_of(shell, parameter)
    if not length:
        return
    guard = shell.significance(parameter)
    prefix = f"const int i = {guard} ? first_negative({name}, {length}) : -1; " if guard else (
        f"const int i = first_negative({name}, {length}); ")
    shell.check(f"{prefix}i >= 0", f'negative_element("{name}", i, {name}[i])')


def _buffer(shell, parameter):
    if not shell.has_types:
        return
    name = parameter.name
    following = shell.function.params[shell.function.params.index(parameter) + 1:]
    count = next((p for p in following if p.kind in kinds.COUNTS and p.kind != "RMA_DISPLACEMENT_NNI"), None)
    type_ = next((p for p in following if p.kind == "DATATYPE"), None)
    # In MPI_Unpack the type after inbuf is none of its own: its room is given in bytes.
    if type_ is None or count is None or count.kind in ("NUM_BYTES_NNI", "DTYPE_PACK_SIZE"):
        return
    bad = _bad_pieces(shell, parameter, following, count, type_) if count.is_array else (
        f"bad_buffer({name}, {count.name}, {type_.name})")
    if shell.among_neighbors:  # without neighbours there is nothing to send or to receive
        bad = f"{_pieces_of(shell, parameter)} > 0 && {bad}"
    shell.deferred.append((parameter, bad, f'bad_buffer_at("{name}", {name})'))
    if not count.is_array:
        excess = (count, f"exceeds_memory({count.name}, {type_.name})",
                  f'too_many("{count.name}", {count.name}, *{type_.name})')
        if excess not in shell.deferred:
            shell.deferred.append(excess)


def _bad_pieces(shell, parameter, following, counts, type_):
    """The test of a buffer that is cut into one piece for each rank or neighbour."""
    name, ranks = parameter.name, _pieces_of(shell, parameter)
    displacements = next((p for p in following if p.is_array and "DISPLACEMENT" in p.kind), None)
    if displacements:
        return f"bad_pieces({name}, {counts.name}, {displacements.name}, {type_.name}, {ranks})"
    # MPI_Reduce_scatter: the pieces of all ranks go in, that of this rank comes out.
    amount = f"total({counts.name}, {ranks})"
    if parameter.dir == "out":
        amount = f"in_place ? {amount} : {counts.name}[{shell.comm.name}->rank()]"
    return f"special_address({name}) && bad_buffer({name}, {amount}, {type_.name})"


def _rank(shell, parameter):
    if not shell.comm:
        return
    name, comm = parameter.name, shell.comm.name
    if name == "root":
        shell.check(f"no_root(*{comm}, {name})", f'bad_root("{name}", {name})')
    elif name in ("rank", "local_leader"):
        shell.check(f"no_peer(*{comm}, {name})", f'bad_rank("{name}", {name}, kNothing)')
    elif name in ("dest", "source"):
        condition, also = f"no_peer(*{comm}, {name}) && {name} != MPI_PROC_NULL", "kProcNull"
        receives = name == "source" and (shell.function.param("recvtag")
                                         or shell.function.base in kinds.RECEIVE_TAG_CALLS)
        if receives:
            condition, also = condition + f" && {name} != MPI_ANY_SOURCE", "kProcNull | kAnySource"
        shell.check(condition, f'bad_rank("{name}", {name}, {also})')


def _tag(shell, parameter):
    name = parameter.name
    receives = name == "recvtag" or (name == "tag"
                                     and shell.function.base in kinds.RECEIVE_TAG_CALLS)
    if receives:
        shell.check(f"{name} < 0 && {name} != MPI_ANY_TAG", f'bad_tag("{name}", {name}, true)')
    else:
        shell.check(f"{name} < 0", f'bad_tag("{name}", {name}, false)')


def _count(shell, parameter):
    name = parameter.name
    if parameter.dir != "in":
        return
    raw = name
    if parameter.varies and parameter.type == "int":
        raw = shell.rename(parameter)
        shell.statement(f"[[maybe_unused]] const MPI_Count {name} = {raw};")
    # MPI_Type_vector's stride has the kind of a count. A window's size is checked where all members hear of it.
    if name == "stride" or parameter.kind == "WINDOW_SIZE":
        return
    if name == "target_count":
        shell.deferred.append((parameter, f"exceeds_memory({name}, target_datatype)",
                               f'too_many("{name}", {name}, *target_datatype)'))
    error_class = kinds.error_class_of_count(parameter)
    if shell.function.base in kinds.SIZES_AUTOMATIC_BUFFERS:
        shell.check(f"{raw} < 0 && buffer != MPI_BUFFER_AUTOMATIC",
                    f'negative("{name}", {raw}, {error_class})')
        return
    shell.check_if_significant(parameter, f"{raw} < 0",
                               f'negative("{name}", {raw}, {error_class})')


def _pointer(shell, parameter):
    """A scalar that goes out, a string, a status that comes in, a callback."""
    name, kind = parameter.name, parameter.kind
    is_count = kind in kinds.WIDENED and (parameter.varies or parameter.type == "MPI_Count *")
    if parameter.kind in ("FUNCTION", "FUNCTION_SMALL"):
        # Attribute callbacks may be the constants 0x0 and 0x1.
        needed = (shell.function.base in ("MPI_Op_create", "MPI_Grequest_start")
                  or "errhandler" in shell.function.base)
    elif kind == "STATUS":
        needed = parameter.dir != "out"
    elif (shell.function.base, name) in kinds.STRINGS_WITH_ROOM:
        needed = False
    elif kind == "ATTRIBUTE_VAL" or kind == "ATTRIBUTE_VAL_10":
        needed = parameter.dir == "out"
    else:
        needed = kind not in kinds.MAY_BE_NULL or kind == "ERROR_CODE"
    raw = shell.rename(parameter) if is_count and parameter.dir != "in" else name
    if needed:
        error_class = kinds.error_class_of_pointer(shell.function, parameter)
        shell.check(f"{raw} == nullptr", f'null_pointer("{name}", {error_class})')
    if kind in ("SESSION", "WINDOW", "FILE"):  # that is to be finalized, freed or closed
        shell.statement(f"{HANDLES[kind].lookup}(*{name});")
    if raw != name:
        start = f"*{raw}" if parameter.dir == "inout" else "0"
        shell.statement(f"MPI_Count {name} = {start};")
        value = f"narrow({name})" if parameter.type == "int *" else name
        shell.results.append(f"  *{raw} = {value};")
