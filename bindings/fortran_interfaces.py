"""The text of mpif.h and of the modules mpi and mpi_f08."""
import re

import api

KINDS = """\
INTEGER MPI_ADDRESS_KIND, MPI_COUNT_KIND, MPI_OFFSET_KIND
PARAMETER (MPI_ADDRESS_KIND=8, MPI_COUNT_KIND=8)
PARAMETER (MPI_OFFSET_KIND=8)
INTEGER MPI_INTEGER_KIND
PARAMETER (MPI_INTEGER_KIND=4)
LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
""".splitlines()

# Array sections as buffers: in mpi_f08 only.
SUBARRAYS = ["LOGICAL MPI_SUBARRAYS_SUPPORTED", "PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)"]
SUBARRAYS_F08 = ["logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true."]

# Variables whose addresses mean something: wrappers.h has the same block as a struct.
SENTINELS = """\
INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
INTEGER MPI_STATUS_IGNORE(8), MPI_STATUSES_IGNORE(8,1)
INTEGER MPI_ERRCODES_IGNORE(1), MPI_UNWEIGHTED(1)
INTEGER MPI_WEIGHTS_EMPTY(1)
CHARACTER*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)
COMMON /HEDDLE_MPI/ MPI_BOTTOM, MPI_IN_PLACE
COMMON /HEDDLE_MPI/ MPI_BUFFER_AUTOMATIC
COMMON /HEDDLE_MPI/ MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
COMMON /HEDDLE_MPI/ MPI_ERRCODES_IGNORE, MPI_UNWEIGHTED
COMMON /HEDDLE_MPI/ MPI_WEIGHTS_EMPTY
COMMON /HEDDLE_MPI/ MPI_ARGV_NULL, MPI_ARGVS_NULL
SAVE /HEDDLE_MPI/
""".splitlines()

HANDLES = [f"MPI_{name}" for name in ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request",
                                     "Session", "Win")]

# The same COMMON block, with mpi_f08's types.
SENTINELS_F08 = """\
integer :: MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)
integer :: MPI_ERRCODES_IGNORE(1), MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
character(1) :: MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)
common /heddle_mpi/ MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
common /heddle_mpi/ MPI_ERRCODES_IGNORE, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_ARGV_NULL, MPI_ARGVS_NULL
save /heddle_mpi/
""".splitlines()

# The standard's callbacks, which are procedures in Fortran.
PREDEFINED = [f"MPI_{kind}_{what}" for kind in ("COMM", "TYPE", "WIN")
              for what in ("NULL_COPY_FN", "DUP_FN", "NULL_DELETE_FN")] + [
    "MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN", "MPI_CONVERSION_FN_NULL"]

FUNCTIONS = [("DOUBLE PRECISION", "MPI_WTIME"), ("DOUBLE PRECISION", "MPI_WTICK"),
             ("INTEGER(KIND=MPI_ADDRESS_KIND)", "MPI_AINT_ADD"), ("INTEGER(KIND=MPI_ADDRESS_KIND)", "MPI_AINT_DIFF")]


def constants():
    """(name, value, Fortran type) of the integer constants and the predefined handles."""
    known = {}
    for group in api.constants():
        for name, value, *_ in group["values"]:
            if name == "MPI_DISPLACEMENT_CURRENT":
                yield name, value, "INTEGER(KIND=MPI_OFFSET_KIND)"
            if group.get("typed") or name.startswith("MPI_T_"):
                continue
            try:
                number = known[value] if value in known else int(value, 0)
            except ValueError:      # C's MPI_Fint pointers
                continue
            known[name] = number
            if name == "MPI_F_STATUS_SIZE":
                yield "MPI_STATUS_SIZE", number, "INTEGER"
            elif name.startswith("MPI_F_"):         # places in a status, counted from 0
                yield name.replace("_F_", "_"), number + 1, "INTEGER"
            elif name.startswith("MPI_MAX_"):       # lengths of strings, without C's null
                yield name, number - 1, "INTEGER"
            else:
                yield name, number, group.get("type") or "INTEGER"


