#include "audit/configuration.h"

#include <string>

#include "rivulet/error.h"

namespace rivulet::audit {

std::string_view to_string(Surface surface) {
  switch (surface) {
    case Surface::kernel:
      return "kernel";
    case Surface::gradients:
      return "gradients";
    case Surface::statistics:
      return "statistics";
    case Surface::models:
      return "models";
    case Surface::binary:
      return "binary";
    case Surface::python:
      return "python";
  }
  throw Error("audit: no such surface");
}

Surface parse_surface(std::string_view word) {
  std::string accepted;
  for (const Surface surface :
       {Surface::kernel, Surface::gradients, Surface::statistics, Surface::models, Surface::binary, Surface::python}) {
    if (word == to_string(surface)) return surface;
    accepted += (accepted.empty() ? "" : ", ") + std::string(to_string(surface));
  }
  throw RequestError("looks-at", "'" + std::string(word) + "' is not accepted; accepted: " + accepted);
}

std::string_view to_string(Place place) {
  switch (place) {
    case Place::first:
      return "first";
    case Place::middle:
      return "middle";
    case Place::last:
      return "last";
    case Place::chosen:
      return "chosen";
  }
  throw Error("audit: no such place");
}

std::uint64_t Configuration::differing_step() const {
  switch (place) {
    case Place::first:
      return 1;
    case Place::middle:
      return (steps + 1) / 2;
    case Place::last:
    case Place::chosen:
      return steps;
  }
  throw Error("audit: no such place");
}

privacy::GradientRequest gradient_request(const Configuration& configuration) {
  privacy::GradientRequest request;
  request.budget = configuration.promise.budget;
  request.neighbours = configuration.promise.neighbours;
  request.dimension = configuration.promise.dimension;
  request.rows_per_step = configuration.promise.rows_per_step;
  request.most_sums = configuration.steps * configuration.parts;
  return request;
}

}  // namespace rivulet::audit
