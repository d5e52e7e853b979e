#include "bindings/sandbox/parameter_use.h"

#include "bindings/lua/versions.h"

namespace laurel {

namespace {

// The functions of jit.util, and the opcodes that the analysis needs. The functions are null if Lua
// does not have them, or if they do not work as expected.
struct Bytecode {
  lua_CFunction info = nullptr;
  lua_CFunction instruction = nullptr;
  lua_CFunction constant = nullptr;
  std::uint32_t get_field = 0;    // slot, table's slot, name
  std::uint32_t return_none = 0;  // has an operand, but reads no slot
  std::uint32_t return_one = 0;   // reads only its first slot
};

// The kind of an operand, in LuaJIT's order; the kinds up to `last` that have no name are not
// slots.
enum class Kind : std::uint32_t { none, written, from_here, read, from_here_on, last = 14 };

struct Instruction {
  std::uint32_t code = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;  // has twice the bits if b is absent
  Kind a_is = Kind::none;
  Kind b_is = Kind::none;
  Kind c_is = Kind::none;
};

struct Info {
  bool is_lua = false;
  bool takes_any = false;  // `...`
  bool holds_functions = false;
  int parameters = 0;
  int instructions = 0;
};

Info info_of(lua_State* L, const Bytecode& bytecode, int index) {
  Info info;
  if (lua_iscfunction(L, index) != 0) return info;
  lua_pushcfunction(L, bytecode.info);
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  const auto number = [L](const char* name) {
    lua_getfield(L, -1, name);
    const auto value = static_cast<int>(lua_tointeger(L, -1));
    lua_pop(L, 1);
    return value;
  };
  // An absent field counts as true.
  const auto truth = [L](const char* name) {
    lua_getfield(L, -1, name);
    const bool value = lua_isnil(L, -1) || lua_toboolean(L, -1) != 0;
    lua_pop(L, 1);
    return value;
  };
  info.parameters = number("params");
  info.instructions = number("bytecodes");
  info.takes_any = truth("isvararg");
  info.holds_functions = truth("children");
  info.is_lua = info.instructions > 0;
  lua_pop(L, 1);
  return info;
}

Instruction instruction_of(lua_State* L, const Bytecode& bytecode, int index, int place) {
  lua_pushcfunction(L, bytecode.instruction);
  lua_pushvalue(L, index);
  lua_pushinteger(L, place);
  lua_call(L, 2, 2);
  const auto word = static_cast<std::uint32_t>(lua_tointeger(L, -2));
  const auto mode = static_cast<std::uint32_t>(lua_tointeger(L, -1));
  lua_pop(L, 2);
  Instruction instruction{.code = word & 0xFF,
                          .a = word >> 8 & 0xFF,
                          .b = word >> 24,
                          .c = word >> 16,
                          .a_is = static_cast<Kind>(mode & 7),
                          .b_is = static_cast<Kind>(mode >> 3 & 15),
                          .c_is = static_cast<Kind>(mode >> 7 & 15)};
  if (instruction.b_is != Kind::none) instruction.c &= 0xFF;
  return instruction;
}

bool mentions(std::uint32_t slot, std::uint32_t operand, Kind kind) {
  switch (kind) {
    case Kind::written:
    case Kind::read: return operand == slot;
    case Kind::from_here:
    case Kind::from_here_on: return operand <= slot;
    default: return kind > Kind::last;
  }
}

// Returns the bit of the name that equals an instruction's constant, or 0 if none does.
std::uint32_t bit_of(lua_State* L, const Bytecode& bytecode, int index, std::uint32_t constant,
                     std::span<const std::string_view> names) {
  lua_pushcfunction(L, bytecode.constant);
  lua_pushvalue(L, index);
  lua_pushinteger(L, -static_cast<lua_Integer>(constant) - 1);
  lua_call(L, 2, 1);
  std::size_t size = 0;
  const char* const bytes = lua_tolstring(L, -1, &size);
  std::uint32_t bit = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == std::string_view(bytes, size)) bit = std::uint32_t{1} << i;
  }
  lua_pop(L, 1);
  return bit;
}

