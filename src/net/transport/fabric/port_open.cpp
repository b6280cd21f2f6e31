// What a port opens at its start: the objects of libfabric, and the buffers for what comes.

#include <algorithm>
#include <utility>

#include "net/transport/fabric/port.h"

namespace heddle::transport {

namespace {

constexpr std::size_t kManyBuffers = 4, kSingleBuffers = 64;

}  // namespace

Error Port::open(const Provider& provider, Losses& losses, const WireEnd& end, int window,
                 std::unique_ptr<Port>* opened) {
  std::unique_ptr<Port> made(new Port(provider, losses, end, window));
  if (Error e = made->open_objects()) return e;
  if (Error e = made->post_buffers()) return e;
  *opened = std::move(made);
  return {};
}

template <class Object, class Open>
Error Port::make(const char* what, Fid<Object>* made, Open open) {
  Object* object = nullptr;
  if (const int code = open(&object); code != 0) return provider_.failed(what, code);
  made->reset(object);
  return {};
}

Error Port::open_objects() {
  fi_info* const info = provider_.info.get();
  if (Error e = make("fi_domain", &domain_, [&](fid_domain** made) {
        return fi_domain(provider_.fabric.get(), info, made, nullptr);
      })) {
    return e;
  }
  slots_ = std::make_unique<SendSlots>(*provider_.library, *domain_, *info,
                                       wire_bytes(end_.packet_bytes));
  reads_ = std::make_unique<Reads>(*domain_, *info);
  fi_av_attr addresses = {};
  addresses.type = FI_AV_TABLE;
  addresses.count = peers_.size();
  if (Error e = make("fi_av_open", &addresses_, [&](fid_av** made) {
        return fi_av_open(domain_.get(), &addresses, made, nullptr);
      })) {
    return e;
  }
  if (Error e = open_queue()) return e;
  if (Error e = make("fi_endpoint", &endpoint_, [&](fid_ep** made) {
        return fi_endpoint(domain_.get(), info, made, nullptr);
      })) {
    return e;
  }
  if (int code = fi_ep_bind(endpoint_.get(), &queue_->fid, FI_TRANSMIT | FI_RECV); code != 0) {
    return provider_.failed("fi_ep_bind", code);
  }
  if (int code = fi_ep_bind(endpoint_.get(), &addresses_->fid, 0); code != 0) {
    return provider_.failed("fi_ep_bind", code);
  }
  if (provider_.multi_receive) {
    std::size_t least = wire_bytes(end_.packet_bytes);
    const int code =
        fi_setopt(&endpoint_->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof least);
    if (code != 0) return provider_.failed("FI_OPT_MIN_MULTI_RECV", code);
  }
  if (int code = fi_enable(endpoint_.get()); code != 0) return provider_.failed("fi_enable", code);
  return {};
}

// Opens the queue, with a descriptor if the provider has them.
Error Port::open_queue() {
  fi_cq_attr queue = {};
  queue.format = FI_CQ_FORMAT_DATA;
  queue.wait_obj = FI_WAIT_FD;
  const auto open = [&](fid_cq** made) { return fi_cq_open(domain_.get(), &queue, made, nullptr); };
  if (Error e = make("fi_cq_open", &queue_, open); !e) {
    if (fi_control(&queue_->fid, FI_GETWAIT, &descriptor_) != 0) descriptor_ = -1;
    return {};
  } else {
    e.ignore();
  }
  queue.wait_obj = FI_WAIT_NONE;
  return make("fi_cq_open", &queue_, open);
}

Error Port::post_buffers() {
  const bool many = provider_.multi_receive;
  const std::size_t bytes = many ? Buffer::kManyBytes : wire_bytes(end_.packet_bytes);
  for (std::size_t i = 0; i < (many ? kManyBuffers : kSingleBuffers); ++i) {
    auto buffer = std::make_unique<Buffer>();
    if (Error e = Registered::make(*provider_.library, *domain_, *provider_.info, bytes,
                                   &buffer->memory)) {
      return e;
    }
    idle_.push_back(buffer.get());
    buffers_.push_back(std::move(buffer));
  }
  post_idle_buffers();
  return idle_.size() < buffers_.size() ? Error()
                                        : Error::make(kErrorOther, "libfabric takes no buffers");
}

}  // namespace heddle::transport
