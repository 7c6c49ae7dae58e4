// The one description of a request: every setting there is, with its form, its help and where it holds. Flags, the
// configuration file, the stored request of model files, Python's keywords, the reference in docs/cli.md and the shell
// completion are derived from it. A new setting is one row of the table in settings.cc, and its use.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "request/values.h"
#include "rivulet/stream_options.h"

namespace rivulet::request {

// Settings as they were asked for: an object of keys and values. What is not in it was not said.
using Settings = Json;

enum class Group { input, rows, promise, mechanism, losses, dimensions, durable, output };
std::string_view title(Group group);

// How a setting is written on a command line.
enum class Shape {
  text,     // --key VALUE
  names,    // --key A,B,C, may be repeated
  texts,    // --key VALUE, may be repeated
  columns,  // --flag NAME=VALUE, may be repeated: an object by column
  toggle,   // --key and --no-key
};

// Whose setting it is.
enum class Scope {
  schema,   // what the rows are
  request,  // the rest of what is asked of the library
  tool,     // of the command-line tool: where rows come from and releases go
};

// A set of mechanisms.
using Mechanisms = unsigned;
constexpr Mechanisms only(Mechanism mechanism) {
  return 1U << static_cast<unsigned>(mechanism);
}
inline constexpr Mechanisms kEveryMechanism = ~0U;

// How the stored request of a model file has it.
struct Stored {
  std::string_view path;                          // "key" or "object/key"; empty: it has not
  bool left_out_when_null = false;                // null stands there otherwise
  Json (*value)(const StreamOptions&) = nullptr;  // Setting::write unless given
};

struct Setting {
  std::string_view key;    // as a flag, in TOML and, with underscores, in Python
  std::string_view value;  // what stands for a value in help
  std::string_view help;
  Group group = Group::mechanism;
  Scope scope = Scope::request;
  Shape shape = Shape::text;
  Mechanisms holds_for = kEveryMechanism;
  // Checks a value and puts it into the request; of Scope::schema and Scope::tool it checks only.
  void (*read)(Given given, StreamOptions& request) = nullptr;
  // The value in a request; null when it says nothing of it. Of Scope::request.
  Json (*write)(const StreamOptions& request) = nullptr;
  Stored stored{};
  std::string_view flag{};     // where it is another word than the key
  std::string_view no_help{};  // of the --no- form of a toggle
};

// In the order of the stored request.
std::span<const Setting> settings();
// Null when there is none.
const Setting* find_setting(std::string_view key);

// What was said at one door, before anything is merged. Throws RequestError on a key that is none, with the nearest
// one, a value that is not accepted, or two settings of which one decides the other.
void require_readable(const Settings& given);

// Whatever `overrides` says wins; a list replaces a list. Bounds and levels are merged by column: saying one does away
// with the other, as bounds of the target and its classes do. Asking for a mechanism does away with what the base says
// of others, asking for a sketch with its asking for another mechanism, and a rule for tau with the base's tau.
Settings merge(Settings base, const Settings& overrides);

// --- columns.cc: what the rows are

// `dimension` written out: a block named x, and a target named y unless there is one.
Settings with_dimension(Settings given);
// The schema that the settings declare. Throws RequestError when the target or features are not said, when one of them
// has neither bounds nor levels, or when bounds or levels are declared for a column that is neither (a likely slip).
Schema schema_from(const Settings& given);
// Settings that declare this schema.
Settings settings_of(const Schema& schema);
ClassNames class_names(const Schema& schema);
// The features in the order of the coordinates: as listed, then the blocks that are not.
std::vector<std::string> feature_names(const Settings& given);

// --- rules.cc: what a request means

std::string_view to_string(Mechanism mechanism);
std::string_view to_string(ErmMethod method);
std::string_view to_string(ErmTauRule rule);
// Those that keep rows and go over them again.
bool is_erm(Mechanism mechanism);

// Settings that mean this request, schema and all.
Settings settings_of(const StreamOptions& request);
// As said, else what the other settings imply: a sketch of its size, PrivIncERM of a loss other than squared.
Mechanism mechanism_of(const Settings& given);
// As parse_loss() (rivulet/loss.h) spells it: as said, else logistic for classes and the surrogate, squared elsewhere.
std::string loss_of(const Settings& given);
// The request that the settings ask for. Throws RequestError when one is missing or contradicts another.
StreamOptions read_request(const Settings& given);
// Mechanism, loss and what follows from them decided; a request that is settled stays as it is. Throws RequestError as
// read_request() does, with the same words.
void settle(StreamOptions& request);

// --- stored.cc: the request in a model file

// JSON with fixed keys. The request must have its defaults filled in.
std::string stored_text(const StreamOptions& request);
// Throws RequestError on anything stored_text() would not have written: a missing, unknown or mistyped key.
StreamOptions read_stored(std::string_view text);
// The first key in which the two differ, with both values; empty when they are the same.
std::string first_difference(const StreamOptions& stored, const StreamOptions& given);

}  // namespace rivulet::request
