#include <stdexcept>

#include "model_fuzzing.h"
#include "store/reseal.h"

namespace rivulet::fuzzing {
namespace {

using store_testing::Alteration;
using store_testing::PlainSqlite;

// Takes numbers from the input; zeros when there are none left.
class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::size_t number(int width) {
    std::size_t value = 0;
    for (int i = 0; i < width; ++i) {
      value = value << 8 | (bytes_.empty() ? 0 : static_cast<unsigned char>(bytes_[0]));
      if (!bytes_.empty()) bytes_.remove_prefix(1);
    }
    return value;
  }
  std::string_view text(std::size_t length) {
    const std::string_view part = bytes_.substr(0, length);
    bytes_.remove_prefix(part.size());
    return part;
  }

 private:
  std::string_view bytes_;
};

// One edit of one string, whatever it is.
void edit(std::string& bytes, Input& input) {
  const std::size_t action = input.number(1) % 6;
  const std::size_t at = bytes.empty() ? 0 : input.number(3) % bytes.size();
  const std::size_t length = input.number(1);
  switch (action) {
    case 0:
      if (!bytes.empty()) bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (length | 1));
      break;
    case 1: {
      const std::string_view text = input.text(length % 32);
      bytes.replace(at, std::min(text.size(), bytes.size() - at), text);
      break;
    }
    case 2:
      bytes.insert(at, input.text(length % 32));
      break;
    case 3:
      bytes.erase(at, length % 16 + 1);
      break;
    case 4:
      bytes.replace(at, std::min<std::size_t>(16 * length, bytes.size() - at), 16 * length, '\0');
      break;
    default: {
      const std::string part = bytes.substr(bytes.empty() ? 0 : input.number(3) % bytes.size(), 16 * length);
      bytes.replace(at, std::min(part.size(), bytes.size() - at), part);
    }
  }
}

struct Field {
  const char* table;
  const char* column;
  const char* where;
  bool is_number;
};

constexpr Field kFields[] = {
    {"public_meta", "value", "key = 'request'", false},
    {"public_meta", "value", "key = 'decisions'", false},
    {"public_meta", "value", "key = 'made_by'", false},
    {"public_meta", "value", "key = 'model'", false},
    {"public_release", "statistics", "step = 1", false},
    {"public_release", "theta", "step = 2", false},
    {"public_release", "rows", "step = 2", true},
    {"public_release", "step", "step = 12", true},
    {"public_ledger", "detail", "entry = 1", false},
    {"public_ledger", "event", "entry = 2", false},
    {"public_ledger", "step", "entry = 2", true},
    {"public_state", "decoder", "id = 1", false},
    {"public_state", "rows", "id = 1", true},
    {"public_state", "delivered", "id = 1", true},
    {"public_state", "commits", "id = 1", true},
    {"sensitive_state", "kernel", "id = 1", false},
    {"sensitive_state", "kernel", "id = 1", false},  // twice: the deepest of the parsers
    {"sensitive_state", "source", "id = 1", false},
    {"sensitive_unit", "tag", "tag = (SELECT min(tag) FROM sensitive_unit)", false},
    {"sensitive_unit", "rows", "tag = (SELECT max(tag) FROM sensitive_unit)", true},
};

void edit_field(PlainSqlite& database, Input& input) {
  const Field& field = kFields[input.number(1) % std::size(kFields)];
  const std::string where = std::string(" WHERE ") + field.where;
  const std::string set = std::string("UPDATE ") + field.table + " SET " + field.column + " = ";
  if (field.is_number) {
    database.run(set + std::to_string(static_cast<std::int64_t>(input.number(8))) + where);
    return;
  }
  const auto rows = database.rows(std::string("SELECT ") + field.column + " FROM " + field.table + where);
  if (rows.empty()) return;
  std::string bytes = rows[0][0];
  edit(bytes, input);
  const bool is_text = std::string_view(field.table) == "public_ledger";
  database.rows(set + (is_text ? "CAST(? AS TEXT)" : "?") + where, {bytes});
}

}  // namespace

void edit_bytes(const std::string& path, const Fixtures& fixtures, std::string_view edits) {
  Input input(edits);
  Bytes bytes = fixtures[input.number(1)];
  while (!input.empty()) edit(bytes.log.empty() || input.number(1) % 2 == 0 ? bytes.file : bytes.log, input);
  write_file(path, bytes.file);
  if (!bytes.log.empty()) write_file(path + "-wal", bytes.log);
}

bool edit_fields(const std::string& path, const Fixtures& fixtures, std::string_view edits) {
  Input input(edits);
  const Bytes& bytes = fixtures[input.number(1)];
  write_file(path, bytes.file);
  if (!bytes.log.empty()) write_file(path + "-wal", bytes.log);
  try {
    Alteration altered(path);
    for (int i = 0; i < 4 && !input.empty(); ++i) edit_field(altered.database(), input);
    store_testing::reseal(altered.database());
    return true;
  } catch (const std::exception&) {
    return false;  // not even SQLite would have it
  }
}

}  // namespace rivulet::fuzzing