ParameterUse parameter_use_in(lua_State* L, const Bytecode& bytecode, int index, int parameter,
                              std::span<const std::string_view> names) {
  const ParameterUse any;
  ParameterUse use{.reads = false, .does_more = false};
  const Info info = info_of(L, bytecode, index);
  if (!info.is_lua || info.takes_any) return any;
  if (parameter >= info.parameters) return use;
  if (info.holds_functions || info.instructions > kReadInstructionsMax) return any;
  const auto slot = static_cast<std::uint32_t>(parameter);
  for (int place = 1; place < info.instructions; ++place) {  // 0 is the function's header
    Instruction is = instruction_of(L, bytecode, index, place);
    if (is.code == bytecode.return_none) continue;
    if (is.code == bytecode.return_one) is.a_is = Kind::read;
    if (is.code == bytecode.get_field && is.b == slot) {
      use.reads = true;
      use.fields |= bit_of(L, bytecode, index, is.c, names);
      is.b_is = Kind::none;
    }
    if (mentions(slot, is.a, is.a_is) || mentions(slot, is.b, is.b_is) ||
        mentions(slot, is.c, is.c_is)) {
      return any;
    }
  }
  return use;
}

// ---- finding the functions of jit.util, and testing them

constexpr std::string_view kKnownName[] = {"x"};
// Test functions whose use of their first parameter is known.
constexpr const char* kReads[] = {
    "return function(a) return a.x end",
    "return function(a, b) local c = b.x if a.x then b = 2 end return b, c.x(b, 3 .. c) end",
};
constexpr const char* kDoesNothing[] = {
    "return function(a) end",
    "return function(a, b) for i = 1, b do b = { x = i, b } end return b end",
};
constexpr const char* kDoesMore[] = {
    "return function(a) return a end",
    "return function(a) return 1, a end",
    "return function(a) return a == 1 end",
    "return function(a) b = a end",
    "return function(a) b.x = a end",
    "return function(a) return b[a] end",
    "return function(a) a.x = 1 end",
    "return function(a) a = b.x return a.x end",
    "return function(a) a = nil end",
    "return function(a) b(a) end",
    "return function(a) return b(a) end",
    "return function(a) return { a } end",
    "return function(a) return 1 .. a end",
    "return function(a) return function() return a end end",
    "return function(a, ...) return a.x end",
};

void push_known(lua_State* L, const char* text) {
  if (luaL_loadstring(L, text) != 0) lua_error(L);
  lua_call(L, 0, 1);
}

ParameterUse use_of_known(lua_State* L, const Bytecode& bytecode, const char* text) {
  push_known(L, text);
  const ParameterUse use = parameter_use_in(L, bytecode, lua_gettop(L), 0, kKnownName);
  lua_pop(L, 1);
  return use;
}

bool is_right(lua_State* L, const Bytecode& bytecode) {
  for (const char* text : kReads) {
    const ParameterUse use = use_of_known(L, bytecode, text);
    if (!use.only_reads() || use.fields != 1) return false;
  }
  for (const char* text : kDoesNothing) {
    if (!use_of_known(L, bytecode, text).none()) return false;
  }
  for (const char* text : kDoesMore) {
    if (use_of_known(L, bytecode, text).only_reads()) return false;
  }
  return true;
}

lua_CFunction word_of(lua_State* L, int table, const char* name) {
  lua_getfield(L, table, name);
  const lua_CFunction word = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  return word;
}

// Takes a pointer to a Bytecode; writes it only if all test functions gave the right results.
int find_bytecode(lua_State* L) {
  auto& found = *static_cast<Bytecode*>(lua_touserdata(L, 1));
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_getfield(L, -1, "jit.util");
  lua_pushliteral(L, "jit.util");
  lua_call(L, 1, 1);
  const int words = lua_gettop(L);
  Bytecode bytecode;
  bytecode.info = word_of(L, words, "funcinfo");
  bytecode.instruction = word_of(L, words, "funcbc");
  bytecode.constant = word_of(L, words, "funck");
  if (bytecode.info == nullptr || bytecode.instruction == nullptr || bytecode.constant == nullptr) {
    return 0;
  }
  push_known(L, "return function(a) return a.x end");
  bytecode.get_field = instruction_of(L, bytecode, lua_gettop(L), 1).code;
  bytecode.return_one = instruction_of(L, bytecode, lua_gettop(L), 2).code;
  push_known(L, "return function() end");
  bytecode.return_none = instruction_of(L, bytecode, lua_gettop(L), 1).code;
  if (is_right(L, bytecode)) found = bytecode;
  return 0;
}

const Bytecode& bytecode_of_process() {
  static const Bytecode bytecode = [] {
    Bytecode found;
    if (lua_State* const L = luaL_newstate()) {
      call_protected(L, find_bytecode, &found);  // after an error `found` is empty
      lua_close(L);
    }
    return found;
  }();
  return bytecode;
}

}  // namespace

ParameterUse use_of_parameter(lua_State* L, int index, int parameter,
                              std::span<const std::string_view> names) {
  const Bytecode& bytecode = bytecode_of_process();
  if (bytecode.info == nullptr) return {};
  return parameter_use_in(L, bytecode, index, parameter, names);
}

}  // namespace laurel
