// Attacks a promise and compares what was proved with what was claimed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "audit/distinguisher.h"
#include "audit/matrix.h"

namespace rivulet::audit {

struct Finding {
  Configuration configuration;
  double claimed_mu = 0.0;  // of the Gaussian mechanism that has just the claimed epsilon and delta
  Measurement measured;
  double gaussian_epsilon = 0.0;  // of a Gaussian mechanism with the measured mu, at the claimed delta
  std::uint64_t steps_past_the_last = 0;

  // More was proved than the promise allows: about any mechanism, about the Gaussian one this is, or that something was
  // published that the promise does not cover. A promise that is kept gets this verdict with probability at most the
  // alpha of the audit.
  [[nodiscard]] bool violated() const;
};

// The programs that black boxes run.
struct Programs {
  std::string rivulet;  // for Surface::binary
  std::string python;   // an interpreter with the package, for Surface::python
};

// An experiment on the real mechanism. Throws RequestError when the
// promise cannot be made, or the configuration is none.
std::unique_ptr<Experiment> make_experiment(const Configuration& configuration, const Programs& programs);

// Nothing when it was stopped.
std::optional<Finding> audit(
    const Configuration& configuration, Experiment& experiment, double alpha,
    const KeepGoing& keep_going = [](double) { return true; });

}  // namespace rivulet::audit
