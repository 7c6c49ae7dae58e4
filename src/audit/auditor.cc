#include "audit/auditor.h"

#include "audit/black_box.h"
#include "audit/white_box.h"
#include "privacy/calibration.h"
#include "rivulet/error.h"

namespace rivulet::audit {

bool Finding::violated() const {
  return measured.epsilon > configuration.promise.budget.epsilon || measured.mu > claimed_mu || steps_past_the_last > 0;
}

std::unique_ptr<Experiment> make_experiment(const Configuration& configuration, const Programs& programs) {
  switch (configuration.surface) {
    case Surface::kernel: {
      const privacy::MechanismPlan plan(configuration.promise);
      return make_kernel_experiment(configuration, plan, kernel_streams(plan, secure_noise()));
    }
    case Surface::gradients: {
      const privacy::GradientPlan plan(gradient_request(configuration));
      return make_gradient_experiment(configuration, plan, kernel_histories(plan, secure_noise()));
    }
    case Surface::statistics:
    case Surface::models:
      return make_model_experiment(configuration);
    case Surface::binary:
      return make_binary_experiment(configuration, programs.rivulet);
    case Surface::python:
      return make_python_experiment(configuration, programs.python);
  }
  throw Error("audit: no such surface");
}

std::optional<Finding> audit(const Configuration& configuration, Experiment& experiment, double alpha,
                             const KeepGoing& keep_going) {
  const Budget& budget = configuration.promise.budget;
  const std::optional<Measurement> measured =
      distinguish(experiment, {configuration.trials, alpha, budget.delta}, keep_going);
  if (!measured) return std::nullopt;
  Finding finding;
  finding.configuration = configuration;
  finding.claimed_mu = privacy::gaussian_mu(budget);
  finding.measured = *measured;
  finding.gaussian_epsilon = epsilon_of_gaussian(measured->mu, budget.delta);
  finding.steps_past_the_last = experiment.steps_past_the_last();
  return finding;
}

}  // namespace rivulet::audit
