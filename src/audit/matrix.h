// What an audit goes through: configurations, and the lists of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audit/neighbour_pair.h"
#include "privacy/gradient_plan.h"
#include "privacy/mechanism_plan.h"

namespace rivulet::audit {

// One line of an audit: a promise, a pair of neighbouring streams, and what the attacker looks at.
//
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

// What to go through; every list is a choice of its own.
struct Choice {
  std::vector<double> epsilons{0.5, 1.0, 2.0, 8.0};
  double delta = 1e-6;
  std::vector<StrategyKind> strategies{StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid};
  std::vector<Neighbours> neighbours{Neighbours::replace, Neighbours::zero_out};
};

// Strategies x neighbours x epsilons x dimensions 1, 5 and 20, over horizons, pairs and places; adaptive streams; long
// runs for the tightest bounds; units; gradients; black boxes.
std::vector<Configuration> full_matrix(const Choice& choice);
// Some of each, in less than a minute.
std::vector<Configuration> fast_matrix(const Choice& choice);
// The doors of the Python package, each with two pairs.
std::vector<Configuration> python_matrix(const Choice& choice, bool fast);
// Every pair at every place for one promise, adaptive streams, and black boxes where profile and size allow
// for so many of them. `steps` are published in a trial.
std::vector<Configuration> matrix_of(const privacy::MechanismRequest& promise, std::uint64_t steps);

}  // namespace rivulet::audit
