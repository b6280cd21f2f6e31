#include "net/transport/fabric/provider.h"

#include <net/if.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace heddle::transport {

namespace {

constexpr auto kApi = FI_VERSION(1, 17);
constexpr const char* kUsersProvider = "FI_PROVIDER";

Error find(const Libfabric& library, const Provider::Wanted& wanted, std::uint64_t caps,
           Info* found) {
  const Info hints(library.copy_info(nullptr), {&library});
  if (hints == nullptr) return Error::make(kErrorNoMemory, "no memory for libfabric");
  hints->caps = caps;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  if (!wanted.name.empty()) hints->fabric_attr->prov_name = strdup(wanted.name.c_str());
  fi_info* all = nullptr;
  const char* const node = wanted.source.empty() ? nullptr : wanted.source.c_str();
  const int code =
      library.get_info(kApi, node, nullptr, node != nullptr ? FI_SOURCE : 0, hints.get(), &all);
  if (code != 0) {
    const char* const names = std::getenv(kUsersProvider);
    const std::string named =
        names != nullptr ? "; FI_PROVIDER is '" + std::string(names) +
                               "': unset it, or name one that fi_info lists on this machine"
                         : "";
    return Error::make(kErrorOther, "libfabric has no suitable provider%s%s at %s: %s%s",
                       wanted.name.empty() ? "" : " ", wanted.name.c_str(),
                       node != nullptr ? node : "any address", library.text_of(-code),
                       named.c_str());
  }
  *found = Info(all, {&library});
  return {};
}

bool is_layered(std::string_view name) {
  return name.find(';') != std::string_view::npos;
}

bool stays_on_node(std::string_view name) {
  return name == "shm" || name == "sm2" || name == "lnx";
}

bool is_suitable(std::string_view name, bool native_tcp) {
  for (const std::string_view no : {"net", "sockets", "net;ofi_rxm"}) {
    if (name == no) return false;
  }
  if (stays_on_node(name) || name.find("ofi_rxd") != std::string_view::npos) return false;
  return !native_tcp || name != "tcp;ofi_rxm";
}

std::string_view name_of(const fi_info& info) {
  return info.fabric_attr->prov_name;
}

// libfabric finds no other one then. A ^ in front names those that the user does not want.
bool user_names_one() {
  const char* const names = std::getenv(kUsersProvider);
  return names != nullptr && names[0] != '\0' && names[0] != '^';
}

// The one to take of those that were found; null if none is suitable.
const fi_info* choose(const fi_info* all, bool named) {
  if (named) return all;
  bool native_tcp = false;
  for (const fi_info* one = all; one != nullptr; one = one->next) {
    native_tcp |= name_of(*one) == "tcp" && !is_layered(name_of(*one));
  }
  for (const fi_info* one = all; one != nullptr; one = one->next) {
    if (is_suitable(name_of(*one), native_tcp)) return one;
  }
  return nullptr;
}

// Finds the provider with as much as there is of what is not necessary.
Error find_best(Provider* made, const Provider::Wanted& wanted, Info* all) {
  constexpr std::uint64_t kMany = FI_MULTI_RECV, kRead = FI_RMA | FI_READ | FI_REMOTE_READ;
  for (const std::uint64_t more : {kMany | kRead, kMany, kRead}) {
    if (!wanted.multi_receive && (more & kMany) != 0) continue;
    made->multi_receive = (more & kMany) != 0;
    made->remote_read = (more & FI_RMA) != 0;
    Error e = find(*made->library, wanted, FI_MSG | more, all);
    if (!e) return {};
    e.ignore();
  }
  made->multi_receive = made->remote_read = false;
  return find(*made->library, wanted, FI_MSG, all);
}

// libfabric takes each interface whose name begins so, and goes on without a word where there is
// none.
Error check_interface(std::string_view provider) {
  const char* const wanted = std::getenv("FI_TCP_IFACE");
  if (wanted == nullptr || !provider.starts_with("tcp")) return {};
  struct if_nameindex* const all = if_nameindex();
  if (all == nullptr) return {};
  std::string others;
  bool found = false;
  for (const struct if_nameindex* each = all; each->if_name != nullptr; ++each) {
    found = found || std::string_view(each->if_name).starts_with(wanted);
    others += (others.empty() ? "" : ", ") + std::string(each->if_name);
  }
  if_freenameindex(all);
  if (found) return {};
  return Error::make(kErrorOther,
                     "FI_TCP_IFACE is '%s', which is no network interface here; there are %s: name "
                     "one of them, or unset it",
                     wanted, others.c_str());
}

Error check_users_choice(std::string_view provider) {
  if (user_names_one() && stays_on_node(provider)) {
    return Error::make(
        kErrorOther,
        "FI_PROVIDER is '%s', but %.*s reaches no other machine; unset it, or set it "
        "to tcp or to what carries your network",
        std::getenv(kUsersProvider), static_cast<int>(provider.size()), provider.data());
  }
  return check_interface(provider);
}

}  // namespace

Error Provider::open(const Wanted& wanted, Provider* opened) {
  Provider made;
  if (Error e = Libfabric::load(&made.library)) return e;
  Info all;
  if (Error e = find_best(&made, wanted, &all)) return e;
  const fi_info* const chosen = choose(all.get(), !wanted.name.empty() || user_names_one());
  if (chosen == nullptr) {
    return Error::make(kErrorOther,
                       "libfabric has only providers that are slow or stay on this machine; "
                       "FI_PROVIDER names one all the same");
  }
  if (Error e = check_users_choice(name_of(*chosen))) return e;
  made.info = Info(made.library->copy_info(chosen), {made.library});
  fid_fabric* fabric = nullptr;
  const int code = made.library->open_fabric(made.info->fabric_attr, &fabric, nullptr);
  if (code != 0) return made.failed("fi_fabric", code);
  made.fabric.reset(fabric);
  *opened = std::move(made);
  return {};
}

Error Provider::failed(const char* what, long code) const {
  return Error::make(kErrorOther, "%s of libfabric's provider %s: %s", what, name().c_str(),
                     library->text_of(static_cast<int>(code < 0 ? -code : code)));
}

}  // namespace heddle::transport
