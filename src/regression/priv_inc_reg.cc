#include "rivulet/error.h"
#include "rivulet/priv_inc_reg1.h"
#include "rivulet/priv_inc_reg2.h"

namespace rivulet {
namespace {

const StreamOptions& moments(const StreamOptions& options) {
  if (!options.erm) return options;
  throw RequestError("erm", "asked for, but this is not PrivIncERM; accepted: none, or IncrementalRegression");
}

const StreamOptions& without_sketch(const StreamOptions& options) {
  if (!options.sketch) return options;
  throw RequestError("sketch", "asked for, but PrivIncReg1 has none; accepted: no sketch, or PrivIncReg2");
}

const StreamOptions& with_sketch(const StreamOptions& options) {
  if (options.sketch) return options;
  throw RequestError("sketch", "not asked for, but PrivIncReg2 is one; accepted: a sketch, or PrivIncReg1");
}

}  // namespace

PrivIncReg1::PrivIncReg1(const Options& options) : IncrementalRegression(without_sketch(moments(options))) {}
PrivIncReg2::PrivIncReg2(const Options& options) : IncrementalRegression(with_sketch(moments(options))) {}

}  // namespace rivulet
