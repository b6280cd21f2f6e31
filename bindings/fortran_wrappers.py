"""The C text of a Fortran procedure: mpi_x_ calls MPI_X, and pmpi_x_ calls PMPI_X.

Handles, counts and logicals are 4 bytes by reference in each Fortran interface; a status is C's MPI_Status, bit by bit.
So most arguments are only dereferenced. The rest is told in bindings/fortran/README.md.
"""

import re

HANDLES = {  # kind -> C type
    "COMMUNICATOR": "MPI_Comm", "DATATYPE": "MPI_Datatype", "ERRHANDLER": "MPI_Errhandler", "FILE": "MPI_File", "GROUP": "MPI_Group",
    "INFO": "MPI_Info", "MESSAGE": "MPI_Message", "OPERATION": "MPI_Op", "REQUEST": "MPI_Request", "SESSION": "MPI_Session",
    "WINDOW": "MPI_Win"}

# Arguments that have a sentinel, or another type in C: how the dummy becomes C's argument.
CONVERTED = {"BUFFER": ("void", "f_buffer({})"), "STATUS": ("int", "f_statuses({})"), "WEIGHT": ("int", "f_weights({})"),
             "LOGICAL_VOID": ("void", "{}"), "C_BUFFER": ("void", "{}"), "C_BUFFER2": ("void", "&(void*){{NULL}}")}

# Lengths that the table leaves open ("*").
OPEN_LENGTHS = {("alltoallw", "sendtypes"): "f_peers(c_comm)", ("alltoallw", "recvtypes"): "f_peers(c_comm)",
                ("neighbor_alltoallw", "sendtypes"): "f_neighbors(c_comm, 0)",
                ("neighbor_alltoallw", "recvtypes"): "f_neighbors(c_comm, 1)"}


def c_type(fortran_type):
    for words, c in (("COUNT_KIND", "MPI_Count"), ("ADDRESS_KIND", "MPI_Aint"), ("OFFSET_KIND", "MPI_Offset"),
                     ("DOUBLE", "double"), ("CHARACTER", "char")):
        if words in fortran_type:
            return c
    return "int"


def length_of(procedure, parameter):
    if parameter.length != "*":
        return f"*{parameter.length}"
    base = procedure.name.lower().removeprefix("mpi_").removesuffix("_init")
    for name in (base, base.removeprefix("i")):
        if (name, parameter.name) in OPEN_LENGTHS:
            return OPEN_LENGTHS[name, parameter.name]
    raise SystemExit(f"how long is {parameter.name} of {procedure.name}? Say so in OPEN_LENGTHS")


# With them MPI begins.
BEGINNINGS = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init"}

# They want the address of a buffer, and not what is in it.
ADDRESS_ONLY = {"MPI_Buffer_attach", "MPI_Comm_attach_buffer", "MPI_F_sync_reg", "MPI_Free_mem", "MPI_Get_address",
                "MPI_Session_attach_buffer", "MPI_Win_attach", "MPI_Win_create", "MPI_Win_detach"}

# For how many ranks a buffer has a block, where it is not one block. By operation, or what its name begins with.
BLOCKS = {"allgather": {"recvbuf": "PEERS"}, "alltoall": {"sendbuf": "PEERS", "recvbuf": "PEERS"}, "gather": {"recvbuf": "PEERS"},
          "scatter": {"sendbuf": "PEERS"}, "neighbor_allgather": {"recvbuf": "SOURCES"},
          "neighbor_alltoall": {"sendbuf": "DESTINATIONS", "recvbuf": "SOURCES"}, "reduce_scatter": {"sendbuf": "GROUP", "recvbuf": "OWN"}}


