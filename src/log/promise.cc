#include "log/promise.h"

#include <openssl/rand.h>

#include "base/bytes.h"
#include "fit/mechanism.h"
#include "log/decisions_bytes.h"
#include "log/digest.h"
#include "log/format.h"
#include "request/settings.h"
#include "rivulet/domain.h"
#include "rivulet/error.h"
#include "rivulet/version.h"

namespace rivulet::log {
namespace {

constexpr std::string_view kPromiseMark = "rivulet promise 1";
constexpr std::string_view kModelMark = "rivulet insecure model 1";
constexpr std::size_t kModelBytes = 16;

std::string digest_of(std::initializer_list<std::string_view> fields) {
  ByteWriter writer;
  for (const std::string_view field : fields) writer.text(field);
  return Digest().add(kPromiseMark).add(writer.bytes()).finish();
}

std::string new_model(const std::optional<std::uint64_t>& insecure_seed) {
  if (insecure_seed) {
    ByteWriter seed;
    seed.u64(*insecure_seed);
    return Digest().add(kModelMark).add(seed.bytes()).finish().substr(0, kModelBytes);
  }
  std::string bytes(kModelBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) != 1) {
    throw Error("model: the system gave no random bytes");
  }
  return bytes;
}

std::string meta(Database& database, const char* key) {
  Statement select(database, "SELECT value FROM public_meta WHERE key = ?");
  select.bind_text(0, key);
  if (!select.next()) throw DamagedFile("model: '" + database.path() + "' is damaged: it has no " + key);
  return std::string(select.bytes(0));
}

}  // namespace

std::shared_ptr<const Promise> Promise::made(const StreamOptions& options, const fit::StreamPlan& plan) {
  const std::string request = request::stored_text(options);
  const std::string decided = decisions_bytes(plan.decisions());
  const std::string model = new_model(options.insecure_seed);
  return std::make_shared<Promise>(
      Promise{request, decided, kVersion, model, digest_of({request, decided, kVersion, model}), options, plan});
}

std::shared_ptr<const Promise> Promise::read(Database& database) {
  const std::string& path = database.path();
  const std::string request = meta(database, "request");
  const std::string decided = meta(database, "decisions");
  const std::string made_by = meta(database, "made_by");
  const std::string model = meta(database, "model");
  const std::string digest = stored_promise_digest(database);
  if (digest != digest_of({request, decided, made_by, model})) {
    throw DamagedFile("model: '" + path + "' is damaged: its promise does not fit its digest; it was left untouched");
  }
  try {
    const StreamOptions options = fit::completed(request::read_stored(request));
    const fit::StreamDecisions decisions = parse_decisions(decided, options, path);
    (void)Domain(options.only_if, options.schema);
    return std::make_shared<Promise>(
        Promise{request, decided, made_by, model, digest, options, fit::StreamPlan(options, decisions)});
  } catch (const RequestError& error) {
    throw DamagedFile("model: '" + path + "' is damaged: " + one_line(error.what()) + "; it was left untouched");
  }
}

std::uint32_t Promise::format_version() const {
  return options.erm || options.loss != "squared" ? kFormatVersion : kFirstFormat;
}

void Promise::write(Database& database) const {
  Statement insert(database, "INSERT INTO public_meta VALUES(?, ?)");
  const auto put = [&](std::string_view key, std::string_view value) {
    insert.bind_text(0, key).bind_bytes(1, value).run();
  };
  put("request", request);
  put("decisions", decided);
  put("made_by", made_by);
  put("model", model);
  put("promise", digest);
}

std::string stored_promise_digest(Database& database) {
  return meta(database, "promise");
}

}  // namespace rivulet::log
