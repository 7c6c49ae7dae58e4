// Typed errors. Every message names the field, the value and what would be accepted. No message ever contains a value
// taken from a row: requests, schemas and paths are public, rows are not.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace rivulet {

// Base of everything Rivulet throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The request itself cannot be honoured (a budget, bound, option or configuration). Thrown before the first row is
// read.
class RequestError : public Error {
 public:
  RequestError(std::string field, const std::string& explanation)
      : Error(field + ": " + explanation), field_(std::move(field)) {}

  // The option or configuration key at fault, as the user wrote it, e.g. "epsilon".
  [[nodiscard]] const std::string& field() const noexcept { return field_; }

 private:
  std::string field_;
};

// A file or stream could not be opened, read or written.
class IoError : public Error {
 public:
  using Error::Error;
};

// A model file, or a batch's bytes, that is not one, is damaged or cut short, was made by a newer version, or does not
// hold what it promises. It was left as it was.
class DamagedFile : public Error {
 public:
  using Error::Error;
};

// The model is in use by another process, or is behind what was already published from it: going on would publish a
// step twice.
class ModelConflict : public Error {
 public:
  using Error::Error;
};

// The stream has more steps than the promise covers. Everything already published stays valid.
class HorizonExceeded : public Error {
 public:
  using Error::Error;
};

}  // namespace rivulet
