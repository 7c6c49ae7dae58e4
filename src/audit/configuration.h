// One line of an audit: a promise, a pair of neighbouring streams, and what the attacker looks at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "audit/neighbour_pair.h"
#include "privacy/gradient_plan.h"
#include "privacy/mechanism_plan.h"

namespace rivulet::audit {

// What the attacker sees.
enum class Surface {
  kernel,      // every number that leaves the kernel
  gradients,   // the noisy sums of PrivIncERM's kernel
  statistics,  // black box: the statistics that IncrementalRegression hands out
  models,      // black box: its models alone
  binary,      // black box: the release lines of `rivulet fit`, run as a process
  python,      // black box: the statistics that one of Python's doors publishes, and how many rows it counted
};

// The step with the row, or the unit, in which the streams differ.
enum class Place {
  first,
  middle,
  last,
  chosen,  // by the adversary, from what was published before
};

std::string_view to_string(Surface surface);
// Throws RequestError naming "looks-at".
Surface parse_surface(std::string_view word);
std::string_view to_string(Place place);

struct Configuration {
  privacy::MechanismRequest promise;
  Surface surface = Surface::kernel;
  PairKind pair = PairKind::worst;
  Place place = Place::first;
  // The other rows, and what is asked for, follow from what was published before.
  bool adaptive = false;
  std::uint64_t steps = 1;   // published in a trial; of `gradients`: calls
  std::uint64_t parts = 1;   // of `gradients`: disjoint parts of the rows a call goes over
  std::uint64_t trials = 0;  // counted, of each stream
  std::string door;          // of `python`: observe, observe_many, learn_one or partial_fit

  // The differing step, from 1, unless it is chosen.
  [[nodiscard]] std::uint64_t differing_step() const;
};

// The promise of a configuration that looks at gradients.
privacy::GradientRequest gradient_request(const Configuration& configuration);

}  // namespace rivulet::audit
