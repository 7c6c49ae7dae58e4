// What `rivulet audit` prints: a table line by line, or all of it as JSON or CSV.
#pragma once

#include <string>
#include <vector>

#include "audit/auditor.h"

namespace rivulet::cli {

struct AuditReport {
  std::vector<audit::Finding> findings;
  std::size_t planned = 0;  // configurations; fewer were finished when it was interrupted
  double confidence = 0.0;  // with which all bounds hold together
  double seconds = 0.0;

  [[nodiscard]] std::size_t violations() const;
  // The finding with the largest share of the claim, by what is proved about any mechanism, or about a Gaussian one.
  // Null when there is none.
  [[nodiscard]] const audit::Finding* tightest(bool gaussian) const;
};

std::string audit_heading();
// Of a configuration before it is run: without figures.
std::string audit_line(const audit::Configuration& configuration);
std::string audit_line(const audit::Finding& finding);
std::string audit_summary(const AuditReport& report);
std::string audit_json(const AuditReport& report);
std::string audit_csv(const AuditReport& report);

}  // namespace rivulet::cli
