// What has crossed the wall, for Python: models, statistics, releases, refits, intervals. Public: may be copied,
// pickled and shared.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

#include "rivulet/model.h"
#include "rivulet/refit.h"
#include "rivulet/release_log.h"
#include "rivulet/schema.h"

namespace rivulet::python {

// A model and the columns it predicts from.
struct FittedModel {
  Model model;
  std::shared_ptr<const Schema> schema;
};

struct PublishedRelease {
  std::optional<Statistics> statistics;  // PrivIncERM has none
  FittedModel model;
  std::string chain;  // of a model file
};

// As a file has it.
PublishedRelease published_from(const Release& release, const std::shared_ptr<const Schema>& schema);

void bind_published(nanobind::module_& module);
void bind_post_processing(nanobind::module_& module);

}  // namespace rivulet::python