def declarations():
    """One statement a line of at most 66 characters, so that fixed and free form can read them."""
    lines = KINDS + SUBARRAYS
    for name, value, type_ in constants():
        type_ = "INTEGER" if type_ in HANDLES else type_
        lines += [f"{type_} {name}", f"PARAMETER ({name}={value})"]
    return lines + SENTINELS


def mpif_h():
    """Columns 7 to 72, without continuation lines: right in fixed and in free form."""
    lines = ["! From spec/ by bindings/fortran.py. Do not edit."] + declarations()
    lines += [f"EXTERNAL {name}" for name in PREDEFINED]
    for type_, name in FUNCTIONS:
        for twin in (name, "P" + name):
            lines += [f"{type_} {twin}", f"EXTERNAL {twin}"]
    return "".join(f"      {line}\n" for line in lines)


def any_type_and_rank(name):
    """gfortran's and flang's words for it. With them, a scalar's address stands for any array's, and a section is copied."""
    return [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}", f"!DIR$ IGNORE_TKR (TKR) {name}"]


def dummy(parameter, c_ptr):
    name, type_ = parameter["name"], parameter["type"]
    if type_ == "<type>":
        return [*any_type_and_rank(name), f"type(*) :: {name}"]
    if c_ptr and name == "baseptr":
        return [f"type(heddle_c_ptr) :: {name}"]
    if type_ == "EXTERNAL":
        return [f"external :: {name}"]
    return [f"{type_} :: {name}{parameter['dims']}"]


def interface(procedure, prefix, c_ptr=False):
    name = prefix + procedure.name + ("_cptr" if c_ptr else "")
    word = "function" if procedure.returns else "subroutine"
    lines = [f"{word} {name}({', '.join(p['name'] for p in procedure.params)})", "import"]
    for parameter in procedure.params:
        lines += dummy(parameter, c_ptr)
    if procedure.returns:
        lines.append(f"{procedure.returns} :: {name}")
    return lines + [f"end {word}"]


def interfaces(procedure, prefix):
    if procedure.name == "MPI_Sizeof":      # of any rank and type: its length comes in a descriptor
        name = f"{prefix}MPI_Sizeof"
        return [f"interface {name}", f'subroutine {name}_any(x, size, ierror) bind(C, name="{name.lower()}_any_")',
                "type(*), dimension(..) :: x", "integer, intent(out) :: size, ierror", "end subroutine", "end interface"]
    if not procedure.has_c_ptr:
        return ["interface"] + interface(procedure, prefix) + ["end interface"]
    return [f"interface {prefix}{procedure.name}"] + interface(procedure, prefix) + \
        interface(procedure, prefix, c_ptr=True) + ["end interface"]


def wrapped(line, width=120):
    """A line of free form, continued."""
    out = []
    while len(line) > width:
        cut = line.rfind(",", 0, width) + 1
        out.append(line[:cut] + " &")
        line = "  " + line[cut:]
    return out + [line]


def module_mpi(procedures):
    # The types of mpi_f08, for programs that convert handles and statuses (MPI 5.0 §19.1.4).
    lines = ["! From spec/ by bindings/fortran.py. Do not edit.", "module mpi",
             f"use mpi_f08, only : {', '.join([*HANDLES, 'MPI_Status'])}, operator(==), operator(/=)",
             "use, intrinsic :: iso_c_binding, only : heddle_c_ptr => c_ptr", "implicit none",
             "private :: heddle_c_ptr"] + declarations()
    lines += [f"external :: {name}" for name in PREDEFINED]
    for procedure in procedures:
        for prefix in ("", "P"):
            lines += interfaces(procedure, prefix)
    lines.append("end module mpi")
    text = "\n".join(part for line in lines for part in wrapped(line))
    return text + "\n"


def constants_f08():
    for name, value, type_ in constants():
        if type_ in HANDLES:
            yield f"type({type_}), parameter :: {name} = {type_}({value})"
        else:
            yield f"{type_}, parameter :: {name} = {value}"