class Wrapper:
    """One function with `prefix` "" or "P"."""

    def __init__(self, procedure, prefix, function, types, suffix=""):
        self.procedure, self.prefix, self.function = procedure, prefix, function
        self.types = types              # name -> Fortran type
        self.suffix = suffix            # of its name: "_c_f08" of the large size
        self.dummies = {}               # name -> C declaration
        self.lengths_of_strings = []    # gfortran and flang pass them behind all others
        self.before, self.after, self.actual = [], [], []
        self.handles = []               # (C type, name, direction) of single ones
        self.sections = []              # names of buffers that may be array sections
        self.checks = []                # of these, if they are sections
        self.has_descriptors = suffix.endswith("ts")
        request = function.param("request")
        self.returns_request = request is not None and request.dir == "out"
        for parameter in function.params:
            self.add(parameter)

    def add(self, p):
        if p.name not in self.types:    # argc and argv
            return self.actual.append("0" if p.type == "int" else "NULL")
        if p.kind == "STRING":
            return self.add_string(p)
        if p.kind in HANDLES:
            return self.add_handles(p) if p.is_array else self.add_handle(p)
        if p.kind == "INDEX" and p.dir == "out" and p.name in ("index", "array_of_indices") \
                and "request" in " ".join(self.types):
            return self.add_index(p)
        if p.kind in ("FUNCTION", "POLYFUNCTION"):
            # The handle of an operation's or error handler's arguments comes by reference, and its low half is
            # Fortran's INTEGER, so the Fortran procedure can be C's callback.
            self.dummies[p.name] = f"void (*{p.name})(void)"
            return self.actual.append(f"(void*){p.name}")
        if p.kind == "C_BUFFER2" and self.suffix:   # mpi_f08 alone gets the address
            self.dummies[p.name] = f"void** {p.name}"
            return self.actual.append(p.name)
        if p.kind == "BUFFER" and self.has_descriptors:
            return self.add_descriptor(p)
        if p.kind in CONVERTED:
            c, text = CONVERTED[p.kind]
            self.dummies[p.name] = f"{c}* {p.name}"
            return self.actual.append(text.format(p.name))
        self.dummies[p.name] = f"{c_type(self.types[p.name])}* {p.name}"
        if "(*)" in p.type:             # ranges
            return self.actual.append(f"(int(*)[3]){p.name}")
        return self.actual.append(f"*{p.name}" if p.dir == "in" and not p.is_array else p.name)

    def add_descriptor(self, p):
        """A choice buffer of mpi_f08 (section.h)."""
        n, base = p.name, self.procedure.name
        self.dummies[n] = f"F_Descriptor* {n}"
        is_pending = "ASYNCHRONOUS" in self.procedure.f08[n]
        if base in ADDRESS_ONLY:
            return self.actual.append(f"f_buffer({n}->base)")
        # A call on a window has moved its data when it returns. A split collective of files has not, and no request returns
        # its buffer.
        if is_pending and not self.returns_request and self.function.chapter != "rma":
            return self.actual.append(f'f_whole({n}, "{base}")')
        direction = "F_IN" if p.dir == "in" else "F_OUT"
        self.sections.append(n)
        self.before += [f"F_Section s_{n};", f"void* const c_{n} = f_open(&s_{n}, {n}, {direction});"]
        self.checks.append(f"if (s_{n}.copy != NULL && e == MPI_SUCCESS) e = heddle_check_section(&(struct heddle_section){{{self.reach(n)}}});")
        if "partitions" in self.types:
            self.before.append(f"f_divide(&s_{n}, c_datatype, *count);")
        self.actual.append(f"c_{n}")

    def reach(self, buffer):
        """What the call is asked to read or write of a buffer: the members of heddle_section (heddle/fortran.h)."""
        operation = re.sub(r"^mpi_i?(?=neighbor|all|bcast|exscan|gather|reduce|scan|scatter)|_init$", "", self.procedure.name.lower())
        part = re.sub("buf(fer)?$|addr$", "", buffer)     # send, recv, in, out, inout, origin_, result_

        def named(*names):
            return next((name for name in names if name in self.types), None)
        counts = named(f"{part}counts")
        count = None if counts else named(f"{part}count", f"{part}size", "count", "recvcount")
        is_one = not counts and not count and part.endswith("_")    # MPI_Fetch_and_op
        counts = counts if counts or count or is_one else "recvcounts"
        places = named({"send": "sdispls", "recv": "rdispls"}.get(part, ""), "displs") if counts else None
        types = named(f"{part}types")
        type_ = "MPI_BYTE" if count == f"{part}size" else None if types else f"c_{named(f'{part}type', f'{part}datatype', 'datatype')}"
        kinds = next((kinds for name, kinds in BLOCKS.items() if operation.startswith(name)), {})
        members = {"call": f'"{self.function.name}"', "buffer": f'"{buffer}"', "bytes": f"s_{buffer}.bytes"}
        if "comm" in self.types:
            members["comm"] = "c_comm"
        if buffer in kinds:
            blocks = f"HEDDLE_{kinds[buffer]}"
            members["blocks"] = f"c_sendbuf == MPI_IN_PLACE ? HEDDLE_GROUP : {blocks}" if kinds[buffer] == "OWN" else blocks
        if "root" in self.types:
            only_root = (operation[:6], buffer) in (("gather", "recvbuf"), ("scatte", "sendbuf"), ("reduce", "recvbuf"))
            members["where"] = "HEDDLE_OF_BROADCAST" if operation == "bcast" else "HEDDLE_AT_ROOT" if only_root else "HEDDLE_CONTRIBUTES"
            members["root"] = "*root"
        if is_one:
            members["count"] = "1"
        if count:
            members["count"] = f"(MPI_Count)*{count}" + (" * *partitions" if "partitions" in self.types else "")
        for member, wide, name in (("counts", "counts_are_wide", counts), ("displacements", "places_are_wide", places)):
            if name:
                members |= {member: name, wide: f"sizeof *{name} == sizeof(MPI_Count)"}
        members |= {"types": f"c_{types}"} if types else {"type": type_}
        return ", ".join(f".{member} = {text}" for member, text in members.items())

    def endings(self):
        """What is done after the call, besides converting its results."""
        if self.procedure.name in BEGINNINGS:
            return ["if (e == MPI_SUCCESS) f_describe();"]
        if self.sections and self.returns_request:
            second = f"&s_{self.sections[1]}" if self.sections[1:] else "NULL"
            return [f"f_follow(e, c_request, &s_{self.sections[0]}, {second});"]
        return [f"f_close(&s_{n});" for n in self.sections]

    def add_string(self, p):
        self.dummies[p.name] = f"char* {p.name}"
        self.lengths_of_strings.append(f"size_t {p.name}_length")
        self.actual.append(f"c_{p.name}")
        if p.dir == "in":
            function = "f_stripped" if self.procedure.name.startswith("MPI_Info") else "f_string"
            self.before.append(f"char* c_{p.name} = {function}({p.name}, {p.name}_length);")
            self.after.append(f"free(c_{p.name});")
        else:
            self.before.append(f"char c_{p.name}[MPI_MAX_LIBRARY_VERSION_STRING];")
            self.after.append(f"if (e == MPI_SUCCESS) f_pad({p.name}, {p.name}_length, c_{p.name});")

    def add_handle(self, p):
        self.dummies[p.name] = f"int* {p.name}"
        self.handles.append((HANDLES[p.kind], p.name, p.dir))
        # MPI_Request_get_status and MPI_Cancel differ: C's type says.
        self.actual.append(f"&c_{p.name}" if p.type.endswith("*") else f"c_{p.name}")
        if p.dir != "in":
            # A request is written back after an error, too: it may be done.
            guard = "" if p.dir == "inout" else "if (e == MPI_SUCCESS) "
            self.after.append(f"{guard}*{p.name} = F_INT(c_{p.name});")

    def add_handles(self, p):
        c = HANDLES[p.kind]
        n, count = p.name, f"n_{p.name}"
        self.dummies[n] = f"int* {n}"
        self.actual.append(f"c_{n}")
        self.before += [f"const long {count} = {length_of(self.procedure, p)};", f"{c} few_{n}[F_FEW];",
                        f"{c}* c_{n} = f_room(few_{n}, {count}, sizeof({c}));"]
        each = f"for (long i = 0; i < {count}; ++i)"
        self.before.append(f"{each} c_{n}[i] = " + ("NULL;" if p.dir == "out" else f"F_FROM({n}[i]);"))
        if p.dir != "in":
            guard = f"if (c_{n}[i] != NULL) " if p.dir == "out" else ""
            self.after.append(f"{each} {guard}{n}[i] = F_INT(c_{n}[i]);")
        self.after.append(f"if (c_{n} != few_{n}) free(c_{n});")

    def add_index(self, p):
        """Fortran counts requests from 1."""
        self.dummies[p.name] = f"int* {p.name}"
        if p.is_array:
            self.actual.append(p.name)
            self.after.append(f"for (int i = 0; f_has_indices(e) && i < *outcount; ++i) ++{p.name}[i];")
        else:
            self.before.append(f"int c_{p.name} = MPI_UNDEFINED;")
            self.actual.append(f"&c_{p.name}")
            self.after.append(f"*{p.name} = c_{p.name} == MPI_UNDEFINED ? MPI_UNDEFINED : c_{p.name} + 1;")

    def opened(self, conversion):
        """The handles as C has them."""
        return [f"{c} c_{n}{'' if way == 'out' else f' = {conversion}(*{n})'};" for c, n, way in self.handles]

    def quick(self, head, name, call):
        """The function for constant handles: it calls nothing but C's, so it has next to nothing to save. Null: not worth it."""
        given = [n for _, n, way in self.handles if way == "in"]
        if not given or self.before or any(way == "inout" for _, _, way in self.handles):
            return None
        arguments = [*self.types, *(text.split()[-1] for text in self.lengths_of_strings)]
        constant = " | ".join(f"(size_t)c_{n}" for n in given)
        rest = [f"if (!F_IS_CONSTANT({constant})) {{", f"  slow_{name}({', '.join(arguments)});", "  return;", "}"]
        return function(head, self.opened("F_CONSTANT") + rest + self.call(call))

    def call(self, call):
        made = [f"const int e = {call};"]
        if self.checks:
            made = ["int e = MPI_SUCCESS;", *self.checks, f"if (e == MPI_SUCCESS) e = {call};"]
        return made + self.endings() + self.after + ["f_return(ierror, e);"]

    def text(self):
        procedure = self.procedure
        call = f"{self.prefix}{self.function.name}({', '.join(self.actual)})"
        dummies = [self.dummies.get(name, f"int* {name}") for name in self.types] + self.lengths_of_strings
        weak = "" if self.prefix else "F_WEAK "     # a program's own mpi_send takes its place
        name = f"{self.prefix}{procedure.name}{self.suffix}_".lower()
        returns = c_type(procedure.returns) if procedure.returns else "void"
        arguments = f"({', '.join(dummies) or 'void'})"
        head = f"{weak}{returns} {name}{arguments}"
        if procedure.returns:
            return function(head, [f"return {call};"])
        if "ierror" not in self.types:
            return function(head, [f"{call};"])
        whole = self.opened("F_FROM") + self.before + self.call(call)
        quick = self.quick(head, name, call)
        if quick is None:
            return function(head, whole)
        return function(f"static F_SLOW void slow_{name}{arguments}", whole) + quick


