#include "mpi/tool/enums.h"

#include <cstdint>

#include "mpi/tool/out.h"

namespace heddle::tool {

namespace {

// An MPI_T_enum is the setting's number and this, so that it is not null.
constexpr std::uintptr_t kFirst = 0x100;

// nullptr if `enumtype` is no MPI_T_enum.
const settings::Setting* setting_of(MPI_T_enum enumtype) noexcept {
  const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(enumtype) - kFirst;
  if (number >= settings::kTable.size()) return nullptr;
  const settings::Setting& setting = settings::kTable[number];
  return setting.type == settings::Type::kChoice ? &setting : nullptr;
}

}  // namespace

MPI_T_enum enum_of(settings::Id id) noexcept {
  if (settings::setting_of(id).type != settings::Type::kChoice) return MPI_T_ENUM_NULL;
  return reinterpret_cast<MPI_T_enum>(kFirst + static_cast<std::uintptr_t>(id));
}

Error enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  const settings::Setting* setting = setting_of(enumtype);
  if (setting == nullptr) return bad_handle("enumtype", enumtype, "an enumeration");
  give(num, setting->choice_count());
  give_string(setting->name, name, name_len);
  return {};
}

Error enum_get_item(MPI_T_enum enumtype, int index, int* value, char* name, int* name_len) {
  const settings::Setting* setting = setting_of(enumtype);
  if (setting == nullptr) return bad_handle("enumtype", enumtype, "an enumeration");
  if (Error e = check_index("index", index, setting->choice_count(), setting->name)) return e;
  *value = index;
  give_string(setting->choices[static_cast<std::size_t>(index)], name, name_len);
  return {};
}

}  // namespace heddle::tool