def types_f08():
    lines = []
    for handle in HANDLES:
        lines += [f"type, bind(C) :: {handle}", "integer :: MPI_VAL", "end type"]
    return lines + ["type, bind(C) :: MPI_Status", "integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR",
                    "integer, private :: internal(5)", "end type"]


def comparisons():
    """The operators == and /= of handles: their interfaces, and their procedures."""
    heads, bodies = [], []
    for operator, word in (("==", "equal"), ("/=", "differ")):
        names = [f"heddle_{word}_{handle[4:]}" for handle in HANDLES]
        heads += [f"interface operator({operator})", "module procedure " + ", ".join(names), "end interface"]
        heads.append("private :: " + ", ".join(names))
        for name, handle in zip(names, HANDLES):
            bodies += [f"elemental logical function {name}(a, b)", f"type({handle}), intent(in) :: a, b",
                       f"{name} = a%MPI_VAL {operator} b%MPI_VAL", "end function"]
    return heads, bodies


def body_f08(name, arguments, returns=None):
    """An interface body. A choice buffer comes with its descriptor (bindings/fortran/descriptor.h)."""
    word = "function" if returns else "subroutine"
    lines = [f"{word} {name}({', '.join(arguments)})", "import"]
    for argument, declaration in arguments.items():
        lines.append(declaration.replace("TYPE(C_PTR)", "type(heddle_c_ptr)"))
    return lines + ([f"{returns} :: {name}"] if returns else []) + [f"end {word}"]


def ambiguous(small, large):
    """Whether no call could tell the sizes apart: addresses, offsets and counts are of one kind."""
    def kinds(declarations):
        return [re.sub("MPI_(ADDRESS|OFFSET|COUNT)_KIND", "8", d.partition(" :: ")[0]) for d in declarations.values()]
    return kinds(small) == kinds(large)


def interfaces_f08(procedure, prefix):
    name = prefix + procedure.name
    if procedure.name == "MPI_Sizeof":
        return interfaces(procedure, prefix)
    ts = "ts" if procedure.has_descriptors else ""
    small = body_f08(f"{name}_f08{ts}", procedure.f08, procedure.returns)
    large = body_f08(f"{name}_c_f08{ts}", procedure.f08_c) if procedure.f08_c else []
    if any("PROCEDURE(" in declaration for declaration in (procedure.f08_c or {}).values()):
        return [f"interface {name}", *small, "end interface", f"interface {name}_c", *large, "end interface"]
    if large and ambiguous(procedure.f08, procedure.f08_c):
        large = []
    return [f"interface {name}", *small, *large, "end interface"]


def module_f08(procedures, callbacks):
    heads, bodies = comparisons()
    lines = ["! From spec/ by bindings/fortran.py. Do not edit.", "module mpi_f08",
             "use, intrinsic :: iso_c_binding, only : heddle_c_ptr => c_ptr", "implicit none", "private :: heddle_c_ptr",
             *KINDS, *SUBARRAYS_F08, *types_f08(), *constants_f08(), *SENTINELS_F08, *heads, "abstract interface"]
    for name, arguments in callbacks:
        lines += body_f08(name, arguments)
    lines.append("end interface")
    for name in PREDEFINED[:9]:
        _, kind, what = name.split("_", 2)
        word = "delete" if "DELETE" in what else "copy"
        lines.append(f"procedure(MPI_{kind.capitalize()}_{word}_attr_function) :: {name}")
    lines += [f"procedure(MPI_Datarep_conversion_function{suffix.lower()}) :: MPI_CONVERSION_FN_NULL{suffix}" for suffix in ("", "_C")]
    for procedure in procedures:
        for prefix in ("", "P") if procedure.f08 is not None else ():
            lines += interfaces_f08(procedure, prefix)
    lines += ["contains", *bodies, "end module mpi_f08"]
    return "\n".join(part for line in lines for part in wrapped(line)) + "\n"
