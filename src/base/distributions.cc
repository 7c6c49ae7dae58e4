#include "base/distributions.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace rivulet {
namespace {

namespace policies = boost::math::policies;

// Errors come back as NaN or infinity, and everything is computed in double: the same on machines whose long double is
// another one.
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::underflow_error<policies::ignore_error>, policies::denorm_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>,
                     policies::indeterminate_result_error<policies::ignore_error>, policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, Quiet>;
using Normal = boost::math::normal_distribution<double, Quiet>;
using Binomial = boost::math::binomial_distribution<double, Quiet>;

// From here on t^2 may leave the range of doubles.
constexpr double kHugeT = 1e150;

}  // namespace

double two_sided_tail(double t, double degrees_of_freedom) {
  t = std::abs(t);
  if (std::isinf(t)) return 0.0;
  if (t < kHugeT) return 2.0 * cdf(complement(StudentsT(degrees_of_freedom), t));
  // I_x(a, 1/2) = x^a / (a B(a, 1/2)) (1 + O(x)) with a = v / 2 and x = v / t^2.
  const double a = 0.5 * degrees_of_freedom;
  const double log_x = 2.0 * (0.5 * std::log(degrees_of_freedom) - std::log(t));
  return std::exp(a * log_x) / (a * boost::math::beta(a, 0.5, Quiet()));
}

double two_sided_quantile(double tail, double degrees_of_freedom) {
  if (tail >= 1.0) return 0.0;
  return quantile(complement(StudentsT(degrees_of_freedom), 0.5 * tail));
}

double standard_normal_quantile(double p) {
  return quantile(Normal(), p);
}

double largest_probability(std::uint64_t successes, std::uint64_t trials, double alpha) {
  if (successes >= trials) return 1.0;
  const double bound =
      Binomial::find_upper_bound_on_p(static_cast<double>(trials), static_cast<double>(successes), alpha);
  return std::min(1.0, bound * (1.0 + 1e-9));
}

}  // namespace rivulet
