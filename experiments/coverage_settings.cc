#include <initializer_list>

#include "coverage.h"

namespace rivulet::experiments {

std::vector<CoverageSetting> coverage_settings() {
  CoverageSetting privacy;
  privacy.name = "privacy noise dominates";
  privacy.slopes = {0.2, -0.1, 0.05};
  privacy.rows = 1500;

  CoverageSetting mixed = privacy;
  mixed.name = "mixed";
  mixed.error_stddev = 0.12;
  mixed.rows = 2000;
  mixed.epsilon = 6.0;

  CoverageSetting sampling = mixed;
  sampling.name = "sampling noise dominates";
  sampling.epsilon = 100.0;

  CoverageSetting mixed_90 = mixed;
  mixed_90.name = "mixed, level 0.90";
  mixed_90.level = 0.9;

  CoverageSetting several = mixed;
  several.name = "mixed, 16 releases";
  several.releases = 16;

  CoverageSetting correlated = mixed;
  correlated.name = "correlation 0.8";
  correlated.common = 2.0 / 3.0;

  CoverageSetting categorical = mixed;
  categorical.name = "categorical, 3 levels";
  categorical.slopes = {0.2, -0.1};
  categorical.level_shares = {0.5, 0.3, 0.2};
  categorical.level_effects = {0.0, 0.15, -0.1};

  CoverageSetting no_intercept = mixed;
  no_intercept.name = "no intercept";
  no_intercept.intercept = false;

  CoverageSetting unusable = mixed;
  unusable.name = "a fifth of the rows unusable";
  unusable.unusable_share = 0.2;

  // One level too rare to be determined: it is left out, and the others are those of the fit without it.
  CoverageSetting rare = privacy;
  rare.name = "a level with 0.5% of the rows";
  rare.slopes = {0.2, -0.1};
  rare.rows = 4000;
  rare.level_shares = {0.595, 0.4, 0.005};
  rare.level_effects = {0.0, 0.15, -0.1};

  // Twelve coordinates, one coefficient far larger than the others, and little room above the limit.
  CoverageSetting wide = privacy;
  wide.name = "12 features, one large";
  wide.slopes = {0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  wide.rows = 5000;

  return {privacy, mixed, sampling, mixed_90, several, correlated, categorical, no_intercept, unusable, rare, wide};
}

std::vector<CoverageSetting> limit_settings() {
  std::vector<CoverageSetting> settings;
  const auto add = [&](const CoverageSetting& setting, std::initializer_list<std::uint64_t> rows) {
    for (const std::uint64_t count : rows) {
      settings.push_back(setting);
      settings.back().rows = count;
    }
  };
  CoverageSetting three;
  three.name = "3 features";
  three.slopes = {0.3, -0.1, 0.05};
  add(three, {100, 200, 400, 500, 600, 700, 800, 1200});

  CoverageSetting one = three;
  one.name = "1 feature, no intercept";
  one.slopes = {0.4};
  one.intercept = false;
  add(one, {50, 75, 100, 125, 150, 250, 400});

  CoverageSetting correlated = three;
  correlated.name = "3 features, correlation 0.8";
  correlated.common = 2.0 / 3.0;
  add(correlated, {500, 1000, 2000, 3000, 5000});

  CoverageSetting rare = three;
  rare.name = "2 features, a level with 20%";
  rare.slopes = {0.3, -0.1};
  rare.level_shares = {0.8, 0.2};
  rare.level_effects = {0.0, -0.2};
  add(rare, {500, 800, 1000, 1200, 1500, 2000});
  return settings;
}

}  // namespace rivulet::experiments