def function(head, lines):
    return f"{head} {{\n  " + "\n  ".join(lines) + "\n}\n"


def alias(name, of):
    return f'extern __typeof__({of}_) {name}_ __attribute__((weak, alias("{of}_")));\n'


def twins_with_descriptors(procedure, prefix):
    """Those of mpi_f08 that are called with descriptors, with the standard's names."""
    texts = [Wrapper(procedure, prefix, procedure.function, procedure.f08, "_f08ts").text()]
    if procedure.large:
        texts.append(Wrapper(procedure, prefix, procedure.large, procedure.f08_c, "_c_f08ts").text())
    return texts


def twins(procedure, prefix):
    """The functions with `prefix`: of mpif.h, whose other names mpi and mpi_f08 use, and those of mpi_f08 alone."""
    name = (prefix + procedure.name).lower()
    types = {p["name"]: p["type"] for p in procedure.params}
    texts = [Wrapper(procedure, prefix, procedure.function, types).text()]
    if procedure.has_c_ptr:     # TYPE(C_PTR) and an integer of its size are the same by reference
        texts.append(alias(f"{name}_cptr", name))
    if procedure.has_descriptors:
        return texts
    if procedure.f08 is not None and any(p.kind == "C_BUFFER2" for p in procedure.function.params):
        texts.append(Wrapper(procedure, prefix, procedure.function, procedure.f08, "_f08").text())
    elif procedure.f08 is not None:
        texts.append(alias(f"{name}_f08", name))
    if procedure.large:
        texts.append(Wrapper(procedure, prefix, procedure.large, procedure.f08_c, "_c_f08").text())
    return texts


def files(procedure):
    """(name, text). What reads descriptors has a file of its own, which is compiled for each Fortran compiler."""
    name = procedure.name.lower()
    yield f"{name}.c", text(procedure, twins, "wrappers.h")
    if procedure.has_descriptors:
        yield f"{name}_f08ts.c", text(procedure, twins_with_descriptors, "section.h")


def text(procedure, twins, header):
    functions = "\n".join(t for prefix in ("", "P") for t in twins(procedure, prefix))
    return ("// From spec/fortran.json by bindings/fortran.py. Do not edit.\n\n"
            f'#include "bindings/fortran/{header}"\n\n{functions}')
