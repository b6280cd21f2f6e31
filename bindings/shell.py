"""One entry point: from a line of a calls file and the API table to the text of a C function.

The text is, in this order: is MPI running; communicators, so that their error handlers hear of what
follows; the other arguments as they stand; the expression; what it gave out.
"""
import re

import api
import kinds


class Shell:
    def __init__(self, function, call, large_function):
        self.function = function
        self.call = call
        self.includes = set()
        self.checks = []    # lines before the expression
        self.deferred = []  # (parameter, condition, complaint): need count and type to be known
        self.results = []   # lines after it, when it succeeded
        self.operation = kinds.operation_of(function)
        self.among_neighbors = "neighbor" in self.operation and function.chapter != "topologies"
        self.opens_file = function.base in kinds.BEFORE_FILES
        self.freed = next((p.name for p in function.params
                           if p.kind == "COMMUNICATOR" and p.dir == "inout"), None)
        self.raw = {p.name: p.name for p in function.params}  # names in the signature
        self.missing = [p for p in (large_function.params if large_function else [])
                        if p.name not in self.raw]  # of the large twin only
        self.comm = next((p for p in function.params
                          if p.kind == "COMMUNICATOR" and p.dir == "in"), None)
        self.has_buffers = any(p.kind == "BUFFER" for p in function.params)
        self.has_types = any(p.kind == "DATATYPE" for p in function.params)
        root = function.param("root")
        self.rooted = bool(root and self.comm and any(p.root_only or p.kind == "BUFFER"
                                                      for p in function.params))
        self.in_place = self._in_place_buffer()

    # ---- what the checks use -------------------------------------------------------------------

    def fails_if(self, condition, call):
        self.checks.append(f"  if ({condition}) [[unlikely]] return {call};")

    def check(self, condition, complaint):
        """`complaint`: a function of entry.h, which gets the entry first: that knows what hears of errors."""
        self.fails_if(condition, complaint.replace("(", "(entry, ", 1))

    def statement(self, text):
        self.checks.append(f"  {text}")

    def rename(self, parameter):
        """The expression's local has the parameter's name, so the signature gets another."""
        self.raw[parameter.name] = parameter.name + "_"
        return parameter.name + "_"

    def _in_place_buffer(self):
        if self.operation in kinds.IN_PLACE_EVERYWHERE:
            return "sendbuf"
        return kinds.IN_PLACE_AT_ROOT.get(self.operation)

    def _of_in_place(self, parameter):
        """True if MPI_IN_PLACE in the buffer makes this parameter meaningless."""
        side = self.in_place and self.in_place.removesuffix("buf")
        return bool(side) and (parameter.name.startswith(side)
                               or parameter.name == f"{side[0]}displs")

    def significance(self, parameter):
        """The C++ condition under which the parameter means something here; "" for always."""
        if parameter.name.startswith("origin_") and self.function.param("result_addr"):
            return "op_ != MPI_NO_OP"
        conditions = []
        if self.in_place and self._of_in_place(parameter):
            if parameter.name != self.in_place or parameter.kind == "BUFFER":
                conditions.append("!in_place")
        if self.rooted and parameter.name not in ("root", self.comm.name):
            has_root_side = any(p.root_only for p in self.function.params)
            if parameter.root_only:
                conditions.append("part.at_root")
            elif has_root_side and re.match("send|recv", parameter.name):
                conditions.append("part.contributes")
            else:
                conditions.append("root != MPI_PROC_NULL")
        return " && ".join(conditions)

    def check_if_significant(self, parameter, condition, complaint):
        guard = self.significance(parameter)
        if guard and " || " in condition:
            condition = f"({condition})"
        self.check(f"{guard} && {condition}" if guard else condition, complaint)

    # ---- rendering -----------------------------------------------------------------------------

    def signature(self, prefix):
        params = []
        for parameter in self.function.params:
            name = re.escape(parameter.name)
            params.append(re.sub(rf"\b{name}\b(?=(\[|$))", self.raw[parameter.name], parameter.c))
        return f"{self.function.returns} {prefix}{self.function.name}({', '.join(params) or 'void'})"

    def render(self):
        if self.call.returns:
            body = f"  return {self.call.expression};"
        elif self.function.chapter == "tools":
            body = self._tools_body()
        else:
            body = self._checked_body()
        if not self.call.communicates:
            body = f"  take_due_turn();\n{body}"
        definition = api.wrap(f"HEDDLE_EXPORT {self.signature('P')} {{")
        alias = api.wrap(f"HEDDLE_EXPORT {self.signature('')} __attribute__((weak, "
                         f'alias("P{self.function.name}")));')
        return f"{definition}\n{body}\n}}\n{alias}"

    def _checked_body(self):
        import parameters  # which needs Shell's methods only
        self._opening()
        self._listen_by_message()
        ordered = sorted(self.function.params,
                         key=lambda p: not (p.kind in ("COMMUNICATOR", "WINDOW", "FILE") and p.dir == "in") and p is not self.listener)
        root = self.function.param("root")
        if self.rooted:
            ordered.remove(root)
            ordered.insert(sum(p.kind == "COMMUNICATOR" for p in ordered[:2]), root)
        for parameter in ordered:
            parameters.emit(self, parameter)
            if parameter is self.listener:
                made = next(p for p in self.function.params if p.kind in ("COMMUNICATOR", "SESSION") and p.dir == "out")
                self.statement(f"entry.listen(*{parameter.name}, Kind::{kinds.HANDLES[made.kind].kind});")
            if self.rooted and parameter is root:
                self.statement(f"[[maybe_unused]] const Part part = part_of(*{self.comm.name}, root);")
            if parameter.name == (root.name if self.rooted else self.comm.name if self.comm else ""):
                self._in_place_local()
        for parameter, condition, complaint in self.deferred:
            self.check_if_significant(parameter, condition, complaint)
        self._reduction_check()
        for parameter in self.missing:
            parameters.emit_missing(self, parameter)
        if "large" in self.call.words():
            self.statement(f"constexpr bool large = {str(self.function.large).lower()};")
        return "\n".join([self._entry()] + self.checks + self._closing())

    # Of the arguments whose size a trace tells, the first pair that a call has.
    SIZES = (("count", "datatype"), ("origin_count", "origin_datatype"), ("sendcount", "sendtype"), ("recvcount", "datatype"), ("recvcount", "recvtype"))

    def _entry(self):
        """The Entry, and what it notes for a trace: the arguments as they came."""
        def scalar(name):
            found = self.function.param(name)
            return found is not None and found.dir == "in" and not re.search(r"[*\]]", found.c)
        noted = {}
        window = next((p for p in self.function.params if p.kind == "WINDOW" and p.dir == "in"), None)
        for field, part, names in (("dest", "kDest", ("dest",)), ("dest", "kTarget", ("target_rank", "rank") if window else ()), ("source", "kSource", ("source",)), ("source", "kRoot", ("root",)),
                                   ("tag", "kTag", ("tag", "sendtag"))):
            name = next((name for name in names if scalar(name)), None)
            if name:
                noted[part] = [(field, self.raw[name])]
        pair = next((pair for pair in self.SIZES if all(map(scalar, pair))), None)
        if pair:
            noted["kBytes"] = [("count", self.raw[pair[0]]), ("datatype", self.raw[pair[1]])]
        elif window and scalar("datatype"):
            noted["kBytes"] = [("count", "1"), ("datatype", self.raw["datatype"])]
        if self.comm and not self.comm.is_array:
            noted["kComm"] = [("comm", self.raw[self.comm.name])]
        if window:
            noted["kWindow"] = [("win", self.raw[window.name])]
        if not noted:
            return f'  Entry entry{{"{self.function.name}"}};'
        order = ["dest", "source", "tag", "count", "datatype", "comm", "win"]
        fields = sorted((pair for pairs in noted.values() for pair in pairs), key=lambda pair: order.index(pair[0]))
        parts = " | ".join(f"CallNote::{part}" for part in noted)
        values = "".join(f", .{field} = {value}" for field, value in fields)
        return (f'  Entry entry{{"{self.function.name}", [&] {{\n'
                f"    note_arguments({{.parts = {parts}{values}}});\n  }}}};")

    def _tools_body(self):
        """Without error handlers, and with the tools interface open instead of MPI running."""
        if self.call.needs_rank:
            self.fails_if("!entry.has_rank()", "entry.no_tools()")
        else:
            self.fails_if("!tools_are_open()", "tools_are_closed()")
        for parameter in self.function.params:
            condition = kinds.missing_for_tools(self.function, parameter)
            if condition:
                self.fails_if(condition, f'missing_for_tools("{parameter.name}")')
        return "\n".join([f'  Entry entry{{"{self.function.name}"}};'] + self.checks
                         + [f"  return tell({self.call.expression});"])

    def _opening(self):
        if not self.call.anytime:
            self.fails_if("!entry.running()", "entry.not_running()")
        elif self.call.needs_rank:
            self.fails_if("!entry.has_rank()", "entry.not_running()")
        if self.opens_file:
            self.statement("entry.listen_for_files();")

    def _listen_by_message(self):
        """A call that takes a message has its communicator, and so that one's error handler."""
        message = next((p for p in self.function.params
                        if p.kind == "MESSAGE" and p.dir == "inout"), None)
        if message:
            self.statement(f"entry.comm(p2p::comm_of({message.name}));")

    @property
    def listener(self):
        """The error handler of what a call makes: it is also told of the call's own errors (§7.4.2, §11.3.1)."""
        named = {"COMMUNICATOR", "SESSION", "WINDOW", "FILE"}
        if any(p.kind in named and p.dir == "in" for p in self.function.params):
            return None
        return next((p for p in self.function.params if p.kind == "ERRHANDLER" and p.dir == "in"), None)

    def _in_place_local(self):
        if not self.in_place:
            return
        buffer = self.in_place
        self.statement(f"const bool in_place = {buffer} == MPI_IN_PLACE;")
        if self.rooted:
            wrong = "in_place && part.contributes && !part.at_root"
        else:
            wrong = f"in_place && {self.comm.name}->is_inter()"
        self.check(wrong, f'bad_in_place("{buffer}")')

    def _reduction_check(self):
        operation, type_ = self.function.param("op"), self.function.param("datatype")
        if not operation or not type_ or self.function.chapter == "rma":
            return
        guard = self.significance(operation)
        test = "Error e = op->check(*datatype)"
        line = f"if ({test}) [[unlikely]] return fail(entry, std::move(e));"
        self.statement(f"if ({guard}) {{ {line} }}" if guard else line)

    def _closing(self):
        words = self.call.words()
        if "blamed" in words:
            return (["  object::Ref<comm::Comm> blamed;",
                     f"  Error error = {self.call.expression};",
                     "  if (error) [[unlikely]] return fail_on(blamed.get(), std::move(error));"]
                    + self.results + ["  return MPI_SUCCESS;"])
        if self.freed:
            return [f"  Error error = {self.call.expression};",
                    f"  if (error) [[unlikely]] return fail_on(*{self.freed}, std::move(error));",
                    "  return MPI_SUCCESS;"]
        if not self.results:
            return [f"  return finish(entry, {self.call.expression});"]
        return ([f"  if (Error e = {self.call.expression}) [[unlikely]] {{",
                 "    return fail(entry, std::move(e));", "  }"]
                + self.results + ["  return MPI_SUCCESS;"])
