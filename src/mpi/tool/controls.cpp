#include "mpi/tool/controls.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "mpi/tool/enums.h"
#include "mpi/tool/out.h"
#include "mpi/tool/state.h"

namespace heddle::tool {

namespace {

constexpr int kControls = static_cast<int>(
    std::count_if(settings::kTable.begin(), settings::kTable.end(),
                  [](const settings::Setting& setting) { return setting.of_library; }));

constexpr std::array<settings::Id, kControls> ids_of_controls() {
  std::array<settings::Id, kControls> ids{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < settings::kTable.size(); ++i) {
    if (settings::kTable[i].of_library) ids[found++] = static_cast<settings::Id>(i);
  }
  return ids;
}
constexpr std::array<settings::Id, kControls> kIds = ids_of_controls();

int verbosity_for(settings::Audience audience) noexcept {
  switch (audience) {
    case settings::Audience::kUser:
      return MPI_T_VERBOSITY_USER_BASIC;
    case settings::Audience::kTuner:
      return MPI_T_VERBOSITY_TUNER_BASIC;
    case settings::Audience::kDeveloper:
      break;
  }
  return MPI_T_VERBOSITY_MPIDEV_BASIC;
}

// Gives the setting that the handle stands for. Fails if it is no handle.
Error find(MPI_T_cvar_handle handle, settings::Id* id) {
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  const auto found = state.controls.find(key_of(handle));
  if (found == state.controls.end()) return bad_handle("handle", handle, "a control variable");
  *id = found->second;
  return {};
}

Error check_control(int index) {
  return check_index("cvar_index", index, kControls, "control variables");
}

}  // namespace

int control_count() noexcept {
  return kControls;
}

settings::Id control(int index) noexcept {
  return kIds[static_cast<std::size_t>(index)];
}

Error cvar_get_num(int* num_cvar) {
  *num_cvar = kControls;
  return {};
}

Error cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity,
                    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                    int* bind, int* scope) {
  if (Error e = check_control(cvar_index)) return e;
  const settings::Id id = control(cvar_index);
  const settings::Setting& setting = settings::setting_of(id);
  const bool is_choice =
      setting.type == settings::Type::kChoice;  // of a file: whether there is one
  const bool has_unit = *setting.unit != '\0';
  give_string(setting.name, name, name_len);
  give(verbosity, verbosity_for(setting.audience));
  give(datatype, is_choice ? MPI_INT : MPI_COUNT);
  give(enumtype, enum_of(id));
  give_string(has_unit ? std::string(setting.text) + " In " + setting.unit + "." : setting.text,
              desc, desc_len);
  give(bind, MPI_T_BIND_NO_OBJECT);
  give(scope, MPI_T_SCOPE_CONSTANT);
  return {};
}

Error cvar_get_index(const char* name, int* cvar_index) {
  for (int i = 0; i < kControls; ++i) {
    if (std::strcmp(settings::setting_of(control(i)).name, name) != 0) continue;
    *cvar_index = i;
    return {};
  }
  return no_such_name("control variables", name);
}

Error cvar_handle_alloc(int cvar_index, MPI_T_cvar_handle* handle, int* count) {
  if (Error e = check_control(cvar_index)) return e;
  const Key key = new_key();
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  state.controls.emplace(key, control(cvar_index));
  *handle = reinterpret_cast<MPI_T_cvar_handle>(key);
  *count = 1;
  return {};
}

Error cvar_handle_free(MPI_T_cvar_handle* handle) {
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  if (state.controls.erase(key_of(*handle)) == 0) {
    return bad_handle("handle", *handle, "a control variable");
  }
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return {};
}

Error cvar_read(MPI_T_cvar_handle handle, void* buf) {
  settings::Id id{};
  if (Error e = find(handle, &id)) return e;
  const std::int64_t value = settings::value(id);
  if (settings::setting_of(id).type != settings::Type::kChoice) {
    *static_cast<MPI_Count*>(buf) = value;
  } else {
    *static_cast<int*>(buf) = static_cast<int>(value);
  }
  return {};
}

Error cvar_write(MPI_T_cvar_handle handle) {
  settings::Id id{};
  if (Error e = find(handle, &id)) return e;
  return Error::make(MPI_T_ERR_CVAR_SET_NEVER,
                     "%s is fixed when the library is loaded; set the environment variable before "
                     "the job starts",
                     settings::setting_of(id).name);
}

}  // namespace heddle::tool
